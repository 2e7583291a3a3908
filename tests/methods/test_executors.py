"""Families and contact sampling in threads and in other processes: the same to the last bit."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Generator, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import psutil
import pytest

from poise.arrays import Array
from poise.character import complete_character
from poise.constraints import FlightHeight, HoldPoint, Interval, MoveStage
from poise.contact import estimate_ground
from poise.environment import Environment
from poise.errors import BadValue, PoiseError
from poise.execution import Executor, JobLost, Limits, Supervised, Threads
from poise.formats import load_clip
from poise.methods import Edit
from poise.methods.correct.contact_optimizer import discover
from poise.methods.correct.mesh import motion_mesh, vertices_of
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.rest_heights import rest_heights_m
from poise.methods.correct.settings import FEET, Settings
from poise.methods.momentum import family as family_module
from poise.methods.momentum.family import Family, Member, build_family
from poise.methods.momentum.plan import captured, wanted
from poise.methods.progress import Progress
from poise.methods.readonly_pickle import Parcel
from poise.motion import resample
from tests.methods.leaping import SETTINGS, jump
from tests.methods.test_correct_optimizer import human, optimizer, some_contacts
from tests.methods.test_momentum_family import AHEAD, few
from tests.shared_data import MOCAP, needs_mocap

HEARD: list[str] = []
"""What worker processes have announced: that they compile, for instance."""


@pytest.fixture(scope="module")
def processes() -> Generator[Supervised, None, None]:
    with Supervised(2, hear=HEARD.append) as executor:
        yield executor


@cache
def alone() -> Family:
    """Three members, one after the other."""
    return build_family(jump(), few(AHEAD), executor=Threads(1))


def assert_same(one: Family, other: Family) -> None:
    assert one.roots_m.tobytes() == other.roots_m.tobytes()
    assert one.rotations_wxyz.tobytes() == other.rotations_wxyz.tobytes()
    assert one.statuses == other.statuses and one.clip.history == other.clip.history


class Kept:
    """A store in memory."""

    def __init__(self, members: Mapping[int, Member] | None = None) -> None:
        self.members = dict(members or {})
        self.saved: list[int] = []

    def load(self, index: int) -> Member | None:
        return self.members.get(index)

    def save(self, index: int, member: Member) -> None:
        assert threading.current_thread() is threading.main_thread()
        self.members[index] = member
        self.saved.append(index)


# Families


@pytest.mark.slow
def test_members_are_the_same_in_threads_and_in_processes(processes: Supervised) -> None:
    for executor in (Threads(2), processes, processes):
        told: list[tuple[int, int]] = []
        family = build_family(
            jump(), few(AHEAD), executor=executor,
            progress=lambda now, told=told: told.append((now.done, now.total)),
        )  # fmt: skip
        assert_same(family, alone())
        assert told == [(1, 3), (2, 3), (3, 3)]
    assert_same(build_family(jump(), few(AHEAD)), alone())


def test_edits_of_all_kinds_travel(processes: Supervised) -> None:
    asked = (
        MoveStage("aside", -1, (0.1, 0.0, 0.0)),
        FlightHeight("higher", 0, 1.2),
        HoldPoint("reach", "right_hand_tip", (0.0, 1.2, 0.4), Interval(20, 20)),
    )
    edit = jump(*asked)
    assert edit.scene.clip is edit.clip  # what was looked up before goes with it
    settings = few(replace(AHEAD, values=(0.0, 0.1)))
    one = build_family(edit, settings, executor=Threads(1))
    assert_same(build_family(edit, settings, executor=processes), one)


def _fails(common: Parcel[Any], asked: Any) -> Member:
    """`_solve`, but for a member far ahead."""
    if any(move.by_m[2] > 0.05 for move in asked.moves.values()):
        raise BadValue("landing", "near", "far")
    return _SOLVE(common, asked)


def _dies(common: Parcel[Any], asked: Any) -> Member:
    os._exit(3)


def _lasts(common: Parcel[Any], asked: Any) -> Member:
    """Over at once, or never."""
    if any(move.by_m[2] > 0.05 for move in asked.moves.values()):
        threading.Event().wait()
    return _SOLVE(common, asked)


_SOLVE = family_module._solve


@pytest.mark.slow
def test_a_member_that_raises_ends_the_build(
    processes: Supervised, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(family_module, "_solve", _fails)
    for executor in (Threads(1), Threads(2), processes):
        store = Kept()
        with pytest.raises(PoiseError, match="landing must be near, got 'far'"):
            build_family(jump(), few(AHEAD), executor=executor, store=store)
        assert store.saved in ([], [0])
    monkeypatch.undo()
    assert_same(build_family(jump(), few(AHEAD), executor=processes), alone())


def test_a_member_whose_process_dies_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family_module, "_solve", _dies)
    with (
        Supervised(1, Limits(attempts=1)) as executor,
        pytest.raises(JobLost, match="ended with code 3"),
    ):
        build_family(jump(), few(AHEAD), executor=executor)


class Enough(Exception):
    pass


def test_a_cancelled_build_begins_no_more_members_and_goes_on_later(
    processes: Supervised, monkeypatch: pytest.MonkeyPatch
) -> None:
    def enough(told: Progress) -> None:
        raise Enough

    monkeypatch.setattr(family_module, "_solve", _lasts)  # the others would never end
    store = Kept()
    with pytest.raises(Enough):
        build_family(jump(), few(AHEAD), executor=processes, store=store, progress=enough)
    assert store.saved == [0]
    there = {child.pid for child in psutil.Process().children()}
    assert there == set(processes.pids) and len(there) == 1
    monkeypatch.undo()
    assert_same(build_family(jump(), few(AHEAD), executor=processes, store=store), alone())
    assert store.saved[0] == 0 and sorted(store.saved) == [0, 1, 2]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cancelled_build_in_threads_waits_only_for_what_has_begun(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []

    def counted(common: Parcel[Any], asked: Any) -> Member:
        begun.append(asked)
        return _SOLVE(common, asked)

    def enough(told: Progress) -> None:
        raise Enough

    monkeypatch.setattr(family_module, "_solve", counted)
    six = few(replace(AHEAD, values=(0.0, 0.02, 0.04, 0.06, 0.08, 0.1)))
    store = Kept()
    with pytest.raises(Enough):
        build_family(jump(), six, executor=Threads(workers), store=store, progress=enough)
    assert len(begun) <= workers and len(store.saved) == 1


def test_members_in_a_store_are_not_solved_again(processes: Supervised) -> None:
    first = Kept()
    build_family(jump(), few(AHEAD), executor=Threads(1), store=first)
    assert first.saved == [0, 1, 2]
    for executor in (Threads(1), Threads(2), processes):
        store = Kept({1: first.members[1]})
        assert_same(build_family(jump(), few(AHEAD), executor=executor, store=store), alone())
        assert sorted(store.saved) == [0, 2]
        full = Kept(store.members)
        assert_same(build_family(jump(), few(AHEAD), executor=executor, store=full), alone())
        assert not full.saved


# Contact sampling


def errors_and_parts(made: MotionOptimizer, contacts: Any, executor: Executor) -> bytes:
    errors, parts = made.solve_many(contacts, 6, executor=executor)
    assert np.isfinite(errors).all()
    return errors.tobytes() + parts.tobytes()


@pytest.mark.slow
def test_samples_have_the_same_errors_in_threads_and_in_processes(processes: Supervised) -> None:
    made = optimizer(40, Settings())
    contacts = np.array([some_contacts(human(), 40, seed) for seed in range(7)])
    one = errors_and_parts(made, contacts, Threads(1))
    for executor in (Threads(2), processes, processes):
        assert errors_and_parts(made, contacts, executor) == one


def test_no_samples_are_no_errors(processes: Supervised) -> None:
    made = optimizer(12, Settings())
    for executor in (None, Threads(1), processes):
        errors, parts = made.solve_many(np.zeros((0, 12, 6), np.bool_), executor=executor)
        assert errors.shape == (0,) and parts.shape == (0, 3)


def test_samples_that_cannot_be_solved_are_infinite_everywhere(processes: Supervised) -> None:
    made = optimizer(12, replace(Settings(), bone_weight=1e30))
    contacts = np.array([some_contacts(human(), 12, seed) for seed in range(2)])
    for executor in (Threads(1), Threads(2), processes):
        errors, parts = made.solve_many(contacts, 2, executor=executor)
        assert (errors == np.inf).all() and (parts == np.inf).all()


def test_a_sample_that_raises_raises() -> None:
    made = optimizer(12, Settings())
    contacts = np.array([some_contacts(human(), 12, seed) for seed in range(4)])

    class Broken:
        worker_count = 1

        def run(self, work: Any, jobs: Any) -> Iterator[Any]:
            yield from Threads(1).run(partial(_raises, work), jobs)

    with pytest.raises(ZeroDivisionError):
        made.solve_many(contacts, 2, executor=Broken())  # type: ignore[arg-type]
    assert np.isfinite(made.solve_many(contacts, 2)[0]).all()


def _raises(work: Any, job: Any) -> Any:
    raise ZeroDivisionError


@needs_mocap
def test_contacts_of_a_real_clip_are_the_same_wherever_they_are_sampled(
    processes: Supervised,
) -> None:
    clip = load_clip(MOCAP / "cmu" / "02_01.bvh")
    clip = resample(clip.sliced(60, 180), 30.0)
    character = complete_character(clip.skeleton)
    place = Environment((estimate_ground(clip, character)[0],))
    settings = Settings(mode="paper", samples=12)
    mesh = motion_mesh(character, FEET)
    rest = rest_heights_m(mesh, clip, character, place)
    made = MotionOptimizer(mesh, vertices_of(mesh, clip), clip.rate_hz, place, settings, rest)
    one = discover(made, executor=Threads(1))
    for executor in (None, Threads(2), processes):
        found = discover(made, executor=executor)
        assert found.errors.tobytes() == one.errors.tobytes() and found.error == one.error
        assert (found.contacts == one.contacts).all() and found.solved == one.solved


# What travels


def arrays_of(what: Any, where: str = "", above: tuple[int, ...] = ()) -> dict[str, Array]:
    """All arrays of a record and of what it holds, by where they are."""
    if isinstance(what, np.ndarray):
        return {where: what}
    if id(what) in above:  # a skeleton that stands is its own standing one
        return {}
    if is_dataclass(what):
        inside = {field.name: getattr(what, field.name) for field in fields(what)} | vars(what)
    elif isinstance(what, Mapping):
        inside = {str(key): value for key, value in what.items()}
    elif isinstance(what, (tuple, list)):
        inside = {str(i): value for i, value in enumerate(what)}
    else:
        return {}
    found: dict[str, Array] = {}
    for name, value in inside.items():
        found |= arrays_of(value, f"{where}.{name}", (*above, id(what)))
    return found


def leaping() -> Any:
    edit = jump(MoveStage("aside", -1, (0.1, 0.0, 0.0)))
    base = captured(edit, SETTINGS)
    return edit, base, SETTINGS, wanted([edit.constraints[0]], base)  # type: ignore[list-item]


def test_a_parcel_arrives_as_it_was_sent() -> None:
    sent = leaping()
    back = pickle.loads(pickle.dumps(Parcel(sent))).content
    before, after = arrays_of(sent), arrays_of(back)
    assert list(before) == list(after) and len(before) > 50
    for name, array in before.items():
        assert after[name].tobytes() == array.tobytes()
        assert after[name].flags.writeable == array.flags.writeable, name
        assert after[name].flags.c_contiguous == array.flags.c_contiguous, name
        assert after[name].dtype == array.dtype and after[name].shape == array.shape, name
    edit, base = back[:2]
    assert isinstance(edit, Edit) and edit.clip is base.clip  # not twice
    roles = edit.character.roles
    with pytest.raises(TypeError):
        roles.joints["hips"] = "Hips"  # type: ignore[index, union-attr]


def test_an_optimizer_arrives_as_it_was_sent() -> None:
    made = optimizer(12, Settings())
    made.solve(some_contacts(human(), 12), 2)
    back = pickle.loads(pickle.dumps(made))
    for name, array in made.problem._asdict().items():
        other = getattr(back.problem, name)
        # Some are groups of arrays.
        pairs = zip(other, array, strict=True) if isinstance(array, tuple) else [(other, array)]
        for there, here in pairs:
            assert np.asarray(there).tobytes() == np.asarray(here).tobytes(), name
            if isinstance(here, np.ndarray):
                assert there.flags.writeable == here.flags.writeable, name
    contacts = some_contacts(human(), 12, 5)[None]
    one, other = made.solve_many(contacts, 4), back.solve_many(contacts, 4)
    assert one[0].tobytes() == other[0].tobytes() and one[1].tobytes() == other[1].tobytes()


def test_processes_need_not_compile_what_this_one_has_compiled(processes: Supervised) -> None:
    """Kernels are cached on disk by the kinds of their arguments, read-only or not."""
    alone()
    build_family(jump(), few(AHEAD), executor=processes)
    made = optimizer(12, Settings())
    contacts = np.array([some_contacts(human(), 12, seed) for seed in range(2)])
    made.solve_many(contacts, 2, executor=Threads(1))
    made.solve_many(contacts, 2, executor=processes)
    assert HEARD == []
