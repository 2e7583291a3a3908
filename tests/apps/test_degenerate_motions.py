"""Motions that nobody would capture through every command that takes a clip.

Codes 0, 2 and 3 only, no traceback, no warning, no nan, a gigabyte and ten seconds at most.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from poise.formats import save_clip
from tests.apps.degenerate_commands import COMMANDS, QUICK, STREAMED, prepared, warm_up
from tests.apps.limited import NO_FORK, Worker, nan_in_files, worker
from tests.formats.degenerate import MOTIONS

pytestmark = NO_FORK

LEAST_MOTIONS = 45


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("degenerate")
    prepared(made)
    return made


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Worker]:
    with worker() as made:
        yield made


def faults(running: Worker, folder: Path, motion: str, commands: Sequence[str]) -> list[str]:
    """What is wrong with how commands took a motion."""
    here = folder / "here"
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir()
    clip = MOTIONS[motion]()
    save_clip(clip, here / "clip.npz")
    if any(name in STREAMED for name in commands):
        save_clip(clip, here / "clip.bvh")
    words = [
        [
            word.format(clip="clip.bvh" if name in STREAMED else "clip.npz", out=f"out{i}")
            for word in COMMANDS[name]
        ]
        for i, name in enumerate(commands)
    ]
    done = running.run_all(here, words)
    found = [
        f"'{motion}', {name}: {wrong}"
        for name, ran in zip(commands, done, strict=False)
        if (wrong := ran.wrong())
    ]
    if len(done) < len(words):
        found.append(f"'{motion}': {commands[len(done) - 1]} ended the process")
    return found + [f"'{motion}' {each}" for each in nan_in_files(here)]


def test_there_are_many_kinds_of_motions_and_all_are_clips_of_finite_numbers() -> None:
    assert len(MOTIONS) >= LEAST_MOTIONS
    for name, make in MOTIONS.items():
        clip = make()
        assert np.isfinite(clip.root_positions_m).all(), name
        assert np.isfinite(clip.rotations_wxyz).all(), name


def test_every_motion_through_a_quick_command(running: Worker, folder: Path) -> None:
    warm_up(running, folder, QUICK)
    found: list[str] = []
    for number, motion in enumerate(MOTIONS):
        found += faults(running, folder, motion, [QUICK[number % len(QUICK)]])
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("motion", MOTIONS)
def test_every_motion_through_every_command(running: Worker, folder: Path, motion: str) -> None:
    warm_up(running, folder)
    found = faults(running, folder, motion, list(COMMANDS))
    assert not found, "\n".join(found)
