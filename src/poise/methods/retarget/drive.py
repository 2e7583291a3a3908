"""What the motors of a robot do: the torque of every hinge, with the ground's help.

Inverse dynamics of the motion (newton metres, about the hinge's axis, on the segment that it
carries), relieved of the forces with which the ground explains how the momentum changes. It is what
the links ask for. Rotors behind gears (`armature` in MJCF), friction and damping in the joints are
not read from robot files and not in it: a motor has to add armature × acceleration, damping × speed
and friction. What no force of the ground explains stays at the root, and is no motor's.

Flights are differentiated by themselves, as `observe` does, so that push-off and landing do not
smear into them; the ratios are those of `torque_excess`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.contact import (
    ClipDynamics,
    ContactSchedule,
    clip_dynamics,
    intervals,
    joint_torques,
    phases,
    reaction_forces,
    torque_ratios,
    touching_points,
)
from poise.environment import Environment
from poise.errors import BadValue
from poise.mechanics import GRAVITY_M_S2, JointForces
from poise.motion import Clip

SHORTEST_ALONE = 8
"""Frames below which a flight is too short to be differentiated by itself."""


@dataclass(frozen=True, eq=False)
class Drive:
    """Torques of a robot's hinges, frame by frame."""

    joint_names: tuple[str, ...]
    """(n,) the hinges, in the order of the model."""
    torques_nm: Array
    """(F, n) about the hinges' axes."""
    ratios: Array
    """(F, n) over what the joint can do, without sign; zero where the model states no limit."""

    @property
    def channels(self) -> dict[str, Array]:
        """(F,) columns by name, as a robot's trajectory takes them: `torque_nm.left_knee_joint`."""
        return {
            f"torque_nm.{name}": self.torques_nm[:, column]
            for column, name in enumerate(self.joint_names)
        }


def drive(
    clip: Clip, character: Character, environment: Environment, contacts: ContactSchedule
) -> Drive:
    """The torques that a motion asks of a robot's hinges.

    Args:
        clip: on the robot's own skeleton.
        character: the robot, with masses.
        environment: what it stands on.
        contacts: what touches when.

    Raises:
        BadValue: a body without masses, or one whose joints are not hinges.
        BadShape: contacts of another length.
    """
    skeleton = character.skeleton
    hinges = [joint for joint, kind in enumerate(skeleton.kinds) if kind == "hinge"]
    if not hinges or "ball" in skeleton.kinds[1:]:
        raise BadValue("joints", "hinges, as a robot's are", sorted(set(skeleton.kinds[1:])))
    dynamics = clip_dynamics(clip, character)
    touched = touching_points(dynamics.state, character, contacts, environment)
    found = joint_torques(dynamics, reaction_forces(dynamics, touched))
    torques, ratios = _along(found, hinges), torque_ratios(character, found)[:, hinges]
    for first, last in flights_alone(dynamics, contacts):
        alone = clip_dynamics(clip.sliced(first, last), character, dynamics.cutoff_hz).unsupported
        torques[first:last] = _along(alone, hinges)
        ratios[first:last] = torque_ratios(character, alone)[:, hinges]
    return Drive(tuple(skeleton.joint_names[joint] for joint in hinges), torques, ratios)


def flights_alone(dynamics: ClipDynamics, contacts: ContactSchedule) -> list[tuple[int, int]]:
    """Flights that are long enough to be differentiated by themselves: first frame, and the end."""
    upward = dynamics.outer_force_n[:, 1] / dynamics.body.total_mass_kg + GRAVITY_M_S2[1]
    flying = np.zeros(len(upward), dtype=np.bool_)
    for phase in phases(contacts, upward):
        flying[phase.first : phase.last] = phase.kind == "flight"
    return [(a, b) for a, b in intervals(flying) if b - a >= SHORTEST_ALONE]


def _along(forces: JointForces, hinges: list[int]) -> Array:
    """(F, n) the part of joint moments about the hinges' axes."""
    axes = forces.skeleton.hinge_axes[hinges]
    return np.einsum("fjk,jk->fj", forces.joint_moments_nm[:, hinges], axes)
