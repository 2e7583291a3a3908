"""Earlier results that still hold: workers compare content, because files may be hostile."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from poise.apps.batch.fingerprint import Fingerprint, fingerprint
from poise.apps.batch.journal_row import MOST_BYTES
from poise.apps.batch.one_clip import OutputFile
from poise.errors import FileProblem
from poise.formats import content_hash
from poise.job import Change


@dataclass(frozen=True)
class ResultCheck:
    """A clip that is done, for a worker to look at."""

    clip: str
    """Its path."""
    order_sha256: str
    changes: tuple[str | Change, ...]
    folder: str
    """Of the results."""
    outputs: tuple[OutputFile, ...]


@dataclass(frozen=True)
class Checked:
    """The state that it found."""

    fingerprint: Fingerprint
    is_whole: bool
    """Whether all outputs are there and as they were written."""


def check_result(check: ResultCheck) -> Checked:
    """Read the clip, what it is done with, and what came of it."""
    whole = all(is_as_written(Path(check.folder), each) for each in check.outputs)
    return Checked(fingerprint(Path(check.clip), check.order_sha256, check.changes), whole)


def is_as_written(folder: Path, output: OutputFile) -> bool:
    """Whether a file below a folder has the size and the hash that it was written with.

    Links are none of ours: what they lead to was written elsewhere.
    """
    path = folder / output["file"]
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size != output["bytes"]:
            return False
        return content_hash(path, max_bytes=MOST_BYTES) == output["sha256"]
    except (OSError, ValueError, FileProblem):
        return False
