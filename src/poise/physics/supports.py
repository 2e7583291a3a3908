"""What can carry a body: friction pyramids at its touching points, frame by frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array, Indices
from poise.contact import TouchingPoints, intervals
from poise.mechanics import BodyState
from poise.physics.newton_euler_rows import Scale, Supports
from poise.physics.settings import PhysicsSettings

SIDES = 4
"""Of a friction pyramid."""


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
    loaded = _loaded(firm, max(0, round(settings.edge_s * scale.rate_hz)))
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
    caps = np.full(len(generators), settings.max_force)
    return Supports(
        first,
        np.ascontiguousarray(generators),
        caps,
        np.repeat(touched.joints[point], SIDES).astype(np.int64),
        np.ascontiguousarray(reference_m),
        _believed(counts, usual),
        usual,
        np.where(counts > 0, settings.wrench_likeness, 0.0),
    )


def _loaded(firm: NDArray[np.bool_], margin: int) -> NDArray[np.bool_]:
    """Points that touch, but for the first and last frames of each contact.

    Where nothing else would be left, as many of those frames as there have to be.
    """
    layers = [firm]
    for _ in range(margin):
        inner = layers[-1].copy()
        inner[1:] &= layers[-1][:-1]
        inner[:-1] &= layers[-1][1:]
        # What touches in the first or last frame of a clip did so before and will do so after.
        inner[0], inner[-1] = layers[-1][0], layers[-1][-1]
        layers.append(inner)
    loaded = layers[-1].copy()
    for layer in layers[-2::-1]:
        empty = ~loaded.any(axis=1)
        loaded[empty] = layer[empty]
    return loaded


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
