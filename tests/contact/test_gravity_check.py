"""Flights, the gravity they show, and what that says about a clip's rate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.character import complete_character
from poise.contact import check_gravity
from poise.errors import BadValue
from poise.formats import load_clip
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from tests.contact.rigid_clips import hop_heights_m, human, rigid_clip, upward
from tests.shared_data import MOCAP, clips, needs_mocap

JUMPS = ("02_04", "13_11", "118_05", "124_11", "83_40")


def captured(name: str) -> Clip:
    return clean(load_clip(MOCAP / "cmu" / f"{name}.bvh"))[0]


def checked(clip: Clip):
    return check_gravity(clip, complete_character(clip.skeleton))


def picked(clip: Clip, frames: np.ndarray) -> Clip:
    """Other frames under the old rate."""
    return replace(
        clip,
        root_positions_m=clip.root_positions_m[frames],
        rotations_wxyz=clip.rotations_wxyz[frames],
        moving_offsets_m=clip.moving_offsets_m[frames],
        source=None,
    )


def wrongs(clip: Clip) -> dict[str, tuple[Clip, float]]:
    """The clip spoiled, and the rate it then really has."""
    frames = np.arange(clip.frame_count)
    doubled = replace(resample(clip, 2 * clip.rate_hz), rate_hz=clip.rate_hz)
    return {
        "dropped": (picked(clip, frames[::2]), clip.rate_hz / 2),
        "repeated": (picked(clip, np.repeat(frames, 2)), clip.rate_hz * 2),
        "interpolated": (doubled, clip.rate_hz * 2),
    }


@needs_mocap
@pytest.mark.parametrize("name", JUMPS)
def test_jumps_as_they_are_are_right(name) -> None:
    result = checked(captured(name))
    assert result.verdict == "right"
    assert result.gravity_m_s2 is not None and 9.0 <= result.gravity_m_s2 <= 10.8
    assert result.likely_rate_hz is None
    assert "right" in result.note


@needs_mocap
@pytest.mark.parametrize("how", ["dropped", "repeated", "interpolated"])
@pytest.mark.parametrize("name", JUMPS)
def test_jumps_with_frames_dropped_or_doubled_are_wrong(name, how) -> None:
    clip, true_rate_hz = wrongs(captured(name))[how]
    result = checked(clip)
    assert result.verdict == "wrong"
    assert result.likely_rate_hz == true_rate_hz
    assert f"looks like {true_rate_hz:g} Hz" in result.note


@needs_mocap
@pytest.mark.slow
def test_no_capture_is_called_wrong_as_it_is() -> None:
    """All but 143_18 have the rate they state; that one never flies, so nothing can be said."""
    verdicts = {path.stem: checked(captured(path.stem)).verdict for path in clips("cmu/*.bvh")}
    assert [name for name, verdict in verdicts.items() if verdict == "wrong"] == []
    assert verdicts["143_18"] == "unverified"
    right = {name for name, verdict in verdicts.items() if verdict == "right"}
    assert {*JUMPS, "49_02", "06_15", "124_05", "90_05", "02_03", "09_01", "16_35"} <= right


@needs_mocap
@pytest.mark.parametrize("name", ["02_01", "64_01", "143_18", "140_01", "13_35", "14_28"])
def test_without_flight_nothing_is_verified(name) -> None:
    result = checked(captured(name))
    assert result.verdict == "unverified"
    assert result.flights == () and result.gravity_m_s2 is None
    assert "no flight" in result.note


@pytest.mark.parametrize("rate_hz", [30.0, 60.0, 100.0, 120.0, 240.0])
@pytest.mark.parametrize("flight_s", [0.25, 0.5])
def test_the_gravity_of_a_made_hop_is_found_exactly(rate_hz, flight_s) -> None:
    result = check_gravity(rigid_clip(upward(hop_heights_m(rate_hz, flight_s)), rate_hz), human())
    assert result.verdict == "right"
    assert result.gravity_m_s2 == pytest.approx(9.81, rel=1e-6)
    (flight,) = result.flights
    assert 0.6 <= flight.first / rate_hz < flight.last / rate_hz <= 0.6 + flight_s + 1 / rate_hz


@pytest.mark.parametrize(
    ("stated_hz", "true_hz"), [(120.0, 60.0), (120.0, 240.0), (120.0, 100.0), (30.0, 120.0)]
)
def test_a_wrong_rate_of_a_made_hop_is_named(stated_hz, true_hz) -> None:
    made = rigid_clip(upward(hop_heights_m(true_hz, 0.5)), stated_hz)
    result = check_gravity(made, human())
    assert result.verdict == "wrong"
    assert result.gravity_m_s2 == pytest.approx(9.81 * (stated_hz / true_hz) ** 2, rel=1e-6)
    assert result.likely_rate_hz == true_hz


def test_several_flights_are_weighed_by_how_much_they_tell() -> None:
    short, long = hop_heights_m(100.0, 0.25, gravity_m_s2=13.0), hop_heights_m(100.0, 0.6)
    result = check_gravity(rigid_clip(upward(np.concatenate([short, long]))), human())
    assert len(result.flights) == 2
    assert result.flights[0].uncertainty > result.flights[1].uncertainty
    assert result.gravity_m_s2 is not None
    assert 9.81 < result.gravity_m_s2 < 0.5 * (9.81 + 13.0)


def test_a_figure_held_in_the_air_does_not_fly() -> None:
    """Raised and lowered smoothly, or pulled aside while it falls: no parabola of free fall."""
    t = np.linspace(0.0, 1.0, 101)
    lifted = 0.3 * np.sin(np.pi * t) ** 2
    stand = np.zeros(50)
    assert check_gravity(rigid_clip(upward(np.r_[stand, lifted, stand])), human()).flights == ()
    heights = hop_heights_m(100.0, 0.5)
    aside = upward(heights)
    aside[:, 0] = np.where(
        heights > 0, 3.0 * np.maximum(np.arange(len(heights)) / 100 - 0.6, 0) ** 2, 0.0
    )
    assert check_gravity(rigid_clip(aside), human()).flights == ()


def test_a_character_without_weight_is_refused() -> None:
    with pytest.raises(BadValue, match="complete_character"):
        check_gravity(rigid_clip(np.zeros((9, 3))), replace(human(), body=None))
