"""Recipes whose character has heavier parts, or carries something."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.contact import detect_contacts
from poise.job import Recipe, RecipeProblem, load_recipe, run_prepared, subject
from poise.mechanics import forward_kinematics, site_positions
from tests.shared_data import MOCAP, needs_mocap

FEET = """
steps:
  - filter:
      settings: {updates: 4}
      constraints:
        - plant: {name: left foot, part: left_foot, mode: follow, frames: all}
        - plant: {name: right foot, part: right_foot, mode: follow, frames: all}
"""
ROCK = "{name: rock, on: left_wrist, mass_kg: 8, place_m: [0, -0.2, 0.1]}"


def written(folder: Path, character: str, sample: str = "walk", more: str = "") -> Recipe:
    path = folder / "r.yaml"
    clip = f"{{sample: {sample}, rate_hz: 30}}"
    path.write_text(f"poise: 1\nclip: {clip}\ncharacter: {character}{FEET}{more}", encoding="utf-8")
    return load_recipe(path)


def test_both_keys_are_read(tmp_path: Path) -> None:
    recipe = written(tmp_path, f"{{heavier: {{trunk: 2, head: 1.5}}, carries: [{ROCK}]}}")
    assert dict(recipe.character.heavier) == {"trunk": 2.0, "head": 1.5}
    (rock,) = recipe.character.carries
    assert (rock.name, rock.on, rock.mass_kg, rock.radius_m) == ("rock", "left_wrist", 8.0, 0.0)
    assert tuple(rock.place_m) == (0.0, -0.2, 0.1)
    assert not recipe.character.is_another


def test_the_prepared_body_weighs_what_it_is_and_carries(tmp_path: Path) -> None:
    plain = subject(written(tmp_path, "{}"))
    heavy = subject(written(tmp_path, f"{{heavier: {{trunk: 2}}, carries: [{ROCK}]}}"))
    before, after = plain.character.body, heavy.character.body
    assert before is not None and after is not None
    skeleton, roles = plain.clip.skeleton, plain.character.roles
    assert roles is not None
    wrist = skeleton.index(roles.joint("left_wrist"))
    pelvis, head = (skeleton.index(roles.joint(role)) for role in ("pelvis", "head"))
    assert after.masses_kg[wrist] == pytest.approx(before.masses_kg[wrist] + 8.0)
    assert after.masses_kg[pelvis] == pytest.approx(2.0 * before.masses_kg[pelvis])
    assert after.masses_kg[head] == pytest.approx(before.masses_kg[head])
    said = " ".join(heavy.notes)
    assert "trunk × 2" in said and "Carries rock: 8 kg on left_wrist." in said
    assert (heavy.clip.rotations_wxyz == plain.clip.rotations_wxyz).all()


def test_what_is_carried_is_a_point_for_constraints(tmp_path: Path) -> None:
    held = (
        "        - hold_point: {name: rock up, point: rock, mode: offset,"
        " place_m: [0, 0.05, 0], frames: [10, 30], ease: [5, 5]}\n"
    )
    recipe = written(tmp_path, f"{{carries: [{ROCK}]}}", more=held)
    prepared = subject(recipe)
    outcome = run_prepared(recipe, prepared)
    assert outcome.converged
    sites = prepared.character.sites
    heights = [
        site_positions(forward_kinematics(clip.skeleton, *clip.pose), sites)[
            :, sites.index("rock"), 1
        ]
        for clip in (prepared.clip, outcome.clip)
    ]
    np.testing.assert_allclose((heights[1] - heights[0])[15:26], 0.05, atol=2e-4)


@pytest.mark.parametrize("character", ["{heavier: {trunk: 4}}", f"{{carries: [{ROCK}]}}"])
def test_contacts_are_those_of_the_body_without_its_burden(tmp_path: Path, character: str) -> None:
    plain = subject(written(tmp_path, "{}"))
    assert plain.contacts is None
    prepared = subject(written(tmp_path, character))
    assert prepared.contacts is not None
    found = detect_contacts(plain.clip, plain.character, plain.environment)
    assert prepared.contacts.parts == found.parts
    assert (prepared.contacts.touching == found.touching).all()
    assert found.touching.any() and not found.touching.all()


def test_contacts_reach_the_result(tmp_path: Path) -> None:
    recipe = written(tmp_path, "{heavier: {trunk: 2}}")
    prepared = subject(recipe)
    assert run_prepared(recipe, prepared).result.contacts is prepared.contacts


def test_a_body_of_other_proportions_may_carry_something_too(tmp_path: Path) -> None:
    prepared = subject(
        written(tmp_path, f"{{limbs: 0.9, heavier: {{head: 2}}, carries: [{ROCK}]}}")
    )
    assert prepared.moved_from is not None
    assert prepared.contacts is prepared.moved_from.contacts
    assert "rock" in prepared.character.sites.names
    assert "rock" not in prepared.moved_from.character.sites.names


@pytest.mark.parametrize(
    ("character", "message"),
    [
        ("{heavier: {trunk: 0}}", "mass factor of trunk must be more than 0"),
        ("{heavier: {trunk: -2}}", "mass factor of trunk must be more than 0"),
        ("{heavier: {trunk: 1000}}", "mass factor of trunk must be .*at most 100"),
        ("{heavier: {trunk: .nan}}", "finite number, found '.nan'"),
        ("{heavier: {trunk: twice}}", "twice"),
        ("{heavier: 2}", "heavier"),
        ("{carries: [{name: rock, on: left_wrist}]}", "mass_kg"),
        ("{carries: [{name: rock, on: left_wrist, mass_kg: 8, place_m: [0, 1]}]}", "place_m"),
        ("{carries: [{name: rock, on: left_wrist, mass_kg: heavy}]}", "heavy"),
        ("{carries: [{name: rock, on: left_wrist, mass: 8}]}", "mass"),
        ("{carries: {name: rock, on: left_wrist, mass_kg: 8}}", "carries"),
    ],
)
def test_bad_values_are_refused_at_their_place_when_the_recipe_is_read(
    tmp_path: Path, character: str, message: str
) -> None:
    with pytest.raises(RecipeProblem, match=rf"r\.yaml:3:\d+: .*{message}"):
        written(tmp_path, character)


@pytest.mark.parametrize(
    ("character", "message"),
    [
        ("{heavier: {torso: 2}}", "torso.*trunk"),
        ("{carries: [{name: rock, on: left_rist, mass_kg: 8}]}", "left_rist.*left_wrist"),
        ("{carries: [{name: rock, on: left_wrist, mass_kg: -8}]}", "mass_kg of rock"),
        ("{carries: [{name: rock, on: left_wrist, mass_kg: .inf}]}", "finite number, found '.inf'"),
        ("{carries: [{name: rock, on: left_wrist, mass_kg: 8, radius_m: -1}]}", "radius_m of rock"),
        ("{carries: [{name: head_top, on: left_wrist, mass_kg: 8}]}", "head_top"),
        (f"{{carries: [{ROCK}, {ROCK}]}}", "rock"),
        ("{carries: [{name: '', on: left_wrist, mass_kg: 8}]}", "name"),
    ],
)
def test_what_does_not_fit_the_body_is_refused_at_its_place(
    tmp_path: Path, character: str, message: str
) -> None:
    with pytest.raises(RecipeProblem, match=rf"r\.yaml:3:\d+: .*{message}"):
        subject(written(tmp_path, character))


@needs_mocap
def test_a_heavy_trunk_on_a_real_walk_stands_on_the_same_ground(tmp_path: Path) -> None:
    clip = MOCAP / "cmu" / "02_01.bvh"
    prepared = [
        subject(written(tmp_path, character), clip) for character in ("{}", "{heavier: {trunk: 3}}")
    ]
    found = detect_contacts(prepared[0].clip, prepared[0].character, prepared[0].environment)
    assert prepared[1].contacts is not None
    assert (prepared[1].contacts.touching == found.touching).all()
