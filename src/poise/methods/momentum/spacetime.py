"""Solving the spacetime problem (section 4.2.3): constraints by multipliers, frames by a band.

An augmented Lagrangian: every constraint is a heavy row, shifted by what earlier rounds left of it,
so that rows need not weigh infinitely to hold exactly. Inequalities (joint ranges, points above the
floor) are rows where they, shifted, are broken. Between updates of the shifts damped Gauss–Newton
steps are taken; each solves a band with a border (`solvers.bordered_band`), so its cost grows with
the frames, not with their cube.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices
from poise.ik import take_steps
from poise.methods.momentum.body_motion import Ends, Poses
from poise.methods.momentum.spacetime_rows import (
    REACH,
    Balance,
    Curves,
    Figure,
    Forced,
    Motion,
    Price,
    Shifts,
    System,
    put_left,
    put_system,
)
from poise.methods.progress import Progress, ProgressCallback
from poise.solvers import DampedNewton, NormalEquations

_MOST_DAMPING = 1e9
_ROUNDING = 1e-12
"""Of costs, relative."""


@dataclass(frozen=True)
class Tolerances:
    """When a motion is good enough."""

    place_m: float = 2e-5
    """Of what is held: feet, points on a side."""
    velocity_m_s: float = 2e-5
    """Of momentum over mass."""
    angle_rad: float = 3e-4
    """Of joint ranges."""
    step: float = 1e-4
    """An iteration that moves no unknown farther (radians, metres) has come to rest."""
    gain: float = 1e-6
    """So has one that makes the motion cheaper by less than this share."""


@dataclass(frozen=True, eq=False)
class Spacetime:
    """A problem, ready to be solved."""

    figure: Figure
    curves: Curves
    begins: Indices
    """(S,) first row of each shared unknown."""
    balance: Balance
    price: Price
    row_names: tuple[str, ...]
    """(R,) which task each row of a frame belongs to."""

    @property
    def width(self) -> int:
        """How many unknowns a frame has."""
        return self.figure.rig.width


@dataclass(frozen=True)
class Violation:
    """What is left of the constraints."""

    place_m: float
    velocity_m_s: float
    angle_rad: float
    worst: str
    """The worst in its tolerance, in words."""
    shares: tuple[float, float, float]
    """Each over its tolerance."""

    @property
    def kept(self) -> bool:
        """Whether all are."""
        return max(self.shares) <= 1.0


@dataclass(frozen=True, eq=False)
class Solved:
    """How it ended."""

    motion: Motion
    converged: bool
    ran_out: bool
    """Of iterations."""
    iterations: int
    violation: Violation
    cost: float
    """Of likeness, smoothness and balance."""
    last_step: float


def still(problem: Spacetime, control: Array) -> Motion:
    """What solving starts from: the guess."""
    figure = problem.figure
    frames, rows = len(figure.roots), len(problem.row_names)
    shifts = Shifts(
        np.zeros((frames, rows)), np.zeros((frames, len(figure.limits.block), 3)),
        np.zeros((frames - 1, 6)),
    )  # fmt: skip
    return Motion(figure.roots.copy(), figure.locals.copy(), control.copy(), shifts)


class Rooms:
    """Arrays that all iterations share."""

    def __init__(self, problem: Spacetime) -> None:
        frames, width = len(problem.figure.roots), problem.width
        joints, shared = problem.figure.locals.shape[1], problem.curves.basis.shape[2]
        size = frames * width
        self.poses = Poses(
            np.empty((frames, joints, 4)), np.empty((frames, joints, 3)),
            np.empty((frames, joints, 10)), np.empty((frames, joints, 10)),
            np.empty((frames, 3)), np.zeros((frames, 3, width)),
        )  # fmt: skip
        self.ends = Ends(
            np.empty((joints, 3)), np.empty((joints, 6)), np.empty((joints, 6)),
            np.empty((2, joints, 3, 3)), np.empty((2, joints, 3, 3)), np.empty((2, 3)),
        )  # fmt: skip
        self.system = System(
            np.empty((size, REACH * width)), np.empty(size), np.empty((size, shared)),
            np.empty((shared, shared)), np.empty(shared), np.empty((frames, width)),
            np.zeros(REACH * width), np.zeros(REACH * width, dtype=np.int64),
            np.zeros((6, 2 * width)), np.zeros(6), np.zeros((frames, width, 3)),
        )  # fmt: skip
        limited = len(problem.figure.limits.block)
        self.forced = Forced(
            np.zeros((frames, len(problem.row_names)), dtype=np.int64),
            np.zeros((frames, limited, 3), dtype=np.int64),
        )
        self.misses = np.full((frames, len(problem.figure.rig.tasks.kind)), np.nan)
        self.costs = np.zeros(5)


def evaluate(problem: Spacetime, price: Price, motion: Motion, rooms: Rooms) -> float:
    """Fill the equations at a motion; returns what it costs."""
    return put_system(
        problem.figure, problem.curves, problem.balance, price, motion, rooms.forced, rooms.poses,
        rooms.ends, rooms.system, rooms.misses, rooms.costs,
    )  # fmt: skip


def left_of(problem: Spacetime, price: Price, motion: Motion, rooms: Rooms) -> Shifts:
    """What a motion leaves of each constraint, its shift added."""
    left = Shifts(*(np.zeros_like(a) for a in motion.shifts))
    put_left(
        problem.figure, problem.curves, price, motion, rooms.poses, rooms.ends, rooms.system, left
    )
    return left


def violation(
    problem: Spacetime, left: Shifts, motion: Motion, tolerances: Tolerances
) -> Violation:
    """How far constraints are broken: for inequalities, only as far as they are."""
    tasks = left.tasks - motion.shifts.tasks
    # A one-sided row that asks for nothing gives its shift back: that is not a breach of it.
    tasks = np.where((left.tasks == 0.0) & (motion.shifts.tasks != 0.0), 0.0, tasks)
    sides = _sides(problem)
    tasks = np.where(sides * tasks < 0.0, 0.0, tasks)
    ranges = left.ranges - motion.shifts.ranges
    ranges = np.where((left.ranges == 0.0) | (left.ranges * ranges < 0.0), 0.0, ranges)
    momentum = left.momentum - motion.shifts.momentum
    place, place_at = _largest(tasks)
    velocity, velocity_at = _largest(momentum)
    angle, angle_at = _largest(ranges)
    shares = (
        place / tolerances.place_m,
        velocity / tolerances.velocity_m_s,
        angle / tolerances.angle_rad,
    )
    words = (
        f"'{problem.row_names[place_at[1]]}' by {1e3 * place:.3g} mm at frame {place_at[0]}"
        if problem.row_names
        else "nothing that is held",
        f"{_CURVES[velocity_at[1]]} by {velocity:.3g} m/s after frame {velocity_at[0]}",
        f"a joint's range by {np.degrees(angle):.3g} degrees at frame {angle_at[0]}",
    )
    worst = words[int(np.argmax(shares))]
    return Violation(place, velocity, angle, worst, shares)


_CURVES = tuple(f"momentum {way} {axis}" for way in ("along", "about") for axis in "xyz")


def _sides(problem: Spacetime) -> Array:
    """(R,) the side of each row's task."""
    tasks = problem.figure.rig.tasks
    return np.repeat(tasks.side, tasks.rows).astype(np.float64)


def _largest(values: Array) -> tuple[float, tuple[int, ...]]:
    if not values.size:
        return 0.0, (0, 0)
    at = np.unravel_index(int(np.abs(values).argmax()), values.shape)
    return float(abs(values[at])), tuple(int(i) for i in at)


def solve_spacetime(
    problem: Spacetime,
    start: Motion,
    tolerances: Tolerances | None = None,
    *,
    iterations: int = 60,
    progress: ProgressCallback | None = None,
) -> Solved:
    """Solve from a motion on, which is not changed, in so many steps at most."""
    tolerances = tolerances or Tolerances()
    descent = _Descent(problem, start)
    search = DampedNewton(descent, start, rounding=_ROUNDING)
    before, made_heavier = np.full(3, np.inf), np.zeros(3, dtype=np.int64)
    used, updates, slow, converged = 0, 0, 0, False
    if not np.isfinite(search.cost):
        iterations = 0  # goals beyond all numbers
    for used in range(1, iterations + 1):
        gained = search.advance()
        if gained is None:
            if search.damping > _MOST_DAMPING:
                break
            continue
        if gained > _SETTLED * search.cost and search.step > 10.0 * tolerances.step:
            continue
        # Settled for these shifts: what is left of the constraints shifts them further.
        now, left = descent.violated(search.at, tolerances)
        if progress is not None:
            progress(Progress("leap", used, iterations))
        rests = search.step <= tolerances.step or gained <= tolerances.gain * search.cost
        if now.kept and search.free and rests:
            converged = True
            break
        updates += 1
        shares = np.array(now.shares)
        lagging = (shares > 1.0) & (shares > _SLOW * before)
        grow = lagging & (made_heavier < _MOST_HEAVIER) & (updates > 1)
        made_heavier += grow
        search.go_to(descent.shifted(search.at, left, np.where(grow, _HEAVIER, 1.0)))
        if lagging.any() and updates > 1:
            slow = 0 if grow.any() else slow + 1
            # Steps that go to and fro between two motions are to be shorter.
            search.damping = max(search.damping, 1e-2 * 10.0**slow) if slow else search.damping
            if slow > _MOST_SLOW:
                break  # what is asked for contradicts itself
        before = shares
    ran_out = not converged and used >= iterations > 0
    now = descent.violated(search.at, tolerances)[0]
    evaluate(problem, descent.price, search.at, descent.rooms)
    cost = float(descent.rooms.costs[:2].sum())
    return Solved(search.at, converged, ran_out, used, now, cost, search.step)


class _Descent:
    """The problem between two updates of its shifts, as `DampedNewton` sees it."""

    def __init__(self, problem: Spacetime, start: Motion) -> None:
        self.problem, self.price, self.rooms = problem, problem.price, Rooms(problem)
        system = self.rooms.system
        damped = np.tile(problem.figure.stiffness, len(start.roots)) * self.price.place
        self.equations = NormalEquations(
            system.band, system.right, damped, problem.width, REACH, system.border, problem.begins,
            system.corner, system.shared,
        )  # fmt: skip
        self._sides, self._held = _sides(problem), self.rooms.forced

    def violated(self, at: Motion, tolerances: Tolerances) -> tuple[Violation, Shifts]:
        """What is left of the constraints, and what shifts they would become."""
        left = left_of(self.problem, self.price, at, self.rooms)
        return violation(self.problem, left, at, tolerances), left

    def shifted(self, at: Motion, left: Shifts, heavier: Array) -> Motion:
        """Take over new shifts, and make rows of some kinds heavier."""
        self.price, shifts = _heavier(self.price, left, heavier)
        return at._replace(shifts=shifts)

    def evaluate(self, at: Motion) -> float:
        """Fill the equations, without inequalities that are kept."""
        forced = self.rooms.forced
        self._held = Forced(forced.tasks.copy(), forced.ranges.copy())
        forced.tasks[:] = 0
        forced.ranges[:] = 0
        return evaluate(self.problem, self.price, at, self.rooms)

    def moved(self, at: Motion, share: float) -> Motion:
        """The motion a step on."""
        problem, system = self.problem, self.rooms.system
        tried = Motion(
            at.roots.copy(), at.locals.copy(), at.control + share * system.shared, at.shifts
        )
        take_steps(
            problem.figure.rig.blocks, problem.width, system.right, share, tried.roots, tried.locals
        )
        return tried

    def retried(self, tried: Motion, at: Motion) -> bool:
        """Whether a step ran into inequalities that it did not know of: again, with them."""
        forced = self.rooms.forced
        forced.tasks[:] = self._held.tasks
        forced.ranges[:] = self._held.ranges
        left = left_of(self.problem, self.price, tried, self.rooms)
        tasks = (left.tasks != 0.0) & (self._sides != 0.0) & (forced.tasks == 0)
        ranges = np.where(forced.ranges == 0, np.sign(left.ranges), 0.0).astype(np.int64)
        forced.tasks[tasks] = 1
        forced.ranges[:] += ranges
        if not (tasks.any() or ranges.any()):
            return False
        evaluate(self.problem, self.price, at, self.rooms)
        return True


_SETTLED = 3e-3
_SLOW = 0.3
_HEAVIER = 4.0
_MOST_SLOW = 12
"""Updates that hardly helped."""
_MOST_HEAVIER = 4
"""Times that rows of a kind are made heavier: heavy ones that are curved make short steps."""


def _heavier(price: Price, left: Shifts, by: Array) -> tuple[Price, Shifts]:
    """Rows of some kinds weigh more; shifts, which are multipliers over weights, are less."""
    places, momenta, ranges = (float(each) for each in by)
    shifts = Shifts(left.tasks / places, left.ranges / ranges, left.momentum / momenta)
    price = price._replace(
        hard=price.hard * places, momentum=price.momentum * momenta, range=price.range * ranges
    )
    return price, shifts
