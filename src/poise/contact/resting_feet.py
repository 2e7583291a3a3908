"""Where feet stand, whatever they stand on.

A foot that is still may stand, dangle or be held up. It stands where nothing else could carry the
body for a while: the other foot swings, the hips are high over it, the whole weight rests on
something, and the zero-moment point is under it. None of this asks how high the foot is, so that
steps and stones show themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import SIDES, Character, contact_points
from poise.contact.clip_dynamics import ClipDynamics, clip_dynamics
from poise.contact.floor import foot_sites
from poise.contact.point_motion import PointMotion, point_motion
from poise.contact.schedule import intervals, without_blinks
from poise.environment import Environment
from poise.motion import Clip, splines

STILL_M_S = 0.15
"""A foot of which some point is slower than this may stand."""
SWINGING_M_S = 0.4
"""A foot that is faster all over does not."""
GAP_S = 0.1
"""It does not move for less and stand again."""
SHORTEST_S = 0.15
"""It carries the body alone at least so long."""
FLAT_M = 0.05
"""Heel and ball of a foot that stands flat are at levels nearer than this: rungs and toes that
push are left out."""
UNDER_M = 0.16
"""How far the zero-moment point may be from the middle of the foot; soles are 27 cm long."""
UNDER_SHARE = 0.7
"""Of the time in which it alone could carry."""
LEAST_LOAD, MOST_LOAD = 0.5, 2.5
"""Body weights that rest on it on average."""
UPRIGHT = 0.6
"""The hips are higher over the foot by at least this share of the leg."""
LOWER = 0.25
"""Quantile of heights at which a point stands."""
_LEVELS = ("_heel", "_ball")


@dataclass(frozen=True, eq=False)
class Rest:
    """One stance of one foot."""

    part: str
    """`left_foot` or `right_foot`."""
    first: int
    stop: int
    """One past the last frame."""
    levels_m: Array
    """(2, 3) where its heel and its ball stand."""
    alone: bool
    """Whether nothing else could carry the body for a while."""
    places_m: Array
    """(S, 3) where the points of the foot are, in the middle of the stance."""

    @property
    def middle_m(self) -> Array:
        """(3,) of its points."""
        return self.places_m.mean(axis=0)


def resting_feet(clip: Clip, character: Character) -> tuple[Rest, ...]:
    """All stances of feet that lie flat under an upright leg.

    Args:
        clip: clean motion at its right rate.
        character: with a body and roles.
    """
    if clip.frame_count < splines.SHORTEST or character.roles is None:
        return ()
    dynamics = clip_dynamics(clip, character)
    sites = foot_sites(contact_points(character))
    motion = point_motion(dynamics.state, sites, clip.rate_hz, Environment.flat())
    columns = {
        side: [i for i, n in enumerate(motion.names) if n.startswith(side)] for side in SIDES
    }
    fastest = {
        side: motion.speeds_m_s[:, columns[side]].min(axis=1) for side in SIDES if columns[side]
    }
    found: list[Rest] = []
    for side, other in zip(SIDES, reversed(SIDES), strict=True):
        if side not in fastest or other not in fastest:
            continue
        swings = fastest[other] > SWINGING_M_S
        points = tuple(f"{side}{ending}" for ending in _LEVELS)
        if not set(points) <= set(motion.names):
            continue
        levels = [motion.names.index(name) for name in points]
        standing = _upright(dynamics, character, side)
        still = without_blinks(fastest[side] < STILL_M_S, GAP_S * clip.rate_hz)
        for first, stop in intervals(still):
            if stop - first < SHORTEST_S * clip.rate_hz:
                continue
            frames = np.arange(first, stop)
            free = frames[swings[first:stop]]
            lasting = len(free) >= SHORTEST_S * clip.rate_hz
            alone = lasting and _carries(dynamics, motion, columns[side], free)
            frames = free if alone else frames
            rest = _rest(
                motion, columns[side], levels, f"{side}_foot", (first, stop), frames, alone
            )
            if standing[frames].all() and float(np.ptp(rest.levels_m[:, 1])) < FLAT_M:
                found.append(rest)
    return tuple(sorted(found, key=lambda rest: rest.first))


def _rest(
    motion: PointMotion, columns: list[int], levels: list[int], part: str, when: tuple[int, int],
    frames: NDArray[np.int64], alone: bool,
) -> Rest:  # fmt: skip
    """Heights are the lower ones of the whole stance: a heel rises before its foot does."""
    places = np.median(motion.places_m[frames][:, columns], axis=0)
    standing = np.median(motion.places_m[frames][:, levels], axis=0)
    standing[:, 1] = np.quantile(motion.places_m[slice(*when)][:, levels, 1], LOWER, axis=0)
    return Rest(part, *when, standing, alone, places)


def _upright(dynamics: ClipDynamics, character: Character, side: str) -> NDArray[np.bool_]:
    """(F,) the hip is over the ankle, as of one who stands."""
    assert character.roles is not None
    names, joints = character.skeleton.joint_names, character.roles.joints
    at = [names.index(joints[f"{side}_{part}"]) for part in ("hip", "knee", "ankle")]
    hip, knee, ankle = (dynamics.state.positions_m[:, joint] for joint in at)
    leg = np.linalg.norm(hip - knee, axis=1) + np.linalg.norm(knee - ankle, axis=1)
    return np.asarray((hip - ankle)[:, 1] > UPRIGHT * leg)


def _carries(
    dynamics: ClipDynamics, motion: PointMotion, columns: list[int], frames: NDArray[np.int64]
) -> bool:
    """Whether all of the weight is over a foot."""
    force, moment = dynamics.outer_force_n[frames], dynamics.outer_moment_nm[frames]
    load = force[:, 1] / dynamics.weight_n
    if not LEAST_LOAD < float(load.mean()) < MOST_LOAD:
        return False
    middle, center = motion.places_m[frames][:, columns].mean(axis=1), dynamics.com_m[frames]
    upward = np.maximum(force[:, 1], 0.1 * dynamics.weight_n)
    drop = middle[:, 1] - center[:, 1]
    x = center[:, 0] + (moment[:, 2] + drop * force[:, 0]) / upward
    z = center[:, 2] + (drop * force[:, 2] - moment[:, 0]) / upward
    off = np.hypot(x - middle[:, 0], z - middle[:, 2])
    return bool((off < UNDER_M).mean() >= UNDER_SHARE)
