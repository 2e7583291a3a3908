"""Checks of a solved motion: strength, joint speeds, joint ranges and depth, frame by frame.

Whoever solves for a motion checks what it promises here, on the motion itself and not on what the
solver believes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from poise.arrays import Array
from poise.character import Character, range_excess_rad
from poise.contact import ContactSchedule, Series, intervals, observe
from poise.environment import Environment
from poise.motion import Clip, joint_speeds_rad_s, peak_speeds_rad_s

MAX_TORQUE = 1.05
"""Of a joint's strength."""
MAX_SPEED = 1.2
"""Of a joint's peak speed in the reference; a machine's hinge also keeps to its own limit."""
MAX_DEPTH_M = 0.003
"""Of a contact point below a surface."""
MAX_RANGE_RAD = float(np.radians(0.5))
"""Beyond the range of a joint, or beyond the reference where that goes further."""
_NEARLY = 1.001
"""Of a speed limit: what is beyond by less is not beyond."""
_GAP_S = 0.1
"""Stretches nearer to each other are named as one."""
MOST_NAMED = 3
"""Shortfalls that a summary names."""

Kind = Literal["torque", "speed", "range", "depth"]


@dataclass(frozen=True)
class Shortfall:
    """A stretch of frames in which a joint or body part breaks a limit."""

    kind: Kind
    first: int
    stop: int
    """One past the last frame."""
    value: float
    """At worst: torque over strength, speed over its limit, radians beyond the range, metres."""
    limit: float
    joint: str
    """A role (`left_knee`) or a joint's name; a body part for depth."""

    @property
    def severity(self) -> float:
        """Value over limit."""
        return self.value / self.limit


def shortfalls(
    clip: Clip,
    character: Character,
    environment: Environment,
    schedule: ContactSchedule,
    reference: Clip,
    fastest_rad_s: Array | None = None,
) -> tuple[Shortfall, ...]:
    """Limits that a motion breaks, the worst first.

    Args:
        clip: the motion.
        character: whose; strength, ranges and speeds that it does not know are not checked.
        environment: where.
        schedule: what touches when.
        reference: the motion it was made from: its peak speeds, and how far its joints go, are
            allowed. On another body, as it is on this one.
        fastest_rad_s: (J,) how fast joints may turn; by default, by the reference.
    """
    if clip.frame_count == 0:
        return ()
    series = observe(clip, character, environment, schedule)
    names = _joint_labels(character)
    excess = range_excess_rad(
        clip.skeleton, character.ranges, clip.rotations_wxyz, reference.rotations_wxyz
    )
    if fastest_rad_s is None:
        most = MAX_SPEED * peak_speeds_rad_s(reference)
    else:
        most = _NEARLY * fastest_rad_s
    speed = _speed_ratio(clip, np.minimum(most, _NEARLY * character.speed_limits_rad_s))
    depth, parts = _depth_m(series)
    rate = clip.rate_hz
    found = [
        *_stretches("torque", series.torque_ratio, MAX_TORQUE, names, rate),
        *_stretches("speed", speed, 1.0, names, rate),
        *_stretches("range", excess, MAX_RANGE_RAD, names, rate),
        *_stretches("depth", depth, MAX_DEPTH_M, parts, rate),
    ]
    return tuple(sorted(found, key=lambda each: -each.severity))


def shortfalls_in_words(found: Sequence[Shortfall]) -> str:
    """One sentence that names the worst: joint, amount and frames; empty without any."""
    if not found:
        return ""
    named = "; ".join(_WORDS[each.kind](each) + _frames(each) for each in found[:MOST_NAMED])
    more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"{named[:1].upper()}{named[1:]}{more}."


_WORDS: dict[Kind, Callable[[Shortfall], str]] = {
    "torque": lambda each: (
        f"{_said(each)} needs {each.value:.3g} times its strength"
        if np.isfinite(each.value)
        else f"{_said(each)} has no strength and needs some"
    ),
    "speed": lambda each: f"{_said(each)} turns {each.value:.3g} times as fast as it may",
    "range": lambda each: f"{_said(each)} is {np.degrees(each.value):.1f}° beyond its range",
    "depth": lambda each: f"{_said(each)} is {1000.0 * each.value:.1f} mm below the surface",
}


def _said(each: Shortfall) -> str:
    return each.joint.replace("_", " ")


def _frames(each: Shortfall) -> str:
    last = each.stop - 1
    return f" in frame {last}" if each.first == last else f" in frames {each.first} to {last}"


def _joint_labels(character: Character) -> tuple[str, ...]:
    """(J,) what joints are called: by role, where they have one."""
    roles = {} if character.roles is None else {n: r for r, n in character.roles.joints.items()}
    return tuple(roles.get(name, name) for name in character.skeleton.joint_names)


def _speed_ratio(clip: Clip, fastest_rad_s: Array) -> Array:
    """(F, J) angular speed since the frame before over what is allowed."""
    return joint_speeds_rad_s(clip) / np.maximum(fastest_rad_s, 1e-9)


def _depth_m(series: Series) -> tuple[Array, tuple[str, ...]]:
    """(F, P) depth of each body part's deepest point, and the parts."""
    parts = tuple(dict.fromkeys(series.point_parts))
    depth = np.zeros((len(series.times_s), len(parts)))
    for p, part in enumerate(parts):
        columns = [c for c, each in enumerate(series.point_parts) if each == part]
        depth[:, p] = np.maximum(0.0, -series.point_distances_m[:, columns].min(axis=1))
    return depth, parts


def _stretches(
    kind: Kind, values: Array, limit: float, names: tuple[str, ...], rate_hz: float
) -> list[Shortfall]:
    """Stretches of each column (F, n) over a limit; those with hardly a gap between are one."""
    found: list[Shortfall] = []
    gap = round(_GAP_S * rate_hz)
    for column in np.flatnonzero((values > limit).any(axis=0)).tolist():
        joined: list[tuple[int, int]] = []
        for first, stop in intervals(values[:, column] > limit):
            if joined and first - joined[-1][1] < gap:
                joined[-1] = (joined[-1][0], stop)
            else:
                joined.append((first, stop))
        found += [
            Shortfall(kind, a, b, float(values[a:b, column].max()), limit, names[column])
            for a, b in joined
        ]
    return found
