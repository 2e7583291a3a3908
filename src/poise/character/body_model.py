"""Segment masses, centres and inertias for any recognised skeleton, from a published table.

Limb segments run from joint to joint, or to the named points at their ends; each rides on the
deepest joint that still sits at its beginning (so that hinges in series, a heel joint or a forearm
twist at the elbow carry what they move). The foot is one piece: toes weigh two thousandths of a
body, and a toe joint carries none of it.

The trunk runs straight from mid-hip to C7, whose height follows from that of the shoulders. The
table's parts of the trunk lie along it one after the other, and are cut where the joints of the
spine sit: each joint carries what lies between it and the next. The density inside a part is the
bell or slope that has the table's centre and spread along the axis; mass, centre and inertia of the
whole trunk do not depend on the cuts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character.anthropometry import (
    KNUCKLES_PER_HAND,
    Anthropometry,
    Segment,
    anthropometry,
)
from poise.character.character import Body
from poise.character.proportions import trunk_piece
from poise.character.role_sites import HAND_PER_FOREARM, TOES_BEYOND_BALL, role_sites
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Sites, Skeleton
from poise.character.standing_figure import StandingFigure
from poise.errors import BadValue

LEG_PER_STATURE = 0.491
"""Hip to ankle over stature (Winter 1990, after Drillis and Contini 1966: 0.530 - 0.039)."""

USUAL_BODY_MASS_INDEX = 22.5
"""kg/m²: the middle of what the World Health Organization calls normal weight (18.5 to 25)."""

_AT_THE_START = 0.15
"""A joint this share of a segment from its beginning still carries all of it."""

_SHORT_HEAD = 0.8
"""A crown nearer to C7 than this share of the usual is a point inside the skull."""


def stature_m(skeleton: Skeleton, roles: Roles) -> float:
    """How tall the figure is: by its legs, or from sole to crown if that is more.

    Neither may be trusted alone: files lack a bone of the trunk or end inside the skull, and some
    put the hip joints low.
    """
    figure = StandingFigure(skeleton, roles)
    points = role_sites(skeleton, roles)
    crown = figure.site(points, "head_top")
    soles = [figure.site(points, f"{s}_{p}") for s in SIDES for p in ("heel", "toe_tip")]
    heights = [figure.leg_m / LEG_PER_STATURE]
    if crown is not None:
        heights += [float((crown - sole) @ figure.up) for sole in soles if sole is not None]
    return max(heights)


def mass_from_stature_kg(stature: float) -> float:
    """The usual mass of a person of this stature in metres."""
    return USUAL_BODY_MASS_INDEX * stature**2


def body_from_table(
    skeleton: Skeleton,
    roles: Roles,
    sites: Sites,
    mass_kg: float,
    *,
    table: str = "de_leva",
    sex: str = "average",
) -> Body:
    """A body of this mass on a skeleton; `sites` are its named points, as far as it has them.

    Table and sex are those of `anthropometry`, all else is that of `complete_character`.
    """
    if not (np.isfinite(mass_kg) and mass_kg > 0):
        raise BadValue("mass_kg", "a positive number", mass_kg)
    rows = anthropometry(table, sex)
    figure = StandingFigure(skeleton, roles)
    if figure.leg_m == 0:
        raise BadValue("skeleton", "a figure with legs longer than nothing", figure.leg_m)
    model = _Model(figure, sites, rows, mass_kg)
    return assembled(model.parts(), skeleton.joint_count)


@dataclass(frozen=True)
class _Line:
    """A segment in the pose: its ends, and the chain of joints that may carry it."""

    start: Array
    end: Array
    chain: tuple[int, ...]


class _Model:
    def __init__(
        self, figure: StandingFigure, sites: Sites, rows: Anthropometry, mass_kg: float
    ) -> None:
        self.figure = figure
        self.sites = sites
        self.rows = rows
        self.mass_kg = mass_kg
        self.hips: Array = figure.middle("hip")
        self.c7: Array = self.hips + rows.c7_per_shoulder_height * (
            figure.middle("shoulder") - self.hips
        )

    def parts(self) -> list[RigidPart]:
        found = self._trunk()
        found.append(self._part(self.rows.segments["head"], self._head()))
        for side in SIDES:
            lines = {
                "thigh": self._limb(side, "hip", "knee"),
                "shank": self._limb(side, "knee", "ankle"),
                "foot": self._foot(side),
                "upper_arm": self._limb(side, "shoulder", "elbow"),
                "forearm": self._forearm(side),
                "hand": self._hand(side),
            }
            found += [self._part(self.rows.segments[name], line) for name, line in lines.items()]
        return found

    def _limb(self, side: str, start: str, end: str) -> _Line:
        top, bottom = (self.figure.joints[f"{side}_{part}"] for part in (start, end))
        chain = self.figure.figure.path(top, bottom)[:-1] or [top]
        places = self.figure.figure.positions
        return _Line(places[top], places[bottom], tuple(chain))

    def _forearm(self, side: str) -> _Line:
        if f"{side}_wrist" in self.figure.joints:
            return self._limb(side, "elbow", "wrist")
        elbow = self.figure.joints[f"{side}_elbow"]
        return _Line(self.figure.place(f"{side}_elbow"), self._wrist(side), (elbow,))

    def _wrist(self, side: str) -> Array:
        if f"{side}_wrist" in self.figure.joints:
            return self.figure.place(f"{side}_wrist")
        start = self.figure.place(f"{side}_elbow")
        tip = self.figure.site(self.sites, f"{side}_hand_tip")
        if tip is None:  # no hand in sight: forearms are about as long as upper arms
            upper = start - self.figure.place(f"{side}_shoulder")
            return start + 0.146 / 0.186 * upper
        return start + (tip - start) / (1 + HAND_PER_FOREARM)

    def _hand(self, side: str) -> _Line:
        wrist = self._wrist(side)
        tip = self.figure.site(self.sites, f"{side}_hand_tip")
        if tip is None:
            tip = wrist + HAND_PER_FOREARM * (wrist - self.figure.place(f"{side}_elbow"))
        if self.rows.segments["hand"].ends[1] == "knuckles":
            tip = wrist + KNUCKLES_PER_HAND * (tip - wrist)
        carrier = self.figure.joints.get(f"{side}_wrist", self.figure.joints[f"{side}_elbow"])
        return _Line(wrist, tip, (carrier,))

    def _foot(self, side: str) -> _Line:
        """Heel to toe tip or ankle to ball, half way up from the sole, where the foot's mass is."""
        figure = self.figure
        ankle, toe = figure.joints[f"{side}_ankle"], figure.joints.get(f"{side}_toe")
        chain = tuple(figure.figure.path(ankle, toe)[:-1]) if toe is not None else (ankle,)
        place = figure.figure.positions[ankle]
        heel = figure.site(self.sites, f"{side}_heel")
        tip = figure.site(self.sites, f"{side}_toe_tip")
        if tip is None:
            return _Line(place, place - 0.02 * figure.leg_m * figure.up, chain)
        ball = place + (tip - place) / (1 + TOES_BEYOND_BALL)
        ball = ball if toe is None else figure.figure.positions[toe]
        if heel is None or self.rows.segments["foot"].ends[0] == "ankle":
            return _Line(place, ball if heel is not None else tip, chain)
        shank = place - figure.place(f"{side}_knee")
        down = shank / max(float(np.linalg.norm(shank)), 1e-12)
        raised = 0.5 * max(float((heel - place) @ down), 0.0) * down
        return _Line(heel - raised, tip - raised, chain)

    def _head(self) -> _Line:
        """From the crown to C7, longer where the file's tip lies inside the skull."""
        figure = self.figure
        usual = self.rows.head_per_leg * figure.leg_m
        crown = figure.site(self.sites, "head_top")
        carrier = next(
            figure.joints[role]
            for role in ("head", "neck", "chest", "pelvis")
            if role in figure.joints
        )
        axis = figure.up if crown is None else crown - self.c7
        length = float(np.linalg.norm(axis))
        if crown is None or length < 1e-9 or axis @ figure.up <= 0:
            return _Line(self.c7 + usual * figure.up, self.c7, (carrier,))
        if length < _SHORT_HEAD * usual:
            crown = self.c7 + usual / length * axis
        return _Line(crown, self.c7, (carrier,))

    def _part(self, row: Segment, line: _Line) -> RigidPart:
        figure = self.figure
        axis = line.end - line.start
        length = float(np.linalg.norm(axis))
        carrier = line.chain[0]
        for joint in line.chain[1:]:
            gap = np.linalg.norm(figure.figure.positions[joint] - line.start)
            if gap <= _AT_THE_START * length:
                carrier = joint
        direction = axis / length if length > 0 else -figure.up
        mass = row.mass * self.mass_kg
        squares = mass * (length * np.array(row.radii)) ** 2
        center = line.start + row.center * axis
        return self._placed(carrier, mass, center, direction, squares)

    def _placed(
        self, joint: int, mass: float, center: Array, direction: Array, inertia: Array
    ) -> RigidPart:
        """A part in a joint's frame, from its inertias about front, side and long axis."""
        figure = self.figure
        # An arm held sideways has its own left-to-right axis turned up with it.
        across = figure.left if abs(direction @ figure.left) < 0.7 else figure.up
        side = across - (across @ direction) * direction
        side = side / np.linalg.norm(side)
        front = np.cross(side, direction)
        axes = np.stack([front, side, direction], axis=1)
        frame = rotations.to_matrix(figure.skeleton.rest_world_wxyz[joint])
        turned = frame.T @ axes
        return RigidPart(
            joint, mass, figure.in_joint(joint, center), turned @ np.diag(inertia) @ turned.T
        )

    def _trunk(self) -> list[RigidPart]:
        axis = self.c7 - self.hips
        length = float(np.linalg.norm(axis))
        if length == 0:
            raise BadValue("skeleton", "a figure with shoulders above its hips", length)
        direction = axis / length
        spine = self.figure.spine()
        heights = (self.figure.figure.positions[spine] - self.hips) @ direction / length
        heights[0] = -np.inf
        heights = np.maximum.accumulate(heights)  # a joint never carries what lies below the last
        cuts = np.append(heights, np.inf)
        found: list[RigidPart] = []
        bottom = 0.0
        for name, share in self.rows.trunk.items():
            row = self.rows.segments[name]
            for joint, low, high in zip(spine, cuts[:-1], cuts[1:], strict=True):
                ends = (low - bottom) / share, (high - bottom) / share
                piece = trunk_piece(row, share * length, *ends)
                if piece is None:
                    continue
                part, at, inertia = piece
                center = self.hips + (bottom + share * at) * axis
                mass = part * row.mass * self.mass_kg
                found.append(self._placed(joint, mass, center, direction, mass * inertia))
            bottom += share
        return found


@dataclass(frozen=True, eq=False)
class RigidPart:
    """Something with mass that rides on a joint."""

    joint: int
    mass_kg: float
    center_m: Array
    """(3,) in the joint's frame."""
    inertia_kg_m2: Array
    """(3, 3) about its own centre, in the axes of the joint's frame."""


def parts_of(body: Body) -> list[RigidPart]:
    """A body's segments that weigh something."""
    return [
        RigidPart(j, float(m), body.centers_m[j], body.inertias_kg_m2[j])
        for j, m in enumerate(body.masses_kg.tolist())
        if m > 0
    ]


def assembled(parts: Iterable[RigidPart], joint_count: int) -> Body:
    """The body made of these parts; a joint without any weighs nothing."""
    listed = [part for part in parts if part.mass_kg > 0]
    masses = np.zeros(joint_count)
    moments = np.zeros((joint_count, 3))
    for part in listed:
        masses[part.joint] += part.mass_kg
        moments[part.joint] += part.mass_kg * part.center_m
    centers = moments / np.where(masses > 0, masses, 1.0)[:, None]
    inertias = np.zeros((joint_count, 3, 3))
    for part in listed:
        arm = part.center_m - centers[part.joint]
        inertias[part.joint] += part.inertia_kg_m2 + part.mass_kg * about(arm)
    return Body(masses, centers, 0.5 * (inertias + np.swapaxes(inertias, 1, 2)))


def about(arm_m: Array) -> Array:
    """(3, 3) inertia per mass of a point this far from the axis's origin (parallel axes)."""
    return float(arm_m @ arm_m) * np.eye(3) - np.outer(arm_m, arm_m)
