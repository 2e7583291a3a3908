"""What the files of results are called: as in the library, and none twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from poise.apps.batch.entry import stem_of
from poise.apps.batch.library import BOOKS
from poise.formats import extensions
from poise.job import Recipe

_EXTRAS = ("glb", "before", "contacts", "robot")
"""Keys of a recipe's outputs that have a file beside the clip."""


class Naming:
    """Names for the files of all clips of a library, none twice."""

    def __init__(
        self,
        names: Sequence[str],
        recipe: Recipe,
        form: str,
        pages: bool,
        taken: Iterable[str] = (),
    ) -> None:
        """Names of all clips count, also of those left out of a run: names must not depend on that.

        Clips get the extension `form`, or that of the recipe's own output, or keep theirs. Files of
        clips that the library has no more are `taken`.
        """
        self._outputs = recipe.outputs.items()
        said = self._outputs.get("clip")
        self._form = form or ("" if said is None else PurePosixPath(said).suffix)
        self._pages = pages or "report" in self._outputs
        self._other_body = recipe.character.is_another
        self._writable = extensions("write_clip")
        self._bases = self._distinct(names, {*BOOKS, *(name.lower() for name in taken)})

    def files(self, name: str) -> tuple[tuple[str, str], ...]:
        """Keys and names of what is written for a clip."""
        return self._files(name, self._bases.get(name, stem_of(name)))

    def _distinct(self, names: Sequence[str], taken: set[str]) -> dict[str, str]:
        """What the files of clips begin with, where that is not the clip's name alone.

        Walk.bvh and walk.bvh are one file on some systems, and a file cannot be where a folder is.
        """

        def lowered(name: str, base: str) -> list[str]:
            return [file.lower() for _, file in self._files(name, base)]

        taken |= {str(each).lower() for name in names for each in PurePosixPath(name).parents}
        short = {name: lowered(name, stem_of(name)) for name in names}
        counts = Counter(file for files in short.values() for file in files)
        found: dict[str, str] = {}
        for name, files in short.items():
            if any(counts[file] > 1 or file in taken for file in files):
                found[name] = name
        used = taken.union(*(files for name, files in short.items() if name not in found))
        for name in sorted(found):
            number = 1
            while used.intersection(lowered(name, found[name])):
                number += 1
                found[name] = f"{name}~{number}"
            used.update(lowered(name, found[name]))
        return found

    def _files(self, name: str, base: str) -> tuple[tuple[str, str], ...]:
        clip = f"{base}{self._extension(name)}"
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

    def _extension(self, name: str) -> str:
        """Of the written clip."""
        own = PurePosixPath(name).suffix
        if self._form:
            return self._form
        if own.lower() == ".gltf":
            return ".glb"
        if own.lower() not in self._writable or (own.lower() == ".amc" and self._other_body):
            return ".bvh"
        return own
