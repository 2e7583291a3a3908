"""Root motion of what is written: as the input has it, travelling, or in place, as engines ask.

Travelling and in place differ by a steady velocity, which no law of motion notices: contacts,
balance and forces stay as they are. So what is taken out is the mean horizontal velocity of the
root, from its first frame to its last, and not its path: the sway stays, feet stand on a belt of
one velocity, and a loop ends where it begins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from poise.arrays import Array
from poise.character import UP, complete_character
from poise.contact import LEAST_SLOPE, belt_velocity_m_s, estimate_ground
from poise.environment import Environment, Ground
from poise.errors import FileProblem, MissingRoles, PoiseError, UnusualStature
from poise.job.control_rig import ControlRig, control_rig
from poise.motion import Clip

RootMotion = Literal["as-is", "in-place", "travel"]

SLOWEST_M_S = 0.05
"""A root that travels slower on average stays where it is."""
STRAIGHT = 0.15
"""Share of the way by which the root may leave the straight line before that is said."""
_STILL = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Rooted:
    """A clip with the root motion that was asked for, and the place that fits it."""

    clip: Clip
    environment: Environment
    notes: tuple[str, ...] = ()
    """What was done, with the speed; or why nothing was."""


def with_root_motion(clip: Clip, environment: Environment, wanted: RootMotion) -> Rooted:
    """The clip travelling or in place.

    Args:
        clip: the motion.
        environment: where; ground that moves is the belt of a clip in place.
        wanted: `as-is` changes nothing.
    """
    if wanted == "as-is":
        return Rooted(clip, environment)
    belt = _belt_m_s(environment)
    if wanted == "travel":
        return _travelling(clip, environment, belt)
    return _in_place(clip, environment, belt)


def root_motion_of(clip: Clip, wanted: RootMotion) -> Rooted:
    """The same for a clip alone, whose belt is looked for.

    Raises:
        FileProblem: `travel`, and no feet are recognised that could show the velocity.
    """
    rig = control_rig(clip)
    body = clip if rig is None else rig.body()
    place = Environment.flat()
    try:
        if wanted != "as-is":
            character = complete_character(body.skeleton)
            belt = belt_velocity_m_s(body, character)
            place = Environment((estimate_ground(body, character, belt)[0],))
    except (MissingRoles, UnusualStature) as problem:
        if wanted == "travel":
            raise _unknown_feet(clip, problem) from problem
    rooted = with_root_motion(body, place, wanted)
    return rooted if rig is None else in_its_rig(rooted, body, rig)


def in_its_rig(rooted: Rooted, body: Clip, rig: ControlRig) -> Rooted:
    """The same in the tree of the file; its root travels with all that hangs on it.

    Args:
        rooted: the body with the root motion that was asked for,
        body: and without it.
        rig: whose body.
    """
    shift = mean_velocity_m_s(rooted.clip) - mean_velocity_m_s(body)
    whole = rig.restored(replace(body, history=rooted.clip.history))
    return replace(rooted, clip=moved(whole, shift) if shift.any() else whole)


def mean_velocity_m_s(clip: Clip) -> Array:
    """(3,) horizontal, of the root from the first frame to the last."""
    if clip.frame_count < 2:
        return _STILL
    way = clip.root_positions_m[-1] - clip.root_positions_m[0]
    return np.array([way[0], 0.0, way[2]]) / clip.duration_s


def moved(clip: Clip, velocity_m_s: Array) -> Clip:
    """A clip that moves along as a whole."""
    times = np.arange(clip.frame_count)[:, None] / clip.rate_hz
    return replace(clip, root_positions_m=clip.root_positions_m + times * velocity_m_s)


def with_belt(place: Environment, velocity_m_s: Array) -> Environment:
    """A place whose ground moves so."""
    surfaces = tuple(
        replace(each, belt_velocity_m_s=velocity_m_s) if isinstance(each, Ground) else each
        for each in place.surfaces
    )
    return replace(place, surfaces=surfaces)


def _travelling(clip: Clip, place: Environment, belt: Array) -> Rooted:
    speed = float(np.linalg.norm(belt))
    if speed == 0.0:
        went = float(np.linalg.norm(mean_velocity_m_s(clip)))
        said = (
            f"Root motion: the clip travels already ({went:.2f} m/s)."
            if went >= SLOWEST_M_S
            else "Root motion: the feet stand on ground that does not move, so there is no speed "
            "to travel at; written as it is."
        )
        return Rooted(clip, place, (said,))
    said = f"Root motion: travels at {speed:.2f} m/s, the speed of the belt."
    made = moved(clip, -belt).noted(f"root motion: travels at {speed:.3f} m/s")
    return Rooted(made, with_belt(place, _STILL), (said, *_left_behind(place)))


def _in_place(clip: Clip, place: Environment, belt: Array) -> Rooted:
    if belt.any():
        speed = float(np.linalg.norm(belt))
        said = f"Root motion: the clip is in place already, on a belt of {speed:.2f} m/s."
        return Rooted(clip, place, (said,))
    velocity = _on_the_ground(mean_velocity_m_s(clip), place)
    speed = float(np.linalg.norm(velocity))
    if speed < SLOWEST_M_S:
        said = f"Root motion: the clip stays where it is already ({speed:.2f} m/s)."
        return Rooted(clip, place, (said,))
    made = moved(clip, -velocity).noted(f"root motion: in place, {speed:.3f} m/s taken out")
    said = f"Root motion: in place; the mean velocity of the root, {speed:.2f} m/s, is taken out."
    notes = [said, *_left_behind(place)]
    aside = _aside_m(made)
    if aside > STRAIGHT * speed * clip.duration_s:
        notes.append(
            f"Its path is not straight: the root still moves up to {aside:.2f} m from the middle."
        )
    return Rooted(made, with_belt(place, -velocity), tuple(notes))


def _on_the_ground(velocity_m_s: Array, place: Environment) -> Array:
    """A horizontal velocity, along the slope of the ground where that is one."""
    normal = next((g.normal for g in place.surfaces if isinstance(g, Ground)), UP)
    rise = -float(normal @ velocity_m_s) / float(normal[1])
    is_slope = abs(rise) >= LEAST_SLOPE * float(np.linalg.norm(velocity_m_s))
    return velocity_m_s + UP * rise if is_slope else velocity_m_s


def _belt_m_s(place: Environment) -> Array:
    """(3,) velocity of the first ground that moves; zero where none does."""
    grounds = (each for each in place.surfaces if isinstance(each, Ground))
    return next((g.belt_velocity_m_s for g in grounds if g.belt_velocity_m_s.any()), _STILL)


def _left_behind(place: Environment) -> list[str]:
    others = [each for each in place.surfaces if not isinstance(each, Ground)]
    return ["Surfaces beside the ground do not move along with it."] if others else []


def _aside_m(clip: Clip) -> float:
    """Farthest horizontal distance of the root from its mean place."""
    level = clip.root_positions_m[:, [0, 2]]
    return float(np.linalg.norm(level - level.mean(axis=0), axis=1).max())


def _unknown_feet(clip: Clip, problem: PoiseError) -> FileProblem:
    return FileProblem(
        clip.source.path if clip.source else clip.name or "the clip",
        "feet that show how fast it walks in place",
        " ".join(str(problem).split()),
        advice="Name its joints in a recipe (character: roles) and use outputs.root_motion.",
    )
