"""Every command that reads a clip has the same options for it; the page of commands is current."""

from __future__ import annotations

import ast
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from poise.apps.cli.clip_options import ClipOptions
from tests.docs_scripts import docs_script

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"

READER = ("poise.formats.table", "load_clip")
"""The one function that reads clips."""

READ_NO_CLIP_OF_THE_USER = {
    "family play": "the studio, with the leap that is inside the family",
}
"""Commands that get to the reader, but not with a clip that the user has named."""


@pytest.fixture(scope="module")
def table() -> ModuleType:
    return docs_script("command_table")


def test_the_page_of_commands_is_current(table: ModuleType) -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert page == table.page(), "run: python docs/command_table.py"


def test_common_options_are_common(table: ModuleType) -> None:
    names = [field.name for field in fields(ClipOptions)]
    reading = {n: c for n, c in table.commands().items() if table.reads_a_clip(c)}
    assert len(reading) >= 18
    first = table.options_of(reading["inspect"])
    for name, command in reading.items():
        found = table.options_of(command)
        for each in names:
            assert found[each] == first[each], f"{each} of poise {name}"


def test_a_rate_is_what_comes_in_and_fps_what_goes_out(table: ModuleType) -> None:
    for name, command in table.commands().items():
        options = table.options_of(command)
        assert ("rate" in options) == table.reads_a_clip(command), name
        for each in options.values():
            assert not {"--rate-hz", "--out-rate"} & set(each.names), name
            assert "--fps" not in each.names or each.value == "NUMBER", name


def test_each_option_is_the_value_of_a_recipe_that_the_page_says(
    table: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "body.yaml").write_text("mass_kg: 60\n")
    given = {"rate": 60.0, "mass": 60.0, "fix_rate": True, "keep_rate": True}
    given |= {"suggest_surfaces": True, "body": tmp_path / "body.yaml"}
    for field in fields(ClipOptions):
        made = ClipOptions(**{field.name: given.get(field.name, "all")})
        (change,) = made.changes()
        path, _, value = table.KEYS[field.name].partition(": ")
        assert ".".join(change.path).startswith(path)
        assert not value or change.value == value


def test_every_command_that_reads_a_clip_takes_its_options(table: ModuleType) -> None:
    takes, reads = set[str](), set[str]()
    for name, command in table.commands().items():
        function = table.function_of(command)
        if table.reads_a_clip(command):
            takes.add(name)
        start = (function.__module__, function.__qualname__.split(".")[0])
        if READER in reached(start):
            reads.add(name)
    assert takes <= reads
    assert reads - takes == set(READ_NO_CLIP_OF_THE_USER)


# Which functions a function gets to: by the names that it uses, resolved through imports.

Name = tuple[str, str]


@cache
def module(name: str) -> tuple[dict[str, ast.AST], dict[str, Name]]:
    """What a module defines at its top, and what it imports there, by name."""
    path = SOURCE / name.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not path.is_file():
        return {}, {}
    defined: dict[str, ast.AST] = {}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            defined |= {each.id: node for each in targets if isinstance(each, ast.Name)}
    return defined, imports(tree.body)


def imports(nodes: list[ast.stmt]) -> dict[str, Name]:
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for top in nodes
        if not isinstance(top, ast.If)  # for type checkers alone
        for node in ast.walk(top)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def resolved(name: Name) -> Name:
    """Where it is defined, behind what only hands it on."""
    defined, imported = module(name[0])
    if name[1] not in defined and name[1] in imported and imported[name[1]] != name:
        return resolved(imported[name[1]])
    return name


@cache
def used(name: Name) -> set[Name]:
    defined, imported = module(name[0])
    node = defined.get(name[1])
    if node is None:
        return set()
    inside = {**imported, **imports([each for each in ast.iter_child_nodes(node)])}  # type: ignore[misc]
    found: set[Name] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            known = inside.get(each.id) or ((name[0], each.id) if each.id in defined else None)
            if known is not None and known[0].startswith("poise"):
                found.add(resolved(known))
    return found


@cache
def reached(start: Name) -> frozenset[Name]:
    seen, waiting = {start}, [start]
    while waiting:
        for each in used(waiting.pop()) - seen:
            seen.add(each)
            waiting.append(each)
    return frozenset(seen)
