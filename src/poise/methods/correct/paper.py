"""`mode: paper`: Lee & Lee 2018 as printed, for comparison with the physics solve.

Smoothing and working rate (section 4); the contact optimizer (3.3 to 3.5, Algorithm 1) over the
motion optimizer (3.1 and 3.2); inverse kinematics to the optimized places (3.5.2). No solve
follows: contacts are as soft as they come out.

Where the print cannot be taken at its word:

- Weights count as in Eq. 3, squared, so that Δt²/m of Table 1 undoes the scale of Eq. 14.
- Eqs. 14 and 15 have the 1/Δt of their differences, and the centre of mass is a mean.
- v* of Eq. 23 is what section 3.4.2 calls f_v; its ε is 0.001.
- Friction and the weights of Eq. 13 are settings and constants of `problem`; f_max is for 70 kg,
  and more for heavier bodies.
- The parts of Eq. 20 are in units that compare (`scoring`).
- Diversity counts unbroken stretches of one state (`scoring`).
- Contacts do not slip between frames that both touch; from the last free frame to the first that
  touches, the trajectory leads.
- What touches a belt goes with it: slip (Eqs. 9 and 25) is relative to the surface.
- Where nothing touches, a weak pull to the reference keeps the equations regular.
- Flesh rests on the surface, not joints; feet have a heel and a ball, braced (`mesh_vertices`).
- Ten samples are drawn at a time, and samples compare by errors above the least
  (`solvers/voronoi_sampling`).
- Inverse kinematics is by least turns of the bones; only displacements are carried back to the
  clip's own rate. Feet are laid flat where heel and toe touch; hands keep their orientation.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.constraints import Recruits, Scene
from poise.contact import ContactSchedule, estimate_ground, intervals
from poise.environment import Environment, query
from poise.footing import moving_joints
from poise.ik import build, keep_in_range, unsolved
from poise.methods.correct.alignment import sole_turns
from poise.methods.correct.contact_optimizer import Discovered, discover
from poise.methods.correct.contact_states import schedule_of, touching_candidates
from poise.methods.correct.draping import draped_places_m, raised_clip
from poise.methods.correct.follow import at_own_rate, followed
from poise.methods.correct.mesh import Mesh, motion_mesh, vertices_of
from poise.methods.correct.mesh_vertices import CANDIDATES
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.report import CorrectReport
from poise.methods.correct.rest_heights import rest_heights_m
from poise.methods.correct.settings import FEET, THIGHS, Settings
from poise.methods.correct.smoothing import smoothed
from poise.methods.edit import Edit
from poise.methods.progress import Progress, ProgressCallback
from poise.methods.result import Result
from poise.motion import Clip, resample
from poise.wording import counted


def run_paper(edit: Edit, settings: Settings, tell: ProgressCallback) -> Result[CorrectReport]:
    """Correct a clip as printed."""
    clip, character, place = edit.clip, edit.character, edit.environment
    reference = smoothed(clip, settings.smoothing_s)
    rate = min(settings.working_rate_hz, clip.rate_hz)
    working = resample(reference, rate)
    candidates = _candidates(settings, edit.contacts)
    mesh = motion_mesh(
        character, candidates, extra_edges=settings.extra_edges, spheres=settings.spheres
    )
    level = estimate_ground(clip, character)[0] if settings.drape else None
    floor = place if level is None else Environment((level,))
    rest = rest_heights_m(mesh, working, character, floor)
    vertices, start = vertices_of(mesh, working), clip
    if level is not None:
        # The user's part: motion and surroundings are taken to be roughly aligned.
        vertices = draped_places_m(vertices, level, place)
        start, reference, working = (
            raised_clip(each, level, place) for each in (clip, reference, working)
        )
    optimizer = MotionOptimizer(mesh, vertices, rate, place, settings, rest)
    found: Discovered | None = None
    if edit.contacts is None:
        found = discover(
            optimizer, progress=lambda done, total: tell(Progress("contacts", done, total))
        )
        contacts = found.contacts
    else:
        contacts = known_candidates(edit.contacts, mesh, vertices, place, rest, rate)
    tell(Progress("places", 0, 1))
    optimized = optimizer.solve(contacts)
    tell(Progress("angles", 0, 1))
    nearest = np.round(np.arange(clip.frame_count) * rate / clip.rate_hz).astype(np.int64)
    own = contacts[np.minimum(nearest, len(contacts) - 1)]
    moved = at_own_rate(optimized.vertices_m - vertices_of(mesh, working), rate, reference)
    moves = moving_joints(clip)
    flat = sole_turns(reference, character, place, mesh.candidates, own)
    made = followed(reference, character, mesh, moved, moves, flat)
    made = _in_range(made, reference, character, place, moves)
    tell(Progress("angles", 1, 1, made))
    schedule = edit.contacts or schedule_of(mesh.candidates, own, clip.rate_hz)
    count = sum(len(intervals(schedule.column(part))) for part in schedule.parts)
    off_m = _off_m(made, mesh, own, place, rest)
    solved = optimized.status == "solved"
    summary = f"{counted(count, 'contact')} as printed, followed softly"
    if len(off_m):
        summary += (
            f": touching points are {1000.0 * off_m.mean():.0f} mm off the surface on average, "
            f"{1000.0 * off_m.max():.0f} mm at most"
        )
    history = (*start.history, f"corrected (paper, {settings.preset}): {count} contacts")
    return Result(
        clip=replace(made, history=history),
        status="converged" if solved else "stalled",
        summary=f"{summary}.",
        report=CorrectReport(None, (), (), discovered=found),
        contacts=schedule,
        notes=() if solved else (f"{optimized.status[0].upper()}{optimized.status[1:]}.",),
        start=start,
    )


def _candidates(settings: Settings, known: ContactSchedule | None) -> tuple[str, ...]:
    """What may touch: as asked, else feet (Table 2) and whatever is known to touch."""
    if settings.candidates is not None:
        return settings.candidates
    used = () if known is None else [part for part in known.parts if known.column(part).any()]
    more = (n for n in CANDIDATES if CANDIDATES[n][0] in used and n not in (*FEET, *THIGHS))
    return (*FEET, *more)


def known_candidates(
    schedule: ContactSchedule, mesh: Mesh, vertices_m: Array, place: Environment, rest_m: Array,
    rate_hz: float,
) -> NDArray[np.bool_]:  # fmt: skip
    """(T, B) the candidates of a schedule of the clip's own rate, in the frames of the working."""
    frames = len(vertices_m)
    nearest = np.round(np.arange(frames) * schedule.rate_hz / rate_hz).astype(np.int64)
    rows = np.minimum(nearest, schedule.frame_count - 1)
    thinned = ContactSchedule(schedule.parts, schedule.touching[rows], rate_hz)
    heights = _heights_m(vertices_m[:, mesh.contact_vertex], place) - rest_m
    return touching_candidates(thinned, mesh.candidates, heights)


def _heights_m(places_m: Array, place: Environment) -> Array:
    surface = query(place, places_m)
    return np.sum((places_m - surface.closest_m) * surface.normals, axis=-1)


def _off_m(
    made: Clip, mesh: Mesh, touching: NDArray[np.bool_], place: Environment, rest_m: Array
) -> Array:
    """How far touching points are from resting on the surface."""
    places = vertices_of(mesh, made)[:, mesh.contact_vertex]
    return np.abs(_heights_m(places, place) - rest_m)[touching]


def _in_range(
    made: Clip, capture: Clip, character: Character, place: Environment, moves: NDArray[np.bool_]
) -> Clip:
    """Joints back inside their ranges, or as far outside as in the capture."""
    problem = build(Scene(capture, character, place, None), (), also=Recruits(moves, True))
    solution = unsolved(problem)
    solution.rotations_wxyz[:] = made.rotations_wxyz
    keep_in_range(problem, solution, 0, made.frame_count - 1)
    return replace(made, rotations_wxyz=solution.rotations_wxyz)
