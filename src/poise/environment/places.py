"""Things made by code: boxes, stairs, ramps and chairs, as sets of convex parts.

Each stands at the origin and goes or faces toward +Z; `place_file` puts it elsewhere. Pieces
reach into each other and below the floor on purpose: where two solids only touched, a foot that
sinks into the seam would be pushed out sideways, not up.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.environment.convex_part import ConvexPart
from poise.environment.environment import Environment, Surface
from poise.environment.ground import Ground
from poise.errors import BadValue


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


MAX_STEPS = 500


def box(size_m: ArrayLike = (1.0, 1.0, 1.0)) -> tuple[ConvexPart, ...]:
    """A box of width (x), height and depth (z) that stands on its underside's middle."""
    width, height, depth = _positive("size_m", size_m, 3)
    low, high = (-0.5 * width, 0.0, -0.5 * depth), (0.5 * width, height, 0.5 * depth)
    return (_block("box", low, high),)


def stairs(
    step_count: int,
    *,
    rise_m: float = 0.17,
    depth_m: float = 0.29,
    width_m: float = 1.0,
    landing_m: float = 1.0,
    foundation_m: float = 1.0,
) -> tuple[ConvexPart, ...]:
    """A flight of stairs going up, one part a step.

    Args:
        step_count: number of risers; the last step is the landing.
        rise_m: height of a step.
        depth_m: from one riser to the next.
        width_m: of the flight.
        landing_m: depth of the last step.
        foundation_m: how far the steps go on below the floor they start from.
    """
    if not 1 <= step_count <= MAX_STEPS or step_count != int(step_count):
        raise BadValue("step_count", f"a whole number from 1 to {MAX_STEPS}", step_count)
    rise, depth, width, landing, foundation = _each_positive(
        rise_m=rise_m,
        depth_m=depth_m,
        width_m=width_m,
        landing_m=landing_m,
        foundation_m=foundation_m,
    )
    count = int(step_count)
    end = (count - 1) * depth + landing
    return tuple(
        _block(
            f"step {step + 1}",
            (-0.5 * width, -foundation, step * depth),
            (0.5 * width, (step + 1) * rise, end),
        )
        for step in range(count)
    )


def ramp(
    rise_m: float,
    length_m: float,
    *,
    width_m: float = 1.0,
    foundation_m: float = 1.0,
) -> tuple[ConvexPart, ...]:
    """A wedge that rises by `rise_m` over a horizontal `length_m`, in one part."""
    rise, length, width, foundation = _each_positive(
        rise_m=rise_m, length_m=length_m, width_m=width_m, foundation_m=foundation_m
    )
    half, below = 0.5 * width, -foundation
    profile = ((below, 0.0), (below, length), (rise, length), (0.0, 0.0))
    corners = [(x, y, z) for x in (-half, half) for y, z in profile]
    return (ConvexPart(np.array(corners), "ramp"),)


def chair(
    seat_height_m: float = 0.45,
    *,
    seat_width_m: float = 0.45,
    seat_depth_m: float = 0.42,
    seat_thickness_m: float = 0.1,
    back_height_m: float = 0.45,
    back_thickness_m: float = 0.05,
    leg_thickness_m: float = 0.04,
) -> tuple[ConvexPart, ...]:
    """A chair: seat, back and four legs; who sits on it faces +Z.

    Args:
        seat_height_m: of the upper side of the seat.
        seat_width_m: from side to side.
        seat_depth_m: from front to back rest.
        seat_thickness_m: with the frame below it; deep sinking finds the nearer side.
        back_height_m: above the seat.
        back_thickness_m: of the back rest.
        leg_thickness_m: of the four square legs, which go a little below the floor.
    """
    height, width, depth = _positive("seat size", (seat_height_m, seat_width_m, seat_depth_m), 3)
    seat, back, leg = _positive(
        "thickness", (seat_thickness_m, back_thickness_m, leg_thickness_m), 3
    )
    (tall,) = _each_positive(back_height_m=back_height_m)
    if seat >= height or 2.0 * leg > min(width, depth):
        raise BadValue("chair", "a seat with room for legs below it", (seat, height, leg))
    x, z = 0.5 * width, 0.5 * depth
    parts = [
        _block("seat", (-x, height - seat, -z), (x, height, z)),
        _block("back", (-x, height - seat, -z - back), (x, height + tall, -z)),
    ]
    for side, sx in (("left", x - leg), ("right", -x)):
        for end, sz in (("front", z - leg), ("rear", -z)):
            low, high = (sx, -leg, sz), (sx + leg, height - 0.5 * seat, sz + leg)
            parts.append(_block(f"{end} {side} leg", low, high))
    return tuple(parts)


def _block(
    name: str, low: tuple[float, float, float], high: tuple[float, float, float]
) -> ConvexPart:
    ends = list(zip(low, high, strict=True))
    return ConvexPart(
        np.array([(x, y, z) for x in ends[0] for y in ends[1] for z in ends[2]]), name
    )


def _each_positive(**named: float) -> list[float]:
    return [_positive(argument, value, 1)[0] for argument, value in named.items()]


def _positive(argument: str, value: ArrayLike, count: int) -> list[float]:
    try:
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise BadValue(argument, "numbers", value) from None
    if numbers.shape != (count,) or not (np.isfinite(numbers) & (numbers > 0)).all():
        wanted = "a positive number" if count == 1 else f"{count} positive numbers"
        raise BadValue(argument, wanted, value)
    return numbers.tolist()
