"""Rotations against group laws and SciPy, near every place where formulas break."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise import rotations as R
from poise.errors import BadValue

ORDERS = list(itertools.permutations(range(3)))


def samples() -> np.ndarray:
    """Generic, near identity, near half turns, and exact special cases."""
    rng = np.random.default_rng(12345)
    generic = R.normalize(rng.normal(size=(200, 4)))
    tiny = R.exp(rng.normal(size=(50, 3)) * 10.0 ** rng.uniform(-12, -2, size=(50, 1)))
    axis = rng.normal(size=(50, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    half = R.exp(axis * (np.pi - 10.0 ** rng.uniform(-9, -2, size=(50, 1))))
    exact = np.concatenate([np.eye(4), -np.eye(4)])
    return np.concatenate([generic, tiny, half, exact])


def same(a: np.ndarray, b: np.ndarray, atol: float = 1e-12) -> None:
    assert R.angle_between(a, b).max() < atol


def test_products_and_turned_vectors_agree_with_scipy() -> None:
    from scipy.spatial.transform import Rotation

    q, p = samples(), samples()[::-1]
    a, b = Rotation.from_quat(R.to_xyzw(q)), Rotation.from_quat(R.to_xyzw(p))
    same(R.multiply(q, p), R.from_xyzw((a * b).as_quat()))
    v = np.random.default_rng(1).normal(size=(len(q), 3))
    np.testing.assert_allclose(R.rotate(q, v), a.apply(v), atol=1e-13)
    np.testing.assert_allclose(R.to_matrix(q), a.as_matrix(), atol=1e-13)


def test_exp_and_log_undo_each_other() -> None:
    q = samples()
    same(R.exp(R.log(q)), q)
    rng = np.random.default_rng(2)
    v = rng.normal(size=(100, 3))
    v *= rng.uniform(0, 3.14, size=(100, 1)) / np.linalg.norm(v, axis=1, keepdims=True)
    np.testing.assert_allclose(R.log(R.exp(v)), v, atol=1e-12)


def test_matrices_and_quaternions_undo_each_other() -> None:
    same(R.from_matrix(R.to_matrix(samples())), samples(), atol=1e-7)
    generic = samples()[:200]
    same(R.from_matrix(R.to_matrix(generic)), generic, atol=1e-12)


@pytest.mark.parametrize("axes", ORDERS)
def test_euler_angles_agree_with_scipy_and_undo(axes: tuple[int, int, int]) -> None:
    from scipy.spatial.transform import Rotation

    q = samples()
    same(R.from_euler(R.to_euler(q, axes), axes), q, atol=1e-7)
    angles = np.random.default_rng(5).uniform(-3, 3, size=(100, 3))
    letters = "".join("XYZ"[a] for a in axes)
    same(R.from_euler(angles, axes), R.from_xyzw(Rotation.from_euler(letters, angles).as_quat()))


@pytest.mark.parametrize("axes", ORDERS)
def test_near_angles_come_back_as_they_were(axes: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(6)
    angles = rng.uniform(-7, 7, size=(500, 3))
    nearby = angles + rng.normal(scale=0.05, size=angles.shape)
    found = R.to_euler(R.from_euler(angles, axes), axes, near_rad=nearby)
    away = np.abs(np.abs(np.mod(angles[:, 1], np.pi)) - np.pi / 2) > 0.1
    np.testing.assert_allclose(found[away], angles[away], atol=1e-11)


@pytest.mark.parametrize("axes", ORDERS)
@pytest.mark.parametrize("lock", [np.pi / 2, -np.pi / 2])
def test_gimbal_lock_loses_nothing(axes: tuple[int, int, int], lock: float) -> None:
    rng = np.random.default_rng(8)
    for off in (0.0, 1e-12, 1e-9, 1e-7, 1e-4):
        angles = rng.uniform(-3, 3, size=(50, 3))
        angles[:, 1] = lock + off
        q = R.from_euler(angles, axes)
        same(R.from_euler(R.to_euler(q, axes), axes), q, atol=3e-8)
    # At lock itself the wish of the caller decides how the turn is shared.
    angles[:, 1] = lock
    q = R.from_euler(angles, axes)
    np.testing.assert_allclose(R.to_euler(q, axes, near_rad=angles), angles, atol=1e-7)


def test_continuous_euler_angles_do_not_jump() -> None:
    t = np.linspace(0, 4 * np.pi, 2000)
    q = R.from_euler(np.stack([t, 1.2 * np.sin(t), -2 * t], axis=1), (2, 1, 0))
    angles = R.to_euler_continuous(q[:, None], (2, 1, 0))
    assert np.abs(np.diff(angles, axis=0)).max() < 0.1
    same(R.from_euler(angles, (2, 1, 0)), q[:, None])


@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 2), (2, 0), (1, 0), (2, 1)])
def test_fewer_axes_express_what_they_can(axes: tuple[int, ...]) -> None:
    angles = np.random.default_rng(9).uniform(-1.5, 1.5, size=(100, len(axes)))
    np.testing.assert_allclose(R.to_euler(R.from_euler(angles, axes), axes), angles, atol=1e-9)


def test_repeated_axes_are_refused() -> None:
    with pytest.raises(BadValue, match="up to three different axes"):
        R.to_euler(R.IDENTITY, (0, 1, 0))


def test_signs_become_continuous_along_time() -> None:
    q = samples()[:200][:, None]
    smooth = R.continuous(q)
    assert (np.sum(smooth[1:] * smooth[:-1], axis=-1) >= 0).all()
    same(smooth, q)


def test_slerp_covers_equal_angles() -> None:
    a, b = samples()[0], samples()[1]
    steps = R.slerp(a, b, np.linspace(0, 1, 11))
    angles = R.angle_between(steps[1:], steps[:-1])
    np.testing.assert_allclose(angles, angles[0], rtol=1e-9)
    same(steps[-1], b)


def test_the_turn_between_vectors_exists_for_opposite_ones_too() -> None:
    rng = np.random.default_rng(4)
    a = rng.normal(size=(100, 3))
    b = np.concatenate([rng.normal(size=(50, 3)), -2.0 * a[50:75], 3.0 * a[75:]])
    turned = R.rotate(R.between_vectors(a, b), a / np.linalg.norm(a, axis=1, keepdims=True))
    np.testing.assert_allclose(turned, b / np.linalg.norm(b, axis=1, keepdims=True), atol=1e-6)


@given(st.lists(st.floats(-20, 20), min_size=3, max_size=3), st.sampled_from(ORDERS))
@settings(max_examples=200, deadline=None)
def test_any_angles_survive_a_round_trip(angles: list[float], axes: tuple[int, int, int]) -> None:
    q = R.from_euler(np.array(angles), axes)
    same(R.from_euler(R.to_euler(q, axes), axes), q, atol=1e-7)


def test_a_zero_quaternion_has_no_direction() -> None:
    with pytest.raises(BadValue, match="non-zero"):
        R.normalize(np.zeros(4))
