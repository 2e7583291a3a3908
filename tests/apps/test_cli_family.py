"""`poise family` as a user meets it: build, blend, hit, on a family of four small leaps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from poise import job
from poise.errors import FileProblem
from poise.job import load_family, save_family
from poise.mechanics import forward_kinematics
from poise.methods.momentum.family import Family
from poise.methods.momentum.inverse_control import Aim
from poise.samples import sample_character
from tests.apps.command_line import Command

RECIPE = """\
poise: 1
clip: {sample: jump, frames: [84, 275], rate_hz: 20}
steps:
  - momentum:
      settings:
        knots_per_s: 6
        family:
          - {name: aside, stage: -1, values: [0, 0.2], by_m: [1, 0, 0]}
          - {name: ahead, stage: -1, values: [-0.1, 0.2], by_m: [0, 0, 1]}
"""
FEW = ("--set", "momentum.settings.iterations=1")


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "family.yaml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that is built once."""
    from poise.job import edit_of, recipe_from_text, subject, vocabulary
    from poise.methods.momentum.family import build_family

    read = recipe_from_text(RECIPE)
    prepared = subject(read)
    edit = edit_of(read, 0, prepared, prepared.clip, vocabulary())
    path = tmp_path_factory.mktemp("families") / "jump.npz"
    save_family(build_family(edit, read.steps[0].settings), path)
    return path


def aim(path: Path, point: str) -> tuple[Family, Aim]:
    read = load_family(path)
    return read, Aim(read, sample_character(), point)


# Building


def test_a_family_is_built_and_kept_in_one_file(
    command: Command, recipe: Path, tmp_path: Path
) -> None:
    done = command("family", "build", recipe, "-o", "jump.npz")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "aside: 2 members from 0 to 0.2",
        "ahead: 2 members from -0.1 to 0.2",
        "jump.npz: 4 leaps of 32 frames at 20 Hz, 4 converged",
    ]
    assert "note: resampled from 120 to 20 Hz" in done.err
    read = load_family(tmp_path / "jump.npz")
    assert read.statuses == ("converged",) * 4
    assert [axis.name for axis in read.axes] == ["aside", "ahead"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["family.yaml", "jump.npz"]


def test_members_that_are_not_solved_end_with_3(
    command: Command, recipe: Path, tmp_path: Path
) -> None:
    done = command("family", "build", recipe, "-o", "jump.npz", *FEW, "--workers", "1")
    assert done.code == 3 and "4 not fully solved" in done.out, done.err
    assert load_family(tmp_path / "jump.npz").statuses == ("out_of_iterations",) * 4
    again = command("family", "build", recipe, "-o", "jump.npz", *FEW, "--accept", "--overwrite")
    assert again.code == 0


def test_another_clip_may_be_given(command: Command, recipe: Path, tmp_path: Path) -> None:
    from tests.methods.leaping import jump

    poise.save(jump().clip, tmp_path / "mine.bvh")
    text = RECIPE.replace("clip: {sample: jump, frames: [84, 275], rate_hz: 20}\n", "")
    recipe.write_text(text, encoding="utf-8")
    done = command("family", "build", recipe, "--clip", "mine.bvh", "-o", "f.npz", *FEW)
    assert done.code == 3 and "4 leaps of 48 frames at 30 Hz" in done.out, done.err
    lost = command("family", "build", recipe, "-o", "g.npz")
    assert lost.code == 2 and len(lost.err.splitlines()) == 1


def interrupted(
    command: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch, *options: str
) -> None:
    """A build that is not allowed to write its family; the members stay."""

    def refused(family: Family, path: Path) -> None:
        raise FileProblem(path, "some room", "none")

    with monkeypatch.context() as patch:
        patch.setattr(job, "save_family", refused)
        done = command("family", "build", recipe, "-o", "f.npz", *FEW, *options)
    assert done.code == 2 and "expected some room" in done.err


def test_what_was_interrupted_is_gone_on_with(
    command: Command, recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(command, recipe, monkeypatch)
    members = sorted((tmp_path / "f.npz.part").glob("*.npz"))
    assert len(members) == 4 and not (tmp_path / "f.npz").exists()
    members[2].unlink()
    kept = {path: path.stat().st_mtime_ns for path in members if path.exists()}
    interrupted(command, recipe, monkeypatch)
    assert members[2].exists()
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    done = command("family", "build", recipe, "-o", "f.npz", *FEW)
    assert done.code == 3 and "begins anew" not in done.err
    assert not (tmp_path / "f.npz.part").exists() and (tmp_path / "f.npz").is_file()


OTHERS = [
    "momentum.settings.place=2", "clip.rate_hz=24", 'environment={"ground": {"height_m": 0.1}}',
    "character.sex=male",
]  # fmt: skip


@pytest.mark.parametrize("change", OTHERS)
def test_what_was_another_family_begins_anew(
    command: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    interrupted(command, recipe, monkeypatch)
    done = command("family", "build", recipe, "-o", "f.npz", *FEW, "--set", change)
    assert done.code == 3, done.err
    assert "f.npz.part was of another family and begins anew" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "f.bvh"), "output must be a file that ends in .npz, got 'f.bvh'"),
        (("-o", "there.npz"), "output must be a new file (or --overwrite), got 'there.npz'"),
        (("-o", "f.npz", "--workers", "0"), "'--workers'"),
        (("-o", "f.npz", "--set", "momentum.settings.family=[]"), "family must be at least one"),
        (("-o", "f.npz", "--set", "momentum.settings.two_leaps_m=0.3"), "two leaps: ground"),
        (("-o", "f.npz", "--clip", "none.bvh"), "none.bvh: expected an existing file"),
        (("-o", "f.npz", "--without", "ghost"), "ghost"),
    ],
)  # fmt: skip
def test_bad_builds_are_one_line(
    command: Command, recipe: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "there.npz").write_text("mine", encoding="utf-8")
    done = command("family", "build", recipe, *options)
    assert done.code == 2 and said in done.err, done.err
    assert len(done.err.splitlines()) == 1 and not done.out
    assert (tmp_path / "there.npz").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "f.npz").exists()


def test_places_that_the_file_does_not_hold_are_refused_before_the_work(
    command: Command, recipe: Path, tmp_path: Path
) -> None:
    recipe.write_text(
        RECIPE + "environment: {ground: {height_m: 0}, parts: [{box: {size_m: [1, 1, 1]}}]}\n",
        encoding="utf-8",
    )
    done = command("family", "build", recipe, "-o", "f.npz", *FEW)
    assert done.code == 2 and "environment of a family must be one ground" in done.err
    assert not (tmp_path / "f.npz.part").exists()


AXIS = "- {name: aside, stage: -1, values: [0, 0.2], by_m: [1, 0, 0]}"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (AXIS, "- {name: aside, stage: 7, values: [0, 1]}", "stage of 'aside' must be 0 to 1"),
        (AXIS, "- {name: aside, stage: -1, values: [1, 0]}", "at least one, rising"),
        (AXIS, "- {name: ahead, stage: -1, values: [0]}", "axes with different names"),
        (AXIS, "- {name: aside, values: [0]}", "stage"),
        (AXIS, "- {name: aside, stage: -1, values: [0], turn: 1}", "Did you mean 'turn_deg'?"),
        ("- momentum:", "- deform:\n  - momentum:", "steps of family.yaml must be one of momentum"),
        ("sample: jump", "sample: jmp", "jump"),
        ("sample: jump, frames: [84, 275]", "sample: walk", "leaves the ground"),
    ],
)
def test_bad_recipes_are_one_line(
    command: Command, recipe: Path, old: str, new: str, said: str
) -> None:
    recipe.write_text(RECIPE.replace(old, new), encoding="utf-8")
    done = command("family", "build", recipe, "-o", "f.npz")
    assert done.code == 2 and said in done.err, done.err
    assert len(done.err.splitlines()) == 1 and not done.out


# Blending


@pytest.mark.parametrize("more", [(), ("--smooth",), ("--still-feet",)])
def test_a_leap_between_members_is_written(
    command: Command, family: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    done = command("family", "blend", family, "--at", "0.05,-0.1", "-o", "out.npz", *more)
    assert done.code == 0, done.err
    assert done.out.splitlines() == ["out.npz: 32 frames at 20 Hz"]
    clip, read = poise.load(tmp_path / "out.npz"), load_family(family)
    wanted = read.at((0.05, -0.1), "smooth" if "--smooth" in more else "linear")
    np.testing.assert_array_equal(clip.root_positions_m, wanted.root_positions_m)
    same = np.array_equal(clip.rotations_wxyz, wanted.rotations_wxyz)
    assert same == ("--still-feet" not in more)


@pytest.mark.parametrize("name", ["out.bvh", "out.glb"])
def test_leaps_are_written_in_other_formats(
    command: Command, family: Path, tmp_path: Path, name: str
) -> None:
    done = command("family", "blend", family, "--at", "0.1,0.1", "-o", name)
    assert done.code == 0, done.err
    assert poise.load(tmp_path / name).frame_count == 32


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--at", "0.1", "-o", "out.bvh"), "coordinate must have shape (2,), got (1,)"),
        (("--at", "0.1,x", "-o", "out.bvh"), "--at must be numbers with commas between"),
        (("--at", "", "-o", "out.bvh"), "--at must be numbers with commas between"),
        (("--at", "0.3,0", "-o", "out.bvh"), "coordinate 0 of the family must be from 0 to 0.2"),
        (("--at", "nan,0", "-o", "out.bvh"), "coordinate 0 of the family must be from 0 to 0.2"),
        (("--at", "0,0", "-o", "out.xyz"), "an extension that a clip can be written to"),
        (("--at", "0,0", "-o", "there.bvh"), "output must be a new file (or --overwrite)"),
        (("--at", "0,0"), "output"),
        (("-o", "out.bvh"), "--at"),
    ],
)
def test_bad_blends_are_one_line(
    command: Command, family: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "there.bvh").write_text("mine", encoding="utf-8")
    done = command("family", "blend", family, *options)
    assert done.code == 2 and said in done.err, done.err
    assert len(done.err.splitlines()) == 1 and not done.out
    assert (tmp_path / "there.bvh").read_text(encoding="utf-8") == "mine"


def test_what_is_no_family_is_one_line(command: Command, family: Path, tmp_path: Path) -> None:
    poise.save(load_family(family).clip, tmp_path / "clip.npz")
    (tmp_path / "cut.npz").write_bytes(family.read_bytes()[:3000])
    for name, said in (
        ("clip.npz", "expected a motion family, found a clip. Build one with 'poise family build'"),
        ("cut.npz", "cut.npz: expected a complete NumPy archive"),
        ("none.npz", "none.npz: expected an existing file"),
    ):
        for more in (
            ("blend", name, "--at", "0,0"),
            ("hit", name, "--point", "head_top", "--place", "0", "1", "1", "--frame", "9"),
        ):
            done = command("family", *more, "-o", "out.bvh")
            assert done.code == 2 and said in done.err, done.err
            assert len(done.err.splitlines()) == 1 and not done.out


# Hitting


def test_a_place_is_hit(command: Command, family: Path, tmp_path: Path) -> None:
    _, found = aim(family, "head_top")
    place = found.place_m((0.12, 0.05), 16)
    done = command(
        "family", "hit", family, "--point", "head_top", "--place", *place, "--frame", "16",
        "-o", "out.npz",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "out.npz: 32 frames at 20 Hz",
        "hit: head_top misses by 0.0 mm at frame 16",
        "at aside 0.120, ahead 0.050",
    ]
    clip = poise.load(tmp_path / "out.npz")
    state = forward_kinematics(clip.skeleton, *clip.pose)
    head = clip.skeleton.index("Head")
    assert np.linalg.norm(state.positions_m[16, head] - place) < 0.3


def test_what_is_out_of_reach_ends_with_3_and_is_written(
    command: Command, family: Path, tmp_path: Path
) -> None:
    arguments = (
        "family", "hit", family, "--point", "head_top", "--place", "5", "1", "1", "--frame", "16",
        "-o", "out.bvh",
    )  # fmt: skip
    done = command(*arguments)
    assert done.code == 3 and "out of reach: head_top misses by 4" in done.out, done.err
    assert "at aside 0.200, ahead" in done.out and (tmp_path / "out.bvh").is_file()
    assert command(*arguments, "--overwrite", "--accept").code == 0


def test_a_ball_is_met(command: Command, family: Path, tmp_path: Path) -> None:
    _, found = aim(family, "right_hand_tip")
    there = found.place_m((0.08, 0.1), 15)
    lines = [
        f"{frame},{there[0]},{there[1] + 0.2 * (frame - 15)},{there[2] + (frame - 15)}"
        for frame in range(8, 24)
    ]
    (tmp_path / "ball.csv").write_text("\n".join(["frame,x,y,z", *lines]), encoding="utf-8")
    done = command(
        "family", "hit", family, "--point", "right_hand_tip", "--ball", "ball.csv", "-o", "out.bvh",
        "--still-feet",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "hit: right_hand_tip misses by 0.0 mm at frame 15" in done.out
    assert "at aside 0.080, ahead 0.100" in done.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "--place and --frame must be both, or --ball instead"),
        (("--place", "0", "1", "1"), "--place and --frame must be both, or --ball instead"),
        (("--frame", "3"), "--place and --frame must be both, or --ball instead"),
        (("--place", "0", "1", "1", "--frame", "3", "--ball", "b.csv"),
         "--place and --frame must be both, or --ball instead"),
        (("--frame", "3", "--ball", "b.csv"),
         "--place and --frame must be both, or --ball instead"),
        (("--place", "0", "1", "1", "--frame", "32"), "frame must be from 0 to 31, got 32"),
        (("--place", "0", "1", "1", "--frame", "-1"), "frame must be from 0 to 31, got -1"),
        (("--place", "0", "1", "--frame", "3"), "'--place'"),
        (("--place", "0", "1", "nan", "--frame", "3"), "place_m must be three numbers"),
        (("--ball", "none.csv"), "none.csv: expected an existing file"),
        (("--ball", "b.csv"), "b.csv:2: expected frame,x,y,z: numbers, found '8,1,2'"),
        (("--ball", "late.csv"), "path_m must be at least one place in a frame of the family"),
    ],
)  # fmt: skip
def test_bad_hits_are_one_line(
    command: Command, family: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "b.csv").write_text("7,1,2,3\n8,1,2\n", encoding="utf-8")
    (tmp_path / "late.csv").write_text("99,1,2,3\n", encoding="utf-8")
    done = command("family", "hit", family, "--point", "head_top", *options, "-o", "out.bvh")
    assert done.code == 2 and said in done.err, done.err
    assert len(done.err.splitlines()) == 1 and not done.out
    assert not (tmp_path / "out.bvh").exists()


def test_points_that_nobody_knows_are_one_line(command: Command, family: Path) -> None:
    done = command(
        "family", "hit", family, "--point", "head_tp", "--place", "0", "1", "1", "--frame", "3",
        "-o", "out.bvh",
    )  # fmt: skip
    assert done.code == 2 and "Did you mean 'head_top'?" in done.err
    assert len(done.err.splitlines()) == 1


def test_only_families_are_played_at_ports_that_there_are(
    command: Command, family: Path, tmp_path: Path
) -> None:
    assert command("sample", "walk", "-o", "walk.npz").code == 0
    done = command("family", "play", "walk.npz", "--no-browser")
    assert done.code == 2 and "expected a motion family, found a clip" in done.err
    assert len(done.err.splitlines()) == 1
    done = command("family", "play", family, "--no-browser", "--port", 99_999)
    assert done.code == 2 and "port must be one that is free" in done.err


def test_help_says_what_there_is(command: Command) -> None:
    done = command("family", "--help")
    assert done.code == 0
    for word in ("build", "blend", "hit", "play"):
        assert word in done.out
