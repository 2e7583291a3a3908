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
_ROUNDING = 100.0 * float(np.finfo(np.float64).eps)
"""Of the largest entry: by how much a mean may miss what it is the mean of."""


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


def principal_components(vectors: Array, least: float = 0.0) -> PrincipalComponents:
    """All components that (M, D) vectors have.

    Args:
        vectors: one a row.
        least: entries that differ by less do not differ.
    """
    count, width = vectors.shape
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    values, turns = np.linalg.eigh(centred @ centred.T)
    values, turns = values[::-1], turns[:, ::-1]
    least = max(least, _ROUNDING * float(np.abs(vectors).max(initial=0.0)))
    floor = max(_NOTHING * max(values[0], 0.0), count * width * least**2)
    kept = int((values[: count - 1] > floor).sum())
    components = (turns[:, :kept] / np.sqrt(values[:kept])).T @ centred
    coefficients = turns[:, :kept] * np.sqrt(values[:kept])
    # An eigenvector has no sign of its own: whichever vector goes furthest along it goes forward,
    # the first of those that go as far.
    lengths = np.abs(coefficients)
    first = (lengths >= (1.0 - 1e-6) * lengths.max(axis=0, initial=0.0)).argmax(axis=0)
    signs = np.sign(coefficients[first, np.arange(kept)])
    components *= signs[:, None]
    return PrincipalComponents(
        mean, components, values[:kept] / max(count - 1, 1), coefficients * signs
    )
