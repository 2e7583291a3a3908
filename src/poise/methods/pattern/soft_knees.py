"""Feet that give way a little where a leg is almost straight.

A straight leg changes its length only by turning the knee a lot: a foot that is held to the
millimetre there makes the knee snap. So much of a change of length is left out as keeps the knee
from turning more than a bent one would: a few millimetres along the leg.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.constraints import Task
from poise.mechanics import BodyState

_BENT_RAD = float(np.radians(25.0))
"""A knee bent by this much changes the leg's length readily."""


def with_soft_knee(task: Task, here: BodyState, character: Character) -> Task:
    """A foot's path, nearer to the motion at hand where its leg is almost straight.

    Args:
        task: the ankle's places, in every frame.
        here: the motion before feet are put there.
        character: with roles.
    """
    assert character.roles is not None
    roles, index = character.roles.joints, character.skeleton.index
    side = next(s for s in ("left", "right") if index(roles[f"{s}_ankle"]) == task.joint)
    if f"{side}_knee" not in roles:
        return task
    joints = [index(roles[f"{side}_{part}"]) for part in ("hip", "knee", "ankle")]
    hips, knees, ankles = (here.positions_m[:, joint] for joint in joints)
    thigh, shank = knees - hips, ankles - knees
    long = np.linalg.norm(thigh, axis=1) * np.linalg.norm(shank, axis=1)
    sine = np.linalg.norm(np.cross(thigh, shank), axis=1) / np.maximum(long, 1e-12)
    far_bent = (thigh * shank).sum(axis=1) < 0.0
    share = np.where(far_bent, 1.0, np.minimum(sine / np.sin(_BENT_RAD), 1.0))
    way = task.goals - hips
    wanted, has = np.linalg.norm(way, axis=1), np.linalg.norm(ankles - hips, axis=1)
    length = has + share * (wanted - has)
    return replace(task, goals=hips + way * (length / np.maximum(wanted, 1e-9))[:, None])
