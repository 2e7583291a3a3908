"""Feet on their way from one stance to the next: as they went, between where they now stand.

What a stance moves a foot by, its swing forgets slowly, so that it neither kinks nor sinks: from
the displacement at the end of one stance to that at the start of the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.constraints import Scene, Task
from poise.footing import HEEL, ORIGIN, TIP, WISHED, FootPath, Movers

WEIGHT = 0.1
"""Of a swinging foot, against the other wishes of the last solve."""
_FORGET_S = 0.4
"""Before the first stance and after the last one, displacements fade over this time."""


def swing_tasks(scene: Scene, paths: Sequence[FootPath], movers: Movers) -> list[Task]:
    """Wishes for the joints of free feet.

    Args:
        scene: the motion to stay close to.
        paths: where feet are while they touch.
        movers: which joints may help.
    """
    frames, rate = scene.clip.frame_count, scene.clip.rate_hz
    found: list[Task] = []
    for part in sorted({path.shape.part for path in paths}):
        mine = sorted((p for p in paths if p.shape.part == part), key=lambda p: p.first)
        joint = mine[0].shape.joint
        places = scene.state.positions_m[:, joint]
        fade = max(1, round(_FORGET_S * rate))
        gaps = [
            (p.stop, n.first, _moved(scene, p, -1), _moved(scene, n, 0)) for p, n in pairwise(mine)
        ]
        first, last = mine[0], mine[-1]
        gaps.append((first.first - fade, first.first, np.zeros(3), _moved(scene, first, 0)))
        gaps.append((last.stop, last.stop + fade, _moved(scene, last, -1), np.zeros(3)))
        for a, b, before, after in gaps:
            share = (np.arange(a, b) - a + 1.0) / (b - a + 1.0)
            share = (share * share * (3.0 - 2.0 * share))[:, None]
            moved = (1.0 - share) * before + share * after
            inside = slice(max(a, 0), min(b, frames))
            if inside.start >= inside.stop:
                continue
            goals = places[inside] + moved[inside.start - a : inside.stop - a]
            name = f"{part} swings from frame {inside.start}"
            found.append(movers.point(name, joint, ORIGIN, inside.start, goals, WISHED, WEIGHT))
    return found


def _moved(scene: Scene, path: FootPath, end: int) -> Array:
    """(3,) how far a stance moves its foot in its first frame (0) or its last (-1)."""
    shape, frame = path.shape, path.first if end == 0 else path.stop - 1
    places, turns = scene.state.positions_m[frame], scene.state.rotations_wxyz[frame]
    if path.posed[end]:
        return path.places_m[end] - places[shape.joint]
    if path.on_heel[end]:
        heel = places[shape.joint] + rotations.rotate(turns[shape.joint], shape.offsets_m[HEEL])
        return path.heel_m[end] - heel
    tip = places[shape.toes] + rotations.rotate(turns[shape.toes], shape.offsets_m[TIP])
    return path.tip_m[end] - tip
