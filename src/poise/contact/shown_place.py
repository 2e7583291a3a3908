"""The place as a clip shows it: the ground under the feet, and a seat where someone sits."""

from __future__ import annotations

from poise.character import Character
from poise.contact.floor import estimate_ground
from poise.contact.seat import fit_seat
from poise.environment import Environment
from poise.errors import BadValue
from poise.motion import Clip


def shown_place(clip: Clip, character: Character) -> tuple[Environment, tuple[str, ...]]:
    """A place, and what was assumed.

    Args:
        clip: at its right rate.
        character: with a body and roles.
    """
    ground, note = estimate_ground(clip, character)
    try:
        seat = fit_seat(clip, character, ground)
    except BadValue:  # nobody sits
        return Environment((ground,)), (note,)
    said = f"Someone sits: a seat, {100 * seat.height_m:.0f} cm high, is put there."
    # Not its stand: that is a guess at what one body's legs leave room for; others need the room.
    return Environment((ground, *seat.parts[:1])), (note, said)
