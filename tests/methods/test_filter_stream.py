"""The filter as a stream: the same as on whole clips, with the delay it states, in fixed memory."""

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
from poise.character import Character, Skeleton, complete_character
from poise.constraints import (
    Constraint,
    FollowCurve,
    HoldPoint,
    Interval,
    LookAt,
    Orient,
    PassPoint,
    Plant,
)
from poise.constraints.recruiting import find_joint
from poise.constraints.scene import FLAT
from poise.contact import ContactSchedule, detect_contacts
from poise.contact.clip_dynamics import suited_cutoff_hz
from poise.errors import BadShape, BadValue, PoiseError, UnknownName
from poise.measures import evaluate
from poise.mechanics import center_of_mass, forward_kinematics
from poise.methods import Edit
from poise.methods.filter.run import run
from poise.methods.filter.settings import Settings
from poise.methods.filter.stream import FilterStream, clip_of, frames_of
from poise.methods.filter.stream_contacts import FoundContacts, StreamPoints
from poise.methods.filter.stream_goals import ALWAYS
from poise.methods.filter.stream_window import (
    Passing,
    StreamFrame,
    StreamWindow,
    run_stream,
    single_motion,
)
from poise.motion import Clip, splines
from tests.methods.edited import clip_named, sampled, whole
from tests.shared_data import needs_mocap

REAL_WALK = "02_01@60"
FEET = ("left_foot", "right_foot")
ASIDE_M = 0.03


def feet(interval: Interval, aside_m: float = 0.0) -> list[Constraint]:
    """Both feet keep their paths, further out."""
    ways = {"left": aside_m, "right": -aside_m}
    return [
        Plant(f"{side} foot", f"{side}_foot", interval, "follow", displacement_m=(way, 0.0, 0.0))
        for side, way in ways.items()
    ]


def streamed(clip: Clip, stream: FilterStream) -> Clip:
    return clip_of(run_stream(frames_of(clip), stream), clip)


def with_contacts(clip: Clip, contacts: ContactSchedule) -> Iterator[StreamFrame]:
    """Frames whose sender knows what touches."""
    for f, frame in enumerate(frames_of(clip)):
        yield frame._replace(touching=contacts.touching[f].tolist())


def farthest_m(one: Clip, other: Clip, frames: slice = slice(None)) -> float:
    """Of all joints."""
    a, b = (forward_kinematics(c.skeleton, *c.pose).positions_m[frames] for c in (one, other))
    return float(np.linalg.norm(a - b, axis=-1).max())


def excursion(clip: Clip, character: Character, contacts: ContactSchedule) -> float:
    found = evaluate(clip, character, FLAT, contacts)
    return {measure.key: measure.value for measure in found.measures}["zmp_excursion.mean"]


@cache
def leaning(degrees: float = 25.0) -> tuple[Clip, Character, ContactSchedule]:
    """A made walk whose trunk sways to its left and back once, slowly; the feet know nothing."""
    clip, character = clip_named("walk@30")
    contacts = detect_contacts(clip, character, FLAT, FEET)
    share = np.sin(np.pi * np.linspace(0.0, 1.0, clip.frame_count)) ** 2
    spine = find_joint(character, "spine")
    lean = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), -np.radians(degrees) * share)
    turned = clip.rotations_wxyz.copy()
    turned[:, spine] = rotations.multiply(lean, turned[:, spine])
    return replace(clip, rotations_wxyz=turned), character, contacts


# Kinematic rounds.


@pytest.mark.parametrize("label", ["walk@30", pytest.param(REAL_WALK, marks=needs_mocap)])
@pytest.mark.parametrize("derivatives", ["sampled", "analytic"])
def test_kinematic_rounds_give_the_bits_of_the_whole_clip(label: str, derivatives: str) -> None:
    clip, character = clip_named(label)
    settings = Settings(passes="2K", derivatives=derivatives, smooth_kinematic=False)
    stream = FilterStream(character, clip.rate_hz, feet(ALWAYS, ASIDE_M), settings)
    expected = run(Edit(clip, character, feet(whole(clip), ASIDE_M)), settings).clip
    found = streamed(clip, stream)
    assert farthest_m(found, clip) > 0.02
    np.testing.assert_array_equal(found.rotations_wxyz, expected.rotations_wxyz)
    np.testing.assert_array_equal(found.root_positions_m, expected.root_positions_m)


def other_constraints(interval: Interval) -> list[Constraint]:
    return [
        HoldPoint("heel", "left_heel", (0.0, 0.02, 0.0), interval, mode="offset"),
        HoldPoint(
            "hand", "right_wrist", (0.0, 0.1, 0.0), interval, mode="offset", relative_to="neck"
        ),
        LookAt("gaze", "head", (5.0, 1.0, 5.0), interval),
        Orient("upright", "chest", (1.0, 0.0, 0.1, 0.0), interval, mode="offset"),
    ]


def test_every_kind_of_constraint_has_the_goals_of_the_whole_clip() -> None:
    clip, character = sampled("walk", 30.0, 1.0)
    expected = run(Edit(clip, character, other_constraints(whole(clip))), Settings()).clip
    stream = FilterStream(character, clip.rate_hz, other_constraints(ALWAYS))
    found = streamed(clip, stream)
    assert farthest_m(found, clip) > 0.02
    np.testing.assert_allclose(found.rotations_wxyz, expected.rotations_wxyz, atol=1e-12)


@pytest.mark.parametrize(
    "constraints",
    [feet(Interval(5, 9), ASIDE_M), other_constraints(Interval(5, 9))],
    ids=["feet", "others"],
)
def test_constraints_hold_in_their_frames_of_the_stream_only(
    constraints: list[Constraint],
) -> None:
    clip, character = sampled("walk", 30.0, 1.0)
    found = streamed(clip, FilterStream(character, clip.rate_hz, constraints))
    moved = np.abs(found.rotations_wxyz - clip.rotations_wxyz).max(axis=(1, 2)) > 0.0
    np.testing.assert_array_equal(np.flatnonzero(moved), np.arange(5, 10))


def test_signs_of_incoming_quaternions_do_not_matter() -> None:
    clip, character = sampled("walk", 30.0, 1.0)
    stream = FilterStream(character, clip.rate_hz, feet(ALWAYS, ASIDE_M))
    expected = streamed(clip, stream)
    random = np.random.default_rng(3)
    signs = random.choice([-1.0, 1.0], size=(*clip.rotations_wxyz.shape[:2], 1))
    signs[0] = 1.0
    flipped = (
        StreamFrame(frame.root_m, frame.rotations_wxyz * sign)
        for frame, sign in zip(frames_of(clip), signs, strict=True)
    )
    found = np.stack([frame.rotations_wxyz for frame in run_stream(flipped, stream)])
    np.testing.assert_array_equal(found, expected.rotations_wxyz)


def longer(skeleton: Skeleton, share: float) -> Skeleton:
    ends = replace(skeleton.end_sites, offsets_m=share * skeleton.end_sites.offsets_m)
    return replace(skeleton, offsets_m=share * skeleton.offsets_m, end_sites=ends)


def test_feet_of_another_body_go_where_those_of_the_sender_went() -> None:
    clip, small = sampled("walk", 30.0, 1.0)
    big = complete_character(longer(clip.skeleton, 1.1))
    rise_m = 0.1 * float(clip.root_positions_m[:, 1].mean())
    stream = FilterStream(big, clip.rate_hz, feet(ALWAYS), source=small, rise_m=rise_m)
    found = replace(streamed(clip, stream), skeleton=big.skeleton)
    ankles = [find_joint(small, f"{side}_ankle") for side in ("left", "right")]
    went, goes = (
        forward_kinematics(c.skeleton, *c.pose).positions_m[:, ankles] for c in (clip, found)
    )
    assert np.abs(went - goes).max() < 1e-4
    rises = found.root_positions_m[:, 1] - clip.root_positions_m[:, 1]
    assert np.all(rises > 0.02)


# Dynamic rounds.


@needs_mocap
def test_a_dynamic_round_is_near_that_of_the_whole_clip() -> None:
    """Measured: joints move by 3.2 mm at most, and differ by 1.8 mm."""
    clip, character = clip_named(REAL_WALK)
    assert character.body is not None
    contacts = detect_contacts(clip, character, FLAT, FEET)
    com = center_of_mass(forward_kinematics(clip.skeleton, *clip.pose), character.body)
    cutoff = suited_cutoff_hz(com, clip.rate_hz)
    edit = Edit(clip, character, feet(whole(clip)), contacts=contacts)
    expected = run(edit, Settings(passes="1D", fit="separate")).clip
    stream = FilterStream(
        character, clip.rate_hz, feet(ALWAYS), Settings(passes="1D"), cutoff_hz=cutoff
    )
    found = streamed(clip, stream)
    inside = slice(30, -30)
    moved = farthest_m(expected, clip, inside)
    assert moved > 0.002
    assert farthest_m(found, expected, inside) < 0.6 * moved


@needs_mocap
def test_the_sliding_window_costs_a_fifth_of_what_a_round_adds() -> None:
    """Against the same stream whose window holds all of it, which is the fit of the whole clip."""
    clip, character = clip_named(REAL_WALK)
    made = [
        streamed(
            clip,
            FilterStream(
                character, clip.rate_hz, feet(ALWAYS), Settings(passes="2D"), window_s=window_s
            ),
        )
        for window_s in (64 / 30, 20.0)
    ]
    inside = slice(30, -30)
    added = farthest_m(made[1], clip, inside)
    assert added > 0.002
    assert farthest_m(made[0], made[1], inside) < 0.25 * added


def test_a_walk_whose_trunk_sways_gets_its_balance_back_on_the_way() -> None:
    clip, character, contacts = leaning()
    settings = Settings(passes="3D+1K")
    stream = FilterStream(character, clip.rate_hz, feet(ALWAYS), settings)
    found = streamed(clip, stream)
    before = excursion(clip, character, contacts)
    assert before > 0.5
    assert excursion(found, character, contacts) < 0.6 * before
    expected, goes = (forward_kinematics(c.skeleton, *c.pose).positions_m for c in (clip, found))
    ankles = [find_joint(character, f"{side}_ankle") for side in ("left", "right")]
    assert np.abs(expected[:, ankles] - goes[:, ankles]).max() < 1e-4


@pytest.mark.slow
def test_contacts_that_the_sender_states_are_taken() -> None:
    """Told that nothing touches for a while, it lets the body fall: flight asks for that."""
    clip, character, contacts = leaning()
    settings = Settings(passes="2D")
    stream = FilterStream(character, clip.rate_hz, (), settings, contact_parts=FEET)
    aloft = slice(40, 52)
    touching = contacts.touching.copy()
    touching[aloft] = False
    flying = replace(contacts, touching=touching)
    falls = [
        np.diff(moved.root_positions_m[aloft, 1], 2).mean() * clip.rate_hz**2
        for moved in (
            clip_of(run_stream(with_contacts(clip, stated), stream), clip)
            for stated in (contacts, flying)
        )
    ]
    assert falls[1] < falls[0] - 2.0


def test_hints_hold_until_the_first_dynamic_round_only() -> None:
    clip, character = sampled("walk", 30.0, 1.0)
    hand = HoldPoint("hand", "right_wrist", (0.0, 0.1, 0.0), ALWAYS, mode="offset")

    def made(passes: str, *more: Constraint) -> Clip:
        settings = Settings(passes=passes, hints=tuple(each.name for each in more))
        constraints = [*more, *feet(ALWAYS)]
        return streamed(clip, FilterStream(character, clip.rate_hz, constraints, settings))

    without, with_hint = made("1D+1K"), made("1D+1K", hand)
    np.testing.assert_array_equal(with_hint.rotations_wxyz, without.rotations_wxyz)
    assert farthest_m(made("1K+1D", hand), made("1K+1D")) > 0.08


@pytest.mark.parametrize("name", ["walk", "jump"])
def test_found_contacts_are_those_of_the_whole_clip(name: str) -> None:
    clip, character = sampled(name, 60.0)
    expected = detect_contacts(clip, character, FLAT, FEET)
    points = StreamPoints(character, FEET)
    stage = FoundContacts(character, points, FLAT, clip.rate_hz, np.zeros(3))
    out = list[Passing]()
    for f in range(clip.frame_count):
        motion = single_motion(clip.root_positions_m[f], clip.rotations_wxyz[f])
        moved = stage.push(Passing(f, motion, np.zeros((1, 0, 3)), np.zeros((0, 4))))
        out += [] if moved is None else [moved]
        assert len(out) == max(0, f + 1 - stage.latency_frames)
    out += stage.finish()
    assert [frame.number for frame in out] == list(range(clip.frame_count))
    left = points.owners == 0
    found = np.array([[f.touching[left].any(), f.touching[~left].any()] for f in out])
    assert np.mean(found == expected.touching) > 0.96


def test_rates_in_a_window_are_those_of_the_whole_path() -> None:
    rate_hz, cutoff_hz, half = 60.0, 6.0, 18
    random = np.random.default_rng(1)
    path = np.cumsum(random.normal(size=(200, 3)), axis=0) * 0.01
    expected = splines.smooth(path, rate_hz, cutoff_hz)
    window = StreamWindow(3, rate_hz, cutoff_hz, half)
    for f in range(len(path)):
        window.push(path[f])
        if 100 <= f - half:
            assert window.reach(f - half) == (half, half)
            values, first, second = window.rates(f - half, half, half)
            np.testing.assert_allclose(values, expected.values[f - half], atol=1e-3)
            size = np.abs(expected.first).max(), np.abs(expected.second).max()
            np.testing.assert_allclose(first, expected.first[f - half], atol=0.01 * size[0])
            np.testing.assert_allclose(second, expected.second[f - half], atol=0.02 * size[1])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_frames_have_the_rates_of_the_polynomial_through_them(count: int) -> None:
    window = StreamWindow(1, 10.0, 2.0, 5)
    times = np.arange(count) / 10.0
    path = (3.0 + 2.0 * times - 4.0 * times**2 * (count > 2)) if count > 1 else 3.0 + times
    for value in path:
        window.push(np.array([value]))
    before, after = window.reach(0)
    assert (before, after) == (0, count - 1)
    value, first, second = window.rates(0, before, after)[:, 0]
    assert value == pytest.approx(3.0)
    assert first == pytest.approx(2.0 if count > 1 else 0.0)
    assert second == pytest.approx(-8.0 if count > 2 else 0.0)


# Delay, memory, and what goes wrong.


@pytest.mark.parametrize("passes", ["1K", "1D", "1K+2D+1K", "1D+1K+1D"])
@pytest.mark.parametrize("frames", [0, 1, 5, 90])
def test_frames_come_back_in_order_with_the_delay_stated(passes: str, frames: int) -> None:
    clip, character = sampled("walk", 30.0)
    stream = FilterStream(
        character, clip.rate_hz, feet(ALWAYS), Settings(passes=passes), window_s=0.6
    )
    assert stream.latency_s == stream.latency_frames / clip.rate_hz
    for _ in range(2):  # it can be used again
        back = list[StreamFrame]()
        for f, frame in enumerate(list(frames_of(clip))[:frames]):
            moved = stream.push(frame)
            assert (moved is not None) == (f >= stream.latency_frames)
            back += [] if moved is None else [moved]
        back += stream.finish()
        assert len(back) == frames
        for frame, given in zip(back, frames_of(clip), strict=False):
            assert np.abs(frame.root_m - given.root_m).max() < 0.2
            turned = rotations.angle_between(frame.rotations_wxyz, given.rotations_wxyz)
            assert np.degrees(turned.max()) < 5.0


def test_kinematic_rounds_have_no_delay() -> None:
    _, character = sampled("walk", 30.0)
    assert FilterStream(character, 120.0, feet(ALWAYS), Settings(passes="3K")).latency_frames == 0


def test_a_shorter_window_makes_the_delay_shorter() -> None:
    _, character = sampled("walk", 30.0)
    delays = [
        FilterStream(character, 120.0, (), Settings(passes="2D+1K"), window_s=w).latency_s
        for w in (0.6, 64 / 30)
    ]
    assert delays[0] < 2.0 < delays[1] < 3.5


@pytest.mark.parametrize("passes", ["1K", "1D+1K"])
def test_a_long_stream_needs_no_more_memory_than_a_short_one(passes: str) -> None:
    clip, character = sampled("walk", 30.0)
    stream = FilterStream(
        character, clip.rate_hz, feet(ALWAYS, ASIDE_M), Settings(passes=passes), window_s=0.6
    )
    frames = list(frames_of(clip))
    frames += frames[-2:0:-1]

    def play(count: int) -> None:
        for f in range(count):
            stream.push(frames[f % len(frames)])

    play(2 * stream.latency_frames + 60)
    gc.collect()
    tracemalloc.start()
    try:
        play(300)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        play(600)
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    rotations_alone = 600 * 8 * frames[0].rotations_wxyz.size
    # The interpreter's own free lists fill up; over 5,000 frames they stop at a few kilobytes more.
    assert after - before < 0.25 * rotations_alone


def broken(frame: StreamFrame, what: str) -> StreamFrame:
    root, turns = frame.root_m.copy(), frame.rotations_wxyz.copy()
    if what == "NaN root":
        root[1] = np.nan
    elif what == "infinite rotation":
        turns[3, 2] = np.inf
    elif what == "long rotation":
        turns[3] *= 1.01
    else:
        turns = turns[1:]
    return StreamFrame(root, turns)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("NaN root", "root_m of frame 4 must be finite"),
        ("infinite rotation", "rotations_wxyz of frame 4 must be finite"),
        ("long rotation", "in frame 4 must be a unit quaternion"),
        ("too few joints", "rotations_wxyz of frame 4 must have shape"),
    ],
)
def test_a_bad_frame_is_refused_by_its_number_and_changes_nothing(what: str, words: str) -> None:
    clip, character = sampled("walk", 30.0, 1.0)
    stream = FilterStream(character, clip.rate_hz, feet(ALWAYS, ASIDE_M))
    expected = streamed(clip, stream)
    back = list[Array]()
    for f, frame in enumerate(frames_of(clip)):
        if f == 4:
            with pytest.raises((BadValue, BadShape), match=words):
                stream.push(broken(frame, what))
        moved = stream.push(frame)
        assert moved is not None
        back.append(moved.rotations_wxyz)
    np.testing.assert_array_equal(np.stack(back), expected.rotations_wxyz)


def test_contacts_that_are_not_stated_are_asked_for() -> None:
    clip, character = sampled("walk", 30.0, 1.0)
    settings = Settings(passes="1D")
    stream = FilterStream(character, clip.rate_hz, (), settings, contact_parts=FEET)
    with pytest.raises(BadShape, match="touching of frame 0"):
        stream.push(next(frames_of(clip)))


REFUSED: dict[str, Constraint] = {
    "follow in a stream": Plant("foot", "left_foot", ALWAYS),
    "a displacement only": Plant("foot", "left_foot", ALWAYS, "follow", turn_deg=5.0),
    "needs no other frame": FollowCurve(
        "foot", "left_heel", (PassPoint(3, (0.0, 0.0, 0.0)),), Interval(0, 9)
    ),
    "none in a stream": HoldPoint(
        "foot", "left_heel", (0.0, 0.0, 0.0), Interval(0, 9, 2, 2), mode="offset"
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_only_a_whole_clip_can_tell_is_refused_by_name(words: str) -> None:
    _, character = sampled("walk", 30.0)
    with pytest.raises(BadValue, match=f"'foot' must be .*{words}"):
        FilterStream(character, 30.0, [REFUSED[words]])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"rate_hz": 0.0}, BadValue),
        ({"rate_hz": float("nan")}, BadValue),
        ({"rise_m": float("inf")}, BadValue),
        ({"cutoff_hz": 0.0}, BadValue),
        ({"cutoff_hz": 40.0}, BadValue),
        ({"window_s": float("nan")}, BadValue),
        ({"window_s": -1.0}, BadValue),
        ({"contact_parts": ("left_fin",)}, UnknownName),
        ({"settings": Settings(passes="1D", torque=True)}, BadValue),
    ],
    ids=str,
)
def test_silly_options_are_refused(options: dict[str, object], error: type[PoiseError]) -> None:
    _, character = sampled("walk", 30.0)
    given: dict[str, object] = {"rate_hz": 30.0, "settings": Settings(passes="1D"), **options}
    with pytest.raises(error):
        FilterStream(character, **given)  # type: ignore[arg-type]
