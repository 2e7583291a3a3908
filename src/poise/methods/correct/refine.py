"""From contacts at the working rate to the clip's own: when exactly each one starts and ends.

Which contacts there are has been decided at 30 frames a second, where a frame is a tenth of a
running stance. Here every start and end moves by at most three of those frames to where the motion
at its own rate says: the frame that parts touching from free frames best by the detector's rule
(`poise.contact.detection`), all frames of the window taken together, so that no single one decides.
Before and after a flight, contacts end where the foot has left the ground.
A contact that the motion nowhere supports, because it is there for the forces' sake (a shoulder in
a roll), stays as it is. A part of a schedule (a foot) is placed by all of its points, the tip of
its toes included; its candidates (ball and heel) each by their own, and never outlast it. While a
foot stands on the tip of its toes alone, which is no candidate, the schedule says that it touches
though none of its candidates does; else nothing is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.contact import PLANTED_M_S, ContactSchedule, clip_dynamics, intervals
from poise.environment import Environment
from poise.errors import BadShape
from poise.methods.correct.contact_states import columns_of, schedule_of
from poise.methods.correct.evidence import evidence, whole_feet
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.problem import FREE, STATIC
from poise.motion import Clip


def from_schedule(
    schedule: ContactSchedule,
    mesh: Mesh,
    clip: Clip,
    character: Character,
    environment: Environment,
) -> OwnRate:
    """Every candidate of a touching part touches that the motion lets touch; the likeliest does."""
    if schedule.frame_count != clip.frame_count:
        raise BadShape("contacts", f"({clip.frame_count}, P)", schedule.touching.shape)
    scores = evidence(mesh, clip, character, environment).scores
    contacts = np.zeros(scores.shape, dtype=np.int8)
    for part in schedule.parts:
        mine = columns_of(mesh.candidates, part)
        if mine:
            best = scores[:, mine].min(axis=1, keepdims=True)
            likely = (scores[:, mine] < 1.0) | (scores[:, mine] == best)
            contacts[:, mine] = likely & schedule.column(part)[:, None]
    return OwnRate(contacts, schedule)


WINDOW_FRAMES = 3
"""Working frames by which a start or an end may move."""

LEFT_M = 0.025
"""A foot that is lifted higher before or after a flight does not touch any more, or not yet. Held
longer, it would take a jumper's height away: two centimetres for every frame."""

LONGEST_GAP_S = 0.15
"""Flights are longer, or carry nothing."""
CARRIED = 0.5
"""Of the weight, on average over a gap: more, and it is no flight."""

TIP_TOE_S = 0.1
"""Shortest stand on the tip of the toes alone: longer than a foot takes to leave."""


@dataclass(frozen=True, eq=False)
class OwnRate:
    """Contacts at the clip's own rate."""

    contacts: NDArray[np.int8]
    """(F, B) 0 free, 1 static, 2 sliding."""
    schedule: ContactSchedule
    """The same by body part."""


def refined(
    contacts: NDArray[np.int8],
    working_rate_hz: float,
    mesh: Mesh,
    clip: Clip,
    character: Character,
    environment: Environment,
) -> OwnRate:
    """Contacts (T, B) of the working rate at the clip's own rate, from the same first frame on."""
    frames = clip.frame_count
    times = np.arange(frames) * (working_rate_hz / clip.rate_hz)
    nearest = np.clip(np.floor(times + 0.5).astype(np.int64), 0, len(contacts) - 1)
    coarse = contacts[nearest]
    touching = coarse != FREE
    found = evidence(mesh, clip, character, environment)
    window = WINDOW_FRAMES * clip.rate_hz / working_rate_hz
    carried = _carried(clip, character)
    falling = carried <= 0.0
    parts = schedule_of(mesh.candidates, touching, clip.rate_hz)
    columns = np.array(parts.touching)
    feet = whole_feet(clip, character, environment)
    for p, part in enumerate(parts.parts):
        mine = columns_of(mesh.candidates, part)
        scores = feet[part].scores if part in feet else found.scores[:, mine].min(axis=1)
        columns[:, p] = _moved(columns[:, p], np.where(falling, 2.0, scores), window)
        if part in feet:
            own = found.scores[:, mine].min(axis=1, initial=np.inf)
            still = (scores < 1.0) & (feet[part].speeds_m_s < PLANTED_M_S)
            tip = still & (own >= 1.0) & ~falling & ~columns[:, p]
            for first, last in intervals(tip):
                if last - first >= TIP_TOE_S * clip.rate_hz:
                    columns[first:last, p] = True
    lifted = np.zeros_like(columns)
    for part, foot in feet.items():
        if part in parts.parts:
            lifted[:, parts.parts.index(part)] = foot.lifts_m > LEFT_M
    # Where something else carries the body, a foot that is held a little longer does no harm.
    lifted &= ~(columns & ~lifted).any(axis=1, keepdims=True)
    for p in range(len(parts.parts)):
        columns[:, p] = without_ends(columns[:, p], lifted[:, p], window)
    close_carried_gaps(columns, carried, clip.rate_hz)
    fine = np.zeros_like(coarse)
    for p, part in enumerate(parts.parts):
        for b in columns_of(mesh.candidates, part):
            flags = _moved(touching[:, b], np.where(falling, 2.0, found.scores[:, b]), window)
            flags &= columns[:, p]
            fine[:, b] = np.where(flags, _kinds(coarse[:, b], flags), FREE)
    return OwnRate(fine, ContactSchedule(parts.parts, columns, clip.rate_hz))


def _carried(clip: Clip, character: Character) -> Array:
    """(F,) share of the weight that the ground carries, by how the centre of mass moves.

    At zero it falls as fast as gravity pulls. Smoothed as suits the clip's noise: around a flight
    the force is small, and noise would flip it.
    """
    asked = clip_dynamics(clip, character)
    return asked.outer_force_n[:, 1] / asked.weight_n


def close_carried_gaps(touching: NDArray[np.bool_], carried: Array, rate_hz: float) -> None:
    """Contacts (F, P) go on through short gaps in which something carries the body, in place.

    Nobody flies while the ground carries half the weight. The contacts before and after meet in the
    middle of such a gap; longer ones miss a contact that nobody knows.
    """
    for first, stop in intervals(np.asarray(~touching.any(axis=1))):
        inside = 0 < first and stop < len(touching)
        if not inside or stop - first > LONGEST_GAP_S * rate_hz:
            continue
        if carried[first:stop].mean() > CARRIED:
            middle = (first + stop + 1) // 2
            touching[first:middle] |= touching[first - 1]
            touching[middle:stop] |= touching[stop]


def _moved(flags: NDArray[np.bool_], scores: Array, window: float) -> NDArray[np.bool_]:
    """Starts and ends moved to where the scores (below 1: touching) say, no farther than `window`.

    Neighbouring changes keep their order and a frame between them.
    """
    count = len(flags)
    supported = _supported(flags, scores)
    # What calling a frame touching costs over calling it free; one frame says no more than another.
    price = np.concatenate([[0.0], np.cumsum(np.clip(scores - 1.0, -1.0, 1.0))])
    edges = np.flatnonzero(np.diff(flags.astype(np.int8))) + 1
    placed: list[int] = []
    for i, edge in enumerate(edges):
        before = placed[-1] + 1 if placed else 1
        after = (int(edge) + int(edges[i + 1])) // 2 if i + 1 < len(edges) else count - 1
        if not (supported[i] and supported[i + 1]):
            placed.append(max(before, int(edge)))
            continue
        first = max(before, int(np.ceil(edge - window)))
        last = max(first, min(after, int(np.floor(edge + window))))
        options = np.arange(first, last + 1)
        starts = bool(flags[edge])
        # A start leaves the frames from it on touching, an end those before it.
        costs = -price[options] if starts else price[options]
        best = np.flatnonzero(costs <= costs.min() + 1e-12)
        placed.append(int(options[best[np.abs(options[best] - edge).argmin()]]))
    moved = np.empty(count, np.bool_)
    value, last = bool(flags[0]), 0
    for edge in placed:
        moved[last:edge] = value
        value, last = not value, edge
    moved[last:] = value
    return moved


def without_ends(
    flags: NDArray[np.bool_], unwanted: NDArray[np.bool_], window: float
) -> NDArray[np.bool_]:
    """Contacts without unwanted frames at their ends, `window` or a quarter of them at most."""
    found = flags.copy()
    for first, stop in intervals(flags):
        most = int(min(window, (stop - first) // 4))
        if first > 0:
            for f in range(first, first + most):
                if not unwanted[f]:
                    break
                found[f] = False
        if stop < len(flags):
            for f in range(stop - 1, stop - 1 - most, -1):
                if not unwanted[f]:
                    break
                found[f] = False
    return found


def _supported(flags: NDArray[np.bool_], scores: Array) -> list[bool]:
    """For each run of equal flags, whether any of its frames says the same by its score."""
    edges = [0, *(np.flatnonzero(np.diff(flags.astype(np.int8))) + 1).tolist(), len(flags)]
    return [bool(((scores[a:b] < 1.0) == flags[a]).any()) for a, b in pairwise(edges)]


def _kinds(coarse: NDArray[np.int8], flags: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Static or sliding for every touching frame: as the nearest frame that was told."""
    kinds = np.full(len(coarse), STATIC, np.int8)
    told = np.flatnonzero(coarse != FREE)
    for first, last in intervals(flags):
        if len(told):
            frames = np.arange(first, last)
            right = np.clip(np.searchsorted(told, frames), 0, len(told) - 1)
            left = np.maximum(right - 1, 0)
            closer = np.abs(told[left] - frames) < np.abs(told[right] - frames)
            kinds[first:last] = coarse[told[np.where(closer, left, right)]]
    return kinds
