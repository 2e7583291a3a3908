"""Momentum between two frames, and how it answers to the poses of both: exactly.

Between neighbouring frames the centre of mass goes straight, and every joint turns about one axis:
u, the rotation vector from its one local rotation to the next, which has the same numbers in the
parent's axes at both ends. Angular momentum about the centre of mass is taken for that turning at
either end and averaged, so it is of second order, and time may run either way.

A turn of joint k about an axis, at fixed u, carries its subtree along as a rigid body, with all
turning below it, but not its own, which the parent's axes hold. With spatial vectors about the
root, S the turn, V the joint's motion, I and h inertia and momentum of its subtree:

    ∂h = S ×* h − I (S × V)
"""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik import BALL, TRANSLATION, Blocks, Tree
from poise.mechanics import (
    Vector,
    between,
    cross,
    logarithm,
    logarithm_rate,
    multiply,
    place_pose,
    turn,
)


class Segments(NamedTuple):
    """What the body weighs."""

    masses: Array
    """(J,)"""
    centers: Array
    """(J, 3)"""
    inertias: Array
    """(J, 3, 3) about their centres, in their joints' frames."""
    mass: float
    """Of all."""
    length: float
    """By which angular momentum is divided to be a velocity."""


class Poses(NamedTuple):
    """Every frame's pose as momentum needs it."""

    world: Array
    """(F, J, 4)"""
    place: Array
    """(F, J, 3)"""
    own: Array
    """(F, J, 10) of every segment about the root: mass, first moment, inertia (xx, yy, zz, xy, xz,
    yz)."""
    whole: Array
    """(F, J, 10) of every subtree."""
    center: Array
    """(F, 3) centre of mass, in the world."""
    center_rows: Array
    """(F, 3, W) how it moves with the unknowns."""


class Ends(NamedTuple):
    """Scratch for one end of an interval."""

    turning: Array
    """(J, 3) u."""
    moving: Array
    """(J, 6) angular velocity, and velocity at the root's place."""
    carried: Array
    """(J, 6) linear and angular momentum of every subtree about the root."""
    slopes: Array
    """(2, J, 3, 3) of angular momentum by turns of the pose, at either end."""
    gains: Array
    """(2, J, 3, 3) of angular momentum by u, at either end."""
    spin: Array
    """(2, 3)"""


@inlined_borrowing
def _times(b: Array, x: float, y: float, z: float) -> Vector:
    """Inertia of a row of `own` or `whole` times a vector."""
    return (
        b[4] * x + b[7] * y + b[8] * z,
        b[7] * x + b[5] * y + b[9] * z,
        b[8] * x + b[9] * y + b[6] * z,
    )


@inlined_borrowing
def _put_segment(segments: Segments, j: int, place: Array, root: Array, q: Array, b: Array) -> None:
    m, c, i = segments.masses[j], segments.centers[j], segments.inertias[j]
    x, y, z = turn(q[0], q[1], q[2], q[3], c[0], c[1], c[2])
    x, y, z = x + place[0] - root[0], y + place[1] - root[1], z + place[2] - root[2]
    b[0], b[1], b[2], b[3] = m, m * x, m * y, m * z
    r00, r10, r20 = turn(q[0], q[1], q[2], q[3], 1.0, 0.0, 0.0)
    r01, r11, r21 = turn(q[0], q[1], q[2], q[3], 0.0, 1.0, 0.0)
    r02, r12, r22 = turn(q[0], q[1], q[2], q[3], 0.0, 0.0, 1.0)
    # R I, column by column, then times the rows of R.
    a0 = r00 * i[0, 0] + r01 * i[1, 0] + r02 * i[2, 0]
    a1 = r00 * i[0, 1] + r01 * i[1, 1] + r02 * i[2, 1]
    a2 = r00 * i[0, 2] + r01 * i[1, 2] + r02 * i[2, 2]
    d0 = r10 * i[0, 0] + r11 * i[1, 0] + r12 * i[2, 0]
    d1 = r10 * i[0, 1] + r11 * i[1, 1] + r12 * i[2, 1]
    d2 = r10 * i[0, 2] + r11 * i[1, 2] + r12 * i[2, 2]
    e0 = r20 * i[0, 0] + r21 * i[1, 0] + r22 * i[2, 0]
    e1 = r20 * i[0, 1] + r21 * i[1, 1] + r22 * i[2, 1]
    e2 = r20 * i[0, 2] + r21 * i[1, 2] + r22 * i[2, 2]
    b[4] = a0 * r00 + a1 * r01 + a2 * r02 + m * (y * y + z * z)
    b[5] = d0 * r10 + d1 * r11 + d2 * r12 + m * (x * x + z * z)
    b[6] = e0 * r20 + e1 * r21 + e2 * r22 + m * (x * x + y * y)
    b[7] = a0 * r10 + a1 * r11 + a2 * r12 - m * x * y
    b[8] = a0 * r20 + a1 * r21 + a2 * r22 - m * x * z
    b[9] = d0 * r20 + d1 * r21 + d2 * r22 - m * y * z


@inlined_borrowing
def axis_in_world(tree: Tree, world: Array, j: int, i: int) -> Vector:
    """Axis i of a joint's parent, in the world; of the root, the world's own."""
    x, y, z = 1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2)
    if j == 0:
        return x, y, z
    q = world[tree.parents[j]]
    return turn(q[0], q[1], q[2], q[3], x, y, z)


@inlined_borrowing
def hinge_in_parent(blocks: Blocks, b: int, local: Array) -> Vector:
    """A hinge's axis in the axes of its joint's parent."""
    q, a = local[blocks.joint[b]], blocks.axis[b]
    return turn(q[0], q[1], q[2], q[3], a[0], a[1], a[2])


@inner_borrowing
def put_pose(
    tree: Tree, blocks: Blocks, segments: Segments, f: int, root: Array, local: Array, poses: Poses
) -> None:
    """Everything about one frame's pose."""
    joints = len(tree.parents)
    own, whole, world, place = poses.own[f], poses.whole[f], poses.world[f], poses.place[f]
    place_pose(tree.parents, tree.offsets, tree.slots, tree.moving, f, root, local, place, world)
    for j in range(joints):
        _put_segment(segments, j, place[j], root, world[j], own[j])
        for c in range(10):
            whole[j, c] = own[j, c]
    for j in range(joints - 1, 0, -1):
        for c in range(10):
            whole[tree.parents[j], c] += whole[j, c]
    mass = segments.mass
    for c in range(3):
        poses.center[f, c] = root[c] + whole[0, 1 + c] / mass
    rows = poses.center_rows[f]
    for b in range(len(blocks.kind)):
        k = blocks.column[b]
        if blocks.kind[b] == TRANSLATION:
            for c in range(3):
                for i in range(3):
                    rows[c, k + i] = 1.0 if c == i else 0.0
            continue
        j = blocks.joint[b]
        s, p = whole[j], place[j]
        x = (s[1] - s[0] * (p[0] - root[0])) / mass
        y = (s[2] - s[0] * (p[1] - root[1])) / mass
        z = (s[3] - s[0] * (p[2] - root[2])) / mass
        if blocks.kind[b] == BALL:
            for i in range(3):
                ex, ey, ez = axis_in_world(tree, world, j, i)
                rows[0, k + i], rows[1, k + i], rows[2, k + i] = cross(ex, ey, ez, x, y, z)
        else:
            q, a = world[j], blocks.axis[b]
            ex, ey, ez = turn(q[0], q[1], q[2], q[3], a[0], a[1], a[2])
            rows[0, k], rows[1, k], rows[2, k] = cross(ex, ey, ez, x, y, z)


@inner_borrowing
def _put_end(tree: Tree, f: int, end: int, poses: Poses, ends: Ends) -> None:
    """Angular momentum of the turning u at one end, and both its slopes."""
    joints = len(tree.parents)
    world, own, whole = poses.world[f], poses.own[f], poses.whole[f]
    u, moving, carried = ends.turning, ends.moving, ends.carried
    for j in range(joints):
        px, py, pz = between(poses.place, f, 0, j)
        wx, wy, wz = u[j, 0], u[j, 1], u[j, 2]
        if j > 0:
            q = world[tree.parents[j]]
            wx, wy, wz = turn(q[0], q[1], q[2], q[3], wx, wy, wz)
        vx, vy, vz = cross(px, py, pz, wx, wy, wz)
        if j > 0:
            a = moving[tree.parents[j]]
            wx, wy, wz = wx + a[0], wy + a[1], wz + a[2]
            vx, vy, vz = vx + a[3], vy + a[4], vz + a[5]
        m = moving[j]
        m[0], m[1], m[2], m[3], m[4], m[5] = wx, wy, wz, vx, vy, vz
        b, h = own[j], carried[j]
        lx, ly, lz = cross(wx, wy, wz, b[1], b[2], b[3])
        nx, ny, nz = _times(b, wx, wy, wz)
        sx, sy, sz = cross(b[1], b[2], b[3], vx, vy, vz)
        h[0], h[1], h[2] = b[0] * vx + lx, b[0] * vy + ly, b[0] * vz + lz
        h[3], h[4], h[5] = nx + sx, ny + sy, nz + sz
    for j in range(joints - 1, 0, -1):
        for c in range(6):
            carried[tree.parents[j], c] += carried[j, c]
    mass = whole[0, 0]
    cx, cy, cz = whole[0, 1] / mass, whole[0, 2] / mass, whole[0, 3] / mass
    h = carried[0]
    ox, oy, oz = cross(cx, cy, cz, h[0], h[1], h[2])
    ends.spin[end, 0], ends.spin[end, 1], ends.spin[end, 2] = h[3] - ox, h[4] - oy, h[5] - oz
    tx, ty, tz = h[0], h[1], h[2]
    for j in range(joints):
        px, py, pz = between(poses.place, f, 0, j)
        b, h, v = whole[j], carried[j], moving[j]
        # First moment about the joint: what a turn of it moves the centre of mass by.
        dx, dy, dz = b[1] - b[0] * px, b[2] - b[0] * py, b[3] - b[0] * pz
        for i in range(3):
            ex, ey, ez = axis_in_world(tree, world, j, i)
            sx, sy, sz = cross(px, py, pz, ex, ey, ez)
            # By u: momentum of the subtree turning about the axis with unit speed.
            lx, ly, lz = cross(ex, ey, ez, dx, dy, dz)
            nx, ny, nz = _times(b, ex, ey, ez)
            gx, gy, gz = cross(b[1], b[2], b[3], sx, sy, sz)
            ox, oy, oz = cross(cx, cy, cz, lx, ly, lz)
            ends.gains[end, j, 0, i] = nx + gx - ox
            ends.gains[end, j, 1, i] = ny + gy - oy
            ends.gains[end, j, 2, i] = nz + gz - oz
            # By the pose: S ×* h − I (S × V), and what the centre's move makes of it.
            wx, wy, wz = cross(ex, ey, ez, v[0], v[1], v[2])
            yx, yy, yz = cross(ex, ey, ez, v[3], v[4], v[5])
            qx, qy, qz = cross(sx, sy, sz, v[0], v[1], v[2])
            yx, yy, yz = yx + qx, yy + qy, yz + qz
            mx, my, mz = cross(ex, ey, ez, h[0], h[1], h[2])
            qx, qy, qz = cross(wx, wy, wz, b[1], b[2], b[3])
            mx, my, mz = mx - b[0] * yx - qx, my - b[0] * yy - qy, mz - b[0] * yz - qz
            ax, ay, az = cross(ex, ey, ez, h[3], h[4], h[5])
            qx, qy, qz = cross(sx, sy, sz, h[0], h[1], h[2])
            ax, ay, az = ax + qx, ay + qy, az + qz
            qx, qy, qz = _times(b, wx, wy, wz)
            ax, ay, az = ax - qx, ay - qy, az - qz
            qx, qy, qz = cross(b[1], b[2], b[3], yx, yy, yz)
            ax, ay, az = ax - qx, ay - qy, az - qz
            qx, qy, qz = cross(lx / mass, ly / mass, lz / mass, tx, ty, tz)
            ox, oy, oz = cross(cx, cy, cz, mx, my, mz)
            ends.slopes[end, j, 0, i] = ax - qx - ox
            ends.slopes[end, j, 1, i] = ay - qy - oy
            ends.slopes[end, j, 2, i] = az - qz - oz


@inner_borrowing
def put_interval(
    tree: Tree, blocks: Blocks, segments: Segments, f: int, locals_: Array, rate: float,
    width: int, poses: Poses, ends: Ends, rows: Array, values: Array,
) -> None:  # fmt: skip
    """Velocity of the centre of mass and scaled spin between frames f and f + 1, as `values` (6,).

    Their slopes by the unknowns of both frames go into `rows` (6, 2 W).
    """
    for j in range(len(tree.parents)):
        q, p = locals_[f, j], locals_[f + 1, j]
        d = multiply(p[0], p[1], p[2], p[3], q[0], -q[1], -q[2], -q[3])
        u = logarithm(d[0], d[1], d[2], d[3])
        ends.turning[j, 0], ends.turning[j, 1], ends.turning[j, 2] = u
    _put_end(tree, f, 0, poses, ends)
    _put_end(tree, f + 1, 1, poses, ends)
    scale = 0.5 * rate / (segments.mass * segments.length)
    for c in range(3):
        values[c] = rate * (poses.center[f + 1, c] - poses.center[f, c])
        values[3 + c] = scale * (ends.spin[0, c] + ends.spin[1, c])
        for n in range(width):
            rows[c, n] = -rate * poses.center_rows[f, c, n]
            rows[c, width + n] = rate * poses.center_rows[f + 1, c, n]
    for b in range(len(blocks.kind)):
        k, j = blocks.column[b], blocks.joint[b]
        if blocks.kind[b] == TRANSLATION:
            for c in range(3):
                for i in range(3):
                    rows[3 + c, k + i] = rows[3 + c, width + k + i] = 0.0
            continue
        u = (ends.turning[j, 0], ends.turning[j, 1], ends.turning[j, 2])
        for c in range(3):
            gx = ends.gains[0, j, c, 0] + ends.gains[1, j, c, 0]
            gy = ends.gains[0, j, c, 1] + ends.gains[1, j, c, 1]
            gz = ends.gains[0, j, c, 2] + ends.gains[1, j, c, 2]
            # Rows times the Jacobian: its transpose, which is that of the other side.
            ax, ay, az = logarithm_rate(1.0, u, gx, gy, gz)
            bx, by, bz = logarithm_rate(-1.0, u, gx, gy, gz)
            s, t = ends.slopes[0, j, c], ends.slopes[1, j, c]
            ax, ay, az = scale * (s[0] - ax), scale * (s[1] - ay), scale * (s[2] - az)
            bx, by, bz = scale * (t[0] + bx), scale * (t[1] + by), scale * (t[2] + bz)
            if blocks.kind[b] == BALL:
                rows[3 + c, k], rows[3 + c, k + 1], rows[3 + c, k + 2] = ax, ay, az
                w = width + k
                rows[3 + c, w], rows[3 + c, w + 1], rows[3 + c, w + 2] = bx, by, bz
            else:
                x, y, z = hinge_in_parent(blocks, b, locals_[f])
                rows[3 + c, k] = ax * x + ay * y + az * z
                x, y, z = hinge_in_parent(blocks, b, locals_[f + 1])
                rows[3 + c, width + k] = bx * x + by * y + bz * z
