"""Ten thousand clips: does the leader's memory stay flat, and does time grow with their number?

python -m benchmarks.batch_many [--clips 10000] [--write]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from benchmarks.page import ROOT, put_table
from poise.formats import save_clip
from poise.samples import walking

RECIPE = """\
poise: 1
about: A cheap edit, so that what is measured is the batch around it.
clip: {clean: false}
steps:
  - deform:
      constraints:
        - follow_curve:
            name: reach
            point: left_wrist
            frames: [3, 12]
            through: [{frame: 8, place_m: [0.35, 1.3, 0.4]}]
"""
FRAMES = 15


def make_library(folder: Path, count: int) -> None:
    """Short walks, each moved a little, in folders of a hundred."""
    clip = walking(1.0, 30.0).clip.sliced(0, FRAMES)
    form = folder / "form.bvh"
    save_clip(clip, form)
    head, _, motion = form.read_text(encoding="utf-8").partition("MOTION")
    form.unlink()
    lines = motion.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    table = np.array([line.split() for line in lines[first:] if line.strip()], dtype=float)
    for number in range(count):
        place = folder / f"{number // 100:03d}"
        place.mkdir(exist_ok=True)
        moved = table.copy()
        moved[:, 0] += 0.01 * number
        rows = "\n".join(" ".join(f"{value:.4f}" for value in row) for row in moved)
        text = "\n".join([f"{head}MOTION", *lines[1:first], rows, ""])
        (place / f"{number:05d}.bvh").write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batch_many", description=__doc__)
    parser.add_argument("--clips", type=int, default=10_000)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library, out = Path(folder) / "library", Path(folder) / "out"
        library.mkdir()
        make_library(library, asked.clips)
        recipe = Path(folder) / "reach.yaml"
        recipe.write_text(RECIPE, encoding="utf-8")
        command = [sys.executable, "-m", "poise", "batch", str(library), "--recipe", str(recipe),
                   "--out", str(out), "--workers", "2", "--quiet", "--accept"]  # fmt: skip
        marks = _watched(command, out / "results.jsonl", asked.clips)
        again = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        again = time.perf_counter() - again
        lines = ["| clips | seconds | ms a clip since the last | leader's memory, MB |",
                 "|---|---|---|---|"]  # fmt: skip
        before = (0, 0.0)
        for count, seconds, memory in marks:
            new = count - before[0]
            each = f"{1e3 * (seconds - before[1]) / new:.1f}" if new else "tables and page"
            lines.append(f"| {count} | {seconds:.0f} | {each} | {memory / 1e6:.0f} |")
            before = (count, seconds)
        for line in lines:
            print(line)
        _look_at_table(out, asked.clips)
        page = (out / "library.html").stat().st_size / 1e6
        print(f"library.html {page:.1f} MB; a second run, with nothing to do: {again:.1f} s")
    if asked.write:
        put_table("batch.md", "many", lines)
    return 0


def _watched(command: list[str], results: Path, total: int) -> list[tuple[int, float, int]]:
    """(clips done, seconds, bytes) ten times on the way; the last is when the command has ended."""
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    leader = psutil.Process(process.pid)
    marks: list[tuple[int, float, int]] = []
    step, count, place, most = total // 10, 0, 0, 0
    while process.poll() is None:
        time.sleep(0.2)
        if results.is_file():
            with results.open("rb") as file:
                file.seek(place)
                new = file.read()
            place += len(new)
            count += new.count(b"\n")
        try:
            most = max(most, leader.memory_info().rss)
            if count >= step * (len(marks) + 1):
                marks.append((count, time.perf_counter() - began, leader.memory_info().rss))
        except psutil.Error:
            break
    assert process.wait() in (0, 3), process.returncode
    marks.append((total, time.perf_counter() - began, most))
    return marks


def _look_at_table(out: Path, total: int) -> None:
    import pandas

    table = pandas.read_csv(out / "results.csv")
    assert len(table) == total and table["clip"].is_unique
    assert table["after.foot_slide.mean"].dtype.kind == "f"
    print(f"pandas: {table.shape[0]} rows, {table.shape[1]} columns, "
          f"{json.dumps(table['status'].value_counts().to_dict())}")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
