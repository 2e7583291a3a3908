"""Any combination of layers, weights, recruiting and intervals solves or explains itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poise.character import with_ranges
from poise.constraints import Constraint, HoldPoint, Interval
from poise.errors import PoiseError
from poise.methods import Edit, Result, deform
from tests.character.held_rotations import clamped
from tests.methods.any_edit import edits
from tests.methods.edited import feet, sampled, whole
from tests.methods.test_deform_untouched import assert_same_bits, out_of_reach

CLIP, CHARACTER = sampled("walk", 30.0, 1.2)
RANGED = with_ranges(CHARACTER)
assert RANGED.ranges is not None
INSIDE = replace(CLIP, rotations_wxyz=clamped(RANGED.ranges, CLIP.rotations_wxyz))
"""The walk with its joints within the published ranges."""

often = settings(
    max_examples=60, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
seldom = settings(often, max_examples=25)


def outcome(constraints: list[Constraint], ranged: bool = False) -> Result | None:
    """A result, or None where the edit was refused with an explanation."""
    try:
        return deform.run(Edit(*((INSIDE, RANGED) if ranged else (CLIP, CHARACTER)), constraints))
    except PoiseError as refusal:
        assert len(str(refusal)) > 20
        return None


def assert_same_motion(one: Result | None, two: Result | None) -> None:
    assert (one is None) == (two is None)
    if one is not None and two is not None:
        np.testing.assert_array_equal(one.clip.rotations_wxyz, two.clip.rotations_wxyz)
        np.testing.assert_array_equal(one.clip.root_positions_m, two.clip.root_positions_m)


@given(edits(CLIP.frame_count), st.booleans())
@often
def test_any_edit_solves_or_explains_itself(constraints: list[Constraint], ranged: bool) -> None:
    original, character = (INSIDE, RANGED) if ranged else (CLIP, CHARACTER)
    before = original.rotations_wxyz.copy(), original.root_positions_m.copy()
    result = outcome(constraints, ranged)
    np.testing.assert_array_equal(original.rotations_wxyz, before[0])
    np.testing.assert_array_equal(original.root_positions_m, before[1])
    if result is None:
        return
    clip = result.clip
    assert np.isfinite(clip.rotations_wxyz).all() and np.isfinite(clip.root_positions_m).all()
    np.testing.assert_allclose(np.linalg.norm(clip.rotations_wxyz, axis=-1), 1.0, atol=1e-9)
    assert np.abs(clip.root_positions_m).max() < 50.0
    assert result.summary
    assert (result.status == "converged") == all(r.met for r in result.constraints)
    heavy = [c for c in constraints if c.weight > 0]
    out = out_of_reach(Edit(original, character, heavy), deform.Settings())
    assert_same_bits(original, clip, *out)


@given(edits(CLIP.frame_count))
@seldom
def test_no_edit_takes_joints_beyond_their_limits(constraints: list[Constraint]) -> None:
    try:
        result = deform.run(Edit(INSIDE, RANGED, constraints))
    except PoiseError:
        return
    assert RANGED.ranges is not None
    assert RANGED.ranges.excess(result.clip.rotations_wxyz).max() <= 1e-6


@given(edits(CLIP.frame_count))
@seldom
def test_the_same_input_gives_the_same_bits(constraints: list[Constraint]) -> None:
    assert_same_motion(outcome(constraints), outcome(constraints))


@given(edits(CLIP.frame_count), st.lists(st.integers(1, 30), min_size=4, max_size=4, unique=True))
@seldom
def test_only_the_order_of_priorities_matters(
    constraints: list[Constraint], numbers: list[int]
) -> None:
    others = sorted(numbers)
    renamed = [replace(c, priority=others[c.priority - 1]) for c in constraints]
    assert_same_motion(outcome(constraints), outcome(renamed))


@pytest.mark.parametrize("numbers", [(10, 2, 15), (2, 1, 3), (200, 199, 201)])
def test_priorities_are_an_order_and_not_amounts(numbers: tuple[int, int, int]) -> None:
    def made(a: int, b: int, c: int) -> list[Constraint]:
        ahead, wide = (0.1, 0.5, 0.8), (-0.5, 0.1, 0.4)
        return [
            HoldPoint("hand", "left_wrist", ahead, whole(CLIP), "offset", priority=a),
            *feet(CLIP, b),
            HoldPoint("other", "right_wrist", wide, whole(CLIP), "offset", priority=c),
        ]

    assert_same_motion(outcome(made(*numbers)), outcome(made(2, 1, 3)))
    with pytest.raises(AssertionError):
        assert_same_motion(outcome(made(1, 2, 3)), outcome(made(2, 1, 3)))


@given(edits(CLIP.frame_count, 3))
@seldom
def test_the_names_of_constraints_do_not_matter(constraints: list[Constraint]) -> None:
    renamed = [replace(c, name=f"wish number {i}") for i, c in enumerate(constraints)]
    assert_same_motion(outcome(constraints), outcome(renamed))


def test_no_constraints_change_nothing() -> None:
    result = deform.run(Edit(CLIP, CHARACTER))
    assert result.status == "converged" and result.report.frames_solved == (0,)
    np.testing.assert_array_equal(result.clip.rotations_wxyz, CLIP.rotations_wxyz)
    np.testing.assert_array_equal(result.clip.root_positions_m, CLIP.root_positions_m)


def test_goals_that_are_met_already_move_nothing_worth_mentioning() -> None:
    result = deform.run(Edit(CLIP, CHARACTER, feet(CLIP)))
    np.testing.assert_allclose(result.clip.rotations_wxyz, CLIP.rotations_wxyz, atol=1e-6)
    np.testing.assert_allclose(result.clip.root_positions_m, CLIP.root_positions_m, atol=1e-6)


@pytest.mark.parametrize("frames", [1, 2, 3, 10, 24, 25])
@pytest.mark.parametrize("far", [0.1, 1.5], ids=["within reach", "out of reach"])
def test_short_clips_are_clips_too(frames: int, far: float) -> None:
    clip = CLIP.sliced(0, frames)
    wish = HoldPoint("hand", "left_wrist", (0.0, far, far), whole(clip), "offset", priority=2)
    result = deform.run(Edit(clip, CHARACTER, [*feet(clip), wish]))
    assert result.clip.frame_count == frames
    assert (result.status == "converged") == (far < 1)


@given(edits(1))
@seldom
def test_a_single_frame_takes_any_edit(constraints: list[Constraint]) -> None:
    try:
        result = deform.run(Edit(CLIP.sliced(7, 8), CHARACTER, constraints))
    except PoiseError:
        return
    assert np.isfinite(result.clip.rotations_wxyz).all()


def test_a_gap_between_two_edits_is_not_filled() -> None:
    early, late = Interval(2, 9), Interval(25, 32)
    wishes = [
        HoldPoint(n, "left_wrist", (0.1, 0.2, 0.1), when, "offset")
        for n, when in (("early", early), ("late", late))
    ]
    result = deform.run(Edit(CLIP, CHARACTER, wishes))
    np.testing.assert_array_equal(result.clip.rotations_wxyz[13:21], CLIP.rotations_wxyz[13:21])
