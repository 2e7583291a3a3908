"""A whole library on one worker, on two, and on two of Dask: throughput, and the same bytes.

python -m benchmarks.batch_library [--runs 3] [--write]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.page import ROOT, put_table
from tests.shared_data import SHARED

WAYS = {
    "one worker": ["--workers", "1"],
    "two workers": ["--workers", "2"],
    "two of Dask": ["--workers", "2", "--cluster", "local"],
}


def run(out: Path, options: list[str], library: Path) -> float:
    """Seconds of the whole command."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "poise", "batch", str(library), "--out", str(out), "--quiet",
         "--accept", *options],
        cwd=ROOT, check=False, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - began


def rows_of(out: Path) -> list[dict[str, object]]:
    text = (out / "results.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def contents(out: Path) -> dict[str, str]:
    """Hashes of all clips that were written."""
    tables = {"results.csv", "results.jsonl", "library.html"}
    files = [f for f in out.rglob("*") if f.is_file() and f.name not in tables]
    return {
        f.relative_to(out).as_posix(): hashlib.sha256(f.read_bytes()).hexdigest()
        for f in files
        if ".poise" not in f.parts
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batch_library", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--library", type=Path, default=SHARED / "mocap")
    parser.add_argument("--no-warm-up", action="store_true", help="all is compiled already")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    written: list[dict[str, str]] = []
    count = statuses = None
    with tempfile.TemporaryDirectory() as folder:
        # The first compiles what is not compiled, and is not counted.
        warm = [] if asked.no_warm_up else [(0, "two workers")]
        turns = [(number, way) for number in range(1, asked.runs + 1) for way in WAYS]
        for number, way in (*warm, *turns):
            options = WAYS[way]
            out = Path(folder) / f"{number} {way}"
            took = run(out, options, asked.library)
            rows = rows_of(out)
            count = len(rows)
            ends = [str(row["status"]) for row in rows]
            statuses = {end: ends.count(end) for end in sorted(set(ends))}
            written.append(contents(out))
            print(f"{way}: {took:.1f} s, {count} clips, {statuses}", flush=True)
            if number:
                seconds[way].append(took)
            shutil.rmtree(out)
    assert count is not None
    same = all(each == written[0] for each in written)
    print(f"{len(written)} runs, {len(written[0])} files each, identical bytes: {same}")
    slow = statistics.median(seconds["one worker"])
    lines = ["| | wall time, s | clips a minute | × one worker |", "|---|---|---|---|"]
    for way, times in seconds.items():
        middle = statistics.median(times)
        rate = 60 * count / middle
        lines.append(f"| {way} | {middle:.1f} | {rate:.1f} | {slow / middle:.2f} |")
    for line in lines:
        print(line)
    if asked.write:
        put_table("batch.md", "library", lines)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
