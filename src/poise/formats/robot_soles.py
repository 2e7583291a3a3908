"""The soles of a robot from what its feet collide with.

The simple shapes on a foot (boxes, spheres, capsules, cylinders), or the meshes of one that has no
others, say where it stands: the sole is level at their lowest point, and its outline is that of all
points near that level, seen from below. Of the outline a foot keeps nine points: heel, ball, both
edges at the ball and toe tip, as every foot has them, and the corners at both ends.
"""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, SOLE_POINTS, TOES_BEYOND_BALL, UP, Figure, Roles, Sites, Skeleton
from poise.formats.parsed import sites_of
from poise.formats.robot_tree import Shape

SOLE_SLACK_M = 0.02
"""Shapes whose underside is this near to the lowest point are part of the sole."""
_LEAST_LENGTH_M, _LEAST_BREADTH_M = 0.03, 0.01
"""Of an outline; smaller ones are points or lines, on which no foot stands."""
_CORNER_SHARE = 0.02
"""How far from the ends of a sole its corners are, over its length."""


def colliding(shapes: list[Shape]) -> list[Shape]:
    """Those of a foot that are there to collide; all of one that has none."""
    return [shape for shape in shapes if shape.touches] or shapes


def sole_sites(
    skeleton: Skeleton, roles: Roles, shapes: list[Shape]
) -> tuple[Sites, tuple[str, ...]]:
    """The points of both soles as far as shapes show them, and a note on a foot where they do not.

    Args:
        skeleton: the robot.
        roles: its roles; a leg whose toes turn is left to them.
        shapes: in the world, the robot at rest.
    """
    figure = Figure(skeleton)
    rows: list[tuple[str, int, Array]] = []
    notes: list[str] = []
    for side in SIDES:
        name = roles.joints.get(f"{side}_ankle")
        if name is None or f"{side}_toe" in roles.joints:
            continue
        ankle = skeleton.index(name)
        own = colliding([shape for shape in shapes if figure.is_under(shape.joint, ankle)])
        if not own:
            continue
        outline = _Outline(own, roles.forward)
        if not outline.is_sole:
            length, breadth = (100.0 * size for size in (outline.length_m, outline.breadth_m))
            notes.append(
                f"What the {side} foot collides with is {length:.1f} by {breadth:.1f} cm: too "
                "little for a sole; its edges are taken by human proportions."
            )
            continue
        frame = rotations.conjugate(skeleton.rest_world_wxyz[ankle])
        place = skeleton.rest_positions_m[ankle]
        rows += [
            (f"{side}_{point}", ankle, rotations.rotate(frame, where - place))
            for point, where in outline.points(side, place).items()
        ]
    return sites_of(rows), tuple(notes)


class _Outline:
    """A sole seen from below: how far ahead and to the left its points lie."""

    def __init__(self, shapes: list[Shape], forward: Array) -> None:
        places = np.concatenate([shape.bottom(-UP) for shape in shapes])
        self._level = float((places @ UP).min())
        low = places[places @ UP < self._level + SOLE_SLACK_M]
        self._forward, self._left = forward, np.cross(UP, forward)
        self._ahead, self._across = low @ self._forward, low @ self._left

    @property
    def length_m(self) -> float:
        """From the rear to the front."""
        return float(np.ptp(self._ahead))

    @property
    def breadth_m(self) -> float:
        """From the outermost point on one side to that on the other."""
        return float(np.ptp(self._across))

    @property
    def is_sole(self) -> bool:
        """Whether a foot can stand on it."""
        return self.length_m >= _LEAST_LENGTH_M and self.breadth_m >= _LEAST_BREADTH_M

    def points(self, side: str, ankle: Array) -> dict[str, Array]:
        """(3,) each: the points of the sole and its corners, by their names without the side."""
        rear, front = float(self._ahead.min()), float(self._ahead.max())
        start = float(ankle @ self._forward)
        ball = start + (front - start) / (1.0 + TOES_BEYOND_BALL)
        inset = _CORNER_SHARE * (front - rear)
        ball = float(np.clip(ball, rear + inset, front - inset))
        found = {"ball": self._at(ball, sum(self._ends(ball)) / 2.0)}
        outward = 1 if side == "left" else -1
        for point, ahead, at in (
            ("heel", rear, rear + inset), ("toe_tip", front, front - inset), ("", ball, ball),
        ):  # fmt: skip
            inner, outer = self._ends(at)[::outward]
            if point:
                found[point] = self._at(ahead, 0.5 * (inner + outer))
            edges = (("inner", inner), ("outer", outer))
            for edge, across in edges:
                name = f"{point}_{edge}" if point else f"{edge}_edge"
                found[name] = self._at(ahead, across)
        corners = [name for name in found if name not in SOLE_POINTS]
        return {name: found[name] for name in (*SOLE_POINTS, *corners)}

    def _ends(self, ahead: float) -> tuple[float, float]:
        """The rightmost and leftmost place of the outline so far ahead."""
        behind, before = self._ahead <= ahead, self._ahead >= ahead
        a, b = self._ahead[behind][:, None], self._ahead[before][None]
        share = np.divide(ahead - a, b - a, out=np.zeros((len(a), b.shape[1])), where=b > a)
        across = self._across[behind][:, None] * (1.0 - share) + self._across[before][None] * share
        return float(across.min()), float(across.max())

    def _at(self, ahead: float, across: float) -> Array:
        return ahead * self._forward + across * self._left + self._level * UP
