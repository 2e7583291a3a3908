"""Whether a walk can be as fast as a clip's frame rate says: people who hurry so much run.

Where nobody flies, gravity says nothing of the rate (`gravity_check`). But a walk is one whatever
the rate: steps of alternate feet, alike, straight ahead, each foot down before the other leaves. In
eleven captured walks people take at most 0.68 steps in √(leg / g); in one, whose file states twice
the true rate, 1.12. It is a doubt, no proof: race walkers do it, and who strolls at twice the rate
only seems brisk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import uniform_filter1d

from poise.arrays import Array
from poise.character import SIDES, Character
from poise.contact.schedule import intervals
from poise.mechanics import GRAVITY_M_S2, BodyState, forward_kinematics
from poise.motion import Clip

STILL_SHARE = 0.15
"""Of a foot's fastest: slower, it stands. No speed in metres a second, so that no rate matters."""
FEWEST_STEPS = 3
LONG = 0.35
"""Steps of a walk are longer than this share of the leg."""
ALIKE = 1.35
"""Factor between steps of one walk, in length and time."""
STRAIGHT = 0.7
"""Cosine between one step and the next, which feet a hand's breadth apart make smaller."""
BRIEF = 0.3
"""Share of the usual stance under which a foot has only slowed down."""
OVERLAP = 0.02
"""Share of a stance by which the next one may come late; who runs is later."""
HURRIED_STEPS, HURRIED_FROUDE = 0.85, 0.5
"""Steps a second times √(leg / g), and speed² / (leg · g), beyond which people run."""


@dataclass(frozen=True)
class GaitCheck:
    """The longest steady walk of a clip."""

    rate_hz: float
    """As the clip states it."""
    steps: int
    steps_a_minute: float
    speed_m_s: float
    leg_m: float

    @property
    def hurried(self) -> bool:
        """Whether people would run."""
        gravity = float(np.linalg.norm(GRAVITY_M_S2))
        pace = self.steps_a_minute / 60.0 * float(np.sqrt(self.leg_m / gravity))
        froude = self.speed_m_s**2 / (self.leg_m * gravity)
        return pace > HURRIED_STEPS and froude > HURRIED_FROUDE

    @property
    def note(self) -> str:
        """A sentence for the user."""
        return (
            f"Rate in doubt: a walk with {self.steps_a_minute:.0f} steps a minute at "
            f"{self.speed_m_s:.1f} m/s; people run at that. Is {self.rate_hz:g} Hz twice the true "
            f"rate? Then add --set clip.capture_rate_hz={0.5 * self.rate_hz:g}."
        )


@dataclass(frozen=True, eq=False)
class _Stance:
    foot: int
    first: int
    stop: int
    place: Array
    """(2,) x and z."""

    @property
    def middle(self) -> float:
        return 0.5 * (self.first + self.stop)


def check_gait(clip: Clip, character: Character) -> GaitCheck | None:
    """Look for a steady walk; None if there is none.

    Args:
        clip: clean motion.
        character: with roles.
    """
    if clip.frame_count < 2 or character.roles is None:
        return None
    state = forward_kinematics(clip.skeleton, *clip.pose)
    leg = _leg_m(state, character)
    best: list[_Stance] = []
    walk: list[_Stance] = []
    for stance in _stances(state, character):
        if walk and not _goes_on(walk, stance, leg):
            walk = walk[-1:]
            if not _goes_on(walk, stance, leg):
                walk = []
        walk.append(stance)
        if len(walk) > len(best):
            best = walk.copy()
    if len(best) <= FEWEST_STEPS:
        return None
    seconds = (best[-1].middle - best[0].middle) / clip.rate_hz
    travel = float(np.linalg.norm(best[-1].place - best[0].place))
    steps = len(best) - 1
    return GaitCheck(clip.rate_hz, steps, 60.0 * steps / seconds, travel / seconds, leg)


def _leg_m(state: BodyState, character: Character) -> float:
    assert character.roles is not None
    names, joints = state.skeleton.joint_names, character.roles.joints
    line = state.positions_m[0][
        [names.index(joints[f"left_{part}"]) for part in ("hip", "knee", "ankle")]
    ]
    return float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def _stances(state: BodyState, character: Character) -> list[_Stance]:
    """Of both feet, in time order."""
    assert character.roles is not None
    names, joints = state.skeleton.joint_names, character.roles.joints
    feet = [names.index(joints.get(f"{s}_toe", joints[f"{s}_ankle"])) for s in SIDES]
    places = state.positions_m[:, feet]
    steps = np.linalg.norm(np.diff(places, axis=0), axis=-1)
    steps = uniform_filter1d(steps, min(3, len(steps)), axis=0)
    still = steps < STILL_SHARE * np.quantile(steps, 0.95, axis=0).min()
    stretches = [(foot, *each) for foot in range(len(feet)) for each in intervals(still[:, foot])]
    lengths = [stop - first for _, first, stop in stretches]
    usual = float(np.mean(lengths)) if lengths else 0.0
    found = [
        _Stance(foot, first, stop, places[(first + stop) // 2, foot][[0, 2]])
        for foot, first, stop in stretches
        if stop - first >= BRIEF * usual
    ]
    return sorted(found, key=lambda stance: stance.middle)


def _goes_on(walk: list[_Stance], stance: _Stance, leg_m: float) -> bool:
    """Whether a stance is the next step of a walk."""
    last = walk[-1]
    step, time = stance.place - last.place, stance.middle - last.middle
    length = float(np.linalg.norm(step))
    late = stance.first - last.stop > OVERLAP * (last.stop - last.first)
    if stance.foot == last.foot or late or length < LONG * leg_m or time <= 0.0:
        return False
    if len(walk) == 1:
        return True
    before = last.place - walk[-2].place
    lengths = float(np.linalg.norm(before))
    times = last.middle - walk[-2].middle
    alike = all(1.0 / ALIKE < a / b < ALIKE for a, b in ((length, lengths), (time, times)))
    return alike and float(step @ before) > STRAIGHT * length * lengths
