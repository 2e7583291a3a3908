"""The tables of docs/recipes.md and docs/captures.md: `python docs/recipe_tables.py`.

Those about recipes are made from the records, that about captures from the recipes in `examples`.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, cast, get_type_hints

from ruamel.yaml import YAML

from poise.constraints import Interval, Recruit
from poise.job import (
    INTERVAL_KEYS,
    CharacterChoice,
    ClipChoice,
    Key,
    Outputs,
    Vocabulary,
    described,
    keys_of,
    record_inside,
    summary,
    vocabulary,
)
from poise.record_ranges import members

PAGE = Path(__file__).with_name("recipes.md")
CAPTURES = Path(__file__).with_name("captures.md")
RECIPES = Path(__file__).resolve().parents[1] / "examples" / "recipes"

EVERY_CONSTRAINT = ("name", *INTERVAL_KEYS, "priority", "weight", "recruit")
"""Keys that the page explains once for all constraints."""


def tables(words: Vocabulary) -> dict[str, str]:
    """What belongs between the marks of the page, by the names of the marks."""
    made = {
        "clip": "\n\n".join([table(ClipChoice), *_inner_tables(ClipChoice)]),
        "character": table(CharacterChoice),
        "outputs": table(Outputs),
        "constraints": "\n\n".join(_constraint(kind, words) for kind in words.constraints),
        "settings": "\n\n".join(_settings(name, words) for name in words.methods),
    }
    return {name: text.strip() for name, text in made.items()}


def _constraint(kind: str, words: Vocabulary) -> str:
    record = words.constraints[kind]
    rows = table(record, without=tuple(k for k in EVERY_CONSTRAINT if not _told(record, k)))
    return "\n\n".join([f"### `{kind}`", _doc(record), rows, *_inner_tables(record)])


def _settings(name: str, words: Vocabulary) -> str:
    record = words.settings(name)
    parts = [f"### Settings of `{name}`", table(record), *_inner_tables(record)]
    return "\n\n".join([*parts, *_presets(name, words)])


def _presets(name: str, words: Vocabulary) -> list[str]:
    """What each preset changes, for methods that have some."""
    presets = words.methods[name].presets
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
    for field in fields(record):
        name, hint = field.name, get_type_hints(record)[field.name]
        inner = record_inside(hint)
        if inner is not None and inner not in (Interval, Recruit):
            each = "Each entry of" if inner not in members(hint) else "Under"
            parts += [f"{each} `{name}`: {_small(summary(inner))}", table(inner)]
    return parts


def _doc(record: type) -> str:
    """All of a docstring, a paragraph to a line."""
    paragraphs = (inspect.getdoc(record) or "").split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)


def table(record: type, *, without: tuple[str, ...] = ()) -> str:
    """The keys of a record: what may stand there, what is taken without it, what it is for."""
    lines = ["| key | value | without it | |", "|---|---|---|---|"]
    for key in keys_of(record):
        if key.name not in without:
            about = key.about.replace("|", "\\|")
            lines.append(f"| `{key.name}` | {_value(key.hint)} | {_default(key)} | {about} |")
    return "\n".join(lines)


def _value(hint: Any) -> str:
    """A type in words, without the keys of what has a table of its own."""
    return re.sub(r"keys and values \(.*?\)", "keys and values", described(hint))


def _default(key: Key) -> str:
    if key.is_needed:
        return "needed"
    return "" if key.default in (MISSING, None, ()) else _shown(key.default)


def _shown(value: Any) -> str:
    """A plain value as a recipe would have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, cast('tuple[Any, ...]', value)))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _told(record: type, key: str) -> bool:
    """Whether a record says something of its own about a key that every constraint has."""
    about = {each.name: each.about for each in keys_of(record)}
    return key not in INTERVAL_KEYS and bool(about.get(key))


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def captures_table() -> str:
    """Which capture each example recipe is about, and what stands in for it."""
    lines = ["| recipe | capture | stand-in |", "|---|---|---|"]
    for path in sorted(RECIPES.rglob("*.yaml")):
        clip = YAML(typ="safe").load(path.read_text(encoding="utf-8")).get("clip")
        if clip is not None:
            name = path.relative_to(RECIPES).with_suffix("").as_posix()
            capture = "/".join(Path(clip["file"]).parts[-2:])
            lines.append(f"| `{name}` | `{capture}` | `{clip['stand_in']['sample']}` |")
    return "\n".join(lines)


def page_with_tables(page: str, words: Vocabulary) -> str:
    """The page of recipes with all tables as they should be."""
    for name, text in tables(words).items():
        page = with_table(page, name, text)
    return page


def with_table(page: str, name: str, text: str) -> str:
    """A page with a table between its marks."""
    mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if len(mark.findall(page)) != 1:
        raise ValueError(f"the page has no place for {name}")
    return mark.sub(lambda found: f"{found[1]}{text}\n{found[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(
        page_with_tables(PAGE.read_text(encoding="utf-8"), vocabulary()), encoding="utf-8"
    )
    CAPTURES.write_text(
        with_table(CAPTURES.read_text(encoding="utf-8"), "recipes", captures_table()),
        encoding="utf-8",
    )
