"""The contact optimizer: which contacts let the motion be itself and obey physics (Lee & Lee, 3.3).

Contact sequences are cheapest paths through the contact state graph. Weights of the graph's costs
over time are sampled; each sample's path is handed to the motion optimizer, whose error (Eq. 20)
says where to sample next (Algorithm 1), and the best sequence of all is taken. Sequences that were
met before are not solved again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.execution import Executor
from poise.methods.correct.contact_states import touching
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.node_costs import (
    KINDS,
    NodeCosts,
    key_count,
    node_costs,
    weights_over_time,
)
from poise.methods.correct.scoring import diversity, limited_paths, most_stretches
from poise.solvers import VoronoiSampler

BATCH = 10
"""Samples drawn at a time, to be solved in parallel; the same on every machine."""

_FAILED = 1e6
"""The error of a sequence that the motion optimizer could not solve."""


@dataclass(frozen=True, eq=False)
class Discovered:
    """The contacts that were found, at the working rate."""

    contacts: NDArray[np.bool_]
    """(T, B) by candidate."""
    error: float
    """Of the sequence taken."""
    errors: Array
    """(S,) of all samples, in the order in which they were drawn."""
    weights: Array
    """(K, 3) of pose, dynamics and slip at the key frames."""
    diversity: float
    """Effective number of stretches of one state."""
    states: int
    """Nodes of the graph."""
    solved: int
    """Different sequences that the motion optimizer was asked about."""


def discover(
    optimizer: MotionOptimizer,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Discovered:
    """Find the contacts of an optimizer's clip.

    The executor tries samples, several at a time (by default in threads, one a core); `progress` is
    told how many of how many have been tried.
    """
    settings, rate, frames = optimizer.settings, optimizer.rate_hz, optimizer.frame_count
    graph = node_costs(
        optimizer.mesh, optimizer.reference_m, rate, optimizer.environment, settings,
        optimizer.problem.rest_heights,
    )  # fmt: skip
    trials = _Trials(optimizer, graph, most_stretches(settings, frames / rate), executor)
    sampler = VoronoiSampler(
        key_count(frames, rate, settings.key_spacing_s), len(KINDS), seed=settings.seed
    )
    new = sampler.first(
        max(1, min(settings.samples, round(settings.first_samples * settings.samples)))
    )
    while True:
        sampler.add(new, trials.errors(new))
        done = len(sampler.samples)
        if progress is not None:
            progress(done, settings.samples)
        if done >= settings.samples:
            break
        new = sampler.next(min(BATCH, settings.samples - done))
    best = sampler.best
    return Discovered(
        contacts=touching(trials.paths[best], len(optimizer.mesh.candidates)),
        error=float(sampler.errors[best]),
        errors=sampler.errors,
        weights=sampler.samples[best],
        diversity=diversity(trials.paths[best]),
        states=len(graph.layers.states),
        solved=len(trials.known),
    )


class _Trials:
    """Errors of weightings, each sequence solved once."""

    def __init__(
        self, optimizer: MotionOptimizer, graph: NodeCosts, most: float, executor: Executor | None
    ) -> None:
        self._optimizer, self._graph, self._most = optimizer, graph, most
        self._executor = executor
        self.known: dict[bytes, float] = {}
        self.paths: list[Indices] = []

    def errors(self, samples: Array) -> Array:
        """(S,) the errors of samples (S, K, C)."""
        layers = self._graph.layers
        weights = weights_over_time(samples, layers.layer_count)
        paths = limited_paths(layers, self._graph.costs, weights, self._most)
        self.paths += list(paths.states)
        keys = [states.tobytes() for states in paths.states]
        fresh = {key: p for p, key in enumerate(keys) if key not in self.known}
        if fresh:
            flags = touching(
                paths.states[list(fresh.values())], len(self._optimizer.mesh.candidates)
            )
            errors, _ = self._optimizer.solve_many(
                flags, self._optimizer.settings.sampling_iterations, executor=self._executor
            )
            errors = np.where(np.isfinite(errors), errors, _FAILED)
            self.known |= dict(zip(fresh, errors.tolist(), strict=True))
        return np.array([self.known[key] for key in keys])
