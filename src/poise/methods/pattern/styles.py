"""Styles: motions of a pattern that lie close together in its first coefficients (Fig. 6)."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices

_LEAST_SILHOUETTE = 0.5
"""Clusters that are told apart less clearly than this are none."""
_WORTH_IT = 0.05
"""More clusters must be told apart better by this much."""
_FEWEST = 3
"""Motions of a style, on average."""


def styles_of(coefficients: Array) -> Indices:
    """(M,) the number of each motion's style, from 0; all 0 where there is but one.

    Ward's clusters of the first two coefficients, as many as are told apart best (by the mean
    silhouette), and one if none are told apart well.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import cdist

    points = coefficients[:, :2]
    count = len(points)
    if count < 4 or not np.ptp(points, axis=0).any():
        return np.zeros(count, dtype=np.int64)
    tree, apart = linkage(points, "ward"), np.asarray(cdist(points, points), dtype=np.float64)
    tried = [np.zeros(count, dtype=np.int64)]
    scores = [_LEAST_SILHOUETTE + _WORTH_IT]
    for clusters in range(2, max(count // _FEWEST, 2) + 1):
        labels = np.asarray(fcluster(tree, clusters, "maxclust"), dtype=np.int64) - 1
        if len(set(labels.tolist())) > 1:
            tried.append(labels)
            scores.append(_silhouette(apart, labels))
    first_good = next(i for i, s in enumerate(scores) if s >= max(scores) - _WORTH_IT)
    chosen = tried[first_good]
    # Numbered as they come, so that the same motions give the same numbers.
    order = {int(label): n for n, label in enumerate(dict.fromkeys(chosen.tolist()))}
    return np.array([order[int(label)] for label in chosen], dtype=np.int64)


def _silhouette(apart: Array, labels: Indices) -> float:
    """How much nearer points are to their own cluster than to the next one: at most 1."""
    scores: list[float] = []
    for i, label in enumerate(labels):
        own = (labels == label) & (np.arange(len(labels)) != i)
        if not own.any():
            scores.append(0.0)
            continue
        inside = float(apart[i, own].mean())
        outside = min(float(apart[i, labels == other].mean()) for other in set(labels) - {label})
        scores.append((outside - inside) / max(inside, outside, 1e-30))
    return float(np.mean(scores))
