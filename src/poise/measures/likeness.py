"""Likeness: difference between the result and the original, joint by joint, without fingers."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import leg_joints
from poise.contact import Series
from poise.measures.shared_joints import SharedJoints, same_body, shared_joints


def measure(series: Series, original: Series) -> dict[str, float]:
    """Mean difference of joint rotations (all, legs) and positions (from the root, in the world).

    And how far any joint is from where it was at most.

    Bodies of other proportions have no difference in the world: they are elsewhere by right.
    """
    joints = shared_joints(series, original)
    ours = series.state.positions_m[: joints.frames]
    theirs = original.state.positions_m[: joints.frames]
    same = same_body(series, original)
    world = _distances_cm(ours, theirs, joints) if same else np.zeros(0)
    return {
        "likeness.rotation": _rotation_deg(series, original, joints),
        "likeness.legs": _rotation_deg(series, original, joints.only(leg_joints(series.character))),
        "likeness.position": _mean(
            _distances_cm(ours - ours[:, :1], theirs - theirs[:, :1], joints)
        ),
        "likeness.world": _mean(world),
        "likeness.largest": float(world.max()) if world.size else float("nan"),
    }


def _rotation_deg(series: Series, original: Series, joints: SharedJoints) -> float:
    if not len(joints.ours):
        return float("nan")
    angles = rotations.angle_between(
        series.clip.rotations_wxyz[: joints.frames, joints.ours],
        original.clip.rotations_wxyz[: joints.frames, joints.theirs],
    )
    return float(np.degrees(angles.mean()))


def _distances_cm(ours_m: Array, theirs_m: Array, joints: SharedJoints) -> Array:
    """(F, n) of joints that both have."""
    apart = ours_m[:, joints.ours] - theirs_m[:, joints.theirs]
    return np.asarray(100.0 * np.linalg.norm(apart, axis=-1))


def _mean(values: Array) -> float:
    return float(values.mean()) if values.size else float("nan")
