"""The anatomical pose: limbs hang, however they rest, with or without wrists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Skeleton, complete_character
from poise.character.anatomical_axes import anatomical_axes
from poise.character.roles import SIDES
from poise.formats.robots import read_character
from poise.mechanics import forward_kinematics
from tests.character.held_rotations import local_rotations
from tests.shared_data import ROBOTS, needs_robots

DOWN = np.array([0.0, -1.0, 0.0])


def hanging(character: Character) -> tuple[Array, Array]:
    """(J, 3) and (J, 4) places and world rotations in the anatomical pose."""
    skeleton, roles = character.skeleton, character.roles
    assert roles is not None
    axes = anatomical_axes(skeleton, roles)
    still = np.tile(rotations.IDENTITY, (skeleton.joint_count, 1))
    local = local_rotations(axes, still)
    local[0] = skeleton.rest_wxyz[0]  # the body stands where it rests
    state = forward_kinematics(skeleton, np.zeros((1, 3)), local[None])
    return state.positions_m[0], state.rotations_wxyz[0]


def forearm(character: Character, side: str) -> Array:
    """(3,) unit, from elbow to the end of the bone, in the anatomical pose."""
    skeleton, roles = character.skeleton, character.roles
    assert roles is not None
    elbow = skeleton.index(roles.joints[f"{side}_elbow"])
    ends = skeleton.end_sites
    mine = ends.offsets_m[ends.joints == elbow]
    tip = mine[int(np.linalg.norm(mine, axis=1).argmax())]
    turned = rotations.rotate(hanging(character)[1][elbow], tip)
    return turned / np.linalg.norm(turned)


H1 = ("unitree_h1/h1_nomesh.xml", "unitree_h1/h1.urdf")


@needs_robots
@pytest.mark.parametrize("file", H1)
def test_forearms_without_wrists_hang_though_they_rest_forward(file: str) -> None:
    h1 = complete_character(read_character(ROBOTS / file))
    assert h1.roles is not None and "left_wrist" not in h1.roles.joints
    for side in SIDES:
        elbow = h1.skeleton.index(h1.roles.joints[f"{side}_elbow"])
        ends = h1.skeleton.end_sites
        rest = rotations.rotate(
            h1.skeleton.rest_world_wxyz[elbow], ends.offsets_m[ends.joints == elbow][0]
        )
        assert abs(rest[1]) < 0.2 * np.linalg.norm(rest)  # level, as it stands
        np.testing.assert_allclose(forearm(h1, side), DOWN, atol=1e-6)


@needs_robots
@pytest.mark.parametrize("file", [*H1, "unitree_g1/g1_nomesh.xml"])
def test_upper_arms_and_legs_hang_too(file: str) -> None:
    robot = complete_character(read_character(ROBOTS / file))
    assert robot.roles is not None
    places, joints = hanging(robot)[0], robot.roles.joints
    for side in SIDES:
        for top, bottom in (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow")):
            a, b = (robot.skeleton.index(joints[f"{side}_{role}"]) for role in (top, bottom))
            bone = places[b] - places[a]
            np.testing.assert_allclose(bone / np.linalg.norm(bone), DOWN, atol=1e-6)


def handless(forward: float) -> Character:
    """The sample's figure without hands, whose forearms rest turned forward by an angle."""
    from poise.character.skeleton import Sites
    from poise.samples import human_skeleton

    whole = human_skeleton()
    lost = {"LeftHand", "RightHand"}
    kept = [
        j for j in range(whole.joint_count)
        if not lost & {whole.joint_names[a] for a in whole.ancestors(j)}
    ]  # fmt: skip
    number = {old: new for new, old in enumerate(kept)}
    rest = whole.rest_wxyz.copy()
    names, joints, tips = list[str](), list[int](), list[Array]()
    for side in ("Left", "Right"):
        elbow, hand = whole.index(f"{side}ForeArm"), whole.index(f"{side}Hand")
        along = rotations.rotate(whole.rest_world_wxyz[elbow], whole.offsets_m[hand])
        wanted = np.cos(forward) * along + np.sin(forward) * np.linalg.norm(along) * np.array(
            [0.0, 0.0, 1.0]
        )
        turn = rotations.between_vectors(along, wanted)
        world = rotations.multiply(turn, whole.rest_world_wxyz[elbow])
        up = whole.rest_world_wxyz[whole.parents[elbow]]
        rest[elbow] = rotations.multiply(rotations.conjugate(up), world)
        names.append(f"{side}ForeArm_tip")
        joints.append(number[elbow])
        tips.append(whole.offsets_m[hand] * 1.6)
    own = whole.end_sites
    for name, joint, offset in zip(own.names, own.joints.tolist(), own.offsets_m, strict=True):
        if joint in number:
            names.append(name)
            joints.append(number[joint])
            tips.append(offset)
    skeleton = Skeleton(
        tuple(whole.joint_names[j] for j in kept),
        np.array([-1, *(number[int(whole.parents[j])] for j in kept[1:])]),
        whole.offsets_m[kept],
        rest[kept],
        end_sites=Sites(tuple(names), np.array(joints), np.array(tips)),
    )
    return complete_character(skeleton)


@pytest.mark.parametrize("forward", [0.0, 0.7, np.pi / 2])
def test_forearms_of_a_made_figure_hang_however_they_rest(forward: float) -> None:
    figure = handless(forward)
    assert figure.roles is not None and "left_wrist" not in figure.roles.joints
    for side in SIDES:
        np.testing.assert_allclose(forearm(figure, side), DOWN, atol=1e-6)


def test_forearms_that_show_no_end_are_left_as_the_upper_arms_turn_them() -> None:
    figure = handless(0.7)
    ends = figure.skeleton.end_sites
    elbows = [figure.skeleton.index(f"{side}ForeArm") for side in ("Left", "Right")]
    kept = [i for i, joint in enumerate(ends.joints.tolist()) if joint not in elbows]
    fewer = type(ends)(
        tuple(ends.names[i] for i in kept), ends.joints[kept], ends.offsets_m[kept]
    )  # fmt: skip
    bare = replace(figure.skeleton, end_sites=fewer)
    assert figure.roles is not None
    axes = anatomical_axes(bare, figure.roles)
    assert np.isfinite(axes.own_wxyz).all()
    turns = axes.turns(bare.rest_wxyz)[elbows]
    np.testing.assert_allclose(np.abs(turns[:, 0]), 1.0, atol=1e-9)
