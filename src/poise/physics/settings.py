"""The knobs of the physics solve, in body weights, metres and seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from annotated_types import Ge, Interval
from numpy.typing import NDArray

from poise.physics.likeness import WholeSettings
from poise.record_ranges import NotNegative, Positive, check_record


@dataclass(frozen=True)
class Stage:
    """Weights of one stage; each begins where the one before ended."""

    hard: float
    """Of a metre that a contact is off."""
    rho: float
    """Of a body weight that no reaction force explains."""
    mu: float
    """Of the barrier that keeps reaction forces inside their bounds."""


STAGES = (Stage(1e5, 100.0, 1e-2), Stage(3e6, 3000.0, 2e-3))
"""Stages between these only cost factorizations. A weaker last barrier (1e-4) lets forces jump
from point to point, so that torques take five times as many steps; a stronger one (1e-2) keeps the
pressure away from the edges of soles, where force plates show it."""


@dataclass(frozen=True)
class PhysicsSettings:
    """How a clip is made to obey the body and the ground."""

    likeness: WholeSettings = field(
        default_factory=lambda: WholeSettings(place=100.0, acceleration_s=0.2, range=3e4, speed=2e6)
    )
    """What displacements from the capture cost, their velocity and acceleration included."""
    root: Annotated[float, Positive] = 6.0
    """How much more it costs to displace the root than its inertia says: the pressure under the
    feet goes where the centre of mass goes."""
    knee: Annotated[float, Positive] = 2.0
    """The same for knees: they bend as hips and feet ask, and should not twist."""
    wrench_likeness: Annotated[float, NotNegative] = 165.0
    """What it costs, in a frame, to ask a body weight more or less of the ground than the capture
    does (moments: body weight times stature). Without it the solve finds forces that are possible
    but not those that acted: on six walks over force plates the error of the vertical force goes
    from 1 to 2 % of the weight to 7 to 8 %; with it, it stays within half a per cent of the
    capture's."""
    moment_likeness: Annotated[float, NotNegative] = 300.0
    """The same for moments about the centre of mass, in body weight × stature."""
    calm: Annotated[float, Positive] = 30.0
    """How much more the acceleration of a displacement costs in joints that no contact or goal asks
    to move: arms are not thrown about for the sake of a footstep."""
    brisk_rad_s2: Annotated[float, NotNegative] = 200.0
    """Joints that never accelerate so much in the capture pay more for it, by the square of the
    ratio: who moves quietly still does. Zero treats all joints alike."""
    friction: Annotated[float, Positive] = 0.7
    """Largest tangential over normal force along the edges of a friction pyramid; the round cones
    of 0.8 that measures use hold it."""
    inset_m: Annotated[float, NotNegative] = 0.02
    """Forces act so much nearer to the middle of a part than its outermost points: who balances on
    an edge tips over."""
    max_force: Annotated[float, Positive] = 2.0
    """Of one edge of a pyramid, in body weights."""
    edge_s: Annotated[float, NotNegative] = 0.015
    """A contact carries nothing in its first and last moments, unless nothing else would,"""
    ramp_s: Annotated[float, Positive] = 0.04
    """and then more and more over this time."""
    least_grip: Annotated[float, Interval(ge=0.0, le=1.0)] = 0.05
    """Points of a part that touch less firmly (see `touching_points`) carry nothing."""
    effort: Annotated[float, Positive] = 1e-3
    """What reaction forces cost: parts that could push against each other without end do not."""
    torque: Annotated[float, NotNegative] = 300.0
    """What a torque beyond nine tenths of the strength by the strength itself costs; zero asks for
    no limits."""
    clearance: Annotated[float, NotNegative] = 3e5
    """What a point a metre inside something costs."""
    looks: Annotated[int, Ge(0)] = 8
    """How often a solved motion is looked at again through a filter (`second_look`), at most."""
    most_peak: Annotated[float, NotNegative] = 1.15
    """Joints whose accelerations exceed so many times their peak in the capture are curbed then;
    zero leaves them."""
    insistence: Annotated[float, NotNegative] = 100.0
    """How much more a wrench is asked for whose zero-moment point was outside of the support; zero
    leaves it."""
    fading: bool = True
    """Whether displacements have to fade away beyond the ends of the clip; else nothing stops what
    joints begin in the last frames."""
    stages: tuple[Stage, ...] = STAGES
    iterations: Annotated[int, Ge(1)] = 25
    """Most Newton steps of a stage."""
    rounds: Annotated[int, Ge(0)] = 15
    """Most updates of the multipliers after the last stage."""
    gain: Annotated[float, Positive] = 1e-2
    """Steps with the same multipliers end when one gains less than this share of the cost."""

    def __post_init__(self) -> None:
        check_record(self)


def kinematic(
    likeness: WholeSettings, hard: tuple[float, ...], *, rounds: int = 15, clearance: float = 3e5
) -> PhysicsSettings:
    """Knobs of a solve without the laws of motion, all joints alike; `hard` by stage."""
    return PhysicsSettings(
        likeness=likeness, root=1.0, knee=1.0, calm=1.0, brisk_rad_s2=0.0, torque=0.0,
        clearance=clearance, looks=0, stages=tuple(Stage(weight, 0.0, 1.0) for weight in hard),
        rounds=rounds,
    )  # fmt: skip


MET_M = 1e-4
"""A contact is met when it is off by less, and"""
MET_WRENCH = 2e-3
"""the laws of motion when less is left unexplained in every frame (body weights): then the solve
ends."""
MET_DEPTH_M = 2e-3
"""So is a point that is no deeper inside something,"""
MET_TORQUE = 1.0
"""and a torque of no more than the strength."""
LAWLESS = 0.02
"""Frames around which more is left are reported: a fiftieth of the weight comes from nowhere,"""
LAWLESS_S = 0.05
"""on average over so long."""


@dataclass(frozen=True, eq=False)
class Asked:
    """Frames in which physics is asked for; contacts, ranges and goals hold everywhere."""

    laws: NDArray[np.bool_]
    """(F,) reaction forces explain the motion: balance, friction, flight."""
    strength: NDArray[np.bool_]
    """(F,) torques within strength."""

    def sliced(self, first: int, stop: int) -> Asked:
        """Of frames `first` to `stop` (exclusive)."""
        return Asked(self.laws[first:stop], self.strength[first:stop])


def everywhere(frames: int) -> Asked:
    """All of it in all frames."""
    return Asked(np.ones(frames, dtype=np.bool_), np.ones(frames, dtype=np.bool_))


def nowhere(frames: int) -> Asked:
    """Kinematics alone: contacts, ranges, speeds and likeness."""
    return Asked(np.zeros(frames, dtype=np.bool_), np.zeros(frames, dtype=np.bool_))
