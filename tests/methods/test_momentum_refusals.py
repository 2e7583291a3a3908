"""What is refused about leaps, by name: no leap, no such stage, contradictions, no numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise.character import Character
from poise.constraints import FlightHeight, Gravity, MoveStage, StageEdit
from poise.errors import BadValue, PoiseError
from poise.methods.momentum import Settings, run
from poise.samples import SAMPLES, sample_character
from tests.methods.leaping import FLIGHT, SETTINGS, assert_finite, jump

FURTHER = MoveStage("further", -1, (0.0, 0.0, 0.3))
ASIDE = MoveStage("aside", 1, (0.25, 0.0, -0.1))
HIGHER = FlightHeight("higher", 0, scale=1.3)
LOWER = FlightHeight("lower", -1, rise_m=0.12)
FALLS_FASTER = FlightHeight("falls faster", 0, scale=1.3, by="gravity")


def without(part: str) -> Character:
    return replace(sample_character(), **{part: None})


MOVING = replace(jump().clip, moving_joints=(3,), moving_offsets_m=np.zeros((48, 1, 3)))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((FURTHER, ASIDE), "'aside' must be about something other than ground stage 1, which"),
        ((HIGHER, LOWER), "'lower' must be about something other than flight"),
        ((FALLS_FASTER, Gravity("moon", 1.6)), "'moon' must be about something other than"),
        ((Gravity("moon", 1.6, 0), FALLS_FASTER), "which 'moon' already changes"),
        ((Gravity("moon", 1.6), Gravity("mars", 3.7, -1)), "'mars' must be about something"),
        ((MoveStage("third", 2),), "stage of 'third' must be 0 to 1: the clip has 2 ground"),
        ((MoveStage("before", -3),), "stage of 'before' must be 0 to 1"),
        ((FlightHeight("next", 1, 1.2),), "flight of 'next' must be 0 to 0: the clip has 1"),
        ((Gravity("next", 9.0, -2),), "flight of 'next' must be 0 to 0"),
        ((MoveStage("shelf", -1, (0, 1.0, 0)), HIGHER), "height of 'higher' must be more than"),
        ((FlightHeight("sky", 0, rise_m=50.0),), "height of 'sky' must be one whose flight lasts"),
        ((Gravity("space", 0.0), HIGHER), "height of 'higher' must be some gravity"),
    ],
)  # fmt: skip
def test_edits_that_cannot_be_had_are_named(asked: tuple[StageEdit, ...], said: str) -> None:
    with pytest.raises(BadValue) as problem:
        run(jump(*asked), SETTINGS)
    assert said in str(problem.value)


def test_a_height_below_the_landing_is_told_what_is_needed() -> None:
    # Half a metre up and only 15 cm of rise.
    shelf = MoveStage("shelf", -1, (0.0, 0.5, 0.0))
    with pytest.raises(BadValue, match=r"'low' must be more than (0\.\d+) m, where it lands") as it:
        run(jump(shelf, FlightHeight("low", 0, rise_m=0.15)), SETTINGS)
    least = float(str(it.value).split("more than ")[1].split()[0])
    enough = run(jump(shelf, FlightHeight("low", 0, rise_m=least + 0.05)), SETTINGS)
    assert_finite(enough)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"clip": SAMPLES["walk"](rate_hz=30.0).clip, "contacts": None}, "leaves the ground"),
        ({"clip": SAMPLES["stand"](rate_hz=30.0).clip, "contacts": None}, "leaves the ground"),
        ({"clip": jump().clip.sliced(0, 7), "contacts": None}, "clip must be at least 8 frames"),
        ({"clip": jump().clip.sliced(*FLIGHT), "contacts": jump().contacts.sliced(*FLIGHT)},
         "clip must be one that touches the ground somewhere"),
        ({"character": without("body")}, "character must be one with roles and a body"),
        ({"character": without("roles")}, "character must be one with roles and a body"),
        ({"clip": MOVING}, "moving_joints must be none"),
    ],
)  # fmt: skip
def test_what_is_no_leap_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadValue) as problem:
        run(replace(jump(), **change), SETTINGS)
    assert said in str(problem.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ((3, 17), "ground stage at frame 0 must be at least 6 frames"),
        ((17, 29, 32, 40), "ground stage at frame 29 must be at least 5 frames"),
        ((17, 44), "ground stage at frame 44 must be at least 6 frames"),
        ((17, 19), "flight at frame 17 must be at least 4 frames"),
        ((29, 17), "rising frames between 0 and 48"),
        ((-3, 17), "rising frames between 0 and 48"),
        ((17, 48), "rising frames between 0 and 48"),
        ((), "leaves the ground"),
    ],
)
def test_stages_that_cannot_be_are_refused(changes: tuple[int, ...], said: str) -> None:
    with pytest.raises(BadValue) as problem:
        run(jump(), replace(SETTINGS, stage_changes=changes))
    assert said in str(problem.value)


@pytest.mark.parametrize("changes", [None, FLIGHT])
def test_contacts_of_another_length_are_refused(changes: tuple[int, int] | None) -> None:
    edit = jump()
    assert edit.contacts is not None
    short = replace(edit, contacts=edit.contacts.sliced(0, 40))
    with pytest.raises(PoiseError, match="contacts"):
        run(short, replace(SETTINGS, stage_changes=changes))


# Records and settings

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: MoveStage("m", -1, (NAN, 0, 0)), "by_m of 'm' must be a finite number"),
        (lambda: MoveStage("m", -1, (1, 2)), "by_m of 'm' must be 3 numbers"),  # type: ignore[arg-type]
        (lambda: MoveStage("m", -1, turn_deg=INF), "turn_deg of 'm' must be a finite number"),
        (lambda: MoveStage("m", 1.5), "stage of 'm' must be a whole number"),  # type: ignore[arg-type]
        (lambda: MoveStage("", 1), "name of 'a constraint' must be a name"),
        (lambda: FlightHeight("h"), "scale of 'h' must be given, or rise_m instead"),
        (lambda: FlightHeight("h", 0, 1.2, 0.3), "scale of 'h' must be given, or rise_m instead"),
        (lambda: FlightHeight("h", 0, 0.0), "scale of 'h' must be more than zero"),
        (lambda: FlightHeight("h", 0, rise_m=-0.1), "rise_m of 'h' must be more than zero"),
        (lambda: FlightHeight("h", 0, NAN), "scale of 'h' must be a finite number"),
        (lambda: FlightHeight("h", "0", 1.2), "flight of 'h' must be a whole number"),  # type: ignore[arg-type]
        (lambda: FlightHeight("h", 0, 1.2, by="magic"), "by of 'h' must be one of time, gravity"),  # type: ignore[arg-type]
        (lambda: Gravity("g", -1.0), "gravity_m_s2 of 'g' must be zero or more"),
        (lambda: Gravity("g", INF), "gravity_m_s2 of 'g' must be a finite number"),
        (lambda: Gravity("g", 1.0, 0.5), "flight of 'g' must be a whole number"),  # type: ignore[arg-type]
    ],
)
def test_bad_records_are_refused_by_name(make: Callable[[], StageEdit], said: str) -> None:
    with pytest.raises(BadValue) as problem:
        make()
    assert said in str(problem.value)


@pytest.mark.parametrize(
    ("knob", "value"),
    [
        ("gravity", "mars"), ("place", 0.0), ("place", NAN), ("velocity_s", -1.0),
        ("acceleration_s", INF), ("balance", -1.0), ("knots_per_s", 0.5), ("knots_per_s", NAN),
        ("iterations", 0), ("clearance_rounds", -1), ("two_leaps_m", 0.0), ("two_leaps_m", NAN),
    ],
)  # fmt: skip
def test_bad_settings_are_refused_by_name(knob: str, value: Any) -> None:
    with pytest.raises(BadValue, match=knob):
        Settings(**{knob: value})


@pytest.mark.parametrize(
    ("knob", "value"),
    [("stage_changes", (17.5, 29.0)), ("stage_changes", "ab"), ("iterations", 2.5)],
)
def test_settings_that_are_no_whole_numbers_are_refused_by_name(knob: str, value: Any) -> None:
    with pytest.raises(BadValue, match=knob):
        Settings(**{knob: value})
