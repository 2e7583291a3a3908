"""Hints, soft constraints, and smoothed kinematic rounds."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.constraints import Constraint, HoldPoint, Interval
from poise.constraints.scene import FLAT
from poise.contact import ContactSchedule, detect_contacts
from poise.errors import BadValue
from poise.mechanics import forward_kinematics, site_positions
from poise.methods import Edit, Result
from poise.methods.filter.run import run
from poise.methods.filter.settings import Settings
from poise.motion import Clip
from tests.methods.edited import clip_named, feet, limit_of, misses

SOME = Interval(8, 36, 8, 8)
MIDDLE = slice(16, 29)
LIFT_M = 0.15


@cache
def walk() -> tuple[Clip, ContactSchedule]:
    clip, character = clip_named("walk@30")
    clip = clip.sliced(0, 45)
    return clip, detect_contacts(clip, character, FLAT)


def edit(*further: Constraint) -> Edit:
    """The feet stay where they are, and something else."""
    clip, contacts = walk()
    return Edit(clip, clip_named("walk@30")[1], [*feet(clip), *further], contacts=contacts)


def raised(name: str = "raised", point: str = "left_wrist", lift_m: float = LIFT_M) -> HoldPoint:
    return HoldPoint(name, point, (0.0, lift_m, 0.0), SOME, mode="offset")


def lifted_m(clip: Clip, point: str = "left_wrist") -> Array:
    """(F,) how much higher a point is than in the walk."""
    character = clip_named("walk@30")[1]
    found = list[Array]()
    for each in (clip, walk()[0]):
        state = forward_kinematics(each.skeleton, *each.pose)
        assert character.roles is not None
        if point in character.roles.joints:
            joint = each.skeleton.index(character.roles.joint(point))
            found.append(state.positions_m[:, joint, 1])
        else:
            at = character.sites.index(point)
            found.append(site_positions(state, character.sites)[:, at, 1])
    return found[0] - found[1]


def rounds(result: Result) -> tuple[Clip, ...]:
    return result.report.after_each_round


def same(one: Clip, other: Clip) -> bool:
    return bool(
        (one.root_positions_m == other.root_positions_m).all()
        and (one.rotations_wxyz == other.rotations_wxyz).all()
    )


# Hints -------------------------------------------------------------------------------------------


def test_hints_hold_before_the_first_dynamic_round_and_no_longer() -> None:
    """The hand starts from where the hint put it, and is not held there."""
    hinted = run(edit(raised()), Settings(passes="1K+1D+1K", hints=("raised",)))
    firm = run(edit(raised()), Settings(passes="1K+1D+1K"))
    first, _, last = (lifted_m(clip)[MIDDLE] for clip in rounds(hinted))
    np.testing.assert_allclose(first, LIFT_M, atol=0.02)
    np.testing.assert_allclose(lifted_m(firm.clip)[MIDDLE], LIFT_M, atol=1e-3)
    assert np.abs(last - LIFT_M).max() > 1e-3  # it is not held any more
    names = {report.name for report in hinted.constraints}
    assert names == {"left foot", "right foot"}


def test_after_dynamic_rounds_a_hint_is_as_if_it_were_not_there() -> None:
    """Rounds from the first dynamic one on are those of an edit without it."""
    hinted = run(edit(raised()), Settings(passes="1D+1K", hints=("raised",)))
    assert same(hinted.clip, run(edit(), Settings(passes="1D+1K")).clip)
    firm = run(edit(raised()), Settings(passes="1D+1K"))
    assert lifted_m(firm.clip)[MIDDLE].min() > 0.9 * LIFT_M > lifted_m(hinted.clip)[MIDDLE].max()


def test_without_dynamic_rounds_hints_hold_in_none() -> None:
    hinted = run(edit(raised()), Settings(passes="1K", hints=("raised",)))
    assert np.abs(lifted_m(hinted.clip)).max() < 1e-3


def test_the_rest_still_holds_with_hints() -> None:
    held = raised("head", "head_top", -0.03)
    hinted = run(edit(raised(), held), Settings(passes="1K+1D+1K", hints=("raised",)))
    np.testing.assert_allclose(lifted_m(hinted.clip, "head_top")[MIDDLE], -0.03, atol=1e-3)


@pytest.mark.parametrize("setting", ["hints", "noise"])
def test_names_that_no_constraint_has_are_refused_by_name(setting: str) -> None:
    named: dict[str, Any] = {"hints": ("rised",), "noise": {"rised": 1e-9}}
    with pytest.raises(BadValue, match=rf"{setting}.*left foot, raised, right foot.*rised"):
        run(edit(raised()), Settings(passes="1K+1D", **{setting: named[setting]}))


# Soft constraints --------------------------------------------------------------------------------


@pytest.mark.parametrize("fit", ["physics", "separate"])
def test_the_last_kinematic_round_does_not_pull_at_what_is_soft(fit: str) -> None:
    soft = Settings(passes="1K+1D+1K", fit=fit, noise={"raised": 1e-8})
    made = run(edit(raised()), soft)
    _, dynamic, last = (lifted_m(clip)[MIDDLE] for clip in rounds(made))
    np.testing.assert_allclose(last, dynamic, atol=2e-3)
    firm = run(edit(raised()), Settings(passes="1K+1D+1K", fit=fit))
    np.testing.assert_allclose(lifted_m(firm.clip)[MIDDLE], LIFT_M, atol=1e-4)
    assert np.abs(last - LIFT_M).max() > 1e-3
    for key, missed in misses(edit(), made.clip).items():  # the feet are hard
        assert np.nanmax(missed) < limit_of(key), key


def test_the_softer_a_constraint_the_more_it_yields() -> None:

    def soft(noise: float) -> Settings:
        return Settings(noise={"raised": noise}, updates=4)

    left = [
        float(lifted_m(run(edit(raised()), soft(noise)).clip)[MIDDLE].mean())
        for noise in (0.0, 1e-11, 1e-10, 1e-9, 1e-6)
    ]
    assert left[0] == pytest.approx(LIFT_M, abs=1e-4)
    assert all(b < a for a, b in pairwise(left))
    assert left[-1] < 0.05 * LIFT_M


def test_a_soft_constraint_that_yields_is_no_failure() -> None:
    soft = run(edit(raised(lift_m=5.0)), Settings(passes="1K", noise={"raised": 1e-7}, updates=5))
    assert soft.status == "converged"
    assert "raised" in soft.summary
    assert run(edit(raised(lift_m=5.0)), Settings(passes="1K")).status == "out_of_iterations"


# Smoothing ---------------------------------------------------------------------------------------


def roughness(clip: Clip) -> float:
    """Largest third difference of what was added to the walk's turns."""
    back = rotations.conjugate(walk()[0].rotations_wxyz)
    turns = rotations.log(rotations.multiply(back, clip.rotations_wxyz))
    return float(np.abs(np.diff(turns, 3, axis=0)).max())


ABRUPT = HoldPoint("raised", "left_wrist", (0.0, LIFT_M, 0.0), Interval(20, 24), mode="offset")


def test_kinematic_rounds_are_smoothed_unless_they_are_the_last() -> None:
    results = {
        smooth: run(edit(ABRUPT), Settings(passes="2K", smooth_kinematic=smooth, updates=4))
        for smooth in (True, False)
    }
    first, last = rounds(results[True])
    raw, _ = rounds(results[False])
    assert roughness(first) < 0.5 * roughness(raw)
    np.testing.assert_allclose(lifted_m(raw)[20:25], LIFT_M, atol=1e-4)
    assert np.abs(lifted_m(first)[20:25] - LIFT_M).max() > 1e-3
    # The last round meets all of it, and so must not be smoothed.
    np.testing.assert_allclose(lifted_m(last)[20:25], LIFT_M, atol=1e-4)
    assert results[True].status == "converged"


def test_a_single_kinematic_round_is_never_smoothed() -> None:
    ours, theirs = (
        run(edit(ABRUPT), Settings(passes="1K", smooth_kinematic=smooth)).clip
        for smooth in (True, False)
    )
    assert same(ours, theirs)
