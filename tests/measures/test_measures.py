"""Every measure against a case worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.contact import ContactSchedule, Series, slide_speeds_m_s
from poise.measures import (
    contact_share,
    flight_residual,
    foot_slide,
    jitter,
    likeness,
    penetration,
    root_wrench,
    torque_excess,
    zmp_excursion,
)
from poise.measures.table import measures_from
from poise.mechanics import GRAVITY_M_S2, forward_kinematics
from tests.measures.made_series import (
    HEIGHT_M,
    MASS_KG,
    RATE_HZ,
    WEIGHT_N,
    still,
    with_turned_joint,
)


def feet(left: np.ndarray, right: np.ndarray) -> ContactSchedule:
    return ContactSchedule(("left_foot", "right_foot"), np.stack([left, right], axis=1), RATE_HZ)


def test_standing_still_is_perfect() -> None:
    series = still()
    assert foot_slide.measure(series) == {"foot_slide.mean": 0.0, "foot_slide.p95": 0.0}
    found = penetration.measure(series)
    assert all(value == 0.0 for value in found.values())
    assert zmp_excursion.measure(series)["zmp_excursion.share"] == 0.0
    assert root_wrench.measure(series)["root_wrench.force"] == 0.0
    assert torque_excess.measure(series) == {
        "torque_excess.worst": (pytest.approx(0.2), " (at Hips)"),
        "torque_excess.share": 0.0,
    }


def test_slide_counts_only_while_standing_and_only_the_lowest_points() -> None:
    frames = 100
    slide = np.zeros((frames, 4))
    distances = np.zeros((frames, 4))
    slide[:, 0] = 0.10  # the left heel slides on the ground at 10 cm/s ...
    distances[:, 1] = 0.05  # ... while the left toes are up
    slide[:, 1] = 9.0
    left, right = np.zeros(frames, dtype=bool), np.zeros(frames, dtype=bool)
    left[:50] = True
    right[50:] = True
    series = still(point_slide_m_s=slide, point_distances_m=distances, contacts=feet(left, right))
    # 50 frames of the left foot at 10 cm/s and 50 of the right at rest.
    assert foot_slide.measure(series)["foot_slide.mean"] == pytest.approx(5.0)
    assert foot_slide.measure(series)["foot_slide.p95"] == pytest.approx(10.0)


def test_a_foot_that_is_said_to_slide_does_not_count() -> None:
    slide = np.zeros((100, 4))
    slide[40:, :2] = 0.5  # the left foot, which says so from frame 40 on
    sliding = np.zeros((100, 2), dtype=bool)
    sliding[40:, 0] = True
    told = replace(still().contacts, sliding=sliding)
    found = foot_slide.measure(still(point_slide_m_s=slide, contacts=told))
    assert found == {"foot_slide.mean": 0.0, "foot_slide.p95": 0.0}
    speeds = slide_speeds_m_s(still(point_slide_m_s=slide, contacts=told), "left_foot")
    assert np.isnan(speeds[40:]).all() and (speeds[:40] == 0.0).all()
    # Untold, and in the frames it does not tell of, it does.
    found = foot_slide.measure(still(point_slide_m_s=slide))
    assert found["foot_slide.mean"] == pytest.approx(0.5 * 60.0 / 200.0 * 100.0)
    slide[:, :2] = 0.5
    found = foot_slide.measure(still(point_slide_m_s=slide, contacts=told))
    assert found["foot_slide.mean"] == pytest.approx(0.5 * 40.0 / 140.0 * 100.0)


def test_feet_that_slide_all_the_time_are_no_number() -> None:
    told = replace(still().contacts, sliding=np.ones((100, 2), dtype=bool))
    assert np.isnan(foot_slide.measure(still(contacts=told))["foot_slide.mean"])


def test_a_floating_foot_that_slides_is_not_let_off() -> None:
    series = still(
        point_slide_m_s=np.full((100, 4), 0.2), point_distances_m=np.full((100, 4), 0.08)
    )
    assert foot_slide.measure(series)["foot_slide.mean"] == pytest.approx(20.0)
    assert penetration.measure(series)["float.mean"] == pytest.approx(8.0)


def test_nobody_standing_gives_no_number_rather_than_a_good_one() -> None:
    never = np.zeros(100, dtype=bool)
    series = still(contacts=feet(never, never))
    assert np.isnan(foot_slide.measure(series)["foot_slide.mean"])
    assert np.isnan(penetration.measure(series)["float.mean"])


def test_depth_is_that_of_the_deepest_point() -> None:
    distances = np.zeros((100, 4))
    distances[10:20, 2] = -0.03
    distances[50, 1] = -0.07
    found = penetration.measure(still(point_distances_m=distances))
    assert found["penetration.deepest"] == pytest.approx(7.0)
    assert found["penetration.mean"] == pytest.approx((10 * 3.0 + 7.0) / 100)
    assert found["penetration.share"] == pytest.approx(11.0)


def test_zmp_counts_outside_only_and_not_in_flight() -> None:
    distance = np.full(100, -0.04)
    distance[:20] = 0.03
    distance[20:40] = np.nan
    found = zmp_excursion.measure(still(support_distance_m=distance))
    assert found["zmp_excursion.mean"] == pytest.approx(20 * 3.0 / 80)
    assert found["zmp_excursion.share"] == pytest.approx(25.0)
    assert found["zmp_excursion.p95"] == pytest.approx(3.0)


def flying(acceleration: np.ndarray, spin: np.ndarray) -> Series:
    flight = np.zeros(100, dtype=bool)
    flight[30:60] = True
    all_acceleration, all_spin = np.zeros((100, 3)), np.zeros((100, 3))
    all_acceleration[30:60], all_spin[30:60] = acceleration, spin
    return still(
        flight=flight, com_acceleration_m_s2=all_acceleration, angular_momentum_n_m_s=all_spin
    )


def test_a_true_flight_has_no_residual() -> None:
    found = flight_residual.measure(flying(GRAVITY_M_S2, np.array([0.0, 5.0, 0.0])))
    assert found["flight_residual.acceleration"] == pytest.approx(0.0)
    assert found["flight_residual.spin"] == pytest.approx(0.0)
    assert found["flight_residual.flights"] == 1.0


def test_a_push_in_the_air_is_a_share_of_gravity_and_spin_of_the_fixed_scale() -> None:
    g = float(np.linalg.norm(GRAVITY_M_S2))
    push = GRAVITY_M_S2 + np.array([0.1 * g, 0.0, 0.0])
    ramp = np.linspace(0.0, 1.0, 30)[:, None] * np.array([12.0, 0.0, 0.0])
    found = flight_residual.measure(flying(push, ramp))
    assert found["flight_residual.acceleration"] == pytest.approx(10.0)
    scale = MASS_KG * HEIGHT_M * np.sqrt(g * HEIGHT_M)
    assert found["flight_residual.spin"] == pytest.approx(100 * 12.0 / scale)


def test_no_flight_is_no_number() -> None:
    assert np.isnan(flight_residual.measure(still())["flight_residual.acceleration"])


def test_the_invisible_hand_is_told_in_body_weights() -> None:
    force, moment = np.zeros((100, 3)), np.zeros((100, 3))
    force[:, 1] = 0.5 * WEIGHT_N
    moment[:50, 0] = 0.2 * WEIGHT_N * HEIGHT_M
    found = root_wrench.measure(still(missing_force_n=force, missing_moment_nm=moment))
    assert found["root_wrench.force"] == pytest.approx(0.5)
    assert found["root_wrench.moment"] == pytest.approx(0.1)
    assert found["root_wrench.moment_p95"] == pytest.approx(0.2)


def test_torque_excess_names_the_joint() -> None:
    series = still()
    ratio = series.torque_ratio.copy()
    ratio[:10, series.clip.skeleton.index("LeftLeg")] = 1.5
    found = torque_excess.measure(replace(series, torque_ratio=ratio))
    assert found["torque_excess.worst"] == (pytest.approx(1.5), " (at LeftLeg)")
    assert found["torque_excess.share"] == pytest.approx(10.0)
    worst, _ = measures_from(found)
    assert worst.value == pytest.approx(1.5) and "LeftLeg" in worst.about


def test_unknown_strength_is_no_number() -> None:
    series = still()
    found = torque_excess.measure(replace(series, torque_ratio=0 * series.torque_ratio))
    worst, share = measures_from(found)
    assert np.isnan(worst.value) and np.isnan(share.value)


def test_jerk_of_a_cubic_path_is_its_third_derivative() -> None:
    series = still()
    t = series.times_s
    roots = series.clip.root_positions_m.copy()
    roots[:, 0] += 0.5 * t**3  # jerk 3 m/s³, of every joint alike
    clip = replace(series.clip, root_positions_m=roots)
    moved = replace(series, clip=clip, state=forward_kinematics(clip.skeleton, *clip.pose))
    assert jitter.measure(moved)["jitter.jerk"] == pytest.approx(3.0, rel=1e-4)
    roots[:, 0] += 0.5 * t**3
    twice = replace(clip, root_positions_m=roots)
    shaky = replace(series, clip=twice, state=forward_kinematics(twice.skeleton, *twice.pose))
    assert jitter.measure(shaky, moved)["jitter.ratio"] == pytest.approx(2.0, rel=1e-6)


def test_likeness_is_the_mean_over_joints() -> None:
    series = still()
    turned = with_turned_joint(series, "LeftArm", 44.0)
    found = likeness.measure(turned, series)
    assert found["likeness.rotation"] == pytest.approx(44.0 / 22)
    # Elbow and wrist move on circles about the shoulder; the other 20 joints stay.
    upper, fore = 0.186 * 1.75, 0.146 * 1.75
    chord = 2 * np.sin(np.radians(22.0))
    assert found["likeness.position"] == pytest.approx(100 * chord * (2 * upper + fore) / 22)


def test_likeness_ignores_where_the_figure_stands() -> None:
    series = still()
    roots = series.clip.root_positions_m + np.array([3.0, 0.0, 1.0])
    clip = replace(series.clip, root_positions_m=roots)
    moved = replace(series, clip=clip, state=forward_kinematics(clip.skeleton, *clip.pose))
    assert likeness.measure(moved, series)["likeness.position"] == pytest.approx(0.0)


def test_claiming_fewer_contacts_shows() -> None:
    true = np.zeros(100, dtype=bool)
    true[20:80] = True
    claimed = np.zeros(100, dtype=bool)
    claimed[20:50] = True
    found = contact_share.measure(feet(claimed, true), feet(true, true))
    assert found["contact.share_input"] == pytest.approx(60.0)
    assert found["contact.share_claimed"] == pytest.approx(45.0)
    assert found["contact.agreement_left_foot"] == pytest.approx(2 * 30 / (30 + 60))
    assert found["contact.agreement_right_foot"] == 1.0
