"""From an edit to the spacetime problem: stages, guess, what is held, curves, prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import UP, Character
from poise.constraints import Recruits, Scene, Task
from poise.contact import ContactSchedule, extent_m
from poise.environment import Environment
from poise.errors import BadValue
from poise.footing import Movers, moving_joints
from poise.ik import BALL, TRANSLATION, IkProblem, inertia_stiffness, widened
from poise.ik import build as build_ik
from poise.methods.momentum.body_motion import Segments
from poise.methods.momentum.held import held_tasks
from poise.methods.momentum.momentum_curves import (
    CurveUnknowns,
    StageMomentum,
    curve_unknowns,
    used_columns,
)
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.spacetime import Motion, Rooms, Spacetime, evaluate, left_of, still
from poise.methods.momentum.spacetime_rows import Balance, Curves, Figure, Price
from poise.methods.momentum.stages import Stage, center_path_m
from poise.motion import Clip
from poise.solvers import add_to_normal, factor_and_solve

GYRATION = 0.17
"""Radius by which spin compares with velocity, over stature: about a body's own radius of gyration
about its long axis and a third of that across it."""

HARD, MOMENTUM, RANGE, CONTROL = 1e5, 3e2, 1e2, 1e-6
"""What rows of constraints weigh at first, per metre, metre per second and radian squared."""

ROOT_LENGTH_M = 0.5
"""A displacement of the whole body by this much is as unlike as a joint at the end of its range."""


@dataclass(frozen=True, eq=False)
class Leap:
    """What is known of a leap before it is solved."""

    guess: Clip
    """Ground stages as moved, flights between them."""
    character: Character
    environment: Environment
    contacts: ContactSchedule
    stages: tuple[Stage, ...]
    """With the gravity that flights shall have."""
    fitted: Mapping[int, StageMomentum]
    turns_rad: Mapping[int, float]
    """Of the ground stages that are turned."""
    turning_rad: Array
    """(F,) by how much the guess is turned about the vertical, flights included."""
    original: Clip
    """As long as the guess, before stages moved: what joints may do."""
    tops: tuple[Task, ...]
    """The heights that are asked for."""
    times: Array
    """(F,) which frame of the capture, or between which, every frame shows."""

    @cached_property
    def scene(self) -> Scene:
        """What constraints are read against: the guess, in the result's own frames."""
        return Scene(self.guess, self.character, self.environment, None)


@dataclass(frozen=True, eq=False)
class Problem:
    """A leap as equations."""

    leap: Leap
    ik: IkProblem
    spacetime: Spacetime
    start: Motion


def footing(leap: Leap) -> tuple[tuple[Task, ...], Movers, Scene]:
    """What is held on the ground, where the moved stages have it."""
    movers = Movers(leap.character, moving_joints(leap.original))
    return held_tasks(leap.scene, leap.contacts, movers), movers, leap.scene


def build(leap: Leap, tasks: Sequence[Task], settings: Settings) -> Problem:
    """The equations of a leap."""
    clip, body = leap.guess, leap.character.body
    assert body is not None
    every = Recruits(moving_joints(leap.original), True)
    # Momentum is the whole body's business: everything that moves helps with everything.
    tasks = [replace(task, recruits=every) for task in tasks]
    ik = build_ik(leap.scene, tasks, also=every)
    _check_size(clip.frame_count * ik.width, leap)
    length = GYRATION * extent_m(leap.character.skeleton)
    segments = Segments(
        body.masses_kg, body.centers_m, body.inertias_kg_m2, body.total_mass_kg, length
    )
    layers = [0 if task.priority == 1 else 1 for task in ik.tasks]
    packed = ik.packed._replace(layer=np.array(layers, dtype=np.int64))
    figure = Figure(
        rig=ik.rig._replace(tasks=packed),
        limits=widened(ik.limits, ik.blocks, leap.original.rotations_wxyz),
        segments=segments,
        task_row=np.cumsum(packed.rows) - packed.rows,
        stiffness=likeness_weights(ik),
        inertia=inertia_stiffness(ik),
        roots=clip.root_positions_m,
        locals=clip.rotations_wxyz,
        excess=_excess(leap, ik),
    )
    curves = curve_unknowns(leap.stages, leap.fitted, leap.turns_rad, clip.rate_hz)
    balance, ends = _balance(leap, settings, curves.basis.shape[2])
    shared_curves, balance, begins = _in_order(curves, balance, ends)
    step = 1.0 / clip.rate_hz
    price = Price(
        place=settings.place * step,
        velocity=settings.place * settings.velocity_s**2 * step,
        acceleration=settings.place * settings.acceleration_s**4 * step,
        hard=HARD * step, wish=1e2 * step, momentum=MOMENTUM * step, range=RANGE * step,
        control=CONTROL, rate=clip.rate_hz,
    )  # fmt: skip
    names = np.repeat([task.name for task in ik.tasks], ik.packed.rows).tolist()
    spacetime = Spacetime(figure, shared_curves, begins * ik.width, balance, price, tuple(names))
    control = _control(spacetime)
    spacetime = replace(spacetime, curves=shared_curves._replace(wanted=control))
    return Problem(leap, ik, spacetime, still(spacetime, control))


def _in_order(
    curves: CurveUnknowns, balance: Balance, ends: Sequence[int]
) -> tuple[Curves, Balance, Indices]:
    """Shared unknowns in the order in which they begin, which the solver makes use of."""
    begins = np.concatenate([curves.begins, np.array(ends, dtype=np.int64)])
    order = np.argsort(begins, kind="stable")
    where = np.empty_like(order)
    where[order] = np.arange(len(order))
    basis = np.zeros((*curves.basis.shape[:2], len(order)))
    basis[:, :, where[: curves.basis.shape[2]]] = curves.basis
    column = np.where(balance.column >= 0, where[np.maximum(balance.column, 0)], -1)
    made = Curves(basis, curves.constant, *used_columns(basis), np.zeros(len(order)))
    return made, balance._replace(column=column), begins[order]


def likeness_weights(ik: IkProblem) -> Array:
    """(W,) what displacing each unknown costs: one over its natural bound, squared (4.2.1)."""
    found = np.ones(ik.width)
    blocks, spans = ik.blocks, dict[int, float]()
    for l in range(len(ik.limits.block)):
        b = int(ik.limits.block[l])
        span = ik.limits.high[l] - ik.limits.low[l]
        span = span[np.isfinite(span)]
        if len(span):
            spans[b] = float(np.sqrt(np.mean(span**2)))
    for b in range(len(blocks.kind)):
        kind, column = int(blocks.kind[b]), int(blocks.column[b])
        size = 3 if kind <= BALL else 1
        span = ROOT_LENGTH_M if kind == TRANSLATION else spans.get(b, np.pi / 2.0)
        found[column : column + size] = 1.0 / max(span, 0.2) ** 2
    return found


def _excess(leap: Leap, ik: IkProblem) -> Array:
    """(F, W) second differences of the guess's root beside those of the capture, turned along."""
    found = np.zeros((leap.guess.frame_count, ik.width))
    blocks = ik.blocks
    up = rotations.from_axis_angle(UP, leap.turning_rad)
    own = np.diff(leap.original.root_positions_m, n=2, axis=0)
    moved = np.diff(leap.guess.root_positions_m, n=2, axis=0)
    for b in range(len(blocks.kind)):
        column = int(blocks.column[b])
        if blocks.kind[b] == TRANSLATION:
            found[:-2, column : column + 3] = moved - rotations.rotate(up[1:-1], own)
        elif blocks.kind[b] == BALL and blocks.joint[b] == 0:
            # The root's parent is the world: a turn about the vertical adds to its second number.
            found[:-2, column + 1] = np.diff(leap.turning_rad, n=2)
    return found


def _check_size(unknowns: int, leap: Leap) -> None:
    points = sum(len(c.control) for each in leap.fitted.values() for c in each.curves)
    needed = 8.0 * unknowns * points
    if needed > _LARGEST_BYTES:
        allowed = (
            "a shorter part around the leap (frames of clip), or a lower rate (rate_hz of clip): "
            f"it needs {needed / 1e9:.1f} GB, and {_LARGEST_BYTES / 1e9:g} may be used"
        )
        raise BadValue("clip", allowed, f"{leap.guess.frame_count} frames")


_LARGEST_BYTES = 3e9


_RIDGE = 1e-9
"""Added to the diagonal, for control points that nothing of the guess tells of."""


def _as_band(matrix: Array) -> Array:
    """A dense symmetric matrix as a band of one block: row j has its columns from j on."""
    band = np.zeros_like(matrix)
    for j in range(len(matrix)):
        band[j, : len(matrix) - j] = matrix[j, j:]
    return band


def _control(spacetime: Spacetime) -> Array:
    """Control points nearest to the momentum of the guess."""
    control = np.zeros(spacetime.curves.basis.shape[2])
    rooms = Rooms(spacetime)
    motion = still(spacetime, control)
    evaluate(spacetime, spacetime.price, motion, rooms)
    seen = left_of(spacetime, spacetime.price, motion, rooms).momentum
    basis = spacetime.curves.basis.reshape(-1, len(control))
    # Our own kernels: the bits of a library's answer depend on how many threads it has.
    squares = np.diag(np.full(len(control), _RIDGE))
    add_to_normal(basis, len(basis), seen.ravel(), len(control), squares, control)
    factor_and_solve(_as_band(squares), len(control), 1, control)
    for r, column in enumerate(spacetime.balance.column.tolist()):
        if column >= 0:
            f, c = int(spacetime.balance.frame[r]), int(spacetime.balance.axis[r])
            control[column] = rooms.poses.center[f, c] - spacetime.balance.target[r]
    return control


def _balance(leap: Leap, settings: Settings, size: int) -> tuple[Balance, list[int]]:
    """Pseudo-balance (4.2.2), along the ground.

    In the first and the last ground stage the centre of mass is to end where it began: half of the
    way to a shared unknown each. In others its middle frame is to be over where the guess has it.
    """
    rows: list[tuple[int, int, int, float, float]] = []
    ends: list[int] = []
    center = center_path_m(leap.guess, leap.character)
    ground = [i for i, stage in enumerate(leap.stages) if stage.kind == "ground"]
    for i in ground:
        stage = leap.stages[i]
        if i in (ground[0], ground[-1]):
            for axis in (0, 2):
                for frame in (stage.first, stage.stop - 1):
                    at = float(center[frame, axis])
                    rows.append((frame, axis, size + len(ends), at, 2.0 * settings.balance))
                ends.append(stage.first)
        else:
            middle = (stage.first + stage.stop - 1) // 2
            for axis in (0, 2):
                rows.append((middle, axis, -1, float(center[middle, axis]), settings.balance))
    frame, axis, column, target, weight = (list(each) for each in zip(*rows, strict=True))
    made = Balance(
        np.array(frame, dtype=np.int64),
        np.array(axis, dtype=np.int64),
        np.array(column, dtype=np.int64),
        np.array(target, dtype=np.float64),
        np.array(weight, dtype=np.float64),
    )
    return made, ends
