"""Single values changed, constraints left out; checked like the file itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from poise.errors import BadValue, PoiseError, UnknownName
from poise.job import Change, ClipChoice, Recipe, RecipeProblem, load_recipe
from tests.job.fakes import WORDS
from tests.job.test_load import GOOD


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "r.yaml").write_text(GOOD, encoding="utf-8")
    return tmp_path / "r.yaml"


def changed(path: Path, *changes: str | Change, without: tuple[str, ...] = ()) -> Recipe:
    return load_recipe(path, changes=changes, without=without, words=WORDS)


def test_a_constraint_is_left_out_by_name(path: Path) -> None:
    (left,) = changed(path, without=("left foot",)).steps[0].constraints
    assert left.name == "reach"
    assert not changed(path, without=("left foot", "reach")).steps[0].constraints


def test_a_constraint_that_is_not_there_cannot_be_left_out(path: Path) -> None:
    with pytest.raises(UnknownName, match=r"'left fot'\. Did you mean 'left foot'\?"):
        changed(path, without=("left fot",))


def test_values_change(path: Path) -> None:
    recipe = changed(
        path,
        "reach.priority=3",
        "lift.settings.strategy=priorities",
        "lift.settings.passes=4",
        "reach.through.0.place_m=[0, 1, 2]",
        "reach.through.0.place_m.1=1.5",
        "left foot.frames=all",
        "left foot.ease=",
        "clip.rate_hz=60",
        "character={sex: female}",
        "outputs.glb=a.glb",
        "about=",
    )
    foot, reach = recipe.steps[0].constraints
    assert reach.values["priority"] == 3
    assert reach.values["through"][0] == {"second": 2.0, "place_m": (0.0, 1.5, 2.0)}
    assert foot.values["frames"] == "all" and foot.values["ease"] is None
    settings = recipe.steps[0].settings
    assert (settings.strategy, settings.passes) == ("priorities", 4)
    assert recipe.clip.rate_hz == 60.0
    assert recipe.character.sex == "female" and recipe.character.mass_kg is None
    assert recipe.outputs.glb == str(Path.cwd() / "a.glb")
    assert recipe.outputs.clip == "out.bvh"


def test_keys_on_the_way_are_made(path: Path) -> None:
    path.write_text("poise: 1\nclip: walk.bvh\nsteps: [lift: ]", encoding="utf-8")
    recipe = changed(path, "lift.settings.passes=2", "clip.rate_hz=30", "character.mass_kg=50")
    assert recipe.steps[0].settings.passes == 2 and recipe.character.mass_kg == 50.0
    assert recipe.clip == ClipChoice(file="walk.bvh", rate_hz=30.0)


def test_seconds_give_way_to_frames(path: Path) -> None:
    recipe = changed(path, "reach.seconds=null", "reach.frames=[10, 80]", "reach.through=[]")
    assert recipe.steps[0].constraints[1].values["frames"] == (10, 80)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "reach.priority=high",
            "--set reach.priority=high: expected a whole number for priority of 'reach', "
            "found 'high'.",
        ),
        (
            "reach.prioriti=1",
            "--set reach.prioriti=1: expected a key of 'reach', found 'prioriti'. Did you mean "
            "'priority'? Known: name, point, through, frames, seconds, ease, ease_seconds, mode, "
            "relative_to, axes, priority, weight, recruit.",
        ),
        (
            "left foot.ease=40",
            "--set left foot.ease=40: easing must be shorter together than the interval "
            "(30 frames), got (40, 40).",
        ),
        ("rech.priority=1", "No constraint, method or key of the recipe is called 'rech'. Did you "
         "mean 'reach'? Known: left foot, reach, about, clip, character, environment, outputs, "
         "lift."),
        ("reach.through.1.frame=3",
         "'1' in reach.through.1.frame must be an entry from 0 to 0, got 1."),
        ("reach.through.first.frame=3",
         "'first' in reach.through.first.frame must be an entry from 0 to 0, got 'first'."),
        ("reach", "change must be PATH=VALUE, for example reach.priority=3, got 'reach'."),
        ("=3", "change must be PATH=VALUE, for example reach.priority=3, got '=3'."),
        ("reach=3",
         "change must be a field of 'reach', for example reach.priority=2, got 'reach'."),
        ("reach.priority=[1", "change must be PATH=VALUE with a YAML value (expected ',' or ']', "
         "but got '<stream end>'), got 'reach.priority=[1'."),
        ("reach.weight=.inf", "--set reach.weight=.inf:1:1: expected a finite number, "
         "found '.inf'."),
    ],
)  # fmt: skip
def test_a_wrong_change_is_said_like_a_wrong_line(path: Path, change: str, message: str) -> None:
    with pytest.raises(PoiseError) as refused:
        changed(path, change)
    assert str(refused.value) == message


def test_wrong_lines_and_wrong_changes_come_together(path: Path) -> None:
    path.write_text(GOOD.replace("sex: male", "sex: man"), encoding="utf-8")
    with pytest.raises(RecipeProblem) as refused:
        changed(path, "reach.priority=high")
    assert len(refused.value.problems) == 2


def test_a_name_with_dots_is_found_whole(path: Path) -> None:
    path.write_text(GOOD.replace("name: reach", "name: reach.1"), encoding="utf-8")
    assert changed(path, "reach.1.priority=5").steps[0].constraints[1].values["priority"] == 5


def test_the_file_is_never_changed(path: Path) -> None:
    changed(path, "reach.priority=3", without=("left foot",))
    assert path.read_text(encoding="utf-8") == GOOD


def test_a_change_of_the_name_of_a_method_says_so(path: Path) -> None:
    with pytest.raises((BadValue, RecipeProblem)):
        changed(path, "lift=3")


def test_a_program_changes_values_without_text(path: Path) -> None:
    recipe = changed(
        path,
        Change(("reach", "through", 0, "place_m"), [0, 1.5, 2]),
        Change("left foot.frames", "all"),
        Change(("left foot", "ease"), None),
        Change(("lift", "settings"), {"strategy": "priorities", "mobility": {"a.b": 0.5}}),
        Change(("clip", "file"), "1e5: 'no' #"),
    )
    foot, reach = recipe.steps[0].constraints
    assert reach.values["through"][0]["place_m"] == (0.0, 1.5, 2.0)
    assert foot.values["frames"] == "all" and foot.values["ease"] is None
    assert recipe.steps[0].settings.mobility == {"a.b": 0.5}
    assert recipe.clip.file == "1e5: 'no' #"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Change(("lift", "settings", "strategy"), "weight", "--strategy weight"),
         "--strategy weight: expected 'priorities' or 'weights' for strategy of settings of lift, "
         "found 'weight'. Did you mean 'weights'?"),
        (Change(("lift", "settings", "passes"), 0, "--passes 0"),
         "--passes 0: passes must be at least 1, got 0."),
        (Change(("clip", "rate_hz"), float("nan"), "--rate nan"),
         "--rate nan: expected a number for rate_hz of clip, found nan."),
        (Change(("rech", "priority"), 1),
         "No constraint, method or key of the recipe is called 'rech'. Did you mean 'reach'? "
         "Known: left foot, reach, about, clip, character, environment, outputs, lift."),
    ],
)  # fmt: skip
def test_a_value_that_is_wrong_goes_by_its_label(path: Path, change: Change, message: str) -> None:
    with pytest.raises(PoiseError) as refused:
        changed(path, change)
    assert str(refused.value) == message
