"""A club for swings that were captured without one.

A rigid shaft from the middle of the hands, fixed to one of them. Its direction and length are those
for which the head passes the ground at the lowest point of every swing: three numbers, fitted to
all clips at once. That alone leaves the shaft free to hang steeper or flatter, for the hand is
turned almost alike in all hits; so the head should also rest on the ground before the swing begins,
and the shaft be about as long as clubs are, both with less weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.character import Attachment, Character
from poise.constraints import find_joint
from poise.errors import BadValue
from poise.mechanics import forward_kinematics
from poise.methods.pattern.events import NEAR_S, SMOOTHED_S
from poise.motion import Clip
from poise.rotations import conjugate, rotate

CLUB_M = 1.05
"""From the middle of the hands to the head, about: a driver is 1.15 m long, held near its end."""
_ADDRESS, _LENGTH = 0.3, 0.3
"""Weights of resting on the ground before the swing, and of being as long as clubs are, against one
for passing the ground at the lowest point."""
_STARTS = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
_FEW, _SHORTEST = 2, 5


@dataclass(frozen=True, eq=False)
class FittedClub:
    """The club, and how well it fits."""

    tool: Attachment
    length_m: float
    """From the middle of the hands."""
    lowest_m: Array
    """(M,) height of the head above the ground at the lowest point of each swing."""
    address_m: Array
    """(M,) the same in each clip's first frame."""

    def words(self) -> str:
        """What was fitted, in one line."""
        x, y, z = self.tool.place_m
        return (
            f"{self.tool.name}: {self.length_m:.2f} m from the middle of the hands, at "
            f"({x:.3f}, {y:.3f}, {z:.3f}) m from {self.tool.on}; passes the ground at the lowest "
            f"point within {100 * np.abs(self.lowest_m).max():.1f} cm (root mean square "
            f"{100 * np.sqrt((self.lowest_m**2).mean()):.1f} cm), and is within "
            f"{100 * np.abs(self.address_m).max():.1f} cm of it in the first frame"
        )


@dataclass(frozen=True, eq=False)
class _Swing:
    """What the fit asks of a clip."""

    hand_m: Array
    turns: Array
    hit: slice
    ground_m: float

    def heights(self, club: Array) -> tuple[Array, float]:
        """(F,) of the head above the ground, and the lowest around the hit."""
        heights = (self.hand_m + rotate(self.turns, club))[:, 1] - self.ground_m
        return heights, float(heights[self.hit].min())


def fit_club(
    clips: Sequence[Clip], character: Character, grounds_m: Sequence[float], *,
    name: str = "club_head", hand: str = "left_wrist",
) -> FittedClub:  # fmt: skip
    """The club that swings were made with.

    Args:
        clips: swings of one player, each beginning with the club at rest on the ground.
        character: their skeleton, with both wrists.
        grounds_m: heights of their grounds.
        name: of the site at the head.
        hand: what it is fixed to: the leading hand's joint or role.

    Raises:
        BadValue: too few swings for three numbers.
        UnknownName: no such hand.
    """
    if len(clips) < _FEW:
        raise BadValue("clips", f"at least {_FEW} swings to fit a club to", len(clips))
    for clip in clips:
        if clip.frame_count < _SHORTEST:
            allowed = f"a swing of at least {_SHORTEST} frames"
            raise BadValue(clip.name or "clip", allowed, clip.frame_count)
    leading = find_joint(character, hand)
    pair = [find_joint(character, f"{side}_wrist") for side in ("left", "right")]
    swings, middles = list[_Swing](), list[Array]()
    for clip, ground in zip(clips, grounds_m, strict=True):
        state = forward_kinematics(clip.skeleton, *clip.pose)
        places, turns = state.positions_m[:, leading], state.rotations_wxyz[:, leading]
        middle = state.positions_m[:, pair].mean(axis=1)
        middles.append(rotate(conjugate(turns), middle - places).mean(axis=0))
        swings.append(_Swing(places, turns, _around_hit(middle, clip.rate_hz), float(ground)))
    grip = np.mean(middles, axis=0)
    club = _fitted(swings, grip)
    heights, lowest = zip(*(swing.heights(club) for swing in swings), strict=True)
    tool = Attachment(name, hand, 0.0, club)
    address = np.array([each[0] for each in heights])
    return FittedClub(tool, float(np.linalg.norm(club - grip)), np.array(lowest), address)


def _around_hit(middle_m: Array, rate_hz: float) -> slice:
    """Frames around the hit: where the hands are lowest between their two highest points."""
    smooth = gaussian_filter1d(middle_m, SMOOTHED_S * rate_hz, axis=0)
    heights = smooth[:, 1]
    speeds = np.linalg.norm(np.gradient(smooth, axis=0), axis=1)
    fast = int(speeds.argmax())
    before = int(heights[: fast + 1].argmax())
    after = fast + int(heights[fast:].argmax())
    hit = before + int(heights[before : after + 1].argmin())
    reach = max(round(NEAR_S * rate_hz), 1)
    return slice(max(hit - reach, 0), hit + reach + 1)


def _fitted(swings: Sequence[_Swing], grip: Array) -> Array:
    from scipy.optimize import least_squares

    def misses(club: Array) -> Array:
        heights, lowest = zip(*(swing.heights(club) for swing in swings), strict=True)
        address = [_ADDRESS * float(each[0]) for each in heights]
        length = _LENGTH * np.sqrt(len(swings)) * (float(np.linalg.norm(club - grip)) - CLUB_M)
        return np.array([*lowest, *address, length])

    fits = list[tuple[float, Array]]()
    for start in _STARTS:
        found = least_squares(misses, grip + CLUB_M * np.array(start), xtol=1e-10, ftol=1e-10)
        fits.append((float(found.cost), np.asarray(found.x)))
    return min(fits, key=lambda fit: fit[0])[1]
