"""A series with everything still and in order, of which a test spoils one thing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from poise import rotations
from poise.character import Character
from poise.contact import ContactSchedule, Series
from poise.environment import Environment
from poise.mechanics import GRAVITY_M_S2, forward_kinematics
from poise.motion import Clip
from poise.samples import human_skeleton

PARTS = ("left_foot", "left_foot", "right_foot", "right_foot")
MASS_KG, HEIGHT_M, RATE_HZ = 70.0, 1.75, 100.0
WEIGHT_N = MASS_KG * float(np.linalg.norm(GRAVITY_M_S2))


def still(frames: int = 100, **changes: Any) -> Series:
    """Standing on both feet for `frames` frames."""
    skeleton = human_skeleton()
    clip = Clip(
        skeleton,
        RATE_HZ,
        np.tile(skeleton.offsets_m[0], (frames, 1)),
        np.tile(skeleton.rest_wxyz, (frames, 1, 1)),
    )
    series = Series(
        clip=clip,
        character=Character(skeleton),
        environment=Environment.flat(),
        contacts=ContactSchedule(
            ("left_foot", "right_foot"), np.ones((frames, 2), dtype=bool), RATE_HZ
        ),
        state=forward_kinematics(skeleton, *clip.pose),
        mass_kg=MASS_KG,
        height_m=HEIGHT_M,
        cutoff_hz=12.0,
        times_s=np.arange(frames) / RATE_HZ,
        com_m=np.zeros((frames, 3)),
        com_acceleration_m_s2=np.zeros((frames, 3)),
        linear_momentum_n_s=np.zeros((frames, 3)),
        angular_momentum_n_m_s=np.zeros((frames, 3)),
        point_parts=PARTS,
        points_m=np.zeros((frames, 4, 3)),
        point_distances_m=np.zeros((frames, 4)),
        point_slide_m_s=np.zeros((frames, 4)),
        touching=np.ones((frames, 4), dtype=bool),
        pressing=np.ones((frames, 4), dtype=bool),
        zmp_m=np.zeros((frames, 3)),
        support_distance_m=np.full(frames, -0.05),
        forces_n=np.zeros((frames, 4, 3)),
        missing_force_n=np.zeros((frames, 3)),
        missing_moment_nm=np.zeros((frames, 3)),
        torque_ratio=np.full((frames, skeleton.joint_count), 0.2),
        flight=np.zeros(frames, dtype=bool),
    )
    return replace(series, **changes)


def with_turned_joint(series: Series, joint: str, degrees: float) -> Series:
    """The same with one joint turned by an angle in all frames."""
    clip = series.clip
    q = clip.rotations_wxyz.copy()
    j = clip.skeleton.index(joint)
    q[:, j] = rotations.multiply(
        q[:, j], rotations.from_axis_angle([0.0, 0.0, 1.0], np.radians(degrees))
    )
    turned = replace(clip, rotations_wxyz=q)
    return replace(series, clip=turned, state=forward_kinematics(clip.skeleton, *turned.pose))
