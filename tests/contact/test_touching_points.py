"""Which points of a foot touch, and how broad it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.contact import distance_to_support, observe, support_area, touching_points
from poise.contact.touching_points import END_BREADTH
from poise.mechanics import forward_kinematics
from tests.contact.force_plates import trial_paths
from tests.contact.plate_forces import plates
from tests.contact.standing import schedule, standing
from tests.physics.test_force_plates import place_of
from tests.shared_data import needs_mocap


def test_heels_and_toes_are_as_broad_as_the_ball_but_for_a_share() -> None:
    clip, character, floor = standing()
    state = forward_kinematics(clip.skeleton, *clip.pose)
    found = touching_points(state, character, schedule(clip.frame_count), floor)
    assert len(found.names) == 14
    for end in ("left_heel", "left_toe_tip"):
        a, b = (c for c, name in enumerate(found.names) if name == end)
        inner, outer = found.names.index("left_inner_edge"), found.names.index("left_outer_edge")
        ball = np.linalg.norm(found.places_m[0, outer] - found.places_m[0, inner])
        breadth = np.linalg.norm(found.places_m[0, b] - found.places_m[0, a])
        np.testing.assert_allclose(breadth, END_BREADTH * ball, rtol=1e-6)
        assert found.joints[a] == found.joints[b]


def test_forces_of_both_halves_of_a_heel_are_the_heels() -> None:
    clip, character, floor = standing()
    series = observe(clip, character, floor, schedule(clip.frame_count), None)
    total = series.forces_n.sum(axis=1)
    weight = series.mass_kg * 9.81
    np.testing.assert_allclose(total[5], [0.0, weight, 0.0], atol=0.02 * weight)


@needs_mocap
@pytest.mark.parametrize("path", trial_paths(), ids=lambda path: path.stem)
def test_the_pressure_that_plates_measure_is_inside_of_the_support(path: Path) -> None:
    measured, place = plates(path), place_of(path)
    state = forward_kinematics(measured.clip.skeleton, *measured.clip.pose)
    touched = touching_points(state, measured.character, measured.truth, place)
    area = support_area(touched.places_m, touched.touching)
    assert measured.character.body is not None
    weight = 9.81 * measured.character.body.total_mass_kg
    loaded = measured.forces_n[:, :, 1].sum(axis=1) > 0.1 * weight
    loaded &= measured.valid & measured.truth.touching.any(axis=1)
    outside = distance_to_support(area, measured.pressure_m)[loaded] > 0.01
    # The runner's skeleton has toes that do not bend: at push-off they point into the ground.
    assert outside.mean() < (0.28 if "run" in path.stem else 0.03)
