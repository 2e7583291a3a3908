"""Small hierarchies of well-known skeletons, written by hand: names, tree, rounded offsets in cm.

One line per joint: the name, then the offset from its parent, indented by depth. A line that starts
with `^` is an end site. `both` adds a limb's mirror image: X changes sign, left names turn right.
"""

from __future__ import annotations

import numpy as np

from poise.character import Sites, Skeleton


def skeleton_from(outline: str, metres: float = 0.01) -> Skeleton:
    names: list[str] = []
    parents: list[int] = []
    offsets: list[list[float]] = []
    ends: list[tuple[str, int, list[float]]] = []
    open_joints: list[tuple[int, int]] = []
    for line in filter(str.strip, outline.splitlines()):
        depth = len(line) - len(line.lstrip())
        *words, x, y, z = line.split()
        name, offset = " ".join(words), [float(v) * metres for v in (x, y, z)]
        while open_joints and open_joints[-1][0] >= depth:
            open_joints.pop()
        parent = open_joints[-1][1] if open_joints else -1
        if name == "^":
            ends.append((f"{names[parent]}_end", parent, offset))
            continue
        open_joints.append((depth, len(names)))
        names.append(name)
        parents.append(parent)
        offsets.append(offset)
    sites = Sites(
        tuple(name for name, _, _ in ends),
        np.array([joint for _, joint, _ in ends], dtype=np.int64),
        np.array([offset for _, _, offset in ends]).reshape(-1, 3),
    )
    return Skeleton(tuple(names), np.array(parents), np.array(offsets), end_sites=sites)


def indented(block: str, by: int) -> str:
    return "\n".join(" " * by + line for line in block.splitlines())


def both(limb: str, left: str, right: str, axis: int = 0) -> str:
    """The limb, and its mirror image."""
    mirrored: list[str] = []
    for line in filter(str.strip, limb.splitlines()):
        depth = len(line) - len(line.lstrip())
        *words, x, y, z = line.split()
        values = [float(x), float(y), float(z)]
        values[axis] = -values[axis]
        name = " ".join(words).replace(left, right)
        mirrored.append(" " * depth + f"{name} {values[0]} {values[1]} {values[2]}")
    return limb.strip("\n") + "\n" + "\n".join(mirrored) + "\n"


def renamed(skeleton: Skeleton, names: list[str]) -> Skeleton:
    return Skeleton(
        tuple(names),
        skeleton.parents,
        skeleton.offsets_m,
        end_sites=Sites(
            tuple(f"end_{i}" for i in range(len(skeleton.end_sites))),
            skeleton.end_sites.joints,
            skeleton.end_sites.offsets_m,
        ),
    )


_MIXAMO_LEG = """
P:LeftUpLeg 9.1 -6.7 -0.1
 P:LeftLeg 0 -40.6 0
  P:LeftFoot 0 -42.1 0
   P:LeftToeBase 0 -10.5 15.7
    P:LeftToe_End 0 0 10.0
"""
_MIXAMO_ARM = """
P:LeftShoulder 6.1 9.1 0.8
 P:LeftArm 12.9 -0.1 -2.5
  P:LeftForeArm 27.4 0 0
   P:LeftHand 27.6 0 0
    P:LeftHandThumb1 3.0 -3.8 2.2
     P:LeftHandThumb2 3.0 -1.9 2.0
    P:LeftHandIndex1 12.3 -0.2 2.8
     P:LeftHandIndex2 3.9 0 0
      P:LeftHandIndex3 3.4 0 0
       P:LeftHandIndex4 3.1 0 0
"""


def mixamo(prefix: str = "mixamorig:") -> Skeleton:
    outline = (
        "P:Hips 0 99.8 0\n"
        " P:Spine 0 9.9 -1.2\n"
        "  P:Spine1 0 11.7 0\n"
        "   P:Spine2 0 13.5 0\n"
        "    P:Neck 0 15.0 0.9\n"
        "     P:Head 0 10.3 3.1\n"
        "      P:HeadTop_End 0 18.5 6.6\n"
        + indented(both(_MIXAMO_ARM, "Left", "Right"), 4)
        + "\n"
        + indented(both(_MIXAMO_LEG, "Left", "Right"), 1)
    )
    return skeleton_from(outline.replace("P:", prefix))


_UNREAL_LEG = """
thigh_l 9.0 -1.4 -0.5
 calf_l 2.5 -42.5 0.8
  calf_twist_01_l 1.2 -20.5 -0.5
  foot_l 2.3 -40.1 -3.0
   ball_l 1.8 -10.6 16.4
 thigh_twist_01_l 1.3 -22.1 0.4
"""
_UNREAL_ARM = """
clavicle_l 3.8 17.4 1.6
 upperarm_l 15.0 -1.2 -5.0
  lowerarm_l 19.5 -20.1 -3.6
   lowerarm_twist_01_l 8.9 -9.0 5.1
   hand_l 17.0 -17.1 12.5
    index_01_l 7.6 -7.6 6.1
     index_02_l 2.8 -2.7 1.9
    thumb_01_l 1.4 -2.5 4.5
  upperarm_twist_01_l 0.4 -0.3 0
"""


def unreal4() -> Skeleton:
    outline = (
        "root 0 0 0\n"
        " pelvis 0 96.8 1.1\n"
        "  spine_01 0 10.8 0.8\n"
        "   spine_02 0 18.9 -3.8\n"
        "    spine_03 0 13.4 -0.4\n"
        + indented(both(_UNREAL_ARM, "_l", "_r"), 5)
        + "\n     neck_01 0 16.6 -0.3\n      head 0 9.0 2.1\n"
        + indented(both(_UNREAL_LEG, "_l", "_r"), 2)
        + "\n ik_foot_root 0 0 0\n  ik_foot_l 13.8 13.0 -1.6\n  ik_foot_r -13.8 13.0 -1.6\n"
        " ik_hand_root 0 0 0\n  ik_hand_gun -59.0 111.0 5.0\n"
        "   ik_hand_l 118.0 0 0\n   ik_hand_r 0 0 0\n"
    )
    return skeleton_from(outline)


def unreal5() -> Skeleton:
    arm = _UNREAL_ARM.replace(
        "  upperarm_twist_01_l 0.4 -0.3 0",
        "  upperarm_twist_01_l 6.5 -6.7 -1.2\n  upperarm_twist_02_l 13.0 -13.4 -2.4",
    )
    outline = (
        "root 0 0 0\n"
        " pelvis 0 96.0 1.4\n"
        "  spine_01 0 3.0 -0.2\n"
        "   spine_02 0 6.8 0.5\n"
        "    spine_03 0 8.2 -0.5\n"
        "     spine_04 0 9.0 -1.0\n"
        "      spine_05 0 18.3 -3.0\n"
        + indented(both(arm.replace("17.4 1.6", "8.0 4.0"), "_l", "_r"), 7)
        + "\n       neck_01 0 11.7 2.0\n        neck_02 0 5.9 1.5\n         head 0 5.6 0.9\n"
        + indented(both(_UNREAL_LEG, "_l", "_r"), 2)
    )
    return skeleton_from(outline)


_SMPL_LEFT_LEG = """
L_Hip 6.95 -9.14 -0.68
 L_Knee 3.43 -37.52 -0.45
  L_Ankle -1.36 -39.80 -4.37
   L_Foot 2.64 -5.58 11.93
"""
_SMPL_LEFT_ARM = """
L_Collar 7.88 12.17 -3.41
 L_Shoulder 9.10 3.05 -0.89
  L_Elbow 25.96 -1.28 -2.75
   L_Wrist 24.92 0.90 -0.12
    L_Hand 8.40 -0.82 -1.49
"""


def smpl() -> Skeleton:
    return skeleton_from(
        "Pelvis 0 94 0\n"
        + indented(both(_SMPL_LEFT_LEG, "L_", "R_"), 1)
        + "\n Spine1 -0.25 10.90 -2.67\n  Spine2 0.55 13.52 0.11\n   Spine3 0.15 5.29 2.54\n"
        "    Neck -0.28 21.39 -4.29\n     Head 0.52 6.50 5.13\n"
        + indented(both(_SMPL_LEFT_ARM, "L_", "R_"), 4)
    )


def smpl_lower() -> Skeleton:
    """The naming of the SMPL-X body tables: left_hip ... left_foot, left_wrist, no hand."""
    skeleton = smpl()
    names = [n.replace("L_", "left_").replace("R_", "right_").lower() for n in skeleton.joint_names]
    return renamed(skeleton, names)


def smpl_template() -> Skeleton:
    """The naming of the FBX template: `m_avg_L_Hip`, below `m_avg_root`."""
    skeleton = smpl()
    return renamed(skeleton, [f"m_avg_{name}" for name in skeleton.joint_names])


_LAFAN_LEG = """
LeftUpLeg 0.103 1.858 10.549
 LeftLeg 43.5 0 0
  LeftFoot 42.372 0 0
   LeftToe 17.3 0 0
"""
_LAFAN_ARM = """
LeftShoulder 19.746 -1.480 6.0
 LeftArm 11.284 0 0
  LeftForeArm 33.0 0 0
   LeftHand 25.2 0 0
"""


def lafan1() -> Skeleton:
    """A bone-axis file: every bone lies along X of its own frame, the rest pose is no pose."""
    return skeleton_from(
        "Hips 0 0 0\n"
        + indented(both(_LAFAN_LEG, "Left", "Right", axis=2), 1)
        + "\n Spine 6.902 -2.604 0\n  Spine1 12.588 0 0\n   Spine2 12.343 0 0\n"
        "    Neck 25.833 0 0\n     Head 11.767 0 0\n"
        + indented(both(_LAFAN_ARM, "Left", "Right", axis=2), 4)
    )


_ROKOKO_LEG = """
LeftThigh 9.0 -3.0 0
 LeftShin 0 -42.0 0
  LeftFoot 0 -41.0 0
   LeftToe 0 -8.0 13.0
    LeftToeTip 0 0 7.0
"""
_ROKOKO_ARM = """
LeftShoulder 3.0 10.0 0
 LeftArm 15.0 0 0
  LeftForeArm 28.0 0 0
   LeftHand 25.0 0 0
    LeftDigit1Metacarpal 2.0 0 2.0
    LeftDigit3Metacarpal 9.0 0 0
     LeftDigit3Proximal 4.0 0 0
"""


def rokoko() -> Skeleton:
    return skeleton_from(
        "Hips 0 95 0\n Spine1 0 10 0\n  Spine2 0 10 0\n   Spine3 0 10 0\n    Spine4 0 8 0\n"
        + indented(both(_ROKOKO_ARM, "Left", "Right"), 5)
        + "\n     Neck 0 16 0\n      Head 0 10 0\n       ^ 0 18 0\n"
        + indented(both(_ROKOKO_LEG, "Left", "Right"), 1)
    )


_VRM_LEG = """
J_Bip_L_UpperLeg 7.6 -4.0 0.2
 J_Bip_L_LowerLeg -0.4 -37.0 0.5
  J_Bip_L_Foot -0.1 -38.0 -2.5
   J_Bip_L_ToeBase 0.1 -8.0 11.0
"""
_VRM_ARM = """
J_Bip_L_Shoulder 2.3 9.6 -1.0
 J_Bip_L_UpperArm 8.0 -1.0 0
  J_Bip_L_LowerArm 21.0 0 0
   J_Bip_L_Hand 20.5 0 0
    J_Bip_L_Thumb1 1.0 -1.0 1.5
    J_Bip_L_Middle1 6.5 0 0
     J_Bip_L_Middle2 3.5 0 0
"""


def vroid() -> Skeleton:
    return skeleton_from(
        "Root 0 0 0\n J_Bip_C_Hips 0 88 0\n  J_Bip_C_Spine 0 5 0\n   J_Bip_C_Chest 0 11 0\n"
        "    J_Bip_C_UpperChest 0 11 -1\n     J_Bip_C_Neck 0 12 -2\n      J_Bip_C_Head 0 8 1\n"
        "       J_Adj_L_FaceEye 1.5 5 3\n       J_Adj_R_FaceEye -1.5 5 3\n"
        + indented(both(_VRM_ARM, "_L_", "_R_"), 5)
        + "\n"
        + indented(both(_VRM_LEG, "_L_", "_R_"), 2)
    )


_RIGIFY_LEG = """
thigh.L 9.8 0 -0.3
 shin.L 0 -48.0 2.0
  foot.L 0 -43.0 -2.5
   toe.L 0 -6.5 13.0
   heel.02.L -3.6 -8.0 -5.0
"""
_RIGIFY_ARM = """
shoulder.L 1.8 12.0 -1.0
 upper_arm.L 15.0 0 -2.0
  forearm.L 25.0 -2.0 -1.5
   hand.L 22.0 -1.0 3.0
    palm.01.L 2.7 0.5 2.5
     f_index.01.L 5.0 -0.2 1.0
"""


def rigify() -> Skeleton:
    return skeleton_from(
        "spine 0 95.0 -5.5\n spine.001 0 15 2\n  spine.002 0 14 -1\n   spine.003 0 12.6 -1\n"
        "    spine.004 0 15 -2\n     spine.005 0 4.5 1\n      spine.006 0 4.0 1\n       ^ 0 19 0\n"
        + indented(both(_RIGIFY_ARM, ".L", ".R"), 4)
        + "\n    breast.L 9.0 7.0 9.0\n    breast.R -9.0 7.0 9.0\n"
        + " pelvis.L 0 0 0\n pelvis.R 0 0 0\n"
        + indented(both(_RIGIFY_LEG, ".L", ".R"), 1)
    )


_BIPED_LEG = """
Bip01 L Thigh 9.0 -5.0 0
 Bip01 L Calf 0 -44.0 0
  Bip01 L Foot 0 -43.0 0
   Bip01 L Toe0 0 -8.0 13.0
    Bip01 L Toe0Nub 0 0 7.0
"""
_BIPED_ARM = """
Bip01 L Clavicle 4.0 -1.0 0
 Bip01 L UpperArm 13.0 0 0
  Bip01 L Forearm 28.0 0 0
   Bip01 L Hand 26.0 0 0
    Bip01 L Finger0 3.0 0 2.0
     Bip01 L Finger0Nub 5.0 0 2.0
    Bip01 L Finger2 9.0 0 0
     Bip01 L Finger2Nub 8.0 0 0
"""


def biped() -> Skeleton:
    """3ds Max Biped: thighs hang on the spine, clavicles on the neck."""
    return skeleton_from(
        "Bip01 0 98 0\n Bip01 Pelvis 0 0 0\n  Bip01 Spine 0 10 0\n"
        + indented(both(_BIPED_LEG.replace("-5.0 0", "-10.0 0"), " L ", " R "), 3)
        + "\n   Bip01 Spine1 0 15 0\n    Bip01 Spine2 0 15 0\n     Bip01 Neck 0 16 0\n"
        + indented(both(_BIPED_ARM, " L ", " R "), 6)
        + "\n      Bip01 Head 0 9 0\n       Bip01 HeadNub 0 20 0\n"
    )


_XSENS_LEG = """
LeftUpperLeg 8.0 -1.0 0
 LeftLowerLeg 0 -42.0 0
  LeftFoot 0 -41.0 0
   LeftToe 0 -8.0 15.0
    ^ 0 0 5.0
"""
_XSENS_ARM = """
LeftShoulder 3.0 9.0 0
 LeftUpperArm 14.0 0 0
  LeftForeArm 28.0 0 0
   LeftHand 24.0 0 0
    ^ 18.0 0 0
"""


def xsens() -> Skeleton:
    return skeleton_from(
        "Pelvis 0 95 0\n"
        + indented(both(_XSENS_LEG, "Left", "Right"), 1)
        + "\n L5 0 10 0\n  L3 0 9 0\n   T12 0 9 0\n    T8 0 9 0\n     Neck 0 13 0\n"
        "      Head 0 8 0\n       ^ 0 17 0\n" + indented(both(_XSENS_ARM, "Left", "Right"), 5)
    )


_ASF_LEG = """
lhipjoint 0 0 0
 lfemur 1.66 -1.80 0.62
  ltibia 2.60 -7.14 0
   lfoot 2.49 -6.85 0
    ltoes 0.20 -0.54 2.15
     ^ 0 0 1.11
"""
_ASF_ARM = """
lclavicle 0 2.07 0.01
 lhumerus 3.54 0.90 -0.17
  lradius 4.87 0 0
   lwrist 3.36 0 0
    lhand 1.68 0 0
     lfingers 0.66 0 0
      ^ 0.53 0 0
    lthumb 1.68 0 0
     ^ 0.54 0 0.54
"""


def cmu_asf() -> Skeleton:
    """One joint per ASF bone, at the bone's near end."""

    def mirrored(limb: str) -> str:
        lines = both(limb, "§", "§").splitlines()
        half = len(lines) // 2
        lines[half:] = [
            line.replace(line.strip()[:1], "r", 1) if line.strip()[:1] == "l" else line
            for line in lines[half:]
        ]
        return "\n".join(lines)

    return skeleton_from(
        "root 0 17 0\n"
        + indented(mirrored(_ASF_LEG), 1)
        + "\n lowerback 0 0 0\n  upperback 0.02 2.05 -0.14\n   thorax 0.01 2.06 -0.06\n"
        "    lowerneck 0 2.07 0.01\n     upperneck 0.01 1.57 0.15\n      head 0.03 1.56 -0.10\n"
        "       ^ 0.01 1.63 -0.05\n" + indented(mirrored(_ASF_ARM), 4),
        metres=0.0254 / 0.45,
    )


_DOG_HIND = """
LeftUpLeg 5.0 -3.0 -3.0
 LeftLeg 0 -18.0 2.0
  LeftFoot 0 -16.0 -7.0
   LeftToe 0 -6.0 5.0
"""
_DOG_FRONT = """
LeftShoulder 4.0 -2.0 5.0
 LeftArm 1.0 -10.0 8.0
  LeftForeArm 0 -14.0 -3.0
   LeftHand 0 -15.0 0
"""


def dog() -> Skeleton:
    """A four-legged animal with the names of a human skeleton, as in published dog captures."""
    return skeleton_from(
        "Hips 0 45 0\n"
        + indented(both(_DOG_HIND, "Left", "Right"), 1)
        + "\n Spine 0 2 20\n  Spine1 0 1 22\n   Neck 0 8 10\n    Head 0 12 12\n"
        + indented(both(_DOG_FRONT, "Left", "Right"), 3)
        + "\n Tail 0 2 -10\n  Tail1 0 -3 -10\n"
    )
