"""The stages of a leap, where the clip is one, for bars of the timeline and handles."""

from __future__ import annotations

import numpy as np

from poise.apps.studio.to_page import Stage
from poise.contact import Series, intervals


def stages_of(series: Series) -> tuple[Stage, ...]:
    """Ground and flight in turn, as what touches shows them; none where nothing flies."""
    flying = np.asarray(series.flight, dtype=np.bool_)
    if not flying.any():
        return ()
    found: list[Stage] = []
    roots, lows = series.clip.root_positions_m, series.points_m[..., 1].min(axis=1)
    spans = [(*each, "flight") for each in intervals(flying)]
    spans += [(*each, "ground") for each in intervals(~flying)]
    for first, stop, kind in sorted(spans):
        span = slice(first, stop)
        if kind == "ground":
            middle = roots[span].mean(axis=0)
            place = (float(middle[0]), float(lows[span].min()), float(middle[2]))
        else:
            top = series.com_m[span][int(np.argmax(series.com_m[span, 1]))]
            place = (float(top[0]), float(top[1]), float(top[2]))
        found.append(Stage(kind, first, stop - 1, place))
    return tuple(found)
