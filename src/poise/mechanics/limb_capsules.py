"""Limbs as capsules: how far forearms, upper arms, thighs, shins and trunk are apart.

Limbs go from joint to joint, the trunk from the middle of the hips to that of the shoulders; their
radii are those of the flesh (`character.contact_points`), at the body's size. Neighbours are not
compared: they always touch. A sphere is a capsule of length zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import SIDES, Character, Sites, Skeleton, contact_points, contact_radii_m
from poise.mechanics.kinematics import BodyState, forward_kinematics

_LIMBS = {
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "hand"),
    "thigh": ("hip", "knee"),
    "shin": ("knee", "ankle"),
}
_AS_WIDE = {"thigh": 1.2, "shin": 0.8, "forearm": 0.8}
"""Radius of a limb over that of the flesh at its joint."""
_PAIRS = tuple(
    (a, b)
    for a, b in combinations(
        [*(f"{side}_{limb}" for side in SIDES for limb in _LIMBS), "trunk"], 2
    )
    if {a.partition("_")[2] or a, b.partition("_")[2] or b} not in (
        {"upper_arm", "trunk"}, {"thigh", "trunk"}, {"thigh"},
    )
    and not (
        a.split("_")[0] == b.split("_")[0]
        and {a.partition("_")[2], b.partition("_")[2]}
        in ({"upper_arm", "forearm"}, {"thigh", "shin"})
    )
)  # fmt: skip
ENDS = 2
"""Points whose middle is an end of a limb: the trunk ends between two joints."""


@dataclass(frozen=True, eq=False)
class Limbs:
    """The limbs of a body: what carries their ends, and which may touch."""

    names: tuple[str, ...]
    joints: Indices
    """(L, 2, 2) that carry the two points whose middle is the start, and those of the end."""
    offsets_m: Array
    """(L, 2, 2, 3) of these points."""
    radii_m: Array
    """(L,)"""
    pairs: Indices
    """(P, 2) limbs that are no neighbours."""

    @cached_property
    def pair_names(self) -> tuple[str, ...]:
        """(P,) "one and the other"."""
        return tuple(f"{self.names[a]} and {self.names[b]}" for a, b in self.pairs)


@dataclass(frozen=True, eq=False)
class Capsule:
    """Everything within a radius of a line."""

    start_m: Array
    """(F, 3) and"""
    end_m: Array
    """(F, 3) in the world."""
    radius_m: float


def limbs_of(character: Character) -> Limbs:
    """The limbs of a body whose joints have roles."""
    assert character.roles is not None
    skeleton, radii = character.skeleton, contact_radii_m(character)
    joints = {role: skeleton.index(name) for role, name in character.roles.joints.items()}
    points = contact_points(character)
    ends: dict[str, list[tuple[int, Array]]] = {}
    wide: dict[str, float] = {}
    at_joint = np.zeros(3)
    for side in SIDES:
        for limb, (top, bottom) in _LIMBS.items():
            start = joints[f"{side}_{top}"], at_joint
            if bottom != "hand":
                end = joints[f"{side}_{bottom}"], at_joint
            elif f"{side}_hand" in points:
                palm = points[f"{side}_hand"]
                end = int(palm.joints[1]), palm.offsets_m[1]
            else:
                continue
            part = {"upper_arm": "elbow", "forearm": "elbow"}.get(limb, "knee")
            ends[f"{side}_{limb}"] = [start, start, end, end]
            wide[f"{side}_{limb}"] = _AS_WIDE.get(limb, 1.0) * radii[f"{side}_{part}"]
    ends["trunk"] = [
        (joints[f"{side}_{part}"], at_joint) for part in ("hip", "shoulder") for side in SIDES
    ]
    wide["trunk"] = radii["chest"]
    names = tuple(ends)
    pairs = [(names.index(a), names.index(b)) for a, b in _PAIRS if a in ends and b in ends]
    shape = len(names), 2, ENDS
    return Limbs(
        names,
        np.array([[joint for joint, _ in each] for each in ends.values()]).reshape(shape),
        np.array([[offset for _, offset in each] for each in ends.values()]).reshape(*shape, 3),
        np.array([wide[name] for name in names]),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
    )


def with_spheres(limbs: Limbs, sites: Sites, radii_m: Array, pairs: Indices) -> Limbs:
    """The same with spheres around points of the body; `pairs` (Q, 2) of them may not touch."""
    shape = len(sites.names), 2, ENDS
    joints = np.broadcast_to(sites.joints[:, None, None], shape)
    offsets = np.broadcast_to(sites.offsets_m[:, None, None], (*shape, 3))
    return Limbs(
        (*limbs.names, *sites.names),
        np.concatenate([limbs.joints, joints]),
        np.concatenate([limbs.offsets_m, offsets]),
        np.concatenate([limbs.radii_m, radii_m]),
        np.concatenate([limbs.pairs, pairs + len(limbs.names)]),
    )


def capsules(state: BodyState, limbs: Limbs) -> list[Capsule]:
    """Where limbs are, in their order."""
    places = state.positions_m[:, limbs.joints] + rotations.rotate(
        state.rotations_wxyz[:, limbs.joints], limbs.offsets_m
    )
    ends = places.mean(axis=3)
    return [
        Capsule(ends[:, n, 0], ends[:, n, 1], float(limbs.radii_m[n]))
        for n in range(len(limbs.names))
    ]


def apart_m(a: Capsule, b: Capsule) -> tuple[Array, Array, Array]:
    """(F,) how far two capsules are apart, negative where they overlap; (F, 3) nearest points."""
    one, other = a.end_m - a.start_m, b.end_m - b.start_m
    between = a.start_m - b.start_m
    aa, bb = (one * one).sum(-1), (other * other).sum(-1)
    ab, ac, bc = (one * other).sum(-1), (one * between).sum(-1), (other * between).sum(-1)
    span = aa * bb - ab * ab
    along = np.where(span > 1e-12 * aa * bb, (ab * bc - ac * bb) / np.where(span > 0, span, 1.0), 0)
    along = np.clip(along, 0.0, 1.0)
    across = np.clip((ab * along + bc) / np.maximum(bb, 1e-12), 0.0, 1.0)
    along = np.clip((ab * across - ac) / np.maximum(aa, 1e-12), 0.0, 1.0)
    first = a.start_m + along[:, None] * one
    second = b.start_m + across[:, None] * other
    return (
        np.linalg.norm(first - second, axis=1) - a.radius_m - b.radius_m,
        first,
        second,
    )


def gaps_m(state: BodyState, limbs: Limbs) -> Array:
    """(F, P) how far the two limbs of each pair are apart, negative where they overlap."""
    found = capsules(state, limbs)
    gaps = [apart_m(found[a], found[b])[0] for a, b in limbs.pairs]
    return np.stack(gaps, axis=1) if gaps else np.zeros((state.frame_count, 0))


def gaps_at_rest_m(skeleton: Skeleton, limbs: Limbs) -> Array:
    """(P,) the same of a body as it stands."""
    rest = forward_kinematics(skeleton, np.zeros((1, 3)), skeleton.standing.rest_wxyz[None])
    return gaps_m(rest, limbs)[0]


def deepest_overlap_m(state: BodyState, limbs: Limbs) -> tuple[float, str]:
    """How far two limbs are inside each other at worst (negative: apart), and which."""
    deepest = -gaps_m(state, limbs).min(axis=0)
    which = int(deepest.argmax())
    return float(deepest[which]), limbs.pair_names[which]
