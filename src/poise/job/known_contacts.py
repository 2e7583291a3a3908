"""Contacts that are known already: a file that says what touches when, for the frames of a clip."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.arrays import Indices
from poise.contact import ContactSchedule, read_contacts
from poise.errors import BadValue
from poise.formats import check_readable
from poise.job.subject import Kept
from poise.motion import Clip


def known_contacts(path: Path, clip: Clip, kept: Kept | None = None) -> ContactSchedule:
    """The schedule of a file, a row for every frame of the clip.

    The file has a row for every frame of the clip, or of the file that the clip was cut from; or
    it covers the clip at another rate, as a motion has it that was resampled since.

    Raises:
        FileProblem: what is wrong with the file.
        BadValue: it covers another length of time.
    """
    check_readable(path)
    schedule, count = read_contacts(path), clip.frame_count
    rows = np.arange(schedule.frame_count)
    if len(rows) != count and kept is not None and len(rows) == kept.total:
        rows = rows[kept.first : kept.stop]
    if len(rows) != count:
        rows = _at_rate(rows, schedule.rate_hz, clip)
    if len(rows) != count:
        wanted = f"{count} frames like the clip"
        if kept is not None and kept.total != count:
            wanted += f" (or {kept.total} like its file)"
        raise BadValue(f"contacts of {path.name}", wanted, schedule.frame_count)
    sliding = None if schedule.sliding is None else schedule.sliding[rows]
    sure = None if schedule.confidence is None else schedule.confidence[rows]
    return ContactSchedule(schedule.parts, schedule.touching[rows], clip.rate_hz, sliding, sure)


def _at_rate(rows: Indices, rate_hz: float, clip: Clip) -> Indices:
    """The row nearest to each frame of the clip, if both last equally long."""
    step = rate_hz / clip.rate_hz
    over = len(rows) - 1 - step * (clip.frame_count - 1)
    if abs(over) >= max(step, 1.0):
        return rows
    nearest = np.round(step * np.arange(clip.frame_count)).astype(np.int64)
    return rows[np.minimum(nearest, len(rows) - 1)]
