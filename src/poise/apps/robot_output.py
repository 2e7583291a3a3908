"""A robot's motion as its controllers read it: angles, speeds, and what drives them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from poise.arrays import Array
from poise.character import Character
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.formats import robot_trajectory, write_robot
from poise.methods.retarget import Impossible, drive, frames_of
from poise.motion import Clip


def write_robot_file(
    path: Path,
    layout: str,
    clip: Clip,
    robot: Character,
    place: Environment,
    contacts: ContactSchedule,
    impossible: Sequence[Impossible],
) -> None:
    """Write a robot's trajectory.

    Args:
        path: the file.
        layout: of its columns; `poise` has torques and contact forces, too.
        clip: on the robot's skeleton.
        robot: whose motion.
        place: where.
        contacts: what touches when.
        impossible: what it cannot do.

    Raises:
        BadValue: a body that is no robot.
    """
    trajectory = robot_trajectory(clip)  # says what is no robot
    channels: dict[str, Array] = {
        f"contact.{part}": contacts.column(part).astype(float)
        for part in contacts.parts
        if contacts.column(part).any()
    }
    channels["impossible"] = frames_of(impossible, clip.frame_count).astype(float)
    if layout == "poise":
        channels |= drive(clip, robot, place, contacts).channels
        trajectory = robot_trajectory(clip, channels)
    write_robot(path, trajectory, layout)
