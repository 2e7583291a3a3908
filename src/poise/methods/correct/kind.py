"""What kind of motion a clip shows, by what touches in it, in words for the user.

Nothing is decided by it: any part may touch in any clip. It is said so that a wrong guess is seen.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poise.contact import FEET, ContactSchedule, phases

Kind = Literal["walk", "run", "acrobatic", "floor", "roll", "seat", "flight"]

_HANDS = ("left_hand", "right_hand")
_KNEES = ("left_knee", "right_knee")
_ROLLS_ON = ("left_shoulder", "right_shoulder", "chest", "head")


def kind_of(contacts: ContactSchedule, unknown: NDArray[np.bool_] | None = None) -> Kind:
    """The kind that touching parts and flights speak of, one of the presets.

    - `walk`: feet only, never all off the ground; `run`: with flights, jumps too
    - `acrobatic`: hands touch, and of the rest only feet
    - `roll`: shoulders, chest or head touch and the body flies or stands before and after
    - `seat`: the pelvis touches, and of the rest only feet, hands and, meanwhile, knees; `floor`:
      anything else

    `unknown` (F,) are frames in which something else carries the body: nobody flies there.
    """
    used = {part for part in contacts.parts if contacts.column(part).any()}
    if not used:
        return "flight"
    if used <= set(FEET):
        return "run" if _flights(contacts, unknown) else "walk"
    if used <= {*FEET, *_HANDS}:
        return "acrobatic"
    lies = np.logical_or.reduce([contacts.column(part) for part in _ROLLS_ON])
    if lies.any():
        return "roll" if not (lies[0] or lies[-1]) else "floor"
    sits = contacts.column("pelvis")
    kneels = np.logical_or.reduce([contacts.column(part) for part in _KNEES])
    upright = used <= {*FEET, *_HANDS, *_KNEES, "pelvis"}
    return "seat" if sits.any() and upright and not (kneels & ~sits).any() else "floor"


def kind_in_words(contacts: ContactSchedule, unknown: NDArray[np.bool_] | None = None) -> str:
    """As `Touching: left foot, right foot, left hand; 2 flights (acrobatic).`, for the user."""
    used = [part for part in contacts.parts if contacts.column(part).any()]
    if not used:
        return "Nothing was found to touch anything."
    flights = _flights(contacts, unknown)
    flying = f"; {flights} flight{'' if flights == 1 else 's'}" if flights else ""
    named = ", ".join(part.replace("_", " ") for part in used)
    return f"Touching: {named}{flying} ({kind_of(contacts, unknown)})."


def _flights(contacts: ContactSchedule, unknown: NDArray[np.bool_] | None) -> int:
    """How many times nothing carries the body, not even something that is not known."""
    carried = contacts.touching
    if unknown is not None:
        carried = carried | unknown[:, None]
    known = ContactSchedule(contacts.parts, carried, contacts.rate_hz)
    return sum(phase.kind == "flight" for phase in phases(known))
