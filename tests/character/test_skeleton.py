"""Skeletons: trees only, with freedoms laid out as the tangent says."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.character import Body, Character, Sites, Skeleton
from poise.errors import BadShape, BadValue, UnknownName

QUARTER = rotations.from_axis_angle([1.0, 0.0, 0.0], np.pi / 2)


def branching() -> Skeleton:
    """A root with an arm of two joints and a tail: a chain cannot catch a wrong ancestor."""
    return Skeleton(
        ("root", "upper", "tail", "lower"),
        np.array([-1, 0, 0, 1]),
        np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -1], [1, 0, 0]]),
        rest_wxyz=np.stack([rotations.IDENTITY, QUARTER, rotations.IDENTITY, rotations.IDENTITY]),
        kinds=("ball", "hinge", "fixed", "ball"),
        hinge_axes=np.array([[0.0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]]),
        end_sites=Sites(("tip",), np.array([3]), np.array([[0.0, 1.0, 0.0]])),
    )


def test_the_tangent_holds_the_root_translation_then_each_freedom() -> None:
    skeleton = branching()
    assert skeleton.tangent_size == 3 + 3 + 1 + 0 + 3
    assert skeleton.freedom_starts.tolist() == [3, 6, 7, 7]


def test_rest_positions_follow_rest_rotations() -> None:
    skeleton = branching()
    np.testing.assert_allclose(skeleton.rest_positions_m[3], [2, 1, 0], atol=1e-12)
    np.testing.assert_allclose(skeleton.rest_end_positions_m[0], [2, 1, 1], atol=1e-12)


def test_ancestors_and_children_know_the_branches() -> None:
    skeleton = branching()
    assert skeleton.ancestors(3) == (3, 1, 0)
    assert skeleton.children[0] == (1, 2)


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(UnknownName) as caught:
        branching().index("uper")
    assert str(caught.value) == (
        "No joint is called 'uper'. Did you mean 'upper'? Known: root, upper, tail, lower."
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parents": np.array([-1, 2, 0, 1])}, "indices of earlier joints"),
        ({"parents": np.array([-1, -1, 0, 1])}, "indices of earlier joints"),
        ({"joint_names": ("a", "b", "b", "c")}, r"unique, got \['b'\]"),
        ({"kinds": ("ball", "hinge", "spring", "ball")}, "ball, hinge, fixed"),
        ({"hinge_axes": np.ones((4, 3))}, "unit for hinges and zero"),
        ({"offsets_m": np.zeros((3, 3))}, r"shape \(4, 3\), got \(3, 3\)"),
        ({"limits_rad": np.tile([1.0, -1.0], (4, 3, 1))}, "lower before upper"),
        ({"end_sites": Sites(("x",), np.array([9]), np.zeros((1, 3)))}, "indices from 0 to 3"),
    ],
)
def test_what_is_no_skeleton_is_refused(change: dict[str, object], message: str) -> None:
    good = branching()
    fields = {name: getattr(good, name) for name in good.__dataclass_fields__}
    with pytest.raises((BadValue, BadShape), match=message):
        Skeleton(**{**fields, **change})


def test_a_character_checks_its_body_against_its_skeleton() -> None:
    body = Body(np.ones(3), np.zeros((3, 3)), np.zeros((3, 3, 3)))
    with pytest.raises(BadShape, match="4 segments"):
        Character(branching(), body=body)


def test_a_character_has_its_skeletons_end_sites() -> None:
    assert Character(branching()).sites.names == ("tip",)


def test_joined_sites_prefer_the_newer_of_one_name() -> None:
    old = Sites(("a", "b"), np.array([0, 1]), np.zeros((2, 3)))
    new = Sites(("b", "c"), np.array([2, 3]), np.ones((2, 3)))
    both = old.joined(new)
    assert both.names == ("a", "b", "c") and both.joints.tolist() == [0, 2, 3]
