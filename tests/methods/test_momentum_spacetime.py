"""The spacetime problem: slopes as differences have them, flights that fall, vain demands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise.arrays import Array
from poise.character import with_ranges
from poise.constraints import Task
from poise.environment import Environment
from poise.footing import Movers
from poise.ik.displacement_rows import take_steps
from poise.mechanics import BodyState, center_of_mass, forward_kinematics
from poise.methods.edit import Edit
from poise.methods.momentum.initial_guess import Move
from poise.methods.momentum.plan import Captured, Wanted, captured, leap_of
from poise.methods.momentum.problem import Leap, Problem, build, footing
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.spacetime import (
    Motion,
    Rooms,
    Solved,
    Spacetime,
    Tolerances,
    Violation,
    evaluate,
    left_of,
    solve_spacetime,
    violation,
)
from poise.methods.momentum.spacetime_rows import Price, Shifts
from poise.methods.progress import Progress
from poise.samples import SAMPLES, sample_character

RATE_HZ = 30.0
SETTINGS = Settings(knots_per_s=6.0)
G = 9.81
NO_MOMENTUM = Tolerances(velocity_m_s=1e9)
"""To look at what is held, and at ranges."""
FURTHER = {2: Move(np.array([0.0, 0.0, 0.3]))}


@cache
def base() -> Captured:
    """Around the flight of the sample jump, by a body whose joints have ranges."""
    sample = SAMPLES["jump"](rate_hz=RATE_HZ)
    frames = slice(21, 69)
    clip = sample.clip.sliced(frames.start, frames.stop)
    contacts = sample.contacts.sliced(frames.start, frames.stop)
    character = with_ranges(sample_character(), clip.rotations_wxyz)
    found = captured(Edit(clip, character, (), Environment.flat(), contacts), SETTINGS)
    assert [stage.kind for stage in found.stages] == ["ground", "flight", "ground"]
    return found


@cache
def leap() -> Leap:
    return leap_of(base(), Wanted(FURTHER))


@cache
def held() -> tuple[tuple[Task, ...], Movers, BodyState]:
    tasks, movers, scene = footing(leap())
    return tasks, movers, scene.state


@cache
def jump() -> Problem:
    return build(leap(), held()[0], SETTINGS)


def point(
    name: str, joint: str, frame: int, by_m: Sequence[float], *, priority: int = 1, side: int = 0
) -> Task:
    """A joint is so far from where the guess has it; one-sided tasks are about its height."""
    _, movers, state = held()
    j = leap().guess.skeleton.index(joint)
    goal = state.positions_m[frame, j] + np.array(by_m)
    axes = (not side, True, not side)
    return movers.point(
        name, j, np.zeros(3), frame, goal[None], priority=priority, axes=axes, side=side
    )


def asked_for(*tasks: Task) -> Problem:
    """The jump, and more."""
    return build(leap(), [*held()[0], *tasks], SETTINGS)


# Slopes


PRICES = ("place", "velocity", "acceleration", "hard", "wish", "momentum", "range", "control")
KINDS = {
    "likeness": ("place",),
    "smoothness": ("velocity", "acceleration"),
    "balance": ("control",),
    "points": ("hard",),
    "wishes": ("wish",),
    "ranges": ("range",),
    "momentum": ("momentum",),
    "all": PRICES,
}


@cache
def pulled(*, sides: bool = True) -> Problem:
    """Tasks whose slopes are exact anywhere: points, sides, the centre, but not turns."""
    points = [task for task in held()[0] if task.kind == "point"]
    body = base().character.body
    assert body is not None
    center = center_of_mass(held()[2], body)[20:23] + 0.1
    more = [
        point("wished", "RightHand", 22, (0.3, -0.2, 0.1), priority=2),
        Task("the centre", "center", 20, center, points[0].recruits),
    ]
    if sides:
        more += [
            point("over the floor", "LeftHand", 5, (0.0, 0.3, 0.0), side=-1),
            point("under the roof", "Head", 24, (0.0, -0.3, 0.0), side=1),
            point("high enough", "Head", 30, (0.0, -2.0, 0.0), side=-1),
        ]
    return build(leap(), [*points, *more], SETTINGS)


def only(problem: Spacetime, kind: str) -> tuple[Spacetime, Price]:
    """A problem in which only one kind of row costs anything."""
    counted = KINDS[kind]
    prices = {name: 0.0 for name in PRICES if name not in counted}
    if "control" not in counted:
        weights = np.zeros_like(problem.balance.weight)
        problem = replace(problem, balance=problem.balance._replace(weight=weights))
    return problem, problem.price._replace(**prices)


def copied(motion: Motion) -> Motion:
    """The same on arrays of its own."""
    return Motion(
        motion.roots.copy(), motion.locals.copy(), motion.control.copy(),
        Shifts(*(array.copy() for array in motion.shifts)),
    )  # fmt: skip


def shaken(problem: Spacetime, start: Motion, seed: int, size: float) -> Motion:
    """Somewhere else, with shifts of all constraints."""
    rng = np.random.default_rng(seed)
    found = copied(start)
    steps = rng.normal(0.0, size, len(found.roots) * problem.width)
    take_steps(problem.figure.rig.blocks, problem.width, steps, 1.0, found.roots, found.locals)
    control = found.control + rng.normal(0.0, size, found.control.shape)
    shifts = Shifts(*(rng.normal(0.0, 0.1 * size, a.shape) for a in found.shifts))
    return Motion(found.roots, found.locals, control, shifts)


class Line:
    """Costs along a straight way through a motion."""

    def __init__(self, problem: Spacetime, price: Price, at: Motion, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.problem, self.price, self.at, self.rooms = problem, price, at, Rooms(problem)
        self.steps = rng.normal(size=len(at.roots) * problem.width)
        self.control = rng.normal(size=at.control.shape)

    def cost(self, share: float) -> float:
        at = self.at
        moved = Motion(
            at.roots.copy(), at.locals.copy(), at.control + share * self.control, at.shifts
        )
        blocks, width = self.problem.figure.rig.blocks, self.problem.width
        take_steps(blocks, width, self.steps, share, moved.roots, moved.locals)
        return evaluate(self.problem, self.price, moved, self.rooms)

    def slope(self) -> float:
        """As the equations have it: minus twice their right side."""
        self.cost(0.0)
        system = self.rooms.system
        return float(-2.0 * (system.right @ self.steps + system.shared @ self.control))

    def bend(self) -> float:
        """As the equations have it: the quadratic form of their matrix."""
        self.cost(0.0)
        system, d, c = self.rooms.system, self.steps, self.control
        found = float(c @ system.corner @ c + 2.0 * d @ system.border @ c)
        for k in range(system.band.shape[1]):
            both = float((system.band[: len(d) - k, k] * d[: len(d) - k]) @ d[k:])
            found += both if k == 0 else 2.0 * both
        return found

    def difference(self, h: float = 1e-4) -> float:
        near, far = self.cost(h) - self.cost(-h), self.cost(2.0 * h) - self.cost(-2.0 * h)
        return (8.0 * near - far) / (12.0 * h)

    def second_difference(self, h: float = 1e-3) -> float:
        """Half the second derivative, where the first is zero and so is the cost."""
        near, far = self.cost(h) + self.cost(-h), self.cost(2.0 * h) + self.cost(-2.0 * h)
        return (16.0 * near - far) / (24.0 * h * h)


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_that_of_differences(kind: str) -> None:
    problem, price = only(pulled().spacetime, kind)
    at = shaken(problem, pulled().start, 1, 0.15)
    for seed in (2, 3):
        line = Line(problem, price, at, seed)
        assert line.cost(0.0) > 0.0
        assert line.slope() == pytest.approx(line.difference(), rel=1e-6)


def test_the_gradient_of_turns_is_that_of_differences_but_for_shifts_far_from_where_they_hold() -> (
    None
):
    _, movers, state = held()
    tasks = list[Task]()
    for name in ("LeftFoot", "Head"):
        joint = leap().guess.skeleton.index(name)
        tasks.append(movers.turn(name, joint, 4, state.rotations_wxyz[4:14, joint]))
    turning = build(leap(), tasks, SETTINGS)
    problem, price = only(turning.spacetime, "points")
    far, near = (shaken(problem, turning.start, 4, size) for size in (0.15, 1e-4))
    # Without shifts a turn pulls along its own error, which no Jacobian of turns changes.
    line = Line(problem, price, far._replace(shifts=turning.start.shifts), 5)
    assert line.slope() == pytest.approx(line.difference(), rel=1e-7)
    line = Line(problem, price, near._replace(shifts=far.shifts), 5)
    assert line.slope() == pytest.approx(line.difference(1e-6), rel=1e-3)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("likeness", marks=pytest.mark.slow),
        "smoothness",
        "balance",
        "points",
        "momentum",
    ],
)
def test_the_matrix_is_that_of_second_differences_where_nothing_is_left(kind: str) -> None:
    pull = pulled(sides=False)
    problem, at = pull.spacetime, shaken(pull.spacetime, pull.start, 6, 0.15)
    rooms = Rooms(problem)
    left = left_of(problem, problem.price, at, rooms)
    shifts = Shifts(*(a - b for a, b in zip(at.shifts, left, strict=True)))
    balance = problem.balance
    shared = np.where(balance.column >= 0, at.control[balance.column], 0.0)
    problem = replace(
        problem,
        figure=problem.figure._replace(
            roots=at.roots, locals=at.locals, excess=np.zeros_like(problem.figure.excess)
        ),
        curves=problem.curves._replace(wanted=at.control),
        balance=balance._replace(target=rooms.poses.center[balance.frame, balance.axis] - shared),
    )
    line = Line(*only(problem, kind), at._replace(shifts=shifts), 7)
    bend = line.bend()
    assert bend > 0.0 and line.cost(0.0) < 1e-12 * bend
    assert bend == pytest.approx(line.second_difference(), rel=1e-5)


def test_shared_unknowns_have_no_part_in_frames_before_they_begin() -> None:
    problem, rooms = jump().spacetime, Rooms(jump().spacetime)
    evaluate(problem, problem.price, jump().start, rooms)
    rows = np.arange(len(rooms.system.border))[:, None]
    assert not (rooms.system.border * (rows < problem.begins)).any()
    assert (np.diff(problem.begins) >= 0).all()


def test_costs_of_all_kinds_add_up() -> None:
    problem, rooms = pulled().spacetime, Rooms(pulled().spacetime)
    at = shaken(problem, pulled().start, 8, 0.15)
    whole = evaluate(problem, problem.price, at, rooms)
    assert (rooms.costs > 0.0).all() and whole == pytest.approx(rooms.costs.sum(), rel=1e-12)


# What is left of constraints


def left_at(problem: Problem, at: Motion) -> tuple[Shifts, Violation]:
    spacetime = problem.spacetime
    left = left_of(spacetime, spacetime.price, at, Rooms(spacetime))
    return left, violation(spacetime, left, at, NO_MOMENTUM)


def test_a_place_that_is_missed_is_told_by_name_and_size() -> None:
    problem = asked_for(point("hand there", "LeftHand", 7, (0.0, 0.3, 0.4)))
    _, found = left_at(problem, problem.start)
    assert found.place_m == pytest.approx(0.4) and not found.kept
    assert "'hand there' by 400 mm at frame 7" in found.worst


@pytest.mark.parametrize(
    ("side", "up_m", "missed_m"),
    [
        (-1, 0.3, 0.3),
        (1, -0.3, 0.3),
        (-1, -0.3, 0.0),
        (1, 0.3, 0.0),
    ],
)
def test_a_side_is_missed_on_one_side_only(side: int, up_m: float, missed_m: float) -> None:
    problem = asked_for(point("hand there", "LeftHand", 7, (0.0, up_m, 0.0), side=side))
    _, before = left_at(jump(), jump().start)
    _, found = left_at(problem, problem.start)
    assert found.place_m == pytest.approx(max(missed_m, before.place_m), abs=1e-12)


@pytest.mark.parametrize("shift_m", [0.2, 0.5])
def test_a_side_that_is_kept_with_a_shift_is_kept(shift_m: float) -> None:
    # 0.3 m below the hand; a shift of more than that makes its row ask for something.
    problem = asked_for(point("hand there", "LeftHand", 7, (0.0, -0.3, 0.0), side=-1))
    row = problem.spacetime.row_names.index("hand there")
    at = copied(problem.start)
    at.shifts.tasks[7, row] = -shift_m
    left, found = left_at(problem, at)
    assert (left.tasks[7, row] != 0.0) == (shift_m > 0.3)
    _, before = left_at(jump(), jump().start)
    assert found.place_m == pytest.approx(before.place_m, abs=1e-12)


def test_a_range_that_asks_for_nothing_any_more_is_kept() -> None:
    at = copied(jump().start)
    # The guess is inside all ranges, and stays there with a little added.
    _, before = left_at(jump(), at)
    assert before.angle_rad == 0.0
    limits = jump().spacetime.figure.limits
    wide = limits._replace(low=limits.low - 0.1, high=limits.high + 0.1)
    problem = replace(
        jump(),
        spacetime=replace(jump().spacetime, figure=jump().spacetime.figure._replace(limits=wide)),
    )
    at.shifts.ranges[7, 0, 0] = 0.05
    left, found = left_at(problem, at)
    assert not left.ranges.any()
    assert found.angle_rad == 0.0


def test_a_range_is_missed_by_as_much_as_a_joint_is_beyond_it() -> None:
    limits = jump().spacetime.figure.limits
    narrow = limits._replace(high=limits.high - 0.2)
    figure = jump().spacetime.figure._replace(limits=narrow)
    problem = replace(jump(), spacetime=replace(jump().spacetime, figure=figure))
    _, found = left_at(problem, problem.start)
    # Widened to hold the capture, so some joint is at the end of its range in some frame.
    assert 0.0 < found.angle_rad <= 0.2 + 1e-9 and not found.kept


# Solving


@cache
def solved() -> Solved:
    return solve_spacetime(jump().spacetime, jump().start)


def momenta(problem: Spacetime, at: Motion) -> Array:
    """(F − 1, 6) of a motion between its frames: velocity, and spin as one."""
    empty = problem.curves._replace(
        basis=np.zeros_like(problem.curves.basis), constant=np.zeros_like(problem.curves.constant)
    )
    none = Shifts(*(np.zeros_like(a) for a in at.shifts))
    plain = replace(problem, curves=empty)
    return left_of(plain, problem.price, at._replace(shifts=none), Rooms(plain)).momentum


def state_of(at: Motion) -> BodyState:
    return forward_kinematics(leap().guess.skeleton, at.roots, at.locals)


def test_a_jump_that_lands_further_is_found() -> None:
    found = solved()
    assert found.converged and not found.ran_out and found.violation.kept
    tolerances = Tolerances()
    assert found.violation.place_m <= tolerances.place_m
    assert found.violation.velocity_m_s <= tolerances.velocity_m_s
    assert found.violation.angle_rad <= tolerances.angle_rad
    assert found.last_step <= tolerances.step
    moved = state_of(found.motion).positions_m
    for task in held()[0]:
        frames = slice(task.first, task.last + 1)
        if task.kind == "point" and not task.offset_m.any():
            off = (moved[frames, task.joint] - task.goals)[:, list(task.axes)]
            assert np.abs(off).max() <= tolerances.place_m
    # It did have to do something: the guess floats to where it lands.
    assert jump_violation().velocity_m_s > 0.1
    forth = found.motion.roots[-1, 2] - base().clip.root_positions_m[-1, 2]
    assert forth == pytest.approx(0.3, abs=0.1)


def jump_violation() -> Violation:
    spacetime = jump().spacetime
    left = left_of(spacetime, spacetime.price, jump().start, Rooms(spacetime))
    return violation(spacetime, left, jump().start, Tolerances())


def test_in_flight_the_centre_of_mass_falls_and_nothing_else_does() -> None:
    body, flight = base().character.body, leap().stages[1]
    assert body is not None
    center = center_of_mass(state_of(solved().motion), body)
    # With the frames beside it: already the last interval on the ground falls freely.
    aloft = center[flight.first - 1 : flight.stop + 1]
    falls = np.diff(aloft, n=2, axis=0) * RATE_HZ**2
    np.testing.assert_allclose(falls, np.tile([0.0, -G, 0.0], (len(falls), 1)), atol=1e-6 * G)
    spins = momenta(jump().spacetime, solved().motion)[flight.first - 1 : flight.stop, 3:]
    assert np.abs(spins).max() > 0.01 and np.ptp(spins, axis=0).max() < 1e-6


def test_on_the_ground_momentum_is_that_of_the_curves() -> None:
    found, curves = solved().motion, jump().spacetime.curves
    wanted = curves.basis @ found.control + curves.constant
    np.testing.assert_allclose(momenta(jump().spacetime, found), wanted, atol=2e-5)


def test_a_jump_that_is_turned_in_the_air_is_found() -> None:
    turned = leap_of(base(), Wanted({2: Move(np.array([0.1, 0.0, 0.0]), 0.5 * np.pi)}))
    problem = build(turned, footing(turned)[0], SETTINGS)
    found = solve_spacetime(problem.spacetime, problem.start)
    assert found.converged
    flight = turned.stages[1]
    spins = momenta(problem.spacetime, found.motion)[flight.first - 1 : flight.stop, 3:]
    assert np.ptp(spins, axis=0).max() < 4e-5


def test_a_jump_of_which_nothing_is_asked_stays() -> None:
    same = leap_of(base(), Wanted())
    problem = build(same, footing(same)[0], SETTINGS)
    found = solve_spacetime(problem.spacetime, problem.start)
    assert found.converged
    before = forward_kinematics(same.guess.skeleton, *same.guess.pose).positions_m
    away = np.linalg.norm(state_of(found.motion).positions_m - before, axis=-1)
    assert away.max() < 0.03


def test_two_solves_give_the_same_bits_and_leave_their_start_alone() -> None:
    start = copied(jump().start)
    again = solve_spacetime(jump().spacetime, jump().start)
    one, other = solved().motion, again.motion
    for a, b in (
        (one.roots, other.roots),
        (one.locals, other.locals),
        (one.control, other.control),
        *zip(one.shifts, other.shifts, strict=True),
        (jump().start.roots, start.roots),
        (jump().start.locals, start.locals),
        (jump().start.control, start.control),
        *zip(jump().start.shifts, start.shifts, strict=True),
    ):
        np.testing.assert_array_equal(a, b)
    assert again.iterations == solved().iterations and again.cost == solved().cost


def test_too_few_iterations_are_said_to_be_so() -> None:
    told: list[Progress] = []
    found = solve_spacetime(jump().spacetime, jump().start, iterations=1, progress=told.append)
    assert found.ran_out and not found.converged and found.iterations == 1
    assert np.isfinite(found.motion.roots).all()


# Demands that cannot be met


def assert_finite(found: Solved) -> None:
    for numbers in (found.motion.roots, found.motion.locals, found.motion.control):
        assert np.isfinite(numbers).all()
    assert np.isfinite(found.violation.shares).all() and np.isfinite(found.cost)
    lengths = np.linalg.norm(found.motion.locals, axis=-1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-9)


def test_a_hand_that_shall_be_in_two_places_is_named() -> None:
    problem = asked_for(
        point("hand to the left", "LeftHand", 8, (0.1, 0.0, 0.0)),
        point("hand to the right", "LeftHand", 8, (-0.1, 0.0, 0.0)),
    )
    found = solve_spacetime(problem.spacetime, problem.start)
    assert_finite(found)
    assert not found.converged and not found.ran_out
    # Between the two, and all else is kept.
    assert found.violation.worst.startswith("'hand to the ") and "frame 8" in found.violation.worst
    assert found.violation.place_m == pytest.approx(0.1, rel=1e-3)
    assert found.violation.velocity_m_s < Tolerances().velocity_m_s


def test_a_hand_that_shall_be_above_and_below_is_named() -> None:
    problem = asked_for(
        point("hand above", "LeftHand", 8, (0.0, 0.1, 0.0), side=-1),
        point("hand below", "LeftHand", 8, (0.0, -0.1, 0.0), side=1),
    )
    found = solve_spacetime(problem.spacetime, problem.start)
    assert_finite(found)
    assert not found.converged
    assert found.violation.worst.startswith(("'hand above' by", "'hand below' by"))
    assert found.violation.place_m == pytest.approx(0.1, rel=1e-3)


@pytest.mark.parametrize("by_m", [(5.0, 0.0, 0.0), (0.0, 5.0, 0.0)])
def test_a_hand_that_shall_be_five_metres_away_is_not_found_there(
    by_m: tuple[float, float, float],
) -> None:
    problem = asked_for(point("hand far away", "LeftHand", 8, by_m))
    found = solve_spacetime(problem.spacetime, problem.start, iterations=30)
    assert_finite(found)
    assert not found.converged and not found.violation.kept
    assert found.violation.place_m > 1.0
    _, held_only = left_at(problem, found.motion)
    assert "'hand far away'" in held_only.worst
