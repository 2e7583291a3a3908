"""Dynamic balance: how the momentum may change, given what touches (Eqs. 11 to 18).

Per frame, the forces inside friction cones that best explain how linear and angular momentum change
are found; what they leave unexplained is taken off the accelerations. The centre of mass has a row
of its own (Eq. 18). The paper leaves the angular momentum to the forces alone; here every vertex
has a row for its acceleration, weighed by its mass, and the nearest accelerations with admissible
momenta are

    a + (l̇_adm − l̇)/m + α × r,    α = I⁻¹ (k̇_adm − k̇),

r from the centre of mass and I the vertices' inertia about it. The rows are second differences like
those of the trajectory, so the matrix keeps its shape, and one matrix serves all coordinates.
Accelerations are in metres, times Δt²; forces in body weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.compiled import inlined, inlined_borrowing, inner_borrowing
from poise.methods.correct.problem import BALANCE, SPIN, Planes, Problem
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
    problem: Problem, planes: Planes, contacts: NDArray[np.int8], room: Wrenches,
    x: Array, right: Array,
) -> tuple[float, float, float]:  # fmt: skip
    """Add the targets of all accelerations; returns what is off.

    Three sums of squares: of the centre of mass's second differences (m²), of the vertices',
    weighed by mass (m²), and of the missing moment (body weights times the lever).
    """
    _ask(problem, planes, contacts, room, x)
    given = Contacts(
        room.points, room.normals, room.grip, room.groups, room.centers, room.force, room.moment
    )
    out = Supplied(room.forces, room.torque, room.missing)
    solve_frames_again(given, problem.cones, out, room.answers, room.done)
    return _answer(problem, room, x, right)


@inner_borrowing
def _ask(
    problem: Problem, planes: Planes, contacts: NDArray[np.int8], room: Wrenches, x: Array
) -> None:
    """How the momenta change, and where something touches."""
    frames, parts = contacts.shape
    width, shares = len(problem.shares), problem.shares
    step, lever = 1.0 / problem.drop, problem.lever
    for t in range(frames):
        inner = 0 < t < frames - 1
        start = t * width
        cx, cy, cz = _center(shares, x, start)
        room.centers[t, 0], room.centers[t, 1], room.centers[t, 2] = (
            cx / lever, cy / lever, cz / lever,
        )  # fmt: skip
        room.force[t] = 0.0
        room.moment[t] = 0.0
        room.groups[t] = 0.0
        room.grip[t] = 0.0
        if not inner:
            continue
        fx, fy, fz, mx, my, mz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for v in range(width):
            s = shares[v] * step
            if s == 0.0:
                continue
            i = start + v
            ax = s * (x[0, i - width] - 2.0 * x[0, i] + x[0, i + width])
            ay = s * (x[1, i - width] - 2.0 * x[1, i] + x[1, i + width])
            az = s * (x[2, i - width] - 2.0 * x[2, i] + x[2, i + width])
            rx, ry, rz = x[0, i] - cx, x[1, i] - cy, x[2, i] - cz
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
        for b in range(parts):
            if contacts[t, b] != 0:
                room.groups[t] += 1.0
                _place_points(problem, planes, start + problem.contact_vertex[b], t, b, x, room)


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
def _answer(
    problem: Problem, room: Wrenches, x: Array, right: Array
) -> tuple[float, float, float]:  # fmt: skip
    width, shares = len(problem.shares), problem.shares
    frames = len(room.force)
    drop, lever = problem.drop, problem.lever
    w, u = problem.weights[BALANCE], problem.weights[SPIN]
    off, spun, turned = 0.0, 0.0, 0.0
    for t in range(1, frames - 1):
        start = t * width
        lx, ly, lz = (
            room.missing[t, 0] * drop, room.missing[t, 1] * drop, room.missing[t, 2] * drop,
        )  # fmt: skip
        off += lx * lx + ly * ly + lz * lz
        kx, ky, kz = room.missing[t, 3], room.missing[t, 4], room.missing[t, 5]
        turned += kx * kx + ky * ky + kz * kz
        cx, cy, cz = (
            room.centers[t, 0] * lever, room.centers[t, 1] * lever, room.centers[t, 2] * lever,
        )  # fmt: skip
        scale = drop * lever
        ox, oy, oz = _turn(shares, x, start, cx, cy, cz, scale * kx, scale * ky, scale * kz)
        bx = (room.force[t, 0]) * drop - lx
        by = (room.force[t, 1] - 1.0) * drop - ly
        bz = (room.force[t, 2]) * drop - lz
        for v in range(width):
            s = shares[v]
            if s == 0.0:
                continue
            i = start + v
            rx, ry, rz = x[0, i] - cx, x[1, i] - cy, x[2, i] - cz
            dx = lx + oy * rz - oz * ry
            dy = ly + oz * rx - ox * rz
            dz = lz + ox * ry - oy * rx
            spun += s * (dx * dx + dy * dy + dz * dz)
            gx = s * (u * (x[0, i - width] - 2.0 * x[0, i] + x[0, i + width] - dx) + w * bx)
            gy = s * (u * (x[1, i - width] - 2.0 * x[1, i] + x[1, i + width] - dy) + w * by)
            gz = s * (u * (x[2, i - width] - 2.0 * x[2, i] + x[2, i + width] - dz) + w * bz)
            right[0, i - width] += gx
            right[1, i - width] += gy
            right[2, i - width] += gz
            right[0, i] -= 2.0 * gx
            right[1, i] -= 2.0 * gy
            right[2, i] -= 2.0 * gz
            right[0, i + width] += gx
            right[1, i + width] += gy
            right[2, i + width] += gz
    return off, spun, turned


@inlined_borrowing
def _turn(
    shares: Array, x: Array, start: int, cx: float, cy: float, cz: float,
    kx: float, ky: float, kz: float,
) -> tuple[float, float, float]:  # fmt: skip
    """I⁻¹ k, with the inertia of the shares about the centre."""
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for v in range(len(shares)):
        i, s = start + v, shares[v]
        rx, ry, rz = x[0, i] - cx, x[1, i] - cy, x[2, i] - cz
        xx += s * (ry * ry + rz * rz)
        yy += s * (rx * rx + rz * rz)
        zz += s * (rx * rx + ry * ry)
        xy -= s * rx * ry
        xz -= s * rx * rz
        yz -= s * ry * rz
    # A body drawn out to a line has no inertia about it: then nothing turns about it either.
    least = 1e-6 * (xx + yy + zz) + 1e-12
    xx, yy, zz = xx + least, yy + least, zz + least
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    size = 1.0 / (xx * a + xy * b + xz * c)
    d, e, f = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    return (
        size * (a * kx + b * ky + c * kz),
        size * (b * kx + d * ky + e * kz),
        size * (c * kx + e * ky + f * kz),
    )
