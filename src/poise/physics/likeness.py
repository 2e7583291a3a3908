"""What the displacement of a whole clip costs: all frames together, and no jolt between them.

Frame by frame, a limb near full stretch turns a millimetre into degrees, and what one frame does
its neighbours do not know. Here the displacement from the original is one unknown function of
time: its size, velocity and acceleration cost (the more, the more inertia a joint carries). Tasks
of priority 1 hold; centres of mass in lesser layers are asked to accelerate as their goals do,
all other lesser tasks are wishes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.errors import BadShape, BadValue
from poise.ik import IkProblem
from poise.physics.likeness_rows import REACH, Equations, Price

_LARGEST = 1e9
"""More than this, of times or weights, and the equations run out of digits."""

_SHORTEST_FADING_S = 0.2
"""Shorter clips are poses more than motions: what lies beyond their ends would outweigh them."""
_MOST_TAIL = 1000
"""Frames in which a displacement has faded away."""

_NOT_NEGATIVE = ("place", "velocity_s", "acceleration_s", "wish", "center", "range", "speed")


@dataclass(frozen=True)
class WholeSettings:
    """What displacements cost, and what missed wishes and broken limits do."""

    place: float = 20.0
    """What a displacement itself costs."""
    velocity_s: float = 0.1
    """A displacement's velocity costs as much as the displacement if it changes by its own size in
    this time."""
    acceleration_s: float = 0.12
    """The same for its acceleration."""
    wish: float = 1e2
    """What missing a wish by a metre costs; a metre of displacement of the whole body costs 1."""
    center: float = 0.05
    """What an acceleration of the centre of mass that is off by 1 m/s² costs."""
    range: float = 1e3
    """What a joint beyond its range by a radian costs."""
    speed: float = 2e5
    """What a joint that turns too fast, by a radian from one frame to the next, costs."""

    def __post_init__(self) -> None:
        for name in _NOT_NEGATIVE:
            value = getattr(self, name)
            if not 0.0 <= value <= _LARGEST:
                raise BadValue(name, f"from 0 to {_LARGEST:g}", value)
        if not self.place > 0.0:
            raise BadValue("place", "more than zero", self.place)


def fastest_turns(problem: IkProblem, fastest_rad_s: Array | None) -> Array:
    """(J,) how fast joints may turn, checked; infinite where nobody says."""
    joints = problem.scene.character.skeleton.joint_count
    if fastest_rad_s is None:
        return np.full(joints, np.inf)
    fastest = np.ascontiguousarray(fastest_rad_s, dtype=np.float64)
    if fastest.shape != (joints,):
        raise BadShape("fastest_rad_s", f"({joints},)", fastest.shape)
    if not (fastest > 0.0).all():
        raise BadValue("fastest_rad_s", "more than zero for every joint", fastest.min())
    return fastest


def hard_or_wished(problem: IkProblem) -> IkProblem:
    """Tasks of priority 1 in layer 0, others in layer 1: a wish that is alone is still a wish."""
    layers = np.array([0 if task.priority == 1 else 1 for task in problem.tasks], dtype=np.int64)
    return replace(problem, packed=problem.packed._replace(layer=layers))


def make_equations(problem: IkProblem) -> Equations:
    """Room for the normal equations of a clip."""
    frames, width = problem.scene.clip.frame_count, problem.width
    size, rows = frames * width, len(problem.work.errors)
    return Equations(
        np.empty((size, REACH * width)), np.empty(size), np.empty((frames, width)),
        np.zeros((frames, 3, width)), np.zeros((frames, 4)), np.zeros(REACH * width),
        np.zeros(REACH * width, dtype=np.int64), np.zeros((len(problem.limits.block), 3)),
        np.zeros((frames, len(problem.limits.block), 3), dtype=np.int64),
        np.zeros((len(problem.tasks), 3, width)), np.zeros((len(problem.tasks), 3)),
        np.zeros(len(problem.tasks), dtype=np.int64), np.zeros((frames, rows)),
        np.zeros((frames, rows)), np.zeros(frames),
    )  # fmt: skip


def price_of(
    problem: IkProblem, settings: WholeSettings, hard: float, stiffness: Array,
    fastest_rad_s: Array, calm: Array | None = None, fading: bool = True,
) -> Price:  # fmt: skip
    """What displacements and missed tasks cost in one stage.

    `calm` (F, W) multiplies what accelerations of displacements cost; `fading` asks them to fade
    away beyond the ends of the clip.
    """
    frames, rate = problem.scene.clip.frame_count, problem.scene.clip.rate_hz
    velocity = (settings.velocity_s * rate) ** 2
    if calm is None:
        calm = np.ones((frames, len(stiffness)))
    acceleration = (settings.acceleration_s * rate) ** 4 * calm
    fading = fading and frames > _SHORTEST_FADING_S * rate
    tail = tail_of(settings.place, velocity, acceleration.min(axis=0)) * fading
    return Price(
        np.ascontiguousarray(stiffness, dtype=np.float64), settings.place, velocity, acceleration,
        tail, hard, settings.wish,
        settings.center * rate**4, settings.range, settings.speed, fastest_rad_s / rate,
    )  # fmt: skip


def tail_of(place: float, velocity: float, acceleration: Array) -> Array:
    """(3, W) least cost of displacements that fade away beyond a clip's end, a quadratic form.

    Of the displacement x in the last frame and y in the one before: a x² + 2 b x y + c y². Without
    it nothing stops what a joint begins in the last frames. It is the fixed point of: go on to the
    best next displacement, and from there as before.

    Args:
        place: what a displacement costs,
        velocity: its difference to the next, and
        acceleration: (W,) its second difference.
    """
    a, b, c = np.zeros((3, len(acceleration)))
    for _ in range(_MOST_TAIL):
        total = place + velocity + acceleration + a
        slope = b - velocity - 2.0 * acceleration
        before = a
        a, b, c = (
            velocity + 4.0 * acceleration + c - slope * slope / total,
            -acceleration * (2.0 + slope / total),
            acceleration * (1.0 - acceleration / total),
        )
        if (np.abs(a - before) <= 1e-6 * a).all():
            break
    return np.stack([a, b, c])
