"""The soles: heel, ball, both edges at the ball, and toe tip of each foot.

The sole is the plane of `role_sites`: as low as the lower of ball and toe tip, square to the shin's
own plane. Heel, ball and edges ride on the foot (the joint that carries the heel), the tip on the
toes.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character.role_geometry import flattened
from poise.character.role_sites import TOES_BEYOND_BALL, role_sites
from poise.character.roles import SIDES, Roles
from poise.character.sites import Sites
from poise.character.skeleton import Skeleton
from poise.character.standing_figure import StandingFigure

BREADTH_PER_LENGTH = 0.37
"""Foot breadth over foot length: 100.6 of 269.7 mm for men, 89.7 of 244.4 for women (Gordon et al.
1989)."""

SOLE_POINTS = ("heel", "ball", "inner_edge", "outer_edge", "toe_tip")
"""The points of each foot; a site is called `left_heel`."""


def sole_points(skeleton: Skeleton, roles: Roles, *, standing_wxyz: Array | None = None) -> Sites:
    """All points of both soles; a foot that does not show where the ground is has none."""
    figure = StandingFigure(skeleton, roles, standing_wxyz)
    ends = role_sites(skeleton, roles, standing_wxyz=standing_wxyz)
    names: list[str] = []
    joints: list[int] = []
    offsets: list[Array] = []
    for side in SIDES:
        heel, tip = (figure.site(ends, f"{side}_{point}") for point in ("heel", "toe_tip"))
        if heel is None or tip is None:
            continue
        foot = int(ends.joints[ends.index(f"{side}_heel")])
        tips = ends.index(f"{side}_toe_tip")
        places = _across_the_ball(figure, side, heel, tip)
        for point in SOLE_POINTS:
            names.append(f"{side}_{point}")
            if point in places:
                joints.append(foot)
                offsets.append(figure.in_joint(foot, places[point]))
            else:
                i = tips if point == "toe_tip" else ends.index(f"{side}_heel")
                joints.append(int(ends.joints[i]))
                offsets.append(ends.offsets_m[i])
    return Sites(tuple(names), np.array(joints, dtype=np.int64), np.array(offsets).reshape(-1, 3))


def _across_the_ball(
    figure: StandingFigure, side: str, heel: Array, tip: Array
) -> dict[str, Array]:
    """The ball and the edges beside it, in the pose."""
    ankle = figure.place(f"{side}_ankle")
    ahead = flattened(tip - heel, figure.up)
    length = float(np.linalg.norm(ahead))
    forward = ahead / length if length > 0 else figure.forward
    shin = flattened(ankle - figure.place(f"{side}_knee"), forward)
    if np.linalg.norm(shin) < 1e-9 or shin @ figure.up >= 0:
        shin = -figure.up
    down = shin / np.linalg.norm(shin)
    left = np.cross(forward, down)
    toe = figure.joints.get(f"{side}_toe")
    if toe is None:
        along = (tip - ankle) @ forward / (1 + TOES_BEYOND_BALL)
        lowest = tip
        ball = ankle + along * forward
        aside = ball @ left
    else:
        ball = figure.figure.positions[toe]
        lowest = max((ball, tip), key=lambda place: float(place @ down))
        aside = ball @ left
    ball = (ball @ forward) * forward + aside * left + (lowest @ down) * down
    half = 0.5 * BREADTH_PER_LENGTH * length * (left if side == "left" else -left)
    return {"ball": ball, "outer_edge": ball + half, "inner_edge": ball - half}
