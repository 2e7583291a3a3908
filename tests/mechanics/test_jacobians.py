"""Every derivative against central differences in the tangent."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.errors import BadValue
from poise.mechanics import (
    angular_jacobians,
    center_of_mass,
    center_of_mass_jacobian,
    forward_kinematics,
    site_jacobians,
    site_positions,
)
from poise.mechanics.kinematics import BodyState
from tests.mechanics.random_trees import Case, random_case
from tests.oracles import assert_is_derivative, moved

SEEDS = range(6)


def pose(case: Case, frame: int = 0, step: Array | None = None) -> BodyState:
    root, local = case.motion.root_m[frame], case.motion.local[frame]
    if step is not None:
        root, local = moved(case.skeleton, root, local, step)
    return forward_kinematics(case.skeleton, root, local)


@pytest.mark.parametrize("seed", SEEDS)
def test_site_jacobians_are_derivatives_of_site_positions(seed: int) -> None:
    case = random_case(seed)
    jacobian = site_jacobians(pose(case), case.sites)[0]
    assert_is_derivative(
        lambda step: site_positions(pose(case, step=step), case.sites)[0], jacobian
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_angular_jacobians_are_derivatives_of_rotations(seed: int) -> None:
    case = random_case(seed)
    joints = range(case.skeleton.joint_count)
    at = rotations.conjugate(pose(case).rotations_wxyz[0])

    def turned(step: Array) -> Array:
        return rotations.log(rotations.multiply(pose(case, step=step).rotations_wxyz[0], at))

    assert_is_derivative(turned, angular_jacobians(pose(case), joints)[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_center_of_mass_jacobian_is_the_derivative_of_the_center(seed: int) -> None:
    case = random_case(seed)
    jacobian = center_of_mass_jacobian(pose(case), case.body)[0]
    assert_is_derivative(lambda step: center_of_mass(pose(case, step=step), case.body)[0], jacobian)


def test_many_cores_give_the_same_bits(three_cores: None) -> None:
    case = random_case(1, frames=1003, joints=7)
    state = forward_kinematics(case.skeleton, case.motion.root_m, case.motion.local)
    for compute in (
        lambda parallel: site_jacobians(state, case.sites, parallel=parallel),
        lambda parallel: angular_jacobians(state, (6, 2), parallel=parallel),
        lambda parallel: center_of_mass_jacobian(state, case.body, parallel=parallel),
    ):
        np.testing.assert_array_equal(compute(False), compute(True))


def test_a_joint_that_does_not_exist_is_named() -> None:
    case = random_case(1)
    with pytest.raises(BadValue, match="indices from 0"):
        angular_jacobians(pose(case), (99,))
