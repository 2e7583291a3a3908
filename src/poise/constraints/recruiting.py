"""Which joints may help a constraint: its recruits (section 4.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.character import Character
from poise.constraints.naming import find_joint
from poise.errors import BadValue

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
        if self.joints is not None:
            object.__setattr__(self, "joints", tuple(self.joints))
            if not self.joints:
                raise BadValue("joints to recruit", "at least one", self.joints)


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
    character: Character, joint: int, recruit: Recruit, *, stop: int = -1
) -> Recruits:
    """Recruits of a constraint on something that rides on `joint`.

    Without a choice by the user: the chain from the joint up to but not including `stop` (the
    nearest joint shared with what the constraint is relative to), or up to the root.
    """
    skeleton = character.skeleton
    if recruit.joints is not None:
        return listed_recruits(character, recruit.joints)
    chain = skeleton.ancestors(joint)
    if recruit.up_to is not None:
        top = 0 if recruit.up_to == "root" else find_joint(character, recruit.up_to)
        if top not in chain:
            carriers = ", ".join(skeleton.joint_names[j] for j in chain)
            raise BadValue(
                "up_to", f"a joint that carries {skeleton.joint_names[joint]} ({carriers})",
                recruit.up_to,
            )  # fmt: skip
        chain = chain[: chain.index(top) + 1]
    elif stop in chain:
        chain = chain[: chain.index(stop)]
    mask = np.zeros(skeleton.joint_count, dtype=np.bool_)
    mask[list(chain)] = True
    return Recruits(mask & (skeleton.freedoms > 0), bool(mask[0]))


def listed_recruits(character: Character, names: Iterable[str]) -> Recruits:
    """Recruits given one by one."""
    mask = np.zeros(character.skeleton.joint_count, dtype=np.bool_)
    listed = tuple(names)
    for name in listed:
        if name != TRANSLATION:
            mask[find_joint(character, name)] = True
    return Recruits(mask & (character.skeleton.freedoms > 0), TRANSLATION in listed)


def body_recruits(character: Character) -> Recruits:
    """Everything that carries weight worth the name: all joints but those of hands and toes.

    A joint counts when it has a role, or carries one that has. Without roles, every joint counts.
    """
    skeleton = character.skeleton
    if character.roles is None:
        return Recruits(skeleton.freedoms > 0, True)
    mask = np.zeros(skeleton.joint_count, dtype=np.bool_)
    for name in character.roles.joints.values():
        mask[list(skeleton.ancestors(skeleton.index(name)))] = True
    return Recruits(mask & (skeleton.freedoms > 0), True)
