"""The compiled loop behind `cone_least_squares`: Newton steps on six unknowns a frame.

The forces that minimise ½|b − A f|² + λ/2 |β|² inside their cones follow from what is left over,
y = b − A f: each point projects its own share of Aᵀy/λ. So y alone is unknown, and it minimises

    ½|y|² − y·b + Σ a ψ(Gᵀy) + N ψ_τ(y_moment),

convex with a curvature of at least 1, whose gradient is y − b + A f(y). The projections are
piecewise smooth, so Newton's method with any of their derivatives converges in a few steps.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.compiled import compiled, inlined
from poise.solvers.banded_cholesky import solve_six
from poise.solvers.cone_problem import ConePlan, Contacts, Supplied
from poise.solvers.friction_cones import (
    Stiffness,
    four_sided,
    four_sided_force,
    four_sided_pull,
    round_cone,
    round_force,
    round_pull,
)

CHUNK = 64
"""Frames after which the loop forgets the previous answer, so that any part of a clip that starts
at a multiple of it gives the same bits alone."""

_EASIER = 10.0
"""Factor between neighbouring regularisations when Newton is led to the wanted one in steps."""
_EASIEST = 1e-1
_ROUGHLY = 1e-3
"""Tolerance on the way to the wanted one."""
_STEPS = 100
_PATIENCE = 12
"""Newton steps from the previous frame's answer before it is dropped for a fresh start."""
_ARMIJO = 0.1
_HALF = math.sqrt(0.5)
_ROUNDING = 1e-14
"""Of the value, relative: a step that falls by less cannot be told from one that rises."""
_NOISE = 2e-15
"""Of the gradient, which holds y/λ."""
_PROXIMAL_STEPS = 60
_LEAST = 1e-6
"""Regularisation at which the last steps of the exact answer stop paying less."""


@inlined
def _copy(source: Array, target: Array) -> None:
    # Numba compiles seconds of error messages for target[:] = source.
    for k in range(len(source)):
        target[k] = source[k]


@compiled
def solve_frames(
    given: Contacts, plan: ConePlan, out: Supplied, iterations: Indices,
    converged: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Solve every frame, each from the answer of the one before."""
    count = given.points.shape[1]
    at, beta, shift = np.empty((count, 13)), np.zeros((count, 4)), np.zeros((count, 4))
    index, b = np.empty(count, np.int64), np.empty(6)
    work = np.empty((3, 6)), np.empty((6, 6))
    y, aimed, polished = np.zeros(6), np.zeros(6), np.zeros(6)
    known = False
    for f in range(len(given.points)):
        n, groups = _begin(f, given, at, index, b, out), given.groups[f]
        iterations[f] = 0
        converged[f] = True
        if n == 0:
            known = False
            continue
        shift[:] = 0.0
        warm = known and f % CHUNK != 0
        converged[f], steps = _solve(n, at, beta, shift, b, groups, plan, y, work, warm)
        if not warm:
            _copy(y, aimed)
        known = converged[f]
        if plan.aim > 0.0:
            _aim(n, at, beta, plan, shift)
            done, more = _newton(
                n, at, beta, shift, b, groups, plan, plan.force_weight, plan.tolerance, _STEPS,
                aimed, work,
            )  # fmt: skip
            converged[f] = converged[f] and done
            steps += more
            last = aimed
        else:
            last = y
        if plan.exact:
            _copy(last, polished)
            more = _polish(n, at, beta, shift, b, groups, plan, polished, work)
            converged[f] = converged[f] and more >= 0
            steps += abs(more)
            last = polished
        known = known and converged[f]
        iterations[f] = steps
        _put_answer(f, n, at, beta, index, groups, plan, last, out)


@compiled
def solve_frames_again(
    given: Contacts, plan: ConePlan, out: Supplied, answers: Array, converged: NDArray[np.bool_]
) -> int:
    """Solve every frame from where it was left the last time, for problems that change little.

    As `solve_frames`, but for aim and exactness, which the plan may not ask for. `answers` (F, 6)
    are the unknowns and stay for the next time; frames whose `converged` is false start afresh.
    Returns the Newton steps spent.
    """
    count = given.points.shape[1]
    at, beta, shift = np.empty((count, 13)), np.zeros((count, 4)), np.zeros((count, 4))
    index, b = np.empty(count, np.int64), np.empty(6)
    work = np.empty((3, 6)), np.empty((6, 6))
    spent = 0
    for f in range(len(given.points)):
        n, groups, y = _begin(f, given, at, index, b, out), given.groups[f], answers[f]
        if n == 0:
            converged[f] = True
            answers[f] = 0.0
            continue
        converged[f], steps = _solve(n, at, beta, shift, b, groups, plan, y, work, converged[f])
        spent += steps
        _put_answer(f, n, at, beta, index, groups, plan, y, out)
    return spent


@inlined
def _begin(f: int, given: Contacts, at: Array, index: Indices, b: Array, out: Supplied) -> int:
    """Gather a frame's touching points, and begin with nothing supplied; returns how many."""
    n = _gather(f, given, at, index)
    for k in range(3):
        b[k], b[3 + k] = given.force[f, k], given.moment[f, k]
    out.forces[f] = 0.0
    out.torque[f] = 0.0
    for k in range(6):
        out.missing[f, k] = b[k]
    return n


@inlined
def _put_answer(
    f: int, n: int, at: Array, beta: Array, index: Indices, groups: float, plan: ConePlan,
    y: Array, out: Supplied,
) -> None:  # fmt: skip
    for i in range(n):
        _put_force(i, at, beta, plan, f, index[i], out)
    for k, value in enumerate(_torque(y, plan.torque_weight, plan.torque_bound)):
        out.torque[f, k] = value
        out.missing[f, 3 + k] -= groups * value


@inlined
def _gather(f: int, given: Contacts, at: Array, index: Indices) -> int:
    """The touching points of a frame: lever, normal, two tangents, grip. Returns how many."""
    points, normals, grip, centers = given.points, given.normals, given.grip, given.centers
    n = 0
    for p in range(points.shape[1]):
        if grip[f, p] <= 0.0:
            continue
        for k in range(3):
            at[n, k] = points[f, p, k] - centers[f, k]
        x, y, z = normals[f, p, 0], normals[f, p, 1], normals[f, p, 2]
        at[n, 3], at[n, 4], at[n, 5] = x, y, z
        # The level axes carried along by the smallest turn from +Y to the normal.
        turn = 1.0 / (1.0 + y) if y > -0.999 else 0.0
        at[n, 6], at[n, 7], at[n, 8] = 1.0 - turn * x * x, -x, -turn * x * z
        at[n, 9], at[n, 10], at[n, 11] = -turn * x * z, -z, 1.0 - turn * z * z
        if turn == 0.0:  # a ceiling: no turn is the smallest
            size = math.sqrt(x * x + y * y)
            at[n, 6], at[n, 7], at[n, 8] = -y / size, x / size, 0.0
            at[n, 9] = y * at[n, 8] - z * at[n, 7]
            at[n, 10] = z * at[n, 6] - x * at[n, 8]
            at[n, 11] = x * at[n, 7] - y * at[n, 6]
        at[n, 12] = grip[f, p]
        index[n] = p
        n += 1
    return n


@compiled
def _solve(
    n: int, at: Array, beta: Array, shift: Array, b: Array, groups: float, plan: ConePlan,
    y: Array, work: tuple[Array, Array], warm: bool,
) -> tuple[bool, int]:  # fmt: skip
    """The answer at the wanted regularisation, from the last one or in steps from an easy one."""
    goal = plan.force_weight
    steps = 0
    if warm:
        done, steps = _newton(
            n, at, beta, shift, b, groups, plan, goal, plan.tolerance, _PATIENCE, y, work
        )
        if done:
            return True, steps
    weight = max(goal, _EASIEST)
    for k in range(6):
        y[k] = weight * b[k]
    while weight > goal:
        # Only the way there: the last digits do not matter.
        _, more = _newton(n, at, beta, shift, b, groups, plan, weight, _ROUGHLY, _STEPS, y, work)
        steps += more
        easier, weight = weight, max(goal, weight / _EASIER)
        _predict(easier / weight, y, work)
    done, more = _newton(n, at, beta, shift, b, groups, plan, goal, plan.tolerance, _STEPS, y, work)
    return done, steps + more


@inlined
def _predict(ratio: float, y: Array, work: tuple[Array, Array]) -> None:
    """Where the answer goes when the regularisation falls by `ratio` and no point changes sides.

    With H = I + S/λ at the answer, S y/λ plus a constant is what the points supply, so the new
    answer solves (I + ratio S/λ) y' = H y.
    """
    right, h = work[0][0], work[1]
    for i in range(6):
        right[i] = 0.0
        for k in range(6):
            right[i] -= (h[i, k] if k <= i else h[k, i]) * y[k]
    for i in range(6):
        for k in range(i + 1):
            one = 1.0 if k == i else 0.0
            h[i, k] = one + ratio * (h[i, k] - one)
    solve_six(h, right, y)


@inlined
def _aim(n: int, at: Array, beta: Array, plan: ConePlan, shift: Array) -> None:
    """Move each point's cheapest force from the normal towards the centre.

    By how much follows from the normal force that it carries without.
    """
    friction, is_round = plan.friction, plan.is_round
    for i in range(n):
        u = beta[i, 0], beta[i, 1], beta[i, 2], beta[i, 3]
        load = round_force(u, friction)[0] if is_round else four_sided_force(u, friction)[0]
        along, left, right = 0.0, 0.0, 0.0
        for k in range(3):
            along -= at[i, k] * at[i, 3 + k]
            left -= plan.aim * at[i, k] * at[i, 6 + k]
            right -= plan.aim * at[i, k] * at[i, 9 + k]
        tilt = math.sqrt(left * left + right * right)
        if along <= 0.0 or friction == 0.0:
            continue
        share = load / (friction * max(along, tilt / friction))  # no farther than the cone
        if is_round:
            shift[i, 1], shift[i, 2] = share * left * _HALF, share * right * _HALF
        else:
            shift[i, 0], shift[i, 1] = 0.5 * share * left, -0.5 * share * left
            shift[i, 2], shift[i, 3] = 0.5 * share * right, -0.5 * share * right


@compiled
def _polish(
    n: int, at: Array, beta: Array, shift: Array, b: Array, groups: float, plan: ConePlan,
    y: Array, work: tuple[Array, Array],
) -> int:  # fmt: skip
    """Take the regularisation away: pay for the distance to the last answer, until it rests.

    Returns the Newton steps spent, negative if it did not come to rest.
    """
    spent = 0
    old = np.empty(6)
    weight = plan.force_weight
    for _ in range(_PROXIMAL_STEPS):
        _copy(y, old)
        for i in range(n):
            _copy(beta[i], shift[i])
        done, steps = _newton(
            n, at, beta, shift, b, groups, plan, weight, plan.tolerance, _STEPS, y, work
        )
        spent += steps
        change = 0.0
        for k in range(6):
            change = max(change, abs(y[k] - old[k]))
        if change <= max(plan.tolerance, _NOISE / weight):
            return spent if done else -spent
        # Paying less and less hurries the few that creep.
        weight = max(_LEAST, weight / _EASIER)
    return -spent


@compiled
def _newton(
    n: int, at: Array, beta: Array, shift: Array, b: Array, groups: float, plan: ConePlan,
    weight: float, tolerance: float, most: int, y: Array, work: tuple[Array, Array],
) -> tuple[bool, int]:  # fmt: skip
    """Newton with a backtracking search, in place on `y`; whether it converged, and the steps."""
    tolerance = max(tolerance, _NOISE / weight)
    g, trial, step = work[0][0], work[0][1], work[0][2]
    h = work[1]
    value = _evaluate(n, at, beta, shift, b, groups, plan, weight, y, g, h)
    for spent in range(most):
        if _largest(g) <= tolerance:
            return True, spent
        solve_six(h, g, step)
        slope = 0.0
        for k in range(6):
            slope += g[k] * step[k]
        size = 1.0
        while True:
            for k in range(6):
                trial[k] = y[k] + size * step[k]
            new = _evaluate(n, at, beta, shift, b, groups, plan, weight, trial, g, h)
            if new <= value + _ARMIJO * size * slope + _ROUNDING * (1.0 + abs(value)):
                break
            # The slope rises along the step; aim for where it crosses zero.
            end = 0.0
            for k in range(6):
                end += g[k] * step[k]
            aim = slope / (slope - end) if end > slope else 0.5
            size *= min(max(aim, 0.25), 0.5)
            if size < 1e-10:
                return False, spent
        for k in range(6):
            y[k] = trial[k]
        value = new
    return _largest(g) <= tolerance, most


@inlined
def _largest(g: Array) -> float:
    return max(abs(g[0]), abs(g[1]), abs(g[2]), abs(g[3]), abs(g[4]), abs(g[5]))


@compiled
def _evaluate(
    n: int, at: Array, beta: Array, shift: Array, b: Array, groups: float, plan: ConePlan,
    weight: float, y: Array, g: Array, h: Array,
) -> float:  # fmt: skip
    """Value, gradient and curvature (lower triangle) at `y`; leaves each point's multipliers."""
    friction, ceiling, is_round = plan.friction, plan.ceiling, plan.is_round
    value = 0.0
    h[:] = 0.0
    for i in range(6):
        value += (0.5 * y[i] - b[i]) * y[i]
        g[i] = y[i] - b[i]
        h[i, i] = 1.0
    for i in range(n):
        rx, ry, rz = at[i, 0], at[i, 1], at[i, 2]
        wx = y[0] + y[4] * rz - y[5] * ry
        wy = y[1] + y[5] * rx - y[3] * rz
        wz = y[2] + y[3] * ry - y[4] * rx
        along = wx * at[i, 3] + wy * at[i, 4] + wz * at[i, 5]
        left = wx * at[i, 6] + wy * at[i, 7] + wz * at[i, 8]
        right = wx * at[i, 9] + wy * at[i, 10] + wz * at[i, 11]
        s = shift[i, 0], shift[i, 1], shift[i, 2], shift[i, 3]
        if is_round:
            q = round_pull(along, left, right, friction)
        else:
            q = four_sided_pull(along, left, right, friction)
        c = q[0] / weight + s[0], q[1] / weight + s[1], q[2] / weight + s[2], q[3] / weight + s[3]
        if is_round:
            u, stiff = round_cone(c, friction, ceiling)
            local = round_force(u, friction)
        else:
            u, stiff = four_sided(c, friction, ceiling)
            local = four_sided_force(u, friction)
        beta[i, 0], beta[i, 1], beta[i, 2], beta[i, 3] = u
        grip = at[i, 12]
        d0, d1, d2, d3 = u[0] - s[0], u[1] - s[1], u[2] - s[2], u[3] - s[3]
        value += grip * (
            u[0] * q[0] + u[1] * q[1] + u[2] * q[2] + u[3] * q[3]
            - 0.5 * weight * (d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3)
        )  # fmt: skip
        fx = grip * (local[0] * at[i, 3] + local[1] * at[i, 6] + local[2] * at[i, 9])
        fy = grip * (local[0] * at[i, 4] + local[1] * at[i, 7] + local[2] * at[i, 10])
        fz = grip * (local[0] * at[i, 5] + local[1] * at[i, 8] + local[2] * at[i, 11])
        g[0] += fx
        g[1] += fy
        g[2] += fz
        g[3] += ry * fz - rz * fy
        g[4] += rz * fx - rx * fz
        g[5] += rx * fy - ry * fx
        if stiff[0] > 0.0 or stiff[3] > 0.0 or stiff[5] > 0.0:
            _add_curvature(i, at, stiff, grip / weight, h)
    if groups > 0.0 and plan.torque_bound > 0.0:
        value += _add_torque(groups, plan, weight / plan.force_weight, y, g, h)
    return value


@inlined
def _add_curvature(i: int, at: Array, stiff: Stiffness, scale: float, h: Array) -> None:
    """Add G K Gᵀ, with G from a force at a point to force and moment, to the lower triangle."""
    nn, na, nb, aa, ab, bb = stiff
    # K E, one row per local axis, then Eᵀ K E in world axes.
    p = scale * (nn * at[i, 3] + na * at[i, 6] + nb * at[i, 9])
    q = scale * (nn * at[i, 4] + na * at[i, 7] + nb * at[i, 10])
    r = scale * (nn * at[i, 5] + na * at[i, 8] + nb * at[i, 11])
    s = scale * (na * at[i, 3] + aa * at[i, 6] + ab * at[i, 9])
    t = scale * (na * at[i, 4] + aa * at[i, 7] + ab * at[i, 10])
    u = scale * (na * at[i, 5] + aa * at[i, 8] + ab * at[i, 11])
    v = scale * (nb * at[i, 3] + ab * at[i, 6] + bb * at[i, 9])
    w = scale * (nb * at[i, 4] + ab * at[i, 7] + bb * at[i, 10])
    z = scale * (nb * at[i, 5] + ab * at[i, 8] + bb * at[i, 11])
    xx = at[i, 3] * p + at[i, 6] * s + at[i, 9] * v
    xy = at[i, 3] * q + at[i, 6] * t + at[i, 9] * w
    xz = at[i, 3] * r + at[i, 6] * u + at[i, 9] * z
    yy = at[i, 4] * q + at[i, 7] * t + at[i, 10] * w
    yz = at[i, 4] * r + at[i, 7] * u + at[i, 10] * z
    zz = at[i, 5] * r + at[i, 8] * u + at[i, 11] * z
    h[0, 0] += xx
    h[1, 0] += xy
    h[1, 1] += yy
    h[2, 0] += xz
    h[2, 1] += yz
    h[2, 2] += zz
    rx, ry, rz = at[i, 0], at[i, 1], at[i, 2]
    # M = [r]× K; its rows are crossed with r once more for the block of moments.
    m00, m01, m02 = ry * xz - rz * xy, ry * yz - rz * yy, ry * zz - rz * yz
    m10, m11, m12 = rz * xx - rx * xz, rz * xy - rx * yz, rz * xz - rx * zz
    m20, m21, m22 = rx * xy - ry * xx, rx * yy - ry * xy, rx * yz - ry * xz
    h[3, 0] += m00
    h[3, 1] += m01
    h[3, 2] += m02
    h[4, 0] += m10
    h[4, 1] += m11
    h[4, 2] += m12
    h[5, 0] += m20
    h[5, 1] += m21
    h[5, 2] += m22
    h[3, 3] += ry * m02 - rz * m01
    h[4, 3] += ry * m12 - rz * m11
    h[5, 3] += ry * m22 - rz * m21
    h[4, 4] += rz * m10 - rx * m12
    h[5, 4] += rz * m20 - rx * m22
    h[5, 5] += rx * m21 - ry * m20


@inlined
def _torque(y: Array, weight: float, bound: float) -> tuple[float, float, float]:
    """The free torque of one body: y/λ_τ, no longer than its bound."""
    size = math.sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5])
    scale = 1.0 / weight if size <= bound * weight else bound / size
    return scale * y[3], scale * y[4], scale * y[5]


@inlined
def _add_torque(
    groups: float, plan: ConePlan, easier: float, y: Array, g: Array, h: Array
) -> float:
    """The bodies' free torques, all alike; returns their part of the value."""
    weight, bound = easier * plan.torque_weight, plan.torque_bound
    t = _torque(y, weight, bound)
    size2 = y[3] * y[3] + y[4] * y[4] + y[5] * y[5]
    free = size2 <= (bound * weight) ** 2
    scale = groups / weight if free else groups * bound / math.sqrt(size2)
    radial = 0.0 if free else scale / size2
    value = 0.0
    for k in range(3):
        value += groups * t[k] * (y[3 + k] - 0.5 * weight * t[k])
        g[3 + k] += groups * t[k]
        h[3 + k, 3 + k] += scale
        for j in range(k + 1):
            h[3 + k, 3 + j] -= radial * y[3 + k] * y[3 + j]
    return value


@inlined
def _put_force(
    i: int, at: Array, beta: Array, plan: ConePlan, f: int, p: int, out: Supplied
) -> None:
    """The force at one point, in world axes; taken off what is missing."""
    forces, missing, friction = out.forces, out.missing, plan.friction
    u = beta[i, 0], beta[i, 1], beta[i, 2], beta[i, 3]
    local = round_force(u, friction) if plan.is_round else four_sided_force(u, friction)
    for k in range(3):
        total = local[0] * at[i, 3 + k] + local[1] * at[i, 6 + k] + local[2] * at[i, 9 + k]
        forces[f, p, k] = at[i, 12] * total
    x, y, z = forces[f, p, 0], forces[f, p, 1], forces[f, p, 2]
    missing[f, 0] -= x
    missing[f, 1] -= y
    missing[f, 2] -= z
    missing[f, 3] -= at[i, 1] * z - at[i, 2] * y
    missing[f, 4] -= at[i, 2] * x - at[i, 0] * z
    missing[f, 5] -= at[i, 0] * y - at[i, 1] * x
