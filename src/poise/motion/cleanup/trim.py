"""The part of a capture that a clip is: its frames, repaired first, at the rate of the capture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from poise.errors import BadValue
from poise.motion.cleanup.finding import Finding
from poise.motion.cleanup.steps import STEPS, clean
from poise.motion.clip import Clip
from poise.wording import frame_list

MUST_BE_CLEANED = ("missing-thorax", "t-pose", "dropped-frames")
"""What `clean: true` repairs: frames that were never captured, and a lost bone, say nothing about
floor, time or forces."""

_NEVER_CAPTURED = ("t-pose", "dropped-frames")
_RANGE = re.compile(r"\s*(-?\d{1,9})?\s*:\s*(-?\d{1,9})?\s*", re.ASCII)

Frames = str | tuple[int, int] | None
"""`START:STOP` as Python slices, STOP not included; first and last, both included; None: all."""


@dataclass(frozen=True)
class Kept:
    """Which frames of a file a clip was made from."""

    first: int
    stop: int
    """One past the last."""
    total: int
    """Frames of the file."""
    left_out: int = 0
    """Artificial ones at its start."""
    asked_first: int = 0
    """The first that was asked for; before `first` where that is artificial."""

    @property
    def artificial(self) -> int:
        """How many frames that were asked for are artificial and left out."""
        return self.first - self.asked_first


def frame_range(text: str) -> tuple[int | None, int | None]:
    """The ends of `120:480`, `:300` or `-60:`.

    Raises:
        BadValue: a text of another form.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        raise BadValue("frames", "START:STOP, for example 120:480 or :300", text)
    start, stop = match.groups()
    return (int(start) if start else None, int(stop) if stop else None)


def cleaning_steps(choice: bool | str | Sequence[str]) -> tuple[str, ...]:
    """The steps behind `true`, `all`, `false` or a list of them."""
    if choice is True:
        return MUST_BE_CLEANED
    if choice == "all":
        return tuple(STEPS)
    return tuple(choice) if choice else ()


@dataclass(frozen=True, eq=False)
class Trimmed:
    """A clip cleaned and cut."""

    clip: Clip
    kept: Kept
    notes: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    """All that the steps of cleaning found."""
    repairs: tuple[str, ...] = ()
    """What they repaired, in words."""


def trim(clip: Clip, frames: Frames, steps: Sequence[str] = ()) -> Trimmed:
    """A clip cleaned and cut.

    Cleaned first, so that a gap at the edge of what is kept is filled from both sides. Frames are
    counted as in the file, artificial ones included.

    Args:
        clip: as its file has it.
        frames: which to keep.
        steps: of cleaning.

    Raises:
        BadValue: no frame is left.
        UnknownName: no such step.
    """
    total, begun = clip.frame_count, len(clip.history)
    clip, found = clean(clip, steps) if steps else (clip, ())
    repairs = clip.history[begun:]
    left_out = total - clip.frame_count
    if frames is None:
        return Trimmed(clip, Kept(left_out, total, total, left_out), (), found, repairs)
    start, stop = frame_range(frames) if isinstance(frames, str) else (frames[0], frames[1] + 1)
    first, last, _ = slice(start, stop).indices(total)
    begin = max(first, left_out)
    if begin >= last:
        raise BadValue("frames", f"a range inside {left_out}:{total}", frames)
    # As it was asked for: STOP is not included, the last of a pair is.
    words = f"{first}:{last}" if isinstance(frames, str) else f"{first} to {last - 1}"
    clip = clip.sliced(begin - left_out, last - left_out).noted(f"frames {words} of {total}")
    notes: tuple[str, ...] = ()
    if stop is not None and stop > total:
        notes = (f"the clip has only {total} frames: kept {words}",)
    return Trimmed(clip, Kept(begin, last, total, left_out, first), notes, found, repairs)


def kept_broken(clip: Clip, steps: Sequence[str]) -> tuple[str, ...]:
    """Notes on frames that were never captured, and that none of the steps repairs."""
    left = [name for name in _NEVER_CAPTURED if name not in steps]
    if not left:
        return ()
    found = clean(clip, left)[1]
    return tuple(f"{each.summary} ({frame_list(each.frames)}); kept (clean)" for each in found)
