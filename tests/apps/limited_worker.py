"""A process that runs commands in forks of its own, each within limits, and says what they took.

Requests and answers are JSON, one a line. What commands import, and the kernels that they load, are
loaded once before; what a command takes is then its own. Commands about one file share a fork: the
peak of memory is that of all so far.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

RUNAWAY_BYTES = 6 * 2**30
"""Address space of a fork: far above what any test allows, so that a runaway harms nobody."""


def main() -> None:
    """Answer until there are no more requests."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        if request["warm"]:
            os.chdir(request["folder"])
            done = [_command(words) for words in request["commands"]]
        else:
            done = _forked(request)
        print(json.dumps(done), file=answers, flush=True)


def _command(words: list[str]) -> int:
    """A command in this process, as a terminal would run it; its exit code."""
    from poise.apps.cli.main import main as poise

    sys.argv = ["poise", *words]
    try:
        poise()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


def _forked(request: dict[str, Any]) -> list[dict[str, Any]]:
    """All commands, one after the other in one fork; the one that ends it is the last."""
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            _become(request, Path(folder))
        _, status, _ = os.wait4(child, 0)
        told = Path(folder, "told")
        lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
        done = [json.loads(line) for line in lines]
        if len(done) < len(request["commands"]):
            code = os.waitstatus_to_exitcode(status)
            out, err = (_read(Path(folder, f"{name}{len(done)}")) for name in ("out", "err"))
            done.append({"code": code, "out": out, "err": err, "cpu_s": 0.0, "peak_bytes": 0})
    return done


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _become(request: dict[str, Any], folder: Path) -> None:
    """Run the commands in a fork; never comes back."""
    try:
        os.chdir(request["folder"])
        size = int(request.get("address_bytes") or RUNAWAY_BYTES)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        with Path(folder, "told").open("w", encoding="utf-8") as told:
            for number, words in enumerate(request["commands"]):
                print(json.dumps(_limited(request, words, folder, number)), file=told, flush=True)
    except BaseException:
        traceback.print_exc()
        os._exit(99)
    os._exit(0)


def _limited(
    request: dict[str, Any], words: list[str], folder: Path, number: int
) -> dict[str, Any]:
    said = [Path(folder, f"{name}{number}") for name in ("out", "err")]
    for stream, path in enumerate(said, start=1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, stream)
        os.close(file)
    before = _cpu_s()
    with contextlib.suppress(ValueError, OSError):
        seconds = int(before + request["cpu_s"]) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
    code = _command(words)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    out, err = map(_read, said)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "code": code, "out": out, "err": err, "cpu_s": _cpu_s() - before,
        "peak_bytes": peak * (1 if sys.platform == "darwin" else 1024),
    }  # fmt: skip


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
