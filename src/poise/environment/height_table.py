"""The heights of a terrain from a table in a text file."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.environment.height_field import MAX_NODES
from poise.formats import Lines, number_from, read_text, shown


def read_heights(path: Path) -> Array:
    """(X, Z) metres: one line for each x, in it one number for each z.

    Numbers are separated by commas, semicolons or blanks; lines beginning with # are comments.

    Raises:
        FileProblem: with the line of a word that is no number, or of a row of another length.
    """
    lines = Lines(read_text(path))
    values, width = array("d"), 0
    while (line := lines.next()).words:
        words = " ".join(line.words).replace(",", " ").replace(";", " ").split()
        width = width or len(words)
        if len(words) != width:
            raise lines.wrong(line, f"{width} heights as in the first row", found=f"{len(words)}")
        for word in words:
            number = number_from(word)
            if number is None:
                raise lines.wrong(line, "a height in metres", found=shown(word))
            values.append(number)
        if len(values) > MAX_NODES:
            raise lines.wrong(line, f"at most {MAX_NODES} heights", found="more")
    return np.array(values).reshape(-1, max(width, 1))
