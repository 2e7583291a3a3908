"""Recipes that put the motion on another body; the paper's dancing experiment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from poise.arrays import Array
from poise.character import Character, Skeleton, with_proportions
from poise.job import Recipe, RecipeProblem, load_recipe, run_prepared, subject
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from poise.samples import sample_character, walk
from tests.shared_data import MOCAP, needs_mocap

RECIPES = Path(__file__).resolve().parents[2] / "examples" / "recipes" / "filter"
FEET = """
steps:
  - filter:
      settings: {updates: 4}
      constraints:
        - plant: {name: left foot, part: left_foot, mode: follow, frames: all}
        - plant: {name: right foot, part: right_foot, mode: follow, frames: all}
"""


def written(folder: Path, character: str, clip: str = "{sample: walk, rate_hz: 30}") -> Recipe:
    path = folder / "r.yaml"
    path.write_text(f"poise: 1\nclip: {clip}\ncharacter: {character}{FEET}", encoding="utf-8")
    return load_recipe(path)


def ankles_m(clip: Clip, character: Character) -> Array:
    assert character.roles is not None
    joints = [clip.skeleton.index(character.roles.joint(f"{s}_ankle")) for s in ("left", "right")]
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m[:, joints]


def test_constraints_speak_of_the_clip_on_its_own_body(tmp_path: Path) -> None:
    recipe = written(tmp_path, "{limbs: 0.8, trunk: 1.25}")
    prepared = subject(recipe)
    source = prepared.moved_from
    assert source is not None
    outcome = run_prepared(recipe, prepared)
    assert outcome.converged
    wanted = ankles_m(source.clip, source.character)
    assert np.abs(ankles_m(prepared.clip, prepared.character) - wanted).max() > 0.03
    np.testing.assert_allclose(ankles_m(outcome.clip, prepared.character), wanted, atol=1e-4)
    assert outcome.result.contacts is source.contacts
    said = " ".join(outcome.notes)
    assert "cm lower" in said and "limbs × 0.8, trunk × 1.25" in said


def test_a_file_gives_the_body_and_the_mass_is_its_own(tmp_path: Path) -> None:
    small = with_proportions(sample_character(), limbs=0.9)
    still = walk(seconds=0.1)
    other = Clip(small.skeleton, 30.0, still.root_positions_m, still.rotations_wxyz)
    poise.save(other, tmp_path / "small.npz")
    prepared = subject(written(tmp_path, "{to: small.npz, mass_kg: 40}"))
    np.testing.assert_allclose(prepared.clip.skeleton.offsets_m, small.skeleton.offsets_m)
    assert prepared.character.body is not None and prepared.moved_from is not None
    assert prepared.character.body.total_mass_kg == pytest.approx(40.0)
    source = prepared.moved_from.character.body
    assert source is not None and source.total_mass_kg != pytest.approx(40.0)


def test_without_a_word_about_it_the_body_is_the_clips_own(tmp_path: Path) -> None:
    assert subject(written(tmp_path, "{mass_kg: 60}")).moved_from is None
    assert subject(written(tmp_path, "{limbs: 1.0}")).moved_from is None


def test_what_is_wrong_with_a_body_is_said_at_its_place(tmp_path: Path) -> None:
    with pytest.raises(RecipeProblem, match=r"r\.yaml:3:\d+: limbs must be a factor from 0\.2"):
        written(tmp_path, "{limbs: 0}")
    with pytest.raises(RecipeProblem, match=r"r\.yaml:3:\d+: .*none\.bvh"):
        subject(written(tmp_path, "{to: none.bvh}"))


def test_a_clip_on_another_body_is_written_and_read_with_its_bones(tmp_path: Path) -> None:
    poise.save(walk(seconds=1.0), tmp_path / "walk.bvh")
    recipe = written(tmp_path, "{limbs: 1.2}", clip="walk.bvh")
    outcome = run_prepared(recipe, subject(recipe))
    poise.save(outcome.clip, tmp_path / "out.bvh")
    again = poise.load(tmp_path / "out.bvh")
    states = (forward_kinematics(c.skeleton, *c.pose) for c in (again, outcome.clip))
    mine, wanted = (state.positions_m for state in states)
    np.testing.assert_allclose(mine, wanted, atol=1e-4)


@needs_mocap
def test_a_thorax_that_the_clip_got_back_the_other_body_gets_back(tmp_path: Path) -> None:
    clip, other = (MOCAP / "cmu" / f"{name}.bvh" for name in ("61_03", "13_11"))
    recipe = written(tmp_path, f"{{to: '{other}'}}", f"{{file: '{clip}', frames: [0, 100]}}")
    prepared = subject(recipe)
    skeleton = prepared.clip.skeleton
    assert np.linalg.norm(skeleton.offsets_m[skeleton.index("Neck")]) > 0.05
    assert run_prepared(recipe, prepared).converged


@needs_mocap
@pytest.mark.parametrize("build", ["short", "long"])
def test_the_dance_keeps_its_feet_and_its_calm(build: str) -> None:
    recipe = load_recipe(RECIPES / f"dancing_{build}_limbs.yaml")
    clip = MOCAP / "cmu" / "05_02.bvh"
    prepared = subject(recipe, clip)
    source = prepared.moved_from
    assert source is not None and source.clip.frame_count >= 660
    outcome = run_prepared(recipe, prepared)
    missed = ankles_m(outcome.clip, prepared.character) - ankles_m(source.clip, source.character)
    assert outcome.converged and np.abs(missed).max() < 0.002
    found = evaluate(
        outcome.clip, prepared.character, prepared.environment, source.contacts,
        against=source.clip, against_character=source.character, input_contacts=source.contacts,
    )  # fmt: skip
    before = evaluate(source.clip, source.character, prepared.environment, source.contacts)
    assert found.value("jitter.ratio") < 1.1  # longer limbs go further in the same time
    assert found.value("likeness.rotation") < 2.0
    assert found.value("foot_slide.mean") == pytest.approx(before.value("foot_slide.mean"), 1e-3)


def test_a_body_that_cannot_be_recognised_is_said(tmp_path: Path) -> None:
    stick = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0.0, 1, 0]]))
    turns = np.tile([1.0, 0, 0, 0], (3, 2, 1))
    poise.save(Clip(stick, 30.0, np.zeros((3, 3)), turns), tmp_path / "stick.npz")
    with pytest.raises(RecipeProblem, match=r"r\.yaml:3:17: .*stick\.npz: expected a body"):
        subject(written(tmp_path, "{to: stick.npz}"))
