"""A pattern in the plane of its two strongest components, and where the edit lies in it."""

from __future__ import annotations

import numpy as np

from poise.apps.studio import to_page as say
from poise.apps.studio import views
from poise.apps.studio.views import Told
from poise.arrays import Array
from poise.methods.pattern import Pattern


def scatter_of(pattern: Pattern, now: Array | None) -> Told:
    """Examples as points; with `now` the coefficients of the edited motion, how near each is."""
    places = np.zeros((len(pattern.examples), 2))
    shown = min(2, pattern.coefficients.shape[1])
    places[:, :shown] = pattern.coefficients[:, :shown]
    goal = np.full(2, np.nan)
    weights = np.full(len(places), 1.0 / max(1, len(places)))
    if now is not None:
        goal[: min(2, len(now))] = now[:2]
        spread = np.sqrt(pattern.variances[: len(now)])
        apart = np.linalg.norm((pattern.coefficients[:, : len(now)] - now) / spread, axis=1)
        near = np.exp(-0.5 * (apart - apart.min()) ** 2)
        weights = near / near.sum()
    message = say.Scatter(
        names=tuple(example.name for example in pattern.examples),
        shares=tuple((pattern.variances / pattern.variances.sum())[:2].tolist()),
        weights=tuple(weights.tolist()),
    )
    return views.told(message, places=places, goal=goal)
