"""Reaction forces found once more from the last answer: the same as from the beginning."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solvers import ConePlan, Contacts, Supplied, solve_frames, solve_frames_again

PLAN = ConePlan(0.6, 0.4, 1e-3, 0.05, 0.02, True, False, 1e-10, 0.0)
FRAMES, POINTS = 30, 8


def problem(seed: int) -> Contacts:
    rng = np.random.default_rng(seed)
    points = rng.uniform(-0.3, 0.3, (FRAMES, POINTS, 3)) - [0.0, 1.0, 0.0]
    normals = np.tile([0.0, 1.0, 0.0], (FRAMES, POINTS, 1))
    grip = (rng.uniform(size=(FRAMES, POINTS)) < 0.6).astype(float)
    grip[::7] = 0.0
    force = np.array([0.0, 1.0, 0.0]) + 0.4 * rng.normal(size=(FRAMES, 3))
    moment = 0.1 * rng.normal(size=(FRAMES, 3))
    groups, centers = np.full(FRAMES, 2.0), np.zeros((FRAMES, 3))
    return Contacts(points, normals, grip, groups, centers, force, moment)


def room() -> Supplied:
    return Supplied(np.empty((FRAMES, POINTS, 3)), np.empty((FRAMES, 3)), np.empty((FRAMES, 6)))


def test_the_answers_are_those_of_a_fresh_start_and_cost_fewer_steps() -> None:
    given = problem(0)
    fresh, again = room(), room()
    steps, done = np.empty(FRAMES, np.int64), np.empty(FRAMES, np.bool_)
    solve_frames(given, PLAN, fresh, steps, done)
    answers, known = np.zeros((FRAMES, 6)), np.zeros(FRAMES, np.bool_)
    first = solve_frames_again(given, PLAN, again, answers, known)
    assert known.all()
    for found, expected in zip(again, fresh, strict=True):
        assert found == pytest.approx(expected, abs=1e-6)
    assert solve_frames_again(given, PLAN, again, answers, known) == 0
    nudged = given._replace(force=given.force + 1e-3)
    assert 0 < solve_frames_again(nudged, PLAN, again, answers, known) < first / 2
    solve_frames(nudged, PLAN, fresh, steps, done)
    assert again.missing == pytest.approx(fresh.missing, abs=1e-6)


def test_a_wrong_last_answer_does_no_harm() -> None:
    given = problem(1)
    found = room()
    answers, known = np.zeros((FRAMES, 6)), np.zeros(FRAMES, np.bool_)
    solve_frames_again(given, PLAN, found, answers, known)
    expected = found.missing.copy()
    answers[:] = np.random.default_rng(3).normal(size=answers.shape)
    solve_frames_again(given, PLAN, found, answers, known)
    assert known.all()
    assert found.missing == pytest.approx(expected, abs=1e-6)
