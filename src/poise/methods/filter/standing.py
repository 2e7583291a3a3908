"""Parts that stand, where nobody says what they are to do: they stay where the clip has them.

The ground carries a body where its feet are. Dynamic rounds that were free to move them would chase
a support that runs away.
"""

from __future__ import annotations

from collections.abc import Sequence

from poise.character import contact_points
from poise.constraints import Interval, Plant, Task, tasks_of
from poise.contact import ContactSchedule
from poise.contact.schedule import intervals
from poise.methods.edit import Edit


def standing_tasks(edit: Edit, contacts: ContactSchedule, tasks: Sequence[Task]) -> list[Task]:
    """One plant for every time that a part touches, of parts that no task is about."""
    ancestors = edit.character.skeleton.ancestors
    spoken_of = {joint for task in tasks if task.joint >= 0 for joint in ancestors(task.joint)}
    found: list[Task] = []
    for part, points in contact_points(edit.character).items():
        if part not in contacts.parts or any(joint in spoken_of for joint in points.joints):
            continue
        for first, stop in intervals(contacts.column(part)):
            name = f"{part} stays, frames {first} to {stop - 1}"
            plant = Plant(name, part, Interval(first, stop - 1), "follow")
            found += tasks_of(plant, edit.scene)
    return found
