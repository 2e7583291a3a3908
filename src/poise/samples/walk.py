"""A walking figure made by code.

Joint angles follow the usual gait curves of textbooks (sagittal hip, knee and ankle over the cycle,
from heel strike to heel strike); the root is placed so that the lower foot stays where it stands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip
from poise.samples.human import STATURE_M, human_skeleton

# Degrees of flexion at shares of the gait cycle; the ankle counts toes-up as positive.
_HIP = ((0.0, 30), (0.12, 27), (0.30, 10), (0.50, -10), (0.62, -2), (0.75, 22), (0.87, 33))
_KNEE = ((0.0, 4), (0.14, 18), (0.38, 4), (0.50, 10), (0.62, 38), (0.73, 60), (0.86, 25), (0.96, 2))
_ANKLE = (
    (0.0, 0),
    (0.07, -6),
    (0.20, 3),
    (0.45, 11),
    (0.53, 2),
    (0.63, -18),
    (0.75, -3),
    (0.87, 2),
)
_TOE = ((0.0, 0), (0.10, 0), (0.38, 0), (0.55, 22), (0.65, 5), (0.75, 0), (0.90, 0))
_CYCLE_S = 1.1
_HAND_OVER = 0.05
"""Share of the cycle after heel strike at which the weight changes feet."""
_FOOT_FLAT = 0.12
"""Share of the cycle after that at which the foot lies flat and turns about its ball."""
_SOLE_M = 0.039 * STATURE_M
_BALL_M = 0.009 * STATURE_M
"""How far the sole lies below ankle and ball."""


def walk(seconds: float = 4.0, rate_hz: float = 120.0) -> Clip:
    """Walk straight ahead along +Z on the floor at height zero."""
    skeleton = human_skeleton()
    frames = round(seconds * rate_hz) + 1
    phase = np.arange(frames) / rate_hz / _CYCLE_S
    q = np.tile(rotations.IDENTITY, (frames, skeleton.joint_count, 1))

    def turn(joint: str, x_deg: Array, y_deg: Array | float = 0.0, z_deg: Array | float = 0.0):
        angles = np.stack(np.broadcast_arrays(y_deg, x_deg, z_deg), axis=-1)
        q[:, skeleton.index(joint)] = rotations.from_euler(np.radians(angles), (1, 0, 2))

    swing = np.cos(2 * np.pi * phase)
    turn("Hips", np.full(frames, 3.0), -5.0 * swing, 2.5 * np.sin(2 * np.pi * phase))
    turn("Spine", np.full(frames, 2.0), 2.0 * swing, -2.0 * np.sin(2 * np.pi * phase))
    turn("Spine1", np.full(frames, -1.0), 3.0 * swing)
    turn("Spine2", np.full(frames, -1.0), 3.0 * swing)
    turn("Head", np.full(frames, -3.0), -3.0 * swing)
    for side, shift, sign in (("Left", 0.0, 1.0), ("Right", 0.5, -1.0)):
        own = phase + shift
        turn(f"{side}UpLeg", -_curve(_HIP, own))
        turn(f"{side}Leg", _curve(_KNEE, own))
        turn(f"{side}Foot", -_curve(_ANKLE, own))
        turn(f"{side}ToeBase", -_curve(_TOE, own))
        arm = np.cos(2 * np.pi * own)
        turn(f"{side}Arm", 18.0 * arm + 4.0, 0.0, 7.0 * sign)
        turn(f"{side}ForeArm", -22.0 + 12.0 * arm)
    clip = Clip(skeleton, rate_hz, np.zeros((frames, 3)), q, name="walk")
    return replace(clip, root_positions_m=_planted_root(clip, phase)).noted("sample: walk")


def _curve(keys: tuple[tuple[float, float], ...], phase: Array) -> Array:
    """A periodic cubic through key values, at any phase."""
    from scipy.interpolate import CubicSpline

    at, values = zip(*keys, (1.0, keys[0][1]), strict=True)
    return np.asarray(CubicSpline(at, values, bc_type="periodic")(np.mod(phase, 1.0)))


def _planted_root(clip: Clip, phase: Array) -> Array:
    """The path that holds the standing foot still on the floor, smoothed where feet hand over."""
    from poise.motion.splines import smooth

    skeleton = clip.skeleton
    state = forward_kinematics(skeleton, *clip.pose)
    feet = [skeleton.index(n) for n in ("LeftFoot", "LeftToeBase", "RightFoot", "RightToeBase")]
    # The soles under ankle and ball of each foot, seen from a root that stands still.
    soles = state.positions_m[:, feet].copy()
    soles[:, ::2] -= rotations.rotate(state.rotations_wxyz[:, feet[::2]], [0.0, _SOLE_M, 0.0])
    soles[:, 1::2, 1] -= _BALL_M
    ends = skeleton.end_sites
    toes = [ends.index(f"{side}ToeBase_end") for side in ("Left", "Right")]
    tips = site_positions(state, ends)[:, toes]
    # Left stands in the first half of its cycle: on the heel first, then on the ball.
    on_left = np.mod(phase - _HAND_OVER, 1.0) < 0.5
    on_ball = np.mod(phase - _HAND_OVER, 0.5) > _FOOT_FLAT
    pivot = np.where(on_left, 0, 2) + on_ball
    rows = np.arange(clip.frame_count)
    step = np.zeros((clip.frame_count, 3))
    step[1:] = soles[rows[:-1], pivot[:-1]] - soles[rows[1:], pivot[:-1]]
    path = np.cumsum(step, axis=0)
    standing = np.where(on_left[:, None], soles[:, :2, 1], soles[:, 2:, 1]).min(axis=1)
    path[:, 1] = -np.minimum(standing, tips[..., 1].min(axis=1))
    return smooth(path, clip.rate_hz, 8.0).values
