"""Small good files, and a table of hostile ones made from them: what is wrong, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.motion import Clip

GOOD_BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0.0 1.0 0.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Spine
  {
    OFFSET 0.0 10.0 0.5
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0.0 8.0 0.0
    }
  }
  JOINT Leg
  {
    OFFSET 1.0 -9.0 0.0
    CHANNELS 1 Xrotation
    End Site
    {
      OFFSET 0.0 -9.0 2.0
    }
  }
}
MOTION
Frames: 2
Frame Time: .0083333
1.0 2.0 3.0 10.0 20.0 30.0 1.0 2.0 3.0 45.0
1.5 2.5 3.5 11.0 21.0 31.0 1.5 2.5 3.5 46.0
"""

GOOD_ASF = """# a small skeleton
:version 1.10
:name SMALL
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
   made by hand
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name thigh
     direction 0.0 -1.0 0.0
     length 7.5
     axis 10 20 30 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
     id 2
     name shin
     direction 0.0 -0.8 0.6
     length 7.0
     axis 0 0 20 XYZ
    dof rx
    limits (-10.0 170.0)
  end
  begin
     id 3
     name foot
     direction 0.0 0.0 1.0
     length 2.0
     axis -90 0 20 XYZ
    dof rx rz
    limits (-45.0 90.0) (-70.0 20.0)
  end
  begin
     id 4
     name spine
     direction 0.0 1.0 0.0
     length 9.0
     axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root thigh spine
    thigh shin
    shin foot
  end
"""

GOOD_AMC = """#!a comment
:FULLY-SPECIFIED
:DEGREES
1
root 1.0 2.0 3.0 10.0 20.0 30.0
thigh 1.0 2.0 3.0
shin 45.0
foot 5.0 6.0
2
root 1.5 2.5 3.5 11.0 21.0 31.0
thigh 1.5 2.5 3.5
shin 46.0
foot 5.5 6.5
"""


@dataclass(frozen=True)
class Hostile:
    """A file nobody should accept."""

    name: str
    content: bytes
    line: int | None
    """Where the message must point; None when no line has a meaning."""
    says: str
    """A word the message must hold."""


def _bvh(name: str, old: str, new: str, line: int | None, says: str, times: int = 1) -> Hostile:
    assert old in GOOD_BVH, old
    return Hostile(name, GOOD_BVH.replace(old, new, times).encode("utf-8"), line, says)


def _asf(name: str, old: str, new: str, line: int | None, says: str) -> Hostile:
    assert old in GOOD_ASF, old
    return Hostile(name, GOOD_ASF.replace(old, new, 1).encode("utf-8"), line, says)


def _amc(name: str, old: str, new: str, line: int | None, says: str) -> Hostile:
    assert old in GOOD_AMC, old
    return Hostile(name, GOOD_AMC.replace(old, new, 1).encode("utf-8"), line, says)


def _deep(levels: int) -> bytes:
    lines = ["HIERARCHY"]
    for i in range(levels):
        word = "JOINT" if i else "ROOT"
        lines += [f"{word} j{i}", "{", "OFFSET 0 1 0", "CHANNELS 3 Zrotation Xrotation Yrotation"]
    return "\n".join(lines + ["}"] * levels + ["MOTION", "Frames: 1", "Frame Time: 0.01"]).encode()


_FIRST_FRAME = "1.0 2.0 3.0 10.0 20.0 30.0 1.0 2.0 3.0 45.0"
_MILLION = "1.0 " * 1_000_000

ANY_TEXT = (
    Hostile("empty", b"", 1, "empty"),
    Hostile("blank", b" \n\t\r\n ", 1, "blank"),
    Hostile("binary", bytes(range(256)) * 20, 3, "UTF-8"),
    Hostile("png", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, 1, "UTF-8"),
    Hostile("zero bytes", b"HIERARCHY\nROOT\0 Hips\n", 2, "zero byte"),
    Hostile("UTF-16", "HIERARCHY".encode("utf-16"), None, "UTF-16"),
    Hostile("prose", b"Dear reader,\nthis is a letter.\n", 1, "expected"),
    Hostile("a line of a million words", ("word " * 1_000_000).encode(), 1, "expected"),
)

BVH = (
    *ANY_TEXT,
    Hostile("not UTF-8", GOOD_BVH.encode().replace(b"Spine", b"Sp\xefne"), 6, "0xef"),
    _bvh("NaN channel", "46.0", "nan", 29, "'nan'"),
    _bvh("infinite channel", "46.0", "-inf", 29, "'-inf'"),
    _bvh("overflowing channel", "46.0", "1e400", 29, "'1e400'"),
    _bvh("absurd channel", "46.0", "1e300", 29, "at most"),
    _bvh("hex channel", "46.0", "0x1p3", 29, "'0x1p3'"),
    _bvh("underscore in a channel", "46.0", "4_6.0", 29, "'4_6.0'"),
    _bvh("foreign digits", "46.0", "٤٦", 29, "number"),
    _bvh("word among channels", "46.0", "forty", 29, "'forty'"),
    _bvh("two points", "46.0", "4.6.0", 29, "'4.6.0'"),
    _bvh("NaN offset", "OFFSET 0.0 10.0 0.5", "OFFSET 0.0 nan 0.5", 8, "OFFSET"),
    _bvh("infinite offset", "OFFSET 0.0 10.0 0.5", "OFFSET 0.0 inf 0.5", 8, "OFFSET"),
    _bvh("overflowing offset", "OFFSET 0.0 10.0 0.5", "OFFSET 0.0 1e400 0.5", 8, "OFFSET"),
    _bvh("short offset", "OFFSET 0.0 10.0 0.5", "OFFSET 0.0 10.0", 9, "CHANNELS"),
    _bvh("too many frames said", "Frames: 2", "Frames: 3", 26, "30 numbers"),
    _bvh("too few frames said", "Frames: 2", "Frames: 1", 26, "10 numbers"),
    _bvh("a number too few", " 46.0", "", 29, "this line has 9"),
    _bvh("a number too many", " 46.0", " 46.0 47.0", 29, "this line has 11"),
    _bvh("10**15 frames", "Frames: 2", "Frames: 1000000000000000", 26, "frames"),
    _bvh("10**40 frames", "Frames: 2", "Frames: 1" + "0" * 40, 26, "Frames"),
    _bvh("endless frame count", "Frames: 2", "Frames: " + "9" * 100_000, 26, "Frames"),
    _bvh("negative frames", "Frames: 2", "Frames: -2", 26, "'-2'"),
    _bvh("fraction of frames", "Frames: 2", "Frames: 2.5", 26, "'2.5'"),
    _bvh("no frames", "Frames: 2", "Frames: 0", 26, "at least one frame"),
    _bvh("10**9 channels", "CHANNELS 1 X", "CHANNELS 1000000000 X", 18, "0 to 6"),
    _bvh("negative channels", "CHANNELS 1 X", "CHANNELS -1 X", 18, "0 to 6"),
    _bvh("more channels said", "CHANNELS 1 X", "CHANNELS 2 X", 19, "channel names"),
    _bvh("fewer channels said", "CHANNELS 3 Z", "CHANNELS 2 Z", 9, "smaller"),
    _bvh("unknown channel", "CHANNELS 1 Xrotation", "CHANNELS 1 Wrotation", 18, "Wrotation"),
    _bvh("channel twice", "3 Zrotation X", "3 Xrotation X", 9, "again"),
    _bvh("no channels", "    CHANNELS 1 Xrotation\n", "", 18, "CHANNELS of 'Leg'"),
    _bvh("no offset", "    OFFSET 1.0 -9.0 0.0\n", "", 18, "OFFSET of 'Leg'"),
    _bvh("offset twice", "    CHANNELS 1", "    OFFSET 0 0 0\n    CHANNELS 1", 18, "one OFFSET"),
    _bvh("no brace opens", "JOINT Leg\n  {", "JOINT Leg\n", 17, "'{'"),
    _bvh("no brace closes", "\n}\nMOTION", "\nMOTION", 24, "brace is missing"),
    _bvh("a brace too many", "\n}\nMOTION", "\n}}\nMOTION", 24, "too many"),
    _bvh("end site without offset", "      OFFSET 0.0 8.0 0.0\n", "", 12, "OFFSET"),
    _bvh("joint below an end site", "      OFFSET 0.0 8.0 0.0", "JOINT x", 12, "End Site"),
    _bvh("two joints of a name", "JOINT Leg", "JOINT Spine", 15, "line 6"),
    _bvh("joint without a name", "JOINT Leg", "JOINT", 15, "joint name"),
    _bvh("endless name", "JOINT Leg", "JOINT " + "x" * 5000, 15, "characters"),
    _bvh("two roots", "}\nMOTION", "}\nROOT B\n{\n}\nMOTION", 25, "file of its own"),
    _bvh("no motion", "MOTION\n", "", 25, "MOTION"),
    _bvh("no frame time", "Frame Time: .0083333\n", "", 27, "Frame Time"),
    _bvh("zero frame time", ".0083333", "0", 27, "'0'"),
    _bvh("negative frame time", ".0083333", "-.0083333", 27, "Frame Time"),
    _bvh("absurd frame time", ".0083333", "1e-300", 27, "Frame Time"),
    _bvh("endless frame time", ".0083333", "1e300", 27, "Frame Time"),
    _bvh("NaN frame time", ".0083333", "nan", 27, "Frame Time"),
    _bvh("a million numbers in a line", _FIRST_FRAME, _MILLION, None, "numbers"),
    Hostile("ten thousand deep", _deep(10_000), None, "2000 joints"),
    Hostile("only braces", b"HIERARCHY\nROOT a\n" + b"{" * 100_000, 3, "expected"),
    Hostile(
        "no channel at all",
        b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 1000000000000\n"
        b"Frame Time: 0.01\n",
        8,
        "at least one channel",
    ),
)

ASF = (
    *ANY_TEXT,
    Hostile("not UTF-8", GOOD_ASF.encode().replace(b"SMALL", b"SM\xc4LL"), 3, "0xc4"),
    _asf("NaN direction", "direction 0.0 -1.0 0.0", "direction 0.0 nan 0.0", 19, "direction"),
    _asf("overflowing length", "length 7.5", "length 1e400", 20, "length"),
    _asf("zero unit", "length 0.45", "length 0", 6, "length unit"),
    _asf("negative unit", "length 0.45", "length -1", 6, "length unit"),
    _asf("angle in grads", "angle deg", "angle grad", 7, "angle deg"),
    _asf("unknown dof", "dof rx ry rz", "dof rx ry rw", 22, "tx ty tz"),
    _asf("dof twice", "dof rx ry rz", "dof rx ry rx", 22, "tx ty tz"),
    _asf("bad axis order", "10 20 30 XYZ", "10 20 30 XXZ", 21, "XYZ"),
    _asf("limit without its pair", "(-10.0 170.0)", "(-10.0)", 34, "pairs"),
    _asf("limit that is a word", "(-10.0 170.0)", "(-10.0 far)", 34, "'far'"),
    _asf("too few limits", "(-45.0 90.0) (-70.0 20.0)", "(-45.0 90.0)", 38, "2 dofs"),
    _asf("bone without a name", "     name shin\n", "", 27, "name"),
    _asf("bone without a length", "     length 7.0\n", "", 29, "length"),
    _asf("two bones of a name", "name shin", "name THIGH", 29, "differ"),
    _asf("bone called root", "name shin", "name root", 29, "differ"),
    _asf("unknown child", "thigh shin", "thigh shim", 55, "Did you mean 'shin'"),
    _asf("loose bone", "    shin foot\n", "", 38, "'foot' outside"),
    _asf("circle", "root thigh spine\n    thigh shin", "root spine\n    thigh shin\n foot thigh",
         18, "hierarchy"),
    _asf("bone with two parents", "shin foot", "shin foot\n    spine foot", 57, "one bone only"),
    _asf("no end of a bone", "  end\n:hierarchy", ":hierarchy", 51, "'end'"),
    _asf("no hierarchy", GOOD_ASF[GOOD_ASF.index(":hierarchy"):], "", None, ":hierarchy"),
    _asf("no bones", GOOD_ASF[GOOD_ASF.index(":bonedata"):], "", None, ":bonedata"),
    _asf("section twice", ":bonedata", ":units\n:bonedata", 15, "one section"),
    Hostile(
        "ten thousand bones",
        (GOOD_ASF[: GOOD_ASF.index("  begin\n     id 1")] + "".join(
            f"begin\nname b{i}\ndirection 0 1 0\nlength 1\nend\n" for i in range(10_000)
        )).encode(),
        None, "2000 bones",
    ),
)  # fmt: skip

AMC = (
    *ANY_TEXT,
    Hostile("not UTF-8", GOOD_AMC.encode().replace(b"shin 46", b"shin \xff46"), 12, "0xff"),
    _amc("NaN", "46.0", "nan", 12, "'nan'"),
    _amc("infinite", "46.0", "inf", 12, "'inf'"),
    _amc("overflowing", "46.0", "1e400", 12, "'1e400'"),
    _amc("underscore", "46.0", "4_6", 12, "'4_6'"),
    _amc("word", "46.0", "forty", 12, "'forty'"),
    _amc("bone missing in a frame", "shin 46.0\n", "", 9, "'shin'"),
    _amc("bone missing in the first frame", "shin 45.0\n", "", 4, "'shin'"),
    _amc("number missing", "foot 5.5 6.5", "foot 5.5", 13, "2 numbers (rx rz) for 'foot'"),
    _amc("number too many", "shin 46.0", "shin 46.0 1.0", 12, "1 numbers"),
    _amc("unknown bone", "shin 46.0", "shinn 46.0", 12, "Did you mean 'shin'"),
    _amc("bone twice", "shin 46.0", "shin 46.0\nshin 46.0", 13, "once"),
    _amc("no frames", GOOD_AMC[GOOD_AMC.index("1\nroot"):], "", None, "first frame"),
    _amc("no number of the first frame", "1\nroot", "root", 4, "first frame"),
    _amc("absurd rate", ":DEGREES", ":SAMPLES-PER-SECOND 0", 3, "rate"),
    _amc("a million numbers in a line", "46.0", _MILLION, 12, "characters"),
)  # fmt: skip


def cut_after_every_word(content: str) -> list[str]:
    """The text cut after each of its words but the last."""
    ends = [match.end() for match in re.finditer(r"[^\s{}]+|[{}]", content)]
    return [content[:end] for end in ends[:-1]]


def world_positions(clip: Clip) -> np.ndarray:
    """(F, J + sites, 3) joint origins and end sites, by the plainest forward kinematics."""
    skeleton = clip.skeleton
    frames, joints = clip.frame_count, skeleton.joint_count
    matrices = rotations.to_matrix(clip.rotations_wxyz)
    world = np.zeros((frames, joints, 3, 3))
    places = np.zeros((frames, joints, 3))
    world[:, 0], places[:, 0] = matrices[:, 0], clip.root_positions_m
    for joint in range(1, joints):
        parent = int(skeleton.parents[joint])
        offset = np.tile(skeleton.offsets_m[joint], (frames, 1))
        if joint in clip.moving_joints:
            offset = clip.moving_offsets_m[:, clip.moving_joints.index(joint)]
        places[:, joint] = places[:, parent] + np.einsum("fij,fj->fi", world[:, parent], offset)
        world[:, joint] = world[:, parent] @ matrices[:, joint]
    ends = skeleton.end_sites
    tips = places[:, ends.joints] + np.einsum("fsij,sj->fsi", world[:, ends.joints], ends.offsets_m)
    return np.concatenate([places, tips], axis=1)
