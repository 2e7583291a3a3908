"""What a body cannot do: every kind is found where it was put, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.contact import ContactSchedule, Series, detect_contacts, observe
from poise.methods.retarget.impossible import Impossible, Why, frames_of, impossible
from poise.motion import Clip
from poise.samples import standing, with_lean
from tests.methods.other_bodies import FLAT, HUMAN, body, hinge_angles

FRAMES = 60
RATE_HZ = 30.0
FAR = slice(20, 31)
"""Where something is made impossible."""


@cache
def still(name: str) -> Series:
    """Someone, or a robot, that stands; a robot hangs by its root, and that is said below."""
    if name == "human":
        clip = standing(FRAMES / RATE_HZ, RATE_HZ).clip.sliced(0, FRAMES)
        return observe(clip, HUMAN, FLAT, detect_contacts(clip, HUMAN, FLAT))
    robot = body(name)
    skeleton = robot.skeleton
    turns = np.tile(skeleton.rest_wxyz, (FRAMES, 1, 1))
    roots = np.zeros((FRAMES, 3)) + skeleton.offsets_m[0]
    return without_ground(Clip(skeleton, RATE_HZ, roots, turns), robot)


def without_ground(clip: Clip, character: Character) -> Series:
    """Nothing touches, and nothing is asked of the ground or of motors."""
    none = ContactSchedule((), np.zeros((clip.frame_count, 0), dtype=np.bool_), clip.rate_hz)
    seen = observe(clip, character, FLAT, none)
    nothing = np.zeros((clip.frame_count, 3))
    return replace(
        seen, torque_ratio=np.zeros_like(seen.torque_ratio), missing_force_n=nothing,
        support_distance_m=np.full(clip.frame_count, np.nan),
    )  # fmt: skip


def found(series: Series, fastest: Array | None = None) -> tuple[Impossible, ...]:
    wanted = series.state.positions_m
    return impossible(series, series.character, wanted, fastest)


def turned(series: Series, joint: str, angles_rad: Array) -> Series:
    """One hinge turned to these angles."""
    skeleton = series.clip.skeleton
    j, turns = skeleton.index(joint), series.clip.rotations_wxyz.copy()
    turn = rotations.from_axis_angle(skeleton.hinge_axes[j], angles_rad)
    turns[:, j] = rotations.multiply(skeleton.rest_wxyz[j], turn)
    return without_ground(replace(series.clip, rotations_wxyz=turns), series.character)


def test_who_stands_does_nothing_impossible() -> None:
    assert found(still("human")) == ()
    assert found(still("G1"), np.full(still("G1").clip.skeleton.joint_count, 1e-3)) == ()


def test_a_joint_that_is_too_weak_is_named_with_its_frames() -> None:
    seen = still("human")
    ratios = np.full_like(seen.torque_ratio, 1.04)
    joint = seen.clip.skeleton.index("LeftLeg")
    ratios[FAR, joint] = np.linspace(1.1, 1.7, 11)
    (each,) = found(replace(seen, torque_ratio=ratios))
    assert each == Impossible(20, 30, "strength", "LeftLeg", 1.7)


def test_motors_too_weak_to_stand_are_found_in_a_motion() -> None:
    """Knees that can do a tenth of what a squatting robot asks of them."""
    robot = body("G1")
    hips, knees = (
        ("left_hip_pitch_joint", "right_hip_pitch_joint"),
        ("left_knee_joint", "right_knee_joint"),
    )
    bent = np.full(FRAMES, 1.0)
    turns = still("G1").clip
    for joint in hips:
        turns = turned(replace(still("G1"), clip=turns), joint, -0.5 * bent).clip
    for joint in (*knees, "left_ankle_pitch_joint", "right_ankle_pitch_joint"):
        turns = turned(
            replace(still("G1"), clip=turns), joint, bent if "knee" in joint else -0.5 * bent
        ).clip
    feet = ContactSchedule(
        ("left_foot", "right_foot"), np.ones((FRAMES, 2), dtype=np.bool_), RATE_HZ
    )
    strong = observe(turns, robot, FLAT, feet)
    needed = strong.torque_ratio[:, robot.skeleton.index("left_knee_joint")].max()
    limits = robot.torque_limits_nm.copy()
    limits[[robot.skeleton.index(joint) for joint in knees]] *= 0.5 * needed
    weak = replace(robot, torque_limits_nm=limits)
    seen = observe(turns, weak, FLAT, feet)
    said = [e for e in found(seen) if e.why == "strength" and e.joint in knees]
    assert {(e.joint, e.first, e.last) for e in said} == {(k, 0, FRAMES - 1) for k in knees}
    assert max(e.worst for e in said) == pytest.approx(2.0, rel=1e-6)
    assert not [e for e in found(strong) if e.why == "strength"]


@pytest.mark.parametrize(("limit", "fast"), [(0.99, False), (1.01, False), (1.5, True)])
def test_a_joint_that_is_too_slow_is_named_with_its_frames(limit: float, fast: bool) -> None:
    """Two radians a second over ten frames, against what it can do."""
    angles = np.interp(np.arange(FRAMES), [20, 30], [0.0, 2.0 * 10 / RATE_HZ])
    seen = turned(still("G1"), "left_elbow_joint", angles)
    fastest = np.full(seen.clip.skeleton.joint_count, 2.0 / limit)
    said = found(seen, fastest)
    assert bool(said) == fast
    if fast:
        (each,) = said
        assert (each.first, each.last, each.why) == (20, 29, "speed")
        assert each.joint == "left_elbow_joint" and each.worst == pytest.approx(1.5)


def test_nobody_is_too_slow_where_no_speed_is_known() -> None:
    angles = np.where(np.arange(FRAMES) % 2, 1.0, 0.0)
    seen = turned(still("G1"), "left_elbow_joint", angles)
    assert found(seen, None) == ()
    assert found(seen, np.full(seen.clip.skeleton.joint_count, np.inf)) == ()


def test_one_frame_has_no_speed() -> None:
    seen = still("G1")
    alone = replace(seen, clip=seen.clip.sliced(0, 1))
    assert found(alone, np.full(seen.clip.skeleton.joint_count, 1e-9)) == ()


def at_the_end(degrees: float) -> Series:
    """A knee so far from the end of its range, in some frames."""
    seen = still("G1")
    low, high = seen.clip.skeleton.limits_rad[seen.clip.skeleton.index("left_knee_joint"), 0]
    angles = np.full(FRAMES, 0.5 * (low + high))
    angles[FAR] = high - np.radians(degrees)
    return turned(seen, "left_knee_joint", angles)


def ankle_wanted(seen: Series, off_m: float) -> Array:
    """Places as they are, with the left ankle elsewhere."""
    roles = seen.character.roles
    assert roles is not None
    wanted = np.array(seen.state.positions_m)
    wanted[:, seen.clip.skeleton.index(roles.joint("left_ankle"))] += [0.0, off_m, 0.0]
    return wanted


def test_a_joint_at_the_end_of_its_range_is_named_where_its_limb_is_short() -> None:
    seen = at_the_end(0.5)
    said = impossible(seen, seen.character, ankle_wanted(seen, 0.08), None)
    (each,) = said
    assert (each.first, each.last, each.why) == (20, 30, "range")
    assert each.joint == "left_knee_joint" and each.worst == pytest.approx(0.08)


@pytest.mark.parametrize(("degrees", "off_m"), [(0.5, 0.04), (2.0, 0.08)], ids=["there", "inside"])
def test_neither_the_end_nor_a_distance_alone_is_impossible(degrees: float, off_m: float) -> None:
    seen = at_the_end(degrees)
    assert impossible(seen, seen.character, ankle_wanted(seen, off_m), None) == ()


def test_places_count_from_the_hips() -> None:
    seen = at_the_end(0.5)
    moved = np.array(seen.state.positions_m) + np.array([0.3, 0.2, -0.1])
    assert impossible(seen, seen.character, moved, None) == ()


def test_a_body_that_leans_too_far_is_out_of_balance() -> None:
    leaning = with_lean(standing(2.0, RATE_HZ), 6.0).clip
    feet = np.ones((leaning.frame_count, 2), dtype=np.bool_)
    contacts = ContactSchedule(("left_foot", "right_foot"), feet, RATE_HZ)
    seen = observe(leaning, HUMAN, FLAT, contacts)
    said = [e for e in found(seen) if e.why == "balance"]
    (each,) = said
    assert (each.first, each.last, each.joint) == (0, leaning.frame_count - 1, "")
    assert each.worst == pytest.approx(0.06, abs=0.005)
    near = with_lean(standing(2.0, RATE_HZ), 1.0).clip
    assert not [e for e in found(observe(near, HUMAN, FLAT, contacts)) if e.why == "balance"]


def test_a_body_that_hovers_is_carried_by_nothing() -> None:
    clip = still("human").clip
    feet = np.ones((FRAMES, 2), dtype=np.bool_)
    feet[15:45] = False
    seen = observe(clip, HUMAN, FLAT, ContactSchedule(("left_foot", "right_foot"), feet, RATE_HZ))
    (each,) = [e for e in found(seen) if e.why == "support"]
    assert (each.first, each.last, each.joint) == (15, 44, "")
    assert each.worst == pytest.approx(1.0, abs=0.02)


def gapped(*stretches: tuple[int, int]) -> Series:
    """A zero-moment point that is outside from frame to frame."""
    outside = np.full(FRAMES, -0.05)
    for first, last in stretches:
        outside[first : last + 1] = 0.05
    return replace(still("human"), support_distance_m=outside)


def test_short_gaps_are_bridged_and_long_ones_are_not() -> None:
    """A tenth of a second is three frames here."""
    spans = [(e.first, e.last) for e in found(gapped((10, 12), (16, 20), (30, 31)))]
    assert spans == [(10, 20), (30, 31)]
    spans = [(e.first, e.last) for e in found(gapped((10, 12), (17, 20)))]
    assert spans == [(17, 20), (10, 12)], "four frames between, and the longest comes first"
    assert [(e.first, e.last) for e in found(gapped((2, 4), (57, 59)))] == [(2, 4), (57, 59)]


def test_kinds_and_joints_are_not_merged_and_the_longest_comes_first() -> None:
    seen = gapped((10, 14))
    ratios = np.zeros_like(seen.torque_ratio)
    for joint, frames in (("LeftLeg", slice(5, 25)), ("RightLeg", slice(4, 9))):
        ratios[frames, seen.clip.skeleton.index(joint)] = 1.2
    said = found(replace(seen, torque_ratio=ratios))
    assert [(e.joint, e.why, e.first, e.last) for e in said] == [
        ("LeftLeg", "strength", 5, 24), ("RightLeg", "strength", 4, 8), ("", "balance", 10, 14),
    ]  # fmt: skip


def test_a_zero_moment_point_that_is_none_is_not_outside() -> None:
    seen = replace(still("human"), support_distance_m=np.full(FRAMES, np.nan))
    assert found(seen) == ()


@pytest.mark.parametrize(
    ("why", "joint", "worst", "said"),
    [
        ("strength", "knee", 1.2345, "knee would need 1.23 times its torque"),
        ("speed", "knee", 2.0, "knee would have to turn 2.00 times as fast as it can"),
        ("range", "knee", 0.123, "knee is at the end of its range, 12 cm short"),
        ("balance", "", 0.05, "the zero-moment point is 5 cm outside the support"),
        ("support", "", 0.25, "nothing carries 25 % of the weight"),
    ],
)
def test_it_is_said_in_a_sentence(why: Why, joint: str, worst: float, said: str) -> None:
    assert Impossible(3, 7, why, joint, worst).text == f"frames 3 to 7: {said}"
    assert Impossible(3, 3, why, joint, worst).text == f"frame 3: {said}"


def test_frames_of_all_of_it_are_marked() -> None:
    said = (Impossible(1, 2, "balance", "", 0.1), Impossible(2, 4, "speed", "knee", 2.0))
    np.testing.assert_array_equal(frames_of(said, 6), [False, True, True, True, True, False])
    assert not frames_of((), 3).any()


def test_hinges_of_the_made_motion_are_inside_their_ranges() -> None:
    """What `range` is tested with: only the knee is near an end."""
    seen = at_the_end(0.5)
    skeleton = seen.clip.skeleton
    near = [
        name
        for name, angle in hinge_angles(seen.clip).items()
        if (np.abs(angle[:, None] - skeleton.limits_rad[skeleton.index(name), 0]) < 0.017).any()
    ]
    assert near == ["left_knee_joint"]
