"""Long clips in windows that overlap and agree: bounded memory, a cost that grows with the length.

What happens in one frame is felt for about a second around it, so near its ends a window does not
know enough: from one to the next is blended in the middle third of their overlap. Where feet stand
is decided for the whole clip, so that all windows agree on it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, frozen_array
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.execution import Executor, Threads
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.motion_optimizer import STATIC, MotionOptimizer, Optimized
from poise.methods.correct.problem import (
    KINDS,
    RESTING_M_S,
    Contacts,
    by_coordinate,
    by_frame,
)
from poise.methods.correct.settings import Settings
from poise.methods.correct.standing_places import planes_at
from poise.methods.readonly_pickle import Parcel

WINDOW_S = 20.0
OVERLAP_S = 4.0


@dataclass(frozen=True)
class Window:
    """Frames that are solved together."""

    first: int
    last: int
    """The first frame after it."""


def windows(frames: int, length: int, overlap: int) -> list[Window]:
    """Windows over all frames, each `overlap` into the one before; the last ones share the rest."""
    if frames <= length:
        return [Window(0, frames)]
    count = -(-(frames - overlap) // (length - overlap))
    starts = np.linspace(0, frames - length, count).round().astype(int).tolist()
    return [Window(start, start + length) for start in starts]


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
    progress: Callable[[float], None] | None = None,
) -> Optimized:
    """`MotionOptimizer.solve` for clips of any length.

    Args:
        mesh: of the character.
        reference_m: (T, V, 3)
        rate_hz: of its frames.
        environment: the place.
        settings: weights, and what forces may be.
        rest_heights_m: (B,)
        contacts: (T, B)
        iterations: rounds; by default the settings'.
        window_s: how long a window is; a clip that fits into one is solved as a whole.
        overlap_s: how long neighbours overlap, less than half a window.
        executor: solves windows, several at a time; by default in threads, one a core.
        progress: is told the share that is done.

    Returns:
        As `MotionOptimizer.solve`. Potentials and cost are sums over windows (what is in two
        windows counts twice), errors their mean.
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
    slices = (slice(cut.first, cut.last) for cut in cuts)
    pieces = ((reference[part], checked[part], places[part]) for part in slices)
    solved: dict[int, Optimized] = {}
    with closing(executor.run(partial(_solve, given), pieces)) as ended_ones:
        for ended in ended_ones:
            solved[ended.index] = ended.result()
            if progress is not None:
                progress(len(solved) / len(cuts))
    if len(cuts) == 1:
        return solved[0]
    return _joined(cuts, [solved[k] for k in range(len(cuts))], reference.shape, checked.shape)


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
    from poise.methods.correct.standing_places import stand_places

    count = len(mesh.candidates)
    paths = reference[:, mesh.contact_vertex]
    carried = planes_at(environment, paths, np.arange(count), rate_hz).carried
    places = by_coordinate(paths)
    resting = 2.0 * RESTING_M_S / rate_hz
    stand_places(by_coordinate(paths), carried, contacts, resting, places)
    places += np.where(by_coordinate(contacts[..., None] == STATIC * np.ones(3)), carried, 0.0)
    return by_frame(places, count)


def _joined(
    cuts: list[Window],
    solved: list[Optimized],
    shape: tuple[int, ...],
    contacts_shape: tuple[int, ...],
) -> Optimized:
    vertices, forces = np.zeros(shape), np.zeros((*contacts_shape, 3))
    rounds = len(solved[0].cost)
    potentials, cost = np.zeros((rounds, len(KINDS))), np.zeros(rounds)
    for k, (window, found) in enumerate(zip(cuts, solved, strict=True)):
        size = window.last - window.first
        share = np.ones(size)
        if k > 0:
            overlap = cuts[k - 1].last - window.first
            share[:overlap] *= _fade_in(overlap)
        if k + 1 < len(cuts):
            overlap = window.last - cuts[k + 1].first
            share[size - overlap :] *= 1.0 - _fade_in(overlap)
        part = slice(window.first, window.last)
        vertices[part] += share[:, None, None] * found.vertices_m
        forces[part] += share[:, None, None] * found.forces_n
        potentials += found.potentials
        cost += found.cost
    parts = np.mean([found.parts for found in solved], axis=0)
    states = {found.status for found in solved}
    return Optimized(
        vertices, float(parts[:3].sum()), parts, potentials, cost, forces,
        "; ".join(sorted(states)) + f" ({len(cuts)} windows)",
    )  # fmt: skip


def _fade_in(frames: int) -> Array:
    """From 0 to 1 over the middle third, with level ends."""
    place = (np.arange(frames) + 0.5) / frames
    x = np.clip(3.0 * place - 1.0, 0.0, 1.0)
    return x * x * x * (10.0 + x * (6.0 * x - 15.0))
