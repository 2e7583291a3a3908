"""Contact bars of the timeline as a schedule, in a file beside the document's history."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from poise.apps.studio.from_page import EditContacts, Touch
from poise.apps.studio.history import History
from poise.apps.studio.project import Project
from poise.contact import ContactSchedule, write_contacts
from poise.errors import BadValue
from poise.job import Subject


def with_contacts(
    message: EditContacts, history: History, prepared: Subject, project: Project
) -> Mapping[str, Any]:
    """The recipe with what touches when as the user has it.

    Raises:
        BadValue: a step that there is not, a bar outside of the clip.
    """
    recipe = dict(history.recipe)
    steps = [dict(each) for each in recipe.get("steps", ())]
    if not 0 <= message.step < len(steps):
        raise BadValue("step", f"from 0 to {len(steps) - 1}", message.step)
    schedule = contacts_from(message.touches, prepared)
    # Named by its content: files that older states name stay as they are, for undo.
    digest = hashlib.sha256(
        repr((schedule.parts, schedule.rate_hz, len(schedule.touching))).encode()
    )
    for flags in (schedule.touching, schedule.sliding):
        digest.update(b"" if flags is None else flags.tobytes())
    path = history.folder / f"contacts-{digest.hexdigest()[:12]}.json"
    history.folder.mkdir(parents=True, exist_ok=True)
    write_contacts(schedule, path)
    ((method, content),) = steps[message.step].items()
    steps[message.step] = {method: {**(content or {}), "contacts": project.name(path)}}
    return {**recipe, "steps": steps}


def contacts_from(touches: Iterable[Touch], prepared: Subject) -> ContactSchedule:
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
