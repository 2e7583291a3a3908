"""What the ground can do, as bounds that are linear in the force and moment it must give.

The zero-moment point is a moment over a force: where the force gets small, it runs away, and no
straight line follows it. But that it lies inside the support area is the same as one inequality for
every edge of the area, in which the moment and the force stand side by side:

    n · (moments about a point of the area) − (distance of the edge) · force ≥ 0

and that the ground pushes and does not pull is one more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.character import Character, contact_points
from poise.compiled import borrowing
from poise.constraints import EVERYTHING, Interval, Plant, Task, recruits_of_point, tasks_of
from poise.contact import ContactSchedule, SupportArea, intervals
from poise.mechanics import site_positions
from poise.methods.edit import Edit


# Parts that stand, where nobody says what they are to do: they stay where the clip has them.
#
# The ground carries a body where its feet are. Dynamic rounds that were free to move them would
# chase a support that runs away.
def standing_tasks(edit: Edit, contacts: ContactSchedule, tasks: Sequence[Task]) -> list[Task]:
    """One plant for every time that a part touches, of parts that no task is about."""
    ancestors = edit.character.skeleton.ancestors
    own = {task.joint for task in tasks if task.joint >= 0}
    # A goal for toes is about their foot; one for a foot is not about the seat.
    above = {joint for each in own for joint in ancestors(each)}
    found: list[Task] = []
    for part, points in contact_points(edit.character).items():
        planted = _can_be_planted(part, edit.character)
        spoken_of = above if planted else own
        if part not in contacts.parts or any(joint in spoken_of for joint in points.joints):
            continue
        for first, stop in intervals(contacts.column(part)):
            if not planted:
                found.append(_lowest_stays(edit, part, first, stop))
                continue
            name = f"{part} stays, frames {first} to {stop - 1}"
            plant = Plant(name, part, Interval(first, stop - 1), "follow")
            found += tasks_of(plant, edit.scene)
    return found


def _can_be_planted(part: str, character: Character) -> bool:
    """Whether a part has a joint of its own that lays it flat: feet, and hands below a wrist."""
    side, _, what = part.partition("_")
    roles = character.roles.joints if character.roles is not None else {}
    return what == "foot" or (what == "hand" and f"{side}_wrist" in roles)


def _lowest_stays(edit: Edit, part: str, first: int, stop: int) -> Task:
    """The lowest point of a knee, a seat or a stump stays where it is."""
    sites = contact_points(edit.character)[part]
    places = site_positions(edit.scene.state, sites)[first:stop]
    lowest = int(places[..., 1].mean(axis=0).argmin())
    joint, offset = int(sites.joints[lowest]), sites.offsets_m[lowest]
    recruits = recruits_of_point(edit.character, joint, offset, EVERYTHING)
    name = f"{part} stays, frames {first} to {stop - 1}"
    return Task(
        name, "point", first, places[:, lowest], recruits, joint=joint, offset_m=offset
    )  # fmt: skip


LEAST_PUSH = 0.15
"""Share of the weight that the ground carries at least while something stands on it."""

_HALF_WIDTH_M = 0.005
"""Of a line or a point that carries alone."""

_FAR_M = 0.25
"""Edges further away than this, in shares of the weight, are not watched."""


class Footing(NamedTuple):
    """Bounds of all frames, each a row that must not be negative."""

    first: Indices
    """(F + 1,) where the rows of each frame begin."""
    edge: Array
    """(N, 3) inward normal (x, z) and distance from the frame's point; zeros: the push itself."""
    point: Array
    """(F, 3) that moments are taken about, on the ground."""
    weight: float
    """Of the body: rows are over it, in metres and shares."""


def no_footing(frames: int) -> Footing:
    """Nothing is asked of the ground."""
    return Footing(
        np.zeros(frames + 1, dtype=np.int64), np.zeros((0, 3)), np.zeros((frames, 3)), 1.0
    )


def footing_of(
    area: SupportArea,
    asked: NDArray[np.bool_],
    zmp_m: Array,
    push_n: Array,
    inset_m: float,
    weight_n: float,
) -> Footing:
    """The bounds of frames in which balance is asked for.

    Args:
        area: what carries.
        asked: (F,)
        zmp_m: (F, 3) where the zero-moment point is now.
        push_n: (F,) what the ground must carry now.
        inset_m: how far inside its edges the zero-moment point is to stay.
        weight_n: of the body.
    """
    frames, most = area.corners_m.shape[:2]
    first = np.zeros(frames + 1, dtype=np.int64)
    edge = np.zeros((frames * (max(most, 4) + 1), 3))
    point = np.zeros((frames, 3))
    point[:, 1] = np.nan_to_num(area.heights_m)
    count = _put_edges(
        area.corners_m, area.counts, asked, zmp_m, push_n / weight_n, inset_m, first, edge, point
    )
    return Footing(first, edge[:count].copy(), point, weight_n)


@borrowing
def _put_edges(
    corners: Array, counts: Indices, asked: NDArray[np.bool_], zmp: Array, push: Array,
    inset: float, first: Indices, edge: Array, point: Array,
) -> int:  # fmt: skip
    k = 0
    for f in range(len(counts)):
        n = counts[f]
        if asked[f] and n > 0:
            mx, mz = 0.0, 0.0
            for c in range(n):
                mx, mz = mx + corners[f, c, 0] / n, mz + corners[f, c, 1] / n
            point[f, 0], point[f, 2] = mx, mz
            x, z = zmp[f, 0] - mx, zmp[f, 2] - mz
            sides = n if n > 2 else 4
            for c in range(sides):
                if n > 2:
                    d = c + 1 if c + 1 < n else 0
                    ex, ez = (
                        corners[f, d, 0] - corners[f, c, 0],
                        corners[f, d, 1] - corners[f, c, 1],
                    )
                    half = 0.0
                else:  # a line, or a point: a thin box about it
                    ax, az = corners[f, n - 1, 0] - mx, corners[f, n - 1, 1] - mz
                    half = math.sqrt(ax * ax + az * az)
                    ux, uz = (ax / half, az / half) if half > 1e-6 else (1.0, 0.0)
                    ex = ux if c == 0 else -uz if c == 1 else -ux if c == 2 else uz
                    ez = uz if c == 0 else ux if c == 1 else -uz if c == 2 else -ux
                length = math.sqrt(ex * ex + ez * ez)
                if length < 1e-9:
                    continue
                nx, nz = -ez / length, ex / length
                if n > 2:
                    away = nx * (corners[f, c, 0] - mx) + nz * (corners[f, c, 1] - mz)
                else:
                    away = -_HALF_WIDTH_M - (half if c == 1 or c == 3 else 0.0)
                # No further in than half way to the middle.
                away = min(away + inset, 0.5 * away)
                if (nx * x + nz * z - away) * max(push[f], 0.0) > _FAR_M:
                    continue
                edge[k, 0], edge[k, 1], edge[k, 2] = nx, nz, away
                k += 1
            k += 1  # the push, whose row of zeros stands there
        first[f + 1] = k
    return k
