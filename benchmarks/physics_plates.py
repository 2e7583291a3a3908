"""What the ground does after a correction, against force plates: six walks, contacts of the plates.

`python -m benchmarks.physics_plates [--write]`: the capture, with contacts held only, with the laws
of motion but without the likeness of wrenches (an ablation), and as `correct` does it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from benchmarks.page import put_table
from poise.contact import estimate_ground
from poise.environment import Environment
from poise.methods.correct.recovery import fastest_turns_rad_s, recover
from poise.methods.correct.run import smoothed
from poise.physics import PhysicsSettings
from tests.contact.plate_forces import WALKS, plates
from tests.physics.test_force_plates import SMOOTHING_S, against_plates

HEADING = (
    "| walk | vertical force, % of weight: capture, contacts only, without the row, with it "
    "| ZMP to pressure, cm: the same | root moved, cm |",
    "|---|---|---|---|",
)
WAYS = (None, PhysicsSettings(wrench_likeness=0.0), PhysicsSettings())


def line(path: Path) -> str:
    measured = plates(path)
    clip, character = measured.clip, measured.character
    place = Environment((estimate_ground(clip, character)[0],))
    made = [
        recover(
            smoothed(clip, SMOOTHING_S), character, place, measured.truth,
            fastest_rad_s=fastest_turns_rad_s(clip), physics=physics,
        ).clip
        for physics in WAYS
    ]  # fmt: skip
    figures = [against_plates(each, measured, place) for each in (clip, *made)]
    force, pressure = (", ".join(f"{pair[k]:.1f}" for pair in figures) for k in range(2))
    moved = np.linalg.norm(made[-1].root_positions_m - clip.root_positions_m, axis=1).mean()
    return f"| {path.stem} | {force} | {pressure} | {100.0 * moved:.1f} |"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.physics_plates", description=__doc__
    )
    parser.add_argument("--write", action="store_true", help="into docs/physics.md")
    asked = parser.parse_args()
    lines = [*HEADING, *map(line, WALKS)]
    print("\n".join(lines))
    if asked.write:
        put_table("physics.md", "force plates", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
