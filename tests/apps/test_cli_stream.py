"""`poise filter --stream`: BVH in, BVH out, line by line, and what is said when a line is wrong."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import poise
from poise import rotations
from poise.apps.cli.main import main
from poise.apps.cli.stream_lines import BvhLines, BvhStream
from poise.character import Skeleton, complete_character, with_ranges
from poise.constraints.recruiting import find_joint
from poise.formats import load_clip
from poise.mechanics import forward_kinematics
from poise.methods.filter.stream import frames_of
from poise.methods.filter.stream_window import StreamFrame, run_stream
from poise.methods.retarget.stream import RetargetStream
from poise.samples import sample_character, walk
from poise.transfer import correspondence
from tests.apps.command_line import Done
from tests.shared_data import MOCAP, ROBOTS, needs_mocap, needs_robots

RECIPE = """\
poise: 1
clip: {clean: false}
environment: {ground: {height_m: 0}}
steps:
  - filter:
      settings: {passes: 1K}
      constraints:
        - plant: {name: left foot, part: left_foot, mode: follow, frames: all,
                  displacement_m: [0.03, 0, 0]}
        - hold_point: {name: hand, point: right_wrist, mode: offset, frames: [3, 12],
                       place_m: [0, 0.05, 0]}
"""

Command = Callable[..., Done]


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> Command:
    """The command line inside this process, in a folder of its own, fed from `text`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    poise.save(walk(1.0, 30.0), tmp_path / "walk.bvh")

    def run(*arguments: object, text: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["poise", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capfdbinary.readouterr()
        assert b"Traceback" not in said.err and b"internal error" not in said.err, said.err
        return Done(int(stopped.value.code or 0), said.out.decode(), said.err.decode())

    return run


def split(text: str) -> tuple[str, list[str]]:
    """The header, and the frames."""
    at = text.index("\n", text.index("Frame Time")) + 1
    return text[:at], text[at:].splitlines(keepends=True)


def test_a_stream_has_the_very_text_of_the_whole_clip(command: Command, tmp_path: Path) -> None:
    assert command("filter", "walk.bvh", "--recipe", "r.yaml", "-o", "whole.bvh").code == 0
    text = (tmp_path / "walk.bvh").read_bytes()
    done = command("filter", "-", "--recipe", "r.yaml", "--stream", text=text)
    assert done.code == 0, done.err
    assert done.out == (tmp_path / "whole.bvh").read_bytes().decode()
    assert done.out != text.decode()
    assert "30 frames a second, given back 0 frames (0.00 s) later" in done.err


@needs_mocap
def test_a_real_file_goes_through_in_its_own_digits(command: Command, tmp_path: Path) -> None:
    header, frames = split((MOCAP / "cmu" / "02_01.bvh").read_bytes().decode())
    text = header.replace("Frames: 344", "Frames: 25") + "".join(frames[40:65])
    (tmp_path / "cut.bvh").write_bytes(text.encode())
    assert command("filter", "cut.bvh", "--recipe", "r.yaml", "-o", "whole.bvh").code == 0
    done = command("filter", "cut.bvh", "--recipe", "r.yaml", "--stream", "-o", "streamed.bvh")
    assert (done.code, done.out) == (0, ""), done.err
    whole, streamed = ((tmp_path / f"{n}.bvh").read_bytes() for n in ("whole", "streamed"))
    assert streamed == whole


def test_each_frame_is_there_before_the_next_one_comes(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    poise.save(walk(1.0, 30.0), tmp_path / "walk.bvh")
    header, frames = split((tmp_path / "walk.bvh").read_bytes().decode())
    with subprocess.Popen(
        [sys.executable, "-m", "poise", "filter", "-", "--recipe", "r.yaml", "--stream"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(header.encode())
        for number, frame in enumerate(frames[:5]):
            process.stdin.write(frame.encode())
            process.stdin.flush()
            if number == 0:
                for line in header.splitlines(keepends=True):
                    assert process.stdout.readline() == line.encode()
            assert len(process.stdout.readline().split()) == len(frame.split())
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait() == 0


def test_dynamic_rounds_give_back_every_frame_and_say_how_late(
    command: Command, tmp_path: Path
) -> None:
    text = (tmp_path / "walk.bvh").read_bytes()
    dynamic = ("--set", "filter.settings.passes=1D+1K")
    done = command("filter", "-", "--recipe", "r.yaml", "--stream", *dynamic, text=text)
    assert done.code == 0, done.err
    assert len(split(done.out)[1]) == len(split(text.decode())[1])
    assert "frames (1." in done.err


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("1 2 3\n", "numbers in a frame, found 3"),
        ("nan", "a number in a frame, found 'nan'"),
        ("1e400", "a number in a frame, found '1e400'"),
        ("½", "a number in a frame, found '½'"),
    ],
)
def test_a_bad_line_is_named_and_the_frames_before_it_are_written(
    command: Command, tmp_path: Path, wrong: str, words: str
) -> None:
    header, frames = split((tmp_path / "walk.bvh").read_bytes().decode())
    if not wrong.endswith("\n"):
        wrong = " ".join([*frames[4].split()[:-1], wrong]) + "\n"
    text = (header + "".join([*frames[:4], wrong, *frames[5:]])).encode()
    for passes in ("1K", "1D"):
        set_ = ("--set", f"filter.settings.passes={passes}")
        done = command("filter", "-", "--recipe", "r.yaml", "--stream", *set_, text=text)
        assert done.code == 2
        line = header.count("\n") + 5
        assert f"standard input:{line}: expected" in done.err
        assert words in done.err
        assert len(split(done.out)[1]) == 4


def test_a_root_that_jumps_is_said_as_it_comes(command: Command, tmp_path: Path) -> None:
    clip = poise.load(tmp_path / "walk.bvh")
    roots = clip.root_positions_m.copy()
    roots[12:] += (0.0, 0.0, 100.0)
    poise.save(replace(clip, root_positions_m=roots), tmp_path / "jumps.bvh")
    done = command("filter", "jumps.bvh", "--stream", "--recipe", "r.yaml")
    assert done.err.count("the root jumps") == 1, done.err
    assert "note: frame 12: the root jumps by 100 m, faster than a body can move" in done.err
    whole = command("filter", "walk.bvh", "--stream", "--recipe", "r.yaml")
    assert "jumps" not in whole.err


def test_a_header_that_cannot_be_read_is_said_with_its_line(
    command: Command, tmp_path: Path
) -> None:
    text = (tmp_path / "walk.bvh").read_bytes().replace(b"ROOT", b"TOOR")
    done = command("filter", "-", "--recipe", "r.yaml", "--stream", text=text)
    assert (done.code, done.out) == (2, "")
    assert "standard input:2: expected 'ROOT'" in done.err.replace(
        "expected ROOT", "expected 'ROOT'"
    )


@pytest.mark.parametrize("kept", ["nothing", "half a header"])
def test_an_end_inside_the_header_is_said(command: Command, tmp_path: Path, kept: str) -> None:
    text = (tmp_path / "walk.bvh").read_bytes()
    text = b"" if kept == "nothing" else text[: text.index(b"MOTION") // 2]
    done = command("filter", "-", "--recipe", "r.yaml", "--stream", text=text)
    assert (done.code, done.out) == (2, "")
    assert "standard input" in done.err


def test_a_header_without_frames_comes_back_alone(command: Command, tmp_path: Path) -> None:
    header, _ = split((tmp_path / "walk.bvh").read_bytes().decode())
    done = command("filter", "-", "--recipe", "r.yaml", "--stream", text=header.encode())
    assert (done.code, done.out) == (0, header)


def test_blank_lines_and_comments_are_no_frames(command: Command, tmp_path: Path) -> None:
    header, frames = split((tmp_path / "walk.bvh").read_bytes().decode())
    text = header + frames[0] + "\n# a comment\n" + frames[1]
    done = command("filter", "-", "--recipe", "r.yaml", "--stream", text=text.encode())
    assert len(split(done.out)[1]) == 2


def test_what_a_stream_cannot_do_is_said_with_its_place_in_the_recipe(
    command: Command, tmp_path: Path
) -> None:
    text = (tmp_path / "walk.bvh").read_bytes()
    still = ("--set", "left foot.mode=still")
    done = command("filter", "-", "--recipe", "r.yaml", "--stream", *still, text=text)
    assert (done.code, done.out) == (2, "")
    assert "follow in a stream" in done.err and "left foot" in done.err


def test_a_file_is_not_replaced_unasked(command: Command, tmp_path: Path) -> None:
    (tmp_path / "out.bvh").write_text("mine", encoding="utf-8")
    done = command("filter", "walk.bvh", "--recipe", "r.yaml", "--stream", "-o", "out.bvh")
    assert done.code == 2 and "--overwrite" in done.err
    assert (tmp_path / "out.bvh").read_text(encoding="utf-8") == "mine"


def test_deform_has_no_stream(command: Command) -> None:
    assert command("deform", "walk.bvh", "--recipe", "r.yaml", "--stream").code == 2


def test_a_stream_can_go_to_another_body(command: Command, tmp_path: Path) -> None:
    """Shorter limbs; the feet go where those of the sender go."""
    text = (tmp_path / "walk.bvh").read_bytes()
    short = ("--set", "character.limbs=0.9", "--without", "hand")
    done = command("filter", "-", "--recipe", "r.yaml", "--stream", *short, text=text)
    assert done.code == 0, done.err
    (tmp_path / "short.bvh").write_bytes(done.out.encode())
    ankle = find_joint(sample_character(), "left_ankle")
    before, after = (load_clip(tmp_path / f"{name}.bvh", unit="cm") for name in ("walk", "short"))
    places = [
        forward_kinematics(c.skeleton, *c.pose).positions_m[:, ankle] for c in (before, after)
    ]
    assert np.abs(places[0] + [0.03, 0.0, 0.0] - places[1]).max() < 1e-3
    assert np.all(after.root_positions_m[:, 1] < before.root_positions_m[:, 1] - 0.03)


# Another body: `poise stream`.


@pytest.fixture
def retargeting(command: Command, tmp_path: Path) -> Command:
    """`poise stream`, beside a child of the walker's bones in `child.bvh`."""
    clip = walk(1.0, 30.0)
    short = replace(clip.skeleton, offsets_m=0.7 * clip.skeleton.offsets_m)
    child = replace(clip, skeleton=short, root_positions_m=0.7 * clip.root_positions_m, source=None)
    poise.save(child, tmp_path / "child.bvh")
    return command


@pytest.mark.parametrize("feet", [True, False])
def test_frames_of_another_body_go_out(retargeting: Command, tmp_path: Path, feet: bool) -> None:
    text = (tmp_path / "walk.bvh").read_bytes()
    asked = () if feet else ("--no-feet",)
    done = retargeting("stream", "-", "--to", "child.bvh", *asked, text=text)
    assert done.code == 0, done.err
    said = "given back 4 frames (0.13 s) later" if feet else "given back 0 frames (0.00 s) later"
    assert said in done.err and "0.70 times as far" in done.err
    (tmp_path / "out.bvh").write_bytes(done.out.encode())
    found = load_clip(tmp_path / "out.bvh", unit="cm")
    clip, child = (load_clip(tmp_path / f"{n}.bvh", unit="cm") for n in ("walk", "child"))
    source = complete_character(clip.skeleton)
    target = with_ranges(complete_character(child.skeleton))
    made = RetargetStream(source, target, correspondence(source, target), 30.0, feet=feet)
    frames = list(run_stream(frames_of(clip), made))
    assert found.frame_count == clip.frame_count
    assert found.skeleton.joint_names == child.skeleton.joint_names
    roots = np.stack([frame.root_m for frame in frames])
    turns = np.stack([frame.rotations_wxyz for frame in frames])
    expected = forward_kinematics(target.skeleton, roots, turns).positions_m
    places = forward_kinematics(found.skeleton, *found.pose).positions_m
    np.testing.assert_allclose(places, expected, atol=1e-6)


@needs_robots
def test_joint_angles_of_a_robot_go_out(retargeting: Command, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    text, robot = (tmp_path / "walk.bvh").read_bytes(), ROBOTS / "unitree_g1" / "g1_nomesh.xml"
    for layout in ("unitree", "bvh"):
        done = retargeting("stream", "-", "--to", robot, "--layout", layout, text=text)
        assert done.code == 0, done.err
        if layout == "bvh":
            assert len(split(done.out)[1]) == len(split(text.decode())[1])
            continue
        rows = np.array([line.split(",") for line in done.out.splitlines()], dtype=np.float64)
        assert rows.shape == (len(split(text.decode())[1]), 3 + 4 + 29)
        assert 0.6 < rows[:, 2].min() < rows[:, 2].max() < 0.9  # Z is up
        np.testing.assert_allclose(np.linalg.norm(rows[:, 3:7], axis=1), 1.0, atol=1e-6)
        assert np.abs(np.diff(rows[:, 3:], axis=0)).max() < 0.5


def test_joints_in_any_order_are_written_as_a_file_needs_them(tmp_path: Path) -> None:
    """A skeleton whose joints stand breadth first, and rest turned."""
    poise.save(walk(1.0, 30.0), tmp_path / "walk.bvh")
    skeleton = sample_character().skeleton
    depth = np.array([len(skeleton.ancestors(j)) for j in range(skeleton.joint_count)])
    order = np.argsort(depth, kind="stable")
    new = np.argsort(order)
    parents = skeleton.parents[order]
    rng = np.random.default_rng(12345)
    shuffled = Skeleton(
        tuple(skeleton.joint_names[j] for j in order),
        np.where(parents >= 0, new[parents], -1),
        skeleton.offsets_m[order],
        rotations.normalize(rng.normal(size=(len(order), 4))),
    )
    incoming = BvhStream(io.BytesIO((tmp_path / "walk.bvh").read_bytes()), "walk")
    lines = BvhLines(shuffled, incoming)
    pose = StreamFrame(rng.normal(size=3), rotations.normalize(rng.normal(size=(len(order), 4))))
    header = lines.header.replace("Frames: 31", "Frames: 1")
    (tmp_path / "out.bvh").write_text(header + lines.line(pose), encoding="utf-8")
    found = load_clip(tmp_path / "out.bvh", unit="cm")
    assert found.skeleton.joint_names != shuffled.joint_names
    joints = [found.skeleton.index(name) for name in shuffled.joint_names]
    places = forward_kinematics(found.skeleton, *found.pose).positions_m[:, joints]
    expected = forward_kinematics(shuffled, pose.root_m[None], pose.rotations_wxyz[None])
    np.testing.assert_allclose(places, expected.positions_m, atol=1e-6)


def test_angles_go_on_from_frame_to_frame(retargeting: Command, tmp_path: Path) -> None:
    """Of one who turns round more than once."""
    clip = walk(1.0, 30.0)
    angles = np.radians(np.linspace(0.0, 500.0, clip.frame_count))
    about = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), angles)
    turns = clip.rotations_wxyz.copy()
    turns[:, 0] = rotations.multiply(about, turns[:, 0])
    poise.save(replace(clip, rotations_wxyz=turns, source=None), tmp_path / "turning.bvh")
    done = retargeting("stream", "turning.bvh", "--to", "child.bvh", "--no-feet")
    assert done.code == 0, done.err
    rows = np.array([line.split() for line in split(done.out)[1]], dtype=np.float64)
    assert np.abs(np.diff(rows[:, 3:6], axis=0)).max() < 40.0
    assert abs(rows[-1, 3:6] - rows[0, 3:6]).max() > 400.0


def test_balance_can_be_asked_for(retargeting: Command, tmp_path: Path) -> None:
    text = (tmp_path / "walk.bvh").read_bytes()
    done = retargeting("stream", "-", "--to", "child.bvh", "--passes", "1D+1K", text=text)
    assert done.code == 0, done.err
    assert len(split(done.out)[1]) == len(split(text.decode())[1])
    assert "frames (1." in done.err


def test_a_mapping_says_who_follows_whom(retargeting: Command, tmp_path: Path) -> None:
    text = (tmp_path / "walk.bvh").read_bytes()
    (tmp_path / "map.yaml").write_text("LeftArm: null\n", encoding="utf-8")
    outs = [
        retargeting("stream", "-", "--to", "child.bvh", *more, text=text).out
        for more in ((), ("--mapping", "map.yaml"))
    ]
    assert split(outs[0])[0] == split(outs[1])[0] and outs[0] != outs[1]
    (tmp_path / "map.yaml").write_text("LeftArm: Nobody\n", encoding="utf-8")
    done = retargeting("stream", "-", "--to", "child.bvh", "--mapping", "map.yaml", text=text)
    assert (done.code, done.out) == (2, "") and "Nobody" in done.err


def test_a_lost_frame_ends_it_and_the_frames_before_are_written(
    retargeting: Command, tmp_path: Path
) -> None:
    header, frames = split((tmp_path / "walk.bvh").read_bytes().decode())
    wrong = " ".join([*frames[9].split()[:-1], "nan"]) + "\n"
    text = (header + "".join(frames[:9]) + wrong + "".join(frames[10:])).encode()
    done = retargeting("stream", "-", "--to", "child.bvh", text=text)
    assert done.code == 2 and "a number in a frame, found 'nan'" in done.err
    assert len(split(done.out)[1]) == 9


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--layout", "amc"), "layout must be one of bvh, unitree, got 'amc'"),
        (("--layout", "unitree"), "joints must be hinges"),
        (("--scale", "0"), "scale must be from 0.01 to 100"),
        (("--passes", "much"), "passes"),
        (("-o", "walk.bvh"), "--overwrite"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_written(
    retargeting: Command, tmp_path: Path, asked: tuple[str, ...], words: str
) -> None:
    text = (tmp_path / "walk.bvh").read_bytes()
    done = retargeting("stream", "-", "--to", "child.bvh", *asked, text=text)
    assert (done.code, done.out) == (2, "") and words in done.err
    assert (tmp_path / "walk.bvh").read_bytes() == text


def test_a_header_without_frames_has_nothing_to_say(retargeting: Command, tmp_path: Path) -> None:
    header, _ = split((tmp_path / "walk.bvh").read_bytes().decode())
    done = retargeting("stream", "-", "--to", "child.bvh", text=header.encode())
    assert (done.code, done.out) == (0, "")
