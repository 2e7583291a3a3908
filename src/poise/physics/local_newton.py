"""Newton's method on stretches of a clip: what is settled rests, what is stubborn is damped.

A clip has easy seconds and hard moments. One step length for all frames would let a single landing
hold up the rest, so that a step is judged where it acts: frames around which the cost rises are
damped and solved for again, frames that gain no more are left alone, and the next step is solved
only over the stretches that still move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from poise.arrays import Array
from poise.contact import intervals
from poise.ik import IkSolution
from poise.physics.merit import Merit

_AROUND_S = 0.1
"""Half the time over which costs are summed to judge a frame, and"""
_MARGIN_S = 0.25
"""what is solved on either side of frames that still move."""
_LEAST_DAMPING, _MOST_DAMPING = 0.02, 2e6
_MORE, _LESS = 30.0, 0.1
"""Damping of frames around which a step fails, and around which it helps."""
_RETRIES = 3
_LONGEST = 0.5
"""Radians or metres that a step may move an unknown."""
_SHORTER, _SHORTEST = 0.4, 4e-3
"""A step that fails damped as it is, is shortened by this, down to that share of it."""
MOST_STEPS = 400
"""Over the whole clip, as frames of all factorizations over its own: captures take up to ninety,
the hardest edit that was seen 190. What contradicts itself would go on."""
_LEAST_GAIN = 1e-5
"""Cost, in a frame and its neighbours, that is not worth a step."""

Stretches = list[tuple[int, int]]
"""First frame, and one past the last."""


class LocalNewton:
    """Descent of a merit function, stretch by stretch."""

    def __init__(self, merit: Merit) -> None:
        self._merit, self._gain = merit, 0.0
        self._around = 1 + 2 * max(1, round(_AROUND_S * merit.rate_hz))
        self._margin = max(3, round(_MARGIN_S * merit.rate_hz))
        self.damping = np.full(merit.frames, _LEAST_DAMPING)
        self.solved_frames = 0
        """Frames of all factorizations so far."""

    def begin(self, gain: float) -> None:
        """Begin anew; frames rest that gain less than this share of their cost in a step."""
        self._gain = gain
        self.damping[:] = _LEAST_DAMPING

    def descend(self, at: IkSolution, where: NDArray[np.bool_], most: int) -> int:
        """Step a motion, in place, until no frame gains; returns the number of steps.

        Args:
            at: the motion.
            where: (F,) frames to begin with.
            most: steps at most.
        """
        for number in range(most):
            stretches = self.stretches(where)
            if not stretches or self.solved_frames >= MOST_STEPS * self._merit.frames:
                return number
            where = np.zeros(self._merit.frames, dtype=np.bool_)
            for first, stop in stretches:
                where[first:stop] = self._step(at, first, stop)
        return most

    def stretches(self, where: NDArray[np.bool_]) -> Stretches:
        """Frames and what is next to them; as a whole, where little would be left out."""
        near = maximum_filter1d(where.astype(np.int8), 1 + 2 * self._margin, mode="constant") > 0
        if near.mean() > 0.8:
            return [(0, len(near))]
        # Gaps shorter than what their ends would be solved with are not worth an end.
        for first, stop in intervals(~near):
            if stop - first < self._margin and first > 0 and stop < len(near):
                near[first:stop] = True
        return intervals(near)

    def _step(self, at: IkSolution, first: int, stop: int) -> NDArray[np.bool_]:
        """Step a stretch in place; the frames of it that gained and may gain more."""
        merit, part = self._merit, slice(first, stop)
        cost = merit.evaluate(at, first, stop)
        costs, known = merit.equations.costs[part].copy(), merit.bounds_met(first, stop)
        start = at.root_positions_m[part].copy(), at.rotations_wxyz[part].copy()
        share, tried = 1.0, 0
        while True:
            step = merit.newton_step(first, stop, self.damping)
            self.solved_frames += stop - first
            if step is not None:
                merit.move(at, first, stop, step, 1.0)
                then = merit.evaluate(at, first, stop, slopes=False)
                changes = merit.equations.costs[part] - costs
                far = np.abs(step).reshape(stop - first, -1).max(axis=1) > _LONGEST
                if then <= cost and not far.any():
                    break
                worse = self._summed(changes) > 0.0
                worse |= np.asarray(maximum_filter1d(far.astype(np.int8), self._around) > 0)
                self._put(at, part, start)
            else:
                worse = np.ones(stop - first, dtype=np.bool_)
            if tried == _RETRIES:
                if step is None:
                    merit.forget()
                    return np.zeros(stop - first, dtype=np.bool_)
                share = self._shortened(at, first, stop, step, cost, start)
                break
            tried += 1
            if step is not None:
                merit.foresee(first, stop, known)
            grown = np.minimum(self.damping[part] * _MORE, _MOST_DAMPING)
            self.damping[part] = np.where(worse, grown, self.damping[part])
            merit.evaluate(at, first, stop)
        merit.forget()
        if share == 0.0:
            return np.zeros(stop - first, dtype=np.bool_)
        changes = merit.equations.costs[part] - costs
        gains = self._summed(-changes)
        size = self._summed(np.abs(merit.equations.costs[part]))
        eased = np.maximum(self.damping[part] * _LESS, _LEAST_DAMPING)
        self.damping[part] = np.where(gains >= 0.0, eased, self.damping[part])
        return np.asarray(np.abs(gains) > self._gain * size + _LEAST_GAIN)

    def _shortened(
        self, at: IkSolution, first: int, stop: int, step: Array, cost: float,
        start: tuple[Array, Array],
    ) -> float:  # fmt: skip
        """The share of a step that helps; 0 where none does. Moves the motion by it."""
        part = slice(first, stop)
        share = min(1.0, _LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        while share > _SHORTEST:
            self._merit.move(at, first, stop, step, share)
            if self._merit.evaluate(at, first, stop, slopes=False) <= cost:
                return share
            self._put(at, part, start)
            share *= _SHORTER
        self._merit.evaluate(at, first, stop, slopes=False)
        return 0.0

    def _put(self, at: IkSolution, part: slice, poses: tuple[Array, Array]) -> None:
        at.root_positions_m[part], at.rotations_wxyz[part] = poses

    def _summed(self, costs: Array) -> Array:
        """Of a frame and its neighbours."""
        return self._around * uniform_filter1d(costs, self._around, mode="constant")
