"""From tasks to the arrays of the compiled loop, once before it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Character, Skeleton
from poise.constraints import GOAL_SIZE, Recruits, Scene, Task
from poise.errors import BadValue
from poise.ik.packed import (
    ANGLE,
    BALL,
    HINGE,
    ROTATION_VECTOR,
    SWING_TWIST,
    TRANSLATION,
    Blocks,
    Limits,
    Tasks,
    Tree,
    Work,
)
from poise.mechanics import moving_table

KINDS = tuple(GOAL_SIZE)
"""Kinds of tasks in the order of the codes in `packed`."""

ANGLE_LENGTH_M = 0.2
"""A radian counts as much as this distance, where both stand in one layer: about a hand or foot."""

_ROWS = {"turn": 3, "aim": 2, "distance": 1}


def pack_tree(scene: Scene, tasks: Sequence[Task]) -> Tree:
    """The figure; its masses only if some task asks for them."""
    character, clip = scene.character, scene.clip
    skeleton = character.skeleton
    count = skeleton.joint_count
    slots, moving = moving_table(
        skeleton, clip.moving_joints, clip.moving_offsets_m, clip.frame_count
    )
    masses, centers = np.zeros(count), np.zeros((count, 3))
    if any(task.kind == "center" for task in tasks):
        body = character.body
        if body is None:
            raise BadValue("character", "one with a body (see complete_character)", "no masses")
        masses, centers = body.masses_kg, body.centers_m
    # Read-only like a body's own: kernels are compiled once for both.
    masses.flags.writeable = centers.flags.writeable = False
    return Tree(skeleton.parents, skeleton.offsets_m, slots, moving, masses, centers)


def pack_blocks(
    skeleton: Skeleton,
    tasks: Sequence[Task],
    mobility: Mapping[int, float],
    also: Recruits | None = None,
) -> tuple[Blocks, int]:
    """Every joint that some task recruits, or that is asked for, and how many unknowns they make.

    `mobility` is by joint index, -1 for the root's translation.
    """
    recruited = np.zeros(skeleton.joint_count, dtype=np.bool_)
    translated = False
    if also is not None:
        recruited |= also.joints
        translated = also.translation
    for task in tasks:
        recruited |= task.recruits.joints
        translated |= task.recruits.translation
    joints = np.flatnonzero(recruited & (skeleton.freedoms > 0))
    kinds = np.where(skeleton.freedoms[joints] == 3, BALL, HINGE)
    if translated:
        joints, kinds = np.concatenate([[0], joints]), np.concatenate([[TRANSLATION], kinds])
    sizes = np.where(kinds == HINGE, 1, 3)
    of_joint = np.full(skeleton.joint_count, -1, dtype=np.int64)
    turning = kinds != TRANSLATION
    of_joint[joints[turning]] = np.flatnonzero(turning)
    keys = np.where(turning, joints, -1).tolist()
    blocks = Blocks(
        kind=kinds.astype(np.int64),
        joint=joints.astype(np.int64),
        column=(np.cumsum(sizes) - sizes).astype(np.int64),
        axis=np.ascontiguousarray(skeleton.hinge_axes[joints]),
        mobility=np.array([mobility.get(key, 1.0) for key in keys], dtype=np.float64),
        of_joint=of_joint,
    )
    return blocks, int(sizes.sum())


def pack_tasks(
    skeleton: Skeleton, blocks: Blocks, tasks: Sequence[Task], layers: Sequence[int]
) -> Tasks:
    """The tasks in the order given, greater layers first; `layers` count from 0."""
    heaviest: dict[int, float] = {}
    for task, layer in zip(tasks, layers, strict=True):
        heaviest[layer] = max(heaviest.get(layer, 0.0), task.weight)
    count = len(tasks)
    goals = np.zeros((sum(len(task.goals) for task in tasks), 4))
    starts, carries = np.zeros(count, dtype=np.int64), [
        _carriers(skeleton, blocks, task) for task in tasks
    ]  # fmt: skip
    row = 0
    for t, task in enumerate(tasks):
        starts[t] = row
        goals[row : row + len(task.goals), : task.goals.shape[1]] = task.goals
        row += len(task.goals)
    scale = [
        np.sqrt(task.weight / heaviest[layer])
        * (ANGLE_LENGTH_M if task.kind in ("turn", "aim") else 1.0)
        for task, layer in zip(tasks, layers, strict=True)
    ]
    return Tasks(
        kind=_integers([KINDS.index(task.kind) for task in tasks]),
        layer=_integers(layers),
        first=_integers([task.first for task in tasks]),
        last=_integers([task.last for task in tasks]),
        goal=starts,
        goals=goals,
        scale=np.array(scale, dtype=np.float64),
        joint=_integers([task.joint for task in tasks]),
        offset=_vectors([task.offset_m for task in tasks]),
        reference=_integers([task.reference for task in tasks]),
        reference_offset=_vectors([task.reference_offset_m for task in tasks]),
        direction=_vectors([task.direction for task in tasks]),
        axes=_integers([_axes(task) for task in tasks]).reshape(count, 3),
        side=_integers([task.side for task in tasks]),
        tied=_integers([task.tied for task in tasks]),
        rows=_integers([_ROWS.get(task.kind, sum(_axes(task))) for task in tasks]),
        carry=_starts([len(c) for c in carries]),
        carry_block=_integers([b for c in carries for b, _, _ in c]),
        carry_sign=np.array([s for c in carries for _, s, _ in c], dtype=np.float64),
        carry_recruited=_integers([r for c in carries for _, _, r in c]),
        plain=_integers([_is_plain(task, c) for task, c in zip(tasks, carries, strict=True)]),
        point=_starts([len(task.points) for task in tasks]),
        point_joint=_integers([j for task in tasks for j in task.points.joints.tolist()]),
        point_offset=_vectors([o for task in tasks for o in task.points.offsets_m]),
    )


def _is_plain(task: Task, carriers: list[tuple[int, float, int]]) -> bool:
    """Whether `crowded_layer` can take it: in the world, on all axes, by all that carries it."""
    absolute = task.kind in ("point", "turn") and task.reference < 0 and all(_axes(task))
    return task.kind == "center" or (absolute and all(recruited for _, _, recruited in carriers))


def _axes(task: Task) -> tuple[int, ...]:
    counts = task.axes if task.kind in ("point", "center") else (True, True, True)
    return tuple(int(c) for c in counts)


def _carriers(skeleton: Skeleton, blocks: Blocks, task: Task) -> list[tuple[int, float, int]]:
    """(block, sign, recruited) of every block that moves a task."""
    recruits = task.recruits
    found: list[tuple[int, float, int]] = []
    translation = len(blocks.kind) > 0 and blocks.kind[0] == TRANSLATION
    world = task.reference < 0
    if translation and world and task.kind != "turn":
        found.append((0, 1.0, int(recruits.translation)))
    if task.kind == "center":
        signs = dict.fromkeys(range(skeleton.joint_count), 1.0)
    else:
        here = skeleton.ancestors(task.joint)
        there = () if world else skeleton.ancestors(task.reference)
        if task.kind == "point" and not task.offset_m.any():
            here = here[1:]  # turning a joint does not move its origin
        signs = {j: 1.0 for j in here if j not in there}
        signs |= {j: -1.0 for j in there if j not in skeleton.ancestors(task.joint)}
    for joint, sign in signs.items():
        block = int(blocks.of_joint[joint])
        if block >= 0:
            found.append((block, sign, int(recruits.joints[joint])))
    return found


def pack_limits(character: Character, blocks: Blocks) -> Limits:
    """The skeleton's own limits (robots), and the character's ranges (people)."""
    skeleton, ranges = character.skeleton, character.ranges
    entries: list[tuple[int, int, Array, Array, Array, Array]] = []
    one, nothing = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
    for joint in np.flatnonzero(blocks.of_joint >= 0).tolist():
        block = int(blocks.of_joint[joint])
        hinge = blocks.kind[block] == HINGE
        own = skeleton.limits_rad[joint]
        if np.isfinite(own[: 1 if hinge else 3]).any():
            kind = ANGLE if hinge else ROTATION_VECTOR
            rest = skeleton.rest_wxyz[joint] * [1.0, -1.0, -1.0, -1.0]
            axis = skeleton.hinge_axes[joint] if hinge else nothing
            entries.append((block, kind, rest, one, axis, own))
        if ranges is not None and not hinge and np.isfinite(ranges.limits_rad[joint]).any():
            parent = ranges.axes.parent_wxyz[joint] * [1.0, -1.0, -1.0, -1.0]
            own_axes = ranges.axes.own_wxyz[joint]
            limit = ranges.limits_rad[joint]
            entries.append((block, SWING_TWIST, parent, own_axes, nothing, limit))
    return Limits(
        block=_integers([e[0] for e in entries]),
        kind=_integers([e[1] for e in entries]),
        left=np.array([e[2] for e in entries], dtype=np.float64).reshape(-1, 4),
        right=np.array([e[3] for e in entries], dtype=np.float64).reshape(-1, 4),
        axis=_vectors([e[4] for e in entries]),
        low=_vectors([e[5][:, 0] for e in entries]),
        high=_vectors([e[5][:, 1] for e in entries]),
    )


def make_work(tree: Tree, blocks: Blocks, tasks: Tasks, limits: Limits, width: int) -> Work:
    """Scratch that fits the largest frame."""
    joints, count, rows = len(tree.parents), len(tasks.kind), int(tasks.rows.sum())
    size = max(width, 1)
    layers = int(tasks.layer.max(initial=-1)) + 1
    most = max(rows, 2 * size)
    return Work(
        world=np.zeros((joints, 4)),
        place=np.zeros((joints, 3)),
        moments=np.zeros((joints, 4)),
        sums=np.zeros((joints, 16)),
        full=np.zeros((rows, size)),
        rows=np.zeros((rows, size)),
        errors=np.zeros(rows),
        remaining=np.zeros(rows),
        step=np.zeros(size),
        wish=np.zeros(size),
        left=np.zeros(size),
        basis=np.zeros((size, size)),
        ends=np.zeros(size, dtype=np.int64),
        matrix=np.zeros((size, size)),
        vector=np.zeros(most),
        active=np.zeros(count, dtype=np.int64),
        row_of=np.zeros(count + 1, dtype=np.int64),
        controlled=np.zeros(len(blocks.kind), dtype=np.int64),
        faded=np.zeros(len(blocks.kind)),
        locks=np.zeros(len(blocks.kind), dtype=np.int64),
        locked=np.zeros(len(limits.block), dtype=np.int64),
        newly=np.zeros(len(blocks.kind), dtype=np.int64),
        step_after=np.zeros((layers, size)),
        rank_after=np.zeros(layers, dtype=np.int64),
        margin=np.zeros(len(limits.block)),
        turned=np.zeros(len(blocks.kind)),
        lock_axes=np.zeros((len(blocks.kind), 3, 3)),
        held=np.zeros(size),
        now=np.zeros(layers),
        progress=np.zeros(layers),
        calm=np.ones(layers + 1),
        crowded=np.zeros(2, dtype=np.int64),
        relax=np.ones(1),
        last=np.zeros(size),
        good_steps=np.zeros(2, dtype=np.int64),
        kept_root=np.zeros(3),
        kept=np.zeros((joints, 4)),
        before=np.zeros((joints, 4)),
        misses=np.zeros(count),
    )


def _integers(values: Sequence[object]) -> Indices:
    return np.array(values, dtype=np.int64)


def _vectors(values: Sequence[Array]) -> Array:
    return np.array(values, dtype=np.float64).reshape(-1, 3)


def _starts(sizes: Sequence[int]) -> Indices:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
