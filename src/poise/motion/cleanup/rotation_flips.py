"""Rotation flips: a joint that jumps away for a few frames and comes back; and jumps that last.

Solvers of optical captures swap markers or choose the wrong one of two solutions for a moment. A
joint that leaves and returns faster than people can turn, within a tenth of a second, has done
that. A joint that stays there cannot be told from a change of meaning (another solution for the
rest of the clip), so nothing is repaired; whoever looks at the clip should look there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.motion.cleanup.finding import Finding
from poise.motion.clip import Clip
from poise.wording import counted

FLIPS, JUMPS = "rotation-flips", "rotation-jumps"

_IMPOSSIBLE_RAD_S = np.radians(2400.0)
"""The fastest joint turns on record (a pitcher's shoulder) stay below about 8,000 deg/s, but only
for a forward swing; no joint does a third of that and is back within a tenth of a second."""

_SMALLEST_STEP_RAD = np.radians(20.0)
_LONGEST_FLIP_S = 0.1
_RETURN_SHARE = 0.5
"""Back means: what separates the frames on either side is less than half of the jump."""


def find_flips(clip: Clip) -> Finding | None:
    """Short flips of any joint."""
    spans, _ = _flips_and_jumps(clip)
    if not spans:
        return None
    joints = sorted({joint for joint, _, _ in spans})
    names = tuple(clip.skeleton.joint_names[joint] for joint in joints)
    frames = {frame for _, first, last in spans for frame in range(first, last + 1)}
    return Finding(
        FLIPS,
        f"faster than a body can turn, and back: {counted(len(spans), 'short flip')} of "
        f"{', '.join(names)}",
        tuple(sorted(frames)),
        names,
        repair="turn steadily across them",
    )


def repair_flips(clip: Clip, finding: Finding) -> Clip:
    """The clip with short flips bridged."""
    q = clip.rotations_wxyz.copy()
    spans, _ = _flips_and_jumps(clip)
    for joint, first, last in spans:
        share = np.arange(1, last - first + 2) / (last - first + 2)
        q[first : last + 1, joint] = rotations.slerp(q[first - 1, joint], q[last + 1, joint], share)
    return replace(clip, rotations_wxyz=q)


def find_jumps(clip: Clip) -> Finding | None:
    """Lasting jumps of any joint."""
    _, jumps = _flips_and_jumps(clip)
    if not jumps:
        return None
    names = tuple(clip.skeleton.joint_names[j] for j in sorted({joint for joint, _ in jumps}))
    return Finding(
        JUMPS,
        f"faster than a body can turn, without coming back: {counted(len(jumps), 'jump')} of "
        f"{', '.join(names)}; to be looked at, it cannot be repaired by rule",
        tuple(sorted({frame for _, frame in jumps})),
        names,
    )


def _flips_and_jumps(clip: Clip) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]]]:
    """(joint, first bad frame, last bad frame) of each flip; (joint, frame) of each jump."""
    q = clip.rotations_wxyz
    limit = max(_SMALLEST_STEP_RAD, _IMPOSSIBLE_RAD_S / clip.rate_hz)
    steps: Array = rotations.angle_between(q[:-1], q[1:])
    longest = max(1, round(_LONGEST_FLIP_S * clip.rate_hz))
    spans: list[tuple[int, int, int]] = []
    jumps: list[tuple[int, int]] = []
    for joint in np.flatnonzero((steps > limit).any(axis=0)).tolist():
        found, left = _pair_up(q[:, joint], steps[:, joint], limit, longest)
        spans += [(joint, first, last) for first, last in found]
        jumps += [(joint, frame) for frame in left]
    return spans, jumps


def _pair_up(
    q: Array, steps: Array, limit: float, longest: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """Match each jump away with the jump back, nearest first."""
    big: NDArray[np.int64] = np.flatnonzero(steps > limit)
    spans: list[tuple[int, int]] = []
    left: list[int] = []
    at = 0
    while at < len(big):
        away = int(big[at])
        back = next(
            (
                i
                for i in range(at + 1, len(big))
                if big[i] - away <= longest
                and rotations.angle_between(q[away], q[big[i] + 1]) < _RETURN_SHARE * steps[away]
            ),
            None,
        )
        if back is None:
            left.append(away + 1)
            at += 1
        else:
            spans.append((away + 1, int(big[back])))
            at = back + 1
    return spans, left
