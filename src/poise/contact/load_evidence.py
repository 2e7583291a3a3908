"""What dynamics says of sets of touching parts: could their forces move the body as it moves?

For every set the reaction forces inside friction cones are fitted to what the motion asks of the
ground (Lee & Lee 2018, Eq. 13). What they leave unexplained speaks against the set; while the body
falls as fast as gravity pulls, that speaks against every set but the empty one. Which of several
parts carries how much is not asked: with three of them on the ground, many forces explain the
motion. Body weights, and body weight × stature.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices
from poise.contact.clip_dynamics import ClipDynamics, noise_m
from poise.contact.touching_points import TouchingPoints
from poise.solvers import ConeSettings, cone_least_squares

WRENCH_DOUBT = 0.03
"""Deviation of what a clean motion asks of the ground from what the ground did."""
TAIL = 2.0
"""Degrees of freedom over two of Student's distribution, by which wrenches that nothing explains
are judged: ten times the doubt speaks against a set, but not a hundred times as loud as once."""
FALLING = 5.0
"""What touching costs, whatever touches, while the body falls as fast as gravity pulls."""
_NOTHING = 0.02
TRUSTED_NOISE = 0.1
"""Noise of the body's acceleration, in g, times three, at which loads count half."""
_NOISY = 3.0
"""Captured noise is not white: its lower frequencies leave several times more."""
_FORCE_WEIGHT = 1e-4
_MOST_NODES = 16384
"""Fitted at once: memory does not grow with the clip."""
_GRAVITY_M_S2 = 9.81


@dataclass(frozen=True, eq=False)
class LoadEvidence:
    """Of every node, which is a frame and a set of parts."""

    unexplained: Array
    """(N,) force and moment that the set's forces leave."""
    missing: Array
    """(N, 6) the same as vectors, in the world."""
    log_likelihoods: Array
    """(N,) of what the motion asks."""


def load_evidence(
    dynamics: ClipDynamics, points: TouchingPoints, frames: Indices, states: Indices
) -> LoadEvidence:
    """Judge nodes by the forces that their members can give.

    Args:
        dynamics: what the motion asks for.
        points: of all parts that could touch, each in all frames in which it could.
        frames: (N,) of each node.
        states: (N,) sets; bit p is part p of the points.
    """
    noise = _acceleration_noise_g(dynamics)
    doubt = np.hypot(WRENCH_DOUBT, _NOISY * noise)
    trust = 1.0 / (1.0 + (_NOISY * noise / TRUSTED_NOISE) ** 2)
    missing = np.empty((len(states), 6))
    # Sets in the order of frames: each fit starts from the answer of the one before.
    order = np.lexsort((frames, states, frames // _frames_at_once(frames)))
    for first in range(0, len(order), _MOST_NODES):
        rows = order[first : first + _MOST_NODES]
        missing[rows] = _unexplained(dynamics, points, frames[rows], states[rows])
    unexplained = np.linalg.norm(missing, axis=1)
    tail = -TAIL * np.log1p((unexplained / doubt) ** 2 / (2.0 * TAIL))
    support = dynamics.outer_force_n[frames, 1] / dynamics.weight_n
    falling = np.clip(1.0 - support / _NOTHING, 0.0, 1.0) * (states > 0)
    return LoadEvidence(unexplained, missing, tail - FALLING * trust * falling)


def _frames_at_once(frames: Indices) -> int:
    count = int(frames[-1]) + 1 if len(frames) else 1
    return max(1, round(_MOST_NODES * count / max(1, len(frames))))


def _unexplained(
    dynamics: ClipDynamics, points: TouchingPoints, frames: Indices, states: Indices
) -> Array:
    """(n, 6) the force and the moment that the forces of each node's members leave."""
    bits: Indices = np.arange(len(points.parts), dtype=np.int64)
    members = (np.right_shift.outer(states, bits) & 1).astype(np.int64)
    used = np.flatnonzero(np.asarray(members.any(axis=0))[points.owners])
    owners = points.owners[used]
    grip = points.grip[frames][:, used] * members[:, owners]
    weight, length = dynamics.weight_n, dynamics.length_m
    found = cone_least_squares(
        points.places_m[frames][:, used], points.normals[frames][:, used], grip,
        dynamics.com_m[frames], dynamics.outer_force_n[frames], dynamics.outer_moment_nm[frames],
        ConeSettings(force_weight=_FORCE_WEIGHT), force_scale_n=weight, length_scale_m=length,
        bodies=owners,
    )  # fmt: skip
    left = found.missing_force_n / weight, found.missing_moment_nm / (weight * length)
    return np.concatenate(left, axis=1)


def _acceleration_noise_g(dynamics: ClipDynamics) -> float:
    """Deviation that white noise leaves in the acceleration of the centre of mass, in g."""
    cutoff = dynamics.cutoff_hz
    if cutoff is None:
        return 0.0
    rate = dynamics.clip.rate_hz
    per_noise = (2.0 * np.pi) ** 2 * cutoff**2.5 * np.sqrt(np.pi / 9.0 / rate)
    return noise_m(dynamics.com_m) * float(per_noise) / _GRAVITY_M_S2
