"""The lock of a project folder: one studio at a time, for as long as its process lives."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import stat
import sys
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from poise.errors import FileProblem
from poise.formats import os_problem

LOCK = "lock"
_LOCKED_BYTE = 2**30
"""On Windows nobody can read a locked byte: it lies far behind the words of the file."""
_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK, getattr(errno, "EDEADLOCK", errno.EDEADLK))
_MOST_WORDS = 1000


class ProjectLock:
    """A lock of the operating system: it ends with its process, however that ends."""

    def __init__(self, project: Path, own: Path) -> None:
        """Take it.

        Args:
            project: the folder, for messages.
            own: where the studio keeps its own files.

        Raises:
            FileProblem: another studio has it, or the disk has no locks.
        """
        path = own / LOCK
        try:
            own.mkdir(parents=True, exist_ok=True)
            self._file = _opened(path)
        except OSError as refused:
            raise os_problem(path, refused, "write") from None
        try:
            _lock(self._file)
        except OSError as refused:
            words = _words(self._file)
            self._file.close()
            if refused.errno not in _HELD:
                wanted, advice = "a disk that has locks", "Work on a copy on a local disk."
                why = refused.strerror or str(refused)
                raise FileProblem(path, wanted, why, advice=advice) from None
            advice = "Go on in the browser window of that one, or end it (Ctrl-C) and start again."
            wanted = "a project that no other poise studio has open"
            raise FileProblem(project, wanted, f"one at work{words}", advice=advice) from None
        with contextlib.suppress(OSError):  # words for others; the lock is held without them
            _write_words(self._file)

    def close(self) -> None:
        """Let others in."""
        self._file.close()


def _opened(path: Path) -> BinaryIO:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
    # A project may be anybody's: no link is followed out of it, no pipe is waited for.
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    number = os.open(path, flags, 0o666)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "it is no file")
    return os.fdopen(number, "r+b", buffering=0)


def _lock(file: BinaryIO) -> None:
    if sys.platform == "win32":
        import msvcrt

        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        return
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _write_words(file: BinaryIO) -> None:
    since = datetime.now().astimezone().isoformat(timespec="minutes")
    said = {"process": os.getpid(), "machine": platform.node(), "since": since}
    file.truncate(0)
    file.seek(0)
    file.write(json.dumps(said).encode())


def _words(file: BinaryIO) -> str:
    """Who has it, as far as that is known."""
    try:
        file.seek(0)
        said = json.loads(file.read(_MOST_WORDS))
        process, machine = int(said["process"]), str(said["machine"])
        since = datetime.fromisoformat(said["since"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return ""
    return f": process {process} on {machine!r} since {since:%H:%M}"
