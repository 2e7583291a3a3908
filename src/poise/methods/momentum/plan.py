"""What an edit asks of the stages of a clip, and the leap to be solved for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints import (
    Constraint,
    FlightHeight,
    Gravity,
    MoveStage,
    Recruits,
    StageEdit,
    Task,
)
from poise.contact import ContactSchedule, detect_contacts
from poise.environment import Environment
from poise.errors import BadValue
from poise.methods.edit import Edit
from poise.methods.momentum.initial_guess import Move, moved_clip, turning_rad
from poise.methods.momentum.momentum_curves import StageMomentum, captured_momentum, fit_stage
from poise.methods.momentum.problem import Leap
from poise.methods.momentum.retiming import (
    LONGEST,
    frame_times,
    retimed_clip,
    retimed_contacts,
    retimed_curves,
    retimed_stages,
)
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.stages import (
    FEWEST_FLIGHT_FRAMES,
    NATURE_M_S2,
    Stage,
    center_path_m,
    rise_m,
    stages_at,
    stages_of,
    way_m,
)
from poise.motion import Clip
from poise.wording import counted

LIKELY_GRAVITY = (0.8 * NATURE_M_S2, 1.25 * NATURE_M_S2)
"""A flight that seems to fall otherwise was captured in another unit or at another rate."""


@dataclass(frozen=True, eq=False)
class Captured:
    """What is known of a clip before anything is asked of it: the same for all members of a family.

    Momentum curves have been fitted here (section 4.1); edits keep their knots.
    """

    clip: Clip
    character: Character
    environment: Environment
    contacts: ContactSchedule
    stages: tuple[Stage, ...]
    """Flights with the gravity that they are to have."""
    seen_gravity_m_s2: Mapping[int, float]
    """Of each flight, as the parabola of the capture has it."""
    fitted: Mapping[int, StageMomentum]
    center_m: Array
    """(F, 3)"""
    notes: tuple[str, ...] = ()

    @property
    def ground(self) -> tuple[int, ...]:
        """Indices of ground stages."""
        return tuple(i for i, stage in enumerate(self.stages) if stage.kind == "ground")

    @property
    def flights(self) -> tuple[int, ...]:
        """Indices of flights."""
        return tuple(i for i, stage in enumerate(self.stages) if stage.kind == "flight")


@dataclass(frozen=True, eq=False)
class Wanted:
    """Changes by the index of the stage."""

    moves: Mapping[int, Move] = field(default_factory=dict[int, Move])
    rises_m: Mapping[int, tuple[float, FlightHeight]] = field(
        default_factory=dict[int, tuple[float, FlightHeight]]
    )
    """How high each flight is to rise, and the constraint that asks for it."""
    gravity_m_s2: Mapping[int, float] = field(default_factory=dict[int, float])


def captured(edit: Edit, settings: Settings) -> Captured:
    """Stages, contacts and momentum curves of an edit's clip.

    Raises:
        BadValue: no body, no flight, a stage too short for its curves.
    """
    clip, character, environment = edit.clip, edit.character, edit.environment
    body = character.body
    if body is None or character.roles is None:
        raise BadValue("character", "one with roles and a body (see complete_character)", "neither")
    if clip.moving_joints:
        raise BadValue("moving_joints", "none: bones of fixed length", clip.moving_joints)
    if clip.frame_count < _FEWEST:
        raise BadValue("clip", f"at least {_FEWEST} frames", clip.frame_count)
    contacts = edit.contacts or detect_contacts(clip, character, environment)
    if contacts.frame_count != clip.frame_count:
        raise BadValue("contacts", f"{clip.frame_count} frames, as the clip", contacts.frame_count)
    if settings.stage_changes is not None:
        stages = stages_at(clip, character, settings.stage_changes)
    else:
        stages = stages_of(clip, character, contacts)
    if not any(stage.kind == "ground" for stage in stages):
        raise BadValue("clip", "one that touches the ground somewhere", "a flight from end to end")
    seen = {i: stage.gravity_m_s2 for i, stage in enumerate(stages) if stage.kind == "flight"}
    notes = [] if settings.gravity == "captured" else _unlikely(stages, seen, clip.rate_hz)
    if settings.gravity == "nature":
        stages = tuple(replace(stage, gravity_m_s2=NATURE_M_S2) for stage in stages)
    momenta = captured_momentum(clip, character)
    fitted = {
        i: fit_stage(stages, i, momenta, clip.rate_hz, body.total_mass_kg, settings.knots_per_s)
        for i, stage in enumerate(stages)
        if stage.kind == "ground"
    }
    return Captured(
        clip, character, environment, _airborne(contacts, stages), stages, seen, fitted,
        center_path_m(clip, character), tuple(notes),
    )  # fmt: skip


def wanted(constraints: Sequence[Constraint | StageEdit], base: Captured) -> Wanted:
    """What the stage edits among constraints ask for.

    Raises:
        BadValue: a stage that there is not; two edits that contradict each other.
    """
    moves, gravity = dict[int, Move](), dict[int, float]()
    rises, said = dict[int, tuple[float, FlightHeight]](), dict[tuple[str, int], str]()
    for each in constraints:
        if isinstance(each, MoveStage):
            i = _counted(each.name, "stage", each.stage, base.ground)
            _once(said, ("move", i), each.name, f"ground stage {each.stage}")
            moves[i] = Move(np.array(each.by_m), float(np.radians(each.turn_deg)))
        elif isinstance(each, FlightHeight):
            i = _counted(each.name, "flight", each.flight, base.flights)
            _once(said, ("height", i), each.name, f"flight {each.flight}")
            if each.by == "gravity":
                _once(said, ("gravity", i), each.name, f"gravity of flight {each.flight}")
            rise = each.rise_m if each.scale is None else each.scale * captured_rise_m(base, i)
            assert rise is not None  # or there were a scale
            rises[i] = rise, each
        elif isinstance(each, Gravity):
            every = base.flights
            if each.flight is not None:
                every = (_counted(each.name, "flight", each.flight, base.flights),)
            for i in every:
                _once(said, ("gravity", i), each.name, f"gravity of flight {base.flights.index(i)}")
                gravity[i] = each.gravity_m_s2
    return Wanted(moves, rises, gravity)


def captured_rise_m(base: Captured, flight: int) -> float:
    """How high the centre of mass rises over the last frame on the ground before a flight."""
    return rise_m(base.center_m, base.stages[flight])


def captured_flight_m(base: Captured, flight: int) -> Array:
    """(3,) how far a flight takes the centre of mass along the ground."""
    return way_m(base.center_m, base.stages[flight]) * np.array([1.0, 0.0, 1.0])


def leap_of(base: Captured, asked: Wanted) -> Leap:
    """The leap that is to be solved: flights as long as they have to be, stages where they go.

    Raises:
        BadValue: a height that cannot be had.
    """
    stages = list(base.stages)
    for i, value in asked.gravity_m_s2.items():
        stages[i] = replace(stages[i], gravity_m_s2=value)
    counts, tops = dict[int, int](), dict[int, float]()
    rate = base.clip.rate_hz
    for i, (rise, height) in asked.rises_m.items():
        stage, name = stages[i], height.name
        start, fall = _ends(base, asked, i, rise, name)
        if height.by == "gravity":
            lasts = (stage.frame_count + 1.0) / rate
            gravity = (np.sqrt(2.0 * rise) + np.sqrt(2.0 * fall)) ** 2 / lasts**2
            stages[i] = replace(stage, gravity_m_s2=float(gravity))
        else:
            if stage.gravity_m_s2 <= 0.0:
                allowed = "some gravity: without it a flight has no top"
                raise BadValue(f"height of '{name}'", allowed, stage.gravity_m_s2)
            lasts = (np.sqrt(2.0 * rise) + np.sqrt(2.0 * fall)) / np.sqrt(stage.gravity_m_s2)
            counts[i] = _count(lasts * rate, stage, rate, name)
        tops[i] = start + rise
    times = frame_times(stages, counts)
    clip = retimed_clip(base.clip, times)
    contacts = retimed_contacts(base.contacts, times)
    stages = list(retimed_stages(stages, counts))
    fitted = retimed_curves(base.fitted, stages)
    guess = moved_clip(clip, stages, asked.moves)
    changed = set(asked.rises_m) | set(asked.gravity_m_s2)
    guess = _falling(guess, base.character, stages, sorted(changed))
    turns = {i: move.turn_rad for i, move in asked.moves.items()}
    return Leap(
        guess, base.character, base.environment, contacts, tuple(stages), fitted, turns,
        turning_rad(stages, asked.moves), clip, _tops(guess, base.character, stages, tops, asked),
        times,
    )  # fmt: skip


_FEWEST = 8


def _unlikely(stages: Sequence[Stage], seen: Mapping[int, float], rate_hz: float) -> list[str]:
    notes: list[str] = []
    for i, gravity in seen.items():
        if not LIKELY_GRAVITY[0] <= gravity <= LIKELY_GRAVITY[1]:
            words = f"The flight at frame {stages[i].first} falls at {gravity:.1f} m/s² as captured"
            if gravity > 0.0:
                rate = rate_hz * np.sqrt(NATURE_M_S2 / gravity)
                words += f"; at {rate:.0f} frames a second it would be nature's"
            notes.append(
                f"{words}. It is made to fall at {NATURE_M_S2:g} (gravity: captured keeps it)."
            )
    return notes


def _airborne(contacts: ContactSchedule, stages: Sequence[Stage]) -> ContactSchedule:
    """Nothing touches in flights, whatever the detector thought."""
    touching = contacts.touching.copy()
    for stage in stages:
        if stage.kind == "flight":
            touching[stage.first : stage.stop] = False
    return replace(contacts, touching=touching, sliding=None)


def _counted(name: str, what: str, number: int, known: Sequence[int]) -> int:
    if not -len(known) <= number < len(known):
        kind = "ground stage" if what == "stage" else "flight"
        allowed = f"0 to {len(known) - 1}: the clip has {counted(len(known), kind)}"
        raise BadValue(f"{what} of '{name}'", allowed, number)
    return known[number]


def _once(said: dict[tuple[str, int], str], key: tuple[str, int], name: str, what: str) -> None:
    if key in said:
        allowed = f"about something other than {what}, which '{said[key]}' already changes"
        raise BadValue(f"'{name}'", allowed, "both")
    said[key] = name


def _ends(
    base: Captured, asked: Wanted, flight: int, rise: float, name: str
) -> tuple[float, float]:
    """Height of the centre of mass at take-off, and how far it falls from the top to landing."""
    stage = base.stages[flight]
    first, last = max(stage.first - 1, 0), min(stage.stop, len(base.center_m) - 1)
    raised = [asked.moves[i].by_m[1] if i in asked.moves else 0.0 for i in (flight - 1, flight + 1)]
    start = float(base.center_m[first, 1] + raised[0])
    fall = start + rise - float(base.center_m[last, 1] + raised[1])
    if fall <= 0.0:
        raise BadValue(
            f"height of '{name}'", f"more than {rise - fall:.3g} m, where it lands", rise
        )
    return start, fall


def _count(intervals: float, stage: Stage, rate_hz: float, name: str) -> int:
    count = max(round(intervals) - 1, 1)
    most = int(LONGEST * stage.frame_count)
    if not FEWEST_FLIGHT_FRAMES <= count <= most:
        allowed = (
            f"one whose flight lasts {FEWEST_FLIGHT_FRAMES / rate_hz:.2f} to {most / rate_hz:.2f} s"
        )
        raise BadValue(f"height of '{name}'", allowed, f"{count / rate_hz:.2f} s")
    return count


def _falling(
    guess: Clip, character: Character, stages: Sequence[Stage], flights: Sequence[int]
) -> Clip:
    """The guess with the centres of mass of some flights on their parabolas."""
    if not flights:
        return guess
    center = center_path_m(guess, character)[:, 1]
    roots = guess.root_positions_m.copy()
    for i in flights:
        stage = stages[i]
        a, b = max(stage.first - 1, 0), min(stage.stop, guess.frame_count - 1)
        times = np.arange(b - a + 1) / guess.rate_hz
        lasts = times[-1]
        path = center[a] + (center[b] - center[a]) * times / lasts
        path = path + 0.5 * stage.gravity_m_s2 * times * (lasts - times)
        roots[a : b + 1, 1] += path - center[a : b + 1]
    return replace(guess, root_positions_m=roots)


def _tops(
    guess: Clip, character: Character, stages: Sequence[Stage], tops: Mapping[int, float],
    asked: Wanted,
) -> tuple[Task, ...]:  # fmt: skip
    """The centre of mass at its wanted height in the frame nearest to the top of a flight."""
    found: list[Task] = []
    every = Recruits(np.ones(guess.skeleton.joint_count, dtype=np.bool_), True)
    center = center_path_m(guess, character)
    for i, top in tops.items():
        stage = stages[i]
        frame = stage.first + int(center[stage.first : stage.stop, 1].argmax())
        # Not quite the top: what it falls to the nearest frame is 1.4 mm at most at 30 Hz.
        goal = center[frame].copy()
        goal[1] = top
        name, axes = asked.rises_m[i][1].name, (False, True, False)
        found.append(Task(name, "center", frame, goal[None], every, axes=axes))
    return tuple(found)
