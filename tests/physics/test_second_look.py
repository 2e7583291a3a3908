"""A second look at a solved motion: what a filter shows, and what is done about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.constraints import Scene
from poise.contact import observe, touching_points
from poise.environment import Environment
from poise.mechanics import center_of_mass
from poise.motion import Clip, joint_accelerations_rad_s2, peak_accelerations_rad_s2
from poise.physics import PhysicsSettings
from poise.physics.equations import body_of, usual_wrench
from poise.physics.second_look import acceleration_growth, replanned, seen_of, torque_severity
from poise.physics.settings import everywhere
from poise.physics.supports import supports_of
from poise.samples import Sample, sample_character, walking

BODY = sample_character()
FLAT = Environment.flat(0.0)
SETTINGS = PhysicsSettings()


def jolted(clip: Clip, joint: int, frame: int) -> Clip:
    """A clip in which a joint turns away and back within a few frames."""
    away = 0.3 * np.exp(-0.5 * ((np.arange(clip.frame_count) - frame) / 3.0) ** 2)
    turns = clip.rotations_wxyz.copy()
    turn = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), away)
    turns[:, joint] = rotations.multiply(turns[:, joint], turn)
    return replace(clip, rotations_wxyz=turns)


def test_a_motion_within_its_own_peaks_is_left_alone() -> None:
    clip = walking().clip
    assert (acceleration_growth(clip, peak_accelerations_rad_s2(clip), 1.1) == 1.0).all()


def test_a_jolt_is_curbed_where_it_is() -> None:
    clip = walking().clip
    joint, frame = clip.skeleton.index("LeftForeArm"), clip.frame_count // 2
    peaks = peak_accelerations_rad_s2(clip)
    shaken = jolted(clip, joint, frame)
    assert joint_accelerations_rad_s2(shaken)[:, joint].max() > 2.0 * peaks[joint]
    growth = acceleration_growth(shaken, peaks, 1.1)
    assert growth[frame, joint] > 2.0
    assert (np.delete(growth, joint, axis=1) == 1.0).all()
    away = np.abs(np.arange(clip.frame_count) - frame) > 0.3 * clip.rate_hz
    assert (growth[away, joint] == 1.0).all()


def looked_at(sample: Sample, clip: Clip) -> tuple[Array, Array, NDArray[np.bool_]]:
    """What a clip with a sample's contacts is asked for: wrench and weights before and after."""
    scene = Scene(clip, BODY, FLAT, None)
    scale = body_of(BODY, clip).scale
    assert BODY.body is not None
    com = center_of_mass(scene.state, BODY.body)
    touched = touching_points(scene.state, BODY, sample.contacts, FLAT)
    usual = usual_wrench(clip, BODY, scale)
    supports = supports_of(scene.state, touched, com, scale, usual, SETTINGS)
    seen = seen_of(clip, BODY, FLAT, sample.contacts, everywhere(clip.frame_count))
    found, near = replanned(clip, seen, supports, scale, SETTINGS)
    return found.usual - usual, found.likeness / np.maximum(supports.likeness, 1e-9), near


def test_a_balanced_walk_is_not_planned_again() -> None:
    sample = walking()
    _, _, near = looked_at(sample, sample.clip)
    assert near.mean() < 0.1


def test_pressure_outside_of_the_feet_is_planned_back() -> None:
    sample = walking()
    clip = sample.clip
    # The whole body sways once: 4 cm within half a second, which feet cannot give.
    times = (np.arange(clip.frame_count) - clip.frame_count // 2) / clip.rate_hz
    sway = 0.04 * np.exp(-0.5 * (times / 0.06) ** 2)
    swaying = replace(
        clip, root_positions_m=clip.root_positions_m + sway[:, None] * np.array([1.0, 0.0, 0.0])
    )
    outside = observe(swaying, BODY, FLAT, sample.contacts).support_distance_m > 0.01
    change, insisted, near = looked_at(sample, swaying)
    assert outside.any()
    assert near[outside].all()
    assert (insisted[near] > 1.0).any()
    assert np.abs(change[near]).max() > 0.01
    assert (change[~near] == 0.0).all()
    assert (insisted[~near & (insisted[:, 0] > 0.0)] == 1.0).all()


def severity(sample: Sample, weaker: float, strength: NDArray[np.bool_] | None = None) -> Array:
    """Of a body whose torque limits are so many times smaller."""
    assert BODY.strength is not None
    limits = np.asarray(BODY.strength.limits_nm) / weaker
    weak = replace(BODY, strength=replace(BODY.strength, limits_nm=limits))
    asked = everywhere(sample.clip.frame_count)
    if strength is not None:
        asked = replace(asked, strength=strength)
    return torque_severity(seen_of(sample.clip, weak, FLAT, sample.contacts, asked))


def test_torques_count_more_where_they_exceed_strength_and_it_is_asked_for() -> None:
    sample = walking()
    series = observe(sample.clip, BODY, FLAT, sample.contacts, 12.0)
    assert (severity(sample, 0.5) == 1.0).all()
    weaker = 1.2 / float(series.torque_ratio[20:-20].max())
    found = severity(sample, weaker)
    over = weaker * series.torque_ratio > 1.05
    over[:20], over[-20:] = False, False
    assert over.any() and (found[over] > 1.0).all()
    assert (found > 1.0).mean() < 0.05
    nowhere = np.zeros(sample.clip.frame_count, dtype=np.bool_)
    assert (severity(sample, weaker, nowhere) == 1.0).all()
