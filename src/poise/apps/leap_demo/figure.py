"""The body as balls: what a page needs to draw it with nothing but circles and straight lines.

Every solid of the usual body (`body_shape`) becomes the hull of a few balls that ride on joints: a
limb of two, the trunk of two at each of its stations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Roles, Skeleton, find_partial_roles, role_sites
from poise.formats import Solid, solids_of
from poise.mechanics import BodyState

MIDDLE, LEFT, RIGHT = 0, 1, 2

FLAT = 1.25
"""Width over depth from which a ring is two balls side by side."""

_BOTH = (-1.0, 1.0)
_LIMB_LEAD_M, _THIGH_LEAD_M = 0.08, -0.1


@dataclass(frozen=True)
class Part:
    """One solid: the union of hulls."""

    side: int
    """MIDDLE, LEFT or RIGHT."""
    inside: bool
    """Whether the trunk is around it."""
    lead_m: float
    """How much nearer it is drawn than it is: where solids fill the same place, one is in front,
    whatever the pose."""
    hulls: tuple[tuple[int, ...], ...]
    """Balls that each hull is drawn around."""


@dataclass(frozen=True, eq=False)
class BallFigure:
    """Balls on joints, and what they make."""

    joints: Indices
    """(P, 2) the joints that carry each ball."""
    shares: Array
    """(P,) how much of it the second one carries."""
    offsets_m: Array
    """(P, 2, 3) its middle in the frames of both."""
    radii_m: Array
    """(P,)"""
    parts: tuple[Part, ...]
    feet: tuple[tuple[int, ...], tuple[int, ...]]
    """Balls of the left foot and of the right one."""

    @property
    def ball_count(self) -> int:
        """P."""
        return len(self.radii_m)

    def places_m(self, state: BodyState) -> Array:
        """(F, P, 3) the middles of all balls."""
        carried = rotations.rotate(state.rotations_wxyz[:, self.joints], self.offsets_m)
        both = state.positions_m[:, self.joints] + carried
        weights = np.stack([1.0 - self.shares, self.shares], axis=1)[..., None]
        return (weights * both).sum(axis=2)


def ball_figure(skeleton: Skeleton) -> BallFigure:
    """The balls of a skeleton's body."""
    made = _Maker(skeleton, find_partial_roles(skeleton))
    parts = tuple(made.part(solid) for solid in solids_of(skeleton))
    centers, radii = np.array(made.centers), np.array(made.radii)
    joints = np.array(made.joints, dtype=np.int64)
    feet: list[tuple[int, ...]] = []
    for side in ("left", "right"):
        on = made.foot(side)[joints[:, 0]]
        feet.append(tuple(np.flatnonzero(on).tolist()))
        centers[on] += made.lift_m(side, centers[on], radii[on])
    back = rotations.conjugate(skeleton.rest_world_wxyz)[joints]
    offsets = rotations.rotate(back, centers[:, None] - skeleton.rest_positions_m[joints])
    return BallFigure(joints, np.array(made.shares), offsets, radii, parts, (feet[0], feet[1]))


@dataclass(eq=False)
class _Maker:
    skeleton: Skeleton
    roles: Roles
    centers: list[Array] = field(default_factory=list[Array])
    radii: list[float] = field(default_factory=list[float])
    joints: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    shares: list[float] = field(default_factory=list[float])

    def part(self, solid: Solid) -> Part:
        wide, deep = (np.linalg.norm(axis, axis=1) for axis in (solid.sides_m, solid.depths_m))
        if (wide / deep).max() > FLAT:
            return Part(MIDDLE, False, 0.0, self._trunk(solid, wide, deep))
        joint = int(solid.joints[0, 0])
        side, radii = int(self.sides[joint]), 0.5 * (wide + deep)
        if (solid.joints == joint).all():
            return Part(side, False, 0.0, (self._egg(solid, float(radii.max())),))
        # The balls that end where the solid ends.
        away = np.linalg.norm(solid.centers_m[:, None] - solid.poles_m, axis=2)
        ends = np.abs(away - radii[:, None]).argmin(axis=0)
        balls = (self._ball(solid, r, solid.centers_m[r], radii[r]) for r in ends.tolist())
        lead = 0.0 if side == MIDDLE else _THIGH_LEAD_M if joint in self.hips else _LIMB_LEAD_M
        return Part(side, side == MIDDLE, lead, (tuple(balls),))

    def _trunk(self, solid: Solid, wide: Array, deep: Array) -> tuple[tuple[int, ...], ...]:
        inward = np.maximum(1.0 - deep / wide, 0.0)[:, None] * solid.sides_m
        stations = [
            tuple(self._ball(solid, ring, center + way * inward[ring], deep[ring]) for way in _BOTH)
            for ring, center in enumerate(solid.centers_m)
        ]
        return tuple((*low, *high) for low, high in pairwise(stations))

    def _egg(self, solid: Solid, radius: float) -> tuple[int, ...]:
        """Balls that fill an egg, from one end to the other."""
        center, half = solid.poles_m.mean(axis=0), 0.5 * (solid.poles_m[1] - solid.poles_m[0])
        long = float(np.linalg.norm(half))
        if long <= radius:
            return (self._ball(solid, 0, center, radius),)
        longer = long**2 - radius**2
        places = np.linspace(-1.0, 1.0, 7) * longer / long
        radii = radius * np.sqrt(1.0 - places**2 / longer)
        return tuple(
            self._ball(solid, 0, center + place / long * half, each)
            for place, each in zip(places, radii, strict=True)
        )

    def _ball(self, solid: Solid, ring: int, center: Array, radius: float) -> int:
        self.centers.append(center)
        self.radii.append(float(radius))
        first, second = solid.joints[ring].tolist()
        self.joints.append((first, second))
        self.shares.append(float(solid.shares[ring]))
        return len(self.radii) - 1

    @cached_property
    def sides(self) -> Indices:
        """(J,) of every joint."""
        found = np.full(self.skeleton.joint_count, MIDDLE, dtype=np.int64)
        for word, side in (("left", LEFT), ("right", RIGHT)):
            found[self._below((f"{word}_hip", f"{word}_shoulder"))] = side
        return found

    def foot(self, side: str) -> NDArray[np.bool_]:
        """(J,) which joints are of a foot."""
        return self._below((f"{side}_ankle",))

    @cached_property
    def hips(self) -> list[int]:
        """The joints that carry the thighs."""
        return self._of(("left_hip", "right_hip"))

    def _of(self, roles: Sequence[str]) -> list[int]:
        names = self.roles.joints
        return [self.skeleton.index(names[role]) for role in roles if role in names]

    def _below(self, roles: Sequence[str]) -> NDArray[np.bool_]:
        found = np.zeros(self.skeleton.joint_count, dtype=np.bool_)
        found[self._of(roles)] = True
        for joint, parent in enumerate(self.skeleton.parents.tolist()):
            found[joint] |= parent >= 0 and found[parent]
        return found

    def lift_m(self, side: str, centers: Array, radii: Array) -> Array:
        """How balls of a foot at rest are to be moved so that none is below its sole."""
        sites = role_sites(self.skeleton, self.roles)
        if not {f"{side}_heel", f"{side}_toe_tip"} <= set(sites.names):
            return np.zeros_like(centers)
        heel, toe = (self._site_m(f"{side}_{end}") for end in ("heel", "toe_tip"))
        along = toe - heel
        up = np.array([0.0, 1.0, 0.0])
        normal = up - float(along @ up) / float(along @ along) * along
        normal = normal / np.linalg.norm(normal)
        return np.maximum(radii - (centers - heel) @ normal, 0.0)[:, None] * normal

    def _site_m(self, name: str) -> Array:
        skeleton, sites = self.skeleton, role_sites(self.skeleton, self.roles)
        site = sites.index(name)
        joint = int(sites.joints[site])
        turned = rotations.rotate(skeleton.rest_world_wxyz[joint], sites.offsets_m[site])
        return skeleton.rest_positions_m[joint] + turned
