"""Blocks of `LANES` frames: vectors between the callers' arrays, the scratch and registers.

The callers' arrays are C-contiguous, frame after frame, and addressed by flat indices; the scratch
is flat, one row of lanes per number, `span` numbers per joint. When the last block is not full it
starts earlier and repeats frames that are done; fewer frames than a block holds go one by one, the
same frame in every lane (`step` 0). Either way each frame meets the same instructions, so its bits
do not depend on its place in the batch.
"""

from __future__ import annotations

from poise.arrays import Array, Indices
from poise.compiled import inlined
from poise.mechanics.lanes import (
    LANES,
    gather,
    gather_pair,
    load,
    scatter,
    scatter_pair,
    store,
)
from poise.mechanics.quaternion_kernels import Quaternion, Vector


@inlined
def block_step(last: int) -> int:
    """How far apart the lanes' frames are: 1, or 0 if the whole batch is smaller than a block."""
    return 1 if last >= LANES else 0


@inlined
def block_start(f: int, last: int, step: int) -> int:
    """Where the block for frame `f` starts."""
    return min(f, last - LANES) if step else f


@inlined
def put_offsets(offsets: Array, s: Array, row: int, span: int) -> None:
    """The joints' constant offsets to row `row` of their scratch, the same in every lane."""
    for j in range(len(offsets)):
        for c in range(3):
            for l in range(LANES):
                s[(j * span + row + c) * LANES + l] = offsets[j, c]


@inlined
def put_moving(
    slots: Indices, moving: Array, start: int, step: int, s: Array, row: int, span: int
) -> None:  # fmt: skip
    """The offsets that vary, for the block that starts at frame `start`."""
    if moving.shape[1] == 0:
        return
    for j in range(len(slots)):
        if slots[j] >= 0:
            for l in range(LANES):
                for c in range(3):
                    value = moving[start + step * l, slots[j], c]
                    s[(j * span + row + c) * LANES + l] = value


@inlined
def gather_quaternion(array: Array, start: int, stride: int) -> Quaternion:
    """One quaternion per lane, `stride` apart."""
    w, x = gather_pair(array, start, stride)
    y, z = gather_pair(array, start + 2, stride)
    return w, x, y, z


@inlined
def gather_vector(array: Array, start: int, stride: int) -> Vector:
    """One vector per lane, `stride` apart."""
    x, y = gather_pair(array, start, stride)
    return x, y, gather(array, start + 2, stride)


@inlined
def scatter_quaternion(array: Array, start: int, stride: int, q: Quaternion) -> None:
    """One quaternion per lane, `stride` apart."""
    scatter_pair(array, start, stride, q[0], q[1])
    scatter_pair(array, start + 2, stride, q[2], q[3])


@inlined
def scatter_vector(array: Array, start: int, stride: int, v: Vector) -> None:
    """One vector per lane, `stride` apart."""
    scatter_pair(array, start, stride, v[0], v[1])
    scatter(array, start + 2, stride, v[2])


@inlined
def load_vector(s: Array, start: int) -> Vector:
    """Three rows of scratch."""
    return load(s, start), load(s, start + LANES), load(s, start + 2 * LANES)


@inlined
def store_vector(s: Array, start: int, v: Vector) -> None:
    """To three rows of scratch."""
    store(s, start, v[0])
    store(s, start + LANES, v[1])
    store(s, start + 2 * LANES, v[2])


@inlined
def load_quaternion(s: Array, start: int) -> Quaternion:
    """Four rows of scratch."""
    return (
        load(s, start),
        load(s, start + LANES),
        load(s, start + 2 * LANES),
        load(s, start + 3 * LANES),
    )


@inlined
def store_quaternion(s: Array, start: int, q: Quaternion) -> None:
    """To four rows of scratch."""
    store_vector(s, start, (q[0], q[1], q[2]))
    store(s, start + 3 * LANES, q[3])
