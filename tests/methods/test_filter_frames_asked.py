"""Laws of motion that are asked for in some frames only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from poise.arrays import Indices
from poise.character import Character
from poise.constraints.scene import FLAT
from poise.contact import ContactSchedule, detect_contacts
from poise.errors import BadValue
from poise.methods import Edit
from poise.methods.filter.demands import demands_on
from poise.methods.filter.dynamic_round import motion_of
from poise.methods.filter.law_rows import BALANCE, FLIGHT, NO_DYNAMICS
from poise.methods.filter.obeying import asked_of
from poise.methods.filter.problem import build
from poise.methods.filter.run import run
from poise.methods.filter.settings import Settings
from poise.motion import Clip
from tests.contact.rigid_clips import human, rigid_clip
from tests.methods.edited import clip_named
from tests.methods.test_filter_dynamic import leaning
from tests.methods.test_filter_law_slopes import weaker

FRAMES = 24


def stiff(*, touching: bool) -> tuple[Clip, Character, ContactSchedule]:
    """A stiff figure that stands or hangs in the air."""
    clip, character = rigid_clip(np.zeros((FRAMES, 3))), human()
    flags = np.full((FRAMES, 2), touching)
    return clip, character, ContactSchedule(("left_foot", "right_foot"), flags, clip.rate_hz)


def asked(*, touching: bool, **chosen: Any) -> Indices:
    """(F,) kinds of a figure pushed sideways, with separate fits."""
    clip, character, contacts = stiff(touching=touching)
    motion = motion_of(clip, None)
    pushed = motion._replace(
        root_accelerations=motion.root_accelerations + np.array([5.0, 0.0, 0.0])
    )
    demands = demands_on(pushed, clip, character, FLAT, contacts, Settings(**chosen))
    return demands.kind


INTERVALS = ((0, 5), (10, 12), (20, 400))


def inside() -> NDArray[np.bool_]:
    return np.array([any(a <= f <= b for a, b in INTERVALS) for f in range(FRAMES)])


def test_balance_is_asked_for_in_its_intervals_only() -> None:
    kind = asked(touching=True, balance=INTERVALS)
    assert 0 < inside().sum() < FRAMES
    assert ((kind == BALANCE) == inside()).all()
    assert (kind[~inside()] == NO_DYNAMICS).all()


def test_flight_is_asked_for_in_its_intervals_only() -> None:
    kind = asked(touching=False, flight=INTERVALS)
    assert ((kind == FLIGHT) == inside()).all()


@pytest.mark.parametrize(
    ("touching", "law", "other"), [(True, "balance", "flight"), (False, "flight", "balance")]
)
def test_physics_asks_for_the_laws_in_their_intervals_only(
    touching: bool, law: str, other: str
) -> None:
    clip, character, contacts = stiff(touching=touching)
    edit = Edit(clip, character, (), contacts=contacts)
    chosen: dict[str, Any] = {law: INTERVALS, other: False, "torque": ((2, 4),)}
    found = asked_of(build(edit, Settings(passes="1D", **chosen)))
    assert (found.laws == inside()).all()
    assert np.flatnonzero(found.strength).tolist() == [2, 3, 4]


def test_strength_is_asked_for_in_its_intervals_only() -> None:
    clip, strong = clip_named("walk@30")
    clip, weak = clip.sliced(0, 45), weaker(strong, 0.2)
    contacts = detect_contacts(clip, weak, FLAT)
    settings = Settings(torque=((3, 20),))
    demands = demands_on(motion_of(clip, 8.0), clip, weak, FLAT, contacts, settings, 8.0)
    rows = np.diff(demands.strain.first)
    assert (rows[3:21] > 0).any()
    assert (rows[:3] == 0).all() and (rows[21:] == 0).all()
    everywhere = demands_on(
        motion_of(clip, 8.0), clip, weak, FLAT, contacts, Settings(torque=True), 8.0
    )
    assert (np.diff(everywhere.strain.first)[21:] > 0).any()


def test_a_clip_that_sways_is_left_alone_far_from_the_frames_of_balance() -> None:
    """A correction spreads over time, but fades."""
    edit = leaning()
    free = Edit(edit.clip, edit.character, (), contacts=edit.contacts)
    result = run(free, Settings(passes="1D", balance=((0, 20),))).clip
    whole = run(free, Settings(passes="1D")).clip
    change, usual = (
        np.abs(clip.rotations_wxyz - edit.clip.rotations_wxyz).max(axis=(1, 2))
        for clip in (result, whole)
    )
    assert change[:21].max() > 1e-3
    assert usual[50:].max() > 1e-2 > 1e-3 > change[50:].max()


@pytest.mark.parametrize("setting", ["balance", "flight", "torque"])
@pytest.mark.parametrize(
    "bad", [((5, 4),), ((-1, 3),), ((1, 2, 3),), ((1,),), ((0, 3), (9, 8)), ((float("nan"), 3),)]
)
def test_intervals_that_are_none_are_refused_by_the_name_of_the_setting(
    setting: str, bad: Any
) -> None:
    with pytest.raises(BadValue, match=f"{setting}.*first and last frame"):
        Settings(**{setting: bad})


@pytest.mark.parametrize("bad", [5, (3, 4), None, ((0.5, 2.5),), (("a", "b"),)])
def test_what_is_no_list_of_intervals_is_refused_and_not_by_an_accident(bad: Any) -> None:
    with pytest.raises(BadValue, match="balance"):
        Settings(balance=bad)
