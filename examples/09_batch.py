"""A small library, one recipe, one table: good clips, a broken one, and a second run.

Four clips are made by code, a fifth cannot be read. All are corrected in supervised
processes; then one changes, and only that one is done again. Everything lands in the folder `out/`.

    python examples/09_batch.py

The same on the command line:

    poise batch out/library --out out/corrected --workers 2
"""

from __future__ import annotations

from pathlib import Path

from poise.apps.batch.library import find_clips
from poise.apps.batch.order import order_from
from poise.apps.batch.run import Batch
from poise.apps.report.library_page import library_html
from poise.execution import Limits, Supervised
from poise.formats import save_clip
from poise.motion import resample
from poise.samples import jumping, walking

OUT = Path("out")
LIBRARY, RESULTS = OUT / "library", OUT / "corrected"


def make_library() -> None:
    (LIBRARY / "walks").mkdir(parents=True, exist_ok=True)
    for seconds in (1.0, 1.5, 2.0):
        clip = resample(walking(seconds).clip, 30.0)
        save_clip(clip, LIBRARY / "walks" / f"walk_{seconds:g}.bvh")
    save_clip(resample(jumping().clip, 30.0), LIBRARY / "jump.bvh")
    (LIBRARY / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{\n", encoding="utf-8")


def run() -> None:
    """What is left to do, and how it went."""
    limits = Limits(seconds=600.0, memory_bytes=4_000_000_000)
    order = order_from(changes=["correct.settings.samples=8"])
    with Batch(find_clips(LIBRARY), order, RESULTS, limits) as batch:
        print(f"{len(batch.plan.tasks)} to do, {sum(batch.plan.kept.values())} done already")
        with Supervised(workers=2, limits=limits) as executor:
            for row in batch.run(executor):
                said = row["reason"]
                if "after" in row:
                    was, now = row["before"]["foot_slide.mean"], row["after"]["foot_slide.mean"]
                    said = f"slide {was:.1f} to {now:.3f} cm/s"
                print(f"  {row['clip']}: {row['status']}, {said}")
        summary = batch.summary(lambda rows: library_html(rows, "library", recipe="correct"))
    for path in summary.files:
        print(path)


def main() -> None:
    make_library()
    run()
    save_clip(resample(walking(1.2).clip, 30.0), LIBRARY / "walks" / "walk_1.bvh")
    run()  # only the clip that has changed


if __name__ == "__main__":
    main()
