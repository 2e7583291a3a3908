"""Forward kinematics: from a pose to where every joint and site is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Indices
from poise.character import Sites, Skeleton
from poise.compiled import compiled, inner_borrowing
from poise.errors import BadValue
from poise.mechanics.frames import as_frames
from poise.mechanics.lanes import LANES, prefetch
from poise.mechanics.quaternion_kernels import carried, turn_row
from poise.mechanics.subtree_sums import (
    block_start,
    block_step,
    gather_quaternion,
    gather_vector,
    load_quaternion,
    load_vector,
    put_moving,
    put_offsets,
    scatter_quaternion,
    scatter_vector,
    store_quaternion,
    store_vector,
)
from poise.sharing import over_frames

_NO_OFFSETS = np.zeros((1, 0, 3))
_NO_OFFSETS.setflags(write=False)


@dataclass(frozen=True, eq=False)
class BodyState:
    """Where all joints are, frame by frame; only `forward_kinematics` makes one."""

    skeleton: Skeleton
    positions_m: Array
    """(F, J, 3) joint origins in the world."""
    rotations_wxyz: Array
    """(F, J, 4) joint frames in the world."""

    @property
    def frame_count(self) -> int:
        """F."""
        return len(self.positions_m)


def forward_kinematics(
    skeleton: Skeleton,
    root_positions_m: ArrayLike,
    rotations_wxyz: ArrayLike,
    moving_joints: Sequence[int] = (),
    moving_offsets_m: ArrayLike | None = None,
    *,
    parallel: bool = True,
) -> BodyState:
    """Joint origins and rotations in the world, for every frame.

    Args:
        skeleton: the tree.
        root_positions_m: (F, 3) world.
        rotations_wxyz: (F, J, 4) unit, each joint's frame in its parent's (the root's: world).
        moving_joints: joints other than the root whose offset varies with time.
        moving_offsets_m: (F, len(moving_joints), 3) their origins in their parents' frames.
        parallel: use all cores when the batch is large enough to pay.

    A single pose may come without the frame axis; its state has one frame.
    """
    joints = skeleton.joint_count
    local = as_frames("rotations_wxyz", rotations_wxyz, (joints, 4))
    frames = len(local)
    roots = as_frames("root_positions_m", root_positions_m, (3,), frames)
    slots, offsets = moving_table(skeleton, moving_joints, moving_offsets_m, frames)
    positions = np.empty((frames, joints, 3))
    rotations = np.empty((frames, joints, 4))
    over_frames(
        _forward, frames, 4 * joints, parallel,
        skeleton.parents, skeleton.offsets_m, slots, offsets,
        roots, local, positions, rotations,
    )  # fmt: skip
    positions.setflags(write=False)
    rotations.setflags(write=False)
    return BodyState(skeleton, positions, rotations)


def site_positions(state: BodyState, sites: Sites, *, parallel: bool = True) -> Array:
    """(F, S, 3) the sites in the world."""
    sites.check_joints(state.skeleton.joint_count)
    places = np.empty((state.frame_count, len(sites), 3))
    over_frames(
        _sites, state.frame_count, 5 * len(sites), parallel,
        sites.joints, sites.offsets_m, state.positions_m, state.rotations_wxyz, places,
    )  # fmt: skip
    return places


def moving_table(
    skeleton: Skeleton,
    moving_joints: Sequence[int],
    moving_offsets_m: ArrayLike | None,
    frames: int,
) -> tuple[Indices, Array]:
    """(J,) which column of the moving offsets each joint takes, -1 for none; and the offsets."""
    count = len(moving_joints)
    if count == 0:
        return _none_move(skeleton.joint_count), _NO_OFFSETS
    if any(not 0 < joint < skeleton.joint_count for joint in moving_joints):
        raise BadValue("moving_joints", "joints other than the root", tuple(moving_joints))
    if moving_offsets_m is None:
        raise BadValue("moving_offsets_m", f"given for {count} moving joints", None)
    slots = np.full(skeleton.joint_count, -1, dtype=np.int64)
    slots[list(moving_joints)] = np.arange(count)
    slots.setflags(write=False)
    return slots, as_frames("moving_offsets_m", moving_offsets_m, (count, 3), frames)


@cache
def _none_move(joint_count: int) -> Indices:
    slots = np.full(joint_count, -1, dtype=np.int64)
    slots.setflags(write=False)
    return slots


_ROWS = 10
"""Numbers per joint in the scratch: world rotation 4, world origin 3, offset 3."""
_OFFSET_ROW = 7
_P, _O, _SPAN = 4 * LANES, _OFFSET_ROW * LANES, _ROWS * LANES


@compiled
def _forward(
    first: int, last: int,
    parents: Indices, offsets: Array, slots: Indices, moving: Array,
    roots: Array, local: Array, positions: Array, rotations: Array,
) -> None:  # fmt: skip
    """On blocks of frames, see `blocks`."""
    s = np.empty(len(parents) * _SPAN)
    put_offsets(offsets, s, _OFFSET_ROW, _ROWS)
    step = block_step(last)
    for f in range(first, last, LANES if step else 1):
        start = block_start(f, last, step)
        put_moving(slots, moving, start, step, s, _OFFSET_ROW, _ROWS)
        _forward_block(start, step, parents, roots, local, positions, rotations, s)


@compiled
def _forward_block(
    f: int, step: int, parents: Indices,
    roots: Array, local: Array, positions: Array, rotations: Array, s: Array,
) -> None:  # fmt: skip
    count = len(parents)
    four, three = 4 * count * step, 3 * count * step
    v = gather_vector(roots, 3 * f, 3 * step)
    q = gather_quaternion(local, 4 * count * f, four)
    for j in range(count):
        here, up = j * _SPAN, parents[j] * _SPAN
        ahead = count * (f + LANES) + LANES * j
        prefetch(local, 4 * ahead, 2)
        prefetch(rotations, 4 * ahead, 2)
        prefetch(positions, 3 * ahead, 2)
        if j > 0:
            up_q, offset = load_quaternion(s, up), load_vector(s, here + _O)
            up_p = load_vector(s, up + _P)
            q = gather_quaternion(local, 4 * count * f + 4 * j, four)
            q, v = carried(up_q, up_p, offset, q)
        store_quaternion(s, here, q)
        store_vector(s, here + _P, v)
        scatter_quaternion(rotations, 4 * count * f + 4 * j, four, q)
        scatter_vector(positions, 3 * count * f + 3 * j, three, v)


@inner_borrowing
def place_pose(
    parents: Indices, offsets: Array, slots: Indices, moving: Array, frame: int,
    root: Array, local: Array, place: Array, world: Array,
) -> None:  # fmt: skip
    """Forward kinematics of one pose, for kernels: origins (J, 3) and rotations (J, 4)."""
    for c in range(3):
        place[0, c] = root[c]
    for c in range(4):
        world[0, c] = local[0, c]
    for j in range(1, len(parents)):
        up, slot = parents[j], slots[j]
        if slot < 0:
            offset = offsets[j, 0], offsets[j, 1], offsets[j, 2]
        else:
            m = frame if len(moving) > 1 else 0
            offset = moving[m, slot, 0], moving[m, slot, 1], moving[m, slot, 2]
        q, p = carried(
            (world[up, 0], world[up, 1], world[up, 2], world[up, 3]),
            (place[up, 0], place[up, 1], place[up, 2]),
            offset,
            (local[j, 0], local[j, 1], local[j, 2], local[j, 3]),
        )
        place[j, 0], place[j, 1], place[j, 2] = p
        world[j, 0], world[j, 1], world[j, 2], world[j, 3] = q


@compiled
def _sites(
    first: int, last: int,
    joints: Indices, offsets: Array, positions: Array, rotations: Array, places: Array,
) -> None:  # fmt: skip
    for f in range(first, last):
        for s in range(len(joints)):
            j = joints[s]
            ox, oy, oz = turn_row(rotations, f, j, offsets[s, 0], offsets[s, 1], offsets[s, 2])
            places[f, s, 0] = positions[f, j, 0] + ox
            places[f, s, 1] = positions[f, j, 1] + oy
            places[f, s, 2] = positions[f, j, 2] + oz
