"""Moves of a drag, answered as they come: the motion at once, its physics when there is time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from poise.apps.studio import to_page as say
from poise.apps.studio import views
from poise.apps.studio.from_page import BeginDrag, Drag
from poise.apps.studio.history import steps_of
from poise.apps.studio.live import Live
from poise.apps.studio.measuring import observed
from poise.apps.studio.solver import Solver
from poise.apps.studio.solving import problem_lines
from poise.apps.studio.wire import Told, told
from poise.errors import BadValue, PoiseError
from poise.job import Recipe, Subject
from poise.motion import Clip

_PAUSE_S = 0.05
"""A hand that rests so long has time to see forces."""

_SHARE = 5.0
"""While it does not rest, physics take at most this part of the time, and not more often than..."""

_EVERY_S = 0.25


@dataclass
class Turn:
    """A place in the queue for whatever move is the last when it comes to it."""

    begin: BeginDrag | None
    """The drag begins here."""
    move: Drag | None = None

    @property
    def number(self) -> int:
        """Of what it answers."""
        last = self.move or self.begin
        return 0 if last is None else last.number


class Drags:
    """The moves of one document."""

    def __init__(
        self,
        solver: Solver,
        tell: Callable[[Told], None],
        tell_figure: Callable[[Recipe, Subject], None],
    ) -> None:
        self._solver, self._tell, self._tell_figure = solver, tell, tell_figure
        self._lock = threading.Lock()
        self._turn: Turn | None = None
        self._sent: Clip | None = None
        """What pages have of the motion: of the next only what differs is sent."""
        self._on: Subject | None = None
        self._owed: tuple[Subject, Clip] | None = None
        """Whose physics pages have not seen."""
        self._seen_at, self._cost_s = 0.0, 0.0
        self._live: Live | None = None
        self._begun: Mapping[str, object] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether a move is to be solved."""
        return self._turn is not None

    @property
    def idle_s(self) -> float | None:
        """How long to wait for something else to do before physics are told; None: for ever."""
        return None if self._owed is None else _PAUSE_S

    def turn_for(self, asked: BeginDrag | Drag) -> Turn | None:
        """A turn for a move; None where one waits already, whose move it takes."""
        with self._lock:
            waiting, self._turn = self._turn, self._turn or Turn(None)
            if isinstance(asked, Drag):
                self._turn.move = asked
            else:
                self._turn.begin, self._turn.move = asked, None
            return self._turn if waiting is None else None

    def end_turn(self) -> None:
        """Something else was asked for: later moves come after it."""
        with self._lock:
            self._turn = None

    def start_anew(self) -> None:
        """The drag is over, or a page has come that does not know of it."""
        self._sent = self._owed = self._on = None

    def solve(self, turn: Turn) -> None:
        """Answer the last move of a turn."""
        with self._lock:
            if self._turn is turn:
                self._turn = None
        try:
            live = self._moved(turn)
            clip = live.solve()
        except PoiseError as problem:
            lines = problem_lines(problem, self._solver.folder)
            self._tell(told(say.Problem(lines, "drag")))
            return
        if live.prepared is not self._on:
            self._tell_figure(live.recipe, live.prepared)
            self._on = live.prepared
        self._tell(views.motion(clip, "live", number=turn.number, last=self._sent))
        self._sent, self._owed = clip, (live.prepared, clip)
        if time.perf_counter() - self._seen_at > max(_EVERY_S, _SHARE * self._cost_s):
            self.tell_physics()

    def _moved(self, turn: Turn) -> Live:
        """The drag as it is after a turn."""
        if turn.begin is not None:
            self._begun = turn.begin.recipe
            self._live = self._solver.begin_drag(self._solver.read(self._begun))
        move, live = turn.move, self._live
        if move is None or live is None:
            if live is None:
                raise BadValue("drag", "begun first, with a recipe", "a move")
            return live
        if move.step == live.index:
            live.move(move.index, move.constraint)
        else:  # what the dragged step starts from is another
            changed = with_constraint(self._begun, move.step, move.index, move.constraint)
            self._live = live = self._solver.begin_drag(self._solver.read(changed))
        return live

    def tell_physics(self) -> None:
        """Balance and forces of the motion that was sent last."""
        if self._owed is None:
            return
        (prepared, clip), self._owed = self._owed, None
        began = time.perf_counter()
        try:
            series = observed(clip, prepared.character, prepared.environment)
            self._tell(views.physics(series, "live"))
        except PoiseError:
            pass  # it is said when the drag has ended
        self._seen_at = time.perf_counter()
        self._cost_s = self._seen_at - began


def with_constraint(
    recipe: Mapping[str, object], step: int, index: int, constraint: Mapping[str, object]
) -> dict[str, object]:
    """A recipe in plain values with another constraint in the place of one.

    Raises:
        BadValue: there is none in that place.
    """
    try:
        steps = list(steps_of(recipe))
        ((method, content),) = steps[step].items()
        constraints = list(cast("Sequence[object]", (content or {})["constraints"]))
        constraints[index] = constraint
    except (LookupError, TypeError, ValueError, AttributeError):
        raise BadValue("drag", "of a constraint of the recipe", (step, index)) from None
    steps[step] = {method: {**(content or {}), "constraints": constraints}}
    return {**recipe, "steps": steps}
