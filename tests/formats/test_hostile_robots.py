"""Robots of strangers: refused in one line or read without what is wrong with them; never worse."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import pytest

from poise.errors import FileProblem
from poise.formats.disk import reading_below
from poise.formats.robots import read_character
from tests.formats import hostile_robots
from tests.formats.hostile_robots import Hostile

pytest.importorskip("mujoco")

QUICK = [item for item in hostile_robots.ALL if not item.is_slow]


def skip_unless_possible(item: Hostile) -> None:
    if item.needs_pipes and not hasattr(os, "mkfifo"):
        pytest.skip("no pipes on this system")
    if item.only_confined and sys.platform == "win32":
        pytest.skip("links need rights on this system")


@pytest.mark.parametrize("is_server", [False, True], ids=["own", "server"])
@pytest.mark.parametrize("item", QUICK, ids=lambda item: item.name)
def test_a_hostile_robot_is_refused_or_harmless(
    item: Hostile, is_server: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    skip_unless_possible(item)
    path = item.written(tmp_path)
    before = {each for each in tmp_path.rglob("*")}
    folder = reading_below(tmp_path / "project") if is_server else contextlib.nullcontext()
    loads = item.loads or (item.only_confined and not is_server)
    with folder, contextlib.nullcontext() if loads else pytest.raises(FileProblem) as caught:
        character = read_character(path)
    said = capfd.readouterr()
    assert said.out == "" and said.err == ""
    assert {each for each in tmp_path.rglob("*")} == before, "no log is left behind"
    if caught is not None:
        message = str(caught.value)
        assert str(tmp_path) in message or "/dev/zero" in message, "it names a file of ours"
        assert "\n" not in message and len(message) < 900
    elif not item.only_confined:
        names = character.skeleton.joint_names
        assert not any(hostile_robots.SECRET in name for name in names)
        assert character.body is not None and character.body.total_mass_kg < 100
