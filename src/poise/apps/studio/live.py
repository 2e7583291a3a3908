"""Solving while the user drags: always by deform, and only what has changed since the last move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from poise.constraints import tasks_of
from poise.errors import BadValue
from poise.job import (
    Clock,
    Recipe,
    Step,
    Subject,
    constraint_from,
    constraint_from_values,
    edit_of,
    located_constraint,
    vocabulary,
)
from poise.methods import METHODS, Result
from poise.methods.deform import DeformReport, Settings, run
from poise.motion import Clip


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
    """A drag: its recipe compiled once, the constraint that moves, and the last solve."""

    def __init__(self, recipe: Recipe, index: int, prepared: Subject, start: Clip) -> None:
        """A drag of a step that starts from a motion on a body in its place.

        Constraints that deform does not take are left to the method itself.

        Raises:
            PoiseError: a constraint that cannot be had.
        """
        step = recipe.steps[index]
        taken = METHODS["deform"].takes.constraints
        numbers = [n for n, spec in enumerate(step.constraints) if spec.kind in taken]
        self.prepared, self.index = prepared, index
        self.recipe, self._start = recipe, start
        self._at = {number: n for n, number in enumerate(numbers)}
        self._settings = while_dragging(
            step.settings if isinstance(step.settings, Settings) else Settings()
        )
        steps = [*recipe.steps]
        steps[index] = Step("deform", self._settings, [step.constraints[n] for n in numbers])
        asked = replace(recipe, steps=steps)
        self._edit = edit_of(asked, index, prepared, start, vocabulary())
        self._last: Result[DeformReport] | None = None

    def goes_on_from(self, other: Live | None) -> None:
        """Take over what another drag has solved, if it is of the same motion."""
        if other is not None and other.prepared is self.prepared and other._start is self._start:
            self._last = other._last

    def move(self, index: int, constraint: Mapping[str, object]) -> None:
        """Put another constraint in the place of one, as recipes write it.

        Raises:
            PoiseError: one that cannot be had.
        """
        if index not in self._at:
            raise BadValue("index", "that of a constraint which deform takes", index)
        clock = Clock(self._start.rate_hz, self._start.frame_count)
        with located_constraint(self.recipe, self.index, index):
            spec = constraint_from_values(constraint)
            made = constraint_from(spec, vocabulary(), clock)
            tasks_of(made, self._edit.scene)  # says what is wrong with it
        constraints = list(self._edit.constraints)
        constraints[self._at[index]] = made
        self._edit = replace(self._edit, constraints=constraints)

    def solve(self) -> Clip:
        """The motion as it is now.

        Raises:
            PoiseError: a constraint that cannot be had.
        """
        self._last = run(self._edit, self._settings, previous=self._last)
        return self._last.clip
