"""Commands in processes of their own, each within limits of memory and processor time."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CPU_S = 10.0
MEMORY_BYTES = 2**30

NO_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

_QUOTED = re.compile(r"'[^']*'")
_NAN = re.compile(r"(?<![A-Za-z])-?(?:nan|inf|infinity)(?![A-Za-z])", re.IGNORECASE)


_PLACE = re.compile(r"poise: [^:]+:(\d+(:\d+)?: | and \d+ more\.$)")


@dataclass(frozen=True)
class Ran:
    """What came of a command, and what it took."""

    code: int
    """Negative: the signal that ended it (−24: out of processor time)."""
    out: str
    err: str
    cpu_s: float
    peak_bytes: int
    """Resident memory at its most, Poise and its libraries included."""

    def wrong(self, *, codes: tuple[int, ...] = (0, 2, 3)) -> str:
        """What is wrong with how it ended, in a line; nothing if nothing is."""
        said = self.err.strip().splitlines()
        if self.code not in codes:
            return f"code {self.code}: {' | '.join(said[-3:])}"
        if "Traceback" in self.err or "internal error" in self.err or "Warning" in self.err:
            return f"not meant for users: {' | '.join(said[-3:])}"
        refusals = [line for line in said if line.startswith("poise: ")]
        # A recipe's mistakes are told all at once, each with its place in the file.
        each_has_a_place = all(_PLACE.match(line) for line in refusals)
        if self.code == 2 and not (len(refusals) == 1 or (refusals and each_has_a_place)):
            return f"a refusal is one line: {' | '.join(said[-3:])}"
        if self.peak_bytes > MEMORY_BYTES:
            return f"{self.peak_bytes / 2**20:.0f} MiB"
        if self.cpu_s > CPU_S:
            return f"{self.cpu_s:.1f} s of processor time"
        for line in (self.out + self.err).splitlines():
            # A refusal may name what it found.
            if not line.startswith("poise: ") and _NAN.search(_QUOTED.sub("", line)):
                return f"no number: {line.strip()}"
        return ""


def nan_in_files(folder: Path) -> list[str]:
    """Files below a folder that hold something that is no number."""
    found: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".json", ".csv", ".jsonl", ".yaml", ".bvh", ".amc", ".html"):
            text = path.read_text(encoding="utf-8", errors="replace")
            text = re.sub(r"<script.*?</script>|<style.*?</style>", "", text, flags=re.DOTALL)
            if hit := _NAN.search(text):
                found.append(f"{path.name}: …{text[max(0, hit.start() - 40) : hit.end() + 10]}…")
    return found


class Worker:
    """Runs one command after another; see `limited_worker`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.apps.limited_worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip

    def run(self, folder: Path, *arguments: object, address_bytes: int | None = None) -> Ran:
        """A command in a folder, in a process of its own."""
        return self.run_all(folder, [arguments], address_bytes)[0]

    def run_all(
        self, folder: Path, commands: Iterable[Sequence[object]], address_bytes: int | None = None
    ) -> list[Ran]:
        """Commands one after the other, all in one process, as far as one of them ends it."""
        done = self._ask(folder, commands, warm=False, address_bytes=address_bytes)
        return [Ran(**each) for each in done]

    def warm(self, folder: Path, commands: Iterable[Sequence[object]]) -> None:
        """The commands in the worker itself, so that those after it find all loaded."""
        self._ask(folder, commands, warm=True)

    def _ask(
        self, folder: Path, commands: Iterable[Sequence[object]], **more: object
    ) -> list[dict[str, Any]]:
        assert self._process.stdin is not None and self._process.stdout is not None
        words = [[*map(str, each)] for each in commands]
        request = {"folder": str(folder), "commands": words, "cpu_s": CPU_S, **more}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the worker has ended"
        return json.loads(answer)

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextlib.contextmanager
def worker() -> Iterator[Worker]:
    """A worker for as long as it is needed."""
    made = Worker()
    try:
        yield made
    finally:
        made.close()
