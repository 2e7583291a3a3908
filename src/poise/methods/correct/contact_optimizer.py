"""The contact optimizer: which contacts let the motion be itself and obey physics (Lee & Lee, 3.3).

Contact sequences are cheapest paths through the contact state graph. Weights of the graph's costs
over time are sampled; each sample's path is handed to the motion optimizer, whose error says where
to sample next (Algorithm 1), and the best sequence of all is taken. Sequences that were met before
are not solved again, and most are: with costs in fixed units (`node_costs`) a hundred weightings
lead to some dozens of sequences.

The error by which sequences are compared is that of Eq. 20 (trajectory, pose, balance), with the
moment that nothing explains, and with what the sequence costs in the graph under unit weights. The
last is needed because Eq. 20 alone likes few contacts: every one pulls the pose a little, while the
forces of one foot mostly explain what those of two do. All are means over frames in comparable
units, one being a body weight that nothing explains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.character import Character
from poise.environment import Environment
from poise.execution import Executor
from poise.methods.correct.contact_states import touching
from poise.methods.correct.evidence import evidence
from poise.methods.correct.mesh import Mesh, vertices_of
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.node_costs import (
    KINDS,
    NodeCosts,
    key_count,
    node_costs,
    weights_over_time,
)
from poise.methods.correct.scoring import PER_SECOND, diversity, limited_paths
from poise.methods.correct.settings import Settings
from poise.methods.correct.standing_places import rest_heights_m, with_sliding
from poise.methods.correct.windows import OVERLAP_S, WINDOW_S, windows
from poise.motion import Clip
from poise.solvers import VoronoiSampler

JUMP = 0.05
"""What a change of state costs at least: a twentieth of a frame in which nothing carries the body,
enough that no contact comes for a frame because of noise."""

BATCH = 10
"""Samples drawn at a time, to be solved in parallel; the same on every machine."""


@dataclass(frozen=True, eq=False)
class Discovered:
    """The contacts that were found, at the working rate."""

    contacts: NDArray[np.int8]
    """(T, B) 0 free, 1 static, 2 sliding."""
    error: float
    """Of the sequence taken."""
    errors: Array
    """(S,) of all samples, in the order in which they were drawn."""
    weights: Array
    """(K, 3) of pose, dynamics and slip at the key frames."""
    diversity: float
    """Effective number of stretches of one state."""
    states: int
    """Nodes of the graph, after pruning."""
    solved: int
    """Different sequences that the motion optimizer was asked about."""


def discover(
    optimizer: MotionOptimizer,
    mesh: Mesh,
    clip: Clip,
    character: Character,
    environment: Environment,
    settings: Settings,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Discovered:
    """Find the contacts of a clip at the working rate, by an optimizer of the same clip.

    The executor tries samples, several at a time (by default in threads, one a core); `progress` is
    told how many of how many have been tried.
    """
    found = evidence(mesh, clip, character, environment)
    rest = rest_heights_m(mesh, clip, character, environment)
    graph = node_costs(mesh, clip, character, environment, settings, found, rest)
    frames, rate = clip.frame_count, clip.rate_hz
    trials = _Trials(optimizer, graph, found.sliding_m_s, rate, settings, executor)
    sampler = VoronoiSampler(
        key_count(frames, rate, settings.key_spacing_s), len(KINDS), seed=settings.seed
    )
    first = max(1, min(settings.samples, round(settings.first_samples * settings.samples)))
    # Even weights come first: a sample like any other, and for one alone the right guess.
    new = np.concatenate(
        [np.full((1, *sampler.samples.shape[1:]), 1.0 / len(KINDS)), sampler.first(first - 1)]
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
        contacts=trials.contacts_of(trials.paths[best]),
        error=float(sampler.errors[best]),
        errors=sampler.errors,
        weights=weights_over_time(sampler.samples[best : best + 1], sampler.samples.shape[1])[0],
        diversity=diversity(trials.paths[best]),
        states=len(graph.layers.states),
        solved=len(trials.known),
    )


class _Trials:
    """Errors of weightings, each sequence solved once."""

    def __init__(
        self,
        optimizer: MotionOptimizer,
        graph: NodeCosts,
        sliding_m_s: Array,
        rate_hz: float,
        settings: Settings,
        executor: Executor | None,
    ) -> None:
        self._optimizer, self._graph, self._executor = optimizer, graph, executor
        self._sliding_m_s, self._rate_hz, self._settings = sliding_m_s, rate_hz, settings
        frames = graph.layers.layer_count
        asked = settings.diversity
        self._most = max(1.0, PER_SECOND * frames / rate_hz) if asked is None else asked
        self.known: dict[bytes, float] = {}
        self.paths: list[Indices] = []

    def errors(self, samples: Array) -> Array:
        """(S,) the errors of samples (S, K, C)."""
        layers = self._graph.layers
        weights = weights_over_time(samples, layers.layer_count)
        paths = limited_paths(layers, self._graph.costs, weights, JUMP, self._most)
        self.paths += list(paths.states)
        keys = [states.tobytes() for states in paths.states]
        fresh = {key: p for p, key in enumerate(keys) if key not in self.known}
        if fresh:
            rows = list(fresh.values())
            contacts = np.array([self.contacts_of(paths.states[p]) for p in rows])
            errors, parts = self._optimizer.solve_many(
                contacts, self._settings.sampling_iterations, executor=self._executor
            )
            cost = self._graph.costs[paths.nodes[rows]].sum(axis=(1, 2)) / layers.layer_count
            jumps = np.count_nonzero(np.diff(paths.states[rows], axis=1), axis=1)
            total = errors + parts[:, -1] + cost + JUMP * jumps / layers.layer_count
            total = np.where(np.isfinite(total), total, _FAILED)
            self.known |= dict(zip(fresh, total.tolist(), strict=True))
        return np.array([self.known[key] for key in keys])

    def contacts_of(self, states: Indices) -> NDArray[np.int8]:
        """(T, B) of a path."""
        flags = touching(states, self._sliding_m_s.shape[1])
        if not self._settings.sliding:
            return flags.astype(np.int8)
        return with_sliding(flags, self._sliding_m_s, self._rate_hz)


_FAILED = 1e6
"""The error of a sequence that the motion optimizer could not solve."""


def discover_long(
    mesh: Mesh,
    clip: Clip,
    character: Character,
    environment: Environment,
    settings: Settings,
    rest_heights_m: Array,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Discovered:
    """Find the contacts of a clip at the working rate; one window for clips that fit into it.

    From one window to the next is changed in the middle of their overlap. Errors are means over
    windows; states and sequences solved, sums.
    """
    rate = clip.rate_hz
    cuts = windows(clip.frame_count, round(WINDOW_S * rate), round(OVERLAP_S * rate))
    found: list[Discovered] = []
    for number, cut in enumerate(cuts):
        part = clip.sliced(cut.start, cut.stop)
        optimizer = MotionOptimizer(
            mesh, vertices_of(mesh, part), rate, environment, settings, rest_heights_m
        )

        def told(done: int, total: int, before: int = number) -> None:
            if progress is not None:
                progress(before * total + done, len(cuts) * total)

        found.append(
            discover(optimizer, mesh, part, character, environment, settings, progress=told)
        )
    if len(found) == 1:
        return found[0]
    contacts = np.zeros((clip.frame_count, len(mesh.candidates)), dtype=np.int8)
    before = 0
    for cut, one in zip(cuts, found, strict=True):
        start = (cut.start + before) // 2 if before else 0
        contacts[start : cut.stop] = one.contacts[start - cut.start :]
        before = cut.stop
    return Discovered(
        contacts=contacts,
        error=float(np.mean([one.error for one in found])),
        errors=np.mean([one.errors for one in found], axis=0),
        weights=np.concatenate([one.weights for one in found]),
        diversity=float(np.sum([one.diversity for one in found])),
        states=sum(one.states for one in found),
        solved=sum(one.solved for one in found),
    )
