"""Jump height: change of the apex of the centre of mass in each flight."""

from __future__ import annotations

from poise.contact import Series, intervals
from poise.measures.shared_joints import same_body


def measure(series: Series, original: Series) -> dict[str, float]:
    """Largest difference of apex heights over all flights, in cm; NaN without a flight.

    Flights of either clip count, and both are looked at over the same frames: claiming that
    something touches does not hide a jump that was lost.
    """
    worst = float("nan")
    if same_body(series, original):
        frames = min(series.clip.frame_count, original.clip.frame_count)
        ours, theirs = series.com_m[:frames, 1], original.com_m[:frames, 1]
        changes = [
            abs(float(ours[first:stop].max() - theirs[first:stop].max()))
            for first, stop in intervals(series.flight[:frames] | original.flight[:frames])
        ]
        worst = max(changes, default=float("nan"))
    return {"jump_height.change": 100.0 * worst}
