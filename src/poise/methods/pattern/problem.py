"""From an edit to goals in a pattern's coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints import Scene, Task, tasks_of
from poise.contact import ContactSchedule, detect_contacts
from poise.environment import Environment
from poise.environment.query import query
from poise.errors import BadValue
from poise.methods.edit import Edit
from poise.methods.pattern.goals import Goal, goals_of
from poise.methods.pattern.model import Pattern
from poise.methods.pattern.placed import PlacedClip, place
from poise.methods.pattern.settings import Settings
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Problem:
    """All that an edit comes down to."""

    edit: Edit
    settings: Settings
    pattern: Pattern
    character: Character
    """The edit's, with the pattern's tools."""
    placed: PlacedClip
    contacts: ContactSchedule | None
    """What feet do; None where they are left free."""
    tasks: tuple[Task, ...]
    goals: tuple[Goal, ...]
    count: int
    """How many coefficients may change."""
    vector: Array
    """(F, 1 + J, 3) what changes are added to."""


def build(edit: Edit, settings: Settings, known: Problem | None = None) -> Problem:
    """Look at an edit from its pattern.

    Args:
        edit: with a pattern.
        settings: the knobs.
        known: an earlier problem of the same clip, whose place in the pattern is taken over.

    Raises:
        BadValue: no pattern, another skeleton, an event that is not to be found, a constraint that
            a pattern has no answer to.
    """
    pattern = edit.pattern
    if pattern is None:
        raise BadValue("pattern", "given (see 'poise pattern learn')", None)
    count = pattern.used if settings.components is None else settings.components
    if count > len(pattern.variances):
        most = len(pattern.variances)
        raise BadValue("components", f"at most {most}, which is all there are", count)
    if known is not None and not _same(known, edit, settings):
        known = None
    if known is not None:
        character, placed, contacts = known.character, known.placed, known.contacts
    else:
        character = pattern.with_tools(edit.character)
        ground = ground_height_m(edit.environment, edit.clip)
        placed = place(pattern, edit.clip, character, ground, settings.events or None)
        contacts = _contacts(edit, character, settings)
    scene = Scene(edit.clip, character, edit.environment, edit.original)
    tasks = tuple(task for each in edit.constraints for task in tasks_of(each, scene))
    vector = placed.vector if settings.details == "kept" else placed.projected(count)
    goals = tuple(goals_of(placed, tasks, count, vector))
    return Problem(
        edit, settings, pattern, character, placed, contacts, tasks, goals, count, vector
    )


def ground_height_m(environment: Environment, clip: Clip) -> float:
    """The height of the ground where a clip mostly is."""
    middle = clip.root_positions_m.mean(axis=0)
    if environment.grounds:
        return float(environment.grounds[0].heights_m(middle))
    return float(query(environment, middle).closest_m[1])


def _contacts(edit: Edit, character: Character, settings: Settings) -> ContactSchedule | None:
    if settings.feet == "free" or character.roles is None:
        return None
    if edit.contacts is not None:
        return edit.contacts
    parts = [
        f"{side}_foot" for side in ("left", "right") if f"{side}_ankle" in character.roles.joints
    ]
    return detect_contacts(edit.clip, character, edit.environment, parts) if parts else None


def _same(known: Problem, edit: Edit, settings: Settings) -> bool:
    """Whether the clip and all that it is looked at with are those of an earlier problem."""
    before = known.edit
    return (
        before.clip is edit.clip
        and before.character is edit.character
        and before.environment is edit.environment
        and before.contacts is edit.contacts
        and before.pattern is edit.pattern
        and known.settings.events == settings.events
        and known.settings.feet == settings.feet
    )


def radius_of(pattern: Pattern, count: int, reach: float | None) -> float:
    """How far from the mean coefficients may go."""
    return np.inf if reach is None else reach * pattern.furthest(count)
