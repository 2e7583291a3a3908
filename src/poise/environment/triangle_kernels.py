"""The point of a triangle that is closest to a point, and which feature of it that is."""

from __future__ import annotations

from poise.compiled import inlined

FACE, CORNER_A, CORNER_B, CORNER_C, SIDE_A, SIDE_B, SIDE_C = 0, 1, 2, 3, 4, 5, 6
"""Features; a side is named for the corner opposite to it."""


@inlined
def dot(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    """The dot product of two vectors."""
    return ax * bx + ay * by + az * bz


@inlined
def share(part: float, rest: float) -> float:
    """Part over whole, for a part and a rest that are not negative; 0 when both vanish."""
    whole = part + rest
    return part / whole if whole > 0.0 else 0.0


@inlined
def closest_on_triangle(
    ax: float, ay: float, az: float,
    bx: float, by: float, bz: float,
    cx: float, cy: float, cz: float,
) -> tuple[int, float, float]:  # fmt: skip
    """The feature of triangle abc closest to the origin, and the weights of b and c there.

    Corners are given relative to the point asked about. The sides of the corner and edge regions
    are told apart by signs of dot products (Ericson, Real-Time Collision Detection, 5.1.5).
    """
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    ub, vb = -dot(ux, uy, uz, ax, ay, az), -dot(vx, vy, vz, ax, ay, az)
    if ub <= 0.0 and vb <= 0.0:
        return CORNER_A, 0.0, 0.0
    ud, vd = -dot(ux, uy, uz, bx, by, bz), -dot(vx, vy, vz, bx, by, bz)
    if ud >= 0.0 and vd <= ud:
        return CORNER_B, 1.0, 0.0
    wc = ub * vd - ud * vb
    if wc <= 0.0 and ub >= 0.0 and ud <= 0.0:
        return SIDE_C, share(ub, -ud), 0.0
    ue, ve = -dot(ux, uy, uz, cx, cy, cz), -dot(vx, vy, vz, cx, cy, cz)
    if ve >= 0.0 and ue <= ve:
        return CORNER_C, 0.0, 1.0
    wb = ue * vb - ub * ve
    if wb <= 0.0 and vb >= 0.0 and ve <= 0.0:
        return SIDE_B, 0.0, share(vb, -ve)
    wa = ud * ve - ue * vd
    if wa <= 0.0 and vd - ud >= 0.0 and ue - ve >= 0.0:
        t = share(vd - ud, ue - ve)
        return SIDE_A, 1.0 - t, t
    whole = wa + wb + wc
    if whole > 0.0:
        return FACE, wb / whole, wc / whole
    return CORNER_A, 0.0, 0.0
