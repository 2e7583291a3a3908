"""Making a plan obey the ground: the zero-moment point where it should be, flights that keep spin.

On an even grid of times the motion is posed and its dynamics taken. What the zero-moment point
misses is put right by moving the centre of mass from above, which is a linear problem: with push
N(t) per mass and height y, N·p = N·x − y·ẍ + (spin), so a change δx changes N·p by N·δx − y·δẍ.
In flight the push is zero and the equation asks for a straight line by itself. The change of spin
in a flight is taken up by the trunk, smoothly beginning before take-off and ending after landing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.mechanics import (
    center_of_mass,
    forward_kinematics,
    inverse_dynamics,
    momentum,
    momentum_matrix,
)
from poise.motion import Clip, differentiate
from poise.samples.body_motion import BodyMotion, posed_body
from poise.samples.curves import GRAVITY, ease
from poise.samples.human import sample_character
from poise.samples.plan import TRUNK, Ground, Plan, Repeated, Timeline, posed

_MARGIN = 4
"""Grid points posed on either side, so that differences are central everywhere."""
_BLEND_S = 0.08
"""How long before take-off and after landing the trunk begins and ends to keep the spin."""
_RELAXED = 0.7
"""Share of each correction of the trunk that is taken: legs and root answer it."""
_CLOSE_M = 1e-5


def balanced(
    plan: Plan, timeline: Timeline, push_point_m: Callable[[Array], Array], rounds: int = 14
) -> tuple[Plan, Ground]:
    """The plan with a centre of mass that puts the ground's push where it is wanted.

    `push_point_m` gives (F, 2) X and Z of the zero-moment point at times; so many rounds look at
    the dynamics and put right what is missing.
    """
    heights, pushes = _vertical(plan, timeline)
    wanted = push_point_m(timeline.times_s)
    places, shift = _solved(timeline, heights, pushes, wanted, moving=True)
    wanted = wanted + shift
    turns = np.zeros((timeline.nodes, 3))
    natural: Array | None = None
    path = Ground(timeline, places)
    for _ in range(rounds):
        plan = replace(plan, path_m=path, trunk_rad=Repeated(timeline, turns))
        clip = _on_grid(plan, timeline)
        if timeline.flights:
            spin, gain = _spin(clip)
            natural = spin if natural is None else natural
            turns = turns + _RELAXED * _keeping_spin(timeline, spin, natural, gain)
        missing = wanted - _push_points(clip, pushes)
        change, shift = _solved(timeline, heights, pushes, missing)
        places, wanted = places + change, wanted + shift
        path = Ground(timeline, places)
        if np.abs(change).max() < _CLOSE_M:
            break
    return replace(plan, path_m=path, trunk_rad=Repeated(timeline, turns)), path


def balanced_body(
    motion: BodyMotion, timeline: Timeline, push_point_m: Callable[[Array], Array], rounds: int = 30
) -> BodyMotion:
    """The same for a body on hands and feet, without flights."""
    body = sample_character().body
    assert body is not None
    wanted = push_point_m(timeline.times_s)
    places: Array | None = None
    times = timeline.step_s * np.arange(-_MARGIN, timeline.nodes + _MARGIN, dtype=np.float64)
    for _ in range(rounds):
        path = Ground(timeline, wanted if places is None else places)
        motion = replace(motion, center_m=path)
        clip = posed_body(motion, times, 1.0 / timeline.step_s, draft=True)
        center = center_of_mass(forward_kinematics(clip.skeleton, *clip.pose), body)
        y = center[_MARGIN - 1 : 1 - _MARGIN, 1]
        pushes = (y[2:] - 2.0 * y[1:-1] + y[:-2]) / timeline.step_s**2 + GRAVITY
        if places is None:
            places, shift = _solved(timeline, y[1:-1], pushes, wanted, moving=True)
            wanted = wanted + shift
            continue
        missing = wanted - _push_points(clip, pushes)
        change, shift = _solved(timeline, y[1:-1], pushes, missing)
        places, wanted = places + _RELAXED * change, wanted + _RELAXED * shift
        if np.abs(change).max() < _CLOSE_M:
            break
    return motion


def _on_grid(plan: Plan, timeline: Timeline) -> Clip:
    numbers = np.arange(-_MARGIN, timeline.nodes + _MARGIN, dtype=np.float64)
    return posed(plan, timeline.step_s * numbers, 1.0 / timeline.step_s, draft=True)


def _vertical(plan: Plan, timeline: Timeline) -> tuple[Array, Array]:
    """Heights of the centre of mass and the push per mass, zero in flight."""
    step = timeline.step_s
    y = plan.heights_m(step * np.arange(-1, timeline.nodes + 1, dtype=np.float64))
    push = (y[2:] - 2.0 * y[1:-1] + y[:-2]) / step**2 + GRAVITY
    push[timeline.aloft()] = 0.0
    return y[1:-1], push


def _solved(
    timeline: Timeline, heights: Array, pushes: Array, points: Array, *, moving: bool = False
) -> tuple[Array, Array]:
    """(nodes, 2) x with N·x − y·ẍ = N·p, and how much p had to change for it.

    A cycle closes. A single motion starts and ends at rest over p (or, if not `moving`, where it
    is), which takes some freedom: p leans back at first, and forward at last, as people do.
    """
    n = timeline.nodes
    advance: Array = np.zeros((n, 2))
    if timeline.cyclic and moving:
        advance = np.arange(n)[:, None] / n * np.asarray(timeline.stride_m)
    right = pushes[:, None] * (points - advance)
    bend = heights / timeline.step_s**2
    middle = pushes + 2.0 * bend
    if timeline.cyclic:
        return solved_ring(middle, bend, right) + advance, np.zeros((n, 2))
    bumps = timeline.bumps()
    middle[[0, -1]], bend[[0, -1]] = 1.0, 0.0
    moved = pushes[:, None] * bumps
    right[[0, -1]] = points[[0, -1]] if moving else 0.0
    moved[[0, -1]] = 0.0
    # x = places + by · s, with the two shares s of the bumps that leave both ends at rest.
    found = solved_line(middle, bend, np.hstack([right, moved]))
    places, by = found[:, :2], found[:, 2:]
    slopes, rates = (each[[1, -2]] - each[[0, -1]] for each in (places, by))
    shares = np.linalg.solve(rates, -slopes)
    return places + by @ shares, bumps @ shares


def solved_line(middle: Array, beside: Array, right: Array) -> Array:
    """(n, k) x with middle·x − beside·(the x before and after) = right, by elimination.

    Not LAPACK: the bits of its answer depend on how many threads it has.
    """
    n = len(middle)
    above, found = np.zeros(n), right.copy()
    for i in range(n):
        pivot = middle[i] - (beside[i] * above[i - 1] if i else 0.0)
        above[i] = beside[i] / pivot
        found[i] = (found[i] + (beside[i] * found[i - 1] if i else 0.0)) / pivot
    for i in range(n - 2, -1, -1):
        found[i] += above[i] * found[i + 1]
    return found


def solved_ring(middle: Array, beside: Array, right: Array) -> Array:
    """The same where the first comes after the last: a line, and what closes it."""
    # The corners are a product of two columns (Sherman and Morrison).
    middle, column = middle.copy(), np.zeros((len(middle), 1))
    share = -middle[0]
    column[0], column[-1] = share, -beside[-1]
    middle[0] -= share
    middle[-1] -= beside[0] * beside[-1] / share
    found = solved_line(middle, beside, np.hstack([right, column]))
    places, by = found[:, :-1], found[:, -1:]
    weights = np.array([1.0, -beside[0] / share])
    closing = (weights[:, None] * places[[0, -1]]).sum(axis=0)
    return places - by * (closing / (1.0 + float(weights @ by[[0, -1], 0])))


def _push_points(clip: Clip, pushes: Array) -> Array:
    """(nodes, 2) the zero-moment point on the floor, as the motion has it; zero in flight."""
    body = sample_character().body
    assert body is not None
    rates = differentiate(clip)
    forces = inverse_dynamics(
        clip.skeleton,
        body,
        clip.rotations_wxyz,
        rates.angular_velocities_rad_s,
        rates.root_accelerations_m_s2,
        rates.angular_accelerations_rad_s2,
    )
    inside = slice(_MARGIN, -_MARGIN)
    root = clip.root_positions_m[inside]
    force = forces.root_force_n[inside] / body.total_mass_kg
    moment = forces.root_moment_nm[inside] / body.total_mass_kg
    x = root[:, 0] * force[:, 1] + moment[:, 2] - root[:, 1] * force[:, 0]
    z = root[:, 2] * force[:, 1] - moment[:, 0] - root[:, 1] * force[:, 2]
    stands = pushes > 0.0
    safe = np.where(stands, pushes, 1.0)
    return np.where(stands[:, None], np.stack([x, z], axis=1) / safe[:, None], 0.0)


def _spin(clip: Clip) -> tuple[Array, Array]:
    """Angular momentum (nodes, 3), and what a unit turning rate of the trunk adds (nodes, 3, 3)."""
    body = sample_character().body
    assert body is not None
    skeleton = clip.skeleton
    rates = differentiate(clip)
    state = forward_kinematics(skeleton, *clip.pose)
    whole = momentum(state, body, rates.root_velocities_m_s, rates.angular_velocities_rad_s)
    matrix = momentum_matrix(state, body)
    starts = [int(skeleton.freedom_starts[skeleton.index(joint)]) for joint in TRUNK]
    gain = sum(matrix[:, 3:, s : s + 3] for s in starts) / len(TRUNK)
    inside = slice(_MARGIN, -_MARGIN)
    return whole.angular_kg_m2_s[inside], np.asarray(gain)[inside]


def _keeping_spin(timeline: Timeline, spin: Array, natural: Array, gain: Array) -> Array:
    """(nodes, 3) further turns of the trunk that keep the spin in every flight.

    Each flight's spin is the one that brings the trunk back to where it was: a weighted mean of
    what the motion had.
    """
    step, n = timeline.step_s, timeline.nodes
    blend = round(_BLEND_S / step)
    turns = np.zeros((n, 3))
    for first, last in timeline.flights:
        numbers = np.arange(first - blend, last + blend + 1)
        rows = numbers % n if timeline.cyclic else np.clip(numbers, 0, n - 1)
        t = numbers.astype(np.float64)
        weight = ease(t, first - blend, first) * (1.0 - ease(t, last, last + blend))
        inverse = np.linalg.inv(gain[rows])
        change = spin[rows] - (1.0 - weight)[:, None] * natural[rows]
        kept = np.linalg.solve(
            (weight[:, None, None] * inverse).sum(axis=0),
            np.einsum("nij,nj->i", inverse, change),
        )
        rate = np.einsum("nij,nj->ni", inverse, weight[:, None] * kept - change)
        angle = np.zeros_like(rate)
        angle[1:] = np.cumsum(0.5 * (rate[1:] + rate[:-1]), axis=0) * step
        turns[rows] += angle - np.linspace(0.0, 1.0, len(rows))[:, None] * angle[-1]
    return turns
