"""Points that would be inside the ground, or inside anything: one-sided tasks that keep them out.

Only where a motion goes, or nearly goes, inside: asked everywhere, the equations would be many and
nearly all idle. The surface is taken along the axis of the world that its normal is nearest to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import contact_points, contact_radii_m
from poise.constraints import Recruits, Scene, Task
from poise.contact import allowed_cutoff_hz, intervals
from poise.environment import query
from poise.footing.contact_tasks import Movers
from poise.mechanics import GRAVITY_M_S2, BodyState, center_of_mass, site_positions
from poise.motion import splines

# How the centre of mass should accelerate: as it did, and by gravity alone where nothing touches.
#
# What the ground must do follows from it. Moving feet to their prints must not change it; in the
# air only gravity acts (Eq. 11 without forces).
_CUTOFF_HZ = 8.0
"""Of the centre's acceleration: what is faster is noise, or the shock of a landing."""

STANDING = 0.1
"""Weight of the acceleration while something touches, against that in the air: the ground can do
much, and nothing can be done in the air."""


def center_tasks(scene: Scene, touches: NDArray[np.bool_]) -> list[Task]:
    """Wishes for the acceleration of the centre of mass, one task for every stretch.

    `touches` (F,) is whether anything does.
    """
    body, clip = scene.character.body, scene.clip
    if body is None or clip.frame_count < splines.SHORTEST:
        return []
    path = center_of_mass(scene.state, body)
    goal = _path_with(_accelerations(path, touches, clip.rate_hz), path, clip.rate_hz)
    # No joint moves for the centre's sake that does not move for a contact's.
    nobody = np.zeros(scene.character.skeleton.joint_count, dtype=np.bool_)
    recruits = Recruits(nobody, True)
    return [
        Task(f"centre {'stands' if value else 'flies'} from frame {a}", "center", a, goal[a:b],
             recruits, 2, STANDING if value else 1.0)
        for value in (True, False)
        for a, b in intervals(touches == value)
    ]  # fmt: skip


def _accelerations(path: Array, touches: NDArray[np.bool_], rate_hz: float) -> Array:
    cutoff = allowed_cutoff_hz(_CUTOFF_HZ, rate_hz)
    found = np.array(splines.smooth(path, rate_hz, cutoff).second)
    found[~touches] = GRAVITY_M_S2
    return found


def _path_with(accelerations: Array, path: Array, rate_hz: float) -> Array:
    """A path with these second differences; where it leads to says nothing."""
    steps = np.zeros_like(path)
    steps[1] = path[1] - path[0]
    steps[2:] = accelerations[1:-1] / rate_hz**2
    goal: Array = path[0] + np.cumsum(np.cumsum(steps, axis=0), axis=0)
    return goal


_BEFORE_AND_AFTER_S = 0.035
"""A point is kept out a little longer than it is inside, so that it does not dip in beside it."""


Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Cleared(Generic[Made]):
    """What came of solving until nothing is inside anything."""

    made: Made
    tasks: tuple[Task, ...]
    """Of the last round."""
    rounds: int
    left: int
    """Tasks that another round would have had more: stretches that are still inside something."""


def solve_until_clear(
    tasks: Sequence[Task],
    solve: Callable[[Sequence[Task], Made | None], Made],
    inside: Callable[[Made], Sequence[Task]],
    rounds: int,
) -> Cleared[Made]:
    """Solve, and again with tasks for what the last answer left inside something.

    Args:
        tasks: what should hold.
        solve: from tasks, and the answer of the round before, to an answer.
        inside: tasks that would keep an answer out of what it is inside of.
        rounds: most solves.
    """
    now, made, done = tuple(tasks), solve(tasks, None), 1
    more = inside(made)
    while more and done < rounds:
        now += tuple(replace(task, name=f"{task.name} (round {done})") for task in more)
        made, done = solve(now, made), done + 1
        more = inside(made)
    return Cleared(made, now, done, len(more))


def clearance_tasks(
    scene: Scene,
    state: BodyState,
    held: Sequence[Task],
    movers: Movers,
    deepest_m: float,
    *,
    posed: bool = False,
) -> list[Task]:
    """One task for every stretch in which a point of the body is deeper than `deepest_m`.

    Points of `held` tasks are where they belong and need no other. So are, if `posed`, those of
    joints that are held turned: soles are right to a millimetre, which is less than some ask for.
    """
    character, environment = scene.character, scene.environment
    radii = contact_radii_m(character)
    beside = max(1, round(_BEFORE_AND_AFTER_S * scene.clip.rate_hz))
    window = np.ones(2 * beside + 1)
    found: list[Task] = []
    for part, sites in contact_points(character).items():
        places = site_positions(state, sites)
        near = query(environment, places)
        depth = near.distances_m - radii[part]
        for c, name in enumerate(sites.names):
            joint, offset = int(sites.joints[c]), sites.offsets_m[c]
            inside = depth[:, c] < -deepest_m
            if not inside.any():
                continue
            wider = np.convolve(inside, window)[beside : beside + len(inside)]
            inside = wider > 0.0
            for task in held:
                if task.joint != joint or task.side != 0:
                    continue
                same = np.array_equal(task.offset_m, offset) and all(task.axes)
                turned = posed and task.kind == "turn" and task.priority == 1
                if turned or (task.kind == "point" and same):
                    inside[task.first : task.last + 1] = False
            for a, b in intervals(inside):
                normal = near.normals[a:b, c]
                axis = int(np.abs(normal.mean(axis=0)).argmax())
                sign = 1 if normal[:, axis].mean() > 0.0 else -1
                lean = np.maximum(np.abs(normal[:, axis]), 0.1)
                goals = places[a:b, c].copy()
                goals[:, axis] -= sign * depth[a:b, c] / lean
                axes = (axis == 0, axis == 1, axis == 2)
                what = f"{name} stays outside from frame {a}"
                found.append(movers.point(what, joint, offset, a, goals, axes=axes, side=-sign))
    return found
