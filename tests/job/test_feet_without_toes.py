"""Legs that end at the ankle: a foot is made for them, said, and every method works with it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import poise
from poise.apps.inspection import inspect_clip
from poise.character import complete_character
from poise.constraints import HoldPoint, Interval
from poise.contact import find_contacts
from poise.environment import Environment
from poise.job import Recipe, Step, subject
from poise.methods.correct import Settings
from poise.motion import Clip
from poise.samples import SAMPLES
from tests.toeless import without_toes

SAID = "No toes: the left and right legs end at the ankle."


@cache
def whole(name: str) -> Clip:
    made = SAMPLES[name]().clip
    return made.sliced(60, 260) if name == "jump" else made.sliced(0, 180)


@cache
def cut(name: str) -> Clip:
    return without_toes(whole(name))


@cache
def figures(clip: Clip) -> dict[str, float]:
    return {m.key: m.value for m in poise.measure(clip)}


@pytest.mark.parametrize("name", ["walk", "jump"])
def test_figures_are_close_to_those_of_the_same_motion_with_toes(name: str) -> None:
    true, made = figures(whole(name)), figures(cut(name))
    assert made["foot_slide.mean"] < true["foot_slide.mean"] + 1.5
    assert made["penetration.deepest"] < true["penetration.deepest"] + 1.5
    assert made["zmp_excursion.mean"] < true["zmp_excursion.mean"] + 0.2
    assert made["zmp_excursion.p95"] < true["zmp_excursion.p95"] + 1.2
    assert made["root_wrench.force"] < true["root_wrench.force"] + 0.004
    assert made["root_wrench.moment"] < true["root_wrench.moment"] + 0.002


@pytest.mark.parametrize("name", ["walk", "jump"])
def test_contacts_are_those_of_the_same_motion_with_toes(name: str) -> None:
    found = [
        find_contacts(clip, complete_character(clip.skeleton), Environment.flat()).schedule
        for clip in (whole(name), cut(name))
    ]
    for foot in ("left_foot", "right_foot"):
        true, made = (each.column(foot) for each in found)
        assert true.any() and (true == made).mean() > 0.93, (foot, (true == made).mean())


def test_correct_changes_no_more_and_ends_as_well() -> None:
    true, made = (poise.correct(clip) for clip in (whole("walk"), cut("walk")))
    assert made.status == true.status == "converged"
    assert any(note.startswith(SAID) for note in made.notes)
    before, after = (figures(each.clip) for each in (true, made))
    assert after["foot_slide.mean"] < before["foot_slide.mean"] + 0.3
    assert after["penetration.deepest"] < 0.3
    assert after["zmp_excursion.p95"] < before["zmp_excursion.p95"] + 0.1
    moved = np.abs(made.clip.root_positions_m - cut("walk").root_positions_m).max()
    assert moved < 0.01


@pytest.mark.parametrize("method", ["filter", "leap", "deform", "retarget", "retarget from"])
def test_every_method_works_with_it(method: str) -> None:
    walk, jump = cut("walk").sliced(0, 60), cut("jump")
    when = Interval(20, 40)
    done = {
        "filter": lambda: poise.filter(walk),
        "leap": lambda: poise.leap(jump, further=1.1),
        "deform": lambda: poise.deform(
            walk, HoldPoint("toe", "left_toe_tip", (0.0, 0.05, 0.0), when, "offset")
        ),
        "retarget": lambda: poise.retarget(
            whole("walk").sliced(0, 60), complete_character(walk.skeleton), balance=False
        ),
        "retarget from": lambda: poise.retarget(
            walk, complete_character(whole("walk").skeleton), balance=False
        ),
    }[method]()
    assert done.status == "converged", done.summary
    assert np.isfinite(done.clip.rotations_wxyz).all()


@pytest.mark.parametrize(("below_m", "sole_m"), [(None, 0.0682), (0.09, 0.09)])
def test_the_foot_is_where_the_proportions_or_the_tip_say(
    below_m: float | None, sole_m: float
) -> None:
    clip = without_toes(whole("walk"), below_m)
    body = complete_character(clip.skeleton)
    for side in ("left", "right"):
        ankle = clip.skeleton.index(f"{side.title()}Foot")
        places = {}
        for point in ("heel", "ball", "toe_tip"):
            i = body.sites.index(f"{side}_{point}")
            assert body.sites.joints[i] == ankle
            places[point] = body.sites.offsets_m[i]
            np.testing.assert_allclose(places[point][1], -sole_m, atol=1e-3)
        assert -0.06 < places["heel"][2] < -0.04 and 0.13 < places["toe_tip"][2] < 0.17
        assert places["heel"][2] < places["ball"][2] < places["toe_tip"][2]
    assert sum(note.startswith(SAID) for note in body.notes) == 1


def test_inspect_and_whoever_asks_say_it(tmp_path) -> None:
    path = tmp_path / "cut.bvh"
    poise.save(cut("walk"), path)
    report = inspect_clip(poise.load(path), path)
    assert any(
        note.startswith(SAID) and "15 cm ahead of the ankle" in note for note in report.roles.notes
    )
    asked = subject(Recipe((Step("correct", Settings()),)), path)
    assert any(note.startswith(SAID) for note in asked.notes)
    assert not any("No toes" in note for note in inspect_clip(whole("walk"), path).roles.notes)
