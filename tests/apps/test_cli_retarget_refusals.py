"""`poise retarget` with what it cannot do: one line, the file by name, nothing written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from poise.formats import load_clip, save_clip
from poise.samples import walking
from tests.apps.command_line import Command, Done
from tests.unsuitable_bodies import (
    Link,
    anonymous,
    arm_alone,
    bvh,
    dog,
    hand,
    humanoid,
    legs_only,
    mirrored,
    mjcf,
    on_wheels,
    quadruped,
)

pytest.importorskip("mujoco", reason="MuJoCo is not installed (package mujoco)")

LONE = Link("lonely", (0.0, 0.0, 1.0))
UNSUITABLE = {
    "go2.xml": (mjcf(quadruped()), "four legs"),
    "nameless.xml": (mjcf(anonymous(quadruped())), "four legs"),
    "dog.bvh": (bvh(dog()), "four legs"),
    "hand.xml": (mjcf(hand()), "hand"),
    "cart.xml": (mjcf(on_wheels()), "wheels for legs"),
    "legs.xml": (mjcf(legs_only()), "no arms"),
    "bench.xml": (mjcf(arm_alone(), floats=False), "one chain of 6 joints"),
    "lone.xml": (mjcf(LONE), "one piece"),
    "lone.bvh": (bvh(LONE), "one piece"),
    "strange.xml": (mjcf(anonymous(humanoid())), "names do not tell"),
}
KINDS = tuple(UNSUITABLE)


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    save_clip(walking(seconds=1.0, rate_hz=30.0).clip, path)
    return path


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "robot.xml"
    path.write_text(mjcf(humanoid()), encoding="utf-8")
    return path


def written(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text(UNSUITABLE[name][0], encoding="utf-8")
    return path


def assert_refused(done: Done, folder: Path, *said: str) -> None:
    """Code 2, one line with these words, and no file that was not there."""
    assert done.code == 2, (done.code, done.out, done.err)
    assert done.err.strip().count("\n") == 0, done.err
    for word in said:
        assert word in done.err, done.err
    assert not list(folder.glob("out*")), "something was written"


def with_rows(walk: Path, rows: Sequence[str], name: str) -> Path:
    """The walk with other rows of numbers."""
    head, _, motion = walk.read_text(encoding="utf-8").partition("MOTION\n")
    rate = motion.splitlines()[1]
    path = walk.with_name(name)
    text = f"{head}MOTION\nFrames: {len(rows)}\n{rate}\n" + "\n".join(rows) + "\n"
    path.write_text(text, encoding="utf-8")
    return path


def rows_of(walk: Path) -> list[str]:
    return walk.read_text(encoding="utf-8").partition("MOTION\n")[2].splitlines()[2:]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("option", [("-o", "out.npz"), ("--robot", "out.csv"), ("--explain",)])
def test_an_unsuitable_body_is_refused_by_name(
    command: Command, walk: Path, tmp_path: Path, name: str, option: tuple[str, ...]
) -> None:
    done = command("retarget", walk, "--to", written(tmp_path, name), *option)
    assert_refused(done, tmp_path, name)


@pytest.mark.parametrize("name", KINDS)
def test_it_is_said_what_an_unsuitable_body_is(
    command: Command, walk: Path, tmp_path: Path, name: str
) -> None:
    done = command("retarget", walk, "--to", written(tmp_path, name), "-o", "out.npz")
    assert_refused(done, tmp_path, name, UNSUITABLE[name][1], "two arms and two legs")


@pytest.mark.parametrize("name", ["dog.bvh", "lone.bvh"])
def test_an_unsuitable_source_is_refused_by_name(
    command: Command, robot: Path, tmp_path: Path, name: str
) -> None:
    done = command("retarget", written(tmp_path, name), "--to", robot, "-o", "out.npz")
    assert_refused(done, tmp_path, name)
    assert "robot.xml" not in done.err and "character: {roles" not in done.err
    assert UNSUITABLE[name][1] in done.err and "--roles" in done.err


def test_joints_of_a_motion_can_be_named(command: Command, walk: Path, tmp_path: Path) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text("left_knee: Hips\n", encoding="utf-8")
    done = command("retarget", walk, "--to", walk, "--roles", roles, "-o", "out.npz")
    assert_refused(done, tmp_path, "walk.bvh")
    roles.write_text("left_knee: LeftLeg\n", encoding="utf-8")
    done = command("retarget", walk, "--to", walk, "--roles", roles, "--explain")
    assert done.code == 0, done.err


def test_a_robot_file_has_no_motion(
    command: Command, walk: Path, robot: Path, tmp_path: Path
) -> None:
    done = command("retarget", robot, "--to", walk, "-o", "out.bvh")
    assert_refused(done, tmp_path, "robot.xml", "a clip can be read from", "a body with --to")


def test_what_slides_is_refused(command: Command, walk: Path, robot: Path, tmp_path: Path) -> None:
    text = robot.read_text(encoding="utf-8").replace(
        'name="neck_joint" type="hinge"', 'name="neck_joint" type="slide"'
    )
    robot.write_text(text, encoding="utf-8")
    done = command("retarget", walk, "--to", robot, "-o", "out.npz")
    assert_refused(done, tmp_path, "robot.xml", "the slide joint neck_joint", "Weld it")


def test_a_range_of_no_width_is_refused(command: Command, walk: Path, tmp_path: Path) -> None:
    path = tmp_path / "stiff.xml"
    path.write_text(mjcf(humanoid((0.0, 0.0))), encoding="utf-8")
    done = command("retarget", walk, "--to", path, "-o", "out.npz")
    assert_refused(done, tmp_path, "stiff.xml", "left_knee_joint")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (mjcf(humanoid(), floats=False), "pelvis is fixed to the world in the file"),
        (mjcf(mirrored(humanoid())), "Left and right look swapped"),
    ],
    ids=["root welded", "sides swapped"],
)
def test_what_was_assumed_about_a_body_is_said(
    command: Command, walk: Path, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "odd.xml"
    path.write_text(text, encoding="utf-8")
    done = command("retarget", walk, "--to", path, "-o", "out.npz", "--kinematic")
    assert done.code == 0 and said in done.err, done.err


def test_a_clip_without_frames_is_refused(
    command: Command, walk: Path, robot: Path, tmp_path: Path
) -> None:
    empty = with_rows(walk, [], "empty.bvh")
    done = command("retarget", empty, "--to", robot, "-o", "out.npz")
    assert_refused(done, tmp_path, "empty.bvh", "at least one frame")


@pytest.mark.parametrize("number", ["nan", "inf", "1e30", "x"])
def test_a_number_that_is_none_is_refused_by_its_line(
    command: Command, walk: Path, robot: Path, tmp_path: Path, number: str
) -> None:
    rows = rows_of(walk)
    words = rows[5].split()
    rows[5] = " ".join([*words[:7], number, *words[8:]])
    bad = with_rows(walk, rows, "bad.bvh")
    line = next(
        i for i, text in enumerate(bad.read_text("utf-8").splitlines(), 1) if text == rows[5]
    )
    done = command("retarget", bad, "--to", robot, "-o", "out.npz")
    assert_refused(done, tmp_path, f"bad.bvh:{line}", number)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_poses_of_a_few_frames_are_written(
    command: Command, walk: Path, robot: Path, tmp_path: Path, frames: int
) -> None:
    short = with_rows(walk, rows_of(walk)[:frames], "short.bvh")
    done = command("retarget", short, "--to", robot, "-o", "out.npz", "--kinematic")
    assert done.code == 0, done.err
    assert load_clip(tmp_path / "out.npz").frame_count == frames


def test_one_frame_is_one_frame(command: Command, walk: Path, robot: Path) -> None:
    short = with_rows(walk, rows_of(walk)[:1], "short.bvh")
    done = command("retarget", short, "--to", robot, "-o", "out.npz", "--kinematic")
    assert "1 frame at" in done.out


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_clips_too_short_for_physics_are_said_to_be(
    command: Command, walk: Path, robot: Path, frames: int
) -> None:
    short = with_rows(walk, rows_of(walk)[:frames], "short.bvh")
    done = command("retarget", short, "--to", robot, "-o", "out.npz")
    assert "too short" in done.out + done.err


@pytest.mark.parametrize("scale", ["0", "-1", "0.009", "101", "nan", "inf", "big"])
def test_a_scale_that_is_none_is_refused(
    command: Command, walk: Path, robot: Path, tmp_path: Path, scale: str
) -> None:
    done = command("retarget", walk, "--to", robot, "-o", "out.npz", "--scale", scale)
    assert_refused(done, tmp_path, "scale")


ALIAS_BOMB = (
    "Head: ["
    + "&a0 [x, x, x, x, x, x, x, x, x], "
    + ", ".join(f"&a{k + 1} [{', '.join([f'*a{k}'] * 9)}]" for k in range(11))
    + "]\n"
).encode()
"""Written out, a billion words."""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"Haed: Neck\n", "No joint is called 'Haed'. Did you mean 'Head'?"),
        (b"Head: Nek\n", "No joint of the source is called 'Nek'. Did you mean 'Neck'?"),
        (b"", "joints of the target, each with one of the source"),
        (b"# nothing\n", "joints of the target, each with one of the source"),
        (b"- Head\n- Neck\n", "joints of the target, each with one of the source"),
        (b"Head\n", "joints of the target, each with one of the source"),
        (bytes(range(256)), "a YAML mapping of joints"),
        (b"a: &x\n  b: *x\n", "a YAML mapping of joints"),
        (b"1: 2\n", "names of joints"),
        (b"Head: {Neck: 1}\n", "names of joints"),
        (b"Head: yes\n", "No joint of the source is called 'yes'"),
        (b"Head: true\n", "names of joints"),
        (b'Head: !!python/object/apply:os.system ["echo"]\n',
         "map.yaml:1: expected a YAML mapping of joints: a plain value, found "
         "'tag:yaml.org,2002:python/object/apply:o…' in column 7. Leave the tag out"),
        (b"A: B\n!!python/name:os.system Head: Neck\n", "map.yaml:2: expected a YAML mapping"),
        (b"A: B\nHead: !neck Neck\n", "found '!neck' in column 7"),
        (ALIAS_BOMB, "map.yaml:1: expected names of joints, found 'Head': a list of 12"),
        (b"- " + ALIAS_BOMB, "map.yaml:1: expected joints of the target"),
        (b"Head: *nobody\n", "found undefined alias 'nobody'"),
    ],
    ids=[
        "unknown of the target", "unknown of the source", "empty", "a comment", "a list", "a word",
        "binary", "a cycle", "numbers", "nested", "yes", "true", "code",
        "code as a key", "an unknown tag", "aliases of aliases", "aliases in a list", "no anchor",
    ],
)  # fmt: skip
def test_a_mapping_that_is_none_is_refused(
    command: Command, walk: Path, tmp_path: Path, text: bytes, said: str
) -> None:
    mapping = tmp_path / "map.yaml"
    mapping.write_bytes(text)
    done = command("retarget", walk, "--to", walk, "--mapping", mapping, "-o", "out.bvh")
    assert_refused(done, tmp_path, "map.yaml", said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Head: Neck\nHead: Spine\n", "map.yaml:2: expected each joint once, found 'Head' again"),
        ("ALL", "nothing"),
    ],
    ids=["a joint twice", "nothing follows anything"],
)
def test_a_mapping_that_cannot_be_meant_is_refused(
    command: Command, walk: Path, tmp_path: Path, text: str, said: str
) -> None:
    if text == "ALL":
        text = "".join(f"{name}: null\n" for name in load_clip(walk).skeleton.joint_names)
    mapping = tmp_path / "map.yaml"
    mapping.write_text(text, encoding="utf-8")
    done = command(
        "retarget", walk, "--to", walk, "--mapping", mapping, "-o", "out.bvh", "--kinematic"
    )
    assert_refused(done, tmp_path, "map.yaml", said)


@pytest.mark.parametrize(
    "text",
    ["Head: Head\nNeck: Neck\n", "LeftArm: RightArm\nRightArm: LeftArm\n"],
    ids=["itself", "each other"],
)
def test_joints_may_follow_themselves_and_each_other(
    command: Command, walk: Path, tmp_path: Path, text: str
) -> None:
    mapping = tmp_path / "map.yaml"
    mapping.write_text(text, encoding="utf-8")
    done = command(
        "retarget", walk, "--to", walk, "--mapping", mapping, "-o", "out.bvh", "--kinematic"
    )
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    "options",
    [
        ("--robot", "out.csv", "-o", "out.xyz"),
        ("-o", "out.npz", "--robot", "out.xyz"),
        ("-o", "out.npz", "--robot", "nowhere/out.csv"),
        ("-o", "out.npz", "--robot", "out.csv", "--layout", "other"),
        ("-o", "out.npz", "--robot", "out.npz"),
        ("-o", "out.amc"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_the_work(
    command: Command, walk: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    done = command("retarget", walk, "--to", "nobody.xml", "--kinematic", *options)
    assert_refused(done, tmp_path)
    assert "nobody.xml" not in done.err


def test_where_one_output_cannot_be_none_is_written(
    command: Command, walk: Path, robot: Path, tmp_path: Path
) -> None:
    done = command(
        "retarget", walk, "--to", robot, "--kinematic", "--robot", "out.csv", "-o", "out.xyz"
    )
    assert_refused(done, tmp_path, "out.xyz")
