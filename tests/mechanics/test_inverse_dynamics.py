"""Inverse dynamics: laws of mechanics, closed forms, the slow form, blocks and cores."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Sites, Skeleton
from poise.errors import BadShape, BadValue
from poise.mechanics import (
    GRAVITY_M_S2,
    JointForces,
    Wrenches,
    forward_kinematics,
    inverse_dynamics,
    momentum,
    momentum_matrix,
    point_forces,
)
from tests.mechanics import reference
from tests.mechanics.random_trees import Case, from_tangent, random_case, to_tangent
from tests.mechanics.reference import generalized_forces
from tests.mechanics.small_bodies import pendulum
from tests.oracles import assert_close

SEEDS = range(6)
BLOCKS = (1, 2, 7, 8, 9, 15, 16, 17, 33, 100)


def solve(case: Case, **options: object) -> JointForces:
    m = case.motion
    options = {"gravity_m_s2": case.gravity, **options}
    return inverse_dynamics(
        case.skeleton, case.body, m.local, m.omega, m.root_a, m.alpha, **options
    )  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", SEEDS)
def test_free_fall_needs_no_torque(seed: int) -> None:
    case = random_case(seed)
    still = np.zeros_like(case.motion.omega)
    fall = np.tile(GRAVITY_M_S2, (len(still), 1))
    forces = inverse_dynamics(case.skeleton, case.body, case.motion.local, still, fall, still)
    assert np.abs(forces.joint_moments_nm).max() < 1e-12
    assert np.abs(forces.root_force_n).max() < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_a_torque_free_top_keeps_its_angular_momentum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = Skeleton(("top",), np.array([-1]), np.zeros((1, 3)))
    inertia = np.diag(rng.uniform(1, 2, 3))
    omega = rng.normal(size=(1, 1, 3))
    # Euler's equations: I α = −ω × I ω.
    alpha = np.linalg.solve(inertia, -np.cross(omega[0, 0], inertia @ omega[0, 0]))
    forces = inverse_dynamics(
        skeleton, Body(np.ones(1), np.zeros((1, 3)), inertia[None]),
        rotations.normalize(rng.normal(size=(1, 1, 4))), omega, GRAVITY_M_S2, alpha[None, None],
    )  # fmt: skip
    assert np.abs(forces.joint_moments_nm).max() < 1e-14


def test_a_pendulum_follows_its_closed_form() -> None:
    length, mass, g = 0.7, 3.0, 9.81
    skeleton, body = pendulum(length, mass)
    angle, rate, gain = (
        np.array([0.3, -1.2, 2.9]),
        np.array([0.0, 2.0, -4.0]),
        np.array([1.0, 0, 5]),
    )
    local = np.tile(rotations.IDENTITY, (3, 2, 1))
    local[:, 1] = rotations.from_axis_angle([0, 0, 1.0], angle)
    omega, alpha = np.zeros((3, 2, 3)), np.zeros((3, 2, 3))
    omega[:, 1, 2], alpha[:, 1, 2] = rate, gain
    forces = inverse_dynamics(skeleton, body, local, omega, np.zeros((3, 3)), alpha)
    torque = mass * length**2 * gain + mass * g * length * np.sin(angle)
    np.testing.assert_allclose(generalized_forces(forces)[:, -1], torque, rtol=1e-8)
    tension = mass * (length * rate**2 + g * np.cos(angle))
    along = np.stack([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    np.testing.assert_allclose(np.sum(forces.root_force_n * along, axis=1), tension, rtol=1e-8)


def mass_matrix(case: Case, frame: int = 0) -> Array:
    """Columns are the forces of unit accelerations, at rest and without gravity."""
    size = case.skeleton.tangent_size
    root_a, alpha = from_tangent(case.skeleton, np.eye(size))
    local = np.broadcast_to(case.motion.local[frame], (size, case.skeleton.joint_count, 4))
    forces = inverse_dynamics(
        case.skeleton,
        case.body,
        local,
        np.zeros_like(alpha),
        root_a,
        alpha,
        gravity_m_s2=np.zeros(3),
    )
    return generalized_forces(forces)


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_symmetric_positive_and_carries_the_momentum(seed: int) -> None:
    case = random_case(seed)
    m = case.motion
    matrix = mass_matrix(case)
    assert_close(matrix, matrix.T, 1e-13, "symmetry")
    assert np.linalg.eigvalsh(matrix).min() > 0
    state = forward_kinematics(case.skeleton, m.root_m[0], m.local[0])
    assert_close(matrix[:3], momentum_matrix(state, case.body)[0, :3], 1e-12, "linear momentum")


@pytest.mark.parametrize("seed", SEEDS)
def test_power_in_is_change_of_energy(seed: int) -> None:
    case = random_case(seed, frames=1)
    m = case.motion
    velocity = to_tangent(case.skeleton, m.root_v, m.omega)[0]
    acceleration = to_tangent(case.skeleton, m.root_a, m.alpha)[0]
    forces = generalized_forces(solve(case, gravity_m_s2=np.zeros(3)))[0]

    def energy(time_s: float) -> float:
        turn = time_s * m.omega + 0.5 * time_s**2 * m.alpha
        local = rotations.multiply(m.local, rotations.exp(turn))
        later = velocity + time_s * acceleration
        motion = type(m)(m.root_m, local, m.root_v, m.omega, m.root_a, m.alpha)
        at = Case(case.skeleton, case.body, case.sites, motion, case.wrenches, case.gravity)
        return 0.5 * float(later @ mass_matrix(at) @ later)

    step = 1e-5
    change = (energy(step) - energy(-step)) / (2 * step)
    assert forces @ velocity == pytest.approx(change, rel=1e-6, abs=1e-6 * energy(0))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_fast_form_equals_the_slow_form(seed: int) -> None:
    case = random_case(seed, frames=11)
    forces = solve(case)
    moments, root_force = reference.inverse_dynamics(
        case.skeleton, case.body, case.motion, case.gravity
    )
    assert_close(forces.joint_moments_nm, moments, 1e-12, "moments")
    assert_close(forces.root_force_n, root_force, 1e-12, "root force")
    turned = rotations.rotate(case.motion.local[:, 0], moments[:, 0])
    assert_close(forces.root_moment_nm, turned, 1e-12, "root moment")


@pytest.mark.parametrize("frames", (3, 20))
def test_moving_offsets_count_at_their_current_value(frames: int) -> None:
    case = random_case(4, frames=frames, joints=6)
    moving = np.random.default_rng(5).normal(size=(frames, 2, 3))
    offsets = np.tile(case.skeleton.offsets_m, (frames, 1, 1))
    offsets[:, [5, 2]] = moving
    moments, _ = reference.inverse_dynamics(
        case.skeleton, case.body, case.motion, case.gravity, offsets
    )
    options = {"moving_joints": (5, 2), "moving_offsets_m": moving}
    assert_close(solve(case, **options).joint_moments_nm, moments, 1e-12, "moments")
    pushed = solve(case, wrenches=case.wrenches, **options).joint_moments_nm
    m = case.motion
    state = forward_kinematics(case.skeleton, m.root_m, m.local, (5, 2), moving)
    relief = pushed - solve(case, **options).joint_moments_nm
    whole = case.wrenches.moments_nm.sum(axis=1)
    for c, joint in enumerate(case.wrenches.joints):
        arm = state.positions_m[:, joint] - state.positions_m[:, 0]
        whole = whole + np.cross(arm, case.wrenches.forces_n[:, c])
    expected = -rotations.rotate(rotations.conjugate(m.local[:, 0]), whole)
    assert_close(relief[:, 0], expected, 1e-12, "relief of the root")


@pytest.mark.parametrize("seed", SEEDS)
def test_point_forces_act_through_the_site_jacobian(seed: int) -> None:
    case = random_case(seed)
    m = case.motion
    state = forward_kinematics(case.skeleton, m.root_m, m.local)
    push = np.random.default_rng(seed).normal(0, 50, (3, len(case.sites), 3))
    pushed = generalized_forces(solve(case, wrenches=point_forces(state, case.sites, push)))
    relief = generalized_forces(solve(case)) - pushed
    expected = np.einsum("fsc,fscd->fd", push, reference.site_jacobians(state, case.sites))
    assert_close(relief, expected, 1e-11, "virtual work")


@pytest.mark.parametrize("frames", BLOCKS)
def test_a_frame_has_the_same_bits_in_any_batch(frames: int) -> None:
    case = random_case(9, frames=frames, joints=8)
    m = case.motion
    whole = solve(case, parallel=False)
    for f in range(frames):
        one = inverse_dynamics(
            case.skeleton, case.body, m.local[f], m.omega[f], m.root_a[f], m.alpha[f],
            gravity_m_s2=case.gravity,
        )  # fmt: skip
        np.testing.assert_array_equal(one.joint_moments_nm[0], whole.joint_moments_nm[f])
        np.testing.assert_array_equal(one.root_force_n[0], whole.root_force_n[f])
        np.testing.assert_array_equal(one.root_moment_nm[0], whole.root_moment_nm[f])


@pytest.mark.parametrize("frames", (1000, 1003))
def test_many_cores_give_the_same_bits(frames: int, three_cores: None) -> None:
    case = random_case(2, frames=frames, joints=9)
    alone = solve(case, parallel=False, wrenches=case.wrenches)
    shared = solve(case, parallel=True, wrenches=case.wrenches)
    np.testing.assert_array_equal(alone.joint_moments_nm, shared.joint_moments_nm)
    np.testing.assert_array_equal(alone.root_force_n, shared.root_force_n)
    np.testing.assert_array_equal(alone.root_moment_nm, shared.root_moment_nm)


def test_the_laws_do_not_depend_on_where_and_how_the_world_is_turned() -> None:
    case = random_case(8)
    m = case.motion
    turn = rotations.normalize(np.array([0.3, -0.5, 0.7, 0.2]))
    local = m.local.copy()
    local[:, 0] = rotations.multiply(turn, local[:, 0])
    forces = inverse_dynamics(
        case.skeleton, case.body, local, m.omega, rotations.rotate(turn, m.root_a), m.alpha,
        gravity_m_s2=rotations.rotate(turn, case.gravity),
    )  # fmt: skip
    assert_close(forces.joint_moments_nm, solve(case).joint_moments_nm, 1e-12, "moments")
    expected = rotations.rotate(turn, solve(case).root_force_n)
    assert_close(forces.root_force_n, expected, 1e-12, "root force")


def test_massless_segments_are_allowed() -> None:
    case = random_case(3, joints=5)
    masses = case.body.masses_kg.copy()
    masses[[2, 4]] = 0.0
    inertias = np.where((masses == 0)[:, None, None], 0.0, case.body.inertias_kg_m2)
    light = Body(masses, case.body.centers_m, inertias)
    m = case.motion
    forces = inverse_dynamics(case.skeleton, light, m.local, m.omega, m.root_a, m.alpha)
    moments, _ = reference.inverse_dynamics(case.skeleton, light, m, GRAVITY_M_S2)
    assert_close(forces.joint_moments_nm, moments, 1e-12, "moments")


def test_no_frames_give_no_forces() -> None:
    case = random_case(3, frames=0)
    assert solve(case).joint_moments_nm.shape == (0, case.skeleton.joint_count, 3)


def test_wrenches_that_do_not_fit_are_refused() -> None:
    case = random_case(3)
    zeros = np.zeros((3, 1, 3))
    with pytest.raises(BadValue, match=r"wrenches\.joints"):
        solve(case, wrenches=Wrenches((99,), zeros, zeros))
    with pytest.raises(BadShape, match=r"wrenches\.forces_n must have shape \(3, 1, 3\)"):
        solve(case, wrenches=Wrenches((0,), zeros[:2], zeros[:2]))
    with pytest.raises(BadShape, match="moments_nm"):
        Wrenches((0,), zeros, zeros[:2])
    state = forward_kinematics(case.skeleton, case.motion.root_m, case.motion.local)
    with pytest.raises(BadShape, match="forces_n"):
        point_forces(state, Sites(("a",), np.array([0]), np.zeros((1, 3))), np.zeros((3, 2, 3)))


def test_momentum_changes_by_the_given_wrenches_when_the_root_needs_nothing() -> None:
    """Find root accelerations for which the invisible hand is idle; then force = rate."""
    case = random_case(6, frames=1)
    m, skeleton = case.motion, case.skeleton
    matrix = mass_matrix(case)
    needed = generalized_forces(solve(case, wrenches=case.wrenches))[0]
    size = 6
    change = np.zeros(skeleton.tangent_size)
    change[:size] = np.linalg.solve(matrix[:size, :size], -needed[:size])
    root_a, alpha = from_tangent(skeleton, to_tangent(skeleton, m.root_a, m.alpha) + change)
    idle = inverse_dynamics(
        skeleton, case.body, m.local, m.omega, root_a, alpha,
        gravity_m_s2=case.gravity, wrenches=case.wrenches,
    )  # fmt: skip
    assert np.abs(idle.root_force_n).max() < 1e-9
    assert np.abs(idle.root_moment_nm).max() < 1e-9

    def linear(time_s: float) -> Array:
        local = rotations.multiply(
            m.local, rotations.exp(time_s * m.omega + 0.5 * time_s**2 * alpha)
        )
        state = forward_kinematics(skeleton, m.root_m, local)
        rates = m.root_v + time_s * root_a, m.omega + time_s * alpha
        return momentum(state, case.body, *rates).linear_kg_m_s[0]

    outer = case.wrenches.forces_n[0].sum(axis=0) + case.body.total_mass_kg * case.gravity
    assert_close((linear(1e-5) - linear(-1e-5)) / 2e-5, outer, 1e-6, "Newton")
