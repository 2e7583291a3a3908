"""What can carry a body: friction pyramids at its touching points, frame by frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array, Indices
from poise.contact import TouchingPoints, intervals
from poise.mechanics import BodyState
from poise.motion import smooth_step
from poise.physics.newton_euler_rows import Scale, Supports
from poise.physics.settings import PhysicsSettings

SIDES = 4
"""Of a friction pyramid."""


_LEAST_SHARE = 0.005
"""Of its largest force, below which a point is left out."""
_LEAST_INSET_M = 0.005
"""Of points that carry a smoothed wrench, which is measured against the outermost points."""
CARRIED = 0.5
"""Body weights: who is said to fly while the capture shows so much support, does not."""


def supports_of(
    state: BodyState, touched: TouchingPoints, reference_m: Array, scale: Scale, usual: Array,
    settings: PhysicsSettings,
) -> Supports:  # fmt: skip
    """Generators of all frames.

    Args:
        state: the motion.
        touched: which points touch, and where.
        reference_m: (F, 3) the point that moments of each frame are about.
        scale: units.
        usual: (F, 6) the wrench of the motion to stay close to.
        settings: what the surroundings may do.
    """
    frames = len(touched.grip)
    firm = touched.grip >= settings.least_grip
    shares = load_shares(firm, scale.rate_hz, settings)
    loaded = shares > _LEAST_SHARE
    places = _inset(touched, loaded, settings.inset_m)
    frame, point = np.nonzero(loaded)
    normals = touched.normals[frame, point]
    arms = places[frame, point] - reference_m[frame]
    along = _tangents(normals, state.rotations_wxyz[frame, touched.joints[point]])
    across = np.cross(normals, along)
    sides = [along, -along, across, -across]
    forces = np.stack([normals + settings.friction * side for side in sides], axis=1)
    moments = np.cross(arms[:, None], forces) / scale.length_m
    generators = np.concatenate([forces, moments], axis=2).reshape(-1, 6)
    counts = np.bincount(frame, minlength=frames) * SIDES
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    caps = np.repeat(settings.max_force * shares[frame, point], SIDES)
    return Supports(
        first,
        np.ascontiguousarray(generators),
        caps,
        np.repeat(touched.joints[point], SIDES).astype(np.int64),
        np.ascontiguousarray(reference_m),
        _believed(counts, usual),
        usual,
        np.where((counts > 0)[:, None], likeness_of(settings), 0.0),
    )


def every_point(settings: PhysicsSettings) -> PhysicsSettings:
    """Settings under which every touching point carries at once, nearly at its own place."""
    return replace(settings, edge_s=0.0, ramp_s=1e-3, inset_m=_LEAST_INSET_M)


def load_shares(firm: NDArray[np.bool_], rate_hz: float, settings: PhysicsSettings) -> Array:
    """(F, C) how much of its largest force each point may give: forces fade in and out.

    A point that has just come down, or is about to leave, carries little while others carry the
    body. Where all have, the firmest counts as 1.
    """
    held = _to_the_edge_s(firm, rate_hz)
    early = held / (settings.edge_s + settings.ramp_s)
    share = smooth_step((held - settings.edge_s) / settings.ramp_s) + 1e-3 * early * early
    share *= firm
    return np.asarray(share / np.maximum(share.max(axis=1, keepdims=True, initial=0.0), 1e-300))


def _to_the_edge_s(held: NDArray[np.bool_], rate_hz: float) -> Array:
    """(F, C) time since a column became true or until it ends, whichever is shorter.

    What is true in the first or last frame of a clip was so before and will be so after.
    """
    found = np.full(held.shape, np.inf)
    for c in range(held.shape[1]):
        for first, stop in intervals(held[:, c]):
            count = np.arange(stop - first) + 0.5
            since = np.where(first == 0, np.inf, count)
            until = np.where(stop == len(held), np.inf, count[::-1])
            found[first:stop, c] = np.minimum(since, until) / rate_hz
    return np.minimum(found, 1.0)


def likeness_of(settings: PhysicsSettings) -> Array:
    """(6,) what a force and a moment unlike the capture's cost."""
    return np.repeat([settings.wrench_likeness, settings.moment_likeness], 3)


def _inset(touched: TouchingPoints, loaded: NDArray[np.bool_], inset_m: float) -> Array:
    """(F, C, 3) points moved towards the middle of the loaded ones of their part."""
    places = touched.places_m.copy()
    for p in range(len(touched.parts)):
        mine = touched.owners == p
        share = loaded[:, mine].astype(np.float64)[..., None]
        middle = (places[:, mine] * share).sum(axis=1) / np.maximum(share.sum(axis=1), 1.0)
        inward = middle[:, None] - places[:, mine]
        size = np.linalg.norm(inward, axis=2, keepdims=True)
        places[:, mine] += inward * np.minimum(1.0, inset_m / np.maximum(size, 1e-12))
    return places


def _tangents(normals: Array, rotations_wxyz: Array) -> Array:
    """A unit vector square to each normal, along an axis of the body part: it turns with the world.

    Of the three axes of its joint, that which lies flattest.
    """
    axes = rotations.rotate(rotations_wxyz[:, None], np.eye(3)[None])
    flattest = np.abs((axes * normals[:, None]).sum(axis=2)).argmin(axis=1)
    along = axes[np.arange(len(axes)), flattest]
    along = along - (along * normals).sum(axis=1, keepdims=True) * normals
    return along / np.linalg.norm(along, axis=1, keepdims=True)


def _believed(counts: Indices, usual: Array) -> Indices:
    """(F,) 0 in flights in which the capture shows that the body is carried."""
    found = np.ones(len(counts), dtype=np.int64)
    for first, stop in intervals(counts == 0):
        if usual[first:stop, 1].mean() > CARRIED:
            found[first:stop] = 0
    return found
