"""Silly settings: refused by name, or filtered to a clip of numbers; never a clip of NaN."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, get_origin, get_type_hints

import numpy as np
import pytest

from poise import rotations
from poise.constraints import HoldPoint, Interval
from poise.constraints.recruiting import find_joint
from poise.constraints.scene import FLAT
from poise.contact import detect_contacts
from poise.errors import BadValue
from poise.methods import Edit
from poise.methods.filter.run import run
from poise.methods.filter.settings import Settings
from tests.methods.edited import clip_named, feet

VALUES = {
    "zero": 0.0,
    "negative": -1.0,
    "tiny": 1e-300,
    "large": 1e6,
    "huge": 1e300,
    "infinite": float("inf"),
    "minus_infinite": float("-inf"),
    "nan": float("nan"),
}
NUMBERS = (
    "inset_m", "balance_noise", "flight_noise", "torque_noise", "rate_ratio", "knot_s", "beta",
    "updates", "process_variance", "alpha", "kappa", "far_noise", "far_m", "far_deg",
    "met_mm", "met_deg",
)  # fmt: skip
BY_NAME = {"noise": "hand", "mobility": "left_hip"}
REFUSED = ("negative", "infinite", "minus_infinite", "nan")
"""Values that no setting but kappa may have."""


@cache
def edit() -> Edit:
    """Twelve frames of a walk, with the feet held and a hand pulled away."""
    clip, character = clip_named("walk@30")
    clip = clip.sliced(10, 22)
    hand = HoldPoint("hand", "left_wrist", (0.05, 0.1, 0.0), Interval(3, 8), mode="offset")
    contacts = detect_contacts(clip, character, FLAT)
    return Edit(clip, character, [*feet(clip), hand], contacts=contacts)


def settings(name: str, value: float, fit: str) -> Settings:
    chosen: Any = {BY_NAME[name]: value} if name in BY_NAME else value
    return Settings(passes="1K+1D+1K", fit=fit, torque=True, **{name: chosen})


def run_or_refuse(name: str, value: float, fit: str) -> str:
    """Why it was refused, if it was; a result has numbers only."""
    try:
        result = run(edit(), settings(name, value, fit))
    except BadValue as refused:
        return str(refused)
    assert np.isfinite(result.clip.root_positions_m).all()
    assert np.isfinite(result.clip.rotations_wxyz).all()
    moved_m = np.abs(result.clip.root_positions_m - edit().clip.root_positions_m)
    assert moved_m.max() < 1.0
    lengths = np.linalg.norm(result.clip.rotations_wxyz, axis=-1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-9)
    for report in result.constraints:
        assert np.isfinite(report.worst)
    return ""


def test_every_number_of_the_settings_is_tried() -> None:
    numbers = {
        name
        for name, hint in get_type_hints(Settings).items()
        if hint in (float, int, float | None, int | None) or get_origin(hint) is Mapping
    }
    assert {*NUMBERS, *BY_NAME} == numbers


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", [*NUMBERS, *BY_NAME])
def test_a_silly_number_is_refused_by_name_or_does_no_harm(name: str, value: str) -> None:
    for fit in ("physics", "separate"):
        why = run_or_refuse(name, VALUES[value], fit)
        if why:
            assert name in why or BY_NAME.get(name, name) in why


@pytest.mark.parametrize("value", REFUSED)
@pytest.mark.parametrize("name", [name for name in (*NUMBERS, *BY_NAME) if name != "kappa"])
def test_what_no_number_may_be_is_refused_before_anything_runs(name: str, value: str) -> None:
    with pytest.raises(BadValue, match=name):
        settings(name, VALUES[value], "physics")


@pytest.mark.parametrize("value", ["infinite", "minus_infinite", "nan", "huge"])
def test_a_kappa_that_is_no_number_is_refused(value: str) -> None:
    with pytest.raises(BadValue, match="kappa"):
        settings("kappa", VALUES[value], "physics")


@pytest.mark.parametrize("name", ["knot_s", "beta", "updates", "alpha", "process_variance"])
def test_what_must_be_more_than_zero_is_refused_at_zero(name: str) -> None:
    with pytest.raises(BadValue, match=name):
        settings(name, 0.0, "physics")


@pytest.mark.parametrize("name", ["updates"])
@pytest.mark.parametrize("value", [1.5, 101.0, 0.999])
def test_counts_are_whole_numbers(name: str, value: float) -> None:
    with pytest.raises(BadValue, match=f"{name}.*whole number"):
        settings(name, value, "physics")


@pytest.mark.parametrize("passes", ["", "K+", "0K", "-1K", "1.5K", "101D", "1X", "K D", "1K++1D"])
def test_passes_that_are_none_are_refused(passes: str) -> None:
    with pytest.raises(BadValue, match="passes"):
        Settings(passes=passes)


@pytest.mark.parametrize("name", ["fit", "derivatives"])
@pytest.mark.parametrize("value", ["", "Coupled", "both", None])
def test_choices_that_are_none_are_refused(name: str, value: Any) -> None:
    with pytest.raises(BadValue, match=name):
        Settings(**{name: value})


@pytest.mark.parametrize("fit", ["physics", "separate"])
@pytest.mark.parametrize(
    "extremes",
    [
        {"knot_s": 1e6, "beta": 1e-12, "rate_ratio": 1e6},
        {"knot_s": 1e-6, "beta": 1e3, "rate_ratio": 1e-3},
        {"process_variance": 1.0, "far_noise": 1e6, "far_m": 0.0, "far_deg": 0.0},
        {"process_variance": 1e-20, "alpha": 1e-6, "inset_m": 1e9},
        {"balance_noise": 1e300, "flight_noise": 1e300, "torque_noise": 1e300},
        {"mobility": {"left_hip": 1e-6, "translation": 1e-6, "spine": 1000.0}},
        {"kappa": -100.0},
        {"kappa": 0.0},
    ],
    ids=str,
)
def test_extremes_together_give_numbers_or_a_reason(extremes: dict[str, Any], fit: str) -> None:
    try:
        result = run(edit(), Settings(passes="1K+1D+1K", fit=fit, torque=True, **extremes))
    except BadValue as refused:
        assert any(name in str(refused) for name in (*extremes, "beta, knot_s"))
        return
    assert np.isfinite(result.clip.rotations_wxyz).all()
    assert np.isfinite(result.clip.root_positions_m).all()


@pytest.mark.parametrize("fit", ["physics", "separate"])
def test_what_has_no_mobility_does_not_move(fit: str) -> None:
    mobility = {"left_hip": 0.0, "translation": 0.0}
    clip = run(edit(), Settings(passes="1K+1D+1K", fit=fit, mobility=mobility)).clip
    hip = find_joint(edit().character, "left_hip")
    before = edit().clip
    turned = rotations.angle_between(clip.rotations_wxyz, before.rotations_wxyz).max(axis=0)
    assert turned[hip] < 1e-5 and turned.max() > 1e-3
    np.testing.assert_allclose(clip.root_positions_m, before.root_positions_m, atol=1e-6)
