"""Attachments: exact masses, centres and inertias by hand."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Attachment, Body, Character, Sites, Skeleton, with_attachments
from poise.errors import BadValue, UnknownName
from tests.character.reference_human import reference_human

ROD = Skeleton(("grip", "club"), np.array([-1, 0]), np.array([[0, 1.0, 0], [0, 0, 0.5]]))


def club() -> Character:
    """A 2 kg rod from the origin of `club` to 1 m along -Y."""
    rod = 2.0 / 12.0
    body = Body(
        np.array([0.0, 2.0]),
        np.array([[0, 0, 0], [0, -0.5, 0.0]]),
        np.array([np.zeros((3, 3)), np.diag([rod, 0.0, rod])]),
    )
    head = Sites(("club_head",), np.array([1]), np.array([[0, -1.0, 0]]))
    return Character(ROD, "club", body, sites=head)


def test_an_eight_kilogram_rock_on_a_club_head() -> None:
    made = with_attachments(club(), [Attachment("rock", "club_head", 8.0, radius_m=0.1)])
    assert made.body is not None
    assert made.body.masses_kg.tolist() == [0.0, 10.0]
    # (2 * 0.5 + 8 * 1) / 10 below the hand
    np.testing.assert_allclose(made.body.centers_m[1], [0, -0.9, 0], atol=1e-15)
    ball = 0.4 * 8 * 0.1**2
    across = 2 / 12 + 2 * 0.4**2 + ball + 8 * 0.1**2
    np.testing.assert_allclose(made.body.inertias_kg_m2[1], np.diag([across, ball, across]))
    rock = made.sites.index("rock")
    assert made.sites.joints[rock] == 1
    np.testing.assert_allclose(made.sites.offsets_m[rock], [0, -1.0, 0])
    assert "Carries rock: 8 kg on club_head." in made.notes


def test_a_ten_kilogram_sandbag_on_a_calf() -> None:
    human = reference_human()
    place = np.array([0.0, -0.2, -0.06])
    made = with_attachments(human, [Attachment("sandbag", "left_knee", 10.0, place)])
    assert human.body is not None and made.body is not None
    knee = human.skeleton.index("left_knee")
    m, c = human.body.masses_kg[knee], human.body.centers_m[knee]
    gap = place - c
    reduced = m * 10.0 / (m + 10.0)
    assert made.body.masses_kg[knee] == pytest.approx(m + 10.0)
    np.testing.assert_allclose(made.body.centers_m[knee], (m * c + 10 * place) / (m + 10))
    added = made.body.inertias_kg_m2[knee] - human.body.inertias_kg_m2[knee]
    expected = reduced * (gap @ gap * np.eye(3) - np.outer(gap, gap))
    np.testing.assert_allclose(added, expected, atol=1e-12)
    others = [j for j in range(human.skeleton.joint_count) if j != knee]
    np.testing.assert_array_equal(made.body.masses_kg[others], human.body.masses_kg[others])
    np.testing.assert_allclose(
        made.body.inertias_kg_m2[others], human.body.inertias_kg_m2[others], atol=1e-15
    )


def test_two_at_once_are_two_after_each_other() -> None:
    a = Attachment("a", "left_wrist", 1.0, (0.0, -0.1, 0.0), 0.05)
    b = Attachment("b", "left_wrist", 3.0, (0.1, 0.0, 0.0))
    together = with_attachments(reference_human(), [a, b]).body
    stepwise = with_attachments(with_attachments(reference_human(), [a]), [b]).body
    assert together is not None and stepwise is not None
    np.testing.assert_allclose(together.centers_m, stepwise.centers_m, atol=1e-15)
    np.testing.assert_allclose(together.inertias_kg_m2, stepwise.inertias_kg_m2, atol=1e-14)


def test_wrong_attachments_are_named() -> None:
    human = reference_human()
    with pytest.raises(UnknownName, match="Did you mean 'left_knee'"):
        with_attachments(human, [Attachment("bag", "left_kne", 1.0)])
    with pytest.raises(BadValue, match="no site"):
        with_attachments(human, [Attachment("left_heel", "left_knee", 1.0)])
    with pytest.raises(BadValue, match="mass_kg of bag"):
        Attachment("bag", "left_knee", -1.0)
    with pytest.raises(BadValue, match="with a body"):
        with_attachments(Character(ROD), [Attachment("bag", "club", 1.0)])
