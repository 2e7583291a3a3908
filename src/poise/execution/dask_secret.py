"""A Dask cluster that only those can talk to who know its secret.

Dask itself asks nobody who they are unless it has certificates, which Python alone cannot make.
Here both ends of each new connection prove that they know the secret before Dask hears a word:

    client  -> server   greeting, 32 random bytes
    server  -> client   32 random bytes, proof
    client  -> server   proof

A proof is a keyed hash of whose it is, of both sides' random bytes and of the address of the server
that the connection really leads to. So it is of no use a second time, nor to somebody in between
who passes on to one server what was meant for another. The secret is never sent: processes of the
cluster get it through the pipes by which they are started. What follows is not encrypted, which on
one machine nobody but the system's own user can read.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import socket
from typing import TYPE_CHECKING, Any, cast

from distributed import Security
from distributed.comm.core import FatalCommClosedError
from distributed.comm.registry import backends
from distributed.comm.tcp import TCPBackend, TCPConnector, TCPListener

if TYPE_CHECKING:
    from distributed.comm.tcp import TCP
    from tornado.iostream import IOStream

SCHEME = "poise"
"""Of addresses, where Dask has `tcp`."""

_GREETING = b"poise cluster 1\n"
_RANDOM_BYTES = 32
_PROOF_BYTES = hashlib.sha256().digest_size
_MOST_S = 10.0
"""A connection that has not proved itself by then is closed."""


class Secret(Security):
    """What makes somebody a member of one cluster; a stranger's security settings do not matter."""

    def __init__(self) -> None:
        super().__init__(require_encryption=False)
        self.value = secrets.token_bytes(32)

    def get_connection_args(self, role: str) -> dict[str, object]:
        """For whoever connects."""
        return {"require_encryption": False, "secret": self.value}

    def get_listen_args(self, role: str) -> dict[str, object]:
        """For whoever listens."""
        return {"require_encryption": False, "secret": self.value}

    def __repr__(self) -> str:
        return "Secret()"


class _Listener(TCPListener):
    prefix = f"{SCHEME}://"

    def _get_server_args(self, **given: Any) -> dict[str, object]:
        self._secret = bytes(given["secret"])
        return {}

    async def _prepare_stream(self, stream: IOStream, address: str) -> IOStream | None:
        """The stream, once whoever is at its other end has proved itself; or None."""
        try:
            async with asyncio.timeout(_MOST_S):
                theirs = await stream.read_bytes(len(_GREETING) + _RANDOM_BYTES)
                if theirs.startswith(_GREETING):
                    ours, theirs = secrets.token_bytes(_RANDOM_BYTES), theirs[len(_GREETING) :]
                    here = cast(socket.socket, stream.socket).getsockname()
                    await stream.write(ours + self._proof(b"server", here, ours, theirs))
                    proof = await stream.read_bytes(_PROOF_BYTES)
                    if hmac.compare_digest(proof, self._proof(b"client", here, ours, theirs)):
                        return stream
        except (OSError, TimeoutError):
            pass
        stream.close()
        return None

    def _proof(self, who: bytes, server: tuple[Any, ...], ours: bytes, theirs: bytes) -> bytes:
        return _proof(self._secret, who, server, ours, theirs)


class _Connector(TCPConnector):
    prefix = f"{SCHEME}://"

    def _get_connect_args(self, **_: Any) -> dict[str, object]:
        return {}

    async def connect(self, address: str, deserialize: bool = True, **given: Any) -> TCP:
        """Connect, and prove to each other who we are.

        Raises:
            FatalCommClosedError: one of us does not know the secret.
            OSError: nobody is there, or they have hung up.
        """
        if "secret" not in given:
            raise FatalCommClosedError("it talks only to the process that has started it")
        secret = bytes(given["secret"])
        comm: TCP = await super().connect(address, deserialize, **given)
        try:
            stream = cast("IOStream", comm.stream)
            there = cast(socket.socket, stream.socket).getpeername()
            ours = secrets.token_bytes(_RANDOM_BYTES)
            await stream.write(_GREETING + ours)
            answer = await stream.read_bytes(_RANDOM_BYTES + _PROOF_BYTES)
            theirs, proof = answer[:_RANDOM_BYTES], answer[_RANDOM_BYTES:]
            if not hmac.compare_digest(proof, _proof(secret, b"server", there, theirs, ours)):
                raise FatalCommClosedError(f"what listens at {address} is not of this cluster")
            await stream.write(_proof(secret, b"client", there, theirs, ours))
        except BaseException:
            comm.abort()
            raise
        return comm


class _Backend(TCPBackend):
    _connector_class = _Connector
    _listener_class = _Listener


def _proof(
    secret: bytes, who: bytes, server: tuple[Any, ...], of_server: bytes, of_client: bytes
) -> bytes:
    """That `who` knows the secret.

    All parts but the last have fixed lengths, so no two proofs are of the same bytes.
    """
    host, port = server[:2]
    where = socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
    said = b"".join((who, of_server, of_client, int(port).to_bytes(2, "big"), where))
    return hmac.digest(secret, said, "sha256")


backends[SCHEME] = _Backend()
