"""Correcting a motion: contacts found, places optimized, joint angles recovered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from poise import rotations
from poise.contact import ContactSchedule, estimate_ground
from poise.environment import Environment
from poise.errors import BadValue
from poise.footing import moving_joints
from poise.methods.correct.contact_optimizer import Discovered, discover_long
from poise.methods.correct.contact_states import columns_of
from poise.methods.correct.draping import draped_places_m, raised_clip
from poise.methods.correct.drift import steady_drift_m_s, without_drift
from poise.methods.correct.flesh import clearing_of, flesh_of
from poise.methods.correct.follow import at_own_rate, followed
from poise.methods.correct.mesh import motion_mesh, vertices_of
from poise.methods.correct.problem import SLIDING
from poise.methods.correct.recovery import fastest_turns_rad_s, recover
from poise.methods.correct.refine import OwnRate, from_schedule, refined
from poise.methods.correct.report import CorrectReport, finished
from poise.methods.correct.settings import Settings
from poise.methods.correct.standing_places import rest_heights_m
from poise.methods.correct.windows import optimize_long
from poise.methods.edit import Edit
from poise.methods.progress import Progress, ProgressCallback, silent
from poise.methods.result import Result
from poise.motion import Clip, resample
from poise.physics import PhysicsSettings, shortfalls

SHORTEST = 3
"""Frames: fewer have no acceleration to speak of."""
FAR_M = 0.1
"""Skeletons know their soles, and captures their floor, to a few centimetres: a motion that is
raised or lowered further was said to touch what it does not."""


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
        progress: told how far it is: `contacts`, `places`, and `angles` with a preview, the clip
            before contacts are made exact.
        previous: makes no difference.

    Raises:
        BadValue: constraints, too short a clip, a character without a body.
    """
    settings = settings or Settings()
    _check(edit)
    clip, character, place = edit.clip, edit.character, edit.environment
    tell = progress or silent
    reference = smoothed(clip, settings.smoothing_s)
    rate = min(settings.working_rate_hz, clip.rate_hz)
    working = resample(reference, rate)
    mesh = motion_mesh(
        character, settings.candidates, extra_edges=settings.extra_edges, spheres=settings.spheres
    )
    level = estimate_ground(clip, character)[0] if settings.drape else None
    floor = place if level is None else Environment((level,))  # where contacts are looked for
    rest = rest_heights_m(mesh, working, character, floor)
    vertices = vertices_of(mesh, working)
    found: Discovered | None = None
    if edit.contacts is None:
        found = discover_long(
            mesh, working, character, floor, settings, rest,
            progress=lambda done, total: tell(Progress("contacts", done, total)),
        )  # fmt: skip
        contacts = found.contacts
        own = refined(contacts, rate, mesh, clip, character, floor)
    else:
        own = from_schedule(edit.contacts, mesh, clip, character, floor)
        contacts = _at(own.contacts, clip.rate_hz, rate, working.frame_count)
    if not any(surface.belt_velocity_m_s.any() for surface in floor.surfaces):
        drift = steady_drift_m_s(mesh, vertices_of(mesh, clip), own.contacts, clip.rate_hz)
        if drift.any():
            roots = without_drift(reference.root_positions_m, drift, reference.rate_hz)
            reference = replace(reference, root_positions_m=roots)
            vertices = without_drift(vertices, drift, rate)
    start, aim = clip, vertices
    if level is not None:
        aim = draped_places_m(vertices, level, place)
        start, reference = (raised_clip(each, level, place) for each in (clip, reference))
        vertices = vertices_of(mesh, raised_clip(working, level, place))
    tell(Progress("places", 0, 1))
    optimized = optimize_long(mesh, aim, rate, place, settings, rest, contacts)
    moves = moving_joints(clip)
    moved = at_own_rate(optimized.vertices_m - vertices, rate, reference)
    preview = followed(reference, character, mesh, moved, moves)
    tell(Progress("angles", 0, 1, preview))
    everything = settings.only == "everything"
    rise = _rise_m(preview, reference, own.schedule)
    recovered = recover(
        _raised(reference, rise) if everything else preview,
        character,
        place,
        own.schedule,
        _slides(own, mesh.candidates),
        moves=moves,
        fastest_rad_s=fastest_turns_rad_s(clip),
        physics=PhysicsSettings() if everything else None,
        flesh=flesh_of(mesh),
        limbs=clearing_of(character, mesh),
    )
    fallen_short = (
        shortfalls(recovered.clip, character, place, recovered.contacts, clip) if everything else ()
    )
    notes = () if optimized.status == "solved" else (optimized.status,)
    if abs(rise) > FAR_M:
        word = "raised" if rise > 0.0 else "lowered"
        notes += (f"The motion was {word} by {abs(rise):.1f} m to where it touches.",)
    return finished(start, settings, found, own, notes, recovered, fallen_short)


def _rise_m(preview: Clip, capture: Clip, contacts: ContactSchedule) -> float:
    """How far optimized places raise a capture as a whole, where something touches.

    The laws of motion are asked of the capture itself: what it asks of the ground is known to a
    hundredth of the weight, and optimized places know it less well. Only its height is not known:
    bodies that float would otherwise come down by their legs alone.
    """
    rises = (preview.root_positions_m - capture.root_positions_m)[:, 1]
    carried = np.asarray(contacts.touching.any(axis=1))
    return float(np.median(rises[carried])) if carried.any() else 0.0


def _raised(clip: Clip, rise_m: float) -> Clip:
    return replace(clip, root_positions_m=clip.root_positions_m + np.array([0.0, rise_m, 0.0]))


_REACH = 4.0
"""Standard deviations beyond which the Gaussian is as good as nothing."""


def smoothed(clip: Clip, deviation_s: float) -> Clip:
    """The clip without what changes faster; zero leaves it alone."""
    width = deviation_s * clip.rate_hz
    if width <= 0.0 or clip.frame_count < 3:
        return clip
    turns = gaussian_filter1d(
        rotations.continuous(clip.rotations_wxyz), width, axis=0, mode="nearest", truncate=_REACH
    )
    # The root goes on at the ends as it came: mirrored about the end point itself.
    path = clip.root_positions_m
    beyond = min(int(np.ceil(_REACH * width)), len(path) - 1)
    longer = np.concatenate(
        [2.0 * path[0] - path[beyond:0:-1], path, 2.0 * path[-1] - path[-2 : -beyond - 2 : -1]]
    )
    places = gaussian_filter1d(longer, width, axis=0, mode="nearest", truncate=_REACH)
    return replace(
        clip,
        root_positions_m=places[beyond : beyond + len(path)],
        rotations_wxyz=rotations.continuous(rotations.normalize(turns)),
    )


def _check(edit: Edit) -> None:
    if edit.constraints:
        names = ", ".join(constraint.name for constraint in edit.constraints)
        raise BadValue("constraints of correct", "none (deform and filter take them)", names)
    if edit.clip.frame_count < SHORTEST:
        raise BadValue("clip", f"at least {SHORTEST} frames", edit.clip.frame_count)
    if edit.character.body is None or edit.character.roles is None:
        raise BadValue("character", "one with roles and a body (see complete_character)", "neither")
    if edit.clip.moving_joints:
        raise BadValue("moving_joints", "none: bones of fixed length", edit.clip.moving_joints)


def _at(
    contacts: NDArray[np.int8], rate_hz: float, working_rate_hz: float, count: int
) -> NDArray[np.int8]:
    """Contacts of the clip's own rate at the working rate: the nearest frame's."""
    nearest = np.round(np.arange(count) * rate_hz / working_rate_hz).astype(np.int64)
    return contacts[np.minimum(nearest, len(contacts) - 1)]


def _slides(own: OwnRate, candidates: tuple[str, ...]) -> ContactSchedule:
    """Parts of which every touching candidate slides."""
    parts = own.schedule.parts
    columns = np.zeros((len(own.contacts), len(parts)), dtype=np.bool_)
    for p, part in enumerate(parts):
        mine = own.contacts[:, columns_of(candidates, part)]
        touching = mine > 0
        columns[:, p] = touching.any(axis=1) & ((mine == SLIDING) | ~touching).all(axis=1)
    return ContactSchedule(parts, columns, own.schedule.rate_hz)
