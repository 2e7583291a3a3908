"""The measures of a solution, and curves over time, for the panel beside the viewport."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import numpy as np

from poise.apps.report.words import figures_of
from poise.apps.studio import to_page as say
from poise.apps.studio.from_page import EditContacts, Touch
from poise.apps.studio.history import History, steps_of
from poise.apps.studio.project import Project
from poise.apps.studio.solving import Solution
from poise.apps.studio.wire import Told, told
from poise.arrays import Array
from poise.character import Character
from poise.contact import ContactSchedule, Series, find_contacts, observe, write_contacts
from poise.environment import Environment
from poise.errors import BadValue
from poise.job import Subject
from poise.measures import Evaluation, evaluate
from poise.motion import Clip


def with_contacts(
    message: EditContacts, history: History, prepared: Subject, project: Project
) -> Mapping[str, object]:
    """The recipe with what touches when as the user has it.

    Raises:
        BadValue: a step that there is not, a bar outside of the clip.
    """
    steps = list(steps_of(history.recipe))
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
    return {**history.recipe, "steps": steps}


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


def observed(
    clip: Clip, character: Character, place: Environment, contacts: ContactSchedule | None = None
) -> Series:
    """What a motion does frame by frame; contacts that nobody has given are found."""
    touching = contacts or find_contacts(clip, character, place).schedule
    return observe(clip, character, place, touching)


def evaluated(solution: Solution) -> Evaluation:
    """The measures of a solution against its capture."""
    return evaluate(
        solution.clip, solution.character, solution.environment, solution.contacts,
        against=solution.start, against_character=solution.start_character,
    )  # fmt: skip


def measured(solution: Solution) -> Told:
    """Figures before and after, and the curves that they sum up."""
    found = evaluated(solution)
    figures = figures_of(found.measures, found.before)
    rows = tuple(
        say.FigureRow(
            f.key, f.name, f.group, f.about, f.unit,
            f.before, f.value, f.verdict, f.change,
        )
        for f in figures
    )  # fmt: skip
    after, before = found.series, found.original
    curves = _curves(after)
    frames = after.clip.frame_count
    lines_after = np.stack([values for _, _, _, values in curves])
    lines_before = np.full_like(lines_after, np.nan)
    if before is not None:
        for row, (_, _, _, values) in enumerate(_curves(before)):
            count = min(frames, len(values))
            lines_before[row, :count] = values[:count]
    plots = tuple(
        say.Plot(name, unit, row, limit) for row, (name, unit, limit, _) in enumerate(curves)
    )
    message = say.Measures(rows, plots, found.notes)
    return told(message, before=lines_before, after=lines_after)


def _curves(series: Series) -> list[tuple[str, str, float | None, Array]]:
    touching = series.pressing
    slide = np.where(touching, series.point_slide_m_s, np.nan)
    with np.errstate(all="ignore"):
        fastest = np.where(touching.any(axis=1), np.nanmax(np.nan_to_num(slide), axis=1), np.nan)
    weight = series.mass_kg * 9.81
    return [
        ("Slide of what touches", "cm/s", None, 100.0 * fastest),
        ("Lowest point", "cm", 0.0, 100.0 * series.point_distances_m.min(axis=1)),
        ("ZMP outside the support", "cm", 0.0, 100.0 * series.support_distance_m),
        ("Missing force", "body weights", None,
         np.linalg.norm(series.missing_force_n, axis=1) / weight),
        ("Hardest-working joint", "× its limit", 1.0, series.torque_ratio.max(axis=1)),
        ("Height of the centre of mass", "m", None, series.com_m[:, 1]),
    ]  # fmt: skip
