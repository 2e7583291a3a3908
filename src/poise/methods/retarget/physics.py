"""The physics stage: contacts, balance, flights, strength and likeness in one solve.

Nothing takes turns: `poise.physics` asks for all of it at once. It stays close to the kinematic
stage, what touches stays as it touches there, and limbs and trunk still wish to be where free
joints would have them. Limbs stay out of each other as they stay out of the ground.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character import Character
from poise.constraints import Recruits, Scene
from poise.methods.retarget.holding import contact_tasks, hinges_in_range, in_range, limbs_apart
from poise.methods.retarget.kinematic import Kinematic
from poise.methods.retarget.settings import Settings
from poise.motion import Clip
from poise.physics import Asked, PhysicsSettings, PhysicsSolution, WholeSettings, solve_clip

_PLACE, _WISH, _RANGE = 2.0, 30.0, 1e4
"""What displacements from the kinematic stage, missed wishes and joints beyond their range cost."""
_ACCELERATION_S = 0.2
"""An acceleration of displacements costs as much as they do if they change by their own size in
this time: reaction forces that jolt from frame to frame at 30 Hz are nobody's."""
_WRENCH = 1.0
"""What it costs to ask a body weight more or less of the ground than the source does, at this
body's size. The kinematic stage's own wrench is nothing to stay close to: its flights do not fall.
"""


@dataclass(frozen=True, eq=False)
class Obeying:
    """A motion that obeys the body and the ground."""

    clip: Clip
    solved: PhysicsSolution


def obeying(made: Kinematic, target: Character, settings: Settings) -> Obeying:
    """The motion nearest to the kinematic stage that the ground can carry and the body can do.

    Args:
        made: the kinematic stage.
        target: whose motion.
        settings: of the method.
    """
    scene = Scene(hinges_in_range(made.clip), target, made.environment)
    frames = made.clip.frame_count
    asked = Asked(np.ones(frames, dtype=np.bool_), np.full(frames, settings.torque, dtype=np.bool_))
    wrench = 0.0 if made.wrench is None else _WRENCH
    knobs = PhysicsSettings(
        likeness=WholeSettings(
            place=_PLACE, acceleration_s=_ACCELERATION_S, wish=_WISH, range=_RANGE
        ),
        root=1.0,
        knee=1.0,
        calm=1.0,
        brisk_rad_s2=0.0,
        wrench_likeness=wrench,
        moment_likeness=wrench,
    )

    held = contact_tasks(
        scene.clip, target, made.environment, replace(made.contacts, sliding=None), made.eased
    )
    tasks = [*held, *made.wishes]
    solved = solve_clip(
        scene, tasks, made.contacts, knobs, asked=asked, usual=made.wrench,
        also=Recruits(target.skeleton.freedoms > 0, True),
        fastest_rad_s=settings.fastest(target), limbs=limbs_apart(target),
    )  # fmt: skip
    clip = replace(
        scene.clip, root_positions_m=solved.root_positions_m, rotations_wxyz=solved.rotations_wxyz
    )
    return Obeying(in_range(clip, scene, tasks), solved)
