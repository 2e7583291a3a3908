"""What the shape of a figure says about its roles: which way is up, which way it faces.

Everything is measured in one pose, the rest pose unless a better one is given. Bone-axis files
(LAFAN1) have a rest pose that no body can take, with legs pointing along the trunk; there the
direction of the trunk and the line of the hips still tell up and forward.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character.roles import SIDES
from poise.character.skeleton import Skeleton

UP: Array = np.array([0.0, 1.0, 0.0])

_UPRIGHT_COSINE = 0.7
"""A trunk within 45 degrees of vertical counts as upright."""

_ACROSS_COSINE = 0.5
"""Legs between 60 and 120 degrees from the trunk belong to an animal on all fours."""

_ARM_SHARE = 0.1
"""Arms spread to the sides end this share of the figure, or less, away from their start."""

_FLAT_SHARE = 0.3
"""A foot tells where the figure faces if this share of its length, or more, is horizontal."""


@dataclass(frozen=True)
class Tip:
    """The end of a chain: an end site, or a joint with nothing on it."""

    joint: int
    """The joint it rides on."""
    offset_m: Array
    position_m: Array
    """In the pose."""
    name: str


class Figure:
    """A skeleton in one pose, with the questions that role finding asks of it."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.positions: Array = skeleton.rest_positions_m

    @cached_property
    def size(self) -> float:
        """The largest extent of the figure along an axis."""
        points = np.concatenate([self.positions, self.skeleton.rest_end_positions_m])
        return float(np.ptp(points, axis=0).max()) or 1.0

    @cached_property
    def first_child_span(self) -> tuple[list[int], list[int]]:
        """Entry and exit times of a walk through the tree: who hangs below whom, in one look."""
        children = self.skeleton.children
        enter, leave = [0] * len(children), [0] * len(children)
        clock, stack = 0, [(0, False)]
        while stack:
            joint, done = stack.pop()
            if done:
                leave[joint] = clock
                continue
            enter[joint] = clock
            clock += 1
            stack.append((joint, True))
            stack.extend((child, False) for child in reversed(children[joint]))
        return enter, leave

    def is_under(self, joint: int, ancestor: int) -> bool:
        """Whether `joint` is `ancestor` or hangs below it."""
        enter, leave = self.first_child_span
        return enter[ancestor] <= enter[joint] < leave[ancestor]

    def meeting_joint(self, a: int, b: int) -> int:
        """The lowest joint that carries both."""
        parents = self.skeleton.parents
        while not self.is_under(b, a):
            a = int(parents[a])
        return a

    def path(self, top: int, bottom: int) -> list[int]:
        """The joints from `top` down to `bottom`, both included; empty when not in line."""
        if not self.is_under(bottom, top):
            return []
        chain = [bottom]
        while chain[-1] != top:
            chain.append(int(self.skeleton.parents[chain[-1]]))
        return chain[::-1]

    def tips_under(self, joint: int) -> list[Tip]:
        """The ends of all chains below a joint, the joint itself excepted.

        A fixed joint with nothing on it is a frame somebody marked (a camera), not an end.
        """
        skeleton = self.skeleton
        sites = skeleton.end_sites
        tips = [
            Tip(int(j), sites.offsets_m[s], skeleton.rest_end_positions_m[s], sites.names[s])
            for s, j in enumerate(sites.joints.tolist())
            if self.is_under(int(j), joint)
        ]
        ended = set(sites.joints.tolist())
        tips.extend(
            Tip(
                int(skeleton.parents[leaf]),
                skeleton.offsets_m[leaf],
                self.positions[leaf],
                skeleton.joint_names[leaf],
            )
            for leaf, children in enumerate(skeleton.children)
            if not children
            and leaf not in ended
            and skeleton.kinds[leaf] != "fixed"
            and leaf != joint
            and skeleton.parents[leaf] >= 0
            and self.is_under(leaf, joint)
        )
        return tips

    def middle(self, joints: Mapping[str, int], part: str) -> Array | None:
        """Halfway between the left and right joint of a part; None unless both are known."""
        pair = [joints.get(f"{side}_{part}") for side in SIDES]
        if pair[0] is None or pair[1] is None:
            return None
        return 0.5 * (self.positions[pair[0]] + self.positions[pair[1]])

    def up(self, joints: Mapping[str, int]) -> Array:
        """Vertical if the trunk stands upright in this pose, else along the trunk."""
        trunk = self._trunk(joints)
        if trunk is None or trunk @ UP > _UPRIGHT_COSINE:
            return UP
        return trunk

    def stands(self, joints: Mapping[str, int]) -> bool:
        """Whether this is a pose a standing body can take: trunk up, legs down."""
        trunk, legs = self._trunk(joints), self._legs(joints)
        upright = trunk is None or float(trunk @ UP) > _UPRIGHT_COSINE
        return upright and (legs is None or float(legs @ UP) < -_UPRIGHT_COSINE)

    def trunk_across_legs(self, joints: Mapping[str, int]) -> bool:
        """Whether the trunk lies across the legs: an animal, or somebody seated."""
        trunk, legs = self._trunk(joints), self._legs(joints)
        return trunk is not None and legs is not None and abs(float(trunk @ legs)) < _ACROSS_COSINE

    def on_all_fours(self, joints: Mapping[str, int]) -> bool:
        """Whether the trunk lies across the legs, and both arms point where the legs point."""
        legs, arms = self._legs(joints), self._arms(joints)
        parallel = legs is not None and arms is not None and float(arms @ legs) > _ACROSS_COSINE
        return parallel and self.trunk_across_legs(joints)

    def _trunk(self, joints: Mapping[str, int]) -> Array | None:
        low, high = self.middle(joints, "hip"), self.middle(joints, "shoulder")
        if low is None and "pelvis" in joints:
            low = self.positions[joints["pelvis"]]
        if high is None and "chest" in joints:
            high = self.positions[joints["chest"]]
        return None if low is None or high is None else self._direction(high - low)

    def _legs(self, joints: Mapping[str, int]) -> Array | None:
        high, low = self.middle(joints, "hip"), self.middle(joints, "ankle")
        return None if low is None or high is None else self._direction(low - high)

    def _arms(self, joints: Mapping[str, int]) -> Array | None:
        """Where both arms point together; None for arms spread to the sides."""
        start = self.middle(joints, "shoulder")
        end = self.middle(joints, "wrist")
        end = self.middle(joints, "elbow") if end is None else end
        if start is None or end is None:
            return None
        along = end - start
        length = float(np.linalg.norm(along))
        return along / length if length > _ARM_SHARE * self.size else None

    def _direction(self, vector: Array) -> Array | None:
        length = float(np.linalg.norm(vector))
        return vector / length if length > 1e-3 * self.size else None

    def toe_direction(self, ankle: int, toe: int | None, up: Array) -> Array | None:
        """Where a foot points, square to `up`, as long as the foot is; None when it does not say.

        From the ankle to the toe joint, else to the tip that lies farthest out.
        """
        if toe is not None:
            ends = [self.positions[toe]]
        else:
            ends = [tip.position_m for tip in self.tips_under(ankle)]
        flat = [flattened(end - self.positions[ankle], up) for end in ends]
        if not flat:
            return None
        best = max(range(len(flat)), key=lambda i: float(np.linalg.norm(flat[i])))
        whole = float(np.linalg.norm(ends[best] - self.positions[ankle]))
        length = float(np.linalg.norm(flat[best]))
        return flat[best] if length > max(_FLAT_SHARE * whole, 0.01 * self.size) else None

    def facing(self, joints: Mapping[str, int]) -> tuple[Array | None, str]:
        """The unit direction the figure faces, and where that was read from."""
        up = self.up(joints)
        feet = [
            self.toe_direction(joints[f"{side}_ankle"], joints.get(f"{side}_toe"), up)
            for side in SIDES
            if f"{side}_ankle" in joints
        ]
        known = [foot for foot in feet if foot is not None]
        if known:
            total = np.sum(known, axis=0)
            if np.linalg.norm(total) > 0.5 * np.linalg.norm(known[0]):
                return total / np.linalg.norm(total), "the feet"
        left = self.leftward(joints, up)
        if left is None:
            return None, "nothing"
        return np.cross(left, up), "the line from right to left"

    def leftward(self, joints: Mapping[str, int], up: Array) -> Array | None:
        """The unit direction from the right side to the left one, square to `up`."""
        total = np.zeros(3)
        for part in ("hip", "shoulder"):
            left, right = joints.get(f"left_{part}"), joints.get(f"right_{part}")
            if left is not None and right is not None:
                total += self.positions[left] - self.positions[right]
        flat = flattened(total, up)
        length = float(np.linalg.norm(flat))
        return flat / length if length > 1e-3 * self.size else None

    def hinge_center(self, hinges: list[int]) -> Array:
        """The point nearest to the axes of several hinges, by least squares."""
        skeleton = self.skeleton
        matrix, vector = 1e-9 * np.eye(3), 1e-9 * self.positions[hinges[0]]
        for hinge in hinges:
            axis = rotations.rotate(skeleton.rest_world_wxyz[hinge], skeleton.hinge_axes[hinge])
            across = np.eye(3) - np.outer(axis, axis)
            matrix = matrix + across
            vector = vector + across @ self.positions[hinge]
        return np.linalg.solve(matrix, vector)


def flattened(vector: Array, up: Array) -> Array:
    """The part of a vector square to `up`."""
    return vector - (vector @ up) * up
