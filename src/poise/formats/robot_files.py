"""The files that a robot's model names: MuJoCo opens them itself, so they are looked at before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from poise.errors import FileProblem
from poise.formats.disk import check_readable, is_confined, read_bytes

_FOLDERS = ("meshdir", "assetdir", "texturedir")
_TAKEN_IN = ("include", "model")
"""Elements whose file is a model in its turn."""


def check_named_files(path: Path, data: bytes, *, max_bytes: int) -> None:
    """Nothing, if all that a model names may be read.

    Args:
        path: the model.
        data: its content.
        max_bytes: of a model that it takes in.

    Raises:
        FileProblem: a file that may not be read (see `reading_below`), or XML that is not well
            formed: what cannot be looked through is not trusted.
    """
    if not is_confined():
        return
    waiting, seen = [(path, data)], {path}
    while waiting:
        including, content = waiting.pop()
        for file, is_model in _named(path, including, content):
            check_readable(file)
            if is_model and file not in seen and file.is_file():
                seen.add(file)
                waiting.append((file, read_bytes(file, max_bytes=max_bytes)))


def _named(path: Path, including: Path, content: bytes) -> Iterator[tuple[Path, bool]]:
    """Wherever MuJoCo may look: beside the model, beside what names the file, in its folders."""
    lowered = content.lower()
    if b"<!doctype" in lowered or b"<!entity" in lowered:
        raise FileProblem(including, "plain XML", "a document type declaration (DOCTYPE)")
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as problem:
        raise FileProblem(including, "XML that is well formed", str(problem)[:200]) from None
    folders = [""]
    folders += [each.get(key, "") for each in root.iter() for key in _FOLDERS]
    for each in root.iter():
        for key in ("file", "filename"):
            name = each.get(key)
            if name:
                for base in {path.parent, including.parent}:
                    for folder in dict.fromkeys(folders):
                        yield base / folder / _plain(name), each.tag in _TAKEN_IN


def _plain(name: str) -> str:
    """Without the schemes of ROS: what follows is looked for among the folders."""
    return name.removeprefix("package://").removeprefix("model://").removeprefix("file://")
