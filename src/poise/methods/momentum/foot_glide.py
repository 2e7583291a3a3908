"""Feet that glide after blending are put back on their prints (section 4.3.2).

Frame by frame inverse kinematics of the legs alone: everything above the hips stays as blended.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.constraints import Recruits, Scene
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import BadValue
from poise.footing import Movers, contact_tasks, moving_joints
from poise.ik import IkSettings, build, solve, unsolved
from poise.motion import Clip

_FAST = IkSettings(
    tolerance_mm=0.1, tolerance_deg=0.05, posture_tolerance_deg=1.0, iterations=20, carry="pose"
)


def with_still_feet(
    clip: Clip, character: Character, environment: Environment, contacts: ContactSchedule
) -> Clip:
    """The clip with feet on their prints wherever they touch.

    Args:
        clip: a blended motion.
        character: whose legs.
        environment: what feet stand on.
        contacts: what touches when.
    """
    if character.roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    skeleton = clip.skeleton
    hips = [
        skeleton.index(character.roles.joints[role])
        for role in ("left_hip", "right_hip")
        if role in character.roles.joints
    ]
    legs = np.array(
        [any(hip in skeleton.ancestors(j) for hip in hips) for j in range(skeleton.joint_count)]
    )
    legs &= moving_joints(clip)
    scene = Scene(clip, character, environment, None)
    tasks, _, _ = contact_tasks(scene, contacts, None, Movers(character, legs))
    tasks = [
        replace(task, recruits=Recruits(task.recruits.joints & legs, False))
        for task in tasks
        if task.priority == 1
    ]
    tasks = [task for task in tasks if task.recruits.joints.any()]
    if not tasks:
        return clip
    problem = build(scene, tasks)
    found = unsolved(problem)
    solve(problem, _FAST, found, 0, clip.frame_count - 1)
    return replace(
        clip, root_positions_m=found.root_positions_m, rotations_wxyz=found.rotations_wxyz
    )
