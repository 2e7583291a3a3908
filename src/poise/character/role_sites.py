"""Named points of a recognised figure: toe tips, heels, hand tips and the top of the head.

A point comes from the file where the file has one (an end site, an end joint, a heel joint), else
from published body proportions, scaled by the figure's own bones.

The foot is measured in its own frame: forward is level, down goes along the shin, both in the plane
of shin and foot. So a foot on a splayed leg (CMU figures rest with legs 20 degrees apart) gets its
heel under the ankle, where it is once the leg stands straight, and not beside it. The sole lies at
the level of the lower of ball and toe tip, as the file gives them.

A leg that ends at the ankle gets a whole foot by body proportions, which points where the body
faces in the standing pose; a tip that lies straight below the ankle shows how deep its sole is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character.role_geometry import Tip, flattened
from poise.character.role_names import HEEL_KEYS, name_parts
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Sites, Skeleton
from poise.character.standing_figure import StandingFigure

HEEL_BEHIND_ANKLE = 0.375
"""Heel contact behind the ankle, per ankle-to-ball distance: 49 to 130 mm in the lower-limb model
of Delp et al. 1990 (its calcaneus and toe offsets)."""

TOES_BEYOND_BALL = 0.51
"""Toe tip beyond the ball of the foot, per ankle-to-ball distance: the ball lies at 73 % of foot
length (19.7 of 27.0 cm, Gordon et al. 1989), and heel to ball is 1.375 times ankle to ball."""

ANKLE_HEIGHT_PER_LEG = 0.039 / 0.491
"""Ankle over the sole per hip-to-ankle length (Winter 2009, figure 4.1)."""

ANKLE_TO_BALL_PER_LEG = 0.152 / 0.491 / (1 + HEEL_BEHIND_ANKLE + TOES_BEYOND_BALL)
"""Ankle to ball per hip-to-ankle length: of a foot of 0.152 statures (same source)."""

IN_ONE_PIECE = 0.71
"""Share of its length ahead of the ankle that a foot without toes is given. It cannot bend: a whole
one would sink by 6 cm, and slide, whenever the heel rises; one that ended at the ball (0.66) could
not carry what stands over the toes. Of a walk whose toes were cut off, this keeps both small."""

HAND_PER_FOREARM = 0.108 / 0.146
"""Wrist to finger tip per forearm (Winter 2009, figure 4.1)."""

CROWN_PER_LEG = 0.13 / 0.491
"""Base of the skull to its top per hip-to-ankle length (Winter 2009, figure 4.1)."""

NECK_AND_HEAD_PER_LEG = 0.182 / 0.491
"""Base of the neck to the top of the head, per hip-to-ankle length (same source)."""

_REAL_SHARE = 0.02
"""A tip nearer to its joint than this share of the leg is a placeholder, not a place."""

_BEHIND_SHARE = 0.15
"""A tip this share of the foot behind the ankle is a heel."""


@dataclass(frozen=True)
class _Point:
    name: str
    joint: int
    offset_m: Array


def role_sites(skeleton: Skeleton, roles: Roles) -> Sites:
    """The points of `SITE_ROLES` that this figure's roles allow.

    Args:
        skeleton: the figure.
        roles: its roles; limbs that are missing give no points.
    """
    return role_sites_and_notes(skeleton, roles)[0]


def role_sites_and_notes(skeleton: Skeleton, roles: Roles) -> tuple[Sites, tuple[str, ...]]:
    """Like `role_sites`, with a sentence on each point that could not be placed."""
    maker = _Points(StandingFigure(skeleton, roles))
    points = maker.all()
    sites = Sites(
        tuple(point.name for point in points),
        np.array([point.joint for point in points], dtype=np.int64),
        np.array([point.offset_m for point in points]).reshape(-1, 3),
    )
    return sites, (*maker.notes, *maker.built_in_words())


def built_feet(skeleton: Skeleton, roles: Roles) -> tuple[str, ...]:
    """A sentence about feet that come from body proportions alone, if there are any."""
    maker = _Points(StandingFigure(skeleton, roles))
    maker.all()
    return maker.built_in_words()


@dataclass(frozen=True)
class _FootFrame:
    """A foot in the pose: unit axes from the ankle, and where ball and sole lie along them."""

    origin: Array
    forward: Array
    down: Array
    ball_ahead_m: float
    heel_behind_m: float
    sole_m: float
    built: bool = False
    """Whether it comes from body proportions, not from the file."""

    def ahead(self, position: Array) -> float:
        return float((position - self.origin) @ self.forward)

    def sole_point(self, ahead_m: float) -> Array:
        return self.origin + ahead_m * self.forward + self.sole_m * self.down


def _none_or_short(vector: Array | None, least: float) -> bool:
    return vector is None or float(np.linalg.norm(vector)) < least


class _Points:
    def __init__(self, standing: StandingFigure) -> None:
        self.standing, self.figure = standing, standing.figure
        self.joints, self.up = standing.joints, standing.up
        self.notes: list[str] = []
        self.built: dict[str, _FootFrame] = {}
        self.leg_m = max([self._length(s, "hip", "knee", "ankle") for s in SIDES])

    def all(self) -> list[_Point]:
        points: list[_Point | None] = []
        for side in SIDES:
            points.extend(self._foot(side))
            points.append(self._hand_tip(side))
        points.append(self._head_top())
        return [point for point in points if point is not None]

    def _length(self, side: str, *parts: str) -> float:
        line = [self.joints.get(f"{side}_{part}") for part in parts]
        known = [joint for joint in line if joint is not None]
        return float(np.linalg.norm(np.diff(self.figure.positions[known], axis=0), axis=1).sum())

    def _at(self, name: str, joint: int, position: Array) -> _Point:
        """A point that rides on `joint`, given where it is in the pose."""
        return _Point(name, joint, self.standing.in_joint(joint, position))

    def _foot(self, side: str) -> list[_Point | None]:
        ankle, toe = self.joints.get(f"{side}_ankle"), self.joints.get(f"{side}_toe")
        if ankle is None:
            return []
        heel_joint = self._heel_joint(ankle, side)
        front = self._front_tip(ankle, toe, heel_joint)
        foot = self._foot_frame(side, ankle, toe, front)
        if foot is None:
            self.notes.append(
                f"The {side} foot does not show where the ground is: no heel site. "
                "A standing pose would tell."
            )
            return [self._tip_along_the_foot(side, ankle, toe, front)]
        tip = f"{side}_toe_tip"
        if foot.built:
            self.built[side] = foot
        if front is not None and not foot.built:
            toe_tip = _Point(tip, front.joint, front.offset_m)
        else:
            end = foot.sole_point(foot.ball_ahead_m * (1 + TOES_BEYOND_BALL))
            toe_tip = self._at(tip, ankle if toe is None else toe, end)
        return [toe_tip, self._heel(side, ankle, heel_joint, foot)]

    def _foot_frame(
        self, side: str, ankle: int, toe: int | None, front: Tip | None
    ) -> _FootFrame | None:
        """The foot's axes and sole; None when the pose or the file does not show them."""
        figure = self.figure
        origin = figure.positions[ankle]
        ahead = figure.toe_direction(ankle, toe, self.up)
        if ahead is None and front is not None:
            ahead = flattened(front.position_m - origin, self.up)
        if not figure.stands(self.joints) or self.leg_m == 0:
            return None
        if toe is None and _none_or_short(ahead, _REAL_SHARE * self.leg_m):
            return self._built_frame(side, origin, front)
        if ahead is None or _none_or_short(ahead, _REAL_SHARE * self.leg_m):
            return None
        ends = [figure.positions[toe] - origin] if toe is not None else []
        ends += [] if front is None else [front.position_m - origin]
        forward, down = self._foot_axes(side, ends[0], ahead)
        ball_ahead = float(ends[0] @ forward)
        if toe is None:
            ball_ahead /= 1 + TOES_BEYOND_BALL
        sole = max(float(end @ down) for end in ends)
        behind = HEEL_BEHIND_ANKLE * ball_ahead
        return _FootFrame(origin, forward, down, ball_ahead, behind, sole)

    def _built_frame(self, side: str, origin: Array, below: Tip | None) -> _FootFrame:
        """A foot where the file has none, or only a point below the ankle."""
        forward, down = self._foot_axes(side, self.standing.forward, self.standing.forward)
        sole = ANKLE_HEIGHT_PER_LEG * self.leg_m
        if below is not None:
            sole = max(float((below.position_m - origin) @ down), 0.0)
        whole = ANKLE_TO_BALL_PER_LEG * self.leg_m
        return _FootFrame(
            origin, forward, down, IN_ONE_PIECE * whole, HEEL_BEHIND_ANKLE * whole, sole, True
        )

    def built_in_words(self) -> tuple[str, ...]:
        """What was made up, and how large it is."""
        if not self.built:
            return ()
        foot = next(iter(self.built.values()))
        ahead, behind = (1 + TOES_BEYOND_BALL) * foot.ball_ahead_m, foot.heel_behind_m
        whose = " and ".join(self.built) + (" legs end" if len(self.built) > 1 else " leg ends")
        return (
            f"No toes: the {whose} at the ankle. A foot from body proportions is taken "
            f"there, {100 * ahead:.0f} cm ahead of the ankle, {100 * behind:.0f} cm behind and "
            f"{100 * foot.sole_m:.0f} cm down, pointing where the body faces.",
        )

    def _heel(self, side: str, ankle: int, heel_joint: int | None, foot: _FootFrame) -> _Point:
        name = f"{side}_heel"
        if heel_joint is not None:
            return _Point(name, heel_joint, np.zeros(3))
        tips = self.figure.tips_under(ankle)
        rear = min(tips, key=lambda t: foot.ahead(t.position_m), default=None)
        if rear and foot.ahead(rear.position_m) < -_BEHIND_SHARE * foot.ball_ahead_m:
            return _Point(name, rear.joint, rear.offset_m)
        return self._at(name, ankle, foot.sole_point(-foot.heel_behind_m))

    def _foot_axes(self, side: str, foot: Array, ahead: Array) -> tuple[Array, Array]:
        """Forward and down of the foot's own frame.

        Shin and foot span a plane, upright or splayed with the leg. Forward is level and in that
        plane; down is in it too, square to forward.
        """
        knee, ankle = self.joints.get(f"{side}_knee"), self.joints[f"{side}_ankle"]
        places = self.figure.positions
        shin = -self.up if knee is None else places[ankle] - places[knee]
        level = np.cross(np.cross(shin, foot), self.up)
        if level @ ahead < 0:
            level = -level
        # A shin along the foot, or a foot across its own plane, tells nothing: keep to `ahead`.
        clear = level @ ahead > 0.1 * np.linalg.norm(level) * np.linalg.norm(ahead)
        forward = level if clear else ahead
        forward = forward / np.linalg.norm(forward)
        down = flattened(shin, forward)
        if np.linalg.norm(down) <= 0.1 * np.linalg.norm(shin):  # or the shin has no length
            down = -self.up
        return forward, down / np.linalg.norm(down)

    def _front_tip(self, ankle: int, toe: int | None, heel_joint: int | None) -> Tip | None:
        """The tip that lies farthest out from the ankle, if the file has a real one."""
        start = ankle if toe is None else toe
        tips = self.figure.tips_under(start)
        under = [t for t in tips if t.joint != heel_joint and not self._names_heel(t)]
        origin = self.figure.positions[ankle]
        far = max(
            under,
            key=lambda t: float(np.linalg.norm(flattened(t.position_m - origin, self.up))),
            default=None,
        )
        if far is None:
            return None
        gap = np.linalg.norm(far.position_m - self.figure.positions[start])
        return far if gap > _REAL_SHARE * self.leg_m else None

    def _tip_along_the_foot(
        self, side: str, ankle: int, toe: int | None, front: Tip | None
    ) -> _Point | None:
        if front is not None:
            return _Point(f"{side}_toe_tip", front.joint, front.offset_m)
        if toe is None:
            return None
        foot = self.figure.positions[toe] - self.figure.positions[ankle]
        end = self.figure.positions[toe] + TOES_BEYOND_BALL * foot
        return self._at(f"{side}_toe_tip", toe, end)

    def _heel_joint(self, ankle: int, side: str) -> int | None:
        for joint, name in enumerate(self.figure.skeleton.joint_names):
            parts = name_parts(name)
            if parts.key in HEEL_KEYS and parts.side == side and self.figure.is_under(joint, ankle):
                return joint
        return None

    def _names_heel(self, tip: Tip) -> bool:
        return name_parts(tip.name).key in HEEL_KEYS

    def _hand_tip(self, side: str) -> _Point | None:
        elbow, wrist = self.joints.get(f"{side}_elbow"), self.joints.get(f"{side}_wrist")
        start = elbow if wrist is None else wrist
        if start is None:
            return None
        figure = self.figure
        origin = figure.positions[start]
        tips = [t for t in figure.tips_under(start) if not self._is_thumb(t)]
        far = max(tips, key=lambda t: float(np.linalg.norm(t.position_m - origin)), default=None)
        name = f"{side}_hand_tip"
        if far is not None and np.linalg.norm(far.position_m - origin) > _REAL_SHARE * self.leg_m:
            return _Point(name, far.joint, far.offset_m)
        if wrist is None or elbow is None:
            return None
        forearm = origin - figure.positions[elbow]
        return self._at(name, wrist, origin + HAND_PER_FOREARM * forearm)

    def _is_thumb(self, tip: Tip) -> bool:
        carrier = self.figure.skeleton.joint_names[tip.joint]
        return name_parts(tip.name).thumb or name_parts(carrier).thumb

    def _head_top(self) -> _Point | None:
        head, neck = self.joints.get("head"), self.joints.get("neck")
        start = neck if head is None else head
        share = NECK_AND_HEAD_PER_LEG if head is None else CROWN_PER_LEG
        if start is None:
            return self._top_of_chest()
        origin = self.figure.positions[start]
        tips = self.figure.tips_under(start)
        top = self._highest([t for t in tips if name_parts(t.name).side is None])  # no eyes, ears
        if top is not None and (top.position_m - origin) @ self.up > 0.05 * self.leg_m:
            return _Point("head_top", top.joint, top.offset_m)
        if self.leg_m == 0:
            return None
        return self._at("head_top", start, origin + share * self.leg_m * self.up)

    def _top_of_chest(self) -> _Point | None:
        """For robots whose head is part of the torso: the highest tip the torso itself has."""
        torso = self.joints.get("chest", self.joints.get("pelvis"))
        if torso is None:
            return None
        own = [t for t in self.figure.tips_under(torso) if self._is_rigid(t.joint, torso)]
        top = self._highest(own)
        return None if top is None else _Point("head_top", top.joint, top.offset_m)

    def _is_rigid(self, joint: int, torso: int) -> bool:
        line = self.figure.path(torso, joint)[1:]
        return all(self.figure.skeleton.kinds[j] == "fixed" for j in line)

    def _highest(self, tips: list[Tip]) -> Tip | None:
        return max(tips, key=lambda t: float(t.position_m @ self.up), default=None)
