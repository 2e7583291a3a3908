"""Reaction forces found once more from the last answer: the same as from the beginning."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.solvers.cone_newton import solve_frames, solve_frames_again

PLAN = np.array([0.6, 0.4, 1e-3, 0.05, 0.02, 1.0, 0.0, 1e-10, 0.0])
FRAMES, POINTS = 30, 8


def problem(seed: int) -> tuple[Array, ...]:
    rng = np.random.default_rng(seed)
    points = rng.uniform(-0.3, 0.3, (FRAMES, POINTS, 3)) - [0.0, 1.0, 0.0]
    normals = np.tile([0.0, 1.0, 0.0], (FRAMES, POINTS, 1))
    grip = (rng.uniform(size=(FRAMES, POINTS)) < 0.6).astype(float)
    grip[::7] = 0.0
    force = np.array([0.0, 1.0, 0.0]) + 0.4 * rng.normal(size=(FRAMES, 3))
    moment = 0.1 * rng.normal(size=(FRAMES, 3))
    return points, normals, grip, np.full(FRAMES, 2.0), np.zeros((FRAMES, 3)), force, moment


def test_the_answers_are_those_of_a_fresh_start_and_cost_fewer_steps() -> None:
    given = problem(0)
    forces, torque, missing = (
        np.empty((FRAMES, POINTS, 3)),
        np.empty((FRAMES, 3)),
        np.empty((30, 6)),
    )
    steps, done = np.empty(FRAMES, np.int64), np.empty(FRAMES, np.bool_)
    solve_frames(*given, PLAN, forces, torque, missing, steps, done)
    again = [np.empty_like(a) for a in (forces, torque, missing)]
    answers, known = np.zeros((FRAMES, 6)), np.zeros(FRAMES, np.bool_)
    first = solve_frames_again(*given, PLAN, *again, answers, known)
    assert known.all()
    for found, expected in zip(again, (forces, torque, missing), strict=True):
        assert found == pytest.approx(expected, abs=1e-6)
    assert solve_frames_again(*given, PLAN, *again, answers, known) == 0
    nudged = (*given[:5], given[5] + 1e-3, given[6])
    assert 0 < solve_frames_again(*nudged, PLAN, *again, answers, known) < first / 2
    solve_frames(*nudged, PLAN, forces, torque, missing, steps, done)
    assert again[2] == pytest.approx(missing, abs=1e-6)


def test_a_wrong_last_answer_does_no_harm() -> None:
    given = problem(1)
    room = [np.empty((FRAMES, POINTS, 3)), np.empty((FRAMES, 3)), np.empty((FRAMES, 6))]
    answers, known = np.zeros((FRAMES, 6)), np.zeros(FRAMES, np.bool_)
    solve_frames_again(*given, PLAN, *room, answers, known)
    expected = room[2].copy()
    answers[:] = np.random.default_rng(3).normal(size=answers.shape)
    solve_frames_again(*given, PLAN, *room, answers, known)
    assert known.all()
    assert room[2] == pytest.approx(expected, abs=1e-6)
