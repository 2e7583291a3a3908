"""Which rounded solids stand for a skeleton: a limb per bone, a trunk, a head, feet.

Only the tree and its lengths are used, no names, so that any skeleton gets a body. Where a joint
has two long branches that are alike, and one further up has two more, these are taken for legs and
arms, and the space between is filled as a trunk. All sizes are shares of the figure's height.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Skeleton

LIMB_FACTOR, LIMB_POWER = 0.071, 0.68
"""Radius of a limb from what hangs on it: a thigh (half the height to go) comes out at 8 cm on a
tall adult, a finger at 1 cm."""
THINNEST = 0.006
NECK = 0.03
FOOT = 0.017
WRIST = 0.015
HEEL = 0.022

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


def solids_of(skeleton: Skeleton) -> list[Solid]:
    """The solids of a body, in the rest pose."""
    figure = figure_of(skeleton)
    solids = _limbs(skeleton, figure)
    if figure.core:
        solids += _trunk_and_head(skeleton, figure)
        for leg in figure.legs:
            solids += _heel(skeleton, figure, leg)
    if not solids:
        center = skeleton.rest_positions_m[0]
        solids = [_ellipsoid(center, 0.05 * np.eye(3), 0)]
    return solids


def _limbs(skeleton: Skeleton, figure: BodyFigure) -> list[Solid]:
    points, ends = skeleton.rest_positions_m, skeleton.end_sites
    thick = _thicker_joints(skeleton, figure)
    solids: list[Solid] = []
    # Helpers beside the body (a root on the ground, targets for a solver) are no flesh.
    flesh = [not figure.core or figure.core[0] in skeleton.ancestors(j) for j in range(len(points))]
    # Of each bone: the joint at its start, where it ends, its two radii, the joint that ends it.
    bones: list[tuple[int, Array, tuple[float, float], int]] = []
    for child in range(1, skeleton.joint_count):
        joint = int(skeleton.parents[child])
        reach = figure.reach_m[child]
        length = float(np.linalg.norm(skeleton.offsets_m[child]))
        low, high = (length + reach, thick[joint]), (reach, thick[child])
        bones.append((joint, points[child], (_radius(figure, *low), _radius(figure, *high)), child))
    for site, joint in enumerate(ends.joints.tolist()):
        radius = _radius(figure, float(np.linalg.norm(ends.offsets_m[site])), thick[joint])
        tip = skeleton.rest_end_positions_m[site]
        bones.append((joint, tip, (radius, 0.7 * radius), joint))
    for joint, end, radii, below in bones:
        if flesh[joint] and not _inside_head(figure, joint):
            above = int(skeleton.parents[joint])
            carriers = (above if above >= 0 else joint, joint, below)
            solids += _capsule(points[joint], end, radii, carriers, figure.height_m)
    return solids


def _inside_head(figure: BodyFigure, joint: int) -> bool:
    """Whether the bones of a joint end within the head, which is a solid of its own."""
    inside = figure.reach_m[joint] < 2.2 * HEAD[1] * figure.height_m
    return joint in figure.head[-1:] and inside


def _thicker_joints(skeleton: Skeleton, figure: BodyFigure) -> list[float]:
    """Least radius at each joint, as a share of height: necks and feet are stout."""
    least = [THINNEST] * skeleton.joint_count
    for joint in (*figure.head, *figure.core[-1:]):
        least[joint] = NECK
    for leg in figure.legs:
        for joint in leg[limb_span(skeleton, leg)[1] :]:
            least[joint] = FOOT
    for arm in figure.arms:
        least[arm[limb_span(skeleton, arm)[1]]] = WRIST
    return least


def _radius(figure: BodyFigure, reach_m: float, least: float) -> float:
    share = reach_m / figure.height_m if figure.height_m > 0 else 0.0
    return figure.height_m * max(LIMB_FACTOR * share**LIMB_POWER, least)


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


def _trunk_and_head(skeleton: Skeleton, figure: BodyFigure) -> list[Solid]:
    points, size = skeleton.rest_positions_m, figure.height_m
    hips = np.array([points[leg[limb_span(skeleton, leg)[0]]] for leg in figure.legs])
    shoulders = np.array([points[arm[limb_span(skeleton, arm)[0]]] for arm in figure.arms])
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
    thigh = _radius(figure, figure.reach_m[figure.legs[0][0]], 0.0)
    arm = _radius(figure, figure.reach_m[figure.arms[0][0]], 0.0)
    wide_low = 0.5 * float(np.linalg.norm(across[0])) + 0.75 * thigh
    wide_high = max(0.5 * float(np.linalg.norm(across[1])) - 0.2 * arm, 0.7 * wide_low)
    places, wide, deep = np.array(TRUNK).T
    widths = np.interp(places, [0.0, 1.0], [wide_low, wide_high]) * wide
    depths = size * deep
    centers = low + (places * length)[:, None] * axis
    joints, shares = _along_core(skeleton, figure, centers, axis)
    poles = np.stack([centers[0] - 0.02 * size * axis, centers[-1] + 0.035 * size * axis])
    sides = widths[:, None] * side
    trunk = Solid(centers, sides, depths[:, None] * depth, poles, joints, shares)
    return [trunk, _head(skeleton, figure, axis, side)] if figure.head else [trunk]


def _along_core(
    skeleton: Skeleton, figure: BodyFigure, centers: Array, axis: Array
) -> tuple[Indices, Array]:
    """Which two trunk joints carry each ring: half and half at a joint, one in mid-bone."""
    heights = (skeleton.rest_positions_m[list(figure.core)] - centers[1]) @ axis
    joints, stops = [figure.core[0]], [float(heights[0])]
    for joint, height in zip(figure.core[1:], heights[1:], strict=True):
        if height - stops[-1] > 0.02 * figure.height_m or len(joints) == 1:
            joints.append(joint)
            stops.append(float(height))
        else:
            joints[-1] = joint  # of joints at one place, the last carries what is above
    # joints[i] carries from stops[i] to stops[i + 1]; joints[0] also everything below.
    middles = np.array(stops) + 0.5 * np.diff([*stops, stops[-1] + 0.1 * figure.height_m])
    middles[0] = stops[0]
    middles = np.maximum.accumulate(middles) + 1e-9 * np.arange(len(middles))
    place = np.interp((centers - centers[1]) @ axis, middles, np.arange(len(middles)))
    lower = np.minimum(place.astype(np.int64), len(joints) - 1)
    upper = np.minimum(lower + 1, len(joints) - 1)
    chosen = np.array(joints, dtype=np.int64)
    return np.stack([chosen[lower], chosen[upper]], axis=1), place - lower


def _head(skeleton: Skeleton, figure: BodyFigure, axis: Array, side: Array) -> Solid:
    joint, points = figure.head[-1], skeleton.rest_positions_m
    tips = _tips(skeleton, (joint,)) + [points[c] for c in skeleton.children[joint]]
    length = 0.0
    if tips:
        along = np.mean(tips, axis=0) - points[joint]
        length = float(np.linalg.norm(along))
        if length > 0.01 * figure.height_m and along @ axis > 0.5 * length:
            axis = along / length
    side, depth = _across(axis, side)
    size = figure.height_m
    if length > SKULL * size:
        size = length / (HEAD_RISE + HEAD[1])  # the crown is known
    sizes = size * np.array(HEAD)[:, None]
    center = points[joint] + HEAD_RISE * size * axis
    return _ellipsoid(center, sizes * np.stack([side, axis, depth]), joint)


def _tips(skeleton: Skeleton, joints: tuple[int, ...]) -> list[Array]:
    """Where the end sites of joints are at rest."""
    carriers, places = skeleton.end_sites.joints.tolist(), skeleton.rest_end_positions_m
    return [place for joint, place in zip(carriers, places, strict=True) if joint in joints]


def _heel(skeleton: Skeleton, figure: BodyFigure, leg: tuple[int, ...]) -> list[Solid]:
    """From a point behind and below the ankle to the ball of the foot."""
    points, size = skeleton.rest_positions_m, figure.height_m
    ankle = leg[limb_span(skeleton, leg)[1]]
    after = leg[leg.index(ankle) + 1 :]
    tips = _tips(skeleton, (ankle, *after))
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


HEAVY = 0.25
"""A branch at least this long is a limb; a neck with a head is shorter."""

ALIKE = 1.1
"""Two branches whose lengths differ by less than this factor are a pair of limbs."""

BELOW_NECK = 0.79
"""Share of a standing figure's height between its ankles and where the arms leave the spine."""
SKULL = 0.085


@dataclass(frozen=True)
class BodyFigure:
    """What the tree says about the figure."""

    height_m: float
    reach_m: tuple[float, ...]
    """For each joint, the longest way to a tip below it."""
    core: tuple[int, ...]
    """From the joint that carries the legs to that of the arms; empty when there are none."""
    legs: tuple[tuple[int, ...], ...]
    """Joints along each leg, from its first to its outermost."""
    arms: tuple[tuple[int, ...], ...]
    head: tuple[int, ...]
    """Joints from above the core to the head; empty when nothing stands above the arms."""


def figure_of(skeleton: Skeleton) -> BodyFigure:
    """Measure a skeleton; one without two pairs of limbs has only a height and reaches."""
    points = np.concatenate([skeleton.rest_positions_m, skeleton.rest_end_positions_m])
    extent = float(np.ptp(points, axis=0).max())
    ways = np.linalg.norm(skeleton.offsets_m, axis=1)
    reach = np.zeros(skeleton.joint_count)
    ends = skeleton.end_sites
    for joint, offset in zip(ends.joints.tolist(), ends.offsets_m, strict=True):
        reach[joint] = max(reach[joint], float(np.linalg.norm(offset)))
    for joint in range(skeleton.joint_count - 1, 0, -1):
        ways[joint] += reach[joint]  # from the parent to the furthest tip
        parent = int(skeleton.parents[joint])
        reach[parent] = max(reach[parent], float(ways[joint]))
    plain = BodyFigure(extent, tuple(reach.tolist()), (), (), (), ())
    twins = [_twins(skeleton.children[j], ways, HEAVY * extent) for j in range(len(ways))]
    # The arms leave from the outermost joint that has twin limbs, the legs from the next below it.
    chests = [j for j, pair in enumerate(twins) if pair]
    for chest in sorted(chests, key=lambda j: -len(skeleton.ancestors(j))):
        above = skeleton.ancestors(chest)
        for place, pelvis in enumerate(above[1:], start=1):
            # Not the branch of the chest itself: trunk and head may be as long as a leg.
            others = tuple(c for c in skeleton.children[pelvis] if c != above[place - 1])
            legs = _twins(others, ways, HEAVY * extent)
            if legs:
                return _figure(skeleton, plain, above[place::-1], legs, twins[chest])
    return plain


def _twins(children: tuple[int, ...], ways: Array, least_m: float) -> tuple[int, ...]:
    """The two long branches of a joint that are most alike; nothing when no two are."""
    long = sorted((c for c in children if ways[c] > least_m), key=lambda c: float(ways[c]))
    pairs = [(float(ways[b] / ways[a]), a, b) for a, b in pairwise(long)]
    ratio, a, b = min(pairs, default=(np.inf, 0, 0))
    return (a, b) if ratio < ALIKE else ()


def _figure(
    skeleton: Skeleton,
    plain: BodyFigure,
    core: tuple[int, ...],
    legs: tuple[int, ...],
    arms: tuple[int, ...],
) -> BodyFigure:
    leg_ways, arm_ways = (
        tuple(_longest_way(skeleton, plain, j) for j in limbs) for limbs in (legs, arms)
    )
    lengths = np.linalg.norm(skeleton.offsets_m, axis=1)
    # Standing up, whatever the rest pose: some files rest with the legs along the spine.
    leg = leg_ways[0]
    standing = list(leg[: limb_span(skeleton, leg)[1] + 1]) + list(core[1:])
    height = float(lengths[standing].sum()) / BELOW_NECK
    figure = BodyFigure(height, plain.reach_m, core, leg_ways, arm_ways, ())
    return replace(figure, head=_head_chain(skeleton, figure, arms))


def _longest_way(skeleton: Skeleton, figure: BodyFigure, joint: int) -> tuple[int, ...]:
    def reach(child: int) -> float:
        return float(np.linalg.norm(skeleton.offsets_m[child])) + figure.reach_m[child]

    way = [joint]
    while skeleton.children[way[-1]]:
        way.append(max(skeleton.children[way[-1]], key=reach))
    return tuple(way)


def _head_chain(skeleton: Skeleton, figure: BodyFigure, arms: tuple[int, ...]) -> tuple[int, ...]:
    """The branch of the chest that ends furthest along the trunk, up to the head joint."""
    points, chest = skeleton.rest_positions_m, figure.core[-1]
    up = points[chest] - points[figure.core[0]]
    ways = [_longest_way(skeleton, figure, c) for c in skeleton.children[chest] if c not in arms]
    ways = [way for way in ways if float((points[way[-1]] - points[chest]) @ up) >= 0.0]
    if not ways:
        return ()
    way = max(ways, key=lambda w: float(points[w[-1]] @ up))
    lengths = np.linalg.norm(skeleton.offsets_m, axis=1)
    for place, joint in enumerate(way):
        children = skeleton.children[joint]
        if _twins(children, lengths + np.array(figure.reach_m), 1e-6 * figure.height_m):
            return way[: place + 1]  # eyes: the head is what carries them
    # A last bone as long as a skull ends at the crown (Mixamo's "HeadTop_End"), not in a joint.
    crowned = len(way) >= 2 and lengths[way[-1]] > SKULL * figure.height_m
    return way[:-1] if crowned else way


def limb_span(skeleton: Skeleton, way: tuple[int, ...]) -> tuple[int, int]:
    """Where along a branch the limb proper begins (hip, shoulder) and ends (ankle, wrist).

    A limb is two bones in a row that are long together; of nearly equal pairs the outer one counts,
    because a collar bone with an upper arm can match an upper arm with a forearm.
    """
    lengths = np.linalg.norm(skeleton.offsets_m[list(way[1:])], axis=1)
    bones = np.flatnonzero(lengths > 0.06 * lengths.sum()) if len(lengths) else lengths
    if len(bones) < 2:
        return 0, len(way) - 1
    pairs = lengths[bones[:-1]] + lengths[bones[1:]]
    best = int(np.flatnonzero(pairs >= 0.8 * pairs.max())[-1])
    return int(bones[best]), int(bones[best + 1]) + 1


# A simple body around a skeleton: closed rounded solids, skinned to the joints.
#
# Which solids there are, `body_shape` decides; here they become vertices, normals and weights.
SEGMENTS = 14
"""Vertices around a limb."""


@dataclass(frozen=True, eq=False)
class BodyMesh:
    """Triangles in the rest pose, and which joints carry them."""

    positions_m: Array
    """(V, 3) world, the skeleton at rest."""
    normals: Array
    """(V, 3) unit, outward."""
    triangles: Indices
    """(T, 3) vertex indices, counter-clockwise seen from outside."""
    joints: Indices
    """(V, 4) joint indices; unused places are 0 with weight 0."""
    weights: Array
    """(V, 4) sum to one."""


def body_mesh(skeleton: Skeleton) -> BodyMesh:
    """The body of a skeleton, sized by its bones."""
    solids = solids_of(skeleton)
    rings = [_vertices(solid) for solid in solids]
    starts = np.cumsum([0, *(len(points) for points in rings)])
    faces = [_triangles(len(s.centers_m)) + at for s, at in zip(solids, starts, strict=False)]
    joints, weights = zip(*map(_skinning, solids), strict=True)
    positions, triangles = np.concatenate(rings), np.concatenate(faces)
    return BodyMesh(
        positions_m=positions,
        normals=_smooth_normals(positions, triangles),
        triangles=triangles,
        joints=np.concatenate(joints),
        weights=np.concatenate(weights),
    )


def _vertices(solid: Solid) -> Array:
    """Rings in order, then the pole before the first and the pole after the last."""
    turn = 2.0 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    around = np.cos(turn)[:, None, None] * solid.sides_m + np.sin(turn)[:, None, None] * (
        solid.depths_m
    )
    rings = solid.centers_m[:, None] + np.swapaxes(around, 0, 1)
    return np.concatenate([rings.reshape(-1, 3), solid.poles_m])


def _triangles(ring_count: int) -> Indices:
    here = np.arange(SEGMENTS)
    after = (here + 1) % SEGMENTS
    faces: list[Indices] = []
    for ring in range(ring_count - 1):
        low, high = ring * SEGMENTS, (ring + 1) * SEGMENTS
        faces.append(np.stack([low + here, low + after, high + after], axis=1))
        faces.append(np.stack([low + here, high + after, high + here], axis=1))
    first, last = ring_count * SEGMENTS, ring_count * SEGMENTS + 1
    top = (ring_count - 1) * SEGMENTS
    faces.append(np.stack([np.full(SEGMENTS, first), after, here], axis=1))
    faces.append(np.stack([np.full(SEGMENTS, last), top + here, top + after], axis=1))
    return np.concatenate(faces).astype(np.int64)


def _skinning(solid: Solid) -> tuple[Indices, Array]:
    weights = np.zeros((len(solid.shares), 4))
    weights[:, :2] = np.stack([1.0 - solid.shares, solid.shares], axis=1)
    joints = np.zeros((len(solid.shares), 4), dtype=np.int64)
    joints[:, :2] = solid.joints
    # A joint may stand in a vertex only once, and not with weight zero.
    same = joints[:, 0] == joints[:, 1]
    weights[same, 0], weights[same, 1] = 1.0, 0.0
    joints[weights == 0.0] = 0
    rings = np.repeat(np.arange(len(joints)), SEGMENTS)
    of_vertex = np.concatenate([rings, [0, len(joints) - 1]])
    return joints[of_vertex], weights[of_vertex]


def _smooth_normals(positions: Array, triangles: Indices) -> Array:
    """Area-weighted means of the faces around each vertex."""
    corners = positions[triangles]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(positions)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], face)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    upward = np.array([0.0, 1.0, 0.0])  # only where all faces have no area
    return np.where(lengths > 1e-18, normals / np.where(lengths > 1e-18, lengths, 1.0), upward)
