"""Inverse dynamics at sigma points, against Newton-Euler at each of those states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise.arrays import Array
from poise.mechanics.inverse_dynamics_points import (
    PointForces,
    make_point_forces,
    make_point_scratch,
)
from poise.mechanics.inverse_dynamics_points import points_of_wrench as points_of_wrench_kernel
from poise.mechanics.joint_moment_points import points_of_moments as points_of_moments_kernel
from poise.mechanics.quaternion_kernels import sine_and_bow as sine_and_bow_kernel
from tests.called_from_python import from_python
from tests.mechanics.test_inverse_dynamics_rates import (
    STATES,
    State,
    random_state,
    stepped,
    with_coordinates,
)
from tests.oracles import assert_close

points_of_wrench = from_python(points_of_wrench_kernel)
points_of_moments = from_python(points_of_moments_kernel)
sine_and_bow = from_python(sine_and_bow_kernel)

LENGTHS = (0.4, 0.01)
"""One beyond what a series is used for, one within."""

AGREEMENT = 1e-12


def points_of(state: State, lengths: Array, wanted: Array | None = None) -> PointForces:
    joints = state.skeleton.joint_count
    found = make_point_forces(joints, state.width)
    for array in found:
        array[:] = np.nan
    scratch = make_point_scratch(joints, state.width)
    points_of_wrench(
        state.segments, state.motion, state.blocks, state.width, lengths, True, scratch, found
    )
    chosen = np.ones(joints) if wanted is None else wanted
    points_of_moments(
        state.skeleton.parents, state.blocks, state.width, lengths, chosen.astype(np.int64),
        scratch, found,
    )  # fmt: skip
    return found


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("make", STATES)
def test_points_are_those_of_newton_euler(make: Callable[[], State], length: float) -> None:
    state = make()
    found = points_of(state, np.full(3 * state.width, length))
    ends = ((length, found.plus, found.moments_plus), (-length, found.minus, found.moments_minus))
    for step, of_wrench, of_moments in ends:
        wrench, moments = stepped(state, step)
        assert_close(found.wrench[:, None] + of_wrench, wrench.T, AGREEMENT, "wrench")
        ours, theirs = found.moments[..., None] + of_moments, np.moveaxis(moments, 0, -1)
        assert_close(ours, theirs, AGREEMENT, "moments")


def test_every_point_has_its_own_length() -> None:
    """And a joint left out none; mobility counts for places only, as in `stepped`."""
    state = with_coordinates(random_state(4), left_out=(1,), mobility={2: 0.5})
    n = state.width
    lengths = np.random.default_rng(0).uniform(0.05, 0.5, 3 * n)
    found = points_of(state, lengths)
    for s in range(3 * n):
        wrench, moments = stepped(state, lengths[s])
        assert_close(found.wrench + found.plus[:, s], wrench[s], AGREEMENT, f"wrench at {s}")
        ours = found.moments + found.moments_plus[..., s]
        assert_close(ours, moments[s], AGREEMENT, f"moments at {s}")


def test_joints_that_nobody_asks_for_are_left() -> None:
    state = random_state(2)
    wanted = np.zeros(state.skeleton.joint_count)
    wanted[1] = 1
    found, whole = (points_of(state, np.full(3 * state.width, 0.1), w) for w in (wanted, None))
    for one, all_ in zip(found[3:], whole[3:], strict=True):
        assert (one[1] == all_[1]).all() and np.isfinite(one[1]).all()
        assert np.isnan(np.delete(one, 1, axis=0)).all()


@pytest.mark.parametrize("angle", [0.0, 1e-9, -1e-4, 0.0299, -0.0301, 0.3, -3.0])
def test_sine_and_what_a_cosine_lacks_are_exact_at_any_angle(angle: float) -> None:
    sine, bow = sine_and_bow(angle)
    assert sine == pytest.approx(np.sin(angle), rel=4e-16)
    assert bow == pytest.approx(2.0 * np.sin(0.5 * angle) ** 2, rel=8e-16)
