"""The README's own Python runs, on clips made by code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import poise
from poise.face import Result
from poise.motion import resample
from poise.samples import jumping, walking
from tests.shared_data import ROBOTS, needs_robots

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    captures = tmp_path / "captures"
    captures.mkdir()
    poise.save(resample(walking(1.2).clip, 30.0), captures / "walk.bvh")
    poise.save(resample(jumping().clip, 60.0), captures / "jump.bvh")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_is_python_in_it() -> None:
    assert len(BLOCKS) == 2


def test_its_main_jobs_run(folder: Path) -> None:
    names: dict[str, object] = {}
    exec(compile(BLOCKS[0], "README.md", "exec"), names)
    assert (folder / "corrected" / "library.html").is_file()
    assert (folder / "corrected" / "walk.bvh").is_file()
    assert all((folder / name).is_file() for name in ("walk.html", "walk.glb", "further.bvh"))
    assert isinstance(names["slide_cm_s"], float)
    fixed = names["fixed"]
    assert isinstance(fixed, Result)
    shown = fixed._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "Foot slide" in shown and "data:image/png;base64," in shown
    assert fixed.render("walk.png").is_file()


@needs_robots
def test_its_robot_runs(folder: Path) -> None:
    (folder / "g1.xml").write_bytes((ROBOTS / "unitree_g1" / "g1_mjx.xml").read_bytes())
    exec(compile(BLOCKS[1], "README.md", "exec"), {})
    rows = (folder / "walk.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 37 and all(len(row.split(",")) == 36 for row in rows)


def test_help_lists_every_public_function() -> None:
    for name in poise.__all__:
        assert (getattr(poise, name).__doc__ or "").strip(), name
