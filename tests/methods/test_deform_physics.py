"""Deform with `physics: true`: what was asked for holds, and the ground carries it."""

from __future__ import annotations

import numpy as np

from poise.constraints import HoldPoint, Interval
from poise.environment import Environment
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.methods import Edit, Result, deform
from poise.methods.deform import Settings
from poise.samples import sample_character, walking

FLAT = Environment.flat(0.0)
BODY = sample_character()
SAMPLE = walking()


def reached(physics: bool) -> Result:
    """A wrist held 40 cm ahead of where it is, for half a second: the body leans into it."""
    wrist = BODY.skeleton.index("LeftHand")
    state = forward_kinematics(BODY.skeleton, *SAMPLE.clip.pose)
    place = state.positions_m[200, wrist] + np.array([0.0, -0.1, 0.4])
    hold = HoldPoint("reach", "left_wrist", place, Interval(130, 280, ease_in=60, ease_out=60))
    edit = Edit(SAMPLE.clip, BODY, (hold,), FLAT, contacts=SAMPLE.contacts)
    return deform.run(edit, Settings(physics=physics))


def test_the_ground_carries_what_was_asked_for() -> None:
    plain, obeying = reached(False), reached(True)
    assert obeying.status == "converged", obeying.summary
    assert all(row.met for row in obeying.constraints)
    before, after = (
        evaluate(found.clip, BODY, FLAT, SAMPLE.contacts) for found in (plain, obeying)
    )
    assert before.value("zmp_excursion.share") > 20.0
    assert after.value("zmp_excursion.share") < 5.0
    assert after.value("root_wrench.force") < 0.001
    assert after.value("foot_slide.mean") < 0.5


def test_without_physics_nothing_of_it_is_done() -> None:
    assert reached(False).report.physics is None
