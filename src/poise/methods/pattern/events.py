"""Key events of a motion, found by what a point of the body or of a tool does.

A swing has one moment that matters, the hit, and a few that tell where it is in between. They are
found by rule (the club head is lowest near where it is fastest), or given as frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.character import Character
from poise.constraints import find_point
from poise.errors import BadValue, UnknownName
from poise.mechanics import BodyState
from poise.methods.motion_pattern import EventRule
from poise.rotations import rotate

NEAR_S = 0.25
"""How far from its own extreme an event "near" it may be."""
SMOOTHED_S = 0.02
"""Standard deviation of the filter before looking: a marker's tremble at the end of a club is
faster than the club."""
_STILL = 1e-6
"""Metres, or metres a second: what moves less does not move."""
AT_REST = 0.15
"""A point that moves slower than this share of its greatest speed is at rest."""
CLEAR = 0.9
"""Another peak, away from the event, that is higher than this share of it makes it unclear."""


def find_events(
    rules: Sequence[EventRule], state: BodyState, character: Character, rate_hz: float, clip: str
) -> dict[str, int]:
    """Frames of all events, by name, in order of time; messages name the clip.

    Raises:
        BadValue: no such moment in this clip, or more than one.
        UnknownName: a point or an event that there is not.
    """
    found: dict[str, int] = {}
    for rule in _in_order(rules):
        path = point_path_m(rule.point, state, character, asked_by=f"event {rule.name}")
        path = gaussian_filter1d(path, SMOOTHED_S * rate_hz, axis=0, mode="nearest")
        first = found[rule.after] + 1 if rule.after is not None else 0
        stop = found[rule.before] if rule.before is not None else len(path)
        found[rule.name] = _event(rule, path, rate_hz, first, stop, clip)
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def point_path_m(
    point: str, state: BodyState, character: Character, *, asked_by: str = ""
) -> Array:
    """(F, 3) where a site, joint or role is."""
    joint, offset = find_point(character, point, asked_by=asked_by)
    return state.positions_m[:, joint] + rotate(state.rotations_wxyz[:, joint], offset)


def _in_order(rules: Sequence[EventRule]) -> list[EventRule]:
    """Every rule after those it speaks of."""
    names = [rule.name for rule in rules]
    if len(set(names)) < len(names):
        raise BadValue("events", "of different names", names)
    for rule in rules:
        for other in (rule.after, rule.before):
            if other is not None and other not in names:
                raise UnknownName("event", other, names, advice=f"Asked for by '{rule.name}'.")
    left, ordered = list(rules), list[EventRule]()
    while left:
        done = {rule.name for rule in ordered} | {None}
        ready = [rule for rule in left if {rule.after, rule.before} <= done]
        if not ready:
            raise BadValue("events", "without a circle of after and before", names)
        ordered += ready
        left = [rule for rule in left if rule not in ready]
    return ordered


def _event(
    rule: EventRule, path: Array, rate_hz: float, first: int, stop: int, clip: str
) -> int:  # fmt: skip
    where = f"event '{rule.name}' in {clip}"
    if stop - first < 3:
        raise BadValue(where, "possible between the events around it", f"frames {first} to {stop}")
    speeds = np.linalg.norm(np.gradient(path, axis=0), axis=1) * rate_hz
    if rule.kind in ("starts", "stops"):
        return _rest(rule, speeds, first, stop, where)
    if rule.near is not None:
        middle = _extreme(rule.near, path, speeds, first, stop)
        reach = max(round(NEAR_S * rate_hz), 1)
        first, stop = max(first, middle - reach), min(stop, middle + reach + 1)
    frame = _extreme(rule.kind, path, speeds, first, stop)
    blurred = int(np.ceil(4.0 * SMOOTHED_S * rate_hz))  # what lies beyond an end is not known
    near_end = not blurred < frame < len(path) - 1 - blurred
    still = float(np.ptp(_values(path, speeds)[rule.kind])) < _STILL  # ends are as extreme
    if still or (
        near_end and (rule.kind == "fastest" or _at_an_end(rule.kind, path, speeds, frame))
    ):
        raise BadValue(
            where, f"inside the clip ({rule.point} is {rule.kind} at one of its ends)",
            f"frame {frame}",
        )  # fmt: skip
    if rule.kind == "fastest":
        _check_clear(speeds, frame, first, stop, rate_hz, where)
    return frame


def _at_an_end(kind: str, path: Array, speeds: Array, frame: int) -> bool:
    """Whether the nearer end of the clip is as extreme: it would go on beyond it."""
    end = 0 if frame < len(path) // 2 else len(path) - 1
    values = _values(path, speeds)[kind]
    return frame == end or bool(values[end] >= values[frame] - 0.05 * float(np.ptp(values)))


def _values(path: Array, speeds: Array) -> dict[str, Array]:
    """What each kind is the greatest of."""
    return {"fastest": speeds, "slowest": -speeds, "highest": path[:, 1], "lowest": -path[:, 1]}


def _extreme(kind: str, path: Array, speeds: Array, first: int, stop: int) -> int:
    return first + int(_values(path, speeds)[kind][first:stop].argmax())


def _rest(rule: EventRule, speeds: Array, first: int, stop: int, where: str) -> int:
    """The last frame at rest before it moves, or the first one after."""
    slow = speeds[first:stop] < AT_REST * speeds.max()
    resting, moving = np.flatnonzero(slow), np.flatnonzero(~slow)
    fastest = int(speeds[first:stop].argmax())
    if not len(moving):
        resting = resting[:0]
    elif rule.kind == "starts":
        # At rest once more right before an event, where it turns around: back from there.
        resting = resting[resting < (moving[-1] if rule.before is not None else fastest)]
    elif rule.after is None:
        resting = resting[resting > fastest]
    if not len(resting):
        raise BadValue(where, f"a moment in which {rule.point} is at rest", "none")
    return first + int(resting[-1] if rule.kind == "starts" else resting[0])


def _check_clear(
    speeds: Array, frame: int, first: int, stop: int, rate_hz: float, where: str
) -> None:  # fmt: skip
    """One moment is the fastest: not one of many alike."""
    away = np.abs(np.arange(first, stop) - frame) > 2.0 * NEAR_S * rate_hz
    others = speeds[first:stop][away]
    if len(others) and others.max() > CLEAR * speeds[frame]:
        other = first + int(np.flatnonzero(away)[others.argmax()])
        raise BadValue(
            where, "one moment (cut the clip, or give the frame)",
            f"frames {min(frame, other)} and {max(frame, other)}, about equally fast",
        )  # fmt: skip


def given_events(events: Mapping[str, int], frame_count: int, clip: str) -> dict[str, int]:
    """Events that somebody knows, in order of time.

    Raises:
        BadValue: a frame outside the clip, or two events in one.
    """
    for name, frame in events.items():
        if isinstance(frame, bool) or not hasattr(frame, "__index__"):
            raise BadValue(f"event '{name}' of {clip}", "a whole frame", frame)
        if not 0 <= frame < frame_count:
            raise BadValue(f"event '{name}' of {clip}", f"from 0 to {frame_count - 1}", frame)
    if len(set(events.values())) < len(events):
        raise BadValue(f"events of {clip}", "in different frames", dict(events))
    return dict(sorted(events.items(), key=lambda pair: pair[1]))
