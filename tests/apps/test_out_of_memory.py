"""Too little memory is a request that is too large, not a bug: code 2, and what to do."""

from __future__ import annotations

import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import poise.apps.cli.main as command_line
from poise.formats import save_clip
from tests.apps.limited import NO_FORK, worker
from tests.formats.degenerate import still

ENDLESS = 2**58


@numba.njit
def _of_a_kernel(count: int) -> float:
    return np.zeros(count).sum()


def _of_numpy(count: int) -> float:
    return float(np.zeros(count).sum())


def _of_what_says_nothing(count: int) -> float:
    raise SystemError("error return without exception set")  # as Numba does when it boxes results


def _of_python(count: int) -> int:
    return len(b"x" * count)


@pytest.mark.parametrize("asks", [_of_a_kernel, _of_numpy, _of_python, _of_what_says_nothing])
def test_any_failed_allocation_is_one_line_with_advice(
    asks, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_line, "app", lambda **_: asks(ENDLESS))
    monkeypatch.setattr(sys, "argv", ["poise", "correct", "walk.bvh"])
    with pytest.raises(SystemExit) as stopped:
        command_line.main()
    said = capsys.readouterr().err
    assert stopped.value.code == 2
    assert said.startswith("poise: Not enough memory") and said.count("\n") == 1
    assert "--frames 0:2000" in said and "clip.rate_hz" in said
    assert "bug" not in said


@NO_FORK
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not hold address spaces to limits")
def test_a_machine_that_is_too_small_for_a_clip_says_so(tmp_path: Path) -> None:
    save_clip(still(40_000), tmp_path / "long.npz")
    with worker() as running:
        running.warm(tmp_path, [["inspect", "long.npz"]])
        enough = running.run(tmp_path, "convert", "long.npz", "a.glb")
        assert enough.code == 0, enough.err
        codes: set[int] = set()
        for megabytes in range(700, 3000, 300):
            ran = running.run(
                tmp_path, "convert", "long.npz", f"{megabytes}.glb",
                address_bytes=megabytes * 2**20,
            )  # fmt: skip
            codes.add(ran.code)
            assert ran.code in (0, 2), ran.err
            if ran.code == 2:
                assert "Not enough memory" in ran.err and "--frames" in ran.err
        assert codes == {0, 2}


def test_another_failure_of_compiled_code_is_a_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_: object) -> None:
        raise SystemError("bad argument to internal function")

    monkeypatch.setattr(command_line, "app", broken)
    monkeypatch.setattr(sys, "argv", ["poise", "correct", "walk.bvh"])
    with pytest.raises(SystemExit) as stopped:
        command_line.main()
    assert stopped.value.code == command_line.EXIT_BUG
    assert "a bug in Poise" in capsys.readouterr().err
