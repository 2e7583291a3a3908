"""How like the human a robot moves, whoever moved it: bones, places, joint limits.

Nobody's targets are used: only where joints of the same role are, on the robot and on the human.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Skeleton, contact_points
from poise.character.roles import SIDES
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.environment.query import query
from poise.formats.robot_trajectory import robot_trajectory
from poise.mechanics import BodyState, forward_kinematics, site_positions
from poise.motion import Clip
from poise.units import world_from_file_wxyz

_LIMBS = {"leg": ("hip", "knee", "ankle"), "arm": ("shoulder", "elbow", "wrist")}
_BEYOND_RAD = 1e-6


def clip_of(coordinates: Array, robot: Character, rate_hz: float, name: str) -> Clip:
    """A robot's generalised coordinates, as MuJoCo has them, as a clip.

    Args:
        coordinates: (F, 7 + n) root place and rotation (wxyz), Z up, then the hinges in the order
            of the robot's file.
        robot: whose they are.
        rate_hz: of the frames.
        name: of the clip.
    """
    skeleton = robot.skeleton
    hinges = [j for j in range(skeleton.joint_count) if skeleton.kinds[j] == "hinge"]
    assert coordinates.shape[1] == 7 + len(hinges)
    up = world_from_file_wxyz("z")
    turns = np.tile(skeleton.rest_wxyz, (len(coordinates), 1, 1))
    turns[:, 0] = rotations.multiply(up, coordinates[:, 3:7])
    for column, joint in enumerate(hinges):
        turn = rotations.from_axis_angle(skeleton.hinge_axes[joint], coordinates[:, 7 + column])
        turns[:, joint] = rotations.multiply(skeleton.rest_wxyz[joint], turn)
    roots = rotations.rotate(up, coordinates[:, :3])
    return Clip(
        skeleton, rate_hz, roots, rotations.continuous(rotations.normalize(turns)), name=name
    )


def on_the_ground(
    clip: Clip, robot: Character, place: Environment, contacts: ContactSchedule
) -> Clip:
    """A clip raised or lowered as a whole, until feet that stand have their soles on the ground.

    By the median, over frames in which a foot touches, of the height of its lowest point.
    """
    state = forward_kinematics(clip.skeleton, *clip.pose)
    heights: list[Array] = []
    for part, sites in contact_points(robot).items():
        if part.endswith("_foot") and part in contacts.parts:
            points = site_positions(state, sites)[contacts.column(part)]
            heights.append(query(place, points).distances_m.min(axis=1))
    found = np.concatenate(heights) if heights else np.zeros(0)
    if not len(found):
        return clip
    return replace(clip, root_positions_m=clip.root_positions_m - [0.0, np.median(found), 0.0])


def bones_off_deg(robot: Clip, body: Character, human: Clip, person: Character) -> float:
    """Mean angle between the robot's upper arms, forearms, thighs and shins and the human's.

    A bone is the direction in the world from the joint of one role to that of the next: shoulder,
    elbow, wrist; hip, knee, ankle. A robot that ends below the elbow has its wrist where Poise
    takes its hand to begin.
    """
    mine, theirs = _limbs(robot, body), _limbs(human, person)
    angles: list[Array] = []
    for key, (_, *places) in mine.items():
        other = theirs[key][1:]
        for i in range(2):
            a, b = places[i + 1] - places[i], other[i + 1] - other[i]
            cosine = (a * b).sum(axis=-1) / (
                np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
            )
            angles.append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    return float(np.mean(angles))


def places_off_cm(robot: Clip, body: Character, human: Clip, person: Character) -> float:
    """Mean distance of knees, ankles, elbows and wrists from where the human has them.

    Seen from the middle of the hips, in the axes of the world. For a joint `x` of a limb that
    begins at `o` (hip or shoulder), with `m` the middle of the hips, `r` the robot's and `h` the
    human's: |(x_r - m_r) - a (o_h - m_h) - b (x_h - o_h)|, where b is how many times as long as the
    human's the robot's limb is, along its bones, and a how many times as far from `m` its `o` is
    at rest.
    """
    mine, theirs = _limbs(robot, body), _limbs(human, person)
    own, other = _limbs(_at_rest(robot.skeleton), body), _limbs(_at_rest(human.skeleton), person)
    apart: list[Array] = []
    for key, (middle, _, *joints) in mine.items():
        from_middle = _reach(own[key]) / _reach(other[key])
        along = _length(own[key]) / _length(other[key])
        there, begins, *wanted = theirs[key]
        for x, y in zip(joints, wanted, strict=True):
            goal = from_middle * (begins - there) + along * (y - begins)
            apart.append(np.linalg.norm((x - middle) - goal, axis=-1))
    return float(100.0 * np.mean(apart))


def beyond_limits(clip: Clip) -> tuple[float, float]:
    """Share of frames and joints beyond the limits, in per cent, and the worst, in degrees.

    Whole turns are left out: an angle is the one nearest to the middle of its limits.
    """
    skeleton = clip.skeleton
    angles = robot_trajectory(clip).angles_rad
    hinges = [j for j in range(skeleton.joint_count) if skeleton.kinds[j] == "hinge"]
    limits = skeleton.limits_rad[hinges, 0]
    middle = np.where(np.isfinite(limits).all(axis=1), limits.sum(axis=1) / 2.0, 0.0)
    angles = middle + np.remainder(angles - middle + np.pi, 2.0 * np.pi) - np.pi
    off = np.maximum(limits[:, 0] - angles, angles - limits[:, 1])
    return float(100.0 * (off > _BEYOND_RAD).mean()), float(np.degrees(max(off.max(), 0.0)))


Limb = tuple[Array, ...]
"""(F, 3) each: the middle of the hips, then the limb's three joints."""


def _limbs(clip: Clip, character: Character) -> dict[str, Limb]:
    assert character.roles is not None
    state = forward_kinematics(clip.skeleton, *clip.pose)
    hips = [_place(state, character, f"{side}_hip") for side in SIDES]
    middle = np.mean(hips, axis=0)
    return {
        f"{side} {limb}": (middle, *(_place(state, character, f"{side}_{p}") for p in parts))
        for side in SIDES
        for limb, parts in _LIMBS.items()
    }


def _place(state: BodyState, character: Character, role: str) -> Array:
    assert character.roles is not None
    name = character.roles.joints.get(role)
    if name is not None:
        return state.positions_m[:, character.skeleton.index(name)]
    return site_positions(state, contact_points(character)[role.replace("wrist", "hand")])[:, 0]


def _at_rest(skeleton: Skeleton) -> Clip:
    return Clip(skeleton, 1.0, np.zeros((1, 3)), skeleton.rest_wxyz[None])


def _reach(limb: Limb) -> float:
    return float(np.linalg.norm(limb[1] - limb[0], axis=-1)[0])


def _length(limb: Limb) -> float:
    return float(sum(np.linalg.norm(limb[i + 1] - limb[i], axis=-1)[0] for i in (1, 2)))
