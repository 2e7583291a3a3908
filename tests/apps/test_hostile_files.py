"""The whole hostile corpus through the command line: one line, code 2, no traceback."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from poise.apps.cli.main import main
from tests.formats import corpus


def refusal(path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr(sys, "argv", ["poise", "inspect", str(path)])
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr()
    assert stopped.value.code == 2, said.err
    assert said.out == "" and said.err.startswith("poise: ") and said.err.count("\n") == 1
    assert len(said.err) < 600, "a line, not a page"
    return said.err


@pytest.mark.parametrize("item", corpus.BVH, ids=lambda item: item.name)
def test_a_hostile_bvh_is_one_line_that_names_file_and_line(
    item: corpus.Hostile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "hostile.bvh"
    path.write_bytes(item.content)
    line = refusal(path, monkeypatch, capsys)
    assert "hostile.bvh" in line and "expected" in line
    if item.line is not None:
        assert f"hostile.bvh:{item.line}:" in line


@pytest.mark.slow
def test_a_bvh_cut_at_every_structural_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cut.bvh"
    for text in corpus.cut_after_every_word(corpus.GOOD_BVH):
        path.write_text(text, encoding="utf-8")
        assert "cut.bvh" in refusal(path, monkeypatch, capsys)


@pytest.mark.parametrize("name", ["binary.glb", "empty.npz", "noise.xml", "noise.urdf", "x.asf"])
def test_noise_under_any_extension(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(b"" if "empty" in name else bytes(range(256)) * 4)
    assert name in refusal(path, monkeypatch, capsys)


@pytest.mark.parametrize("suffix", [".bvh", ".amc", ".glb", ".npz", ".xml"])
def test_a_folder_with_the_name_of_a_clip(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"folder{suffix}"
    path.mkdir()
    assert path.name in refusal(path, monkeypatch, capsys)
