"""How points of a body move relative to the surfaces near them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from poise.arrays import Array
from poise.character import Sites
from poise.environment import Environment, query
from poise.mechanics import BodyState, site_positions
from poise.motion import splines

CUTOFF_HZ = 12.0
"""Feet in running still move as they are below it; marker noise and the ringing of soft tissue
after a landing mostly lie above."""

STILL_M_S = 0.5
"""Points this slow relative to the surface count a third of points that stand still."""

STILL_M_S2 = 4.0
"""The same for the acceleration towards the surface; it is 9.8 in flight."""

_SHARE_OF_RATE = 0.4


def allowed_cutoff_hz(cutoff_hz: float, rate_hz: float) -> float:
    """A cutoff, or as much of it as a slow camera allows: a share of its rate."""
    return min(cutoff_hz, _SHARE_OF_RATE * rate_hz)


@dataclass(frozen=True, eq=False)
class PointMotion:
    """Smoothed motion of points relative to the nearest surface."""

    names: tuple[str, ...]
    places_m: Array
    """(F, S, 3) world."""
    heights_m: Array
    """(F, S) distance from the surface, negative inside it."""
    sliding_m_s: Array
    """(F, S) speed along the surface, relative to it."""
    leaving_m_s: Array
    """(F, S) velocity along the surface's normal."""
    leaving_m_s2: Array
    """(F, S) acceleration along the surface's normal."""

    @property
    def speeds_m_s(self) -> Array:
        """(F, S) speed relative to the surface."""
        return np.hypot(self.sliding_m_s, self.leaving_m_s)

    @property
    def stillness(self) -> Array:
        """(F, S) 1 for points that stand on the surface, towards 0 for those that move over it.

        At the top of a jump feet are slow for a moment, but they fall, which standing feet cannot.
        """
        speeds = self.sliding_m_s**2 + self.leaving_m_s**2
        falling = np.minimum(self.leaving_m_s2, 0.0)
        return np.exp(-speeds / STILL_M_S**2 - (falling / STILL_M_S2) ** 2)

    def columns(self, *endings: str) -> list[int]:
        """The points whose names end so."""
        return [i for i, name in enumerate(self.names) if name.endswith(endings)]

    def picked(self, names: tuple[str, ...]) -> PointMotion:
        """Some of the points."""
        columns = [self.names.index(name) for name in names]
        return PointMotion(
            names,
            self.places_m[:, columns],
            self.heights_m[:, columns],
            self.sliding_m_s[:, columns],
            self.leaving_m_s[:, columns],
            self.leaving_m_s2[:, columns],
        )


def point_motion(
    state: BodyState, sites: Sites, rate_hz: float, environment: Environment,
    cutoff_hz: float = CUTOFF_HZ,
) -> PointMotion:  # fmt: skip
    """Follow sites of a moving body over an environment."""
    places, velocities, accelerations = smoothed(site_positions(state, sites), rate_hz, cutoff_hz)
    surface = query(environment, places)
    relative = velocities - surface.velocities_m_s
    leaving = np.sum(relative * surface.normals, axis=-1)
    along = relative - leaving[..., None] * surface.normals
    return PointMotion(
        sites.names,
        places,
        surface.distances_m,
        np.linalg.norm(along, axis=-1),
        leaving,
        np.sum(accelerations * surface.normals, axis=-1),
    )


def joined_sites(sites: Iterable[Sites]) -> Sites:
    """Sites of several body parts, one after the other."""
    return reduce(Sites.joined, sites, Sites())


def part_motions(
    state: BodyState, parts: Mapping[str, Sites], rate_hz: float, environment: Environment,
    cutoff_hz: float = CUTOFF_HZ,
) -> dict[str, PointMotion]:  # fmt: skip
    """Follow the sites of several body parts, all at once."""
    motion = point_motion(state, joined_sites(parts.values()), rate_hz, environment, cutoff_hz)
    return {part: motion.picked(sites.names) for part, sites in parts.items()}


def smoothed(
    paths: Array, rate_hz: float, cutoff_hz: float = CUTOFF_HZ
) -> tuple[Array, Array, Array]:
    """Values, velocities and accelerations of (F, ..., 3) paths, smoothed."""
    frames, shape = len(paths), paths.shape
    columns = paths.reshape(frames, -1)
    if frames < splines.SHORTEST:
        still = np.zeros(shape)
        steps = np.asarray(np.gradient(columns, axis=0)) if frames > 1 else still
        return paths, steps.reshape(shape) * rate_hz, still
    fit = splines.smooth(columns, rate_hz, allowed_cutoff_hz(cutoff_hz, rate_hz))
    return fit.values.reshape(shape), fit.first.reshape(shape), fit.second.reshape(shape)
