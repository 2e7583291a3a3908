"""A club of known place in the hand, found again from swings that were made with it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character.attachments import Attachment, with_attachments
from poise.errors import BadValue, UnknownName
from poise.methods.pattern.club_fit import CLUB_M, FittedClub, fit_club
from poise.methods.pattern.events import find_events
from poise.methods.pattern.usual_events import swing_events
from poise.motion import Clip
from tests.methods.swings import HIT, RATE_HZ, character, moved, state_of, swing, varied

GRIPS = ((0.0, 0.0, 0.0), (0.02, 0.06, -0.05), (-0.06, 0.03, 0.08), (0.05, -0.08, 0.03),
         (-0.03, -0.05, -0.06))  # fmt: skip
"""Small turns of the hand, radians, that make one swing another."""


def turned_hands(clip: Clip, turn_rad: Array) -> Clip:
    """The left hand held otherwise, all the time."""
    hand = clip.skeleton.index("LeftHand")
    turns = np.array(clip.rotations_wxyz)
    turns[:, hand] = rotations.multiply(turns[:, hand], rotations.exp(turn_rad))
    return replace(clip, rotations_wxyz=turns)


def hands(clip: Clip) -> tuple[Array, Array, Array]:
    """(F, 3) left hand, (F, 4) its turn, (F, 3) the middle between both."""
    state, skeleton = state_of(clip), clip.skeleton
    left, right = (skeleton.index(f"{side}Hand") for side in ("Left", "Right"))
    places = state.positions_m
    return places[:, left], state.rotations_wxyz[:, left], places[:, [left, right]].mean(axis=1)


@cache
def true_club() -> Array:
    """(3,) in the left hand: a head CLUB_M from the middle of the hands, low ahead at the hit."""
    place, turn, middle = (each[HIT] for each in hands(swing()))
    way = np.array([0.0, -0.75, 0.66])
    return rotations.rotate(
        rotations.conjugate(turn), middle + CLUB_M * way / np.linalg.norm(way) - place
    )


def head_heights(clip: Clip, club: Array) -> Array:
    place, turn, _ = hands(clip)
    return (place + rotations.rotate(turn, club))[:, 1]


@cache
def clubbed() -> tuple[tuple[Clip, ...], tuple[float, ...]]:
    """Swings whose club passes the ground at its lowest point near the hit, and their grounds."""
    clips = [turned_hands(swing(), np.array(turn)) for turn in GRIPS]
    around = slice(HIT - 8, HIT + 9)
    grounds = [float(head_heights(clip, true_club())[around].min()) for clip in clips]
    return tuple(clips), tuple(grounds)


@cache
def fitted() -> FittedClub:
    return fit_club(clubbed()[0], character(), clubbed()[1])


def test_the_head_passes_the_ground_at_the_lowest_point_of_every_swing() -> None:
    assert np.abs(fitted().lowest_m).max() < 0.01
    clips, grounds = clubbed()
    for clip, ground, low in zip(clips, grounds, fitted().lowest_m, strict=True):
        around = head_heights(clip, np.asarray(fitted().tool.place_m))[HIT - 12 : HIT + 13]
        assert around.min() - ground == pytest.approx(low, abs=5e-3)


def test_the_club_is_about_where_it_was() -> None:
    """Resting on the ground before the swing, and its length, are the weaker half of the fit."""
    off = np.linalg.norm(np.asarray(fitted().tool.place_m) - true_club())
    assert off < 0.06
    assert fitted().length_m == pytest.approx(CLUB_M, abs=0.1)


def test_what_it_says_of_itself_is_so() -> None:
    club = np.asarray(fitted().tool.place_m)
    for clip, ground, first in zip(*clubbed(), fitted().address_m, strict=True):
        assert head_heights(clip, club)[0] - ground == pytest.approx(first, abs=1e-12)
    grip = np.mean(
        [
            rotations.rotate(rotations.conjugate(turn), middle - place).mean(axis=0)
            for place, turn, middle in (hands(clip) for clip in clubbed()[0])
        ],
        axis=0,
    )
    assert fitted().length_m == pytest.approx(float(np.linalg.norm(club - grip)), abs=1e-12)
    assert "club_head" in fitted().words() and "left_wrist" in fitted().words()


@cache
def addressed() -> tuple[tuple[Clip, ...], tuple[float, ...], Array]:
    """Swings whose club also rests on the ground in the first frame: all the fit asks for.

    The whole body of each is lifted or lowered until the club of the first swing touches.
    """
    place, turn, middle = (each[HIT] for each in hands(swing()))
    grip = rotations.rotate(rotations.conjugate(turn), middle - place)
    clips, around = clubbed()[0], slice(HIT - 8, HIT + 9)
    # Of all clubs of that length, the one whose head is as high at address as at the hit.
    random = np.random.default_rng(0)
    ways = random.normal(size=(4000, 3))
    clubs = grip + CLUB_M * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    place, turn, middle = hands(swing())
    heights = np.array([(place + rotations.rotate(turn, c))[:, 1] for c in clubs])
    level = np.abs(heights[:, 0] - heights[:, around].min(axis=1))
    level[heights[:, HIT] > middle[HIT, 1] - 0.6] = np.inf
    club = clubs[int(level.argmin())]
    grounds = tuple(float(head_heights(clip, club)[around].min()) for clip in clips)
    return clips, grounds, club


def test_a_club_that_does_all_the_fit_asks_for_is_found() -> None:
    clips, grounds, club = addressed()
    found = fit_club(clips, character(), grounds)
    for clip, ground in zip(clips, grounds, strict=True):
        assert abs(head_heights(clip, club)[0] - ground) < 0.01
    assert np.abs(found.lowest_m).max() < 5e-3
    assert np.linalg.norm(np.asarray(found.tool.place_m) - club) < 0.04


def test_no_club_near_the_fitted_one_fits_better() -> None:
    clips, grounds = clubbed()
    club, random = np.asarray(fitted().tool.place_m), np.random.default_rng(0)

    def cost(place: Array) -> float:
        heights = [head_heights(c, place) - g for c, g in zip(clips, grounds, strict=True)]
        lowest = np.array([h[HIT - 12 : HIT + 13].min() for h in heights])
        first = np.array([h[0] for h in heights])
        length = fitted().length_m + np.linalg.norm(place - middle) - np.linalg.norm(club - middle)
        return float(
            (lowest**2).sum() + 0.09 * (first**2).sum() + 0.09 * 5 * (length - CLUB_M) ** 2
        )

    place, turn, center = (each.mean(axis=0) for each in hands(swing()))
    middle = rotations.rotate(rotations.conjugate(rotations.normalize(turn)), center - place)
    best = cost(club)
    for size in (0.005, 0.02, 0.1):
        for _ in range(20):
            assert cost(club + size * random.normal(size=3)) >= best - 2e-4


def test_it_does_not_depend_on_place_and_heading() -> None:
    clips, grounds = clubbed()
    there = [moved(c, 0.7 * i, (float(i), 0.3 * i, -2.0)) for i, c in enumerate(clips)]
    found = fit_club(there, character(), [g + 0.3 * i for i, g in enumerate(grounds)])
    np.testing.assert_allclose(found.tool.place_m, fitted().tool.place_m, atol=1e-5)


def test_the_fitted_club_has_a_hit_that_is_found() -> None:
    """The club's lowest point near its fastest is where the hands are lowest."""
    held = with_attachments(character(), [fitted().tool])
    for clip in clubbed()[0]:
        at = find_events(
            swing_events("club_head", "left_wrist"), state_of(clip), held, RATE_HZ, "x"
        )
        assert list(at) == ["takeaway", "top", "hit", "finish"]
        assert abs(at["hit"] - HIT) <= 8


def test_another_name_and_hand_are_taken() -> None:
    clips, grounds = clubbed()
    found = fit_club(clips, character(), grounds, name="bat", hand="right_wrist")
    assert isinstance(found.tool, Attachment)
    assert found.tool.name == "bat" and found.tool.on == "right_wrist"


def test_too_few_swings_are_refused() -> None:
    with pytest.raises(BadValue, match="swings"):
        fit_club([swing()], character(), [0.0])


def test_a_hand_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownName):
        fit_club([swing(), varied([0.1])], character(), [0.0, 0.0], hand="third_wrist")
