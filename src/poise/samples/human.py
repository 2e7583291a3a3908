"""A plain human skeleton: 22 ball joints, 1.75 m tall, facing +Z, arms hanging down.

Proportions are the segment lengths over stature of Winter's anthropometry (Drillis and Contini
1966): hip at 0.530, knee 0.285, ankle 0.039, shoulder 0.818 of stature, and so on. The toe joint
lies on the sole, so that a foot can roll over its ball with resting toes and no point slides.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.character import Character, Sites, Skeleton, complete_character

STATURE_M = 1.75

# Joint, parent, offset from the parent in shares of stature: +X is the figure's left, +Z forward.
Row = tuple[str, str, tuple[float, float, float]]
_ROOT: Row = ("Hips", "", (0.0, 0.530, 0.0))
_LEG: tuple[Row, ...] = (
    ("UpLeg", "Hips", (0.052, 0.0, 0.0)),
    ("Leg", "UpLeg", (0.0, -0.245, 0.0)),
    ("Foot", "Leg", (0.0, -0.246, 0.0)),
    ("ToeBase", "Foot", (0.0, -0.039, 0.078)),
)
_TRUNK: tuple[Row, ...] = (
    ("Spine", "Hips", (0.0, 0.055, -0.005)),
    ("Spine1", "Spine", (0.0, 0.075, -0.005)),
    ("Spine2", "Spine1", (0.0, 0.075, 0.0)),
    ("Neck", "Spine2", (0.0, 0.105, 0.005)),
    ("Head", "Neck", (0.0, 0.050, 0.010)),
)
_ARM: tuple[Row, ...] = (
    ("Shoulder", "Spine2", (0.025, 0.080, 0.005)),
    ("Arm", "Shoulder", (0.090, 0.003, -0.005)),
    ("ForeArm", "Arm", (0.0, -0.186, 0.0)),
    ("Hand", "ForeArm", (0.0, -0.146, 0.0)),
)
_TIPS: tuple[tuple[str, tuple[float, float, float]], ...] = (
    ("LeftToeBase", (0.0, 0.0, 0.036)),
    ("RightToeBase", (0.0, 0.0, 0.036)),
    ("Head", (0.0, 0.110, 0.0)),
    ("LeftHand", (0.0, -0.108, 0.0)),
    ("RightHand", (0.0, -0.108, 0.0)),
)


def human_skeleton(stature_m: float = STATURE_M) -> Skeleton:
    """The skeleton, scaled to a stature."""
    # Depth first, the order in which BVH files list their joints.
    rows = (_ROOT, *_both_sides(_LEG), *_TRUNK, *_both_sides(_ARM))
    names = tuple(name for name, _, _ in rows)
    return Skeleton(
        joint_names=names,
        parents=np.array([names.index(p) if p else -1 for _, p, _ in rows]),
        offsets_m=stature_m * np.array([offset for _, _, offset in rows]),
        end_sites=Sites(
            tuple(f"{joint}_end" for joint, _ in _TIPS),
            np.array([names.index(joint) for joint, _ in _TIPS]),
            stature_m * np.array([offset for _, offset in _TIPS]),
        ),
    )


@cache
def sample_character() -> Character:
    """The figure of all samples with its usual body: what its motions are balanced for."""
    return complete_character(human_skeleton(), name="sample human")


def _both_sides(limb: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple(
        (side + name, parent if parent in ("Hips", "Spine2") else side + parent, (sign * x, y, z))
        for side, sign in (("Left", 1.0), ("Right", -1.0))
        for name, parent, (x, y, z) in limb
    )
