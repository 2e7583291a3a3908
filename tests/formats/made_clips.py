"""Clips that use everything a clip can hold, and where their joints are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Character, Roles, Sites, Skeleton
from poise.motion import Clip, Source
from poise.units import Unit


def rich_clip(frames: int = 40, rate_hz: float = 59.94005994005994) -> Clip:
    """Rest rotations, all joint kinds, limits, two tips on one joint, a moving joint, a source."""
    rng = np.random.default_rng(12345)
    rest = rotations.exp(rng.normal(size=(6, 3)))
    limits = np.tile([-np.inf, np.inf], (6, 3, 1))
    limits[2, 0] = [-0.25, 2.5]
    limits[3, 1] = [-np.inf, 1.0]
    skeleton = Skeleton(
        joint_names=("hips", "spine", "knee", "head", "weld", "Knochen ä"),
        parents=np.array([-1, 0, 0, 1, 2, 1]),
        offsets_m=rng.normal(scale=0.3, size=(6, 3)),
        rest_wxyz=rest,
        kinds=("ball", "ball", "hinge", "ball", "fixed", "ball"),
        hinge_axes=np.array([[0.0] * 3] * 2 + [[0.6, 0.0, 0.8]] + [[0.0] * 3] * 3),
        limits_rad=limits,
        end_sites=Sites(
            ("crown", "chin", "toe"), np.array([3, 3, 4]), rng.normal(scale=0.1, size=(3, 3))
        ),
    )
    steps = rng.normal(scale=0.05, size=(frames, 6, 3)).cumsum(axis=0)
    unit = Unit("cm", 0.01, "given by the user")
    source = Source(
        "made", "C:\\takes\\walk.bvh", "ab" * 32, unit, "z", "detected: Z", notes=("n",)
    )
    return Clip(
        skeleton=skeleton,
        rate_hz=rate_hz,
        root_positions_m=rng.normal(scale=0.02, size=(frames, 3)).cumsum(axis=0),
        rotations_wxyz=rotations.multiply(rest, rotations.exp(steps)),
        moving_joints=(5, 3),
        moving_offsets_m=rng.normal(scale=0.1, size=(frames, 2, 3)),
        name="walk",
        source=source,
        history=("Trimmed to 0:40.", "Größe kept."),
    )


def with_body(clip: Clip) -> Clip:
    """The clip with a standing pose, and with a body that uses all that one can hold."""
    skeleton, rng = clip.skeleton, np.random.default_rng(7)
    count = skeleton.joint_count
    skeleton = replace(skeleton, standing_wxyz=rotations.exp(rng.normal(size=(count, 3))))
    roots = rng.normal(size=(count, 3, 3))
    torques = np.full((count, 3), np.inf)
    torques[2, 0] = 88.0
    body = Character(
        skeleton,
        name="Blech ö",
        body=Body(
            rng.uniform(0.0, 3.0, count), rng.normal(size=(count, 3)),
            roots @ np.swapaxes(roots, 1, 2),
        ),
        roles=Roles({"pelvis": skeleton.joint_names[0]}, np.array([0.0, 0.0, 1.0]), "made"),
        sites=Sites(("left_heel", "nose"), np.array([4, 3]), rng.normal(size=(2, 3))),
        torque_limits_nm=torques,
        speed_limits_rad_s=np.full(count, np.inf),
        notes=("a note",),
    )  # fmt: skip
    return replace(clip, skeleton=skeleton, body=body)


def world_positions(clip: Clip) -> tuple[Array, Array]:
    """(F, J, 3) joints and (F, S, 3) end sites, in plain NumPy."""
    skeleton, frames = clip.skeleton, clip.frame_count
    places = np.zeros((frames, skeleton.joint_count, 3))
    turns = np.zeros((frames, skeleton.joint_count, 4))
    moving = {joint: i for i, joint in enumerate(clip.moving_joints)}
    for joint, parent in enumerate(skeleton.parents.tolist()):
        local = clip.rotations_wxyz[:, joint]
        if parent < 0:
            places[:, joint], turns[:, joint] = clip.root_positions_m, local
            continue
        offset = np.broadcast_to(skeleton.offsets_m[joint], (frames, 3))
        if joint in moving:
            offset = clip.moving_offsets_m[:, moving[joint]]
        places[:, joint] = places[:, parent] + rotations.rotate(turns[:, parent], offset)
        turns[:, joint] = rotations.multiply(turns[:, parent], local)
    ends = skeleton.end_sites
    offsets = np.broadcast_to(ends.offsets_m, (frames, len(ends), 3))
    return places, places[:, ends.joints] + rotations.rotate(turns[:, ends.joints], offsets)
