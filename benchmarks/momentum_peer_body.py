"""A body in CasADi's symbols: poses, centre of mass, momentum, errors of tasks, joints' numbers.

Written from the definitions, with none of Poise's kernels: so that if both come to the same motion,
neither is wrong in a way of its own. Rotations are quaternions as lists of four symbols; functions
that are smooth but have removable singularities are series, which have all derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any

import casadi as ca
import numpy as np

from poise.arrays import Array
from poise.ik.packed import ANGLE, BALL, CENTER, POINT, SWING_TWIST, TRANSLATION, TURN
from poise.methods.momentum.spacetime_rows import Figure

Symbols = list[Any]
"""Four of a quaternion, three of a vector: symbols or numbers."""

_TERMS = 12
"""Of the exponential map: exact to rounding for half a turn."""
_LOG_TERMS = 17
"""Of its inverse."""


def series(x: Any, factors: Sequence[float]) -> Any:
    total: Any = factors[-1]
    for factor in factors[-2::-1]:
        total = factor + x * total
    return total


_COSINE = [(-0.25) ** k / factorial(2 * k) for k in range(_TERMS)]
_SINE = [0.5 * (-0.25) ** k / factorial(2 * k + 1) for k in range(_TERMS)]
_ARC = [2.0**k * factorial(k) ** 2 / factorial(2 * k + 1) for k in range(_LOG_TERMS)]
"""arccos(w) / √(1 − w²) by powers of 1 − w."""


def exponential(d: Symbols) -> Symbols:
    square = dot(d, d)
    sine = series(square, _SINE)
    return [series(square, _COSINE), *(sine * x for x in d)]


def logarithm(q: Symbols) -> Symbols:
    """Of at most half a turn, whatever the quaternion's sign."""
    side = ca.sign(q[0])
    # Half of the turn, of which the series is a short one.
    w = ca.sqrt(0.5 * (1.0 + side * q[0]))
    factor = side * 2.0 * series(1.0 - w, _ARC) / w
    return [factor * x for x in q[1:]]


def product(a: Symbols, b: Symbols) -> Symbols:
    return [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]


def conjugate(q: Symbols) -> Symbols:
    return [q[0], -q[1], -q[2], -q[3]]


def dot(a: Symbols, b: Symbols) -> Any:
    return sum(x * y for x, y in zip(a, b, strict=True))


def cross(a: Symbols, b: Symbols) -> Symbols:
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def plus(a: Symbols, b: Symbols, share: float = 1.0) -> Symbols:
    return [x + share * y for x, y in zip(a, b, strict=True)]


def matrix(q: Symbols) -> list[Symbols]:
    w, x, y, z = q
    return [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]


def times(rows: Sequence[Symbols], v: Symbols) -> Symbols:
    return [dot(row, v) for row in rows]


def back(rows: Sequence[Symbols], v: Symbols) -> Symbols:
    return [dot([row[c] for row in rows], v) for c in range(3)]


class Pose:
    """One frame: x its unknowns, p the guess (root, then the rotations that change over time)."""

    def __init__(self, figure: Figure, x: Any, p: Any) -> None:
        tree, blocks = figure.rig.tree, figure.rig.blocks
        if (tree.slots >= 0).any():
            raise ValueError("joints that move along their bones are not in this peer")
        count = len(tree.parents)
        self.changing = changing(figure)
        self.locals: list[Symbols] = [figure.locals[0, j].tolist() for j in range(count)]
        for k, j in enumerate(self.changing):
            self.locals[j] = [p[3 + 4 * k + c] for c in range(4)]
        root: Symbols = [p[c] for c in range(3)]
        for b in range(len(blocks.kind)):
            kind, j, c = int(blocks.kind[b]), int(blocks.joint[b]), int(blocks.column[b])
            if kind == TRANSLATION:
                root = [root[i] + x[c + i] for i in range(3)]
            elif kind == BALL:
                self.locals[j] = product(exponential([x[c + i] for i in range(3)]), self.locals[j])
            else:
                turn = exponential([x[c] * a for a in blocks.axis[b].tolist()])
                self.locals[j] = product(self.locals[j], turn)
        self.root = root
        self.turns: list[Symbols] = [self.locals[0]]
        self.axes: list[list[Symbols]] = [matrix(self.locals[0])]
        self.arms: list[Symbols] = [[0.0, 0.0, 0.0]]
        """Where joints are, from the root."""
        for j in range(1, count):
            up = int(tree.parents[j])
            self.turns.append(product(self.turns[up], self.locals[j]))
            self.axes.append(matrix(self.turns[j]))
            self.arms.append(plus(self.arms[up], times(self.axes[up], tree.offsets[j].tolist())))
        self.figure = figure

    def arm(self, joint: int, offset: Symbols) -> Symbols:
        return plus(self.arms[joint], times(self.axes[joint], offset))

    def center_arm(self) -> Symbols:
        body = self.figure.segments
        total: Symbols = [0.0, 0.0, 0.0]
        for j in np.flatnonzero(body.masses).tolist():
            total = plus(total, self.arm(j, body.centers[j].tolist()), float(body.masses[j]))
        return [v / float(body.masses.sum()) for v in total]

    def center(self) -> Symbols:
        return plus(self.root, self.center_arm())

    def spin(self, turning: list[Symbols]) -> Symbols:
        """Angular momentum about the centre of mass, of turns about the axes of the parents."""
        body, parents = self.figure.segments, self.figure.rig.tree.parents
        turns, moves = [turning[0]], [[0.0, 0.0, 0.0]]
        for j in range(1, len(parents)):
            up = int(parents[j])
            turns.append(plus(turns[up], times(self.axes[up], turning[j])))
            lever = plus(self.arms[j], self.arms[up], -1.0)
            moves.append(plus(moves[up], cross(turns[up], lever)))
        center, found = self.center_arm(), [0.0, 0.0, 0.0]
        for j in range(len(parents)):
            mass, inertia = float(body.masses[j]), body.inertias[j]
            if mass == 0.0 and not inertia.any():
                continue
            lever = times(self.axes[j], body.centers[j].tolist())
            moved = plus(moves[j], cross(turns[j], lever))
            off = plus(plus(self.arms[j], lever), center, -1.0)
            found = plus(found, cross(off, moved), mass)
            own = times(inertia.tolist(), back(self.axes[j], turns[j]))
            found = plus(found, times(self.axes[j], own))
        return found


def changing(figure: Figure) -> list[int]:
    """Joints whose rotation in the guess is not one for all frames."""
    steady = (figure.locals == figure.locals[:1]).all(axis=(0, 2))
    return np.flatnonzero(~steady).tolist()


def parameters(figure: Figure) -> Array:
    """(3 + 4 joints, F) what a pose takes for p."""
    turns = figure.locals[:, changing(figure)].reshape(len(figure.roots), -1)
    return np.concatenate([figure.roots, turns], axis=1).T


def momentum(figure: Figure, rate_hz: float, before: Pose, after: Pose) -> Symbols:
    """Six numbers: velocity of the centre of mass between two frames, and spin as a velocity."""
    turning = [
        logarithm(product(b, conjugate(a)))
        for a, b in zip(before.locals, after.locals, strict=True)
    ]
    gone = plus(after.center(), before.center(), -1.0)
    spun = plus(before.spin(turning), after.spin(turning))
    mass, length = figure.segments.mass, figure.segments.length
    return [rate_hz * g for g in gone] + [0.5 * rate_hz / (mass * length) * s for s in spun]


def task_error(figure: Figure, pose: Pose, t: int, goal: Any) -> Symbols:
    """What a task lacks: the goal less what is there, scaled, along its axes."""
    tasks = figure.rig.tasks
    kind, joint = int(tasks.kind[t]), int(tasks.joint[t])
    relative = tasks.reference[t] >= 0 or tasks.point[t] < tasks.point[t + 1]
    if relative or kind not in (POINT, TURN, CENTER):
        raise ValueError("only points, turns and the centre in the world are in this peer")
    if kind != TURN:
        offset = tasks.offset[t].tolist()
        place = pose.center() if kind == CENTER else plus(pose.root, pose.arm(joint, offset))
        lacks = plus([goal[c] for c in range(3)], place, -1.0)
    else:
        wanted: Symbols = [goal[c] for c in range(4)]
        lacks = logarithm(product(wanted, conjugate(pose.turns[joint])))
    scale = float(tasks.scale[t])
    return [scale * lacks[c] for c in range(3) if tasks.axes[t, c]]


def limited(figure: Figure, l: int, local: Symbols) -> Symbols:
    """The numbers of a joint's rotation that have a range."""
    limits = figure.limits
    q = product(product(limits.left[l].tolist(), local), limits.right[l].tolist())
    kind = int(limits.kind[l])
    if kind == ANGLE:
        sine = dot(q[1:], limits.axis[l].tolist())
        return [ca.atan2(2.0 * q[0] * sine, q[0] * q[0] - sine * sine)]
    if kind == SWING_TWIST:
        w, _, y, _ = q
        swing = product(q, [w, 0.0, -y, 0.0])
        size = ca.sqrt(w * w + y * y)
        a, _, b = logarithm([s / size for s in swing])
        return [a, ca.atan2(2.0 * w * y, w * w - y * y), b]
    return logarithm(q)
