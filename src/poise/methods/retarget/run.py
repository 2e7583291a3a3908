"""Retargeting as a whole: poses, then contacts, then balance, each on what the last one made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from poise.character import Character, contact_points, contact_radii_m
from poise.constraints import Interval, Plant
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.environment.query import query
from poise.mechanics import forward_kinematics, site_positions
from poise.methods import correct, filter
from poise.methods.edit import Edit
from poise.methods.result import Status
from poise.methods.retarget.correspondence import Correspondence
from poise.methods.retarget.kinematic import Kinematic, retargeted
from poise.methods.retarget.settings import Settings
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Stage:
    """What one stage made of it."""

    name: str
    """`kinematic`, `contacts`, `balance`; `contacts again` where balance undid them."""
    clip: Clip
    status: Status
    summary: str


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A motion on another body, stage by stage."""

    stages: tuple[Stage, ...]
    contacts: ContactSchedule
    """What touches when."""
    kinematic: Kinematic
    notes: tuple[str, ...]

    @property
    def clip(self) -> Clip:
        """Of the last stage that got there: what did not is not built upon."""
        return _last(self.stages)

    @property
    def converged(self) -> bool:
        """Whether every stage met what it was asked for."""
        return all(stage.status == "converged" for stage in self.stages)


Watcher = Callable[[str], None]


def retarget(
    clip: Clip, source: Character, target: Character, matches: Correspondence,
    environment: Environment, settings: Settings | None = None, *, watch: Watcher | None = None,
) -> Retargeted:  # fmt: skip
    """Put a motion on another body, and let it obey that body and the ground.

    Args:
        clip: the motion.
        source: whose it is.
        target: who is to move like it.
        matches: which joint follows which.
        environment: where.
        settings: the knobs.
        watch: told which stage begins.

    Raises:
        PoiseError: what a stage cannot do.
    """
    settings = settings or Settings()
    if watch is not None:
        watch("kinematic")
    made = retargeted(
        clip, source, target, matches, environment, scale=settings.scale, feet=settings.feet
    )
    off = f"{100 * made.off_m:.1f} cm from where free joints would be, on average"
    stages = [
        Stage("kinematic", made.clip, "converged", f"Knees, feet, elbows and hands are {off}.")
    ]
    contacts, notes = made.contacts, list(made.notes)
    if settings.contacts:
        if watch is not None:
            watch("contacts")
        held = correct.run(Edit(made.clip, target, (), environment, contacts=contacts))
        if held.status == "converged":
            contacts = held.contacts or contacts
        stages.append(Stage("contacts", held.clip, held.status, held.summary))
        notes += held.notes
    if settings.balance:
        if watch is not None:
            watch("balance")
        last, contacts = _last(stages), _of_feet_and_hands(contacts)
        whole = Interval(0, last.frame_count - 1)
        feet = [
            Plant(f"{part} on its path", part, whole, mode="follow")
            for part in ("left_foot", "right_foot")
            if part in contacts.parts
        ]
        asked = filter.Settings(passes=settings.passes, torque=settings.torque)
        steady = filter.run(Edit(last, target, feet, environment, contacts=contacts), asked)
        stages.append(Stage("balance", steady.clip, steady.status, steady.summary))
        notes += steady.notes
        sinks = deepest_m(steady.clip, target, environment) > _TOO_DEEP_M
        if settings.contacts and steady.status == "converged" and sinks:
            # Who leans to keep balance may lean into the floor.
            if watch is not None:
                watch("contacts again")
            held = correct.run(Edit(steady.clip, target, (), environment, contacts=contacts))
            stages.append(Stage("contacts again", held.clip, held.status, held.summary))
            notes += held.notes
            if held.status != "converged":
                said = "Balance is kept only by going through the floor."
                stages[-2] = replace(stages[-2], status="infeasible", summary=said)
    return Retargeted(tuple(stages), contacts, made, tuple(dict.fromkeys(notes)))


_TOO_DEEP_M = 0.005


def _last(stages: Sequence[Stage]) -> Clip:
    return next(stage.clip for stage in reversed(stages) if stage.status == "converged")


def deepest_m(clip: Clip, target: Character, environment: Environment) -> float:
    """How far the deepest point of a body is inside the place; negative where all are outside."""
    state = forward_kinematics(clip.skeleton, *clip.pose)
    radii = contact_radii_m(target)
    depths = [
        radii[part] - float(query(environment, site_positions(state, sites)).distances_m.min())
        for part, sites in contact_points(target).items()
    ]
    return max(depths, default=0.0)


def _of_feet_and_hands(contacts: ContactSchedule) -> ContactSchedule:
    """What can be held on a path; elbows and knees cannot."""
    kept = [i for i, part in enumerate(contacts.parts) if part.endswith(("_foot", "_hand"))]
    parts = tuple(contacts.parts[i] for i in kept)
    sliding = None if contacts.sliding is None else contacts.sliding[:, kept]
    return ContactSchedule(parts, contacts.touching[:, kept], contacts.rate_hz, sliding)
