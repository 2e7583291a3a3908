"""The tables of docs/recipes.md, made from the records: `python docs/recipe_tables.py`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from poise.constraints import Interval, Recruit
from poise.job import (
    INTERVAL_KEYS,
    Vocabulary,
    described,
    hints_of,
    members,
    model_of,
    record_inside,
    summary,
    vocabulary,
)
from poise.recipes import CharacterChoice, ClipChoice, Outputs

PAGE = Path(__file__).with_name("recipes.md")

EVERY_CONSTRAINT = ("name", *INTERVAL_KEYS, "priority", "weight", "recruit")
"""Keys that the page explains once for all constraints."""


def tables(words: Vocabulary) -> dict[str, str]:
    """What belongs between the marks of the page, by the names of the marks."""
    made = {
        "clip": table(model_of(ClipChoice)),
        "character": table(model_of(CharacterChoice)),
        "outputs": table(model_of(Outputs)),
        "constraints": "\n\n".join(_constraint(kind, words) for kind in words.constraints),
        "settings": "\n\n".join(_settings(name, words) for name in words.methods),
    }
    return {name: text.strip() for name, text in made.items()}


def _constraint(kind: str, words: Vocabulary) -> str:
    record = words.constraints[kind]
    model = model_of(record)
    rows = table(model, without=tuple(k for k in EVERY_CONSTRAINT if not _told(model, k)))
    return "\n\n".join([f"### `{kind}`", _doc(record), rows, *_inner_tables(record)])


def _settings(name: str, words: Vocabulary) -> str:
    record = words.settings(name)
    parts = [f"### Settings of `{name}`", table(model_of(record)), *_inner_tables(record)]
    return "\n\n".join([*parts, *_presets(name, words)])


def _presets(name: str, words: Vocabulary) -> list[str]:
    """What each preset changes, for methods that have some."""
    presets: dict[str, dict[str, Any]] = getattr(words.methods[name], "PRESETS", {})
    if not presets:
        return []
    lines = ["| `preset` | other values than above |", "|---|---|"]
    for preset, values in presets.items():
        told = ", ".join(f"`{key}: {_shown(value)}`" for key, value in values.items())
        lines.append(f"| `{preset}` | {told or 'none'} |")
    return ["\n".join(lines)]


def _inner_tables(record: type) -> list[str]:
    """Tables of the records inside a record, but for those that the page explains itself."""
    parts: list[str] = []
    for name, hint in hints_of(record).items():
        inner = record_inside(hint)
        if inner is not None and inner not in (Interval, Recruit):
            each = "Each entry of" if inner not in members(hint) else "Under"
            parts += [f"{each} `{name}`: {_small(summary(inner))}", table(model_of(inner))]
    return parts


def _doc(record: type) -> str:
    """All of a docstring, a paragraph to a line."""
    paragraphs = (inspect.getdoc(record) or "").split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)


def table(model: type[BaseModel], *, without: tuple[str, ...] = ()) -> str:
    """The keys of a model: what may stand there, what is taken without it, what it is for."""
    lines = ["| key | value | without it | |", "|---|---|---|---|"]
    for key, field in model.model_fields.items():
        if key in without:
            continue
        value = _value(field.annotation)
        about = (field.description or "").replace("|", "\\|")
        lines.append(f"| `{key}` | {value} | {_default(field)} | {about} |")
    return "\n".join(lines)


def _value(hint: Any) -> str:
    """A type in words, without the keys of what has a table of its own."""
    return re.sub(r"keys and values \(.*?\)", "keys and values", described(hint))


def _default(field: Any) -> str:
    if field.is_required():
        return "needed"
    if field.default is PydanticUndefined or field.default in (None, ()):
        return ""
    return _shown(field.default)


def _shown(value: Any) -> str:
    """A plain value as a recipe would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, cast('tuple[Any, ...]', value)))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _told(model: type[BaseModel], key: str) -> bool:
    """Whether a record says something of its own about a key that every constraint has."""
    field = model.model_fields.get(key)
    return key not in INTERVAL_KEYS and field is not None and bool(field.description)


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def page_with_tables(page: str, words: Vocabulary) -> str:
    """The page with all tables as they should be."""
    for name, text in tables(words).items():
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if len(mark.findall(page)) != 1:
            raise ValueError(f"{PAGE.name} has no place for {name}")
        page = mark.sub(lambda found, text=text: f"{found[1]}{text}\n{found[2]}", page)
    return page


if __name__ == "__main__":
    PAGE.write_text(
        page_with_tables(PAGE.read_text(encoding="utf-8"), vocabulary()), encoding="utf-8"
    )
