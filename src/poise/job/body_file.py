"""A body file: what a recipe says under `character`, in a file of its own, for many clips of one.

mass_kg: 71.5
sex: female
roles: {left_knee: LShin}
"""

from __future__ import annotations

from pathlib import Path

from poise.errors import FileProblem
from poise.formats import read_bytes
from poise.job.changes import Change
from poise.yaml_nodes import parse_yaml

EXTENSIONS = (".yaml", ".yml", ".json")
_WHAT = "a body: keys of 'character' of a recipe, such as mass_kg"
_MAX_VALUES = 10_000


def is_body_file(path: Path) -> bool:
    """Whether a file is one by its extension, not of a robot."""
    return path.suffix.lower() in EXTENSIONS


def body_changes(path: Path) -> list[Change]:
    """The keys of a body file, each as a change of a recipe; its files are seen from its folder.

    What is wrong with a value is said where the recipe is checked, with the line of the file.

    Raises:
        FileProblem: no such file, or one of another form.
    """
    root, problems = parse_yaml(
        read_bytes(path, max_bytes=1 << 18), str(path), _WHAT, max_values=_MAX_VALUES
    )
    if problems:
        raise problems[0].of_file(path, _WHAT)
    if not isinstance(root.content, dict):
        raise FileProblem(path, _WHAT, root.kind, line=root.place.line)
    folder = path.absolute().parent
    return [
        Change(("character", key), node.plain(), f"--body {path}, line {node.place.line}", folder)
        for key, node in root.items().items()
    ]
