"""Newton's method on stretches of a clip: what is settled rests, what is stubborn is damped.

A clip has easy seconds and hard moments. One step length for all frames would let a single landing
hold up the rest, so that a step is judged where it acts: frames around which the cost rises are
damped and solved for again, frames that gain no more are left alone, and the next step is solved
only over the stretches that still move.
"""

from __future__ import annotations

from dataclasses import dataclass

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
_FELT = 500.0
"""Least damping of a step that failed though it knew all bounds: likeness alone is worth 100, and
less would change nothing."""
_TOLERATED = 0.1
"""Share of the least gain: where a step raises costs by no more, another is not worth looking
for."""
_RETRIES = 3
_LONGEST = 0.5
"""Radians or metres that a step may move an unknown."""
_SHORTER, _SHORTENINGS = 0.4, 4
"""A step that fails though it knew all bounds is shortened by this where it fails, so many times:
to look costs an eighth of another step."""
MOST_STEPS = 400
"""Over the whole clip, as frames of all factorizations over its own: captures take up to ninety,
the hardest edit that was seen 190. What contradicts itself would go on."""
_FASTEST = 0.1
"""Least share of its gain that a step is taken to leave to the next one."""
_LEAST_GAIN = 1e-5
"""Cost, in a frame and its neighbours, that is not worth a step."""

Stretches = list[tuple[int, int]]
"""First frame, and one past the last."""


@dataclass(frozen=True, eq=False)
class _Before:
    """A stretch before a step."""

    first: int
    stop: int
    cost: float
    """Of everything that depends on it."""
    costs: Array
    """(stop − first,) by frame."""
    roots: Array
    turns: Array

    def put_back(self, at: IkSolution) -> None:
        """Undo a step."""
        at.root_positions_m[self.first : self.stop] = self.roots
        at.rotations_wxyz[self.first : self.stop] = self.turns


class LocalNewton:
    """Descent of a merit function, stretch by stretch."""

    def __init__(self, merit: Merit) -> None:
        self._merit, self._gain, self._foresighted = merit, 0.0, False
        self._around = 1 + 2 * max(1, round(_AROUND_S * merit.rate_hz))
        self._margin = max(3, round(_MARGIN_S * merit.rate_hz))
        self.damping = np.full(merit.frames, _LEAST_DAMPING)
        self._gained = np.full(merit.frames, np.inf)
        """(F,) by the last step of a descent; infinite before its first."""
        self._pace = np.ones(merit.frames)
        """(F,) share of it that the next step gains, as far as is known."""
        self.solved_frames = 0
        """Frames of all factorizations so far."""

    def begin(self, gain: float, foresighted: bool) -> None:
        """Begin anew; frames rest that gain less than this share of their cost in a step.

        Foresighted, they rest where the next step would: a bound that is still far off, such as
        the speed of a joint that snaps, is then not always reached.
        """
        self._gain, self._foresighted = gain, foresighted
        self.damping[:] = _LEAST_DAMPING
        self._pace[:] = 1.0

    def descend(self, at: IkSolution, where: NDArray[np.bool_], most: int) -> int:
        """Step a motion, in place, until no frame gains; returns the number of steps.

        Args:
            at: the motion.
            where: (F,) frames to begin with.
            most: steps at most.
        """
        np.minimum(self.damping, _FELT, out=self.damping)
        self._gained[:] = np.inf
        for number in range(most):
            stretches = self.stretches(where)
            if not stretches or self.solved_frames >= MOST_STEPS * self._merit.frames:
                return number
            where = np.zeros(self._merit.frames, dtype=np.bool_)
            for first, stop in stretches:
                where[first:stop] = self._step(at, first, stop)
        return most

    def near(self, where: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Frames, and what is solved with them on either side."""
        wide = maximum_filter1d(where.astype(np.int8), 1 + 2 * self._margin, mode="constant")
        return np.asarray(wide > 0)

    def stretches(self, where: NDArray[np.bool_]) -> Stretches:
        """Frames and what is next to them; as a whole, where little would be left out."""
        near = self.near(where)
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
        before = _Before(
            first, stop, cost, merit.equations.costs[part].copy(), at.root_positions_m[part].copy(),
            at.rotations_wxyz[part].copy(),
        )  # fmt: skip
        known, helped = merit.bounds_met(first, stop), False
        for tried in range(1 + _RETRIES):
            if tried > 0:
                merit.evaluate(at, first, stop)
            step = merit.newton_step(first, stop, self.damping)
            self.solved_frames += stop - first
            if step is None:
                self._damp(part, np.ones(stop - first, dtype=np.bool_), _FELT)
                continue
            far = np.abs(step).reshape(stop - first, -1).max(axis=1) > _LONGEST
            np.clip(step, -_LONGEST, _LONGEST, out=step)
            merit.move(at, first, stop, step, 1.0)
            rises = self._rises(at, before)
            if rises is None:
                helped = True
                break
            worse = (rises > 0.0) | (maximum_filter1d(far.astype(np.int8), self._around) > 0)
            unknown = merit.foresee(at, first, stop, known) and tried == 0
            before.put_back(at)
            small = bool((rises <= _TOLERATED * self._least(before.costs)).all())
            if small or not unknown:
                helped = self._shortened(at, before, step, rises)
            if small or helped:
                break
            self._damp(part, worse, 0.0 if unknown else _FELT)
        merit.forget()
        if not helped:
            merit.evaluate(at, first, stop, slopes=False)
            return np.zeros(stop - first, dtype=np.bool_)
        costs = merit.equations.costs[part]
        gains = self._summed(before.costs - costs)
        eased = np.maximum(self.damping[part] * _LESS, _LEAST_DAMPING)
        self.damping[part] = np.where(gains >= 0.0, eased, self.damping[part])
        return self._promised(part, np.abs(gains)) > self._least(costs)

    def _promised(self, part: slice, gains: Array) -> Array:
        """What another step may gain around each frame: as much less as this one than the last."""
        before = self._gained[part]
        known = np.isfinite(before)
        pace = np.clip(gains / np.maximum(before, 1e-300), _FASTEST, 1.0)
        self._pace[part] = np.where(known, pace, self._pace[part])
        self._gained[part] = gains
        return gains * self._pace[part] if self._foresighted else gains

    def _damp(self, part: slice, where: NDArray[np.bool_], least: float) -> None:
        grown = np.clip(self.damping[part] * _MORE, least, _MOST_DAMPING)
        self.damping[part] = np.where(where, grown, self.damping[part])

    def _rises(self, at: IkSolution, before: _Before) -> Array | None:
        """What costs rise by around each frame of a stretch; None where the motion is better."""
        cost = self._merit.evaluate(at, before.first, before.stop, slopes=False)
        changes = self._merit.equations.costs[before.first : before.stop] - before.costs
        return None if cost <= before.cost else self._summed(changes)

    def _shortened(self, at: IkSolution, before: _Before, step: Array, rises: Array) -> bool:
        """Move by a step that is shorter where costs rise; whether that helps."""
        shares = np.ones(len(rises))
        for _ in range(_SHORTENINGS):
            near = maximum_filter1d((rises > 0.0).astype(np.int8), self._around) > 0
            shares = uniform_filter1d(np.where(near, _SHORTER * shares, shares), self._around)
            each = step.reshape(len(shares), -1) * shares[:, None]
            self._merit.move(at, before.first, before.stop, each.ravel(), 1.0)
            found = self._rises(at, before)
            if found is None:
                return True
            before.put_back(at)
            rises = found
        return False

    def _least(self, costs: Array) -> Array:
        """Gains that are worth a step, of frames that cost so much with their neighbours."""
        return self._gain * self._summed(np.abs(costs)) + _LEAST_GAIN

    def _summed(self, costs: Array) -> Array:
        """Of a frame and its neighbours."""
        return self._around * uniform_filter1d(costs, self._around, mode="constant")
