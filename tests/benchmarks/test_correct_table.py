"""The judge of corrections must see a broken limit and a clip it has no preset for."""

from __future__ import annotations

import pytest

from benchmarks.correct_table import (
    LIMITS,
    PRESETS,
    broken_limits,
    flat_clips,
    judged,
    untouched,
    wrench_limit,
)
from tests.shared_data import MOCAP, needs_mocap


def test_every_limit_can_break() -> None:
    fine = {name: 0.0 for name in LIMITS}
    for name in ("force", "moment"):
        fine |= {name: 0.05, f"{name}_detector": 0.05, f"{name}_input": 0.02}
    assert broken_limits(fine) == ()
    for name in fine:
        if not name.endswith("_input"):
            assert broken_limits({**fine, name: 100.0}) == (name,)
    assert broken_limits({**fine, "slide": float("nan")}) == ("slide",)
    assert wrench_limit(0.3) == pytest.approx(0.15)


@needs_mocap
def test_every_flat_clip_has_one_preset() -> None:
    listed = [name for names in PRESETS.values() for name in names]
    assert sorted(listed) == sorted(path.stem for path in flat_clips())
    assert len(set(listed)) == len(listed)


@needs_mocap
def test_an_untouched_capture_breaks_the_limit_on_slide() -> None:
    row = judged(MOCAP / "cmu" / "02_01.bvh", untouched)
    assert "slide" in row.fails and row.figures["slide"] > 5.0
    assert row.figures["pop"] == pytest.approx(1.0)
    assert row.figures["rotation"] == pytest.approx(0.0, abs=1e-6)
