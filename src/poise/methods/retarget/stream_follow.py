"""Poses that come as near to their goals as they can, in frames that come one at a time.

`ik.followed_frames` goes on from the frame before. So two frames are all the memory it needs: the
one before and the newest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Character
from poise.constraints import Recruits, Scene, Task
from poise.environment import Environment
from poise.ik import FollowSettings, build, follow, keep_in_range, unsolved
from poise.motion import Clip

BEFORE, NEWEST = 0, 1
"""Frames of a clip of two."""


def two_frames(character: Character, rate_hz: float) -> Clip:
    """A body at rest: what tasks of a stream are made for."""
    skeleton = character.skeleton
    return Clip(skeleton, rate_hz, np.zeros((2, 3)), np.stack([skeleton.rest_wxyz] * 2))


class FollowedStream:
    """`follow`, frame by frame: the same poses, bit for bit, as over all frames at once."""

    def __init__(
        self, clip: Clip, character: Character, environment: Environment, tasks: Sequence[Task],
        stays: Sequence[Task] = (), settings: FollowSettings | None = None,
    ) -> None:  # fmt: skip
        """Prepare everything that does not depend on poses.

        Args:
            clip: of `two_frames`, this object's own: it is written to.
            character: who moves.
            environment: where.
            tasks: points and turns of joints, with goals of these two frames.
            stays: more points, whose places are given; as important as the others.
            settings: the knobs of `follow`.
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
