"""Bounds on one side: asked for where they are broken, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.arrays import Array
from poise.constraints import Interval, StayOnSide
from poise.errors import BadValue
from poise.mechanics import forward_kinematics, site_positions
from poise.methods import METHODS, Edit
from poise.methods.filter.run import run
from poise.methods.filter.settings import Settings
from poise.motion import Clip
from tests.methods.edited import clip_named, feet

LIMIT_M = 1.6


def head_top(edit: Edit, clip: Clip) -> Array:
    """(F,) its height."""
    sites = edit.character.sites
    places = site_positions(forward_kinematics(clip.skeleton, *clip.pose), sites)
    return places[:, sites.names.index("head_top"), 1]


def under(limit_m: float, frames: tuple[int, int] = (20, 60), **more: object) -> Edit:
    clip, character = clip_named("walk@30")
    bar = StayOnSide("bar", "head_top", limit_m, Interval(*frames, 15, 15))
    return Edit(clip, character, [*feet(clip), replace(bar, **more)])  # pyright: ignore


@pytest.mark.parametrize("passes", ["1K", "2D+1K"])
@pytest.mark.parametrize("fit", ["physics", "separate"])
def test_a_head_goes_under_a_bar(passes: str, fit: str) -> None:
    edit = under(LIMIT_M)
    assert head_top(edit, edit.clip).min() > LIMIT_M + 0.02
    result = run(edit, Settings(passes=passes, fit=fit, updates=3))
    assert head_top(edit, result.clip)[35:46].max() < LIMIT_M + 2e-4
    assert result.status == "converged"


def test_a_bar_above_the_head_asks_for_nothing() -> None:
    edit = under(1.5 * LIMIT_M)
    result = run(edit, Settings(passes="1K"))
    assert np.abs(result.clip.root_positions_m - edit.clip.root_positions_m).max() < 1e-9
    assert np.abs(result.clip.rotations_wxyz - edit.clip.rotations_wxyz).max() < 1e-9
    assert result.status == "converged"


def test_the_other_side_is_the_other_side() -> None:
    edit = under(1.5 * LIMIT_M, side="above")
    result = run(edit, Settings(passes="1K"))
    assert result.status == "out_of_iterations"  # nobody is so tall
    edit = under(LIMIT_M, side="above")
    result = run(edit, Settings(passes="1K"))
    assert np.abs(result.clip.rotations_wxyz - edit.clip.rotations_wxyz).max() < 1e-9


def test_a_soft_bar_yields_and_says_by_how_much() -> None:
    edit = under(LIMIT_M - 0.2)
    soft = run(edit, Settings(passes="1K", noise={"bar": 1e-9}))
    height = head_top(edit, soft.clip)[35:46].max()
    assert LIMIT_M - 0.2 < height < head_top(edit, edit.clip)[35:46].max()
    assert "bar" in soft.summary


def test_deform_says_that_it_does_not_know_one_sided_constraints() -> None:
    with pytest.raises(BadValue, match="one-sided"):
        METHODS["deform"].run(under(LIMIT_M))
