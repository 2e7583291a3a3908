"""The same motion in files whose rest pose is another one: lying, folded, along one axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Skeleton, find_roles
from poise.motion import Clip

X, Y, _ = np.eye(3)


def resting_in(clip: Clip, world_wxyz: Array) -> Clip:
    """The same motion, its joint frames turned so that all angles are zero in another pose.

    Args:
        clip: of ball joints.
        world_wxyz: (J, 4) world rotations of that pose, in the clip's own frames.
    """
    skeleton, parents = clip.skeleton, clip.skeleton.parents
    new = rotations.conjugate(world_wxyz)  # new coordinates of a joint to old ones
    back = world_wxyz
    q = rotations.multiply(clip.rotations_wxyz, new)
    q[:, 1:] = rotations.multiply(back[parents[1:]], q[:, 1:])
    offsets = skeleton.offsets_m.copy()
    offsets[1:] = rotations.rotate(back[parents[1:]], offsets[1:])
    ends = skeleton.end_sites
    tips = replace(ends, offsets_m=rotations.rotate(back[ends.joints], ends.offsets_m))
    moving = list(clip.moving_joints)
    return replace(
        clip,
        skeleton=Skeleton(skeleton.joint_names, parents, offsets, end_sites=tips),
        rotations_wxyz=rotations.normalize(q),
        moving_offsets_m=rotations.rotate(back[parents[moving]], clip.moving_offsets_m),
        source=None,
    )


def _turned(skeleton: Skeleton, turns: dict[str, Array]) -> Array:
    """(J, 4) world rotations of the rest pose with the joints of some roles turned."""
    roles = find_roles(skeleton)
    by_joint = {skeleton.index(roles.joint(role)): turn for role, turn in turns.items()}
    world = skeleton.rest_world_wxyz.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        local = skeleton.rest_wxyz[joint]
        above = rotations.IDENTITY if parent < 0 else world[parent]
        if joint in by_joint:
            local = rotations.multiply(local, by_joint[joint])
        world[joint] = rotations.multiply(above, local)
    return world


def _about(axis: Array, degrees: float) -> Array:
    return rotations.from_axis_angle(axis, np.radians(degrees))


def lying(skeleton: Skeleton) -> Array:
    """On the back."""
    return rotations.multiply(_about(X, -90.0), skeleton.rest_world_wxyz)


def folded(skeleton: Skeleton) -> Array:
    """Crouching: thighs forward, shanks back, so that feet are below the hips."""
    left = np.cross(Y, find_roles(skeleton).forward)
    turns = {f"{s}_hip": _about(left, -80.0) for s in ("left", "right")}
    return _turned(skeleton, turns | {f"{s}_knee": _about(left, 140.0) for s in ("left", "right")})


def feet_down(skeleton: Skeleton) -> Array:
    """Standing in the air, feet along the shins."""
    left = np.cross(Y, find_roles(skeleton).forward)
    return _turned(skeleton, {f"{s}_ankle": _about(left, 50.0) for s in ("left", "right")})


def along_one_axis(skeleton: Skeleton) -> Array:
    """All bones along X, as in LAFAN1 and in the files of Bandai-Namco."""
    world = np.empty((skeleton.joint_count, 4))
    ends = skeleton.end_sites
    for joint in range(skeleton.joint_count):
        bones = [*skeleton.offsets_m[list(skeleton.children[joint])]]
        bones += [*ends.offsets_m[ends.joints == joint]]
        real = [bone for bone in bones if np.linalg.norm(bone) > 1e-6]
        world[joint] = rotations.IDENTITY
        if real:
            world[joint] = rotations.between_vectors(real[len(real) // 2], X)
    return world


def a_pose(skeleton: Skeleton) -> Array:
    """Arms 45 degrees down: another pose that stands."""
    ahead = find_roles(skeleton).forward
    return _turned(
        skeleton,
        {"left_shoulder": _about(ahead, -45.0), "right_shoulder": _about(ahead, 45.0)},
    )


THAT_DO_NOT_STAND: dict[str, Callable[[Skeleton], Array]] = {
    "lying": lying,
    "folded": folded,
    "feet down": feet_down,
    "along one axis": along_one_axis,
}
