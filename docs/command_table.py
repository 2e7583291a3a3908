"""The page docs/commands.md, made from the commands themselves: `python docs/command_table.py`."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import fields
from inspect import unwrap
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import typer

from poise.apps.cli.clip_options import ClipOptions
from poise.apps.cli.main import app

PAGE = Path(__file__).with_name("commands.md")
HEAD = (
    "# Commands\n\n"
    "Made by `python docs/command_table.py` from the commands themselves; a test compares.\n\n"
    "Files in options, and in values of `--set`, are seen from the current folder; those inside a "
    "recipe, a body file or a place file from the folder of that file. An option that does not fit "
    "a file (`--animation` of a BVH) is refused, not ignored. Of a command that follows a recipe, "
    "options come before what the recipe says, and `--set` before both.\n\n"
    "## Options of every command that reads a clip\n\n"
    "The same, by the same names, in {reading}. Each is a value of a recipe, named in the last "
    "column. With `--against`, the original is read alike, as far as its format takes the options. "
    "A body file (`--body`) holds what a recipe says under `character`:\n\n"
    "```yaml\nmass_kg: 71.5\nsex: female\nroles: {{left_knee: LShin}}\n```\n"
)

KEYS = {
    "unit": "clip.unit", "up": "clip.up", "skeleton": "clip.skeleton",
    "rate": "clip.capture_rate_hz", "animation": "clip.animation", "frames": "clip.frames",
    "clean": "clip.clean", "fix_rate": "clip.wrong_rate: fix",
    "keep_rate": "clip.wrong_rate: keep", "environment": "environment",
    "suggest_surfaces": "environment: suggested", "body": "character",
    "mass": "character.mass_kg", "table": "character.table", "sex": "character.sex",
    "roles": "character.roles", "soles": "character.soles",
}  # fmt: skip
"""Where a recipe has what an option says."""

_WORDS = {Path: "FILE", str: "TEXT", float: "NUMBER", int: "WHOLE NUMBER"}


class Option(NamedTuple):
    """An option or an argument of a command."""

    field: str
    """Of the function."""
    names: tuple[str, ...]
    """All that may be typed; none of an argument."""
    value: str
    """The kind of value; nothing of a flag."""
    default: object
    required: bool
    about: str


def commands() -> dict[str, Any]:
    """All commands by what is typed, `family build` among them."""
    return dict(_inside(typer.main.get_command(app), ""))


def _inside(group: Any, before: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _inside(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def function_of(command: Any) -> Callable[..., None]:
    """The function behind a command, with its records."""
    return unwrap(command.callback)


def reads_a_clip(command: Any) -> bool:
    """Whether it takes the options of a clip."""
    return ClipOptions in get_type_hints(function_of(command)).values()


def options_of(command: Any) -> dict[str, Option]:
    """What may be typed after a command, by the names in its function."""
    hints = get_type_hints(command.callback, include_extras=True)
    return {
        each.name: Option(
            each.name,
            (*each.opts, *each.secondary_opts) if each.opts[0].startswith("-") else (),
            _value(each, hints[each.name]),
            each.default,
            each.required,
            each.help or "",
        )
        for each in command.params
    }


def _value(shown: Any, hint: Any) -> str:
    inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(inner) in (Union, types.UnionType):
        (inner,) = (each for each in get_args(inner) if each is not type(None))
    if inner is bool:
        return ""
    if shown.metavar:
        return str(shown.metavar)
    many = get_origin(inner) is list
    kind = get_args(inner)[0] if many else inner
    if get_origin(kind) is tuple:
        return " ".join(_WORDS[each] for each in get_args(kind))
    return f"{_WORDS[kind]}{'...' if many else ''}"


def page() -> str:
    """The whole page."""
    every = commands()
    common = [field.name for field in fields(ClipOptions)]
    reading = [name for name, command in every.items() if reads_a_clip(command)]
    parts = [HEAD.format(reading=", ".join(f"`{name}`" for name in reading))]
    first = options_of(every[reading[0]])
    lines = ["| option | value | what it does | in a recipe |", "|---|---|---|---|"]
    for name in common:
        each = first[name]
        lines.append(f"| {_names(each)} | {each.value} | {_cell(each.about)} | `{KEYS[name]}` |")
    parts.append("\n".join(lines) + "\n")
    for name, command in every.items():
        parts.append(_section(name, command, common))
    return "\n".join(parts)


def _section(name: str, command: Any, common: list[str]) -> str:
    lines = [f"## `poise {name}`", "", _summary(command), ""]
    own = [
        each
        for each in options_of(command).values()
        if not (reads_a_clip(command) and each.field in common)
    ]
    if own:
        lines += ["| option | value | without it | what it does |", "|---|---|---|---|"]
    for each in own:
        default = "needed" if each.required else _default(each.default)
        lines.append(f"| {_names(each)} | {each.value} | {default} | {_cell(each.about)} |")
    if reads_a_clip(command):
        lines += ["", "And the options of every command that reads a clip."]
    return "\n".join(lines) + "\n"


def _summary(command: Any) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split())


def _names(each: Option) -> str:
    return " ".join(f"`{name}`" for name in each.names) or f"`{each.field.upper()}`"


def _default(value: object) -> str:
    if value in (None, False, ()):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
