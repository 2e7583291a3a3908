"""Lead a point of the body along a curve: the paper's shape constraint."""

from __future__ import annotations

from dataclasses import dataclass

from poise.arrays import Array
from poise.constraints.record_checks import (
    Mode,
    axis_flags,
    check_mode,
    check_record,
    items,
    put,
)
from poise.constraints.recruiting import (
    EVERYTHING,
    ORIGIN,
    Recruit,
    find_joint,
    find_point,
    recruits_of_point,
)
from poise.constraints.scene import WORLD, Scene, blended, point_path
from poise.constraints.shape_curve import CurveEnd, PassPoint, shape_curve
from poise.constraints.task import Interval, Task
from poise.errors import BadValue


@dataclass(frozen=True)
class FollowCurve:
    """A point of the body leaves the original, passes places at given frames, and comes back.

    Without any places to pass, the point keeps to the original.
    """

    name: str
    point: str
    """A site ("left_heel"), or a joint or role, whose origin is meant."""
    through: tuple[PassPoint, ...]
    """In ascending order, inside the interval."""
    interval: Interval
    mode: Mode = "absolute"
    """`absolute`: a curve in the world. `relative`: in the frame of `relative_to`. `offset`: a
    displacement from the original, zero and at rest at both ends."""
    relative_to: str | None = None
    """A joint or role; for `relative`, and for `offset` if wanted."""
    axes: str = "xyz"
    """Which coordinates count, in the frame that the curve is given in."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING

    def __post_init__(self) -> None:
        check_record(self)
        check_mode(self.name, self.mode, self.relative_to)
        put(self, through=_checked(self.name, self.through, self.interval))


def _checked(name: str, through: object, interval: Interval) -> tuple[PassPoint, ...]:
    what = f"through of '{name}'"
    listed = items(name, "through", through, "a list of PassPoints")
    points = tuple(point for point in listed if isinstance(point, PassPoint))
    if len(points) < len(listed):
        raise BadValue(what, "a list of PassPoints", through)
    allowed = f"inside its interval ({interval.first} to {interval.last})"
    before = interval.first - 1
    for point in points:
        if point.frame < interval.first or point.last > interval.last:
            raise BadValue(what, allowed, f"frames {point.frame} to {point.last}")
        if point.frame <= before:
            got = f"frame {point.frame} after {before}"
            raise BadValue(what, "in ascending order, one place at a time", got)
        before = point.last
    return points


def tasks_of_follow_curve(constraint: FollowCurve, scene: Scene) -> tuple[Task, ...]:
    """One point task, with the curve in the frame that its places are given in."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    joint, offset = find_point(character, constraint.point, asked_by=name)
    to = constraint.relative_to
    reference = WORLD if to is None else find_joint(character, to, asked_by=name)
    # A frame more on either side shows how fast the original goes at the ends.
    first, last = max(interval.first - 1, 0), min(interval.last + 1, scene.clip.frame_count - 1)
    wider = point_path(scene, constraint.point, first, last, reference)
    original = wider[interval.first - first : len(wider) - (last - interval.last)]
    return (
        Task(
            name, "point", interval.first, _goals(constraint, original, wider, first),
            recruits_of_point(
                character, joint, offset, constraint.recruit, reference=reference, asked_by=name
            ),
            constraint.priority, constraint.weight, joint, offset, reference,
            axes=axis_flags(constraint.axes),
        ),
    )  # fmt: skip


def _goals(constraint: FollowCurve, original: Array, wider: Array, first: int) -> Array:
    if not constraint.through:
        return original
    interval = constraint.interval
    moves = constraint.mode == "offset"
    start, end = (
        CurveEnd(frame, ORIGIN, ORIGIN)
        if moves
        else CurveEnd(frame, wider[frame - first], _velocity(wider, frame - first))
        for frame in (interval.first, interval.last)
    )
    curve = shape_curve(start, end, constraint.through).at(interval.frames)
    return blended(original, original + curve if moves else curve, interval.shares())


def _velocity(path: Array, row: int) -> Array:
    """(3,) a frame, from the neighbours on both sides; at the end of the clip, from one."""
    before, after = max(row - 1, 0), min(row + 1, len(path) - 1)
    return (path[after] - path[before]) / max(after - before, 1)
