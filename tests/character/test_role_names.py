"""How names are taken apart."""

from __future__ import annotations

import pytest

from poise.character.role_names import convention_of, name_parts


@pytest.mark.parametrize(
    ("name", "side", "key"),
    [
        ("LeftUpLeg", "left", "upleg"),
        ("mixamorig:RightForeArm", "right", "forearm"),
        ("mixamorig12_LeftHand", "left", "hand"),
        ("Armature|thigh_l", "left", "thigh"),
        ("upper_arm.R", "right", "upperarm"),
        ("Bip001 L Thigh", "left", "thigh"),
        ("Bip01_R_Foot", "right", "foot"),
        ("ValveBiped.Bip01_L_Calf", "left", "calf"),
        ("m_avg_R_Knee", "right", "knee"),
        ("CC_Base_L_Upperarm", "left", "upperarm"),
        ("DEF-shin.L", "left", "shin"),
        ("J_Bip_C_Hips", None, "hips"),
        ("lfemur", "left", "femur"),
        ("rclavicle", "right", "clavicle"),
        ("leftupleg", "left", "upleg"),
        ("lThighBend", "left", "thigh"),
        ("LHipJoint", "left", "hipjoint"),
        ("Spine3", None, "spine"),
        ("neck_01", None, "neck"),
        ("LeftHeel", "left", "heel"),
        ("Lowerback", None, "lowerback"),  # no left one
        ("root", None, "root"),  # no right one
    ],
)
def test_sides_and_words(name: str, side: str | None, key: str) -> None:
    parts = name_parts(name)
    assert (parts.side, parts.key) == (side, key)


@pytest.mark.parametrize(
    "name",
    [
        "upperarm_twist_01_l",
        "ik_foot_l",
        "LeftHandIndex1",
        "LThumb",
        "LeftForeArmRoll",
        "Bip01 L Toe0Nub",
    ],
)
def test_helpers_and_fingers_are_no_body_parts(name: str) -> None:
    assert name_parts(name).helper
    assert name_parts(name).limb_parts == {}


def test_on_robots_pitch_roll_and_yaw_are_axes() -> None:
    for axis in ("pitch", "roll", "yaw"):
        parts = name_parts(f"left_hip_{axis}_joint", hinged=True)
        assert (parts.side, parts.key, parts.helper) == ("left", "hip", False)
    assert name_parts("left_hip_joint", hinged=True).key == "hip"
    fused = name_parts("lfemurrx", hinged=True)
    assert (fused.side, fused.key) == ("left", "femur")
    assert name_parts("headrx", hinged=True).trunk_part == "head"


@pytest.mark.parametrize("name", ["", ":", "___", "123", "☃", "L", "left", "x" * 100_000])
def test_names_without_words_are_harmless(name: str) -> None:
    assert name_parts(name).limb_parts == {}
    assert convention_of([name]) == "mixed names"
