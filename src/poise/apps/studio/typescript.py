"""The messages as TypeScript: `python -m poise.apps.studio.typescript` writes the page's file."""

from __future__ import annotations

import sys
import types
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Literal, Union, get_args, get_origin, get_type_hints

from poise.apps.studio import from_page, to_page
from poise.apps.studio.wire import kind_of
from poise.job import field_docs, summary

FILE = Path("studio") / "src" / "messages.ts"
_HEAD = """// Made by `python -m poise.apps.studio.typescript` from the server's records.
"""
_WORDS: dict[object, str] = {
    str: "string", int: "number", float: "number", bool: "boolean", type(None): "null",
    object: "any",
}  # fmt: skip


def typescript() -> str:
    """All messages and what they hold."""
    records: dict[str, type] = {}
    for module in (from_page, to_page):
        for name, each in vars(module).items():
            if is_dataclass(each) and isinstance(each, type) and each.__module__ == module.__name__:
                records[name] = each
    parts = [_HEAD, *(_interface(name, each) for name, each in records.items())]
    parts.append(_union("FromPage", from_page.FromPage))
    parts.append(_union("FromServer", to_page.FromServer))
    return "\n".join(parts)


def _interface(name: str, record: type) -> str:
    hints, docs = get_type_hints(record), field_docs(record)
    lines = [f"/** {summary(record)} */", f"export interface {name} {{"]
    for each in fields(record):
        if docs.get(each.name):
            lines.append(f"  /** {docs[each.name]} */")
        literal = get_origin(hints[each.name]) is Literal and each.name == "kind"
        may_miss = record.__module__ == from_page.__name__ and each.default is not MISSING
        mark = "?" if may_miss and not literal else ""
        lines.append(f"  {each.name}{mark}: {_type(hints[each.name])};")
    if record in get_args(to_page.FromServer):
        lines.append(f'  kind: "{kind_of(record)}";')
    return "\n".join([*lines, "}", ""])


def _union(name: str, union: object) -> str:
    members = " | ".join(each.__name__ for each in get_args(union))
    return f"export type {name} = {members};\n"


def _type(hint: object) -> str:
    if hint in _WORDS:
        return _WORDS[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(f'"{each}"' for each in inner)
    if origin in (Union, types.UnionType):
        return " | ".join(_type(each) for each in inner)
    if origin is tuple:
        if len(inner) == 2 and inner[1] is Ellipsis:
            return f"({_type(inner[0])})[]" if " | " in _type(inner[0]) else f"{_type(inner[0])}[]"
        return f"[{', '.join(_type(each) for each in inner)}]"
    if origin is dict:
        return f"Record<string, {_type(inner[1])}>"
    assert isinstance(hint, type)
    return hint.__name__


def main() -> None:
    """Write the file of the project in the current folder."""
    if not FILE.parent.is_dir():
        sys.exit(f"{FILE.parent} is not here: run this in the project's folder")
    FILE.write_text(typescript(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
