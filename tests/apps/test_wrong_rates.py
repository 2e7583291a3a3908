"""`poise inspect` on real leaps under a wrong frame rate, and as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

import poise
from poise.apps.inspection import RateReport, inspect_clip
from poise.motion.cleanup import clean
from tests.shared_data import MOCAP, needs_mocap

LEAPS = ("02_04", "13_11", "118_05", "124_11", "83_40")

pytestmark = needs_mocap


def rewritten(name: str, folder: Path, pick: str) -> Path:
    """The clip's own BVH text with frames dropped or doubled under the old header."""
    source = (MOCAP / "cmu" / f"{name}.bvh").read_text(encoding="utf-8").replace("\r\n", "\n")
    head, _, body = source.partition("Frame Time:")
    time, *rows = [line for line in body.split("\n") if line.strip()]
    rows = rows[::2] if pick == "dropped" else [row for row in rows for _ in range(2)]
    head = "\n".join(
        f"Frames: {len(rows)}" if line.startswith("Frames:") else line for line in head.split("\n")
    )
    path = folder / f"{name}_{pick}.bvh"
    path.write_text(f"{head}Frame Time:{time}\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def rate_of(path: Path) -> RateReport:
    return inspect_clip(poise.load(path), path).rate_check


@pytest.mark.parametrize("name", LEAPS)
def test_a_leap_as_it_was_captured_is_right(name: str) -> None:
    found = rate_of(MOCAP / "cmu" / f"{name}.bvh")
    assert found.verdict == "right"
    assert found.gravity_m_s2 is not None and 9.0 <= found.gravity_m_s2 <= 10.8


@pytest.mark.parametrize("name", LEAPS)
@pytest.mark.parametrize(("pick", "likely_hz"), [("dropped", 60.0), ("doubled", 240.0)])
def test_a_leap_with_frames_dropped_or_doubled_is_wrong(
    name: str, pick: str, likely_hz: float, tmp_path: Path
) -> None:
    found = rate_of(rewritten(name, tmp_path, pick))
    assert found.verdict == "wrong"
    assert found.likely_rate_hz == pytest.approx(likely_hz, rel=0.2)


def test_a_clip_without_flight_is_unverified_not_right() -> None:
    assert rate_of(MOCAP / "cmu" / "143_18.bvh").verdict == "unverified"
    clip, _ = clean(poise.load(MOCAP / "cmu" / "02_01.bvh"))
    assert inspect_clip(clip, Path("02_01.bvh")).rate_check.verdict == "unverified"
