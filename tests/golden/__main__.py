"""`python -m tests.golden`: run every job and compare; `--record` writes the hashes instead.

Hashes hold on one kind of machine: compilers and BLAS round differently elsewhere. The record says
which it was made on; on another one, record at the last good commit first.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

from tests.golden.jobs import LIBRARY, MOCAP, Job, jobs

RECORD = Path(__file__).with_name("golden.json")
UNSTEADY = ("seconds", "stages_s", "peak_mb", "attempts", "finished", "recipe_sha256")
"""Of a batch's rows: what is another from run to run."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the hashes")
    parser.add_argument("--only", help="jobs whose names contain this")
    parser.add_argument("--keep", type=Path, help="leave the outputs in this folder")
    parser.add_argument("--against", type=Path, default=RECORD, help="another record")
    asked = parser.parse_args()
    if not MOCAP.is_dir():
        print(f"{MOCAP} is not here: nothing to compare")
        return 1
    chosen = [job for job in jobs() if not asked.only or asked.only in job.name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        found = {job.name: _run(job, folder) for job in chosen}
    if asked.record:
        known = json.loads(RECORD.read_text()) if asked.only and RECORD.is_file() else {"jobs": {}}
        whole = {"machine": _machine(), "jobs": {**known["jobs"], **found}}
        RECORD.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    return _compared(found, json.loads(asked.against.read_text(encoding="utf-8")))


def _compared(found: dict[str, dict[str, str]], known: dict[str, dict[str, dict[str, str]]]) -> int:
    if known["machine"] != _machine():
        print(f"note: recorded on {known['machine']}, this is {_machine()}")
    different = 0
    for name, hashes in found.items():
        before = known["jobs"].get(name, {})
        keys = sorted({*hashes, *before})
        wrong = [key for key in keys if hashes.get(key) != before.get(key)]
        different += len(wrong)
        if wrong:
            print(f"DIFFERENT {name}: {', '.join(wrong[:12])}")
    print(f"{sum(map(len, found.values()))} hashes of {len(found)} jobs, {different} different")
    return 1 if different else 0


def _machine() -> dict[str, str]:
    processor = platform.processor()
    if Path("/proc/cpuinfo").is_file():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next((x.split(":")[1].strip() for x in lines if "model name" in x), processor)
    packages = {name: version(name) for name in ("numpy", "scipy", "numba", "mujoco")}
    return {"processor": processor, "python": platform.python_version(), **packages}


def _folder(name: str, folder: Path) -> Path:
    return folder / name.replace(" ", "_").replace("/", "_").replace("-", "")


def _run(job: Job, folder: Path) -> dict[str, str]:
    out = _folder(job.name, folder)
    out.mkdir(parents=True, exist_ok=True)
    listed = folder / "library.txt"
    if "{list}" in job.arguments:
        clips = [f for name in LIBRARY for f in sorted((MOCAP / name).iterdir())]
        text = "\n".join(str(f) for f in clips if f.suffix in (".bvh", ".amc"))
        listed.write_text(text + "\n", encoding="utf-8")
    words = {"{out}": str(out), "{list}": str(listed), "{needs}": str(_folder(job.needs, folder))}
    arguments = list(job.arguments)
    for old, new in words.items():
        arguments = [each.replace(old, new) for each in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "poise", *arguments], capture_output=True, check=False,
        env={**os.environ, "COLUMNS": "100", "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    print(f"{job.name}: code {done.returncode}", flush=True)
    if done.returncode not in job.may_end_with:
        print(done.stderr.decode()[-2000:])
    said = done.stdout.replace(str(folder).encode(), b"")
    found = {"code": str(done.returncode)}
    if job.steady:
        found["stdout"] = _hash(said)
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        name = path.relative_to(out).as_posix().rpartition("mocap/")[2]  # on any machine
        found |= _file_hashes(path, name)
    return found


def _file_hashes(path: Path, name: str) -> dict[str, str]:
    """A clip by its numbers and by its bytes; the rows of a batch by their content."""
    if path.suffix == ".npz":
        with np.load(path) as held:
            numbers = b"".join(held[k].tobytes() for k in sorted(held) if held[k].dtype.kind == "f")
        return {name: _hash(path.read_bytes()), f"{name} numbers": _hash(numbers)}
    if name == "results.jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        rows = [{k: v for k, v in row.items() if k not in UNSTEADY} for row in rows]
        found = {}
        for row in rows:
            figures = {key: row.pop(key, None) for key in ("before", "after", "outputs")}
            clip = Path(row.pop("clip")).as_posix().rpartition("mocap/")[2]
            for key, value in figures.items():
                found[f"{clip} {key}"] = _hash(json.dumps(value, sort_keys=True).encode())
            found[f"{clip} row"] = _hash(json.dumps(row, sort_keys=True).encode())
        return found
    if name in ("results.csv", "library.html") or path.name.startswith("."):
        return {}  # the same as the rows, with times
    return {name: _hash(path.read_bytes())}


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


if __name__ == "__main__":
    sys.exit(main())
