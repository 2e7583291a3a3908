"""Poses that come as near to their goals as they can, in frames that come one at a time.

`ik.followed_frames` goes on from the frame before. So two frames are all the memory it needs: the
one before and the newest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Character, contact_points
from poise.constraints import EVERYTHING, Recruits, Scene, Task, recruits_of_point
from poise.contact import LOOSE_M
from poise.environment import Environment, query
from poise.errors import UnknownName
from poise.ik import FollowSettings, build, follow, keep_in_range, unsolved
from poise.mechanics import BodyState, forward_kinematics, site_positions
from poise.motion import Clip

# Feet that stand, in a stream: what touches stays where it touched, as far as legs reach.
#
# Legs of other proportions move a foot over the ground though its source stands. So every point
# of a sole that comes down is remembered where it comes down, and the foot is moved by what its
# points have departed since. A rolling foot goes on from the points it leaves to those it
# reaches. In the air what it was moved by fades; nothing goes below the ground.
_FIRM = 3.0
"""Weight of a point that stays, against the wishes of poses."""
_FADES_S = 0.15
"""What a foot in the air was moved by falls to a third in this time."""
_SETTLES_S = 0.05
"""The same for how far above the ground it came down."""
_FARTHEST_M = 0.15
"""A foot that would be moved farther over the ground slides: it is dragged along."""
_HIGHEST_M = 0.05
"""A foot that touches this far above the ground stands on something that is not known."""


class StandingFeet:
    """By how much each foot is moved, frame by frame."""

    def __init__(
        self, target: Character, environment: Environment, rate_hz: float, parts: tuple[str, ...]
    ) -> None:
        """Prepare the soles of a target's feet, in the order in which they are said to touch.

        Raises:
            UnknownName: a foot that the body does not have.
        """
        known = contact_points(target)
        for part in parts:
            if part not in known:
                raise UnknownName("body part of this character", part, known)
        self._target = target
        self._soles = [known[part] for part in parts]
        self._environment, self._rate_hz = environment, rate_hz
        self._fading, self._settling = (
            math.exp(-1.0 / (seconds * rate_hz)) for seconds in (_FADES_S, _SETTLES_S)
        )
        self._held = [np.full((len(sole), 3), np.nan) for sole in self._soles]
        self.moved_m = np.zeros((len(parts), 3))
        """(P, 3) by how much, in the newest frame."""
        self._ends = np.cumsum([0, *(len(sole) for sole in self._soles)])
        self.stands_m = np.full((int(self._ends[-1]), 3), np.nan)
        """(n, 3) where points of soles stay in the newest frame; NaN where they are free."""

    def tasks(self, clip: Clip) -> list[Task]:
        """One for each point of `stands_m`."""
        state = forward_kinematics(clip.skeleton, *clip.pose)
        found: list[Task] = []
        for sole in self._soles:
            places = site_positions(state, sole)
            for i, name in enumerate(sole.names):
                joint, offset = int(sole.joints[i]), sole.offsets_m[i]
                recruits = recruits_of_point(self._target, joint, offset, EVERYTHING)
                goals = places[:, i]
                found.append(Task(name, "point", 0, goals, recruits, 2, _FIRM, joint, offset))
        return found

    def restart(self) -> None:
        """Forget where anything stands."""
        self.moved_m[:] = 0.0
        self.stands_m[:] = np.nan
        for held in self._held:
            held[:] = np.nan

    def push(self, ideal: BodyState, root_m: Array, touching: NDArray[np.bool_]) -> None:
        """Take one frame.

        Args:
            ideal: where free joints would have them, with the root at zero.
            root_m: (3,) and the root.
            touching: (P,) which of them touch.
        """
        for foot, sole in enumerate(self._soles):
            places = site_positions(ideal, sole, parallel=False)[0] + root_m
            surface = query(self._environment, places)
            heights = surface.distances_m
            held, moved = self._held[foot], self.moved_m[foot]
            lowest = float(heights.min())
            if touching[foot]:
                low = heights - lowest < LOOSE_M
                held[~low] = np.nan
                held += surface.velocities_m_s / self._rate_hz  # belts take feet along
                new = low & np.isnan(held[:, 0])
                held[new] = places[new] + moved
                along = (held[low] - places[low]).mean(axis=0)
                along[1] = 0.0
                excess = max(0.0, 1.0 - _FARTHEST_M / max(float(np.linalg.norm(along)), 1e-9))
                held -= excess * along
                moved[[0, 2]] = (1.0 - excess) * along[[0, 2]]
                if lowest < _HIGHEST_M:
                    moved[1] = -lowest + self._settling * (moved[1] + lowest)
            else:
                held[:] = np.nan
                moved *= self._fading
            moved[1] = max(moved[1], -lowest)
            stands = self.stands_m[self._ends[foot] : self._ends[foot + 1]]
            stands[:] = held
            stands[:, 1] += places[:, 1] + moved[1] - held[:, 1]


BEFORE, NEWEST = 0, 1
"""Frames of a clip of two."""


def two_frames(character: Character, rate_hz: float) -> Clip:
    """A body at rest: what tasks of a stream are made for."""
    skeleton = character.skeleton
    return Clip(skeleton, rate_hz, np.zeros((2, 3)), np.stack([skeleton.standing.rest_wxyz] * 2))


class FollowedStream:
    """`follow`, frame by frame: the same poses, bit for bit, as over all frames at once."""

    def __init__(
        self, clip: Clip, character: Character, environment: Environment, tasks: Sequence[Task],
        stays: Sequence[Task] = (), settings: FollowSettings | None = None,
    ) -> None:  # fmt: skip
        """Prepare everything that does not depend on poses.

        The clip is one of `two_frames` and this object's own: it is written to. Tasks are points
        and turns of joints, with goals of these two frames; `stays` are more points, as important
        as the others, whose places are given.
        """
        self._settings = settings or FollowSettings()
        self._problem = build(Scene(clip, character, environment), [*tasks, *stays])
        self._into, self._kept = unsolved(self._problem), unsolved(self._problem)
        self._roots, self._locals = _own(clip.root_positions_m), _own(clip.rotations_wxyz)
        goals = self._problem.packed.goals.reshape(-1, 2, 4)
        self._goals, self._stays = goals[: len(tasks)], goals[len(tasks) :]
        kept = self._problem.tasks[: len(tasks)]
        self._points = _rows(kept, "point")
        self._turns = _rows(kept, "turn")
        self._point_joints = _joints(kept, self._points)
        self._turn_joints = _joints(kept, self._turns)
        offsets = [kept[row].offset_m for row in self._points]
        self._offsets = np.array(offsets).reshape(-1, 3)
        self._first = True

    def restart(self) -> None:
        """The next frame goes on from none."""
        self._first = True

    def push(
        self, root_m: Array, rotations_wxyz: Array, places_m: Array, turns_wxyz: Array,
        stays_m: Array | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """The pose of the next frame, within the joints' limits: (3,) and (J, 4), to be read once.

        Args:
            root_m: (3,) and
            rotations_wxyz: (J, 4) the pose to depart from as little as need be.
            places_m: (J, 3) where joints should be, and
            turns_wxyz: (J, 4) how they should be turned, in the world.
            stays_m: (n, 3) where points stay; NaN for those that are free.
        """
        frame = BEFORE if self._first else NEWEST
        self._roots[NEWEST], self._locals[NEWEST] = root_m, rotations_wxyz
        if self._first:
            self._roots[BEFORE], self._locals[BEFORE] = root_m, rotations_wxyz
        self._put_goals(places_m, turns_wxyz)
        if stays_m is not None:
            self._stays[:, :, :3] = stays_m[:, None]
        into, kept = self._into, self._kept
        follow(self._problem, into, frame, frame, self._settings)
        # Limits are kept beside it: what the next frame goes on from is what was found here.
        kept.rotations_wxyz[frame] = into.rotations_wxyz[frame]
        keep_in_range(self._problem, kept, frame, frame)
        if not self._first:
            self._roots[BEFORE], self._locals[BEFORE] = self._roots[NEWEST], self._locals[NEWEST]
            into.root_positions_m[BEFORE] = into.root_positions_m[NEWEST]
            into.rotations_wxyz[BEFORE] = into.rotations_wxyz[NEWEST]
        self._first = False
        return into.root_positions_m[frame], kept.rotations_wxyz[frame]

    def _put_goals(self, places_m: Array, turns_wxyz: Array) -> None:
        if len(self._points):
            joints = self._point_joints
            away = rotations.rotate(turns_wxyz[joints], self._offsets)
            self._goals[self._points, :, :3] = (places_m[joints] + away)[:, None]
        self._goals[self._turns] = turns_wxyz[self._turn_joints][:, None]


class LimitsOfStream:
    """Joints of one frame brought back inside their limits."""

    def __init__(self, character: Character, rate_hz: float) -> None:
        skeleton = character.skeleton
        clip, tasks = two_frames(character, rate_hz), list[Task]()
        for joint in np.flatnonzero(skeleton.freedoms > 0).tolist():
            alone = np.arange(skeleton.joint_count) == joint
            goals, name = clip.rotations_wxyz[:, joint], skeleton.joint_names[joint]
            tasks.append(Task(name, "turn", 0, goals, Recruits(alone, False), joint=joint))
        self._problem = build(Scene(clip, character), tasks)
        self._at = unsolved(self._problem)

    def kept(self, rotations_wxyz: Array) -> Array:
        """(J, 4) the same pose within the limits, on an array of its own."""
        self._at.rotations_wxyz[BEFORE] = rotations_wxyz
        keep_in_range(self._problem, self._at, BEFORE, BEFORE)
        return self._at.rotations_wxyz[BEFORE].copy()


def _own(array: Array) -> Array:
    """The memory of a clip that is nobody else's, to be written to."""
    array.flags.writeable = True
    own = array.view()
    array.flags.writeable = False
    return own


def _rows(tasks: Sequence[Task], kind: str) -> Indices:
    found = [row for row, task in enumerate(tasks) if task.kind == kind]
    return np.array(found, dtype=np.int64)


def _joints(tasks: Sequence[Task], rows: Indices) -> Indices:
    return np.array([tasks[row].joint for row in rows], dtype=np.int64)
