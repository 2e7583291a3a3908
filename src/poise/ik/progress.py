"""Whether a step did good: layer by layer, greater ones first."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik.packed import TRANSLATION, Blocks, Tasks, Work
from poise.solvers import dot

_CALMER, _BOLDER = 4.0, 0.4
"""What the damping is multiplied by after a step that made things worse, and after good ones."""

_LEAST_SHARE = 0.1

_PATIENCE, _STEP_WORTH_M, _FAR_M = 3, 2e-5, 2e-3
"""A frame that misses a goal by more than the last ends when so many steps in a row gain less than
the second."""

_PRICE = 10.0
"""How much a layer may get worse for each unit that greater layers gain."""


@inlined_borrowing
def forget_progress(work: Work) -> None:
    """Before the first step of a frame."""
    work.good_steps[0] = 0
    work.good_steps[1] = 0
    work.relax[0] = 1.0
    for c in range(len(work.last)):
        work.last[c] = 0.0
    for l in range(len(work.calm)):
        work.calm[l] = 1.0
    for l in range(len(work.progress)):
        work.progress[l] = np.inf


@inlined_borrowing
def top_got_worse(count: int, tasks: Tasks, slack: float, work: Work) -> bool:
    """Whether the step hurt the greatest layer more than the next one would mend by itself."""
    square, top = 0.0, tasks.layer[work.active[0]]
    for i in range(count):
        t = work.active[i]
        if tasks.layer[t] == top:
            square += (tasks.scale[t] * work.misses[i]) ** 2
    return bool(np.sqrt(square) > max(work.progress[top], slack))


@inner_borrowing
def got_worse(count: int, layers: int, tasks: Tasks, slack: float, work: Work) -> bool:
    """Whether one of the first `layers` layers got worse for no gain of a greater one.

    Remembers where each is.

    After a bad step the layer and all lesser ones, the wish among them, are damped more; after two
    good ones less. What is small enough to be undone in one step is not worth stepping back for.
    """
    now = work.now
    for l in range(len(now)):
        now[l] = 0.0
    for i in range(count):
        t = work.active[i]
        now[tasks.layer[t]] += (tasks.scale[t] * work.misses[i]) ** 2
    gain, worst = 0.0, 0.0
    for l in range(min(layers, len(now))):
        now[l] = np.sqrt(now[l])
        worst = max(worst, now[l])
        before = work.progress[l]
        if now[l] > max(before + _PRICE * gain, slack):
            for k in range(l, len(work.calm)):
                work.calm[k] *= _CALMER
            work.good_steps[0] = 0
            return True
        gain += max(0.0, before - now[l])
    # Out of reach means far from it: what is nearly met is still on its way.
    if gain < _STEP_WORTH_M and work.progress[0] < np.inf and worst > _FAR_M:
        work.good_steps[1] += 1
    else:
        work.good_steps[1] = 0
    for l in range(len(now)):
        work.progress[l] = now[l]
    work.good_steps[0] += 1
    if work.good_steps[0] > 1:
        for l in range(len(work.calm)):
            work.calm[l] = max(1.0, work.calm[l] * _BOLDER)
    return False


@inlined_borrowing
def stagnant(work: Work) -> bool:
    """Whether good steps have long stopped to get nearer to goals that are out of reach."""
    return bool(work.good_steps[1] >= _PATIENCE)


@inlined_borrowing
def relax(width: int, work: Work) -> None:
    """Find the share of the wish that converges fastest, from how steps follow each other.

    Constraints bend the space in which the pose goes back to the original, the more the further it
    is from it: a whole step overshoots, and the next comes back. If each step is ρ times the one
    before, 1 / (1 − ρ) of it would have ended where they all lead.
    """
    before = dot(work.last, work.last, width)
    if before > 0.0:
        ratio = dot(work.step, work.last, width) / before
        work.relax[0] = min(1.0, max(_LEAST_SHARE, work.relax[0] / (1.0 - min(ratio, 0.5))))
    for c in range(width):
        work.last[c] = work.step[c]


@inlined_borrowing
def remember(blocks: Blocks, root: Array, local: Array, work: Work) -> None:
    """Keep the pose, before a step."""
    for c in range(3):
        work.kept_root[c] = root[c]
    for b in range(len(blocks.kind)):
        if blocks.kind[b] != TRANSLATION:
            for c in range(4):
                work.kept[blocks.joint[b], c] = local[blocks.joint[b], c]


@inlined_borrowing
def step_back(blocks: Blocks, root: Array, local: Array, work: Work) -> None:
    """Put the kept pose back."""
    for c in range(3):
        root[c] = work.kept_root[c]
    for b in range(len(blocks.kind)):
        if blocks.kind[b] != TRANSLATION:
            for c in range(4):
                local[blocks.joint[b], c] = work.kept[blocks.joint[b], c]
