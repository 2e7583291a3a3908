"""What the ground does after a correction, against force plates.

`python -m benchmarks.physics_plates [--write]`: every trial with the contacts of the plates. The
capture, with contacts held only, without the likeness of wrenches (an ablation), and as `correct`
does it. Treadmills have their belt, and the floor that the feet show: shoes are as thick as they
are.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.page import put_table
from poise.methods.correct.recovery import fastest_turns_rad_s, recover
from poise.methods.correct.run import smoothed
from poise.physics import PhysicsSettings
from tests.contact.force_plates import trial_paths
from tests.contact.plate_forces import plates
from tests.physics.test_force_plates import SMOOTHING_S, against_plates, place_of, shifts_cm

HEADING = (
    "| trial | vertical force, % of weight: capture, contacts only, without the row, with it "
    "| ZMP to pressure, cm: the same | root moved, cm | swinging feet, cm | highest point, cm |",
    "|---|---|---|---|---|---|",
)
WAYS = (
    None,
    PhysicsSettings(wrench_likeness=0.0, moment_likeness=0.0),
    PhysicsSettings(),
)


def line(path: Path) -> str:
    measured = plates(path)
    clip, character = measured.clip, measured.character
    place = place_of(path)
    made = [
        recover(
            smoothed(clip, SMOOTHING_S), character, place, measured.truth,
            fastest_rad_s=fastest_turns_rad_s(clip), physics=physics,
        ).clip
        for physics in WAYS
    ]  # fmt: skip
    figures = [against_plates(each, measured, place) for each in (clip, *made)]
    force, pressure = (", ".join(f"{pair[k]:.1f}" for pair in figures) for k in range(2))
    root, swing, apex = shifts_cm(made[-1], measured)
    return f"| {path.stem} | {force} | {pressure} | {root:.1f} | {swing:.1f} | {apex:+.1f} |"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.physics_plates", description=__doc__
    )
    parser.add_argument("--write", action="store_true", help="into docs/physics.md")
    asked = parser.parse_args()
    lines = [*HEADING, *map(line, trial_paths())]
    print("\n".join(lines))
    if asked.write:
        put_table("physics.md", "force plates", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
