"""Dynamic rounds as one physics solve: what holds, what yields, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.constraints import HoldPoint, Interval
from poise.constraints.recruiting import find_joint
from poise.contact import observe
from poise.methods import Edit, Result
from poise.methods.filter.run import run
from poise.methods.filter.settings import Settings
from tests.methods.edited import clip_named, feet, limit_of, misses
from tests.methods.test_filter_dynamic import edit_of, excursion, leaning
from tests.methods.test_filter_law_slopes import weaker
from tests.shared_data import needs_mocap

SOME = Interval(20, 70, 12, 12)


def lowered(name: str = "head", drop_m: float = 0.25) -> HoldPoint:
    return HoldPoint(name, "head_top", (0.0, -drop_m, 0.0), SOME, mode="offset")


def with_head(*further: HoldPoint) -> Edit:
    edit = leaning()
    return Edit(
        edit.clip, edit.character, [*feet(edit.clip), *further], contacts=edit.contacts
    )  # fmt: skip


@cache
def solved(**chosen: object) -> Result:
    return run(with_head(lowered()), Settings(passes="1D+1K", **chosen))  # type: ignore[arg-type]


def turned_deg(edit: Edit, result: Result) -> Array:
    """(J,) mean turn of each joint."""
    turned = rotations.angle_between(edit.clip.rotations_wxyz, result.clip.rotations_wxyz)
    return np.degrees(turned.mean(axis=0))


def test_constraints_contacts_and_balance_hold_together() -> None:
    edit, result = with_head(lowered()), solved()
    for key, missed in misses(edit, result.clip).items():
        assert np.nanmax(missed) < limit_of(key), key
    assert excursion(edit, edit.clip) > 0.5
    assert excursion(edit, result.clip) < 0.05 * excursion(edit, edit.clip)
    assert result.status == "converged"
    assert result.summary == "All constraints are met. The ground can carry every frame."


def test_a_soft_constraint_yields_the_further_the_softer_it_is() -> None:
    def off_mm(noise: float) -> float:
        soft = Settings(passes="1D+1K", noise={"head": noise})
        rows = run(with_head(lowered()), soft).constraints
        return max(row.worst for row in rows if row.name == "head")

    firm, softer, softest = (off_mm(noise) for noise in (1e-14, 1e-11, 1e-9))
    assert firm < 2.0 < softer < softest
    assert softest > 50.0


def test_what_may_deviate_less_does() -> None:
    edit = with_head(lowered())
    spine = find_joint(edit.character, "spine")
    free, stiff, fixed = (
        turned_deg(edit, run(edit, Settings(passes="1D", mobility=mobility)))[spine]
        for mobility in ({}, {"spine": 0.3}, {"spine": 0.0})
    )
    assert stiff < 0.5 * free
    assert fixed < 0.01 * free


def test_goals_that_contradict_each_other_are_named_and_do_not_jolt() -> None:
    low, high = lowered(), HoldPoint("tall", "head_top", (0.0, 0.1, 0.0), SOME, mode="offset")
    result = run(with_head(low, high), Settings(passes="1K+2D+1K"))
    assert result.status == "out_of_iterations"
    assert "misses its goal" in result.summary and "contradicts the rest" in result.summary
    assert {row.name for row in result.constraints if not row.met} >= {"head", "tall"}
    assert np.isfinite(result.clip.rotations_wxyz).all()
    steps = np.diff(result.clip.root_positions_m, axis=0)
    usual = np.diff(leaning().clip.root_positions_m, axis=0)
    assert np.abs(steps).max() < 3.0 * np.abs(usual).max()


def test_a_body_that_hangs_in_the_air_is_named_with_its_frames() -> None:
    """Nothing touches, though the motion shows that something carries."""
    edit = edit_of("walk@30")
    assert edit.contacts is not None
    touching = edit.contacts.touching.copy()
    touching[30:50] = False
    aloft = replace(edit.contacts, touching=touching)
    result = run(Edit(edit.clip, edit.character, (), contacts=aloft), Settings(passes="1D"))
    assert result.status == "out_of_iterations"
    assert result.report.lawless[0].first >= 25 and result.report.lawless[0].stop <= 55
    assert "No force of the ground explains the motion in frames" in result.summary


def test_strength_is_asked_for_only_where_it_is_asked_for() -> None:
    clip, strong = clip_named("jump@30")
    contacts = edit_of("jump@30").contacts
    assert contacts is not None
    worst = observe(clip, strong, Edit(clip, strong).environment, contacts).torque_ratio.max()
    weak = weaker(strong, float(worst) / 1.5)
    edit = Edit(clip, weak, feet(clip), contacts=contacts)

    def most(result: Result, frames: slice) -> float:
        ratios = observe(result.clip, weak, edit.environment, contacts).torque_ratio
        return float(ratios[frames].max())

    never, always = (run(edit, Settings(passes="1D", torque=asked)) for asked in (False, True))
    assert never.report.shortfalls == ()
    middle = slice(1, clip.frame_count - 1)
    assert most(always, middle) < most(never, middle) - 0.02
    early = run(edit, Settings(passes="1D", torque=((0, 2),)))
    assert most(early, middle) == pytest.approx(most(never, middle), abs=0.02)


@needs_mocap
def test_bones_that_a_skeleton_cuts_in_two_stay_in_one_piece() -> None:
    """A capture's body has joints that never turn: they do not in the result."""
    edit = edit_of("02_01@30")
    result = run(edit, Settings(passes="1D"))
    turned = turned_deg(edit, result)
    assert turned[edit.clip.skeleton.index("LHipJoint")] < 1e-6
    assert turned.max() > 0.1


def test_moving_joints_are_refused() -> None:
    edit = leaning()
    frames = edit.clip.frame_count
    moving = replace(
        edit.clip, moving_joints=(1,), moving_offsets_m=np.zeros((frames, 1, 3))
    )  # fmt: skip
    with pytest.raises(Exception, match="moving_joints"):
        run(replace(edit, clip=moving), Settings(passes="1D"))
