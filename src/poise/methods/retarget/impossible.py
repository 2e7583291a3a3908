"""Frames in which a body cannot do what is asked of it, and the joint that stops it.

What is left after all stages: a motor that is too weak or too slow, a joint at the end of its range
while the limb it carries should be elsewhere, a support that does not carry the weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import Character, angle_near_range
from poise.contact import (
    SHORTEST_ALONE,
    ClipDynamics,
    ContactSchedule,
    Series,
    clip_dynamics,
    flying,
    intervals,
    joint_torques,
    reaction_forces,
    torque_ratios,
    touching_points,
)
from poise.environment import Environment
from poise.errors import BadValue
from poise.mechanics import GRAVITY_M_S2, JointForces, gaps_m, limbs_of
from poise.motion import Clip

Why = Literal["strength", "speed", "range", "overlap", "balance", "support"]

_TOO_STRONG, _TOO_FAST = 1.05, 1.02
"""Shares of a limit that count as beyond it: derivatives are known to a few per cent."""
_AT_THE_END_RAD = float(np.radians(1.0))
_ELSEWHERE_M = 0.05
"""So far from where it should be, a limb shows that its joint stops it."""
_OVERLAP_M = 0.01
"""So far limbs may be inside each other: flesh and covers give."""
_OUTSIDE_M = 0.02
_UNCARRIED = 0.1
"""Share of the weight that nothing carries."""
_GAP_S = 0.1
"""Stretches of the same kind that are closer are one."""


@dataclass(frozen=True)
class Impossible:
    """A stretch of frames that this body cannot do."""

    first: int
    last: int
    """Included."""
    why: Why
    joint: str
    """What stops it, or two limbs that are in each other's way; empty where it is no joint's
    fault."""
    worst: float
    """Times the limit; metres for `range`, `overlap` and `balance`; of the weight for `support`."""

    @property
    def text(self) -> str:
        """A sentence."""
        said = {
            "strength": f"{self.joint} would need {self.worst:.2f} times its torque",
            "speed": f"{self.joint} would have to turn {self.worst:.2f} times as fast as it can",
            "range": f"{self.joint} is at the end of its range, {100 * self.worst:.0f} cm short",
            "overlap": f"{self.joint} are {100 * self.worst:.0f} cm inside each other",
            "balance": f"the zero-moment point is {100 * self.worst:.0f} cm outside the support",
            "support": f"nothing carries {100 * self.worst:.0f} % of the weight",
        }[self.why]
        if self.first == self.last:
            return f"frame {self.first}: {said}"
        return f"frames {self.first} to {self.last}: {said}"


def impossible(
    series: Series, target: Character, wanted_m: Array, fastest_rad_s: Array | None
) -> tuple[Impossible, ...]:
    """Everything that a body cannot do of a motion, the longest first.

    `wanted_m` (F, J, 3) is where its joints should be, `fastest_rad_s` (J,) how fast they can turn.
    """
    found = [
        *_by_joint(series, "strength", series.torque_ratio, _TOO_STRONG),
        *_speed(series, fastest_rad_s),
        *_range(series, target, wanted_m),
        *_overlap(series, target),
        *_stretches(series, "balance", "", np.nan_to_num(series.support_distance_m), _OUTSIDE_M),
    ]
    weight = series.mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
    missing = np.linalg.norm(series.missing_force_n, axis=1) / weight
    found += _stretches(series, "support", "", missing, _UNCARRIED)
    return tuple(sorted(found, key=lambda each: (each.first - each.last, each.first)))


def frames_of(found: Sequence[Impossible], frame_count: int) -> NDArray[np.bool_]:
    """(F,) where something is impossible."""
    where = np.zeros(frame_count, dtype=np.bool_)
    for each in found:
        where[each.first : each.last + 1] = True
    return where


def _stretches(
    series: Series, why: Why, joint: str, values: Array, limit: float
) -> list[Impossible]:
    """Stretches in which values (F,) are beyond a limit."""
    beyond = values > limit
    gap = max(1, round(_GAP_S * series.clip.rate_hz))
    for first, stop in intervals(~beyond):
        if 0 < first and stop < len(beyond) and stop - first <= gap:
            beyond[first:stop] = True
    return [
        Impossible(int(a), int(b) - 1, why, joint, float(values[a:b].max()))
        for a, b in intervals(beyond)
    ]


def _by_joint(series: Series, why: Why, shares: Array, limit: float) -> list[Impossible]:
    """Stretches in which shares (F, J) of what joints can do are beyond a limit."""
    names = series.clip.skeleton.joint_names
    return [
        each
        for joint in np.flatnonzero((shares > limit).any(axis=0)).tolist()
        for each in _stretches(series, why, names[joint], shares[:, joint], limit)
    ]


def _speed(series: Series, fastest_rad_s: Array | None) -> list[Impossible]:
    if fastest_rad_s is None or series.clip.frame_count < 2:
        return []
    turns = series.clip.rotations_wxyz
    steps = rotations.angle_between(turns[:-1], turns[1:]) * series.clip.rate_hz
    shares = np.concatenate([steps, steps[-1:]]) / fastest_rad_s
    return _by_joint(series, "speed", shares, _TOO_FAST)


def _overlap(series: Series, target: Character) -> list[Impossible]:
    found: list[Impossible] = []
    limbs = limbs_of(target)
    for pair, gap in zip(limbs.pair_names, gaps_m(series.state, limbs).T, strict=True):
        found += _stretches(series, "overlap", pair, -gap, _OVERLAP_M)
    return found


def _range(series: Series, target: Character, wanted_m: Array) -> list[Impossible]:
    """Hinges at an end of their range, below which a role's joint is far from its place.

    Places count from the middle of the hips: the whole body may have moved.
    """
    assert target.roles is not None
    skeleton, places = target.skeleton, series.state.positions_m
    joints = {role: skeleton.index(name) for role, name in target.roles.joints.items()}
    hips = [joints["left_hip"], joints["right_hip"]]
    off = places - places[:, hips].mean(axis=1, keepdims=True)
    off = off - (wanted_m - wanted_m[:, hips].mean(axis=1, keepdims=True))
    away = np.linalg.norm(off, axis=-1)
    found: list[Impossible] = []
    for joint, kind in enumerate(skeleton.kinds):
        low, high = skeleton.limits_rad[joint, 0]
        if kind != "hinge" or not np.isfinite([low, high]).all():
            continue
        below = [j for j in joints.values() if joint in skeleton.ancestors(j)[1:]]
        if not below:
            continue
        back = rotations.conjugate(skeleton.rest_wxyz[joint])
        turn = rotations.multiply(back, series.clip.rotations_wxyz[:, joint])
        angle = rotations.twist_angle(turn, skeleton.hinge_axes[joint])
        angle = angle_near_range(angle, low, high)
        ends = (angle - low < _AT_THE_END_RAD) | (high - angle < _AT_THE_END_RAD)
        # The nearest one that it carries: those beyond may be off for other reasons.
        nearest = min(below, key=lambda j: len(skeleton.ancestors(j)))
        values = np.where(ends, away[:, nearest], 0.0)
        found += _stretches(series, "range", skeleton.joint_names[joint], values, _ELSEWHERE_M)
    return found


# What the motors of a robot do: the torque of every hinge, with the ground's help.
#
# Inverse dynamics of the motion (newton metres, about the hinge's axis, on the segment that it
# carries), relieved of the forces with which the ground explains how the momentum changes. It is
# what the links ask for. Rotors behind gears (`armature` in MJCF), friction and damping in the
# joints are not read from robot files and not in it: a motor has to add armature × acceleration,
# damping × speed and friction. What no force of the ground explains stays at the root, and is no
# motor's.
#
# Flights are differentiated by themselves, as `observe` does, so that push-off and landing do not
# smear into them; the ratios are those of `torque_excess`.
@dataclass(frozen=True, eq=False)
class Drive:
    """Torques of a robot's hinges, frame by frame."""

    joint_names: tuple[str, ...]
    """(n,) the hinges, in the order of the model."""
    torques_nm: Array
    """(F, n) about the hinges' axes."""
    ratios: Array
    """(F, n) over what the joint can do, without sign; zero where the model states no limit."""

    @property
    def channels(self) -> dict[str, Array]:
        """(F,) columns by name, as a robot's trajectory takes them: `torque_nm.left_knee_joint`."""
        return {
            f"torque_nm.{name}": self.torques_nm[:, column]
            for column, name in enumerate(self.joint_names)
        }


def drive(
    clip: Clip, character: Character, environment: Environment, contacts: ContactSchedule
) -> Drive:
    """The torques that a motion asks of a robot's hinges.

    Args:
        clip: on the robot's own skeleton.
        character: the robot, with masses.
        environment: what it stands on.
        contacts: what touches when.

    Raises:
        BadValue: a body without masses, or one whose joints are not hinges.
        BadShape: contacts of another length.
    """
    skeleton = character.skeleton
    hinges = [joint for joint, kind in enumerate(skeleton.kinds) if kind == "hinge"]
    if not hinges or "ball" in skeleton.kinds[1:]:
        raise BadValue("joints", "hinges, as a robot's are", sorted(set(skeleton.kinds[1:])))
    dynamics = clip_dynamics(clip, character)
    touched = touching_points(dynamics.state, character, contacts, environment)
    found = joint_torques(dynamics, reaction_forces(dynamics, touched))
    torques, ratios = _along(found, hinges), torque_ratios(character, found)[:, hinges]
    for first, last in flights_alone(dynamics, contacts):
        alone = clip_dynamics(clip.sliced(first, last), character, dynamics.cutoff_hz).unsupported
        torques[first:last] = _along(alone, hinges)
        ratios[first:last] = torque_ratios(character, alone)[:, hinges]
    return Drive(tuple(skeleton.joint_names[joint] for joint in hinges), torques, ratios)


def flights_alone(dynamics: ClipDynamics, contacts: ContactSchedule) -> list[tuple[int, int]]:
    """Flights that are long enough to be differentiated by themselves: first frame, and the end."""
    upward = dynamics.outer_force_n[:, 1] / dynamics.body.total_mass_kg + GRAVITY_M_S2[1]
    found = intervals(flying(contacts, upward))
    return [(a, b) for a, b in found if b - a >= SHORTEST_ALONE]


def _along(forces: JointForces, hinges: list[int]) -> Array:
    """(F, n) the part of joint moments about the hinges' axes."""
    axes = forces.skeleton.hinge_axes[hinges]
    return np.einsum("fjk,jk->fj", forces.joint_moments_nm[:, hinges], axes)
