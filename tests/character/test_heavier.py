"""The same body with heavier parts: what changes, and that nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Character, with_mass_factors
from poise.errors import BadValue, UnknownName
from poise.mechanics import inverse_dynamics
from poise.samples import sample_character
from tests.character.reference_human import reference_human


def masses(character: Character) -> dict[str, float]:
    assert character.body is not None
    return dict(zip(character.skeleton.joint_names, character.body.masses_kg.tolist(), strict=True))


def joint_of(character: Character, role: str) -> str:
    assert character.roles is not None
    return character.roles.joint(role)


def test_a_part_is_so_many_times_as_heavy_and_as_hard_to_turn() -> None:
    human = reference_human()
    made = with_mass_factors(human, {"left_knee": 3.0})
    assert human.body is not None and made.body is not None
    knee = human.skeleton.index(joint_of(human, "left_knee"))
    assert made.body.masses_kg[knee] == pytest.approx(3.0 * human.body.masses_kg[knee])
    np.testing.assert_allclose(
        made.body.inertias_kg_m2[knee], 3.0 * human.body.inertias_kg_m2[knee]
    )
    others = np.arange(human.skeleton.joint_count) != knee
    assert (made.body.masses_kg[others] == human.body.masses_kg[others]).all()
    assert (made.body.inertias_kg_m2[others] == human.body.inertias_kg_m2[others]).all()
    assert (made.body.centers_m == human.body.centers_m).all()


def test_sizes_sites_and_strength_stay() -> None:
    human = sample_character()
    made = with_mass_factors(human, {"trunk": 2.0})
    assert made.skeleton is human.skeleton and made.sites is human.sites
    assert made.roles is human.roles and made.strength is human.strength
    assert made.strength is not None


@pytest.mark.parametrize("character", [reference_human(), sample_character()])
def test_the_trunk_is_what_the_spine_carries_without_limbs_neck_and_head(
    character: Character,
) -> None:
    before, after = masses(character), masses(with_mass_factors(character, {"trunk": 2.0}))
    doubled = {name for name in before if after[name] == pytest.approx(2.0 * before[name])}
    doubled -= {name for name in before if before[name] == 0.0}
    for role in ("pelvis", "chest"):
        assert joint_of(character, role) in doubled
    for role in ("neck", "head", "left_hip", "left_shoulder", "left_collar", "right_ankle"):
        assert joint_of(character, role) not in doubled
    share = sum(before[name] for name in doubled) / sum(before.values())
    assert 0.35 < share < 0.55  # half of a person, nearly
    assert all(after[name] == before[name] for name in before.keys() - doubled)


def test_joints_by_name_roles_and_the_trunk_multiply() -> None:
    human = reference_human()
    chest = joint_of(human, "chest")
    made = with_mass_factors(human, {"trunk": 2.0, "chest": 3.0})
    assert masses(made)[chest] == pytest.approx(6.0 * masses(human)[chest])
    by_name = with_mass_factors(human, {chest: 5.0})
    assert masses(by_name)[chest] == pytest.approx(5.0 * masses(human)[chest])
    lighter = with_mass_factors(human, {"head": 0.25})
    assert sum(masses(lighter).values()) < sum(masses(human).values())


def test_a_body_twice_as_heavy_all_over_needs_twice_the_force() -> None:
    human = sample_character()
    everywhere = dict.fromkeys(human.skeleton.joint_names, 2.0)
    made = with_mass_factors(human, everywhere)
    rng, joints = np.random.default_rng(1), human.skeleton.joint_count
    turns = np.tile(human.skeleton.rest_wxyz, (2, 1, 1))
    moving = (
        rng.normal(size=(2, joints, 3)),
        rng.normal(size=(2, 3)),
        rng.normal(size=(2, joints, 3)),
    )
    assert human.body is not None and made.body is not None
    one, two = (
        inverse_dynamics(human.skeleton, body, turns, *moving) for body in (human.body, made.body)
    )
    np.testing.assert_allclose(two.root_force_n, 2.0 * one.root_force_n)
    np.testing.assert_allclose(two.root_moment_nm, 2.0 * one.root_moment_nm)


def test_a_note_says_what_was_done_and_what_it_weighs_now() -> None:
    human = reference_human()
    made = with_mass_factors(human, {"trunk": 2.0, "head": 1.5})
    assert made.body is not None
    assert made.notes[:-1] == human.notes
    assert "trunk × 2, head × 1.5" in made.notes[-1]
    assert f"{made.body.total_mass_kg:.1f} kg" in made.notes[-1]


def test_no_factors_change_nothing_at_all() -> None:
    human = reference_human()
    assert with_mass_factors(human, {}) is human
    without = Character(human.skeleton)
    assert with_mass_factors(without, {}) is without


def test_a_part_that_is_not_there_is_named_with_its_nearest() -> None:
    with pytest.raises(UnknownName, match=r"'left_kneee'.*Did you mean 'left_knee'"):
        with_mass_factors(reference_human(), {"left_kneee": 2.0})
    with pytest.raises(UnknownName, match="trunk"):
        with_mass_factors(reference_human(), {"torso": 2.0})


@pytest.mark.parametrize("factor", [0.0, -1.0, 100.1, float("nan"), float("inf")])
def test_factors_that_make_no_body_are_refused_by_the_name_of_the_part(factor: float) -> None:
    with pytest.raises(BadValue, match="mass factor of head"):
        with_mass_factors(reference_human(), {"trunk": 2.0, "head": factor})


def test_a_character_without_masses_is_refused() -> None:
    with pytest.raises(BadValue, match="complete_character"):
        with_mass_factors(Character(reference_human().skeleton), {"trunk": 2.0})


def test_without_roles_parts_go_by_the_names_of_joints() -> None:
    human = reference_human()
    nameless = Character(human.skeleton, body=human.body)
    knee = joint_of(human, "left_knee")
    made = with_mass_factors(nameless, {knee: 2.0})
    assert masses(made)[knee] == pytest.approx(2.0 * masses(human)[knee])
    with pytest.raises(UnknownName, match="'trunk'"):
        with_mass_factors(nameless, {"trunk": 2.0})
