"""Dynamic balance: how the momentum may change, given what touches (Eqs. 11 to 18).

Per frame, the forces inside friction cones that best explain how linear and angular momentum change
are found; what they leave unexplained is taken off the acceleration of the centre of mass, which
has a row of its own (Eq. 18). Parts of the body are points half way along its bones (Eq. 15; the
second term there vanishes in the sum). Accelerations are in metres, times Δt²; forces in body
weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.compiled import inlined, inlined_borrowing, inner_borrowing
from poise.methods.correct.problem import BALANCE, Planes, Problem
from poise.solvers import Contacts, Supplied, solve_frames_again


class Wrenches(NamedTuple):
    """Reaction forces of all frames, and room to find them in."""

    points: Array
    """(T, P, 3) in units of the lever."""
    normals: Array
    """(T, P, 3)"""
    grip: Array
    """(T, P)"""
    groups: Array
    """(T,) parts that touch."""
    centers: Array
    """(T, 3) of mass, in units of the lever."""
    force: Array
    """(T, 3) asked for, body weights."""
    moment: Array
    """(T, 3) asked for, body weights times the lever."""
    forces: Array
    """(T, P, 3) found."""
    torque: Array
    """(T, 3)"""
    missing: Array
    """(T, 6) force and moment that nothing explains."""
    answers: Array
    """(T, 6) the solver's unknowns, from which the next round starts."""
    done: NDArray[np.bool_]
    """(T,) whether they were found."""


def room_for(frames: int, points: int) -> Wrenches:
    """Arrays for so many frames and points."""
    return Wrenches(
        np.zeros((frames, points, 3)), np.zeros((frames, points, 3)), np.zeros((frames, points)),
        np.zeros(frames), np.zeros((frames, 3)), np.zeros((frames, 3)), np.zeros((frames, 3)),
        np.zeros((frames, points, 3)), np.zeros((frames, 3)), np.zeros((frames, 6)),
        np.zeros((frames, 6)), np.zeros(frames, np.bool_),
    )  # fmt: skip


@inlined
def project_balance(
    problem: Problem, planes: Planes, contacts: NDArray[np.bool_], room: Wrenches,
    x: Array, right: Array,
) -> float:  # fmt: skip
    """Add the targets of the centre's accelerations; returns what is off, squared (m²)."""
    _ask(problem, planes, contacts, room, x)
    given = Contacts(
        room.points, room.normals, room.grip, room.groups, room.centers, room.force, room.moment
    )
    out = Supplied(room.forces, room.torque, room.missing)
    solve_frames_again(given, problem.cones, out, room.answers, room.done)
    return _answer(problem, room, right)


@inner_borrowing
def _ask(
    problem: Problem, planes: Planes, contacts: NDArray[np.bool_], room: Wrenches, x: Array
) -> None:
    """How the momenta change (Eqs. 14 to 16), and where something touches."""
    frames, candidates = contacts.shape
    width = len(problem.shares)
    step, lever = 1.0 / problem.drop, problem.lever
    for t in range(frames):
        start = t * width
        cx, cy, cz = _center(problem.shares, x, start)
        room.centers[t, 0], room.centers[t, 1], room.centers[t, 2] = (
            cx / lever, cy / lever, cz / lever,
        )  # fmt: skip
        room.force[t] = 0.0
        room.moment[t] = 0.0
        room.groups[t] = 0.0
        room.grip[t] = 0.0
        if not 0 < t < frames - 1:
            continue
        fx, fy, fz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for p in range(len(problem.parts)):
            i, j = start + problem.parts[p, 0], start + problem.parts[p, 1]
            s = problem.part_shares[p] * step
            ax = s * _bend(x, 0, i, j, width)
            ay = s * _bend(x, 1, i, j, width)
            az = s * _bend(x, 2, i, j, width)
            rx = 0.5 * (x[0, i] + x[0, j]) - cx
            ry = 0.5 * (x[1, i] + x[1, j]) - cy
            rz = 0.5 * (x[2, i] + x[2, j]) - cz
            fx += ax
            fy += ay
            fz += az
            mx += ry * az - rz * ay
            my += rz * ax - rx * az
            mz += rx * ay - ry * ax
        room.force[t, 0], room.force[t, 1], room.force[t, 2] = fx, fy + 1.0, fz
        room.moment[t, 0], room.moment[t, 1], room.moment[t, 2] = (
            mx / lever, my / lever, mz / lever,
        )  # fmt: skip
        for b in range(candidates):
            if contacts[t, b]:
                room.groups[t] += 1.0
                _place_points(problem, planes, start + problem.contact_vertex[b], t, b, x, room)


@inlined_borrowing
def _bend(x: Array, k: int, i: int, j: int, width: int) -> float:
    """Second difference of the middle of two vertices."""
    one = x[k, i - width] - 2.0 * x[k, i] + x[k, i + width]
    return 0.5 * (one + x[k, j - width] - 2.0 * x[k, j] + x[k, j + width])


@inlined_borrowing
def _center(shares: Array, x: Array, start: int) -> tuple[float, float, float]:
    cx, cy, cz = 0.0, 0.0, 0.0
    for v in range(len(shares)):
        cx += shares[v] * x[0, start + v]
        cy += shares[v] * x[1, start + v]
        cz += shares[v] * x[2, start + v]
    return cx, cy, cz


@inlined_borrowing
def _place_points(
    problem: Problem, planes: Planes, i: int, t: int, b: int, x: Array, room: Wrenches
) -> None:
    """Points around the foot of a vertex on the surface (Fig. 5)."""
    count, radius, lever = problem.points, problem.radius, problem.lever
    nx, ny, nz = planes.normals[0, i], planes.normals[1, i], planes.normals[2, i]
    height = nx * x[0, i] + ny * x[1, i] + nz * x[2, i] - planes.offsets[i]
    px, py, pz = x[0, i] - height * nx, x[1, i] - height * ny, x[2, i] - height * nz
    # Two directions along the surface, from the axis that is farthest from its normal.
    if abs(nx) < 0.6:
        ux, uy, uz = 0.0, nz, -ny
    else:
        ux, uy, uz = -nz, 0.0, nx
    size = 1.0 / math.sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux * size, uy * size, uz * size
    wx, wy, wz = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
    reach = radius if count > 1 else 0.0
    for k in range(count):
        angle = 2.0 * math.pi * k / count
        c, s = reach * math.cos(angle), reach * math.sin(angle)
        p = b * count + k
        room.points[t, p, 0] = (px + c * ux + s * wx) / lever
        room.points[t, p, 1] = (py + c * uy + s * wy) / lever
        room.points[t, p, 2] = (pz + c * uz + s * wz) / lever
        room.normals[t, p, 0], room.normals[t, p, 1], room.normals[t, p, 2] = nx, ny, nz
        room.grip[t, p] = 1.0


@inner_borrowing
def _answer(problem: Problem, room: Wrenches, right: Array) -> float:
    """Admissible accelerations of the centre as targets (Eqs. 17 and 18)."""
    width, shares, drop = len(problem.shares), problem.shares, problem.drop
    w, off = problem.weights[BALANCE], 0.0
    for t in range(1, len(room.force) - 1):
        start = t * width
        for k in range(3):
            lost = room.missing[t, k] * drop
            off += lost * lost
            gravity = 1.0 if k == 1 else 0.0
            pull = w * ((room.force[t, k] - gravity) * drop - lost)
            for v in range(width):
                i, g = start + v, shares[v] * pull
                right[k, i - width] += g
                right[k, i] -= 2.0 * g
                right[k, i + width] += g
    return off
