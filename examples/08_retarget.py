"""A walk on another body: shorter legs, other names, arms that hang; held feet, kept balance.

The walk and both bodies are made by code. Which joint follows which is said, the motion is put on
the other body stage by stage, and what every stage measures is printed. Everything lands in the
folder `out/`.

    python examples/08_retarget.py

The same on the command line, and with a robot:

    poise retarget walk.bvh --to other.bvh -o out/other_walk.bvh
    poise retarget walk.bvh --to g1.xml --fps 30 --robot out/walk.csv
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import poise
from poise.character import Character, complete_character, with_arms_and_legs, with_ranges
from poise.methods.retarget import FIGURES, RetargetReport
from poise.motion import resample
from poise.samples import sample_character, walking

OUT = Path("out")


def other_body() -> Character:
    """The sample's body with legs of three quarters, longer arms, and names of another rig."""
    built = with_arms_and_legs(sample_character(), arms=1.1, legs=0.75)
    names = tuple(f"rig:{name}" for name in built.skeleton.joint_names)
    figure = complete_character(replace(built.skeleton, joint_names=names))
    return with_ranges(figure)


def main() -> None:
    OUT.mkdir(exist_ok=True)
    clip = resample(walking(seconds=3.0).clip, 30.0)
    source, target = sample_character(), other_body()
    made = poise.retarget(clip, target)
    report = made.steps[0].report
    assert isinstance(report, RetargetReport)
    names, matches = source.skeleton.joint_names, report.correspondence
    for role in ("left_knee", "right_elbow"):
        assert target.roles is not None
        joint = target.skeleton.index(target.roles.joint(role))
        print(f"{target.skeleton.joint_names[joint]} follows {names[matches.sources[joint, 0]]}")
    print(f"{report.scale:.2f} times as far")
    for stage in report.stages:
        left = vars(stage.residuals)
        figures = ", ".join(f"{name} {left[key]:.2f}" for key, name in FIGURES.items())
        print(f"{stage.name}: {stage.status}. {figures}")
    for each in report.impossible[:3]:
        print(f"impossible, {each.text}")
    made.save(OUT / "other_walk.bvh")


if __name__ == "__main__":
    main()
