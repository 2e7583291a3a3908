"""A small library, one recipe, one table: good clips, a broken one, and a second run.

Four clips are made by code, a fifth cannot be read. All are corrected in supervised
processes; then one changes, and only that one is done again. Everything lands in the folder `out/`.

    python examples/09_batch.py

The same on the command line:

    poise batch out/library --out out/corrected --workers 2
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import poise
from poise.motion import resample
from poise.samples import jumping, walking

OUT = Path("out")
LIBRARY, RESULTS = OUT / "library", OUT / "corrected"


def make_library() -> None:
    (LIBRARY / "walks").mkdir(parents=True, exist_ok=True)
    for seconds in (1.0, 1.5, 2.0):
        clip = resample(walking(seconds).clip, 30.0)
        poise.save(clip, LIBRARY / "walks" / f"walk_{seconds:g}.bvh")
    poise.save(resample(jumping().clip, 30.0), LIBRARY / "jump.bvh")
    (LIBRARY / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\n", encoding="utf-8")


def tell(row: Mapping[str, Any]) -> None:
    """One line a clip, when it is done."""
    said = row["reason"]
    if "after" in row:
        was, now = row["before"]["foot_slide.mean"], row["after"]["foot_slide.mean"]
        said = f"slide {was:.1f} to {now:.3f} cm/s"
    print(f"  {row['clip']}: {row['status']}, {said}")


def run() -> None:
    """What is left to do, and how it went."""
    summary = poise.batch(LIBRARY, RESULTS, workers=2, told=tell, samples=8)
    print(f"{summary.done} done now, {sum(summary.statuses.values())} in all")
    for path in summary.files:
        print(path)


def main() -> None:
    make_library()
    run()
    poise.save(resample(walking(1.2).clip, 30.0), LIBRARY / "walks" / "walk_1.bvh")
    run()  # only the clip that has changed


if __name__ == "__main__":
    main()
