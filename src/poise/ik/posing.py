"""One pose inside the compiled loop: where its joints are, and the same pose a step on."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik.packed import BALL, TRANSLATION, Blocks, Tree, Work
from poise.mechanics import Quaternion, Vector, multiply, turn

_SMALL = 1e-8


@inlined_borrowing
def exponential(x: float, y: float, z: float) -> Quaternion:
    """The quaternion of a rotation vector."""
    angle = np.sqrt(x * x + y * y + z * z)
    if angle < _SMALL:
        return 1.0, 0.5 * x, 0.5 * y, 0.5 * z
    s = np.sin(0.5 * angle) / angle
    return np.cos(0.5 * angle), s * x, s * y, s * z


@inlined_borrowing
def logarithm(w: float, x: float, y: float, z: float) -> Vector:
    """The rotation vector, of at most half a turn, of a unit quaternion."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = np.sqrt(x * x + y * y + z * z)
    if sine < _SMALL:
        return 2.0 * x, 2.0 * y, 2.0 * z
    scale = 2.0 * np.arctan2(sine, w) / sine
    return scale * x, scale * y, scale * z


@inner_borrowing
def place_joints(tree: Tree, frame: int, root: Array, local: Array, work: Work) -> None:
    """Forward kinematics of one pose."""
    world, place = work.world, work.place
    for c in range(3):
        place[0, c] = root[c]
    for c in range(4):
        world[0, c] = local[0, c]
    for j in range(1, len(tree.parents)):
        up, slot = tree.parents[j], tree.slots[j]
        if slot < 0:
            x, y, z = tree.offsets[j, 0], tree.offsets[j, 1], tree.offsets[j, 2]
        else:
            m = frame if len(tree.moving) > 1 else 0
            x, y, z = tree.moving[m, slot, 0], tree.moving[m, slot, 1], tree.moving[m, slot, 2]
        a, b, c, d = world[up, 0], world[up, 1], world[up, 2], world[up, 3]
        x, y, z = turn(a, b, c, d, x, y, z)
        place[j, 0], place[j, 1], place[j, 2] = place[up, 0] + x, place[up, 1] + y, place[up, 2] + z
        world[j, 0], world[j, 1], world[j, 2], world[j, 3] = multiply(
            a, b, c, d, local[j, 0], local[j, 1], local[j, 2], local[j, 3]
        )


@inlined_borrowing
def parent_turn(tree: Tree, joint: int, work: Work) -> Quaternion:
    """The world rotation of what a joint hangs on."""
    up = tree.parents[joint]
    if up < 0:
        return 1.0, 0.0, 0.0, 0.0
    return work.world[up, 0], work.world[up, 1], work.world[up, 2], work.world[up, 3]


@inlined_borrowing
def turned_rotation(
    tree: Tree, blocks: Blocks, b: int, local: Array, step: Array, share: float, work: Work
) -> Quaternion:
    """The local rotation of a block's joint after `share` of the step; the parents stay."""
    j, column, s = blocks.joint[b], blocks.column[b], share * blocks.mobility[b]
    q = local[j, 0], local[j, 1], local[j, 2], local[j, 3]
    if blocks.kind[b] == BALL:
        pw, px, py, pz = parent_turn(tree, j, work)
        x, y, z = turn(
            pw, -px, -py, -pz, s * step[column], s * step[column + 1], s * step[column + 2]
        )
        e = exponential(x, y, z)
        q = multiply(e[0], e[1], e[2], e[3], q[0], q[1], q[2], q[3])
    else:
        angle = s * step[column]
        e = exponential(
            angle * blocks.axis[b, 0], angle * blocks.axis[b, 1], angle * blocks.axis[b, 2]
        )
        q = multiply(q[0], q[1], q[2], q[3], e[0], e[1], e[2], e[3])
    norm = 1.0 / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * norm, q[1] * norm, q[2] * norm, q[3] * norm


@inner_borrowing
def take_step(
    tree: Tree, blocks: Blocks, root: Array, local: Array, share: float, work: Work
) -> None:
    """Move the pose by `share` of the step; joints that are not asked to move keep their bits."""
    for b in range(len(blocks.kind)):
        column, mobility = blocks.column[b], blocks.mobility[b]
        size = 3 if blocks.kind[b] <= BALL else 1
        asked = False
        for c in range(column, column + size):
            asked |= work.step[c] != 0.0
        if not asked:
            continue
        if blocks.kind[b] == TRANSLATION:
            for c in range(3):
                root[c] += share * mobility * work.step[column + c]
        else:
            j = blocks.joint[b]
            q = turned_rotation(tree, blocks, b, local, work.step, share, work)
            local[j, 0], local[j, 1], local[j, 2], local[j, 3] = q
