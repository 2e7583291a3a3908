"""Cycles stay cycles: what was closed is closed after a correction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import samples
from poise.environment import Environment, load_environment
from poise.job import root_motion_of
from poise.methods import Edit
from poise.methods.correct.loops import CLOSED_M, loop_gap_m, loop_of
from poise.motion import Clip

CHAIR = Path(__file__).resolve().parents[2] / "examples" / "recipes" / "correct" / "chair.yaml"
FLOOR = Environment.flat()
CYCLES_S = {"walk": 1.08, "run": 0.72}


def cycle(name: str = "walk", rate_hz: float = 50.0) -> Clip:
    frames = round(CYCLES_S[name] * rate_hz) + 1
    clip = samples.SAMPLES[name](CYCLES_S[name] + 0.1, rate_hz).clip
    return replace(clip.sliced(0, frames), source=None)


def test_what_is_a_loop() -> None:
    clip = cycle()
    found = loop_of(clip, FLOOR)
    assert found is not None and found.period == clip.frame_count - 1
    still = root_motion_of(clip, "in-place").clip
    assert loop_of(still, FLOOR) is None  # no belt under it
    assert loop_of(still, Environment.flat(0.0, (0.0, 0.0, -1.148))) is not None
    assert loop_of(clip.sliced(0, -4), FLOOR) is None
    short = loop_of(clip.sliced(0, -1), FLOOR)  # its first frame comes after its last
    assert short is not None and short.period == short.frames == clip.frame_count - 1
    assert np.linalg.norm(np.subtract(short.way_m, found.way_m)) < 1e-3
    assert loop_of(samples.squatting().clip, FLOOR) is None  # closes, but goes nowhere
    assert loop_of(clip, load_environment(CHAIR)) is None  # who knows what comes after the chair


@pytest.mark.parametrize("closed", [True, False])
def test_what_comes_before_and_after(closed: bool) -> None:
    clip = cycle() if closed else cycle().sliced(0, -1)
    loop = loop_of(clip, FLOOR)
    assert loop is not None
    longer = loop.repeated(Edit(clip, samples.sample_character())).clip
    assert longer.frame_count == clip.frame_count + 2 * loop.lead
    np.testing.assert_array_equal(longer.root_positions_m[loop.kept], clip.root_positions_m)
    np.testing.assert_array_equal(loop.clip(longer, clip).rotations_wxyz, clip.rotations_wxyz)
    bends, own = (np.abs(np.diff(c.root_positions_m, n=2, axis=0)).max() for c in (longer, clip))
    assert bends < 1.5 * own  # no jump at the seams


@pytest.mark.parametrize(("name", "stays"), [("walk", True), ("run", False)])
def test_a_corrected_loop_is_a_loop(name: str, stays: bool) -> None:
    clip = cycle(name)
    if stays:
        clip = root_motion_of(clip, "in-place").clip
    made = poise.correct(clip)
    assert made.clip.frame_count == clip.frame_count
    assert made.contacts is not None and made.contacts.frame_count == clip.frame_count
    assert made.status == "converged"
    assert (
        loop_gap_m(made.clip)[0] < 0.5 * CLOSED_M
    )  # without what comes before and after: 2 to 4 cm
    assert any("loop" in note and "mm" in note for note in made.notes)


def test_known_contacts_repeat_too() -> None:
    clip = cycle()
    contacts = poise.correct(clip, only="contacts").contacts
    assert contacts is not None
    made = poise.correct(clip, contacts=contacts, only="contacts")
    assert loop_gap_m(made.clip)[0] < CLOSED_M
    assert made.contacts is not None
    np.testing.assert_array_equal(made.contacts.touching, contacts.touching)


def test_a_jump_from_a_stand_into_a_stand_is_no_loop() -> None:
    jump = samples.jumping().clip
    gap_m, _, _ = loop_gap_m(jump)
    assert gap_m < CLOSED_M  # it ends in the pose that it began in
    assert loop_of(jump, Environment.flat()) is None
