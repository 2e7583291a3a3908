"""The cleaning steps in the order they run, and running them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from poise.errors import UnknownName
from poise.motion.cleanup import (
    dropped_frames,
    missing_thorax,
    root_jumps,
    rotation_flips,
    t_pose,
    wrong_unit,
)
from poise.motion.cleanup.finding import Finding
from poise.motion.clip import Clip
from poise.wording import frame_list


@dataclass(frozen=True)
class Step:
    """A defect that can be looked for and repaired."""

    name: str
    find: Callable[[Clip], Finding | None]
    repair: Callable[[Clip, Finding], Clip]


# Sizes first, because the others judge lengths; the T-pose before the dropped frames, because a
# gap beside it must not be filled from it; jumps and flips last, because a zero frame looks like
# one.
STEPS: dict[str, Step] = {
    step.name: step
    for step in (
        *(
            Step(module.NAME, module.find, module.repair)
            for module in (wrong_unit, missing_thorax, t_pose, dropped_frames, root_jumps)
        ),
        Step(rotation_flips.FLIPS, rotation_flips.find_flips, rotation_flips.repair_flips),
        Step(rotation_flips.JUMPS, rotation_flips.find_jumps, lambda clip, _: clip),
    )
}


def findings(clip: Clip) -> tuple[Finding, ...]:
    """Everything the steps find in a clip."""
    return clean(clip)[1]


def clean(clip: Clip, steps: Sequence[str] = tuple(STEPS)) -> tuple[Clip, tuple[Finding, ...]]:
    """Repair what the named steps find.

    Returns the cleaned clip, with each repair in its history, and all findings: also those that
    can only be reported (their `repair` is empty). Frames are numbered as in the clip given.
    """
    for name in steps:
        if name not in STEPS:
            raise UnknownName("cleaning step", name, STEPS)
    found: list[Finding] = []
    removed = 0
    for name, step in STEPS.items():
        finding = step.find(clip) if name in steps else None
        if finding is None:
            continue
        original = replace(finding, frames=tuple(f + removed for f in finding.frames))
        found.append(original)
        if finding.repair:
            before = clip.frame_count
            clip = step.repair(clip, finding)
            removed += before - clip.frame_count
            where = f" ({frame_list(original.frames)})" if original.frames else ""
            clip = clip.noted(f"{name}: {finding.repair}{where}")
    return clip, tuple(found)
