"""Where a written file came from: which version, which source, which steps.

Nothing here depends on the clock or the machine: the same clip gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

import poise
from poise.motion.clip import Clip


@dataclass(frozen=True)
class Provenance:
    """What a file says about its making."""

    version: str
    """The version of Poise that wrote it."""
    source_path: str
    """Name of the file the clip was read from, without directories; empty when made by code."""
    source_sha256: str
    """Of that file's bytes; empty when made by code."""
    recipe_sha256: str
    """Of the recipe's bytes, or of the steps when there was no recipe."""
    steps: tuple[str, ...]
    """What was done, one sentence a step."""

    def as_dict(self) -> dict[str, str | list[str]]:
        """Plain values for JSON, in a fixed order."""
        return {
            "version": self.version,
            "source_path": self.source_path,
            "source_sha256": self.source_sha256,
            "recipe_sha256": self.recipe_sha256,
            "steps": list(self.steps),
        }

    def as_json(self) -> str:
        """The same as text that ends with a line break, for a file beside the output."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"


def provenance_of(clip: Clip, recipe: bytes | None = None) -> Provenance:
    """The record for a clip that is about to be written.

    Args:
        clip: what will be written; its source and its history are told.
        recipe: the bytes of the recipe that made it, if one did.
    """
    steps = clip.history
    told = recipe if recipe is not None else "\n".join(steps).encode("utf-8", "surrogatepass")
    return Provenance(
        version=poise.__version__,
        source_path="" if clip.source is None else _file_name(clip.source.path),
        source_sha256="" if clip.source is None else clip.source.sha256,
        recipe_sha256=hashlib.sha256(told).hexdigest(),
        steps=steps,
    )


def _file_name(path: str) -> str:
    # A clip read on Windows may be written elsewhere, so both separators count.
    return PureWindowsPath(PurePosixPath(path).name).name
