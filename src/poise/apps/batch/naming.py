"""What the files of a clip are called in the folder of results: as in the library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from poise.apps.batch.journal import RESULTS, TABLE
from poise.apps.batch.library import Entry
from poise.formats.table import extensions
from poise.recipes import Recipe

PAGE = "library.html"
_RESERVED = {RESULTS, TABLE, PAGE}
_EXTRAS = ("glb", "before", "contacts", "robot")
"""Keys of a recipe's outputs that have a file beside the clip."""


class Naming:
    """Names for the files of all clips of a library, none twice."""

    def __init__(self, entries: Iterable[Entry], recipe: Recipe, form: str, pages: bool) -> None:
        """How they are called.

        Args:
            entries: all clips.
            recipe: says by its outputs what is written beside the clip.
            form: extension of written clips, with its dot; empty: what the recipe's output has, or
                each its own.
            pages: whether each gets a report.
        """
        self._outputs = recipe.outputs.items()
        said = self._outputs.get("clip")
        self._form = form or ("" if said is None else PurePosixPath(said).suffix)
        self._pages = pages or "report" in self._outputs
        self._other_body = recipe.character.is_another
        self._writable = extensions("write_clip")
        # Walk.bvh and walk.bvh are one file on some systems.
        counts = Counter(self._clip_name(entry.name).lower() for entry in entries)
        self._shared = {name for name, count in counts.items() if count > 1}

    def files(self, name: str) -> tuple[tuple[str, str], ...]:
        """Keys and names of what is written for a clip."""
        base = _without_extension(name)
        clip = self._clip_name(name)
        pages = f"{base}.html"
        if clip.lower() in self._shared or {clip.lower(), pages.lower()} & _RESERVED:
            base = name
            clip = f"{name}{PurePosixPath(clip).suffix}"
        found = {"clip": clip}
        for key in _EXTRAS:
            said = self._outputs.get(key)
            if said is not None:
                middle = "" if key == "glb" else f".{key}"
                found[key] = f"{base}{middle}{PurePosixPath(said).suffix}"
        if self._pages:
            found["report"] = f"{base}.html"
        if found.get("glb") == clip:
            del found["glb"]
        return tuple(found.items())

    def _clip_name(self, name: str) -> str:
        own = PurePosixPath(name).suffix.lower()
        if self._form:
            form = self._form
        elif own == ".gltf":
            form = ".glb"
        elif own not in self._writable or (own == ".amc" and self._other_body):
            form = ".bvh"
        else:
            form = PurePosixPath(name).suffix
        return f"{_without_extension(name)}{form}"


def _without_extension(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))
