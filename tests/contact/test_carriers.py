"""Parts that must touch: found by what the motion asks of the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import Character, complete_character
from poise.contact import ContactSchedule, detect_contacts, shown_place, with_carriers
from poise.environment import Environment
from poise.formats import load_clip
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from tests.shared_data import MOCAP, needs_mocap


def capture(name: str) -> tuple[Clip, Character, Environment, ContactSchedule]:
    clip, _ = clean(load_clip(MOCAP / "cmu" / f"{name}.bvh"))
    clip = resample(clip, 30.0)
    character = complete_character(clip.skeleton)
    place = shown_place(clip, character)[0]
    return clip, character, place, detect_contacts(clip, character, place)


def without(contacts: ContactSchedule, part: str) -> ContactSchedule:
    touching = np.array(contacts.touching)
    touching[:, contacts.parts.index(part)] = False
    return replace(contacts, touching=touching)


@needs_mocap
def test_a_walk_needs_nothing_but_feet() -> None:
    clip, character, place, contacts = capture("02_01")
    assert with_carriers(contacts, clip, character, place) is contacts


@needs_mocap
def test_the_hand_of_a_cartwheel_that_nobody_saw_is_found() -> None:
    clip, character, place, contacts = capture("49_06")
    known = contacts.column("left_hand")
    found = with_carriers(without(contacts, "left_hand"), clip, character, place)
    assert known.sum() > 10
    assert found.column("left_hand")[known].mean() > 0.6


@needs_mocap
def test_what_touches_stays_and_feet_are_not_looked_for() -> None:
    clip, character, place, contacts = capture("140_01")
    found = with_carriers(contacts, clip, character, place)
    assert (found.touching | ~contacts.touching).all()
    for part in ("left_foot", "right_foot"):
        assert np.array_equal(found.column(part), contacts.column(part))
    # Who gets up does so on the hands: the capture has them some centimetres in the air.
    rising = slice(63, 77)
    assert not contacts.column("right_hand")[rising].any()
    assert found.column("left_hand")[rising].all() and found.column("right_hand")[rising].all()


@needs_mocap
def test_few_frames_are_left_as_they_are() -> None:
    clip, character, place, contacts = capture("140_01")
    for frames in (1, 2, 3):
        short = contacts.sliced(40, 40 + frames)
        found = with_carriers(short, clip.sliced(40, 40 + frames), character, place)
        assert found.touching.shape == short.touching.shape
