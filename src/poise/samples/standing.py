"""Figures whose feet stay where they are: standing still, and squatting."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import contact_points
from poise.errors import BadValue
from poise.mechanics import center_of_mass, forward_kinematics, site_positions
from poise.motion import Clip
from poise.samples.balancing import balanced
from poise.samples.curves import Step, point_on
from poise.samples.finishing import Steps, feet_of, finished
from poise.samples.human import sample_character
from poise.samples.plan import SIDES, Ground, Plan, Timeline, Turns, stacked
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


STANDING_M = 0.986
"""Height of the centre of mass of a figure that stands at ease, arms down."""
MID_FOOT_M = 0.11
"""From the heel to where the push of a standing figure is."""

_SQUAT_S = 2.4
_DEPTH_M = 0.34
_SQUAT_LINE = Timeline(_SQUAT_S / 240, 240, cyclic=True)
_STAND_LINE = Timeline(0.05, 20, cyclic=True)


def feet_at(half_width_m: float, toe_out_deg: float) -> Steps:
    """Both feet flat for ever, heels side by side at Z = 0."""

    def steps(side: str, first_s: float, last_s: float) -> list[Step]:
        sign = 1.0 if side == "left" else -1.0
        return [Step((sign * half_width_m, 0.0), yaw_rad=sign * float(np.radians(toe_out_deg)))]

    return steps


def mid_feet(steps: Steps, ahead_m: float = MID_FOOT_M) -> Array:
    """(2,) half way between points of both feet, measured from the heels."""
    return np.mean([point_on(steps(side, 0.0, 0.0)[0], ahead_m) for side in SIDES], axis=0)


_STANCE = feet_at(0.10, 7.0)
_WIDE = feet_at(0.14, 16.0)


def standing(seconds: float = 2.0, rate_hz: float = 120.0) -> Sample:
    """Stand perfectly still, facing +Z."""
    return finished("stand", _standing_plan(), _STANCE, seconds, rate_hz)


def squatting(seconds: float = 2 * _SQUAT_S, rate_hz: float = 120.0) -> Sample:
    """Squat and rise, again and again, arms forward at the bottom."""
    return finished("squat", _squatting_plan(), _WIDE, seconds, rate_hz)


@cache
def _standing_plan() -> tuple[Plan, Ground]:
    def angles(times: Array) -> dict[str, Array]:
        return stacked(hanging_arms({"Hips": (1.0, 0.0, 0.0), "Head": (-1.0, 0.0, 0.0)}), times)

    def heights(times: Array) -> Array:
        return np.full(len(times), STANDING_M)

    plan = Plan(feet_of(_STANCE), angles, heights)
    return balanced(plan, _STAND_LINE, lambda t: np.tile(mid_feet(_STANCE), (len(t), 1)))


@cache
def _squatting_plan() -> tuple[Plan, Ground]:
    def down(times: Array) -> Array:
        """0 upright, 1 at the bottom: a pause at neither end, smooth everywhere."""
        return 0.5 - 0.5 * np.cos(2.0 * np.pi * times / _SQUAT_S)

    def angles(times: Array) -> dict[str, Array]:
        s = down(times)
        turns: Turns = {
            "Hips": (1.0 + 33.0 * s, 0.0, 0.0),
            "Spine": (6.0 * s, 0.0, 0.0),
            "Spine1": (2.0 * s, 0.0, 0.0),
            "Neck": (-8.0 * s, 0.0, 0.0),
            "Head": (-1.0 - 16.0 * s, 0.0, 0.0),
        }
        for side, sign in (("Left", 1.0), ("Right", -1.0)):
            turns[f"{side}Arm"] = (2.0 - 120.0 * s, 0.0, sign * (8.0 - 4.0 * s))
            turns[f"{side}ForeArm"] = (-14.0 - 6.0 * s, -6.0 * sign, 0.0)
        return stacked(turns, times)

    def heights(times: Array) -> Array:
        return STANDING_M - 0.005 - _DEPTH_M * down(times)

    plan = Plan(feet_of(_WIDE), angles, heights)
    return balanced(plan, _SQUAT_LINE, lambda t: np.tile(mid_feet(_WIDE), (len(t), 1)))


def hanging_arms(turns: Turns) -> Turns:
    """The same turns with arms that hang at ease."""
    arms: Turns = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        arms[f"{side}Arm"] = (2.0, 0.0, 8.0 * sign)
        arms[f"{side}ForeArm"] = (-14.0, -6.0 * sign, 0.0)
    return {**arms, **turns}
