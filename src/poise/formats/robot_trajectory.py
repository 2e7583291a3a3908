"""Joint trajectories of robots, as controllers and training pipelines read them.

Z is up, lengths are metres, angles radians, quaternions wxyz unless a layout says otherwise. Joints
are the hinges of the model, by the names and in the order of its file. Channels beyond them
(contacts, torques) are plain named columns: this file does not know who made them.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Skeleton, angle_near_range
from poise.errors import BadValue, FileProblem
from poise.formats.disk import atomic_write
from poise.motion import Clip
from poise.units import world_from_file_wxyz
from poise.wording import counted

LAYOUTS = {"poise": (".csv", ".npz"), "unitree": (".csv",), "gmr": (".pkl", ".csv")}
"""Layouts, and the files each can be written as. `poise`: a header, every channel. `unitree`: as in
the LAFAN1 set retargeted by Unitree: no header, root place, root rotation xyzw, then the joints'
angles. `gmr`: the pickled dictionary that GMR saves and tracking pipelines read (`fps`, `root_pos`,
`root_rot` xyzw, `dof_pos`, and `local_body_pos` and `link_body_list`, which are None); as .csv the
same columns as `unitree`."""


@dataclass(frozen=True, eq=False)
class RobotTrajectory:
    """What a robot does, frame by frame."""

    rate_hz: float
    joint_names: tuple[str, ...]
    root_positions_m: Array
    """(F, 3) Z up."""
    root_wxyz: Array
    """(F, 4)"""
    angles_rad: Array
    """(F, n)"""
    velocities_rad_s: Array
    """(F, n) by central differences."""
    channels: Mapping[str, Array] = field(default_factory=dict[str, Array])
    """(F,) more columns by name: `contact.left_foot`, `torque_nm.left_knee_joint`."""


def robot_trajectory(clip: Clip, channels: Mapping[str, Array] | None = None) -> RobotTrajectory:
    """A clip on a skeleton of hinges as joint angles.

    Args:
        clip: on a robot's skeleton: its root is free, all other joints are hinges or fixed.
        channels: (F,) more columns by name.

    Raises:
        BadValue: joints other than hinges, or a channel of another length.
    """
    skeleton = clip.skeleton
    check_hinged(skeleton)
    for name, values in (channels or {}).items():
        if np.shape(values) != (clip.frame_count,):
            raise BadValue(f"channel {name}", f"{clip.frame_count} values", np.shape(values))
    hinges = [j for j in range(skeleton.joint_count) if skeleton.kinds[j] == "hinge"]
    angles = np.empty((clip.frame_count, len(hinges)))
    for column, joint in enumerate(hinges):
        turn = rotations.multiply(
            rotations.conjugate(skeleton.rest_wxyz[joint]), clip.rotations_wxyz[:, joint]
        )
        angle = rotations.twist_angle(turn, skeleton.hinge_axes[joint])
        low, high = skeleton.limits_rad[joint, 0]
        narrow = high - low <= 2.0 * np.pi
        angles[:, column] = angle_near_range(angle, low, high) if narrow else np.unwrap(angle)
    to_file = rotations.conjugate(world_from_file_wxyz("z"))
    speeds = np.zeros_like(angles)
    if clip.frame_count > 1:
        speeds = clip.rate_hz * np.asarray(np.gradient(angles, axis=0))
    return RobotTrajectory(
        clip.rate_hz,
        tuple(skeleton.joint_names[j] for j in hinges),
        rotations.rotate(to_file, clip.root_positions_m),
        rotations.continuous(rotations.multiply(to_file, clip.rotations_wxyz[:, 0])),
        angles,
        speeds,
        {name: np.asarray(values, dtype=np.float64) for name, values in (channels or {}).items()},
    )


def write_robot(path: Path, trajectory: RobotTrajectory, layout: str = "poise") -> None:
    """Write a trajectory in one of the `LAYOUTS`.

    Raises:
        BadValue: another layout.
        FileProblem: another extension, or what the system refuses.
    """
    check_robot_file(path, layout)
    kind = path.suffix.lower()
    if kind == ".csv":
        atomic_write(path, _csv(trajectory, layout).encode("utf-8"))
    else:
        atomic_write(path, _npz(trajectory) if kind == ".npz" else _pickled(trajectory))


def check_hinged(skeleton: Skeleton) -> None:
    """Refuse a body whose joints are no robot's, before there is anything to write.

    Raises:
        BadValue: joints other than hinges, below the root.
    """
    balls = [n for n, k in zip(skeleton.joint_names[1:], skeleton.kinds[1:], strict=True)
             if k == "ball"]  # fmt: skip
    if balls:
        allowed = "hinges, as a robot's are (write .bvh, .glb or .npz instead)"
        raise BadValue("joints", allowed, f"{counted(len(balls), 'ball joint')}: "
                       f"{', '.join(balls[:4])}")  # fmt: skip


def check_robot_file(path: Path, layout: str) -> None:
    """Refuse a file that could not be written, before there is anything to write.

    Raises:
        BadValue: another layout.
        FileProblem: another extension.
    """
    if layout not in LAYOUTS:
        raise BadValue("layout", f"one of {', '.join(LAYOUTS)}", layout)
    kinds = LAYOUTS[layout]
    if path.suffix.lower() not in kinds:
        wanted = f"{' or '.join(kinds)} in the layout {layout}"
        raise FileProblem(path, wanted, path.suffix.lower() or "no extension")


def _csv(trajectory: RobotTrajectory, layout: str) -> str:
    root, names = trajectory.root_positions_m, trajectory.joint_names
    text = StringIO()
    if layout == "poise":
        heads = ["time_s", "root_x_m", "root_y_m", "root_z_m", "root_qw", "root_qx", "root_qy",
                 "root_qz", *(f"{n}.pos_rad" for n in names), *(f"{n}.vel_rad_s" for n in names),
                 *trajectory.channels]  # fmt: skip
        text.write(",".join(heads) + "\n")
        times = np.arange(len(root))[:, None] / trajectory.rate_hz
        more = [np.asarray(values)[:, None] for values in trajectory.channels.values()]
        angles, speeds = trajectory.angles_rad, trajectory.velocities_rad_s
        columns = [times, root, trajectory.root_wxyz, angles, speeds, *more]
    else:
        columns = [root, rotations.to_xyzw(trajectory.root_wxyz), trajectory.angles_rad]
    for row in np.concatenate(columns, axis=1):
        text.write(",".join(f"{value:.9g}" for value in row) + "\n")
    return text.getvalue()


def _npz(trajectory: RobotTrajectory) -> bytes:
    facts = {"up": "z", "length": "m", "angle": "rad", "quaternion": "wxyz"}
    arrays: dict[str, Any] = {  # as savez has options, too
        "fps": np.float64(trajectory.rate_hz),
        "joint_names": np.array(trajectory.joint_names, dtype=np.str_),
        "joint_pos": trajectory.angles_rad,
        "joint_vel": trajectory.velocities_rad_s,
        "root_pos": trajectory.root_positions_m,
        "root_quat_wxyz": trajectory.root_wxyz,
        "conventions_json": np.array(json.dumps(facts)),
        **trajectory.channels,
    }
    out = BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _pickled(trajectory: RobotTrajectory) -> bytes:
    rate = trajectory.rate_hz
    return pickle.dumps(
        {
            "fps": int(rate) if float(rate).is_integer() else float(rate),
            "root_pos": np.array(trajectory.root_positions_m),
            "root_rot": rotations.to_xyzw(trajectory.root_wxyz),
            "dof_pos": np.array(trajectory.angles_rad),
            "local_body_pos": None,
            "link_body_list": None,
        },
        protocol=4,  # what readers on older Pythons know
    )
