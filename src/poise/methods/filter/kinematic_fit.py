"""The least-squares filter on what a kinematic round added (section 6, its footnote).

Frames are filtered one by one, and far goals or ranges of joints may tell neighbours apart. There
are no velocities to fit in a kinematic round; those of what was added serve, by differences.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.methods.filter.curve_fit import KNOT_S, CurveFit
from poise.methods.filter.settings import Settings
from poise.motion import Clip


def smoothed(before: Clip, after: Clip, settings: Settings) -> Clip:
    """`after`, with a curve in the place of what it has more than `before`."""
    frames, rate = before.frame_count, before.rate_hz
    if frames < 3:
        return after
    back = rotations.conjugate(before.rotations_wxyz)
    turns = rotations.log(rotations.multiply(back, after.rotations_wxyz))
    shifts = after.root_positions_m - before.root_positions_m
    added = np.concatenate([shifts, turns.reshape(frames, -1)], axis=1)
    fit = CurveFit(frames, rate, knot_s=max(settings.knot_s, KNOT_S), beta=settings.beta)
    speed: Array = np.gradient(added, axis=0) * rate
    curve, _, _ = fit.fit(added, speed, np.gradient(speed, axis=0) * rate)
    turned = rotations.exp(curve[:, 3:].reshape(turns.shape))
    return replace(
        after,
        root_positions_m=before.root_positions_m + curve[:, :3],
        rotations_wxyz=rotations.continuous(rotations.multiply(before.rotations_wxyz, turned)),
    )
