"""Principal components of a few long vectors, against a singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.arrays import Array
from poise.solvers.principal_components import PrincipalComponents, principal_components

often = settings(max_examples=40, deadline=None, derandomize=True)
sizes = st.tuples(st.integers(2, 9), st.integers(10, 300))
seeds = st.integers(0, 2**31)


def any_vectors(seed: int, count: int, length: int) -> Array:
    """Of different sizes along different ways, about some middle."""
    random = np.random.default_rng(seed)
    scales = np.geomspace(1.0, 0.02, count)
    return 5.0 + random.normal(size=(count, count)) * scales @ random.normal(size=(count, length))


def by_decomposition(vectors: Array) -> tuple[Array, Array]:
    """Components and variances, of the centred matrix as a whole."""
    _, values, ways = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    count = len(vectors) - 1
    return ways[:count], values[:count] ** 2 / count


def rebuilt(found: PrincipalComponents) -> Array:
    return found.mean + found.coefficients @ found.components


@often
@given(seeds, sizes)
def test_they_are_those_of_a_singular_value_decomposition(seed: int, size: tuple[int, int]) -> None:
    vectors = any_vectors(seed, *size)
    found = principal_components(vectors)
    ways, variances = by_decomposition(vectors)
    assert found.components.shape == (size[0] - 1, size[1])
    np.testing.assert_allclose(found.variances, variances, rtol=1e-6)
    # One that has its variance to itself is the same but for its sign.
    gaps = np.abs(np.subtract.outer(variances, variances)) + variances[0] * np.eye(len(variances))
    for i in np.flatnonzero(gaps.min(axis=1) > 1e-2 * variances[0]):
        assert abs(abs(found.components[i] @ ways[i]) - 1.0) < 1e-8


@often
@given(seeds, sizes)
def test_they_are_orthonormal_and_give_every_vector_back(seed: int, size: tuple[int, int]) -> None:
    vectors = any_vectors(seed, *size)
    found = principal_components(vectors)
    square = found.components @ found.components.T
    np.testing.assert_allclose(square, np.eye(len(square)), atol=1e-9)
    np.testing.assert_allclose(rebuilt(found), vectors, atol=1e-10 * np.abs(vectors).max())
    np.testing.assert_allclose(found.mean, vectors.mean(axis=0), rtol=1e-13)


@often
@given(seeds, sizes)
def test_coefficients_are_projections_with_no_mean_and_those_variances(
    seed: int, size: tuple[int, int]
) -> None:
    vectors = any_vectors(seed, *size)
    found = principal_components(vectors)
    scale = np.sqrt(found.variances[0])
    projected = (vectors - found.mean) @ found.components.T
    np.testing.assert_allclose(found.coefficients, projected, atol=1e-9 * scale)
    np.testing.assert_allclose(found.coefficients.mean(axis=0), 0.0, atol=1e-9 * scale)
    covariance = np.cov(found.coefficients.T).reshape(len(found.variances), -1)
    np.testing.assert_allclose(covariance, np.diag(found.variances), atol=1e-8 * scale**2)
    assert (np.diff(found.variances) <= 0).all()


def test_no_direction_has_more_variance_than_the_first_component() -> None:
    vectors = any_vectors(5, 6, 40)
    found, random = principal_components(vectors), np.random.default_rng(0)
    others = random.normal(size=(200, 40))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    assert (others @ (vectors - found.mean).T).var(axis=1, ddof=1).max() <= found.variances[0]


@pytest.mark.parametrize("count", [2, 3, 8])
def test_there_are_at_most_as_many_as_vectors_less_one(count: int) -> None:
    assert len(principal_components(any_vectors(1, count, 50)).variances) == count - 1


def test_more_vectors_than_numbers_have_as_many_as_there_are_numbers() -> None:
    found = principal_components(any_vectors(1, 9, 4))
    assert found.components.shape == (4, 4)
    np.testing.assert_allclose(rebuilt(found), any_vectors(1, 9, 4), atol=1e-12)


def test_a_vector_that_is_there_twice_adds_no_component() -> None:
    vectors = any_vectors(2, 5, 60)
    twice = np.concatenate([vectors, vectors[2:4]])
    found = principal_components(twice)
    assert len(found.variances) == 4
    np.testing.assert_allclose(found.coefficients[5:], found.coefficients[2:4], atol=1e-12)


def test_a_vector_that_is_a_mean_of_others_adds_no_component() -> None:
    vectors = any_vectors(2, 5, 60)
    assert len(principal_components(np.vstack([vectors, vectors[:2].mean(axis=0)])).variances) == 4


def test_vectors_on_a_line_have_one_component() -> None:
    way = np.random.default_rng(0).normal(size=30)
    found = principal_components(3.0 + np.outer([-2.0, 0.5, 1.0, 4.0], way))
    assert found.components.shape == (1, 30)
    np.testing.assert_allclose(abs(found.components[0] @ way), np.linalg.norm(way), rtol=1e-14)
    np.testing.assert_allclose(found.variances, np.var([-2.0, 0.5, 1.0, 4.0], ddof=1) * (way @ way))


@pytest.mark.parametrize("count", [1, 2, 4])
def test_vectors_that_are_the_same_have_none(count: int) -> None:
    vector = np.random.default_rng(0).normal(size=30)
    assert principal_components(np.repeat(vector[None], count, axis=0)).components.shape == (0, 30)


@pytest.mark.parametrize("count", [3, 5, 7, 8])
def test_rounding_of_the_mean_makes_no_component(count: int) -> None:
    """A third, a fifth of a sum is not the number again."""
    vector = np.random.default_rng(0).normal(size=30)
    assert not len(principal_components(np.repeat(vector[None], count, axis=0)).variances)


def test_vectors_that_differ_by_rounding_have_none() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=30) + 1e-16 * random.normal(size=(4, 30))
    assert not len(principal_components(vectors).variances)


@often
@given(seeds, sizes)
def test_signs_and_order_do_not_depend_on_the_order_of_the_vectors(
    seed: int, size: tuple[int, int]
) -> None:
    vectors = any_vectors(seed, *size)
    order = np.random.default_rng(seed).permutation(len(vectors))
    found, other = principal_components(vectors), principal_components(vectors[order])
    apart = np.diff(found.variances, prepend=np.inf, append=0.0)
    for i in range(len(found.variances)):
        clear = min(-apart[i], -apart[i + 1]) > 1e-3 * found.variances[0]
        top = np.sort(np.abs(found.coefficients[:, i]))[-2:]
        if clear and top[1] - top[0] > 1e-6 * top[1]:
            np.testing.assert_allclose(other.components[i], found.components[i], atol=1e-7)
            np.testing.assert_allclose(
                other.coefficients[:, i], found.coefficients[order, i],
                atol=1e-7 * np.sqrt(found.variances[0]),
            )  # fmt: skip


def test_the_vector_that_goes_furthest_along_a_component_goes_forward() -> None:
    for seed in range(10):
        found = principal_components(any_vectors(seed, 6, 80))
        largest = np.abs(found.coefficients).argmax(axis=0)
        assert (found.coefficients[largest, np.arange(len(found.variances))] > 0).all()


def test_of_two_vectors_it_is_always_the_same_one() -> None:
    """Both are as far from their mean: rounding must not decide."""
    signs = {
        float(np.sign(principal_components(any_vectors(seed, 2, length)).coefficients[0, 0]))
        for seed in range(40)
        for length in (10, 77, 300)
    }
    assert len(signs) == 1


def test_the_same_vectors_give_the_same_bits() -> None:
    a, b = (principal_components(any_vectors(3, 7, 90)) for _ in range(2))
    np.testing.assert_array_equal(a.components, b.components)
    np.testing.assert_array_equal(a.coefficients, b.coefficients)


@pytest.mark.parametrize("small", [1e-3, 1e-4, 5e-5])
def test_a_component_much_smaller_than_the_first_is_orthogonal_to_it_too(small: float) -> None:
    """The matrix of products squares the sizes: half the digits are gone at 1e-4."""
    random = np.random.default_rng(6)
    ways = np.linalg.qr(random.normal(size=(200, 3)))[0].T
    vectors = random.normal(size=(5, 3)) * (1.0, 0.5, small) @ ways
    found = principal_components(vectors)
    assert len(found.variances) == 3
    square = found.components @ found.components.T
    np.testing.assert_allclose(square, np.eye(3), atol=1e-6)
    np.testing.assert_allclose(found.variances, by_decomposition(vectors)[1][:3], rtol=1e-4)
    np.testing.assert_allclose(rebuilt(found), vectors, atol=1e-14)
