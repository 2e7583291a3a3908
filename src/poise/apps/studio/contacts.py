"""Contact bars of the timeline as a schedule."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from poise.apps.studio.from_page import Touch
from poise.contact import ContactSchedule
from poise.errors import BadValue
from poise.recipes import Prepared


def contacts_from(touches: Iterable[Touch], prepared: Prepared) -> ContactSchedule:
    """What touches when, for the frames of the clip as it is worked on.

    Raises:
        BadValue: a bar outside of the clip.
        UnknownName: of a part that there is not.
    """
    bars = list(touches)
    frames = prepared.clip.frame_count
    parts = tuple(dict.fromkeys(each.part for each in bars)) or ("left_foot", "right_foot")
    touching = np.zeros((frames, len(parts)), dtype=np.bool_)
    sliding = np.zeros_like(touching)
    for each in bars:
        if not 0 <= each.first <= each.last < frames:
            got = f"{each.part}: {each.first} to {each.last}"
            raise BadValue("contacts", f"frames inside the clip (0 to {frames - 1})", got)
        column = parts.index(each.part)
        touching[each.first : each.last + 1, column] = True
        sliding[each.first : each.last + 1, column] |= each.sliding
    return ContactSchedule(parts, touching, prepared.clip.rate_hz, sliding & touching)
