"""What comes of a document's recipes: kept, so that undo is at once and drags go on from it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from poise.apps.studio.families import from_file
from poise.apps.studio.history import Kept, key_of, steps_of
from poise.apps.studio.live import Live, dragged_step
from poise.apps.studio.results import load_result
from poise.apps.studio.solving import (
    Solution,
    family_solution,
    is_quick,
    read,
    solution_of,
    solved_on_top,
)
from poise.character import Character
from poise.errors import PoiseError
from poise.job import (
    RETARGET,
    Recipe,
    Subject,
    edit_of,
    load_pattern,
    named_files,
    run_prepared,
    subject,
    vocabulary,
)
from poise.methods import METHODS
from poise.motion import Clip

MOST_BYTES = 128_000_000
"""Of what is kept in memory of each kind."""

Stem = tuple[Subject, Clip]
"""What a step starts from: body and place, and the motion that the steps before it have made."""


class Solver:
    """Prepares and solves, in the thread of its document."""

    def __init__(self, folder: Path, results: Path) -> None:
        """For recipes of a folder; what runs have made goes to `results`."""
        self.folder = folder
        self._results = results
        self._prepared: Kept[Subject] = Kept(MOST_BYTES, lambda each: _bytes(each.clip))
        self._quick: Kept[Solution] = Kept(MOST_BYTES, _bytes_of_all)
        self._slow: Kept[Solution] = Kept(MOST_BYTES, _bytes_of_all)
        """Apart, so that many quick edits do not push out what took long."""
        self._stems: Kept[Stem] = Kept(MOST_BYTES, lambda each: _bytes(each[1]))
        self._live: Live | None = None

    def read(self, recipe: Mapping[str, object]) -> Recipe:
        """A recipe from plain values.

        Raises:
            RecipeProblem: all that is wrong with it.
        """
        return read(recipe, self.folder)

    def key(self, plain: Mapping[str, object]) -> str:
        """What results depend on: the recipe, and what the files hold that it names."""
        stamps: list[tuple[str, int, int]] = []
        for _, name in named_files(plain):
            with contextlib.suppress(OSError, ValueError):
                status = (self.folder / name).stat()
                stamps.append((name, status.st_mtime_ns, status.st_size))
        return key_of({**plain, "files": stamps})

    def prepare(self, recipe: Recipe) -> Subject:
        """Clip, body and place; made anew only when the recipe says other things about them."""
        plain = _plain(recipe)
        parts = {key: plain.get(key) for key in ("clip", "character", "environment")}
        key = self.key({**parts, "retargets": recipe.retargets})
        known = self._prepared.get(key)
        if known is None:
            known = subject(recipe)
            self._prepared.put(key, known)
        return known

    def found(self, plain: Mapping[str, object]) -> Solution | None:
        """What is known already, in memory."""
        return self._known(self.key(plain))

    def _known(self, key: str) -> Solution | None:
        return self._quick.get(key) or self._slow.get(key)

    def solve_or_recall(self, recipe: Recipe) -> None:
        """Have what is to be had at once."""
        if self.is_quick(recipe):
            self.solve(recipe)
        else:
            self.recall(recipe)

    def recall(self, recipe: Recipe) -> Solution | None:
        """What is known already, in memory or on disk."""
        key = self.key(_plain(recipe))
        known = self._known(key)
        if known is None and not is_quick(recipe):
            prepared, family = self.prepare(recipe), from_file(recipe)
            if family is not None:
                known = family_solution(family, prepared)
            else:
                known = load_result(self._results, key, recipe, prepared)
            if known is not None:
                self.keep(recipe, known, key)
        return known

    def is_quick(self, recipe: Recipe) -> bool:
        """Whether it is solved in a blink: deform alone, or on top of what is known already."""
        return is_quick(recipe) or self._base(recipe) is not None

    def solve(self, recipe: Recipe) -> Solution:
        """Solve a quick recipe here and now.

        Raises:
            PoiseError: what cannot be had on this clip.
        """
        key = self.key(_plain(recipe))
        known = self._known(key)
        if known is None:
            base = None if is_quick(recipe) else self._base(recipe)
            if base is not None:
                known = solved_on_top(recipe, base)
            else:
                known = solution_of(run_prepared(recipe, self.prepare(recipe)))
            self._keep_as(self._quick, recipe, known, key)
        return known

    def _base(self, recipe: Recipe) -> Solution | None:
        """What is known of all steps but the deforms at the end, if there are such."""
        methods = [step.method for step in recipe.steps]
        count = len(methods)
        while count and METHODS[methods[count - 1]].is_quick:
            count -= 1
        if not 0 < count < len(methods):
            return None
        plain = _plain(recipe)
        key = self._stem_key(plain, count)
        known = self._slow.get(key)
        if known is None:
            before = replace(recipe, steps=recipe.steps[:count])
            known = load_result(self._results, key, before, self.prepare(recipe))
            if known is not None:
                self._slow.put(key, known)
        return known

    def check(self, recipe: Recipe) -> None:
        """Raise for constraints, contacts and patterns that cannot be had on this clip."""
        words, prepared = vocabulary(), self.prepare(recipe)
        for index, step in enumerate(recipe.steps):
            if step.method == RETARGET:
                return
            if step.pattern is not None or not words.takes(step.method).pattern:
                edit_of(recipe, index, prepared, prepared.clip, words)
            if not METHODS[step.method].keeps_frames:
                return

    def keep(self, recipe: Recipe, solution: Solution, key: str) -> None:
        """What a recipe has come to; its key is that of when it was begun."""
        self._keep_as(self._quick if is_quick(recipe) else self._slow, recipe, solution, key)

    def _keep_as(self, kept: Kept[Solution], recipe: Recipe, solution: Solution, key: str) -> None:
        plain = _plain(recipe)
        kept.put(key, replace(solution, earlier=None))
        for index, clip in enumerate(solution.clips[:-1]):
            self._stems.put(self._stem_key(plain, index + 1), (solution.prepared, clip))
        earlier = solution.earlier
        while earlier is not None and earlier.family is None:
            before = self._stem_key(plain, len(earlier.clips))
            if self._slow.get(before) is None:
                self._slow.put(before, replace(earlier, earlier=None))
            earlier = earlier.earlier

    def stem(self, recipe: Recipe, index: int) -> Stem:
        """What a step starts from; the capture, where slow steps before it have not run yet."""
        prepared = self.prepare(recipe)
        if index == 0:
            return prepared, prepared.clip
        key = self._stem_key(_plain(recipe), index)
        known = self._stems.get(key)
        if known is None:
            before = replace(recipe, steps=recipe.steps[:index])
            if not is_quick(before):
                return prepared, prepared.clip
            done = run_prepared(before, prepared)
            known = done.prepared, done.clip
            self._stems.put(key, known)
        return known

    def with_tools(self, recipe: Recipe, character: Character) -> Character:
        """A body with the clubs and rackets that the patterns of a recipe know of."""
        for step in recipe.steps:
            if step.pattern is not None:
                with contextlib.suppress(PoiseError):  # it is said when it is checked or run
                    pattern = load_pattern(self.folder / step.pattern)
                    character = pattern.with_tools(character)
        return character

    def begin_drag(self, recipe: Recipe) -> Live:
        """A drag, as it begins: the recipe is compiled once, moves change one constraint of it.

        Raises:
            PoiseError: a constraint that cannot be had.
        """
        index = dragged_step(recipe)
        live = Live(recipe, index, *self.stem(recipe, index))
        live.goes_on_from(self._live)
        self._live = live
        return live

    def _stem_key(self, plain: Mapping[str, object], index: int) -> str:
        return self.key({**plain, "steps": steps_of(plain)[:index]})


def _plain(recipe: Recipe) -> Mapping[str, object]:
    assert recipe.written is not None  # those of the studio are made from values
    return recipe.written.plain()


def _bytes(clip: Clip) -> int:
    return clip.rotations_wxyz.nbytes + clip.root_positions_m.nbytes


def _bytes_of_all(solution: Solution) -> int:
    members = 0 if solution.family is None else solution.family.member_count
    return sum(map(_bytes, (*solution.clips, solution.start))) * (1 + members)
