"""Seats from their sitters: made ones of known height, and those of real captures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from examples.recipes.correct.make_places import write_seat
from poise.character import Character, complete_character, contact_radii_m
from poise.contact import ContactSchedule, detect_contacts, estimate_ground
from poise.contact.seat import ALLOWED_M, Seat, fit_seat, hips_m, leg_flesh
from poise.environment import Environment, Ground, load_environment, query
from poise.errors import BadValue
from poise.formats import load_clip
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from poise.motion.cleanup import clean
from poise.samples import SAMPLES, sample_character
from tests.contact.rigid_clips import human
from tests.contact.sitting import sitting_clip
from tests.shared_data import MOCAP, needs_mocap

FLOOR = Ground()
REAL = {"143_18": 60.0, "14_28": 120.0}
"""Captures with a seat, and their true rates."""


def real(name: str) -> tuple[Clip, Character, Ground]:
    clip, _ = clean(load_clip(MOCAP / "cmu" / f"{name}.bvh"), ("missing-thorax", "t-pose"))
    clip = replace(clip, rate_hz=REAL[name])
    character = complete_character(clip.skeleton)
    return clip, character, estimate_ground(clip, character)[0]


def depths_m(seat: Seat, clip: Clip, character: Character) -> np.ndarray:
    """(F,) how deep the deepest bit of the legs is inside the seat."""
    flesh = leg_flesh(forward_kinematics(clip.skeleton, *clip.pose), character)
    found = query(Environment(seat.parts), flesh.places_m)
    return np.maximum(0.0, flesh.radii_m - found.distances_m).max(axis=1)


def buttocks_m(seat: Seat, clip: Clip, character: Character) -> np.ndarray:
    """(S, 2) how high both buttocks are over the seat while it is sat on."""
    hips = hips_m(forward_kinematics(clip.skeleton, *clip.pose), character)[seat.seated]
    found = query(Environment(seat.parts), hips)
    return found.distances_m - contact_radii_m(character)["pelvis"]


@pytest.mark.parametrize("turn_deg", [0.0, 57.0, 180.0])
def test_a_made_seat_is_found_where_it_is(turn_deg: float) -> None:
    clip, character = sitting_clip(turn_deg=turn_deg), human()
    seat = fit_seat(clip, character, FLOOR)
    hips = hips_m(forward_kinematics(clip.skeleton, *clip.pose), character)
    low = hips[..., 1].min()
    known = low - contact_radii_m(character)["pelvis"]
    assert seat.height_m == pytest.approx(known, abs=2 * ALLOWED_M)
    # It is sat on for two seconds, and its top is what the hips are over.
    assert 1.8 < seat.seated.sum() / clip.rate_hz < 2.6
    over = buttocks_m(seat, clip, character)
    assert over.min() > -ALLOWED_M and over.max() < 3 * ALLOWED_M
    assert depths_m(seat, clip, character).max() < 1.2 * ALLOWED_M


def test_its_front_edge_is_between_hips_and_shanks() -> None:
    clip, character = sitting_clip(), human()
    seat = fit_seat(clip, character, FLOOR)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    names = clip.skeleton.joint_names
    middle = clip.frame_count // 2
    hip, knee = (state.positions_m[middle, names.index(n), 2] for n in ("LeftUpLeg", "LeftLeg"))
    front = seat.parts[0].vertices_m[:, 2].max()
    thigh = knee - hip
    assert hip + 0.4 * thigh < front < knee - contact_radii_m(character)["left_knee"] + ALLOWED_M


def test_its_stand_reaches_the_floor_and_leaves_room_for_the_legs() -> None:
    seat = fit_seat(sitting_clip(), human(), FLOOR)
    top, stand = seat.parts
    assert (top.name, stand.name) == ("seat", "stand")
    assert stand.vertices_m[:, 1].min() < 0.0
    assert top.vertices_m[:, 1].min() < stand.vertices_m[:, 1].max() < top.vertices_m[:, 1].max()


def test_a_high_stool_is_found_by_feet_that_hang() -> None:
    clip, character = sitting_clip(raised_m=0.2), human()
    seat = fit_seat(clip, character, FLOOR)
    hips = hips_m(forward_kinematics(clip.skeleton, *clip.pose), character)
    seated = hips[clip.frame_count // 2, 0, 1] - contact_radii_m(character)["pelvis"]
    assert seat.height_m == pytest.approx(seated, abs=2 * ALLOWED_M)
    assert depths_m(seat, clip, character).max() < 1.2 * ALLOWED_M


def test_a_tilted_floor_does_not_move_the_seat() -> None:
    clip, character = sitting_clip(), human()
    level, tilted = (fit_seat(clip, character, g) for g in (FLOOR, Ground.tilted(0.01)))
    tops = [each.parts[0].vertices_m[:, 1].max() for each in (level, tilted)]
    assert tops[0] == pytest.approx(tops[1], abs=1e-3)


@pytest.mark.parametrize("name", sorted(set(SAMPLES) - {"sit", "getup"}))
def test_who_does_not_sit_has_no_seat(name: str) -> None:
    with pytest.raises(BadValue, match="someone sits still"):
        fit_seat(SAMPLES[name]().clip, sample_character(), FLOOR)


def test_a_written_seat_is_read_back_the_same(tmp_path: Path) -> None:
    ground = Ground.tilted(0.013, (0.3, 0.0, -0.8), height_m=0.042)
    seat = fit_seat(sitting_clip(turn_deg=20.0), human(), ground)
    write_seat(tmp_path / "chair.yaml", seat, about="A chair.\nFitted.")
    place = load_environment(tmp_path / "chair.yaml")
    points = np.random.default_rng(3).uniform([-1, 0, -1], [1, 1.5, 1], (400, 3))
    read, made = (query(e, points) for e in (place, seat.environment))
    np.testing.assert_allclose(read.distances_m, made.distances_m, atol=2e-4)
    assert (tmp_path / "chair.yaml").read_text().startswith("# A chair.\n# Fitted.\nground:")


@needs_mocap
@pytest.mark.parametrize(
    ("name", "heights", "seated_s", "deep_share"),
    [("143_18", (0.30, 0.42), 3.0, 0.01), ("14_28", (0.6, 0.75), 6.0, 0.05)],
)
def test_seats_of_real_sitters(
    name: str, heights: tuple[float, float], seated_s: float, deep_share: float
) -> None:
    clip, character, ground = real(name)
    seat = fit_seat(clip, character, ground)
    assert heights[0] < seat.height_m < heights[1]
    assert seat.seated.sum() / clip.rate_hz > seated_s
    depths = depths_m(seat, clip, character)
    assert (depths > 0.007).mean() < deep_share
    assert depths.max() < 0.03
    # Both buttocks are over it and near it, most of the time.
    assert np.abs(np.quantile(buttocks_m(seat, clip, character), [0.1, 0.9])).max() < 0.025


@needs_mocap
def test_the_detector_sees_the_pelvis_on_a_real_seat() -> None:
    clip, character, ground = real("143_18")
    seat = fit_seat(clip, character, ground)
    found: ContactSchedule = detect_contacts(clip, character, seat.environment)
    assert found.column("pelvis")[seat.seated].mean() > 0.95
    alone = detect_contacts(clip, character, Environment((ground,)))
    assert not alone.column("pelvis").any()
