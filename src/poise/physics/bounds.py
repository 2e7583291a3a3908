"""Bounds of a solve: points outside of surfaces, limbs out of each other, torques within strength.

All are squared hinges, which give way where much pulls at them: where a bound is still broken when
multipliers are updated, its weight grows. How long what is known lives:

| what | until |
|---|---|
| planes next to points (`outside`) | the next stage |
| growth of weights | the end of the solve; the next one begins with a quarter of it |
| severity of torques | the end of the solve; the next one goes on with it |
| bounds that are foreseen | the end of a step |
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.constraints import Scene
from poise.mechanics import BodyState
from poise.physics.clearance_rows import Flesh, Outside, outside_of
from poise.physics.equations import Weights
from poise.physics.self_clearance_rows import Apart
from poise.physics.settings import MET_DEPTH_M, MET_TORQUE, PhysicsSettings
from poise.physics.torque_rows import Strength

_HEAVIER, HEAVIEST = 4.0, 256.0
"""Bounds that are still broken weigh so many times more, at most so many times what they do to
begin with."""
_FORGOTTEN = 4.0
"""Another solve begins with that much less of it."""
_TORQUE_STEP = 0.05
"""Shares of the strength that count as much as being off a bound by once more what it may be."""
MOST_SEVERE = 4.0
"""Torques count no more than this many times what they are."""


class Grown(NamedTuple):
    """What a solve has learnt about its bounds."""

    clearance: Array
    """(F,) how much heavier they have become, and"""
    torque: Array
    """(F,)"""
    severity: Array
    """(F, J) how much more torques count."""


class Bounds:
    """The bounds of a clip."""

    def __init__(
        self, scene: Scene, settings: PhysicsSettings, flesh: Flesh, apart: Apart,
        strength: Strength,
    ) -> None:  # fmt: skip
        frames = scene.clip.frame_count
        self._scene, self._flesh, self._strength = scene, flesh, strength
        self.apart = apart
        self.outside: Outside
        torque = settings.torque * (strength.asked != 0)
        self._least = Weights(np.full(frames, settings.clearance), torque)
        self._growth = np.ones(frames), np.ones(frames)
        self.weights = Weights(self._least.clearance.copy(), torque.copy())

    def begin(self, state: BodyState) -> None:
        """Freeze the surfaces next to points of a motion."""
        self.outside = outside_of(
            state, self._scene.character, self._scene.environment, self._flesh
        )
        self._strength.beyond[:] = 0
        self._strength.worst[:] = 0.0

    def left(self) -> Array:
        """(F,) how far bounds are broken at the motion last evaluated: one where they just hold."""
        deep, strained = self._depths_m() / MET_DEPTH_M, self._strength.worst
        found = np.where(self.weights.clearance > 0.0, deep, 0.0)
        beyond = 1.0 + (strained - MET_TORQUE) / _TORQUE_STEP
        return np.maximum(found, np.where(self.weights.torque > 0.0, beyond, 0.0))

    def weigh(self, where: NDArray[np.bool_]) -> None:
        """Weigh more, in these frames, what is still broken at the motion last evaluated."""
        broken = self._depths_m() > MET_DEPTH_M, self._strength.worst > MET_TORQUE
        for growth, over in zip(self._growth, broken, strict=True):
            grows = where & over
            growth[grows] = np.minimum(growth[grows] * _HEAVIER, HEAVIEST)
        self._set_weights()

    def worsen(self, severity: Array) -> NDArray[np.bool_]:
        """Count torques more by factors (F, J); (F,) where that makes a difference."""
        before = self._strength.severity.copy()
        np.minimum(before * severity, MOST_SEVERE, out=self._strength.severity)
        return np.asarray((self._strength.severity > 1.001 * before).any(axis=1))

    def grown(self) -> Grown:
        """What is to be kept of now."""
        clearance, torque = (growth.copy() for growth in self._growth)
        return Grown(clearance, torque, self._strength.severity.copy())

    def put_back(self, kept: Grown) -> None:
        """Return to what was kept in the same solve."""
        self._go_on_with(kept, 1.0)

    def restore(self, kept: Grown) -> None:
        """Go on with what another solve has learnt."""
        self._go_on_with(kept, _FORGOTTEN)

    def _go_on_with(self, kept: Grown, forgotten: float) -> None:
        for growth, was in zip(self._growth, (kept.clearance, kept.torque), strict=True):
            growth[:] = np.maximum(was / forgotten, 1.0)
        self._strength.severity[:] = kept.severity
        self._set_weights()

    def _set_weights(self) -> None:
        for weight, least, growth in zip(self.weights, self._least, self._growth, strict=True):
            weight[:] = least * growth

    def _depths_m(self) -> Array:
        return np.maximum(self.outside.deepest, self.apart.deepest)

    def met(self, part: slice) -> tuple[Indices, ...]:
        """Which bounds had rows at the last evaluation of some frames."""
        return tuple(met[part].copy() for met, _ in self._rows)

    def foresee(self, part: slice, known: tuple[Indices, ...]) -> bool:
        """Give rows to bounds that the motion last evaluated runs into; whether there are any."""
        found = False
        for (met, foreseen), before in zip(self._rows, known, strict=True):
            new = (met[part] != 0) & (before == 0) & (foreseen[part] == 0)
            foreseen[part][new] = met[part][new]
            found |= bool(new.any())
        return found

    def forget(self) -> None:
        """Bounds that were foreseen are no longer."""
        for _, foreseen in self._rows:
            foreseen[:] = 0

    @property
    def _rows(self) -> tuple[tuple[Indices, Indices], ...]:
        """Where bounds of each kind are met, and where that is foreseen."""
        outside, apart, strength = self.outside, self.apart, self._strength
        return (
            (outside.inside, outside.foreseen),
            (apart.inside, apart.foreseen),
            (strength.beyond, strength.foreseen),
        )
