"""The stages of a leap, where the clip is one, for bars of the timeline and handles."""

from __future__ import annotations

import numpy as np

from poise.apps.studio.to_page import Stage
from poise.character import Character
from poise.contact import ContactSchedule
from poise.errors import PoiseError
from poise.mechanics import forward_kinematics
from poise.methods.edit import Edit
from poise.methods.momentum.plan import captured
from poise.methods.momentum.settings import Settings
from poise.motion import Clip
from poise.recipes import Prepared


def stages_of(
    clip: Clip, character: Character, prepared: Prepared, contacts: ContactSchedule
) -> tuple[Stage, ...]:
    """Ground and flight in turn; nothing for a clip that never leaves the ground."""
    try:
        found = captured(
            Edit(clip, character, (), prepared.environment, contacts=contacts), Settings()
        )
    except PoiseError:  # no flight, or stages too short to be told apart
        return ()
    lows = forward_kinematics(clip.skeleton, *clip.pose).positions_m[..., 1].min(axis=1)
    stages: list[Stage] = []
    for each in found.stages:
        span = slice(each.first, each.stop)
        roots = clip.root_positions_m[span]
        if each.kind == "ground":
            middle = roots.mean(axis=0)
            place = (float(middle[0]), float(np.min(lows[span])), float(middle[2]))
        else:
            top = roots[int(np.argmax(roots[:, 1]))]
            place = (float(top[0]), float(top[1]), float(top[2]))
        stages.append(Stage(each.kind, each.first, each.stop - 1, place))
    return tuple(stages)
