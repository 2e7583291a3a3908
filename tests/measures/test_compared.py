"""Measures of a clip against its original, each on a case worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Skeleton, complete_character, human_ranges
from poise.contact import ContactSchedule, Series
from poise.measures import (
    jitter,
    joint_peaks,
    jump_height,
    likeness,
    range_excess,
    root_shift,
    swing_shift,
)
from poise.measures.table import measures_from
from poise.mechanics import forward_kinematics
from poise.motion import Clip, joint_accelerations_rad_s2
from tests.measures.made_series import RATE_HZ, still, with_turned_joint


def known(frames: int = 100) -> Series:
    """Standing still, with roles."""
    series = still(frames)
    return replace(series, character=complete_character(series.clip.skeleton))


def with_clip(series: Series, clip: Clip) -> Series:
    return replace(series, clip=clip, state=forward_kinematics(clip.skeleton, *clip.pose))


def moved(series: Series, by_m: Array) -> Series:
    """The root moved, by (3,) or (F, 3)."""
    clip = series.clip
    return with_clip(series, replace(clip, root_positions_m=clip.root_positions_m + by_m))


def turned(series: Series, joint: str, angles_rad: Array, axis: tuple[float, ...]) -> Series:
    """A joint turned by an angle in each frame (F,)."""
    clip = series.clip
    j, q = clip.skeleton.index(joint), clip.rotations_wxyz.copy()
    q[:, j] = rotations.multiply(q[:, j], rotations.exp(angles_rad[:, None] * np.array(axis)))
    return with_clip(series, replace(clip, rotations_wxyz=q))


def with_fingers(series: Series) -> Series:
    """The same figure with a finger on each hand."""
    old = series.clip.skeleton
    hands = [old.index(f"{side}Hand") for side in ("Left", "Right")]
    skeleton = Skeleton(
        (*old.joint_names, "LeftIndex1", "RightIndex1"),
        np.concatenate([old.parents, hands]),
        np.concatenate([old.offsets_m, np.full((2, 3), 0.05)]),
    )
    q = np.concatenate(
        [series.clip.rotations_wxyz, np.tile(rotations.IDENTITY, (len(series.times_s), 2, 1))],
        axis=1,
    )
    clip = Clip(skeleton, series.clip.rate_hz, series.clip.root_positions_m, q)
    assert series.character.roles is not None
    character = Character(skeleton, roles=series.character.roles)
    return with_clip(replace(series, character=character), clip)


# ---- Jerk ----------------------------------------------------------------------------------------


def shaken(amplitude_m: float, hertz: float, frames: int = 400) -> Series:
    series = still(frames)
    path = np.zeros((frames, 3))
    path[:, 1] = amplitude_m * np.sin(2 * np.pi * hertz * series.times_s)
    return moved(series, path)


@pytest.mark.parametrize("hertz", [3.0, 12.0, 25.0])
def test_jerk_is_counted_within_12_hz(hertz: float) -> None:
    kept = 1.0 / (1.0 + (hertz / 12.0) ** 6)
    # The third difference of a sine over h is (2 sin(ω h / 2) / h)³ of it.
    rate = 2.0 * RATE_HZ * np.sin(np.pi * hertz / RATE_HZ)
    expected = kept * 0.001 * rate**3 / np.sqrt(2.0)
    found = jitter.measure(shaken(0.001, hertz))["jitter.jerk"]
    assert found == pytest.approx(expected, rel=0.03)


def test_removing_noise_is_not_praised_as_smoothness() -> None:
    motion, noise = shaken(0.1, 2.0), shaken(0.0005, 40.0)
    noisy = moved(motion, noise.clip.root_positions_m - still(400).clip.root_positions_m)
    assert jitter.measure(motion, noisy)["jitter.ratio"] == pytest.approx(1.0, abs=0.02)


def test_slow_clips_are_taken_as_they_are() -> None:
    series = shaken(0.01, 30.0)
    slow = replace(series, clip=replace(series.clip, rate_hz=20.0))
    expected = np.diff(series.state.positions_m[:, 0, 1], n=3) * 20.0**3
    found = jitter.measure(slow)["jitter.jerk"]
    assert found == pytest.approx(np.sqrt((expected**2).mean()))


@pytest.mark.parametrize("frames", [1, 3, 4, 5, 8])
def test_short_clips_have_a_jerk_or_none(frames: int) -> None:
    found = jitter.measure(still(frames))["jitter.jerk"]
    assert np.isnan(found) if frames < 4 else found == pytest.approx(0.0, abs=1e-6)


# ---- Likeness ------------------------------------------------------------------------------------


def test_legs_are_counted_apart() -> None:
    series = known()
    knee, arm = (with_turned_joint(series, joint, 20.0) for joint in ("LeftLeg", "LeftArm"))
    # Hip, knee, ankle and toe of two sides.
    assert likeness.measure(knee, series)["likeness.legs"] == pytest.approx(20.0 / 8)
    assert likeness.measure(arm, series)["likeness.legs"] == 0.0
    assert likeness.measure(arm, series)["likeness.rotation"] == pytest.approx(20.0 / 22)


def test_without_roles_there_are_no_legs() -> None:
    assert np.isnan(likeness.measure(still(), still())["likeness.legs"])


def test_fingers_do_not_count() -> None:
    series = with_fingers(known())
    assert series.clip.skeleton.joint_count == 24
    found = likeness.measure(with_turned_joint(series, "LeftIndex1", 60.0), series)
    assert found["likeness.rotation"] == 0.0
    found = likeness.measure(with_turned_joint(series, "LeftHand", 22.0), series)
    assert found["likeness.rotation"] == pytest.approx(1.0)  # 22 joints count
    assert found["likeness.position"] == pytest.approx(0.0)  # the finger moves, nothing else
    fast = turned(series, "LeftIndex1", np.linspace(0.0, 3.0, 100), (1.0, 0.0, 0.0))
    worst, _ = measures_from(joint_peaks.measure(fast, series))
    assert worst.value == 0.0


def test_a_joint_that_is_far_off_in_one_frame_shows() -> None:
    series = known()
    turns = np.zeros(series.clip.frame_count)
    turns[40] = np.pi
    found = likeness.measure(turned(series, "LeftForeArm", turns, (1.0, 0.0, 0.0)), series)
    assert found["likeness.largest"] > 10.0 > 1.0 > found["likeness.world"]


def test_where_the_figure_stands_counts_in_the_world() -> None:
    series = known()
    found = likeness.measure(moved(series, np.array([0.03, 0.0, 0.04])), series)
    assert found["likeness.world"] == pytest.approx(5.0)
    assert found["likeness.largest"] == pytest.approx(5.0)
    assert found["likeness.position"] == pytest.approx(0.0)


def test_bodies_of_other_proportions_do_not_compare_in_the_world() -> None:
    series = known()
    skeleton = series.clip.skeleton
    longer = replace(skeleton, offsets_m=1.1 * skeleton.offsets_m)
    other = with_clip(series, replace(series.clip, skeleton=longer))
    assert np.isnan(likeness.measure(other, series)["likeness.world"])
    assert np.isnan(likeness.measure(other, series)["likeness.largest"])
    assert np.isnan(root_shift.measure(other, series)["root_shift.mean"])
    assert np.isnan(swing_shift.measure(other, series)["swing_shift.mean"])
    assert np.isnan(jump_height.measure(other, series)["jump_height.change"])
    assert likeness.measure(other, series)["likeness.rotation"] == 0.0


# ---- Shifts and heights --------------------------------------------------------------------------


def test_root_shift_is_a_distance_in_the_world() -> None:
    shift = np.zeros((100, 3))
    shift[:50] = (0.03, 0.0, 0.04)
    found = root_shift.measure(moved(known(), shift), known())
    assert found == {
        "root_shift.mean": pytest.approx(2.5),
        "root_shift.max": pytest.approx(5.0),
    }


def test_only_feet_in_the_air_have_a_swing_shift() -> None:
    series = still()
    points = np.zeros((100, 4, 3))
    points[:, :2, 1] = 0.02  # both points of the left foot
    points[:10, 0, 1] = 0.06  # one of them
    points[:, 2:, 0] = 0.5  # the right foot, which stands
    touching = np.ones((100, 2), dtype=bool)
    touching[:20, 0] = False
    swings = ContactSchedule(("left_foot", "right_foot"), touching, RATE_HZ)
    after = replace(series, points_m=points, contacts=swings)
    found = swing_shift.measure(after, replace(series, contacts=swings))
    # Ten frames of (6 + 2) / 2 cm and ten of 2 cm.
    assert found["swing_shift.mean"] == pytest.approx(3.0)
    assert found["swing_shift.max"] == pytest.approx(4.0)
    # A foot that stands by one of the schedules does not swing.
    found = swing_shift.measure(after, series)
    assert np.isnan(found["swing_shift.mean"]) and np.isnan(found["swing_shift.max"])


def flight(first: int, stop: int, apex_m: float) -> Series:
    """A parabola of the centre of mass from 1 m up to an apex and back."""
    flying = np.zeros(100, dtype=bool)
    flying[first:stop] = True
    com = np.ones((100, 3))
    way = np.linspace(-1.0, 1.0, stop - first)
    com[first:stop, 1] += (apex_m - 1.0) * (1.0 - way**2)
    return still(flight=flying, com_m=com)


def test_jump_height_is_compared_at_the_apex() -> None:
    high, low = flight(30, 61, 1.5), flight(30, 61, 1.43)
    assert jump_height.measure(low, high)["jump_height.change"] == pytest.approx(7.0)
    assert jump_height.measure(high, low)["jump_height.change"] == pytest.approx(7.0)
    # A flight that is not claimed any more has lost its height all the same.
    stands = still(com_m=np.ones((100, 3)))
    assert jump_height.measure(stands, high)["jump_height.change"] == pytest.approx(50.0)
    assert np.isnan(jump_height.measure(stands, stands)["jump_height.change"])


# ---- Peaks and ranges ----------------------------------------------------------------------------


def figures(found: dict[str, float | tuple[float, str]]) -> dict[str, tuple[float, str]]:
    return {m.key.split(".")[1]: (m.value, m.about) for m in measures_from(found)}


def test_peaks_are_ratios_to_the_joints_own_peaks() -> None:
    series = still(400)
    wave = np.sin(2 * np.pi * 2.0 * series.times_s)
    calm = turned(series, "LeftLeg", 0.5 * wave, (1.0, 0.0, 0.0))
    wild = turned(series, "LeftLeg", 0.75 * wave, (1.0, 0.0, 0.0))
    found = figures(joint_peaks.measure(wild, calm))
    assert found["speed"][0] == pytest.approx(1.5, rel=1e-3)
    assert found["acceleration"][0] == pytest.approx(1.5, rel=1e-3)
    assert "LeftLeg" in found["speed"][1] and "LeftLeg" in found["acceleration"][1]
    # (2π 2 Hz)² 0.5 rad
    peak = joint_accelerations_rad_s2(calm.clip).max()
    assert peak == pytest.approx(0.5 * (4 * np.pi) ** 2, rel=0.01)


def test_a_jump_of_one_frame_shows_in_full() -> None:
    series = still()
    angles = np.zeros(100)
    angles[50:] = np.radians(3.0)  # 300 deg/s from one frame to the next
    found = figures(joint_peaks.measure(turned(series, "Spine", angles, (0, 1, 0)), series))
    # The trunk is quiet at half a radian a second.
    assert found["speed"][0] == pytest.approx(np.radians(300.0) / 0.5)
    assert found["acceleration"][0] > 3.0  # what of it is within 12 Hz


def test_joints_that_are_held_still_may_move_a_little() -> None:
    series = still(400)
    slow = np.radians(15.0) / (4 * np.pi) * np.sin(4 * np.pi * series.times_s)
    found = figures(joint_peaks.measure(turned(series, "Spine", slow, (0, 1, 0)), series))
    assert found["speed"][0] == pytest.approx(np.radians(15.0) / 0.5, rel=5e-3)
    assert found["acceleration"][0] == pytest.approx(np.radians(15.0) * 4 * np.pi / 10.0, rel=0.01)


def test_range_excess_is_beyond_range_and_original() -> None:
    series = known()
    assert series.character.roles is not None
    skeleton = series.clip.skeleton
    ranges = human_ranges(skeleton, series.character.roles)
    knee = skeleton.index("LeftLeg")

    def bent(degrees: float) -> Series:
        return turned(series, "LeftLeg", np.full(100, np.radians(degrees)), (1.0, 0.0, 0.0))

    # Whichever way the sample's knee bends, 10 degrees of hyperextension are free.
    sign = 1.0 if ranges.angles(bent(20.0).clip.rotations_wxyz)[0, knee, 0] > 0 else -1.0
    limits = np.degrees(ranges.limits_rad[knee, 0])
    stop = min(abs(limits[0]), abs(limits[1]))  # towards hyperextension
    way = sign if abs(limits[1]) < abs(limits[0]) else -sign
    beyond = figures(range_excess.measure(bent(way * (stop + 12.0)), series))["worst"]
    assert beyond[0] == pytest.approx(12.0, abs=1e-6) and "LeftLeg" in beyond[1]
    worst = range_excess.measure(bent(way * (stop + 12.0)), bent(way * (stop + 9.0)))
    assert figures(worst)["worst"][0] == pytest.approx(3.0, abs=1e-6)
    worst = range_excess.measure(bent(way * (stop + 9.0)), bent(way * (stop + 9.0)))
    assert figures(worst)["worst"][0] == 0.0


def test_hinges_keep_to_their_own_limits() -> None:
    skeleton = Skeleton(
        ("root", "hinge"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 1.0, 0]]),
        kinds=("ball", "hinge"), hinge_axes=np.array([[0.0, 0, 0], [1.0, 0, 0]]),
        limits_rad=np.stack([np.tile([-np.inf, np.inf], (3, 1)), np.tile([-0.5, 1.0], (3, 1))]),
    )  # fmt: skip
    q = np.tile(rotations.IDENTITY, (3, 2, 1))
    q[1, 1] = rotations.exp(np.array([1.2, 0.0, 0.0]))
    q[2, 1] = rotations.exp(np.array([-3.5, 0.0, 0.0]))
    clip = Clip(skeleton, 30.0, np.zeros((3, 3)), q)
    series = replace(still(3), clip=clip, character=Character(skeleton))
    at_rest = replace(series, clip=replace(clip, rotations_wxyz=q[[0, 0, 0]]))
    found = figures(range_excess.measure(series, at_rest))["worst"]
    # 3.5 one way is 2.78 the other way, which is 1.78 beyond the nearer end.
    assert found[0] == pytest.approx(np.degrees(2 * np.pi - 3.5 - 1.0))


def test_unknown_ranges_are_no_number() -> None:
    assert np.isnan(figures(range_excess.measure(still(), still()))["worst"][0])


def test_half_a_turn_is_the_same_angle_on_both_sides() -> None:
    series = known()
    arm = np.zeros(100)
    arm[:50], arm[50:] = np.radians(175.0), np.radians(185.0)
    raised = turned(series, "LeftArm", np.full(100, np.radians(175.0)), (0.0, 0.0, 1.0))
    further = turned(series, "LeftArm", arm, (0.0, 0.0, 1.0))
    found = figures(range_excess.measure(further, raised))["worst"]
    assert found[0] < 30.0
