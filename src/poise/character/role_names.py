"""What joints are called: tables of naming conventions, and how a name is taken apart.

A name alone is only a hint. "LeftShoulder" is the clavicle in Mixamo and the upper arm in 3ds Max;
"LeftLeg" is the shin in most files and the thigh in some. So a name gives weighted *parts*, and
`role_detection` picks the reading that fits the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

PARTS: dict[str, dict[str, int]] = {
    # Legs. The weight says how surely the word means the part: 3 it can mean nothing else.
    "upleg": {"hip": 3},
    "upperleg": {"hip": 3},
    "thigh": {"hip": 3},
    "femur": {"hip": 3},
    "hip": {"hip": 3},
    "hipjoint": {"hip": 1},  # CMU: a zero-length joint above the real one
    "leg": {"hip": 1, "knee": 2},
    "lowleg": {"knee": 3},
    "lowerleg": {"knee": 3},
    "calf": {"knee": 3},
    "shin": {"knee": 3},
    "shank": {"knee": 3},
    "tibia": {"knee": 3},
    "knee": {"knee": 3},
    "ankle": {"ankle": 3},
    "foot": {"ankle": 2, "toe": 1},  # SMPL calls the ball of the foot "foot"
    "toe": {"toe": 3},
    "toes": {"toe": 3},
    "toebase": {"toe": 3},
    "ball": {"toe": 3},
    # Arms.
    "collar": {"collar": 3},
    "collarbone": {"collar": 3},
    "clavicle": {"collar": 3},
    "clav": {"collar": 3},
    "scapula": {"collar": 3},
    "shoulder": {"collar": 2, "shoulder": 2},
    "arm": {"shoulder": 2},
    "uparm": {"shoulder": 3},
    "upperarm": {"shoulder": 3},
    "humerus": {"shoulder": 3},
    "shldr": {"shoulder": 3},
    "elbow": {"elbow": 3},
    "forearm": {"elbow": 3},
    "lowarm": {"elbow": 3},
    "lowerarm": {"elbow": 3},
    "ulna": {"elbow": 3},
    "radius": {"elbow": 2},  # the elbow in ASF, the forearm's twist in OpenSim models
    "wrist": {"wrist": 3},
    "hand": {"wrist": 2},
    "palm": {"wrist": 1},
}
"""Words for parts that come in pairs, with the parts they may mean and how surely."""

TRUNK_PARTS: dict[str, str] = {
    "pelvis": "pelvis",
    "hips": "pelvis",
    "hip": "pelvis",
    "neck": "neck",
    "lowerneck": "neck",
    "upperneck": "neck",
    "head": "head",
}
"""Words for parts in the middle. The spine needs none: it is what lies between pelvis and arms."""

HEEL_KEYS = frozenset({"heel", "calcaneus", "calcn"})

THUMB_WORD = "thumb"

_LEFT = frozenset({"left", "l", "lft"})
_RIGHT = frozenset({"right", "r", "rgt"})
_AXES = frozenset("pitch roll yaw x y z fe aa ie pd".split())
"""Words for one of several hinges at a place: also flexion and extension, abduction and adduction,
internal and external, plantar and dorsal, as in `l_knee_fe`."""
_SHORT = {"sho": "shoulder", "el": "elbow", "ank": "ankle"}
"""Words that robots shorten, as in `l_sho_pitch`."""
_FILLERS = frozenset({"joint", "jnt", "link", "bone", "bn", "c", "m", "bend", "aa"})
_NOT_A_BODY_PART = frozenset(
    "twist ik fk pole ctrl control target helper nub end tip site effector socket corrective roll "
    "thumb index middle ring pinky little finger fingers metacarpal jaw eye breast tail ear wing "
    "imu camera front hind rear".split()
)
"""Joints with one of these words never play a role: twist bones, IK targets, fingers, and the
limbs of animals. (`roll` is an axis on robots; see `hinged`.)"""

_PREFIX = re.compile(
    r"^(mixamorig\d*[_ ]?|bip\d+[ _]|valvebiped[._]|cc_base_|(def|org|mch)-|j_bip_|[mf]_avg_|"
    r"character\d*_|skeleton_|armature_)+",
    re.IGNORECASE,
)
_FUSED_AXIS = re.compile(r"r[xyz]$")
"""`lfemurrx`: one hinge of several, in models made from ASF files."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True)
class NameParts:
    """A joint's name, taken apart."""

    side: str | None
    """`left`, `right`, or None."""
    key: str
    """The words that are left, joined and in lower case, without numbers: `upleg`, `spine`."""
    helper: bool
    """Whether the name says that this is no body part (twist bone, IK target, finger)."""
    thumb: bool = False

    @property
    def limb_parts(self) -> dict[str, int]:
        """What the name may mean if it belongs to a limb, with weights."""
        return {} if self.helper or self.side is None else PARTS.get(self.key, {})

    @property
    def trunk_part(self) -> str | None:
        """What the name means if it belongs to the trunk."""
        return None if self.helper or self.side is not None else TRUNK_PARTS.get(self.key)


def name_parts(name: str, *, hinged: bool = False) -> NameParts:
    """Take a joint's name apart.

    Args:
        name: as in the file, with namespace and prefix.
        hinged: the skeleton is made of single hinges, so `pitch`, `roll` and `x` name axes, and
            words may be short.
    """
    bare = _PREFIX.sub("", re.split(r"[:|]", name)[-1])
    words = [word.lower() for word in _WORDS.findall(bare)]
    if hinged:
        words = [_without_axis(word) for word in words]
    side, words = _side_of(words)
    thumb = THUMB_WORD in words
    if hinged:
        words = [_SHORT.get(word, word) for word in words if word not in _AXES]
    helper = any(word in _NOT_A_BODY_PART for word in words)
    words = [word for word in words if not word.isdigit()]
    key = "".join(words)
    if key not in PARTS and key not in TRUNK_PARTS:
        key = "".join(word for word in words if word not in _FILLERS) or key
    if key == "hipjoint" and hinged:
        key = "hip"
    return NameParts(side, key, helper, thumb)


def _without_axis(word: str) -> str:
    bare = _FUSED_AXIS.sub("", word)
    known = bare in TRUNK_PARTS or (bare[:1] in ("l", "r") and bare[1:] in PARTS)
    return bare if known else word


def looks_hinged(names: Iterable[str]) -> bool:
    """Whether joint names speak of single axes, as those of robots do."""
    words = {w.lower() for name in names for w in _WORDS.findall(name)}
    return bool(words & {"pitch", "yaw"})


def _side_of(words: list[str]) -> tuple[str | None, list[str]]:
    for side, marks in (("left", _LEFT), ("right", _RIGHT)):
        for at, word in enumerate(words):
            if word in marks:
                return side, words[:at] + words[at + 1 :]
    # One word for both, as in "lfemur" or "leftupleg".
    for at, word in enumerate(words):
        for mark, side in (("left", "left"), ("right", "right"), ("l", "left"), ("r", "right")):
            rest = word.removeprefix(mark)
            if rest != word and (rest in PARTS or rest in HEEL_KEYS or rest in _NOT_A_BODY_PART):
                return side, [*words[:at], rest, *words[at + 1 :]]
    return None, words


CONVENTIONS: tuple[tuple[str, frozenset[str]], ...] = (
    ("CMU", frozenset({"LHipJoint", "LeftUpLeg", "LowerBack"})),
    ("CMU (3ds Max conversion)", frozenset({"LHipJoint", "LeftHip", "LeftCollar"})),
    ("CMU (ASF)", frozenset({"lfemur", "ltibia", "lhumerus"})),
    ("force-plate set (OpenSim)", frozenset({"Torso", "LeftHeel", "LeftRadius"})),
    ("Rokoko", frozenset({"LeftThigh", "LeftShin", "LeftArm"})),
    ("SOMA", frozenset({"LeftLeg", "LeftShin", "LeftArm"})),
    ("LAFAN1", frozenset({"Spine2", "LeftUpLeg", "LeftToe"})),
    ("Mixamo", frozenset({"Spine2", "LeftUpLeg", "LeftToeBase"})),
    ("Xsens MVN", frozenset({"LeftUpperLeg", "LeftLowerLeg", "T8"})),
    ("Xsens MVN", frozenset({"LeftHip", "LeftCollar", "Chest4"})),
    ("OptiTrack", frozenset({"LeftHip", "LeftKnee", "LeftCollar", "LeftWrist"})),
    ("Unreal mannequin", frozenset({"thigh_l", "calf_l", "upperarm_l"})),
    ("SMPL", frozenset({"L_Hip", "L_Knee", "L_Collar"})),
    ("SMPL", frozenset({"left_hip", "left_knee", "left_collar"})),
    ("Rigify", frozenset({"thigh.L", "shin.L", "upper_arm.L"})),
    ("VRM humanoid", frozenset({"leftUpperLeg", "leftLowerLeg", "leftUpperArm"})),
    ("VRM humanoid", frozenset({"L_UpperLeg", "L_LowerLeg", "L_UpperArm"})),
    ("Biped", frozenset({"L Thigh", "L Calf", "L UpperArm"})),
    ("Unitree", frozenset({"left_hip_pitch_joint", "left_knee_joint"})),
    ("Unitree", frozenset({"left_hip_pitch", "left_knee"})),
    ("Booster", frozenset({"Left_Hip_Pitch", "Left_Knee_Pitch"})),
)
"""Names (without prefix) that only one convention has together; the first row that fits wins."""


def convention_of(names: Iterable[str]) -> str:
    """The naming convention that these joint names follow, or "mixed names"."""
    names = tuple(names)
    if any(re.split(r"[:_]", name)[0].lower().startswith("mixamorig") for name in names):
        return "Mixamo"
    bare = {_PREFIX.sub("", re.split(r"[:|]", name)[-1]) for name in names}
    for convention, signature in CONVENTIONS:
        if signature <= bare:
            return convention
    return "mixed names"
