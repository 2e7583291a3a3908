"""Which joint of a body follows which of another, where what is found is to be changed.

A YAML mapping: a joint of the target, and the joint of the source that it follows; nothing, or
`null`, leaves it at rest.

    LeftFingers: lhand
    Tail1: null
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from poise.errors import FileProblem
from poise.formats import read_bytes

_MOST_BYTES = 1 << 20


def read_mapping(path: Path) -> dict[str, str]:
    """Joints of the target, and what they follow: an empty text for nothing.

    Raises:
        FileProblem: anything else; a joint that comes twice.
    """
    data = read_bytes(path, max_bytes=_MOST_BYTES)
    try:
        found: Any = yaml.safe_load(data.decode("utf-8"))
        root = yaml.compose(data.decode("utf-8"), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as problem:
        raise FileProblem(path, "a YAML mapping of joints", str(problem).split("\n")[0]) from None
    if not isinstance(found, Mapping):
        raise FileProblem(
            path, "joints of the target, each with one of the source", str(found)[:60]
        )
    _check_once(path, root)
    made: dict[str, str] = {}
    for target, source in cast(Mapping[Any, Any], found).items():
        if not isinstance(target, str) or not (source is None or isinstance(source, str)):
            raise FileProblem(path, "names of joints", f"{target!r}: {source!r}"[:80])
        made[target] = source or ""
    return made


def _check_once(path: Path, root: yaml.Node | None) -> None:
    """Of a joint that comes twice YAML keeps the last, which may not be the one that is meant."""
    if not isinstance(root, yaml.MappingNode):
        return
    lines: dict[str, int] = {}
    for key, _ in cast("list[tuple[yaml.Node, yaml.Node]]", root.value):
        name, line = str(cast("object", key.value)), _line(key)
        if name in lines:
            again = f"'{name}' again (first in line {lines[name]})"
            raise FileProblem(path, "each joint once", again[:120], line=line)
        lines[name] = line


def _line(node: yaml.Node) -> int:
    return 1 if node.start_mark is None else node.start_mark.line + 1
