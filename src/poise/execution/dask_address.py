"""Where a Dask scheduler is, and whether anybody answers there."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

from poise.errors import BadValue, FileProblem, PoiseError

_DEFAULT_PORT = 8786
"""Of Dask schedulers."""


class ClusterProblem(PoiseError):
    """A Dask cluster that cannot be reached or used, or is gone."""


def address_of(address: str, deadline: float) -> str:
    """The address of a scheduler, with its protocol; where a file has it, as soon as it does.

    Raises:
        BadValue: neither an address nor a scheduler file.
        FileProblem: no scheduler has written that file before the deadline.
    """
    if address.endswith(".json"):
        return _address_in(Path(address), deadline)
    whole = address if "://" in address else f"tcp://{address}"
    try:
        host = urlsplit(whole).hostname
        has_port = urlsplit(whole).port is not None
    except ValueError:
        host, has_port = None, False
    if not host or not (has_port or "://" in address):
        allowed = "'local', a scheduler such as tcp://host:8786, or its scheduler file (*.json)"
        raise BadValue("address", allowed, address)
    return whole if has_port else f"{whole.rstrip('/')}:{_DEFAULT_PORT}"


def _address_in(path: Path, deadline: float) -> str:
    while True:
        try:
            return str(json.loads(path.read_text(encoding="utf-8"))["address"])
        except OSError as problem:
            found = problem.strerror or str(problem)
        except (ValueError, KeyError, TypeError):
            found = "something else"
        if time.monotonic() > deadline:
            raise FileProblem(
                path,
                "what a Dask scheduler writes",
                found[:1].lower() + found[1:],
                advice=f"Start it with: dask scheduler --scheduler-file {path}",
            )
        time.sleep(0.1)


def knock(address: str, deadline: float) -> None:
    """Wait until a scheduler takes connections: in our words, before Dask has many of its own.

    Raises:
        ClusterProblem: none does, before the deadline.
    """
    where = urlsplit(address)
    if where.scheme not in ("tcp", "tls") or where.hostname is None:
        return
    while True:
        try:
            left = max(deadline - time.monotonic(), 0.1)
            socket.create_connection((where.hostname, where.port or _DEFAULT_PORT), left).close()
            return
        except OSError as problem:
            if time.monotonic() > deadline:
                raise ClusterProblem(
                    f"No Dask scheduler answers at {address} ({first_line(problem)}). Check that "
                    "it runs there (dask scheduler), that this is its address, and that no "
                    "firewall stands between."
                ) from problem
        time.sleep(0.1)


def first_line(problem: BaseException) -> str:
    """What an error of others says, as a part of a sentence."""
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0].rstrip(".")
