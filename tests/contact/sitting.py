"""A figure that sits down on a seat of known height and gets up again, with planted feet."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.motion import Clip
from poise.samples.human import human_skeleton

RATE_HZ = 60.0


def smooth(share: np.ndarray) -> np.ndarray:
    share = np.clip(share, 0.0, 1.0)
    return share**3 * (share * (6.0 * share - 15.0) + 10.0)


def sitting_clip(
    *, lean_deg: float = 90.0, raised_m: float = 0.0, turn_deg: float = 0.0, sitting_s: float = 2.0
) -> Clip:
    """Stand, sit, stand: shanks stay upright, the trunk too, and thighs lean back by an angle.

    Args:
        lean_deg: of the thighs while seated; 90 is level.
        raised_m: how much higher than the knees' height the hips end: a high stool, on which the
            feet hang.
        turn_deg: of the whole figure about the vertical.
        sitting_s: how long it sits.
    """
    skeleton = human_skeleton()
    names = skeleton.joint_names
    thigh = float(-skeleton.offsets_m[names.index("LeftLeg"), 1])
    times = np.arange(0.0, 4.0 + sitting_s, 1.0 / RATE_HZ)
    share = smooth((times - 1.0) / 1.0) - smooth((times - 2.0 - sitting_s) / 1.0)
    lean = np.radians(lean_deg) * share
    root = np.tile(skeleton.offsets_m[0], (len(times), 1))
    root[:, 1] += thigh * (np.cos(lean) - 1.0) + raised_m * share
    root[:, 2] -= thigh * np.sin(lean)
    q = np.tile(skeleton.rest_wxyz, (len(times), 1, 1))
    for side in ("Left", "Right"):
        for joint, sign in ((f"{side}UpLeg", -1.0), (f"{side}Leg", 1.0)):
            turn = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), sign * lean)
            column = names.index(joint)
            q[:, column] = rotations.multiply(q[:, column], turn)
    whole = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(turn_deg))
    q[:, 0] = rotations.multiply(whole, q[:, 0])
    return Clip(skeleton, RATE_HZ, rotations.rotate(whole, root), q, name="sits down")
