"""What a cleaning step found, in facts and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One defect of a clip."""

    step: str
    """Name of the cleaning step that found it."""
    summary: str
    """A sentence for the user."""
    frames: tuple[int, ...] = ()
    """Frames concerned, counted from 0."""
    joints: tuple[str, ...] = ()
    """Joints concerned."""
    repair: str = ""
    """What the step will do about it, in words; empty when it can only be reported."""
