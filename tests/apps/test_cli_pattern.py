"""`poise pattern` as a user meets it: learn, edit, show, on swings that are made by code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from poise.arrays import Array
from poise.character import Character, complete_character
from poise.job import load_pattern, save_pattern
from poise.methods.pattern import Pattern, learn
from poise.methods.pattern.learning import moments_of
from poise.motion import Clip
from poise.samples import sample_character
from tests.apps.command_line import Command, Done
from tests.methods.patterned import CLUB, HIT, made, place_of, swings

COUNT = 4
FRAMES = (54, 50, 54, 59)
"""Of the hit in every swing."""
TOOL = "club_head=left_wrist:" + ",".join(f"{x:g}" for x in np.asarray(CLUB.place_m))
RULE = "hit=lowest:club_head,near:fastest"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Swings, and motions that are none."""
    path = tmp_path_factory.mktemp("clips")
    for i, clip in enumerate(swings()[:COUNT]):
        poise.save(clip, path / f"swing{i}.bvh")
    poise.save(made("reach"), path / "reach.bvh")
    poise.save(made("walk"), path / "walk.bvh")
    for frames in (1, 3):
        poise.save(made().sliced(0, frames), path / f"frames{frames}.bvh")
    return path


@pytest.fixture(scope="module")
def clips(folder: Path) -> list[Path]:
    return sorted(folder.glob("swing*.bvh"))


@pytest.fixture(scope="module")
def swing(clips: list[Path]) -> Path:
    return clips[0]


def learned(clips: list[Path], **more: object) -> Pattern:
    return learn([poise.load(each) for each in clips], sample_character(), tools=[CLUB], **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def model(clips: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pattern with a club, whose hit is found by rule."""
    path = tmp_path_factory.mktemp("models") / "swings.npz"
    save_pattern(learned(clips, rules=[HIT]), path)
    return path


@pytest.fixture(scope="module")
def by_frames(clips: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pattern whose hit was given for every clip."""
    path = tmp_path_factory.mktemp("models") / "frames.npz"
    save_pattern(learned(clips, events=[{"hit": frame} for frame in FRAMES]), path)
    return path


def body(clip: Clip, model: Path) -> Character:
    return load_pattern(model).with_tools(complete_character(clip.skeleton))


def head(path: Path, model: Path, frame: int) -> Array:
    """Where the club's head is."""
    clip = poise.load(path)
    return place_of(clip, "club_head", frame, body(clip, model))


def near(path: Path, model: Path, frame: int, by: tuple[float, float, float]) -> list[str]:
    """A place beside where the head is, in words for a command line."""
    return [f"{x:.4f}" for x in head(path, model, frame) + np.array(by)]


def hit_frame(path: Path, model: Path) -> int:
    clip, read = poise.load(path), load_pattern(model)
    found = moments_of(clip, body(clip, model), read.rules, read.span, clip.name, None)
    return found.events["hit"]


def assert_one_line(done: Done, said: str) -> None:
    assert done.code == 2 and said in done.err, done.err
    assert len(done.err.splitlines()) == 1 and not done.out


# Learning


def test_a_pattern_is_learned_with_a_club_that_is_fitted(
    command: Command, clips: list[Path], tmp_path: Path
) -> None:
    done = command("pattern", "learn", *clips, "--fit-club", "-o", "swings.npz")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("club_head: 1.0") and "from left_wrist" in lines[0]
    assert lines[1].startswith("4 motions of 22 joints, brought to ")
    assert lines[2].startswith("events: takeaway 0, top ") and ", finish " in lines[2]
    assert lines[3] == "held: club_head, on left_wrist"
    assert "100 %; edits use 3" in lines[4]
    assert [line.split(":")[0] for line in lines[5:9]] == [f"  swing{i}" for i in range(4)]
    assert lines[9:] == ["swings.npz: a pattern of 4 motions"]
    read = load_pattern(tmp_path / "swings.npz")
    assert [name for name, _ in read.events] == ["takeaway", "top", "hit", "finish"]
    assert read.span == ("takeaway", "finish") and read.used == 3
    assert [tool.name for tool in read.tools] == ["club_head"]
    assert list(tmp_path.iterdir()) == [tmp_path / "swings.npz"]


def test_the_club_may_be_in_the_other_hand(
    command: Command, clips: list[Path], tmp_path: Path
) -> None:
    options = ("--fit-club", "--hand", "right_wrist", "-o", "swings.npz")
    done = command("pattern", "learn", *clips, *options)
    assert done.code == 0, done.err
    assert load_pattern(tmp_path / "swings.npz").tools[0].on == "right_wrist"


def test_events_of_ones_own_beside_a_fitted_club_are_used_instead_of_those_of_a_swing(
    command: Command, clips: list[Path], tmp_path: Path
) -> None:
    hit = "ball=lowest:club_head,near:fastest"
    done = command("pattern", "learn", *clips, "--fit-club", "--event", hit, "-o", "s.npz")
    assert done.code == 0, done.err
    read = load_pattern(tmp_path / "s.npz")
    assert [name for name, _ in read.events] == ["ball"] and read.span == (None, None)


def test_without_events_the_moment_of_greatest_speed_is_used(
    command: Command, clips: list[Path], tmp_path: Path
) -> None:
    done = command("pattern", "learn", *clips, "-o", "s.npz")
    assert done.code == 0, done.err
    assert "events: peak " in done.out and not done.err
    assert load_pattern(tmp_path / "s.npz").rules[0].kind == "fastest"


def test_clips_may_be_stretched_only(command: Command, clips: list[Path], tmp_path: Path) -> None:
    done = command("pattern", "learn", *clips, "--no-events", "-o", "s.npz")
    assert done.code == 0, done.err
    assert "events" not in done.out
    assert load_pattern(tmp_path / "s.npz").events == ()


def test_events_are_found_by_rules_with_a_tool_of_ones_own(
    command: Command, clips: list[Path], tmp_path: Path
) -> None:
    top = "top=highest:left_wrist,before:hit"
    done = command(
        "pattern", "learn", *clips, "--tool", TOOL, "--event", top, "--event", RULE,
        "--span", "top,", "-o", "s.npz",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "events: top 0, hit " in done.out and "(top 43, hit 54)" in done.out
    read = load_pattern(tmp_path / "s.npz")
    assert read.span == ("top", None) and {rule.name for rule in read.rules} == {"top", "hit"}
    np.testing.assert_array_equal(read.tools[0].place_m, np.asarray(CLUB.place_m))


def test_events_are_given_as_frames_of_every_clip(
    command: Command, clips: list[Path], tmp_path: Path
) -> None:
    frames = ",".join(map(str, FRAMES))
    done = command("pattern", "learn", *clips, "--event", f"hit={frames}", "-o", "s.npz")
    assert done.code == 0, done.err
    for i, frame in enumerate(FRAMES):
        assert f"  swing{i}: " in done.out and f"(hit {frame})" in done.out
    assert load_pattern(tmp_path / "s.npz").rules == ()


@pytest.mark.parametrize(
    ("options", "used"),
    [(("--components", "2"), 2), (("--share", "0.01"), 1), (("--share", "1"), 3), ((), 3)],
)
def test_so_many_components_are_used(
    command: Command, clips: list[Path], tmp_path: Path, options: tuple[str, ...], used: int
) -> None:
    done = command("pattern", "learn", *clips, *options, "-o", "s.npz")
    assert done.code == 0 and f"; edits use {used}\n" in done.out, done.err
    read = load_pattern(tmp_path / "s.npz")
    assert read.used == used and len(read.variances) == 3


def test_the_same_clips_give_the_same_bytes(
    command: Command, clips: list[Path], tmp_path: Path
) -> None:
    for name in ("one.npz", "two.npz"):
        assert command("pattern", "learn", *clips, "--fit-club", "-o", name).code == 0
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_a_pattern_is_replaced_only_when_told(
    command: Command, clips: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "s.npz").write_text("mine", encoding="utf-8")
    done = command("pattern", "learn", *clips, "-o", "s.npz")
    assert_one_line(done, "output must be a new file (or --overwrite), got 's.npz'")
    assert (tmp_path / "s.npz").read_text(encoding="utf-8") == "mine"
    assert command("pattern", "learn", *clips, "-o", "s.npz", "--overwrite").code == 0
    assert len(load_pattern(tmp_path / "s.npz").examples) == COUNT


def test_what_cannot_be_learned_leaves_the_old_pattern(
    command: Command, folder: Path, clips: list[Path], tmp_path: Path
) -> None:
    assert command("pattern", "learn", *clips, "-o", "s.npz").code == 0
    before = (tmp_path / "s.npz").read_bytes()
    bad = (*clips, folder / "frames3.bvh")
    assert command("pattern", "learn", *bad, "-o", "s.npz", "--overwrite").code == 2
    assert (tmp_path / "s.npz").read_bytes() == before


EVENT = "NAME=KIND:POINT[,near:KIND][,after:EVENT][,before:EVENT]"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "'-o' / '--output'"),
        (("-o", "s.bvh"), "output must be a file that ends in .npz, got 's.bvh'"),
        (("-o", "s"), "output must be a file that ends in .npz, got 's'"),
        (("-o", "none/s.npz"), "expected an existing folder to write into"),
        (("-o", "s.npz", "--event", "hit"), f"--event must be {EVENT}, or NAME=FRAME,FRAME,..."),
        (("-o", "s.npz", "--event", ""), f"--event must be {EVENT}"),
        (("-o", "s.npz", "--event", "=1,2,3,4"), f"--event must be {EVENT}"),
        (("-o", "s.npz", "--event", "hit="), f"--event must be {EVENT}"),
        (("-o", "s.npz", "--event", "hit=fastest"), f"--event hit must be {EVENT}, or whole"),
        (("-o", "s.npz", "--event", "hit=1,2,3"), "--event hit must be 4 frames, one for every"),
        (("-o", "s.npz", "--event", "hit=1,2,3,x"), "whole frames with commas, got '1,2,3,x'"),
        (("-o", "s.npz", "--event", "hit=1,2,3,4.5"), "whole frames with commas"),
        (("-o", "s.npz", "--event", "hit=50,50,50,999"),
         "event 'hit' of swing3 must be from 0 to 103, got 999"),
        (("-o", "s.npz", "--event", "hit=-1,50,50,50"), "event 'hit' of swing0 must be from 0"),
        (("-o", "s.npz", "--event", "hit=0,50,50,50"),
         "events of swing1 must be inside the clip, as in the other clips"),
        (("-o", "s.npz", "--event", "a=50,50,50,50", "--event", "b=50,60,60,60"),
         "events of swing0 must be in different frames"),
        (("-o", "s.npz", "--event", "a=50,50,50,50", "--event", "b=60,60,60,40"),
         "events of swing3 must be in the order a, b"),
        (("-o", "s.npz", "--event", "hit=fastet:left_wrist"), "Did you mean 'fastest'?"),
        (("-o", "s.npz", "--event", "hit=fastest:left_wrst"), "Did you mean 'left_wrist'?"),
        (("-o", "s.npz", "--event", "hit=fastest:"), "point of an event must be some text"),
        (("-o", "s.npz", "--event", "hit=fastest:left_wrist,nar:lowest"), f"must be {EVENT}"),
        (("-o", "s.npz", "--event", "hit=fastest:left_wrist,near:"), f"must be {EVENT}"),
        (("-o", "s.npz", "--event", "hit=lowest:left_wrist,near:fast"), "extreme to be near"),
        (("-o", "s.npz", "--event", "hit=starts:left_wrist,near:fastest"),
         "near of event 'hit' must be left out beside starts and stops"),
        (("-o", "s.npz", "--event", "hit=fastest:left_wrist,after:top"),
         "No event is called 'top'. Known: hit. Asked for by 'hit'"),
        (("-o", "s.npz", "--event", "a=lowest:head,after:b", "--event", "b=lowest:head,after:a"),
         "without a circle of after and before"),
        (("-o", "s.npz", "--event", "a=lowest:head", "--event", "a=highest:head"),
         "--event a must be given once"),
        (("-o", "s.npz", "--event", "a=lowest:head", "--event", "b=1,2,3,4"),
         "--event must be all found by rule, or all given as frames"),
        (("-o", "s.npz", "--event", "low=lowest:head_top"),
         "event 'low' in swing1 must be inside the clip (head_top is lowest at one of its ends)"),
        (("-o", "s.npz", "--no-events", "--event", RULE), "--no-events must be left out beside"),
        (("-o", "s.npz", "--no-events", "--fit-club"), "--no-events must be left out beside"),
        (("-o", "s.npz", "--span", "hit"), "--span must be FIRST,LAST"),
        (("-o", "s.npz", "--span", "a,b,c"), "--span must be FIRST,LAST"),
        (("-o", "s.npz", "--span", "a,"), "No event is called 'a'. Known: peak. Asked for by"),
        (("-o", "s.npz", "--span", "peak,peak"), "span of swing0 must be from 'peak' to 'peak'"),
        (("-o", "s.npz", "--tool", "club"), "--tool must be NAME=JOINT:X,Y,Z, in metres"),
        (("-o", "s.npz", "--tool", "=left_wrist:1,2,3"), "--tool must be NAME=JOINT:X,Y,Z"),
        (("-o", "s.npz", "--tool", "club=left_wrist:1,2"), "--tool must be NAME=JOINT:X,Y,Z"),
        (("-o", "s.npz", "--tool", "club=left_wrist:1,2,x"), "--tool must be NAME=JOINT:X,Y,Z"),
        (("-o", "s.npz", "--tool", "club=:1,2,3"), "--tool must be NAME=JOINT:X,Y,Z"),
        (("-o", "s.npz", "--tool", "club=left_wrist:1,2,nan"), "place_m of club must be finite"),
        (("-o", "s.npz", "--tool", "club=lft_wrist:1,2,3"), "Did you mean 'left_wrist'?"),
        (("-o", "s.npz", "--tool", "head_top=head:0,0,1"), "one that no site of the character has"),
        (("-o", "s.npz", "--tool", TOOL, "--fit-club"), "got 'club_head'"),
        (("-o", "s.npz", "--fit-club", "--hand", "left_wrst"), "Did you mean 'left_wrist'?"),
        (("-o", "s.npz", "--components", "4"), "components must be from 1 to 3, which is all"),
        (("-o", "s.npz", "--components", "0"), "components must be from 1 to 3"),
        (("-o", "s.npz", "--components", "two"), "'--components'"),
        (("-o", "s.npz", "--share", "1.5"), "share must be above 0, at most 1, got 1.5"),
        (("-o", "s.npz", "--share", "0"), "share must be above 0, at most 1"),
        (("-o", "s.npz", "--share", "nan"), "share must be above 0, at most 1"),
        (("-o", "s.npz", "--share", "0.9", "--components", "2"),
         "components and share must be one of them, got 'both'"),
    ],
)  # fmt: skip
def test_bad_options_of_learning_are_one_line(
    command: Command, clips: list[Path], tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    assert_one_line(command("pattern", "learn", *clips, *options), said)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        ((), (), "'clips'"),
        (("swing0",), (), "clips must be at least two: a pattern is what several motions share"),
        (("swing0",), ("--fit-club",), "clips must be at least 2 swings"),
        (("swing0", "none"), (), "none.bvh: expected an existing file"),
        (("swing0", "swing0"), (), "clips must be different from each other"),
        (("swing0", "walk"), (), "event 'peak' in walk must be one moment (cut the clip, or give"),
        (("swing0", "frames1"), ("--no-events",), "frames1"),
        (("swing0", "frames1"), (), "event 'peak' in frames1"),
        (("swing0", "frames3"), (), "event 'peak' in frames3 must be inside the clip"),
        (("swing0", "frames3"), ("--fit-club",), "frames3"),
    ],
)
def test_bad_clips_are_one_line(
    command: Command, folder: Path, tmp_path: Path, names: tuple[str, ...],
    options: tuple[str, ...], said: str,
) -> None:  # fmt: skip
    paths = [folder / f"{name}.bvh" for name in names]
    assert_one_line(command("pattern", "learn", *paths, *options, "-o", "s.npz"), said)
    assert not list(tmp_path.iterdir())


def test_clips_of_another_skeleton_are_one_line(
    command: Command, swing: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.bvh"
    other.write_text(swing.read_text(encoding="utf-8").replace("Spine2", "Torso"), encoding="utf-8")
    for more in ((), ("--fit-club",)):
        done = command("pattern", "learn", swing, other, *more, "-o", "s.npz")
        assert_one_line(done, "of other must be 'Spine2' as in swing0, got 'Torso'")
    assert not (tmp_path / "s.npz").exists()


def test_a_clip_of_one_frame_is_no_swing(command: Command, folder: Path, swing: Path) -> None:
    done = command("pattern", "learn", swing, folder / "frames1.bvh", "--fit-club", "-o", "s.npz")
    assert_one_line(done, "frames1")


def test_one_clip_three_times_is_one_motion(command: Command, swing: Path) -> None:
    done = command("pattern", "learn", swing, swing, swing, "-o", "s.npz")
    assert_one_line(done, "clips must be different from each other")


def test_motions_of_different_behaviours_have_no_pattern(
    command: Command, folder: Path, swing: Path
) -> None:
    done = command("pattern", "learn", swing, folder / "reach.bvh", "--no-events", "-o", "s.npz")
    assert_one_line(done, "of the same behaviour")


def test_an_event_is_given_once(command: Command, clips: list[Path]) -> None:
    twice = ("--event", "hit=50,50,50,50", "--event", "hit=51,51,51,51")
    assert_one_line(command("pattern", "learn", *clips, *twice, "-o", "s.npz"), "hit")


def test_a_hand_that_holds_nothing_is_not_passed_over(command: Command, clips: list[Path]) -> None:
    done = command("pattern", "learn", *clips, "--hand", "right_wrist", "-o", "s.npz")
    assert_one_line(done, "--hand")


# Editing


def test_a_place_is_hit(command: Command, model: Path, swing: Path, tmp_path: Path) -> None:
    frame = hit_frame(swing, model)
    place = near(swing, model, frame, (0.03, 0.01, 0.0))
    done = command(
        "pattern", "edit", model, swing, "--hit", "club_head", *place, "--frame", "hit",
        "-o", "it.bvh",
    )  # fmt: skip
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "pattern: 1 constraint on 97 frames at 30 Hz"
    assert lines[2].split()[:4] == ["club_head", "hit_at", "1", f"{frame}-{frame}"]
    assert lines[3:] == ["converged: All constraints are met.", "it.bvh: 97 frames at 30 Hz"]
    assert np.linalg.norm(head(tmp_path / "it.bvh", model, frame) - np.float64(place)) < 1e-3
    assert poise.load(swing).frame_count == poise.load(tmp_path / "it.bvh").frame_count


@pytest.mark.parametrize("name", ["it.bvh", "it.npz", "it.glb"])
def test_frames_are_numbers_too_and_all_formats_reopen(
    command: Command, model: Path, swing: Path, tmp_path: Path, name: str
) -> None:
    place = near(swing, model, 50, (0.02, 0.0, 0.0))
    options = ("--hit", "club_head", *place, "--frame", "50", "-o", name)
    done = command("pattern", "edit", model, swing, *options)
    assert done.code == 0 and "50-50" in done.out, done.err
    again = poise.load(tmp_path / name)
    assert again.frame_count == 97
    gone = place_of(again, "club_head", 50, body(again, model)) - np.float64(place)
    assert np.linalg.norm(gone) < 2e-3


def test_an_edit_that_asks_for_what_is_there_changes_nothing(
    command: Command, model: Path, swing: Path, tmp_path: Path
) -> None:
    place = near(swing, model, 50, (0.0, 0.0, 0.0))
    options = ("--hit", "club_head", *place, "--frame", "50", "-o", "it.npz")
    assert command("pattern", "edit", model, swing, *options).code == 0
    before, after = poise.load(swing), poise.load(tmp_path / "it.npz")
    np.testing.assert_array_equal(after.rotations_wxyz, before.rotations_wxyz)
    np.testing.assert_array_equal(after.root_positions_m, before.root_positions_m)


def test_what_lies_outside_ends_with_3_and_is_written(
    command: Command, model: Path, swing: Path, tmp_path: Path
) -> None:
    arguments = (
        "pattern", "edit", model, swing, "--hit", "club_head", "3", "0", "0", "--frame", "hit",
        "-o", "it.bvh",
    )  # fmt: skip
    done = command(*arguments)
    assert done.code == 3, done.err
    assert "infeasible: 'club_head' misses its goal by up to 2." in done.out
    assert "It lies outside what the motions of the pattern show" in done.out
    assert poise.load(tmp_path / "it.bvh").frame_count == 97
    assert command(*arguments).code == 2
    again = command(*arguments, "--overwrite", "--accept")
    assert again.code == 0 and "not met" in again.out


def test_a_lesser_goal_may_be_added(
    command: Command, model: Path, swing: Path, tmp_path: Path
) -> None:
    frame = hit_frame(swing, model)
    place = near(swing, model, frame, (0.02, 0.01, 0.0))
    clip = poise.load(swing)
    wrist = place_of(clip, "left_wrist", 43, body(clip, model))
    also = ",".join(["left_wrist", *(f"{x:.4f}" for x in wrist), "43"])
    done = command(
        "pattern", "edit", model, swing, "--hit", "club_head", *place, "--frame", "hit",
        "--also", also, "--also", f"club_head,0,1,0,{frame}", "-o", "it.bvh", "--accept",
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = [line.split() for line in done.out.splitlines()[2:5]]
    assert [row[0] for row in rows] == ["club_head", "left_wrist", "club_head"]
    assert rows[1][1:4] == ["hit_at", "2", "43-43"] and rows[2][1:4] == ["3", "hit_at", "3"]
    assert "misses its goal" in done.out and "club_head 3" in done.out
    assert np.linalg.norm(head(tmp_path / "it.bvh", model, frame) - np.float64(place)) < 1e-3


RECIPE = """\
poise: 1
steps:
  - pattern:
      pattern: none.npz
      settings: {details: dropped}
      constraints:
        - hit_at: {name: ball, point: club_head, place_m: [9, 9, 9], frame: 54}
        - hit_at: {name: wrist, point: left_wrist, place_m: [9, 9, 9], frame: 20, priority: 2}
"""


def test_a_recipe_says_more_and_may_be_changed(
    command: Command, model: Path, swing: Path, tmp_path: Path
) -> None:
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    place = [float(x) for x in near(swing, model, 54, (0.02, 0.0, 0.0))]
    done = command(
        "pattern", "edit", model, swing, "--recipe", "r.yaml", "-o", "it.bvh",
        "--set", f"ball.place_m={place}", "--without", "wrist",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "pattern: 1 constraint on 97 frames" in done.out and "ball" in done.out
    text = RECIPE.replace("none.npz", str(model)).replace(
        "[9, 9, 9], frame: 54", f"{place}, frame: 54"
    )
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    again = command(
        "run", "own.yaml", "--clip", swing, "-o", "again.bvh", "--without", "wrist",
    )  # fmt: skip
    assert again.code == 0, again.err
    assert (tmp_path / "again.bvh").read_bytes() == (tmp_path / "it.bvh").read_bytes()


def test_settings_the_place_and_a_report_may_be_given(
    command: Command, model: Path, swing: Path, tmp_path: Path
) -> None:
    (tmp_path / "place.yaml").write_text("ground: {height_m: 0.0}\n", encoding="utf-8")
    place = near(swing, model, 54, (0.03, 0.0, 0.0))
    done = command(
        "pattern", "edit", model, swing, "--hit", "club_head", *place, "--frame", "54",
        "--environment", "place.yaml", "--set", "pattern.settings.feet=free",
        "--set", "club_head.axes=xz", "--report", "it.html",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "Floor estimated" not in done.err
    assert "it.html: " in done.out and "club_head" in (tmp_path / "it.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "it.bvh"), "--hit and --frame must be both given (or --recipe)"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0"), "--hit and --frame must be both"),
        (("-o", "it.bvh", "--frame", "hit"), "--hit and --frame must be both"),
        (("-o", "it.bvh", "--also", "club_head,0,0,0,3"), "--hit and --frame must be both"),
        (("--hit", "club_head", "0", "0", "0", "--frame", "hit"),
         "output must be given, or nothing would be written (-o OUT)"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "--frame", "hit"), "'--hit'"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "x", "--frame", "hit"), "'--hit'"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "nan", "--frame", "3"),
         "the options: expected a number"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "1e99", "--frame", "3"),
         "expected a number of at most 1e+09"),
        (("-o", "it.bvh", "--hit", "club_hed", "0", "0", "0", "--frame", "hit"),
         "Did you mean 'club_head'?"),
        (("-o", "it.bvh", "--hit", "", "0", "0", "0", "--frame", "hit"), "must be some text"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", "hti"),
         "No event of the pattern is called 'hti'. Did you mean 'hit'? Known: hit. Or give a"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", "5.5"),
         "No event of the pattern is called '5.5'"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", ""),
         "No event of the pattern is called ''"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", "97"),
         "the options: interval of 'club_head' must be inside the clip (0 to 96)"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", "-1"),
         "the options: frame of 'club_head' must be 0 or more, got -1"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", "9" * 30),
         "expected a number of at most 1e+09"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", "3", "--also", "head"),
         "--also must be POINT,X,Y,Z,FRAME, got 'head'"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", "3",
          "--also", "head,0,0,x,3"), "--also must be POINT,X,Y,Z,FRAME"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", "3",
          "--also", "hed,0,0,0,3"), "No point (site, joint or role) is called 'hed'"),
        (("-o", "it.bvh", "--hit", "club_head", "0", "0", "0", "--frame", "3",
          "--also", "head,0,0,0,top"), "No event of the pattern is called 'top'"),
        (("-o", "it.bvh", "--recipe", "r.yaml", "--hit", "club_head", "0", "0", "0"),
         "--hit, --by, --frame and --also must be left out beside --recipe"),
        (("-o", "it.bvh", "--recipe", "r.yaml", "--also", "head,0,0,0,3"),
         "--hit, --by, --frame and --also must be left out beside --recipe"),
        (("-o", "it.bvh", "--recipe", "none.yaml"), "none.yaml: expected an existing file"),
        (("-o", "it.bvh", "--recipe", "deform.yaml"), "'pattern'"),
        (("-o", "it.xyz", "--hit", "head", "0", "0", "0", "--frame", "3"),
         "an extension that a clip can be written to"),
        (("-o", "it.bvh", "--hit", "head", "0", "0", "0", "--frame", "3",
          "--environment", "none.yaml"), "--environment none.yaml: "),
        (("-o", "it.bvh", "--hit", "head", "0", "0", "0", "--frame", "3",
          "--set", "pattern.settings.rech=2"), "Did you mean 'reach'?"),
        (("-o", "it.bvh", "--hit", "head", "0", "0", "0", "--frame", "3",
          "--set", "pattern.settings.components=9"), "components must be at most 3"),
        (("-o", "it.bvh", "--hit", "head", "0", "0", "0", "--frame", "3",
          "--set", "pattern.settings.events={top: 3}"), "as in the pattern: hit, got 'top'"),
        (("-o", "it.bvh", "--hit", "head", "0", "0", "0", "--frame", "3", "--without", "ghost"),
         "No constraint is called 'ghost'. Known: head"),
    ],
)  # fmt: skip
def test_bad_options_of_editing_are_one_line(
    command: Command, model: Path, swing: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "deform.yaml").write_text("poise: 1\nsteps:\n  - deform:\n", encoding="utf-8")
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    assert_one_line(command("pattern", "edit", model, swing, *options), said)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deform.yaml", "r.yaml"]


def test_nothing_is_written_over(
    command: Command, model: Path, swing: Path, tmp_path: Path
) -> None:
    for option, name in {"-o": "o.bvh", "--report": "r.html"}.items():
        (tmp_path / name).write_text("mine", encoding="utf-8")
        options = ("--hit", "head", "0", "1.6", "0", "--frame", "3", option, name)
        done = command("pattern", "edit", model, swing, *options)
        assert_one_line(done, f"{name}: expected a new file")
        assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("frame", ["hit", "0"])
def test_clips_that_do_not_go_with_the_pattern_are_one_line(
    command: Command, model: Path, swing: Path, folder: Path, tmp_path: Path, frame: str
) -> None:
    other = tmp_path / "other.bvh"
    other.write_text(swing.read_text(encoding="utf-8").replace("Spine2", "Torso"), encoding="utf-8")
    for clip, said in (
        (other, "'Spine2' as in the pattern, got 'Torso'"),
        (folder / "frames3.bvh", "event 'hit' in frames3"),
        (folder / "frames1.bvh", "event 'hit' in frames1"),
        (folder / "none.bvh", "none.bvh: expected an existing file"),
    ):
        options = ("--hit", "head", "0", "1.6", "0", "--frame", frame, "-o", "it.bvh")
        assert_one_line(command("pattern", "edit", model, clip, *options), said)
        assert not (tmp_path / "it.bvh").exists()


def test_a_clip_unlike_the_pattern_is_told_so(command: Command, model: Path, folder: Path) -> None:
    options = ("--hit", "head", "0", "1.6", "0", "--frame", "5", "-o", "it.bvh")
    done = command("pattern", "edit", model, folder / "walk.bvh", *options)
    assert done.code == 3
    assert "note: The clip is unlike the pattern's motions: " in done.err


def test_what_is_no_pattern_is_one_line(
    command: Command, model: Path, swing: Path, tmp_path: Path
) -> None:
    poise.save(poise.load(swing), tmp_path / "clip.npz")
    (tmp_path / "cut.npz").write_bytes(model.read_bytes()[:3000])
    (tmp_path / "text.npz").write_text("poise: 1\n", encoding="utf-8")
    options = ("--hit", "head", "0", "1.6", "0", "-o", "it.bvh")
    for name, said in (
        ("clip.npz", "expected a pattern, found a clip. Learn one with 'poise pattern learn'"),
        ("cut.npz", "cut.npz: expected a complete NumPy archive"),
        ("text.npz", "text.npz: expected a complete NumPy archive"),
        ("none.npz", "none.npz: expected an existing file"),
        (str(swing), "expected a complete NumPy archive"),
    ):
        assert_one_line(command("pattern", "show", name), said)
        for frame in ("hit", "3"):
            done = command("pattern", "edit", name, swing, *options, "--frame", frame)
            assert_one_line(done, said)
    assert not (tmp_path / "it.bvh").exists()


def test_a_pattern_of_given_frames_edits_its_own_clips(
    command: Command, by_frames: Path, swing: Path, tmp_path: Path
) -> None:
    place = near(swing, by_frames, 54, (0.02, 0.0, 0.0))
    options = ("--hit", "club_head", *place, "--frame", "54", "-o", "it.bvh")
    assert command("pattern", "edit", by_frames, swing, *options).code == 0
    assert np.linalg.norm(head(tmp_path / "it.bvh", by_frames, 54) - np.float64(place)) < 1e-3


def test_a_pattern_of_given_frames_is_told_those_of_other_clips(
    command: Command, by_frames: Path, swing: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.bvh"
    other.write_bytes(swing.read_bytes())
    place = near(swing, by_frames, 54, (0.02, 0.0, 0.0))
    options = ("--hit", "club_head", *place, "-o", "it.bvh")
    done = command("pattern", "edit", by_frames, other, *options, "--frame", "54")
    assert_one_line(done, "events of other must be given, as in the pattern (hit)")
    told = ("--frame", "hit", "--set", "pattern.settings.events={hit: 54}")
    done = command("pattern", "edit", by_frames, other, *options, *told)
    assert done.code == 0 and "54-54" in done.out, done.err


def test_events_that_were_given_are_known_in_the_patterns_own_clips(
    command: Command, by_frames: Path, swing: Path
) -> None:
    place = near(swing, by_frames, 54, (0.02, 0.0, 0.0))
    options = ("--hit", "club_head", *place, "--frame", "hit", "-o", "it.bvh")
    done = command("pattern", "edit", by_frames, swing, *options)
    assert done.code == 0 and "54-54" in done.out, done.err


def test_events_that_were_given_are_asked_for_in_other_clips(
    command: Command, by_frames: Path, swing: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.bvh"
    other.write_bytes(swing.read_bytes())
    options = ("--hit", "club_head", "0", "0", "0", "--frame", "hit", "-o", "it.bvh")
    done = command("pattern", "edit", by_frames, other, *options)
    assert_one_line(done, "events of other must be given, as in the pattern (hit)")


@pytest.mark.parametrize("frame", ["--5", "\N{SUPERSCRIPT TWO}"])
def test_frames_that_are_no_numbers_are_one_line(
    command: Command, model: Path, swing: Path, frame: str
) -> None:
    options = ("--hit", "club_head", "0", "0", "0", f"--frame={frame}", "-o", "it.bvh")
    done = command("pattern", "edit", model, swing, *options)
    assert_one_line(done, "No event of the pattern is called")


def test_a_goal_at_an_event_may_be_changed_too(command: Command, model: Path, swing: Path) -> None:
    place = near(swing, model, hit_frame(swing, model), (0.02, 0.5, 0.0))
    options = ("--hit", "club_head", *place, "--frame", "hit", "-o", "it.bvh")
    done = command("pattern", "edit", model, swing, *options, "--set", "club_head.axes=x")
    assert done.code == 0, done.err


def test_a_frame_beside_a_recipe_is_not_passed_over(
    command: Command, model: Path, swing: Path, tmp_path: Path
) -> None:
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    options = ("--recipe", "r.yaml", "--frame", "hit", "-o", "it.bvh")
    assert_one_line(command("pattern", "edit", model, swing, *options), "--frame")


def test_a_step_without_its_pattern_is_told_so(
    command: Command, swing: Path, tmp_path: Path
) -> None:
    text = RECIPE.replace("      pattern: none.npz\n", "")
    (tmp_path / "r.yaml").write_text(text, encoding="utf-8")
    done = command("run", "r.yaml", "--clip", swing, "-o", "it.bvh")
    assert_one_line(done, "pattern must be given")


# Showing


def test_what_was_learned_is_shown(command: Command, model: Path, tmp_path: Path) -> None:
    done = command("pattern", "show", model)
    assert done.code == 0 and not done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("4 motions of 22 joints, brought to ")
    assert lines[1].startswith("events: hit ") and lines[2].startswith("held: club_head")
    assert lines[3].startswith("components explain ")
    for i, frame in enumerate(FRAMES):
        assert lines[4 + i].startswith(f"  swing{i}: ") and f"(hit {frame})" in lines[4 + i]
    assert not list(tmp_path.iterdir())


def test_what_may_hit_is_shown(command: Command, model: Path) -> None:
    assert "club_head" in command("pattern", "show", model).out


@pytest.mark.parametrize("word", ["learn", "edit", "show"])
def test_help_says_what_there_is(command: Command, word: str) -> None:
    assert word in command("pattern", "--help").out
    done = command("pattern", word, "--help")
    assert done.code == 0 and f"poise pattern {word}" in done.out
