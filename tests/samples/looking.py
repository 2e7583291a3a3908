"""Where the points of a sample are, and how far from where they should be."""

from __future__ import annotations

import numpy as np

from poise.character import contact_points
from poise.mechanics import BodyState, center_of_mass, forward_kinematics, site_positions
from poise.motion import Clip
from poise.samples import Sample, sample_character


def state_of(clip: Clip) -> BodyState:
    return forward_kinematics(clip.skeleton, *clip.pose)


def soles(clip: Clip, side: str) -> np.ndarray:
    """(F, 5, 3) all points of a sole."""
    return site_positions(state_of(clip), contact_points(sample_character())[f"{side}_foot"])


def site(clip: Clip, name: str) -> np.ndarray:
    """(F, 3) a named point, or a joint."""
    state, sites = state_of(clip), sample_character().sites
    if name in clip.skeleton.joint_names:
        return state.positions_m[:, clip.skeleton.index(name)]
    return site_positions(state, sites)[:, sites.index(name)]


def parabola_error(sample: Sample) -> float:
    body = sample_character().body
    assert body is not None
    centers = center_of_mass(state_of(sample.clip), body)
    errors = [0.0]
    for flight in sample.flights:
        frames = flight.frames(sample.clip.rate_hz, sample.clip.frame_count)
        parabola = flight.center_of_mass(frames / sample.clip.rate_hz)
        errors.append(float(np.abs(centers[frames] - parabola).max(initial=0.0)))
    return max(errors)


def place_error(sample: Sample) -> float:
    errors = [0.0]
    for rest in sample.planted:
        frames = rest.frames(sample.clip.rate_hz, sample.clip.frame_count)
        places = rest.places_m(frames / sample.clip.rate_hz)
        errors.append(float(np.abs(site(sample.clip, rest.site)[frames] - places).max(initial=0)))
    return max(errors)
