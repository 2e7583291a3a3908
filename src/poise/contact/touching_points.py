"""Which points of the touching parts touch, where on the surface, and how firmly.

A schedule speaks of parts. While a foot touches, its heel may have left the ground already: of a
part's points, those touch that are about as low as its lowest. Heights are those over the level at
which each point is seen to stand, since skeletons know their soles only to a few centimetres. A
point lets go by degrees, so that what it carries fades instead of jumping.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.character import Character, Sites, contact_points, contact_radii_m
from poise.contact.floor import FEET, foot_sites
from poise.contact.foot_motion import LARGEST_OFFSET_M, foot_motion
from poise.contact.point_motion import joined_sites
from poise.contact.schedule import ContactSchedule
from poise.environment import Environment, query
from poise.errors import BadShape
from poise.mechanics import BodyState, site_positions

LOOSE_M = 0.03
"""A point this much higher than the lowest of its part carries nothing: as much as soles give and
skeletons err. With 4.5 cm, the pressure that plates measure is outside on 12 and 21 % of the frames
of two runs instead of 17 and 27 (see below); walks do not change."""
END_BREADTH = 0.6
"""Breadth of a heel and of the tips of the toes over that of the ball (67 of 100 mm for heels,
Gordon et al. 1989). With ends that are single points, the centre of pressure that force plates
measure in two runs is more than 1 cm outside of the support area on 21 and 34 % of the frames; with
breadth on 17 and 27 %."""
_ENDS = ("heel", "toe_tip")
_EDGES = ("inner_edge", "outer_edge")


@dataclass(frozen=True, eq=False)
class TouchingPoints:
    """Where a body can push against its surroundings, frame by frame.

    Letters: F frames, C points, P parts of the schedule.
    """

    names: tuple[str, ...]
    """(C,) the sites they belong to: a heel or a tip of toes is two points, one beside the
    other."""
    parts: tuple[str, ...]
    """(P,) the schedule's parts that the character has."""
    owners: Indices
    """(C,) the part each point belongs to."""
    joints: Indices
    """(C,) the joint each point rides on."""
    places_m: Array
    """(F, C, 3) nearest place on the surface: where a force would act. The point itself where the
    surface is too far away to be what it touches (a chair that the environment does not know)."""
    normals: Array
    """(F, C, 3) out of the surface; up where it is not known."""
    grip: Array
    """(F, C) from 0 (does not touch) to 1."""
    heights_m: Array
    """(F, C) of the skin over the surface, whatever its standing level is."""

    @property
    def touching(self) -> NDArray[np.bool_]:
        """(F, C) whether a point touches at all."""
        return self.grip > 0.0


def touching_points(
    state: BodyState, character: Character, schedule: ContactSchedule, environment: Environment
) -> TouchingPoints:
    """The points of a character that touch, by a schedule and the heights of its points."""
    frames = state.frame_count
    if schedule.frame_count != frames:
        raise BadShape("schedule.touching", f"({frames}, P)", schedule.touching.shape)
    known = contact_points(character)
    parts = tuple(part for part in schedule.parts if part in known)
    sites = [known[part] for part in parts]
    if not parts:
        empty = np.zeros((frames, 0, 3))
        none = np.zeros(0, np.int64)
        nothing = np.zeros((frames, 0))
        return TouchingPoints((), (), none, none, empty, empty, nothing, nothing)
    joined = joined_sites(sites)
    site, across = _spread(joined.names, character.sites)
    owners = np.repeat(np.arange(len(parts)), [len(s) for s in sites])[site]
    names = tuple(joined.names[s] for s in site)
    sites_m = site_positions(state, joined)
    sites_m = sites_m[:, site] + np.einsum("cs,fsk->fck", across, sites_m)
    surface = query(environment, sites_m)
    clearances = surface.distances_m.copy()
    radii = contact_radii_m(character)
    skin = np.array([radii[parts[p]] for p in owners])
    far = (clearances - skin > LARGEST_OFFSET_M)[..., None]
    soles = [c for c, p in enumerate(owners.tolist()) if parts[p] in FEET]
    if soles:
        feet = foot_motion(state, foot_sites(known), schedule.rate_hz, environment)
        columns = [feet.motion.names.index(names[c]) for c in soles]
        clearances[:, soles] = feet.clearances_m[:, columns]
    grip = np.zeros((frames, len(site)))
    for p, part in enumerate(parts):
        columns = np.flatnonzero(owners == p)
        heights = clearances[:, columns]
        above = heights - heights.min(axis=1, keepdims=True)
        firm = np.maximum(0.0, 1.0 - above / LOOSE_M)
        grip[:, columns] = np.where(schedule.column(part)[:, None], firm, 0.0)
    return TouchingPoints(
        names, parts, owners, joined.joints[site],
        np.where(far, sites_m, surface.closest_m), np.where(far, environment.up, surface.normals),
        grip, surface.distances_m - skin,
    )  # fmt: skip


def _spread(names: tuple[str, ...], sites: Sites) -> tuple[Indices, Array]:
    """(C,) the site of each point, and (C, S) how its place differs from that, by those of sites.

    Heels and tips of toes are as broad as the corners that a robot's sole has there, else as the
    ball, but for `END_BREADTH`.
    """
    known = {name: s for s, name in enumerate(names)}
    found: list[tuple[int, float, int, int]] = []
    for s, name in enumerate(names):
        side, _, point = name.partition("_")
        inner, outer = (known.get(f"{side}_{edge}", -1) for edge in _EDGES)
        if point in _ENDS and inner >= 0 and outer >= 0:
            half = 0.5 * _end_breadth(sites, side, point)
            found += [(s, half, inner, outer), (s, -half, inner, outer)]
        else:
            found.append((s, 0.0, s, s))
    across = np.zeros((len(found), len(names)))
    for c, (_, half, inner, outer) in enumerate(found):
        across[c, inner] -= half
        across[c, outer] += half
    return np.array([s for s, *_ in found], dtype=np.int64), across


def _end_breadth(sites: Sites, side: str, point: str) -> float:
    """Breadth of an end of a sole over that of its ball."""
    corners = [f"{side}_{point}_{edge}" for edge in ("inner", "outer")]
    edges = [f"{side}_{edge}" for edge in _EDGES]
    if not {*corners, *edges} <= {*sites.names}:
        return END_BREADTH
    places = sites.offsets_m[[sites.index(name) for name in (*corners, *edges)]]
    breadth = float(np.linalg.norm(places[3] - places[2]))
    return float(np.linalg.norm(places[1] - places[0])) / breadth if breadth else END_BREADTH
