"""Rounds of the filter, one frame at a time: what `run` does to whole clips."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.environment import Environment
from poise.errors import BadValue
from poise.ik import IkProblem
from poise.mechanics import forward_kinematics, site_positions
from poise.methods.filter.dynamic_frames import Laws, filter_dynamic_frames
from poise.methods.filter.dynamic_round import segments_of
from poise.methods.filter.dynamic_state import Motion, make_batch
from poise.methods.filter.kinematic_frames import (
    ANALYTIC,
    SAMPLED,
    filter_frames,
    make_rows,
    unlimited,
)
from poise.methods.filter.law_rows import FLIGHT_ROWS
from poise.methods.filter.law_slopes import make_rates
from poise.methods.filter.problem import Problem, all_noise_of, prior_of
from poise.methods.filter.settings import Settings
from poise.methods.filter.sliding_fit import SlidingFit
from poise.methods.filter.stream_contacts import StreamPoints
from poise.methods.filter.stream_goals import demands_of_frame
from poise.methods.filter.stream_kernels import add_fitted, put_added
from poise.methods.filter.stream_window import Passing
from poise.solvers import INDEFINITE


class KinematicRound:
    """Constraints of each frame by itself; no delay."""

    latency_frames = 0

    def __init__(self, problem: Problem, *, sketching: bool = False) -> None:
        """Prepare a round; one that is `sketching` listens to hints, too."""
        settings, ik = problem.settings, problem.sketched if sketching else problem.ik
        self._ik, self._offsets = _with_own_offsets(ik)
        self._settings, self._noise = settings, all_noise_of(ik, settings)
        self._goal_rows = _goal_rows(problem, ik)
        self._way = _way(settings)
        self._prior = unlimited(prior_of(problem, ik, rates=False))
        self._rows = make_rows(int(ik.packed.rows.sum()), ik.width)
        self._misses = np.zeros((1, len(ik.tasks)))
        self._failed = np.zeros(1, dtype=np.int64)

    def push(self, frame: Passing) -> Passing:
        """See `Stage`."""
        ik, motion = self._ik, frame.motion
        ik.packed.goals[:] = frame.goals[self._goal_rows]
        self._offsets[:] = frame.offsets_m
        filter_frames(
            0, 0, self._way, self._settings.updates, ik.rig, self._prior, self._noise, self._rows,
            motion.roots, motion.local, self._misses, self._failed,
        )  # fmt: skip
        _check(self._failed, frame.number)
        return frame

    def finish(self) -> list[Passing]:
        """See `Stage`."""
        return []


class _Added(NamedTuple):
    """A frame before a dynamic round, and (2, J, 4) q̇ and q̈ of its rotations."""

    frame: Passing
    rates: Array


class DynamicRound:
    """The laws of motion in each frame, and a curve through what that adds (section 6)."""

    def __init__(
        self,
        problem: Problem,
        points: StreamPoints,
        environment: Environment,
        rate_hz: float,
        window_s: float,
    ) -> None:
        settings, ik, edit = problem.settings, problem.reduced, problem.edit
        self._ik, self._settings = ik, settings
        self._noise, self._goal_rows = problem.noise, _goal_rows(problem, ik)
        self._character, self._environment, self._points = edit.character, environment, points
        self._segments = segments_of(edit.character, edit.clip)
        self._prior = unlimited(prior_of(problem, ik, rates=True))
        self._rows = make_rows(int(ik.packed.rows.sum()) + FLIGHT_ROWS, 3 * ik.width)
        joints = edit.character.skeleton.joint_count
        self._way = _way(settings)
        self._batch = make_batch(ik.width if self._way == SAMPLED else 0, joints)
        self._rates = make_rates(joints, ik.width)
        self._step = np.zeros(3 * ik.width)
        self._failed = np.zeros(1, dtype=np.int64)
        self._fit = SlidingFit(
            3 + 4 * joints, rate_hz,
            knot_s=settings.knot_s, beta=settings.beta, window_s=window_s,
        )  # fmt: skip
        self._kinematic = KinematicRound(problem)
        self._waiting = deque[_Added]()
        self._added = np.zeros((3, 3 + 4 * joints))
        self._side = np.zeros((joints, 4))

    @property
    def latency_frames(self) -> int:
        """That of the sliding window."""
        return self._fit.latency_frames

    def push(self, frame: Passing) -> Passing | None:
        """See `Stage`."""
        rates = np.empty((2, *frame.motion.local.shape[1:]))
        put_added(frame.motion, self._filtered(frame), rates, self._added)
        self._waiting.append(_Added(frame, rates))
        fitted = self._fit.push(*self._added)
        return None if fitted is None else self._moved(fitted)

    def finish(self) -> list[Passing]:
        """See `Stage`."""
        rest = [self._moved(np.stack(fitted)) for fitted in zip(*self._fit.finish(), strict=True)]
        self._side[:] = 0.0
        return rest

    def _filtered(self, frame: Passing) -> Motion:
        ik = self._ik
        ik.packed.goals[:] = frame.goals[self._goal_rows]
        after = Motion(*(array.copy() for array in frame.motion))
        demands = demands_of_frame(
            frame.number, frame.motion, self._character, self._standing_m(frame), frame.touching,
            self._environment, self._settings,
        )  # fmt: skip
        laws = Laws(self._segments, demands, self._batch, self._rates)
        filter_dynamic_frames(
            0, 0, self._way, ik.rig, self._prior, self._noise, laws, self._rows, self._step, after,
            self._failed,
        )  # fmt: skip
        _check(self._failed, frame.number)
        return after

    def _standing_m(self, frame: Passing) -> Array:
        """(1, C, 3) the contact points once constraints are met: there is what will carry it."""
        roots, local = frame.motion.roots.copy(), frame.motion.local.copy()
        standing = frame.motion._replace(roots=roots, local=local)
        self._kinematic.push(replace(frame, motion=standing))
        state = forward_kinematics(self._character.skeleton, roots, local)
        return site_positions(state, self._points.sites)

    def _moved(self, fitted: Array) -> Passing:
        """The oldest frame with what was fitted (3, C) added, rates and all."""
        frame, rates = self._waiting.popleft()
        add_fitted(rates, fitted, self._side, frame.motion)
        return frame


def _goal_rows(problem: Problem, ik: IkProblem) -> Indices:
    """(T,) which goals of a frame, hints and all, are those of a problem's tasks."""
    hints = () if ik is problem.sketched else problem.settings.hints
    names = [task.name for task in problem.sketched.tasks]
    return np.array([row for row, name in enumerate(names) if name not in hints], dtype=np.int64)


def _way(settings: Settings) -> int:
    return SAMPLED if settings.derivatives == "sampled" else ANALYTIC


def _with_own_offsets(ik: IkProblem) -> tuple[IkProblem, Array]:
    """The problem with moving offsets that can be filled frame by frame."""
    own = ik.tree.moving.copy()
    seen = own.view()
    seen.flags.writeable = ik.tree.moving.flags.writeable
    return replace(ik, tree=ik.tree._replace(moving=seen)), own


def _check(failed: Indices, number: int) -> None:
    if failed[0] < 0:
        why = "indefinite weights" if failed[0] == INDEFINITE else "not finite"
        raise BadValue("kappa or process_variance", "smaller", f"{why} at frame {number}")
