"""The place that a clip shows: ground, and a seat where someone sits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.character import complete_character, contact_radii_m
from poise.contact.floor import estimate_ground
from poise.contact.seat import hips_m, shown_place
from poise.environment import ConvexPart, Environment, query
from poise.formats import load_clip
from poise.mechanics import forward_kinematics
from poise.motion.cleanup import clean
from poise.samples import SAMPLES, sample_character
from tests.contact.rigid_clips import human
from tests.contact.sitting import sitting_clip
from tests.shared_data import MOCAP, needs_mocap


def seats_of(place: Environment) -> list[ConvexPart]:
    return [surface for surface in place.surfaces if isinstance(surface, ConvexPart)]


@pytest.mark.parametrize("name", ["walk", "stand"])
def test_who_does_not_sit_is_shown_the_ground_alone(name: str) -> None:
    made = SAMPLES[name]().clip
    place, notes = shown_place(made, sample_character())
    ground, said = estimate_ground(made, sample_character())
    assert len(place.surfaces) == 1 and notes == (said,)
    assert place.grounds[0].height_m == ground.height_m


def test_a_made_sitter_is_shown_a_seat_under_the_hips() -> None:
    clip, character = sitting_clip(), human()
    place, notes = shown_place(clip, character)
    (seat,) = seats_of(place)
    assert len(notes) == 2 and "seat" in notes[1]
    hips = hips_m(forward_kinematics(clip.skeleton, *clip.pose), character)
    lowest = hips[..., 1].min() - contact_radii_m(character)["pelvis"]
    top = float(seat.vertices_m[:, 1].max())
    assert top == pytest.approx(lowest, abs=0.02)
    said = float(notes[1].split(" cm")[0].split()[-1])
    assert said == pytest.approx(100.0 * (top - place.grounds[0].height_m), abs=2.0)


@needs_mocap
def test_a_real_sitter_is_shown_a_seat() -> None:
    clip, _ = clean(load_clip(MOCAP / "cmu" / "14_28.bvh"), ("missing-thorax", "t-pose"))
    clip = replace(clip, rate_hz=120.0)
    character = complete_character(clip.skeleton)
    place, notes = shown_place(clip, character)
    (seat,) = seats_of(place)
    assert 0.6 < seat.vertices_m[:, 1].max() - place.grounds[0].height_m < 0.75
    assert "seat" in notes[-1]
    hips = hips_m(forward_kinematics(clip.skeleton, *clip.pose), character)
    near = query(Environment((seat,)), hips.reshape(-1, 3)).distances_m
    assert np.quantile(near, 0.2) < contact_radii_m(character)["pelvis"] + 0.03


@needs_mocap
def test_a_real_walk_shows_no_seat() -> None:
    clip, _ = clean(load_clip(MOCAP / "cmu" / "02_01.bvh"), ("missing-thorax", "t-pose"))
    place, notes = shown_place(clip, complete_character(clip.skeleton))
    assert not seats_of(place) and len(notes) == 1
