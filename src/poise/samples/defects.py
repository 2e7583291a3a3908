"""Known defects, put into clean samples on purpose: each changes exactly what it says.

They compose. A wrong rate comes before a slide and noise, whose sizes it would change; a fake
T-pose and dropped frames come last, because the others would treat those frames as motion. The size
of each is kept in `Sample.injected`, with what a right measure of the damaged clip returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES
from poise.contact import ContactSchedule, touching_points
from poise.environment import Environment
from poise.errors import BadValue
from poise.mechanics import center_of_mass, forward_kinematics
from poise.motion import Clip, low_pass, resample, settled
from poise.samples.human import sample_character
from poise.samples.truth import Flight, Injected, Planted, Sample

Made = TypeVar("Made", Clip, Sample)

_SEED = 12345
_STILL = 1e-9
_X = np.array([1.0, 0.0, 0.0])
_TIMED = ("foot slide", "noise", "wrong rate")
"""Defects whose size a change of time would change."""


def with_foot_slide(
    sample: Sample, speed_cm_s: float, direction: ArrayLike = (1.0, 0.0, 0.0)
) -> Sample:
    """The whole figure moves steadily over the ground, planted feet and all.

    A steady velocity changes no force: flights stay parabolas and balance stays balance. It goes
    to the figure's left unless told otherwise, across what little a rolling sole moves by itself.
    """
    along = _level_direction(direction)
    if not np.isfinite(speed_cm_s):
        raise BadValue("speed_cm_s", "a number", speed_cm_s)
    velocity = 0.01 * float(speed_cm_s) * along
    times = np.arange(sample.clip.frame_count) / sample.clip.rate_hz
    moved = sample.clip.root_positions_m + times[:, None] * velocity
    injected = Injected(
        "foot slide", abs(speed_cm_s), "cm/s", "foot_slide.mean", abs(speed_cm_s), "cm/s"
    )

    def sliding(flight: Flight) -> Flight:
        start = flight.take_off_m + flight.start_s * velocity
        speed = flight.take_off_velocity_m_s + velocity
        return replace(flight, take_off_m=start, take_off_velocity_m_s=speed)

    clip = replace(sample.clip, root_positions_m=moved)
    made = _with_truth(sample, clip, lambda rest: _sliding(rest, velocity), sliding)
    return _injected(made, injected)


def with_penetration(sample: Sample, depth_cm: float) -> Sample:
    """The whole figure is lowered into the ground."""
    depth = _positive("depth_cm", depth_cm)
    injected = Injected("penetration", depth, "cm", "penetration.deepest", depth, "cm")
    return _injected(_raised(sample, -0.01 * depth), injected)


def with_float(sample: Sample, height_cm: float) -> Sample:
    """The whole figure is raised off the ground it says to touch."""
    height = _positive("height_cm", height_cm)
    injected = Injected("float", height, "cm", "float.mean", height, "cm")
    return _injected(_raised(sample, 0.01 * height), injected)


def with_noise(sample: Sample, millimetres: float, seed: int = _SEED) -> Sample:
    """The whole figure shakes: white noise on the root, of this RMS size along each axis."""
    size = 0.001 * _positive("millimetres", millimetres)
    clip = sample.clip
    noise = np.random.default_rng(seed).normal(size=(clip.frame_count, 3))
    noise *= size / np.sqrt((noise**2).mean(axis=0))
    state = forward_kinematics(clip.skeleton, *clip.pose)
    # Noise and motion are independent: their squares add up.
    own, shaking = _jerk_m_s3(state.positions_m, clip), _jerk_m_s3(noise[:, None], clip)
    expected = float(np.hypot(own, shaking))
    injected = Injected("noise", millimetres, "mm", "jitter.jerk", expected, "m/s³")
    shaken = replace(clip, root_positions_m=clip.root_positions_m + noise)
    return _injected(replace(sample, clip=shaken), injected)


def _jerk_m_s3(positions_m: Array, clip: Clip) -> float:
    """RMS jerk of points (F, n, 3) within the band that counts as motion; NaN for short clips."""
    frames, rate = clip.frame_count, clip.rate_hz
    smooth = low_pass(positions_m.reshape(frames, -1), rate).reshape(positions_m.shape)
    inner = smooth[settled(frames, rate)]
    if len(inner) < 4:
        return float("nan")
    jerk = np.diff(inner, n=3, axis=0) * rate**3
    return float(np.sqrt((jerk**2).sum(axis=-1).mean()))


def with_rotation_noise(sample: Sample, degrees: float, seed: int = _SEED) -> Sample:
    """All joints but the root shake: white noise that turns them by this angle on average."""
    mean = np.radians(_positive("degrees", degrees))
    clip = sample.clip
    shape = (clip.frame_count, clip.skeleton.joint_count - 1, 3)
    turns = np.random.default_rng(seed).normal(size=shape)
    turns *= mean / np.linalg.norm(turns, axis=-1).mean()
    q = clip.rotations_wxyz.copy()
    q[:, 1:] = rotations.multiply(q[:, 1:], rotations.exp(turns))
    # The likeness is a mean over all joints, and the root's share of it is zero.
    joints = clip.skeleton.joint_count
    expected = degrees * (joints - 1) / joints
    injected = Injected("rotation noise", degrees, "deg", "likeness.rotation", expected, "deg")
    return _injected(replace(sample, clip=replace(clip, rotations_wxyz=q)), injected)


def with_wrong_rate(sample: Sample, factor: float) -> Sample:
    """Frames `factor` apart under the old rate: 2 drops every other frame, 0.5 doubles them.

    The motion seems `factor` times as fast, and gravity `factor`² times as strong.
    """
    factor = _positive("factor", factor)
    timed = [i.defect for i in sample.injected if i.defect in _TIMED]
    if timed:
        raise BadValue("sample", f"one without {' and '.join(timed)}: these come after", timed)
    rate = sample.clip.rate_hz
    if factor * 2 > sample.clip.frame_count:
        raise BadValue("factor", f"under {sample.clip.frame_count / 2:g} for this clip", factor)
    clip = replace(resample(sample.clip, rate / factor), rate_hz=rate)
    picked = np.rint(np.arange(clip.frame_count) * factor).astype(np.int64)
    picked = np.minimum(picked, sample.contacts.frame_count - 1)
    contacts = sample.contacts
    contacts = ContactSchedule(contacts.parts, contacts.touching[picked], rate)
    seeming = 9.81 * factor**2
    injected = Injected("wrong rate", factor, "x", "gravity", seeming, "m/s²")

    def hurried(flight: Flight) -> Flight:
        return Flight(
            flight.start_s / factor,
            flight.end_s / factor,
            flight.take_off_m,
            flight.take_off_velocity_m_s * factor,
            flight.gravity_m_s2 * factor**2,
        )

    clip = clip.noted(f"sample defect: {factor:g} times as fast")
    made = _with_truth(sample, clip, lambda rest: _hurried(rest, factor), hurried)
    return _injected(replace(made, contacts=contacts), injected)


def with_lean(sample: Sample, beyond_cm: float) -> Sample:
    """The figure leans stiffly forward about its ankles, farther than it could stand.

    Its centre of mass comes to lie exactly `beyond_cm` in front of the line from the foremost
    point of one foot to that of the other. Who stands still has the zero-moment point straight
    below, so that is its excursion.
    """
    beyond_cm = _positive("beyond_cm", beyond_cm)
    clip = sample.clip
    still = np.abs(clip.rotations_wxyz - clip.rotations_wxyz[:1]).max() < _STILL
    if not still or np.abs(np.diff(clip.root_positions_m, axis=0)).max(initial=0.0) > _STILL:
        raise BadValue("sample", "one that stands still, such as 'stand'", clip.name)
    leaning = _leaning(clip, _front_m(clip) + 0.01 * beyond_cm)
    injected = Injected("lean", beyond_cm, "cm", "zmp_excursion.mean", beyond_cm, "cm")
    return _injected(replace(sample, clip=leaning), injected)


def _front_m(clip: Clip) -> float:
    """Z of the line between the foremost points of both feet."""
    parts = tuple(f"{side}_foot" for side in SIDES)
    stands = np.ones((clip.frame_count, len(parts)), dtype=np.bool_)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    floor = Environment.flat()
    schedule = ContactSchedule(parts, stands, clip.rate_hz)
    touched = touching_points(state, sample_character(), schedule, floor)
    return float(touched.places_m[0, :, 2].max())


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


def with_t_pose(made: Made) -> Made:
    """The rest pose as an extra first frame, at the place of the real one."""
    if isinstance(made, Sample):
        late = 1.0 / made.clip.rate_hz
        touching = np.vstack(
            [np.zeros((1, len(made.contacts.parts)), bool), made.contacts.touching]
        )
        contacts = ContactSchedule(made.contacts.parts, touching, made.contacts.rate_hz)
        return replace(
            _with_truth(
                made,
                with_t_pose(made.clip),
                lambda rest: _later(rest, late),
                lambda flight: replace(
                    flight, start_s=flight.start_s + late, end_s=flight.end_s + late
                ),
            ),
            contacts=contacts,
        )
    return replace(
        made,
        root_positions_m=np.concatenate([made.root_positions_m[:1], made.root_positions_m]),
        rotations_wxyz=np.concatenate([made.skeleton.rest_wxyz[None], made.rotations_wxyz]),
        moving_offsets_m=np.concatenate([made.moving_offsets_m[:1], made.moving_offsets_m]),
    )


def with_dropped_frames(made: Made, frames: tuple[int, ...]) -> Made:
    """Those frames all zero, as a capture that lost them writes them."""
    if isinstance(made, Sample):
        return replace(made, clip=with_dropped_frames(made.clip, frames))
    roots, q = made.root_positions_m.copy(), made.rotations_wxyz.copy()
    roots[list(frames)] = 0.0
    q[list(frames)] = made.skeleton.rest_wxyz
    return replace(made, root_positions_m=roots, rotations_wxyz=q)


def _with_truth(
    sample: Sample,
    clip: Clip,
    rest: Callable[[Planted], Planted],
    flight: Callable[[Flight], Flight],
) -> Sample:
    """The sample with another clip, and what is known of it changed alike."""
    return replace(
        sample,
        clip=clip,
        planted=tuple(map(rest, sample.planted)),
        reached=tuple(map(rest, sample.reached)),
        flights=tuple(map(flight, sample.flights)),
    )


def _injected(sample: Sample, injected: Injected) -> Sample:
    note = f"sample defect: {injected.defect} of {injected.size:g} {injected.unit}"
    return replace(sample, clip=sample.clip.noted(note), injected=(*sample.injected, injected))


def _raised(sample: Sample, up_m: float) -> Sample:
    shift = np.array([0.0, up_m, 0.0])
    return _with_truth(
        sample,
        replace(sample.clip, root_positions_m=sample.clip.root_positions_m + shift),
        lambda rest: _moved(rest, shift),
        lambda flight: replace(flight, take_off_m=flight.take_off_m + shift),
    )


def _moved(rest: Planted, shift: Array) -> Planted:
    x, y, z = np.asarray(rest.position_m) + shift
    return replace(rest, position_m=(float(x), float(y), float(z)))


def _sliding(rest: Planted, velocity: Array) -> Planted:
    x, y, z = np.asarray(rest.drift_m_s) + velocity
    return replace(rest, drift_m_s=(float(x), float(y), float(z)))


def _later(rest: Planted, late_s: float) -> Planted:
    # Places are told for time zero: what drifts was farther back then.
    return replace(
        _moved(rest, -late_s * np.asarray(rest.drift_m_s)),
        start_s=max(rest.start_s, 0.0) + late_s,
        end_s=rest.end_s + late_s,
    )


def _hurried(rest: Planted, factor: float) -> Planted:
    x, y, z = factor * np.asarray(rest.drift_m_s)
    return replace(
        rest,
        start_s=rest.start_s / factor,
        end_s=rest.end_s / factor,
        drift_m_s=(float(x), float(y), float(z)),
    )


def _positive(name: str, value: float) -> float:
    if not (np.isfinite(value) and value > 0):
        raise BadValue(name, "more than zero", value)
    return float(value)


def _level_direction(direction: ArrayLike) -> Array:
    level = np.array(direction, dtype=np.float64)
    length = float(np.linalg.norm(level)) if level.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0) or level[1] != 0.0:
        raise BadValue("direction", "three numbers, level and not all zero", direction)
    return level / length
