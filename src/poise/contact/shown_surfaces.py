"""The place that a clip suggests: steps, stones, slopes and seats where parts rest.

Feet that carry the body alone show what they stand on (`resting_feet`), however high; on level
floors, real clips show heights within 2 cm of the floor's, and the lowest stair within 13. So what
is higher than `RAISED_M` is a surface of its own: a solid under the footprints that reaches a
little beyond them and is cut back wherever legs pass in any frame. Feet that tilt as the ground
rises show a slope. Who sits shows a seat (`seat`).

It is a suggestion: edges are where feet leave room, not where they were built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from poise.arrays import Array
from poise.character import SIDES, Character, contact_points
from poise.contact.floor import FEET, STEEPEST, estimate_ground, foot_sites
from poise.contact.outlines import cut, directions, prism
from poise.contact.resting_feet import Rest, resting_feet
from poise.contact.seat import BELOW_FLOOR_M, fit_seat, leg_flesh
from poise.environment import ConvexPart, Environment, Ground
from poise.errors import BadValue
from poise.mechanics import BodyState, forward_kinematics, site_positions
from poise.motion import Clip, splines
from poise.wording import frame_list

RAISED_M = 0.05
"""Feet that rest this much over the floor rest on something else."""
SAME_LEVEL_M, SAME_PLACE_M = 0.04, 0.7
"""Rests nearer than this, in height and over the ground, are on one surface."""
BEYOND_M = 0.08
"""How far a surface goes beyond footprints if nothing is in its way."""
UNDER_M = 0.01
"""The same at least, whatever passes by: skeletons let swinging feet graze edges."""
LEAST_M = 0.03
"""How far it goes at least beyond the middle of every foot, where another foot stands lower: toes
that come down a step reach over its edge."""
SUNK_M = 0.03
"""How deep legs may be inside: soles and levels are known no better."""
FEWEST, STEEP = 4, 0.35
"""Rests that a slope takes, and the rise over run up to which people walk on it as on a floor."""
FARTHEST_M = 1.0
"""How far it goes at least."""
PLANE_M = 0.025
"""How far rests may be off a plane, as a root mean square."""
_MOST_RUNS = 3
"""Of frames that are named."""
TILTED = 0.5
"""Share of a slope's tilt that feet which stand on it show at least; on stairs they show none."""


@dataclass(frozen=True)
class ShownSurface:
    """Something that a clip shows to be there."""

    kind: Literal["step", "slope", "seat"]
    height_m: float
    """Of its upper side over the floor; of a slope, how far it rises a metre."""
    parts: tuple[str, ...]
    """Of the body, that rest on it,"""
    frames: tuple[int, ...]
    """and when."""
    what: str
    """What and where, in words."""

    def words(self, first: int = 0) -> str:
        """A sentence for the user; `first` is the number of the clip's first frame in its file."""
        return f"{self.what} in {frame_list([first + frame for frame in self.frames], _MOST_RUNS)}."


@dataclass(frozen=True, eq=False)
class SuggestedPlace:
    """What a clip shows of its place."""

    environment: Environment
    """With notes in words."""
    surfaces: tuple[ShownSurface, ...]
    """What is there besides a floor that is as good as level."""


def suggest_place(clip: Clip, character: Character) -> SuggestedPlace:
    """Find what a clip rests on.

    Args:
        clip: clean motion at its right rate.
        character: with a body and roles.
    """
    ground, note = estimate_ground(clip, character)
    if clip.frame_count < splines.SHORTEST:
        return SuggestedPlace(Environment((ground,), (note,)), ())
    standing = resting_feet(clip, character)
    rests = [rest for rest in standing if rest.alone]
    surfaces: list[ShownSurface] = []
    solids: list[ConvexPart] = []
    slope = _slope(ground, rests)
    if slope is not None:
        ground, shown = slope
        surfaces.append(shown)
    else:
        ground = _lowest(ground, rests)
        state = forward_kinematics(clip.skeleton, *clip.pose)
        for group, height in _raised(ground, rests, standing):
            lower = [each for each in standing if _over(ground, each).mean() < height - RAISED_M]
            solid, shown = _step(
                state, clip, character, ground, group, lower, height, len(solids) + 1
            )
            solids.append(solid)
            surfaces.append(shown)
    try:
        seat = fit_seat(clip, character, ground)
    except BadValue:  # nobody sits
        pass
    else:
        solids += seat.parts
        frames = tuple(np.flatnonzero(seat.seated).tolist())
        what = f"A seat, {100.0 * seat.height_m:.0f} cm high, under the hips"
        surfaces.append(ShownSurface("seat", seat.height_m, ("pelvis",), frames, what))
    notes = (note,)
    if surfaces:
        notes = (
            f"Suggested by the clip, not measured: floor at {100.0 * ground.height_m:+.1f} cm at "
            "the origin.",
            *(shown.words() for shown in surfaces),
        )
    return SuggestedPlace(Environment((ground, *solids), notes), tuple(surfaces))


def _frames(rests: Sequence[Rest]) -> tuple[int, ...]:
    return tuple(sorted({frame for rest in rests for frame in range(rest.first, rest.stop)}))


def _words_of(parts: Sequence[str]) -> str:
    return " and ".join(part.replace("_", " ") for part in parts)


# Slopes.


def _slope(ground: Ground, rests: Sequence[Rest]) -> tuple[Ground, ShownSurface] | None:
    """The tilted plane on which feet stand, each of them tilted with it; else None.

    It rises along the way that the feet go: across it, two feet side by side tell nothing.
    """
    if len(rests) < FEWEST or _off(ground, rests) < PLANE_M:
        return None
    points = np.concatenate([rest.levels_m for rest in rests])
    center = points.mean(axis=0)
    spread = (points - center)[:, [0, 2]]
    along = np.linalg.svd(spread, full_matrices=False)[2][0]
    way = spread @ along
    if float(np.ptp(way)) < FARTHEST_M:
        return None
    slope = float(way @ (points[:, 1] - center[1]) / (way @ way))
    tilt = slope * along
    at_origin = float(center[1] - center[[0, 2]] @ tilt)
    tilted = Ground(at_origin, np.array([-tilt[0], 1.0, -tilt[1]]))
    rise = abs(slope)
    if not STEEPEST < rise <= STEEP or _off(tilted, rests) > PLANE_M:
        return None
    soles = np.array([rest.levels_m[1] - rest.levels_m[0] for rest in rests])
    expected = soles[:, [0, 2]] @ tilt
    # By least squares: which share of the plane's tilt the soles show.
    if float(expected @ soles[:, 1]) < TILTED * float(expected @ expected):
        return None
    parts = tuple(sorted({rest.part for rest in rests}))
    what = f"A slope that rises {100.0 * rise:.0f} cm a metre, under the {_words_of(parts)}"
    return tilted, ShownSurface("slope", rise, parts, _frames(rests), what)


def _off(ground: Ground, rests: Sequence[Rest]) -> float:
    """How far rests are off a plane, as a root mean square."""
    return float(np.sqrt(np.mean([_over(ground, rest) ** 2 for rest in rests])))


# Steps, stairs, stones.


def _over(ground: Ground, rest: Rest) -> Array:
    """(2,) heights of heel and ball over the floor."""
    return rest.levels_m[:, 1] - ground.heights_m(rest.levels_m)


def _lowest(ground: Ground, rests: Sequence[Rest]) -> Ground:
    """The floor, not above the lowest rest: on stairs it is taken from where feet stand most."""
    heights = np.array([float(_over(ground, rest).min()) for rest in rests])
    if not len(rests) or heights.min() > -RAISED_M:
        return ground
    base = heights[heights < heights.min() + SAME_LEVEL_M]
    return Ground(ground.height_m + float(np.median(base)))


def _raised(
    ground: Ground, alone: Sequence[Rest], rests: Sequence[Rest]
) -> list[tuple[list[Rest], float]]:
    """Groups of rests on one raised surface, and its height over the floor, the lowest first.

    Feet that carry the body alone tell how many surfaces there are, and how high; those beside them
    only how far they reach. Heights count from those at which the same foot stands on the floor.
    """
    standing = _standing(ground, alone)
    found = [
        (rest, height) for rest in alone if (height := _height(ground, rest, standing)) > RAISED_M
    ]
    groups: list[list[tuple[Rest, float]]] = []
    for each in found:
        near = [group for group in groups if any(_together(each, other) for other in group)]
        merged = [each, *(other for group in near for other in group)]
        groups = [*(group for group in groups if group not in near), merged]
    beside = [(rest, _height(ground, rest, standing)) for rest in rests if not rest.alone]
    made: list[tuple[list[Rest], float]] = []
    for group in groups:
        joined = [
            rest for rest, height in beside if any(_together((rest, height), o) for o in group)
        ]
        height = float(np.median([height for _, height in group]))
        made.append(([*(rest for rest, _ in group), *joined], height))
    return sorted(made, key=lambda each: each[1])


def _standing(ground: Ground, rests: Sequence[Rest]) -> dict[str, Array]:
    """(2,) how high heel and ball are over the floor while they stand on it, by the part.

    A foot that never does takes it from the other.
    """
    on_floor: dict[str, list[Array]] = {part: [] for part in FEET}
    for rest in rests:
        over = _over(ground, rest)
        if over.min() < RAISED_M:
            on_floor[rest.part].append(over)
    known = {part: np.median(over, axis=0) for part, over in on_floor.items() if over}
    usual = np.mean(list(known.values()), axis=0) if known else np.zeros(2)
    return {part: known.get(part, usual) for part in FEET}


def _height(ground: Ground, rest: Rest, standing: Mapping[str, Array]) -> float:
    return float((_over(ground, rest) - standing[rest.part]).mean())


def _together(one: tuple[Rest, float], other: tuple[Rest, float]) -> bool:
    off = one[0].middle_m - other[0].middle_m
    level = abs(one[1] - other[1]) < SAME_LEVEL_M
    return bool(level and np.hypot(off[0], off[2]) < SAME_PLACE_M)


def _step(
    state: BodyState, clip: Clip, character: Character, ground: Ground, rests: Sequence[Rest],
    lower: Sequence[Rest], height: float, number: int,
) -> tuple[ConvexPart, ShownSurface]:  # fmt: skip
    """The solid under footprints, cut back where legs pass, and where feet stand lower."""
    points = np.concatenate([rest.places_m for rest in rests])
    middle = points.mean(axis=0)
    floor = float(ground.heights_m(middle))
    top, bottom = floor + height, floor - BELOW_FLOOR_M
    outward = directions().T
    extent = ((points - middle)[:, [0, 2]] @ outward).max(axis=0)
    across, away = _passing(state, clip, character, rests, bottom, top)
    passed = (across - middle[[0, 2]], away)
    reaches = cut(extent + BEYOND_M, np.maximum(extent + UNDER_M, UNDER_M), passed)
    middles = np.array([rest.middle_m for rest in rests])
    least = ((middles - middle)[:, [0, 2]] @ outward).max(axis=0) + LEAST_M
    stood = np.concatenate([np.zeros((0, 3)), *(rest.places_m for rest in lower)]) - middle
    reaches = cut(reaches, np.maximum(least, LEAST_M), (stood[:, [0, 2]], np.zeros(len(stood))))
    name = f"step {number}"
    parts, frames = tuple(sorted({rest.part for rest in rests})), _frames(rests)
    what = (
        f"A step, {100.0 * height:.0f} cm high, at x {middle[0]:.2f}, z {middle[2]:.2f} m, under "
        f"the {_words_of(parts)}"
    )
    shown = ShownSurface("step", height, parts, frames, what)
    return prism(name, reaches, middle, bottom, top), shown


def _passing(
    state: BodyState, clip: Clip, character: Character, rests: Sequence[Rest], bottom: float,
    top: float,
) -> tuple[Array, Array]:  # fmt: skip
    """Balls of legs and feet that a solid between two heights could meet: (N, 2), (N,).

    Not of a leg while its foot stands on the solid.
    """
    flesh = leg_flesh(state, character)
    each = flesh.places_m.shape[1] // len(SIDES)
    sites = foot_sites(contact_points(character))
    soles = site_positions(state, sites)
    across: list[Array] = []
    away: list[Array] = []
    for number, side in enumerate(SIDES):
        free = np.ones(clip.frame_count, dtype=np.bool_)
        for rest in rests:
            if rest.part.startswith(side):
                free[rest.first : rest.stop] = False
        own = slice(number * each, (number + 1) * each)
        mine = [i for i, name in enumerate(sites.names) if name.startswith(side)]
        for places, radii in (
            (flesh.places_m[:, own], flesh.radii_m[own]),
            (soles[:, mine], np.full(len(mine), 1e-3)),
        ):
            heights = places[free][..., 1]
            over = np.maximum(np.maximum(heights - (top - SUNK_M), bottom - heights), 0.0)
            size = np.broadcast_to(radii, over.shape)
            met = over < size
            across.append(places[free][met][:, [0, 2]])
            away.append(np.sqrt(size[met] ** 2 - over[met] ** 2))
    return np.concatenate(across), np.concatenate(away)
