"""The physically based filter against its paper, against mink and pink, and against its kernels.

Rounds are timed with all that belongs to them (goals, supports, fits), not their compiled loops
alone; for these there is a column of its own. Table I and the stream run as users have them, with
as many threads as the linear algebra likes; everything else on one.
"""

from __future__ import annotations

from benchmarks import (
    filter_dynamic,
    filter_growth,
    filter_kinematic,
    filter_stream,
    filter_table,
)
from benchmarks.filter_body import FRAMES
from benchmarks.measure import Measure


def run(quick: bool) -> list[Measure]:
    frames = FRAMES // 5 if quick else FRAMES
    return [
        *filter_kinematic.run(frames),
        *filter_dynamic.run(frames),
        *filter_growth.run(quick),
        *filter_table.run(),
        *filter_stream.run(quick),
    ]
