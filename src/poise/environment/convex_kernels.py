"""Signed distance from points to convex parts, exact.

Outside, the closest point of a convex solid lies on a face that the point is in front of. The
search starts on the face whose plane is farthest below the point and walks over such faces,
each step across a side or a corner to a triangle that is closer. Where no such step exists, the
point found is the closest of all. Rounding on needle-thin triangles could end the walk early, so
the answer is proven: no corner of the part may lie beyond the plane through the closest point.
If one does, all triangles in front are tried.

Inside, the distance is to the nearest face plane.
"""

from __future__ import annotations

import math

from poise.arrays import Array, Indices
from poise.compiled import compiled, inlined
from poise.environment.environment import LANES, PackedParts


@compiled
def nearest_planes(
    first: int, last: int, points: Array, planes: Array, surfaces: Indices,
    distances: Array, closest: Array, normals: Array, which: Indices,
) -> None:  # fmt: skip
    """Lower the distances of points to those of planes (G, 4) wherever these are smaller."""
    for i in range(first, last):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        for g in range(len(planes)):
            nx, ny, nz = planes[g, 0], planes[g, 1], planes[g, 2]
            distance = nx * x + ny * y + nz * z - planes[g, 3]
            if distance < distances[i]:
                distances[i] = distance
                closest[i, 0] = x - distance * nx
                closest[i, 1] = y - distance * ny
                closest[i, 2] = z - distance * nz
                normals[i, 0], normals[i, 1], normals[i, 2] = nx, ny, nz
                which[i] = surfaces[g]


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


ROUNDING = 1e-13
"""Relative to the sizes involved: how far beyond the plane a corner may seem to lie."""

NEAR = 1e-11
"""Relative to the part: closer than this, the direction to the closest point is rounding."""


@compiled
def nearest_parts(
    first: int, last: int, points: Array, parts: PackedParts,
    distances: Array, closest: Array, normals: Array, which: Indices,
) -> None:  # fmt: skip
    """Lower the distances of points to those of parts wherever these are smaller."""
    for i in range(first, last):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        best = distances[i]
        for part in range(len(parts.surfaces)):
            if _box_distance(parts.boxes, part, x, y, z) >= best:
                continue
            height, face = _highest_face(parts, part, x, y, z, best)
            if height >= best:
                continue
            nx, ny, nz = parts.faces[0, face], parts.faces[1, face], parts.faces[2, face]
            cx, cy, cz = x - height * nx, y - height * ny, z - height * nz
            distance = height
            if height > 0.0:
                distance, nx, ny, nz, cx, cy, cz = _outside(parts, part, face, x, y, z)
                if distance >= best:
                    continue
            best = distance
            distances[i] = distance
            closest[i, 0], closest[i, 1], closest[i, 2] = cx, cy, cz
            normals[i, 0], normals[i, 1], normals[i, 2] = nx, ny, nz
            which[i] = parts.surfaces[part]


@inlined
def _box_distance(boxes: Array, part: int, x: float, y: float, z: float) -> float:
    """How far a point is at least from a part; minus infinity inside its box."""
    dx = max(boxes[part, 0] - x, x - boxes[part, 3])
    dy = max(boxes[part, 1] - y, y - boxes[part, 4])
    dz = max(boxes[part, 2] - z, z - boxes[part, 5])
    if dx <= 0.0 and dy <= 0.0 and dz <= 0.0:
        return -math.inf
    dx, dy, dz = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@inlined
def _highest_face(
    parts: PackedParts, part: int, x: float, y: float, z: float, best: float
) -> tuple[float, int]:
    """The face whose plane is farthest below the point; some face that is `best` or more below."""
    faces = parts.faces
    highest, found = -math.inf, parts.starts[part, 0]
    for f in range(parts.starts[part, 0], parts.starts[part + 1, 0], LANES):
        h0 = faces[0, f] * x + faces[1, f] * y + faces[2, f] * z - faces[3, f]
        g = f + 1
        h1 = faces[0, g] * x + faces[1, g] * y + faces[2, g] * z - faces[3, g]
        g = f + 2
        h2 = faces[0, g] * x + faces[1, g] * y + faces[2, g] * z - faces[3, g]
        g = f + 3
        h3 = faces[0, g] * x + faces[1, g] * y + faces[2, g] * z - faces[3, g]
        if h0 > highest or h1 > highest or h2 > highest or h3 > highest:
            for lane, height in enumerate((h0, h1, h2, h3)):
                if height > highest:
                    highest, found = height, f + lane
            if highest >= best:
                break
    return highest, found


@compiled
def _outside(
    parts: PackedParts, part: int, face: int, x: float, y: float, z: float
) -> tuple[float, float, float, float, float, float, float]:
    """Distance, normal and closest point of a part for a point in front of `face`."""
    found = parts.face_triangle[face]
    square, feature, vx, vy, vz = _to_triangle(parts, found, x, y, z)
    while feature != FACE:
        at, from_square, next_feature = found, square, feature
        if feature >= SIDE_A:
            start, stop = 0, 1
        else:
            corner = parts.triangles[at, feature - 1]
            start, stop = parts.around_start[corner], parts.around_start[corner + 1]
        side = max(feature - SIDE_A, 0)
        for k in range(start, stop):
            other = parts.neighbors[at, side] if feature > CORNER_C else parts.around[k]
            if other != at and _height(parts, other, x, y, z) > 0.0:
                s, f, ox, oy, oz = _to_triangle(parts, other, x, y, z)
                if s < square:
                    square, found, vx, vy, vz = s, other, ox, oy, oz
                    next_feature = f
        if square >= from_square:
            break
        feature = next_feature
    if feature != FACE and not _proven(parts, part, x, y, z, vx, vy, vz, square):
        for other in range(parts.starts[part, 1], parts.starts[part + 1, 1]):
            if _height(parts, other, x, y, z) > 0.0:
                s, f, ox, oy, oz = _to_triangle(parts, other, x, y, z)
                if s < square:
                    square, found, feature, vx, vy, vz = s, other, f, ox, oy, oz
    return _described(parts, part, face, found, feature, x, y, z, vx, vy, vz, square)


@inlined
def _described(
    parts: PackedParts, part: int, face: int, found: int, feature: int,
    x: float, y: float, z: float, vx: float, vy: float, vz: float, square: float,
) -> tuple[float, float, float, float, float, float, float]:  # fmt: skip
    """Distance, normal, closest point, given the vector v to the closest point."""
    size = parts.boxes[part, 3] - parts.boxes[part, 0] + parts.boxes[part, 4]
    size += parts.boxes[part, 5] - parts.boxes[part, 1] - parts.boxes[part, 2]
    distance = math.sqrt(square)
    if feature == FACE:
        face = parts.triangle_face[found]
        distance = _height(parts, found, x, y, z)
    elif distance > NEAR * size:
        inverse = 1.0 / distance
        return distance, -vx * inverse, -vy * inverse, -vz * inverse, x + vx, y + vy, z + vz
    nx, ny, nz = parts.faces[0, face], parts.faces[1, face], parts.faces[2, face]
    return distance, nx, ny, nz, x - distance * nx, y - distance * ny, z - distance * nz


@inlined
def _height(parts: PackedParts, triangle: int, x: float, y: float, z: float) -> float:
    f = parts.triangle_face[triangle]
    faces = parts.faces
    return faces[0, f] * x + faces[1, f] * y + faces[2, f] * z - faces[3, f]


@inlined
def _to_triangle(
    parts: PackedParts, triangle: int, x: float, y: float, z: float
) -> tuple[float, int, float, float, float]:
    """Squared distance, feature and vector from a point to a triangle."""
    corners = parts.corners
    a = parts.triangles[triangle, 0]
    b = parts.triangles[triangle, 1]
    c = parts.triangles[triangle, 2]
    ax, ay, az = corners[0, a] - x, corners[1, a] - y, corners[2, a] - z
    bx, by, bz = corners[0, b] - x, corners[1, b] - y, corners[2, b] - z
    cx, cy, cz = corners[0, c] - x, corners[1, c] - y, corners[2, c] - z
    feature, v, w = closest_on_triangle(ax, ay, az, bx, by, bz, cx, cy, cz)
    rx = ax + v * (bx - ax) + w * (cx - ax)
    ry = ay + v * (by - ay) + w * (cy - ay)
    rz = az + v * (bz - az) + w * (cz - az)
    return dot(rx, ry, rz, rx, ry, rz), feature, rx, ry, rz


@inlined
def _proven(
    parts: PackedParts, part: int, x: float, y: float, z: float,
    vx: float, vy: float, vz: float, square: float,
) -> bool:  # fmt: skip
    """Whether no corner lies nearer, along v, than the closest point at the end of v."""
    corners = parts.corners
    limit = square + dot(vx, vy, vz, x, y, z)
    size = abs(x) + abs(y) + abs(z) + math.sqrt(square)
    limit -= ROUNDING * size * math.sqrt(square)
    for k in range(parts.starts[part, 2], parts.starts[part + 1, 2], LANES):
        h0 = vx * corners[0, k] + vy * corners[1, k] + vz * corners[2, k]
        j = k + 1
        h1 = vx * corners[0, j] + vy * corners[1, j] + vz * corners[2, j]
        j = k + 2
        h2 = vx * corners[0, j] + vy * corners[1, j] + vz * corners[2, j]
        j = k + 3
        h3 = vx * corners[0, j] + vy * corners[1, j] + vz * corners[2, j]
        if h0 < limit or h1 < limit or h2 < limit or h3 < limit:
            return False
    return True
