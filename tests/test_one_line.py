"""What public records show of themselves: one line, whatever they hold."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass

import numpy as np
import pytest

import poise
from poise import constraints, samples
from poise.constraints import HoldPoint, Interval, Plant, tasks_of
from poise.environment import Environment
from poise.face import Result
from poise.job import recipe_from_text
from poise.methods import METHODS
from poise.one_line import WIDEST, one_line, short
from tests.test_public_api import public_names

LONGEST = 160


def public_classes() -> list[type]:
    found: dict[type, None] = {}
    for name in public_names():
        package, _, attribute = name.rpartition(".")
        value = getattr(importlib.import_module(package), attribute)
        if inspect.isclass(value) and not issubclass(value, Exception):
            found[value] = None
    return list(found)


@pytest.fixture(scope="module")
def result() -> Result:
    return poise.correct(samples.walking(1.5, 30.0).clip)


def held(value: object, seen: set[int], depth: int = 0) -> Iterator[object]:
    """Everything of Poise's that a record holds, down to a depth."""
    if id(value) in seen or depth > 6:
        return
    seen.add(id(value))
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        for each in fields(value):
            yield from held(getattr(value, each.name, None), seen, depth + 1)
    elif isinstance(value, tuple | list):
        if hasattr(value, "_fields"):
            yield value
        for part in value[:50]:
            yield from held(part, seen, depth + 1)
    elif isinstance(value, dict):
        yield from held(list(value.values()), seen, depth + 1)


def test_records_that_are_met_are_one_line_each(result: Result) -> None:
    clip, body = samples.walking(1.0, 30.0).clip, samples.sample_character()
    wishes = (HoldPoint("reach", "left_wrist", (0.3, 1.4, 2.6), Interval(10, 20)),
              Plant("stand", "left_foot", Interval(0, 8)))  # fmt: skip
    deformed = poise.deform(clip, *wishes)
    leapt = poise.leap(samples.jumping().clip, further=1.1)
    recipe = recipe_from_text(
        "poise: 1\nclip: {sample: walk}\nsteps: [{correct: {}}, {deform: {}}]\n"
    )
    roots = [result, result.measures(), deformed, leapt, recipe, wishes, samples.kneeling(1.0),
             poise.retarget(clip, body, balance=False), Environment.flat(),
             [tasks_of(each, deformed.steps[0].report.problem.edit.scene) for each in wishes],
             [method.settings() for method in METHODS.values()], list(METHODS.values()),
    ]  # fmt: skip
    seen: set[int] = set()
    lines: dict[type, str] = {}
    for root in roots:
        for record in held(root, seen):
            lines.setdefault(type(record), repr(record))
            check(record)
    check(result.measures())
    assert len(lines) > 60
    met = set(lines) & set(public_classes())
    assert len(met) > 40, sorted(each.__name__ for each in met)


def check(record: object) -> None:
    text = repr(record)
    if type(record).__module__.startswith("poise") and type(record) in PUBLIC:
        assert "\n" not in text and len(text) < LONGEST, text
        assert "array(" not in text, text


PUBLIC = {*public_classes(), Result}


def test_every_public_record_is_shown_in_one_line() -> None:
    """A class that shows all of itself would show its arrays, too."""
    for kind in public_classes():
        own = kind.__dict__.get("__repr__")
        if is_dataclass(kind) or hasattr(kind, "_fields"):
            shown = next(c.__dict__["__repr__"] for c in kind.__mro__ if "__repr__" in c.__dict__)
            assert not hasattr(shown, "__wrapped__"), f"{kind} is shown by dataclass"
            assert shown is not tuple.__repr__, kind
            assert own is None or own.__code__.co_filename != "<string>", kind


def test_what_the_main_records_say(result: Result) -> None:
    clip = samples.walking(1.0, 30.0).clip
    joints = clip.skeleton.joint_count
    assert repr(clip) == f"<Clip walk: 31 frames, 30 Hz, 1.00 s, {joints} joints>"
    assert repr(clip.skeleton) == f"<Skeleton: {joints} joints, root 'Hips'>"
    assert "kg" in repr(samples.sample_character())
    assert repr(Environment.flat()) == "<Environment: ground>"
    assert repr(result).startswith("<Result: converged, 46 frames at 30 Hz. ")
    assert "better" in repr(result.measures()) and "foot" not in repr(result.measures())
    assert "left_foot" in repr(result.contacts) and "%" in repr(result.contacts)
    hold = HoldPoint("reach", "left_wrist", (0.3, 1.4, 2.6), Interval(10, 20))
    assert repr(hold).startswith("<HoldPoint reach: point='left_wrist', place_m=(0.3, 1.4, 2.6)")
    recipe = recipe_from_text("poise: 1\nclip: {sample: walk}\nsteps: [{correct: {}}]\n")
    assert repr(recipe) == "<Recipe: correct on walk>"


def test_long_and_odd_values_are_cut() -> None:
    @dataclass
    class Odd:
        name: str
        text: str
        numbers: np.ndarray
        many: tuple[int, ...]
        usual: int = 3

    line = one_line(Odd("two\nlines", "x" * 500, np.zeros((4, 5)), tuple(range(900))))
    assert line.startswith("<Odd two lines: ") and len(line) <= WIDEST and "\n" not in line
    assert "float64[4, 5]" in line and "900 items" in line and "usual" not in line
    assert short("a\x1b[31mb").isprintable()


def test_constraints_say_their_name_first() -> None:
    for kind in constraints.CONSTRAINTS.values():
        assert kind.record.__repr__ is one_line
