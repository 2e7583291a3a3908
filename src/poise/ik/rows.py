"""Errors and Jacobian rows of tasks at one pose.

An unknown is a turn about a world axis e through its joint's origin c (or a hinge's own axis), so a
point p that the joint carries moves by e × (p − c). Of two points, or of a point and the frame it
is relative to, a joint that carries both moves neither against the other: it has no column. The
centre of mass against the barycentre of points is a sum over a subtree in which every point
counts as a negative mass.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing
from poise.ik.packed import (
    AIM,
    BALL,
    CENTER,
    POINT,
    TRANSLATION,
    TURN,
    Blocks,
    Tasks,
    Tree,
    Work,
)
from poise.ik.places import (
    NEAR_M,
    hinge_axis,
    point_place,
    reference_turn,
    square_to,
    sum_moments,
    world_turn,
)
from poise.mechanics import Quaternion, cross, logarithm, multiply, normalized, turn


# What an edit added to a motion, smoothed in time.
#
# A displacement is what turns the original pose into the edited one: a vector for the root, a
# turn for each joint. A low-pass filter on it leaves the original's own detail alone, and where
# nothing was added, nothing changes to the last bit.
def hann_window(half: int) -> Array:
    """(2·half + 1,) weights that sum to one."""
    window = np.hanning(2 * half + 3)[1:-1]
    return window / window.sum()


def smooth_displacements(
    original_roots_m: Array,
    original_wxyz: Array,
    roots_m: Array,
    wxyz: Array,
    joints: Indices,
    halves: Indices,
) -> tuple[Array, Array]:
    """Root positions (F, 3) and rotations (F, J, 4) with smoothed displacements.

    Args:
        original_roots_m: (F, 3)
        original_wxyz: (F, J, 4)
        roots_m: (F, 3) edited.
        wxyz: (F, J, 4) edited.
        joints: those whose turns are smoothed; the others are passed through.
        halves: (F, 1 + number of joints) half-width of the windows in frames, of the root's place
            and of the joints' turns: no displacement further away counts, and what has zero stays
            as edited. The ends of the clip are continued as they are.
    """
    smooth_roots, smooth = roots_m.copy(), wxyz.copy()
    turns = np.empty((len(wxyz), len(joints), 4))
    moved = np.zeros(len(wxyz), dtype=np.int64)
    windows = np.zeros((int(halves.max()) + 1, 2 * int(halves.max()) + 1))
    for half in set(halves.ravel().tolist()):
        windows[half, : 2 * half + 1] = hann_window(half)
    _take_turns(original_roots_m, original_wxyz, roots_m, wxyz, joints, turns, moved)
    _smooth(
        original_roots_m, original_wxyz, roots_m, joints, turns, moved, halves, windows,
        smooth_roots, smooth,
    )  # fmt: skip
    return smooth_roots, smooth


@borrowing
def _take_turns(
    roots: Array, original: Array, edited_roots: Array, edited: Array,
    joints: Indices, turns: Array, moved: Indices,
) -> None:  # fmt: skip
    """original⁻¹ ⊗ edited, on the side of the frame before; `moved` marks frames that differ."""
    for f in range(len(original)):
        for c in range(3):
            if roots[f, c] != edited_roots[f, c]:
                moved[f] = 1
        for k in range(len(joints)):
            a, b, t = original[f, joints[k]], edited[f, joints[k]], turns[f, k]
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            if not (a[0] == b[0] and a[1] == b[1] and a[2] == b[2] and a[3] == b[3]):
                moved[f] = 1
                w, x, y, z = multiply(a[0], -a[1], -a[2], -a[3], b[0], b[1], b[2], b[3])
            # Both signs are the same turn; neighbours of opposite signs would cancel out.
            side = w
            if f > 0:
                p = turns[f - 1, k]
                side = w * p[0] + x * p[1] + y * p[2] + z * p[3]
            s = -1.0 if side < 0.0 else 1.0
            t[0], t[1], t[2], t[3] = s * w, s * x, s * y, s * z


@borrowing
def _smooth(
    roots: Array, original: Array, edited_roots: Array, joints: Indices, turns: Array,
    moved: Indices, halves: Indices, windows: Array, out_roots: Array, out: Array,
) -> None:  # fmt: skip
    frames = len(original)
    for f in range(frames):
        widest = 0
        for k in range(1 + len(joints)):
            widest = max(widest, halves[f, k])
        near = False
        for g in range(max(0, f - widest), min(frames, f + widest + 1)):
            near |= moved[g] != 0
        if not near:
            continue
        half, window = halves[f, 0], windows[halves[f, 0]]
        for c in range(3 if half > 0 else 0):
            added = 0.0
            for i in range(2 * half + 1):
                g = min(max(f + i - half, 0), frames - 1)
                added += window[i] * (edited_roots[g, c] - roots[g, c])
            out_roots[f, c] = roots[f, c] + added if added != 0.0 else roots[f, c]
        for k in range(len(joints)):
            half, window = halves[f, 1 + k], windows[halves[f, 1 + k]]
            if half == 0:
                continue
            w, x, y, z = 0.0, 0.0, 0.0, 0.0
            for i in range(2 * half + 1):
                t = turns[min(max(f + i - half, 0), frames - 1), k]
                w += window[i] * t[0]
                x += window[i] * t[1]
                y += window[i] * t[2]
                z += window[i] * t[3]
            a, o = original[f, joints[k]], out[f, joints[k]]
            n = np.sqrt(w * w + x * x + y * y + z * z)
            if (x == 0.0 and y == 0.0 and z == 0.0) or n == 0.0:
                for c in range(4):
                    o[c] = a[c]
                continue
            n = 1.0 / n
            q = multiply(a[0], a[1], a[2], a[3], w * n, x * n, y * n, z * n)
            o[0], o[1], o[2], o[3] = normalized(q[0], q[1], q[2], q[3])


@inlined_borrowing
def write_task(
    tree: Tree, blocks: Blocks, tasks: Tasks, t: int, frame: int, row: int,
    reach: float, most_turn: float, width: int, without_rows: bool, work: Work,
) -> float:  # fmt: skip
    """Write the rows and errors of one task from `row` on; returns its whole error.

    Metres for points, distances and centres, radians for turns and aims. A point or turn may do
    `without_rows`.
    """
    if without_rows:
        goal = tasks.goals[tasks.goal[t] + frame - tasks.first[t]]
        if tasks.kind[t] == POINT:
            return _point_error(tasks, t, goal, row, reach, work)
        return _turn_error(tasks, t, goal, row, most_turn, work)
    for k in range(row, row + tasks.rows[t]):
        for c in range(width):
            work.full[k, c] = 0.0
    kind = tasks.kind[t]
    goal = tasks.goals[tasks.goal[t] + frame - tasks.first[t]]
    if kind == POINT:
        return _write_point(blocks, tasks, t, goal, row, reach, work)
    if kind == TURN:
        return _write_turn(blocks, tasks, t, goal, row, most_turn, work)
    if kind == CENTER:
        return _write_center(tree, blocks, tasks, t, goal, row, reach, work)
    if kind == AIM:
        return _write_aim(blocks, tasks, t, goal, row, most_turn, work)
    return _write_distance(blocks, tasks, t, goal, row, reach, work)


@inlined_borrowing
def _put_error(
    tasks: Tasks, t: int, row: int, longest: float, x: float, y: float, z: float, work: Work
) -> float:
    """Three components of an error along the axes that count; returns its length along them."""
    e = (x, y, z)
    square = 0.0
    for c in range(3):
        if tasks.axes[t, c]:
            square += e[c] * e[c]
    size = np.sqrt(square)
    scale = tasks.scale[t]
    if size > longest:
        scale *= longest / size
    k = row
    for c in range(3):
        if tasks.axes[t, c]:
            work.errors[k] = scale * e[c]
            k += 1
    return size


@inlined_borrowing
def _put_column(
    tasks: Tasks, t: int, row: int, column: int, x: float, y: float, z: float, work: Work
) -> None:
    v = (x, y, z)
    k = row
    for c in range(3):
        if tasks.axes[t, c]:
            work.full[k, column] = v[c]
            k += 1


@inlined_borrowing
def _put_lever(
    blocks: Blocks, tasks: Tasks, t: int, row: int, b: int, r: Quaternion,
    s: float, x: float, y: float, z: float, work: Work,
) -> None:  # fmt: skip
    """Columns e × v of a block for the lever v = (x, y, z), scaled, seen in the reference r."""
    column = blocks.column[b]
    if blocks.kind[b] == BALL:
        x, y, z = s * x, s * y, s * z
        if r[0] == 1.0:
            _put_column(tasks, t, row, column, 0.0, -z, y, work)
            _put_column(tasks, t, row, column + 1, z, 0.0, -x, work)
            _put_column(tasks, t, row, column + 2, -y, x, 0.0, work)
        else:
            v = turn(r[0], r[1], r[2], r[3], 0.0, -z, y)
            _put_column(tasks, t, row, column, v[0], v[1], v[2], work)
            v = turn(r[0], r[1], r[2], r[3], z, 0.0, -x)
            _put_column(tasks, t, row, column + 1, v[0], v[1], v[2], work)
            v = turn(r[0], r[1], r[2], r[3], -y, x, 0.0)
            _put_column(tasks, t, row, column + 2, v[0], v[1], v[2], work)
    else:
        e = hinge_axis(blocks, b, work)
        v = cross(e[0], e[1], e[2], s * x, s * y, s * z)
        v = turn(r[0], r[1], r[2], r[3], v[0], v[1], v[2])
        _put_column(tasks, t, row, column, v[0], v[1], v[2], work)


@inlined_borrowing
def _put_unit(
    blocks: Blocks, tasks: Tasks, t: int, row: int, b: int, r: Quaternion, s: float, work: Work
) -> None:
    """The three columns of the unit matrix, scaled: a translation, or a turn seen as a turn."""
    column = blocks.column[b]
    v = turn(r[0], r[1], r[2], r[3], s, 0.0, 0.0)
    _put_column(tasks, t, row, column, v[0], v[1], v[2], work)
    v = turn(r[0], r[1], r[2], r[3], 0.0, s, 0.0)
    _put_column(tasks, t, row, column + 1, v[0], v[1], v[2], work)
    v = turn(r[0], r[1], r[2], r[3], 0.0, 0.0, s)
    _put_column(tasks, t, row, column + 2, v[0], v[1], v[2], work)


@inlined_borrowing
def _point_error(tasks: Tasks, t: int, goal: Array, row: int, reach: float, work: Work) -> float:
    x, y, z = point_place(work, tasks.joint[t], tasks.offset, t)
    reference = tasks.reference[t]
    if reference >= 0:
        r, c = reference_turn(work, reference), work.place
        x, y, z = x - c[reference, 0], y - c[reference, 1], z - c[reference, 2]
        x, y, z = turn(r[0], r[1], r[2], r[3], x, y, z)
    return _put_error(tasks, t, row, reach, goal[0] - x, goal[1] - y, goal[2] - z, work)


@inlined_borrowing
def _write_point(
    blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int, reach: float, work: Work
) -> float:
    size = _point_error(tasks, t, goal, row, reach, work)
    px, py, pz = point_place(work, tasks.joint[t], tasks.offset, t)
    r = reference_turn(work, tasks.reference[t])
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        b = tasks.carry_block[k]
        s = tasks.carry_sign[k] * tasks.scale[t] * blocks.mobility[b]
        if blocks.kind[b] == TRANSLATION:
            _put_unit(blocks, tasks, t, row, b, r, s, work)
        else:
            j, c = int(blocks.joint[b]), work.place
            _put_lever(
                blocks, tasks, t, row, b, r, s, px - c[j, 0], py - c[j, 1], pz - c[j, 2], work
            )
    return size


@inlined_borrowing
def _turn_error(tasks: Tasks, t: int, goal: Array, row: int, most: float, work: Work) -> float:
    r = reference_turn(work, tasks.reference[t])
    q = world_turn(work, tasks.joint[t])
    q = multiply(r[0], r[1], r[2], r[3], q[0], q[1], q[2], q[3])
    d = multiply(goal[0], goal[1], goal[2], goal[3], q[0], -q[1], -q[2], -q[3])
    x, y, z = logarithm(d[0], d[1], d[2], d[3])
    return _put_error(tasks, t, row, most, x, y, z, work)


@inlined_borrowing
def _write_turn(
    blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int, most: float, work: Work
) -> float:
    size = _turn_error(tasks, t, goal, row, most, work)
    r = reference_turn(work, tasks.reference[t])
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        b = tasks.carry_block[k]
        s = tasks.carry_sign[k] * tasks.scale[t] * blocks.mobility[b]
        if blocks.kind[b] == BALL:
            _put_unit(blocks, tasks, t, row, b, r, s, work)
        elif blocks.kind[b] != TRANSLATION:
            e = hinge_axis(blocks, b, work)
            v = turn(r[0], r[1], r[2], r[3], s * e[0], s * e[1], s * e[2])
            _put_column(tasks, t, row, int(blocks.column[b]), v[0], v[1], v[2], work)
    return size


@inlined_borrowing
def _write_center(
    tree: Tree, blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int,
    reach: float, work: Work,
) -> float:  # fmt: skip
    total = sum_moments(tree, tasks, t, work)
    moments, p, points = work.moments, work.place, tasks.point[t + 1] - tasks.point[t]
    share = 1.0 / total
    x, y, z = share * moments[0, 0], share * moments[0, 1], share * moments[0, 2]
    size = _put_error(tasks, t, row, reach, goal[0] - x, goal[1] - y, goal[2] - z, work)
    r = (1.0, 0.0, 0.0, 0.0)
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        b = tasks.carry_block[k]
        s, j = share * tasks.scale[t] * blocks.mobility[b], int(blocks.joint[b])
        if blocks.kind[b] == TRANSLATION:
            if points == 0:
                _put_unit(blocks, tasks, t, row, b, r, tasks.scale[t] * blocks.mobility[b], work)
        else:
            m = moments[j, 3]
            x, y = moments[j, 0] - m * p[j, 0], moments[j, 1] - m * p[j, 1]
            z = moments[j, 2] - m * p[j, 2]
            _put_lever(blocks, tasks, t, row, b, r, s, x, y, z, work)
    return size


@inlined_borrowing
def _write_aim(
    blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int, most: float, work: Work
) -> float:
    """Two rows: turns of the direction square to itself, and what moving the eye does to them."""
    j = tasks.joint[t]
    px, py, pz = point_place(work, j, tasks.offset, t)
    q, own = world_turn(work, j), tasks.direction
    ux, uy, uz = turn(q[0], q[1], q[2], q[3], own[t, 0], own[t, 1], own[t, 2])
    dx, dy, dz = goal[0] - px, goal[1] - py, goal[2] - pz
    far = max(np.sqrt(dx * dx + dy * dy + dz * dz), NEAR_M)
    dx, dy, dz = dx / far, dy / far, dz / far
    first, second = square_to(ux, uy, uz)
    n = cross(ux, uy, uz, dx, dy, dz)
    sine = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    angle = np.arctan2(sine, ux * dx + uy * dy + uz * dz)
    f = min(angle, most) / sine if sine > NEAR_M else 1.0
    if sine <= NEAR_M and angle > 1.0:  # looks straight away from it: either way round is right
        n, f = first, min(angle, most)
    work.errors[row] = tasks.scale[t] * f * (first[0] * n[0] + first[1] * n[1] + first[2] * n[2])
    work.errors[row + 1] = (
        tasks.scale[t] * f * (second[0] * n[0] + second[1] * n[1] + second[2] * n[2])
    )
    for i in range(2):
        a = first if i == 0 else second
        # a · (ω + d × v / far) with v = ω × lever: the translation's part is a × d / far.
        m = cross(a[0], a[1], a[2], dx, dy, dz)
        mx, my, mz = m[0] / far, m[1] / far, m[2] / far
        for k in range(tasks.carry[t], tasks.carry[t + 1]):
            b = tasks.carry_block[k]
            s, column = tasks.scale[t] * blocks.mobility[b], blocks.column[b]
            if blocks.kind[b] == TRANSLATION:
                x, y, z = mx, my, mz
            else:
                jb, c = int(blocks.joint[b]), work.place
                x, y, z = cross(px - c[jb, 0], py - c[jb, 1], pz - c[jb, 2], mx, my, mz)
                x, y, z = x + a[0], y + a[1], z + a[2]
            if blocks.kind[b] <= BALL:
                work.full[row + i, column] = s * x
                work.full[row + i, column + 1] = s * y
                work.full[row + i, column + 2] = s * z
            else:
                e = hinge_axis(blocks, b, work)
                work.full[row + i, column] = s * (e[0] * x + e[1] * y + e[2] * z)
    return angle


@inlined_borrowing
def _write_distance(
    blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int, reach: float, work: Work
) -> float:
    ax, ay, az = point_place(work, tasks.joint[t], tasks.offset, t)
    bx, by, bz = point_place(work, tasks.reference[t], tasks.reference_offset, t)
    ux, uy, uz = ax - bx, ay - by, az - bz
    far = np.sqrt(ux * ux + uy * uy + uz * uz)
    if far < NEAR_M:  # two points in one place: any direction parts them
        ux, uy, uz = 0.0, 1.0, 0.0
    else:
        ux, uy, uz = ux / far, uy / far, uz / far
    error = goal[0] - far
    work.errors[row] = tasks.scale[t] * min(max(error, -reach), reach)
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        b = tasks.carry_block[k]
        sign = tasks.carry_sign[k]
        s, column = sign * tasks.scale[t] * blocks.mobility[b], blocks.column[b]
        j, c = int(blocks.joint[b]), work.place
        px, py, pz = (ax, ay, az) if sign > 0 else (bx, by, bz)
        x, y, z = cross(px - c[j, 0], py - c[j, 1], pz - c[j, 2], ux, uy, uz)
        if blocks.kind[b] == BALL:
            work.full[row, column] = s * x
            work.full[row, column + 1] = s * y
            work.full[row, column + 2] = s * z
        elif blocks.kind[b] != TRANSLATION:
            e = hinge_axis(blocks, b, work)
            work.full[row, column] = s * (e[0] * x + e[1] * y + e[2] * z)
    return abs(error)
