"""Retargeting as frames come: the poses of the whole clip, limits, delay, feet, balance."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, complete_character, contact_points
from poise.constraints import Scene
from poise.constraints.scene import FLAT
from poise.contact import ContactSchedule, detect_contacts, estimate_ground
from poise.contact.floor import FEET
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.formats import load_character, load_clip
from poise.ik import build, keep_in_range, unsolved
from poise.ik.followed_frames import follow
from poise.measures import evaluate
from poise.mechanics import BodyState, forward_kinematics, site_positions
from poise.methods.filter.settings import Settings
from poise.methods.filter.stream import clip_of, frames_of
from poise.methods.filter.stream_window import StreamFrame, run_stream
from poise.methods.retarget import kinematic
from poise.methods.retarget.stream import RetargetStream
from poise.methods.retarget.stream_poses import StreamTurns, standing
from poise.motion import Clip, resample
from poise.samples import sample_character, walking
from poise.transfer import correspondence, freely_turned, hip_joints, local_turns, wanted_turns
from tests.shared_data import MOCAP, ROBOTS, needs_mocap, needs_robots

HUMAN = sample_character()
WALK = walking(seconds=1.5, rate_hz=30.0).clip
G1 = "unitree_g1/g1_nomesh.xml"
MODELS = (G1, "unitree_h1/h1_nomesh.xml", "booster_t1/t1_nomesh.xml")
SAME = 1e-9
"""Metres and radians: as far as a stream may be from the frame-by-frame stage of a whole clip."""
PHYSICS = Settings(passes="1D+1K", derivatives="analytic")


@cache
def body(name: str) -> Character:
    """A robot, or `human`: the sample figure with other bones, resting otherwise."""
    if name != "human":
        pytest.importorskip("mujoco")
        if not (ROBOTS / name).is_file():
            pytest.skip(f"{ROBOTS / name} is not here (set POISE_SHARED)")
        return complete_character(load_character(ROBOTS / name))
    skeleton = HUMAN.skeleton
    rest = skeleton.rest_wxyz.copy()
    for arm, turn in (("LeftArm", -1.2), ("RightArm", 1.2)):
        joint = skeleton.index(arm)
        rest[joint] = rotations.multiply(rest[joint], rotations.exp(np.array([0.0, 0.0, turn])))
    other = replace(skeleton, rest_wxyz=rest, offsets_m=0.8 * skeleton.offsets_m)
    return complete_character(other)


def stream_to(target: Character, clip: Clip = WALK, **asked: object) -> RetargetStream:
    matches = correspondence(HUMAN, target)
    return RetargetStream(HUMAN, target, matches, clip.rate_hz, **asked)  # type: ignore[arg-type]


def streamed(clip: Clip, stream: RetargetStream) -> Clip:
    skeleton, frames = stream.target.skeleton, clip.frame_count
    rest = np.tile(skeleton.rest_wxyz, (frames, 1, 1))
    like = Clip(skeleton, clip.rate_hz, np.zeros((frames, 3)), rest)
    return clip_of(run_stream(frames_of(clip), stream), like)


def places(clip: Clip) -> Array:
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


def frame_by_frame(clip: Clip, target: Character, stream: RetargetStream) -> Clip:
    """The kinematic stage on the whole clip, up to where it looks at all frames at once."""
    matches, environment = correspondence(HUMAN, target), stream.environment
    state = forward_kinematics(clip.skeleton, *clip.pose)
    world = wanted_turns(state, HUMAN, target, matches)
    still = np.zeros((clip.frame_count, 3))
    made = Clip(target.skeleton, clip.rate_hz, still, local_turns(world, target.skeleton))
    if "hinge" in target.skeleton.kinds:
        made = kinematic._turned(made, world, target, matches, environment)
        world = kinematic._between_hinges(made, world, target, matches)
    free = freely_turned(world, target.skeleton)
    ideal = forward_kinematics(target.skeleton, still, free)
    theirs, mine = (
        s.positions_m[:, hip_joints(c)].mean(axis=1) for s, c in ((state, HUMAN), (ideal, target))
    )
    roots = stream.scale * theirs - mine + [0.0, stream.rise_m, 0.0]
    ideal = forward_kinematics(target.skeleton, roots, free)
    made = replace(made, root_positions_m=roots)
    problem = build(Scene(made, target, environment), kinematic.wishes_of(ideal, target))
    solution = unsolved(problem)
    follow(problem, solution, 0, clip.frame_count - 1)
    keep_in_range(problem, solution, 0, clip.frame_count - 1)
    return kinematic._with(made, solution)


def beyond_limits_rad(clip: Clip) -> float:
    """How far the worst hinge is beyond its range."""
    skeleton, worst = clip.skeleton, 0.0
    for joint in [j for j, kind in enumerate(skeleton.kinds) if kind == "hinge"]:
        turn = rotations.multiply(
            rotations.conjugate(skeleton.rest_wxyz[joint]), clip.rotations_wxyz[:, joint]
        )
        angle = rotations.twist_angle(turn, skeleton.hinge_axes[joint])
        low, high = skeleton.limits_rad[joint, 0]
        worst = max(worst, float(low - angle.min()), float(angle.max() - high))
    return worst


# Poses.


@pytest.mark.parametrize("name", [*MODELS, "human"])
def test_poses_are_those_of_the_whole_clip(name: str) -> None:
    target = body(name)
    stream = stream_to(target, feet=False)
    found, expected = streamed(WALK, stream), frame_by_frame(WALK, target, stream)
    np.testing.assert_allclose(places(found), places(expected), atol=SAME)
    turned = rotations.angle_between(found.rotations_wxyz, expected.rotations_wxyz)
    assert turned.max() < SAME


@pytest.mark.parametrize("name", [*MODELS, "human"])
def test_turns_of_a_frame_are_those_of_the_clip(name: str) -> None:
    """With a joint that is given, one at rest, and one between two."""
    target = body(name)
    given = {target.skeleton.joint_names[-1]: "LeftHand", target.skeleton.joint_names[-2]: ""}
    matches = correspondence(HUMAN, target, given)
    sources, shares = matches.sources.copy(), matches.shares.copy()
    between = [HUMAN.skeleton.index(joint) for joint in ("LeftArm", "LeftForeArm")]
    sources[-3], shares[-3] = between, 0.4
    matches = replace(matches, sources=sources, shares=shares)
    state = forward_kinematics(WALK.skeleton, *WALK.pose)
    expected = wanted_turns(state, HUMAN, target, matches)
    turns = StreamTurns(HUMAN, target, matches)
    for frame in range(0, WALK.frame_count, 5):
        apart = rotations.angle_between(turns.at(state.rotations_wxyz[frame]), expected[frame])
        assert apart.max() < SAME


def test_on_its_own_body_a_motion_stays_what_it_is() -> None:
    stream = stream_to(HUMAN, feet=False)
    assert stream.scale == pytest.approx(1.0) and stream.rise_m == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(places(streamed(WALK, stream)), places(WALK), atol=1e-6)


@pytest.mark.parametrize("name", [*MODELS, "human"])
def test_who_stands_on_the_ground_is_followed_by_one_who_stands_on_it(name: str) -> None:
    state, target = standing(HUMAN), body(name)
    stream = stream_to(target, feet=False)
    low = [lowest_m(state, HUMAN, part) for part in FEET]
    root = np.array([0.0, -min(low), 0.0])
    turns = freely_turned(state.rotations_wxyz[0], HUMAN.skeleton)
    made = stream.push(StreamFrame(root, turns))
    assert made is not None
    found = forward_kinematics(target.skeleton, made.root_m[None], made.rotations_wxyz[None])
    for part in FEET:
        # Feet of an H1, whose ankles have one hinge, do not lie flat.
        assert abs(lowest_m(found, target, part)) < (0.015 if "h1" in name else 0.002)
    assert stream_to(target, rise_m=0.123).rise_m == 0.123


def lowest_m(state: BodyState, character: Character, part: str) -> float:
    return float(site_positions(state, contact_points(character)[part])[..., 1].min())


# Limits.


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "asked", [{"feet": False}, {}, {"physics": PHYSICS}], ids=["poses", "feet", "physics"]
)
def test_no_joint_is_beyond_its_limits(name: str, asked: dict[str, object]) -> None:
    assert beyond_limits_rad(streamed(WALK, stream_to(body(name), **asked))) < 1e-6


@needs_robots
def test_no_joint_is_beyond_its_limits_whatever_comes_in() -> None:
    rng = np.random.default_rng(12345)
    turns = rotations.normalize(rng.normal(size=(40, HUMAN.skeleton.joint_count, 4)))
    wild = Clip(HUMAN.skeleton, 30.0, rng.normal(size=(40, 3)), turns)
    for feet in (False, True):
        found = streamed(wild, stream_to(body(G1), feet=feet))
        assert np.isfinite(found.rotations_wxyz).all()
        assert beyond_limits_rad(found) < 1e-6


# Frames that come and go.


def test_poses_alone_come_at_once() -> None:
    stream = stream_to(body("human"), feet=False)
    assert (stream.latency_frames, stream.latency_s) == (0, 0.0)
    assert all(stream.push(frame) is not None for frame in frames_of(WALK))
    assert list(stream.finish()) == []


@pytest.mark.parametrize("asked", [{}, {"physics": PHYSICS}], ids=["feet", "physics"])
def test_the_first_frame_comes_after_the_stated_delay_and_none_is_lost(
    asked: dict[str, object],
) -> None:
    clip = walking(seconds=3.0, rate_hz=30.0).clip
    stream = stream_to(body("human"), **asked)
    given = [stream.push(frame) for frame in frames_of(clip)]
    late = stream.latency_frames
    assert 0 < late < clip.frame_count and stream.latency_s == late / 30.0
    assert all(frame is None for frame in given[:late])
    assert all(frame is not None for frame in given[late:])
    assert len(list(stream.finish())) == late


def test_contacts_that_the_sender_states_are_not_waited_for() -> None:
    contacts = detect_contacts(WALK, HUMAN, FLAT, FEET)
    stream = stream_to(body("human"), contacts_given=True)
    assert stream.latency_frames == 0
    first = next(frames_of(WALK))
    with pytest.raises(BadShape, match="touching of frame 0"):
        stream.push(first)
    for frame, touching in zip(frames_of(WALK), contacts.touching.tolist(), strict=True):
        made = stream.push(frame._replace(touching=touching))
        assert made is not None and made.touching == touching


def lost(frame: StreamFrame, how: str) -> StreamFrame:
    turns = frame.rotations_wxyz.copy()
    if how == "root":
        return frame._replace(root_m=np.array([0.0, np.nan, 0.0]))
    if how == "joints":
        return frame._replace(rotations_wxyz=turns[:-1])
    turns[3] = np.nan if how == "turn" else 2.0
    return frame._replace(rotations_wxyz=turns)


@pytest.mark.parametrize(
    ("how", "problem", "words"),
    [
        ("root", BadValue, "root_m of frame 7 must be finite"),
        ("turn", BadValue, "rotations_wxyz of frame 7 must be finite"),
        ("length", BadValue, "in frame 7 must be a unit quaternion"),
        ("joints", BadShape, "rotations_wxyz of frame 7"),
    ],
)
@pytest.mark.parametrize("feet", [False, True])
def test_a_frame_that_is_lost_is_refused_and_changes_nothing(
    how: str, problem: type[Exception], words: str, feet: bool
) -> None:
    stream = stream_to(body("human"), feet=feet)
    expected = list(run_stream(frames_of(WALK), stream))

    def some_lost() -> Iterator[StreamFrame]:
        for number, frame in enumerate(frames_of(WALK)):
            if number == 7:
                with pytest.raises(problem, match=words):
                    stream.push(lost(frame, how))
            yield frame

    for one, other in zip(run_stream(some_lost(), stream), expected, strict=True):
        np.testing.assert_array_equal(one.rotations_wxyz, other.rotations_wxyz)
        np.testing.assert_array_equal(one.root_m, other.root_m)


def test_two_streams_at_once_do_not_know_of_each_other() -> None:
    target, backwards = body("human"), replace(
        WALK, root_positions_m=WALK.root_positions_m[::-1],
        rotations_wxyz=WALK.rotations_wxyz[::-1],
    )  # fmt: skip
    alone = [streamed(clip, stream_to(target)) for clip in (WALK, backwards)]
    streams, together = [stream_to(target) for _ in range(2)], ([], [])
    for frames in zip(frames_of(WALK), frames_of(backwards), strict=True):
        for stream, frame, kept in zip(streams, frames, together, strict=True):
            kept.append(stream.push(frame))
    for stream, kept, expected in zip(streams, together, alone, strict=True):
        made = clip_of([f for f in (*kept, *stream.finish()) if f is not None], expected)
        np.testing.assert_array_equal(made.rotations_wxyz, expected.rotations_wxyz)
        np.testing.assert_array_equal(made.root_positions_m, expected.root_positions_m)


def test_what_is_given_back_stays_as_it_is() -> None:
    """Frames are the receiver's, and quaternions do not change sign from one to the next."""
    stream = stream_to(body("human"), feet=False)
    kept = [frame for frame in map(stream.push, frames_of(WALK)) if frame is not None]
    turns = np.stack([frame.rotations_wxyz for frame in kept])
    roots = np.stack([frame.root_m for frame in kept])
    assert list(stream.finish()) == []
    for frame in frames_of(WALK.sliced(20, None)):
        stream.push(frame)
    np.testing.assert_array_equal(turns, np.stack([frame.rotations_wxyz for frame in kept]))
    np.testing.assert_array_equal(roots, np.stack([frame.root_m for frame in kept]))
    assert (np.sum(turns[1:] * turns[:-1], axis=-1) > 0.0).all()
    np.testing.assert_allclose(np.linalg.norm(turns, axis=-1), 1.0, atol=1e-9)


@pytest.mark.slow
def test_memory_does_not_grow() -> None:
    stream, frames = stream_to(body("human")), list(frames_of(WALK))

    def play(count: int) -> int:
        for number in range(count):
            stream.push(frames[number % len(frames)])
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    play(60)
    tracemalloc.start()
    try:
        before = play(300)
        grown = play(600) - before
    finally:
        tracemalloc.stop()
    # The interpreter's own free lists fill up.
    assert grown < 0.25 * 600 * frames[0].rotations_wxyz.nbytes


@pytest.mark.parametrize(
    "asked", [{"scale": 0.0}, {"scale": float("nan")}, {"rise_m": float("inf")}]
)
def test_numbers_that_are_none_are_refused(asked: dict[str, object]) -> None:
    with pytest.raises(BadValue, match=next(iter(asked))):
        stream_to(body("human"), **asked)
    with pytest.raises(BadValue, match="rate_hz"):
        RetargetStream(HUMAN, HUMAN, correspondence(HUMAN, HUMAN), 0.0)


# Feet and balance.


def given_feet(clip: Clip, touching: list[bool]) -> Iterator[StreamFrame]:
    return (frame._replace(touching=touching) for frame in frames_of(clip))


def drifting(speed_m_s: float) -> Clip:
    """A frame of the walk that goes sideways as a whole."""
    steps = np.arange(30)[:, None] / 30.0 * np.array([speed_m_s, 0.0, 0.0])
    turns = np.repeat(WALK.rotations_wxyz[10:11], 30, axis=0)
    return Clip(HUMAN.skeleton, 30.0, WALK.root_positions_m[10] + steps, turns)


def ankles_of(clip: Clip, target: Character) -> Array:
    assert target.roles is not None
    joints = [target.skeleton.index(target.roles.joint(f"{s}_ankle")) for s in ("left", "right")]
    return places(clip)[:, joints]


@pytest.mark.parametrize(
    ("speed_m_s", "belt_m_s", "slides_m_s"),
    [(0.1, 0.0, 0.0), (0.1, 0.1, 0.1), (1.0, 0.0, None)],
    ids=["slowly", "with the belt", "too far"],
)
def test_a_foot_that_touches_stays_and_is_dragged_where_it_cannot(
    speed_m_s: float, belt_m_s: float, slides_m_s: float | None
) -> None:
    target, clip = body("human"), drifting(speed_m_s)
    place = Environment.flat(belt_velocity_m_s=(belt_m_s, 0.0, 0.0))
    stream = stream_to(target, clip, contacts_given=True, environment=place)
    rest = np.tile(target.skeleton.rest_wxyz, (30, 1, 1))
    like = Clip(target.skeleton, 30.0, np.zeros((30, 3)), rest)
    made = clip_of(run_stream(given_feet(clip, [True, True]), stream), like)
    speeds = np.diff(ankles_of(made, target)[5:, :, 0], axis=0) * 30.0
    if slides_m_s is not None:
        np.testing.assert_allclose(speeds, stream.scale * slides_m_s, atol=0.02)
    else:  # at the end of its reach it goes as fast as the source
        np.testing.assert_allclose(speeds[-5:], stream.scale * speed_m_s, rtol=0.05)
    free = stream_to(target, clip, contacts_given=True)
    aloft = clip_of(run_stream(given_feet(clip, [False, False]), free), like)
    speeds = np.diff(ankles_of(aloft, target)[5:, :, 0], axis=0) * 30.0
    np.testing.assert_allclose(speeds, stream.scale * speed_m_s, atol=0.02)


def test_a_foot_that_leaves_the_ground_goes_back_to_its_path() -> None:
    target, clip = body("human"), drifting(0.2)
    streams = [stream_to(target, clip, contacts_given=True) for _ in range(2)]
    apart: list[float] = []
    for number, frame in enumerate(frames_of(clip)):
        stood, free = (
            stream.push(frame._replace(touching=[touches, touches]))
            for stream, touches in zip(streams, (number < 15, False), strict=True)
        )
        assert stood is not None and free is not None
        one, other = (
            forward_kinematics(target.skeleton, f.root_m[None], f.rotations_wxyz[None])
            for f in (stood, free)
        )
        apart.append(float(np.abs(one.positions_m - other.positions_m).max()))
    assert apart[14] > 0.05
    assert apart[-1] < 0.1 * apart[14]


@needs_robots
def test_feet_of_a_robot_do_not_go_below_the_ground() -> None:
    deep = replace(WALK, root_positions_m=WALK.root_positions_m - [0.0, 0.03, 0.0])
    target = body(G1)
    soles = [contact_points(target)[part] for part in FEET]
    deepest = []
    for feet in (False, True):
        made = streamed(deep, stream_to(target, feet=feet))
        state = forward_kinematics(made.skeleton, *made.pose)
        deepest.append(min(float(site_positions(state, s)[..., 1].min()) for s in soles))
    assert deepest[0] < -0.02 and deepest[1] > -0.01


def figures(
    clip: Clip, target: Character, environment: Environment, contacts: ContactSchedule
) -> dict[str, float]:
    found = evaluate(clip, target, environment, contacts)
    return {measure.key: measure.value for measure in found.measures}


@needs_mocap
@needs_robots
def test_on_a_real_walk_feet_slide_less_and_a_robot_is_balanced() -> None:
    """Under the contacts that the whole capture shows, not those that the stream finds."""
    target, whole = body(G1), load_clip(MOCAP / "cmu" / "02_01.bvh")
    clip = resample(whole.sliced(1, None), 30.0)  # without its T-pose
    source = complete_character(clip.skeleton)
    place = Environment((estimate_ground(clip, source)[0],))
    contacts = detect_contacts(clip, source, place, FEET)
    matches, found = correspondence(source, target), dict[str, dict[str, float]]()
    for name, asked in {
        "poses": {"feet": False},
        "feet": {},
        "balance": {"physics": PHYSICS},
    }.items():
        stream = RetargetStream(source, target, matches, 30.0, environment=place, **asked)  # type: ignore[arg-type]
        made = streamed(clip, stream)
        assert beyond_limits_rad(made) < 1e-6
        found[name] = figures(made, target, stream.environment, contacts)
    slide, zmp = "foot_slide.mean", "zmp_excursion.mean"
    assert found["feet"][slide] < 0.5 * found["poses"][slide]
    assert found["balance"][slide] < 1.1 * found["feet"][slide]
    assert found["balance"][zmp] < 0.5 * found["feet"][zmp]
    assert found["feet"]["penetration.deepest"] < found["poses"]["penetration.deepest"]
