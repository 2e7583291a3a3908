"""Hostile files of every kind through every command that reads them, within limits.

Codes 0, 2 and 3 only, no traceback, no warning, no nan, a gigabyte and ten seconds at most.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.apps.degenerate_commands import COMMANDS, QUICK, prepared, warm_up
from tests.apps.hostile_commands import commands_for
from tests.apps.limited import NO_FORK, Worker, nan_in_files, worker
from tests.formats.hostile_files import HostileFile, hostile_files

pytestmark = NO_FORK

KINDS = ("clip", "skeleton", "recipe", "place", "mapping", "roles", "contacts")
LEAST_FILES = 400
QUICK_EVERY = 24
"""One file in so many, each through two commands, is quick enough for every run of the tests."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile")
    prepared(made)
    return made


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Worker]:
    with worker() as made:
        yield made


def faults(
    running: Worker,
    folder: Path,
    item: HostileFile,
    commands: Iterable[tuple[str, tuple[str, ...]]],
) -> list[str]:
    """What is wrong with how commands took a file."""
    here = folder / "here"
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir()
    item.write(here)
    named = list(commands)
    # Outputs differ, so that no command is refused because of the one before.
    words = [
        tuple(
            word.replace("out.", f"out{i}.") if word.startswith("out.") else word for word in each
        )
        for i, (_, each) in enumerate(named)
    ]
    done = running.run_all(here, words)
    for name in (item.file, *item.beside):
        (here / name).unlink()
    found = [
        f"{item.kind} '{item.name}', {name}: {wrong}"
        for (name, _), ran in zip(named, done, strict=False)
        if (wrong := ran.wrong())
    ]
    return found + [f"{item.kind} '{item.name}' {each}" for each in nan_in_files(here)]


def test_there_are_hundreds_of_hostile_files_of_every_kind() -> None:
    files = hostile_files()
    names = Counter((item.kind, item.file, item.name) for item in files)
    assert len(files) >= LEAST_FILES
    assert max(names.values()) == 1, names.most_common(3)
    assert {item.kind for item in files} == set(KINDS)


def test_some_hostile_files_through_some_commands(running: Worker, folder: Path) -> None:
    warm_up(running, folder, QUICK)
    found: list[str] = []
    for number, item in enumerate(hostile_files()[::QUICK_EVERY]):
        commands = list(commands_for(item))
        chosen = [commands[(2 * number + i) % len(commands)] for i in range(2)]
        found += faults(running, folder, item, chosen)
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all_hostile_files_through_all_commands(running: Worker, folder: Path, kind: str) -> None:
    warm_up(running, folder)
    found: list[str] = []
    for item in hostile_files():
        if item.kind == kind:
            found += faults(running, folder, item, commands_for(item))
    assert not found, "\n".join(found)


def test_what_runs_commands_tells_a_bug_a_runaway_and_a_number_that_is_none(
    running: Worker, folder: Path
) -> None:
    """The judge itself: it must be able to find something."""
    good = running.run(folder, "inspect", "usual.bvh")
    assert good.wrong() == "" and good.code == 0 and "joints" in good.out
    assert 0.0 < good.cpu_s and 50 * 2**20 < good.peak_bytes
    refused = running.run(folder, "inspect", "none.bvh")
    assert refused.code == 2 and refused.wrong() == ""
    assert "code 2" in refused.wrong(codes=(0,))
    for change in (
        {"code": 70}, {"code": -24}, {"err": "Traceback"}, {"out": "slide  nan cm/s"},
        {"err": "x.py:3: RuntimeWarning: divide"}, {"cpu_s": 11.0}, {"peak_bytes": 2**31},
    ):  # fmt: skip
        assert type(good)(**{**vars(good), **change}).wrong(), change
    assert len(COMMANDS) > 20
