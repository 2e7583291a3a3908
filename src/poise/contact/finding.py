"""Which body parts touch when, by all evidence at once, and how sure that is.

For every frame, sets of parts are weighed against each other by independent evidence:

- geometry: how low each part is, and how slow, against how noisy the clip is (`geometry_evidence`);
- dynamics: whether the set's forces can move the body as it moves, and whether each of its parts
  carries anything (`load_evidence`);
- continuity: parts that come or go cost something;
- the body: soles are made to stand on, the rest of it touches now and then.

The likeliest sequence of sets is taken whole (a hidden Markov model, Viterbi's path through the
graph of Lee & Lee 2018, Fig. 7), with the probability of each part in each frame as its confidence.
Nothing is put back to a detector afterwards. Any part may touch in any clip: a hand that lands in a
cartwheel, a shoulder in a roll, knees of someone who gets up.

Who neither falls nor stands on anything that is known is carried by something that is not: a set of
its own, that explains any force, and is unlikely enough to be taken only where nothing else can be.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from poise.arrays import Array, Indices
from poise.character import Character
from poise.compiled import borrowing
from poise.contact.clip_dynamics import clip_dynamics
from poise.contact.floor import FEET
from poise.contact.geometry_evidence import GeometryEvidence, geometry_evidence
from poise.contact.load_evidence import load_evidence
from poise.contact.schedule import BODY_PARTS, ContactSchedule, intervals
from poise.contact.sliding import sliding_frames
from poise.contact.touching_points import touching_points
from poise.environment import Environment
from poise.errors import UnknownName
from poise.mechanics import forward_kinematics
from poise.motion import Clip, splines
from poise.solvers import Layers, likeliest_states

FOOT_ODDS, FOOT_BIAS = 5.8, -0.5
"""Log-odds of a foot that scores zero by the detector's rule (which says 1 at its limit), and what
is taken off them. By logistic regression on force plates 4.3, alone; beside dynamics, more."""
OTHER_ODDS, OTHER_BIAS = 4.0, -2.0
"""Of hands, knees and so on, whose skin is known less well and which touch less often."""
LEAST_ODDS, MOST_ODDS = -8.0, 6.0
NOISE_BIAS = 1.5
"""Noise makes heights and speeds look larger than they are, by about so many of its deviations."""
REACH = 3.0
"""Scores up to which a part is weighed at all: 8 cm for soles that do not move, 12 for flesh."""
CORRELATED_S = 0.04
"""Evidence of frames nearer to each other is the same evidence."""
CHANGE = -2.0
"""Log-probability of a part that comes or goes."""
UNKNOWN, UNKNOWN_CHANGE = -3.0, -8.0
"""Log-odds that something carries the body which is not known (no part, or no surface), and what is
taken off them when that begins and when it ends: it is rare, and lasts."""
CARRIED, TIPPED = 0.5, 0.1
"""Share of the weight, or moment in body weight × stature, that something must carry, where the
best set leaves it, for longer than a moment:"""
CARRIED_S = 0.25
"""on average over this time. What a landing or a kick leaves averages out to less than a quarter of
the weight; who stands on stairs leaves all of it. Who leans on a partner, or sits down on a stool
with the feet on the ground, leaves a moment only: the zero-moment point is a foot's length away
from the feet."""
LONGEST_GAP_S = 0.15
"""Flights are longer, or carry nothing."""
GAP_CARRIES = 0.5
"""Of the weight, on average over a gap: more, and it is no flight."""
_MOST_DOUBTFUL = 6
"""Parts of a frame that are weighed in all combinations; the surest of more are decided alone."""
_GRID_HZ = 125.0
"""Faster clips are weighed in every other frame, and so on."""


@dataclass(frozen=True, eq=False)
class FoundContacts:
    """What touches, and where that is not known."""

    schedule: ContactSchedule
    """With what slides, and with confidence."""
    unknown: NDArray[np.bool_]
    """(F,) the body is carried by something that is not known."""
    unexplained: Array
    """(F,) what the forces of what touches leave: body weights, body weight × stature."""


def find_contacts(
    clip: Clip,
    character: Character,
    environment: Environment,
    parts: Iterable[str] | None = None,
) -> FoundContacts:
    """Find what touches when.

    Args:
        clip: the motion, at its right rate (see `check_gravity`); noise is allowed for.
        character: with a body and contact points.
        environment: where.
        parts: that may touch; None lets all that the character has.
    """
    state = forward_kinematics(clip.skeleton, *clip.pose)
    geometry = geometry_evidence(state, character, environment, clip.rate_hz)
    allowed = _allowed(geometry.parts, parts)
    odds, could = _odds(geometry), (geometry.scores < REACH) & allowed
    stride = max(1, round(clip.rate_hz / _GRID_HZ))
    at = np.arange(0, clip.frame_count, stride)
    lengths = np.diff(np.append(at, clip.frame_count))
    weight = stride / clip.rate_hz / CORRELATED_S
    mean = np.add.reduceat(odds, at, axis=0) / lengths[:, None]
    layers = _sets(np.logical_or.reduceat(could, at, axis=0), mean)
    frame = np.repeat(np.arange(len(at)), np.diff(layers.starts))
    count = len(geometry.parts)
    members = ((layers.states[:, None] >> np.arange(count)) & 1).astype(np.float64)
    geometric = np.einsum("np,np->n", members, mean[frame])
    unexplained, dynamics = np.zeros(len(frame)), None
    if clip.frame_count >= splines.SHORTEST:
        dynamics = clip_dynamics(clip, character)
        could = np.repeat(np.logical_or.reduceat(could, at, axis=0), lengths, axis=0)
        schedule = ContactSchedule(geometry.parts, could, clip.rate_hz)
        points = touching_points(state, character, schedule, environment)
        loads = load_evidence(dynamics, points, at[frame], layers.states)
        unexplained = loads.unexplained
        carried = _carried(layers, unexplained, loads.missing, clip.rate_hz / stride)
        layers, likelihoods, unexplained = _or_unknown(
            layers, geometric, loads.log_likelihoods, unexplained, carried, count
        )
    else:
        likelihoods = geometric
    changes = np.append(np.full(count, CHANGE), UNKNOWN_CHANGE)
    paths = likeliest_states(layers, weight * likelihoods, changes)
    taken = np.repeat(paths.states, lengths)
    touching = ((taken[:, None] >> np.arange(count)) & 1) == 1
    sure = np.repeat(paths.probabilities[:, :count], lengths, axis=0)
    nodes = _nodes_of(layers, paths.states)
    unknown = _without_rims((taken >> count) & 1 == 1, touching, clip.rate_hz)
    if dynamics is not None:
        support = dynamics.outer_force_n[:, 1] / dynamics.weight_n
        touching = without_carried_gaps(touching, np.where(unknown, 0.0, support), clip)
    schedule = ContactSchedule(
        geometry.parts, touching, clip.rate_hz,
        sliding_frames(touching, geometry.sliding_m_s, clip.rate_hz),
        np.where(touching, sure, 1.0 - sure),
    )  # fmt: skip
    return FoundContacts(schedule, unknown, np.repeat(unexplained[nodes], lengths))


def _allowed(known: tuple[str, ...], asked: Iterable[str] | None) -> NDArray[np.bool_]:
    if asked is None:
        return np.ones(len(known), dtype=np.bool_)
    chosen = tuple(asked)
    for part in chosen:
        if part not in BODY_PARTS:
            raise UnknownName("body part", part, BODY_PARTS)
    return np.array([part in chosen for part in known])


def _odds(geometry: GeometryEvidence) -> Array:
    """(F, P) log-odds that each part touches, by geometry alone.

    Uncertainty makes odds smaller, as it does for a bell curve seen through a logistic one.
    """
    feet = np.array([part in FEET for part in geometry.parts])
    slope = np.where(feet, FOOT_ODDS, OTHER_ODDS)
    blunted = slope / np.sqrt(1.0 + np.pi / 8.0 * (slope * geometry.doubts) ** 2)
    bias = np.where(feet, FOOT_BIAS, OTHER_BIAS)
    found = blunted * (1.0 - geometry.scores + NOISE_BIAS * geometry.doubts) + bias
    return np.clip(found, LEAST_ODDS, MOST_ODDS)


def _sets(could: NDArray[np.bool_], odds: Array) -> Layers:
    """All combinations of the parts that could touch, frame by frame; the surest are decided."""
    doubtful, decided = could.copy(), np.zeros(len(could), np.int64)
    bits = 1 << np.arange(could.shape[1], dtype=np.int64)
    for t in np.flatnonzero(could.sum(axis=1) > _MOST_DOUBTFUL):
        ranked = np.argsort(np.where(could[t], np.abs(odds[t]), np.inf), kind="stable")
        surest = ranked[_MOST_DOUBTFUL : int(could[t].sum())]
        doubtful[t, surest] = False
        decided[t] = bits[surest[odds[t, surest] > 0.0]].sum()
    masks = doubtful @ bits
    starts = np.concatenate([[0], np.cumsum(1 << doubtful.sum(axis=1))]).astype(np.int64)
    states = np.empty(starts[-1], np.int64)
    _subsets(masks, decided, starts, states)
    return Layers(starts, states, 1 << (could.shape[1] + 1))


@borrowing
def _subsets(masks: Indices, decided: Indices, starts: Indices, states: Indices) -> None:
    """All subsets of each mask with what is decided (other bits), ascending."""
    for t in range(len(masks)):
        state = 0
        for n in range(starts[t], starts[t + 1]):
            states[n] = state | decided[t]
            state = (state - masks[t]) & masks[t]


def _carried(
    layers: Layers, unexplained: Array, missing: Array, rate_hz: float
) -> NDArray[np.bool_]:
    """(T,) where even the best set leaves much of the weight for something else to carry."""
    starts = layers.starts
    best = [a + int(unexplained[a:b].argmin()) for a, b in pairwise(starts.tolist())]
    count = max(1, round(CARRIED_S * rate_hz))
    left = uniform_filter1d(missing[best], count, axis=0, mode="nearest")
    return np.asarray((left[:, 1] > CARRIED) | (np.linalg.norm(left[:, 3:], axis=1) > TIPPED))


def _or_unknown(
    layers: Layers, geometric: Array, loads: Array, unexplained: Array, carried: NDArray[np.bool_],
    unknown: int,
) -> tuple[Layers, Array, Array]:  # fmt: skip
    """The sets, and where something else carries the body, each of them with that."""
    sizes = np.diff(layers.starts)
    doubled = np.repeat(carried, sizes)
    states = np.concatenate([layers.states, layers.states[doubled] | (1 << unknown)])
    likelihoods = np.concatenate([geometric + loads, geometric[doubled] + UNKNOWN])
    left = np.concatenate([unexplained, unexplained[doubled]])
    frame = np.repeat(np.arange(layers.layer_count), sizes)
    order = np.lexsort((states, np.concatenate([frame, frame[doubled]])))
    starts = np.concatenate([[0], np.cumsum(sizes * np.where(carried, 2, 1))])
    grown = Layers(starts.astype(np.int64), states[order], layers.state_count)
    return grown, likelihoods[order], left[order]


def _without_rims(
    unknown: NDArray[np.bool_], touching: NDArray[np.bool_], rate_hz: float
) -> NDArray[np.bool_]:
    """(F,) what is not known carries, with the moments before and after in which nothing does.

    Evidence of it is an average over a while, which blurs where it begins: nobody flies for a few
    frames from a step to the floor.
    """
    found = unknown.copy()
    for first, stop in intervals(np.asarray(~touching.any(axis=1) & ~unknown)):
        beside = (first > 0 and unknown[first - 1]) or (stop < len(unknown) and unknown[stop])
        if beside and stop - first <= LONGEST_GAP_S * rate_hz:
            found[first:stop] = True
    return found


def without_carried_gaps(
    touching: NDArray[np.bool_], support: Array, clip: Clip
) -> NDArray[np.bool_]:
    """Contacts (F, P) that go on through short gaps in which something carries the body.

    Nobody flies while the ground carries half the weight (`support` (F,), in body weights): soles
    are soft, and a foot that is lifted by centimetres may still push. The contacts before and after
    meet in the middle of such a gap; longer ones miss a contact that nobody knows.
    """
    found = touching.copy()
    for first, stop in intervals(np.asarray(~touching.any(axis=1))):
        inside = 0 < first and stop < len(touching)
        if not inside or stop - first > LONGEST_GAP_S * clip.rate_hz:
            continue
        if support[first:stop].mean() > GAP_CARRIES:
            middle = (first + stop + 1) // 2
            found[first:middle] |= found[first - 1]
            found[middle:stop] |= found[stop]
    return found


def _nodes_of(layers: Layers, states: Indices) -> Indices:
    """(T,) the node of each layer's state."""
    taken = np.repeat(states, np.diff(layers.starts)) == layers.states
    return np.flatnonzero(taken)
