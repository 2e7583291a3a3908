"""The knobs of the correction: what the paper names, in seconds, metres and newtons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Interval

from poise.errors import BadValue, UnknownName
from poise.methods.correct.mesh_vertices import CANDIDATES
from poise.record_ranges import NotNegative, Positive, Window, check_record

Preset = Literal["auto", "walk", "run", "dance", "acrobatic", "floor", "roll", "seat"]

Only = Literal["everything", "contacts"]

Mode = Literal["physics", "paper"]

FEET = ("left_toe", "right_toe", "left_heel", "right_heel")
HANDS = ("left_hand", "right_hand")
KNEES = ("left_knee", "right_knee")
THIGHS = ("left_thigh", "right_thigh")
TRUNK = ("pelvis", "chest", "head")


@dataclass(frozen=True)
class Settings:
    """How a motion is corrected."""

    mode: Mode = "physics"
    """`physics`: contacts by all evidence, then one solve for contacts, balance, flight and
    strength. `paper`: Lee & Lee 2018 as printed, for comparison; settings that only it uses say
    so."""
    preset: Preset = "auto"
    """What kind of motion it is: settings that are left alone take its values. `auto` lets every
    part of the body touch; what does is found from the motion."""
    only: Only = "everything"
    """`contacts` holds what touches and leaves balance, flight and strength as they are. With
    `mode: physics`."""
    candidates: tuple[str, ...] | None = None
    """What may touch, by default everything, with `mode: paper` the feet (Table 2): toe, heel,
    knee, hand, elbow, shoulder and thigh, each of them with `left_` or `right_` before it; pelvis,
    chest, head."""
    smoothing_s: Window = 0.015
    """Standard deviation of the Gaussian that smooths joint angles first."""
    spheres: Mapping[str, float] = field(default_factory=dict[str, float])
    """Flesh that may enter neither the surroundings nor other flesh: metres around candidates,
    roles or joints."""
    drape: bool = False
    """Whether the clip was captured on level ground and is to be put on that of the environment:
    every place is raised by what lies below it."""
    working_rate_hz: Annotated[float, Interval(ge=1, le=1000)] = 30.0
    """`mode: paper`: rate at which contacts are looked for and places optimized; 60 for
    acrobatics."""
    bone_weight: Positive = 1.0
    """`mode: paper`: of bones that keep their lengths; this weight and the next ones as in
    Table 1."""
    trajectory_weight: NotNegative = 1.0
    """`mode: paper`: of joints that bend their ways as they did, unless they touch."""
    contact_weight: NotNegative = 1.0
    """`mode: paper`: of what touches: on the surface, and without slipping."""
    pose_weight: NotNegative = 0.1
    """`mode: paper`: of limbs that keep their shapes."""
    balance_weight: NotNegative = 1.0
    """`mode: paper`: of momentum that forces at contacts can account for, in units of Table 1's
    Δt²/m."""
    penetration_weight: NotNegative = 0.5
    """`mode: paper`: of flesh that stays out of the surroundings."""
    friction: NotNegative = 0.8
    """`mode: paper`: how far from upright a contact may push, as a tangent."""
    largest_force_n: Positive = 200.0
    """`mode: paper`: f_max, the most that one contact point can press, for a body of 70 kg; heavier
    ones more."""
    largest_torque_nm: NotNegative = 10.0
    """`mode: paper`: τ_bound, the small torque that each touching part may give."""
    contact_points: Annotated[int, Interval(ge=1, le=100_000)] = 3
    """`mode: paper`: points in which a touching part may push."""
    contact_radius_m: NotNegative = 0.05
    """`mode: paper`: how far they are from its middle."""
    extra_edges: tuple[tuple[str, str], ...] = ()
    """`mode: paper`: pairs of joints or roles that keep to each other as they do in the input: two
    hands that hold one another."""
    samples: Annotated[int, Interval(ge=1, le=100_000)] = 100
    """`mode: paper`: contact sequences that are tried."""
    first_samples: Annotated[float, Interval(gt=0, le=1)] = 0.1
    """`mode: paper`: share of them drawn evenly, before the rest is drawn around the best."""
    sampling_iterations: Annotated[int, Interval(ge=1, le=100_000)] = 60
    """`mode: paper`: rounds of the motion optimizer for each of them."""
    iterations: Annotated[int, Interval(ge=1, le=100_000)] = 60
    """`mode: paper`: rounds of the motion optimizer for the one that is taken."""
    key_spacing_s: Annotated[float, Interval(ge=0.01, le=600)] = 1.0
    """`mode: paper`: time from one key frame of the sub-costs' weights to the next."""
    diversity: Annotated[float, Ge(1)] | None = None
    """`mode: paper`: how many stretches of one contact state the clip may have, as an effective
    number (Eq. 27 on stretches instead of states); by default Table 2's for the length of its
    clips."""
    seed: int = 0
    """`mode: paper`: of the draws; the same seed gives the same result."""

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise UnknownName("preset", self.preset, PRESETS)
        check_record(self)
        if self.mode == "paper" and self.only != "everything":
            raise BadValue("only", "left alone with mode: paper, which has no physics", self.only)
        if self.candidates is not None and not self.candidates:
            raise BadValue("candidates", "at least one part that may touch", "none")
        for candidate in self.candidates or ():
            if candidate not in CANDIDATES:
                raise UnknownName("contact candidate", candidate, CANDIDATES)
        if len(set(self.candidates or ())) != len(self.candidates or ()):
            raise BadValue("candidates", "different parts", self.candidates)
        for name, radius in self.spheres.items():
            if not (np.isfinite(radius) and radius >= 0.0):
                raise BadValue(f"spheres ({name})", "zero or more metres", radius)


PRESETS: dict[Preset, dict[str, object]] = {
    "auto": {},
    "walk": {"candidates": FEET},
    "run": {"candidates": FEET, "largest_force_n": 500.0},
    "dance": {"candidates": FEET + HANDS, "largest_force_n": 1000.0},
    "acrobatic": {
        "candidates": FEET + HANDS, "largest_force_n": 1000.0, "working_rate_hz": 60.0,
    },
    "floor": {"candidates": FEET + HANDS + KNEES + TRUNK, "largest_force_n": 1000.0},
    "roll": {
        "candidates": (*FEET, *HANDS, "left_shoulder", "right_shoulder", *TRUNK),
    },
    "seat": {"candidates": (*FEET, *HANDS, "pelvis", *THIGHS), "largest_force_n": 300.0},
}  # fmt: skip
"""What differs from the defaults: candidates and f_max of Table 2, by kind of motion."""


def settings_for(preset: str, **chosen: object) -> Settings:
    """A preset's settings, with what the user chose over them."""
    if preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    known = {each.name for each in fields(Settings)}
    for name in chosen:
        if name not in known:
            raise UnknownName("setting", name, sorted(known))
    taken = {**PRESETS[preset], **chosen}
    return replace(Settings(preset=preset), **taken)  # type: ignore[arg-type]


def parts_of(settings: Settings) -> tuple[str, ...] | None:
    """Parts of a schedule that may touch; None: any."""
    if settings.candidates is None:
        return None
    return tuple(dict.fromkeys(CANDIDATES[each][0] for each in settings.candidates))


def vertices_for(settings: Settings) -> tuple[str, ...]:
    """Candidates that need a vertex of the mesh: those asked for, and those with a sphere."""
    asked = FEET if settings.candidates is None else settings.candidates
    return tuple(
        dict.fromkeys((*asked, *(name for name in settings.spheres if name in CANDIDATES)))
    )
