"""Real leaps under a wrong frame rate, and as they are: what `inspect` knows, `correct` obeys."""

from __future__ import annotations

from pathlib import Path

import pytest

import poise
from poise.apps.inspection import RateReport, inspect_clip
from poise.job import Recipe, Step, edit_of, subject, vocabulary
from poise.methods.correct import Settings as CorrectSettings
from poise.motion.cleanup import clean
from tests.apps.command_line import Command
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


def test_correct_stops_and_says_what_to_add(tmp_path: Path, command: Command) -> None:
    path = rewritten("02_04", tmp_path, "dropped")
    done = command("correct", path, "-o", "out.bvh")
    assert done.code == 2 and not (tmp_path / "out.bvh").exists()
    (line,) = [line for line in done.err.splitlines() if line.startswith("poise:")]
    assert "39.3 m/s²" in line and "looks like 60 Hz" in line
    assert "--fix-rate" in line and "--keep-rate" in line and "wrong_rate: fix" in line


def test_correct_puts_the_rate_right_when_told_to(tmp_path: Path, command: Command) -> None:
    path = rewritten("02_04", tmp_path, "dropped")
    done = command("correct", path, "-o", "out.bvh", "--only", "contacts", "--fix-rate")
    assert done.code == 0, done.err
    assert "Put right: taken as captured at 60 Hz" in done.err
    made = poise.load(tmp_path / "out.bvh")
    assert made.rate_hz == pytest.approx(60.0, rel=1e-3)
    both = command("correct", path, "-o", "o.bvh", "--fix-rate", "--keep-rate")
    assert both.code == 2 and "beside --keep-rate" in both.err


@pytest.mark.parametrize("name", LEAPS)
def test_no_right_rate_stops_a_step(name: str) -> None:
    recipe = Recipe([Step("correct", CorrectSettings())])
    found = subject(recipe, MOCAP / "cmu" / f"{name}.bvh")
    assert found.rate is not None and found.rate.verdict == "right"
    edit_of(recipe, 0, found, found.clip, vocabulary())  # would raise


def test_a_batch_row_says_why_it_was_refused(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    rewritten("02_04", library, "dropped")
    poise.batch(library, tmp_path / "out", workers=1)
    rows = (tmp_path / "out" / "results.jsonl").read_text(encoding="utf-8")
    assert '"refused"' in rows and "looks like 60 Hz" in rows and "--fix-rate" in rows
