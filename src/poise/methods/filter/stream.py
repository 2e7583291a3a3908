"""The filter as frames come: poses in, poses out, a stated delay, memory that does not grow.

    stream = FilterStream(character, 120.0, constraints, Settings(passes="1K"))
    print(stream.latency_s)
    for pose in run_stream(frames, stream):
        ...

**What takes time.** Kinematic rounds look at one frame and have no delay. A dynamic round needs
half the window of its least-squares fit and two knots ahead (1.3 s with the paper's window of 64
frames at 30 Hz; `window_s` makes it shorter, for a curve less like that of the whole clip). Before
the first of them, contacts and rates of the incoming poses take 0.4 s.

**What is less than on whole clips.** Curves are fitted by the paper's sliding window, coordinate by
coordinate (`fit` is not looked at); strength is not limited.

**What a stream cannot know**, and a whole clip can: the frame in which a foot moves least, curves
through time, easing (such constraints are refused); the noise of the capture (the cutoff of
its rates is given, not found); the floor (given); contacts of anything but feet, unless the sender
says them; the level at which soles stand, until they have stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from poise.character import Character
from poise.constraints import FLAT, Constraint
from poise.contact import FEET, ContactSchedule
from poise.environment import Environment
from poise.errors import BadValue
from poise.methods.edit import Edit
from poise.methods.filter.problem import Problem, build
from poise.methods.filter.settings import Settings, rounds_of
from poise.methods.filter.sliding_fit import WINDOW_S
from poise.methods.filter.stream_contacts import FoundContacts, GivenContacts, StreamPoints
from poise.methods.filter.stream_goals import StreamGoals, at_one_frame
from poise.methods.filter.stream_rounds import DynamicRound, KinematicRound
from poise.methods.filter.stream_window import (
    IncomingPoses,
    Passing,
    Stage,
    StreamFrame,
    StreamRates,
    single_motion,
)
from poise.motion import Clip


class FilterStream:
    """Filters a stream of poses with a fixed delay and in fixed memory.

    `push` gives back the frame `latency_frames` before the one it takes; `finish` gives the rest
    and makes the object ready for another stream. A frame that is refused changes nothing.
    """

    def __init__(
        self,
        character: Character,
        rate_hz: float,
        constraints: Sequence[Constraint] = (),
        settings: Settings | None = None,
        *,
        environment: Environment = FLAT,
        source: Character | None = None,
        rise_m: float = 0.0,
        contact_parts: Sequence[str] | None = None,
        cutoff_hz: float | None = None,
        window_s: float = WINDOW_S,
        moving_joints: Sequence[int] = (),
    ) -> None:
        """Prepare everything that does not depend on poses.

        Args:
            character: the body that the result is for; dynamic rounds need its masses.
            rate_hz: frames per second.
            constraints: what should hold; intervals count the frames of the stream
                (`stream_goals.ALWAYS` has no end). Goals that refer to the original refer to the
                incoming pose.
            settings: as for whole clips; any rounds.
            environment: the place, for dynamic rounds.
            source: the body whose poses come in, if it is another one with the same joints:
                constraints then follow the paths that its points have.
            rise_m: how far the root is raised on the way from one body to the other.
            contact_parts: parts whose contacts every frame states; None: feet, whose contacts are
                found. For dynamic rounds.
            cutoff_hz: up to where rates of the incoming poses are believed (a clean capture bears
                12 Hz); None: 7 Hz, or less for slow cameras.
            window_s: of the sliding least-squares fit.
            moving_joints: joints with moving offsets, as of a clip; for kinematic rounds only.

        Raises:
            BadValue: a constraint that only a whole clip can tell the goals of, and whatever the
                settings of the filter refuse.
        """
        if not (np.isfinite(rate_hz) and rate_hz > 0):
            raise BadValue("rate_hz", "a positive number", rate_hz)
        if not np.isfinite(rise_m):
            raise BadValue("rise_m", "finite", rise_m)
        self.rate_hz = rate_hz
        self.character = character
        self._source = source or character
        _check_alike(self._source, character)
        self._environment = environment
        self._rise_m = np.array([0.0, rise_m, 0.0])
        self._moving = tuple(moving_joints)
        if source is not None and self._moving:
            raise BadValue("moving_joints", "none on the way to another body", self._moving)
        settings = settings or Settings()
        self._goals = StreamGoals(
            constraints, self._source, environment, self._template(self._source)
        )
        problem = self._problem(constraints, settings)
        kinds = [task.kind for task in problem.sketched.tasks]
        if kinds != self._goals.kinds:
            raise BadValue("source", "a body on which constraints ask for the same", kinds)
        self._stages = self._made_stages(problem, contact_parts, cutoff_hz, window_s)
        self._incoming = IncomingPoses(self._source.skeleton, self._moving)

    @property
    def latency_frames(self) -> int:
        """Frames between the newest taken and the one given back."""
        return sum(stage.latency_frames for stage in self._stages)

    @property
    def latency_s(self) -> float:
        """The same in seconds."""
        return self.latency_frames / self.rate_hz

    def push(self, frame: StreamFrame) -> StreamFrame | None:
        """Take one frame; give back one, or None while there is none yet.

        Raises:
            BadShape: arrays of other joints.
            BadValue: numbers that are not finite, rotations that are not unit, or an update that
                fails (as in whole clips); all say which frame.
        """
        number = self._incoming.number
        root, turns, offsets = self._incoming.checked(frame)
        goals = self._goals.at(number, root, turns, offsets)
        motion = single_motion(root + self._rise_m, turns)
        self._incoming.accept(turns)
        moved = self._through(0, Passing(number, motion, offsets[None], goals, frame.touching))
        return None if moved is None else _given_back(moved)

    def finish(self) -> Iterator[StreamFrame]:
        """The frames that `push` has not given back yet."""
        rest = list[Passing]()
        for k, stage in enumerate(self._stages):
            for passing in stage.finish():
                moved = self._through(k + 1, passing)
                if moved is not None:
                    rest.append(moved)
        self._incoming.restart()
        return map(_given_back, rest)

    def _through(self, first: int, passing: Passing) -> Passing | None:
        moved: Passing | None = passing
        for stage in self._stages[first:]:
            if moved is None:
                return None
            moved = stage.push(moved)
        return moved

    def _problem(self, constraints: Sequence[Constraint], settings: Settings) -> Problem:
        """The arrays of a clip of one frame: what changes from frame to frame is filled in."""
        clip = self._template(self.character)
        contacts = ContactSchedule(FEET, np.ones((1, 2), dtype=np.bool_), self.rate_hz)
        at_one = [at_one_frame(constraint) for constraint in constraints]
        edit = Edit(clip, self.character, at_one, self._environment, contacts)
        return build(edit, replace(settings, fit="separate"))

    def _template(self, character: Character) -> Clip:
        """One frame at rest."""
        skeleton = character.skeleton
        offsets = skeleton.offsets_m[list(self._moving)][None]
        rest = skeleton.standing.rest_wxyz[None]
        return Clip(skeleton, self.rate_hz, np.zeros((1, 3)), rest, self._moving, offsets)

    def _made_stages(
        self,
        problem: Problem,
        contact_parts: Sequence[str] | None,
        cutoff_hz: float | None,
        window_s: float,
    ) -> list[Stage[Passing]]:
        rounds, rate_hz = rounds_of(problem.settings.passes), self.rate_hz
        stages = list[Stage[Passing]]()
        place = self._environment
        if "D" not in rounds:
            return [KinematicRound(problem) for _ in rounds]
        parts = FEET if contact_parts is None else contact_parts
        if problem.settings.torque:
            raise BadValue("torque", "false in a stream", problem.settings.torque)
        points, sent = StreamPoints(self.character, parts), StreamPoints(self._source, parts)
        if points.sites.names != sent.sites.names:
            raise BadValue("source", "a body with the same contact points", sent.sites.names)
        # What touches is seen on the body whose poses come in.
        if contact_parts is None:
            stages.append(FoundContacts(self._source, sent, place, rate_hz, self._rise_m))
        else:
            stages.append(GivenContacts(self._source, sent, place))
        rates_known = False
        for letter in rounds:
            if letter == "K":
                sketching = not any(isinstance(stage, DynamicRound) for stage in stages)
                stages.append(KinematicRound(problem, sketching=sketching))
                rates_known = False
                continue
            # From one dynamic round to the next, velocities and accelerations are the curve's own.
            if not rates_known:
                stages.append(StreamRates(self.character.skeleton.joint_count, rate_hz, cutoff_hz))
            stages.append(DynamicRound(problem, points, place, rate_hz, window_s))
            rates_known = True
        return stages


def frames_of(clip: Clip) -> Iterator[StreamFrame]:
    """The frames of a clip, one after the other."""
    for f in range(clip.frame_count):
        yield StreamFrame(
            clip.root_positions_m[f], clip.rotations_wxyz[f], clip.moving_offsets_m[f]
        )


def clip_of(frames: Iterable[StreamFrame], like: Clip) -> Clip:
    """The frames of a stream as a clip, with everything else as in another."""
    kept = list(frames)
    return replace(
        like,
        root_positions_m=np.stack([frame.root_m for frame in kept]),
        rotations_wxyz=np.stack([frame.rotations_wxyz for frame in kept]),
        moving_offsets_m=np.stack([frame.moving_offsets_m for frame in kept]),
    )


def _given_back(passing: Passing) -> StreamFrame:
    motion = passing.motion
    touching = passing.parts_touching
    return StreamFrame(motion.roots[0], motion.local[0].copy(), passing.offsets_m[0], touching)


def _check_alike(source: Character, character: Character) -> None:
    one, other = source.skeleton, character.skeleton
    if one.joint_names != other.joint_names:
        raise BadValue("source", "a body with the same joints", one.joint_names)
    if not np.allclose(one.rest_wxyz, other.rest_wxyz, atol=1e-9):
        raise BadValue("source", "a body with the same rest rotations", "others")
