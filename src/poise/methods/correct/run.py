"""Correcting a motion: what touches is found, then everything holds at once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.character import Character
from poise.contact import (
    ContactSchedule,
    FoundContacts,
    TouchingPoints,
    estimate_ground,
    find_contacts,
    touching_points,
)
from poise.environment import Environment
from poise.errors import BadValue
from poise.footing import moving_joints
from poise.mechanics import forward_kinematics
from poise.methods.correct.draping import raised_clip
from poise.methods.correct.drift import steady_drift_m_s, without_drift
from poise.methods.correct.flesh import clearing_of, flesh_of
from poise.methods.correct.kind import kind_in_words
from poise.methods.correct.loops import Loop, loop_gap_m, loop_of
from poise.methods.correct.mesh import motion_mesh
from poise.methods.correct.paper import run_paper
from poise.methods.correct.recovery import Recovered, fastest_turns_rad_s, recover
from poise.methods.correct.report import CorrectReport, finished
from poise.methods.correct.settings import Settings, parts_of, vertices_for
from poise.methods.correct.smoothing import smoothed
from poise.methods.edit import Edit
from poise.methods.progress import Progress, ProgressCallback, silent
from poise.methods.result import Result
from poise.motion import Clip
from poise.physics import PhysicsSettings, Shortfall, shortfalls

SHORTEST = 3
"""Frames: fewer have no acceleration to speak of."""
FAR_M = 0.1
"""Skeletons know their soles, and captures their floor, to a few centimetres: a motion that is
raised or lowered further was said to touch what it does not."""
_FIRM = 0.5
"""Grip from which a point counts as standing."""


def run(
    edit: Edit,
    settings: Settings | None = None,
    *,
    progress: ProgressCallback | None = None,
    previous: Result[CorrectReport] | None = None,
) -> Result[CorrectReport]:
    """Correct a clip.

    Args:
        edit: the clip, whose it is and where. With contacts, those are kept to and none are looked
            for; constraints are not for this method.
        settings: the knobs.
        progress: told how far it is: `contacts`, then `angles` with a preview, the clip before
            contacts are made exact. With `mode: paper` also `places`, in between.
        previous: makes no difference.

    Raises:
        BadValue: constraints, too short a clip, a character without a body.
    """
    settings = settings or Settings()
    _check(edit)
    clip, place = edit.clip, edit.environment
    tell = progress or silent
    if settings.mode == "paper":
        return run_paper(edit, settings, tell)
    loop = loop_of(clip, place)
    if loop is None:
        solved = _solve(edit, settings, tell)
    else:
        cut = _cut_preview(loop, clip, tell)
        solved = _once(loop, _solve(loop.repeated(edit), settings, cut), edit)
    notes = () if solved.found is None else (kind_in_words(solved.contacts, solved.found.unknown),)
    notes += solved.notes
    if loop is not None:
        notes += (_gap_in_words(clip, solved.recovered.clip),)
    return finished(
        solved.start, settings, solved.found, solved.contacts, notes, solved.recovered,
        solved.fallen_short,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Solved:
    """A corrected clip and what was found on the way."""

    start: Clip
    """The clip on the ground that it was put on."""
    found: FoundContacts | None
    contacts: ContactSchedule
    recovered: Recovered
    fallen_short: tuple[Shortfall, ...]
    notes: tuple[str, ...]


def _solve(edit: Edit, settings: Settings, tell: ProgressCallback) -> _Solved:
    clip, character, place = edit.clip, edit.character, edit.environment
    reference = smoothed(clip, settings.smoothing_s)
    level = estimate_ground(clip, character)[0] if settings.drape else None
    floor = place if level is None else Environment((level,))  # where contacts are looked for
    tell(Progress("contacts", 0, 1))
    found: FoundContacts | None = None
    if edit.contacts is None:
        found = find_contacts(clip, character, floor, parts_of(settings))
        contacts = found.schedule
    else:
        contacts = edit.contacts
    standing = _touching(clip, character, contacts, floor)
    drift = np.zeros(3)
    if not any(surface.belt_velocity_m_s.any() for surface in floor.surfaces):
        drift = steady_drift_m_s(standing, contacts)
        if drift.any():
            roots = without_drift(reference.root_positions_m, drift, reference.rate_hz)
            reference = replace(reference, root_positions_m=roots)
    rise = _rise_m(standing)
    start = clip
    if level is not None:
        start, reference = (raised_clip(each, level, place) for each in (clip, reference))
    reference = _raised(reference, rise)
    tell(Progress("angles", 0, 1, reference))
    everything = settings.only == "everything"
    mesh = motion_mesh(character, vertices_for(settings), spheres=settings.spheres)
    recovered = recover(
        reference,
        character,
        place,
        contacts,
        _sliding(contacts),
        moves=moving_joints(clip),
        fastest_rad_s=fastest_turns_rad_s(clip),
        physics=PhysicsSettings() if everything else None,
        flesh=flesh_of(mesh),
        limbs=clearing_of(character, mesh),
        unknown=None if found is None else found.unknown,
    )
    fallen_short = (
        shortfalls(recovered.clip, character, place, recovered.contacts, clip) if everything else ()
    )
    notes = tuple[str, ...]()
    if drift.any():
        notes += (
            f"The motion drifts over the ground by {100.0 * float(np.linalg.norm(drift)):.0f} cm/s "
            "as a whole, which was taken off; on a treadmill, give its belt velocity.",
        )
    if abs(rise) > FAR_M:
        word = "raised" if rise > 0.0 else "lowered"
        notes += (f"The motion was {word} by {abs(rise):.1f} m to where it touches.",)
    return _Solved(start, found, contacts, recovered, fallen_short, notes)


def _once(loop: Loop, solved: _Solved, edit: Edit) -> _Solved:
    """What came of a cycle with what comes before and after, without that."""
    start = loop.clip(solved.start, edit.clip)
    return replace(
        solved,
        start=start,
        found=loop.found(solved.found),
        contacts=loop.contacts(solved.contacts),
        recovered=loop.recovered(solved.recovered, start),
        fallen_short=loop.shortfalls(solved.fallen_short),
    )


def _cut_preview(loop: Loop, clip: Clip, tell: ProgressCallback) -> ProgressCallback:
    def cut(told: Progress) -> None:
        shown = told.preview
        tell(told if shown is None else replace(told, preview=loop.clip(shown, clip)))

    return cut


def _gap_in_words(before: Clip, after: Clip) -> str:
    was, now = (1e3 * loop_gap_m(each)[0] for each in (before, after))
    return (
        f"A loop: it begins again within {now:.1f} mm of where it ends (before: {was:.1f}), and it "
        "was corrected as it repeats."
    )


def _touching(
    clip: Clip, character: Character, contacts: ContactSchedule, floor: Environment
) -> TouchingPoints:
    return touching_points(
        forward_kinematics(clip.skeleton, *clip.pose), character, contacts, floor
    )


def _rise_m(points: TouchingPoints) -> float:
    """How far the motion is raised as a whole to where it touches, by its lowest point that does.

    The laws of motion are asked of the capture itself: what it asks of the ground is known to a
    hundredth of the weight. Only its height is not known: bodies that float would otherwise come
    down by their legs alone.
    """
    firm = points.grip > _FIRM
    carried = firm.any(axis=1)
    if not carried.any():
        return 0.0
    lowest = np.where(firm, points.heights_m, np.inf).min(axis=1)
    return -float(np.median(lowest[carried]))


def _raised(clip: Clip, rise_m: float) -> Clip:
    return replace(clip, root_positions_m=clip.root_positions_m + np.array([0.0, rise_m, 0.0]))


def _sliding(contacts: ContactSchedule) -> ContactSchedule | None:
    if contacts.sliding is None:
        return None
    return ContactSchedule(contacts.parts, contacts.sliding, contacts.rate_hz)


def _check(edit: Edit) -> None:
    if edit.constraints:
        names = ", ".join(constraint.name for constraint in edit.constraints)
        raise BadValue("constraints of correct", "none (deform and filter take them)", names)
    if edit.clip.frame_count < SHORTEST:
        raise BadValue("clip", f"at least {SHORTEST} frames", edit.clip.frame_count)
    if edit.contacts is not None and edit.contacts.frame_count != edit.clip.frame_count:
        raise BadValue("contacts", f"{edit.clip.frame_count} frames", edit.contacts.frame_count)
    if edit.contacts is not None and abs(edit.contacts.rate_hz / edit.clip.rate_hz - 1.0) > 1e-3:
        rate = f"{edit.clip.rate_hz:g} Hz, as the clip"
        raise BadValue("contacts", rate, f"{edit.contacts.rate_hz:g} Hz")
    if edit.character.body is None or edit.character.roles is None:
        raise BadValue("character", "one with roles and a body (see complete_character)", "neither")
    if edit.clip.moving_joints:
        raise BadValue("moving_joints", "none: bones of fixed length", edit.clip.moving_joints)
