"""A fingerprint of what a result depends on: the clip, the recipe, and the files that both name.

Files are read with the readers' own limits, wherever a clip is done: in a worker. What cannot be
read has a fingerprint, too; why it cannot be, its reader says.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from poise.apps.batch.order import Order
from poise.errors import FileProblem
from poise.extensions import extending_packages
from poise.formats import buffer_files, content_hash, find_skeleton, read_bytes
from poise.job import SUGGESTED, Change, Recipe
from poise.version import __version__
from poise.yaml_nodes import parse_yaml

MAX_BYTES = 2**30
"""No reader takes a larger file."""

_MAX_VALUES = 200_000
"""Of a file of places once its aliases are written out."""
_MAX_MODELS = 1000
"""That a robot's file takes in."""
_NAMED_IN_MODELS = re.compile(r"""\b(?:file|filename)\s*=\s*["']([^"']{1,4096})["']""")
_FOLDERS_IN_MODELS = re.compile(r"""\b(?:meshdir|assetdir)\s*=\s*["']([^"']{1,4096})["']""")


@dataclass(frozen=True)
class Fingerprint:
    """Of one clip and of what is done with it."""

    input_sha256: str
    recipe_sha256: str


def fingerprint(path: Path, order_sha256: str, changes: Sequence[str | Change]) -> Fingerprint:
    """Of a clip's file with those that belong to it, and of an order with its changes.

    Raises nothing but `MemoryError`, whatever the files hold.
    """
    return Fingerprint(_hash_of([path]), _with_changes(order_sha256, changes, read=True))


def unread_fingerprint(
    path: Path, order_sha256: str, changes: Sequence[str | Change]
) -> Fingerprint:
    """Of a clip whose files a worker did not survive: nothing is opened."""
    try:
        status = path.stat()
        facts = f"not read: {status.st_size} bytes of {status.st_mtime_ns}"
    except (OSError, ValueError):
        facts = "not there"
    digest = hashlib.sha256(facts.encode()).hexdigest()
    return Fingerprint(digest, _with_changes(order_sha256, changes, read=False))


def order_hash(order: Order) -> str:
    """Of what results have in common: Poise, packages that extend it, the recipe and its files.

    Raises:
        RecipeProblem: what is wrong with the recipe.
    """
    changes = [_said(change) for change in order.changes]
    facts = (__version__, order.text, changes, order.without, order.format, order.pages)
    # Without packages that extend Poise, what there is keeps its hash.
    told = (*facts, *extending_packages(), _hash_of(files_of_recipe(order.followed_with())))
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def named_files(recipe: Recipe) -> tuple[Path, ...]:
    """The files that a recipe names, beside its clip, whether they are there or not."""
    character, place = recipe.character, recipe.environment
    named: list[object] = [character.to, character.mapping, character.roles, recipe.clip.skeleton]
    named += [value for step in recipe.steps for value in (step.contacts, step.pattern)]
    named.append(None if place == SUGGESTED else place)
    return tuple(recipe.folder / name for name in named if isinstance(name, str) and name)


def files_of_recipe(recipe: Recipe) -> tuple[Path, ...]:
    """The files that a recipe names, in its description of a place as well, and that are there."""
    inside = [recipe.folder / each for each in _strings(recipe.environment)]
    found = [path for path in (*named_files(recipe), *inside) if is_file(path)]
    return tuple(dict.fromkeys(found))


def is_file(path: Path) -> bool:
    """Whether a file is there; names that no file can have are of none."""
    try:
        return path.is_file()
    except (OSError, ValueError, RuntimeError):  # too long; a null byte; a loop of links
        return False


def _with_changes(order: str, changes: Sequence[str | Change], *, read: bool) -> str:
    """The hash of an order whose values are others for one clip."""
    if not changes:
        return order
    named = [
        (each.folder or Path()) / each.value
        for each in changes
        if read and isinstance(each, Change) and isinstance(each.value, str) and each.value
    ]
    files = [_hash_of([path]) for path in named if is_file(path)]
    facts = (order, [_said(each) for each in changes], files)
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _said(change: str | Change) -> str:
    """A change in one line."""
    if isinstance(change, str):
        return change
    path = change.path if isinstance(change.path, str) else ".".join(map(str, change.path))
    return f"{path}={json.dumps(change.value)}"


def _hash_of(paths: Iterable[Path]) -> str:
    """Of files, and of those that they name in turn."""
    digest = hashlib.sha256()
    for path in paths:
        for file in dict.fromkeys((path, *_companions(path))):
            digest.update(_content(file).encode())
    return digest.hexdigest()


def _content(path: Path) -> str:
    """The hash of a file, or why there is none."""
    try:
        return content_hash(path, max_bytes=MAX_BYTES)
    except FileProblem as problem:
        return ascii(f"no content: expected {problem.expected}, found {problem.found}")


def _companions(path: Path) -> Sequence[Path]:
    """Files without which a file is nothing: the skeleton of a motion, the meshes of a robot."""
    kind = path.suffix.lower()
    try:
        if kind == ".amc":
            return [find_skeleton(path)]
        if kind in (".gltf", ".glb"):
            return buffer_files(path)
        if kind in (".xml", ".mjcf", ".urdf"):
            return _of_model(path)
        if kind in (".yaml", ".yml", ".json"):
            return _of_place(path)
    except (FileProblem, RecursionError):
        pass  # whoever reads it says what is wrong
    return ()


def _of_place(path: Path) -> list[Path]:
    root, _ = parse_yaml(read_bytes(path), str(path), "a place", max_values=_MAX_VALUES)
    files = [path.parent / word for word in _strings(root.plain())]
    return [file for file in files if is_file(file)]


def _strings(content: object) -> Iterator[str]:
    """All strings in the content of a file of places: those that name a file are hashed."""
    left = [content]
    while left:
        each = left.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            left += each.values()
        elif isinstance(each, list | tuple):
            left += each


def _of_model(path: Path) -> list[Path]:
    found: list[Path] = []
    waiting, seen = [path], {path}
    while waiting and len(seen) <= _MAX_MODELS:
        model = waiting.pop()
        text = read_bytes(model).decode("utf-8", "replace")
        folders = ["", *dict.fromkeys(_FOLDERS_IN_MODELS.findall(text))]
        for each in sorted(set(_NAMED_IN_MODELS.findall(text))):
            file = next((f for d in folders if is_file(f := model.parent / d / each)), None)
            if file is None:
                continue
            found.append(file)
            if file.suffix.lower() in (".xml", ".mjcf") and file not in seen:
                seen.add(file)
                waiting.append(file)
    return found
