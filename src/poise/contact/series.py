"""The mechanics of a clip, frame by frame: computed once, read by every measure and chart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character, Sites, contact_points, contact_radii_m, stature_m
from poise.contact.clip_dynamics import AS_SUITED, ClipDynamics, clip_dynamics
from poise.contact.point_motion import joined_sites
from poise.contact.reaction_forces import UNLIMITED, joint_torques, reaction_forces, torque_ratios
from poise.contact.schedule import ContactSchedule, intervals, phases
from poise.contact.support_area import distance_to_support, support_area
from poise.contact.touching_points import touching_points
from poise.environment import Environment, query
from poise.mechanics import (
    GRAVITY_M_S2,
    BodyState,
    momentum,
    site_positions,
    zero_moment_point,
)
from poise.motion import Clip, Derivatives, differentiate, splines


@dataclass(frozen=True, eq=False)
class Series:
    """A clip on a body in a place, with what touches, and the mechanics of it all.

    Letters: F frames, P body parts of the schedule, C contact points, J joints.
    """

    clip: Clip
    character: Character
    environment: Environment
    contacts: ContactSchedule
    state: BodyState
    mass_kg: float
    height_m: float
    """Stature of the figure at rest."""
    cutoff_hz: float | None
    """Where the smoothing of accelerations keeps half the amplitude."""
    times_s: Array
    """(F,)"""
    com_m: Array
    """(F, 3) centre of mass."""
    com_acceleration_m_s2: Array
    """(F, 3)"""
    linear_momentum_n_s: Array
    angular_momentum_n_m_s: Array
    """(F, 3) both; angular about the centre of mass."""
    point_parts: tuple[str, ...]
    """(C,) the body part that each contact point belongs to."""
    points_m: Array
    """(F, C, 3)"""
    point_distances_m: Array
    """(F, C) signed distance to the surface, negative inside."""
    point_slide_m_s: Array
    """(F, C) speed along the surface, relative to it."""
    touching: NDArray[np.bool_]
    """(F, C) whether the point's part is said to touch."""
    pressing: NDArray[np.bool_]
    """(F, C) whether the point is low enough to carry something: of a foot on its toes, not the
    heel. They span the support area."""
    zmp_m: Array
    """(F, 3) zero-moment point on the ground; NaN in flight."""
    support_distance_m: Array
    """(F,) how far the ZMP lies outside the support area (negative inside); NaN in flight."""
    forces_n: Array
    """(F, C, 3) reaction forces that explain the motion best."""
    missing_force_n: Array
    missing_moment_nm: Array
    """(F, 3) both: what the best reaction forces leave unexplained (the invisible hand)."""
    torque_ratio: Array
    """(F, J) largest ratio of joint torque to its limit; 0 where no limit is known."""
    flight: NDArray[np.bool_]
    """(F,) nothing touches, long enough to count as a flight."""


LEAST_PRESSURE = 0.1
"""Share of the body's weight below which the ground carries too little for the ZMP to mean
anything: it runs away to infinity as the pressure goes to zero, in the best of leaps."""

SHORTEST_ALONE = splines.SHORTEST
"""Frames below which a flight is too short to be differentiated by itself."""


def observe(
    clip: Clip,
    character: Character,
    environment: Environment,
    contacts: ContactSchedule,
    cutoff_hz: float | None = AS_SUITED,
) -> Series:
    """The mechanics of a clip: what measures, charts and `retarget` read, computed once.

    Args:
        clip: the motion.
        character: whose.
        environment: where.
        contacts: what touches when.
        cutoff_hz: where the smoothing of accelerations keeps half the amplitude; as suits the
            noise, unless given.
    """
    dynamics = clip_dynamics(clip, character, cutoff_hz)
    touched = touching_points(dynamics.state, character, contacts, environment)
    reaction = reaction_forces(dynamics, touched)
    hand = reaction_forces(dynamics, touched, UNLIMITED)
    area = support_area(touched.places_m, touched.touching)
    zmp = zero_moment_point(
        clip.root_positions_m, dynamics.unsupported, np.nan_to_num(area.heights_m)
    )
    pressed = dynamics.outer_force_n[:, 1] > LEAST_PRESSURE * dynamics.weight_n
    mass = dynamics.body.total_mass_kg
    acceleration = dynamics.outer_force_n / mass + GRAVITY_M_S2
    linear, spin = _momenta(dynamics, dynamics.derivatives)
    flight = flying(contacts, acceleration[:, 1])
    torque = torque_ratios(character, joint_torques(dynamics, reaction))
    missing = np.array(hand.missing_force_n), np.array(hand.missing_moment_nm)
    _redo_flights(clip, character, dynamics.cutoff_hz, flight, acceleration, spin, torque, missing)
    known = contact_points(character)
    points = joined_sites(known.values())
    parts = tuple(part for part, sites in known.items() for _ in sites.names)
    places, distances, slide = _against_surface(dynamics.state, character, points, parts,
                                                environment, clip.rate_hz)  # fmt: skip
    forces = np.zeros((clip.frame_count, len(points), 3))
    pressing = np.zeros((clip.frame_count, len(points)), dtype=np.bool_)
    column = {(p, n): c for c, (p, n) in enumerate(zip(parts, points.names, strict=True))}
    for c, (name, owner) in enumerate(zip(touched.names, touched.owners.tolist(), strict=True)):
        forces[:, column[touched.parts[owner], name]] += reaction.forces_n[:, c]
        pressing[:, column[touched.parts[owner], name]] |= touched.touching[:, c]
    said = np.stack([contacts.column(part) for part in parts], axis=1)
    return Series(
        clip=clip,
        character=character,
        environment=environment,
        contacts=contacts,
        state=dynamics.state,
        mass_kg=mass,
        height_m=_height_m(character, dynamics.length_m),
        cutoff_hz=dynamics.cutoff_hz,
        times_s=np.arange(clip.frame_count) / clip.rate_hz,
        com_m=dynamics.com_m,
        com_acceleration_m_s2=acceleration,
        linear_momentum_n_s=linear,
        angular_momentum_n_m_s=spin,
        point_parts=parts,
        points_m=places,
        point_distances_m=distances,
        point_slide_m_s=slide,
        touching=said,
        pressing=pressing,
        zmp_m=np.where((pressed & np.isfinite(area.heights_m))[:, None], zmp, np.nan),
        support_distance_m=np.where(pressed, distance_to_support(area, zmp), np.nan),
        forces_n=forces,
        missing_force_n=missing[0],
        missing_moment_nm=missing[1],
        torque_ratio=torque,
        flight=flight,
    )


def _height_m(character: Character, extent_m: float) -> float:
    """Stature by the bones, where the figure is known; a robot's or other's extent at rest."""
    if character.roles is None or character.roles.missing:
        return extent_m
    return stature_m(character.skeleton, character.roles)


def _momenta(dynamics: ClipDynamics, rates: Derivatives) -> tuple[Array, Array]:
    found = momentum(
        dynamics.state, dynamics.body, rates.root_velocities_m_s, rates.angular_velocities_rad_s
    )
    return np.array(found.linear_kg_m_s), np.array(found.angular_kg_m2_s)


def flying(contacts: ContactSchedule, upward_m_s2: Array) -> NDArray[np.bool_]:
    """(F,) frames of flights, by what touches and how the centre of mass accelerates upward."""
    found = np.zeros(contacts.frame_count, dtype=np.bool_)
    for phase in phases(contacts, upward_m_s2):
        if phase.kind == "flight":
            found[phase.first : phase.last] = True
    return found


def _redo_flights(
    clip: Clip,
    character: Character,
    cutoff_hz: float | None,
    flight: NDArray[np.bool_],
    acceleration: Array,
    spin: Array,
    torque: Array,
    missing: tuple[Array, Array],
) -> None:
    """Differentiate each flight by itself, so that push-off and landing do not smear in.

    In the air nothing can push: all of the force and moment that a flight asks for is missing.

    The path of the centre of mass itself is smoothed there, and the spin itself: the spline is
    exact on parabolas, and on what stays as it is. Smoothed limbs would swing less than they do,
    and the body would seem to spin slower whenever they swing.
    """
    for first, last in intervals(flight):
        if last - first >= SHORTEST_ALONE:
            alone = clip_dynamics(clip.sliced(first, last), character, cutoff_hz)
            if alone.cutoff_hz is not None:
                fitted = splines.smooth(alone.com_m, clip.rate_hz, alone.cutoff_hz)
                acceleration[first:last] = fitted.second
            spin[first:last] = _spin(alone)
            mass = alone.body.total_mass_kg
            missing[0][first:last] = mass * (acceleration[first:last] - GRAVITY_M_S2)
            missing[1][first:last] = alone.outer_moment_nm
            torque[first:last] = torque_ratios(character, alone.unsupported)


def _spin(flight: ClipDynamics) -> Array:
    """(F, 3) angular momentum of a flight: by differences of its frames, then smoothed."""
    found = _momenta(flight, differentiate(flight.clip))[1]
    # At the ends a difference to one side only would be mostly noise.
    found[0], found[-1] = found[1], found[-2]
    if flight.cutoff_hz is None:
        return found
    return splines.smooth(found, flight.clip.rate_hz, flight.cutoff_hz).values


def _against_surface(
    state: BodyState,
    character: Character,
    points: Sites,
    parts: tuple[str, ...],
    environment: Environment,
    rate_hz: float,
) -> tuple[Array, Array, Array]:
    """Where the points are, how far the skin there is from the surface, how fast along it."""
    places = site_positions(state, points)
    near = query(environment, places)
    radii = contact_radii_m(character)
    skin = np.array([radii.get(part, 0.0) for part in parts])
    if len(places) > 1:
        velocity = np.gradient(places, axis=0) * rate_hz - near.velocities_m_s
    else:
        velocity = np.zeros_like(places)
    along = velocity - np.sum(velocity * near.normals, axis=-1, keepdims=True) * near.normals
    return places, near.distances_m - skin, np.linalg.norm(along, axis=-1)


SAME_LEVEL_M = 0.01
"""How far above its lowest point a part still stands."""


def slide_speeds_m_s(series: Series, part: str) -> Array:
    """(F,) mean speed along the surface of a part's lowest points; NaN while it does not stand.

    Points count that lie within a centimetre of the part's point nearest to the surface: a foot
    that rolls from heel to toe does not slide, although its heel moves. They must do so in the
    frames on either side, too, between which the speed is taken: at 30 Hz a heel that has just left
    the ground is centimetres above it in the next frame. Where no point does, the nearest counts,
    so a foot that floats while it slides is not let off.
    """
    columns = [c for c, p in enumerate(series.point_parts) if p == part]
    speeds = np.full(len(series.times_s), np.nan)
    if not columns:
        return speeds
    distances = series.point_distances_m[:, columns]
    low = distances <= distances.min(axis=1, keepdims=True) + SAME_LEVEL_M
    stays = low.copy()
    stays[1:] &= low[:-1]
    stays[:-1] &= low[1:]
    nearest = distances == distances.min(axis=1, keepdims=True)
    low = np.where(stays.any(axis=1, keepdims=True), stays, nearest)
    mean = (series.point_slide_m_s[:, columns] * low).sum(axis=1) / low.sum(axis=1)
    standing = series.contacts.standing(part)
    speeds[standing] = mean[standing]
    return speeds
