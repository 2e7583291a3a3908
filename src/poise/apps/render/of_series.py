"""What measures saw, as marks for a picture."""

from __future__ import annotations

from poise.apps.render.overlays import Overlays
from poise.contact import Series


def overlays_of(series: Series) -> Overlays:
    """Centre of mass, zero-moment point and the points that carry something."""
    return Overlays(
        com_m=series.com_m, zmp_m=series.zmp_m, points_m=series.points_m, touching=series.pressing
    )
