"""What kind of motion a clip shows, by what touches in it, in words for the user.

Nothing is decided by it: any part may touch in any clip. It is said so that a wrong guess is seen.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from poise.contact import FEET, ContactSchedule, phases

Kind = Literal["walk", "run", "acrobatic", "floor", "roll", "seat", "flight"]

_HANDS = ("left_hand", "right_hand")
_ROLLS_ON = ("left_shoulder", "right_shoulder", "chest", "head")


def kind_of(contacts: ContactSchedule) -> Kind:
    """The kind that touching parts and flights speak of, one of the presets.

    - `walk`: feet only, never all off the ground; `run`: with flights, jumps too
    - `acrobatic`: hands carry while no foot does, and nothing else touches
    - `roll`: shoulders, chest or head touch and the body flies or stands before and after
    - `seat`: the pelvis touches, and of the rest only feet and hands; `floor`: anything else
    """
    used = {part for part in contacts.parts if contacts.column(part).any()}
    if not used:
        return "flight"
    flies = any(phase.kind == "flight" for phase in phases(contacts))
    if used <= set(FEET):
        return "run" if flies else "walk"
    if used <= {*FEET, *_HANDS}:
        return "acrobatic"
    lies = np.logical_or.reduce([contacts.column(part) for part in _ROLLS_ON])
    if lies.any():
        return "roll" if not (lies[0] or lies[-1]) else "floor"
    return "seat" if used <= {*FEET, *_HANDS, "pelvis"} else "floor"


def kind_in_words(contacts: ContactSchedule) -> str:
    """As `Touching: left foot, right foot, left hand; 2 flights (acrobatic).`, for the user."""
    used = [part for part in contacts.parts if contacts.column(part).any()]
    if not used:
        return "Nothing was found to touch anything."
    flights = sum(phase.kind == "flight" for phase in phases(contacts))
    flying = f"; {flights} flight{'' if flights == 1 else 's'}" if flights else ""
    named = ", ".join(part.replace("_", " ") for part in used)
    return f"Touching: {named}{flying} ({kind_of(contacts)})."
