"""A family of two leaps in a moment: nothing is solved."""

from __future__ import annotations

from itertools import product

import numpy as np

from poise import rotations
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.methods.momentum import Family, FamilyAxis
from poise.methods.momentum.two_leaps import AXES
from poise.motion import Clip
from poise.samples import sample_character

REACH_M = 0.4
STAGES = (
    ("ground", 0, 4), ("flight", 4, 9), ("ground", 9, 14), ("flight", 14, 19), ("ground", 19, 23)
)  # fmt: skip


def small_family(axes: tuple[str, ...] = AXES) -> Family:
    """Two leaps of nobody in particular: a stiff figure that is carried, waving at random."""
    skeleton = sample_character().skeleton
    rng = np.random.default_rng(5)
    frames, joints = STAGES[-1][2], skeleton.joint_count
    times = np.arange(frames)
    waves = np.sin(0.4 * times[:, None, None] + rng.uniform(0.0, 6.0, (joints, 3)))
    legs = [i for i, name in enumerate(skeleton.joint_names) if "Leg" in name or "Foot" in name]
    waves[:, [0, *legs]] = 0.0
    turns = rotations.exp(0.15 * waves)
    high = float(skeleton.offsets_m[0, 1])
    roots, poses = [], []
    for x1, z1, x2, z2 in product((-REACH_M, REACH_M), repeat=4):
        path = np.zeros((frames, 3))
        path[:, 0] = np.interp(times, [3, 9, 13, 19], [-x1, 0.0, 0.0, x2])
        path[:, 2] = np.interp(times, [3, 9, 13, 19], [-z1, 0.0, 0.0, z2])
        path[:, 1] = high
        for kind, first, stop in STAGES:
            if kind == "flight":
                part = (np.arange(first, stop) - first + 1) / (stop - first + 1)
                path[first:stop, 1] += 0.4 * part * (1.0 - part)
        roots.append(path)
        poses.append(turns)
    touching = np.zeros((frames, 2), dtype=np.bool_)
    for kind, first, stop in STAGES:
        touching[first:stop] = kind == "ground"
    stages = (0, 0, -1, -1)
    ways = ((-1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    return Family(
        tuple(
            FamilyAxis(name, stage, (-REACH_M, REACH_M), by_m=way)
            for name, stage, way in zip(axes, stages, ways, strict=True)
        ),
        Clip(skeleton, 30.0, roots[0], poses[0]),
        np.array(roots),
        np.array(poses),
        ("converged",) * 16,
        ContactSchedule(("left_foot", "right_foot"), touching, 30.0),
        STAGES,
        Environment.flat(0.0),
        np.zeros((3, 3)),
    )
