"""`poise retarget`: another body on the command line."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from poise import job, rotations
from poise.arrays import Array
from poise.formats import load_clip, save_clip
from poise.methods.retarget import FIGURES
from poise.samples import running, walking
from poise.units import world_from_file_wxyz
from tests.apps.command_line import Command, Done
from tests.shared_data import ROBOTS


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    save_clip(walking(seconds=1.2, rate_hz=30.0).clip, path)
    return path


def test_who_follows_whom_is_explained(command: Command, walk: Path, tmp_path: Path) -> None:
    done = command("retarget", walk, "--to", walk, "--explain")
    assert done.code == 0, done.err
    assert "LeftLeg" in done.out and "(left_knee)" in done.out
    assert list(tmp_path.iterdir()) == [walk]


def test_a_mapping_changes_it(command: Command, walk: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "map.yaml"
    mapping.write_text("Head: Neck\nLeftHand: null\n", encoding="utf-8")
    done = command("retarget", walk, "--to", walk, "--mapping", mapping, "--explain")
    lines = {line.split()[0]: line for line in done.out.splitlines()}
    assert "Neck  (given)" in lines["Head"] and "stays at rest" in lines["LeftHand"]


def test_a_walk_on_its_own_body_is_written(command: Command, walk: Path, tmp_path: Path) -> None:
    done = command("retarget", walk, "--to", walk, "-o", "same.bvh", "--kinematic")
    assert done.code == 0, done.err
    assert "1.00 times as far" in done.out and "kinematic: converged" in done.out
    assert load_clip(tmp_path / "same.bvh").frame_count == load_clip(walk).frame_count


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "output must be given"),
        (("--robot", "angles.csv", "--kinematic"), "joints must be hinges"),
        (("-o", "walk.bvh"), "output must be a new file"),
        (("-o", "out.bvh", "--scale", "0", "--kinematic"), "scale must be from 0.01 to 100"),
        (("-o", "out.bvh", "--mapping", "walk.bvh"), "expected"),
    ],
)
def test_what_cannot_be_is_one_line(
    command: Command, walk: Path, options: tuple[str, ...], said: str
) -> None:
    done = command("retarget", walk, "--to", walk, *options)
    assert done.code == 2 and said in done.err and done.err.count("\n") <= 2, done.err


def test_what_is_no_human_is_named(command: Command, walk: Path, tmp_path: Path) -> None:
    other = tmp_path / "stick.bvh"
    other.write_text(
        "HIERARCHY\nROOT base\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
        "Zrotation Xrotation Yrotation\nJOINT tip\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation "
        "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\n"
        "Frame Time: 0.033\n0 0 0 0 0 0 0 0 0\n",
        encoding="utf-8",
    )
    done = command("retarget", walk, "--to", other, "-o", "out.bvh")
    assert done.code == 2 and "left_knee" in done.err


def test_its_recipe_does_the_same(command: Command, walk: Path, tmp_path: Path) -> None:
    done = command("retarget", walk, "--to", walk, "-o", "one.npz", "--kinematic")
    assert done.code == 0, done.err
    usual = Path(job.__file__).with_name("retarget_clip.yaml")
    done = command(
        "run", usual, "--clip", walk, "--set", f"character.to={walk.as_posix()}", "--set",
        "retarget.settings.balance=false", "-o", "two.npz", "--report", "page.html",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.out.startswith("retarget: 37 frames at 30 Hz\n  kinematic: converged: ")
    assert "foot slide" in done.out and (tmp_path / "page.html").is_file()
    one, two = (load_clip(tmp_path / f"{name}.npz") for name in ("one", "two"))
    np.testing.assert_array_equal(one.rotations_wxyz, two.rotations_wxyz)
    np.testing.assert_array_equal(one.root_positions_m, two.root_positions_m)


def table(done: Done, stages: tuple[str, ...]) -> dict[str, list[float]]:
    """The figures that were said, by name, one a stage."""
    lines = done.out.splitlines()
    head = next(i for i, line in enumerate(lines) if tuple(line.split()) == stages)
    return {
        line[: -12 * len(stages)].strip(): [float(cell) for cell in line.split()[-len(stages) :]]
        for line in lines[head + 1 : head + 2 + len(FIGURES)]
    }


def test_what_every_stage_measures_is_a_table(command: Command, walk: Path) -> None:
    done = command("retarget", walk, "--to", walk, "-o", "out.npz")
    assert done.code == 0, done.err
    figures = table(done, ("kinematic", "physics"))
    assert list(figures) == [*FIGURES.values(), "limbs in each other, cm"]
    assert all(len(cells) == 2 for cells in figures.values())
    assert figures["slide, cm/s"][1] <= 0.5 and figures["deepest, cm"][1] <= 0.5
    assert "kinematic: converged. " in done.out and "physics: converged. " in done.out


def test_poses_alone_hold_nothing(command: Command, walk: Path, tmp_path: Path) -> None:
    """Nothing is held: a body keeps to its own motion exactly, to what a file can say."""
    done = command("retarget", walk, "--to", walk, "-o", "out.npz", "--poses")
    assert done.code == 0, done.err
    assert list(table(done, ("kinematic",))) == [*FIGURES.values(), "limbs in each other, cm"]
    made, clip = load_clip(tmp_path / "out.npz"), load_clip(walk)
    np.testing.assert_allclose(made.root_positions_m, clip.root_positions_m, atol=1e-6)
    apart = rotations.angle_between(made.rotations_wxyz, clip.rotations_wxyz)
    assert apart.max() < 1e-5


def test_kinematic_leaves_physics_out(command: Command, walk: Path) -> None:
    done = command("retarget", walk, "--to", walk, "-o", "out.npz", "--kinematic")
    assert done.code == 0, done.err
    assert "physics" not in done.out
    assert table(done, ("kinematic",))["slide, cm/s"][0] <= 0.5


@pytest.fixture
def g1() -> Path:
    pytest.importorskip("mujoco", reason="MuJoCo is not installed (package mujoco)")
    path = ROBOTS / "unitree_g1" / "g1_nomesh.xml"
    if not path.is_file():
        pytest.skip(f"{path} is not here (set POISE_SHARED)")
    return path


def angles_of(command: Command, walk: Path, robot: Path, name: str, *more: str) -> Path:
    """A robot's file of the kinematic stage, and its clip beside it."""
    path = walk.parent / name
    done = command(
        "retarget", walk, "--to", robot, "--robot", path, "-o", f"{path.stem}_clip.npz",
        "--kinematic", *more,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert f"{path}: 37 frames at 30 Hz" in done.out
    return path


def z_up(path: Path) -> tuple[Array, Array]:
    """Root places and rotations of the clip beside a robot's file, as the file should have them."""
    clip = load_clip(path.with_name(f"{path.stem}_clip.npz"))
    to_file = rotations.conjugate(world_from_file_wxyz("z"))
    return (
        rotations.rotate(to_file, clip.root_positions_m),
        rotations.multiply(to_file, clip.rotations_wxyz[:, 0]),
    )


def test_an_npz_for_a_robot_has_every_channel(command: Command, walk: Path, g1: Path) -> None:
    path = angles_of(command, walk, g1, "walk.npz")
    with np.load(path) as read:
        arrays = dict(read)
    names = [str(name) for name in arrays["joint_names"]]
    assert len(names) == 29 and names[0] == "left_hip_pitch_joint"
    assert arrays["fps"] == 30.0 and arrays["joint_pos"].shape == (37, 29)
    facts = json.loads(str(arrays["conventions_json"]))
    assert facts == {"up": "z", "length": "m", "angle": "rad", "quaternion": "wxyz"}
    for name in ("contact.left_foot", "contact.right_foot", "impossible"):
        assert set(np.unique(arrays[name])) <= {0.0, 1.0}, name
    feet = arrays["contact.left_foot"] + arrays["contact.right_foot"]
    assert feet.min() >= 1.0 and feet.max() == 2.0, "a walk has a foot on the ground"
    assert {f"torque_nm.{name}" for name in names} <= set(arrays)
    knee = arrays["torque_nm.left_knee_joint"]
    assert knee.shape == (37,) and 5.0 < np.abs(knee).max() < 200.0
    places, turns = z_up(path)
    np.testing.assert_allclose(arrays["root_pos"], places, atol=1e-9)
    assert rotations.angle_between(arrays["root_quat_wxyz"], turns).max() < 1e-7
    assert 0.6 < arrays["root_pos"][:, 2].min() < arrays["root_pos"][:, 2].max() < 0.9, "Z is up"
    np.testing.assert_allclose(
        arrays["joint_vel"], 30.0 * np.gradient(arrays["joint_pos"], axis=0), atol=1e-9
    )


def test_a_csv_for_a_robot_says_the_same_with_a_header(
    command: Command, walk: Path, g1: Path
) -> None:
    path = angles_of(command, walk, g1, "walk.csv")
    with np.load(angles_of(command, walk, g1, "same.npz")) as read:
        arrays = dict(read)
    heads = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    assert rows.shape == (37, len(heads)) and len(set(heads)) == len(heads)
    column = {head: rows[:, i] for i, head in enumerate(heads)}
    np.testing.assert_allclose(column["time_s"], np.arange(37) / 30.0, atol=1e-8)
    roots = np.stack([column[f"root_{axis}_m"] for axis in "xyz"], axis=1)
    np.testing.assert_allclose(roots, arrays["root_pos"], atol=1e-7)
    turns = np.stack([column[f"root_q{part}"] for part in "wxyz"], axis=1)
    np.testing.assert_allclose(turns, arrays["root_quat_wxyz"], atol=1e-7)
    for i, name in enumerate(arrays["joint_names"]):
        np.testing.assert_allclose(column[f"{name}.pos_rad"], arrays["joint_pos"][:, i], atol=1e-7)
        np.testing.assert_allclose(
            column[f"{name}.vel_rad_s"], arrays["joint_vel"][:, i], atol=1e-6
        )
    more = [name for name in arrays if name.startswith(("contact.", "torque_nm.", "impossible"))]
    assert set(more) == {h for h in heads if h.startswith(("contact.", "torque_nm.", "impossible"))}
    for name in more:
        np.testing.assert_allclose(column[name], arrays[name], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    ("file", "layout"), [("walk.csv", "unitree"), ("walk.csv", "gmr"), ("walk.pkl", "gmr")]
)
def test_other_layouts_have_their_own_columns(
    command: Command, walk: Path, g1: Path, file: str, layout: str
) -> None:
    path = angles_of(command, walk, g1, file, "--layout", layout)
    with np.load(angles_of(command, walk, g1, "same.npz")) as read:
        arrays = dict(read)
    if path.suffix == ".csv":
        rows = np.loadtxt(path, delimiter=",")
        assert rows.shape == (37, 7 + 29)
        root, turn, angles = rows[:, :3], rows[:, 3:7], rows[:, 7:]
    else:
        read = pickle.loads(path.read_bytes())
        assert read["fps"] == 30 and read["local_body_pos"] is None
        root, turn, angles = read["root_pos"], read["root_rot"], read["dof_pos"]
    np.testing.assert_allclose(root, arrays["root_pos"], atol=1e-7)
    np.testing.assert_allclose(turn, arrays["root_quat_wxyz"][:, [1, 2, 3, 0]], atol=1e-7)
    np.testing.assert_allclose(angles, arrays["joint_pos"], atol=1e-7)


@pytest.mark.parametrize(
    ("file", "layout", "said"),
    [
        ("walk.npz", "unitree", ".csv in the layout unitree"),
        ("walk.npz", "gmr", ".pkl or .csv in the layout gmr"),
        ("walk.pkl", "poise", ".csv or .npz in the layout poise"),
        ("walk.csv", "mjlab", "layout must be one of poise, unitree, gmr"),
    ],
)
def test_a_layout_that_a_file_cannot_have_is_refused(
    command: Command, walk: Path, g1: Path, file: str, layout: str, said: str
) -> None:
    done = command("retarget", walk, "--to", g1, "--robot", file, "--layout", layout)
    assert done.code == 2 and said in done.err, done.err
    assert not (walk.parent / file).exists()


def test_what_a_robot_cannot_do_is_said_and_marked(
    command: Command, tmp_path: Path, g1: Path
) -> None:
    """A run at the speed of its legs, poses and contacts only: out of balance nearly throughout."""
    run = tmp_path / "run.bvh"
    save_clip(running(1.0, 30.0).clip, run)
    done = command("retarget", run, "--to", g1, "--robot", "run.npz", "--kinematic")
    assert done.code == 0, done.err
    lines = [line for line in done.out.splitlines() if line.startswith("impossible, frame")]
    assert 1 <= len(lines) <= 5
    with np.load(tmp_path / "run.npz") as read:
        marked = read["impossible"].astype(bool)
    spans = [[int(w) for w in line.split(":")[0].split() if w.isdigit()] for line in lines]
    lengths = [span[-1] - span[0] for span in spans]
    assert lengths == sorted(lengths, reverse=True)
    for span in spans:
        assert marked[span[0] : span[-1] + 1].all()
    said = "and " in done.out and "more, shorter: " in done.out
    covered = sum(span[-1] - span[0] + 1 for span in spans)
    assert said or marked.sum() <= covered, "what is not said is counted"


def test_without_torques_in_the_layout_nothing_else_is_lost(
    command: Command, walk: Path, g1: Path
) -> None:
    """`--no-torque` is about the motion: what motors would have to do is written all the same."""
    path = angles_of(command, walk, g1, "free.npz", "--no-torque")
    with np.load(path) as read:
        assert "torque_nm.left_knee_joint" in read.files


def test_a_stage_that_does_not_get_there_is_code_3_unless_accepted(
    command: Command, walk: Path, g1: Path, tmp_path: Path
) -> None:
    asked = ("retarget", walk, "--to", g1, "--kinematic", "--scale", "4")
    done = command(*asked, "--robot", "far.npz")
    assert done.code == 3 and "kinematic: infeasible. " in done.out, done.err
    assert (tmp_path / "far.npz").is_file(), "it is written all the same"
    assert command(*asked, "--robot", "far2.npz", "--accept").code == 0
