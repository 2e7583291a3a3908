"""Cycles that are played again and again: corrected as they repeat, so that they still close.

The solve knows nothing beyond the ends of a clip, and bends the last strides otherwise than those
in between: a walk cycle whose last frame was its first would jump by centimetres. So a cycle is
solved with a second of itself before and after, and what lies in between is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Indices
from poise.contact import ContactSchedule, FoundContacts
from poise.environment import Environment, Ground
from poise.mechanics import forward_kinematics
from poise.methods.correct.far_moved import FarMoved
from poise.methods.correct.recovery import Recovered
from poise.methods.edit import Edit
from poise.motion import Clip
from poise.physics import PhysicsSolution, Shortfall

CLOSED_M = 0.005
"""A clip is a loop where no joint is farther from where it began, but for the way it travelled."""
SHORTEST_S = 0.3
GOES_M_S = 0.25
"""Slower ones stand about; their ends are as free as those of other clips."""
CONTEXT_S = 1.0
_END_S = 0.1


@dataclass(frozen=True)
class Loop:
    """A clip that begins again where it ends."""

    frames: int
    """Of the clip,"""
    period: int
    """and until it begins again: one less where its last frame is its first once more."""
    lead: int
    """Frames of it that are put before and after."""
    way_m: tuple[float, float, float]
    """How far the root goes in a period."""

    def repeated(self, edit: Edit) -> Edit:
        """The task with what comes before and after."""
        at, turns = self._frames()
        clip = edit.clip
        known = edit.contacts
        roots = clip.root_positions_m[at] + turns[:, None] * np.array(self.way_m)
        longer = replace(
            clip, root_positions_m=roots, rotations_wxyz=clip.rotations_wxyz[at], source=None
        )
        return replace(edit, clip=longer, contacts=None if known is None else _rows(known, at))

    def _frames(self) -> tuple[Indices, Indices]:
        """Which frame of the clip each is, and how often the root has gone its way until then."""
        count = np.arange(-self.lead, self.frames + self.lead)
        turns, at = np.divmod(count, self.period)
        own = (count >= 0) & (count < self.frames)  # also the last, if it is the first once more
        at[own], turns[own] = count[own], 0
        return at, turns

    @property
    def kept(self) -> slice:
        """Frames of the clip itself."""
        return slice(self.lead, self.lead + self.frames)

    def clip(self, made: Clip, original: Clip) -> Clip:
        """The frames of the clip itself, as that clip."""
        return replace(
            original,
            root_positions_m=made.root_positions_m[self.kept],
            rotations_wxyz=made.rotations_wxyz[self.kept],
        )

    def found(self, found: FoundContacts | None) -> FoundContacts | None:
        """What was found in them."""
        if found is None:
            return None
        rows = _rows(found.schedule, self.kept)
        return FoundContacts(rows, found.unknown[self.kept], found.unexplained[self.kept])

    def contacts(self, contacts: ContactSchedule) -> ContactSchedule:
        """What touches in them."""
        return _rows(contacts, self.kept)

    def recovered(self, recovered: Recovered, original: Clip) -> Recovered:
        """What came of them; tasks speak of the longer clip."""
        solved = recovered.physics
        doubted = (
            replace(each, first=first, stop=stop)
            for each in recovered.doubted
            for first, stop in self._inside(each)
        )
        return replace(
            recovered,
            clip=self.clip(recovered.clip, original),
            contacts=self.contacts(recovered.contacts),
            physics=None if solved is None else self._solution(solved),
            doubted=tuple(doubted),
        )

    def shortfalls(self, found: tuple[Shortfall, ...]) -> tuple[Shortfall, ...]:
        """Those that reach into them."""
        return tuple(
            replace(each, first=first, stop=stop)
            for each in found
            for first, stop in self._inside(each)
        )

    def _inside(self, stretch: FarMoved | Shortfall) -> list[tuple[int, int]]:
        first, stop = max(stretch.first - self.lead, 0), stretch.stop - self.lead
        stop = min(stop, self.frames)
        return [(first, stop)] if first < stop else []

    def _solution(self, solved: PhysicsSolution) -> PhysicsSolution:
        return replace(
            solved,
            root_positions_m=solved.root_positions_m[self.kept],
            rotations_wxyz=solved.rotations_wxyz[self.kept],
            wrench_left=solved.wrench_left[self.kept],
            forces_n=solved.forces_n[self.kept],
            held=None,
        )


def loop_of(clip: Clip, place: Environment) -> Loop | None:
    """A walk or run, in place or over level ground, that ends as it began; None of other clips."""
    if clip.duration_s < SHORTEST_S or not _is_endless(place):
        return None
    gap, way, closed = loop_gap_m(clip)
    belts = [float(np.linalg.norm(each.belt_velocity_m_s)) for each in place.surfaces]
    goes = max(float(np.linalg.norm(way)) / clip.duration_s, *belts)
    if gap > CLOSED_M or goes < GOES_M_S or (not any(belts) and _rests_at_its_ends(clip, way)):
        return None
    x, y, z = way.tolist()
    lead = max(1, round(CONTEXT_S * clip.rate_hz))
    return Loop(clip.frame_count, clip.frame_count - closed, lead, (x, y, z))


def _rests_at_its_ends(clip: Clip, way: Array) -> bool:
    """Whether a clip begins or ends at less than half of its pace: a jump from and into a stand."""
    count = min(max(1, round(_END_S * clip.rate_hz)), clip.frame_count - 1)
    roots, ahead = clip.root_positions_m, way / np.linalg.norm(way)
    ends = np.array([roots[count] - roots[0], roots[-1] - roots[-1 - count]])
    pace_m = np.linalg.norm(way) / (clip.frame_count - 1) * count
    return bool((ends @ ahead).min() < 0.5 * pace_m)


def loop_gap_m(clip: Clip) -> tuple[float, Array, bool]:
    """How far the joints of a clip are from where they would be if it began again.

    Returns:
        The distance of the farthest joint, the horizontal way of the root in a period, (3,), which
        is left out of it, and whether the last frame is the first once more. Else the first is
        taken to come a frame after the last, where the steps before and after lead to.
    """
    ends = np.array([0, min(1, clip.frame_count - 1), max(-2, -clip.frame_count), -1])
    roots, turns, moving, offsets = clip.pose
    state = forward_kinematics(clip.skeleton, roots[ends], turns[ends], moving, offsets[ends])
    first, second, former, last = state.positions_m
    before, after = last - former, second - first
    found: list[tuple[float, Array, bool]] = []
    for closed in (True, False):
        apart = last - first if closed else last + 0.5 * (before + after) - first
        way = apart[0] * [1.0, 0.0, 1.0]
        # Nobody knows the step between better than to half of what it changes by.
        slack = 0.0 if closed else 0.5 * np.linalg.norm(after - before, axis=1)
        gaps = np.maximum(np.linalg.norm(apart - way, axis=1) - slack, 0.0)
        found.append((float(gaps.max()), way, closed))
    return min(found, key=lambda each: (each[0] > CLOSED_M, not each[2], each[0]))


def _is_endless(place: Environment) -> bool:
    """Whether the cycle may go on for ever: nothing but ground."""
    return all(isinstance(each, Ground) for each in place.surfaces)


def _rows(contacts: ContactSchedule, frames: Indices | slice) -> ContactSchedule:
    sliding, sure = contacts.sliding, contacts.confidence
    return ContactSchedule(
        contacts.parts,
        contacts.touching[frames],
        contacts.rate_hz,
        None if sliding is None else sliding[frames],
        None if sure is None else sure[frames],
    )
