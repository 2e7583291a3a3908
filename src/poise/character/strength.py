"""How strong joints are: the largest torques people reach, by role and direction.

A limit says what a body cannot do, so the table holds what strong young adults reach: the mean of
the published group plus two standard deviations, or its 95th percentile. All of it grows with body
weight times stature, as Anderson et al. normalise theirs.

- Hip, knee and ankle, flexion and extension: Anderson, Madigan and Nussbaum 2007 (J. Biomechanics
  40:3105-3113, table 3, ages 18 to 25: C1 + 2 SD), by sex. But pushing off with the foot is taken
  from sprinting, 4 N·m/kg (Schache et al. 2011, Med. Sci. Sports Exerc. 43:1260-1271): on a
  dynamometer people reach less than ordinary running asks of them.
- Trunk, shoulder and elbow: Stobbe 1982, as in Chaffin and Andersson, Occupational Biomechanics
  (static strengths of 25 men in industry, 95th percentile).
- Neck: Fice, Siegmund and Blouin 2014 (Ann. Biomed. Eng. 42:1846-1852, 9 men, mean + 2 SD).
- Hip abduction, adduction and rotation: Cahalan et al. 1989 (Clin. Orthop. 246:136-146, men,
  rounded mean + 2 SD). Trunk rotation: McGill and Hoodless 1990 (J. Biomed. Eng. 12:63-68).
- Wrist and forearm rotation: Kentel, King and Mitchell 2011 (J. Appl. Biomech. 27:42-50, one tennis
  player), used for every direction, since a skeleton does not say which way its palms face.

Sideways moments at knee and elbow, and all moments at toes and collar bones, are held by bones and
ligaments; they have no limit here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, frozen_array
from poise.character.anatomical_axes import AnatomicalAxes, anatomical_axes
from poise.character.anthropometry import SEXES
from poise.character.joint_motions import MOTIONS, bounds, role_kind
from poise.character.roles import Roles
from poise.character.skeleton import Skeleton
from poise.errors import BadValue, UnknownName

_STANDARD_GRAVITY = 9.80665
_REFERENCE_NM = 75.0 * _STANDARD_GRAVITY * 1.75
"""Weight times stature of the men whose strengths are given in newton metres."""

_FREE = np.inf
_PUSH_OFF = 4.0 / (_STANDARD_GRAVITY * 1.77)
"""4 N·m/kg on runners of 1.77 m, as a share of weight times stature."""
_LEGS = {
    "male": {
        "hip": {"flexion": 0.113 + 2 * 0.025, "extension": 0.161 + 2 * 0.049},
        "knee": {"flexion": 0.087 + 2 * 0.015, "extension": 0.163 + 2 * 0.040},
        "ankle": {"flexion": 0.033 + 2 * 0.005, "extension": _PUSH_OFF},
    },
    "female": {
        "hip": {"flexion": 0.127 + 2 * 0.033, "extension": 0.181 + 2 * 0.047},
        "knee": {"flexion": 0.080 + 2 * 0.015, "extension": 0.159 + 2 * 0.028},
        "ankle": {"flexion": 0.027 + 2 * 0.006, "extension": _PUSH_OFF},
    },
}
"""Shares of weight times stature. Dorsiflexion counts as flexion of the ankle."""

# Newton metres: flexion, extension, abduction, adduction, inward and outward rotation (of the
# ankle: eversion and inversion for abduction and adduction).
_MEN_NM: dict[str, tuple[float, ...]] = {
    "trunk": (216.0, 503.0, 290.0, 290.0, 150.0, 150.0),
    "neck": (42.0, 73.0, 50.0, 50.0, 23.0, 23.0),
    "collar": (_FREE,) * 6,
    "shoulder": (119.0, 103.0, 101.0, 115.0, 83.0, 51.0),
    "elbow": (111.0, 67.0, _FREE, _FREE, 20.0, 20.0),
    "wrist": (39.0, 39.0, 39.0, 39.0, _FREE, _FREE),
    "hip": (0.0, 0.0, 190.0, 210.0, 110.0, 90.0),
    "knee": (0.0, 0.0, _FREE, _FREE, _FREE, _FREE),
    "ankle": (0.0, 0.0, 50.0, 50.0, _FREE, _FREE),
    "toe": (_FREE,) * 6,
}


@dataclass(frozen=True, eq=False)
class Strength:
    """The torques that joints can make, about anatomical axes, different in both directions."""

    axes: AnatomicalAxes
    limits_nm: Array
    """(J, 3, 2) lowest (negative) and highest torque about left, up, forward; infinite where free.
    The torque is that of the body on the joint's segment, as inverse dynamics gives it."""

    def __post_init__(self) -> None:
        count = len(self.axes.own_wxyz)
        limits = frozen_array("limits_nm", self.limits_nm, (count, 3, 2), finite=False)
        if (limits[..., 0] > 0).any() or (limits[..., 1] < 0).any() or np.isnan(limits).any():
            raise BadValue("limits_nm", "a range around zero", limits)
        object.__setattr__(self, "limits_nm", limits)

    def ratios(self, torques_nm: ArrayLike) -> Array:
        """(..., J, 3) torques (in joint frames) over their limits, about left, up, forward."""
        about = self.axes.torques(torques_nm)
        limit = np.where(about < 0, -self.limits_nm[..., 0], self.limits_nm[..., 1])
        return np.divide(
            np.abs(about), limit, out=np.where(about == 0, 0.0, np.inf), where=limit > 0
        )

    def per_freedom_nm(self, skeleton: Skeleton) -> Array:
        """(J, 3) one magnitude per freedom, for records that know no directions.

        Along each axis of a joint's own frame (a hinge: its axis), the largest torque that the
        ellipsoid through the limits allows; of the two directions, the larger counts.
        """
        largest = np.abs(self.limits_nm).max(axis=-1)
        inverse = np.where(largest > 0, 1.0 / np.where(largest > 0, largest, 1.0), np.inf)
        frees = np.tile(np.eye(3), (skeleton.joint_count, 1, 1))
        for joint, kind in enumerate(skeleton.kinds):
            if kind == "hinge":
                frees[joint] = skeleton.hinge_axes[joint]
        parts = self.axes.torques(frees.transpose(1, 0, 2)).transpose(1, 0, 2)  # (J, freedom, 3)
        with np.errstate(invalid="ignore"):
            shares = np.where(np.abs(parts) > 1e-9, parts * inverse[:, None, :], 0.0)
        sums = np.linalg.norm(shares, axis=-1)
        return np.divide(1.0, sums, out=np.full_like(sums, np.inf), where=sums > 0)


def human_strength(
    skeleton: Skeleton,
    roles: Roles,
    mass_kg: float,
    stature_m: float,
    *,
    sex: str = "average",
) -> Strength:
    """Published human strengths on a skeleton, by role; joints without a role are free.

    Spine joints all get the trunk's strength, neck and head the neck's: along a chain the same
    moment passes through every joint.
    """
    if sex not in SEXES:
        raise UnknownName("sex of a strength table", sex, SEXES)
    scale = mass_kg * _STANDARD_GRAVITY * stature_m
    limits = np.tile([-np.inf, np.inf], (skeleton.joint_count, 3, 1))
    for role, name in roles.joints.items():
        kind = role_kind(role)
        if kind is not None:
            limits[skeleton.index(name)] = bounds(role, _directions(kind, sex, scale))
    return Strength(anatomical_axes(skeleton, roles), limits)


def _directions(kind: str, sex: str, scale: float) -> dict[str, float]:
    found = {
        motion: value * scale / _REFERENCE_NM
        for motion, value in zip(MOTIONS, _MEN_NM[kind], strict=True)
    }
    sexes = ("male", "female") if sex == "average" else (sex,)
    for motion in ("flexion", "extension"):
        if kind in _LEGS["male"]:
            found[motion] = scale * float(np.mean([_LEGS[s][kind][motion] for s in sexes]))
    return found
