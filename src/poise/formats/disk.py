"""Files as the operating system gives them: regular, of bounded size, and with clear refusals."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from poise.errors import FileProblem

MAX_FILE_BYTES = 256 * 2**20
"""A quarter of a gibibyte: most of an hour of a whole body at 120 Hz as text. Anything larger is
far more often a wrong file than a motion, and parsing it would need gigabytes."""

_PIECE = 2**20

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


_confined_to: ContextVar[Path | None] = ContextVar("confined_to", default=None)


@contextmanager
def reading_below(folder: Path) -> Generator[None, None, None]:
    """Refuse, in this thread, to read anything outside of a folder, whatever it is that leads out.

    For servers: readers go from file to file (a recipe names a place, that a mesh), and what was
    asked for says little about what is read in the end.
    """
    before = _confined_to.set(folder.resolve())
    try:
        yield
    finally:
        _confined_to.reset(before)


def is_confined() -> bool:
    """Whether only the files of one folder may be read."""
    return _confined_to.get() is not None


def check_readable(path: Path) -> None:
    """Nothing, if a file may be read here.

    Raises:
        FileProblem: it lies outside of the one folder whose files may be read.
    """
    folder = _confined_to.get()
    if folder is None:
        return
    try:
        inside = path.resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):  # a link to itself; a name that no file can have
        inside = False
    if not inside:
        raise FileProblem(path, "a file in the project folder", "one outside of it")


_SPLIT_IT = "Split the recording into shorter takes."


def read_bytes(path: Path, *, max_bytes: int = MAX_FILE_BYTES, advice: str = _SPLIT_IT) -> bytes:
    """The content of a regular file no larger than `max_bytes`; `advice` is for larger ones.

    Raises:
        FileProblem: what is there instead, or that it may not be read (`reading_below`).
    """
    # In pieces: asking for the most at once would allocate the most at once.
    return b"".join(_pieces(path, max_bytes, advice))


@contextmanager
def opened(
    path: Path, *, max_bytes: int = MAX_FILE_BYTES, advice: str = _SPLIT_IT
) -> Generator[BinaryIO, None, None]:
    """A regular file no larger than `max_bytes`, to read from; `advice` is for larger ones.

    Raises:
        FileProblem: as `read_bytes`.
    """
    check_readable(path)
    try:
        file = _opened(path)
    except (OSError, ValueError) as error:
        raise os_problem(path, error, "read") from error
    with file:
        size = os.fstat(file.fileno()).st_size
        if size > max_bytes:
            raise _too_large(path, size, max_bytes, advice)
        yield file


def content_hash(path: Path, *, max_bytes: int = MAX_FILE_BYTES) -> str:
    """The SHA-256 of what `read_bytes` would give, without holding it.

    Raises:
        FileProblem: as `read_bytes`.
    """
    digest = hashlib.sha256()
    for piece in _pieces(path, max_bytes, _SPLIT_IT):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(path: Path, max_bytes: int, advice: str) -> Iterator[bytes]:
    seen = 0
    with opened(path, max_bytes=max_bytes, advice=advice) as file:
        try:
            while piece := file.read(_PIECE):
                seen += len(piece)
                if seen > max_bytes:  # it grew since we asked
                    raise _too_large(path, seen, max_bytes, advice)
                yield piece
        except OSError as error:
            raise os_problem(path, error, "read") from error


def _opened(path: Path) -> BinaryIO:
    """A regular file; pipes and devices are not opened, because that may wait for ever.

    One that takes the place of a file after we have looked is opened without waiting.
    """
    _check_regular(path, path.stat())
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags), "rb")
    try:
        _check_regular(path, os.fstat(file.fileno()))
    except BaseException:
        file.close()
        raise
    return file


def _check_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FileProblem(path, "a file to read", kind_of(status.st_mode))


def os_problem(path: Path, error: OSError | ValueError, doing: str) -> FileProblem:
    """What the operating system refused, as a problem with a file.

    Args:
        path: the file.
        error: an `OSError`, or the `ValueError` Python raises for a path no system could have.
        doing: "read" or "write".
    """
    if isinstance(error, FileNotFoundError):
        if doing == "write":
            return FileProblem(path, "an existing folder to write into", f"no {path.parent}")
        return FileProblem(path, "an existing file", "nothing there")
    if isinstance(error, IsADirectoryError):
        return FileProblem(path, f"a file to {doing}", "a directory")
    if isinstance(error, PermissionError):
        return FileProblem(path, f"permission to {doing} it", "that it is denied")
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return FileProblem(
        path, f"a file that can be {'read' if doing == 'read' else 'written'}", reason
    )


def kind_of(mode: int) -> str:
    """What a file mode says is there, in words."""
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "something that is no file")


def _too_large(path: Path, size: int, max_bytes: int, advice: str) -> FileProblem:
    found = f"{size / 2**20:.0f} MiB"
    return FileProblem(path, f"at most {max_bytes // 2**20} MiB", found, advice=advice)


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
