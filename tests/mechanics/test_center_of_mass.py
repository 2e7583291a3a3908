"""The centre of mass: by hand, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.errors import BadShape, BadValue
from poise.mechanics import center_of_mass, forward_kinematics
from tests.mechanics.random_trees import random_case
from tests.mechanics.small_bodies import branching_skeleton, point_masses

LOCAL = np.tile(rotations.IDENTITY, (4, 1))


def test_two_masses_balance_at_their_weighted_mean() -> None:
    body = point_masses(np.array([3.0, 1.0, 0, 0]), np.zeros((4, 3)))
    state = forward_kinematics(branching_skeleton(), [0.0, 1.0, 0.0], LOCAL)
    np.testing.assert_allclose(center_of_mass(state, body)[0], [0.075, 1.125, 0.0], atol=1e-15)


def test_many_cores_give_the_same_bits(three_cores: None) -> None:
    case = random_case(2, frames=1003, joints=9)
    state = forward_kinematics(case.skeleton, case.motion.root_m, case.motion.local)
    alone = center_of_mass(state, case.body, parallel=False)
    np.testing.assert_array_equal(alone, center_of_mass(state, case.body))


def test_a_body_that_does_not_fit_is_refused() -> None:
    state = forward_kinematics(branching_skeleton(), np.zeros(3), LOCAL)
    with pytest.raises(BadShape, match=r"body\.masses_kg"):
        center_of_mass(state, point_masses(np.ones(3), np.zeros((3, 3))))
    with pytest.raises(BadValue, match="more than zero"):
        center_of_mass(state, point_masses(np.zeros(4), np.zeros((4, 3))))
