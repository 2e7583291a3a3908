"""From an edit to goals in a pattern's coefficients."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints import Scene, Task, tasks_of
from poise.contact import ContactSchedule, detect_contacts
from poise.environment import Environment, query
from poise.errors import BadValue
from poise.mechanics import BodyState, forward_kinematics
from poise.methods.edit import Edit
from poise.methods.motion_pattern import Pattern
from poise.methods.pattern.goals import POINT, Goal, goals_of
from poise.methods.pattern.placed import PlacedClip, place
from poise.methods.pattern.planted import carrying_shares, is_of_a_leg, lift_rows
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
    before: BodyState
    """Where the joints of the clip are."""
    contacts: ContactSchedule | None
    """What feet do; None where they are left free."""
    tasks: tuple[Task, ...]
    goals: tuple[Goal, ...]
    count: int
    """How many coefficients may change."""
    vector: Array
    """(F, 1 + J, 3) what changes are added to."""
    carrying: dict[int, Array]
    """(F,) for each ankle, how much of the body it carries; none where feet are left free."""


def build(edit: Edit, settings: Settings, known: Problem | None = None) -> Problem:
    """Look at an edit from its pattern; where the clip lies in it, an earlier problem may know.

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
        before, carrying = known.before, known.carrying
    else:
        character = pattern.with_tools(edit.character)
        ground = ground_height_m(edit.environment, edit.clip)
        placed = place(pattern, edit.clip, character, ground, settings.events or None)
        contacts = _contacts(edit, character, settings)
        before = forward_kinematics(edit.clip.skeleton, *edit.clip.pose)
        carrying = {} if contacts is None else carrying_shares(contacts, character)
    scene = Scene(edit.clip, character, edit.environment, edit.original)
    tasks = tuple(
        task for each in edit.constraints for task in tasks_of(each, scene) if task.weight > 0.0
    )
    vector = placed.vector if settings.details == "kept" else placed.projected(count)
    goals = tuple(goals_of(placed, tasks, count, vector))
    return Problem(
        edit, settings, pattern, character, placed, before, contacts, tasks, goals, count, vector,
        carrying,
    )  # fmt: skip


def lifted(problem: Problem, lift_m: Array, change: Array) -> tuple[Goal, ...]:
    """The goals of a body whose root will be raised for its feet to stand.

    After a change of coefficients, (m,) or (F, m), it was raised by `lift_m` (F,). Goals of a leg
    are as they were: feet are put where they are to be.
    """
    made: list[Goal] = []
    for goal in problem.goals:
        if goal.kind == POINT and not is_of_a_leg(goal.joint, problem.character):
            frame = goal.frame
            rows = np.zeros((3, problem.count))
            rows[1] = lift_rows(
                problem.placed, problem.vector, problem.carrying, frame, problem.count
            )
            at = change if change.ndim == 1 else change[frame]
            lift = np.array([0.0, lift_m[frame], 0.0])
            goal = replace(goal, shift_m=lift - rows @ at, shift_rows=rows)
        made.append(goal)
    return tuple(made)


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
        if edit.contacts.frame_count != edit.clip.frame_count:
            allowed = f"{edit.clip.frame_count} frames like the clip"
            raise BadValue("contacts", allowed, edit.contacts.frame_count)
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
        and known.settings.details == settings.details
    )
