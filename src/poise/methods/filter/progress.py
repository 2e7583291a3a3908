"""How far a motion is from the laws of motion after each dynamic round with separate fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.contact import distance_to_support, support_area, touching_points
from poise.mechanics import (
    GRAVITY_M_S2,
    forward_kinematics,
    inverse_dynamics,
    zero_moment_point,
)
from poise.methods.filter.demands import flight_shift
from poise.methods.filter.dynamic_round import motion_of
from poise.methods.filter.problem import Problem
from poise.motion import Clip
from poise.wording import counted

_HELPS = 0.1
"""A round that takes away less than this share of what was left no longer helps."""

_ENOUGH = 1e-3
"""Metres, or shares of g: nothing is left to help with."""


@dataclass(frozen=True)
class Left:
    """What the laws of motion still ask for, as means over the frames they speak of."""

    balance_m: float
    """How far the zero-moment point is outside the support."""
    flight_g: float
    """What acts in the air beside gravity, in shares of g."""

    @property
    def total(self) -> float:
        """One number: a centimetre outside counts as much as a hundredth of g."""
        return self.balance_m + self.flight_g


def left_to_do(problem: Problem, clip: Clip) -> Left:
    """Measure a clip between two rounds."""
    edit, contacts = problem.edit, problem.contacts
    body = edit.character.body
    assert body is not None and contacts is not None
    motion = motion_of(clip, problem.cutoff_hz, contacts)
    state = forward_kinematics(clip.skeleton, motion.roots, motion.local)
    forces = inverse_dynamics(
        clip.skeleton, body, motion.local, motion.omega, motion.root_accelerations, motion.alpha
    )
    touched = touching_points(state, edit.character, contacts, edit.environment)
    area = support_area(touched.places_m, touched.touching)
    zmp = zero_moment_point(motion.roots, forces, np.nan_to_num(area.heights_m))
    outside = np.maximum(distance_to_support(area, zmp), 0.0)
    gravity = float(np.linalg.norm(GRAVITY_M_S2))
    weight = body.total_mass_kg * gravity
    carried = np.isfinite(outside) & (forces.root_force_n[:, 1] > 0.1 * weight)
    aloft = np.asarray(~contacts.touching.any(axis=1))
    shift = flight_shift(motion, clip, body, state, forces, aloft, problem.cutoff_hz)
    push = forces.root_force_n / body.total_mass_kg + shift[:, :3]
    pushed = np.linalg.norm(push[aloft], axis=1) / gravity
    return Left(
        float(outside[carried].mean()) if carried.any() else 0.0,
        float(pushed.mean()) if aloft.any() else 0.0,
    )


def left_in_words(left: Sequence[Left]) -> str:
    """What rounds that were asked for nothing else have left, in a sentence."""
    after = left[-1]
    return (
        f"Zero-moment point outside the support by {100.0 * after.balance_m:.2g} cm on average, "
        f"{100.0 * after.flight_g:.2g} % of g in the air."
    )


def note_on(left: Sequence[Left]) -> str | None:
    """What to say about the dynamic rounds: `left` before the first and after each of them."""
    for number, (before, after) in enumerate(pairwise(left), start=1):
        if after.total <= _ENOUGH or after.total > (1.0 - _HELPS) * before.total:
            why = "nothing is left to do" if after.total <= _ENOUGH else "they no longer help"
            rest = (
                f"zero-moment point outside by {100.0 * after.balance_m:.2g} cm on average, "
                f"{100.0 * after.flight_g:.2g} % of g in the air"
            )
            more = len(left) - 1 - number
            if more > 0:
                rounds = counted(number, "dynamic round")
                return f"After {rounds} {why} ({rest}): {more} fewer would do."
            return f"Further dynamic rounds: {why} ({rest})."
    return None
