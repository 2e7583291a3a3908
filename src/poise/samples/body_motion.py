"""Motions of the whole body on hands, knees, seat and feet, as functions of time.

Pelvis, trunk and the ends of all limbs are chosen; limbs follow in closed form, so that what is
planted stands exactly still. Where the pelvis is not itself held by the ground, it goes where the
centre of mass comes out right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Skeleton
from poise.environment import Environment
from poise.mechanics import BodyState, center_of_mass, forward_kinematics, site_positions
from poise.motion import Clip
from poise.samples.curves import Key, passage, through
from poise.samples.finishing import frame_times_s
from poise.samples.human import sample_character
from poise.samples.plan import Over, sole, two_bones
from poise.samples.truth import Planted, Sample, contacts_of

_CLOSE_M = 1e-11
_DRAFT_CLOSE_M = 1e-8
_MOST_ROUNDS = 80
_NEAR, _FAR = 0.993, 0.9997
"""Shares of a limb's length: up to the first it ends where it is to, and never at the second."""
_ROOT_TO_CENTER = 0.85
_RAMP = 0.15
"""Share of a swing in which a limb comes to speed, and again to rest."""
HAND_M = 0.014
"""Height of the wrist over what a flat hand lies on: half its thickness."""
KNEE_M = 0.05075
"""Height of a knee that carries."""
SEAT_M = 0.0875
"""Height of the hips over what they sit on."""


@dataclass(frozen=True, eq=False)
class LimbGoal:
    """A foot or a hand over time."""

    ends_m: Array
    """(F, 3) ankle or wrist."""
    rotations_wxyz: Array
    """(F, 4) of its frame in the world."""
    poles: Array
    """(F, 3) where knee or elbow points."""
    toes_rad: Array | None = None
    """(F,) turn of the toe joint, positive downwards."""


Limbs = Callable[[Array, Array, Array], Mapping[str, LimbGoal]]
"""Goals by side, from times and the place and turn of pelvis or chest."""


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """A motion before it has poses."""

    root_m: Over
    """(F, 3)"""
    angles_deg: Callable[[Array], Mapping[str, Array]]
    """By joint: (F, 3) turns about X (forward), Y (to the left) and Z (left side up)."""
    legs: Limbs
    arms: Limbs
    center_m: Over | None = None
    """(F, 2) X and Z wanted of the centre of mass."""
    freedom: Over = lambda times: np.ones(len(times))
    """(F,) from 0, the root is where it was put, to 1, the centre of mass is."""


def finished_body(
    name: str,
    motion: BodyMotion,
    planted: Sequence[Planted],
    seconds: float,
    rate_hz: float,
    environment: Environment | None = None,
) -> Sample:
    """Frames of a motion at a rate, with the truth about them."""
    times = frame_times_s(seconds, rate_hz)
    last = float(times[-1])
    rests = tuple(rest for rest in planted if rest.start_s <= last)
    clip = posed_body(motion, times, rate_hz, name)
    _check_rests(clip, rests)
    return Sample(
        clip.noted(f"sample: {name}"),
        contacts_of(rests, rate_hz, len(times), {rest.part for rest in planted}),
        rests,
        environment=environment or Environment.flat(),
    )


def _check_rests(clip: Clip, planted: Sequence[Planted]) -> None:
    """A limb that is too short for where it stands is a slip in the motion's numbers."""
    state, sites = forward_kinematics(clip.skeleton, *clip.pose), sample_character().sites
    places = site_positions(state, sites)
    for rest in planted:
        joint = rest.site in clip.skeleton.joint_names
        all_m = state.positions_m if joint else places
        column = clip.skeleton.index(rest.site) if joint else sites.index(rest.site)
        frames = rest.frames(clip.rate_hz, clip.frame_count)
        gap = np.linalg.norm(all_m[frames, column] - rest.position_m, axis=1)
        short = f"{rest.site} is {gap.max(initial=0.0):.3f} m from {rest.position_m}"
        assert gap.max(initial=0.0) < 1e-9, short


def posed_body(
    motion: BodyMotion, times: Array, rate_hz: float, name: str = "", *, draft: bool = False
) -> Clip:
    """The poses of a motion at these times, of a draft less exactly."""
    figure = sample_character()
    assert figure.body is not None
    skeleton, body = figure.skeleton, figure.body
    q = turned(skeleton, motion.angles_deg, times)
    still = forward_kinematics(skeleton, np.zeros((len(times), 3)), q)
    root = motion.root_m(times)
    limbs = partial(_put_limbs, still, q, motion, times)
    limbs(root)
    if motion.center_m is None:
        return Clip(skeleton, rate_hz, root, q, name=name)
    center = center_of_mass(forward_kinematics(skeleton, root, q), body)[:, [0, 2]]
    wanted = center + motion.freedom(times)[:, None] * (motion.center_m(times) - center)
    for _ in range(_MOST_ROUNDS):
        error = wanted - center
        if np.abs(error).max() < (_DRAFT_CLOSE_M if draft else _CLOSE_M):
            return Clip(skeleton, rate_hz, root, q, name=name)
        root = root.copy()
        root[:, [0, 2]] += error / _ROOT_TO_CENTER
        limbs(root)
        center = center_of_mass(forward_kinematics(skeleton, root, q), body)[:, [0, 2]]
    raise AssertionError(f"the centre of mass stays {np.abs(wanted - center).max():.2e} m off")


def turned(
    skeleton: Skeleton, angles_deg: Callable[[Array], Mapping[str, Array]], times: Array
) -> Array:
    """(F, J, 4) rotations of the joints that are given by angles; others at rest."""
    q = np.tile(rotations.IDENTITY, (len(times), skeleton.joint_count, 1))
    for joint, angles in angles_deg(times).items():
        turns = np.radians(np.broadcast_to(angles, (len(times), 3)))[:, [1, 0, 2]]
        q[:, skeleton.index(joint)] = rotations.from_euler(turns, (1, 0, 2))
    return q


_LEG, _ARM = ("UpLeg", "Leg", "Foot"), ("Arm", "ForeArm", "Hand")


def _put_limbs(still: BodyState, q: Array, motion: BodyMotion, times: Array, root: Array) -> None:
    skeleton, places, turns = still.skeleton, still.positions_m, still.rotations_wxyz
    chest = skeleton.index("Spine2")
    legs = motion.legs(times, root + places[:, 0], turns[:, 0])
    arms = motion.arms(times, root + places[:, chest], turns[:, chest])
    for goals, joints, bends_back in ((legs, _LEG, True), (arms, _ARM, False)):
        for side, goal in goals.items():
            upper, lower, end = (skeleton.index(side.capitalize() + joint) for joint in joints)
            above = int(skeleton.parents[upper])
            lengths = tuple(float(np.linalg.norm(skeleton.offsets_m[j])) for j in (lower, end))
            start = root + places[:, upper]
            ends = _within(start, goal.ends_m, sum(lengths))
            first, second = two_bones(
                start, ends, goal.poles, (lengths[0], lengths[1]), bends_back=bends_back
            )
            q[:, upper] = rotations.multiply(rotations.conjugate(turns[:, above]), first)
            q[:, lower] = rotations.multiply(rotations.conjugate(first), second)
            q[:, end] = rotations.multiply(rotations.conjugate(second), goal.rotations_wxyz)
            if goal.toes_rad is not None:
                toe = skeleton.index(f"{side.capitalize()}ToeBase")
                q[:, toe] = rotations.from_axis_angle([1.0, 0.0, 0.0], goal.toes_rad)


def _within(start: Array, ends: Array, length_m: float) -> Array:
    """Ends that a limb of this length reaches, smoothly: far ones are pointed at."""
    reach = ends - start
    distance = np.linalg.norm(reach, axis=1, keepdims=True)
    near, room = _NEAR * length_m, (_FAR - _NEAR) * length_m
    beyond = np.maximum(0.0, distance - near)
    reached = np.where(distance > near, near + room * np.tanh(beyond / room), distance)
    return start + reach * (reached / distance)


@dataclass(frozen=True)
class Stay:
    """One stay of a foot on the ground."""

    place_m: tuple[float, float]
    """X and Z of its pivot."""
    start_s: float = -np.inf
    end_s: float = np.inf
    lift_m: float = 0.0
    """How much the swing that follows is lifted at its middle."""
    aside_m: float = 0.0
    """How far it goes along X there."""
    on_heel: bool = False
    """Whether the pivot is the heel; else the ball, which a foot with its toes down stands on."""


def foot_goal(
    stays: Sequence[Stay], pitch_deg: Sequence[Key], yaw_rad: float, poles: Array, times: Array
) -> LimbGoal:
    """A foot that stays here and there; toes down is a positive pitch, at which its toes rest."""
    pitch = np.radians(through(pitch_deg, times))
    yaw = rotations.from_axis_angle([0.0, 1.0, 0.0], np.asarray(yaw_rad))
    q = rotations.multiply(yaw, rotations.from_axis_angle([1.0, 0.0, 0.0], pitch))
    ankles = _about(stays[0], q)
    for last, following in pairwise(stays):
        share = (times - last.end_s) / (following.start_s - last.end_s)
        passed = passage(share, _RAMP)
        ankles = ankles + passed[:, None] * (_about(following, q) - _about(last, q))
        arch = 4.0 * passed * (1.0 - passed)
        ankles = ankles + arch[:, None] * np.array([last.aside_m, last.lift_m, 0.0])
    return LimbGoal(ankles, q, poles, -np.maximum(pitch, 0.0))


def _about(stay: Stay, q: Array) -> Array:
    pivot = sole().heel_m if stay.on_heel else sole().ball_m
    x, z = stay.place_m
    return np.array([x, 0.0, z]) - rotations.rotate(q, pivot)


@dataclass(frozen=True)
class Press:
    """A flat hand on something level."""

    wrist_m: tuple[float, float, float]
    """Of the surface below the wrist."""
    fingers: tuple[float, float]
    """X and Z of the direction of the fingers."""
    start_s: float
    end_s: float
    landing_s: float = 0.5
    """How long it takes to come here, and"""
    leaving_s: float = 0.5
    """to be back where it is when it does not carry."""
    arch_m: float = 0.06
    """How much it is lifted half way, both times."""

    def share(self, times: Array) -> Array:
        """(F,) from 0, elsewhere, to 1, here."""
        return share_of(times, (self.start_s, self.end_s), (self.landing_s, self.leaving_s))


def share_of(
    times: Array, stay_s: tuple[float, float], around_s: tuple[float, float], ramp: float = _RAMP
) -> Array:
    """(F,) from 0, elsewhere, to 1, here, for a limb that takes so long to come and to go."""
    came = passage((times - stay_s[0]) / around_s[0] + 1.0, ramp)
    return came * (1.0 - passage((times - stay_s[1]) / around_s[1], ramp))


def hand_goal(
    side: str, presses: Sequence[Press], free_m: Array, free_wxyz: Array, poles: Array, times: Array
) -> LimbGoal:
    """A hand that is free (places and turns in the world) but for these presses."""
    goal = LimbGoal(free_m, free_wxyz, poles)
    for press in presses:
        place = np.array(press.wrist_m) + np.array([0.0, HAND_M, 0.0])
        goal = brought(goal, place, _flat(side, press), press.share(times), press.arch_m)
    return goal


def brought(goal: LimbGoal, place_m: Array, wxyz: Array, share: Array, arch_m: float) -> LimbGoal:
    """A limb that is brought to a place by shares from 0 to 1, lifted half way."""
    ends = goal.ends_m + share[:, None] * (place_m - goal.ends_m)
    ends = ends + (4.0 * share * (1.0 - share) * arch_m)[:, None] * np.array([0.0, 1.0, 0.0])
    q = rotations.slerp(
        goal.rotations_wxyz, np.broadcast_to(wxyz, goal.rotations_wxyz.shape), share
    )
    return replace(goal, ends_m=ends, rotations_wxyz=q)


def _flat(side: str, press: Press) -> Array:
    """A hand's turn with its palm down: the left one's X, out of its back, is up."""
    fingers = np.array([press.fingers[0], 0.0, press.fingers[1]])
    fingers = fingers / np.linalg.norm(fingers)
    x = np.array([0.0, 1.0 if side == "left" else -1.0, 0.0])
    axes = np.stack([x, -fingers, np.cross(x, -fingers)], axis=-1)
    return rotations.from_matrix(axes)


def pressed(side: str, press: Press) -> list[Planted]:
    """What of a flat hand stands still."""
    hand = sample_character().skeleton.end_sites
    length = float(np.linalg.norm(hand.offsets_m[hand.index("LeftHand_end")]))
    fingers = np.array([press.fingers[0], 0.0, press.fingers[1]])
    start = np.array(press.wrist_m) + np.array([0.0, HAND_M, 0.0])
    tip = start + length * fingers / np.linalg.norm(fingers)
    named = ((f"{side.capitalize()}Hand", start), (f"{side}_hand_tip", tip))
    return [
        Planted(f"{side}_hand", site, press.start_s, press.end_s, _numbers(place))
        for site, place in named
    ]


def stayed(side: str, stay: Stay) -> Planted:
    """The pivot of a foot that stays."""
    x, z = stay.place_m
    point = "heel" if stay.on_heel else "ball"
    return Planted(f"{side}_foot", f"{side}_{point}", stay.start_s, stay.end_s, (x, 0.0, z))


def rested(part: str, joint: str, start_s: float, end_s: float, place_m: Array) -> Planted:
    """A joint that stands still while its part carries."""
    return Planted(part, joint, start_s, end_s, _numbers(place_m))


def _numbers(place: Array) -> tuple[float, float, float]:
    x, y, z = (float(n) for n in place)
    return x, y, z


def ahead(times: Array) -> Array:
    """(F, 3) forwards, for knees."""
    return np.tile([0.0, 0.0, 1.0], (len(times), 1))


def both(of: Callable[[str, float], LimbGoal]) -> dict[str, LimbGoal]:
    """Goals of both sides, from a side and its sign along X."""
    return {side: of(side, sign) for side, sign in zip(SIDES, (1.0, -1.0), strict=True)}
