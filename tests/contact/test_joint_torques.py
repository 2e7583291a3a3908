from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Skeleton
from poise.contact import (
    clip_dynamics,
    contact_wrenches,
    detect_contacts,
    joint_torques,
    reaction_forces,
    torque_ratios,
    touching_points,
)
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.mechanics import GRAVITY_M_S2, JointForces
from poise.samples import walk
from tests.contact.plate_forces import FEET, RUNS, plates
from tests.contact.standing import moved, schedule, standing
from tests.shared_data import needs_mocap


def test_what_the_forces_do_not_explain_stays_at_the_root() -> None:
    clip, character = walk(2.0), standing()[1]
    dynamics = clip_dynamics(clip, character)
    contacts = detect_contacts(clip, character, parts=FEET)
    points = touching_points(dynamics.state, character, contacts, Environment.flat())
    reaction = reaction_forces(dynamics, points)
    forces = joint_torques(dynamics, reaction)
    assert np.allclose(forces.root_force_n, reaction.missing_force_n, atol=1e-8)
    arm = dynamics.com_m - dynamics.state.positions_m[:, 0]
    about_root = reaction.missing_moment_nm + np.cross(arm, reaction.missing_force_n)
    assert np.allclose(forces.root_moment_nm, about_root, atol=1e-8)


def test_standing_legs_carry_half_each_by_the_lever_rule() -> None:
    # At rest a joint's moment balances the ground's force on its leg and the weight below it.
    clip, character, floor = standing()
    dynamics = clip_dynamics(clip, character)
    points = touching_points(dynamics.state, character, schedule(40), floor)
    reaction = reaction_forces(dynamics, points)
    forces = joint_torques(dynamics, reaction)
    assert character.roles is not None
    skeleton, body, state = clip.skeleton, dynamics.body, dynamics.state
    for side in ("left", "right"):
        knee = skeleton.index(character.roles.joint(f"{side}_knee"))
        below = [j for j in range(skeleton.joint_count) if knee in _ancestors(skeleton, j)]
        origin = state.positions_m[0, knee]
        mine = np.flatnonzero(points.owners == points.parts.index(f"{side}_foot"))
        moment = reaction.torques_nm[0, points.parts.index(f"{side}_foot")].copy()
        for c in mine:
            moment += np.cross(points.places_m[0, c] - origin, reaction.forces_n[0, c])
        for j in below:
            center = state.positions_m[0, j] + rotations.rotate(
                state.rotations_wxyz[0, j], body.centers_m[j]
            )
            moment += np.cross(center - origin, body.masses_kg[j] * GRAVITY_M_S2)
        ours = rotations.rotate(state.rotations_wxyz[0, knee], forces.joint_moments_nm[0, knee])
        assert np.allclose(ours, -moment, atol=1e-6)


def _ancestors(skeleton: Skeleton, joint: int) -> set[int]:
    found = {joint}
    while skeleton.parents[joint] >= 0:
        joint = int(skeleton.parents[joint])
        found.add(joint)
    return found


def test_wrenches_add_up_to_the_reaction() -> None:
    clip, character, floor = standing()
    t = np.linspace(0, 6, 40)[:, None]
    swaying = moved(clip, np.hstack([0.03 * np.sin(t), 0 * t, 0.03 * np.cos(t)]))
    dynamics = clip_dynamics(swaying, character)
    points = touching_points(dynamics.state, character, schedule(40), floor)
    reaction = reaction_forces(dynamics, points)
    wrenches = contact_wrenches(dynamics, reaction)
    assert np.allclose(wrenches.forces_n.sum(axis=1), reaction.forces_n.sum(axis=1))
    arms = dynamics.state.positions_m[:, list(wrenches.joints)] - dynamics.com_m[:, None]
    moment = (wrenches.moments_nm + np.cross(arms, wrenches.forces_n)).sum(axis=1)
    wanted = dynamics.outer_moment_nm - reaction.missing_moment_nm
    assert np.allclose(moment, wanted, atol=1e-8)


def three_joints() -> Skeleton:
    """A root, a ball, a hinge about (0, 0.6, 0.8) and a fixed joint."""
    return Skeleton(
        ("root", "ball", "hinge", "fixed"),
        np.array([-1, 0, 1, 2]),
        np.tile([0.0, 0.1, 0.0], (4, 1)),
        kinds=("ball", "ball", "hinge", "fixed"),
        hinge_axes=np.array([[0, 0, 0], [0, 0, 0], [0, 0.6, 0.8], [0, 0, 0]], dtype=float),
    )


def ratios(moments: Array, limits: Array) -> Array:
    skeleton = three_joints()
    forces = JointForces(skeleton, moments[None], np.zeros((1, 3)), np.zeros((1, 3)))
    return torque_ratios(Character(skeleton, torque_limits_nm=limits), forces)[0]


def test_ratios_follow_the_freedoms() -> None:
    limits = np.full((4, 3), 10.0)
    limits[1] = [10.0, 20.0, np.inf]
    limits[2] = [5.0, 0.1, 0.1]
    moments = np.array([[99.0, 0, 0], [-5, 12, 1000], [50, 3, 4], [77, 7, 7]])
    # The ball: max(5/10, 12/20, 0); the hinge: (3·0.6 + 4·0.8)/5.
    assert np.allclose(ratios(moments, limits), [0.0, 0.6, 1.0, 0.0])


def test_unknown_limits_never_count_and_a_limit_of_zero_always_does() -> None:
    moments = np.ones((4, 3))
    assert not ratios(moments, np.full((4, 3), np.inf)).any()
    limits = np.full((4, 3), np.inf)
    limits[1, 0] = 0.0
    assert ratios(moments, limits)[1] == np.inf
    assert ratios(np.zeros((4, 3)), limits)[1] == 0.0


def test_strength_that_knows_directions_counts_where_it_is_known() -> None:
    clip, character, _ = standing(10)
    assert character.roles is not None and character.strength is not None
    knee = clip.skeleton.index(character.roles.joint("left_knee"))
    low, high = character.strength.limits_nm[knee, 0]  # about the left: flexion and extension
    assert -low != pytest.approx(high)
    for share, limit in ((0.5, low), (2.0, high)):
        moments = np.zeros((1, clip.skeleton.joint_count, 3))
        # Rest frames are the world's in this skeleton, and it faces +Z: left is +X.
        moments[0, knee, 0] = share * limit
        moments[0, 0] = 1e6
        found = torque_ratios(
            character, JointForces(clip.skeleton, moments, np.zeros((1, 3)), np.zeros((1, 3)))
        )[0]
        assert found[knee] == pytest.approx(share)
        assert np.count_nonzero(found) == 1


def test_misuse_is_named() -> None:
    clip, character, _ = standing(10)
    forces = JointForces(three_joints(), np.zeros((1, 4, 3)), np.zeros((1, 3)), np.zeros((1, 3)))
    with pytest.raises(BadShape, match="joint_moments_nm"):
        torque_ratios(character, forces)
    with pytest.raises(BadValue, match="body"):
        clip_dynamics(clip, Character(clip.skeleton))


@needs_mocap
@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_torques_of_running_are_those_of_another_engine_with_the_plates_forces(path: Path) -> None:
    """OpenSim's inverse dynamics knew the measured forces; ours had to find them."""
    trial = plates(path)
    dynamics = clip_dynamics(trial.clip, trial.character)
    points = touching_points(dynamics.state, trial.character, trial.truth, Environment.flat())
    forces = joint_torques(dynamics, reaction_forces(dynamics, points))
    world = rotations.rotate(dynamics.state.rotations_wxyz, forces.joint_moments_nm)
    theirs = _storage(path.with_name(f"{path.stem.rsplit('_', 1)[-1]}_id.sto"))
    times = np.arange(trial.clip.frame_count) / trial.clip.rate_hz
    assert trial.character.roles is not None
    inner = slice(6, -6)  # derivatives at a clip's ends know only one side
    for role, column in (("hip", "hip_flexion"), ("knee", "knee_angle"), ("ankle", "ankle_angle")):
        for side in ("left", "right"):
            joint = trial.clip.skeleton.index(trial.character.roles.joint(f"{side}_{role}"))
            reference = np.interp(
                times,
                theirs["time"] - theirs["time"][0],
                theirs[f"{column}_{side[0]}_moment"],
            )[inner]
            ours = world[inner, joint, 2]  # they run along +X, so flexion is about Z
            error = np.sqrt(np.mean((ours - reference) ** 2))
            assert np.corrcoef(ours, reference)[0, 1] > 0.94
            assert error < 0.12 * np.ptp(reference)


def _storage(path: Path) -> dict[str, Array]:
    lines = path.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip() == "endheader") + 1
    rows = np.array([[float(x) for x in line.split()] for line in lines[start + 1 :] if line])
    return dict(zip(lines[start].split(), rows.T, strict=True))
