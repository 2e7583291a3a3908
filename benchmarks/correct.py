"""The correction: its motion optimizer against L-BFGS and as clips grow, and whole corrections.

`python -m benchmarks.correct_studies` has what takes longer: the paper's tables and studies.
"""

from __future__ import annotations

from benchmarks import correct_convergence, correct_growth, correct_whole
from benchmarks.measure import Measure


def run(quick: bool) -> list[Measure]:
    return [
        *correct_convergence.run(quick),
        *correct_growth.run(quick),
        *correct_whole.run(quick),
    ]
