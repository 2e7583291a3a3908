"""Contacts that are known by body part, told by candidate: which end of a foot touches when."""

from __future__ import annotations

import numpy as np

from poise.character import Character
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import BadShape
from poise.methods.correct.candidates import CANDIDATE_PARTS
from poise.methods.correct.evidence import evidence
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.refine import OwnRate
from poise.motion import Clip


def from_schedule(
    schedule: ContactSchedule,
    mesh: Mesh,
    clip: Clip,
    character: Character,
    environment: Environment,
) -> OwnRate:
    """Every candidate of a touching part touches that the motion lets touch; the likeliest does."""
    if schedule.frame_count != clip.frame_count:
        raise BadShape("contacts", f"({clip.frame_count}, P)", schedule.touching.shape)
    scores = evidence(mesh, clip, character, environment).scores
    contacts = np.zeros(scores.shape, dtype=np.int8)
    for part in schedule.parts:
        mine = [b for b, c in enumerate(mesh.candidates) if CANDIDATE_PARTS[c] == part]
        if mine:
            best = scores[:, mine].min(axis=1, keepdims=True)
            likely = (scores[:, mine] < 1.0) | (scores[:, mine] == best)
            contacts[:, mine] = likely & schedule.column(part)[:, None]
    return OwnRate(contacts, schedule)
