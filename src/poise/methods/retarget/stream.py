"""The same motion on another body as frames come: poses of one in, poses of the other out.

    stream = RetargetStream(human, robot, correspondence(human, robot), 60.0)
    print(stream.latency_s)
    for pose in run_stream(frames, stream):
        ...

**What takes time.** Poses alone do not: every frame goes on from the one before. Feet that stay
where they touch (`feet`) wait until it is known what touches, 0.15 s or so. Balance and flights
(`physics`) wait for the windows of `methods.filter.stream`.

**What is less than on whole clips.** How high soles are is taken from both bodies standing upright
(`stream_poses`). Hinges are not smoothed, speeds not limited. Feet stay as far as legs reach in
each frame; balance is not given back and forth. Nobody looks back to keep the round that measures
best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.constraints import FLAT, Plant
from poise.contact import FEET
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.mechanics import forward_kinematics
from poise.methods.filter import (
    ALWAYS,
    NO_OFFSETS,
    FilterStream,
    FoundContacts,
    IncomingPoses,
    Passing,
    Settings,
    StreamFrame,
    StreamPoints,
    on_side_of,
    single_motion,
)
from poise.methods.retarget.stream_follow import LimitsOfStream
from poise.methods.retarget.stream_poses import PoseStream
from poise.transfer import Correspondence

_NO_GOALS = np.zeros((0, 4))


class RetargetStream:
    """Puts a stream of poses on another body with a fixed delay and in fixed memory.

    `push` gives back the frame `latency_frames` before the one it takes; `finish` gives the rest
    and makes the object ready for another stream. A frame that is refused changes nothing.
    """

    def __init__(
        self, source: Character, target: Character, matches: Correspondence, rate_hz: float, *,
        environment: Environment = FLAT, scale: float | None = None, rise_m: float | None = None,
        feet: bool = True, physics: Settings | None = None, contacts_given: bool = False,
        moving_joints: Sequence[int] = (), cutoff_hz: float | None = None,
    ) -> None:  # fmt: skip
        """Prepare everything that does not depend on poses.

        Args:
            source: whose poses come in.
            target: who is to move like it.
            matches: which joint follows which.
            rate_hz: frames per second.
            environment: where. It scales with the motion, about the origin of its ground.
            scale: how many times as far it goes; as the legs are longer, unless given.
            rise_m: how far the target is raised; as far as it takes when both stand, unless given.
            feet: feet stay where they touch.
            physics: the rounds of the filter that follow, with feet on their paths; None for none.
            contacts_given: every frame states whether the left and the right foot touch; otherwise
                that is found on the source.
            moving_joints: joints of the source with moving offsets, as of a clip.
            cutoff_hz: see `FilterStream`.

        Raises:
            BadValue: a rate, scale or rise that is none, and what the filter refuses.
        """
        if not (np.isfinite(rate_hz) and rate_hz > 0):
            raise BadValue("rate_hz", "a positive number", rate_hz)
        self.rate_hz = rate_hz
        self.target = target
        self._source, self._moving = source, tuple(moving_joints)
        held = FEET if feet else ()
        self._poses = PoseStream(
            source, target, matches, environment, rate_hz, scale=scale, rise_m=rise_m, feet=held
        )
        self.environment = self._poses.environment
        """The place at the target's size."""
        self._limits = LimitsOfStream(target, rate_hz)
        self._given, self._asks = contacts_given, feet or physics is not None
        self._contacts: FoundContacts | None = None
        if self._asks and not contacts_given:
            points = StreamPoints(source, FEET)
            self._owners = points.owners
            self._contacts = FoundContacts(source, points, environment, rate_hz, np.zeros(3))
        self._filter: FilterStream | None = None
        if physics is not None:
            paths = [Plant(part, part, ALWAYS, "follow") for part in FEET]
            self._filter = FilterStream(
                target, rate_hz, paths, physics, environment=self.environment,
                contact_parts=FEET, cutoff_hz=cutoff_hz,
            )  # fmt: skip
        self._incoming = IncomingPoses(source.skeleton, self._moving)
        self._side_out: Array | None = None

    @property
    def scale(self) -> float:
        """How many times as far it goes."""
        return self._poses.scale

    @property
    def rise_m(self) -> float:
        """How far the target is raised."""
        return self._poses.rise_m

    @property
    def latency_frames(self) -> int:
        """Frames between the newest taken and the one given back."""
        stages = (self._contacts, self._filter)
        return sum(stage.latency_frames for stage in stages if stage is not None)

    @property
    def latency_s(self) -> float:
        """The same in seconds."""
        return self.latency_frames / self.rate_hz

    def push(self, frame: StreamFrame) -> StreamFrame | None:
        """Take one frame of the source; give back one of the target, or None while there is none.

        Raises:
            BadShape: arrays of other joints.
            BadValue: numbers that are not finite, rotations that are not unit; both say which
                frame.
        """
        number = self._incoming.number
        root, turns, offsets = self._incoming.checked(frame)
        said = np.shape(frame.touching or ())
        if self._given and self._asks and said != (len(FEET),):
            raise BadShape(f"touching of frame {number}", f"({len(FEET)},)", said)
        motion = single_motion(root, turns)
        self._incoming.accept(turns)
        taken = Passing(number, motion, offsets[None], _NO_GOALS, frame.touching)
        known = taken if self._contacts is None else self._contacts.push(taken)
        return None if known is None else self._made(known)

    def finish(self) -> Iterator[StreamFrame]:
        """The frames that `push` has not given back yet."""
        rest = list[StreamFrame]()
        for known in self._contacts.finish() if self._contacts is not None else ():
            made = self._made(known)
            if made is not None:
                rest.append(made)
        if self._filter is not None:
            rest += [self._within_limits(moved) for moved in self._filter.finish()]
        self._poses.restart()
        self._incoming.restart()
        self._side_out = None
        return iter(rest)

    def _made(self, frame: Passing) -> StreamFrame | None:
        """A frame whose contacts are known, as far as it is ready."""
        motion, feet = frame.motion, self._touching(frame)
        state = forward_kinematics(
            self._source.skeleton, motion.roots, motion.local, self._moving, frame.offsets_m,
            parallel=False,
        )  # fmt: skip
        root, turns = self._poses.push(state, feet)
        if self._side_out is not None:
            turns = on_side_of(turns, self._side_out)
        self._side_out = turns.copy()
        touching = None if feet is None else feet.tolist()
        made = StreamFrame(root.copy(), self._side_out, NO_OFFSETS, touching)
        if self._filter is not None:
            moved = self._filter.push(made)
            return None if moved is None else self._within_limits(moved)
        return self._within_limits(made)

    def _within_limits(self, frame: StreamFrame) -> StreamFrame:
        return frame._replace(rotations_wxyz=self._limits.kept(frame.rotations_wxyz))

    def _touching(self, frame: Passing) -> NDArray[np.bool_] | None:
        """(2,) which feet touch, where anybody asks."""
        if not self._asks:
            return None
        if self._contacts is not None:
            return np.bincount(self._owners, frame.touching, len(FEET)) > 0.0
        return np.asarray(frame.parts_touching, dtype=np.bool_)
