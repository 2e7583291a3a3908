"""Momentum: its matrix, its rate, and the laws between them."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Skeleton
from poise.mechanics import (
    forward_kinematics,
    inverse_dynamics,
    momentum,
    momentum_matrix,
    momentum_rate,
)
from tests.mechanics import reference
from tests.mechanics.random_trees import Case, random_case, to_tangent
from tests.oracles import assert_close

SEEDS = range(6)


def both(case: Case, time_s: float, frame: int = 0) -> Array:
    """Linear and angular momentum a moment later, the accelerations held."""
    m, skeleton = case.motion, case.skeleton
    omega = m.omega[frame] + time_s * m.alpha[frame]
    turn = time_s * m.omega[frame] + 0.5 * time_s**2 * m.alpha[frame]
    local = rotations.multiply(m.local[frame], rotations.exp(turn))
    root = m.root_m[frame] + time_s * m.root_v[frame] + 0.5 * time_s**2 * m.root_a[frame]
    state = forward_kinematics(skeleton, root, local)
    found = momentum(state, case.body, m.root_v[frame] + time_s * m.root_a[frame], omega)
    return np.concatenate([found.linear_kg_m_s[0], found.angular_kg_m2_s[0]])


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_is_the_time_derivative_of_momentum(seed: int) -> None:
    case = random_case(seed, frames=1)
    m = case.motion
    state = forward_kinematics(case.skeleton, m.root_m, m.local)
    forces = inverse_dynamics(
        case.skeleton, case.body, m.local, m.omega, m.root_a, m.alpha, gravity_m_s2=case.gravity
    )
    rate = momentum_rate(state, case.body, forces, case.gravity)
    step = 1e-5
    differences = (both(case, step) - both(case, -step)) / (2 * step)
    assert_close(rate.force_n[0], differences[:3], 1e-6, "linear")
    assert_close(rate.moment_nm[0], differences[3:], 1e-6, "angular")


@pytest.mark.parametrize("seed", SEEDS)
def test_matrix_times_velocity_is_momentum(seed: int) -> None:
    case = random_case(seed)
    m = case.motion
    state = forward_kinematics(case.skeleton, m.root_m, m.local)
    found = momentum(state, case.body, m.root_v, m.omega)
    matrix = momentum_matrix(state, case.body)
    product = np.einsum("frd,fd->fr", matrix, to_tangent(case.skeleton, m.root_v, m.omega))
    assert_close(product[:, :3], found.linear_kg_m_s, 1e-12, "linear")
    assert_close(product[:, 3:], found.angular_kg_m2_s, 1e-12, "angular")
    jacobian = case.body.total_mass_kg * reference.center_of_mass_jacobian(state, case.body)
    assert_close(matrix[:, :3], jacobian, 1e-12, "rows of the centre of mass")


def test_a_spinning_brick_has_inertia_times_rate() -> None:
    skeleton = Skeleton(("brick",), np.array([-1]), np.zeros((1, 3)))
    body = Body(np.array([2.0]), np.array([[0.1, 0, 0]]), np.diag([1.0, 2.0, 3.0])[None])
    turned = rotations.from_axis_angle([1.0, 0, 0], np.pi / 2)[None]
    state = forward_kinematics(skeleton, [0.0, 0, 0], turned)
    found = momentum(state, body, [0.0, 0, 0], [[0.0, 0.0, 5.0]])
    # The brick's z points along world -y, so its centre, 0.1 m out along x, moves along +z.
    np.testing.assert_allclose(found.angular_kg_m2_s[0], [0, -15.0, 0], atol=1e-12)
    np.testing.assert_allclose(found.linear_kg_m_s[0], [0, 0, 1.0], atol=1e-12)


def test_many_cores_give_the_same_bits(three_cores: None) -> None:
    case = random_case(2, frames=1003, joints=9)
    m = case.motion
    state = forward_kinematics(case.skeleton, m.root_m, m.local)
    alone = momentum(state, case.body, m.root_v, m.omega, parallel=False)
    shared = momentum(state, case.body, m.root_v, m.omega)
    np.testing.assert_array_equal(alone.linear_kg_m_s, shared.linear_kg_m_s)
    np.testing.assert_array_equal(alone.angular_kg_m2_s, shared.angular_kg_m2_s)
    np.testing.assert_array_equal(
        momentum_matrix(state, case.body, parallel=False), momentum_matrix(state, case.body)
    )
