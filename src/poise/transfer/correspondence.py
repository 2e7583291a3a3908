"""Which joints of one body a joint of another follows: by role, and in between by their place.

Two spines need not have as many joints. A joint without a role, between two that have one, follows
the source at the same share of the way between the same roles: one of its joints if there is one at
that share, or the turn between two. What lies beyond the last role (fingers) follows joints of the
same name, if the bodies share names, and otherwise stays at rest. Hinges of one ball joint, as
robots have them, are told by their names (`left_hip_pitch`) and all follow its role: a solver
divides the turn among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices
from poise.character import REQUIRED_ROLES, Character, Roles, Skeleton, looks_hinged, name_parts
from poise.errors import BadValue, UnknownName


@dataclass(frozen=True, eq=False)
class Correspondence:
    """For every joint of a body, what it follows on another."""

    sources: Indices
    """(J, 2) joints of the source; -1 where a joint stays at rest."""
    shares: Array
    """(J,) how far from the first to the second."""
    reasons: tuple[str, ...]
    """(J,) why: a role, `hinge of` one, `between`, `name`, `place`, `given` or `rest`."""
    unused: tuple[str, ...]
    """Joints of the source that nobody follows."""

    def follows(self, joint: int) -> bool:
        """Whether a joint follows anything."""
        return bool(self.sources[joint, 0] >= 0)

    def stands_for_one(self, joint: int) -> bool:
        """Whether it follows one joint by itself: neither between two, nor one of its hinges."""
        alone = self.shares[joint] == 0.0 and not self.reasons[joint].startswith("hinge of")
        return self.follows(joint) and bool(alone)


def joint_by_joint(skeleton: Skeleton) -> Correspondence:
    """Of two bodies on one rig."""
    sources = np.repeat(np.arange(skeleton.joint_count)[:, None], 2, axis=1)
    shares = np.zeros(skeleton.joint_count)
    return Correspondence(sources, shares, ("name",) * skeleton.joint_count, ())


def correspondence(
    source: Character, target: Character, given: Mapping[str, str] | None = None
) -> Correspondence:
    """Match two bodies.

    Joints of the target that are given follow a joint of the source, or nothing (an empty text),
    which leaves them at rest, instead of what is found.

    Raises:
        BadValue: a body that lacks arms or legs, by the names of its parts.
        UnknownName: a joint that there is not.
    """
    theirs, mine = _roles(source, "the source"), _roles(target, "the target")
    shared = {role for role in theirs.joints if role in mine.joints}
    missing = [role for role in REQUIRED_ROLES if role not in shared]
    if missing:
        raise BadValue("target", "a body with the parts of the source", f"no {', '.join(missing)}")
    of = {mine.joints[r]: source.skeleton.index(theirs.joints[r]) for r in sorted(shared)}
    role_of = {mine.joints[r]: r for r in sorted(shared)}
    skeleton = target.skeleton
    count = skeleton.joint_count
    sources, shares = np.full((count, 2), -1, dtype=np.int64), np.zeros(count)
    reasons = ["rest"] * count
    known = {name: i for i, name in enumerate(source.skeleton.joint_names)}
    matched = {skeleton.index(name): joint for name, joint in of.items()}
    hinged = "hinge" in skeleton.kinds or looks_hinged(skeleton.joint_names)
    for joint, name in enumerate(skeleton.joint_names):
        if joint in matched:
            sources[joint], reasons[joint] = matched[joint], role_of[name]
            continue
        part = _hinge_of(name, hinged, shared) if skeleton.kinds[joint] == "hinge" else None
        found = _between(joint, skeleton, source.skeleton, matched)
        if part is not None:
            sources[joint] = source.skeleton.index(theirs.joints[part])
            reasons[joint] = f"hinge of {part}"
        elif found is not None:
            (sources[joint, 0], sources[joint, 1], shares[joint]), reasons[joint] = found, "between"
        elif name in known and name not in theirs.joints.values():
            sources[joint], reasons[joint] = known[name], "name"
    _alike_below(sources, skeleton, source.skeleton, reasons)
    for name, other in (given or {}).items():
        joint = skeleton.index(name)
        if other and other not in known:
            raise UnknownName("joint of the source", other, known, advice=f"Given for '{name}'.")
        sources[joint] = known[other] if other else -1
        shares[joint], reasons[joint] = 0.0, "given" if other else "rest"
    if sources[0, 0] < 0:
        sources[0], reasons[0] = source.skeleton.index(theirs.joints["pelvis"]), "pelvis"
    used = set(sources.ravel().tolist())
    unused = tuple(n for i, n in enumerate(source.skeleton.joint_names) if i not in used)
    return Correspondence(sources, shares, tuple(reasons), unused)


def _roles(character: Character, whose: str) -> Roles:
    if character.roles is None:
        raise BadValue(whose, "a body that is recognised (see complete_character)", character.name)
    return character.roles


def _hinge_of(name: str, hinged: bool, roles: Set[str]) -> str | None:
    """The role whose ball joint a hinge is part of, by its name."""
    parts = name_parts(name, hinged=hinged)
    # Of words for two parts, a robot's is the outer one: its shoulder is no collar bone.
    known = [p for p in parts.limb_parts if f"{parts.side}_{p}" in roles and p != "collar"]
    if not known:
        return None
    surest = max(known, key=lambda part: parts.limb_parts[part])
    return f"{parts.side}_{surest}"


def _alike_below(sources: Indices, mine: Skeleton, theirs: Skeleton, reasons: list[str]) -> None:
    """Joints beyond the last role follow those at the same place below a joint both have."""
    for joint in range(mine.joint_count):
        if sources[joint, 0] < 0 or sources[joint, 0] != sources[joint, 1]:
            continue
        own = np.flatnonzero(mine.parents == joint)
        other = np.flatnonzero(theirs.parents == sources[joint, 0])
        taken = set(sources[:, 0].tolist())
        free = [int(j) for j in own if sources[j, 0] < 0]
        left = [int(j) for j in other if int(j) not in taken]
        if len(own) == len(other) and len(free) == len(left):
            for a, b in zip(free, left, strict=True):
                sources[a], reasons[a] = b, "place"


def _between(
    joint: int, mine: Skeleton, theirs: Skeleton, matched: Mapping[int, int]
) -> tuple[int, int, float] | None:
    """What a joint between two matched ones follows: two joints of the source, and a share."""
    above = next((j for j in mine.ancestors(joint)[1:] if j in matched), None)
    below = [j for j in matched if joint in mine.ancestors(j)]
    if above is None or not below:
        return None
    lower = min(below, key=lambda j: len(mine.ancestors(j)))
    path = _path(mine, above, lower)
    ours = path.index(joint) / (len(path) - 1)
    other = _path(theirs, matched[above], matched[lower])
    if len(other) < 2:
        return None
    at = ours * (len(other) - 1)
    first = min(int(at + 1e-9), len(other) - 2)
    return other[first], other[first + 1], float(np.clip(at - first, 0.0, 1.0))


def _path(skeleton: Skeleton, top: int, bottom: int) -> list[int]:
    """Joints from one down to another; only these two where they are not in line."""
    chain = skeleton.ancestors(bottom)
    return list(chain[: chain.index(top) + 1][::-1]) if top in chain else [top, bottom]
