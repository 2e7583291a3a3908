"""The reference human: one body with 54 degrees of freedom that benchmarks share.

Six of the root, and 48 of twenty joints: balls at spine, chest, neck, head, collar bones, wrists,
shoulders, hips and ankles (14 × 3 = 42), hinges at elbows, knees and toes (6 × 1). It stands
upright, faces +Z with its arms hanging down, and has the proportions of Winter's anthropometry
(Drillis and Contini 1966) and de Leva's segment masses.
"""

from __future__ import annotations

import numpy as np

from poise.character.character import Character
from poise.character.complete import complete_character, with_ranges
from poise.character.range_of_motion import RANGES_DEG
from poise.character.skeleton import JointKind, Sites, Skeleton
from poise.errors import BadValue

STATURE_M = 1.75
MASS_KG = 70.0

# Joint, parent, offset from the parent in shares of stature (+X left, +Y up, +Z forward), and for
# hinges the sign of the axis along +X that makes bending positive. `*` stands for both sides.
_ROWS: tuple[tuple[str, str, tuple[float, float, float], int], ...] = (
    ("pelvis", "", (0.0, 0.530, 0.0), 0),
    ("*hip", "pelvis", (0.052, 0.0, 0.0), 0),
    ("*knee", "*hip", (0.0, -0.245, 0.0), 1),
    ("*ankle", "*knee", (0.0, -0.246, 0.0), 0),
    ("*toe", "*ankle", (0.0, -0.030, 0.078), 1),
    ("spine", "pelvis", (0.0, 0.075, -0.008), 0),
    ("chest", "spine", (0.0, 0.110, -0.006), 0),
    ("neck", "chest", (0.0, 0.125, 0.004), 0),
    ("head", "neck", (0.0, 0.050, 0.010), 0),
    ("*collar", "chest", (0.020, 0.095, 0.004), 0),
    ("*shoulder", "*collar", (0.090, 0.008, -0.004), 0),
    ("*elbow", "*shoulder", (0.0, -0.186, 0.0), -1),
    ("*wrist", "*elbow", (0.0, -0.146, 0.0), 0),
)
_TIPS: tuple[tuple[str, tuple[float, float, float]], ...] = (
    ("left_toe", (0.0, -0.009, 0.036)),
    ("right_toe", (0.0, -0.009, 0.036)),
    ("head", (0.0, 0.110, 0.0)),
    ("left_wrist", (0.0, -0.108, 0.0)),
    ("right_wrist", (0.0, -0.108, 0.0)),
)


def reference_human(stature_m: float = STATURE_M, mass_kg: float = MASS_KG) -> Character:
    """The reference human, with body, sites, strength and joint ranges."""
    if not (np.isfinite(stature_m) and stature_m > 0):
        raise BadValue("stature_m", "a positive number", stature_m)
    skeleton = reference_skeleton(stature_m)
    named = {joint: joint for joint in skeleton.joint_names}
    made = complete_character(skeleton, mass_kg=mass_kg, overrides=named, name="reference human")
    return with_ranges(made)


def reference_skeleton(stature_m: float = STATURE_M) -> Skeleton:
    """Its skeleton alone: 21 joints named by their roles, tangent size 54."""
    rows = _both_sides()
    names = tuple(name for name, _, _, _ in rows)
    count = len(rows)
    kinds: tuple[JointKind, ...] = tuple("hinge" if bend else "ball" for *_, bend in rows)
    axes, limits = np.zeros((count, 3)), np.tile([-np.inf, np.inf], (count, 3, 1))
    for joint, (name, _, _, bend) in enumerate(rows):
        if bend:
            axes[joint, 0] = bend
            flexion, extension = RANGES_DEG[name.partition("_")[2]][:2]
            limits[joint, 0] = np.radians([-extension, flexion])
    return Skeleton(
        joint_names=names,
        parents=np.array([names.index(parent) if parent else -1 for _, parent, _, _ in rows]),
        offsets_m=stature_m * np.array([offset for _, _, offset, _ in rows]),
        kinds=kinds,
        hinge_axes=axes,
        limits_rad=limits,
        end_sites=Sites(
            tuple(f"{joint}_end" for joint, _ in _TIPS),
            np.array([names.index(joint) for joint, _ in _TIPS]),
            stature_m * np.array([offset for _, offset in _TIPS]),
        ),
    )


def _both_sides() -> list[tuple[str, str, tuple[float, float, float], int]]:
    found: list[tuple[str, str, tuple[float, float, float], int]] = []
    for name, parent, (x, y, z), bend in _ROWS:
        if "*" not in name:
            found.append((name, parent, (x, y, z), bend))
            continue
        for side, sign in (("left_", 1.0), ("right_", -1.0)):
            offset = (sign * x, y, z)
            found.append((name.replace("*", side), parent.replace("*", side), offset, bend))
    return found
