"""Foot slide at thirty frames a second: soles that roll, slide, pivot and float, all made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.contact import ContactSchedule, Series, slide_speeds_m_s
from poise.contact.slide import SAME_LEVEL_M
from tests.measures.made_series import still

RATE_HZ = 30.0
SOLE_M = np.array(
    [[0.0, 0.0, -0.06], [-0.04, 0.0, 0.13], [0.04, 0.0, 0.13], [0.0, 0.0, 0.20]]
)  # fmt: skip
"""(4, 3) heel, both balls and tip of a rigid sole; z is ahead."""
HEEL, TIP = 0, 3


def series_of(points: Array) -> Series:
    """A left foot whose sole points (F, 4, 3) are these, on the ground at zero."""
    frames = len(points)
    velocity = np.gradient(points, axis=0) * RATE_HZ
    contacts = ContactSchedule(
        ("left_foot", "right_foot"), np.tile([True, False], (frames, 1)), RATE_HZ
    )
    return replace(
        still(frames),
        times_s=np.arange(frames) / RATE_HZ,
        contacts=contacts,
        point_parts=("left_foot",) * 4,
        points_m=points,
        point_distances_m=points[..., 1],
        point_slide_m_s=np.linalg.norm(velocity[..., [0, 2]], axis=-1),
    )


def speeds(points: Array) -> Array:
    return slide_speeds_m_s(series_of(points), "left_foot")


def rolled(pitches: Array, pivot: int) -> Array:
    """(F, 4, 3) a sole that turns about a point which stays; up at the other end if positive."""
    sign = 1.0 if pivot == TIP else -1.0
    turns = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), sign * pitches)
    own = rotations.rotate(turns[:, None], SOLE_M)
    return own - own[:, [pivot]] + SOLE_M[pivot]


def step() -> Array:
    """Down over the heel, flat, and briskly off over the tip: two thirds of a second."""
    down = rolled(np.array([0.70, 0.50]), HEEL)
    flat = rolled(np.zeros(13), HEEL)
    off = rolled(np.array([0.60, 0.85, 1.05, 1.20, 1.30]), TIP)
    return np.concatenate([down, flat, off])


def test_a_rigid_sole_that_rolls_does_not_slide() -> None:
    """Though its heel is centimetres higher, and ahead, a frame after it left the ground."""
    found = speeds(step())
    assert np.isfinite(found).all()
    assert found.max() < 0.02
    by_lowest = _counting_only_the_frame_itself(step())
    assert by_lowest.max() > 0.1  # what it would be if neighbours did not count


def _counting_only_the_frame_itself(points: Array) -> Array:
    heights = points[..., 1]
    low = heights <= heights.min(axis=1, keepdims=True) + SAME_LEVEL_M
    slide = series_of(points).point_slide_m_s
    return (slide * low).sum(axis=1) / low.sum(axis=1)


@pytest.mark.parametrize("speed", [0.05, 0.6])
def test_a_flat_sole_that_slides_reads_its_speed(speed: float) -> None:
    along = np.array([0.6, 0.0, 0.8]) * speed * np.arange(20)[:, None] / RATE_HZ
    np.testing.assert_allclose(speeds(SOLE_M + along[:, None]), speed, rtol=1e-9)


def test_a_rolling_sole_that_slides_reads_how_fast_it_slides() -> None:
    """All of it slides: what stays low goes at that speed, and nothing lets it off."""
    aside = np.array([0.4, 0.0, 0.0]) * np.arange(20)[:, None] / RATE_HZ
    found = speeds(step() + aside[:, None])
    assert found.min() > 0.39
    assert np.median(found) == pytest.approx(0.4, rel=0.02)
    assert found.max() < 0.45


@pytest.mark.parametrize("about", [HEEL, TIP])
def test_a_sole_that_pivots_reads_the_mean_speed_of_its_points(about: int) -> None:
    rate_rad_s = 1.5
    turns = rotations.from_axis_angle(
        np.array([0.0, 1.0, 0.0]), rate_rad_s * np.arange(30) / RATE_HZ
    )
    points = rotations.rotate(turns[:, None], SOLE_M - SOLE_M[about])
    arms = np.linalg.norm((SOLE_M - SOLE_M[about])[:, [0, 2]], axis=1)
    np.testing.assert_allclose(speeds(points)[1:-1], rate_rad_s * arms.mean(), rtol=1e-3)


def test_a_pivot_on_the_tip_alone_is_no_slide() -> None:
    """The heel is up: only what is down counts."""
    lifted = rolled(np.full(30, 0.5), TIP) - SOLE_M[TIP]
    turns = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), 1.5 * np.arange(30) / RATE_HZ)
    assert speeds(rotations.rotate(turns[:, None], lifted)).max() < 1e-9


@pytest.mark.parametrize("height", [0.03, 0.3])
def test_a_sole_that_floats_while_it_slides_is_not_let_off(height: float) -> None:
    """Nor one that bobs and tilts so that no point is the lowest for three frames."""
    along = np.array([0.0, height, 0.0]) + np.array([0.5, 0.0, 0.0]) * (
        np.arange(20)[:, None] / RATE_HZ
    )
    np.testing.assert_allclose(speeds(SOLE_M + along[:, None]), 0.5, rtol=1e-9)
    rocks = np.where(np.arange(20)[:, None, None] % 2, step()[0], rolled(np.array([0.5]), TIP)[0])
    found = speeds(rocks + along[:, None])
    assert np.isfinite(found).all() and found.min() > 0.45


def test_a_sole_that_floats_in_place_does_not_slide() -> None:
    bobs = 0.05 + 0.04 * np.sin(np.arange(30))[:, None, None] * np.array([0.0, 1.0, 0.0])
    assert speeds(SOLE_M + bobs * [0.0, 1.0, 0.0]).max() < 1e-12


def test_a_clip_of_one_or_two_frames_is_measured_all_the_same() -> None:
    along = np.array([0.3, 0.0, 0.0]) * np.arange(2)[:, None] / RATE_HZ
    np.testing.assert_allclose(speeds(SOLE_M + along[:, None]), 0.3, rtol=1e-9)
    alone = replace(
        series_of(SOLE_M[None].repeat(2, axis=0)), times_s=np.zeros(1),
        point_distances_m=np.zeros((1, 4)), point_slide_m_s=np.zeros((1, 4)),
        contacts=ContactSchedule(("left_foot",), np.ones((1, 1), dtype=bool), RATE_HZ),
    )  # fmt: skip
    np.testing.assert_array_equal(slide_speeds_m_s(alone, "left_foot"), [0.0])
