"""What standing means for a vertex: one place for each stance, and a path that leads to it.

The paper only asks that a contact does not move (Eq. 9), which leaves it to the trajectories where:
a weak voice that would need a thousand rounds to be heard, and that carries every contact which
begins a frame too early into the path of the whole walk. Here a stance stands where the reference
has it, on the mean, in which frames count that rest more than those in which it lands or leaves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.character import Character, contact_points
from poise.compiled import borrowing, inlined_borrowing
from poise.contact import (
    HEIGHT_M,
    LARGEST_OFFSET_M,
    LEVEL_RANGE_M,
    FloorFit,
    foot_motion,
    foot_sites,
    intervals,
    weighted_quantile,
)
from poise.environment import Environment, Ground
from poise.environment import query as nearest_surface
from poise.mechanics import forward_kinematics
from poise.methods.correct.contact_states import is_sole
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.problem import SLIDING, STATIC, Planes, by_coordinate
from poise.motion import Clip
from poise.solvers import Layers, cheapest_paths


def is_one_plane(environment: Environment) -> bool:
    """Whether planes never have to be asked for again."""
    return len(environment.surfaces) == 1 and isinstance(environment.surfaces[0], Ground)


def planes_at(
    environment: Environment,
    places_m: Array,
    contact_vertex: Indices,
    rate_hz: float,
    *,
    parallel: bool = True,
) -> Planes:
    """The tangent planes of the place at its points nearest to vertices (T, V, 3)."""
    frames, width = places_m.shape[:2]
    found = nearest_surface(environment, places_m, parallel=parallel)
    offsets = np.einsum("tvk,tvk->tv", found.normals, found.closest_m)
    belts = found.velocities_m_s[:, contact_vertex]
    carried = np.zeros_like(belts)
    np.cumsum(belts[:-1] / rate_hz, axis=0, out=carried[1:])
    return Planes(
        by_coordinate(found.normals), np.ascontiguousarray(offsets.reshape(frames * width)),
        by_coordinate(carried),
    )  # fmt: skip


def rest_heights_m(mesh: Mesh, clip: Clip, character: Character, environment: Environment) -> Array:
    """(B,) the radius of flesh; of soles, the height over the floor at which they mostly stand.

    Skeletons know their soles only to a few centimetres, so a sole's vertex is put where it is seen
    to stand, over the floor that the feet show (all of the clip may be too high or too low; that
    is not the sole's). The detector's own levels are low quantiles, made to tell a lifted foot from
    a standing one; what a standing foot is to be put at is the median over the time in which it is
    still. Points that seem to stand below the floor are to stand on it.
    """
    rest = mesh.radius_m.copy()
    soles = [b for b, candidate in enumerate(mesh.candidates) if is_sole(candidate)]
    if not soles:
        return rest
    state = forward_kinematics(clip.skeleton, *clip.pose)
    feet = foot_motion(state, foot_sites(contact_points(character)), clip.rate_hz, environment)
    motion, heights = feet.motion, feet.motion.heights_m
    if floor_is_trusted(feet.floor):
        heights = heights - feet.floor.heights_m(motion.places_m)
    still = motion.stillness * (feet.clearances_m < HEIGHT_M) * (np.abs(heights) < LEVEL_RANGE_M)
    for b in soles:
        side, _, kind = mesh.candidates[b].partition("_")
        column = motion.names.index(f"{side}_{'ball' if kind == 'toe' else kind}")
        if still[:, column].sum() > 0.0:
            rest[b] = max(0.0, weighted_quantile(heights[:, column], still[:, column], 0.5))
    return rest


def floor_is_trusted(floor: FloorFit) -> bool:
    """Whether the feet show by how much all of a clip is too high or too low."""
    return floor.single and abs(floor.level_m) <= LARGEST_OFFSET_M


# Static or sliding: which contacts may move along the surface (the paper's future work).
#
# A foot that is dragged or pivots on the spot is in contact and moves. Within every stretch of a
# contact each frame is either static, which costs the square of its speed over a limit, or
# sliding, which costs one, and a change from one to the other has a price: a few fast frames at
# the landing do not make a slide, and slow frames inside one do not end it. What raw captures
# slide by, and what a correction is to take away, lies well below the limit.
SLIDING_M_S = 0.5
"""Speed at which sliding and standing are equally likely. Soles that stand slide by 0.05 to 0.25 in
captures; of those that are meant to slide, few are slower."""
SHORTEST_S = 0.15
"""A slide, or a rest within one, is worth telling from this long on."""
_STEEPEST = 2.0
"""The most that a frame may cost for standing: so that a slide needs more than a few fast ones."""


def with_sliding(
    touching: NDArray[np.bool_], sliding_m_s: Array, rate_hz: float
) -> NDArray[np.int8]:
    """(T, B) 0 free, 1 static, 2 sliding, from what touches and how fast it moves along."""
    kinds = touching.astype(np.int8)
    against = np.minimum((sliding_m_s / SLIDING_M_S) ** 2, _STEEPEST)
    shortest = SHORTEST_S * rate_hz
    for b in range(touching.shape[1]):
        for first, last in intervals(touching[:, b]):
            static = against[first:last, b].copy()
            # Of the frames in which it lands and leaves, part is not contact at all.
            static[:1], static[-1:] = 1.0, 1.0
            # No stretch of frames can pay for being called a slide, or there is none to speak of.
            if last - first < shortest or (static <= 1.0).all():
                continue
            kinds[first:last, b] = np.where(_slides(static, shortest), SLIDING, STATIC)
    return kinds


def _slides(static: Array, price: float) -> NDArray[np.bool_]:
    """(n,) where sliding, at a cost of one a frame, is cheaper than what standing costs."""
    count = len(static)
    layers = Layers(2 * np.arange(count + 1), np.tile([0, 1], count), 2)
    costs = np.stack([static, np.ones(count)], axis=1).reshape(-1, 1)
    path = cheapest_paths(layers, costs, np.ones((1, count, 1)), np.array([price]))
    return path.states[0] == 1


@borrowing
def stand_places(
    paths: Array, carried: Array, contacts: NDArray[np.int8], resting: float, places: Array
) -> None:
    """Fill in the place of every stance, for each of its frames.

    Args:
        paths: (3, T·B) the contact vertices in the reference.
        carried: (3, T·B) how far belts have carried what stands on them.
        contacts: (T, B)
        resting: how far a vertex that rests may go in two frames.
        places: (3, T·B) is filled where something stands; without what the belt carries, and not
            yet on the surface.
    """
    frames, parts = contacts.shape
    for b in range(parts):
        first = 0
        while first < frames:
            if contacts[first, b] != STATIC:
                first += 1
                continue
            last = first + 1
            while last < frames and contacts[last, b] == STATIC:
                last += 1
            _fill(paths, carried, b, parts, first, last, frames, resting, places)
            first = last


@inlined_borrowing
def _fill(
    paths: Array, carried: Array, b: int, parts: int, first: int, last: int, frames: int,
    resting: float, places: Array,
) -> None:  # fmt: skip
    total, px, py, pz = 0.0, 0.0, 0.0, 0.0
    for t in range(first, last):
        c = t * parts + b
        before, after = max(t - 1, 0) * parts + b, min(t + 1, frames - 1) * parts + b
        square = 0.0
        for k in range(3):
            step = paths[k, after] - carried[k, after] - paths[k, before] + carried[k, before]
            square += step * step
        share = 1.0 / (square + resting * resting)
        total += share
        px += share * (paths[0, c] - carried[0, c])
        py += share * (paths[1, c] - carried[1, c])
        pz += share * (paths[2, c] - carried[2, c])
    for t in range(first, last):
        c = t * parts + b
        places[0, c], places[1, c], places[2, c] = px / total, py / total, pz / total


@inlined_borrowing
def standing_change(
    paths: Array, carried: Array, contacts: NDArray[np.int8], t: int, b: int, k: int
) -> float:
    """What standing changes of a vertex's second difference in the reference, halved (Eq. 8).

    The paper leaves the trajectory potential out for what touches. Then a foot may leave the ground
    with any speed, and pops. Here it stays, and steps between two frames of a stance, in which the
    reference may slide, count as none: while it stands the row asks for rest, and on its first and
    last frame for the speed with which the reference arrives or leaves.
    """
    change, parts = 0.0, contacts.shape[1]
    c = t * parts + b
    if contacts[t, b] == STATIC:
        for n in (t - 1, t + 1):
            if contacts[n, b] == STATIC:
                d = n * parts + b
                change -= 0.5 * (paths[k, d] - carried[k, d] - paths[k, c] + carried[k, c])
    return change
