"""Principal components of a few long vectors.

With M vectors of D numbers and M much smaller than D, the covariance matrix of D × D is never made:
the eigenvectors of the M × M matrix of scalar products, mapped through the centred vectors and made
unit, are the components. M vectors have at most M - 1 of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array

_NOTHING = 1e-10
"""A component with less than this share of the first one's variance is rounding: vectors that are
the same, or sums of others."""


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """Directions of greatest variance, in descending order."""

    mean: Array
    """(D,)"""
    components: Array
    """(m, D) orthonormal."""
    variances: Array
    """(m,) of the vectors along each."""
    coefficients: Array
    """(M, m) of the vectors."""


def principal_components(vectors: Array) -> PrincipalComponents:
    """All components that (M, D) vectors have."""
    count = len(vectors)
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    values, turns = np.linalg.eigh(centred @ centred.T)
    values, turns = values[::-1], turns[:, ::-1]
    kept = int((values[: count - 1] > _NOTHING * max(values[0], 0.0)).sum())
    components = (turns[:, :kept] / np.sqrt(values[:kept])).T @ centred
    # An eigenvector has no sign of its own: the same vectors shall give the same one everywhere.
    largest = np.abs(components).argmax(axis=1)
    signs = np.sign(components[np.arange(kept), largest])
    components *= signs[:, None]
    coefficients = turns[:, :kept] * np.sqrt(values[:kept]) * signs
    return PrincipalComponents(mean, components, values[:kept] / max(count - 1, 1), coefficients)
