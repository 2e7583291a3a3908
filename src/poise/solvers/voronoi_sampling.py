"""Looking for the best weights by samples that gather where errors are small and cells are large.

A sample is K weightings, each a point of the simplex (parts that add up to one). Every sample has a
Voronoi cell: what is nearer to it than to any other. The next sample is drawn near one that is
picked with a probability of its cell's volume over its error (Lee & Lee 2018, Algorithm 1, after
Hämäläinen et al. 2014), so that the search settles where errors are small and still visits what it
has not seen.

Volumes and extents of cells come from a fixed set of evenly spread probes: the share of them for
which a sample is the nearest, and the box around those. A cell without a probe has the volume of
half a probe and reaches half way to its nearest neighbour.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.errors import BadShape, BadValue

PROBES = 2048
"""Probes of the cells: volumes are right to a few per cent while there are a hundred samples."""

_TRIES = 64
"""Draws from a Gaussian that may fall outside the simplex before the last is put on its edge."""

_BEST_STANDS_OUT = 0.02
"""How much of the way from the best error to the median one is left when only differences of
errors are to count."""
_SMALLEST_STEP = 1e-3


class VoronoiSampler:
    """Samples so far, and where to look next. Equal seeds and errors give equal samples."""

    def __init__(self, keys: int, kinds: int = 3, *, seed: int = 0) -> None:
        if keys < 1 or kinds < 2:
            raise BadValue("keys, kinds", "at least 1 and 2", (keys, kinds))
        self._rng = np.random.default_rng(seed)
        self._probes = even_simplex_points(PROBES, keys, kinds)
        self._nearest = np.zeros(PROBES, np.int64)
        self._distances = np.full(PROBES, np.inf)
        self.samples = np.empty((0, keys, kinds))
        """(N, K, C) in the order in which they were told."""
        self.errors = np.empty(0)
        """(N,)"""

    def first(self, count: int) -> Array:
        """(count, K, C) samples spread evenly over all weightings."""
        _, keys, kinds = self.samples.shape
        return even_simplex_points(count, keys, kinds, skipped=PROBES)

    def add(self, samples: Array, errors: Array) -> None:
        """Tell the errors of samples (n, K, C)."""
        if samples.shape != (len(errors), *self.samples.shape[1:]):
            raise BadShape("samples", f"({len(errors)}, K, C)", samples.shape)
        if not (np.isfinite(errors).all() and (errors >= 0.0).all()):
            raise BadValue("errors", "finite, zero or more", errors)
        for sample in samples:
            off = _squared_distances(self._probes, sample)
            closer = off < self._distances
            self._distances[closer] = off[closer]
            self._nearest[closer] = len(self.samples)
            self.samples = np.concatenate([self.samples, sample[None]])
        self.errors = np.concatenate([self.errors, errors])

    @property
    def volumes(self) -> Array:
        """(N,) share of all weightings in each cell."""
        counts = np.bincount(self._nearest, minlength=len(self.samples)).astype(np.float64)
        counts[counts == 0] = 0.5
        return counts / counts.sum()

    def extents(self, n: int) -> Array:
        """(K, C) edges of the box around the cell of sample `n`."""
        mine = self._probes[self._nearest == n]
        sample = self.samples[n]
        if len(mine) == 0:
            others = np.delete(self.samples, n, axis=0)
            if len(others) == 0:
                return np.ones_like(sample)
            return np.abs(others[_squared_distances(others, sample).argmin()] - sample)
        low = np.minimum(mine.min(axis=0), sample)
        return np.maximum(mine.max(axis=0), sample) - low

    def next(self, count: int) -> Array:
        """(count, K, C) new samples, all drawn by what is known now (lines 28 and 29)."""
        if not len(self.samples):
            raise BadValue("samples", "some to start from", 0)
        chances = self.volumes / self._relative_errors()
        chances /= chances.sum()
        picked = self._rng.choice(len(chances), size=count, p=chances)
        return np.array([self._near(int(n)) for n in picked]).reshape(-1, *self.samples.shape[1:])

    def _relative_errors(self) -> Array:
        """(N,) errors over one that is a little better than the best.

        Errors have a part that no weighting can change (noise of the capture), which would make all
        of them look alike: only their differences tell one sample from another.
        """
        least = self.errors.min()
        over = max(_BEST_STANDS_OUT * (np.median(self.errors) - least), 1e-12 + 1e-6 * least)
        return self.errors - least + over

    @property
    def best(self) -> int:
        """The number of the sample with the smallest error; the first of equals."""
        return int(self.errors.argmin())

    def _near(self, n: int) -> Array:
        """A draw around a sample, as wide as its cell, in every key's simplex.

        The Gaussian's standard deviation is half the edge of the cell's box, so that its bulk
        covers the box, but no wider than leads as far as the nearest other sample: in many
        dimensions the box around any cell is nearly all there is, while the cell is not. A key
        is redrawn until it lies inside its simplex.
        """
        center, spread = self.samples[n], 0.5 * self.extents(n)
        others = np.delete(self.samples, n, axis=0)
        if len(others):
            far = float(np.sqrt(_squared_distances(others, center).min()))
            spread = np.minimum(spread, max(far, _SMALLEST_STEP) / np.sqrt(center.size))
        drawn = np.empty_like(center)
        for k in range(len(center)):
            tries = center[k] + spread[k] * self._rng.normal(size=(_TRIES, center.shape[1]))
            tries += (1.0 - tries.sum(axis=1, keepdims=True)) / center.shape[1]
            inside = np.flatnonzero((tries >= 0.0).all(axis=1))
            drawn[k] = tries[inside[0]] if len(inside) else onto_simplex(tries[-1])
        return drawn


def even_simplex_points(count: int, keys: int, kinds: int, *, skipped: int = 0) -> Array:
    """(count, K, C) points spread evenly over a product of simplices, always the same.

    An additive recurrence (Kronecker's sequence with powers of the generalised golden ratio) fills
    the cube; gaps between sorted coordinates are even on the simplex.
    """
    size = keys * (kinds - 1)
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (size + 1.0))
    steps = ratio ** -np.arange(1.0, size + 1.0)
    cube = (0.5 + np.arange(skipped + 1.0, skipped + count + 1.0)[:, None] * steps) % 1.0
    ordered = np.sort(cube.reshape(count, keys, kinds - 1), axis=2)
    return np.diff(ordered, axis=2, prepend=0.0, append=1.0)


def onto_simplex(point: Array) -> Array:
    """(C,) the nearest point whose parts are not negative and add up to one."""
    ordered = np.sort(point)[::-1]
    excess = (np.cumsum(ordered) - 1.0) / np.arange(1, len(point) + 1)
    kept = int(np.flatnonzero(ordered > excess)[-1])
    return np.maximum(point - excess[kept], 0.0)


def _squared_distances(points: Array, sample: Array) -> Array:
    off = (points - sample).reshape(len(points), -1)
    return np.einsum("ij,ij->i", off, off)
