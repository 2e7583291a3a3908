"""Steps of `correct` in recipes: presets, known contacts, other builds, other ground."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from poise.contact import ContactSchedule, write_contacts
from poise.job import (
    Change,
    Recipe,
    RecipeProblem,
    edit_of,
    load_recipe,
    recipe_from_text,
    recipe_schema,
    recipe_text,
    run_prepared,
    run_recipe,
    subject,
    vocabulary,
)
from poise.mechanics import forward_kinematics
from poise.methods import Progress
from poise.methods.correct import PRESETS, Settings, settings_for
from poise.samples import walk, walking, with_t_pose

QUICK = "samples: 4, sampling_iterations: 3, iterations: 8"
CLIP = "{sample: walk, rate_hz: 30, frames: [0, 239]}"
"""Two seconds of it."""


def written(folder: Path, step: str = f"{{settings: {{{QUICK}}}}}", *lines: str) -> Path:
    path = folder / "r.yaml"
    clip = "" if any(line.startswith("clip:") for line in lines) else f"clip: {CLIP}\n"
    text = "poise: 1\n" + clip + "\n".join([*lines, f"steps:\n  - correct: {step}\n"])
    path.write_text(text, encoding="utf-8")
    return path


def settings_of(text: str) -> Settings:
    recipe = recipe_from_text(f"poise: 1\nsteps:\n  - correct: {text}\n")
    return recipe.steps[0].settings


def test_settings_left_alone_take_the_values_of_the_preset() -> None:
    assert settings_of("") == settings_of("{}") == Settings()
    for preset in PRESETS:
        assert settings_of(f"{{settings: {{preset: {preset}}}}}") == settings_for(preset)
    mine = settings_of("{settings: {preset: seat, samples: 7, largest_force_n: 200}}")
    assert mine == settings_for("seat", samples=7, largest_force_n=200.0)
    assert mine.candidates == PRESETS["seat"]["candidates"]


@pytest.mark.parametrize(
    "text",
    [
        "{settings: {preset: run}}",
        "{settings: {preset: run, largest_force_n: 200.0}}",  # what it is without a preset
        "{settings: {preset: floor, candidates: [left_toe, right_toe], spheres: {chest: 0.2}}}",
        "{settings: {extra_edges: [[left_hand, right_hand]]}, contacts: touches.csv}",
    ],
)
def test_a_written_step_is_read_back(text: str) -> None:
    recipe = recipe_from_text(f"poise: 1\nsteps:\n  - correct: {text}\n")
    again = recipe_text(recipe)
    assert recipe_from_text(again) == recipe
    assert "candidates" in again or "floor" not in text


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("{settings: {preset: wlk}}",
         r"expected 'auto', .* or 'seat' for preset .*, found 'wlk'\. Did you mean 'walk'\?"),
        ("{settings: {candidates: [left_tow]}}", r"'left_tow'\. Did you mean 'left_toe'\?"),
        ("{settings: {candidates: [head, head]}}", "candidates must be different parts"),
        ("{settings: {preset: run, samples: 0}}", "samples must be a whole number"),
        ("{settings: {spheres: {chest: -1.0}}}", "spheres .chest. must be zero or more"),
        ("{constraints: [plant: {name: f, part: left_foot, frames: all}]}",
         "expected no constraints in correct, found a list of 1. Other methods take them."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_step_is_said_at_its_place(step: str, said: str) -> None:
    with pytest.raises(RecipeProblem, match=rf"recipe\.yaml:3:\d+: .*{said}"):
        recipe_from_text(f"poise: 1\nsteps:\n  - correct: {step}\n")


def test_editors_are_told_that_it_takes_no_constraints() -> None:
    kinds = recipe_schema()["$defs"]
    assert set(kinds["CorrectStep"]["properties"]) == {"settings", "contacts"}
    assert set(kinds["DeformStep"]["properties"]) == {"settings", "constraints", "contacts"}


def test_a_change_is_blamed_on_what_the_user_wrote(tmp_path: Path) -> None:
    changes = [Change(("correct", "settings", "preset"), "flor", "--preset flor")]
    with pytest.raises(RecipeProblem, match=r"^--preset flor: .*found 'flor'.* mean 'floor'"):
        load_recipe(written(tmp_path, ""), changes=changes)
    recipe = load_recipe(written(tmp_path, ""), changes=["correct.settings.samples=9"])
    assert recipe.steps[0].settings.samples == 9


def test_a_recipe_corrects_and_tells_how_far_it_is(tmp_path: Path) -> None:
    told: list[Progress] = []
    outcome = run_recipe(load_recipe(written(tmp_path)), progress=told.append)
    assert outcome.clip.frame_count == 60 and outcome.result.contacts is not None
    assert outcome.start is outcome.prepared.clip
    assert list(dict.fromkeys(each.stage for each in told)) == ["contacts", "angles"]
    (preview,) = (each.preview for each in told if each.preview is not None)
    assert preview.frame_count == 60


def schedule(frames: int, rate_hz: float) -> ContactSchedule:
    """The left foot down in the middle half, the right one always."""
    touching = np.ones((frames, 2), dtype=np.bool_)
    touching[:, 0] = np.abs(np.arange(frames) / (frames - 1) - 0.5) < 0.25
    return ContactSchedule(("left_foot", "right_foot"), touching, rate_hz)


def known(recipe: Recipe) -> ContactSchedule:
    """The contacts that the step is handed."""
    prepared = subject(recipe)
    found = edit_of(recipe, 0, prepared, prepared.clip, vocabulary()).contacts
    assert found is not None
    assert found.frame_count == prepared.clip.frame_count
    assert found.rate_hz == prepared.clip.rate_hz
    return found


def test_contacts_of_a_file_are_kept_to(tmp_path: Path) -> None:
    first = run_recipe(load_recipe(written(tmp_path)))
    assert first.result.contacts is not None
    write_contacts(first.result.contacts, tmp_path / "touches.csv")
    path = written(tmp_path, f"{{settings: {{{QUICK}}}, contacts: touches.csv}}")
    again = run_recipe(load_recipe(path)).result
    assert again.contacts is not None and again.report.discovered is None
    np.testing.assert_array_equal(again.contacts.touching, first.result.contacts.touching)


def test_contacts_of_another_rate_or_of_the_whole_file_are_cut_to_the_clip(tmp_path: Path) -> None:
    recipe = load_recipe(written(tmp_path, "{contacts: touches.json}"))
    wanted = schedule(60, 30.0).touching
    for frames, rate_hz in ((60, 30.0), (237, 120.0)):
        write_contacts(schedule(frames, rate_hz), tmp_path / "touches.json")
        found = known(recipe).touching
        assert (found != wanted).sum() <= 2
    # A row for each of the 481 frames of the sample, of which the clip has the first 240.
    whole = schedule(481, 120.0)
    write_contacts(whole, tmp_path / "touches.json")
    np.testing.assert_array_equal(known(recipe).touching, whole.touching[:240:4], strict=True)


def test_a_t_pose_that_is_left_out_takes_its_row_along(tmp_path: Path) -> None:
    poise.save(with_t_pose(walk(1.0, 30.0)), tmp_path / "walk.bvh")
    recipe = load_recipe(written(tmp_path, "{contacts: touches.csv}", "clip: walk.bvh"))
    of_file = schedule(32, 30.0)
    write_contacts(of_file, tmp_path / "touches.csv")
    np.testing.assert_array_equal(known(recipe).touching, of_file.touching[1:])


def test_where_a_part_slides_is_kept_too(tmp_path: Path) -> None:
    slow = schedule(60, 30.0)
    sliding = slow.touching & np.array([True, False])
    write_contacts(ContactSchedule(slow.parts, slow.touching, 30.0, sliding), tmp_path / "t.csv")
    found = known(load_recipe(written(tmp_path, "{contacts: t.csv}")))
    np.testing.assert_array_equal(found.sliding, sliding)


def test_contacts_of_another_length_are_refused(tmp_path: Path) -> None:
    recipe = load_recipe(written(tmp_path, "{contacts: touches.csv}"))
    write_contacts(schedule(50, 30.0), tmp_path / "touches.csv")
    with pytest.raises(
        RecipeProblem,
        match=r"r\.yaml:4:\d+: contacts of touches\.csv must be 60 frames like the clip "
        r"\(or 481 like its file\), got 50",
    ):
        run_recipe(recipe)
    (tmp_path / "touches.csv").unlink()
    with pytest.raises(RecipeProblem, match=r"r\.yaml:4:\d+: .*touches\.csv: expected an existing"):
        run_recipe(recipe)


def test_arms_and_legs_make_another_build_whose_steps_suit_its_legs(tmp_path: Path) -> None:
    body = "character: {arms: 1.5, legs: 0.8}"
    recipe = load_recipe(written(tmp_path, f"{{settings: {{{QUICK}}}}}", body))
    prepared = subject(recipe)
    source = prepared.moved_from
    assert source is not None and prepared.contacts is source.contacts
    np.testing.assert_array_equal(prepared.clip.rotations_wxyz, source.clip.rotations_wxyz)
    way, before = (np.ptp(c.root_positions_m[:, 2]) for c in (prepared.clip, source.clip))
    assert way == pytest.approx(0.8 * before, rel=1e-6)
    assert any("arms × 1.5, legs × 0.8" in note for note in prepared.notes)
    outcome = run_prepared(recipe, prepared)
    assert outcome.clip.skeleton is prepared.character.skeleton
    assert outcome.start is source.clip
    with pytest.raises(RecipeProblem, match=r"arms times limbs must be a factor from 0\.2 to 5"):
        load_recipe(written(tmp_path, "", "character: {arms: 3.0, limbs: 2.0}"))


def test_other_arms_are_for_other_methods_too(tmp_path: Path) -> None:
    text = f"poise: 1\nclip: {CLIP}\ncharacter: {{arms: 1.3}}\nsteps:\n  - filter:\n"
    prepared = subject(recipe_from_text(text, path=tmp_path / "r.yaml"))
    skeleton = prepared.clip.skeleton
    assert prepared.moved_from is not None
    own = prepared.moved_from.clip.skeleton
    longer = np.linalg.norm(skeleton.offsets_m, axis=1) / np.linalg.norm(own.offsets_m, axis=1)
    assert longer[skeleton.index("LeftForeArm")] == pytest.approx(1.3)
    assert longer[skeleton.index("LeftLeg")] == pytest.approx(1.0)


def test_a_file_that_lies_about_its_rate_is_put_right(tmp_path: Path) -> None:
    poise.save(walk(1.0, 60.0), tmp_path / "walk.bvh")
    clip = "clip: {file: walk.bvh, capture_rate_hz: 30}"
    prepared = subject(load_recipe(written(tmp_path, "", clip)))
    assert prepared.clip.rate_hz == 30.0 and prepared.clip.frame_count == 61
    said = "captured at 30 Hz, though the file says 60 Hz"
    assert said in prepared.notes and said in prepared.clip.history
    poise.save(prepared.clip, tmp_path / "again.bvh")
    assert poise.load(tmp_path / "again.bvh").rate_hz == 30.0


HILL = """environment:
  height_field:
    origin_m: [-10.0, -1.0]
    spacing_m: [20.0, 1.0]
    heights_m: [[0.0, 0.05, 0.1, 0.15, 0.2, 0.25], [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]]"""


def test_a_level_walk_is_draped_over_a_hill(tmp_path: Path) -> None:
    step = f"{{settings: {{{QUICK}, drape: true}}}}"
    outcome = run_recipe(load_recipe(written(tmp_path, step, HILL)))
    level, start = outcome.prepared.clip, outcome.start
    rise = start.root_positions_m[:, 1] - level.root_positions_m[:, 1]
    np.testing.assert_allclose(rise, 0.05 * (1.0 + level.root_positions_m[:, 2]), atol=0.01)
    assert np.abs(outcome.clip.root_positions_m - start.root_positions_m).max() < 0.05
    flat = run_recipe(load_recipe(written(tmp_path))).result.contacts
    found = outcome.result.contacts
    assert flat is not None and found is not None
    assert (flat.touching == found.touching).mean() > 0.95


def test_spheres_keep_flesh_out_of_the_ground(tmp_path: Path) -> None:
    deep = walking(1.0, 30.0).clip
    step = f"{{settings: {{{QUICK}, spheres: {{left_wrist: 1.2}}}}}}"
    place = "environment: {ground: {height_m: 0.0}}"
    plain = run_recipe(
        load_recipe(written(tmp_path, f"{{settings: {{{QUICK}}}}}", place)), clip=deep
    )
    round_ = run_recipe(load_recipe(written(tmp_path, step, place)), clip=deep)
    heights = [_wrist_m(each.clip)[:, 1].mean() for each in (plain, round_)]
    assert heights[1] > heights[0] + 0.02


def _wrist_m(clip: poise.Clip) -> np.ndarray:
    wrist = clip.skeleton.index("LeftHand")
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m[:, wrist]
