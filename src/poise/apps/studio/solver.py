"""What comes of a document's recipes: kept, so that undo is at once and drags go on from it."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from poise.apps.studio.history import key_of
from poise.apps.studio.live import Live, dragged_step
from poise.apps.studio.solving import Solution, is_quick, read, solution_of
from poise.character import Character
from poise.errors import PoiseError
from poise.motion import Clip
from poise.recipes import Prepared, Recipe, prepare, run_prepared
from poise.recipes.pattern_file import load_pattern
from poise.recipes.recipe import RETARGET
from poise.recipes.run import edit_of
from poise.recipes.vocabulary import vocabulary

MOST_KEPT = 24
"""Solutions in memory."""

_KEEP_FRAMES = ("deform", "filter", "correct")
"""Methods after which constraints of the next step can be judged before they have run."""

Stem = tuple[Prepared, Clip]
"""What a step starts from: body and place, and the motion that the steps before it have made."""

T = TypeVar("T")


class Solver:
    """Prepares and solves, in the thread of its document."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prepared: Prepared | None = None
        """Of the last recipe."""
        self._prepared_key = ""
        self._solutions: OrderedDict[str, Solution] = OrderedDict()
        self._stems: OrderedDict[str, Stem] = OrderedDict()
        self._live: Live | None = None

    def read(self, recipe: Mapping[str, Any]) -> Recipe:
        """A recipe from plain values.

        Raises:
            RecipeProblem: all that is wrong with it.
        """
        return read(recipe, self.folder)

    def prepare(self, recipe: Recipe) -> Prepared:
        """Clip, body and place; made anew only when the recipe says other things about them."""
        plain = _plain(recipe)
        parts = {key: plain.get(key) for key in ("clip", "character", "environment")}
        key = key_of({**parts, "retargets": recipe.retargets})
        if self.prepared is None or self._prepared_key != key:
            self.prepared, self._prepared_key = prepare(recipe), key
        return self.prepared

    def found(self, key: str) -> Solution | None:
        """What is known already."""
        return self._solutions.get(key)

    def solve(self, recipe: Recipe) -> Solution:
        """Solve a quick recipe here and now.

        Raises:
            PoiseError: what cannot be had on this clip.
        """
        key = key_of(_plain(recipe))
        known = self._solutions.get(key)
        if known is None:
            known = solution_of(run_prepared(recipe, self.prepare(recipe)))
            self.keep(recipe, known)
        return known

    def check(self, recipe: Recipe) -> None:
        """Nothing, if the methods can be asked for this on this clip.

        Raises:
            PoiseError: constraints, contacts or patterns that cannot be had.
        """
        words, prepared = vocabulary(), self.prepare(recipe)
        for index, step in enumerate(recipe.steps):
            if step.method == RETARGET:
                return
            if step.pattern is not None or not words.takes_pattern(step.method):
                edit_of(recipe, index, prepared, prepared.clip, words)
            if step.method not in _KEEP_FRAMES:
                return

    def keep(self, recipe: Recipe, solution: Solution) -> None:
        """What a recipe has come to."""
        plain = _plain(recipe)
        _put(self._solutions, key_of(plain), solution)
        for index, clip in enumerate(solution.clips[:-1]):
            _put(self._stems, _stem_key(plain, index + 1), (solution.prepared, clip))

    def stem(self, recipe: Recipe, index: int) -> Stem:
        """What a step starts from; the capture, where slow steps before it have not run yet."""
        prepared = self.prepare(recipe)
        if index == 0:
            return prepared, prepared.clip
        key = _stem_key(_plain(recipe), index)
        if key not in self._stems:
            before = replace(recipe, steps=recipe.steps[:index])
            if not is_quick(before):
                return prepared, prepared.clip
            done = run_prepared(before, prepared)
            _put(self._stems, key, (done.prepared, done.clip))
        return self._stems[key]

    def with_tools(self, recipe: Recipe, character: Character) -> Character:
        """A body with the clubs and rackets that the patterns of a recipe know of."""
        for step in recipe.steps:
            if step.pattern is not None:
                with contextlib.suppress(PoiseError):  # it is said when it is checked or run
                    pattern = load_pattern(self.folder / step.pattern)
                    character = pattern.with_tools(character)
        return character

    def drag(self, recipe: Recipe) -> tuple[Prepared, Clip]:
        """The motion in the middle of a drag, on its body and in its place.

        Raises:
            PoiseError: a constraint that cannot be had.
        """
        index = dragged_step(recipe)
        prepared, start = self.stem(recipe, index)
        if self._live is None or not self._live.is_from(prepared, start):
            self._live = Live(prepared, start)
        return prepared, self._live.solve(recipe, index)


def _plain(recipe: Recipe) -> Mapping[str, Any]:
    assert recipe.written is not None  # those of the studio are made from values
    return recipe.written.plain()


def _stem_key(plain: Mapping[str, Any], index: int) -> str:
    return key_of({**plain, "steps": plain["steps"][:index]})


def _put(kept: OrderedDict[str, T], key: str, value: T) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > MOST_KEPT:
        kept.popitem(last=False)
