"""An unbalanced lean of known size, for a figure that stands still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import contact_points
from poise.errors import BadValue
from poise.mechanics import center_of_mass, forward_kinematics, site_positions
from poise.motion import Clip
from poise.samples.human import sample_character
from poise.samples.plan import SIDES
from poise.samples.truth import Injected, Sample

_STILL = 1e-9
_X = np.array([1.0, 0.0, 0.0])


def with_lean(sample: Sample, beyond_cm: float) -> Sample:
    """The figure leans stiffly forward about its ankles, farther than it could stand.

    Its centre of mass comes to lie exactly `beyond_cm` in front of the line from toe tip to toe
    tip. Who stands still has the zero-moment point straight below, so that is its excursion.
    """
    if not (np.isfinite(beyond_cm) and beyond_cm > 0):
        raise BadValue("beyond_cm", "more than zero", beyond_cm)
    clip = sample.clip
    still = np.abs(clip.rotations_wxyz - clip.rotations_wxyz[:1]).max() < _STILL
    if not still or np.abs(np.diff(clip.root_positions_m, axis=0)).max(initial=0.0) > _STILL:
        raise BadValue("sample", "one that stands still, such as 'stand'", clip.name)
    leaning = _leaning(clip, _front_m(clip) + 0.01 * beyond_cm)
    injected = Injected("lean", beyond_cm, "cm", "zmp_excursion.mean", beyond_cm, "cm")
    note = f"sample defect: lean of {beyond_cm:g} cm"
    return replace(sample, clip=leaning.noted(note), injected=(*sample.injected, injected))


def _front_m(clip: Clip) -> float:
    """Z of the line between the toe tips."""
    state = forward_kinematics(clip.skeleton, *(clip.root_positions_m[0], clip.rotations_wxyz[0]))
    soles = contact_points(sample_character())
    return max(float(site_positions(state, soles[f"{side}_foot"])[0, :, 2].max()) for side in SIDES)


def _leaning(clip: Clip, wanted_m: float) -> Clip:
    """Turned about the ankles until the centre of mass is at this Z; feet as they are."""
    body, skeleton = sample_character().body, clip.skeleton
    assert body is not None
    state = forward_kinematics(skeleton, *clip.pose)
    ankles = [skeleton.index(f"{side.capitalize()}Foot") for side in SIDES]
    resting = [joint for ankle in ankles for joint in (ankle, *skeleton.children[ankle])]
    pivot = state.positions_m[0, ankles].mean(axis=0)
    whole, total = center_of_mass(state, body)[0], body.total_mass_kg
    masses = body.masses_kg[resting]
    feet = masses @ (
        state.positions_m[0, resting]
        + rotations.rotate(state.rotations_wxyz[0, resting], body.centers_m[resting])
    )
    mass = total - float(masses.sum())
    arm = (total * whole - feet) / mass - pivot
    # The rest turns as one: its Z becomes arm_z·cos + arm_y·sin of the angle.
    ahead = (total * wanted_m - feet[2]) / mass - pivot[2]
    reach = float(np.hypot(arm[1], arm[2]))
    if ahead > 0.7 * reach:
        raise BadValue("beyond_cm", "what a lean about the ankles reaches", "too much")
    angle = np.arcsin(ahead / reach) - np.arctan2(arm[2], arm[1])
    return _turned(clip, state.rotations_wxyz, rotations.from_axis_angle(_X, angle), pivot, ankles)


def _turned(clip: Clip, world: Array, turn: Array, pivot: Array, ankles: list[int]) -> Clip:
    q = clip.rotations_wxyz.copy()
    q[:, 0] = rotations.multiply(turn, q[:, 0])
    for ankle in ankles:
        shank = rotations.multiply(turn, world[:, clip.skeleton.parents[ankle]])
        q[:, ankle] = rotations.multiply(rotations.conjugate(shank), world[:, ankle])
    roots = pivot + rotations.rotate(turn, clip.root_positions_m - pivot)
    return replace(clip, root_positions_m=roots, rotations_wxyz=q)
