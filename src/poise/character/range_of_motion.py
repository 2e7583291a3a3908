"""How far joints turn: published ranges by role, and rotations held inside them.

A joint's anatomical turn (see `anatomical_axes`) is split into a twist about the long axis, first,
and the swing that follows it: swing · twist, the swing's axis square to `up`. Its three numbers are
the swing's rotation vector along left and forward (flexion, abduction) and the twist's angle
between them in the order left, up, forward. Each has a lowest and a highest value, so that holding
a rotation inside its range is one split, three clamps and one product; no search. The split is
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
from poise.character.anatomical_axes import LEFT, UP, AnatomicalAxes, anatomical_axes
from poise.character.joint_motions import MOTIONS, bounds, joint_motions, role_kind
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Skeleton
from poise.character.standing_figure import StandingFigure
from poise.errors import BadShape, BadValue

HINGED_ROLES: tuple[str, ...] = tuple(f"{s}_{part}" for part in ("knee", "elbow") for s in SIDES)

_TELLING_RAD = 0.35
"""A joint that bends by this much or more in a clip shows its axis; else anatomy gives it."""


@dataclass(frozen=True, eq=False)
class Hinged:
    """A skeleton with hinges at knees and elbows, and a clip's rotations on it."""

    skeleton: Skeleton
    rotations_wxyz: Array | None
    """(F, J, 4) the clip's rotations with the hinges' projected on their axes, if any came in."""
    residuals_rad: dict[str, float]
    """For each joint that became a hinge, the largest turn that its axis could not express."""
    notes: tuple[str, ...] = ()


def hinge_knees_and_elbows(
    skeleton: Skeleton,
    roles: Roles,
    rotations_wxyz: ArrayLike | None = None,
    *,
    standing_wxyz: Array | None = None,
) -> Hinged:
    """Turn ball knees and elbows into hinges.

    The axis is the one the clip bends about, where the joint bends enough to show it; else the
    anatomical one. Angles count from the rest pose; the range is the published one, from there.
    Joints that are not balls stay as they are.
    """
    count = skeleton.joint_count
    q = None if rotations_wxyz is None else np.array(rotations_wxyz, dtype=np.float64)
    if q is not None and (q.ndim != 3 or q.shape[1:] != (count, 4)):
        raise BadShape("rotations_wxyz", f"(F, {count}, 4)", q.shape)
    anatomy = anatomical_axes(skeleton, roles, standing_wxyz=standing_wxyz)
    kinds, axes, limits = (
        list(skeleton.kinds),
        skeleton.hinge_axes.copy(),
        skeleton.limits_rad.copy(),
    )
    residuals: dict[str, float] = {}
    notes: list[str] = []
    for role in HINGED_ROLES:
        joint = skeleton.index(roles.joints[role]) if role in roles.joints else -1
        if joint < 0 or skeleton.kinds[joint] != "ball":
            continue
        rest = skeleton.rest_wxyz[joint]
        sign = joint_motions(role)["flexion"][1]
        axis = sign * rotations.rotate(anatomy.own_wxyz[joint], np.eye(3)[LEFT])
        start = _flexion_at_rest(anatomy.turns(skeleton.rest_wxyz)[joint], sign)
        name, angles = skeleton.joint_names[joint], None
        if q is not None:
            turns = rotations.multiply(rotations.conjugate(rest), q[:, joint])
            axis = _shown_axis(turns, axis)
            angles = rotations.twist_angle(turns, axis)
            flat = rotations.multiply(rest, rotations.from_axis_angle(axis, angles))
            residuals[name] = float(rotations.angle_between(flat, q[:, joint]).max())
            q[:, joint] = flat
            notes.append(
                f"{name} as a hinge: up to {np.degrees(residuals[name]):.1f} degrees of the clip's "
                "turn were about other axes and are gone."
            )
        kinds[joint] = "hinge"
        axes[joint] = axis
        flexion, extension = RANGES_DEG[role.partition("_")[2]][:2]
        low, high = np.radians([-extension, flexion]) - start
        if angles is not None and (angles.min() < low or angles.max() > high):
            notes.append(f"{name}: bends beyond the usual range in the clip; widened to hold it.")
            low, high = min(low, float(angles.min())), max(high, float(angles.max()))
        limits[joint] = [-np.inf, np.inf]
        limits[joint, 0] = low, high
    hinged = replace(skeleton, kinds=tuple(kinds), hinge_axes=axes, limits_rad=limits)
    if q is not None:
        q = frozen_array("rotations_wxyz", rotations.continuous(q), q.shape)
    return Hinged(hinged, q, residuals, tuple(notes))


def _flexion_at_rest(turn: Array, sign: int) -> float:
    """How far the joint is bent in the rest pose, against the anatomical one."""
    return sign * float(rotations.twist_angle(turn, np.eye(3)[LEFT]))


def _shown_axis(turns_wxyz: Array, anatomical: Array) -> Array:
    """The axis of a joint's turns from rest, or the anatomical one where they are small.

    The quaternions of turns about one axis lie in one plane through the identity: the axis is the
    main direction of their vector parts.
    """
    vectors = np.where(turns_wxyz[..., :1] < 0, -turns_wxyz, turns_wxyz)[..., 1:]
    if 2.0 * np.linalg.norm(vectors, axis=-1).max() < _TELLING_RAD:
        return anatomical
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    axis = directions[:, -1]
    if abs(axis @ anatomical) < 0.5:  # the clip turns the joint about something else: a twist
        return anatomical
    return axis if axis @ anatomical > 0 else -axis


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

    def clamped(self, rotations_wxyz: ArrayLike) -> Array:
        """(..., J, 4) the rotations with every angle inside its range; others stay as they are."""
        q = self._checked(rotations_wxyz)
        angles = self.angles(q)
        inside = np.clip(angles, self.limits_rad[..., 0], self.limits_rad[..., 1])
        held = self.axes.rotations(from_swing_and_twist(inside))
        held = np.where(np.sum(held * q, axis=-1, keepdims=True) < 0, -held, held)
        return np.where((inside == angles).all(axis=-1, keepdims=True), q, held)

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


def from_swing_and_twist(angles_rad: ArrayLike) -> Array:
    """(..., 4) the turns that `swing_and_twist` splits into these angles."""
    swing = np.array(angles_rad, dtype=np.float64)
    twist = rotations.from_axis_angle(np.eye(3)[UP], swing[..., UP])
    swing[..., UP] = 0.0
    return rotations.multiply(rotations.exp(swing), twist)


def human_ranges(
    skeleton: Skeleton,
    roles: Roles,
    *,
    rotations_wxyz: ArrayLike | None = None,
    standing_wxyz: Array | None = None,
) -> JointRanges:
    """Published human ranges on a skeleton, by role; joints without a role are free.

    Args:
        skeleton: the figure.
        roles: its roles.
        rotations_wxyz: (F, J, 4) a clip's local rotations. Where they go beyond a range, the range
            is widened to hold them, and a note says so.
        standing_wxyz: (J, 4) local rotations of an upright pose, for skeletons whose rest pose is
            not one.
    """
    axes = anatomical_axes(skeleton, roles, standing_wxyz=standing_wxyz)
    limits = np.tile([-np.inf, np.inf], (skeleton.joint_count, 3, 1))
    for role, name in roles.joints.items():
        kind = role_kind(role)
        if kind is not None:
            limits[skeleton.index(name)] = _range(role, kind)
    figure = StandingFigure(skeleton, roles, standing_wxyz)
    spine = figure.spine()[1:]
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
