"""Solving while the user drags: always by deform, and only what has changed since the last move."""

from __future__ import annotations

from poise.methods.deform import Settings, run
from poise.methods.edit import Edit
from poise.methods.result import Result
from poise.motion import Clip
from poise.recipes import Prepared, Recipe
from poise.recipes.recipe import Step
from poise.recipes.run import edit_of
from poise.recipes.vocabulary import vocabulary

KINEMATIC = ("hit_at",)
"""Constraints of other methods that deform does not know; they are left to the method itself."""


class Live:
    """The last solve of a drag, to go on from."""

    def __init__(self, prepared: Prepared, start: Clip | None = None) -> None:
        """For a clip on its body; `start` is what earlier steps have made of it."""
        self._prepared = prepared
        self._start = start or prepared.clip
        self._last: Result | None = None

    def solve(self, recipe: Recipe) -> Clip:
        """The motion with the constraints of the last step that has some.

        Raises:
            PoiseError: a constraint that cannot be had.
        """
        words = vocabulary()
        index = next(
            (i for i in reversed(range(len(recipe.steps))) if recipe.steps[i].constraints), 0
        )
        step = recipe.steps[index]
        known = words.constraints
        kept = [
            wish
            for wish in step.constraints
            if not words.takes_stage_edits(step.method) or _has_frames(known[wish.kind])
        ]
        settings = step.settings if step.method == "deform" else Settings()
        as_deform = Step("deform", settings, [w for w in kept if w.kind not in KINEMATIC])
        steps = [*recipe.steps]
        steps[index] = as_deform
        edit: Edit = edit_of(_with_steps(recipe, steps), index, self._prepared, self._start, words)
        self._last = run(edit, settings, previous=self._last)
        return self._last.clip


def _has_frames(record: type) -> bool:
    from poise.constraints.table import STAGE_EDITS

    return record not in STAGE_EDITS.values()


def _with_steps(recipe: Recipe, steps: list[Step]) -> Recipe:
    from dataclasses import replace

    return replace(recipe, steps=steps)
