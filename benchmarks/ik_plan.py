"""How many iterations a peer needs in every frame, and whether its body is ours."""

from __future__ import annotations

import numpy as np

from benchmarks.ik_body import IkWork, targets_of
from benchmarks.ik_contract import SteppingPeer
from benchmarks.ik_residual import from_best
from poise import rotations
from poise.arrays import Indices

CAP = 30
"""Iterations of one frame; more means that it does not get there."""


def plan(peer: SteppingPeer, work: IkWork, cap: int = CAP) -> Indices:
    """(F,) the least iterations that bring every frame within the tolerance.

    Found beforehand and with our judgement: a peer that is told them can do no better.
    """
    peer.restart()
    counts: list[int] = []
    for frame in range(work.frames):
        peer.aim(frame)
        steps = 0
        while not from_best(work, peer.pose(), frame).met:
            if steps == cap:
                off = from_best(work, peer.pose(), frame).worst
                raise RuntimeError(
                    f"{peer.name} is {off[0]:.3g} mm and {off[1]:.3g} degrees away in frame {frame}"
                    f" of '{work.name}' after {cap} iterations"
                )
            peer.step()
            steps += 1
        counts.append(steps)
    return np.array(counts)


def disagreement(peer: SteppingPeer, work: IkWork) -> float:
    """Metres or radians between what a peer and we see of the same poses, at the most."""
    peer.restart()
    most = 0.0
    for frame in range(0, work.frames, max(1, work.frames // 5)):
        peer.aim(frame)
        peer.step()
        theirs, ours = peer.seen(), targets_of(work.skeleton, work.body, peer.pose())
        gaps = [
            np.abs(theirs.positions_m - ours.positions_m).max(),
            rotations.angle_between(theirs.rotations_wxyz, ours.rotations_wxyz).max(),
        ]
        if work.center:
            gaps.append(np.abs(theirs.com_m - ours.com_m).max())
        most = max(most, *map(float, gaps))
    return most
