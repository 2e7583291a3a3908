"""The spacetime problem against CasADi and IPOPT, which share no line with how Poise solves it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks.momentum_leaps import captured_leap, problem_of, sample_leap
from poise import rotations
from poise.arrays import Array
from poise.constraints.stage_edits import FlightHeight, MoveStage, StageEdit
from poise.methods.momentum.problem import Problem
from poise.methods.momentum.spacetime import (
    Motion,
    Rooms,
    Tolerances,
    evaluate,
    left_of,
    solve_spacetime,
    violation,
)
from tests.shared_data import MOCAP, needs_mocap

pytest.importorskip("casadi", reason="the peer of momentum is not installed: pip install casadi")

from benchmarks.momentum_peer import build_program, displaced, solve_with_ipopt

TIGHT = Tolerances(step=1e-6, gain=1e-10)
COST, TURNED_DEG, MOVED_M = 1e-3, 0.2, 1e-3
"""What both may differ by: of the cost, a share; of poses, RMS."""

IPOPT_WAYS = ({}, {"ipopt.mu_strategy": "monotone"}, {"ipopt.mu_oracle": "loqo"})

FARTHER = MoveStage("farther", -1, by_m=(0.1, 0.0, 0.3))
TURNED = MoveStage("turned", -1, turn_deg=90.0)
HIGHER = FlightHeight("higher", 0, scale=1.2)


@cache
def made(asked: StageEdit) -> Problem:
    return problem_of(sample_leap(15.0), [asked])


def real(asked: StageEdit, rate_hz: float) -> Problem:
    return problem_of(captured_leap(MOCAP / "cmu" / "13_11.bvh", (150, 340), rate_hz), [asked])


def costs(problem: Problem, motion: Motion) -> tuple[float, float]:
    """What a motion costs, and its worst row over the tolerance, as Poise has it."""
    spacetime, rooms = problem.spacetime, Rooms(problem.spacetime)
    evaluate(spacetime, spacetime.price, motion, rooms)
    left = left_of(spacetime, spacetime.price, motion, rooms)
    return float(rooms.costs[:2].sum()), max(violation(spacetime, left, motion, TIGHT).shares)


def rms(values: Array) -> float:
    return float(np.sqrt((values**2).sum(axis=-1).mean()))


def check(problem: Problem) -> None:
    """Both come to one motion, and each finds the other's as good as its own."""
    ours = solve_spacetime(problem.spacetime, problem.start, TIGHT, iterations=300)
    for options in IPOPT_WAYS:  # each loses itself on some problem
        peer = solve_with_ipopt(problem, options=options)
        # It calls acceptable where its own tolerance is below what rounding leaves.
        if peer.status in ("Solve_Succeeded", "Solved_To_Acceptable_Level"):
            break
    else:
        pytest.fail("IPOPT solves it in no way")
    assert peer.violation < 1e-6
    theirs = problem.start._replace(roots=peer.roots, locals=peer.locals, control=peer.control)
    cost, broken = costs(problem, theirs)
    assert cost == pytest.approx(peer.cost, rel=1e-7) and broken < 1.0
    assert ours.converged
    assert ours.cost == pytest.approx(peer.cost, rel=COST)
    turned = rotations.log(rotations.multiply(peer.locals, rotations.conjugate(ours.motion.locals)))
    assert np.degrees(rms(turned)) < TURNED_DEG
    assert rms(peer.roots - ours.motion.roots) < MOVED_M


@pytest.mark.slow
@pytest.mark.parametrize("asked", [FARTHER, TURNED, HIGHER], ids=lambda each: each.name)
def test_a_made_jump(asked: StageEdit) -> None:
    check(made(asked))


@needs_mocap
@pytest.mark.parametrize("asked", [FARTHER, TURNED], ids=lambda each: each.name)
def test_a_captured_leap(asked: StageEdit) -> None:
    check(real(asked, 15.0))


@needs_mocap
@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        MoveStage("half a metre", -1, by_m=(0.0, 0.0, 0.5)),
        MoveStage("half a turn", -1, turn_deg=180.0),
        FlightHeight("higher", 0, scale=1.3),
    ],
    ids=lambda each: each.name,
)
def test_a_captured_leap_at_thirty_frames_a_second(asked: StageEdit) -> None:
    check(real(asked, 30.0))


@needs_mocap
@pytest.mark.slow
def test_a_full_turn() -> None:
    check(real(MoveStage("full turn", -1, turn_deg=360.0), 30.0))


def test_both_say_the_same_of_any_motion() -> None:
    problem = made(TURNED)
    spacetime = problem.spacetime
    program = build_program(problem)
    rng = np.random.default_rng(5)
    x = program.start + rng.normal(0.0, 0.1, len(program.start))
    roots, locals_ = displaced(spacetime, x)
    control = x[len(roots) * spacetime.width :]
    motion = problem.start._replace(roots=roots, locals=locals_, control=control)
    rooms = Rooms(spacetime)
    evaluate(spacetime, spacetime.price, motion, rooms)
    cost = float(program.solver.get_function("nlp_f")(x, []))
    assert cost == pytest.approx(float(rooms.costs[:2].sum()), rel=1e-9)
    rows = np.array(program.solver.get_function("nlp_g")(x, [])).ravel()
    left = left_of(spacetime, spacetime.price, motion, rooms)
    momentum = rows[-left.momentum.size :] - program.low[-left.momentum.size :]
    np.testing.assert_allclose(momentum.reshape(left.momentum.shape), left.momentum, atol=1e-9)
    over = np.maximum(np.maximum(program.low - rows, rows - program.high), 0.0)
    theirs = over[: -left.momentum.size]
    ours = np.abs(np.concatenate([left.tasks.ravel(), left.ranges.ravel()]))
    # The same rows in another order.
    theirs, ours = np.sort(theirs[theirs > 0.0]), np.sort(ours[ours > 0.0])
    np.testing.assert_allclose(theirs, ours, atol=1e-9)
