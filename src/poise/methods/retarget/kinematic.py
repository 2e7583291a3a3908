"""The kinematic stage: the same poses at the target's size, feet where they stand.

Places scale with the legs: the middle of the hips goes over the floor and rises above it so many
times as far as the legs are longer. Where the target's joints can turn as they should, that is all.
Where they cannot (hinges with limits), joints come as near as they can to where a body of the
target's bones would have them. Feet that stand are then put on prints of their own and held there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, Skeleton, contact_points
from poise.constraints import EVERYTHING, Recruits, Scene, Task, recruits_of_point, recruits_of_turn
from poise.contact import (
    FEET,
    ContactSchedule,
    clip_dynamics,
    detect_contacts,
    with_carriers,
)
from poise.environment import Environment, scaled
from poise.errors import BadValue
from poise.ik import IkSolution, build, follow, keep_in_range, unsolved
from poise.mechanics import GRAVITY_M_S2, BodyState, forward_kinematics
from poise.methods.retarget.holding import Eased, Held, hold
from poise.motion import Clip, splines
from poise.transfer import (
    Correspondence,
    freely_turned,
    hip_joints,
    leg_ratio,
    local_turns,
    scaled_m,
    touching_rise_m,
    wanted_turns,
)

_FOLLOWED = {"hip": 0.5, "knee": 0.3, "ankle": 1.0, "elbow": 0.5, "wrist": 1.0}
"""Weights of joints that come as near as they can to where they should be."""
_TURNED = {"pelvis": 0.5, "chest": 0.5, "left_ankle": 0.3, "right_ankle": 0.3}
"""Weights of how parts are turned, against places in metres."""


@dataclass(frozen=True, eq=False)
class Kinematic:
    """A motion on another body."""

    clip: Clip
    contacts: ContactSchedule
    """What touches when, as the source shows it."""
    scale: float
    """How many times as far it goes."""
    wanted_m: Array
    """(F, J, 3) where a body of these bones, free to turn, would have its joints."""
    off_m: float
    """How far knees, feet, elbows and hands are from there, on average."""
    worst_m: float
    """How far the worst contact is off."""
    worst: str
    """Which."""
    environment: Environment
    """The place at the target's size."""
    eased: tuple[Eased, ...]
    """Stances that the target cannot do as they are."""
    wishes: tuple[Task, ...]
    """Where limbs and trunk should be."""
    wrench: Array | None
    """(F, 6) what the source asks of the ground, in body weights and body weight × stature, at the
    target's size; None where its masses are not known."""


def retargeted(
    clip: Clip, source: Character, target: Character, matches: Correspondence,
    environment: Environment, *, scale: float | None = None, feet: bool = True,
    fastest_rad_s: Array | None = None,
) -> Kinematic:  # fmt: skip
    """Put a motion on another body.

    Args:
        clip: the motion.
        source: whose it is.
        target: who is to move like it, on its own skeleton.
        matches: which joint follows which.
        environment: where. It scales with the motion, about the origin of its ground.
        scale: how many times as far it goes; as the legs are longer, unless given.
        feet: hold feet that stand.
        fastest_rad_s: (J,) how fast joints may turn; as fast as they like by default.

    Raises:
        BadValue: a scale that is none.
    """
    if scale is not None and not 0.01 <= scale <= 100.0:
        raise BadValue("scale", "from 0.01 to 100", scale)
    factor = leg_ratio(source, target) if scale is None else scale
    ground = float(environment.grounds[0].heights_m(np.zeros(3)) if environment.grounds else 0.0)
    origin = np.array([0.0, ground, 0.0])
    state = forward_kinematics(clip.skeleton, *clip.pose)
    shown = with_carriers(detect_contacts(clip, source, environment), clip, source, environment)
    contacts = _that_both_have(shown, target)
    environment = scaled(environment, factor, origin)
    skeleton = target.skeleton
    world = wanted_turns(state, source, target, matches)
    still = np.zeros((clip.frame_count, 3))
    made = Clip(
        skeleton, clip.rate_hz, still, local_turns(world, skeleton), name=clip.name,
        history=(*clip.history, f"retargeted to {target.name or 'another body'}"),
    )  # fmt: skip
    hinged = "hinge" in skeleton.kinds
    if hinged:
        made = _turned(made, world, target, matches, environment)
        world = _between_hinges(made, world, target, matches)
    free = freely_turned(world, skeleton)
    ideal = forward_kinematics(skeleton, still, free)
    theirs, mine = (
        s.positions_m[:, hip_joints(c)].mean(axis=1) for s, c in ((state, source), (ideal, target))
    )
    roots = scaled_m(theirs, factor, origin) - mine
    touches = {part: contacts.column(part) for part in FEET if part in contacts.parts}
    roots[:, 1] += touching_rise_m(state, source, ideal, roots, target, touches, factor, ground)
    ideal = forward_kinematics(skeleton, roots, free)
    made = replace(made, root_positions_m=roots)
    freely = replace(made, rotations_wxyz=rotations.normalize(free))
    wishes = wishes_of(ideal, target)
    made, near = _followed(made, ideal, wishes, target, environment)
    if feet:
        smooth = made if near else _smoothed(made)
        held = hold(smooth, freely, wishes, target, environment, contacts, fastest_rad_s)
    else:
        held = Held(made, 0.0, "", contacts, ())
    off = tracking_m(held.clip, target, ideal.positions_m)
    return Kinematic(
        held.clip, held.contacts, factor, ideal.positions_m, off, held.worst_m, held.worst,
        environment, held.eased, tuple(wishes), _wrench(clip, source, factor),
    )  # fmt: skip


def _wrench(clip: Clip, source: Character, factor: float) -> Array | None:
    """What a motion would ask of the ground on a body of another size.

    It takes as long and falls as fast, so the vertical force is the same share of the weight;
    sideways it goes `factor` times as far.
    """
    if source.body is None or clip.frame_count < splines.SHORTEST:
        return None
    asked = clip_dynamics(clip, source)
    weight = source.body.total_mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
    force = asked.outer_force_n / weight
    moment = asked.outer_moment_nm / (weight * asked.length_m)
    found = factor * np.concatenate([force, moment], axis=1)
    found[:, 1] = force[:, 1]
    return found


def _turned(
    made: Clip, world_wxyz: Array, target: Character, matches: Correspondence,
    environment: Environment,
) -> Clip:  # fmt: skip
    """Parts turned as near as hinges can to how they should be, wherever that puts them.

    Hinges begin at rest and go on from frame to frame: one that is asked for more than its range
    stays at its end, and does not flip to the other.
    """
    skeleton = target.skeleton
    hinges = np.array([kind == "hinge" for kind in skeleton.kinds])
    made = replace(
        made,
        rotations_wxyz=np.where(hinges[:, None], skeleton.rest_wxyz, made.rotations_wxyz),
    )
    tasks = turn_tasks(world_wxyz, target, matches)
    problem = build(Scene(made, target, environment), tasks)
    solution = unsolved(problem)
    follow(problem, solution, 0, made.frame_count - 1)
    keep_in_range(problem, solution, 0, made.frame_count - 1)
    return _with(made, solution)


def turn_tasks(world_wxyz: Array, target: Character, matches: Correspondence) -> list[Task]:
    """Parts turned so (F, J, 4): those that follow something, the outer hinge of each."""
    inner = inner_hinges(target.skeleton, matches)
    tasks: list[Task] = []
    for joint, name in enumerate(target.skeleton.joint_names):
        if matches.follows(joint) and not inner[joint]:
            recruits = Recruits(recruits_of_turn(target, joint, EVERYTHING).joints, False)
            goals = world_wxyz[:, joint]
            tasks.append(Task(name, "turn", 0, goals, recruits, 1, joint=joint))
    return tasks


def inner_hinges(skeleton: Skeleton, matches: Correspondence) -> NDArray[np.bool_]:
    """(J,) hinges whose next one follows the same joint: they make up one ball joint."""
    inner = np.zeros(skeleton.joint_count, dtype=np.bool_)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0 and skeleton.kinds[parent] == skeleton.kinds[joint] == "hinge":
            inner[parent] |= bool((matches.sources[parent] == matches.sources[joint]).all())
    return inner


def trunk_joints(target: Character) -> NDArray[np.bool_]:
    """(J,) joints that carry hips or shoulders."""
    assert target.roles is not None
    found = np.zeros(target.skeleton.joint_count, dtype=np.bool_)
    for part in ("hip", "shoulder"):
        for side in SIDES:
            joint = target.skeleton.index(target.roles.joint(f"{side}_{part}"))
            found[list(target.skeleton.ancestors(joint)[1:])] = True
    return found


def _between_hinges(
    made: Clip, world_wxyz: Array, target: Character, matches: Correspondence
) -> Array:
    """How limbs should be turned; the trunk, and parts between hinges of one joint, as they can."""
    inner = inner_hinges(made.skeleton, matches) | trunk_joints(target)
    solved = forward_kinematics(made.skeleton, *made.pose).rotations_wxyz
    return np.where(inner[:, None], solved, world_wxyz)


def tracking_m(clip: Clip, target: Character, wanted_m: Array) -> float:
    """How far knees, feet, elbows and hands are from where they should be, on average."""
    assert target.roles is not None
    joints = [
        target.skeleton.index(name)
        for role, name in target.roles.joints.items()
        if role.split("_")[-1] in _FOLLOWED
    ]
    places = forward_kinematics(clip.skeleton, *clip.pose).positions_m
    return float(np.linalg.norm((places - wanted_m)[:, joints], axis=-1).mean())


def _that_both_have(contacts: ContactSchedule, target: Character) -> ContactSchedule:
    """Contacts of parts that the target has, too: some robots have no hands."""
    has = contact_points(target)
    kept = [i for i, part in enumerate(contacts.parts) if part in has]
    parts = tuple(contacts.parts[i] for i in kept)
    return ContactSchedule(parts, contacts.touching[:, kept], contacts.rate_hz)


def _followed(
    made: Clip, ideal: BodyState, wishes: Sequence[Task], target: Character,
    environment: Environment,
) -> tuple[Clip, bool]:  # fmt: skip
    """Joints as near as they can to where they should be, and whether they were there already.

    Hinges are found frame by frame, which leaves them shaky; made smooth, they are what all frames
    together depart from as little as they must.
    """
    state = forward_kinematics(target.skeleton, *made.pose)
    off = float(np.linalg.norm(state.positions_m - ideal.positions_m, axis=-1).max())
    if off <= _ALREADY_THERE_M:
        return made, True
    problem = build(Scene(made, target, environment), wishes)
    solution = unsolved(problem)
    follow(problem, solution, 0, made.frame_count - 1)
    keep_in_range(problem, solution, 0, made.frame_count - 1)
    return _with(made, solution), False


_ALREADY_THERE_M = 1e-6
_SMOOTHED_S = 0.04
"""Standard deviation of the filter over joints that were found frame by frame."""


def _with(clip: Clip, solution: IkSolution) -> Clip:
    return replace(
        clip, root_positions_m=solution.root_positions_m, rotations_wxyz=solution.rotations_wxyz
    )


def _smoothed(clip: Clip) -> Clip:
    width = _SMOOTHED_S * clip.rate_hz
    turns = gaussian_filter1d(clip.rotations_wxyz, width, axis=0, mode="nearest")
    roots = gaussian_filter1d(clip.root_positions_m, width, axis=0, mode="nearest")
    return replace(clip, root_positions_m=roots, rotations_wxyz=rotations.normalize(turns))


def wishes_of(ideal: BodyState, target: Character) -> list[Task]:
    """Where limbs and trunk should be, as tasks that count by their weights."""
    assert target.roles is not None
    roles, skeleton = target.roles.joints, target.skeleton
    tasks: list[Task] = []
    for part, weight in _FOLLOWED.items():
        for side in SIDES:
            name = roles.get(f"{side}_{part}")
            if name is None:
                continue
            joint = skeleton.index(name)
            recruits = recruits_of_point(target, joint, np.zeros(3), EVERYTHING)
            goals = ideal.positions_m[:, joint]
            tasks.append(Task(name, "point", 0, goals, recruits, 2, weight, joint))
    for side in SIDES:
        if f"{side}_wrist" not in roles and f"{side}_hand_tip" in target.sites.names:
            site = target.sites.index(f"{side}_hand_tip")
            joint, offset = int(target.sites.joints[site]), target.sites.offsets_m[site]
            recruits = recruits_of_point(target, joint, offset, EVERYTHING)
            goals = ideal.positions_m[:, joint] + rotations.rotate(
                ideal.rotations_wxyz[:, joint], offset
            )
            weight = _FOLLOWED["wrist"]
            tasks.append(
                Task(f"{side} hand", "point", 0, goals, recruits, 2, weight, joint, offset)
            )
    for role, weight in _TURNED.items():
        name = roles.get(role)
        if name is not None:
            joint = skeleton.index(name)
            found = recruits_of_turn(target, joint, EVERYTHING)
            goals = ideal.rotations_wxyz[:, joint]
            turn = Recruits(found.joints, False)
            tasks.append(Task(name, "turn", 0, goals, turn, 2, weight, joint))
    return tasks
