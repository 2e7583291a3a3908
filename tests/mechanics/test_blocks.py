"""Blocks of frames: nothing is written past the frames that were asked for."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.mechanics.frames import as_frames
from poise.mechanics.inverse_dynamics import GRAVITY_M_S2, segment_constants
from poise.mechanics.kinematics import _forward, moving_table
from poise.mechanics.newton_euler import newton_euler
from tests.mechanics.random_trees import random_case

FRAMES = (1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33)
UNTOUCHED = 777.0


def guarded(frames: int, *shape: int) -> tuple[Array, Array]:
    """An array of frames, and the room behind it that must stay as it is."""
    whole = np.full((frames + 16, *shape), UNTOUCHED)
    return whole[:frames], whole[frames:]


@pytest.mark.parametrize("frames", FRAMES)
def test_kernels_write_their_frames_and_no_others(frames: int) -> None:
    case = random_case(9, frames=frames, joints=6)
    m, skeleton = case.motion, case.skeleton
    slots, moving = moving_table(skeleton, (), None, frames)
    inputs = [
        as_frames("input", value, value.shape[1:])
        for value in (m.local, m.omega, m.root_a, m.alpha)
    ]
    outputs = [guarded(frames, 6, 3), guarded(frames, 3), guarded(frames, 3)]
    newton_euler(
        0, frames, skeleton.parents, segment_constants(skeleton, case.body), slots, moving,
        GRAVITY_M_S2, *inputs, *(out for out, _ in outputs),
    )  # fmt: skip
    places = [guarded(frames, 6, 3), guarded(frames, 6, 4)]
    root = as_frames("root", m.root_m, (3,))
    _forward(
        0, frames, skeleton.parents, skeleton.offsets_m, slots, moving, root, inputs[0],
        *(out for out, _ in places),
    )  # fmt: skip
    for out, behind in (*outputs, *places):
        assert (out != UNTOUCHED).all()
        assert (behind == UNTOUCHED).all()
