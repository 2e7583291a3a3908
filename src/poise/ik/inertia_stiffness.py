"""How stiff unknowns are: what carries more inertia is displaced less."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.errors import BadValue
from poise.ik.packed import BALL, TRANSLATION
from poise.ik.problem import IkProblem
from poise.mechanics import carried_inertias_kg_m2

_LEAST_SHARE = 0.1
"""Of the body's inertia: hands and feet would otherwise take everything upon themselves."""


def inertia_stiffness(problem: IkProblem) -> Array:
    """(W,) what displacing each unknown costs: the inertia it carries, 1 for the stiffest."""
    character, blocks = problem.scene.character, problem.blocks
    body = character.body
    if body is None:
        raise BadValue("character", "one with a body (see complete_character)", "no masses")
    carried = carried_inertias_kg_m2(character.skeleton, body)
    least = _LEAST_SHARE * float(carried.max())
    stiffness = np.ones(problem.width)
    for b in range(len(blocks.kind)):
        kind, column = int(blocks.kind[b]), int(blocks.column[b])
        size = 3 if kind <= BALL else 1
        inertia = body.total_mass_kg if kind == TRANSLATION else carried[blocks.joint[b]]
        stiffness[column : column + size] = max(float(inertia), least)
    return stiffness / stiffness.max(initial=1e-300)
