"""Filtering a motion: rounds of an unscented Kalman filter, and one physics solve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Indices
from poise.contact import intervals
from poise.errors import BadValue
from poise.footing import worst_miss
from poise.ik import IkProblem
from poise.mechanics import BodyState, forward_kinematics
from poise.methods.edit import Edit
from poise.methods.filter.curve_fit import CurveFit
from poise.methods.filter.demands import demands_on
from poise.methods.filter.dynamic_round import dynamic_round, motion_of, segments_of
from poise.methods.filter.dynamic_state import Motion
from poise.methods.filter.kinematic_frames import (
    ANALYTIC,
    SAMPLED,
    filter_frames,
    make_rows,
    smoothed,
)
from poise.methods.filter.obeying import obeying
from poise.methods.filter.problem import Problem, all_noise_of, build, frames_held, prior_of
from poise.methods.filter.progress import Left, left_to_do
from poise.methods.filter.report import FilterReport, finished
from poise.methods.filter.settings import Settings
from poise.methods.filter.strain import most_ranges
from poise.methods.progress import Progress, ProgressCallback, silent
from poise.methods.result import Result
from poise.motion import Clip
from poise.physics import PhysicsSolution
from poise.solvers import INDEFINITE

_NEARLY_M = 1e-3
"""Hard constraints that the physics solve misses by less are met exactly afterwards; others it had
to give up, and frame by frame they would only jolt."""


def run(
    edit: Edit,
    settings: Settings | None = None,
    *,
    progress: ProgressCallback | None = None,
    previous: Result[FilterReport] | None = None,
) -> Result[FilterReport]:
    """Filter a clip so that its constraints hold, and with dynamic rounds the laws of motion.

    All constraints hold together; priorities are not looked at (a soft constraint has noise).

    Args:
        edit: the clip, its character, and the constraints.
        settings: the knobs.
        progress: told which round begins.
        previous: makes no difference.

    Raises:
        BadValue: noise or mobility of something that is not there; an update that fails.
    """
    problem, tell = build(edit, settings or Settings()), progress or silent
    clip, motion = edit.clip, None
    after, left = list[Clip](), list[Left]()
    solved: PhysicsSolution | None = None
    for number, letter in enumerate(problem.rounds):
        tell(Progress("rounds", number, len(problem.rounds)))
        if letter == "K":
            if solved is not None and worst_miss(solved.missed_m)[0] > _NEARLY_M:
                continue
            ik = problem.firm
            if "D" not in problem.rounds[:number]:
                ik = problem.sketched if "D" in problem.rounds[number:] else problem.ik
            met, motion = _kinematic(problem, clip, ik), None
            last = number == len(problem.rounds) - 1
            smooth = problem.settings.smooth_kinematic and not last
            clip = smoothed(clip, met, problem.settings) if smooth else met
        elif problem.settings.fit == "physics":
            solved = obeying(problem, clip if number > 0 else None)
            roots, turns = solved.pose
            clip = replace(clip, root_positions_m=roots, rotations_wxyz=turns)
        else:
            left = left or [left_to_do(problem, clip)]
            # From one fit to the next, velocities and accelerations are the curve's own: places
            # have not caught up with them.
            if motion is None:
                motion = motion_of(clip, problem.cutoff_hz, problem.contacts)
            motion = _dynamic(problem, motion)
            clip = replace(clip, root_positions_m=motion.roots, rotations_wxyz=motion.local)
            left.append(left_to_do(problem, clip))
        after.append(clip)
    return finished(problem, after, left, solved)


def _kinematic(problem: Problem, clip: Clip, ik: IkProblem) -> Clip:
    settings = problem.settings
    roots, locals_ = clip.root_positions_m.copy(), clip.rotations_wxyz.copy()
    misses = np.full((clip.frame_count, len(ik.tasks)), np.nan)
    failed = np.zeros(clip.frame_count, dtype=np.int64)
    prior = prior_of(problem, ik, rates=False)
    for first, stop in intervals(frames_held(ik)):
        filter_frames(
            first, stop - 1, way_of(settings), settings.updates, ik.rig, prior,
            all_noise_of(ik, settings),
            make_rows(int(ik.packed.rows.sum()) + most_ranges(prior.limits), ik.width),
            roots, locals_, misses, failed,
        )  # fmt: skip
    _check(failed)
    return replace(clip, root_positions_m=roots, rotations_wxyz=locals_)


def _dynamic(problem: Problem, motion: Motion) -> Motion:
    edit, settings, ik = problem.edit, problem.settings, problem.reduced
    assert problem.contacts is not None
    demands = demands_on(
        motion, edit.clip, edit.character, edit.environment, problem.contacts, settings,
        problem.cutoff_hz, _standing(problem, motion),
    )  # fmt: skip
    segments = segments_of(edit.character, edit.clip)
    prior = prior_of(problem, ik, rates=True)
    frames, rate = edit.clip.frame_count, edit.clip.rate_hz
    fit = CurveFit(frames, rate, knot_s=settings.knot_s, beta=settings.beta)
    motion, failed = dynamic_round(
        motion,
        ik,
        segments,
        prior,
        problem.noise,
        demands,
        fit,
        way_of(settings),
    )
    _check(failed)
    return motion


def _standing(problem: Problem, motion: Motion) -> BodyState:
    """Where the body stands once its constraints are met: that ground will carry it."""
    clip = replace(problem.edit.clip, root_positions_m=motion.roots, rotations_wxyz=motion.local)
    met = _kinematic(problem, clip, problem.ik)
    return forward_kinematics(met.skeleton, *met.pose)


def way_of(settings: Settings) -> int:
    """How rows are differentiated."""
    return SAMPLED if settings.derivatives == "sampled" else ANALYTIC


def _check(failed: Indices) -> None:
    if (failed < 0).any():
        frame = int(np.argmax(failed < 0))
        why = "indefinite weights" if failed[frame] == INDEFINITE else "not finite"
        raise BadValue("kappa or process_variance", "smaller", f"{why} at frame {frame}")
