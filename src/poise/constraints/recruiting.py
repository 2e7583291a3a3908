"""Which joints may help a constraint: its recruits (section 4.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, frozen_array
from poise.character import Character, Skeleton
from poise.errors import BadValue, UnknownName

ORIGIN: Array = frozen_array("origin", (0.0, 0.0, 0.0), (3,))
"""Where a joint is in its own frame."""


def find_joint(character: Character, name: str, *, asked_by: str = "") -> int:
    """The index of a joint by its name in the file or by its role ("left_wrist").

    Args:
        character: whose joint.
        name: of the joint, or its role.
        asked_by: the constraint that asks, for the message when there is no such joint.
    """
    roles = character.roles.joints if character.roles is not None else {}
    names = character.skeleton.joint_names
    if name in names:
        return names.index(name)
    if name in roles:
        return names.index(roles[name])
    raise UnknownName("joint or role", name, (*names, *roles), advice=_by(asked_by))


def find_point(character: Character, name: str, *, asked_by: str = "") -> tuple[int, Array]:
    """The joint a named point rides on, and where: a site, or the origin of a joint or role."""
    sites = character.sites
    if name in sites.names:
        site = sites.names.index(name)
        return int(sites.joints[site]), sites.offsets_m[site]
    roles = character.roles.joints if character.roles is not None else {}
    names = character.skeleton.joint_names
    if name in names or name in roles:
        return find_joint(character, name), ORIGIN
    raise UnknownName(
        "point (site, joint or role)", name, (*sites.names, *roles, *names), advice=_by(asked_by)
    )


def _by(asked_by: str) -> str:
    return f"Asked for by '{asked_by}'." if asked_by else ""


TRANSLATION = "translation"
"""Stands for the root's translation in a list of recruits."""


@dataclass(frozen=True)
class Recruit:
    """The joints a constraint may use.

    Either a chain, from the constraint's own joint up to an ancestor (`up_to`, a joint or role;
    "root" includes its turning and its translation), or a list of joints and roles, in which
    "translation" stands for the translation of the root. Neither: the chain up to the root.
    """

    up_to: str | None = None
    joints: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.up_to is not None and self.joints is not None:
            raise BadValue("recruit", "either up_to or joints", (self.up_to, self.joints))
        if self.up_to is not None and not _names((self.up_to,)):
            raise BadValue("up_to", "the name of a joint or role", self.up_to)
        if self.joints is not None:
            if not _names(self.joints):
                raise BadValue("joints to recruit", "a list of names, at least one", self.joints)
            object.__setattr__(self, "joints", tuple(self.joints))


def _names(value: object) -> bool:
    """Whether this is one or more names, not one text."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return False
    listed: list[object] = list(value)
    return bool(listed) and all(isinstance(name, str) and name for name in listed)


@dataclass(frozen=True, eq=False)
class Recruits:
    """Recruits on a given skeleton."""

    joints: NDArray[np.bool_]
    """(J,) whether each joint may turn."""
    translation: bool
    """Whether the root may be moved."""

    def names(self, character: Character) -> tuple[str, ...]:
        """The joints by name, "translation" first if it is among them."""
        listed = [n for n, r in zip(character.skeleton.joint_names, self.joints, strict=True) if r]
        return (*((TRANSLATION,) if self.translation else ()), *listed)


EVERYTHING = Recruit()


def recruits_of_chain(
    character: Character, joint: int, recruit: Recruit, *, stop: int = -1, asked_by: str = ""
) -> Recruits:
    """Recruits of a constraint on something that rides on `joint`.

    Without a choice by the user: the chain from the joint up to but not including `stop` (the
    nearest joint shared with what the constraint is relative to), or up to the root. Messages
    speak of the constraint `asked_by`.
    """
    skeleton = character.skeleton
    if recruit.joints is not None:
        return listed_recruits(character, recruit.joints, asked_by=asked_by)
    chain = skeleton.ancestors(joint)
    if recruit.up_to is not None:
        top = (
            0
            if recruit.up_to == "root"
            else find_joint(character, recruit.up_to, asked_by=asked_by)
        )
        if top not in chain:
            carriers = ", ".join(skeleton.joint_names[j] for j in chain)
            raise BadValue(
                f"up_to of '{asked_by}'" if asked_by else "up_to",
                f"a joint that carries {skeleton.joint_names[joint]} ({carriers})",
                recruit.up_to,
            )
        chain = chain[: chain.index(top) + 1]
    elif stop in chain:
        chain = chain[: chain.index(stop)]
    mask = np.zeros(skeleton.joint_count, dtype=np.bool_)
    mask[list(chain)] = True
    return Recruits(mask & (skeleton.freedoms > 0), bool(mask[0]))


def listed_recruits(character: Character, names: Iterable[str], *, asked_by: str = "") -> Recruits:
    """Recruits given one by one."""
    mask = np.zeros(character.skeleton.joint_count, dtype=np.bool_)
    listed = tuple(names)
    for name in listed:
        if name != TRANSLATION:
            mask[find_joint(character, name, asked_by=asked_by)] = True
    return Recruits(mask & (character.skeleton.freedoms > 0), TRANSLATION in listed)


LEAST_WEIGHT = 0.001
"""Of the whole body's mass. A joint that carries less does not count as moving the centre: a finger
or a toe. A hand (0.006) does: turned over, it shifts the centre by half a millimetre."""


def carries_weight(character: Character) -> NDArray[np.bool_]:
    """(J,) whether each joint carries weight worth the name: not those of fingers and toes.

    At least a thousandth of the mass. Without masses: when the joint has a role, or carries one
    that has; without roles either, always.
    """
    skeleton = character.skeleton
    if character.body is not None:
        carried = character.body.masses_kg.tolist()
        for joint, parent in reversed(list(enumerate(skeleton.parents.tolist()))[1:]):
            carried[parent] += carried[joint]
        return np.array(carried) >= LEAST_WEIGHT * carried[0]
    mask = np.full(skeleton.joint_count, character.roles is None)
    if character.roles is not None:
        for name in character.roles.joints.values():
            mask[list(skeleton.ancestors(skeleton.index(name)))] = True
    return mask


def body_recruits(character: Character) -> Recruits:
    """Every joint that carries weight worth the name, and the root's translation."""
    return Recruits(carries_weight(character) & (character.skeleton.freedoms > 0), True)


def carriers(skeleton: Skeleton, joint: int, offset_m: Array | None = None) -> NDArray[np.bool_]:
    """(J,) the joints that turn or move a joint's frame, or with an offset, a point in it.

    Turning a joint does not move its own origin.
    """
    chain = skeleton.ancestors(joint)
    mask = np.zeros(skeleton.joint_count, dtype=np.bool_)
    mask[list(chain if offset_m is None or offset_m.any() else chain[1:])] = True
    return mask


def nearest_shared(skeleton: Skeleton, first: int, second: int) -> int:
    """The deepest joint that carries both, or is one of them."""
    others = set(skeleton.ancestors(second))
    return next(joint for joint in skeleton.ancestors(first) if joint in others)


def recruits_of_point(
    character: Character,
    joint: int,
    offset_m: Array,
    recruit: Recruit,
    *,
    reference: int = -1,
    asked_by: str = "",
) -> Recruits:
    """Recruits of a constraint on a point, seen from the joint `reference` (-1: from the world).

    A chain begins at the parent when the point is the joint's own origin: turning a joint does not
    move it. Seen from a joint, the chain ends below what carries both; from a joint that the point
    itself carries, it is the reference's chain.
    """
    stop = nearest_shared(character.skeleton, joint, reference) if reference >= 0 else -1
    found = recruits_of_chain(character, joint, recruit, stop=stop, asked_by=asked_by)
    if recruit.joints is not None:
        return found
    mask = found.joints.copy()
    mask[joint] = mask[joint] and bool(offset_m.any())
    if recruit.up_to is None and reference >= 0 and not mask.any():
        return recruits_of_chain(character, reference, recruit, asked_by=asked_by, stop=stop)
    return Recruits(mask, found.translation)


def recruits_of_turn(
    character: Character,
    joint: int,
    recruit: Recruit,
    *,
    reference: int = -1,
    asked_by: str = "",
) -> Recruits:
    """Recruits of a constraint on how a joint is turned, seen from `reference` or the world.

    A chain is the same as for a point, from the joint itself; moving the root turns nothing.
    """
    stop = nearest_shared(character.skeleton, joint, reference) if reference >= 0 else -1
    found = recruits_of_chain(character, joint, recruit, stop=stop, asked_by=asked_by)
    if recruit.joints is not None:
        return found
    if recruit.up_to is None and reference >= 0 and not found.joints.any():
        found = recruits_of_chain(character, reference, recruit, stop=stop, asked_by=asked_by)
    return Recruits(found.joints, False)
