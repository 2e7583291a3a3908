"""The body over its feet: by what both of them are too high or too low, the root is.

Blended motions do not stand as their feet would have them, often a few centimetres too high. Legs
alone could undo that only by stretching, and a leg that comes out straight makes its knee snap. So
the root is lowered or raised by what the feet that carry it need on average, smoothly from one to
the other; what is left is the legs' (see `planted`).
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from poise.arrays import Array
from poise.character import Character
from poise.constraints import Recruits, Task
from poise.contact import ContactSchedule
from poise.mechanics import BodyState
from poise.methods.pattern.goals import goals_of
from poise.methods.pattern.placed import PlacedClip

_PASSED_ON_S = 0.06
"""Standard deviation in time of the weight that goes from foot to foot."""
_CARRIES = 1e-3
"""Feet that carry less together leave the root to what comes before and after."""


def carrying_shares(contacts: ContactSchedule, character: Character) -> dict[int, Array]:
    """(F,) for each ankle that ever stands, how much of the body it carries: at most one."""
    made: dict[int, Array] = {}
    roles = character.roles.joints if character.roles is not None else {}
    for side in ("left", "right"):
        part, ankle = f"{side}_foot", roles.get(f"{side}_ankle")
        if ankle is not None and part in contacts.parts and contacts.column(part).any():
            touches = contacts.column(part).astype(np.float64)
            made[character.skeleton.index(ankle)] = gaussian_filter1d(
                touches, _PASSED_ON_S * contacts.rate_hz
            )
    return made


def root_lift(before: BodyState, after: BodyState, shares: dict[int, Array]) -> Array:
    """(F,) by how much the root of an edited motion is raised for its feet to stand.

    Args:
        before: the clip, whose feet stand.
        after: the edited motion.
        shares: from `carrying_shares`.
    """
    frames = after.frame_count
    whole, carried = np.zeros(frames), np.zeros(frames)
    for ankle, share in shares.items():
        whole += share * (before.positions_m[:, ankle, 1] - after.positions_m[:, ankle, 1])
        carried += share
    stands = np.flatnonzero(carried > _CARRIES)
    if not len(stands):
        return np.zeros(frames)
    return np.interp(np.arange(frames), stands, whole[stands] / carried[stands])


def lift_rows(
    placed: PlacedClip, vector: Array, shares: dict[int, Array], frame: int, count: int
) -> Array:
    """(count,) how that changes with the coefficients, in a frame.

    Args:
        placed: the clip.
        vector: (F, 1 + J, 3) what changes are added to.
        shares: from `carrying_shares`.
        frame: of a goal.
        count: how many coefficients may change.
    """
    made, carried = np.zeros(count), 0.0
    nobody = Recruits(np.zeros(placed.clip.skeleton.joint_count, dtype=np.bool_), False)
    for ankle, share in shares.items():
        if share[frame] > _CARRIES:
            task = Task("foot", "point", frame, np.zeros((1, 3)), nobody, joint=ankle)
            (goal,) = goals_of(placed, [task], count, vector)
            made -= share[frame] * goal.look(np.zeros(count))[1][1]
            carried += float(share[frame])
    return made / carried if carried > 0.0 else made
