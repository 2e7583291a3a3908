"""The tree of joints: who hangs on whom, where, and how each may turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices, frozen_array, frozen_indices
from poise.errors import BadValue, UnknownName
from poise.one_line import framed, short
from poise.wording import counted


@dataclass(frozen=True, eq=False)
class Sites:
    """Points fixed in the frames of joints."""

    names: tuple[str, ...] = ()
    joints: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """(S,) index of the joint each point rides on."""
    offsets_m: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """(S, 3) the point in that joint's frame, metres."""

    def __post_init__(self) -> None:
        count = len(self.names)
        if len(set(self.names)) != count:
            raise BadValue("site names", "unique", sorted(self.names))
        object.__setattr__(self, "joints", frozen_indices("site joints", self.joints, (count,)))
        offsets = frozen_array("site offsets_m", self.offsets_m, (count, 3))
        object.__setattr__(self, "offsets_m", offsets)

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        """The position of a site by name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownName("site", name, self.names) from None

    def joined(self, other: Sites) -> Sites:
        """These sites and then the others; of two with one name, the other's wins."""
        kept = [i for i, name in enumerate(self.names) if name not in other.names]
        return Sites(
            (*(self.names[i] for i in kept), *other.names),
            np.concatenate([self.joints[kept], other.joints]),
            np.concatenate([self.offsets_m[kept], other.offsets_m]),
        )

    def check_joints(self, joint_count: int) -> None:
        """Raise unless every site rides on one of `joint_count` joints."""
        if len(self) and not (0 <= self.joints.min() and self.joints.max() < joint_count):
            raise BadValue("site joints", f"indices from 0 to {joint_count - 1}", self.joints)


JointKind = Literal["ball", "hinge", "fixed"]

FREEDOMS: dict[str, int] = {"ball": 3, "hinge": 1, "fixed": 0}
"""How many axes a joint of each kind may turn about."""

UNSET = np.zeros(0)
"""Stands for "the usual value" in optional array fields."""

_SAME_BONE_M = 1e-3


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A tree of joints, parents before children; joint 0 is the root.

    A pose is a root position and one local rotation per joint, which maps the joint's frame to its
    parent's (the root's to the world). Increments of a pose live in its tangent, of size D: three
    numbers for the root's translation in world axes, then for each joint its freedoms, as turns
    about axes of the joint's own frame.
    """

    joint_names: tuple[str, ...]
    parents: Indices
    """(J,) index of the parent, -1 for the root."""
    offsets_m: Array
    """(J, 3) joint origin in its parent's frame. The root's is kept but a pose replaces it."""
    rest_wxyz: Array = field(default_factory=lambda: UNSET)
    """(J, 4) local rotations of the rest pose, where hinge angles are zero. Default identity."""
    kinds: tuple[JointKind, ...] = ()
    """How each joint may turn. Default: all balls."""
    hinge_axes: Array = field(default_factory=lambda: UNSET)
    """(J, 3) unit axis in the joint's own frame; zero for joints that are not hinges."""
    limits_rad: Array = field(default_factory=lambda: UNSET)
    """(J, 3, 2) lowest and highest turn from rest along each freedom: the angle of a hinge (first
    row), the components of a ball's rotation vector. Infinite where free."""
    end_sites: Sites = field(default_factory=Sites)
    """The tips of the outermost bones, as the file gives them."""
    standing_wxyz: Array = field(default_factory=lambda: UNSET)
    """(J, 4) local rotations of a pose that stands, where the rest pose does not. Default: none,
    the rest pose stands."""

    def __post_init__(self) -> None:
        count = len(self.joint_names)
        if count == 0:
            raise BadValue("joint_names", "at least one name", ())
        if len(set(self.joint_names)) != count:
            twice = sorted({n for n in self.joint_names if self.joint_names.count(n) > 1})
            raise BadValue("joint_names", "unique", twice)
        parents = frozen_indices("parents", self.parents, (count,))
        if parents[0] != -1 or (parents[1:] < 0).any() or (parents >= np.arange(count)).any():
            raise BadValue("parents", "-1 for the root, then indices of earlier joints", parents)
        kinds = self.kinds or ("ball",) * count
        if len(kinds) != count or any(kind not in FREEDOMS for kind in kinds):
            raise BadValue("kinds", f"{count} of {', '.join(FREEDOMS)}", kinds)
        rest = or_default(self.rest_wxyz, np.tile(rotations.IDENTITY, (count, 1)))
        axes = or_default(self.hinge_axes, np.zeros((count, 3)))
        limits = or_default(self.limits_rad, np.tile([-np.inf, np.inf], (count, 3, 1)))
        axes = frozen_array("hinge_axes", axes, (count, 3))
        wanted = np.array([1.0 if kind == "hinge" else 0.0 for kind in kinds])
        if np.abs(np.linalg.norm(axes, axis=1) - wanted).max() > 1e-6:
            raise BadValue("hinge_axes", "unit for hinges and zero for other joints", axes)
        self.end_sites.check_joints(count)
        put = object.__setattr__
        put(self, "parents", parents)
        put(self, "kinds", tuple(kinds))
        put(self, "offsets_m", frozen_array("offsets_m", self.offsets_m, (count, 3)))
        rest = rotations.normalize(frozen_array("rest_wxyz", rest, (count, 4)))
        put(self, "rest_wxyz", frozen_array("rest_wxyz", rest, (count, 4)))
        if np.size(self.standing_wxyz):
            stands = frozen_array("standing_wxyz", self.standing_wxyz, (count, 4))
            stands = rotations.normalize(stands)
            put(self, "standing_wxyz", frozen_array("standing_wxyz", stands, (count, 4)))
        put(self, "hinge_axes", axes)
        limits = frozen_array("limits_rad", limits, (count, 3, 2), finite=False)
        put(self, "limits_rad", limits)
        if not (limits[..., 0] <= limits[..., 1]).all():
            raise BadValue("limits_rad", "lower before upper", limits)

    def __repr__(self) -> str:
        hinges, root = self.kinds.count("hinge"), short(self.joint_names[0])
        told = [counted(self.joint_count, "joint")]
        told += [counted(hinges, "hinge")] if hinges else []
        return framed("Skeleton", f"{', '.join(told)}, root '{root}'")

    @property
    def joint_count(self) -> int:
        """J."""
        return len(self.joint_names)

    def index(self, name: str) -> int:
        """The position of a joint by name."""
        try:
            return self.joint_names.index(name)
        except ValueError:
            raise UnknownName("joint", name, self.joint_names) from None

    def has_bones_of(self, other: Skeleton) -> bool:
        """Whether joints have the same names and, to a millimetre, the same bones between them."""
        if self.joint_names != other.joint_names:
            return False
        return bool(np.allclose(self.offsets_m[1:], other.offsets_m[1:], atol=_SAME_BONE_M))

    @property
    def rest_stands(self) -> bool:
        """Whether the rest pose shows the body; else `standing_wxyz` does."""
        return np.size(self.standing_wxyz) == 0

    @cached_property
    def standing(self) -> Skeleton:
        """The skeleton in the pose that shows its body, as its rest pose.

        Soles, up and forward, segments and anatomical axes are read from it. Rotations of a clip
        mean the same on both; angles of hinges and limits of balls count from `rest_wxyz`.
        """
        if self.rest_stands:
            return self
        return replace(self, rest_wxyz=self.standing_wxyz, standing_wxyz=UNSET)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each joint, the joints that hang on it."""
        lists: list[list[int]] = [[] for _ in self.joint_names]
        for joint, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                lists[parent].append(joint)
        return tuple(tuple(c) for c in lists)

    def ancestors(self, joint: int) -> tuple[int, ...]:
        """The joint itself, its parent, and so on up to the root."""
        chain: list[int] = []
        while joint >= 0:
            chain.append(joint)
            joint = int(self.parents[joint])
        return tuple(chain)

    @cached_property
    def freedoms(self) -> Indices:
        """(J,) number of axes each joint may turn about."""
        return frozen_indices("freedoms", [FREEDOMS[k] for k in self.kinds], (self.joint_count,))

    @cached_property
    def freedom_starts(self) -> Indices:
        """(J,) where each joint's freedoms begin in the tangent (after the root translation)."""
        starts = 3 + np.concatenate([[0], np.cumsum(self.freedoms)[:-1]])
        return frozen_indices("freedom_starts", starts, (self.joint_count,))

    @property
    def tangent_size(self) -> int:
        """D: three for the root's translation, then all freedoms."""
        return 3 + int(self.freedoms.sum())

    @cached_property
    def rest_positions_m(self) -> Array:
        """(J, 3) joint origins in the rest pose, the root at its own offset."""
        positions, _ = self._rest_pose
        return positions

    @cached_property
    def rest_world_wxyz(self) -> Array:
        """(J, 4) world rotations in the rest pose."""
        return self._rest_pose[1]

    @cached_property
    def rest_end_positions_m(self) -> Array:
        """(S, 3) end sites in the rest pose."""
        joints = self.end_sites.joints
        turned = rotations.rotate(self.rest_world_wxyz[joints], self.end_sites.offsets_m)
        return self.rest_positions_m[joints] + turned

    @cached_property
    def reach_m(self) -> Array:
        """(J,) distance from each joint to the farthest joint or tip that it carries, at rest."""
        joints = [*range(self.joint_count), *self.end_sites.joints.tolist()]
        places = np.concatenate([self.rest_positions_m, self.rest_end_positions_m])
        found = np.zeros(self.joint_count)
        for joint, place in zip(joints, places, strict=True):
            for above in self.ancestors(joint):
                far = float(np.linalg.norm(place - self.rest_positions_m[above]))
                found[above] = max(found[above], far)
        found.flags.writeable = False
        return found

    @cached_property
    def _rest_pose(self) -> tuple[Array, Array]:
        positions = self.offsets_m.copy()
        world = self.rest_wxyz.copy()
        for joint, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                offset = rotations.rotate(world[parent], self.offsets_m[joint])
                positions[joint] = positions[parent] + offset
                world[joint] = rotations.multiply(world[parent], self.rest_wxyz[joint])
        return (
            frozen_array("rest positions", positions, (self.joint_count, 3)),
            frozen_array("rest rotations", world, (self.joint_count, 4)),
        )


def or_default(value: Array, usual: Array) -> Array:
    """An optional array, or its usual value."""
    return usual if np.size(value) == 0 else value
