"""The zero-moment point: static, accelerated, spinning and flying bodies."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.character import Body, Skeleton
from poise.errors import BadValue
from poise.mechanics import (
    GRAVITY_M_S2,
    center_of_mass,
    forward_kinematics,
    inverse_dynamics,
    zero_moment_point,
)
from tests.mechanics.random_trees import random_case
from tests.oracles import assert_close


def test_a_still_body_has_it_under_its_center_of_mass() -> None:
    case = random_case(4, frames=10)
    m = case.motion
    still = np.zeros_like(m.omega)
    forces = inverse_dynamics(case.skeleton, case.body, m.local, still, np.zeros((10, 3)), still)
    heights = np.linspace(-1, 1, 10)
    state = forward_kinematics(case.skeleton, m.root_m, m.local)
    expected = center_of_mass(state, case.body)
    expected[:, 1] = heights
    assert_close(zero_moment_point(m.root_m, forces, heights), expected, 1e-12, "point")


def test_the_ground_force_there_explains_any_motion() -> None:
    case = random_case(5, frames=20)
    m = case.motion
    forces = inverse_dynamics(case.skeleton, case.body, m.local, m.omega, m.root_a, m.alpha)
    point = zero_moment_point(m.root_m, forces, 0.2)
    left = forces.root_moment_nm + np.cross(m.root_m - point, forces.root_force_n)
    scale = np.abs(forces.root_moment_nm).max()
    assert np.abs(left[:, [0, 2]]).max() < 1e-9 * scale
    assert (point[:, 1] == 0.2).all()


def cart(acceleration: float, spin: float) -> tuple[np.ndarray, float]:
    """A mass 1 m up, pushed along x, its own inertia spun up about z."""
    skeleton = Skeleton(("mass",), np.array([-1]), np.zeros((1, 3)))
    body = Body(np.array([2.0]), np.zeros((1, 3)), 0.5 * np.eye(3)[None])
    root = np.array([[0.4, 1.0, -0.3]])
    forces = inverse_dynamics(
        skeleton, body, rotations.IDENTITY[None, None], np.zeros((1, 1, 3)),
        [[acceleration, 0, 0]], [[[0, 0, spin]]],
    )  # fmt: skip
    return zero_moment_point(root, forces)[0], 9.81


def test_a_pushed_cart_follows_its_closed_form() -> None:
    point, g = cart(3.0, 0.0)
    np.testing.assert_allclose(point, [0.4 - 3.0 / g, 0.0, -0.3], atol=1e-14)


def test_segment_inertia_counts() -> None:
    point, g = cart(0.0, 7.0)
    np.testing.assert_allclose(point, [0.4 + 0.5 * 7.0 / (2.0 * g), 0.0, -0.3], atol=1e-14)


def test_free_flight_has_none() -> None:
    case = random_case(4, frames=3)
    still = np.zeros_like(case.motion.omega)
    acceleration = np.tile(GRAVITY_M_S2, (3, 1))
    acceleration[1] = 0.0
    forces = inverse_dynamics(
        case.skeleton, case.body, case.motion.local, still, acceleration, still
    )
    point = zero_moment_point(case.motion.root_m, forces)
    assert np.isnan(point[[0, 2]]).all()
    assert np.isfinite(point[1]).all()
    with pytest.raises(BadValue, match="height_m"):
        zero_moment_point(case.motion.root_m, forces, np.zeros(2))
