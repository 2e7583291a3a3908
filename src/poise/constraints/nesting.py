"""The rule that protects priorities: what a lesser constraint may not take from a greater one.

Equation 2 of the paper asks for nested sets of joints. As printed it misses real conflicts (a hand
that moves the root under a foot which recruits only its leg) and forbids harmless ones (two hands
that share a spine). What protects the greater constraint is this: every joint that the lesser one
recruits and that moves the greater one's quantity must be recruited by the greater one too. Only
then does the projection onto its null space see, and undo, what that joint does to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poise.character import Character
from poise.constraints.part_move import moved_by
from poise.constraints.recruiting import TRANSLATION, Recruits
from poise.constraints.task import Task
from poise.errors import Contradiction


def check_nesting(tasks: Sequence[Task], character: Character) -> None:
    """Raise a Contradiction for the most important task that a lesser one would disturb.

    Tasks of weight zero do not count, nor do those whose frames do not meet.
    """
    live = sorted((task for task in tasks if task.weight > 0), key=lambda task: task.priority)
    if not live or live[0].priority == live[-1].priority:
        return
    recruited = np.array([_row(task.recruits) for task in live])
    for i, greater in enumerate(live):
        exposed = _row(moved_by(greater, character)) & ~recruited[i]
        taken = (recruited & exposed).any(axis=1)
        for k in np.flatnonzero(taken).tolist():
            lesser = live[k]
            if lesser.priority > greater.priority and _meeting(greater, lesser) is not None:
                raise _contradiction(greater, lesser, recruited[k] & exposed, character)


def _row(recruits: Recruits) -> NDArray[np.bool_]:
    """(J + 1,) the joints, then the translation."""
    return np.append(recruits.joints, recruits.translation)


def _meeting(a: Task, b: Task) -> tuple[int, int] | None:
    """The frames that two tasks share."""
    first, last = max(a.first, b.first), min(a.last, b.last)
    return (first, last) if first <= last else None


def _contradiction(
    greater: Task, lesser: Task, taken: NDArray[np.bool_], character: Character
) -> Contradiction:
    names = character.skeleton.joint_names
    joints = np.flatnonzero(taken[:-1]).tolist()
    listed = [names[joint] for joint in joints] + [TRANSLATION] * bool(taken[-1])
    said = _joined(listed)
    one = len(listed) == 1
    them, are = ("it", "is") if one else ("them", "are")
    frames = _meeting(greater, lesser)
    assert frames is not None
    return Contradiction(
        greater.name,
        lesser.name,
        frames,
        f"'{lesser.name}' (priority {lesser.priority}) recruits {said}, which "
        f"{'moves' if one else 'move'} '{greater.name}' (priority {greater.priority}) but {are} "
        f"not recruited by it, so it could not be protected",
        f"Let '{greater.name}' recruit {said} too ({_remedy(greater, joints, taken, character)}), "
        f"or take {them} from '{lesser.name}'.",
    )


def _remedy(
    greater: Task, joints: list[int], taken: NDArray[np.bool_], character: Character
) -> str:
    """What to write so that the greater one recruits what it lacks."""
    skeleton = character.skeleton
    chain = skeleton.ancestors(greater.joint) if greater.joint >= 0 else ()
    if greater.kind in ("point", "turn", "aim") and set(joints) <= set(chain):
        if taken[-1] or 0 in joints:
            return "recruit: up_to: root"
        return f"recruit: up_to: {skeleton.joint_names[min(joints)]}"
    wanted = (*greater.recruits.names(character), *(skeleton.joint_names[j] for j in joints))
    if taken[-1] and not greater.recruits.translation:
        wanted = (*wanted, TRANSLATION)
    return f"recruit: joints: [{', '.join(wanted)}]"


def _joined(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
