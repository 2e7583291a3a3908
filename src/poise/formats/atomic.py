"""Writing a file so that a failure leaves what was there before."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import time
from pathlib import Path

from poise.errors import FileProblem
from poise.formats.disk import kind_of, os_problem


def atomic_write(path: Path, data: bytes) -> None:
    """Put `data` at `path` as a whole or not at all.

    The bytes go to a new file in the same folder, which then takes the old one's place; a full
    disk or a crash half-way leaves the old file as it was. Links are followed, permissions kept.

    Raises:
        FileProblem: whatever the operating system refuses.
    """
    try:
        target = path.resolve()
        mode = _writable_mode(path, target)
        temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
        try:
            _write_new(temporary, data, mode)
            _replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of links
        problem = OSError(str(error)) if isinstance(error, RuntimeError) else error
        raise os_problem(path, problem, "write") from error


def _replace(temporary: Path, target: Path) -> None:
    """On Windows a file that somebody reads cannot be replaced; readers are done in a moment."""
    for pause_s in (0.01, 0.03, 0.1, 0.3) if os.name == "nt" else ():
        try:
            os.replace(temporary, target)
            return
        except PermissionError:
            time.sleep(pause_s)
    os.replace(temporary, target)


def _writable_mode(path: Path, target: Path) -> int | None:
    """The permissions of the file to replace; None when there is none yet."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise FileProblem(path, "a file to write", kind_of(mode))
    if not os.access(target, os.W_OK):
        # Replacing needs only the folder's permission; a read-only file deserves to be asked.
        raise PermissionError
    return stat.S_IMODE(mode)


def _write_new(temporary: Path, data: bytes, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(temporary, flags, 0o666), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        temporary.chmod(mode)
