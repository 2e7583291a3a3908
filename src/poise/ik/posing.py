"""One pose inside the compiled loop: where its joints are, and the same pose a step on."""

from __future__ import annotations

from poise.arrays import Array
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik.packed import BALL, TRANSLATION, Blocks, Tree, Work
from poise.mechanics import Quaternion, exponential, multiply, normalized, place_pose, turn


@inlined_borrowing
def place_joints(tree: Tree, frame: int, root: Array, local: Array, work: Work) -> None:
    """Forward kinematics of one pose."""
    place_pose(
        tree.parents, tree.offsets, tree.slots, tree.moving, frame, root, local, work.place,
        work.world,
    )  # fmt: skip


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
    return normalized(q[0], q[1], q[2], q[3])


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
