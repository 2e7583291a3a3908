"""Parts that stand, where nobody says what they are to do: they stay where the clip has them.

The ground carries a body where its feet are. A solve that was free to move them would chase a
support that runs away.
"""

from __future__ import annotations

from collections.abc import Sequence

from poise.character import Character, contact_points
from poise.constraints import EVERYTHING, Interval, Plant, Task, recruits_of_point, tasks_of
from poise.contact import ContactSchedule, intervals
from poise.mechanics import site_positions
from poise.methods.edit import Edit


def standing_tasks(edit: Edit, contacts: ContactSchedule, tasks: Sequence[Task]) -> list[Task]:
    """One plant for every time that a part touches, of parts that no task is about."""
    ancestors = edit.character.skeleton.ancestors
    own = {task.joint for task in tasks if task.joint >= 0}
    # A goal for toes is about their foot; one for a foot is not about the seat.
    above = {joint for each in own for joint in ancestors(each)}
    found: list[Task] = []
    for part, points in contact_points(edit.character).items():
        planted = _can_be_planted(part, edit.character)
        spoken_of = above if planted else own
        if part not in contacts.parts or any(joint in spoken_of for joint in points.joints):
            continue
        for first, stop in intervals(contacts.column(part)):
            if not planted:
                found.append(_lowest_stays(edit, part, first, stop))
                continue
            name = f"{part} stays, frames {first} to {stop - 1}"
            plant = Plant(name, part, Interval(first, stop - 1), "follow")
            found += tasks_of(plant, edit.scene)
    return found


def _can_be_planted(part: str, character: Character) -> bool:
    """Whether a part has a joint of its own that lays it flat: feet, and hands below a wrist."""
    side, _, what = part.partition("_")
    roles = character.roles.joints if character.roles is not None else {}
    return what == "foot" or (what == "hand" and f"{side}_wrist" in roles)


def _lowest_stays(edit: Edit, part: str, first: int, stop: int) -> Task:
    """The lowest point of a knee, a seat or a stump stays where it is."""
    sites = contact_points(edit.character)[part]
    places = site_positions(edit.scene.state, sites)[first:stop]
    lowest = int(places[..., 1].mean(axis=0).argmin())
    joint, offset = int(sites.joints[lowest]), sites.offsets_m[lowest]
    recruits = recruits_of_point(edit.character, joint, offset, EVERYTHING)
    name = f"{part} stays, frames {first} to {stop - 1}"
    return Task(
        name, "point", first, places[:, lowest], recruits, joint=joint, offset_m=offset
    )  # fmt: skip
