"""The kinematic part of a stream: a pose of one body in, a pose of another out, frame by frame.

What `kinematic` does frame by frame, on one frame: turns, hinges as near to them as they can,
places at the target's size, joints as near to them as they can. What it does to all frames at once
(smoothing, feet that hold) a stream cannot.

Soles: over a whole clip, the body is raised by what its feet are apart from the source's on the
median while they touch. A stream does not wait for that: it takes what they are apart when the
source stands upright. On three robots that is within 5 mm of the other for the walk of 02_01, and
within 18 mm for a run, a dance, a jump and hops.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import Character, anatomical_axes
from poise.contact import FEET
from poise.environment import Environment, scaled
from poise.errors import BadValue
from poise.ik import FollowSettings
from poise.mechanics import BodyState, forward_kinematics
from poise.methods.retarget.kinematic import inner_hinges, trunk_joints, turn_tasks, wishes_of
from poise.methods.retarget.stream_follow import FollowedStream, StandingFeet, two_frames
from poise.transfer import (
    Correspondence,
    freely_turned,
    hip_joints,
    leg_ratio,
    local_turns,
    scaled_m,
    touching_rise_m,
    wanted_turns,
)


class StreamTurns:
    """`wanted_turns` of one frame, to rounding."""

    def __init__(self, source: Character, target: Character, matches: Correspondence) -> None:
        assert source.roles is not None and target.roles is not None
        self._theirs = anatomical_axes(source.skeleton, source.roles).own_wxyz
        follows = matches.sources[:, 0] >= 0
        self._joints = np.flatnonzero(follows)
        self._first, self._second = matches.sources[follows].T
        self._shares = matches.shares[follows]
        self._shared = bool(self._shares.any())
        skeleton = target.skeleton
        still = np.flatnonzero(~follows).tolist()
        self._still = [(j, int(skeleton.parents[j]), skeleton.standing.rest_wxyz[j]) for j in still]
        self._made = np.empty((skeleton.joint_count, 4))
        # Whatever else `wanted_turns` does is one constant turn a joint: one frame shows it.
        state = standing(source)
        shown = wanted_turns(state, source, target, matches)[0, self._joints]
        found = self._followed(state.rotations_wxyz[0])
        self._own = rotations.multiply(rotations.conjugate(found), shown)

    def at(self, world_wxyz: Array) -> Array:
        """(J, 4) of the target in the world, from those of the source; to be read once."""
        made = self._made
        made[self._joints] = rotations.multiply(self._followed(world_wxyz), self._own)
        for joint, parent, rest in self._still:
            made[joint] = rest if parent < 0 else rotations.multiply(made[parent], rest)
        return rotations.normalize(made)

    def _followed(self, world_wxyz: Array) -> Array:
        frames = rotations.multiply(world_wxyz, self._theirs)
        turns = frames[self._first]
        return rotations.slerp(turns, frames[self._second], self._shares) if self._shared else turns


def standing(character: Character) -> BodyState:
    """One frame of the anatomical pose: upright, limbs hanging, feet forward."""
    assert character.roles is not None
    skeleton = character.skeleton
    own = anatomical_axes(skeleton, character.roles).own_wxyz
    turns = freely_turned(rotations.conjugate(own), skeleton)
    return forward_kinematics(skeleton, np.zeros((1, 3)), turns[None])


_ORIGIN = np.zeros((1, 3))
_CALM_S = 1.5e-4
"""As in `FollowSettings`, where feet stay: calmer ones lag behind, and a foot that swings comes
back too late."""


class PoseStream:
    """Poses of the target from places and turns of the source's joints."""

    def __init__(
        self, source: Character, target: Character, matches: Correspondence,
        environment: Environment, rate_hz: float, *, scale: float | None = None,
        rise_m: float | None = None, feet: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Prepare everything that does not depend on poses; arguments are as in `RetargetStream`.

        Parts that are `feet` stay where they touch.

        Raises:
            BadValue: a scale or a rise that is none.
        """
        if scale is not None and not 0.01 <= scale <= 100.0:
            raise BadValue("scale", "from 0.01 to 100", scale)
        if rise_m is not None and not abs(rise_m) <= 100.0:
            raise BadValue("rise_m", "from -100 to 100", rise_m)
        self.scale = leg_ratio(source, target) if scale is None else scale
        """How many times as far it goes."""
        flat = environment.grounds[0].heights_m(np.zeros(3)) if environment.grounds else 0.0
        self._ground = np.array([0.0, float(flat), 0.0])
        environment = scaled(environment, self.scale, self._ground)
        self.environment = environment
        """The place at the target's size."""
        self._source, self._target = source, target
        self._hips = [hip_joints(character) for character in (source, target)]
        self._turns = StreamTurns(source, target, matches)
        skeleton = target.skeleton
        self._hinged = "hinge" in skeleton.kinds
        self._is_hinge = np.array([kind == "hinge" for kind in skeleton.kinds])[:, None]
        self._balls = any(kind == "ball" for kind in skeleton.kinds[1:])
        self._as_solved = (inner_hinges(skeleton, matches) | trunk_joints(target))[:, None]
        clips = [two_frames(target, rate_hz) for _ in range(2)]
        turns = forward_kinematics(clips[0].skeleton, *clips[0].pose).rotations_wxyz
        tasks = turn_tasks(turns, target, matches)
        calm = FollowSettings(calm_s=_CALM_S) if feet else FollowSettings()
        self._turned = FollowedStream(clips[0], target, environment, tasks, settings=calm)
        rest = forward_kinematics(skeleton, *clips[1].pose)
        wishes = wishes_of(rest, target)
        self._feet = StandingFeet(target, environment, rate_hz, tuple(feet)) if feet else None
        if feet:
            self._carried = [_leg(target, part) for part in feet]
        stays = [] if self._feet is None else self._feet.tasks(clips[1])
        self._placed = FollowedStream(clips[1], target, environment, wishes, stays, calm)
        self.rise_m = 0.0
        """How far it is raised."""
        self.rise_m = self._standing_rise_m() if rise_m is None else rise_m

    def restart(self) -> None:
        """The next frame goes on from none."""
        self._turned.restart()
        self._placed.restart()
        if self._feet is not None:
            self._feet.restart()

    def push(
        self, state: BodyState, touching: NDArray[np.bool_] | None = None
    ) -> tuple[Array, Array]:
        """Root (3,) and local rotations (J, 4) for one frame of the source; to be read once.

        `touching` (P,) says which of its feet touch, where feet are to stay.
        """
        root, turned, ideal = self._ideal(state)
        places, stays = ideal.positions_m[0] + root, None
        if self._feet is not None:
            assert touching is not None
            self._feet.push(ideal, root, touching)
            stays = self._feet.stands_m
            for (ankle, knee), by in zip(self._carried, self._feet.moved_m, strict=True):
                places[ankle] += by
                places[knee] += 0.5 * by
        return self._placed.push(root, turned, places, ideal.rotations_wxyz[0], stays)

    def _ideal(self, state: BodyState) -> tuple[Array, Array, BodyState]:
        """The root, hinges as near as they can, and a body of free joints with its root at zero."""
        target = self._target
        world = self._turns.at(state.rotations_wxyz[0])
        turned = freely_turned(world, target.skeleton)
        if self._hinged:
            start = target.skeleton.standing.rest_wxyz
            if self._balls:
                local = local_turns(world[None], target.skeleton)[0]
                start = np.where(self._is_hinge, start, local)
            else:
                start = np.concatenate([world[:1], start[1:]])
            turned = self._turned.push(_ORIGIN[0], start, world, world)[1]
            solved = forward_kinematics(target.skeleton, _ORIGIN, turned[None], parallel=False)
            world = np.where(self._as_solved, solved.rotations_wxyz[0], world)
        free = rotations.normalize(freely_turned(world, target.skeleton))
        ideal = forward_kinematics(target.skeleton, _ORIGIN, free[None], parallel=False)
        theirs, mine = (
            s.positions_m[0, hips].mean(axis=0)
            for s, hips in zip((state, ideal), self._hips, strict=True)
        )
        root = scaled_m(theirs, self.scale, self._ground) - mine
        root[1] += self.rise_m
        return root, turned, ideal

    def _standing_rise_m(self) -> float:
        """By how much the soles are apart, both standing."""
        state = standing(self._source)
        root, _, ideal = self._ideal(state)
        self.restart()
        return touching_rise_m(
            state, self._source, ideal, root[None], self._target,
            {part: np.ones(1, dtype=np.bool_) for part in FEET}, self.scale, float(self._ground[1]),
        )  # fmt: skip


def _leg(target: Character, part: str) -> tuple[int, int]:
    """Ankle and knee of a foot."""
    assert target.roles is not None
    side, joint = part.partition("_")[0], target.skeleton.index
    return joint(target.roles.joint(f"{side}_ankle")), joint(target.roles.joint(f"{side}_knee"))
