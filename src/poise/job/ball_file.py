"""The path of a ball: frame, x, y, z in metres, a line each."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import FileProblem
from poise.formats import read_bytes

_TITLES = ["frame", "x", "y", "z"]


def read_ball(path: str | Path) -> tuple[Array, int]:
    """(n, 3) places from the first frame on, NaN in frames that are not there; and that frame.

    Raises:
        FileProblem: no such file, other columns, no numbers.
    """
    path = Path(path)
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise FileProblem(path, "a table of a ball's path", str(problem)) from None
    read = csv.reader(io.StringIO(text, newline=""))
    rows = [(read.line_num, [cell.strip() for cell in row]) for row in read if row]
    if rows and [cell.lower() for cell in rows[0][1]] == _TITLES:
        rows = rows[1:]
    if not rows:
        raise FileProblem(path, f"lines of {', '.join(_TITLES)}", "none")
    known: dict[int, list[float]] = {}
    for number, row in rows:
        try:
            frame, *place = (float(cell) for cell in row)
            if len(place) != 3 or not np.isfinite([frame, *place]).all():
                raise ValueError
            if frame != int(frame) or frame < 0:
                raise ValueError
        except ValueError:
            found = ",".join(row)[:60]
            raise FileProblem(path, "frame,x,y,z: numbers", f"'{found}'", line=number) from None
        known[int(frame)] = place
    first, last = min(known), max(known)
    if last - first > _LONGEST:
        raise FileProblem(path, f"at most {_LONGEST} frames", str(last - first))
    places = np.full((last - first + 1, 3), np.nan)
    for frame, place in known.items():
        places[frame - first] = place
    return places, first


_LONGEST = 1_000_000
