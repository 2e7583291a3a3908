"""`poise run` and `poise deform` as a user meets them: with a small method, and the real one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.job import vocabulary
from poise.mechanics import forward_kinematics
from poise.samples import walk
from tests.apps.command_line import Command
from tests.job.fakes import METHODS

RECIPE = """\
poise: 1
clip: {sample: walk, rate_hz: 24}
steps:
  - lift:
      constraints:
        - plant: {name: left foot, part: left_foot, frames: [4, 14], priority: 1}
        - hold_point:
            {name: reach, point: left_wrist, seconds: [1, 2], place_m: [0, 1, 1], priority: 2}
outputs: {clip: out.bvh}
"""


@pytest.fixture
def lifting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A recipe for the small method, which is all there is."""
    # The package's face has a function of the module's name.
    monkeypatch.setattr(sys.modules["poise.job.vocabulary"], "METHODS", METHODS)
    vocabulary.cache_clear()
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    yield tmp_path
    vocabulary.cache_clear()


def test_it_says_what_was_done_and_writes(command: Command, lifting: Path) -> None:
    done = command("run", "r.yaml")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "lift: 2 constraints on 97 frames at 24 Hz",
        "  constraint  kind        layer  frames  worst",
        "  left foot   plant       1      4-14    12.5 mm (frame 4), 0.00 deg",
        "  reach       hold_point  2      24-48   12.5 mm (frame 24), 0.00 deg",
        "converged: everything met",
        "out.bvh: 97 frames at 24 Hz",
    ]
    assert "note: a note of the method" in done.err
    assert poise.load(lifting / "out.bvh").frame_count == 97


def test_what_is_not_met_ends_with_3_and_is_written_all_the_same(
    command: Command, lifting: Path
) -> None:
    done = command("run", "r.yaml", "--set", "lift.settings.lift_m=0.5")
    assert done.code == 3 and "infeasible: lifted, so nothing holds" in done.out
    assert done.out.count("not met") == 2
    lifted = poise.load(lifting / "out.bvh").root_positions_m
    np.testing.assert_allclose(lifted[:, 1] - walk().root_positions_m[::5, 1], 0.5, atol=1e-6)
    again = ("run", "r.yaml", "--set", "lift.settings.lift_m=0.5", "--overwrite", "--accept")
    assert command(*again).code == 0


def test_outputs_are_checked_before_the_work(command: Command, lifting: Path) -> None:
    (lifting / "out.bvh").write_text("mine", encoding="utf-8")
    for arguments, words in (
        ((), "out.bvh: expected a new file, found one that exists. Add --overwrite."),
        (("-o", "a.xyz"), "a.xyz: expected an extension that a clip can be written to"),
        (("-o", "none/a.bvh"), "expected an existing folder to write into"),
        (("--report", "a.pdf"), "a.pdf: expected an extension of a page (.html)"),
        (("--set", "outputs.glb=a.bvh"), "a.bvh: expected an extension of glTF (.glb)"),
        (
            ("--set", "outputs.before=./out.bvh", "--overwrite"),
            "expected different files for different outputs",
        ),
    ):
        done = command("run", "r.yaml", *arguments)
        assert done.code == 2 and words in done.err, done.err
        assert done.err.count("\n") == 1 and done.out == ""
    assert (lifting / "out.bvh").read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in lifting.iterdir()) == ["out.bvh", "r.yaml"]


def test_o_takes_the_place_of_the_recipes_clip(command: Command, lifting: Path) -> None:
    assert command("run", "r.yaml", "-o", "mine.npz").code == 0
    assert sorted(path.name for path in lifting.iterdir()) == ["mine.npz", "r.yaml"]


def test_relative_paths_start_where_they_are_written(command: Command, lifting: Path) -> None:
    (lifting / "deep").mkdir()
    poise.save(walk(seconds=2.0), lifting / "deep" / "walk.bvh")
    text = RECIPE.replace("{sample: walk, rate_hz: 24}", "{file: walk.bvh, rate_hz: 24}")
    text = text.replace("seconds: [1, 2]", "seconds: [0, 1]")
    (lifting / "deep" / "r.yaml").write_text(text, encoding="utf-8")
    done = command("run", "deep/r.yaml", "--report", "page.html")
    assert done.code == 0, done.err
    assert (lifting / "deep" / "out.bvh").is_file() and (lifting / "page.html").is_file()


def test_a_recipe_writes_outside_its_folder_only_when_told(command: Command, lifting: Path) -> None:
    inside, outside = lifting / "from_others", lifting / "mine"
    inside.mkdir()
    outside.mkdir()
    (inside / "sub").mkdir()
    if hasattr(os, "symlink") and os.name == "posix":
        (inside / "link").symlink_to(outside)
    recipe = str(inside / "r.yaml")
    for name in ("../mine/a.bvh", str(outside / "a.bvh"), "sub/../../mine/a.bvh", "link/a.bvh"):
        if name.startswith("link") and not (inside / "link").exists():
            continue
        text = RECIPE.replace("{clip: out.bvh}", f"{{clip: {json.dumps(name)}}}")
        Path(recipe).write_text(text, encoding="utf-8")
        done = command("run", recipe)
        assert done.code == 2 and not list(outside.iterdir()), (name, done.err)
        assert done.err.startswith(f"poise: {recipe}:9:17: ") and done.err.count("\n") == 1
        assert "a file in the recipe's folder or below it" in done.err
        assert "Add --allow-outside" in done.err
        assert command("run", recipe, "-o", str(outside / "b.bvh")).code == 0  # named here
        assert command("run", recipe, "--allow-outside").code == 0
        assert sorted(path.name for path in outside.iterdir()) == ["a.bvh", "b.bvh"]
        for made in outside.iterdir():
            made.unlink()
    told = command("run", recipe, "--set", "outputs.clip=mine/c.bvh")  # from here
    assert told.code == 0 and (outside / "c.bvh").is_file(), told.err
    Path(recipe).write_text(RECIPE.replace("out.bvh", "sub/../sub/in.bvh"), encoding="utf-8")
    assert command("run", recipe).code == 0 and (inside / "sub" / "in.bvh").is_file()


def test_another_clip_leaves_the_recipes_outputs_alone(command: Command, lifting: Path) -> None:
    poise.save(walk(seconds=3.0), lifting / "other.bvh")
    done = command("run", "r.yaml", "--clip", "other.bvh", "-o", "edited.bvh")
    assert done.code == 0 and "73 frames at 24 Hz" in done.out, done.err
    assert "outputs of the recipe not written: other.bvh is not its own clip" in done.err
    assert not (lifting / "out.bvh").exists()


@pytest.mark.parametrize("method", ["deform", "filter"])
def test_the_command_of_a_method_wants_a_step_of_it(
    command: Command, lifting: Path, method: str
) -> None:
    poise.save(walk(seconds=3.0), lifting / "other.bvh")
    done = command(method, "other.bvh", "--recipe", "r.yaml", "-o", "same.bvh")
    assert done.code == 2 and f"'{method}'" in done.err and "got 'lift'" in done.err
    assert not (lifting / "same.bvh").exists()


def test_constraints_are_left_out(command: Command, lifting: Path) -> None:
    done = command("run", "r.yaml", "--without", "left foot")
    assert "1 constraint on" in done.out and "left foot" not in done.out
    done = command("run", "r.yaml", "--without", "left fot")
    assert done.code == 2
    assert done.err == (
        "poise: No constraint is called 'left fot'. Did you mean 'left foot'? "
        "Known: left foot, reach.\n"
    )


def test_each_mistake_is_a_line(command: Command, lifting: Path) -> None:
    text = RECIPE.replace("priority: 1", "priority: x").replace("part:", "prt:")
    (lifting / "r.yaml").write_text(text, encoding="utf-8")
    done = command("run", "r.yaml", "--set", "reach.weight=heavy")
    assert done.code == 2 and done.out == ""
    lines = done.err.splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "--set reach.weight=heavy", "r.yaml:6:18", "r.yaml:6:36", "r.yaml:6:79",
    ]  # fmt: skip


def test_what_the_clip_cannot_give_is_a_line_each(command: Command, lifting: Path) -> None:
    changes = ("--set", "reach.point=hand_of_god", "--set", "left foot.frames=[90, 200]")
    done = command("run", "r.yaml", *changes)
    assert done.code == 2 and len(done.err.splitlines()) == 2
    assert "left foot.frames=[90, 200]: interval of 'left foot' must be inside" in done.err
    assert "reach.point=hand_of_god: No point" in done.err
    assert not (lifting / "out.bvh").exists()


def test_the_report_says_how_constraints_fared(command: Command, lifting: Path) -> None:
    outputs = "outputs: {clip: out.bvh, glb: out.glb, before: in.glb, report: page.html}"
    text = RECIPE.replace("outputs: {clip: out.bvh}", outputs)
    (lifting / "r.yaml").write_text(text, encoding="utf-8")
    done = command("run", "r.yaml", "--set", "lift.settings.lift_m=0.1", "--accept")
    assert done.code == 0, done.err
    page = (lifting / "page.html").read_text(encoding="utf-8")
    reach = "reach (hold_point, layer 2, frames 24-48): at worst 12.5 mm (frame 24), 0.00 deg"
    assert "infeasible: lifted" in page and reach in page
    before, after = (poise.load(lifting / name) for name in ("in.glb", "out.glb"))
    rise = after.root_positions_m[:, 1] - before.root_positions_m[:, 1]
    np.testing.assert_allclose(rise, 0.1, atol=1e-5)
    assert "in.glb: the original, 97 frames" in done.out


def test_the_schema_is_printed_without_a_recipe(command: Command, lifting: Path) -> None:
    schema = json.loads(command("run", "--schema").out)
    assert "hold_point" in schema["$defs"]["Constraint"]["properties"]
    missing = command("run")
    assert missing.code == 2 and "Missing argument 'recipe'" in missing.err


def test_help_stays_light() -> None:
    code = (
        "import sys; sys.argv = ['poise', '--help']\n"
        "from poise.apps.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'pydantic', 'ruamel', 'numpy', 'numba', 'poise.job'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert " run " in done.stdout and " deform " in done.stdout


REAL = """\
poise: 1
clip: {sample: walk, rate_hz: 24}
steps:
  - deform:
      constraints:
        - plant: {name: left foot, part: left_foot, frames: [4, 14], ease: 3, priority: 1}
        - follow_curve:
            name: reach
            point: left_wrist
            seconds: [1, 3]
            through: [{second: 2.0, place_m: [0.3, 1.4, 2.6]}]
            priority: 2
outputs: {clip: out.npz}
"""


def test_a_recipe_deforms_a_walk(command: Command, tmp_path: Path) -> None:
    (tmp_path / "reach.yaml").write_text(REAL, encoding="utf-8")
    done = command("run", "reach.yaml")
    assert done.code == 0, done.err + done.out
    assert "converged: All constraints are met." in done.out
    before, after = walk(), poise.load(tmp_path / "out.npz")
    # Frames outside every interval, and what the smoothing of the root reaches, are untouched.
    np.testing.assert_array_equal(after.rotations_wxyz[80:], before.rotations_wxyz[::5][80:])
    wrist = forward_kinematics(after.skeleton, *after.pose).positions_m
    at = wrist[48, after.skeleton.joint_names.index("LeftHand")]
    np.testing.assert_allclose(at, [0.3, 1.4, 2.6], atol=1e-4)


def test_what_cannot_be_reached_ends_with_3_and_says_how_far_it_is(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "reach.yaml").write_text(REAL, encoding="utf-8")
    far = ("--set", "reach.through.0.place_m=[0, 9, 2]", "--set", "reach.recruit={up_to: spine}")
    done = command("run", "reach.yaml", *far)
    assert done.code == 3 and "'reach' misses its goal by up to" in done.out
    assert "not met" in done.out and poise.load(tmp_path / "out.npz").frame_count == 97


def test_a_wrong_strategy_is_said_with_its_line(command: Command, tmp_path: Path) -> None:
    text = REAL.replace("- deform:\n", "- deform:\n      settings: {strategy: luck}\n")
    (tmp_path / "reach.yaml").write_text(text, encoding="utf-8")
    done = command("run", "reach.yaml")
    assert done.code == 2 and done.err.startswith("poise: reach.yaml:5:28: "), done.err
