"""What constraints are read against: the original motion, whose it is, and where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from poise.arrays import Array
from poise.character import Character
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.mechanics import BodyState, center_of_mass, forward_kinematics, site_positions
from poise.motion import Clip

FLAT = Environment.flat()
"""Level ground at height 0: one for all, so that edits can be seen to share it."""


@dataclass(frozen=True, eq=False)
class Scene:
    """The original motion, the body that moves, the place."""

    clip: Clip
    character: Character
    """On the clip's own skeleton."""
    environment: Environment = FLAT
    original: Clip | None = None
    """Where the original is not the clip: another body's motion, in the joints of this one."""

    def __post_init__(self) -> None:
        for clip in (self.clip, self.original):
            if clip and self.character.skeleton.joint_names != clip.skeleton.joint_names:
                raise BadShape(
                    "character",
                    f"the clip's {clip.skeleton.joint_count} joints",
                    (self.character.skeleton.joint_count,),
                )

    @cached_property
    def state(self) -> BodyState:
        """Where every joint of the original is."""
        clip = self.clip if self.original is None else self.original
        return forward_kinematics(self.character.skeleton, *clip.pose)

    @cached_property
    def site_places_m(self) -> Array:
        """(F, S, 3) where every site of the original is."""
        return site_positions(self.state, self.character.sites)

    @cached_property
    def centers_m(self) -> Array:
        """(F, 3) the original's centre of mass."""
        if self.character.body is None:
            raise BadValue("character", "one with a body (see complete_character)", "no masses")
        return center_of_mass(self.state, self.character.body)
