"""Who may talk to the server: this machine's page, with the secret it was opened with.

Three walls, each enough against another page in the same browser. The Host must be ours, so that a
name that was made to point here does not count. The Origin of whatever changes something must be
ours. And everything but the page itself needs the token, which only the address that was printed
has: behind its '#', which browsers send to nobody. The page sends it in headers.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl

from poise.errors import PoiseError
from poise.formats import read_bytes
from poise.user_folders import state_folder

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
_TOKEN_BYTES = 24
_MOST_BYTES = 10_000
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")
"""What so many bytes look like."""


@dataclass(frozen=True)
class Guard:
    """What is asked of requests."""

    host: str
    """Where the server listens."""
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(_TOKEN_BYTES))

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a request may call us."""
        names = LOOPBACK if self.host in LOOPBACK else (*LOOPBACK, self.host)
        return tuple(f"{name}:{self.port}" for name in names)

    def address(self, document: str = "") -> str:
        """Where the page is, with its secret behind '#': browsers send that to nobody."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        opens = f"&document={document}" if document else ""
        return f"http://{host}:{self.port}/#token={self.token}{opens}"

    def why_not(self, headers: Mapping[str, str], token: str | None, *, needs_origin: bool) -> str:
        """What is wrong with a request; empty: nothing.

        Args:
            headers: by their names in lower case.
            token: that it came with; None where none is needed.
            needs_origin: whether it must say where it comes from, as sockets and uploads do.
        """
        if self.host in LOOPBACK and headers.get("host", "") not in self.hosts:
            return "another host"
        origin = headers.get("origin")
        if origin is None:
            if needs_origin:
                return "no origin"
        elif origin.removeprefix("http://").removeprefix("https://") != headers.get("host", ""):
            return "another origin"
        if token is not None and not secrets.compare_digest(token.encode(), self.token.encode()):
            return "no token, or not ours"
        return ""


def has_token(query: bytes) -> bool:
    """Whether an address has a token where servers, logs and other pages see it."""
    said = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    return any(name.lower() == "token" for name, _ in said)


@dataclass(frozen=True)
class Remembered:
    """Where the studio of a folder was last, so that pages left open find it again."""

    port: int = 0
    token: str = ""


def memory_of(folder: Path) -> Path:
    """Where port and token of a folder's studio are kept: with the user's own things.

    Not in the folder: it may come from somebody else, who would know a token that came with it.
    """
    name = hashlib.sha256(str(folder).encode("utf-8", "replace")).hexdigest()[:24]
    return state_folder() / "studio" / f"{name}.json"


def remembered(file: Path) -> Remembered:
    """What is known; nothing if the file is not ours alone."""
    try:
        if os.name != "nt" and file.stat().st_mode & 0o077:
            return Remembered()
        said = json.loads(read_bytes(file, max_bytes=_MOST_BYTES))
        port, token = said["port"], said["token"]
    except (OSError, PoiseError, ValueError, KeyError, TypeError, RecursionError):
        return Remembered()
    if not isinstance(port, int) or not isinstance(token, str) or not 0 <= port < 2**16:
        return Remembered()
    # The folder may be anybody's: a secret that we would not have made is none.
    return Remembered(port, token if _TOKEN.fullmatch(token) else "")


def remember(file: Path, guard: Guard) -> None:
    """Keep port and token, for this user's eyes alone.

    Raises:
        OSError: what the system refuses.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with contextlib.suppress(FileNotFoundError):
        file.unlink()  # one that is there may be readable for others, or a link
    with os.fdopen(os.open(file, flags, 0o600), "w", encoding="utf-8") as out:
        json.dump({"port": guard.port, "token": guard.token}, out)
