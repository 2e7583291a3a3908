"""Where the constraints of a recipe want points of the body to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from poise.apps.studio import to_page as say
from poise.apps.studio import views
from poise.apps.studio.to_page import Goal, Stage
from poise.apps.studio.wire import Told, told
from poise.arrays import Array
from poise.constraints import Scene, StageEdit, Task, tasks_of
from poise.contact import Series, intervals
from poise.errors import PoiseError
from poise.job import Clock, Recipe, Subject, constraint_from, vocabulary
from poise.methods.pattern import Pattern
from poise.motion import Clip


def stages_of(series: Series) -> tuple[Stage, ...]:
    """Ground and flight in turn, as what touches shows them; none where nothing flies."""
    flying = np.asarray(series.flight, dtype=np.bool_)
    if not flying.any():
        return ()
    found: list[Stage] = []
    roots, lows = series.clip.root_positions_m, series.points_m[..., 1].min(axis=1)
    spans = [(*each, "flight") for each in intervals(flying)]
    spans += [(*each, "ground") for each in intervals(~flying)]
    for first, stop, kind in sorted(spans):
        span = slice(first, stop)
        if kind == "ground":
            middle = roots[span].mean(axis=0)
            place = (float(middle[0]), float(lows[span].min()), float(middle[2]))
        else:
            top = series.com_m[span][int(np.argmax(series.com_m[span, 1]))]
            place = (float(top[0]), float(top[1]), float(top[2]))
        found.append(Stage(kind, first, stop - 1, place))
    return tuple(found)


def scatter_of(pattern: Pattern, now: Array | None) -> Told:
    """Examples as points; with `now` the coefficients of the edited motion, how near each is."""
    places = np.zeros((len(pattern.examples), 2))
    shown = min(2, pattern.coefficients.shape[1])
    places[:, :shown] = pattern.coefficients[:, :shown]
    goal = np.full(2, np.nan)
    weights = np.full(len(places), 1.0 / max(1, len(places)))
    if now is not None:
        goal[: min(2, len(now))] = now[:2]
        spread = np.sqrt(pattern.variances[: len(now)])
        apart = np.linalg.norm((pattern.coefficients[:, : len(now)] - now) / spread, axis=1)
        near = np.exp(-0.5 * (apart - apart.min()) ** 2)
        weights = near / near.sum()
    message = say.Scatter(
        names=tuple(example.name for example in pattern.examples),
        shares=tuple((pattern.variances / pattern.variances.sum())[:2].tolist()),
        weights=tuple(weights.tolist()),
    )
    return told(message, places=places, goal=goal)


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


def _path(tasks: Iterable[Task]) -> tuple[int, Array]:
    for task in tasks:
        if task.kind == "point" and task.reference < 0 and np.shape(task.goals)[-1:] == (3,):
            return int(task.first), np.asarray(task.goals, dtype=np.float64)
    return 0, np.zeros((0, 3))
