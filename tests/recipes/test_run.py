"""Recipes that run: what is prepared, what the steps get, and what is said when it fails."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from poise.apps.inspection import MUST_BE_CLEANED as CLEANED_BY_MEASURING
from poise.errors import FileProblem
from poise.motion import Clip
from poise.recipes import Recipe, RecipeProblem, Step, Wish, load_recipe, prepare, run_recipe
from poise.recipes.prepare import MUST_BE_CLEANED
from poise.recipes.run import edit_of
from poise.samples import walk, with_dropped_frames, with_t_pose
from tests.job.fakes import WORDS, Settings

FOOT = "plant: {name: foot, part: left_foot, frames: [10, 20]}"


def written(folder: Path, *lines: str, **files: str) -> Recipe:
    (folder / "r.yaml").write_text("poise: 1\n" + "\n".join(lines), encoding="utf-8")
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return load_recipe(folder / "r.yaml", words=WORDS)


def steps(*constraints: str, settings: str = "{}") -> str:
    listed = "".join(f"\n        - {each}" for each in constraints)
    return f"steps:\n  - lift:\n      settings: {settings}\n      constraints:{listed}"


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    poise.save(walk(seconds=1.0), folder / "walk.bvh")
    poise.save(with_t_pose(with_dropped_frames(walk(seconds=1.0), (60,))), folder / "damaged.bvh")
    return folder


def test_a_sample_is_cut_and_resampled(tmp_path: Path) -> None:
    recipe = written(
        tmp_path,
        "clip: {sample: walk, frames: [5, 100], rate_hz: 24}",
        steps(FOOT.replace("20", "12")),
    )
    outcome = run_recipe(recipe, words=WORDS)
    made = outcome.prepared.clip
    full = walk()
    # Both ends are kept: 96 frames, of which every fifth is left.
    assert made.rate_hz == 24.0 and made.frame_count == 20
    np.testing.assert_array_equal(made.root_positions_m, full.root_positions_m[5:101:5])
    assert outcome.converged and outcome.clip.history[-1] == "lifted by 0.0 m"
    assert "frames 5 to 100 of 481" in outcome.notes


def test_the_body_and_the_place_are_found(tmp_path: Path, clips: Path) -> None:
    clip = f"clip: {clips / 'walk.bvh'}"
    found = prepare(written(tmp_path, clip, "character: {mass_kg: 60}", steps()))
    assert found.character.body is not None and found.character.ranges is not None
    assert found.character.body.total_mass_kg == pytest.approx(60.0)
    assert abs(found.environment.grounds[0].height_m) < 0.01
    assert any("floor" in note.lower() or "ground" in note.lower() for note in found.notes)
    free = prepare(written(tmp_path, clip, "character: {ranges: none}", steps()))
    assert free.character.ranges is None


@pytest.mark.parametrize(
    "place", ["place.yaml", "{ground: {height_m: 0.25}, parts: [box: {size_m: [1, 1, 1]}]}"]
)
def test_a_place_stands_in_a_file_or_in_the_recipe(tmp_path: Path, clips: Path, place: str) -> None:
    text = "ground: {height_m: 0.25}\nparts: [box: {size_m: [1, 1, 1]}]"
    recipe = written(
        tmp_path, f"clip: {clips / 'walk.bvh'}", f"environment: {place}", steps(), place=text
    )
    for prepared in (prepare(recipe), prepare(Recipe(recipe.steps, recipe.clip,
                                                     environment=recipe.environment,
                                                     folder=recipe.folder))):  # fmt: skip
        assert prepared.environment.grounds[0].height_m == 0.25
        assert len(prepared.environment.surfaces) == 2


def test_artificial_frames_are_left_out_and_the_shift_is_said(tmp_path: Path, clips: Path) -> None:
    lines = f"clip: {{file: '{clips / 'damaged.bvh'}', frames: [0, 50]}}"
    found = prepare(written(tmp_path, lines, steps()))
    assert found.clip.frame_count == 50
    assert "frame 0 of the recipe is frame 1 of the file" in found.notes
    later = prepare(written(tmp_path, lines.replace("[0, 50]", "[11, 50]"), steps()))
    assert not any("frame 0 of the recipe" in note for note in later.notes)
    np.testing.assert_array_equal(later.clip.rotations_wxyz[0], found.clip.rotations_wxyz[10])
    raw = prepare(written(tmp_path, lines.replace("}", ", clean: false}"), steps()))
    assert raw.clip.frame_count == 51
    assert MUST_BE_CLEANED == CLEANED_BY_MEASURING


def test_a_clip_that_ends_early_is_said(tmp_path: Path, clips: Path) -> None:
    lines = f"clip: {{file: '{clips / 'walk.bvh'}', frames: [0, 500]}}"
    found = prepare(written(tmp_path, lines, steps()))
    assert "the clip ends before frame 500: kept 0 to 120" in found.notes
    recipe = written(tmp_path, lines.replace("[0, 500]", "[500, 600]"), steps())
    with pytest.raises(
        RecipeProblem, match=r"r\.yaml:2:.*: frames must be inside the clip \(0 to 1"
    ):
        prepare(recipe)


def test_another_clip_takes_the_place_of_the_recipes(tmp_path: Path, clips: Path) -> None:
    recipe = written(tmp_path, "clip: {file: none.bvh, rate_hz: 60}", steps())
    for given in (clips / "walk.bvh", str(clips / "walk.bvh"), walk(seconds=1.0)):
        found = prepare(recipe, given)
        assert isinstance(found.clip, Clip) and found.clip.rate_hz == 60.0
    with pytest.raises(FileProblem, match=r"^lost\.bvh: expected an existing file"):
        prepare(recipe, "lost.bvh")
    nameless = written(tmp_path, "clip: {rate_hz: 30}", steps())
    assert prepare(nameless, walk(seconds=1.0)).clip.rate_hz == 30.0
    with pytest.raises(RecipeProblem, match="clip must be named in the recipe or given beside it"):
        prepare(nameless)


def test_files_that_are_not_there_are_said_with_the_line(tmp_path: Path, clips: Path) -> None:
    here = f"clip: {clips / 'walk.bvh'}"
    for lines in (
        ("clip: none.bvh", "about: x"),
        (here, "environment: none.yaml"),
        (here, "character: {roles: none.yaml}"),
    ):
        line = 2 if "none.bvh" in lines[0] else 3
        with pytest.raises(RecipeProblem, match=rf"r\.yaml:{line}:\d+: .*none\.(bvh|yaml)"):
            prepare(written(tmp_path, *lines, steps()))


STICK = """\
HIERARCHY
ROOT a
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT b
  {
    OFFSET 0 1 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 1 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.1
0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 1
0 0 0 0 0 0 0 0 2
"""


def test_an_unrecognised_skeleton_says_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "stick.bvh").write_text(STICK, encoding="utf-8")
    clip = "clip: {file: stick.bvh, unit: m}"
    recipe = written(tmp_path, clip, "character: {sex: male}", steps())
    with pytest.raises(RecipeProblem) as refused:
        prepare(recipe)
    said = str(refused.value)
    assert said.startswith(f"{tmp_path / 'r.yaml'}:3:12: expected a skeleton that can be ")
    assert "'character: {roles: {left_knee: LShin}}'" in said and "--roles" not in said


def test_roles_stand_in_a_file_or_in_the_recipe(tmp_path: Path, clips: Path) -> None:
    here = f"clip: {clips / 'walk.bvh'}"
    for roles in ("roles.yaml", "{left_knee: LeftLeg}"):
        lines = (here, f"character: {{roles: {roles}}}", steps())
        found = prepare(written(tmp_path, *lines, roles="left_knee: LeftLeg"))
        assert found.character.roles is not None
        assert found.character.roles.joints["left_knee"] == "LeftLeg"


def test_steps_follow_one_another(tmp_path: Path) -> None:
    recipe = written(
        tmp_path,
        "clip: {sample: walk, rate_hz: 24}",
        "steps: [lift: {settings: {lift_m: 0.5}}, raise: {settings: {lift_m: 0.25}}]",
    )
    outcome = run_recipe(recipe, words=WORDS)
    risen = outcome.clip.root_positions_m - outcome.prepared.clip.root_positions_m
    np.testing.assert_allclose(risen, np.tile([0.0, 0.75, 0.0], (len(risen), 1)), atol=1e-12)
    assert not outcome.converged and len(outcome.results) == 2
    assert outcome.notes.count("a note of the method") == 1


def test_seconds_follow_the_rate_of_the_clip(tmp_path: Path) -> None:
    hold = (
        "hold_point: {name: a, point: head, place_m: [0, 1, 0], seconds: [1, 2], ease_seconds: 0.5}"
    )
    for rate, frames in ((24, (24, 48, 12)), (60, (60, 120, 30))):
        recipe = written(tmp_path, f"clip: {{sample: walk, rate_hz: {rate}}}", steps(hold))
        prepared = prepare(recipe)
        (made,) = edit_of(recipe, 0, prepared, prepared.clip, WORDS).constraints
        interval = made.interval
        assert (interval.first, interval.last, interval.ease_in) == frames


def test_everything_a_clip_cannot_give_is_said_at_once_with_lines(tmp_path: Path) -> None:
    recipe = written(
        tmp_path,
        "clip: {sample: walk, rate_hz: 24}",
        steps(
            FOOT,
            "hold_point: {name: late, point: head, place_m: [0, 1, 0], frames: [90, 99]}",
            "hold_point: {name: lost, point: left_wirst, place_m: [0, 1, 0], frames: all}",
            "orient: {name: x, joint: head, turn_wxyz: [1, 0, 0, 0], frames: all,\n"
            "            recruit: {up_to: left_kne}}",
        ),
    )
    with pytest.raises(RecipeProblem) as refused:
        run_recipe(recipe, words=WORDS)
    late, lost, other = (str(problem) for problem in refused.value.problems)
    path = tmp_path / "r.yaml"
    assert late.startswith(f"{path}:8:77: interval of 'late' must be inside the clip (0 to 96)")
    assert lost.startswith(f"{path}:9:43: No point (site, joint or role) is called 'left_wirst'.")
    assert "Did you mean 'left_wrist'?" in lost
    assert other.startswith(f"{path}:11:30: No joint or role is called 'left_kne'.")


def test_what_a_method_refuses_is_said_with_the_line_of_the_constraint(tmp_path: Path) -> None:
    other = FOOT.replace("foot,", "impossible,", 1)
    recipe = written(tmp_path, "clip: {sample: walk}", steps(FOOT, other))
    with pytest.raises(RecipeProblem) as refused:
        run_recipe(recipe, words=WORDS)
    assert str(refused.value).startswith(f"{tmp_path / 'r.yaml'}:8:18: recruits of 'impossible'")


def test_a_recipe_made_by_code_runs_without_lines() -> None:
    wish = Wish("hold_point", {"name": "a", "point": "hed", "place_m": (0.0,) * 3, "frames": "all"})
    recipe = Recipe([Step("lift", Settings(), [wish])])
    with pytest.raises(RecipeProblem, match="recipe: No point"):
        run_recipe(recipe, clip=walk(seconds=1.0), words=WORDS)
    with pytest.raises(FileProblem, match=r"none\.bvh: expected an existing file"):
        run_recipe(recipe, clip="none.bvh", words=WORDS)
