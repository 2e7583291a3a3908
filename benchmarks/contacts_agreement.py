"""How well ways of finding contacts agree with what was measured or made, in lines of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.contact import ContactSchedule, contact_agreement


@dataclass(frozen=True)
class Row:
    """One part in one clip."""

    clip: str
    part: str
    f1: float
    onsets_ms: tuple[float, ...]
    """Found minus true."""
    offsets_ms: tuple[float, ...]
    missed: int
    """True events without a found one."""
    invented: int
    """Found events without a true one."""


def rows_of(
    clip: str,
    found: ContactSchedule,
    true: ContactSchedule,
    valid: NDArray[np.bool_] | None = None,
    parts: tuple[str, ...] | None = None,
) -> list[Row]:
    """One row a part; a part that was not looked for does not touch."""
    names = true.parts if parts is None else parts
    given = contact_agreement(_with(found, names), true, valid=valid, parts=names)
    return [
        Row(
            clip, name, each.f1, each.onsets.errors_ms, each.offsets.errors_ms,
            each.onsets.missed + each.offsets.missed,
            each.onsets.invented + each.offsets.invented,
        )
        for name, each in given.items()
    ]  # fmt: skip


@dataclass(frozen=True)
class Summary:
    """Of many rows."""

    mean: float
    lowest: float
    onset_ms: float
    """Mean absolute error."""
    offset_ms: float
    onset_bias_ms: float
    """Mean error: positive is late."""
    offset_bias_ms: float


def summary(rows: Sequence[Row]) -> Summary:
    f1 = np.array([row.f1 for row in rows])
    onsets = np.array([e for row in rows for e in row.onsets_ms])
    offsets = np.array([e for row in rows for e in row.offsets_ms])
    return Summary(
        float(f1.mean()), float(f1.min()), _mean(np.abs(onsets)), _mean(np.abs(offsets)),
        _mean(onsets), _mean(offsets),
    )  # fmt: skip


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _with(found: ContactSchedule, parts: Sequence[str]) -> ContactSchedule:
    missing = tuple(part for part in parts if part not in found.parts)
    if not missing:
        return found
    none = np.zeros((found.frame_count, len(missing)), dtype=np.bool_)
    touching = np.concatenate([found.touching, none], axis=1)
    return ContactSchedule((*found.parts, *missing), touching, found.rate_hz)
