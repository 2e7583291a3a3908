"""Recipes that run: what is prepared, what the steps get, and what is said when it fails."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import FileProblem
from poise.job import (
    ConstraintSpec,
    Recipe,
    RecipeProblem,
    Step,
    Vocabulary,
    edit_of,
    load_recipe,
    run_recipe,
    subject,
)
from poise.methods import Edit, Method, Result, Takes
from poise.samples import sample_character, walk
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


def test_later_steps_work_on_the_body_and_place_that_a_step_leaves(tmp_path: Path) -> None:
    seen: list[Edit] = []
    other, hill = sample_character(), Environment.flat(0.5)

    def change(edit: Edit, settings: Settings | None = None, **_: object) -> Result[None]:
        seen.append(edit)
        clip = edit.clip.noted("changed")
        touching = np.zeros((clip.frame_count, 1), dtype=np.bool_)
        contacts = ContactSchedule(("left_foot",), touching, clip.rate_hz)
        return Result(clip, "converged", "met", None, contacts, character=other, environment=hill)

    methods = {**WORDS.methods, "change": Method("change", Settings, Takes(), change)}
    words = Vocabulary(WORDS.constraints, methods)
    recipe = Recipe([Step("change", Settings()), Step("change", Settings())])
    outcome = run_recipe(recipe, clip=walk(seconds=1.0), words=words)
    assert seen[0].character is not other and seen[1].character is other
    assert seen[1].environment is hill and seen[1].clip.history[-1] == "changed"
    assert outcome.prepared.character is other and outcome.prepared.environment is hill
    assert outcome.prepared.moved_from is not None


def test_seconds_follow_the_rate_of_the_clip(tmp_path: Path) -> None:
    hold = (
        "hold_point: {name: a, point: head, place_m: [0, 1, 0], seconds: [1, 2], ease_seconds: 0.5}"
    )
    for rate, frames in ((24, (24, 48, 12)), (60, (60, 120, 30))):
        recipe = written(tmp_path, f"clip: {{sample: walk, rate_hz: {rate}}}", steps(hold))
        prepared = subject(recipe)
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
    wish = ConstraintSpec(
        "hold_point", {"name": "a", "point": "hed", "place_m": (0.0,) * 3, "frames": "all"}
    )
    recipe = Recipe([Step("lift", Settings(), [wish])])
    with pytest.raises(RecipeProblem, match="recipe: No point"):
        run_recipe(recipe, clip=walk(seconds=1.0), words=WORDS)
    with pytest.raises(FileProblem, match=r"none\.bvh: expected an existing file"):
        run_recipe(recipe, clip="none.bvh", words=WORDS)


def test_kinds_that_a_method_does_not_take_are_refused_where_they_stand(tmp_path: Path) -> None:
    recipe = load_recipe(_saved(tmp_path, """poise: 1
clip: {sample: walk, rate_hz: 24}
steps:
  - deform:
      constraints:
        - stay_on_side: {name: bar, point: head_top, limit_m: 1.3, frames: all}
        - plant: {name: foot, part: left_foot, frames: all}
        - stay_on_side: {name: wall, point: head_top, limit_m: 1.3, frames: all}
"""))  # fmt: skip
    with pytest.raises(RecipeProblem) as refused:
        run_recipe(recipe)
    said = "must be one that deform knows (one-sided ones: filter), got 'StayOnSide'."
    assert [str(each) for each in refused.value.problems] == [
        f"{tmp_path / 'r.yaml'}:6:25: constraint 'bar' {said}",
        f"{tmp_path / 'r.yaml'}:8:25: constraint 'wall' {said}",
    ]


def _saved(folder: Path, text: str) -> Path:
    path = folder / "r.yaml"
    path.write_text(text, encoding="utf-8")
    return path
