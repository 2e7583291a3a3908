"""Families of leaps: members on a grid, anything between them, kept while they are built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import rotations
from poise.constraints import FlightHeight, MoveStage
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.execution import Threads
from poise.job import MemberFolder
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.methods import Edit
from poise.methods.momentum import Settings, run
from poise.methods.momentum.family import Member, build_family, statuses_in_words
from poise.methods.momentum.family_axes import FamilyAxis, coordinates, grid
from poise.methods.momentum.two_leaps import with_still_feet
from poise.methods.progress import Progress
from poise.samples import sample_character
from tests.methods.leaping import (
    FLAT,
    GROUND,
    LANDING,
    SETTINGS,
    circle,
    jump,
    landing_circle,
    landing_grid,
    line,
    off_prints_m,
)

FRAMES = np.arange(48.0)
QUICK = replace(SETTINGS, iterations=1)
AHEAD = line("ahead", -1, (0.0, 0.0, 1.0), (0.0, 0.1, 0.2))


def few(*axes: FamilyAxis) -> Settings:
    """Members that are not solved to the end: what is asked is not whether they are right."""
    return replace(QUICK, family=axes)


# Axes


def test_a_stage_goes_along_a_line_over_a_grid_or_around_a_circle() -> None:
    assert AHEAD == FamilyAxis("ahead", -1, (0.0, 0.1, 0.2), by_m=(0.0, 0.0, 1.0))
    x, z = grid("landing", 1, (0.0, 1.0), (2.0, 3.0, 4.0))
    assert (x.name, x.by_m, x.values) == ("landing x", (1.0, 0.0, 0.0), (0.0, 1.0))
    assert (z.name, z.by_m, z.values) == ("landing z", (0.0, 0.0, 1.0), (2.0, 3.0, 4.0))
    assert x.stage == z.stage == 1 and x.turn_deg == z.turn_deg == 0.0
    around = circle("around", -1, 0, (-30, 30))
    assert around == FamilyAxis("around", -1, (-30.0, 30.0), turn_deg=1.0, around_stage=0)
    assert list(coordinates((x, z))) == [
        (0.0, 2.0), (0.0, 3.0), (0.0, 4.0), (1.0, 2.0), (1.0, 3.0), (1.0, 4.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: line("a", 0, (1, 0, 0), ()), "values of 'a' must be at least one, rising"),
        (lambda: line("a", 0, (1, 0, 0), (1.0, 0.0)), "values of 'a' must be at least one, rising"),
        (lambda: line("a", 0, (1, 0, 0), (1.0, 1.0)), "values of 'a' must be at least one, rising"),
        (lambda: line("a", 0, (1, 0, 0), (0.0, np.nan)), "values of 'a' must be a finite number"),
        (lambda: line("a", 0, (1, 0), (0.0,)), "by_m of 'a' must be 3 numbers"),
        (lambda: line("", 0, (1, 0, 0), (0.0,)), "name of 'an axis' must be a name"),
        (lambda: line("a", 0.5, (1, 0, 0), (0.0,)), "stage of 'a' must be a whole number"),
        (lambda: circle("a", 0, 1.5, (0.0,)), "around_stage of 'a' must be a whole number"),
        (lambda: FamilyAxis("a", 0, (0.0,), turn_deg=np.inf), "turn_deg of 'a' must be a finite"),
        (lambda: Settings(family=(AHEAD, AHEAD)), "family must be axes with different names"),
        (lambda: FamilyAxis("a", 0, 3.0), "values of 'a' must be numbers, rising"),
    ],
)  # fmt: skip
def test_bad_axes_are_refused_by_name(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(BadValue) as problem:
        make()
    assert said in str(problem.value)


# Members


def test_members_land_where_their_coordinates_say() -> None:
    family = landing_grid()
    assert family.statuses == ("converged",) * 4 == ("converged",) * family.member_count
    assert family.frame_count == 48 and family.bounds == ((0.0, 0.3), (0.0, 0.3))
    assert family.stages == (("ground", 0, 17), ("flight", 17, 29), ("ground", 29, 48))
    assert family.contacts.frame_count == 48 and not family.notes
    assert family.clip.history[-1] == "family of 4 leaps"
    np.testing.assert_allclose(
        family.stage_places_m[1], jump().clip.root_positions_m[slice(*LANDING)].mean(axis=0)
    )
    for x, z in coordinates(family.axes):
        assert off_prints_m(family.at((x, z)), FRAMES, (x, 0.0, z), 0.0) < 1e-3


def test_a_member_is_what_the_edit_alone_gives() -> None:
    alone = run(jump(MoveStage("there", -1, (0.3, 0.0, 0.3))), SETTINGS).clip
    family = landing_grid()
    np.testing.assert_array_equal(family.roots_m[-1], alone.root_positions_m)
    apart = rotations.angle_between(family.rotations_wxyz[-1], alone.rotations_wxyz)
    assert apart.max() < 1e-7


def test_members_on_a_circle_are_turned_about_the_take_off() -> None:
    family = landing_circle()
    for degrees in family.axes[0].values:
        clip = family.at((degrees,))
        assert off_prints_m(clip, FRAMES, np.zeros(3), degrees, about=GROUND) < 1e-3


@pytest.mark.parametrize("weighing", ["linear", "smooth"])
def test_a_blend_at_a_member_is_the_member(weighing: Any) -> None:
    family = landing_grid()
    for m, corner in enumerate(coordinates(family.axes)):
        members, weights = family.around(corner, weighing)
        assert members[weights.argmax()] == m and weights.max() == pytest.approx(1.0)
        clip = family.at(corner, weighing)
        np.testing.assert_allclose(clip.root_positions_m, family.roots_m[m], atol=1e-12)
        assert rotations.angle_between(clip.rotations_wxyz, family.rotations_wxyz[m]).max() < 1e-7


def test_a_blend_between_members_is_between_them() -> None:
    family = landing_grid()
    random = np.random.default_rng(1)
    for _ in range(5):
        x, z = random.uniform(0.0, 0.3, 2)
        clip = family.at((x, z))
        low, high = family.roots_m.min(axis=0), family.roots_m.max(axis=0)
        assert (clip.root_positions_m >= low - 1e-12).all()
        assert (clip.root_positions_m <= high + 1e-12).all()
        # Feet have glided by less than a centimetre.
        assert off_prints_m(clip, FRAMES, (x, 0.0, z), 0.0) < 0.01
        assert clip.rate_hz == family.clip.rate_hz
        assert clip.history[-1] == f"blended from a family at landing x {x:g}, landing z {z:g}"


def test_places_outside_a_family_are_refused() -> None:
    family = landing_grid()
    for outside in ((0.31, 0.0), (0.0, -0.01), (np.nan, 0.0)):
        with pytest.raises(BadValue, match=r"coordinate [01] of the family must be from 0 to 0\.3"):
            family.at(outside)
    for many in ((), (0.1,), (0.1, 0.1, 0.1)):
        with pytest.raises(BadShape, match="coordinate"):
            family.at(many)


def test_edits_that_all_have_are_kept_and_axes_come_on_top() -> None:
    both = (MoveStage("aside", -1, (0.1, 0.0, 0.0)), FlightHeight("higher", 0, 1.3))
    family = build_family(
        jump(*both), replace(SETTINGS, family=(line("on", -1, (1, 0, 0), (0, 0.2)),))
    )
    assert family.frame_count > 48
    times = run(jump(*both), SETTINGS).report.frame_times
    for on in (0.0, 0.2):
        assert off_prints_m(family.at((on,)), times, (0.1 + on, 0.0, 0.0), 0.0) < 1e-3


def test_how_many_are_solved_at_a_time_does_not_matter() -> None:
    settings, told = few(AHEAD), list[Progress]()
    one = build_family(jump(), settings, executor=Threads(1), progress=told.append)
    two = build_family(jump(), settings, executor=Threads(2))
    np.testing.assert_array_equal(one.roots_m, two.roots_m)
    np.testing.assert_array_equal(one.rotations_wxyz, two.rotations_wxyz)
    assert [(now.done, now.total) for now in told] == [(1, 3), (2, 3), (3, 3)]
    assert one.statuses == ("out_of_iterations",) * 3
    assert statuses_in_words(one.statuses) == "3 not fully solved"
    assert statuses_in_words(("converged", "stalled", "converged")) == "2 converged, 1 stalled"


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ((), "family must be at least one axis"),
        ((line("gone", 2, (1, 0, 0), (0.0,)),), "stage of 'gone' must be 0 to 1"),
        ((line("gone", -3, (1, 0, 0), (0.0,)),), "stage of 'gone' must be 0 to 1"),
        ((circle("lost", -1, 7, (0.0,)),), "around_stage of 'lost' must be 0 to 1"),
        ((FamilyAxis("spin", -1, (0.0, 170.0), turn_deg=1.0),), "values of 'spin' must be closer"),
        ((AHEAD, circle("spin", -1, 0, (0.0, 170.0))), "values of 'spin' must be closer"),
    ],
)  # fmt: skip
def test_families_that_cannot_be_are_refused(axes: tuple[FamilyAxis, ...], said: str) -> None:
    with pytest.raises(BadValue) as problem:
        build_family(jump(), few(*axes))
    assert said in str(problem.value)


# Going on


class Interrupted(Exception):
    pass


class Unplugged:
    """A store whose machine is switched off after some members."""

    def __init__(self, folder: MemberFolder, after: int) -> None:
        self.folder, self.left = folder, after

    def load(self, index: int) -> Member | None:
        return self.folder.load(index)

    def save(self, index: int, member: Member) -> None:
        if self.left == 0:
            raise Interrupted
        self.left -= 1
        self.folder.save(index, member)


class Counting(Unplugged):
    """One that counts what is put there."""

    def __init__(self, folder: MemberFolder) -> None:
        super().__init__(folder, 99)
        self.saved: list[int] = []

    def save(self, index: int, member: Member) -> None:
        self.saved.append(index)
        super().save(index, member)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_build_goes_on_with_what_is_missing(workers: int, tmp_path: Path) -> None:
    edit, settings = jump(), few(AHEAD, line("aside", -1, (1, 0, 0), (0.0, 0.1)))
    whole = build_family(edit, settings)
    path = tmp_path / "family.npz"
    folder = MemberFolder(path, edit, settings)
    assert not folder.started_over
    with pytest.raises(Interrupted):
        build_family(edit, settings, store=Unplugged(folder, 2), executor=Threads(workers))
    there = [i for i in range(6) if folder.load(i) is not None]
    assert len(there) == 2

    again = MemberFolder(path, edit, settings)
    store, told = Counting(again), list[int]()
    family = build_family(edit, settings, store=store, progress=lambda now: told.append(now.done))
    assert not again.started_over and sorted([*there, *store.saved]) == list(range(6))
    assert told == [3, 4, 5, 6]
    np.testing.assert_array_equal(family.roots_m, whole.roots_m)
    np.testing.assert_array_equal(family.rotations_wxyz, whole.rotations_wxyz)
    assert family.statuses == whole.statuses
    again.remove()
    assert not again.folder.exists()


def test_members_of_another_family_are_thrown_away(tmp_path: Path) -> None:
    edit, settings = jump(), few(AHEAD)
    member = Member(
        np.array(edit.clip.root_positions_m), np.array(edit.clip.rotations_wxyz), "stalled", "So."
    )
    assert edit.contacts is not None and edit.character.body is not None
    touching = edit.contacts.touching.copy()
    touching[16] = False
    heavier = replace(edit.character.body, masses_kg=2.0 * edit.character.body.masses_kg)
    others: list[tuple[Edit, Settings]] = [
        (edit, replace(settings, place=2.0)),
        (edit, few(replace(AHEAD, values=(0.0, 0.1, 0.3)))),
        (jump(MoveStage("moved", 0, (0.1, 0.0, 0.0))), settings),
        (replace(edit, clip=edit.clip.sliced(0, 47)), settings),
        (replace(edit, clip=replace(edit.clip, rate_hz=31.0)), settings),
        (replace(edit, environment=Environment.flat(0.1)), settings),
        (replace(edit, character=replace(edit.character, body=heavier)), settings),
        (replace(edit, contacts=replace(edit.contacts, touching=touching)), settings),
        (replace(edit, contacts=None), settings),
    ]
    path = tmp_path / "family.npz"
    for other in others:
        first = MemberFolder(path, edit, settings)
        first.save(1, member)
        same = MemberFolder(path, edit, settings)
        kept = same.load(1)
        assert not same.started_over and kept is not None and same.load(0) is None
        assert (kept.status, kept.summary) == ("stalled", "So.")
        np.testing.assert_array_equal(kept.roots_m, member.roots_m)
        np.testing.assert_array_equal(kept.rotations_wxyz, member.rotations_wxyz)
        new = MemberFolder(path, *other)
        assert new.started_over and new.load(1) is None


def test_a_damaged_member_is_solved_again(tmp_path: Path) -> None:
    edit, settings = jump(), few(AHEAD)
    folder = MemberFolder(tmp_path / "family.npz", edit, settings)
    store = Counting(folder)
    build_family(edit, settings, store=store)
    files = sorted(folder.folder.glob("*.npz"))
    assert len(files) == 3
    files[0].write_bytes(files[0].read_bytes()[:1000])
    files[1].write_bytes(b"")
    store = Counting(folder)
    build_family(edit, settings, store=store)
    assert sorted(store.saved) == [0, 1]


# Gliding feet


@pytest.mark.parametrize("degrees", [-20.0, 20.0])
def test_feet_that_glide_between_members_are_put_back(degrees: float) -> None:
    family, character = landing_circle(), sample_character()
    blend = family.at((degrees,))
    still = with_still_feet(blend, character, FLAT, family.contacts)
    before, after = (evaluate(clip, character, FLAT, family.contacts) for clip in (blend, still))
    assert before.value("foot_slide.mean") > 1.0
    assert after.value("foot_slide.mean") < 0.7 * before.value("foot_slide.mean")
    assert after.value("penetration.deepest") <= before.value("penetration.deepest")
    # Legs, and nothing else.
    skeleton = blend.skeleton
    legs = {
        j for j in range(skeleton.joint_count)
        for hip in ("LeftUpLeg", "RightUpLeg")
        if skeleton.index(hip) in (j, *skeleton.ancestors(j))
    }  # fmt: skip
    others = sorted(set(range(skeleton.joint_count)) - legs)
    np.testing.assert_array_equal(still.root_positions_m, blend.root_positions_m)
    np.testing.assert_array_equal(still.rotations_wxyz[:, others], blend.rotations_wxyz[:, others])
    assert np.abs(still.rotations_wxyz - blend.rotations_wxyz).max() > 1e-4
    # In the air nothing is to be put anywhere, and on the ground little.
    moved = forward_kinematics(skeleton, *still.pose).positions_m
    moved = moved - forward_kinematics(skeleton, *blend.pose).positions_m
    assert np.linalg.norm(moved, axis=-1).max() < 0.03


def test_feet_without_roles_or_contacts() -> None:
    family, character = landing_circle(), sample_character()
    blend = family.at((20.0,))
    with pytest.raises(BadValue, match="roles"):
        with_still_feet(blend, replace(character, roles=None), FLAT, family.contacts)
    nothing = replace(family.contacts, touching=np.zeros((48, 2), dtype=np.bool_))
    assert with_still_feet(blend, character, FLAT, nothing) is blend
