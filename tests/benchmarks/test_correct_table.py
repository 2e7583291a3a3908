"""The judge of corrections must see a pop, a broken limit and a clip it has no preset for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
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
from benchmarks.turning import QUIET_DEG_S, fastest_turns
from poise import rotations
from poise.motion import Clip
from poise.samples import walk
from tests.shared_data import MOCAP, needs_mocap


def turned(clip: Clip, joint: int, frame: int, angle_deg: float) -> Clip:
    """The clip with one joint turned further in one frame only."""
    q = clip.rotations_wxyz.copy()
    turn = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(angle_deg))
    q[frame, joint] = rotations.multiply(q[frame, joint], turn)
    return replace(clip, rotations_wxyz=q)


def test_a_clip_does_not_pop_against_itself() -> None:
    clip = walk()
    ratio, _ = fastest_turns(clip, clip)
    assert ratio <= 1.0


def test_a_turn_of_one_frame_is_seen_and_named() -> None:
    clip = walk()
    joint = clip.skeleton.joint_names.index("Head")
    ratio, where = fastest_turns(turned(clip, joint, 20, 30.0), clip)
    assert ratio > 1.2
    assert where in ("Head at frame 20", "Head at frame 21")


def test_a_joint_that_never_turned_may_turn_slowly_but_not_jump() -> None:
    clip = walk()
    still = np.tile(clip.rotations_wxyz[:1], (clip.frame_count, 1, 1))
    frozen = replace(clip, rotations_wxyz=still)
    slow = 0.5 * QUIET_DEG_S / clip.rate_hz
    assert fastest_turns(turned(frozen, 3, 10, slow), frozen)[0] == pytest.approx(0.5, rel=1e-6)
    assert fastest_turns(turned(frozen, 3, 10, 10.0), frozen)[0] > 1.2


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
