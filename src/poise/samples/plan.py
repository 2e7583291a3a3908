"""A motion as functions of time, and the poses that carry it out.

Feet, centre of mass, trunk and arms are chosen; the legs follow in closed form, and the root stands
where the centre of mass comes out right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, Skeleton
from poise.mechanics import BodyState, center_of_mass, forward_kinematics
from poise.motion import Clip
from poise.samples.curves import FootMotion, Sole
from poise.samples.human import sample_character

# Curves through values on an even grid of times, cyclic or at rest before and after.
#
# Where the body flies the path of its centre of mass is a straight line seen from above, exactly;
# where it stands, a quintic spline that takes over the line's velocity with no acceleration.
Over = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Timeline:
    """When a motion happens: an even grid of times, and its flights on it."""

    step_s: float
    count: int
    """Intervals of the grid; all of them make the cycle, or the whole of a single motion."""
    cyclic: bool
    flights: tuple[tuple[int, int], ...] = ()
    """First and last grid number of each flight, inside 0 to `count`."""
    stride_m: tuple[float, float] = (0.0, 0.0)
    """X and Z gained in a cycle."""
    easing_s: tuple[tuple[float, float], tuple[float, float]] = ((0.0, 0.0), (0.0, 0.0))
    """In a single motion, when the push may lean to begin from rest, and to end there."""

    @property
    def length_s(self) -> float:
        """The cycle, or the whole motion."""
        return self.count * self.step_s

    @property
    def nodes(self) -> int:
        """Different grid points: a cycle's last is its first."""
        return self.count + (0 if self.cyclic else 1)

    @property
    def times_s(self) -> Array:
        """(nodes,) the grid."""
        return self.step_s * np.arange(self.nodes, dtype=np.float64)

    def folded(self, times: Array) -> tuple[Array, Array]:
        """Times inside the grid, and how many cycles came before each."""
        if not self.cyclic:
            return np.clip(times, 0.0, self.length_s), np.zeros(len(times))
        cycles = np.floor(times / self.length_s)
        # Rounding far from zero may step over either end.
        return np.clip(times - cycles * self.length_s, 0.0, self.length_s), cycles

    def bumps(self) -> Array:
        """(nodes, 2) one smooth rise and fall for each of the two times in `easing_s`."""
        columns: list[Array] = []
        for start, end in self.easing_s:
            s = np.clip((self.times_s - start) / (end - start), 0.0, 1.0)
            columns.append(16.0 * (s * (1.0 - s)) ** 2)
        return np.stack(columns, axis=1)

    def aloft(self) -> NDArray[np.bool_]:
        """(nodes,) whether the ground does not push, both ends of a flight included."""
        flags = np.zeros(self.nodes, dtype=np.bool_)
        for first, last in self.flights:
            flags[np.arange(first, last + 1) % (self.count if self.cyclic else self.nodes)] = True
        return flags


class Ground:
    """The centre of mass seen from above, through its places at the grid's times."""

    def __init__(self, timeline: Timeline, places_m: Array) -> None:
        self.timeline = timeline
        stride = np.asarray(timeline.stride_m)
        ends = places_m if not timeline.cyclic else np.vstack([places_m, places_m[:1] + stride])
        self._ends = ends
        self.slopes_m_s = [
            (ends[b] - ends[a]) / ((b - a) * timeline.step_s) for a, b in timeline.flights
        ]
        """(2,) the velocity of each flight."""
        self._stances = self._stance_splines()

    def __call__(self, times: Array) -> Array:
        """(F, 2) X and Z at any times."""
        line = self.timeline
        local, cycles = line.folded(times)
        path = np.zeros((len(times), 2))
        for start, end, spline in self._stances:
            here = (local >= start) & (local <= end)
            path[here] = spline(local[here])
        for (a, b), slope in zip(line.flights, self.slopes_m_s, strict=True):
            here = (local >= a * line.step_s) & (local <= b * line.step_s)
            path[here] = self._ends[a] + (local[here] - a * line.step_s)[:, None] * slope
        return path + cycles[:, None] * np.asarray(line.stride_m)

    def _stance_splines(self) -> list[tuple[float, float, Over]]:
        from scipy.interpolate import make_interp_spline

        line = self.timeline
        if line.cyclic and not line.flights:
            return [(0.0, line.length_s, _closed(line, self._ends))]
        zero = np.zeros(2)
        slopes = self.slopes_m_s
        starts = [0, *(b for _, b in line.flights)]
        ends = [*(a for a, _ in line.flights), line.count]
        before = [slopes[-1] if line.cyclic else zero, *slopes]
        after = [*slopes, slopes[0] if line.cyclic else zero]
        found: list[tuple[float, float, Over]] = []
        for a, b, v0, v1 in zip(starts, ends, before, after, strict=True):
            if b == a:
                continue
            times = line.step_s * np.arange(a, b + 1)
            spline = make_interp_spline(
                times,
                self._ends[a : b + 1],
                k=5,
                bc_type=([(1, v0), (2, zero)], [(1, v1), (2, zero)]),
            )
            found.append((float(times[0]), float(times[-1]), spline))
        return found


def _closed(line: Timeline, ends: Array) -> Over:
    """A periodic spline plus the steady advance."""
    from scipy.interpolate import make_interp_spline

    stride = np.asarray(line.stride_m)
    times = line.step_s * np.arange(line.count + 1)
    share = (times / line.length_s)[:, None]
    periodic = make_interp_spline(times, ends - share * stride, k=5, bc_type="periodic")

    def advancing(times: Array) -> Array:
        return np.asarray(periodic(times)) + (times / line.length_s)[:, None] * stride

    return advancing


class Repeated:
    """Any values through the grid's times, repeated with the cycle or at rest outside."""

    def __init__(self, timeline: Timeline, values: Array) -> None:
        from scipy.interpolate import make_interp_spline

        self.timeline = timeline
        times = timeline.step_s * np.arange(timeline.count + 1)
        if timeline.cyclic:
            values = np.concatenate([values, values[:1]])
            self._spline = make_interp_spline(times, values, k=5, bc_type="periodic")
        else:
            zero = np.zeros(values.shape[1:])
            ends = [(1, zero), (2, zero)]
            self._spline = make_interp_spline(times, values, k=5, bc_type=(ends, ends))

    def __call__(self, times: Array) -> Array:
        """(F, ...) at any times."""
        local, _ = self.timeline.folded(times)
        return self._spline(local)


TRUNK = ("Spine", "Spine1", "Spine2")
_CLOSE_M = 1e-12
_DRAFT_CLOSE_M = 1e-9
_MOST_ROUNDS = 60
_STRAIGHT = 1e-4
"""A limb is kept this share short of its length: a straight one tells no bend."""
_ROOT_TO_CENTER = 0.85
"""How far the centre of mass follows the root when the feet stay: legs lag behind."""


@dataclass(frozen=True, eq=False)
class WristGoal:
    """Where a wrist is to be and where its elbow points, in the world or in the chest's frame."""

    wrists_m: Array
    """(F, 3)"""
    elbows: Array
    """(F, 3)"""


Arms = Callable[[Array, Array, Array], Mapping[str, WristGoal]]
"""Goals in the world by side, from times, chest positions and chest rotations."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A motion before it has poses."""

    feet: Callable[[Array], Mapping[str, FootMotion]]
    angles_deg: Callable[[Array], Mapping[str, Array]]
    """By joint: (F, 3) turns about X (forward), Y (to the left) and Z (left side up)."""
    heights_m: Over
    """(F,) of the centre of mass."""
    path_m: Over = lambda times: np.zeros((len(times), 2))
    """(F, 2) X and Z of the centre of mass; balancing finds it."""
    trunk_rad: Over = lambda times: np.zeros((len(times), 3))
    """(F, 3) a turn of the trunk over the pelvis, as a rotation vector, shared by its joints."""
    arms: Arms | None = None

    def centers_m(self, times: Array) -> Array:
        """(F, 3) the centre of mass."""
        path = self.path_m(times)
        return np.stack([path[:, 0], self.heights_m(times), path[:, 1]], axis=1)


Turns = dict[str, tuple[ArrayLike, ArrayLike, ArrayLike]]
"""By joint, turns about X, Y and Z in degrees: numbers, or arrays over time."""


def stacked(turns: Turns, times: Array) -> dict[str, Array]:
    """Angles by joint as (F, 3) from one number or one array per axis."""
    return {
        joint: np.stack([np.broadcast_to(a, times.shape) for a in axes], axis=1)
        for joint, axes in turns.items()
    }


@cache
def sole() -> Sole:
    """The sole of the sample figure, in its ankle's frame."""
    figure = sample_character()
    sites, skeleton = figure.sites, figure.skeleton
    ball = skeleton.offsets_m[skeleton.index("LeftToeBase")]
    tip = ball + sites.offsets_m[sites.index("left_toe_tip")]
    return Sole(sites.offsets_m[sites.index("left_heel")], ball, tip)


def posed(plan: Plan, times: Array, rate_hz: float, name: str = "", *, draft: bool = False) -> Clip:
    """The poses of a plan at these times.

    A draft is less exact, and its legs may be too short, as on the way to a balanced plan.
    """
    figure = sample_character()
    assert figure.body is not None
    skeleton = figure.skeleton
    wanted = plan.centers_m(times)
    q = _upper_body(plan, figure, times)
    # Pelvis and trunk do not depend on where the root is: find them once, about the origin.
    still = forward_kinematics(skeleton, np.zeros((len(times), 3)), q)
    feet = plan.feet(times)
    root = wanted - center_of_mass(still, figure.body)
    error = np.zeros_like(root)
    close_m = _DRAFT_CLOSE_M if draft else _CLOSE_M
    for _ in range(_MOST_ROUNDS):
        _put_legs(still, q, root, feet)
        if plan.arms is not None:
            _put_arms(still, q, root, partial(plan.arms, times))
        state = forward_kinematics(skeleton, root, q)
        error = wanted - center_of_mass(state, figure.body)
        if np.abs(error).max() < close_m * (1.0 + 0.01 * np.abs(wanted).max()):
            if not draft:
                _check_reach(state, feet, times)
            # The legs belong to this very root, so feet stand exactly.
            return Clip(skeleton, rate_hz, root, q, name=name)
        root = root + error / _ROOT_TO_CENTER
    raise AssertionError(f"the centre of mass stays {np.abs(error).max():.2e} m off")


def _check_reach(state: BodyState, feet: Mapping[str, FootMotion], times: Array) -> None:
    for side, foot in feet.items():
        ankle = state.skeleton.index(side.capitalize() + "Foot")
        gap = np.linalg.norm(state.positions_m[:, ankle] - foot.ankles_m, axis=1)
        worst = int(gap.argmax())
        short = f"the {side} leg is {gap[worst]:.3f} m short at {times[worst]:.3f} s"
        assert gap[worst] < 1e-9, short


def _upper_body(plan: Plan, figure: Character, times: Array) -> Array:
    skeleton = figure.skeleton
    q = np.tile(rotations.IDENTITY, (len(times), skeleton.joint_count, 1))
    for joint, angles in plan.angles_deg(times).items():
        turns = np.radians(np.broadcast_to(angles, (len(times), 3)))[:, [1, 0, 2]]
        q[:, skeleton.index(joint)] = rotations.from_euler(turns, (1, 0, 2))
    share = rotations.exp(plan.trunk_rad(times) / len(TRUNK))
    for joint in TRUNK:
        j = skeleton.index(joint)
        q[:, j] = rotations.multiply(share, q[:, j])
    return q


def _bones(skeleton: Skeleton, lower: int, end: int) -> tuple[float, float]:
    first, second = (np.linalg.norm(skeleton.offsets_m[joint]) for joint in (lower, end))
    return float(first), float(second)


def _put_legs(still: BodyState, q: Array, root: Array, feet: Mapping[str, FootMotion]) -> None:
    skeleton, pelvis = still.skeleton, still.rotations_wxyz[:, 0]
    facing = rotations.rotate(pelvis, [0.0, 0.0, 1.0])
    for side in SIDES:
        name = side.capitalize()
        hip, knee, ankle, toe = (
            skeleton.index(name + joint) for joint in ("UpLeg", "Leg", "Foot", "ToeBase")
        )
        foot = feet[side]
        # Knees point between where the pelvis faces and where the toes do.
        toes = np.stack([np.sin(foot.yaws_rad), np.zeros(len(q)), np.cos(foot.yaws_rad)], axis=-1)
        thigh, shank = two_bones(
            root + still.positions_m[:, hip],
            foot.ankles_m,
            facing + toes,
            _bones(skeleton, knee, ankle),
            bends_back=True,
        )
        q[:, hip] = rotations.multiply(rotations.conjugate(pelvis), thigh)
        q[:, knee] = rotations.multiply(rotations.conjugate(thigh), shank)
        q[:, ankle] = rotations.multiply(rotations.conjugate(shank), foot.rotations_wxyz)
        q[:, toe] = rotations.from_axis_angle([1.0, 0.0, 0.0], foot.toes_rad)


def _put_arms(
    still: BodyState,
    q: Array,
    root: Array,
    arms: Callable[[Array, Array], Mapping[str, WristGoal]],
) -> None:
    skeleton, places, turns = still.skeleton, still.positions_m, still.rotations_wxyz
    chest = skeleton.index("Spine2")
    for side, goal in arms(root + places[:, chest], turns[:, chest]).items():
        name = side.capitalize()
        collar, shoulder, elbow, wrist = (
            skeleton.index(name + joint) for joint in ("Shoulder", "Arm", "ForeArm", "Hand")
        )
        upper, lower = two_bones(
            root + places[:, shoulder],
            goal.wrists_m,
            goal.elbows,
            _bones(skeleton, elbow, wrist),
            bends_back=False,
        )
        q[:, shoulder] = rotations.multiply(rotations.conjugate(turns[:, collar]), upper)
        q[:, elbow] = rotations.multiply(rotations.conjugate(upper), lower)


def two_bones(
    start: Array, end: Array, pole: Array, lengths_m: tuple[float, float], *, bends_back: bool
) -> tuple[Array, Array]:
    """World rotations of an upper and a lower bone that both hang along -Y at rest.

    Args:
        start: (F, 3) hip or shoulder.
        end: (F, 3) ankle or wrist.
        pole: (F, 3) where knee or elbow points, not along the limb.
        lengths_m: of the two bones.
        bends_back: the lower bone folds backwards (a knee) or forwards (an elbow).

    An end out of reach is pointed at.

    Returns:
        (F, 4) of the upper bone and of the lower bone; both turn about the joint's own X axis.
    """
    upper, lower = lengths_m
    reach = end - start
    distance = np.linalg.norm(reach, axis=-1)
    along = reach / distance[:, None]
    distance = np.minimum(distance, (1.0 - _STRAIGHT) * (upper + lower))
    side = pole - np.sum(pole * along, axis=-1, keepdims=True) * along
    side = side / np.linalg.norm(side, axis=-1, keepdims=True)
    cosine = (upper**2 + distance**2 - lower**2) / (2.0 * upper * distance)
    sine = np.sqrt(np.maximum(1.0 - cosine**2, 0.0))
    bone = cosine[:, None] * along + sine[:, None] * side
    other = (distance[:, None] * along - upper * bone) / lower
    hinge = np.cross(side, along) if bends_back else np.cross(along, side)
    return _hanging(hinge, bone), _hanging(hinge, other)


def _hanging(hinge: Array, bone: Array) -> Array:
    """The rotation that brings X to the hinge and -Y along the bone."""
    axes = np.stack([hinge, -bone, np.cross(hinge, -bone)], axis=-1)
    return rotations.from_matrix(axes)
