"""How well two contact schedules agree: F1 per part, and how early or late contacts start and end.

Events are matched one to one, nearest first, within `LONGEST_MATCH_S`; what is left over was missed
or invented and is counted, not averaged in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array
from poise.contact.schedule import ContactSchedule
from poise.errors import BadShape, BadValue

LONGEST_MATCH_S = 0.2
"""A third of a step: farther apart, two events are not the same one."""

_RATE_TOLERANCE = 1e-4


@dataclass(frozen=True)
class EventAgreement:
    """How one kind of event (onsets or offsets) of one part agrees."""

    errors_ms: tuple[float, ...]
    """Found minus true time of each matched event: positive is late."""
    missed: int
    """True events without a found one."""
    invented: int
    """Found events without a true one."""


@dataclass(frozen=True)
class PartAgreement:
    """Agreement of one body part."""

    part: str
    f1: float
    """Share of contact found and true at once, 2·both / (found + true); 1 when neither has any."""
    frames: int
    """How many were compared."""
    onsets: EventAgreement
    offsets: EventAgreement


def contact_agreement(
    found: ContactSchedule,
    true: ContactSchedule,
    *,
    valid: ArrayLike | None = None,
    parts: tuple[str, ...] | None = None,
) -> dict[str, PartAgreement]:
    """Compare two schedules of one clip.

    Args:
        found: what a method says.
        true: what is known.
        valid: (F,) frames to compare; all of them when None. Events count when the frames on both
            sides of them are valid.
        parts: body parts to compare; those the truth lists when None.
    """
    if found.touching.shape[0] != true.touching.shape[0]:
        raise BadShape("found.touching", f"({true.frame_count}, P)", found.touching.shape)
    if abs(found.rate_hz / true.rate_hz - 1.0) > _RATE_TOLERANCE:
        raise BadValue("found.rate_hz", f"the same as the truth's, {true.rate_hz:g}", found.rate_hz)
    frames = true.frame_count
    chosen = np.ones(frames, np.bool_) if valid is None else np.asarray(valid, np.bool_)
    if chosen.shape != (frames,):
        raise BadShape("valid", f"({frames},)", chosen.shape)
    names = true.parts if parts is None else parts
    return {part: _part(part, found, true, chosen) for part in names}


def _part(
    part: str, found: ContactSchedule, true: ContactSchedule, valid: NDArray[np.bool_]
) -> PartAgreement:
    ours, truth = found.column(part), true.column(part)
    both = int((ours & truth & valid).sum())
    either = int((ours & valid).sum() + (truth & valid).sum())
    return PartAgreement(
        part,
        f1=2.0 * both / either if either else 1.0,
        frames=int(valid.sum()),
        onsets=_matched(_events(ours, 1, valid), _events(truth, 1, valid), true.rate_hz),
        offsets=_matched(_events(ours, -1, valid), _events(truth, -1, valid), true.rate_hz),
    )


def _events(flags: NDArray[np.bool_], step: int, valid: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Frames at which contact starts (+1) or has ended (−1), between valid frames."""
    change = np.diff(flags.astype(np.int8)) == step
    return np.flatnonzero(change & valid[1:] & valid[:-1]) + 1


def _matched(found: NDArray[np.int64], true: NDArray[np.int64], rate_hz: float) -> EventAgreement:
    gaps: Array = (found[:, None] - true[None, :]) / rate_hz
    errors: list[float] = []
    order = np.argsort(np.abs(gaps), axis=None, kind="stable") if gaps.size else []
    taken_found: set[int] = set()
    taken_true: set[int] = set()
    for flat in order:
        i, j = divmod(int(flat), len(true))
        if abs(gaps[i, j]) > LONGEST_MATCH_S:
            break
        if i in taken_found or j in taken_true:
            continue
        taken_found.add(i)
        taken_true.add(j)
        errors.append(1000.0 * float(gaps[i, j]))
    return EventAgreement(
        tuple(errors), missed=len(true) - len(errors), invented=len(found) - len(errors)
    )
