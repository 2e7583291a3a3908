"""Contacts of clips of any length: found in windows that overlap, each with its own samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.environment import Environment
from poise.methods.correct.contact_optimizer import Discovered, discover
from poise.methods.correct.mesh import Mesh, vertices_of
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.settings import Settings
from poise.methods.correct.windows import OVERLAP_S, WINDOW_S, windows
from poise.motion import Clip


def discover_long(
    mesh: Mesh,
    clip: Clip,
    character: Character,
    environment: Environment,
    settings: Settings,
    rest_heights_m: Array,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Discovered:
    """Find the contacts of a clip at the working rate; one window for clips that fit into it.

    From one window to the next is changed in the middle of their overlap. Errors are means over
    windows; states and sequences solved, sums.
    """
    rate = clip.rate_hz
    cuts = windows(clip.frame_count, round(WINDOW_S * rate), round(OVERLAP_S * rate))
    found: list[Discovered] = []
    for number, cut in enumerate(cuts):
        part = clip.sliced(cut.first, cut.last)
        optimizer = MotionOptimizer(
            mesh, vertices_of(mesh, part), rate, environment, settings, rest_heights_m
        )

        def told(done: int, total: int, before: int = number) -> None:
            if progress is not None:
                progress(before * total + done, len(cuts) * total)

        found.append(
            discover(optimizer, mesh, part, character, environment, settings, progress=told)
        )
    if len(found) == 1:
        return found[0]
    contacts = np.zeros((clip.frame_count, len(mesh.candidates)), dtype=np.int8)
    before = 0
    for cut, one in zip(cuts, found, strict=True):
        start = (cut.first + before) // 2 if before else 0
        contacts[start : cut.last] = one.contacts[start - cut.first :]
        before = cut.last
    return Discovered(
        contacts=contacts,
        error=float(np.mean([one.error for one in found])),
        errors=np.mean([one.errors for one in found], axis=0),
        weights=np.concatenate([one.weights for one in found]),
        diversity=float(np.sum([one.diversity for one in found])),
        states=sum(one.states for one in found),
        solved=sum(one.solved for one in found),
    )
