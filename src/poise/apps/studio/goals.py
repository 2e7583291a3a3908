"""Where the constraints of a recipe want points of the body to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from poise.apps.studio import views
from poise.apps.studio.to_page import Goal
from poise.apps.studio.views import Told
from poise.arrays import Array
from poise.constraints import Scene, StageEdit, tasks_of
from poise.errors import PoiseError
from poise.job import Clock, Recipe, Subject, constraint_from, vocabulary
from poise.motion import Clip


def goals_of(
    recipe: Recipe,
    stem: Callable[[Recipe, int], tuple[Subject, Clip]],
    met: Mapping[str, tuple[bool, str]],
) -> Told:
    """Goals of points in the world; constraints without one (balance, distance) have no path.

    Args:
        recipe: has them.
        stem: what a step starts from.
        met: whether they are met, by name, and how far off.
    """
    words = vocabulary()
    found: list[tuple[Goal, Array]] = []
    for step_index, step in enumerate(recipe.steps):
        prepared, clip = stem(recipe, step_index)
        clock = Clock(clip.rate_hz, clip.frame_count)
        source = prepared.moved_from if clip is prepared.clip else None
        original = None if source is None else source.original
        scene = Scene(clip, prepared.character, prepared.environment, original)
        for index, wish in enumerate(step.constraints):
            known = met.get(wish.name)
            first, last, path = 0, clip.frame_count - 1, np.zeros((0, 3))
            try:
                made = constraint_from(wish, words, clock)
                if not isinstance(made, StageEdit):
                    first, path = _path(tasks_of(made, scene))
                    last = first + max(len(path), 1) - 1
            except PoiseError:  # it is said when it is solved
                path = np.zeros((0, 3))
            goal = Goal(
                wish.name, wish.kind, step_index, index, first, last, 0,
                None if known is None else known[0], "" if known is None else known[1],
            )  # fmt: skip
            found.append((goal, path))
    return views.goals(found)


def _path(tasks: object) -> tuple[int, Array]:
    for task in tasks:  # type: ignore[attr-defined]
        if task.kind == "point" and task.reference < 0 and np.shape(task.goals)[-1:] == (3,):
            return int(task.first), np.asarray(task.goals, dtype=np.float64)
    return 0, np.zeros((0, 3))
