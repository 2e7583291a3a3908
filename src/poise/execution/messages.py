"""Messages between a supervisor and its workers: pickles, each after its length.

Only between processes that one user has started, over pipes of theirs: never over a network.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">Q")


def write_message(to: BinaryIO, message: object) -> None:
    """Send one.

    Raises:
        OSError: nobody reads any more.
    """
    content = pickle.dumps(message)
    to.write(_LENGTH.pack(len(content)))
    to.write(content)
    to.flush()


def read_message(source: BinaryIO) -> Any:
    """The next one; None when there are no more, or only half of one."""
    length = _exactly(source, _LENGTH.size)
    content = None if length is None else _exactly(source, _LENGTH.unpack(length)[0])
    return None if content is None else pickle.loads(content)


def _exactly(source: BinaryIO, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size > 0:
        part = source.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
