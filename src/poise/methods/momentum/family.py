"""Motion families (section 4.3): one leap, solved for many places of its stages, and all between.

Members lie on a grid of any dimension (`family_axes`). They are solved side by side, kept as they
are ready, and blended without being solved again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices, frozen_array
from poise.character import UP
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import BadValue
from poise.execution import Executor, Threads
from poise.methods.edit import Edit
from poise.methods.momentum.blending import Weighing, blended, nearest
from poise.methods.momentum.family_axes import FamilyAxis, coordinates
from poise.methods.momentum.initial_guess import Move
from poise.methods.momentum.plan import Captured, Wanted, captured, leap_of, wanted
from poise.methods.momentum.report import status_of, summary_of
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.solve_leap import solve_leap
from poise.methods.momentum.two_leaps import two_leaps
from poise.methods.progress import Progress, ProgressCallback
from poise.methods.readonly_pickle import Parcel
from poise.methods.status import Status, status_words
from poise.motion import Clip

FARTHEST_APART_RAD = float(np.radians(150.0))
"""Neighbours whose bodies are turned further from each other have no sensible mean."""


@dataclass(frozen=True, eq=False)
class Member:
    """One leap of a family."""

    roots_m: Array
    """(F, 3)"""
    rotations_wxyz: Array
    """(F, J, 4)"""
    status: Status
    summary: str


class Store(Protocol):
    """Where members are kept while a family is built, so that it can be gone on with."""

    def load(self, index: int) -> Member | None:
        """A member that was saved before."""
        ...

    def save(self, index: int, member: Member) -> None:
        """Keep a member."""
        ...


@dataclass(frozen=True, eq=False)
class Family:
    """All members, on one skeleton, with as many frames each."""

    axes: tuple[FamilyAxis, ...]
    clip: Clip
    """The member of which the others are variations, with its skeleton and rate."""
    roots_m: Array
    """(M, F, 3) the last axis running fastest."""
    rotations_wxyz: Array
    """(M, F, J, 4)"""
    statuses: tuple[Status, ...]
    contacts: ContactSchedule
    stages: tuple[tuple[str, int, int], ...]
    """Kind, first frame, and the frame after its last."""
    environment: Environment
    stage_places_m: Array
    """(ground stages, 3) where the middle of each is before it is moved."""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = int(np.prod([len(axis.values) for axis in self.axes]))
        frames, joints = self.clip.frame_count, self.clip.skeleton.joint_count
        roots = frozen_array("roots_m", self.roots_m, (count, frames, 3))
        turns = frozen_array("rotations_wxyz", self.rotations_wxyz, (count, frames, joints, 4))
        object.__setattr__(self, "roots_m", roots)
        object.__setattr__(self, "rotations_wxyz", turns)

    @cached_property
    def _values(self) -> list[Array]:
        return [np.array(axis.values) for axis in self.axes]

    @property
    def frame_count(self) -> int:
        """Of every member."""
        return self.clip.frame_count

    @property
    def member_count(self) -> int:
        """How many members there are."""
        return len(self.roots_m)

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest coordinate of every axis."""
        return tuple((axis.values[0], axis.values[-1]) for axis in self.axes)

    def around(
        self, coordinate: Sequence[float], weighing: Weighing = "linear"
    ) -> tuple[Indices, Array]:
        """The nearest 2ⁿ members, and their weights."""
        members, weights = nearest(self._values, coordinate, weighing)
        used = weights > 0.0
        return members[used], weights[used]

    def poses(
        self, coordinate: Sequence[float], weighing: Weighing = "linear"
    ) -> tuple[Array, Array]:
        """(F, 3) roots and (F, J, 4) local rotations at a coordinate."""
        return blended(self.roots_m, self.rotations_wxyz, *self.around(coordinate, weighing))

    def at(self, coordinate: Sequence[float], weighing: Weighing = "linear") -> Clip:
        """The motion at a coordinate, blended from the members around it.

        Raises:
            BadShape: not one number for every axis.
            BadValue: a coordinate outside the family.
        """
        roots, turns = self.poses(coordinate, weighing)
        where = ", ".join(
            f"{axis.name} {value:g}" for axis, value in zip(self.axes, coordinate, strict=True)
        )
        made = replace(self.clip, root_positions_m=roots, rotations_wxyz=turns)
        return made.noted(f"blended from a family at {where}")


def build_family(
    edit: Edit,
    settings: Settings | None = None,
    *,
    store: Store | None = None,
    executor: Executor | None = None,
    progress: ProgressCallback | None = None,
) -> Family:
    """Solve all members.

    Args:
        edit: the leap, with edits that all members have.
        settings: the knobs; `family` says how members differ, or `two_leaps_m`.
        store: members found there are not solved again; solved ones are put there.
        executor: solves them, several at a time; by default in threads, one a core.
        progress: told how many members are done, of how many.

    Raises:
        BadValue: as `run` does; an axis about a stage that there is not.
    """
    settings, axes = settings or Settings(), ()
    if settings.two_leaps_m is not None:
        edit, axes = two_leaps(edit, settings.two_leaps_m, settings)
    axes = (*axes, *settings.family)
    if not axes:
        raise BadValue("family", "at least one axis (settings.family)", axes)
    base = captured(edit, settings)
    asked = wanted(edit.constraints, base)
    places = np.array([_middle_m(base, i) for i in base.ground])
    every = list(coordinates(axes))
    wants = [_varied(asked, axes, each, base) for each in every]
    leap = leap_of(base, asked)
    members = dict[int, Member]()
    for i in range(len(every)):
        if store is not None and (kept := store.load(i)) is not None:
            members[i] = kept
    missing = [i for i in range(len(every)) if i not in members]
    # Kernels let go of the interpreter's lock: threads share everything and copy nothing.
    executor = executor or Threads()
    solve = partial(_solve, Parcel((edit, base, settings)))
    with closing(executor.run(solve, (wants[i] for i in missing))) as ended_ones:
        for ended in ended_ones:
            index, member = missing[ended.index], ended.result()
            members[index] = member
            if store is not None:
                store.save(index, member)
            if progress is not None:
                progress(Progress("members", len(members), len(every)))
    found = [members[i] for i in sorted(members)]
    family = Family(
        axes,
        replace(leap.original, history=(*edit.clip.history, f"family of {len(found)} leaps")),
        np.stack([member.roots_m for member in found]),
        np.stack([member.rotations_wxyz for member in found]),
        tuple(member.status for member in found),
        leap.contacts,
        tuple((stage.kind, stage.first, stage.stop) for stage in leap.stages),
        edit.environment,
        places,
        tuple(base.notes),
    )
    _check_neighbours(family)
    return family


def _solve(common: Parcel[tuple[Edit, Captured, Settings]], asked: Wanted) -> Member:
    edit, base, settings = common.content
    solution = solve_leap(leap_of(base, asked), edit.constraints, settings)
    motion, status = solution.solved.motion, status_of(solution)
    return Member(motion.roots, motion.locals, status, summary_of(status, solution))


def _middle_m(base: Captured, index: int) -> Array:
    stage = base.stages[index]
    return base.clip.root_positions_m[stage.first : stage.stop].mean(axis=0)


def _varied(
    asked: Wanted, axes: Sequence[FamilyAxis], coordinate: Sequence[float], base: Captured
) -> Wanted:
    """What is asked of one member."""
    moves: dict[int, Move] = dict(asked.moves)
    ground = base.ground
    for axis, value in zip(axes, coordinate, strict=True):
        index = _ground(axis.name, "stage", axis.stage, ground)
        move = moves.get(index, Move())
        by, turn = value * np.array(axis.by_m), value * float(np.radians(axis.turn_deg))
        if axis.around_stage is not None:
            center = _middle_m(base, _ground(axis.name, "around_stage", axis.around_stage, ground))
            arm = _middle_m(base, index) + move.by_m - center
            by = by + rotations.rotate(rotations.from_axis_angle(UP, turn), arm) - arm
        moves[index] = Move(move.by_m + by, move.turn_rad + turn)
    return replace(asked, moves=moves)


def _ground(name: str, what: str, number: int, ground: Sequence[int]) -> int:
    if not -len(ground) <= number < len(ground):
        allowed = f"0 to {len(ground) - 1}: the clip has {len(ground)} ground stages"
        raise BadValue(f"{what} of '{name}'", allowed, number)
    return ground[number]


def _check_neighbours(family: Family) -> None:
    """Raise where members that are blended face too far away from each other."""
    shape = tuple(len(axis.values) for axis in family.axes)
    turns = family.rotations_wxyz[:, :, 0].reshape(*shape, family.frame_count, 4)
    for n, axis in enumerate(family.axes):
        one = np.take(turns, range(shape[n] - 1), axis=n)
        other = np.take(turns, range(1, shape[n]), axis=n)
        if not one.size:
            continue
        apart = float(rotations.angle_between(one, other).max())
        if apart > FARTHEST_APART_RAD:
            allowed = "closer: neighbours that face away from each other have no mean"
            raise BadValue(f"values of '{axis.name}'", allowed, f"{np.degrees(apart):.0f} degrees")


def statuses_in_words(statuses: Sequence[Status]) -> str:
    """How many ended how."""
    counts = Counter(statuses).items()
    return ", ".join(f"{count} {status_words(each)}" for each, count in counts)
