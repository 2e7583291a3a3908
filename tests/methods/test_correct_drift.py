"""Steady drift over the ground: seen where it is, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.environment import Environment
from poise.methods.correct.drift import steady_drift_m_s, without_drift
from poise.methods.correct.mesh import Mesh, motion_mesh, vertices_of
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.problem import STATIC, Contacts
from poise.methods.correct.settings import FEET, Settings
from poise.motion import resample
from poise.samples import Sample, sample_character, walking, with_foot_slide
from tests.methods.test_correct_optimizer import real_walk
from tests.shared_data import needs_mocap


def walked(sample: Sample) -> tuple[Mesh, Array, Contacts]:
    """A sample's vertices at 30 Hz, and what of its soles rests on the ground without the slide."""
    mesh = motion_mesh(sample_character(), FEET)
    step = round(sample.clip.rate_hz / 30.0)
    clip = resample(sample.clip, sample.clip.rate_hz / step)
    places = vertices_of(mesh, clip)
    feet = [f"{c.split('_')[0]}_foot" for c in FEET]
    touching = np.stack([sample.contacts.column(foot)[::step] for foot in feet], axis=1)
    paths = places[:, mesh.contact_vertex]
    speeds = np.abs(np.gradient(paths[..., 1], axis=0)) * 30.0
    low = paths[..., 1] < paths[..., 1].min(axis=0) + 0.005
    return mesh, places, (touching[: len(places)] & low & (speeds < 0.1)).astype(np.int8)


@pytest.mark.parametrize("speed", [-20.0, 8.0])
def test_an_injected_slide_is_found_and_its_removal_gives_the_motion_back(speed: float) -> None:
    clean = walking()
    mesh, truth, contacts = walked(clean)
    places = walked(with_foot_slide(clean, speed))[1]
    drift = steady_drift_m_s(mesh, places, contacts, 30.0)
    assert drift == pytest.approx([0.01 * speed, 0.0, 0.0], abs=0.01)
    back = without_drift(places, drift, 30.0)
    heights = truth[:, mesh.contact_vertex, 1].min(axis=0)
    made = MotionOptimizer(mesh, back, 30.0, Environment.flat(), Settings(), heights)
    found = made.solve(contacts).vertices_m
    assert np.linalg.norm(found - truth, axis=2).mean() < 0.015


def test_a_clean_walk_does_not_drift() -> None:
    mesh, places, contacts = walked(walking())
    assert (contacts == STATIC).any()
    assert not steady_drift_m_s(mesh, places, contacts, 30.0).any()


@needs_mocap
def test_a_real_walk_does_not_drift() -> None:
    mesh, places, _, contacts = real_walk("cmu/02_01.bvh")
    assert not steady_drift_m_s(mesh, places, contacts, 30.0).any()


def test_too_few_stances_tell_nothing() -> None:
    mesh, places, contacts = walked(walking())
    assert not steady_drift_m_s(mesh, places, np.zeros_like(contacts), 30.0).any()
