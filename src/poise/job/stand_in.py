"""Clips made by code that stand in for captures, where these are missing.

A recipe may name a capture that nobody ships. Where the file is missing, a clip made by code takes
its place, with the values of the recipe that fit this clip; the run says so.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from poise.errors import PoiseError
from poise.job.changes import put_at
from poise.job.error_context import RecipeProblem, place_of
from poise.yaml_nodes import Node, Problem, node_from

CAPTURES = "POISE_CAPTURES"
"""Environment variable: the folder in which captures are looked for, instead of where recipes say.
"""

_OF_THE_STAND_IN = ("sample", "seconds", "frames", "defects")
_OF_ANY_CLIP = ("rate_hz", "clean")
_OF_THE_CAPTURE = ("file", "stand_in")
_HERE = ("clip", "stand_in")


def capture_file(folder: Path, name: str) -> Path:
    """The file of a capture that a recipe in this folder names.

    Where `POISE_CAPTURES` names a folder, it is looked for there: under as much of its path as fits
    (`mocap/cmu/02_01.bvh`, `cmu/02_01.bvh`, `02_01.bvh`). If it is nowhere, the last of these.
    """
    captures = os.environ.get(CAPTURES, "").strip()
    if not captures:
        return folder / name
    parts = [part for part in Path(name).parts if part not in ("..", Path(name).anchor)]
    places = [Path(captures, *parts[start:]) for start in range(len(parts))]
    return next((place for place in places if place.is_file()), places[-1])


def is_missing(root: Node, folder: Path) -> bool:
    """Whether the capture of a recipe is missing, so that a clip made by code may stand in."""
    file = root.nearest(("clip", "file"))
    if file.place.is_option:  # whoever asks for a file on the command line wants that one
        return False
    return isinstance(file.content, str) and not capture_file(folder, file.content).is_file()


def with_values(root: Node) -> Node:
    """The recipe with the values that fit its stand-in.

    Raises:
        RecipeProblem: values that lead nowhere, each with its place.
    """
    listed = root.at((*_HERE, "set"))
    problems: list[Problem] = []
    for path, value in listed.items().items() if listed is not None else ():
        try:
            root = put_at(root, path, lambda _, own=value: own)
        except PoiseError as problem:
            place = value.key_place or place_of(problem, value)
            problems.append(Problem(place, f"'set' of stand_in: {problem}"))
    if problems:
        raise RecipeProblem(problems)
    return root


def standing_in(root: Node, missing: Path) -> Node:
    """The recipe about its stand-in, once `with_values` has been there; it says so in `about`."""
    clip, given = root.nearest(("clip",)), root.nearest(_HERE)
    kept = {
        key: value
        for key, value in clip.items().items()
        if key in _OF_ANY_CLIP or (value.place.is_option and key not in _OF_THE_CAPTURE)
    }
    own = {key: value for key, value in given.items().items() if key in _OF_THE_STAND_IN}
    root = root.put(("clip",), replace(clip, content={**own, **kept}))
    about = root.child("about")
    text = about.content if about is not None and isinstance(about.content, str) else ""
    said = f"{stand_in_note(str(own['sample'].content), missing)}\n\n{text}"
    place = root.place if about is None else about.place
    return root.put(("about",), replace(node_from(said), place=place))


def stand_in_note(sample: str, missing: Path) -> str:
    """The sentence that a run says of its stand-in."""
    return (
        f"A clip made by code ('{sample}') stands in for {missing.name}, which is not in"
        f" {os.path.normpath(missing.parent)} (docs/captures.md says where to get it)."
    )
