"""Large edits from the default guess, over real jumps: the table of docs/momentum.md.

`python -m benchmarks.momentum_table [CLIP...] [--write]`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np

from benchmarks.momentum_speed import SHARED
from benchmarks.page import put_table
from poise.character import complete_character, with_ranges
from poise.constraints.stage_edits import FlightHeight, MoveStage, StageEdit
from poise.contact import estimate_ground
from poise.environment import Environment
from poise.formats import load_clip
from poise.measures import evaluate
from poise.methods import status_words
from poise.methods.edit import Edit
from poise.methods.momentum import Settings, run
from poise.methods.momentum.plan import captured
from poise.methods.momentum.two_leaps import stage_feet_m
from poise.motion.cleanup import clean

CLIPS = {
    "02_04": (10, 275),
    "13_11": (137, 388),
    "118_05": (178, 434),
    "124_11": (91, 336),
    "83_40": (250, 481),
    "124_05": (284, 540),
    "49_02": (73, 310),
}
"""From about 0.8 s before the first flight to as long after it."""

HEADING = (
    "| clip | edit | ended | iterations | beside g, % | spin, % | slide, cm/s | deepest, cm |"
    " off the guess |\n" + "|---" * 9 + "|"
)


def leap(name: str) -> Edit:
    """A jump at its own rate."""
    clip, _ = clean(load_clip(SHARED / "mocap" / "cmu" / f"{name}.bvh"))
    clip = clip.sliced(*CLIPS[name])
    character = with_ranges(complete_character(clip.skeleton), clip.rotations_wxyz)
    return Edit(clip, character, (), Environment((estimate_ground(clip, character)[0],)))


def edits(edit: Edit) -> Iterator[tuple[str, StageEdit]]:
    """What is asked of each; a jump's length is from foot to foot."""
    base = captured(edit, Settings())
    spans = [(base.stages[i].first, base.stages[i].stop) for i in base.ground[:2]]
    touching = base.contacts.touching.any(axis=1)
    feet = stage_feet_m(edit.clip, touching, edit.character, spans)
    way = (feet[1] - feet[0]) * (1.0, 0.0, 1.0)
    for factor in (0.5, 1.5, 2.0):
        by = (factor - 1.0) * way
        move = MoveStage("moved", 1, (float(by[0]), 0.0, float(by[2])))
        yield f"{factor:g} × {np.linalg.norm(way):.2f} m", move
    for turn in (360.0, -360.0):
        yield f"{turn:+.0f}°", MoveStage("turned", 1, turn_deg=turn)
    for factor in (0.7, 1.5):
        yield f"{factor:g} × as high", FlightHeight("height", 0, scale=factor)


def row(name: str, words: str, edit: Edit, asked: StageEdit) -> tuple[str, bool]:
    """How one edit ended."""
    made = run(Edit(edit.clip, edit.character, (asked,), edit.environment))
    found = evaluate(made.clip, edit.character, edit.environment, made.contacts, against=made.start)
    cells = (
        name, words, status_words(made.status), str(made.report.iterations),
        f"{found.value('flight_residual.acceleration'):.3f}",
        f"{found.value('flight_residual.spin'):.2f}",
        f"{found.value('foot_slide.mean'):.2f}",
        f"{found.value('penetration.deepest'):.3f}",
        f"{made.report.off_guess_deg:.1f}°, {made.report.off_guess_cm:.1f} cm",
    )  # fmt: skip
    if made.status != "converged":
        print(f"{name} {words}: {made.summary}")
    return f"| {' | '.join(cells)} |", made.status == "converged"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.momentum_table", description=__doc__
    )
    parser.add_argument("clips", nargs="*", help="such as 13_11 (default: all)")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    lines, good = [HEADING], 0
    for name in asked.clips or CLIPS:
        edit = leap(name)
        for words, each in edits(edit):
            line, met = row(name, words, edit, each)
            lines.append(line)
            good += met
            print(line, flush=True)
    lines.append(f"\n{good} of {len(lines) - 1} converged.")
    print(lines[-1])
    if asked.write:
        put_table("momentum.md", "large edits", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
