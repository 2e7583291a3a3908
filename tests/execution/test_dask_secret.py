"""A cluster on this machine talks to the process that has started it, and to nobody else."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install '.[cluster]'")

from distributed.comm.core import connect, listen

from poise.execution import OnDask, dask_connection, dask_secret
from poise.execution.dask_secret import Secret
from tests.execution.jobs_to_run import behave

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534


@pytest.fixture(scope="module")
def cluster() -> Generator[OnDask, None, None]:
    with OnDask("local", workers=1) as executor:
        assert [ended.result() for ended in executor.run(behave, [("return", 1)])] == [1]
        yield executor


def family() -> list[psutil.Process]:
    """The cluster's processes."""
    return psutil.Process().children(recursive=True)


def ports() -> set[int]:
    """Where they listen."""
    return {
        each.laddr.port
        for process in family()
        for each in process.net_connections()
        if each.status == "LISTEN"
    }


STRANGER = f"""
import os, sys
from distributed import Client, Security
from poise.execution.dask_secret import Secret

def refused(address, security):
    try:
        client = Client(address, timeout=5, security=security)
    except OSError:
        return True
    return not client.run_on_scheduler(os.getpid)

refused("tcp://127.0.0.1:9", Security())  # all is imported that another user may not read
if hasattr(os, "getuid") and os.getuid() == 0:
    os.setgid({NOBODY})
    os.setuid({NOBODY})
address = sys.argv[1]
for each in (address, address.replace("poise:", "tcp:")):
    print(*(refused(each, security) for security in (Security(), Secret())))
"""
"""As another user where the tests may have one, otherwise as another process."""


def test_a_client_of_another_user_is_refused(cluster: OnDask) -> None:
    """With Dask's own means, or with ours and a secret of its own."""
    done = subprocess.run(
        [sys.executable, "-c", STRANGER, cluster.address], check=False,
        capture_output=True, text=True, timeout=240, cwd=ROOT.anchor,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )  # fmt: skip
    assert done.stdout == "True True\nTrue True\n", done.stderr
    assert [ended.result() for ended in cluster.run(behave, [("return", 2)])] == [2]


def test_nothing_that_listens_answers_a_stranger(cluster: OnDask) -> None:
    """Scheduler, nanny and worker hang up without a word; pages for a browser are read only."""
    pages = 0
    found = ports()
    assert port_of(cluster.address) in found
    for port in found:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as stranger:
            stranger.sendall(b"POST /api/v1/retire_workers HTTP/1.1\r\nHost: x\r\n\r\n" + bytes(64))
            with contextlib.suppress(ConnectionResetError):
                said = stranger.recv(1000)
                pages += said.startswith((b"HTTP/1.1 404", b"HTTP/1.1 405"))
                assert said == b"" or said.startswith((b"HTTP/1.1 404", b"HTTP/1.1 405")), said
    assert 1 <= pages <= len(found) - 3


def test_no_command_line_environment_or_file_has_the_secret(cluster: OnDask) -> None:
    value = dask_connection._secrets[cluster.address].value
    forms = [value, value.hex().encode(), base64.b64encode(value)[:-1]]
    forms += [base64.urlsafe_b64encode(value)[:-1], repr(value)[2:-1].encode()]
    processes = family()
    assert len(processes) >= 4  # the cluster, its worker, and what works
    for process in processes:
        said = " ".join(process.cmdline()).encode()
        said += repr(process.environ()).encode() if process.environ() else b""
        assert not any(form in said for form in forms), process
    folder = folder_of(cluster)
    content = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert not any(form in content for form in forms)
    assert repr(dask_connection._secrets[cluster.address]) == "Secret()"


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_workers_import_from_no_folder_that_others_can_write_to(cluster: OnDask) -> None:
    """Dask puts its own first, which is `dask-scratch-space` for all users of a machine."""
    folder = folder_of(cluster)
    paths = cluster._client.run(lambda: __import__("sys").path).values()
    scratch = [Path(entry) for entries in paths for entry in entries if "scratch" in entry]
    assert scratch and all(folder in each.parents for each in scratch)
    assert folder.stat().st_mode & 0o777 == 0o700 and folder.stat().st_uid == os.getuid()


def folder_of(cluster: OnDask) -> Path:
    """Where its processes keep what they need."""
    found = cluster._client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.local_directory)
    folder = Path(found).parents[1]
    assert folder.name.startswith("poise-dask-"), found
    return folder


# The greeting itself.


@contextlib.asynccontextmanager
async def server(secret: Secret) -> AsyncGenerator[tuple[str, list[Any]], None]:
    """Somebody who listens, and what has been said to them after the greeting."""
    heard: list[Any] = []

    async def handle(comm: Any) -> None:
        with contextlib.suppress(OSError):
            heard.append(await comm.read())
            await comm.write("thanks")
        await comm.close()

    listener = listen("poise://127.0.0.1:0", handle, **secret.get_listen_args("worker"))
    async with listener:
        yield listener.contact_address, heard


async def said(address: str, secret: Secret) -> object:
    comm = await connect(address, timeout=30, **secret.get_connection_args("client"))
    try:
        await comm.write("hello")
        return await comm.read()
    finally:
        await comm.close()


def test_who_knows_the_secret_is_heard() -> None:
    async def talk() -> None:
        secret = Secret()
        async with server(secret) as (address, heard):
            assert await said(address, secret) == "thanks"
            assert heard == ["hello"]
            with pytest.raises(OSError, match="not of this cluster"):
                await said(address, Secret())
            assert heard == ["hello"]

    asyncio.run(talk())


@contextlib.asynccontextmanager
async def opened(port: int) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection of somebody who knows the protocol only."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def between(port: int) -> AsyncGenerator[int]:
    """Somebody in between who passes on all that they hear; their port."""
    handled: list[asyncio.Task[Any]] = []

    async def passing(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                sink.write(data)
        sink.close()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handled.append(asyncio.current_task())  # type: ignore[arg-type]
        async with opened(port) as (answers, further):
            await asyncio.gather(passing(reader, further), passing(answers, writer))
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    middle = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield middle.sockets[0].getsockname()[1]
    finally:
        middle.close()
        await asyncio.gather(*handled)


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def test_somebody_in_between_gains_nothing() -> None:
    """A server that took the place of one that has gone, and passes all on to another."""

    async def talk() -> None:
        secret = Secret()
        async with server(secret) as (address, heard), between(port_of(address)) as middle:
            with pytest.raises(OSError, match="not of this cluster"):
                await said(f"poise://127.0.0.1:{middle}", secret)
            assert heard == []

    asyncio.run(talk())


def test_what_a_member_has_proved_is_of_no_use_to_who_has_heard_it() -> None:
    async def talk() -> None:
        secret, greeting = Secret(), b"poise cluster 1\n" + bytes(32)
        async with server(secret) as (address, heard):
            there = "127.0.0.1", port_of(address)

            async def answer_to(proof: bytes) -> bytes:
                async with opened(there[1]) as (reader, writer):
                    writer.write(greeting)
                    theirs = (await reader.readexactly(64))[:32]
                    own = dask_secret._proof(secret.value, b"client", there, theirs, bytes(32))
                    proofs.append(own)
                    writer.write(proof or own)
                    return await reader.read(1)

            proofs: list[bytes] = []
            assert await answer_to(b"") != b""  # Dask begins to speak
            assert await answer_to(proofs[0]) == b""
            assert heard == []

    asyncio.run(talk())


def test_who_says_nothing_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_secret, "_MOST_S", 0.1)

    async def talk() -> None:
        async with server(Secret()) as (address, heard):
            for first in (b"", b"poise cluster 1\n", b"poise cluster 1\n" + bytes(32)):
                async with opened(port_of(address)) as (reader, writer):
                    writer.write(first)
                    assert len(await reader.read(-1)) == (64 if len(first) == 48 else 0)
            assert heard == []

    asyncio.run(talk())
