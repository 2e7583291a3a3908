"""Local steps that look at one bone, one contact or one sphere at a time (Eqs. 4, 5, 9 and 19).

Each moves what it looks at to the nearest place that is allowed, adds it to the right side of the
global step, and returns by how much it was off, squared and summed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.methods.correct.problem import BONE, CONTACT, PENETRATION, Planes, Problem

_TINY_M = 1e-9


@inlined_borrowing
def _put_apart(
    i: int, j: int, length: float, at_least: bool, weight: float, x: Array, right: Array
) -> float:
    """Two vertices so far from each other, or at least so far; returns what they are off by."""
    dx, dy, dz = x[0, i] - x[0, j], x[1, i] - x[1, j], x[2, i] - x[2, j]
    size = math.sqrt(dx * dx + dy * dy + dz * dz)
    wanted = max(size, length) if at_least else length
    gap = size - wanted
    if size < _TINY_M:  # any direction is as near as another
        dx, dy, dz, size = 0.0, 1.0, 0.0, 1.0
    scale = weight * wanted / size
    right[0, i] += scale * dx
    right[1, i] += scale * dy
    right[2, i] += scale * dz
    right[0, j] -= scale * dx
    right[1, j] -= scale * dy
    right[2, j] -= scale * dz
    return gap


@inner_borrowing
def project_bones(problem: Problem, x: Array, right: Array) -> float:
    """Eq. 5: the same direction, the right length."""
    frames, count = problem.lengths.shape
    width, w = len(problem.shares), problem.weights[BONE]
    off = 0.0
    for t in range(frames):
        for e in range(count):
            i, j = t * width + problem.bones[e, 0], t * width + problem.bones[e, 1]
            gap = _put_apart(i, j, problem.lengths[t, e], False, w, x, right)
            off += gap * gap
    return off


@inlined_borrowing
def _height(planes: Planes, i: int, x: Array) -> float:
    return (
        planes.normals[0, i] * x[0, i]
        + planes.normals[1, i] * x[1, i]
        + planes.normals[2, i] * x[2, i]
        - planes.offsets[i]
    )


@inlined_borrowing
def depth(problem: Problem, planes: Planes, i: int, v: int, x: Array) -> float:
    """How far a vertex is below where it may be; negative above."""
    return problem.clearances[v] - _height(planes, i, x)


@inner_borrowing
def project_contacts(
    problem: Problem, planes: Planes, contacts: NDArray[np.bool_], x: Array, right: Array
) -> float:
    """Eq. 9: straight to the surface, and no further than its belt goes from the frame before."""
    frames, parts = contacts.shape
    width, w = len(problem.shares), problem.weights[CONTACT]
    off = 0.0
    for t in range(frames):
        for b in range(parts):
            if not contacts[t, b]:
                continue
            i = t * width + problem.contact_vertex[b]
            lift = problem.rest_heights[b] - _height(planes, i, x)
            off += lift * lift
            for k in range(3):
                right[k, i] += w * (x[k, i] + lift * planes.normals[k, i])
            if t == 0 or not contacts[t - 1, b]:
                continue
            for k in range(3):
                step = planes.steps[k, t * parts + b]
                gap = x[k, i] - x[k, i - width] - step
                off += gap * gap
                right[k, i] += w * step
                right[k, i - width] -= w * step
    return off


@inner_borrowing
def project_penetrations(
    problem: Problem, planes: Planes, held: NDArray[np.bool_], x: Array, right: Array
) -> float:
    """Eq. 19 for the vertices that are held: out of the surroundings, or where they are."""
    width, w = len(problem.shares), problem.weights[PENETRATION]
    off = 0.0
    for i in range(len(held)):
        if not held[i]:
            continue
        lift = max(0.0, depth(problem, planes, i, i % width, x))
        off += lift * lift
        for k in range(3):
            right[k, i] += w * (x[k, i] + lift * planes.normals[k, i])
    return off


@inner_borrowing
def project_pairs(problem: Problem, held: NDArray[np.bool_], x: Array, right: Array) -> float:
    """The same for two spheres of the body: away from each other along the line of centres."""
    frames, count = held.shape
    width, w = len(problem.shares), problem.weights[PENETRATION]
    off = 0.0
    for t in range(frames):
        for q in range(count):
            if not held[t, q]:
                continue
            i, j = t * width + problem.pairs[q, 0], t * width + problem.pairs[q, 1]
            gap = _put_apart(i, j, problem.pair_distances[q], True, w, x, right)
            off += gap * gap
    return off
