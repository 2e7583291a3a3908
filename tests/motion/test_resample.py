"""Other frame rates: exact where frames coincide, smooth between."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.errors import BadValue
from poise.motion import Clip
from poise.motion.resample import resample
from tests.motion.test_derivatives import TWO_JOINTS, tumbling


def test_a_whole_fraction_of_the_rate_picks_frames_as_they_are() -> None:
    clip, *_ = tumbling(121)
    third = resample(clip, 40.0)
    assert third.rate_hz == 40.0
    np.testing.assert_array_equal(third.root_positions_m, clip.root_positions_m[::3])
    np.testing.assert_array_equal(np.abs(third.rotations_wxyz), np.abs(clip.rotations_wxyz[::3]))


@pytest.mark.parametrize("rate_hz", [100.0, 240.0, 29.97])
def test_duration_and_shape_survive(rate_hz: float) -> None:
    clip, *_ = tumbling(241)
    other = resample(clip, rate_hz)
    assert abs(other.duration_s - clip.duration_s) <= 1.0 / rate_hz
    t = np.arange(other.frame_count) / rate_hz
    np.testing.assert_allclose(other.root_positions_m[:, 0], np.sin(3 * t), atol=2e-6)
    back = resample(other, clip.rate_hz)
    frames = min(back.frame_count, clip.frame_count)
    angle = rotations.angle_between(back.rotations_wxyz[:frames], clip.rotations_wxyz[:frames])
    assert angle.max() < 2e-4 if rate_hz < 60 else angle.max() < 2e-6


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_very_short_clips_can_be_resampled(frames: int) -> None:
    clip, *_ = tumbling(frames)
    assert resample(clip, 300.0).frame_count == int((frames - 1) * 2.5) + 1


def test_the_same_rate_returns_the_same_clip() -> None:
    clip, *_ = tumbling(10)
    assert resample(clip, 120.0) is clip


@pytest.mark.parametrize("rate_hz", [0.0, -30.0, float("nan")])
def test_a_rate_that_is_none_is_refused(rate_hz: float) -> None:
    clip, *_ = tumbling(10)
    with pytest.raises(BadValue, match="rate_hz must be a positive number"):
        resample(clip, rate_hz)


def test_moving_offsets_are_resampled_too() -> None:
    t = np.arange(11) / 10.0
    clip = Clip(
        TWO_JOINTS,
        10.0,
        np.zeros((11, 3)),
        np.tile(rotations.IDENTITY, (11, 2, 1)),
        moving_joints=(1,),
        moving_offsets_m=np.stack([t, t**2, t**3], axis=1)[:, None],
    )
    finer = resample(clip, 25.0)
    s = np.arange(26) / 25.0
    np.testing.assert_allclose(finer.moving_offsets_m[:, 0, 2], s**3, atol=1e-12)
