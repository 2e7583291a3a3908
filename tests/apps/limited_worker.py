"""A process that runs commands in forks of its own, each within limits, and says what they took.

Requests and answers are JSON, one a line. What commands import, and the kernels that they load, are
loaded once before; what a fork takes is then what its command takes.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import tempfile
import time
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
            _command(request)
            answer: dict[str, Any] = {}
        else:
            answer = _forked(request)
        print(json.dumps(answer), file=answers, flush=True)


def _command(request: dict[str, Any]) -> int:
    """The command in this process, as a terminal would run it; its exit code."""
    from poise.apps.cli.main import main as poise

    os.chdir(request["folder"])
    sys.argv = ["poise", *request["arguments"]]
    try:
        poise()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


def _forked(request: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        said = [Path(folder, name) for name in ("out", "err")]
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            _become(request, said)
        _, status, used = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        out, err = (each.read_text(encoding="utf-8", errors="replace") for each in said)
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "code": code, "out": out, "err": err, "cpu_s": used.ru_utime + used.ru_stime,
        "peak_bytes": used.ru_maxrss * unit, "seconds": time.monotonic() - began,
    }  # fmt: skip


def _become(request: dict[str, Any], said: list[Path]) -> None:
    """Be the command, in a fork; never comes back."""
    code = 99
    try:
        for number, path in enumerate(said, start=1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
        seconds = int(request["cpu_s"]) + 1
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            size = int(request.get("address_bytes") or RUNAWAY_BYTES)
            resource.setrlimit(resource.RLIMIT_AS, (size, size))
        code = _command(request)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
