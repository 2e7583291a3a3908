"""The sample walk on steps, and up a slope: where its feet stand is known exactly."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.motion import Clip
from poise.samples import walking
from poise.samples.curves import FootMotion
from poise.samples.finishing import frame_times_s
from poise.samples.plan import Plan, posed
from poise.samples.walk import _plan  # pyright: ignore[reportPrivateUsage]

SECONDS, RATE_HZ = 4.0, 120.0
LOWERED_M = 0.08
"""The body, so that the lower leg reaches its step."""


def _eased(share: Array) -> Array:
    share = np.clip(share, 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


def stances(side: str) -> list[tuple[float, float, float]]:
    """Start and end in seconds, and the middle's z, of each stance of a foot."""
    found: list[tuple[float, float, float]] = []
    rests = [each for each in walking(SECONDS, RATE_HZ).planted if each.part == f"{side}_foot"]
    for rest in sorted(rests, key=lambda each: each.start_s):
        z = rest.position_m[2]
        if found and rest.start_s <= found[-1][1] + 1e-6:
            start, end, first = found[-1]
            found[-1] = (start, max(end, rest.end_s), first)
        else:
            found.append((rest.start_s, rest.end_s, z))
    return found


def walk_on_steps(heights_m: tuple[float, ...]) -> Clip:
    """The walk whose stances, both feet counted as they come, are so high; the last one goes on."""
    order = sorted((*stances("left"), *stances("right")))
    level = {stance: float(heights_m[min(k, len(heights_m) - 1)]) for k, stance in enumerate(order)}

    def lift(side: str, times: Array) -> Array:
        mine = stances(side)
        lifted = np.full(len(times), level[mine[0]])
        for before, after in pairwise(mine):
            # Up early and down late in the swing, so that the toes clear the edge.
            rise = level[after] - level[before]
            length = after[0] - before[1]
            start, stop = (0.0, 0.6) if rise > 0 else (0.4, 1.0)
            share = (times - before[1]) / length
            lifted += rise * _eased((share - start) / (stop - start))
        return lifted

    def body(times: Array) -> Array:
        lifted = np.full(len(times), level[order[0]])
        for before, after in pairwise(order):
            middle = 0.5 * (after[0] + before[1])
            rise = level[after] - level[before]
            lifted += rise * _eased((times - middle + 0.3) / 0.6)
        return lifted - LOWERED_M

    plan, _ = _plan()

    def feet(times: Array) -> dict[str, FootMotion]:
        made: dict[str, FootMotion] = {}
        for side, foot in plan.feet(times).items():
            up = np.zeros((len(times), 3))
            up[:, 1] = lift(side, times)
            made[side] = replace(foot, ankles_m=foot.ankles_m + up)
        return made

    def heights(times: Array) -> Array:
        return plan.heights_m(times) + body(times)

    lifted = replace(plan, feet=feet, heights_m=heights)
    return _posed(lifted, "walk on steps")


def walk_up_a_slope(rise: float) -> Clip:
    """The walk on ground that rises so much a metre along +Z, through the origin."""
    plan, _ = _plan()
    turn = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), -np.arctan(rise))

    def feet(times: Array) -> dict[str, FootMotion]:
        made: dict[str, FootMotion] = {}
        for side, foot in plan.feet(times).items():
            over = np.zeros((len(times), 3))
            over[:, 1] = foot.ankles_m[:, 1]
            under = foot.ankles_m - over
            under[:, 1] = rise * under[:, 2]
            made[side] = replace(
                foot,
                ankles_m=under + rotations.rotate(turn, over),
                rotations_wxyz=rotations.multiply(turn, foot.rotations_wxyz),
            )
        return made

    def heights(times: Array) -> Array:
        return plan.heights_m(times) + rise * plan.path_m(times)[:, 1] - LOWERED_M

    return _posed(replace(plan, feet=feet, heights_m=heights), "walk up a slope")


def _posed(plan: Plan, name: str) -> Clip:
    return posed(plan, frame_times_s(SECONDS, RATE_HZ), RATE_HZ, name)
