"""What a result depends on, as a hash: the clip's bytes, the recipe and the files it names."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote

from poise.apps.batch.order import Order
from poise.errors import PoiseError
from poise.formats import find_skeleton
from poise.job import SUGGESTED, Change, Recipe
from poise.version import __version__
from poise.yaml_nodes import parse_yaml

_NAMED_IN_MODELS = re.compile(r"""\b(?:file|filename)\s*=\s*["']([^"']+)["']""")
_FOLDERS_IN_MODELS = re.compile(r"""\b(?:meshdir|assetdir)\s*=\s*["']([^"']+)["']""")


def order_hash(order: Order, recipe: Recipe) -> str:
    """Of all that results have in common: another Poise, other recipe or other files of it."""
    digest = hashlib.sha256()
    changes = [_said(change) for change in order.changes]
    facts = (__version__, order.text, changes, order.without, order.format, order.pages)
    digest.update(json.dumps(facts).encode())
    for path in files_of(recipe):
        digest.update(_content(path))
    return digest.hexdigest()


def clip_hash(path: Path) -> str:
    """Of a clip's file and those that belong to it; of one that cannot be read, of that."""
    digest = hashlib.sha256()
    for part in (path, *_companions(path)):
        digest.update(_content(part))
    return digest.hexdigest()


def with_changes(order: str, changes: Sequence[str | Change]) -> str:
    """The hash of an order whose values are others for one clip."""
    if not changes:
        return order
    digest = hashlib.sha256(json.dumps((order, [_said(each) for each in changes])).encode())
    for change in changes:
        typed = change.partition("=")[2].strip() if isinstance(change, str) else change.value
        if isinstance(typed, str) and typed and _is_file(Path(typed)):
            for file in (Path(typed), *_companions(Path(typed))):
                digest.update(_content(file))
    return digest.hexdigest()


def _said(change: str | Change) -> str:
    """A change in one line."""
    if isinstance(change, str):
        return change
    path = change.path if isinstance(change.path, str) else ".".join(map(str, change.path))
    return f"{path}={json.dumps(change.value)}"


def named_files(recipe: Recipe) -> tuple[Path, ...]:
    """The files that a recipe names, beside its clip, whether they are there or not."""
    character, place = recipe.character, recipe.environment
    named: list[object] = [character.to, character.mapping, character.roles, recipe.clip.skeleton]
    named += [value for step in recipe.steps for value in (step.contacts, step.pattern)]
    named.append(None if place == SUGGESTED else place)
    return tuple(recipe.folder / name for name in named if isinstance(name, str) and name)


def files_of(recipe: Recipe) -> tuple[Path, ...]:
    """The files that a recipe names, and those that they name in turn."""
    inside = [recipe.folder / each for each in _strings(recipe.environment)]
    found = [path for path in (*named_files(recipe), *inside) if _is_file(path)]
    return tuple(dict.fromkeys(f for path in found for f in (path, *_companions(path))))


def _strings(content: object) -> Iterable[str]:
    """All strings in the content of a file of places: those that name a file are hashed."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        yield from _strings(tuple(content.values()))
    elif isinstance(content, list | tuple):
        for value in content:
            yield from _strings(value)


def _companions(path: Path) -> list[Path]:
    """Files without which a file is nothing: the skeleton of a motion, the meshes of a robot."""
    kind = path.suffix.lower()
    try:
        if kind == ".amc":
            return [find_skeleton(path)]
        if kind in (".xml", ".mjcf", ".urdf"):
            return _of_model(path, set())
        if kind in (".yaml", ".yml", ".json"):
            return _of_place(path)
        if kind == ".gltf":
            described = json.loads(path.read_bytes())
            names = [str(each.get("uri", "")) for each in described.get("buffers", ())]
            files = [unquote(name) for name in names if name and not name.startswith("data:")]
            return [path.parent / file for file in files]
    except (PoiseError, OSError, ValueError, AttributeError, TypeError):
        return []  # whoever reads it says what is wrong
    return []


def _of_place(path: Path) -> list[Path]:
    root, _ = parse_yaml(path.read_bytes(), str(path), "a place")
    files = [path.parent / word for word in _strings(root.plain())]
    return [file for file in files if _is_file(file)]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _of_model(path: Path, seen: set[Path]) -> list[Path]:
    if path in seen:
        return []
    seen.add(path)
    text = path.read_text("utf-8", "replace")
    folders = ["", *_FOLDERS_IN_MODELS.findall(text)]
    found: list[Path] = []
    for each in sorted(set(_NAMED_IN_MODELS.findall(text))):
        file = next((f for f in (path.parent / d / each for d in folders) if f.is_file()), None)
        if file is not None:
            found.append(file)
            if file.suffix.lower() in (".xml", ".mjcf"):
                found += _of_model(file, seen)
    return found


def _content(path: Path) -> bytes:
    """The hash of a file, or why there is none."""
    if not _is_file(path):  # no pipe, which would wait for ever
        return b"no file"
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as refused:
        return f"cannot be read: {refused.strerror}".encode()
