"""Every message, word for word: they are part of the interface."""

from __future__ import annotations

import pytest

from poise.errors import (
    BadShape,
    BadValue,
    FileProblem,
    MissingExtra,
    MissingRoles,
    PoiseError,
    UnknownName,
)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (FileProblem("a.bvh", "HIERARCHY"), "a.bvh: expected HIERARCHY."),
        (
            FileProblem("a.bvh", "3 channels", "2", line=7, advice="Add one."),
            "a.bvh:7: expected 3 channels, found 2. Add one.",
        ),
        (
            UnknownName("joint", "LeftFot", ["Hips", "LeftFoot"]),
            "No joint is called 'LeftFot'. Did you mean 'LeftFoot'? Known: Hips, LeftFoot.",
        ),
        (
            UnknownName("role", "wing", ["head"], advice="See the docs."),
            "No role is called 'wing'. Known: head. See the docs.",
        ),
        (UnknownName("site", "x", []), "No site is called 'x'. Known: none."),
        (BadShape("x", "(F, 3)", (2, 4)), "x must have shape (F, 3), got (2, 4)."),
        (BadValue("fps", "positive", 1.57), "fps must be positive, got 1.57."),
        (
            MissingExtra("Reading robots", "robots"),
            "Reading robots needs an optional package: pip install 'poise[robots]' "
            "(in a checkout: pip install '.[robots]').",
        ),
    ],
)
def test_messages_say_what_where_and_what_to_do(problem: PoiseError, message: str) -> None:
    assert str(problem) == message


def test_a_skeleton_that_is_not_recognised_lists_found_missing_and_unused() -> None:
    message = str(MissingRoles({"pelvis": "Root"}, ["left_knee"], ["a", "b"]))
    for words in ("Missing: left_knee", "pelvis=Root", "a, b", "--roles"):
        assert words in message


def test_facts_stay_readable() -> None:
    problem = FileProblem("a.bvh", "x", "y", line=3)
    assert (problem.line, problem.expected, problem.found) == (3, "x", "y")
    assert UnknownName("joint", "hed", ["head"]).nearest == "head"
