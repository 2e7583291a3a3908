"""What each contact state costs in each frame: pose style, dynamics, slip (Lee & Lee, section 3.4).

Each kind is divided by the largest of its frame (section 3.4.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.environment import Environment, query
from poise.methods.correct.bending_costs import bending_costs, center_shifts_m
from poise.methods.correct.contact_states import contact_states, touching
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.momentum_costs import momentum_costs
from poise.methods.correct.settings import Settings
from poise.solvers import Layers

KINDS = ("pose", "dynamics", "slip")

_NOTHING = 1e-12
"""Costs of a frame in which the largest is less are all zero."""


def key_count(frames: int, rate_hz: float, spacing_s: float) -> int:
    """How many key frames a clip has: at both ends, and evenly between, about so far apart."""
    return 1 + max(1, round((frames - 1) / (rate_hz * spacing_s))) if frames > 1 else 1


def weights_over_time(samples: Array, frames: int) -> Array:
    """(S, T, C) weights of every frame, on straight lines between the key frames' (S, K, C)."""
    keys = samples.shape[1]
    if keys == 1:
        return np.repeat(samples, frames, axis=1)
    at = np.linspace(0.0, keys - 1.0, frames)
    left = np.minimum(at.astype(np.int64), keys - 2)
    share = (at - left)[:, None]
    return (1.0 - share) * samples[:, left] + share * samples[:, left + 1]


@dataclass(frozen=True, eq=False)
class NodeCosts:
    """The contact state graph with the costs of its nodes."""

    layers: Layers
    costs: Array
    """(N, 3) pose, dynamics and slip of each node, shares of their frame's largest."""


def node_costs(
    mesh: Mesh, reference_m: Array, rate_hz: float, environment: Environment, settings: Settings,
    rest_heights_m: Array,
) -> NodeCosts:  # fmt: skip
    """The graph of a reference motion (T, V, 3); `rest_heights_m` (B,) as in `rest_heights`."""
    frames, count = len(reference_m), len(mesh.candidates)
    layers = contact_states(frames, count)
    vertices = reference_m[:, mesh.contact_vertex]
    surface = query(environment, vertices)
    targets = surface.closest_m + rest_heights_m[:, None] * surface.normals - vertices
    travelled = np.zeros((frames, count))
    steps = np.diff(vertices, axis=0) - surface.velocities_m_s[:-1] / rate_hz
    travelled[1:] = np.sum(steps**2, axis=2)
    flags = touching(np.arange(1 << count), count)
    kinds = np.stack(
        [
            bending_costs(mesh, layers, targets),
            momentum_costs(
                mesh, layers, reference_m, rate_hz, environment, settings,
                center_shifts_m(mesh, layers, targets),
            ),
            (travelled @ flags.T).reshape(-1),
        ],
        axis=1,
    )  # fmt: skip
    largest = np.maximum(np.maximum.reduceat(kinds, layers.starts[:-1]), _NOTHING)
    return NodeCosts(layers, kinds / np.repeat(largest, np.diff(layers.starts), axis=0))
