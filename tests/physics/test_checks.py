"""Limits that a motion breaks are found, with joint and frames, and said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, with_ranges
from poise.environment import Environment
from poise.motion import Clip
from poise.physics import Shortfall, shortfalls, shortfalls_in_words
from poise.samples import Sample, sample_character, walking

FLOOR = Environment.flat()


@pytest.fixture(scope="module")
def walk() -> Sample:
    return walking(2.0, 60.0)


def ranged(walk: Sample) -> Character:
    return with_ranges(sample_character(), walk.clip.rotations_wxyz)


def turned(clip: Clip, joint: str, angles_rad: Array) -> Clip:
    """A joint turned about its own X axis by an angle in each frame."""
    j, q = clip.skeleton.index(joint), clip.rotations_wxyz.copy()
    axis = np.array([1.0, 0.0, 0.0])
    q[:, j] = rotations.multiply(q[:, j], rotations.exp(angles_rad[:, None] * axis))
    return replace(clip, rotations_wxyz=q)


def found(clip: Clip, walk: Sample, character: Character | None = None) -> tuple[Shortfall, ...]:
    return shortfalls(clip, character or ranged(walk), FLOOR, walk.contacts, walk.clip)


def test_a_clean_walk_falls_short_of_nothing(walk: Sample) -> None:
    assert found(walk.clip, walk) == ()
    assert shortfalls_in_words(()) == ""


def test_weak_joints_are_named_with_their_frames(walk: Sample) -> None:
    character = sample_character()
    assert character.strength is not None
    weak = replace(character, strength=None, torque_limits_nm=np.full((22, 3), np.inf))
    limits = weak.torque_limits_nm.copy()
    limits[character.skeleton.index("LeftLeg")] = 20.0
    told = found(walk.clip, walk, replace(weak, torque_limits_nm=limits))
    assert told and {(each.kind, each.joint) for each in told} == {("torque", "left_knee")}
    worst = told[0]
    assert worst.value > 1.05 and worst.limit == 1.05 and worst.stop > worst.first
    said = shortfalls_in_words(told[:1])
    assert said == (
        f"Left knee needs {worst.value:.3g} times its strength in frames {worst.first} to "
        f"{worst.stop - 1}."
    )


def test_a_jump_of_one_frame_is_too_fast(walk: Sample) -> None:
    angles = np.zeros(walk.clip.frame_count)
    angles[50:] = np.radians(8.0)
    told = [each for each in found(turned(walk.clip, "Neck", angles), walk) if each.kind == "speed"]
    assert [(each.first, each.stop, each.joint) for each in told] == [(50, 51, "neck")]
    assert "in frame 50" in shortfalls_in_words(told)


def test_angles_beyond_range_and_input_are_named(walk: Sample) -> None:
    # Slowly there and back, so that nothing is fast.
    angles = np.zeros(walk.clip.frame_count)
    angles[20:100] = np.radians(-60.0) * np.hanning(80)
    for sign in (1.0, -1.0):
        clip = turned(walk.clip, "Neck", sign * angles)
        told = [each for each in found(clip, walk) if each.kind == "range"]
        assert told and told[0].joint == "neck"
        assert 20 < told[0].first < told[0].stop < 100
        assert "beyond its range" in shortfalls_in_words(told)
        # What the input does is allowed.
        again = shortfalls(clip, ranged(walk), FLOOR, walk.contacts, clip)
        assert not [each for each in again if each.kind == "range"]


def test_depth_names_the_part(walk: Sample) -> None:
    sunk = replace(walk.clip, root_positions_m=walk.clip.root_positions_m - [0.0, 0.02, 0.0])
    told = [each for each in found(sunk, walk) if each.kind == "depth"]
    assert {each.joint for each in told} == {"left_foot", "right_foot"}
    assert max(each.value for each in told) == pytest.approx(0.02, abs=2e-3)
    assert "foot is 20" in shortfalls_in_words(told).lower()


def test_only_the_worst_are_named() -> None:
    many = [Shortfall("torque", 10 * n, 10 * n + 5, 2.0, 1.05, "left_knee") for n in range(5)]
    said = shortfalls_in_words(many)
    assert said.count("left knee") + said.count("Left knee") == 3 and said.endswith("; and 2 more.")
