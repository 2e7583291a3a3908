"""All measures together, on motion whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise import samples
from poise.character import Skeleton, complete_character
from poise.contact import ContactSchedule, clip_dynamics, observe
from poise.environment import Environment
from poise.errors import MissingRoles
from poise.measures import ALL, UNDER_INPUT_CONTACTS, evaluate
from poise.motion import Clip
from poise.motion.cleanup import clean
from tests.measures.made_series import still
from tests.shared_data import MOCAP, needs_mocap


def standing(frames: int = 80) -> Clip:
    return still(frames).clip


def both_feet(frames: int, rate_hz: float) -> ContactSchedule:
    return ContactSchedule(("left_foot", "right_foot"), np.ones((frames, 2), dtype=bool), rate_hz)


def test_standing_still_is_balanced_and_explained_by_the_ground() -> None:
    clip = standing()
    found = evaluate(clip, contacts=both_feet(80, clip.rate_hz))
    assert found.value("foot_slide.mean") == pytest.approx(0.0, abs=1e-9)
    assert found.value("root_wrench.force") < 1e-6
    assert found.value("root_wrench.moment") < 1e-3
    assert found.value("torque_excess.share") == 0.0
    weight = found.series.mass_kg * 9.81
    total = found.series.forces_n.sum(axis=1)
    np.testing.assert_allclose(total, np.tile([0.0, weight, 0.0], (80, 1)), atol=0.02 * weight)


def test_a_figure_that_glides_slides_at_its_speed() -> None:
    clip = standing()
    roots = clip.root_positions_m.copy()
    roots[:, 0] += 0.25 * np.arange(80) / clip.rate_hz
    gliding = replace(clip, root_positions_m=roots)
    found = evaluate(gliding, environment=Environment.flat(), contacts=both_feet(80, clip.rate_hz))
    assert found.value("foot_slide.mean") == pytest.approx(25.0, rel=1e-6)


def test_on_a_belt_that_runs_along_it_does_not_slide() -> None:
    clip = standing()
    roots = clip.root_positions_m.copy()
    roots[:, 0] += 0.25 * np.arange(80) / clip.rate_hz
    found = evaluate(
        replace(clip, root_positions_m=roots),
        environment=Environment.flat(belt_velocity_m_s=(0.25, 0.0, 0.0)),
        contacts=both_feet(80, clip.rate_hz),
    )
    assert found.value("foot_slide.mean") == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("shift_cm", [-3.0, 4.0])
def test_a_shifted_figure_sinks_or_floats_by_the_shift(shift_cm: float) -> None:
    clip = standing()
    level = evaluate(clip, contacts=both_feet(80, clip.rate_hz)).series
    floor = Environment.flat(float(level.points_m[0, :5, 1].min()))
    shifted = replace(
        clip, root_positions_m=clip.root_positions_m + np.array([0.0, shift_cm / 100, 0.0])
    )
    found = evaluate(shifted, environment=floor, contacts=both_feet(80, clip.rate_hz))
    if shift_cm < 0:
        assert found.value("penetration.deepest") == pytest.approx(-shift_cm, abs=0.01)
        assert found.value("penetration.share") == 100.0
    else:
        assert found.value("float.mean") == pytest.approx(shift_cm, abs=0.01)


def test_the_clip_against_itself_is_alike_and_no_shakier() -> None:
    clip = standing()
    found = evaluate(clip, against=clip)
    assert found.value("likeness.rotation") == 0.0
    assert found.value("likeness.position") == 0.0
    assert found.original is not None


def test_claiming_no_contact_does_not_improve_the_figures_under_the_inputs_contacts() -> None:
    clip = standing()
    none = ContactSchedule(("left_foot", "right_foot"), np.zeros((80, 2), dtype=bool), clip.rate_hz)
    roots = clip.root_positions_m.copy()
    roots[:, 0] += 0.25 * np.arange(80) / clip.rate_hz
    found = evaluate(
        replace(clip, root_positions_m=roots),
        environment=Environment.flat(),
        contacts=none,
        input_contacts=both_feet(80, clip.rate_hz),
    )
    assert np.isnan(found.value("foot_slide.mean"))
    assert found.value(f"foot_slide.mean{UNDER_INPUT_CONTACTS}") == pytest.approx(25.0, rel=1e-6)
    assert found.value("contact.share_claimed") == 0.0
    assert found.value("root_wrench.force") > 0.9


def test_every_measure_says_what_it_means() -> None:
    found = evaluate(standing())
    assert {m.key.split(".")[0] for m in found.measures} >= set(ALL) | {"jitter", "float"}
    for measure in found.measures:
        assert len(measure.about) > 5 and measure.direction in ("lower", "higher", "neither")


def test_a_skeleton_that_is_no_person_is_refused_by_name() -> None:
    stick = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 1.0, 0]]))
    clip = Clip(stick, 30.0, np.zeros((5, 3)), np.tile(stick.rest_wxyz, (5, 1, 1)))
    with pytest.raises(MissingRoles, match="left_knee"):
        evaluate(clip)


@needs_mocap
def test_a_real_walk_on_force_plates_is_nearly_physical() -> None:
    clip = poise.load(MOCAP / "addbio_grf/opencap_subject2/opencap_subject2_walking1.bvh")
    character = complete_character(clip.skeleton, mass_kg=79.7, sex="male")
    found = evaluate(clip, character)
    assert found.value("zmp_excursion.mean") < 1.0
    assert found.value("root_wrench.force") < 0.02
    assert np.isnan(found.value("flight_residual.acceleration"))


@needs_mocap
def test_a_real_leap_falls_with_gravity() -> None:
    clip, _ = clean(poise.load(MOCAP / "cmu/118_05.bvh"))
    found = evaluate(clip)
    assert found.value("flight_residual.flights") >= 1
    assert found.value("flight_residual.acceleration") < 20.0
    assert found.value("flight_residual.spin") < 5.0


@pytest.mark.parametrize("name", ["jump", "hop", "run"])
def test_a_flight_is_judged_by_its_own_curve(name: str) -> None:
    """Push-off and landing smear into a curve over the whole clip, and would look like a hand."""
    sample, character = samples.SAMPLES[name](), samples.sample_character()
    series = observe(sample.clip, character, Environment.flat(), sample.contacts)
    weight, flight = 9.81 * series.mass_kg, series.flight
    assert flight.sum() > 20
    missing = np.linalg.norm(series.missing_force_n[flight], axis=1)
    whole = clip_dynamics(sample.clip, character).outer_force_n[flight]
    assert missing.max() < 1e-6 * weight
    assert np.linalg.norm(whole, axis=1).max() > 0.05 * weight


def test_all_of_what_holds_a_body_in_the_air_is_missing() -> None:
    sample, character = samples.SAMPLES["jump"](), samples.sample_character()
    clip, flight = sample.clip, sample.flights[0]
    times = np.clip(np.arange(clip.frame_count) / clip.rate_hz, flight.start_s, flight.end_s)
    # Half of gravity is taken away in the air, and the speed at its end goes on afterwards.
    roots = clip.root_positions_m.copy()
    fallen = 0.25 * 9.81 * (times - flight.start_s) ** 2
    late = np.arange(clip.frame_count) / clip.rate_hz - times
    fallen += 0.5 * 9.81 * (flight.end_s - flight.start_s) * np.maximum(late, 0.0)
    roots[:, 1] += fallen
    held = replace(clip, root_positions_m=roots)
    series = observe(held, character, Environment.flat(), sample.contacts)
    weight = 9.81 * series.mass_kg
    missing = series.missing_force_n[series.flight] / weight
    np.testing.assert_allclose(missing, np.tile([0.0, 0.5, 0.0], (len(missing), 1)), atol=0.01)
