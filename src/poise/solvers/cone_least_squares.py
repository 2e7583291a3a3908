"""Forces inside friction cones that best add up to a wanted force and moment, frame by frame.

Per frame, with everything in units of `force_scale_n` and `length_scale_m` (for a body: its weight
and its height), the answer minimises

    |wanted force − Σ fᵢ|² + |wanted moment − Σ rᵢ × fᵢ − Σ τ|² + w_β Σ |βᵢ|² + w_τ Σ |τ|²

over forces inside their cones, normal parts no larger than a ceiling, and one torque per touching
body no larger than a bound (Lee & Lee 2018, Eq. 13). A grip between 0 and 1 lets a point take part
by degrees: with grip a it may carry a times the ceiling and pays |βᵢ|²/a, so that what it carries
fades as it lets go. An aim turns each point's cheapest force from the normal towards the centre.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array
from poise.errors import BadShape, BadValue
from poise.solvers.cone_newton import solve_frames
from poise.solvers.cone_problem import ConePlan, Contacts, Supplied

TOLERANCE = 1e-10
"""Largest entry of the gradient at which a frame counts as solved, in units of the force scale."""


@dataclass(frozen=True)
class ConeSettings:
    """What the forces may be."""

    friction: float = 0.8
    """Largest tangential over normal force: rubber soles on a dry floor."""
    cone: Literal["round", "four_sided"] = "round"
    """The friction cone itself, or the pyramid inside it that Eq. 13 uses. The pyramid's edges lie
    along the world's axes, so its answers change when the world is turned."""
    ceiling: float = np.inf
    """Largest normal force at a point of grip 1, in units of the force scale."""
    force_weight: float = 1e-4
    """w_β. It shares the load among points; what it takes off the forces is of the same order."""
    torque_bound: float = 0.0
    """Largest free torque of a touching body, in force × length scale; 0: none."""
    torque_weight: float = 0.03
    """w_τ. Higher than w_β by about the square of the body's height over half a foot's length, so
    that shifting the load within a foot comes first."""
    aim: float = 0.0
    """Where a point's cheapest force points: 0 along the normal, 1 at the centre, or between. It
    matters where points work against each other, as two feet apart can, and changes nothing of
    what the forces add up to but by the order of the force weight. The way from the normal is
    taken at the normal force that the point carries with an aim of 0."""
    exact: bool = False
    """Take the regularisation away at the end: what then remains of the wanted force and moment is
    the least that any forces inside the cones leave."""

    def __post_init__(self) -> None:
        for name in ("friction", "torque_bound"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise BadValue(name, "zero or more", getattr(self, name))
        if not 0.0 <= self.aim <= 1.0:
            raise BadValue("aim", "between 0 and 1", self.aim)
        for name in ("force_weight", "torque_weight"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise BadValue(name, "more than zero", getattr(self, name))
        if not self.ceiling > 0:
            raise BadValue("ceiling", "more than zero", self.ceiling)
        if self.cone not in ("round", "four_sided"):
            raise BadValue("cone", "'round' or 'four_sided'", self.cone)
        if self.exact and self.torque_bound > 0:
            raise BadValue("torque_bound", "zero where the exact least is asked", self.torque_bound)


@dataclass(frozen=True, eq=False)
class ConeSolution:
    """The forces of every frame and what they leave unexplained."""

    forces_n: Array
    """(F, P, 3) world; zero where a point does not touch."""
    torques_nm: Array
    """(F, G, 3) world, the free torque of each body."""
    missing_force_n: Array
    """(F, 3) wanted minus supplied."""
    missing_moment_nm: Array
    """(F, 3) wanted minus supplied, about the centres."""
    iterations: NDArray[np.int64]
    """(F,) Newton steps spent."""
    converged: NDArray[np.bool_]
    """(F,)"""


def cone_least_squares(
    points_m: ArrayLike,
    normals: ArrayLike,
    grip: ArrayLike,
    centers_m: ArrayLike,
    force_n: ArrayLike,
    moment_nm: ArrayLike,
    settings: ConeSettings | None = None,
    *,
    force_scale_n: float = 1.0,
    length_scale_m: float = 1.0,
    bodies: ArrayLike | None = None,
) -> ConeSolution:
    """Solve all frames of a motion, each starting from the answer of the one before.

    Args:
        points_m: (F, P, 3) where forces may act.
        normals: (F, P, 3) unit, out of the surface; read only where a point touches.
        grip: (F, P) 0 or False where a point does not touch, up to 1 or True where it does.
        centers_m: (F, 3) what moments are taken about.
        force_n: (F, 3) the wanted sum of the forces.
        moment_nm: (F, 3) the wanted sum of their moments about the centres.
        settings: what the forces may be.
        force_scale_n: the unit of force; errors of one such unit...
        length_scale_m: ...count as much as moments of one times this length.
        bodies: (P,) the body (0 to G − 1) that each point belongs to; without it, all to one.
    """
    settings = settings or ConeSettings()
    grips, owners = _checked_grip(grip, bodies)
    frames, count = grips.shape
    touching = grips > 0.0
    points = _checked("points_m", points_m, (frames, count, 3), touching)
    directions = _checked("normals", normals, (frames, count, 3), touching)
    _check_unit(directions, touching)
    centers = _checked("centers_m", centers_m, (frames, 3))
    force, moment = _checked("force_n", force_n, (frames, 3)), _checked(
        "moment_nm", moment_nm, (frames, 3)
    )  # fmt: skip
    for name, scale in (("force_scale_n", force_scale_n), ("length_scale_m", length_scale_m)):
        if not (np.isfinite(scale) and scale > 0):
            raise BadValue(name, "more than zero", scale)
    shares = _shares(grips, owners)
    unit = force_scale_n * length_scale_m
    used = np.flatnonzero(touching.any(axis=0))  # most points of a body never touch
    found, torque = np.empty((frames, len(used), 3)), np.empty((frames, 3))
    missing = np.empty((frames, 6))
    iterations, converged = np.empty(frames, np.int64), np.empty(frames, np.bool_)
    given = Contacts(
        points[:, used] / length_scale_m, directions[:, used], grips[:, used], shares.sum(axis=1),
        centers / length_scale_m, force / force_scale_n, moment / unit,
    )  # fmt: skip
    out = Supplied(found, torque, missing)
    solve_frames(given, _plan(settings), out, iterations, converged)
    forces = np.zeros((frames, count, 3))
    forces[:, used] = force_scale_n * found
    torques = shares[:, :, None] * (unit * torque)[:, None, :]
    left = missing[:, :3] * force_scale_n, missing[:, 3:] * unit
    return ConeSolution(forces, torques, *left, iterations, converged)


def _plan(settings: ConeSettings) -> ConePlan:
    """The settings as the compiled loop reads them."""
    return ConePlan(
        float(settings.friction), float(settings.ceiling), float(settings.force_weight),
        float(settings.torque_weight), float(settings.torque_bound), settings.cone == "round",
        bool(settings.exact), TOLERANCE, float(settings.aim),
    )  # fmt: skip


def _shares(grips: Array, owners: NDArray[np.int64]) -> Array:
    """(F, G) how firmly each body touches: as firmly as its firmest point."""
    bodies = int(owners.max(initial=-1)) + 1
    shares = np.zeros((len(grips), bodies))
    for body in range(bodies):
        shares[:, body] = grips[:, owners == body].max(axis=1, initial=0.0)
    return shares


def _checked_grip(grip: ArrayLike, bodies: ArrayLike | None) -> tuple[Array, NDArray[np.int64]]:
    grips = np.ascontiguousarray(grip, dtype=np.float64)
    if grips.ndim != 2:
        raise BadShape("grip", "(F, P)", grips.shape)
    if grips.size and not (grips.min() >= 0.0 and grips.max() <= 1.0):
        raise BadValue("grip", "between 0 and 1 everywhere", float(grips.max()))
    count = grips.shape[1]
    owners = np.zeros(count, np.int64) if bodies is None else np.asarray(bodies, np.int64)
    if owners.shape != (count,):
        raise BadShape("bodies", f"({count},)", owners.shape)
    if count and owners.min() < 0:
        raise BadValue("bodies", "numbers from 0", owners)
    return grips, owners


def _checked(
    argument: str,
    value: ArrayLike,
    shape: tuple[int, ...],
    where: NDArray[np.bool_] | None = None,
) -> Array:
    """Numbers of this shape, finite (in the rows that matter)."""
    array = np.ascontiguousarray(value, dtype=np.float64)
    if array.shape != shape:
        raise BadShape(argument, str(shape), array.shape)
    bad = ~np.isfinite(array).all(axis=-1)
    if where is not None:
        bad &= where
    if bad.any():
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        raise BadValue(argument, "finite", f"{array[place]} at index {place}")
    return array


def _check_unit(normals: Array, touching: NDArray[np.bool_]) -> None:
    off = touching & ~(np.abs(np.einsum("fpk,fpk->fp", normals, normals) - 1.0) <= 2e-6)
    if off.any():
        place = tuple(int(i) for i in np.argwhere(off)[0])
        raise BadValue("normals", "unit vectors", f"{normals[place]} at index {place}")
