"""Root jumps: a body that is somewhere else from one frame to the next, for a moment or for good.

Captures that lose the body for a while and find it elsewhere, clips put together from two, and
loops that begin anew have them. What leaves and is back within a tenth of a second is bridged.
What stays away is one motion before and one after, put at two places: the second is moved to where
the first one was going. Where joints besides the root have positions of their own, theirs count
alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.motion.cleanup.finding import Finding
from poise.motion.clip import Clip
from poise.wording import counted

NAME = "root-jumps"

_IMPOSSIBLE_M_S = 10.0
"""No hip changes its velocity by a sprinter's speed in a frame, for a usual height."""
_SMALLEST_M = 0.1
"""What moves it by less than this is noise, which is for other tools."""
_USUAL_HEIGHT_M = 1.7
_LONGEST_EXCURSION_S = 0.1
_RETURN_SHARE = 0.5
"""Back means: what separates the frames on either side is less than half of the jump."""
_BESIDE = 3
"""Steps on either side whose median tells how the body moves there."""
_MOST_SHARE = 0.1
"""A path with more jumps than this is no motion with defects; there is nothing to repair it by."""


@dataclass(frozen=True, eq=False)
class _Jump:
    """Frames `first` to `last` are elsewhere; a jump that lasts has none after it."""

    first: int
    last: int | None
    by_m: Array
    """(3,) how much farther the path goes at `first` than the body was going."""


def find(clip: Clip) -> Finding | None:
    """Jumps of the root, and of other joints that have positions of their own."""
    found = [(name, jumps) for name, _, jumps in _paths(clip) if jumps]
    if not found:
        return None
    jumps = [jump for _, each in found for jump in each]
    farthest = max(float(np.linalg.norm(jump.by_m)) for jump in jumps)
    far = f", the farthest by {farthest:.3g} m" if len(jumps) > 1 else f" by {farthest:.3g} m"
    names = tuple(name for name, _ in found)
    lasting = sum(jump.last is None for jump in jumps)
    repairs: list[str] = []
    if len(jumps) > lasting:
        repairs.append("bridge the frames that are elsewhere")
    if lasting:
        repairs.append("move what follows a jump that lasts to where the body was going")
    if any(len(each) > max(1.0, _MOST_SHARE * clip.frame_count) for _, each in found):
        repairs = []
    return Finding(
        NAME,
        f"faster than a body can move: {counted(len(jumps), 'jump')} of {', '.join(names)}{far}"
        + ("" if repairs else "; too many to be repaired by rule"),
        tuple(sorted({frame for jump in jumps for frame in _frames(jump)})),
        names,
        repair=" and ".join(repairs),
    )


def repair(clip: Clip, finding: Finding) -> Clip:
    """The clip with every path going on as it went before the jump."""
    roots, moving = clip.root_positions_m.copy(), clip.moving_offsets_m.copy()
    for number, (_, _, jumps) in enumerate(_paths(clip)):
        _repair(roots if number == 0 else moving[:, number - 1], jumps)
    return replace(clip, root_positions_m=roots, moving_offsets_m=moving)


def _frames(jump: _Jump) -> range:
    return range(jump.first, (jump.first if jump.last is None else jump.last) + 1)


def _paths(clip: Clip) -> Iterator[tuple[str, Array, list[_Jump]]]:
    """The root first, then every joint with positions of its own."""
    names, limit = clip.skeleton.joint_names, impossible_step_m(clip)
    paths = [(names[0], clip.root_positions_m)]
    paths += [(names[j], clip.moving_offsets_m[:, i]) for i, j in enumerate(clip.moving_joints)]
    for name, path in paths:
        yield name, path, _jumps(path, clip.rate_hz, limit)


def impossible_step_m(clip: Clip) -> float:
    """By how much a body cannot go farther in a frame than it went in the one before."""
    scale = _height_m(clip) / _USUAL_HEIGHT_M
    return scale * max(_IMPOSSIBLE_M_S / clip.rate_hz, _SMALLEST_M)


def _height_m(clip: Clip) -> float:
    """Of the figure as it stands: a unit that was read wrong changes it and all speeds alike."""
    standing = clip.skeleton.standing
    points = (standing.rest_positions_m, standing.rest_end_positions_m)
    return float(np.ptp(np.concatenate(points), axis=0).max()) or _USUAL_HEIGHT_M


def _jumps(path: Array, rate_hz: float, limit: float) -> list[_Jump]:
    steps = np.diff(path, axis=0)
    sizes = np.linalg.norm(steps, axis=1)
    # Few steps are that long at all, or differ that much from the one before.
    close = np.flatnonzero(sizes > 0.5 * limit)
    going = {int(k): _going(steps, int(k)) for k in close}
    big = [k for k, around in going.items() if _off(steps[k], around) > limit]
    longest = max(1, round(_LONGEST_EXCURSION_S * rate_hz))
    found: list[_Jump] = []
    at = 0
    while at < len(big):
        away = big[at]
        by = steps[away] - np.mean(going[away], axis=0)
        back = next(
            (
                k
                for k in big[at + 1 :]
                if k - away <= longest and _is_back(path, steps, going[away], away, k)
            ),
            None,
        )
        found.append(_Jump(away + 1, back, by))
        at = big.index(away if back is None else back) + 1
    return found


def _is_back(path: Array, steps: Array, going: list[Array], away: int, back: int) -> bool:
    expected = (back + 1 - away) * np.mean(going, axis=0)
    left = path[back + 1] - path[away] - expected
    return bool(np.linalg.norm(left) < _RETURN_SHARE * np.linalg.norm(steps[away]))


def _going(steps: Array, k: int) -> list[Array]:
    """How far the body goes in a frame before step k, and after it; nowhere in a clip of two."""
    sides = (steps[max(k - _BESIDE, 0) : k], steps[k + 1 : k + 1 + _BESIDE])
    return [np.median(side, axis=0) for side in sides if len(side)] or [np.zeros(3)]


def _off(step: Array, going: list[Array]) -> float:
    return min(float(np.linalg.norm(step - each)) for each in going)


def _repair(path: NDArray[np.float64], jumps: list[_Jump]) -> None:
    for jump in jumps:
        if jump.last is None:
            path[jump.first :] -= jump.by_m
            continue
        before, after = jump.first - 1, jump.last + 1
        share = (np.arange(jump.first, after) - before) / (after - before)
        path[jump.first : after] = path[before] + share[:, None] * (path[after] - path[before])
