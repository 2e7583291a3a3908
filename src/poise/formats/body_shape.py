"""Which rounded solids stand for a skeleton: a limb per bone, a trunk, a head, feet.

Only the tree and its lengths are used, no names, so that any skeleton gets a body. Where two long
branches leave the root and two more leave a joint further up, these are taken for legs and arms,
and the space between them is filled as a trunk. All sizes are shares of the figure's height.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Skeleton

LIMB_FACTOR, LIMB_POWER = 0.071, 0.68
"""Radius of a limb from what hangs on it: a thigh (half the height to go) comes out at 8 cm on a
tall adult, a finger at 1 cm."""
THINNEST = 0.006
NECK = 0.03
FOOT = 0.017
HEEL = 0.022

HEAVY = 0.25
"""A branch at least this long is a limb; a neck with a head is shorter."""

HEAD = (0.045, 0.066, 0.055)
"""Half sizes of a head: sideways, along the neck, fore and aft."""
HEAD_RISE = 0.05
"""From the head joint to the middle of the head."""

TRUNK = (
    (-0.035, 0.45, 0.040),
    (0.00, 1.00, 0.062),
    (0.18, 0.98, 0.064),
    (0.45, 0.86, 0.057),
    (0.70, 0.92, 0.064),
    (0.88, 1.00, 0.062),
    (1.00, 0.86, 0.048),
)
"""Stations of the trunk from hips (0) to shoulders (1): where, width as a share of what hips and
shoulders give, half depth as a share of height."""

CAPS_RAD = tuple(np.radians((-72.0, -48.0, -24.0, 0.0)))
TUBE = (0.25, 0.5, 0.75)
BLEND_CAP, BLEND_TUBE = 0.15, 0.05
"""How much a bone's ends follow the neighbouring joint. Little: ends are balls around the joint,
which stay whole when it turns, and thin when they are shared."""


@dataclass(frozen=True, eq=False)
class Solid:
    """Elliptical rings from pole to pole."""

    centers_m: Array
    """(R, 3)"""
    sides_m: Array
    """(R, 3) half axis of each ring."""
    depths_m: Array
    """(R, 3) the other half axis; side × depth points from the first pole to the last."""
    poles_m: Array
    """(2, 3) before the first ring, after the last."""
    joints: Indices
    """(R, 2) the two joints that carry each ring."""
    shares: Array
    """(R,) how much of it the second one carries."""


@dataclass(frozen=True)
class _Frame:
    """What the tree says about the figure."""

    height_m: float
    reach_m: tuple[float, ...]
    """For each joint, the longest way to a tip below it."""
    core: tuple[int, ...]
    """From the root to the joint that carries the arms; empty when there is no such joint."""
    legs: tuple[tuple[int, ...], ...]
    """Joints along each leg, from its first to its outermost."""
    arms: tuple[tuple[int, ...], ...]
    head: tuple[int, ...]
    """Joints from above the core to the head; empty when nothing stands above the arms."""


def solids_of(skeleton: Skeleton) -> list[Solid]:
    """The solids of a body, in the rest pose."""
    frame = _measured(skeleton)
    solids = _limbs(skeleton, frame)
    if frame.core and len(frame.legs) >= 2 and len(frame.arms) >= 2:
        solids += _trunk_and_head(skeleton, frame)
        for leg in frame.legs:
            solids += _heel(skeleton, frame, leg)
    if not solids:
        center = skeleton.rest_positions_m[0]
        solids = [_ellipsoid(center, 0.05 * np.eye(3), 0)]
    return solids


def _measured(skeleton: Skeleton) -> _Frame:
    points = np.concatenate([skeleton.rest_positions_m, skeleton.rest_end_positions_m])
    height = float(np.ptp(points, axis=0).max())
    lengths = np.linalg.norm(skeleton.offsets_m, axis=1)
    reach = np.zeros(skeleton.joint_count)
    ends = skeleton.end_sites
    for joint, offset in zip(ends.joints.tolist(), ends.offsets_m, strict=True):
        reach[joint] = max(reach[joint], float(np.linalg.norm(offset)))
    heavy: list[list[int]] = [[] for _ in range(skeleton.joint_count)]
    for joint in range(skeleton.joint_count - 1, 0, -1):
        parent, way = int(skeleton.parents[joint]), float(lengths[joint] + reach[joint])
        reach[parent] = max(reach[parent], way)
        if way > HEAVY * height:
            heavy[parent].append(joint)
    plain = _Frame(height, tuple(reach.tolist()), (), (), (), ())
    chests = [j for j in range(1, skeleton.joint_count) if len(heavy[j]) >= 2]
    if not chests:
        return plain
    # Of several joints with two long branches, the arms leave from the outermost.
    chest = max(chests, key=lambda j: len(skeleton.ancestors(j)))
    core = skeleton.ancestors(chest)[::-1]
    legs = [_longest_way(skeleton, plain, j) for j in heavy[0] if j not in core]
    arms = [_longest_way(skeleton, plain, j) for j in heavy[chest]]
    head = _head_chain(skeleton, plain, chest, heavy[chest])
    return _Frame(height, plain.reach_m, core, tuple(legs), tuple(arms), head)


def _longest_way(skeleton: Skeleton, frame: _Frame, joint: int) -> tuple[int, ...]:
    way = [joint]
    while skeleton.children[way[-1]]:
        lengths = skeleton.offsets_m
        way.append(
            max(
                skeleton.children[way[-1]],
                key=lambda c: float(np.linalg.norm(lengths[c])) + frame.reach_m[c],
            )
        )
    return tuple(way)


def _head_chain(skeleton: Skeleton, frame: _Frame, chest: int, arms: list[int]) -> tuple[int, ...]:
    """The light branch of the chest that ends furthest along the trunk, up to the head joint."""
    points = skeleton.rest_positions_m
    up = points[chest] - points[0]
    ways = [_longest_way(skeleton, frame, c) for c in skeleton.children[chest] if c not in arms]
    ways = [way for way in ways if float((points[way[-1]] - points[chest]) @ up) >= 0.0]
    if not ways:
        return ()
    way = max(ways, key=lambda w: float(points[w[-1]] @ up))
    tipped = way[-1] in skeleton.end_sites.joints.tolist()
    # A third joint without a tip of its own is the tip (Mixamo's "HeadTop_End").
    return way[:-1] if len(way) >= 3 and not tipped else way


def _limbs(skeleton: Skeleton, frame: _Frame) -> list[Solid]:
    points, ends = skeleton.rest_positions_m, skeleton.end_sites
    thick = _thicker_joints(skeleton, frame)
    solids: list[Solid] = []
    for child in range(1, skeleton.joint_count):
        joint = int(skeleton.parents[child])
        length = float(np.linalg.norm(skeleton.offsets_m[child]))
        radii = (
            _radius(frame, length + frame.reach_m[child], thick[joint]),
            _radius(frame, frame.reach_m[child], max(thick[child], 0.0)),
        )
        above = int(skeleton.parents[joint])
        carriers = (above if above >= 0 else joint, joint, child)
        solids += _capsule(points[joint], points[child], radii, carriers, frame.height_m)
    for site, joint in enumerate(ends.joints.tolist()):
        if frame.head and joint == frame.head[-1]:
            continue  # inside the head
        radius = _radius(frame, float(np.linalg.norm(ends.offsets_m[site])), thick[joint])
        above = int(skeleton.parents[joint])
        carriers = (above if above >= 0 else joint, joint, joint)
        tip = skeleton.rest_end_positions_m[site]
        radii = (radius, 0.7 * radius)
        solids += _capsule(points[joint], tip, radii, carriers, frame.height_m)
    return solids


def _thicker_joints(skeleton: Skeleton, frame: _Frame) -> list[float]:
    """Least radius at each joint, as a share of height: necks and feet are stout."""
    least = [THINNEST] * skeleton.joint_count
    for joint in (*frame.head, *frame.core[-1:]):
        least[joint] = NECK
    for leg in frame.legs:
        for joint in leg[_limb_span(skeleton, leg)[1] :]:
            least[joint] = FOOT
    return least


def _limb_span(skeleton: Skeleton, way: tuple[int, ...]) -> tuple[int, int]:
    """Where along a branch the limb proper begins (hip, shoulder) and ends (ankle, wrist)."""
    lengths = np.linalg.norm(skeleton.offsets_m[list(way[1:])], axis=1)
    if len(lengths) == 0 or lengths.max() == 0.0:
        return 0, len(way) - 1
    begins = int(np.argmax(lengths >= 0.75 * lengths.max()))
    ends = len(lengths) - int(np.argmax(lengths[::-1] >= 0.5 * lengths.max()))
    return begins, ends


def _radius(frame: _Frame, reach_m: float, least: float) -> float:
    share = reach_m / frame.height_m if frame.height_m > 0 else 0.0
    return frame.height_m * max(LIMB_FACTOR * share**LIMB_POWER, least)


def _capsule(
    start: Array,
    end: Array,
    radii: tuple[float, float],
    carriers: tuple[int, int, int],
    size: float,
) -> list[Solid]:
    """A tapered bar with round ends; nothing for a bone without length."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length <= 1e-6 * size or length == 0.0:
        return []
    axis = along / length
    side, depth = _across(axis)
    low, high = radii
    up_cap = [-angle for angle in reversed(CAPS_RAD)]
    places = [low * np.sin(a) for a in CAPS_RAD] + [t * length for t in TUBE]
    places += [length + high * np.sin(a) for a in up_cap]
    thick = [low * np.cos(a) for a in CAPS_RAD] + [low + t * (high - low) for t in TUBE]
    thick += [high * np.cos(a) for a in up_cap]
    above, joint, below = carriers
    caps = len(CAPS_RAD)
    joints = [(joint, above)] * (caps + 1) + [(joint, joint)] + [(joint, below)] * (caps + 1)
    shares = [BLEND_CAP] * caps + [BLEND_TUBE, 0.0, BLEND_TUBE] + [BLEND_CAP] * caps
    widths = np.array(thick)[:, None]
    poles = np.stack([start - low * axis, end + high * axis])
    return [
        Solid(
            centers_m=start + np.array(places)[:, None] * axis,
            sides_m=widths * side,
            depths_m=widths * depth,
            poles_m=poles,
            joints=np.array(joints, dtype=np.int64),
            shares=np.array(shares),
        )
    ]


def _across(axis: Array, near: Array | None = None) -> tuple[Array, Array]:
    """Two unit directions across an axis, the first close to `near`; side × depth is the axis."""
    guess = np.eye(3)[int(np.argmin(np.abs(axis)))] if near is None else near
    side = guess - (guess @ axis) * axis
    length = float(np.linalg.norm(side))
    if length < 1e-9:
        return _across(axis)
    side = side / length
    return side, np.cross(axis, side)


def _ellipsoid(center: Array, half_axes_m: Array, joint: int) -> Solid:
    """Half axes are rows: side, along, depth with side × depth along."""
    angles = np.radians(np.linspace(-75.0, 75.0, 9))
    side, along, depth = half_axes_m
    if np.cross(side, depth) @ along < 0:
        depth = -depth
    wide = np.cos(angles)[:, None]
    return Solid(
        centers_m=center + np.sin(angles)[:, None] * along,
        sides_m=wide * side,
        depths_m=wide * depth,
        poles_m=np.stack([center - along, center + along]),
        joints=np.full((len(angles), 2), joint, dtype=np.int64),
        shares=np.zeros(len(angles)),
    )


def _trunk_and_head(skeleton: Skeleton, frame: _Frame) -> list[Solid]:
    points, size = skeleton.rest_positions_m, frame.height_m
    hips = np.array([points[leg[_limb_span(skeleton, leg)[0]]] for leg in frame.legs[:2]])
    shoulders = np.array([points[arm[_limb_span(skeleton, arm)[0]]] for arm in frame.arms[:2]])
    low, high = hips.mean(axis=0), shoulders.mean(axis=0)
    axis = high - low
    length = float(np.linalg.norm(axis))
    across = hips[0] - hips[1], shoulders[0] - shoulders[1]
    if length < 0.05 * size or min(float(np.linalg.norm(a)) for a in across) < 1e-6:
        return []
    axis = axis / length
    if across[0] @ across[1] < 0:
        across = across[0], -across[1]
    side, depth = _across(axis, across[0] + across[1])
    thigh = _radius(frame, frame.reach_m[frame.legs[0][0]], 0.0)
    arm = _radius(frame, frame.reach_m[frame.arms[0][0]], 0.0)
    wide_low = 0.5 * float(np.linalg.norm(across[0])) + 0.75 * thigh
    wide_high = max(0.5 * float(np.linalg.norm(across[1])) - 0.2 * arm, 0.7 * wide_low)
    places = np.array([s[0] for s in TRUNK])
    widths = np.interp(places, [0.0, 1.0], [wide_low, wide_high])
    widths = widths * np.array([s[1] for s in TRUNK])
    depths = size * np.array([s[2] for s in TRUNK])
    centers = low + (places * length)[:, None] * axis
    joints, shares = _along_core(skeleton, frame, centers, axis)
    poles = np.stack([centers[0] - 0.02 * size * axis, centers[-1] + 0.035 * size * axis])
    trunk = Solid(
        centers_m=centers,
        sides_m=widths[:, None] * side,
        depths_m=depths[:, None] * depth,
        poles_m=poles,
        joints=joints,
        shares=shares,
    )
    if not frame.head:
        return [trunk]
    return [trunk, _head(skeleton, frame, axis, side)]


def _along_core(
    skeleton: Skeleton, frame: _Frame, centers: Array, axis: Array
) -> tuple[Indices, Array]:
    """Which two trunk joints carry each ring: half and half at a joint, one in mid-bone."""
    heights = (skeleton.rest_positions_m[list(frame.core)] - centers[1]) @ axis
    joints, stops = [frame.core[0]], [float(heights[0])]
    for joint, height in zip(frame.core[1:], heights[1:], strict=True):
        if height - stops[-1] > 0.02 * frame.height_m or len(joints) == 1:
            joints.append(joint)
            stops.append(float(height))
        else:
            joints[-1] = joint  # of joints at one place, the last carries what is above
    # joints[i] carries from stops[i] to stops[i + 1]; joints[0] also everything below.
    middles = np.array(stops) + 0.5 * np.diff([*stops, stops[-1] + 0.1 * frame.height_m])
    middles[0] = stops[0]
    middles = np.maximum.accumulate(middles) + 1e-9 * np.arange(len(middles))
    place = np.interp((centers - centers[1]) @ axis, middles, np.arange(len(middles)))
    lower = np.minimum(place.astype(np.int64), len(joints) - 1)
    upper = np.minimum(lower + 1, len(joints) - 1)
    chosen = np.array(joints, dtype=np.int64)
    return np.stack([chosen[lower], chosen[upper]], axis=1), place - lower


def _head(skeleton: Skeleton, frame: _Frame, axis: Array, side: Array) -> Solid:
    joint, points = frame.head[-1], skeleton.rest_positions_m
    tips = [
        tip
        for carrier, tip in zip(
            skeleton.end_sites.joints.tolist(), skeleton.rest_end_positions_m, strict=True
        )
        if carrier == joint
    ] + [points[child] for child in skeleton.children[joint]]
    if tips:
        along = np.mean(tips, axis=0) - points[joint]
        length = float(np.linalg.norm(along))
        if length > 0.01 * frame.height_m and along @ axis > 0.5 * length:
            axis = along / length
    side, depth = _across(axis, side)
    sizes = frame.height_m * np.array(HEAD)[:, None]
    center = points[joint] + HEAD_RISE * frame.height_m * axis
    return _ellipsoid(center, sizes * np.stack([side, axis, depth]), joint)


def _heel(skeleton: Skeleton, frame: _Frame, leg: tuple[int, ...]) -> list[Solid]:
    """From a point behind and below the ankle to the ball of the foot."""
    points, size = skeleton.rest_positions_m, frame.height_m
    ankle = leg[_limb_span(skeleton, leg)[1]]
    after = leg[leg.index(ankle) + 1 :]
    tips = [
        skeleton.rest_end_positions_m[site]
        for site, joint in enumerate(skeleton.end_sites.joints.tolist())
        if joint in (ankle, *after)
    ]
    if not after and not tips:
        return []
    ball = points[after[0]] if after else tips[0]
    toe = tips[0] if tips else points[after[-1]]
    shank = points[ankle] - points[skeleton.parents[ankle]]
    down = shank / max(float(np.linalg.norm(shank)), 1e-12)
    foot = toe - points[ankle]
    forward = foot - (foot @ down) * down
    length = float(np.linalg.norm(forward))
    if length < 0.03 * size:
        return []
    drop = max(float((ball - points[ankle]) @ down), 0.0)
    heel = points[ankle] + drop * down - 0.2 * forward
    carriers = (ankle, ankle, after[0] if after else ankle)
    return _capsule(heel, ball, (HEEL * size, HEEL * size), carriers, size)
