"""Poses that come as near to their goals as they can, frame by frame.

Where goals cannot all be met (a robot after a human), strict layers are out of place: every task
counts by its weight, and what a joint departs by costs a little, so that of all best poses one is
taken. Levenberg–Marquardt from the frame before: two or three steps a frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing
from poise.errors import BadValue
from poise.ik.displacement_rows import (
    add_row,
    into_parents,
    put_displacement,
    put_ranges,
    take_steps,
)
from poise.ik.frame_loop import gather
from poise.ik.packed import Limits, PoseArrays, Rig
from poise.ik.problem import IkProblem, IkSolution, refuse_tied
from poise.ik.step import evaluate_pose
from poise.solvers import factor_band, solve_band

_FARTHEST = 0.5
"""Radians or metres that one step may move an unknown."""
_CALMER, _FIRMER = 0.1, 10.0
_FROM_AFAR = 100
"""Most steps of a frame that has none before it."""


@dataclass(frozen=True)
class FollowSettings:
    """How frames are followed."""

    place: float = 0.001
    """What a radian or metre of displacement costs, against a metre of error."""
    calm_s: float = 6e-4
    """How long a displacement lags that a weight of 1 m/rad holds. Near a singular pose,
    hinges would otherwise turn by half a circle for a millimetre."""
    range: float = 100.0
    """What a radian beyond a joint's range costs."""
    iterations: int = 12
    """Most steps of a frame."""
    settled: float = 1e-3
    """A frame ends when a step gains less than this share."""

    def __post_init__(self) -> None:
        if not self.place > 0.0:
            raise BadValue("place", "more than zero", self.place)
        for name in ("calm_s", "range", "settled"):
            if not 0.0 <= getattr(self, name) < np.inf:
                raise BadValue(name, "zero or more", getattr(self, name))
        if not 0 <= self.iterations <= 1000:
            raise BadValue("iterations", "from 0 to 1000", self.iterations)


class _Price(NamedTuple):
    place: float
    calm: float
    range: float


class _Room(NamedTuple):
    """Scratch of one frame."""

    band: Array
    """(W, W) the normal equations, as `poise.solvers.banded_cholesky` takes them, and"""
    right: Array
    """(W,) their right side."""
    displaced: Array
    """(2, W) how far this frame and the one before are from the original."""
    row: Array
    used: Indices
    beyond: Array
    forced: Indices
    root: Array
    """(1, 3) and"""
    local: Array
    """(1, J, 4) the pose to step back to."""


def follow(
    problem: IkProblem, into: IkSolution, first: int, last: int,
    settings: FollowSettings | None = None,
) -> None:  # fmt: skip
    """Solve frames `first` to `last`, in place.

    Args:
        problem: from `build`; layers do not count.
        into: frames before `first` are gone on from.
        first: a frame.
        last: included.
        settings: the knobs.
    """
    settings = settings or FollowSettings()
    refuse_tied(problem)
    width, clip = problem.width, problem.scene.clip
    if width == 0:
        return
    limited = len(problem.limits.block)
    room = _Room(
        np.empty((width, width)), np.empty(width), np.zeros((2, width)), np.empty(width),
        np.empty(width, dtype=np.int64), np.zeros((limited, 3)),
        np.zeros((limited, 3), dtype=np.int64), np.empty((1, 3)),
        np.empty((1, clip.skeleton.joint_count, 4)),
    )  # fmt: skip
    price = _Price(settings.place, settings.calm_s * clip.rate_hz, settings.range)
    _follow_frames(
        first, last, problem.rig, problem.limits, price, settings.iterations, settings.settled,
        PoseArrays(clip.root_positions_m, clip.rotations_wxyz), into.poses, room, into.misses,
        into.iterations,
    )  # fmt: skip


@borrowing
def _follow_frames(
    first: int, last: int, rig: Rig, limits: Limits, price: _Price, iterations: int,
    settled: float, original: PoseArrays, poses: PoseArrays, room: _Room, misses: Array,
    counts: Indices,
) -> None:  # fmt: skip
    """Every frame begins with the displacement of the frame before."""
    blocks, width, roots, locals_ = rig.blocks, rig.width, poses.roots, poses.locals
    band, right = room.band, room.right
    for f in range(first, last + 1):
        root, local = roots[f], locals_[f]
        _copy(original.roots[f], original.locals[f], root, local)
        if f > 0:
            put_displacement(
                blocks, original.roots[f - 1], original.locals[f - 1], roots[f - 1],
                locals_[f - 1], room.displaced[1],
            )  # fmt: skip
            take_steps(blocks, width, room.displaced[1], 1.0, roots[f : f + 1], locals_[f : f + 1])
        count = gather(rig.tasks, f, rig.work)
        rig.work.crowded[0] = 0
        damping = price.place
        cost = _put(f, count, rig, limits, price, original, poses, room, misses[f])
        counts[f] = 0
        most = iterations if f > 0 else max(iterations, _FROM_AFAR)
        while counts[f] < most:
            counts[f] += 1
            for i in range(width):
                band[i, 0] += damping
            if not factor_band(band, width, 1):
                break
            solve_band(band, width, 1, right)
            longest = 0.0
            for i in range(width):
                longest = max(longest, abs(right[i]))
            _copy(root, local, room.root[0], room.local[0])
            share = min(1.0, _FARTHEST / max(longest, 1e-300))
            take_steps(blocks, width, right, share, roots[f : f + 1], locals_[f : f + 1])
            now = _put(f, count, rig, limits, price, original, poses, room, misses[f])
            if now <= cost:
                gained = cost - now
                cost = now
                damping *= _CALMER
                if gained <= settled * cost:
                    break
            else:
                damping *= _FIRMER
                _copy(room.root[0], room.local[0], root, local)
                cost = _put(f, count, rig, limits, price, original, poses, room, misses[f])


@inlined_borrowing
def _copy(root: Array, local: Array, to_root: Array, to_local: Array) -> None:
    for k in range(3):
        to_root[k] = root[k]
    for j in range(len(local)):
        for k in range(4):
            to_local[j, k] = local[j, k]


@inner_borrowing
def _put(
    f: int, count: int, rig: Rig, limits: Limits, price: _Price, original: PoseArrays,
    poses: PoseArrays, room: _Room, misses: Array,
) -> float:  # fmt: skip
    """The equations of a frame at its pose; returns what it costs."""
    tree, blocks, tasks, width, work = rig.tree, rig.blocks, rig.tasks, rig.width, rig.work
    root, local = poses.roots[f], poses.locals[f]
    band, right, displaced, used = room.band, room.right, room.displaced, room.used
    band[:] = 0.0
    put_displacement(blocks, original.roots[f], original.locals[f], root, local, displaced[0])
    calm = price.calm if f > 0 else 0.0
    cost = 0.0
    for i in range(width):
        here, change = displaced[0, i], displaced[0, i] - displaced[1, i]
        band[i, 0] = price.place + calm
        right[i] = -price.place * here - calm * change
        cost += price.place * here * here + calm * change * change
    evaluate_pose(f, count, rig, root, local)
    into_parents(blocks, tree, int(work.row_of[count]), work)
    for i in range(count):
        t = work.active[i]
        misses[t] = work.misses[i]
        for k in range(work.row_of[i], work.row_of[i + 1]):
            if tasks.side[t] == 0 or tasks.side[t] * work.errors[k] < 0.0:
                cost += add_row(band, right, 0, work.full[k], work.errors[k], 1.0, width, used)
    cost += put_ranges(
        limits, blocks, width, 0, price.range, local, room.beyond, room.forced, True, room.row,
        used, band, right,
    )  # fmt: skip
    return cost
