"""A clip seen from a pattern: its moments, its place, its vector and its coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import BadValue
from poise.mechanics import forward_kinematics
from poise.methods.motion_alignment import Placing, Warp
from poise.methods.motion_pattern import Pattern
from poise.methods.pattern.learning import knots_of, moments_of
from poise.methods.pattern.motion_vectors import (
    motion_of,
    sampled,
    sampled_places,
    sampled_turns,
    sampled_vectors,
    vector_of,
)
from poise.methods.pattern.placing import placing_on
from poise.motion import Clip

RUN_OUT_S = 0.15
"""How long what is added goes on beyond the span."""


@dataclass(frozen=True, eq=False)
class PlacedClip:
    """A clip in a pattern's room, on its own timing.

    Its pose in frame n is `mean(τₙ)` turned by `vector[n]`, whatever of it the components span: an
    edit adds to the vector, and one that adds nothing gives the clip back.
    """

    clip: Clip
    pattern: Pattern
    warp: Warp
    placing: Placing
    normal_frames: Array
    """(F,) τ: where each frame of the clip lies in the pattern."""
    mean_roots_m: Array
    """(F, 3) the mean motion there."""
    mean_wxyz: Array
    """(F, J, 4)"""
    vector: Array
    """(F, 1 + J, 3) from the mean to the clip."""
    coefficients: Array
    """(m,) α: the clip's projection on all components."""
    left_over_deg: float
    """How far joints are turned, on average, away from what all components can express."""

    @property
    def deviations(self) -> float:
        """How far from the mean, in the population's deviations."""
        return float(np.linalg.norm(self.coefficients / self.pattern.deviations))

    def displacement(self, change: Array) -> Array:
        """(F, 1 + J, 3) what is added to the vector for a change (m,) of the first coefficients.

        With (F, m), a change for every frame of the clip.
        """
        used = self.pattern.components[: change.shape[-1]]
        if change.ndim == 1:
            added = sampled_vectors(np.tensordot(change, used, axes=1), self.normal_frames)
        else:
            added = np.zeros_like(self.vector)
            for i, component in enumerate(used):
                added += change[:, i, None, None] * sampled_vectors(component, self.normal_frames)
        self._run_out(added)
        return added

    def _run_out(self, added: Array) -> None:
        """Before and after the span, what is added comes to rest instead of stopping dead."""
        first, last = (round(float(end)) for end in self.warp.own[[0, -1]])
        wide = max(RUN_OUT_S * self.clip.rate_hz, 1.0)
        for end, inner, outside in (
            (first, first + 1, np.arange(first - 1, -1, -1)),
            (last, last - 1, np.arange(last + 1, len(added))),
        ):
            rest = wide * (1.0 - np.exp(-np.abs(outside - end) / wide))
            added[outside] += rest[:, None, None] * (added[end] - added[inner])

    def slices(self, frame: int, count: int) -> Array:
        """(count, 1 + J, 3) how the vector in a frame changes with each coefficient (Eq. 11)."""
        used = np.moveaxis(self.pattern.components[:count], 0, 1)
        made = sampled_vectors(used, self.normal_frames[frame : frame + 1])[0]
        for end, inner, rest in self._beyond(frame):
            ends = sampled_vectors(used, self.normal_frames[[end, inner]])
            made += rest * (ends[0] - ends[1])
        return made

    def _beyond(self, frame: int) -> list[tuple[int, int, float]]:
        """For a frame outside the span: its end, the frame inside that, and how far it runs out."""
        first, last = (round(float(end)) for end in self.warp.own[[0, -1]])
        wide = max(RUN_OUT_S * self.clip.rate_hz, 1.0)
        for end, inner, out in ((first, first + 1, first - frame), (last, last - 1, frame - last)):
            if out > 0:
                return [(end, inner, wide * float(1.0 - np.exp(-out / wide)))]
        return []

    def motion(self, vector: Array) -> tuple[Array, Array]:
        """Root places and rotations of another vector, in the clip's own room."""
        roots, turns = motion_of(self.mean_roots_m, self.mean_wxyz, vector)
        turns[:, 0] = self.placing.root_turns_back(turns[:, 0])
        still = ~self.pattern.varying[1:]
        still[0] = False
        turns[:, still] = self.clip.rotations_wxyz[:, still]
        return self.placing.places_back(roots), turns

    def with_motion(self, roots_m: Array, rotations_wxyz: Array, *history: str) -> Clip:
        """The clip with another motion of its own room."""
        source = self.clip.source
        return replace(
            self.clip,
            root_positions_m=roots_m,
            rotations_wxyz=rotations_wxyz,
            source=source and replace(source, channels=None),
            history=(*self.clip.history, *history),
        )

    def projected(self, count: int) -> Array:
        """(F, 1 + J, 3) the vector as the first components have it (Eq. 3).

        What does not vary in the pattern (fingers) is the clip's own.
        """
        first = self.pattern.components[:count]
        made = sampled_vectors(
            np.tensordot(self.coefficients[:count], first, axes=1), self.normal_frames
        )
        constant = ~self.pattern.varying
        made[:, constant] = self.vector[:, constant]
        return made


def place(
    pattern: Pattern, clip: Clip, character: Character, ground_m: float,
    events: Mapping[str, int] | None = None,
) -> PlacedClip:  # fmt: skip
    """Look at a clip from a pattern, whose tools the character has, over ground of some height.

    Events are frames of the pattern's, where its rules would not find them.

    Raises:
        BadValue: another skeleton, or an event that is not to be found.
    """
    name = clip.name or "the clip"
    pattern.check_skeleton(clip.skeleton, name)
    warp = _warp(pattern, clip, character, events)
    own = warp.to_own(np.arange(pattern.frame_count, dtype=np.float64))
    roots, turns = sampled(clip, own)
    joints = forward_kinematics(clip.skeleton, roots, turns).positions_m
    placing = placing_on(joints, pattern.mean_joints_m, ground_m)
    turns[:, 0] = placing.root_turns(turns[:, 0])
    vector = vector_of(pattern.mean_roots_m, pattern.mean_wxyz, placing.places(roots), turns)
    flat = pattern.components.reshape(len(pattern.variances), -1)
    coefficients = flat @ vector.ravel()
    left = vector - np.tensordot(coefficients, pattern.components, axes=1)
    varies = pattern.varying[1:]
    angles = np.linalg.norm(left[:, 1:][:, varies], axis=-1)
    frames = warp.to_normal(np.arange(clip.frame_count, dtype=np.float64))
    mean_roots = sampled_places(pattern.mean_roots_m, frames)
    mean_turns = sampled_turns(pattern.mean_wxyz, frames)
    own_turns = np.array(clip.rotations_wxyz)
    own_turns[:, 0] = placing.root_turns(own_turns[:, 0])
    return PlacedClip(
        clip, pattern, warp, placing, frames, mean_roots, mean_turns,
        vector_of(mean_roots, mean_turns, placing.places(clip.root_positions_m), own_turns),
        coefficients, float(np.degrees(np.sqrt((angles**2).mean()))) if angles.size else 0.0,
    )  # fmt: skip


def event_frames(
    pattern: Pattern, clip: Clip, character: Character, events: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Frames of a clip at the pattern's events, nearest whole ones.

    Raises:
        BadValue: an event that is not to be found.
    """
    warp = _warp(pattern, clip, character, events)
    own = warp.to_own(np.array([frame for _, frame in pattern.events], dtype=np.float64))
    pairs = zip(pattern.events, own.tolist(), strict=True)
    return {name: round(frame) for (name, _), frame in pairs}


def _warp(
    pattern: Pattern, clip: Clip, character: Character, events: Mapping[str, int] | None
) -> Warp:
    """From the pattern's events to those of the clip."""
    name = clip.name or "the clip"
    names = [event for event, _ in pattern.events]
    if events is None and names and not pattern.rules:
        for example in pattern.examples:
            if example.name == clip.name and example.frame_count == clip.frame_count:
                return Warp(pattern.knots, example.warp.own)
        raise BadValue(
            f"events of {name}", f"given, as in the pattern ({', '.join(names)})", "none"
        )
    found = moments_of(clip, character, pattern.rules, pattern.span, name, events)
    if list(found.events) != names:
        got = ", ".join(found.events) or "none"
        raise BadValue(f"events of {name}", f"as in the pattern: {', '.join(names) or 'none'}", got)
    knots = knots_of(found)
    if len(knots) != len(pattern.knots):
        allowed = "inside the clip, as in the pattern"
        raise BadValue(f"events of {name}", allowed, dict(found.events))
    return Warp(pattern.knots, np.array(knots, dtype=np.float64))
