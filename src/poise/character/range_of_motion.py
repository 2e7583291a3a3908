"""How far joints turn: published ranges by role.

A joint's anatomical turn (see `anatomical_axes`) is split into a twist about the long axis, first,
and the swing that follows it: swing · twist, the swing's axis square to `up`. Its three numbers are
the swing's rotation vector along left and forward (flexion, abduction) and the twist's angle
between them in the order left, up, forward. Each has a lowest and a highest value. The split is
unique but for a swing of half a turn, an arm straight overhead.

Ranges: American Academy of Orthopaedic Surgeons (Greene and Heckman 1994), as in Norkin and White,
Measurement of Joint Motion; collar bones after Dutton (sternoclavicular joint). Where a table has
no number because the motion is a passive give (a knee sideways), ten degrees are left free. Wrists
get the largest of their four ranges all round, since a skeleton does not say which way its palms
face, and forearm rotation is allowed at elbow and wrist, since rigs put it at either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array, frozen_array
from poise.character.anatomical_axes import UP, AnatomicalAxes, anatomical_axes
from poise.character.joint_motions import MOTIONS, bounds, joint_motions, role_kind
from poise.character.roles import Roles
from poise.character.skeleton import Skeleton
from poise.character.standing_figure import StandingFigure
from poise.errors import BadShape, BadValue

_GIVE = 10.0
# Degrees: flexion, extension, abduction, adduction, inward and outward rotation; see MOTIONS for
# what these mean at trunk, ankle and toes.
RANGES_DEG: dict[str, tuple[float, ...]] = {
    "trunk": (80.0, 25.0, 35.0, 35.0, 45.0, 45.0),
    "neck": (45.0, 45.0, 45.0, 45.0, 60.0, 60.0),
    "collar": (15.0, 15.0, 45.0, 5.0, 15.0, 45.0),
    "shoulder": (180.0, 60.0, 180.0, 75.0, 70.0, 90.0),
    "elbow": (150.0, _GIVE, _GIVE, _GIVE, 80.0, 80.0),
    "wrist": (80.0, 80.0, 80.0, 80.0, 80.0, 80.0),
    "hip": (120.0, 30.0, 45.0, 30.0, 45.0, 45.0),
    "knee": (135.0, 10.0, _GIVE, _GIVE, 30.0, 40.0),
    "ankle": (20.0, 50.0, 15.0, 35.0, 20.0, 20.0),
    "toe": (45.0, 70.0, _GIVE, _GIVE, _GIVE, _GIVE),
}
"""How far each joint turns from the anatomical pose, by row of `joint_motions.role_kind`."""

_CHAIN_SHARE = 2.0
"""A spine of several joints bends unevenly: each may take up to this many even shares."""


@dataclass(frozen=True, eq=False)
class JointRanges:
    """How far every joint may turn, about anatomical axes."""

    axes: AnatomicalAxes
    limits_rad: Array
    """(J, 3, 2) lowest and highest swing about left, twist about up, swing about forward."""
    notes: tuple[str, ...] = ()
    """Which ranges were widened for a clip, and by how much."""

    def __post_init__(self) -> None:
        count = len(self.axes.own_wxyz)
        limits = frozen_array("limits_rad", self.limits_rad, (count, 3, 2), finite=False)
        if not (limits[..., 0] <= limits[..., 1]).all():
            raise BadValue("limits_rad", "lower before upper", limits)
        object.__setattr__(self, "limits_rad", limits)

    def angles(self, rotations_wxyz: ArrayLike) -> Array:
        """(..., J, 3) swing about left, twist about up, swing about forward of local rotations."""
        return swing_and_twist(self.axes.turns(self._checked(rotations_wxyz)))

    def excess(self, rotations_wxyz: ArrayLike) -> Array:
        """(..., J, 3) how far beyond its range each of the angles is; zero inside."""
        angles = self.angles(rotations_wxyz)
        return np.maximum(
            np.maximum(self.limits_rad[..., 0] - angles, angles - self.limits_rad[..., 1]), 0.0
        )

    def _checked(self, rotations_wxyz: ArrayLike) -> Array:
        q = np.asarray(rotations_wxyz, dtype=np.float64)
        count = len(self.axes.own_wxyz)
        if q.ndim < 2 or q.shape[-2:] != (count, 4):
            raise BadShape("rotations_wxyz", f"(..., {count}, 4)", q.shape)
        return q


def swing_and_twist(turns_wxyz: ArrayLike) -> Array:
    """(..., 3) swing about left, twist about up, swing about forward of anatomical turns."""
    q = np.asarray(turns_wxyz, dtype=np.float64)
    twist = rotations.twist_angle(q, np.eye(3)[UP])
    untwist = rotations.from_axis_angle(np.eye(3)[UP], -twist)
    angles = rotations.log(rotations.multiply(q, untwist))
    angles[..., UP] = twist
    return angles


def human_ranges(
    skeleton: Skeleton,
    roles: Roles,
    *,
    rotations_wxyz: ArrayLike | None = None,
) -> JointRanges:
    """Published human ranges on a skeleton, by role; joints without a role are free.

    Args:
        skeleton: the figure.
        roles: its roles.
        rotations_wxyz: (F, J, 4) a clip's local rotations. Where they go beyond a range, the range
            is widened to hold them, and a note says so.
    """
    axes = anatomical_axes(skeleton, roles)
    limits = np.tile([-np.inf, np.inf], (skeleton.joint_count, 3, 1))
    for role, name in roles.joints.items():
        kind = role_kind(role)
        if kind is not None:
            limits[skeleton.index(name)] = _range(role, kind)
    spine = StandingFigure(skeleton, roles).spine()[1:]
    for joint in spine:  # joints between spine and chest have no role of their own
        share = min(1.0, _CHAIN_SHARE / len(spine))
        limits[joint] = share * _range("chest", "trunk")
    ranges = JointRanges(axes, limits)
    return ranges if rotations_wxyz is None else _widened(ranges, skeleton, roles, rotations_wxyz)


def _range(role: str, kind: str) -> Array:
    return np.radians(bounds(role, dict(zip(MOTIONS, RANGES_DEG[kind], strict=True))))


def _widened(
    ranges: JointRanges, skeleton: Skeleton, roles: Roles, rotations_wxyz: ArrayLike
) -> JointRanges:
    angles = ranges.angles(rotations_wxyz).reshape(-1, skeleton.joint_count, 3)
    low = np.minimum(ranges.limits_rad[..., 0], angles.min(axis=0))
    high = np.maximum(ranges.limits_rad[..., 1], angles.max(axis=0))
    limits = np.stack([low, high], axis=-1)
    role_of = {name: role for role, name in roles.joints.items()}
    notes: list[str] = []
    for joint, name in enumerate(skeleton.joint_names):
        role = role_of.get(name, "spine")
        for motion, (axis, sign) in joint_motions(role).items():
            end = 0 if sign < 0 else 1
            usual, reached = (
                abs(np.degrees(l[joint, axis, end])) for l in (ranges.limits_rad, limits)
            )
            if np.isfinite(usual) and reached - usual > _WORTH_A_NOTE_DEG:
                notes.append(
                    f"{name}: {motion.replace('_', ' ')} reaches {reached:.0f} degrees in the "
                    f"clip, {reached - usual:.0f} beyond the usual {usual:.0f}; the range was "
                    "widened."
                )
    return replace(ranges, limits_rad=limits, notes=tuple(notes))


_WORTH_A_NOTE_DEG = 0.5
"""Ranges widened by less than this are widened in silence."""
