"""A place made larger or smaller, as for a body of another size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.environment.convex_part import ConvexPart
from poise.environment.environment import Environment, Surface
from poise.environment.ground import Ground


def scaled(environment: Environment, factor: float, about_m: Array) -> Environment:
    """Every distance from a point is so many times as long; belts run so many times as fast.

    Args:
        environment: the place.
        factor: more than zero.
        about_m: (3,) what stays where it is.
    """
    if factor == 1.0:
        return environment
    about = np.asarray(about_m, dtype=np.float64)
    surfaces = tuple(_scaled(surface, factor, about) for surface in environment.surfaces)
    return Environment(surfaces, environment.notes)


def _scaled(surface: Surface, factor: float, about: Array) -> Surface:
    belt = factor * surface.belt_velocity_m_s
    if isinstance(surface, ConvexPart):
        places = about + factor * (surface.vertices_m - about)
        return ConvexPart(places, surface.name, belt)
    if isinstance(surface, Ground):
        below = float(surface.heights_m(about))  # of the plane, under the point that stays
        normal = surface.normal
        # Where the moved plane meets the vertical line through the origin.
        level = about[1] + factor * (below - about[1])
        rise = float(normal[0] * about[0] + normal[2] * about[2]) / float(normal[1])
        return replace(surface, height_m=level + rise, belt_velocity_m_s=belt)
    return replace(
        surface,
        heights_m=about[1] + factor * (surface.heights_m - about[1]),
        spacing_m=factor * surface.spacing_m,
        origin_m=about[[0, 2]] + factor * (surface.origin_m - about[[0, 2]]),
        belt_velocity_m_s=belt,
    )
