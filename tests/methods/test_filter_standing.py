"""Knees, elbows and seats that touch stay where they are in dynamic rounds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import contact_points
from poise.constraints import HoldPoint, Interval, tasks_of
from poise.contact import ContactSchedule
from poise.contact.seat import shown_place
from poise.mechanics import forward_kinematics, site_positions
from poise.methods import Edit
from poise.methods.filter.run import run
from poise.methods.filter.settings import Settings
from poise.methods.filter.standing import standing_tasks
from poise.motion import Clip, resample
from poise.samples import sample_character
from tests.contact.rigid_clips import human
from tests.contact.sitting import sitting_clip
from tests.methods.edited import feet, sampled


def schedule(frames: int, rate_hz: float, **touching: tuple[int, int]) -> ContactSchedule:
    """Parts, and the first and last frame in which each touches."""
    table = np.zeros((frames, len(touching)), dtype=bool)
    for column, (first, last) in enumerate(touching.values()):
        table[first : last + 1, column] = True
    return ContactSchedule(tuple(touching), table, rate_hz)


def walk_edit(**touching: tuple[int, int]) -> tuple[Edit, ContactSchedule]:
    clip, character = sampled("walk", 30.0)
    contacts = schedule(clip.frame_count, 30.0, **touching)
    return Edit(clip, character, (), contacts=contacts), contacts


@pytest.mark.parametrize("part", ["left_knee", "right_elbow", "pelvis", "chest", "head"])
def test_the_lowest_point_of_a_part_that_touches_stays(part: str) -> None:
    edit, contacts = walk_edit(**{part: (10, 25)})
    (task,) = standing_tasks(edit, contacts, [])
    sites = contact_points(edit.character)[part]
    places = site_positions(edit.scene.state, sites)[10:26]
    lowest = int(places[..., 1].mean(axis=0).argmin())
    assert (task.kind, task.first, task.last, task.tied) == ("point", 10, 25, False)
    assert task.joint == sites.joints[lowest] and task.name.startswith(part)
    np.testing.assert_array_equal(task.goals, places[:, lowest])


def test_every_time_that_a_part_touches_is_a_task_of_its_own() -> None:
    edit, contacts = walk_edit(left_knee=(5, 12))
    table = contacts.touching.copy()
    table[20:31] = True
    found = standing_tasks(edit, replace(contacts, touching=table), [])
    assert [(task.first, task.last) for task in found] == [(5, 12), (20, 30)]
    assert len({task.name for task in found}) == 2


def test_parts_that_a_task_is_about_are_left_to_it() -> None:
    edit, contacts = walk_edit(left_knee=(5, 12), right_elbow=(8, 20), right_knee=(3, 9))
    hold = HoldPoint("foot", "left_ankle", (0.0, 0.05, 0.0), Interval(0, 30), "offset")
    found = standing_tasks(edit, contacts, list(tasks_of(hold, edit.scene)))
    assert {task.name.split()[0] for task in found} == {
        "left_knee", "right_elbow", "right_knee",
    }  # fmt: skip


def test_parts_that_do_not_touch_ask_for_nothing() -> None:
    edit, contacts = walk_edit(left_knee=(5, 12))
    never = replace(contacts, touching=np.zeros_like(contacts.touching))
    assert standing_tasks(edit, never, []) == []


# In a round.


@cache
def sitter() -> tuple[Edit, slice]:
    """Someone who sits and sways, whose feet and seat touch; frames of sitting still."""
    clip = resample(sitting_clip(sitting_s=1.5), 30.0)
    character = human()
    place, _ = shown_place(clip, character)
    rate, spine = clip.rate_hz, character.skeleton.index("Spine")
    times = np.arange(clip.frame_count) / rate
    seated = slice(int(2.1 * rate), int(3.4 * rate))
    sway = np.where((times > 2.0) & (times < 3.5), np.sin(np.pi * (times - 2.0) / 1.5) ** 2, 0.0)
    turns = clip.rotations_wxyz.copy()
    lean = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.5 * sway)
    turns[:, spine] = rotations.multiply(turns[:, spine], lean)
    clip = replace(clip, rotations_wxyz=turns)
    last = clip.frame_count - 1
    contacts = schedule(
        clip.frame_count, rate, left_foot=(0, last), right_foot=(0, last),
        pelvis=(seated.start, seated.stop - 1),
    )  # fmt: skip
    return Edit(clip, character, (), environment=place, contacts=contacts), seated


def moved_m(edit: Edit, clip: Clip, part: str, frames: slice) -> Array:
    """(n,) how far the lowest point of a part is from where the original has it."""
    sites = contact_points(edit.character)[part]
    before = site_positions(edit.scene.state, sites)[frames]
    state = forward_kinematics(clip.skeleton, *clip.pose)
    after = site_positions(state, sites)[frames]
    lowest = int(before[..., 1].mean(axis=0).argmin())
    return np.linalg.norm(after - before, axis=-1)[:, lowest]


def test_a_seat_stays_in_a_dynamic_round() -> None:
    edit, seated = sitter()
    kept = run(edit, Settings(passes="1K+1D+1K")).clip
    free = run(edit, Settings(passes="1K+1D+1K", keep_contacts=False)).clip
    assert moved_m(edit, free, "pelvis", seated).max() > 0.05
    assert moved_m(edit, kept, "pelvis", seated).max() < 1e-3


def test_a_seat_stays_though_the_feet_are_planted() -> None:
    edit, seated = sitter()
    edit = replace(edit, constraints=tuple(feet(edit.clip)))
    kept = run(edit, Settings(passes="1K+1D+1K")).clip
    assert moved_m(edit, kept, "pelvis", seated).max() < 0.01


def test_a_knee_that_touches_stays_in_a_dynamic_round() -> None:
    """Of a figure that leans: it stands on a foot and, as is said, on the other knee."""
    clip, character = sampled("squat", 30.0, 2.0)
    frames = clip.frame_count
    contacts = schedule(frames, 30.0, left_foot=(0, frames - 1), right_knee=(10, frames - 11))
    spine = sample_character().skeleton.index("Spine")
    turns = clip.rotations_wxyz.copy()
    share = np.sin(np.pi * np.linspace(0.0, 1.0, frames)) ** 2
    lean = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.3 * share)
    turns[:, spine] = rotations.multiply(turns[:, spine], lean)
    edit = Edit(replace(clip, rotations_wxyz=turns), character, (), contacts=contacts)
    touches = slice(10, frames - 10)
    kept = run(edit, Settings(passes="1K+1D+1K")).clip
    free = run(edit, Settings(passes="1K+1D+1K", keep_contacts=False)).clip
    assert moved_m(edit, free, "right_knee", touches).max() > 0.01
    assert moved_m(edit, kept, "right_knee", touches).max() < 1e-3
