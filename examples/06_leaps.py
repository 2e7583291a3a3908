"""One jump made into many: further, with a full turn, and a family that is blended live.

The jump is made by code. It is moved and turned as `poise leap` does it; then nine landings are
solved, and the leap that brings a hand to a ball is found between them. Everything lands in the
folder `out/`.

    python examples/06_leaps.py

The same on the command line:

    poise sample jump -o out/jump.bvh
    poise leap out/jump.bvh --by 0 0 0.4 --turn 360 -o out/spinning_jump.bvh
"""

from __future__ import annotations

from pathlib import Path

import poise
from poise.constraints import MoveStage
from poise.measures import evaluate
from poise.methods import Edit
from poise.methods.momentum import Aim, Settings, build_family, grid, run
from poise.motion import resample
from poise.samples import jumping, sample_character

OUT = Path("out")
RATE_HZ = 30.0


def spinning(leap: Edit) -> None:
    """The landing 40 cm further, and once around in the air."""
    asked = MoveStage("further, once around", -1, by_m=(0.0, 0.0, 0.4), turn_deg=360.0)
    made = run(Edit(leap.clip, leap.character, [asked]))
    figures = evaluate(made.clip, leap.character, contacts=made.contacts)
    print(f"{made.status}: {made.summary}")
    for key in ("flight_residual.acceleration", "flight_residual.spin", "foot_slide.mean"):
        print(f"  {key}: {figures.value(key):.3f}")
    poise.save(made.clip, OUT / "spinning_jump.bvh")


def to_a_ball(leap: Edit) -> None:
    """Nine landings, and the leap between them that brings the right hand to a ball."""
    places = (-0.3, 0.0, 0.3)
    family = build_family(leap, Settings(family=grid("landing", -1, places, places)))
    print(f"a family of {family.member_count}: {', '.join(sorted(set(family.statuses)))}")
    aim = Aim(family, leap.character, "right_hand_tip")
    _, first, stop = family.stages[1]
    frame = (first + stop) // 2
    ball = aim.place_m((0.12, -0.07), frame)  # somewhere that can be reached
    found = aim.hit(ball, frame)
    x, z = found.coordinate
    print(f"{found.status}: {1e3 * found.miss_m:.2f} mm off, landing {x:+.2f}, {z:+.2f} m away")
    poise.save(family.at(found.coordinate, "smooth"), OUT / "jump_to_a_ball.bvh")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    clip = resample(jumping().clip, RATE_HZ)
    leap = Edit(clip, sample_character())
    spinning(leap)
    to_a_ball(leap)


if __name__ == "__main__":
    main()
