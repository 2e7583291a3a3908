"""Solving while the user drags: always by deform, and only what has changed since the last move."""

from __future__ import annotations

from dataclasses import replace

from poise.constraints import STAGE_EDITS
from poise.job import Recipe, Step, Subject, edit_of, vocabulary
from poise.methods import Result
from poise.methods.deform import DeformReport, Settings, run
from poise.motion import Clip

_OF_OTHERS = ("hit_at",)
"""Constraints that deform does not know; they are left to the method itself."""


def dragged_step(recipe: Recipe) -> int:
    """The step that a drag is about: the last with constraints."""
    wanting = (index for index, step in enumerate(recipe.steps) if step.constraints)
    return max(wanting, default=0)


def while_dragging(settings: Settings) -> Settings:
    """One round, as near as the eye can see; what is let go is solved as it was asked for.

    Goals out of reach would cost a third of a second a move: the rounds that calm the motion are
    left to the end of the drag, too.
    """
    seen = replace(
        settings.ik,
        tolerance_mm=max(settings.ik.tolerance_mm, 0.3),
        tolerance_deg=max(settings.ik.tolerance_deg, 0.03),
        posture_tolerance_deg=max(settings.ik.posture_tolerance_deg, 1.0),
        settled_deg=max(settings.ik.settled_deg, 0.01),
        iterations=min(settings.ik.iterations, 12),
    )
    return replace(settings, passes=1, ik=seen)


class Live:
    """The last solve of a drag, to go on from."""

    def __init__(self, prepared: Subject, start: Clip) -> None:
        """For a body and its place; `start` is what earlier steps have made of the capture."""
        self._prepared, self._start = prepared, start
        self._last: Result[DeformReport] | None = None

    def is_from(self, prepared: Subject, start: Clip) -> bool:
        """Whether it goes on from these."""
        return self._prepared is prepared and self._start is start

    def solve(self, recipe: Recipe, index: int) -> Clip:
        """The motion with the constraints of a step.

        Raises:
            PoiseError: a constraint that cannot be had.
        """
        words = vocabulary()
        step = recipe.steps[index]
        kept = [
            wish for wish in step.constraints
            if wish.kind not in _OF_OTHERS
            and words.constraints[wish.kind] not in STAGE_EDITS.values()
        ]  # fmt: skip
        settings = while_dragging(step.settings if step.method == "deform" else Settings())
        steps = [*recipe.steps]
        steps[index] = Step("deform", settings, kept)
        asked = replace(recipe, steps=steps)
        edit = edit_of(asked, index, self._prepared, self._start, words)
        self._last = run(edit, settings, previous=self._last)
        return self._last.clip
