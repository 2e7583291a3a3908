"""The motion optimizer: a motion that keeps to given contacts and else to the reference.

Lee & Lee 2018, sections 3.1 and 3.2. One optimizer serves all contact sequences of a clip: what
does not depend on contacts is assembled once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, frozen_array
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.execution import Executor, Threads
from poise.methods.correct.alternation import Room, advance, begin, room
from poise.methods.correct.band import REACH, assemble
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.planes import is_one_plane, planes_at
from poise.methods.correct.problem import (
    KINDS,
    Contacts,
    Problem,
    by_frame,
    packed,
)
from poise.methods.correct.settings import Settings
from poise.methods.readonly_pickle import Parcel

_SURFACE_EVERY = 5
"""Rounds after which a curved place is asked again."""


@dataclass(frozen=True, eq=False)
class Optimized:
    """A motion made to fit a contact sequence."""

    vertices_m: Array
    """(T, V, 3)"""
    error: float
    """Eq. 20: how much of the reference and of balance the contacts cost."""
    parts: Array
    """(3,) the error's parts: trajectory, pose, balance."""
    cost: Array
    """(rounds,) all potentials weighed and summed, after each round (Fig. 15), m²."""
    status: str
    """What there is to say about it."""


class MotionOptimizer:
    """Optimizes one clip's vertices under any contact sequence."""

    def __init__(
        self,
        mesh: Mesh,
        reference_m: ArrayLike,
        rate_hz: float,
        environment: Environment,
        settings: Settings,
        rest_heights_m: ArrayLike,
    ) -> None:
        """Assemble what all contact sequences share.

        `reference_m` (T, V, 3) are the vertices in the motion to be corrected; `rest_heights_m`
        (B,) is how high each candidate's vertex is over the surface when it touches.
        """
        width = mesh.vertex_count
        self.reference_m = frozen_array("reference_m", reference_m, ("T", width, 3))
        if len(self.reference_m) == 0:
            raise BadShape("reference_m", f"(at least 1, {width}, 3)", self.reference_m.shape)
        if not (np.isfinite(rate_hz) and rate_hz > 0.0):
            raise BadValue("rate_hz", "a positive number", rate_hz)
        parts = len(mesh.candidates)
        heights = frozen_array("rest_heights_m", rest_heights_m, (parts,))
        if len(set(mesh.contact_vertex.tolist())) != parts:
            raise BadValue("candidates", "at different places", mesh.candidates)
        self.mesh, self.rate_hz, self.environment = mesh, rate_hz, environment
        self.settings = settings
        self.problem: Problem = packed(mesh, self.reference_m, rate_hz, settings, heights)
        self._planes = planes_at(environment, self.reference_m, mesh.contact_vertex, rate_hz)
        self._plain = is_one_plane(environment)
        self._base = np.empty((self.reference_m.shape[0] * width, REACH * width))
        assemble(self.problem, self._base)
        self._rooms: deque[Room] = deque()

    def __reduce__(self) -> tuple[Callable[[_Given], MotionOptimizer], tuple[_Given]]:
        given = (
            self.mesh, self.reference_m, self.rate_hz, self.environment, self.settings,
            self.problem.rest_heights,
        )  # fmt: skip
        return _made_of, (Parcel(given),)

    @property
    def frame_count(self) -> int:
        """T."""
        return len(self.reference_m)

    def solve(self, contacts: ArrayLike, iterations: int | None = None) -> Optimized:
        """The motion under one contact sequence.

        Called again with contacts that differ from some frame on, it makes only what follows that
        frame of the matrix's factor anew.

        Args:
            contacts: (T, B) which candidates touch.
            iterations: rounds; by default the settings'.
        """
        checked = self._checked(contacts, (self.frame_count,))
        rounds = _rounds(iterations, self.settings.iterations)
        cost = np.zeros(rounds)
        with self._some_room() as work:
            score, good = self._evaluate(work, checked, rounds, cost)
            found = by_frame(work.x, self.mesh.vertex_count)
            unsolved = int(np.count_nonzero(~work.wrenches.done))
        status = "solved" if good else "the equations could not be solved with these weights"
        if good and unsolved:
            status = f"solved; reaction forces of {unsolved} frames are only near their best"
        return Optimized(found, float(score[0]), score[1:].copy(), cost, status)

    def solve_many(
        self,
        contacts: ArrayLike,
        iterations: int | None = None,
        *,
        executor: Executor | None = None,
    ) -> tuple[Array, Array]:
        """How good the motion gets under each of many contact sequences.

        Args:
            contacts: (S, T, B)
            iterations: rounds for each; by default the settings' for samples.
            executor: tries them, several at a time; by default in threads, one a core. The numbers
                are the same with any.

        Returns:
            (S,) the errors of Eq. 20, infinite where the equations could not be solved; and (S, 3)
            their parts as in `Optimized`.
        """
        checked = self._checked(contacts, ("S", self.frame_count))
        rounds = _rounds(iterations, self.settings.sampling_iterations)
        scores = np.empty((len(checked), 4))
        # One alone is not worth a thread.
        executor = executor or (Threads() if len(checked) > 1 else Threads(1))
        with closing(executor.run(partial(self._score, rounds), checked)) as ended_ones:
            for ended in ended_ones:
                scores[ended.index] = ended.result()
        return scores[:, 0].copy(), scores[:, 1:].copy()

    def _score(self, rounds: int, contacts: Contacts) -> Array:
        """(4,) the error under one contact sequence and its parts."""
        with self._some_room() as work:
            score, good = self._evaluate(work, contacts, rounds)
        return score if good else np.full(4, np.inf)

    def _evaluate(
        self,
        work: Room,
        contacts: Contacts,
        rounds: int,
        cost: Array | None = None,
    ) -> tuple[Array, bool]:
        """(4,) the error and its parts, and whether there is a solution; fills in the cost."""
        score, planes, record = np.zeros(4), self._planes, cost is not None
        cost = np.zeros(0) if cost is None else cost
        potentials = np.zeros((len(cost), len(KINDS)))
        good = begin(self.problem, self._base, contacts, work, not record)
        step = rounds if self._plain else _SURFACE_EVERY
        for first in range(0, rounds, step):
            if first > 0:
                now = by_frame(work.x, self.mesh.vertex_count)
                vertices = self.mesh.contact_vertex
                planes = planes_at(self.environment, now, vertices, self.rate_hz, parallel=record)
            last = min(first + step, rounds)
            good = good and advance(
                self.problem, planes, contacts, work, first, last, record, potentials, cost, score
            )
        return score, good

    @contextmanager
    def _some_room(self) -> Generator[Room, None, None]:
        """Work space for one thread: what was used last and is free, or new."""
        try:
            work = self._rooms.pop()
        except IndexError:
            work = room(self.problem)
        try:
            yield work
        finally:
            self._rooms.append(work)

    def _checked(self, contacts: ArrayLike, shape: tuple[int | str, ...]) -> Contacts:
        given = frozen_array("contacts", contacts, (*shape, len(self.mesh.candidates)))
        if not np.isin(given, (0, 1)).all():
            raise BadValue("contacts", "0 (free) or 1 (touches)", np.unique(given))
        return given.astype(np.bool_)


def _rounds(asked: int | None, usual: int) -> int:
    rounds = usual if asked is None else asked
    if not (rounds >= 1 and rounds == int(rounds)):
        raise BadValue("iterations", "a whole number from 1", rounds)
    return int(rounds)


_Given = Parcel[tuple[Mesh, Array, float, Environment, Settings, Array]]


def _made_of(given: _Given) -> MotionOptimizer:
    return MotionOptimizer(*given.content)
