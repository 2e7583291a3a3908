"""Where contacts do not explain a motion, the laws of motion are left off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.contact import ContactSchedule
from poise.job import measurable
from poise.mechanics import forward_kinematics
from poise.methods import Edit, correct
from poise.methods.correct.far_moved import far_moved, frames_of
from poise.samples import sample_character, walking
from tests.shared_data import MOCAP, needs_mocap


def test_only_stretches_with_a_joint_far_away_are_found() -> None:
    clip, character = walking(seconds=2.0).clip, sample_character()
    assert far_moved(clip, clip, character) == ()
    roots = clip.root_positions_m.copy()
    roots[40:44] += (0.0, 0.5, 0.0)
    (found,) = far_moved(clip, replace(clip, root_positions_m=roots), character)
    beside = round(0.25 * clip.rate_hz)
    assert (found.first, found.stop) == (max(0, 40 - beside), 44 + beside)
    assert found.moved_m == pytest.approx(0.5)
    frames = frames_of((found,), clip.frame_count)
    assert frames.sum() == found.stop - found.first and frames[found.first]


@needs_mocap
def test_limbs_are_not_thrown_for_contacts_that_explain_nothing() -> None:
    """A breakdance on a shoulder and a head, of which neither is found: a hand went by 75 cm."""
    given = measurable(MOCAP / "cmu" / "90_28.bvh")
    clip = given.clip.sliced(330, 560)
    found = correct.run(Edit(clip, given.character, environment=given.environment))
    before, after = (
        forward_kinematics(each.skeleton, *each.pose).positions_m for each in (clip, found.clip)
    )
    assert np.linalg.norm(after - before, axis=2).max() < 0.4
    assert found.report.doubted
    assert found.status == "out_of_iterations"
    assert "a contact is missing or wrong" in found.summary


def test_a_body_that_nothing_carries_stays_where_it_is() -> None:
    sample = walking(seconds=2.0)
    nothing = ContactSchedule(
        ("left_foot", "right_foot"),
        np.zeros((sample.clip.frame_count, 2), dtype=np.bool_),
        sample.clip.rate_hz,
    )
    found = correct.run(
        Edit(sample.clip, sample_character(), environment=sample.environment, contacts=nothing)
    )
    moved = np.abs(found.clip.root_positions_m - sample.clip.root_positions_m).max()
    assert moved < 0.1
    assert found.report.lawless and found.status == "out_of_iterations"
