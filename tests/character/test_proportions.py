"""Other builds: what gets longer does so by its factor, and nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Character, complete_character, contact_points, with_proportions
from poise.errors import BadValue
from poise.formats import load_clip
from tests.character.reference_human import reference_human
from tests.shared_data import MOCAP, needs_mocap

LIMBS = [("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist")]
KEPT = [("ankle", "toe"), ("collar", "shoulder")]


def human() -> Character:
    return complete_character(reference_human().skeleton, mass_kg=70.0)


def length_m(character: Character, upper: str, lower: str) -> float:
    assert character.roles is not None
    skeleton = character.skeleton
    ends = [skeleton.rest_positions_m[skeleton.index(character.roles.joint(r))]
            for r in (upper, lower)]  # fmt: skip
    return float(np.linalg.norm(ends[1] - ends[0]))


def sided(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(f"{side}_{a}", f"{side}_{b}") for side in ("left", "right") for a, b in pairs]


@pytest.mark.parametrize(("limbs", "trunk"), [(0.8, 1.25), (1.2, 0.8), (1.0, 1.5)])
def test_limbs_and_trunk_change_by_their_factors_and_nothing_else(
    limbs: float, trunk: float
) -> None:
    before = human()
    after = with_proportions(before, limbs=limbs, trunk=trunk)
    for pair in sided(LIMBS):
        assert length_m(after, *pair) == pytest.approx(limbs * length_m(before, *pair))
    for pair in [*sided(KEPT), ("left_hip", "right_hip"), ("left_collar", "right_collar")]:
        assert length_m(after, *pair) == pytest.approx(length_m(before, *pair))
    assert length_m(after, "spine", "chest") == pytest.approx(
        trunk * length_m(before, "spine", "chest"), rel=0.01
    )
    assert after.ranges is before.ranges and after.strength is before.strength
    assert after.roles is before.roles and after.skeleton.joint_names == before.skeleton.joint_names


def test_soles_stay_what_they_are() -> None:
    before = human()
    after = with_proportions(before, limbs=0.8, trunk=1.25)
    for part in ("left_foot", "right_foot"):
        mine, theirs = contact_points(after)[part], contact_points(before)[part]
        assert mine.names == theirs.names
        np.testing.assert_allclose(mine.offsets_m, theirs.offsets_m, atol=1e-12)


def test_masses_grow_with_lengths_and_inertias_like_those_of_stretched_rods() -> None:
    before = human()
    after = with_proportions(before, limbs=2.0)
    assert before.body is not None and after.body is not None and before.roles is not None
    thigh = before.skeleton.index(before.roles.joint("left_hip"))
    head = before.skeleton.index(before.roles.joint("head"))
    assert after.body.masses_kg[thigh] == pytest.approx(2.0 * before.body.masses_kg[thigh])
    assert after.body.masses_kg[head] == before.body.masses_kg[head]
    # About the bone a stretched rod has twice the inertia; across it the length counts cubed, less
    # what its thickness adds.
    old = np.linalg.eigvalsh(before.body.inertias_kg_m2[thigh])
    new = np.linalg.eigvalsh(after.body.inertias_kg_m2[thigh])
    assert new[0] == pytest.approx(2.0 * old[0], rel=0.02)
    along = 0.5 * (old[1] + old[2] - old[0])
    thick = 0.5 * old[0]
    assert new[2] == pytest.approx(2.0 * (4.0 * along + thick), rel=0.05)


def test_one_changes_nothing() -> None:
    before = human()
    assert with_proportions(before) is before


@pytest.mark.parametrize("factor", [0.0, -1.0, 100.0, float("nan"), float("inf")])
def test_factors_that_make_no_body_are_refused(factor: float) -> None:
    with pytest.raises(BadValue, match="limbs"):
        with_proportions(human(), limbs=factor)


def test_a_character_without_roles_is_refused() -> None:
    with pytest.raises(BadValue, match="roles"):
        with_proportions(Character(reference_human().skeleton), limbs=2.0)


@needs_mocap
def test_a_figure_with_joints_on_top_of_each_other_is_stretched_too() -> None:
    clip = load_clip(MOCAP / "cmu" / "61_03.bvh")
    before = complete_character(clip.skeleton)
    after = with_proportions(before, limbs=0.8, trunk=1.25)
    for pair in sided(LIMBS):
        assert length_m(after, *pair) == pytest.approx(0.8 * length_m(before, *pair))
    assert length_m(after, "left_hip", "right_hip") == pytest.approx(
        length_m(before, "left_hip", "right_hip")
    )
