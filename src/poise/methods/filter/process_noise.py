"""How far each coordinate may deviate from the input: the process noise of Eq. 12.

The paper leaves its ratios to the animator. In kinematic rounds a coordinate deviates the less the
more inertia it carries: a foot that is off by millimetres is then mended by its leg and not by
moving the whole body, which would undo the balance that dynamic rounds have found. In dynamic
rounds all are equal: a body in flight is wrong as a whole, and has to move as one.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.ik import BALL, TRANSLATION, Blocks
from poise.mechanics import carried_inertias_kg_m2

_LEAST_SHARE = 0.02
"""Of the body's inertia: hands and feet would otherwise take everything upon themselves."""


def inertia_deviations(character: Character, blocks: Blocks, width: int) -> Array:
    """(W,) relative deviations, 1 for the coordinate that moves most readily."""
    body = character.body
    assert body is not None
    carried = carried_inertias_kg_m2(character.skeleton, body)
    least = _LEAST_SHARE * float(carried.max())
    deviations = np.ones(width)
    for b in range(len(blocks.kind)):
        kind, column = int(blocks.kind[b]), int(blocks.column[b])
        size = 3 if kind <= BALL else 1
        inertia = body.total_mass_kg if kind == TRANSLATION else carried[blocks.joint[b]]
        deviations[column : column + size] = 1.0 / np.sqrt(max(float(inertia), least))
    return deviations / deviations.max(initial=1e-300)
