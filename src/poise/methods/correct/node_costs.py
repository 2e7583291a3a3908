"""What each contact state costs in each frame: pose style, dynamics, slip (Lee & Lee, section 3.4).

The costs as printed divide each kind by the largest of its frame. That makes a stance depend on
what else happens: while the other foot swings fast, a foot that slides looks still, and in a frame
where nothing is in doubt (all soles on the floor, or a flight) a millimetre or a newton is blown up
to one. And a part that rests on the floor costs nothing when it is declared free, unless the forces
need it, so that the second foot of a standing figure comes and goes. Here instead

- every kind is in units that do not depend on the frame: a candidate at the limit of the detector's
  rule, the weight of the body; a frame's largest only counts where it is larger than that;
- pose and slip speak for contact as well as against it: a candidate in the state pays by how far it
  is lifted, or how fast it moves; one that is not pays by how low, or how still, it is. With equal
  weights and nothing to say for the forces, that is the detector's rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Character
from poise.compiled import borrowing
from poise.contact import clip_dynamics
from poise.environment import Environment, query
from poise.methods.correct.contact_states import against, contact_states, possible
from poise.methods.correct.evidence import Evidence, height_limits_m
from poise.methods.correct.mesh import Mesh, vertices_of
from poise.methods.correct.momentum_costs import bending_costs, momentum_costs, one_bent
from poise.methods.correct.settings import Settings
from poise.motion import Clip
from poise.solvers import Layers

# Weights of the kinds of node cost over time: straight lines between key frames (Lee & Lee, 3.5).
#
# At each key frame the weights add up to one; so they do between. None is ever zero: without its
# share, a kind of evidence would be switched off altogether, and a sequence that contradicts it
# (a foot that stands in the air because the forces like it so) could come out as the best.
LEAST_WEIGHT = 0.15
"""Of each kind. (The paper's walk of Fig. 9 has 0.1 for pose and 0 for slip, with costs that are
relative to their frame.) The pruning of states counts on it."""


def key_count(frames: int, rate_hz: float, spacing_s: float) -> int:
    """How many key frames a clip has: at both ends, and evenly between, about so far apart."""
    return 1 + max(1, round((frames - 1) / (rate_hz * spacing_s))) if frames > 1 else 1


def weights_over_time(samples: Array, frames: int) -> Array:
    """(S, T, C) weights of every frame from samples (S, K, C) at the key frames."""
    keys, kinds = samples.shape[1:]
    bounded = LEAST_WEIGHT + (1.0 - kinds * LEAST_WEIGHT) * samples
    if keys == 1:
        return np.repeat(bounded, frames, axis=1)
    at = np.linspace(0.0, keys - 1.0, frames)
    left = np.minimum(at.astype(np.int64), keys - 2)
    share = (at - left)[:, None]
    return (1.0 - share) * bounded[:, left] + share * bounded[:, left + 1]


KINDS = ("pose", "dynamics", "slip")

SHARE = 0.25
"""Of one candidate's evidence in a cost: four of them, two feet, make one."""

BENDING = 0.25
"""Of Eq. 22 in the cost of the pose, whose heights the evidence counts already: what it adds is
that heights which differ bend the body, while all of it may be too high at no cost."""

_STEEPEST = 9.0
"""Bending counts no more than this many candidates that are off by their limit."""


@dataclass(frozen=True, eq=False)
class NodeCosts:
    """The contact state graph with the costs of its nodes."""

    layers: Layers
    costs: Array
    """(N, 3) pose, dynamics and slip of each node."""


def node_costs(
    mesh: Mesh,
    clip: Clip,
    character: Character,
    environment: Environment,
    settings: Settings,
    found: Evidence,
    rest_heights_m: Array,
    *,
    pruned: bool = True,
) -> NodeCosts:
    """The graph of a clip at the working rate, which is the reference motion.

    `found` is what it says of each candidate, `rest_heights_m` (B,) how high their vertices rest
    over the surface. Unless `pruned`, states stay that geometry rules out.
    """
    allowed = possible(found.lifted, found.moving)
    if not pruned:
        allowed = np.ones_like(allowed)
    layers = contact_states(allowed)
    vertices = vertices_of(mesh, clip)[:, mesh.contact_vertex]
    dynamics = momentum_costs(
        layers, clip_dynamics(clip, character), environment, vertices, settings
    )
    surface = query(environment, vertices)
    targets = surface.closest_m + rest_heights_m[:, None] * surface.normals - vertices
    bending = bending_costs(mesh, layers, targets / height_limits_m(mesh)[:, None])
    costs = np.empty((len(layers.states), len(KINDS)))
    lifted, still = np.empty(len(layers.states)), np.empty(len(layers.states))
    _weigh(layers.starts, layers.states, found.lifted, against(found.lifted), lifted)
    _weigh(layers.starts, layers.states, found.moving, against(found.moving), still)
    costs[:, 0] = SHARE * (lifted + BENDING * np.minimum(bending / one_bent(mesh), _STEEPEST))
    heaviest = np.maximum(np.maximum.reduceat(dynamics, layers.starts[:-1]), 1.0)
    costs[:, 1] = dynamics / np.repeat(heaviest, np.diff(layers.starts))
    costs[:, 2] = SHARE * still
    return NodeCosts(layers, costs)


@borrowing
def _weigh(starts: Indices, states: Indices, evidence: Array, inside: Array, costs: Array) -> None:
    """Sum what speaks against the candidates in each state, and for those that are not in it."""
    for t in range(len(starts) - 1):
        for n in range(starts[t], starts[t + 1]):
            total = 0.0
            for b in range(evidence.shape[1]):
                if (states[n] >> b) & 1:
                    total += inside[t, b]
                else:
                    total += max(0.0, 1.0 - evidence[t, b])
            costs[n] = total
