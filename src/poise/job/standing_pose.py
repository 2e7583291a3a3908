"""A pose that stands, from the clip, for skeletons whose rest pose does not.

Soles, segments, up and forward, the axes of joints are all read from a figure that stands. Many
files rest otherwise: with all bones along one axis (LAFAN1, Bandai-Namco), lying, folded, sitting,
or with feet that point down the shin.

The pose is put together from the frames that show it best: the trunk from the one in which the
whole figure stands straightest, put upright; each leg from the one in which it stands straightest
on a foot that is flat and still, stretched above that foot. Few frames of a walk have both feet
flat.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Figure, RoleOverrides, Roles, Skeleton, find_partial_roles
from poise.mechanics import BodyState, forward_kinematics
from poise.motion import Clip
from poise.wording import frame_list

_UP = np.array([0.0, 1.0, 0.0])
_STRAIGHT_SHARE = 0.9
"""Hip to ankle over thigh and shank from which on a leg is straight (a knee bent by 50 degrees)."""
_STEEPEST_COSINE = 0.8
"""Of a foot with the shin: a steeper one does not show where the ground is. Rest poses that stand
have 0.07 to 0.75."""
_UNDER_COSINE = 0.98
"""An end site that lies that straight under an ankle shows how high the ankle is, and no foot."""
_LOW_PERCENTILE = 5.0
"""Of heights: where a foot stands, and not the one frame in which it sinks."""
_MOST_FRAMES = 20_000
"""Of a longer clip, evenly spread ones tell."""


def with_standing_pose(
    clip: Clip, overrides: RoleOverrides | None = None
) -> tuple[Clip, tuple[str, ...]]:
    """The clip on a skeleton that has a standing pose, and a note on where it comes from.

    A skeleton whose rest pose stands, that has a standing pose, or that has hinges (a robot's
    angles count from its rest pose), stays as it is; so does one that nobody recognises.

    Args:
        clip: the motion.
        overrides: roles that the user has named.
    """
    skeleton = clip.skeleton
    if not skeleton.rest_stands or "hinge" in skeleton.kinds:
        return clip, ()
    roles = find_partial_roles(skeleton, overrides)
    if not roles.missing and stands(skeleton, roles):
        return clip, ()
    motion = _Motion(clip, -(-clip.frame_count // _MOST_FRAMES))
    if roles.missing:  # the tree is recognised by its shape, if at all, and only in whole frames
        frames = (motion.tallest,)
        posed = replace(skeleton, standing_wxyz=clip.rotations_wxyz[frames[0]])
        roles = find_partial_roles(posed, overrides)
        if roles.missing:
            return clip, ()
    else:
        pose, frames = motion.composed(roles)
        posed = replace(skeleton, standing_wxyz=pose)
    if not stands(posed, roles):
        said = "The rest pose does not stand, nor does any frame: soles and segments are guesses."
        return clip, (said,)
    listed = frame_list(sorted({*frames}))
    stand = "stands" if listed.startswith("frame ") else "stand"
    said = f"The rest pose does not stand: {listed} {stand} in."
    return replace(clip, skeleton=posed), (said,)


def stands(skeleton: Skeleton, roles: Roles) -> bool:
    """Whether the standing pose of a skeleton is one: trunk up, legs down and straight, feet ahead.

    Args:
        skeleton: its `standing` pose is looked at.
        roles: with all that are required.
    """
    figure = Figure(skeleton.standing)
    joints = {role: skeleton.index(name) for role, name in roles.joints.items()}
    if not figure.stands(joints):
        return False
    return all(_leg_stands(figure, joints, side) for side in SIDES)


def _leg_stands(figure: Figure, joints: dict[str, int], side: str) -> bool:
    chain = [joints[f"{side}_{part}"] for part in ("hip", "knee", "ankle")]
    places = figure.positions[chain]
    length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    if float(np.linalg.norm(places[2] - places[0])) < _STRAIGHT_SHARE * length:
        return False
    toe, shin = joints.get(f"{side}_toe"), places[2] - places[1]
    if toe is not None:
        return _cosine(figure.positions[toe] - places[2], shin) < _STEEPEST_COSINE
    feet = [tip.position_m - places[2] for tip in figure.tips_under(chain[2])]
    longest = max(feet, key=lambda foot: float(foot @ foot), default=np.zeros(3))
    return not _STEEPEST_COSINE <= _cosine(longest, shin) < _UNDER_COSINE


def _cosine(one: Array, other: Array) -> float:
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / size if size > 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class _Leg:
    """How well a leg stands in each frame, and what turns with it."""

    score: Array
    """(F,) 1 for straight down on a flat foot that is still."""
    chain: tuple[int, int, int]
    """Hip, knee and ankle,"""
    joints: tuple[int, ...]
    """and all that the hip carries."""


class _Motion:
    """Where the joints of a clip are, in evenly spread frames."""

    def __init__(self, clip: Clip, step: int) -> None:
        self._clip, self._step = clip, step
        moving = clip.moving_offsets_m[::step]
        self._state: BodyState = forward_kinematics(
            clip.skeleton, clip.root_positions_m[::step], clip.rotations_wxyz[::step],
            clip.moving_joints, moving,
        )  # fmt: skip
        self._places = self._state.positions_m

    @property
    def tallest(self) -> int:
        """The frame in which the figure reaches highest over its lowest point."""
        return self._step * int(np.ptp(self._places[..., 1], axis=1).argmax())

    def composed(self, roles: Roles) -> tuple[Array, tuple[int, ...]]:
        """(J, 4) local rotations of the best standing pose, and the frames that it is made of."""
        skeleton = self._clip.skeleton
        joints = {role: skeleton.index(name) for role, name in roles.joints.items()}
        legs = {side: self._leg(joints, side) for side in SIDES}
        hips, shoulders = (
            0.5 * (self._at(joints, f"left_{part}") + self._at(joints, f"right_{part}"))
            for part in ("hip", "shoulder")
        )
        trunk = self._crown(joints, shoulders) - hips
        trunk = trunk[:, 1] / (np.linalg.norm(trunk, axis=1).max() or 1.0)
        whole = int((2.0 * trunk + sum(leg.score for leg in legs.values())).argmax())
        upright = rotations.between_vectors((shoulders - hips)[whole], _UP)
        world = rotations.multiply(upright, self._state.rotations_wxyz[whole])
        frames = [whole]
        for leg in legs.values():
            best = int(leg.score.argmax())
            heading = self._heading_between(joints, best, whole)
            for joint, turn in self._stretched(leg, best).items():
                stands = rotations.multiply(turn, self._state.rotations_wxyz[best, joint])
                world[joint] = rotations.multiply(heading, stands)
            frames.append(best)
        local = rotations.multiply(
            rotations.conjugate(world[np.maximum(skeleton.parents, 0)]), world
        )
        local[0] = world[0]
        return rotations.normalize(local), tuple(self._step * frame for frame in frames)

    def _stretched(self, leg: _Leg, frame: int) -> dict[int, Array]:
        """(4,) world turns of the joints of a leg that make it hang straight; the foot stays."""
        skeleton, places = self._clip.skeleton, self._places[frame]
        hip, knee, ankle = leg.chain
        found = dict[int, Array]()
        for joint in leg.joints:
            above = skeleton.ancestors(joint)
            start, end = (knee, ankle) if knee in above else (hip, knee)
            bone = places[end] - places[start]
            straight = ankle in above or not bone.any()
            found[joint] = rotations.IDENTITY if straight else rotations.between_vectors(bone, -_UP)
        return found

    def _crown(self, joints: dict[str, int], shoulders: Array) -> Array:
        """(F, 3) the farthest point of the head, or else the middle of the shoulders."""
        if "head" not in joints:
            return shoulders
        tips = Figure(self._clip.skeleton).tips_under(joints["head"])
        tip = max(tips, key=lambda tip: float(tip.offset_m @ tip.offset_m), default=None)
        if tip is None:
            return self._at(joints, "head")
        turned = rotations.rotate(self._state.rotations_wxyz[:, tip.joint], tip.offset_m)
        return self._places[:, tip.joint] + turned

    def _at(self, joints: dict[str, int], role: str) -> Array:
        return self._places[:, joints[role]]

    def _leg(self, joints: dict[str, int], side: str) -> _Leg:
        hip, knee, ankle = (self._at(joints, f"{side}_{p}") for p in ("hip", "knee", "ankle"))
        thigh, shank = (float(np.linalg.norm((b - a)[0])) for a, b in ((hip, knee), (knee, ankle)))
        length = (thigh + shank) or 1.0
        score = (hip - ankle)[:, 1] / length
        toe = f"{side}_toe"
        # A foot that is flat is still and has ankle and toe as low as they come.
        for part in (ankle, *([self._at(joints, toe)] if toe in joints else [])):
            speed = np.zeros(len(part))
            if len(part) > 1:
                times = self._step / self._clip.rate_hz
                speed = np.linalg.norm(np.gradient(part, times, axis=0), axis=1)
            low = np.percentile(part[:, 1], _LOW_PERCENTILE)
            score = score - (speed + np.abs(part[:, 1] - low)) / length
        skeleton = self._clip.skeleton
        first, middle, last = (joints[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        below = [j for j in range(skeleton.joint_count) if first in skeleton.ancestors(j)]
        return _Leg(score, (first, middle, last), tuple(below))

    def _heading_between(self, joints: dict[str, int], start: int, end: int) -> Array:
        """(4,) the turn about the vertical from where hips face in one frame to another."""
        across = self._at(joints, "left_hip") - self._at(joints, "right_hip")
        angles = np.arctan2(across[[start, end], 0], across[[start, end], 2])
        return rotations.from_axis_angle(_UP, np.diff(angles))[0]
