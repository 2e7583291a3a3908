"""What the compiled loop sees: plain arrays, in a few groups with names."""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array, Indices
from poise.mechanics import BALL as BALL
from poise.mechanics import HINGE as HINGE
from poise.mechanics import TRANSLATION as TRANSLATION
from poise.mechanics import Blocks as Blocks

POINT, TURN, AIM, DISTANCE, CENTER = 0, 1, 2, 3, 4
"""Kinds of tasks, in the order of `poise.constraints.task.GOAL_SIZE`."""

SWING_TWIST, ROTATION_VECTOR, ANGLE = 0, 1, 2
"""Kinds of joint limits: see `limits`."""


class Tree(NamedTuple):
    """The figure."""

    parents: Indices
    """(J,)"""
    offsets: Array
    """(J, 3)"""
    slots: Indices
    """(J,) column of `moving` that replaces a joint's offset, -1 for none."""
    moving: Array
    """(F, M, 3)"""
    masses: Array
    """(J,) zeros where no task asks for the centre of mass."""
    centers: Array
    """(J, 3)"""


class Tasks(NamedTuple):
    """All tasks, greater layers first."""

    kind: Indices
    layer: Indices
    first: Indices
    last: Indices
    goal: Indices
    """Row of `goals` for the first frame."""
    goals: Array
    """(N, 4); NaN where a task holds no goal."""
    scale: Array
    """(T,) what its rows are multiplied by: the root of the weight, for angles also a length."""
    joint: Indices
    offset: Array
    reference: Indices
    reference_offset: Array
    direction: Array
    axes: Indices
    """(T, 3) 1 where the axis counts."""
    side: Indices
    """(T,) 0, or of one-sided tasks the sign of what is too much; the frame-by-frame loop does
    not look."""
    tied: Indices
    """(T,) 1 where the goal's steps from frame to frame count, not the goal; the frame-by-frame
    loop does not look."""
    rows: Indices
    """(T,) how many rows it has."""
    carry: Indices
    """(T + 1,) where the blocks that move it begin in the next three."""
    carry_block: Indices
    carry_sign: Array
    """+1 where the block carries the point, -1 where it carries what the point is relative to."""
    carry_recruited: Indices
    plain: Indices
    """(T,) 1 where `crowded_layer` can take it."""
    point: Indices
    """(T + 1,) where its points begin in the next two; for centres."""
    point_joint: Indices
    point_offset: Array


class Limits(NamedTuple):
    """How far joints may turn."""

    block: Indices
    """(L,)"""
    kind: Indices
    left: Array
    """(L, 4) and"""
    right: Array
    """(L, 4): left ⊗ q ⊗ right is the turn whose numbers are limited."""
    axis: Array
    """(L, 3) of a hinge."""
    low: Array
    """(L, 3)"""
    high: Array
    """(L, 3)"""


class Knobs(NamedTuple):
    """Settings of the loop."""

    tolerance_m: float
    tolerance_rad: float
    posture_tolerance_rad: float
    settled_rad: float
    iterations: int
    reach_m: float
    """Errors longer than this are shortened to it, for one step."""
    turn_rad: float
    lever_m: float
    """λ² = lever · error."""
    slack_m: float
    """A layer may get worse up to this error without the step being taken back."""
    attraction: float
    root_attraction: float
    carry_pose: bool


class Work(NamedTuple):
    """Scratch of one thread."""

    world: Array
    """(J, 4) rotations in the world."""
    place: Array
    """(J, 3) origins in the world."""
    moments: Array
    """(J, 4) of subtrees: mass times place, and mass."""
    sums: Array
    """(J, 16) see `crowded_layer`."""
    full: Array
    """(K, W) rows with every column that moves them."""
    rows: Array
    """(K, W) rows with the recruited columns, projected."""
    errors: Array
    """(K,) scaled and shortened."""
    remaining: Array
    """(K,)"""
    step: Array
    """(W,)"""
    wish: Array
    """(W,)"""
    left: Array
    """(W,)"""
    basis: Array
    """(W, W) and"""
    ends: Indices
    """(W,): see `poise.solvers.prioritized_least_squares`."""
    matrix: Array
    vector: Array
    active: Indices
    """(T,) tasks that hold in the frame."""
    row_of: Indices
    """(T + 1,) first row of each active task."""
    controlled: Indices
    """(B,) 1 where an active task recruits the block."""
    faded: Array
    """(B,) share of the wish that is left to the block; 0 where it is not controlled."""
    locks: Indices
    """(B,) how many directions of the block are held at a limit."""
    locked: Indices
    """(L,) bits of the limited numbers that are held."""
    newly: Indices
    """(B,) 1 where the last look at the limits locked something."""
    step_after: Array
    """(layers, W) the step after each layer, and"""
    rank_after: Indices
    """(layers,) the rank of the basis."""
    margin: Array
    """(L,) how far a joint may still turn before its limit has to be looked at."""
    turned: Array
    """(B,) how far a move turned each joint."""
    lock_axes: Array
    """(B, 3, 3)"""
    held: Array
    """(W,) the part of the step that limits dictate."""
    now: Array
    """(layers,) weighted error of each layer, and"""
    progress: Array
    """(layers,) before the step."""
    calm: Array
    """(layers + 1,) extra damping of each layer and of the wish."""
    crowded: Indices
    """(2,) how many of the first active tasks `crowded_layer` takes (0: none), and whether their
    rows are written nevertheless."""
    relax: Array
    """(1,) share of the wish that is taken."""
    last: Array
    """(W,) the step before."""
    good_steps: Indices
    """(2,) in a row; and how many of them gained next to nothing."""
    kept_root: Array
    """(3,) and"""
    kept: Array
    """(J, 4) the pose to step back to."""
    before: Array
    """(J, 4) local rotations before a move."""
    misses: Array
    """(T,) error of each active task: metres or radians."""


class Rig(NamedTuple):
    """A figure with its unknowns and tasks, and scratch: what every loop over frames looks at."""

    tree: Tree
    blocks: Blocks
    tasks: Tasks
    width: int
    """W, how many unknowns a frame has."""
    work: Work


class PoseArrays(NamedTuple):
    """The poses of a motion."""

    roots: Array
    """(F, 3)"""
    locals: Array
    """(F, J, 4)"""
