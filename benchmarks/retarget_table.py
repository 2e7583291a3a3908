"""Varied clips on robots and other bodies: the kinematic stage beside the whole pipeline.

`python -m benchmarks.retarget_table [--write] [CLIP...]`: the table of docs/retarget.md.
"""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.page import put_table
from benchmarks.pattern_golf import SHARED
from poise.character import Character, complete_character
from poise.contact.seat import shown_place
from poise.environment import Environment
from poise.errors import PoiseError
from poise.formats import load_clip
from poise.job import figure_of
from poise.methods import Edit, Result, retarget, status_words
from poise.methods.retarget import FIGURES, RetargetReport
from poise.motion import Clip, resample
from poise.motion.cleanup import clean

CLIPS = {
    "02_01": "walk", "02_03": "run", "02_04": "jump", "05_02": "dance", "13_11": "forward jump",
    "90_05": "jump kick", "140_01": "get up", "14_28": "sit", "49_06": "cartwheel", "49_02": "hops",
}  # fmt: skip
TARGETS = {
    "G1": "robots/unitree_g1/g1_nomesh.xml",
    "H1": "robots/unitree_h1/h1_nomesh.xml",
    "T1": "robots/booster_t1/t1_nomesh.xml",
    "CMU 83": "mocap/cmu/83_28.bvh",
    "OptiTrack": "mocap/tennis",
}
RATE_HZ = 30.0
MOST_FRAMES = 300


def target(name: str) -> Character:
    """A body to move."""
    path = SHARED / TARGETS[name]
    if path.is_dir():
        path = sorted(path.glob("*.bvh"))[0]
    return complete_character(figure_of(path, repaired=True))


def source(name: str) -> tuple[Clip, Character, Environment]:
    """A capture at 30 Hz."""
    clip, _ = clean(load_clip(SHARED / "mocap" / "cmu" / f"{name}.bvh"))
    clip = resample(clip, RATE_HZ)
    clip = clip.sliced(0, min(clip.frame_count, MOST_FRAMES))
    character = complete_character(clip.skeleton)
    return clip, character, shown_place(clip, character)[0]


def whole(
    clip: Clip, human: Character, onto: Character, place: Environment
) -> Result[RetargetReport]:
    """All stages."""
    return retarget.run(Edit(clip, human, environment=place, target=onto))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.retarget_table", description=__doc__
    )
    parser.add_argument("clips", nargs="*", help="such as 02_01 (default: all)")
    parser.add_argument("--targets", help="such as G1,H1 (default: all)")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    heads = (
        "| clip | body | tracking, cm | slide, cm/s | deepest, cm | ZMP outside, cm | root wrench,"
        " body weights | torque, × limit | limbs in each other, cm | seconds | ended |\n"
        + "|---" * 11
        + "|"
    )
    lines = [heads]
    for body in asked.targets.split(",") if asked.targets else TARGETS:
        onto = target(body)
        for name in asked.clips or CLIPS:
            clip, character, place = source(name)
            try:
                start = time.perf_counter()
                made = whole(clip, character, onto, place)
                took = time.perf_counter() - start
            except PoiseError as problem:
                print(name, body, problem, flush=True)
                lines.append(f"| {name} {CLIPS.get(name, '')} | {body} | {problem} |")
                continue
            before, after = made.report.stages[0], made.report.stages[-1]
            cells = [
                f"{100 * before.off_m:.1f} → {100 * after.off_m:.1f}",
                *(
                    f"{vars(before.residuals)[key]:.2f} → {vars(after.residuals)[key]:.2f}"
                    for key in FIGURES
                ),
                " → ".join(f"{100 * max(s.overlap_m, 0.0):.1f}" for s in (before, after)),
            ]
            ended = status_words(made.status)
            line = " | ".join([f"{name} {CLIPS.get(name, '')}", body, *cells, f"{took:.1f}", ended])
            lines.append(f"| {line} |")
            print(lines[-1], flush=True)
    if asked.write:
        put_table("retarget.md", "bodies", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
