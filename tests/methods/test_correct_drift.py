"""Steady drift over the ground: seen where it is, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.character import Character
from poise.contact import ContactSchedule, TouchingPoints, detect_contacts, touching_points
from poise.environment import Environment
from poise.mechanics import forward_kinematics
from poise.methods.correct.drift import steady_drift_m_s, without_drift
from poise.motion import Clip
from poise.samples import sample_character, walking, with_foot_slide
from tests.methods.edited import recorded
from tests.shared_data import needs_mocap

FLAT = Environment.flat()


def points_of(clip: Clip, contacts: ContactSchedule, who: Character) -> TouchingPoints:
    return touching_points(forward_kinematics(clip.skeleton, *clip.pose), who, contacts, FLAT)


@pytest.mark.parametrize("speed", [-20.0, 8.0])
def test_an_injected_slide_is_found_and_its_removal_gives_the_motion_back(speed: float) -> None:
    clean = walking()
    slid = with_foot_slide(clean, speed).clip
    points = points_of(slid, clean.contacts, sample_character())
    drift = steady_drift_m_s(points, clean.contacts)
    assert drift == pytest.approx([0.01 * speed, 0.0, 0.0], abs=0.01)
    back = without_drift(slid.root_positions_m, drift, slid.rate_hz)
    off = np.linalg.norm(back - clean.clip.root_positions_m, axis=1)
    before = np.linalg.norm(slid.root_positions_m - clean.clip.root_positions_m, axis=1)
    assert off.mean() < 0.015 and off.max() < 0.1 * before.max()


def test_a_clean_walk_does_not_drift() -> None:
    clean = walking()
    points = points_of(clean.clip, clean.contacts, sample_character())
    assert clean.contacts.touching.any()
    assert not steady_drift_m_s(points, clean.contacts).any()


@needs_mocap
def test_a_real_walk_does_not_drift() -> None:
    clip, who = recorded("02_01", 120.0)
    contacts = detect_contacts(clip, who, FLAT, ("left_foot", "right_foot"))
    assert not steady_drift_m_s(points_of(clip, contacts, who), contacts).any()


def test_too_few_stances_tell_nothing() -> None:
    slid, contacts = with_foot_slide(walking(), 20.0).clip, walking().contacts
    nothing = replace(contacts, touching=np.zeros_like(contacts.touching))
    assert not steady_drift_m_s(points_of(slid, nothing, sample_character()), nothing).any()
