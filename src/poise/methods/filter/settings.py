"""The knobs of the filter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from annotated_types import Interval

from poise.errors import BadValue
from poise.record_ranges import NotNegative, Positive, check_record

LEFT_OUT = (
    "left_wrist", "right_wrist", "left_elbow", "right_elbow", "left_toe", "right_toe",
    "neck", "head",
)  # fmt: skip
"""Little mass hangs on them: joints that section 8 names, and those beyond. Ankles stay in: feet
that keep flat on the ground need them, or the body cannot sway over them."""

Mobility = Annotated[float, Interval(ge=0, le=1000)]

Frames = bool | tuple[tuple[int, int], ...]
"""All frames, none, or intervals of them (first and last, both included)."""


MOST_ROUNDS = 200
"""Over the whole clip; section 7 of the paper has five."""


def rounds_of(passes: str) -> str:
    """One letter a round: "1K+2D" is "KDD".

    Raises:
        BadValue: anything else.
    """
    found = ""
    for part in passes.replace(" ", "").split("+"):
        match = re.fullmatch(r"([0-9]*)([KD])", part.upper())
        if match is None or not 1 <= int(match.group(1) or 1) <= 100:
            raise BadValue("passes", 'rounds such as "1K+3D+1K"', passes)
        found += match.group(2) * int(match.group(1) or 1)
        if len(found) > MOST_ROUNDS:
            raise BadValue("passes", f"at most {MOST_ROUNDS} rounds in all", passes[:100])
    return found


@dataclass(frozen=True)
class Settings:
    """How a motion is filtered."""

    passes: str = "1K"
    """Rounds over the whole clip, each from what the last one made of it: kinematic (K) and dynamic
    (D), such as "1K+3D+1K". With `fit: physics`, however many dynamic rounds are one solve."""
    fit: Literal["physics", "separate"] = "physics"
    """What dynamic rounds are. "physics": one solve of the whole clip, in which constraints,
    contacts and laws of motion hold at once. "separate": the paper's Kalman filter, and a fit of
    each coordinate by itself after every round, as in streams."""
    balance: Frames = True
    """In dynamic rounds: the body keeps its balance. True, false, or first and last frame of every
    interval in which it holds."""
    flight: Frames = True
    """In dynamic rounds: nothing but gravity acts in the air."""
    torque: Frames = False
    """In dynamic rounds: no joint works beyond its strength."""
    keep_contacts: bool = True
    """With `fit: physics`: parts that touch, and that no constraint is about, stay where the clip
    has them while they touch."""
    inset_m: NotNegative = 0.015
    """Separate fits and streams: the zero-moment point is put so far inside the border of the
    support area, since smoothing and the last kinematic round move it a little."""
    balance_noise: NotNegative = 0.0
    """Separate fits and streams: measurement variance of the zero-moment point, m²."""
    flight_noise: NotNegative = 0.0
    """Separate fits and streams: measurement variance of what the root would have to push in
    flight, (m/s²)²."""
    torque_noise: NotNegative = 0.0
    """Separate fits: measurement variance of torques, as shares of their limits."""
    left_out: tuple[str, ...] = LEFT_OUT
    """Separate fits and streams: joints or roles that dynamic rounds do not move (section 8)."""
    rate_ratio: Annotated[float, Interval(ge=1e-3, le=1e6)] = 100.0
    """Separate fits and streams: α of section 7, process variance of velocities as a multiple of
    that of places, and of accelerations as a multiple of that of velocities (time in seconds)."""
    knot_s: Annotated[float, Interval(gt=0, le=60)] = 2.0 / 30.0
    """Time from one control point of the least-squares filter to the next: the paper's 2 or 4
    frames at 30 Hz. For separate fits, streams and smoothed kinematic rounds."""
    beta: Positive = 0.1
    """Weight of velocities in the least-squares filter; accelerations have its square."""
    updates: Annotated[int, Interval(ge=1, le=100)] = 2
    """Kalman updates of a frame in a kinematic round: with one, far goals are missed by what the
    curvature of the motion adds (millimetres for centimetres)."""
    smooth_kinematic: bool = True
    """Apply the least-squares filter to what kinematic rounds add, too; never in the last round,
    which meets the constraints."""
    derivatives: Literal["sampled", "analytic"] = "sampled"
    """"sampled": sigma points, as the paper. "analytic": exact derivatives in their place, the
    same answers to second order and faster."""
    process_variance: Annotated[float, Interval(ge=1e-20, le=1)] = 1e-10
    """Of every coordinate (rad², m²): section 7 has 1e-9 to 1e-10. Without measurement noise only
    the ratios between coordinates count."""
    by_inertia: bool = True
    """In kinematic rounds, coordinates that carry more inertia deviate less (`process_noise`)."""
    mobility: Mapping[str, Mobility] = field(default_factory=dict[str, float])
    """How far joints may deviate against others (1 by default), by joint or role; "translation" is
    the root's. The process variance is multiplied by its square."""
    alpha: Annotated[float, Interval(ge=1e-6, le=1)] = 0.01
    """Narrows the spread of the sigma points (the scaled transform of Wan and van der Merwe)."""
    kappa: Annotated[float, Interval(ge=-1e4, le=1e4)] | None = None
    """κ of Eq. 13 as printed, in place of `alpha`; the paper does not give its value."""
    hints: tuple[str, ...] = ()
    """Constraints that only sketch the way: they hold in kinematic rounds before the first dynamic
    one, and no longer (the kinematic hint of section 7)."""
    noise: Mapping[str, NotNegative] = field(default_factory=dict[str, float])
    """Measurement variance (m², rad²) of soft constraints, by name. Others are hard. In the physics
    solve, missing one costs as much as a displacement that is so much more likely (see
    `process_variance`); a centre of mass is never soft there."""
    far_noise: NotNegative = 1e-10
    """Measurement variance added while a goal is far away, and taken back with every update."""
    far_m: NotNegative = 0.3
    far_deg: NotNegative = 45.0
    met_mm: NotNegative = 0.1
    """A position counts as met within this distance."""
    met_deg: NotNegative = 0.01
    """An orientation counts as met within this angle."""

    def __post_init__(self) -> None:
        check_record(self)
        rounds_of(self.passes)
        for name in ("balance", "flight", "torque"):
            _check_frames(name, getattr(self, name))


def _check_frames(name: str, chosen: object) -> None:
    if isinstance(chosen, bool):
        return
    pairs = list[object](chosen) if isinstance(chosen, tuple | list) else [None]
    if not all(_is_interval(pair) for pair in pairs):
        raise BadValue(name, "true, false, or pairs of first and last frame", chosen)


def _is_interval(pair: object) -> bool:
    if not isinstance(pair, tuple | list) or len(list[object](pair)) != 2:
        return False
    first, last = list[object](pair)
    if not (isinstance(first, int | np.integer) and isinstance(last, int | np.integer)):
        return False
    return bool(0 <= first <= last)
