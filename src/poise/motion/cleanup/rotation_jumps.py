"""Rotation jumps: a joint that turns impossibly fast and stays there.

It cannot be told from a change of meaning (another solution for the rest of the clip), so nothing
is repaired; whoever looks at the clip should look there.
"""

from __future__ import annotations

from poise.motion.cleanup.finding import Finding
from poise.motion.cleanup.rotation_flips import flips_and_jumps
from poise.motion.clip import Clip
from poise.wording import counted

NAME = "rotation-jumps"


def find(clip: Clip) -> Finding | None:
    """Lasting jumps of any joint."""
    _, jumps = flips_and_jumps(clip)
    if not jumps:
        return None
    names = tuple(clip.skeleton.joint_names[j] for j in sorted({joint for joint, _ in jumps}))
    return Finding(
        NAME,
        f"faster than a body can turn, without coming back: {counted(len(jumps), 'jump')} of "
        f"{', '.join(names)}; to be looked at, it cannot be repaired by rule",
        tuple(sorted({frame for _, frame in jumps})),
        names,
    )


def repair(clip: Clip, finding: Finding) -> Clip:
    """The clip as it is."""
    return clip
