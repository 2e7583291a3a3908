"""Bounds of a solve: what grows while they are broken, what is kept, and what is forgotten."""

from __future__ import annotations

import numpy as np
import pytest

from poise.constraints import Scene
from poise.environment import Environment
from poise.mechanics import forward_kinematics
from poise.physics import PhysicsSettings
from poise.physics.bounds import HEAVIEST, MOST_SEVERE, Bounds
from poise.physics.clearance_rows import NO_FLESH
from poise.physics.self_clearance_rows import apart_of
from poise.physics.settings import MET_DEPTH_M
from poise.physics.torque_rows import Strength, strength_of
from poise.samples import sample_character, standing

BODY, CLIP = sample_character(), standing(0.5, 30.0).clip
FRAMES = CLIP.frame_count
SETTINGS = PhysicsSettings()


@pytest.fixture
def made() -> tuple[Bounds, Strength]:
    state = forward_kinematics(CLIP.skeleton, *CLIP.pose)
    strength = strength_of(BODY, FRAMES)
    strength.asked[:3] = 0
    scene = Scene(CLIP, BODY, Environment.flat())
    bounds = Bounds(scene, SETTINGS, NO_FLESH, apart_of(state, CLIP.skeleton, None), strength)
    bounds.begin(state)
    return bounds, strength


def test_what_is_broken_weighs_more_there_up_to_a_limit(made: tuple[Bounds, Strength]) -> None:
    bounds, strength = made
    bounds.outside.deepest[5] = 2.0 * MET_DEPTH_M
    bounds.apart.deepest[7] = 2.0 * MET_DEPTH_M
    strength.worst[9] = 1.2
    left = bounds.left()
    assert (left > 1.0).nonzero()[0].tolist() == [5, 7, 9]
    everywhere = np.ones(FRAMES, dtype=np.bool_)
    elsewhere = everywhere.copy()
    elsewhere[7] = False
    bounds.weigh(elsewhere)
    grown = bounds.weights.clearance / SETTINGS.clearance
    assert (grown > 1.0).nonzero()[0].tolist() == [5]
    assert (bounds.weights.torque[3:] > SETTINGS.torque).nonzero()[0].tolist() == [6]
    assert (bounds.weights.torque[:3] == 0.0).all(), "nobody asked for strength there"
    for _ in range(20):
        bounds.weigh(everywhere)
    assert bounds.weights.clearance.max() == HEAVIEST * SETTINGS.clearance


def test_the_same_solve_goes_back_and_the_next_one_forgets(made: tuple[Bounds, Strength]) -> None:
    bounds, _ = made
    kept = bounds.grown()
    bounds.outside.deepest[5] = 1.0
    everywhere = np.ones(FRAMES, dtype=np.bool_)
    for _ in range(2):
        bounds.weigh(everywhere)
    heavy, weight = bounds.grown(), bounds.weights.clearance[5]
    bounds.put_back(kept)
    assert (bounds.weights.clearance == SETTINGS.clearance).all()
    bounds.put_back(heavy)
    assert bounds.weights.clearance[5] == weight
    bounds.restore(heavy)
    assert SETTINGS.clearance < bounds.weights.clearance[5] < weight


def test_torques_count_more_no_further_than_so_much(made: tuple[Bounds, Strength]) -> None:
    bounds, strength = made
    severity = np.ones((FRAMES, CLIP.skeleton.joint_count))
    severity[4, 2] = 1.3
    changes = [bounds.worsen(severity).nonzero()[0].tolist() for _ in range(8)]
    assert changes == [[4]] * 6 + [[], []]
    assert strength.severity[4, 2] == MOST_SEVERE
    assert (np.delete(strength.severity, 4, axis=0) == 1.0).all()
