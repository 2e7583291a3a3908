"""Roles of known skeletons, joint by joint; refusals of what is no human figure."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise import rotations
from poise.character import Skeleton
from poise.character.complete import character_from
from poise.character.role_detection import find_partial_roles, find_roles
from poise.character.role_file import RoleOverrides
from poise.character.role_sites import role_sites
from poise.character.roles import JOINT_ROLES
from poise.errors import MissingRoles, UnknownName
from poise.formats.table import load_clip
from tests.character import known_skeletons as known
from tests.shared_data import MOCAP, needs_mocap

TRUNK = ("pelvis", "spine", "chest", "neck", "head")
LIMBS = ("collar", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")


def expected(trunk: str, limbs: str, left: str, right: str, separator: str = " ") -> dict[str, str]:
    """Roles from two lists of names (`-` for none); `@` stands for the side."""
    roles = dict(zip(TRUNK, trunk.split(separator), strict=True))
    for side, word in (("left", left), ("right", right)):
        for part, name in zip(LIMBS, limbs.split(separator), strict=True):
            roles[f"{side}_{part}"] = name.replace("@", word)
    return {role: name for role, name in roles.items() if name != "-"}


MOTION_BUILDER = "@Shoulder @Arm @ForeArm @Hand @UpLeg @Leg @Foot @ToeBase"
UNREAL = "clavicle@ upperarm@ lowerarm@ hand@ thigh@ calf@ foot@ ball@"
SMPL = "@Collar @Shoulder @Elbow @Wrist @Hip @Knee @Ankle @Foot"
BIPED = (
    "Bip01@Clavicle,Bip01@UpperArm,Bip01@Forearm,Bip01@Hand,"
    "Bip01@Thigh,Bip01@Calf,Bip01@Foot,Bip01@Toe0"
)

FAMILIES: dict[str, tuple[Skeleton, str, dict[str, str]]] = {
    "mixamo": (
        known.mixamo(),
        "Mixamo",
        expected(
            "P:Hips P:Spine P:Spine2 P:Neck P:Head".replace("P", "mixamorig"),
            MOTION_BUILDER.replace("@", "mixamorig:@"),
            "Left",
            "Right",
        ),
    ),
    "mixamo, numbered": (
        known.mixamo("mixamorig1:"),
        "Mixamo",
        expected(
            "P:Hips P:Spine P:Spine2 P:Neck P:Head".replace("P", "mixamorig1"),
            MOTION_BUILDER.replace("@", "mixamorig1:@"),
            "Left",
            "Right",
        ),
    ),
    "mixamo, bare": (
        known.mixamo(""),
        "Mixamo",
        expected("Hips Spine Spine2 Neck Head", MOTION_BUILDER, "Left", "Right"),
    ),
    "unreal 4": (
        known.unreal4(),
        "Unreal mannequin",
        expected("pelvis spine_01 spine_03 neck_01 head", UNREAL, "_l", "_r"),
    ),
    "unreal 5": (
        known.unreal5(),
        "Unreal mannequin",
        expected("pelvis spine_01 spine_05 neck_01 head", UNREAL, "_l", "_r"),
    ),
    "smpl": (
        known.smpl(),
        "SMPL",
        expected("Pelvis Spine1 Spine3 Neck Head", SMPL, "L_", "R_"),
    ),
    "smpl, lower case": (
        known.smpl_lower(),
        "SMPL",
        expected("pelvis spine1 spine3 neck head", SMPL.lower(), "left_", "right_"),
    ),
    "smpl, template": (
        known.smpl_template(),
        "SMPL",
        expected(
            "m_avg_Pelvis m_avg_Spine1 m_avg_Spine3 m_avg_Neck m_avg_Head",
            SMPL.replace("@", "m_avg_@"),
            "L_",
            "R_",
        ),
    ),
    "lafan1": (
        known.lafan1(),
        "LAFAN1",
        expected(
            "Hips Spine Spine2 Neck Head",
            MOTION_BUILDER.replace("ToeBase", "Toe"),
            "Left",
            "Right",
        ),
    ),
    "rokoko": (
        known.rokoko(),
        "Rokoko",
        expected(
            "Hips Spine1 Spine4 Neck Head",
            "@Shoulder @Arm @ForeArm @Hand @Thigh @Shin @Foot @Toe",
            "Left",
            "Right",
        ),
    ),
    "vroid": (
        known.vroid(),
        "VRM humanoid",
        expected(
            "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_UpperChest J_Bip_C_Neck J_Bip_C_Head",
            "@Shoulder @UpperArm @LowerArm @Hand @UpperLeg @LowerLeg @Foot @ToeBase",
            "J_Bip_L_",
            "J_Bip_R_",
        ),
    ),
    "rigify": (
        known.rigify(),
        "Rigify",
        expected(
            "spine spine.001 spine.003 spine.004 spine.006",
            "shoulder@ upper_arm@ forearm@ hand@ thigh@ shin@ foot@ toe@",
            ".L",
            ".R",
        ),
    ),
    "biped": (
        known.biped(),
        "Biped",
        expected(
            "Bip01 Pelvis,Bip01 Spine,Bip01 Spine2,Bip01 Neck,Bip01 Head", BIPED, " L ", " R ", ","
        ),
    ),
    "xsens": (
        known.xsens(),
        "Xsens MVN",
        expected(
            "Pelvis L5 T8 Neck Head",
            "@Shoulder @UpperArm @ForeArm @Hand @UpperLeg @LowerLeg @Foot @Toe",
            "Left",
            "Right",
        ),
    ),
    "cmu asf": (
        known.cmu_asf(),
        "CMU (ASF)",
        expected(
            "root lowerback thorax lowerneck head",
            "@clavicle @humerus @radius @wrist @femur @tibia @foot @toes",
            "l",
            "r",
        ),
    ),
}

REAL: dict[str, tuple[str, dict[str, str], tuple[float, float, float]]] = {
    "cmu/02_01.bvh": (
        "CMU",
        expected("Hips LowerBack Spine1 Neck Head", MOTION_BUILDER, "Left", "Right"),
        (0, 0, 1),
    ),
    "cmu_3dsmax/131_01.bvh": (
        "CMU (3ds Max conversion)",
        expected(
            "Hips lowerback Chest2 lowerneck Head",
            "@Collar @Shoulder @Elbow @Wrist @Hip @Knee @Ankle @Toe",
            "Left",
            "Right",
        ),
        (0, 0, 1),
    ),
    "tennis/adorozco_Reves_8seg.bvh": (
        "OptiTrack",
        expected(
            "Hips - Chest Neck Head",
            "@Collar @Shoulder @Elbow @Wrist @Hip @Knee @Ankle -",
            "Left",
            "Right",
        ),
        (0, 0, 1),
    ),
    "addbio_grf/arnold_subject01/arnold_subject01_walk2.bvh": (
        "force-plate set (OpenSim)",
        expected(
            "Hips - Torso Neck -",
            "- @Arm @ForeArm @Hand @UpLeg @Leg @Foot @ToeBase",
            "Left",
            "Right",
        ),
        (1, 0, 0),
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_roles_of_known_skeletons(family: str) -> None:
    skeleton, convention, wanted = FAMILIES[family]
    roles = find_roles(skeleton)
    assert dict(roles.joints) == wanted
    assert roles.convention == convention
    if family != "lafan1":
        assert roles.forward == pytest.approx([0, 0, 1], abs=0.02)
        assert roles.notes == ()


@needs_mocap
@pytest.mark.parametrize("file", REAL)
def test_roles_of_real_clips(file: str) -> None:
    convention, wanted, forward = REAL[file]
    roles = find_roles(load_clip(MOCAP / file).skeleton)
    assert dict(roles.joints) == wanted
    assert roles.convention == convention
    assert roles.forward == pytest.approx(forward, abs=0.05)
    assert roles.notes == ()


def test_a_bone_axis_rest_pose_gives_forward_square_to_the_trunk() -> None:
    roles = find_roles(known.lafan1())
    assert roles.forward == pytest.approx([0, 1, 0], abs=0.1)  # Hips: X up, Z left
    assert any("not a standing one" in note for note in roles.notes)


def test_a_standing_pose_tells_what_a_bone_axis_rest_pose_cannot() -> None:
    skeleton = known.lafan1()
    standing = skeleton.rest_wxyz.copy()
    # X of the hips up, Y forward; thighs turned down, feet turned forward; arms out.
    standing[0] = rotations.from_matrix(np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]))
    half_turn = rotations.from_axis_angle(np.array([0, 0, 1.0]), np.array(np.pi))
    quarter = rotations.from_axis_angle(np.array([0, 0, 1.0]), np.array(-np.pi / 3))
    for side in ("Left", "Right"):
        standing[skeleton.index(f"{side}UpLeg")] = half_turn
        standing[skeleton.index(f"{side}Foot")] = quarter
    character = character_from(replace(skeleton, standing_wxyz=standing))
    assert character.roles is not None
    assert character.roles.forward == pytest.approx([0, 0, 1], abs=0.02)
    assert {"left_heel", "right_heel", "left_toe_tip"} <= set(character.sites.names)


def nameless(skeleton: Skeleton) -> Skeleton:
    return known.renamed(skeleton, [f"joint_{i}" for i in range(skeleton.joint_count)])


@pytest.mark.parametrize(
    "family", ["mixamo", "smpl", "rokoko", "xsens", "cmu asf", "vroid", "unreal 4"]
)
def test_names_that_say_nothing_leave_the_shape(family: str) -> None:
    skeleton, _, wanted = FAMILIES[family]
    roles = find_roles(nameless(skeleton))
    assert roles.convention == "shape alone"
    assert any("shape of the tree" in note for note in roles.notes)
    for role in JOINT_ROLES:
        if role in wanted:
            index = skeleton.joint_names.index(wanted[role])
            assert roles.joints.get(role) == f"joint_{index}", role


@needs_mocap
@pytest.mark.parametrize(
    "file", ["cmu/02_01.bvh", "cmu_3dsmax/131_01.bvh", "tennis/adorozco_Reves_8seg.bvh"]
)
def test_real_skeletons_are_recognised_by_shape(file: str) -> None:
    skeleton = load_clip(MOCAP / file).skeleton
    wanted = REAL[file][1]
    roles = find_roles(nameless(skeleton))
    for role in (
        "pelvis",
        "chest",
        "left_hip",
        "left_knee",
        "right_ankle",
        "left_shoulder",
        "right_elbow",
        "left_wrist",
    ):
        assert roles.joints[role] == f"joint_{skeleton.index(wanted[role])}", role


def test_shape_tells_left_from_right_by_the_feet_wherever_the_figure_faces() -> None:
    skeleton = nameless(known.mixamo())
    for turn in (0.3, 1.5, 3.0, 4.5):
        rest = skeleton.rest_wxyz.copy()
        rest[0] = rotations.from_axis_angle(np.array([0, 1.0, 0]), np.array(turn))
        turned = replace(skeleton, rest_wxyz=rest)
        roles = find_roles(turned)
        assert dict(roles.joints) == dict(find_roles(skeleton).joints)
        assert roles.forward == pytest.approx([np.sin(turn), 0, np.cos(turn)], abs=0.02)


def swapped(skeleton: Skeleton) -> Skeleton:
    names = [
        n.replace("Left", "#").replace("Right", "Left").replace("#", "Right")
        for n in skeleton.joint_names
    ]
    return replace(skeleton, joint_names=tuple(names))


def test_left_on_the_right_is_kept_and_told() -> None:
    roles = find_roles(swapped(known.mixamo("")))
    assert roles.joint("left_knee") == "LeftLeg"
    assert any("swapped" in note for note in roles.notes)


def test_a_dog_with_human_names_is_refused_with_the_reason() -> None:
    with pytest.raises(MissingRoles, match="four-legged"):
        find_roles(known.dog())
    assert dict(find_partial_roles(known.dog()).joints) == {}
    with pytest.raises(MissingRoles):
        find_roles(nameless(known.dog()))


@pytest.mark.parametrize("arms_hang", [False, True])
def test_somebody_seated_is_not_a_dog(arms_hang: bool) -> None:
    skeleton = known.mixamo("")
    rest = skeleton.rest_wxyz.copy()
    forward_turn = rotations.from_axis_angle(np.array([1.0, 0, 0]), np.array(-np.pi / 2))
    for side in ("Left", "Right"):
        rest[skeleton.index(f"{side}UpLeg")] = forward_turn
        if arms_hang:
            down = np.array(-np.pi / 2 if side == "Left" else np.pi / 2)
            rest[skeleton.index(f"{side}Arm")] = rotations.from_axis_angle([0, 0, 1.0], down)
    roles = find_roles(replace(skeleton, rest_wxyz=rest))
    assert dict(roles.joints) == dict(find_roles(skeleton).joints)
    assert any("not a standing one" in note for note in roles.notes)


@pytest.mark.parametrize("seed", range(30))
def test_random_trees_are_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 60))
    parents = np.array([-1, *(int(rng.integers(0, j)) for j in range(1, count))])
    names = tuple(f"node{j}" for j in range(count))
    tree = Skeleton(names, parents, rng.normal(size=(count, 3)))
    with pytest.raises(MissingRoles):
        find_roles(tree)


def without(skeleton: Skeleton, *words: str) -> Skeleton:
    keep = [
        j
        for j in range(skeleton.joint_count)
        if not any(w in skeleton.joint_names[a] for w in words for a in skeleton.ancestors(j))
    ]
    new = {old: at for at, old in enumerate(keep)}
    return Skeleton(
        tuple(skeleton.joint_names[j] for j in keep),
        np.array([new.get(int(skeleton.parents[j]), -1) for j in keep]),
        skeleton.offsets_m[keep],
    )


def test_a_figure_without_arms_says_so_and_still_shows_its_legs() -> None:
    skeleton = without(known.mixamo(""), "Shoulder")
    with pytest.raises(MissingRoles) as caught:
        find_roles(skeleton)
    assert set(caught.value.missing) == {
        f"{side}_{part}" for side in ("left", "right") for part in ("shoulder", "elbow")
    }
    assert caught.value.found["left_knee"] == "LeftLeg"
    assert "Spine1" in caught.value.unused
    partial = find_partial_roles(skeleton)
    assert partial.joint("right_ankle") == "RightFoot"
    assert partial.missing == caught.value.missing


def test_a_forearm_with_unknown_joints_lacks_a_wrist_but_a_bare_one_does_not() -> None:
    skeleton = known.xsens()
    names = [n.replace("Hand", "Thing") for n in skeleton.joint_names]
    with pytest.raises(MissingRoles, match="left_wrist"):
        find_roles(without(known.renamed(skeleton, names), "T8x"))
    roles = find_roles(without(skeleton, "Hand"))
    assert "left_wrist" not in roles.joints
    assert any("No left wrist" in note for note in roles.notes)


def test_overrides_win_and_the_rest_is_found_around_them() -> None:
    skeleton = known.mixamo("")
    names = ["Zorp" if n == "LeftLeg" else n for n in skeleton.joint_names]
    odd = known.renamed(skeleton, names)
    assert find_roles(odd, {"left_knee": "Zorp"}).joint("left_knee") == "Zorp"
    roles = find_roles(skeleton, {"chest": "Spine1"})
    assert roles.joint("chest") == "Spine1"
    assert roles.joint("left_elbow") == "LeftForeArm"
    forced = find_roles(skeleton, RoleOverrides({}, np.array([1.0, 0, 0])))
    assert forced.forward == pytest.approx([1, 0, 0])


def test_one_unknown_name_is_filled_from_the_shape() -> None:
    skeleton = known.mixamo("")
    names = ["Zorp" if n == "LeftLeg" else n for n in skeleton.joint_names]
    roles = find_roles(known.renamed(skeleton, names))
    assert roles.joint("left_knee") == "Zorp"
    assert any("shape" in note for note in roles.notes)


def test_overrides_that_do_not_exist_are_unknown_names() -> None:
    with pytest.raises(UnknownName, match="left_knee"):
        find_roles(known.mixamo(), {"left_kne": "LeftLeg"})
    with pytest.raises(UnknownName, match="mixamorig:LeftLeg"):
        find_roles(known.mixamo(), {"left_knee": "mixamorig:LeftLegg"})


WORDS = st.sampled_from(
    "Left Right L_ R_ Hip Leg UpLeg Foot Toe Arm Shoulder Hand Head Neck Hips twist ik heel".split()
)


@st.composite
def trees(draw: st.DrawFn) -> Skeleton:
    count = draw(st.integers(1, 24))
    parents = [-1] + [draw(st.integers(0, j - 1)) for j in range(1, count)]
    names = [f"{draw(WORDS)}{draw(WORDS)}{j}" for j in range(count)]
    number = st.sampled_from([0.0, 0.0, 0.1, -0.1, 0.4, -0.4])
    offsets = [[draw(number) for _ in range(3)] for _ in range(count)]
    return Skeleton(tuple(names), np.array(parents), np.array(offsets))


@settings(max_examples=150, deadline=None)
@given(trees())
def test_any_tree_gives_roles_that_hang_together_or_a_clear_refusal(tree: Skeleton) -> None:
    partial = find_partial_roles(tree)
    role_sites(tree, partial)
    for side in ("left", "right"):
        line = [partial.joints.get(f"{side}_{part}") for part in ("hip", "knee", "ankle", "toe")]
        known_joints = [tree.index(name) for name in line if name is not None]
        for above, below in pairwise(known_joints):
            assert above in tree.ancestors(below)[1:]
    try:
        roles = find_roles(tree)
    except MissingRoles:
        return
    assert len(set(roles.joints.values())) == len(roles.joints)


def test_huge_and_deep_trees_are_refused_quickly() -> None:
    count = 10_000
    names = tuple(f"LeftLeg{'x' * (j % 7)}{j}" for j in range(count))
    chain = Skeleton(names, np.arange(-1, count - 1), np.ones((count, 3)))
    star = Skeleton(names, np.array([-1] + [0] * (count - 1)), np.ones((count, 3)))
    for tree in (chain, star):
        with pytest.raises(MissingRoles) as caught:
            find_roles(tree)
        assert len(str(caught.value)) < 5_000
