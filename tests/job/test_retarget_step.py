"""`retarget` as the first step of a recipe: later ones work on the other body."""

from __future__ import annotations

from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poise
from poise import job
from poise.apps.cli.options import usual_recipe
from poise.apps.cli.retarget import changes_for
from poise.apps.report.build import report_html
from poise.character import complete_character, with_proportions, with_ranges
from poise.contact import estimate_ground
from poise.environment import Environment
from poise.errors import BadValue
from poise.job import (
    CharacterChoice,
    ConstraintSpec,
    Recipe,
    RecipeProblem,
    Step,
    evaluation_of,
    load_recipe,
    recipe_from_text,
    recipe_schema,
    recipe_text,
    run_prepared,
    run_recipe,
    subject,
)
from poise.mechanics import forward_kinematics
from poise.methods import Edit, retarget
from poise.methods.retarget import Settings, Stage
from poise.motion import Clip
from poise.samples import sample_character, walking
from tests.shared_data import ROBOTS, needs_robots

G1 = ROBOTS / "unitree_g1" / "g1_nomesh.xml"
WALK = walking(seconds=1.2, rate_hz=30.0).clip
POSES = "retarget: {settings: {balance: false}}"
LIFTED = (
    "deform: {constraints: [{hold_point: {name: hand, point: left_wrist, mode: offset, "
    "place_m: [0, 0.05, 0], frames: [5, 25], ease: 5, recruit: {up_to: left_shoulder}}}]}"
)


def read(folder: Path, *steps: str, character: str = "{to: small.npz}") -> Recipe:
    listed = "".join(f"  - {step}\n" for step in steps)
    text = f"poise: 1\nclip: walk.npz\ncharacter: {character}\nsteps:\n{listed}"
    (folder / "r.yaml").write_text(text, encoding="utf-8")
    return load_recipe(folder / "r.yaml")


def places(clip: Clip) -> np.ndarray:
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A walk, and a body of other bones and other names."""
    made = tmp_path_factory.mktemp("retargeted")
    poise.save(WALK, made / "walk.npz")
    bones = with_proportions(sample_character(), limbs=0.8).skeleton
    names = tuple(f"mixamorig:{name}" for name in bones.joint_names)
    bones = replace(bones, joint_names=names)
    still = Clip(bones, 30.0, WALK.root_positions_m[:3], WALK.rotations_wxyz[:3])
    poise.save(still, made / "small.npz")
    return made


def test_it_gives_what_the_method_gives(folder: Path) -> None:
    outcome = run_recipe(read(folder, POSES))
    source = complete_character(WALK.skeleton)
    target = with_ranges(complete_character(poise.load(folder / "small.npz").skeleton))
    place = Environment((estimate_ground(WALK, source)[0],))
    edit = Edit(WALK, source, environment=place, target=target)
    made = retarget.run(edit, Settings(balance=False))
    np.testing.assert_array_equal(outcome.clip.rotations_wxyz, made.clip.rotations_wxyz)
    np.testing.assert_array_equal(outcome.clip.root_positions_m, made.clip.root_positions_m)
    assert outcome.result.status == made.status
    assert outcome.result.contacts is not None and made.contacts is not None
    np.testing.assert_array_equal(outcome.result.contacts.touching, made.contacts.touching)
    assert "times as far" in " ".join(outcome.notes)
    assert outcome.result.summary.endswith(".") and "\n" not in outcome.result.summary


def test_before_the_step_all_is_of_the_clips_own_body(folder: Path) -> None:
    recipe = read(folder, POSES)
    prepared = subject(recipe)
    assert prepared.clip.skeleton is prepared.character.skeleton
    assert prepared.moved_from is None and prepared.target is not None
    np.testing.assert_array_equal(prepared.clip.rotations_wxyz, WALK.rotations_wxyz)
    outcome = run_prepared(recipe, prepared)
    assert outcome.prepared.character is prepared.target
    assert outcome.clip.skeleton is prepared.target.skeleton
    assert outcome.start is prepared.clip


def test_later_steps_work_on_the_other_body(folder: Path) -> None:
    plain = run_recipe(read(folder, POSES))
    outcome = run_recipe(read(folder, POSES, LIFTED))
    first, last = outcome.results
    np.testing.assert_array_equal(first.clip.rotations_wxyz, plain.clip.rotations_wxyz)
    assert last.status == "converged", last.summary
    hand = last.clip.skeleton.index("mixamorig:LeftHand")
    raised = (places(last.clip) - places(first.clip))[:, hand]
    np.testing.assert_allclose(raised[12:18], [[0.0, 0.05, 0.0]] * 6, atol=1e-3)
    np.testing.assert_allclose(raised[0], 0.0, atol=1e-9)


def test_it_is_measured_and_reported(folder: Path) -> None:
    outcome = run_recipe(read(folder, POSES))
    found = evaluation_of(outcome)
    assert found.series.clip is outcome.clip and found.original is not None
    assert found.original.clip is outcome.start
    stage = outcome.result.report.stages[-1]
    assert found.value("foot_slide.mean") == pytest.approx(stage.residuals.slide_cm_s)
    assert "<html" in report_html(found, "walk")


def test_the_place_has_the_size_of_the_body(folder: Path) -> None:
    hill = {
        "origin_m": (-10.0, -9.0),
        "spacing_m": (20.0, 18.0),
        "heights_m": ((0.0, 0.0), (0.0, 0.0)),
    }
    recipe = replace(read(folder, POSES), environment={"height_field": hill})
    outcome = run_recipe(recipe)
    before, after = subject(recipe).environment, outcome.prepared.environment
    scale = outcome.result.report.scale
    sizes = [np.asarray(vars(each.surfaces[0])["spacing_m"]) for each in (before, after)]
    assert scale < 0.9
    np.testing.assert_allclose(sizes[1], scale * sizes[0])


def test_the_body_may_weigh_and_carry_what_the_recipe_says(folder: Path) -> None:
    load = "[{name: rock, on: left_wrist, mass_kg: 8}]"
    recipe = read(folder, POSES, character=f"{{to: small.npz, mass_kg: 40, carries: {load}}}")
    prepared = subject(recipe)
    assert prepared.target is not None
    own, other = prepared.character.body, prepared.target.body
    assert own is not None and other is not None
    assert other.total_mass_kg == pytest.approx(48.0)
    assert own.total_mass_kg > 60.0 and "rock" not in prepared.character.sites.names
    assert "Carries rock: 8 kg on left_wrist." in prepared.notes


def test_a_body_without_hinges_may_be_of_another_build(folder: Path) -> None:
    recipe = read(folder, POSES, character="{to: small.npz, legs: 1.25}")
    target = subject(recipe).target
    assert target is not None
    foot = target.skeleton.index("mixamorig:LeftFoot")
    shank = np.linalg.norm(target.skeleton.offsets_m, axis=1)[foot]
    own = np.linalg.norm(WALK.skeleton.offsets_m, axis=1)[WALK.skeleton.index("LeftFoot")]
    assert shank == pytest.approx(1.25 * 0.8 * own)


def test_ranges_are_as_asked(folder: Path) -> None:
    usual = subject(read(folder, POSES)).target
    free = subject(read(folder, POSES, character="{to: small.npz, ranges: none}")).target
    assert usual is not None and usual.ranges is not None
    assert free is not None and free.ranges is None


def test_a_mapping_is_read_beside_the_recipe(folder: Path) -> None:
    (folder / "map.yaml").write_text('"mixamorig:Head": Neck\n', encoding="utf-8")
    recipe = read(folder, POSES, character="{to: small.npz, mapping: map.yaml}")
    prepared = subject(recipe)
    assert prepared.target is not None and prepared.mapping == {"mixamorig:Head": "Neck"}
    matches = run_prepared(recipe, prepared).result.report.correspondence
    head = prepared.target.skeleton.index("mixamorig:Head")
    assert matches.reasons[head] == "given"
    assert matches.sources[head, 0] == WALK.skeleton.index("Neck")


@pytest.mark.parametrize(
    ("steps", "character", "said"),
    [
        ((LIFTED, POSES), "{to: small.npz}", r":6:5: expected retarget as the first step, found i"),
        ((POSES, POSES), "{to: small.npz}", r":6:5: expected retarget as the first step.*step 2"),
        ((POSES,), "{mass_kg: 60}", r":5:5: expected 'to' in character for retarget, found none"),
        ((POSES,), "{legs: 0.8}", r":5:5: expected 'to' in character for retarget, found none"),
        ((LIFTED,), "{to: small.npz, mapping: map.yaml}", r":3:28: expected no mapping where"),
        ((LIFTED,), "{mapping: map.yaml}", r":3:13: expected no mapping where the first step is"),
        (("retarget: {contacts: c.csv}",), "{to: small.npz}", r":5:16: expected a key of retarget"),
        (
            ("retarget: {constraints: [{gravity: {name: g, gravity_m_s2: 1}}]}",),
            "{to: small.npz}",
            r":5:16: expected no constraints in retarget",
        ),
        (
            ("retarget: {settings: {scale: 0}}",),
            "{to: small.npz}",
            r":5:34: scale must be",
        ),
        (("retarget: {settings: {torqe: true}}",), "{to: small.npz}", r"Did you mean 'torque'"),
    ],
)
def test_what_cannot_be_is_refused_where_it_stands(
    folder: Path, steps: tuple[str, ...], character: str, said: str
) -> None:
    with pytest.raises(RecipeProblem, match=rf"r\.yaml{said}" if said[0] == ":" else said):
        read(folder, *steps, character=character)


@pytest.mark.parametrize(
    ("character", "said"),
    [
        ("{to: none.xml}", r"r\.yaml:3:17: .*none\.xml: expected an existing file"),
        ("{to: small.npz, mapping: no.yaml}", r"r\.yaml:3:37: .*no\.yaml: expected an existing"),
        ("{to: small.npz, mapping: list.yaml}", r"r\.yaml:3:37: .*joints of the target"),
        ("{to: small.npz, mapping: nek.yaml}", r"r\.yaml:3:37: .*'Nek'.*Did you mean 'Neck'"),
    ],
)
def test_what_files_lack_is_said_where_they_are_named(
    folder: Path, character: str, said: str
) -> None:
    (folder / "list.yaml").write_text("[1, 2]", encoding="utf-8")
    (folder / "nek.yaml").write_text('"mixamorig:Head": Nek', encoding="utf-8")
    with pytest.raises(RecipeProblem, match=said):
        subject(read(folder, POSES, character=character))


def test_recipes_made_in_python_are_held_to_the_same(folder: Path) -> None:
    step, other = Step("retarget", Settings()), Step("deform", None)
    body = CharacterChoice(to="small.npz")
    with pytest.raises(BadValue, match="steps must be retarget first"):
        Recipe([other, step], character=body)
    with pytest.raises(BadValue, match="to must be given"):
        Recipe([step])
    with pytest.raises(BadValue, match="mapping must be given only where retarget"):
        Recipe([other], character=CharacterChoice(mapping="map.yaml"))
    place = {"name": "hand", "point": "left_wrist", "place_m": (0.0, 1.0, 0.0), "frames": (0, 5)}
    wish = ConstraintSpec("hold_point", place)
    recipe = Recipe([replace(step, constraints=[wish])], character=body, folder=folder)
    with pytest.raises(RecipeProblem, match="'hand' must be left out: this method takes no"):
        run_recipe(recipe, clip=WALK)


def test_a_stage_that_does_not_get_there_is_how_it_ends(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module("poise.methods.retarget.run")
    usual = module.physics_stage

    def vain(*others: Any) -> Stage:
        return replace(usual(*others), status="infeasible", summary="No.")

    monkeypatch.setattr(module, "physics_stage", vain)
    outcome = run_recipe(read(folder, "retarget: {}"))
    assert not outcome.converged
    assert (outcome.result.status, outcome.result.summary) == ("infeasible", "physics: No.")


def test_who_watches_is_told_the_stages(folder: Path) -> None:
    told: list[Any] = []
    run_recipe(read(folder, "retarget: {settings: {torque: false}}"), progress=told.append)
    assert [each.stage for each in told] == ["kinematic", "physics"]


def test_it_is_written_as_it_is_read_and_stands_in_the_schema(folder: Path) -> None:
    recipe = read(folder, POSES, LIFTED, character="{to: small.npz, mapping: map.yaml}")
    assert recipe_from_text(recipe_text(recipe)) == recipe
    schema = recipe_schema()["$defs"]
    assert set(schema["RetargetStep"]["properties"]) == {"settings"}
    settings = schema["Step"]["properties"]["retarget"]
    assert "RetargetStep" in str(settings)
    known = [set(each.get("properties", ())) for each in schema.values()]
    assert {field.name for field in fields(Settings)} in known


def test_the_recipe_of_the_command_has_the_usual_settings(folder: Path) -> None:
    usual = load_recipe(usual_recipe("retarget_clip"), changes=changes_for(folder / "small.npz"))
    assert usual.steps[0].settings == Settings()
    with pytest.raises(RecipeProblem, match="'to' in character for retarget"):
        load_recipe(Path(job.__file__).with_name("retarget_clip.yaml"))


@needs_robots
def test_a_robot_walks_and_then_lifts_its_hand(folder: Path) -> None:
    pytest.importorskip("mujoco")
    robot = f"{{to: '{G1}'}}"
    physics = "retarget: {settings: {torque: false}}"
    outcome = run_recipe(read(folder, physics, LIFTED, character=robot))
    assert outcome.converged, [result.summary for result in outcome.results]
    skeleton = outcome.prepared.character.skeleton
    assert "hinge" in skeleton.kinds and outcome.clip.skeleton is skeleton
    found = evaluation_of(outcome)
    assert found.value("foot_slide.mean") < 0.5 and found.value("zmp_excursion.mean") < 0.5
    with pytest.raises(RecipeProblem, match=r"r\.yaml:3:\d+: legs must be 1 for a robot"):
        subject(read(folder, POSES, character=f"{{to: '{G1}', legs: 0.8}}"))
