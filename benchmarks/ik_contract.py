"""What a contender in the race of inverse kinematics has to be able to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from benchmarks.ik_body import IkWork, Poses, Targets
from poise.arrays import Indices


@dataclass(frozen=True, eq=False)
class Solved:
    """What a solver found."""

    poses: Poses
    iterations: Indices
    """(F,) of every frame."""


class IkPeer(Protocol):
    """A solver; `prepare` is not timed, `solve` is."""

    name: str
    has_center: bool
    """Whether it has a task for the centre of mass."""

    def prepare(self, work: IkWork) -> None:
        """Build the model, the tasks and the targets."""
        ...

    def solve(self, plan: Indices) -> Solved:
        """All frames, each from the answer before; `plan` says how many iterations each gets.

        One that knows when to stop may leave the plan aside.
        """
        ...


class SteppingPeer(IkPeer, Protocol):
    """One that can be watched step by step."""

    def restart(self) -> None:
        """Go to the starting pose."""
        ...

    def aim(self, frame: int) -> None:
        """Set the targets of a frame."""
        ...

    def step(self) -> None:
        """One iteration."""
        ...

    def pose(self) -> Poses:
        """Where it is: one frame."""
        ...

    def seen(self) -> Targets:
        """Where its own kinematics sees the joints and the centre of mass: one frame."""
        ...
