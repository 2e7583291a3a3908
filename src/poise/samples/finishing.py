"""From a balanced plan to a sample: frames, contacts, resting points and flights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from poise.arrays import Array
from poise.character import SIDES
from poise.errors import BadValue
from poise.mechanics import GRAVITY_M_S2
from poise.samples.curves import FootMotion, Step, foot_motion, planted
from poise.samples.plan import Ground, Plan, posed, sole
from poise.samples.truth import Flight, Planted, Sample, contacts_of

MOST_FRAMES = 1_000_000
"""More is a slip of the keyboard."""

Steps = Callable[[str, float, float], Sequence[Step]]
"""The steps of a side ("left", "right") that matter between two times."""


def alternating(step: Callable[[float, float], Step], cycle_s: float) -> Steps:
    """Steps of the left foot (sign 1) at whole cycles, of the right one (−1) half a cycle later."""

    def steps(side: str, first_s: float, last_s: float) -> list[Step]:
        sign, shift = (1.0, 0.0) if side == "left" else (-1.0, 0.5)
        numbers = np.arange(np.floor(first_s / cycle_s) - 2, np.ceil(last_s / cycle_s) + 3)
        return [step(sign, float(number + shift)) for number in numbers]

    return steps


def feet_of(steps: Steps) -> Callable[[Array], dict[str, FootMotion]]:
    """Both feet over time, from their steps."""

    def feet(times: Array) -> dict[str, FootMotion]:
        span = float(times.min()), float(times.max())
        return {side: foot_motion(steps(side, *span), sole(), times) for side in SIDES}

    return feet


def finished(
    name: str,
    planned: tuple[Plan, Ground],
    steps: Steps,
    seconds: float,
    rate_hz: float,
    reached: tuple[Planted, ...] = (),
) -> Sample:
    """Frames of a balanced plan at a rate, with the truth about them."""
    plan, path = planned
    times = frame_times_s(seconds, rate_hz)
    last = float(times[-1])
    rests = [
        rest
        for side in SIDES
        for step in steps(side, 0.0, last)
        for rest in planted(step, sole(), side)
        if rest.end_s >= 0.0 and rest.start_s <= last
    ]
    return Sample(
        posed(plan, times, rate_hz, name).noted(f"sample: {name}"),
        contacts_of(rests, rate_hz, len(times)),
        tuple(rests),
        _flights(plan, path, last),
        tuple(r for r in reached if r.start_s <= last),
    )


def frame_times_s(seconds: float, rate_hz: float) -> Array:
    """(F,) of the frames of so many seconds, both ends included."""
    if not (np.isfinite(rate_hz) and 0 < rate_hz):
        raise BadValue("rate_hz", "a positive number", rate_hz)
    if not (np.isfinite(seconds) and seconds >= 0 and seconds * rate_hz < MOST_FRAMES):
        raise BadValue("seconds", f"zero or more, for fewer than {MOST_FRAMES} frames", seconds)
    return np.arange(round(seconds * rate_hz) + 1) / rate_hz


def _flights(plan: Plan, path: Ground, last_s: float) -> tuple[Flight, ...]:
    line = path.timeline
    cycles = range(int(last_s // line.length_s) + 1) if line.cyclic else range(1)
    found: list[Flight] = []
    for cycle in cycles:
        for number, (first, end) in enumerate(line.flights):
            start = cycle * line.length_s + first * line.step_s
            if start > last_s:
                continue
            duration = (end - first) * line.step_s
            at = plan.centers_m(np.array([start, start + duration]))
            x, z = path.slopes_m_s[number]
            rise = (at[1, 1] - at[0, 1]) / duration - 0.5 * GRAVITY_M_S2[1] * duration
            velocity = np.array([x, rise, z])
            found.append(Flight(start, start + duration, at[0], velocity))
    return tuple(found)
