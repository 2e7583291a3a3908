"""A lesser constraint that conflicts costs the greater ones nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from poise.constraints import Constraint, HoldPoint, LookAt, PlaceCenterOfMass
from poise.methods import Edit, deform
from poise.motion import Clip
from tests.methods.edited import clip_named, eased, feet, is_real, limit_of, misses, whole
from tests.shared_data import needs_mocap

NEAR, FAR = 0.3, 0.9
"""Metres sideways: within reach, and out of reach beside planted feet."""


def hand(clip: Clip, priority: int, far: float) -> Constraint:
    place = (0.2, far, far)
    return HoldPoint("hand", "left_wrist", place, eased(clip), "offset", priority=priority)


def other(clip: Clip, priority: int, far: float) -> Constraint:
    place = (far, 0.1, -far)
    return HoldPoint("other", "right_wrist", place, eased(clip), "offset", priority=priority)


def balance(clip: Clip, priority: int) -> Constraint:
    return PlaceCenterOfMass("balance", whole(clip), priority=priority)


def gaze(clip: Clip, priority: int) -> Constraint:
    return LookAt("gaze", "head", (3.0, -1.0, -2.0), eased(clip), priority=priority)


Setup = Callable[[Clip], tuple[list[Constraint], list[Constraint]]]

SETUPS: dict[str, Setup] = {
    "feet over a hand far away": lambda c: (feet(c), [hand(c, 2, FAR)]),
    "balance over a hand far away": lambda c: ([balance(c, 1)], [hand(c, 2, FAR)]),
    "hand over gaze": lambda c: ([hand(c, 1, FAR)], [gaze(c, 2)]),
    "feet and balance over a hand far away": lambda c: (
        [*feet(c), balance(c, 2)], [hand(c, 3, FAR)]
    ),
    "feet, balance and hand over gaze": lambda c: (
        [*feet(c), balance(c, 2), hand(c, 3, NEAR)], [gaze(c, 4)]
    ),
    "feet, balance and hand over the other hand far away": lambda c: (
        [*feet(c), balance(c, 2), hand(c, 3, NEAR)], [other(c, 4, FAR)]
    ),
    "feet and hand over balance": lambda c: ([*feet(c), hand(c, 2, NEAR)], [balance(c, 3)]),
    "feet and a hand far away over balance": lambda c: (
        [*feet(c), hand(c, 2, FAR)], [balance(c, 3)]
    ),
    "feet, balance and a hand far away over gaze": lambda c: (
        [*feet(c), balance(c, 2), hand(c, 3, FAR)], [gaze(c, 4)]
    ),
    "feet, balance and a hand far away over the other hand far away": lambda c: (
        [*feet(c), balance(c, 2), hand(c, 3, FAR)], [other(c, 4, FAR)]
    ),
    "two hands far away over balance and gaze": lambda c: (
        [hand(c, 1, FAR), other(c, 2, FAR)], [balance(c, 3), gaze(c, 4)]
    ),
    "feet over three layers": lambda c: (
        feet(c), [balance(c, 2), hand(c, 3, FAR), gaze(c, 4)]
    ),
}  # fmt: skip

CLIPS = ["walk@30", "golf@60", "02_01@30", "02_05@24:700", "64_01@60"]


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize(
    "label", [pytest.param(c, marks=needs_mocap if is_real(c) else ()) for c in CLIPS]
)
def test_greater_constraints_are_met_as_well_as_without_the_lesser(label: str, setup: str) -> None:
    clip, character = clip_named(label)
    greater, lesser = SETUPS[setup](clip)
    alone, beside = Edit(clip, character, greater), Edit(clip, character, [*greater, *lesser])
    before = misses(alone, deform.run(alone).clip)
    after = misses(alone, deform.run(beside).clip)
    for key in before:
        worse = (after[key] - before[key]).max()
        assert worse <= limit_of(key), f"{key} gets worse by {worse:.3g}"


@pytest.mark.parametrize("label", [pytest.param("02_01@30", marks=needs_mocap), "walk@30"])
def test_weights_instead_of_layers_would_fail_this(label: str) -> None:
    """What the tests above would see without layers."""
    clip, character = clip_named(label)
    edit = Edit(clip, character, [*feet(clip), hand(clip, 2, FAR)])
    weighted = deform.run(edit, deform.Settings(strategy="weights"))
    layered = deform.run(edit)
    key = ("left foot", 0, "point")
    assert misses(edit, layered.clip)[key].max() < 1e-4
    assert misses(edit, weighted.clip)[key].max() > 1e-3
