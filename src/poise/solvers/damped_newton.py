"""Damped Gauss–Newton over a band of blocks with a border: the one loop that whole motions share.

Steps that do not help are taken back and damped more; those that do are damped less. Whoever calls
fills the normal equations and says how to move along a step: what the unknowns mean is not known
here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import numpy as np

from poise.arrays import Array, Indices
from poise.solvers.bordered_band import solve_bordered

FARTHEST = 0.35
"""How far one step may move an unknown of a block (radians, metres)."""

_CALMER, _FIRMER = 0.2, 8.0
"""What becomes of the damping after a step that helped, and after one that did not."""

_LEAST, _LEAST_FIRM = 1e-9, 1e-6
"""Damping that is not made calmer, and the least that is made firmer."""

_MOST_RETRIES = 4

At = TypeVar("At")


def _no_border() -> Array:
    return np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """Where the equations are; their right sides are the step once they are solved."""

    band: Array
    """(N, width · reach) as `factor_band` takes it."""
    right: Array
    """(N,)"""
    damped: Array
    """(N,) what a damping of 1 adds to the diagonal."""
    width: int
    reach: int
    border: Array = field(default_factory=_no_border)
    """(N, S), `begins` (S,), `corner` (S, S) and `shared` (S,): as `solve_bordered` takes them."""
    begins: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    corner: Array = field(default_factory=_no_border)
    shared: Array = field(default_factory=lambda: np.empty(0))


class Descent(Protocol[At]):
    """What is made cheaper."""

    @property
    def equations(self) -> NormalEquations:
        """Filled by `evaluate`, used up by a step."""
        ...

    def evaluate(self, at: At) -> float:
        """Fill the equations; returns the cost."""
        ...

    def moved(self, at: At, share: float) -> At:
        """The point after a share of the step, which stands in the equations' right sides."""
        ...

    def retried(self, tried: At, at: At) -> bool:
        """Whether the equations at a point now know what the refused step ran into.

        The next step is then solved with the same damping.
        """
        ...


class DampedNewton(Generic[At]):
    """Where the descent is; the equations are always those of this point."""

    def __init__(
        self, descent: Descent[At], at: At, damping: float = 1.0, rounding: float = 0.0
    ) -> None:
        """Begin at a point; a step may cost more by a share for rounding."""
        self._descent, self._rounding = descent, rounding
        self.at = at
        self.damping = damping
        self.step = float(np.inf)
        """The largest entry of the last step, before it was shortened."""
        self.free = False
        """Whether the last step that helped was hardly damped."""
        self.definite = True
        """Whether the last equations had a solution."""
        self._retries = 0
        self.cost = descent.evaluate(at)

    def go_to(self, at: At) -> None:
        """Go on from another point, or from the same one after its cost became another."""
        self.at = at
        self.cost = self._descent.evaluate(at)

    def descend(self, iterations: int, settled: float) -> None:
        """Steps until one gains, or promises, less than a share of the cost."""
        for _ in range(iterations):
            gained = self.advance(settled)
            if not self.definite or (gained is not None and gained <= settled * self.cost):
                return

    def advance(self, worth: float = -np.inf) -> float | None:
        """Try a step; what it gained, or None where it was taken back.

        One that promises at most this share of the cost is not taken: it gains nothing.
        """
        descent, now = self._descent, self.cost
        promised = self._solved()
        if promised is not None and promised <= worth * now:
            return 0.0
        if promised is not None:
            tried = descent.moved(self.at, min(1.0, FARTHEST / max(self.step, 1e-300)))
            then = descent.evaluate(tried)
            if then <= now * (1.0 + self._rounding):
                # The diagonal of damping is about that of the cheapest unknowns: with a damping of
                # one, a step is at least half a free one.
                self.free, self._retries = self.damping <= 1.0, 0
                self.damping = max(self.damping * _CALMER, _LEAST)
                self.at, self.cost = tried, then
                return now - then
            if self._retries < _MOST_RETRIES and descent.retried(tried, self.at):
                self._retries += 1
                return None
        self._retries = 0
        self.damping = max(self.damping, _LEAST_FIRM) * _FIRMER
        descent.evaluate(self.at)
        return None

    def _solved(self) -> float | None:
        """What the step would gain if all were linear; None where there is no step."""
        e = self._descent.equations
        slope = e.right.copy()
        e.band[:, 0] += self.damping * e.damped
        self.step = float(np.inf)
        self.definite = solve_bordered(
            e.band, e.width, e.reach, e.border, e.begins, e.corner, e.right, e.shared
        )
        if not self.definite or not np.isfinite(e.right).all():
            return None
        self.step = float(np.abs(e.right).max(initial=0.0))
        # Not BLAS: it shares a long sum among threads, whose number would show in the last bit.
        return float(np.sum(slope * e.right))
