"""Long clips in windows that overlap and agree: bounded memory, a cost that grows with the length.

What happens in one frame is felt for about a second around it, so near its ends a window does not
know enough: from one to the next is blended in the middle third of their overlap. Where feet stand
is decided for the whole clip, so that all windows agree on it.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, frozen_array
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.execution import Executor, Threads
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.motion_optimizer import MotionOptimizer, Optimized
from poise.methods.correct.problem import RESTING_M_S, STATIC, Contacts, by_coordinate, by_frame
from poise.methods.correct.settings import Settings
from poise.methods.correct.standing_places import planes_at, stand_places
from poise.methods.readonly_pickle import Parcel

WINDOW_S = 20.0
OVERLAP_S = 4.0


def windows(frames: int, length: int, overlap: int) -> list[range]:
    """Frames solved together, each `overlap` into those before; the last ones share the rest."""
    if frames <= length:
        return [range(frames)]
    count = -(-(frames - overlap) // (length - overlap))
    starts = np.linspace(0, frames - length, count).round().astype(int).tolist()
    return [range(start, start + length) for start in starts]


def optimize_long(
    mesh: Mesh,
    reference_m: ArrayLike,
    rate_hz: float,
    environment: Environment,
    settings: Settings,
    rest_heights_m: ArrayLike,
    contacts: ArrayLike,
    iterations: int | None = None,
    *,
    window_s: float = WINDOW_S,
    overlap_s: float = OVERLAP_S,
    executor: Executor | None = None,
) -> Optimized:
    """`MotionOptimizer.solve` for clips of any length; one that fits into a window is not cut.

    Neighbouring windows overlap by less than half of their length. The executor solves several at a
    time, by default in threads, one a core. The cost is a sum over windows (what is in two of them
    counts twice), errors are their mean.
    """
    reference = frozen_array("reference_m", reference_m, ("T", mesh.vertex_count, 3))
    checked: Contacts = np.ascontiguousarray(contacts, dtype=np.int8)
    if checked.shape != (len(reference), len(mesh.candidates)):
        raise BadShape("contacts", f"({len(reference)}, {len(mesh.candidates)})", checked.shape)
    length, overlap = round(window_s * rate_hz), round(overlap_s * rate_hz)
    if not 3 <= overlap < length / 2:
        raise BadValue("overlap_s", "three frames or more, and less than half a window", overlap_s)
    cuts = windows(len(reference), length, overlap)
    places = _places(mesh, reference, rate_hz, environment, checked)
    executor = executor or Threads()
    given = Parcel((mesh, rate_hz, environment, settings, rest_heights_m, iterations))
    slices = (slice(cut.start, cut.stop) for cut in cuts)
    pieces = ((reference[part], checked[part], places[part]) for part in slices)
    solved: dict[int, Optimized] = {}
    with closing(executor.run(partial(_solve, given), pieces)) as ended_ones:
        for ended in ended_ones:
            solved[ended.index] = ended.result()
    if len(cuts) == 1:
        return solved[0]
    return _joined(cuts, [solved[k] for k in range(len(cuts))], reference.shape)


_Given = Parcel[tuple[Mesh, float, Environment, Settings, ArrayLike, int | None]]


def _solve(given: _Given, piece: tuple[Array, Contacts, Array]) -> Optimized:
    """One window: its reference, its contacts and where they stand."""
    mesh, rate_hz, environment, settings, rest_heights_m, iterations = given.content
    reference, contacts, places = piece
    optimizer = MotionOptimizer(mesh, reference, rate_hz, environment, settings, rest_heights_m)
    return optimizer.solve(contacts, iterations, places_m=places)


def _places(
    mesh: Mesh, reference: Array, rate_hz: float, environment: Environment, contacts: Contacts
) -> Array:
    """(T, B, 3) where each stance of the clip is to stand."""
    count = len(mesh.candidates)
    paths = reference[:, mesh.contact_vertex]
    carried = planes_at(environment, paths, np.arange(count), rate_hz).carried
    places = by_coordinate(paths)
    resting = 2.0 * RESTING_M_S / rate_hz
    stand_places(by_coordinate(paths), carried, contacts, resting, places)
    places += np.where(by_coordinate(contacts[..., None] == STATIC * np.ones(3)), carried, 0.0)
    return by_frame(places, count)


def _joined(cuts: list[range], solved: list[Optimized], shape: tuple[int, ...]) -> Optimized:
    vertices, cost = np.zeros(shape), np.zeros_like(solved[0].cost)
    for k, (window, found) in enumerate(zip(cuts, solved, strict=True)):
        share = np.ones(len(window))
        if k > 0:
            overlap = cuts[k - 1].stop - window.start
            share[:overlap] *= _fade_in(overlap)
        if k + 1 < len(cuts):
            overlap = window.stop - cuts[k + 1].start
            share[len(window) - overlap :] *= 1.0 - _fade_in(overlap)
        part = slice(window.start, window.stop)
        vertices[part] += share[:, None, None] * found.vertices_m
        cost += found.cost
    parts = np.mean([found.parts for found in solved], axis=0)
    states = {found.status for found in solved}
    status = "; ".join(sorted(states)) + f" ({len(cuts)} windows)"
    return Optimized(vertices, float(parts[:3].sum()), parts, cost, status)


def _fade_in(frames: int) -> Array:
    """From 0 to 1 over the middle third, with level ends."""
    place = (np.arange(frames) + 0.5) / frames
    x = np.clip(3.0 * place - 1.0, 0.0, 1.0)
    return x * x * x * (10.0 + x * (6.0 * x - 15.0))
