"""Clips refuse what is not a motion, and their arrays cannot be written to."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.character import Skeleton
from poise.errors import BadShape, BadValue
from poise.motion import Clip
from tests.motion.test_derivatives import TWO_JOINTS, tumbling


def test_arrays_are_copies_and_read_only() -> None:
    roots = np.zeros((3, 3))
    clip = Clip(TWO_JOINTS, 30.0, roots, np.tile(rotations.IDENTITY, (3, 2, 1)))
    roots[0] = 9.0
    assert clip.root_positions_m[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        clip.rotations_wxyz[0, 0, 0] = 2.0


def test_rotations_come_out_continuous_in_sign() -> None:
    clip, *_ = tumbling(30)
    q = clip.rotations_wxyz.copy()
    q[::2] *= -1.0
    again = Clip(clip.skeleton, clip.rate_hz, clip.root_positions_m, q)
    steps = np.sum(again.rotations_wxyz[1:] * again.rotations_wxyz[:-1], axis=-1)
    assert (steps > 0).all()


def test_slices_count_like_python() -> None:
    clip, *_ = tumbling(20)
    assert clip.sliced(5, 9).frame_count == 4
    assert clip.sliced(-3, None).frame_count == 3
    assert clip.sliced(None, 7).frame_count == 7
    with pytest.raises(BadValue, match=r"frames must be a range inside 0:20, got '30:40'"):
        clip.sliced(30, 40)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate_hz": 0.0}, "rate_hz must be a positive number"),
        ({"root_positions_m": np.zeros((2, 3))}, r"root_positions_m must have shape \(3, 3\)"),
        ({"rotations_wxyz": np.ones((3, 2, 4))}, "rotation of root in frame 0"),
        ({"rotations_wxyz": np.zeros((0, 2, 4))}, "at least 1 frame"),
        ({"root_positions_m": np.full((3, 3), np.nan)}, "finite everywhere"),
        ({"moving_joints": (0,)}, "joints other than the root"),
    ],
)
def test_what_is_no_motion_is_refused_by_name(change: dict[str, object], message: str) -> None:
    good: dict[str, object] = {
        "skeleton": TWO_JOINTS,
        "rate_hz": 30.0,
        "root_positions_m": np.zeros((3, 3)),
        "rotations_wxyz": np.tile(rotations.IDENTITY, (3, 2, 1)),
    }
    with pytest.raises((BadValue, BadShape), match=message):
        Clip(**{**good, **change})  # type: ignore[arg-type]


def test_a_skeleton_of_one_joint_can_move() -> None:
    dot = Skeleton(("dot",), np.array([-1]), np.zeros((1, 3)))
    clip = Clip(dot, 1.0, np.zeros((1, 3)), np.tile(rotations.IDENTITY, (1, 1, 1)))
    assert clip.duration_s == 0.0
