"""Where an edited leap starts from: ground stages as moved, flights interpolated (section 4.2.4).

Every ground stage is moved and turned as a whole about the vertical through its middle, and over a
flight the two stages' moves fade into each other. Turns are not taken modulo a full one: a stage
turned by 360 degrees looks as it did, and the flight before it spins once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from poise import rotations
from poise.arrays import Array, frozen_array
from poise.character import UP
from poise.methods.momentum.stages import Stage
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Move:
    """How a ground stage is displaced."""

    by_m: Array = field(default_factory=lambda: np.zeros(3))
    """(3,)"""
    turn_rad: float = 0.0
    """About the vertical, to the left; more than a full turn is more than one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_m", frozen_array("by_m", self.by_m, (3,)))


def turning_rad(stages: Sequence[Stage], moves: Mapping[int, Move]) -> Array:
    """(F,) by how much each frame is turned: ground stages as they are moved, flights between."""
    turns = np.zeros(stages[-1].stop)
    for i, stage in enumerate(stages):
        before, after = _beside(stages, i)
        start, end = (moves.get(k, Move()).turn_rad for k in (before, after))
        turns[stage.first : stage.stop] = np.linspace(start, end, stage.frame_count)
    return turns


def _beside(stages: Sequence[Stage], index: int) -> tuple[int, int]:
    """The ground stages that a stage goes with: itself, or those before and after a flight.

    A flight at an end of the clip goes with the only one it has.
    """
    if stages[index].kind == "ground":
        return index, index
    before, after = index - 1, index + 1
    return (before if before >= 0 else after), (after if after < len(stages) else before)


def moved_clip(clip: Clip, stages: Sequence[Stage], moves: Mapping[int, Move]) -> Clip:
    """The clip with ground stages moved, by their index, and flights between them."""
    path = clip.root_positions_m
    placed = {
        i: _placed(path, stage, moves.get(i, Move()))
        for i, stage in enumerate(stages)
        if stage.kind == "ground"
    }
    turns = turning_rad(stages, moves)
    roots = np.empty_like(path)
    for i, stage in enumerate(stages):
        frames = slice(stage.first, stage.stop)
        before, after = _beside(stages, i)
        # A flight's first and last frame go with the stages whole: feet are still on the ground.
        share = np.linspace(0.0, 1.0, stage.frame_count)[:, None]
        roots[frames] = (1.0 - share) * placed[before][frames] + share * placed[after][frames]
    turned = clip.rotations_wxyz.copy()
    whole = rotations.from_axis_angle(UP, turns)
    turned[:, 0] = rotations.multiply(whole, clip.rotations_wxyz[:, 0])
    return replace(clip, root_positions_m=roots, rotations_wxyz=rotations.continuous(turned))


def _placed(path_m: Array, stage: Stage, move: Move) -> Array:
    """(F, 3) the root's whole path as one stage's move has it."""
    pivot = path_m[stage.first : stage.stop].mean(axis=0)
    turn = rotations.from_axis_angle(UP, move.turn_rad)
    return pivot + rotations.rotate(turn, path_m - pivot) + move.by_m
