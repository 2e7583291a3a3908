"""Retargeting as a whole: poses and contacts, then physics, each on what the last one made.

Balance and contacts pull at each other: who leans to keep balance moves his feet, and feet put back
move the balance. So a dynamic round of `filter` and holding what touches take turns. Every round is
measured, and the best one is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.character import SIDES, Character, StandingFigure
from poise.constraints import EVERYTHING, Recruits, Task, recruits_of_turn
from poise.contact import ContactSchedule, intervals
from poise.environment import Environment
from poise.measures import Evaluation, evaluate
from poise.mechanics import forward_kinematics
from poise.methods import correct, filter
from poise.methods.edit import Edit
from poise.methods.result import Status
from poise.methods.retarget.correspondence import Correspondence
from poise.methods.retarget.holding import hold
from poise.methods.retarget.impossible import Impossible, impossible
from poise.methods.retarget.kinematic import Kinematic, retargeted, tracking_m
from poise.methods.retarget.self_clearance import deepest_overlap_m
from poise.methods.retarget.settings import Settings
from poise.motion import Clip
from poise.wording import counted

FIGURES = {
    "foot_slide.mean": "slide, cm/s",
    "penetration.deepest": "deepest, cm",
    "zmp_excursion.mean": "ZMP outside, cm",
    "root_wrench.force": "root wrench, body weights",
    "torque_excess.worst": "torque, × limit",
}
"""What is measured of every stage, and how it is called."""

_HELD_M = 0.005
"""A contact that is off by more does not hold."""
_TOO_FAR = 0.15
"""Of the legs: limbs that are farther from where they should be, on average, do something else."""
_TOO_DEEP_CM = 1.0
_SHORTEST = 5
"""Frames: fewer have no accelerations to speak of."""
_LEAST = {"zmp_excursion.mean": 0.2, "root_wrench.force": 0.004, "torque_excess.worst": 1.0}
"""What is this small need not get smaller."""
_HOPED = {"zmp_excursion.mean": 0.5, "root_wrench.force": 0.5, "torque_excess.worst": 1.0}
"""What should be left of the kinematic stage's figures at most."""
_AT_MOST = {"foot_slide.mean": 0.5, "penetration.deepest": 0.5}
"""Beyond these, whatever balance it has, a motion is no better than its start."""
_FAR_M = 0.15
"""Joints so far from where they were, on average, weigh as much as all of a figure."""
_PULL, _FADES = 0.03, 0.75
"""Weight with which parts are turned back to how the kinematic stage had them, against the wishes
of poses, and what is left of it from round to round: likeness first, then physics."""
_END_S, _AT_ENDS = 0.1, 0.15
"""How long the ends of a clip are, and the same weight there."""
_ARMS = 0.1
"""Mobility of shoulders in dynamic rounds. Arms that whirl would be the cheapest way to balance."""
_KNOT_S = 1.0 / 30.0
"""Of the curves of a dynamic round: a runner stands on a foot for a quarter of a second, and with
half as many control points slid meanwhile."""
_PATIENCE = 3
"""Rounds without gain after which it ends."""


@dataclass(frozen=True, eq=False)
class Stage:
    """What one stage made of it."""

    name: str
    """`kinematic`; `correct`, where asked for; `physics`."""
    clip: Clip
    status: Status
    summary: str
    measured: Evaluation
    """Under the same contacts for all stages."""
    off_m: float
    """How far knees, feet, elbows and hands are from where free joints would be, on average."""
    overlap_m: float
    """How far limbs are inside each other or the trunk at worst; negative where none are."""

    @property
    def figures(self) -> dict[str, float]:
        """By the keys of `FIGURES`."""
        return {key: self.measured.value(key) for key in FIGURES}


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A motion on another body, stage by stage."""

    stages: tuple[Stage, ...]
    contacts: ContactSchedule
    """What touches when."""
    kinematic: Kinematic
    impossible: tuple[Impossible, ...]
    """What this body cannot do of it, the longest first."""
    notes: tuple[str, ...]

    @property
    def clip(self) -> Clip:
        """What came out."""
        return self.stages[-1].clip

    @property
    def converged(self) -> bool:
        """Whether every stage got where it should."""
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
    tell = watch or _nobody
    tell("kinematic")
    fastest = settings.fastest(target)
    made = retargeted(
        clip, source, target, matches, environment, scale=settings.scale, feet=settings.feet,
        fastest_rad_s=fastest,
    )  # fmt: skip
    work = _Work(target, made.environment, made, settings, fastest)
    stages, notes = [work.stage("kinematic", made.clip, made.worst_m, made.worst)], list[str]()
    if settings.correct:
        tell("correct")
        edit = Edit(stages[-1].clip, target, (), made.environment, contacts=made.contacts)
        found = correct.run(edit)
        notes += found.notes
        if found.status == "converged":
            stages.append(work.held("correct", found.clip))
        else:  # said, and not built upon
            stages.append(replace(
                stages[-1], name="correct", status=found.status, summary=found.summary
            ))  # fmt: skip
    if settings.balance and clip.frame_count < _SHORTEST:
        said = f"It is too short for physics ({counted(clip.frame_count, 'frame')})."
        stages.append(replace(stages[-1], name="physics", status="infeasible", summary=said))
    elif settings.balance:
        stages.append(_with_physics(work, stages[-1], tell))
    cannot = impossible(stages[-1].measured.series, target, made.wanted_m, fastest)
    return Retargeted(tuple(stages), made.contacts, made, cannot, tuple(dict.fromkeys(notes)))


def _nobody(stage: str) -> None:
    """Told, says nothing."""


@dataclass(frozen=True, eq=False)
class _Work:
    """What all stages share."""

    target: Character
    environment: Environment
    made: Kinematic
    settings: Settings
    fastest_rad_s: NDArray[np.float64] | None

    @property
    def leg_m(self) -> float:
        assert self.target.roles is not None
        return StandingFigure(self.target.skeleton, self.target.roles).leg_m

    def stage(self, name: str, clip: Clip, worst_m: float, worst: str) -> Stage:
        found = evaluate(clip, self.target, self.environment, self.made.contacts)
        off = tracking_m(clip, self.target, self.made.wanted_m)
        overlap, _ = deepest_overlap_m(found.series.state, self.target)
        if off > _TOO_FAR * self.leg_m and name == "kinematic":
            said = f"Limbs are {100 * off:.0f} cm off on average: this body cannot do it."
            return Stage(name, clip, "infeasible", said, found, off, overlap)
        if worst_m > _HELD_M:
            said = f"'{worst}' is off by {1000 * worst_m:.0f} mm: this body cannot do it."
            return Stage(name, clip, "infeasible", said, found, off, overlap)
        depth = found.value("penetration.deepest")
        if self.settings.feet and depth > _TOO_DEEP_CM:
            said = f"It is still {depth:.1f} cm inside the ground at worst."
            return Stage(name, clip, "infeasible", said, found, off, overlap)
        said = f"Knees, feet, elbows and hands are {100 * off:.1f} cm from where free joints are."
        return Stage(name, clip, "converged", said, found, off, overlap)

    def held(self, name: str, clip: Clip, pull: float = _PULL) -> Stage:
        """A motion whose contacts are put back, and whose parts are pulled back a little."""
        contacts = replace(self.made.contacts, sliding=None)
        found = hold(
            clip, clip, _turns(self.made.clip, self.target, pull), self.target, self.environment,
            contacts, self.fastest_rad_s, steady=True,
        )  # fmt: skip
        return self.stage(name, found.clip, found.worst_m, found.worst)


def _turns(clip: Clip, target: Character, weight: float) -> list[Task]:
    """Wishes that parts are turned as in a clip, the more so at its ends.

    What came before and what comes after is not known: physics would bend a clip there as nobody
    moves.
    """
    state = forward_kinematics(clip.skeleton, *clip.pose)
    end = min(max(1, round(_END_S * clip.rate_hz)), clip.frame_count)
    stretches = ((0, clip.frame_count, weight), (0, end, _AT_ENDS),
                 (clip.frame_count - end, clip.frame_count, _AT_ENDS))  # fmt: skip
    tasks: list[Task] = []
    for joint, name in enumerate(target.skeleton.joint_names):
        if joint > 0 and target.skeleton.freedoms[joint] > 0:
            recruits = Recruits(recruits_of_turn(target, joint, EVERYTHING).joints, False)
            tasks += [
                Task(name, "turn", a, state.rotations_wxyz[a:b, joint], recruits, 2, w, joint)
                for a, b, w in stretches
            ]
    return tasks


def _with_physics(work: _Work, start: Stage, tell: Watcher) -> Stage:
    """Balance and contacts in turn; the round that measures best."""
    contacts = work.made.contacts
    asked = filter.Settings(
        passes="1D", knot_s=_KNOT_S, torque=work.settings.torque,
        balance=_frames(~_lying(contacts)),
        mobility=dict.fromkeys(_shoulders(work.target), _ARMS),
    )  # fmt: skip
    best, now, since, pull = start, start, 0, _PULL
    for number in range(1, work.settings.rounds + 1):
        tell(f"physics, round {number}")
        steady = filter.run(
            Edit(now.clip, work.target, (), work.environment, contacts=contacts), asked
        )
        now, pull = work.held("physics", steady.clip, pull), _FADES * pull
        since = 0 if _left(now, start) < _left(best, start) else since + 1
        best = now if since == 0 else best
        if since >= _PATIENCE or _is_enough(best):
            break
    if best is start:
        said = "Every round of balance left it worse than it was: it is as the stage before made it"
        return replace(start, name="physics", status="infeasible", summary=f"{said}.")
    return best


def _left(stage: Stage, start: Stage) -> float:
    """What is left of everything that is wrong, as shares of what the start has.

    A share beyond what is hoped for counts three times.
    """
    found, before = stage.figures, start.figures
    left = max(stage.off_m - start.off_m, 0.0) / _FAR_M
    for key, least in _LEAST.items():
        if np.isfinite(found[key]) and np.isfinite(before[key]):
            share = max(found[key], least) / max(before[key], least)
            left += share + 2.0 * max(share - _HOPED[key], 0.0)
    for key, most in _AT_MOST.items():
        # What the start has of it counts little, what is added to it much.
        left += max(found[key] - most, 0.0) + 10.0 * max(found[key] - max(most, before[key]), 0.0)
    return left


def _is_enough(stage: Stage) -> bool:
    found = stage.figures
    small = all(not found[key] > least for key, least in _LEAST.items())
    return small and all(found[key] <= most for key, most in _AT_MOST.items())


def _shoulders(target: Character) -> list[str]:
    """Joints between trunk and elbows."""
    assert target.roles is not None
    names, found = target.skeleton.joint_names, list[str]()
    roles = target.roles.joints
    trunk = target.skeleton.index(roles.get("chest", roles["pelvis"]))
    for side in SIDES:
        elbow = target.skeleton.index(target.roles.joint(f"{side}_elbow"))
        line = target.skeleton.ancestors(elbow)[1:]
        found += [names[j] for j in line[: line.index(trunk)] if target.skeleton.freedoms[j] > 0]
    return found


_LAIN_ON = ("chest", "head", "shoulder", "elbow")
"""Parts that touch when a body lies or gets up: it does not balance then."""


def _lying(contacts: ContactSchedule) -> NDArray[np.bool_]:
    """(F,) where a body lies on the ground."""
    columns = [i for i, part in enumerate(contacts.parts) if part.split("_")[-1] in _LAIN_ON]
    return np.asarray(contacts.touching[:, columns].any(axis=1))


def _frames(where: NDArray[np.bool_]) -> filter.Frames:
    """Frames as `filter` takes them."""
    if where.all():
        return True
    return tuple((first, stop - 1) for first, stop in intervals(where)) or False
