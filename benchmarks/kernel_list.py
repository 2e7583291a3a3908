"""The list of kernels that `poise.compilation.listed` reads: what commands use, by signature.

    python -m benchmarks.kernel_list --write

Small jobs on made clips run in processes that note each kernel that is compiled or loaded. Run it
when a kernel or its arguments have changed; a test (slow) says when.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from poise.compilation.listed import LIST, ListedKernel, as_json, listed_kernels
from tests.shared_data import ROBOTS

MADE = (
    ("walk", "-o", "walk.bvh"), ("jump", "-o", "jump.bvh"), ("golf", "-o", "swing.bvh"),
    ("golf", "--noise", "2", "-o", "again.bvh"),
)  # fmt: skip

ROBOT = ROBOTS / "unitree_g1" / "g1_nomesh.xml"

JOBS = (
    ("inspect", "walk.bvh"),
    ("measure", "walk.bvh"),
    ("contacts", "walk.bvh", "-o", "contacts.csv"),
    ("render", "walk.bvh", "-o", "strip.png"),
    ("convert", "walk.bvh", "again.glb"),
    ("report", "walk.bvh", "-o", "walk.html"),
    ("correct", "walk.bvh", "-o", "corrected.bvh"),
    ("correct", "jump.bvh", "-o", "corrected_jump.bvh"),
    ("correct", "walk.bvh", "-o", "reported.bvh", "--report", "reported.html"),
    ("correct", "walk.bvh", "--mode", "paper", "-o", "printed.bvh"),
    ("filter", "walk.bvh", "--to", "jump.bvh", "-o", "filtered.bvh"),
    ("filter", "walk.bvh", "--to", "jump.bvh", "--stream", "-o", "streamed.bvh"),
    ("leap", "jump.bvh", "--turn", "20", "-o", "leap.bvh"),
    ("deform", "walk.bvh", "--to", "jump.bvh", "-o", "deformed.bvh"),
    ("retarget", "walk.bvh", "--to", "jump.bvh", "-o", "retargeted.bvh"),
    ("retarget", "walk.bvh", "--to", str(ROBOT), "--robot", "robot.csv"),
    ("pattern", "learn", "swing.bvh", "again.bvh", "--fit-club", "-o", "pattern.npz"),
    ("pattern", "edit", "pattern.npz", "swing.bvh", "--by", "club_head", "0", "0", "0.01",
     "--frame", "hit", "-o", "hit.bvh"),
)  # fmt: skip
"""Commands, each from the outputs of those before it."""

RECORDER = """
import atexit, json, sys
from numba.core import sigutils
from numba.core.dispatcher import Dispatcher
from poise.compilation.files import KernelCache
from poise.compilation.signatures import signature_text

found, callers = {}, []
compile = Dispatcher.compile

def noted(self, signature):
    function = self.py_func
    if not isinstance(self._cache, KernelCache):
        return compile(self, signature)
    arguments, _ = sigutils.normalize_signature(signature)
    key = f"{function.__module__}:{function.__qualname__}", signature_text(arguments)
    calls = found.setdefault(key, [[], False])
    if callers:
        found[callers[-1]][0].append(key)
    else:
        calls[1] = True
    callers.append(key)
    try:
        return compile(self, signature)
    finally:
        callers.pop()
        found[key] = found.pop(key)  # after all that it calls

Dispatcher.compile = noted
atexit.register(lambda: print("KERNELS", json.dumps([[*k, *v] for k, v in found.items()])))
from poise.apps.cli.main import main
main()
"""


@dataclass
class _Found:
    """A kernel that was met."""

    calls: dict[tuple[str, str], None]
    commands: set[str]


Key = tuple[str, str]


def record(jobs: Iterable[tuple[str, ...]] = JOBS) -> tuple[ListedKernel, ...]:
    """Run the jobs; the kernels that they met."""
    met: dict[Key, _Found] = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder).resolve() / "kernels"),
                       "POISE_CORES": "1"}  # fmt: skip
        for job in (*(("sample", *made) for made in MADE), *jobs):
            for name, signature, calls, called in _run(job, Path(folder), environment):
                found = met.setdefault((name, signature), _Found({}, set()))
                found.calls |= {(call[0], call[1]): None for call in calls}
                command = "report" if "--report" in job else job[0]
                known = command != job[0] and job[0] in found.commands
                if called and not known and "paper" not in job:  # a second way, which few take
                    found.commands.add(command)
    return listed(met)


def _run(job: tuple[str, ...], folder: Path, environment: Mapping[str, str]) -> list[list]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", RECORDER, *job], cwd=folder, env=environment, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(job)}: {done.stderr}")
    return json.loads(done.stdout.rpartition("KERNELS ")[2])


def listed(met: Mapping[Key, _Found]) -> tuple[ListedKernel, ...]:
    """In an order in which whatever is called comes before what calls it."""
    places: dict[Key, int] = {}

    def put(key: Key) -> None:
        if key not in places:
            for call in met[key].calls:
                put(call)
            places[key] = len(places)

    for key in met:
        put(key)
    return tuple(
        ListedKernel(*key, tuple(sorted({places[call] for call in met[key].calls})),
                     frozenset(met[key].commands))
        for key in places
    )  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true")
    write = arguments.parse_args().write
    found = record()
    before = (
        {(kernel.name, kernel.signature) for kernel in listed_kernels()} if LIST.exists() else set()
    )
    now = {(kernel.name, kernel.signature) for kernel in found}
    print(f"{len(now)} kernels; {len(now - before)} new, {len(before - now)} gone")
    if write:
        LIST.write_text(as_json(found), encoding="utf-8")


if __name__ == "__main__":
    main()
