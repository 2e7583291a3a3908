"""The unscented measurement update as textbooks have it: full matrices, weights and gain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array

Measurement = Callable[[Array], Array]


@dataclass(frozen=True)
class Weights:
    scale: float
    """n + κ"""
    mean: Array
    """(2n + 1,) of the points, the mean's own first."""
    covariance: Array


@dataclass(frozen=True)
class Update:
    step: Array
    predicted: Array
    innovation: Array
    """P_zz"""


def paper_weights(size: int, kappa: float) -> Weights:
    """Eq. 13."""
    weights = np.full(2 * size + 1, 1.0 / (2.0 * (size + kappa)))
    weights[0] = kappa / (size + kappa)
    return Weights(size + kappa, weights, weights)


def scaled_weights(size: int, alpha: float, beta: float, kappa: float) -> Weights:
    """With λ = α² (n + κ) − n, in the usual notation."""
    lam = alpha**2 * (size + kappa) - size
    mean = np.full(2 * size + 1, 1.0 / (2.0 * (size + lam)))
    mean[0] = lam / (size + lam)
    covariance = mean.copy()
    covariance[0] += 1.0 - alpha**2 + beta
    return Weights(size + lam, mean, covariance)


def textbook_update(
    measure: Measurement, mean: Array, prior: Array, noise: Array, goals: Array, weights: Weights
) -> Update:  # fmt: skip
    """Eqs. 13 to 16 for any prior covariance and any covariance of the noise."""
    values, vectors = np.linalg.eigh(weights.scale * prior)
    root = vectors @ np.diag(np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    points = np.vstack([mean, mean + root.T, mean - root.T])
    measured = np.array([measure(point) for point in points])
    predicted = weights.mean @ measured
    apart, moved = measured - predicted, points - mean
    innovation = apart.T @ np.diag(weights.covariance) @ apart + noise
    cross = moved.T @ np.diag(weights.covariance) @ apart
    gain = cross @ np.linalg.inv(innovation)
    return Update(gain @ (goals - predicted), predicted, innovation)
