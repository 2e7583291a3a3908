"""The knobs of the correction: what the paper names, in seconds, metres and newtons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

import numpy as np

from poise.errors import BadValue, UnknownName
from poise.methods.correct.mesh_vertices import CANDIDATES

FEET = ("left_toe", "right_toe", "left_heel", "right_heel")
HANDS = ("left_hand", "right_hand")
KNEES = ("left_knee", "right_knee")
THIGHS = ("left_thigh", "right_thigh")
TRUNK = ("pelvis", "chest", "head")


@dataclass(frozen=True)
class Settings:
    """How a motion is corrected."""

    preset: str = "walk"
    """What kind of motion it is: settings that are left alone take its values."""
    candidates: tuple[str, ...] = FEET
    """What may touch (Table 2): toe, heel, knee, hand, elbow, shoulder and thigh, each of them with
    `left_` or `right_` before it; pelvis, chest, head."""
    working_rate_hz: float = 30.0
    """Rate at which contacts are looked for and places optimized; 60 for acrobatics."""
    smoothing_s: float = 0.015
    """Standard deviation of the Gaussian that smooths joint angles first."""
    bone_weight: float = 1.0
    """Of bones that keep their lengths; this weight and the next ones as in Table 1."""
    trajectory_weight: float = 1.0
    """Of joints that bend their ways as they did."""
    contact_weight: float = 1.0
    """Of what touches: on the surface, and without slipping."""
    pose_weight: float = 0.1
    """Of limbs that keep their shapes."""
    balance_weight: float = 1.0
    """Of momentum that forces at contacts can account for, in units of Table 1's Δt²/m."""
    spin_weight: float = 1.0
    """Of the angular momentum, which the paper leaves to the forces alone."""
    penetration_weight: float = 0.5
    """Of flesh that stays out of the surroundings."""
    friction: float = 0.8
    """How far from upright a contact may push, as a tangent."""
    largest_force_n: float = 200.0
    """f_max: the most that one contact point can press, for a body of 70 kg; heavier ones more."""
    largest_torque_nm: float = 10.0
    """τ_bound: the small torque that each touching part may give."""
    contact_points: int = 3
    """Points in which a touching part may push."""
    contact_radius_m: float = 0.05
    """How far they are from its middle."""
    extra_edges: tuple[tuple[str, str], ...] = ()
    """Pairs of joints or roles that keep to each other as they do in the input: two hands that
    hold one another."""
    samples: int = 100
    """Contact sequences that are tried."""
    first_samples: float = 0.1
    """Share of them drawn evenly, before the rest is drawn around the best."""
    sampling_iterations: int = 15
    """Rounds of the motion optimizer for each of them."""
    iterations: int = 60
    """Rounds of the motion optimizer for the one that is taken."""
    key_spacing_s: float = 1.0
    """Time from one key frame of the sub-costs' weights to the next."""
    diversity: float | None = None
    """How many stretches of one contact state the clip may have, as an effective number (Eq. 27 on
    stretches instead of states); by default twelve for every second."""
    sliding: bool = True
    """Whether a contact may move along the surface."""
    spheres: Mapping[str, float] = field(default_factory=dict[str, float])
    """Flesh that may enter neither the surroundings nor other flesh: metres around candidates,
    roles or joints."""
    drape: bool = False
    """Whether the clip was captured on level ground and is to be put on that of the environment:
    every place is raised by what lies below it."""
    seed: int = 0
    """Of the draws; the same seed gives the same result."""

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise UnknownName("preset", self.preset, PRESETS)
        for name in ("working_rate_hz", "largest_force_n", "key_spacing_s", "bone_weight"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) > 0.0):
                raise BadValue(name, "more than zero", getattr(self, name))
        for name in _NOT_NEGATIVE:
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) >= 0.0):
                raise BadValue(name, "zero or more", getattr(self, name))
        for name in ("samples", "sampling_iterations", "iterations", "contact_points"):
            value = getattr(self, name)
            if not (1 <= value <= 100_000 and value == int(value)):
                raise BadValue(name, "a whole number from 1 to 100,000", value)
        if not 0.0 < self.first_samples <= 1.0:
            raise BadValue("first_samples", "more than 0, at most 1", self.first_samples)
        if self.diversity is not None and not self.diversity >= 1.0:
            raise BadValue("diversity", "at least 1", self.diversity)
        if not self.candidates:
            raise BadValue("candidates", "at least one part that may touch", "none")
        for candidate in self.candidates:
            if candidate not in CANDIDATES:
                raise UnknownName("contact candidate", candidate, CANDIDATES)
        if len(set(self.candidates)) != len(self.candidates):
            raise BadValue("candidates", "different parts", self.candidates)
        for name, radius in self.spheres.items():
            if not (np.isfinite(radius) and radius >= 0.0):
                raise BadValue(f"spheres ({name})", "zero or more metres", radius)


_NOT_NEGATIVE = (
    "smoothing_s", "trajectory_weight", "contact_weight", "pose_weight", "balance_weight",
    "spin_weight", "penetration_weight", "friction", "largest_torque_nm", "contact_radius_m",
)  # fmt: skip

PRESETS: dict[str, dict[str, object]] = {
    "walk": {},
    "run": {"largest_force_n": 500.0},
    "dance": {"candidates": FEET + HANDS, "largest_force_n": 1000.0},
    "acrobatic": {
        "candidates": FEET + HANDS, "largest_force_n": 1000.0, "working_rate_hz": 60.0,
    },
    "floor": {"candidates": FEET + HANDS + KNEES + TRUNK, "largest_force_n": 1000.0},
    "roll": {
        "candidates": (*FEET, *HANDS, "left_shoulder", "right_shoulder", *TRUNK),
        "largest_force_n": 1000.0,
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
