"""Swings of one kind teach a pattern; one of them then hits where none of them did, in their style.

The swings are made by code: a sample, bent to a few places, slower and faster. Their pattern is
learned, one place is asked for in one frame, and the whole swing follows. Everything lands in the
folder `out/`.

    python examples/07_pattern.py

The same on the command line, with captured swings:

    poise pattern learn swing_*.bvh --fit-club -o swings.npz
    poise pattern edit swings.npz swing_1.bvh --hit club_head 0.4 0 -0.1 --frame hit -o out/hit.bvh
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import poise
from poise.character import Attachment, Character, with_attachments
from poise.constraints import HitAt, HoldPoint, Interval, Scene, point_path
from poise.job import load_pattern, save_pattern
from poise.methods import Edit, deform, pattern
from poise.methods.pattern import swing_events
from poise.motion import Clip, resample
from poise.samples import golfing, sample_character

OUT = Path("out")
RATE_HZ = 60.0
CLUB = Attachment("club_head", "left_wrist", 0.0, (0.9, 0.0, 0.0))
PLACES = ((0.0, 0.0), (0.08, 0.02), (-0.07, 0.05), (0.03, -0.08), (-0.05, -0.04), (0.06, 0.09))
"""How far beside the sample's own hit the swings hit, across and ahead."""


def swings(character: Character) -> list[Clip]:
    """The sample and five more, each bent to a place of its own and played at its own speed."""
    sample = resample(golfing().clip, RATE_HZ)
    hit = round(1.8 * RATE_HZ)
    made: list[Clip] = []
    for i, (x, z) in enumerate(PLACES):
        around = Interval(hit - 50, hit + 50, 50, 50)
        there = HoldPoint("there", CLUB.name, (x, 0.0, z), around, "offset")
        bent = deform.run(Edit(sample, character, [there])).clip
        # Played faster or slower: the same frames, read at another rate, and brought back to one.
        speed = 1.0 + 0.04 * (i - 2)
        slower = resample(replace(bent, rate_hz=RATE_HZ * speed, source=None), RATE_HZ)
        made.append(replace(slower, name=f"swing {i + 1}"))
    return made


def main() -> None:
    OUT.mkdir(exist_ok=True)
    character = with_attachments(sample_character(), [CLUB])
    clips = swings(character)
    rules = swing_events(CLUB.name, "left_wrist")[:2]
    learned = pattern.learn(clips, sample_character(), rules=rules, tools=[CLUB])
    save_pattern(learned, OUT / "swings.npz")
    explained = ", ".join(f"{100 * share:.0f} %" for share in learned.shares)
    print(f"{len(clips)} swings; components explain {explained}")

    edited = clips[0]
    first = pattern.run(Edit(edited, character, pattern=load_pattern(OUT / "swings.npz")))
    frame = round(first.report.problem.placed.warp.own[-2])
    own = point_path(Scene(edited, character), CLUB.name, frame, frame)[0]
    goal = own + np.array([0.02, 0.0, 0.04])
    ball = HitAt("ball", CLUB.name, tuple(goal.tolist()), frame)
    made = pattern.run(Edit(edited, character, [ball], pattern=learned), previous=first)
    print(f"{made.status}: {made.summary} {made.report.iterations} iterations")
    for note in made.notes:
        print(f"  {note}")
    poise.save(made.clip, OUT / "swing_to_the_ball.bvh")

    far = replace(ball, name="far ball", place_m=(3.0, 0.0, 0.0))
    unmet = pattern.run(Edit(edited, character, [far], pattern=learned), previous=first)
    print(f"{unmet.status}: {unmet.summary}")


if __name__ == "__main__":
    main()
