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
from poise.contact import Series, intervals
from poise.mechanics import GRAVITY_M_S2
from poise.methods.retarget.self_clearance import gaps_m

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

    Args:
        series: the motion with what touches.
        target: whose.
        wanted_m: (F, J, 3) where its joints should be.
        fastest_rad_s: (J,) how fast they can turn.
    """
    found = [
        *_strength(series),
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


def _strength(series: Series) -> list[Impossible]:
    names = series.clip.skeleton.joint_names
    found: list[Impossible] = []
    for joint in np.flatnonzero((series.torque_ratio > _TOO_STRONG).any(axis=0)).tolist():
        values = series.torque_ratio[:, joint]
        found += _stretches(series, "strength", names[joint], values, _TOO_STRONG)
    return found


def _speed(series: Series, fastest_rad_s: Array | None) -> list[Impossible]:
    if fastest_rad_s is None or series.clip.frame_count < 2:
        return []
    turns, names = series.clip.rotations_wxyz, series.clip.skeleton.joint_names
    steps = rotations.angle_between(turns[:-1], turns[1:]) * series.clip.rate_hz
    shares = np.concatenate([steps, steps[-1:]]) / fastest_rad_s
    found: list[Impossible] = []
    for joint in np.flatnonzero((shares > _TOO_FAST).any(axis=0)).tolist():
        found += _stretches(series, "speed", names[joint], shares[:, joint], _TOO_FAST)
    return found


def _overlap(series: Series, target: Character) -> list[Impossible]:
    found: list[Impossible] = []
    for pair, gap in gaps_m(series.state, target).items():
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
