"""Which joint of a body follows which of another, where what is found is to be changed.

A YAML mapping: a joint of the target, and the joint of the source that it follows; nothing, or
`null`, leaves it at rest.

    LeftFingers: lhand
    Tail1: null
"""

from __future__ import annotations

from pathlib import Path

from poise.errors import FileProblem
from poise.formats import read_bytes
from poise.yaml_nodes import parse_yaml

_WHAT = "a YAML mapping of joints"
_FORM = "joints of the target, each with one of the source"
_MOST_BYTES = 1 << 20


def read_mapping(path: Path) -> dict[str, str]:
    """Joints of the target, and what they follow: an empty text for nothing.

    Raises:
        FileProblem: anything else; a joint that comes twice.
    """
    data = read_bytes(path, max_bytes=_MOST_BYTES)
    try:
        root, problems = parse_yaml(data, str(path), "joints", max_bytes=_MOST_BYTES)
    except FileProblem as problem:
        wanted = _FORM if problem.expected == "joints" else _WHAT  # an empty file is YAML
        raise FileProblem(path, wanted, problem.found, line=problem.line) from None
    if not isinstance(root.content, dict):
        raise FileProblem(path, _FORM, str(root.plain())[:60])
    for key in root.odd_keys:  # YAML would keep the last, which may not be the one that is meant
        first = root.items().get(key.word)
        line = None if first is None or first.key_place is None else first.key_place.line
        again = f"'{key.word}' again (first in line {line})"
        raise FileProblem(path, "each joint once", again[:120], line=key.place.line)
    if problems:
        found = "a tag, or a number that is none"
        raise FileProblem(path, _WHAT, found, line=problems[0].place.line)
    made: dict[str, str] = {}
    for target, source in root.items().items():
        if not (source.content is None or isinstance(source.content, str)):
            raise FileProblem(path, "names of joints", f"{target!r}: {source.plain()!r}"[:80])
        made[target] = source.content or ""
    return made
