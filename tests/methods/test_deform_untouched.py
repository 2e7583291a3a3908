"""What no constraint reaches keeps its bits, in memory and in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from poise.constraints import Constraint, HoldPoint, Interval, LookAt, Orient, Recruit, tasks_of
from poise.formats import load_clip, save_clip
from poise.methods import Edit, deform
from poise.methods.deform.smoothing import half_width
from poise.motion import Clip
from tests.methods.edited import clip_named, is_real, recorded
from tests.shared_data import MOCAP, needs_mocap

Flags = NDArray[np.bool_]


def out_of_reach(edit: Edit, settings: deform.Settings) -> tuple[Flags, Flags]:
    """(F, J) and (F,) where neither rotations nor the root may change.

    By the promise: joints that nobody recruits, and frames outside every interval, widened by the
    half-width of the filter.
    """
    clip = edit.clip
    joints = np.ones((clip.frame_count, clip.skeleton.joint_count), dtype=np.bool_)
    root = np.ones(clip.frame_count, dtype=np.bool_)
    half = half_width(settings.smoothing_s, clip.rate_hz)
    for constraint in edit.constraints:
        for task in tasks_of(constraint, edit.scene):
            wide = slice(max(0, task.first - half), task.last + half + 1)
            joints[wide] &= ~task.recruits.joints
            root[wide] &= not task.recruits.translation
    return joints, root


def assert_same_bits(before: Clip, after: Clip, joints: Flags, root: Flags) -> None:
    """Rotations up to the sign of a joint's quaternion.

    A clip keeps signs continuous along time. An edit that lets go of a joint more than half a turn
    away from the original therefore flips the sign of all its later quaternions: -q, the same
    rotation with the same digits.
    """
    np.testing.assert_array_equal(after.root_positions_m[root], before.root_positions_m[root])
    same = (after.rotations_wxyz == before.rotations_wxyz).all(axis=-1)
    flipped = (after.rotations_wxyz == -before.rotations_wxyz).all(axis=-1)
    assert (same | flipped)[joints].all()
    for joint in range(before.skeleton.joint_count):
        outside = flipped[:, joint] & ~same[:, joint] & joints[:, joint]
        first = int(np.argmax(outside)) if outside.any() else before.frame_count
        assert not joints[:first, joint].all() or first == before.frame_count
        if joints[:, joint].all():
            assert not outside.any(), "a joint that is never recruited is never flipped"


ARM = Recruit(up_to="left_collar")


def local_edits(clip: Clip) -> dict[str, Sequence[Constraint]]:
    """Edits of a part of the clip, with and without easing, in and out of reach."""
    a, b = clip.frame_count // 3, 2 * clip.frame_count // 3
    plain, smooth = Interval(a, b), Interval(a, b, 5, 5)
    return {
        "an arm": [HoldPoint("h", "left_wrist", (0.1, 0.2, 0.1), smooth, "offset", recruit=ARM)],
        "an arm at once": [
            HoldPoint("h", "left_wrist", (0.1, 0.2, 0.1), plain, "offset", recruit=ARM)
        ],
        "an arm too short": [
            HoldPoint("h", "left_wrist", (0.1, 0.9, 0.9), smooth, "offset", recruit=ARM)
        ],
        "the whole body": [HoldPoint("h", "left_wrist", (0.1, 0.9, 0.9), smooth, "offset")],
        "head and arm at different times": [
            LookAt("g", "head", (1.0, 2.0, 0.0), Interval(a, a + 10, 3, 3),
                   recruit=Recruit(up_to="neck")),
            Orient("o", "left_wrist", (0.7, 0.7, 0.0, 0.0), Interval(b - 3, b + 4), "offset",
                   recruit=ARM, priority=2),
        ],
    }  # fmt: skip


NAMES = list(local_edits(clip_named("walk@30")[0]))
CLIPS = ["walk@30", "golf@60", "02_01@30", "64_01@60"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "label", [pytest.param(c, marks=needs_mocap if is_real(c) else ()) for c in CLIPS]
)
def test_what_is_out_of_reach_keeps_its_bits(label: str, name: str) -> None:
    clip, character = clip_named(label)
    edit, settings = Edit(clip, character, local_edits(clip)[name]), deform.Settings()
    result = deform.run(edit, settings)
    joints, root = out_of_reach(edit, settings)
    assert joints.mean() > 0.5 and root.mean() > 0.3
    assert_same_bits(clip, result.clip, joints, root)
    assert not (result.clip.rotations_wxyz == clip.rotations_wxyz).all(), "something was edited"


def numbers(path: Path) -> tuple[list[str], list[list[str]]]:
    """The header of a BVH file, and the words of each of its frames."""
    head, _, motion = path.read_text().partition("MOTION")
    return head.split("\n"), [line.split() for line in motion.strip().split("\n")[2:]]


@needs_mocap
@pytest.mark.parametrize("name", ["an arm", "the whole body"])
def test_a_saved_file_has_the_numbers_of_the_original_where_nothing_reached(
    name: str, tmp_path: Path
) -> None:
    """Text and all: what was not edited is written as it was read."""
    source = MOCAP / "cmu" / "02_01.bvh"
    clip = load_clip(source)
    _, character = recorded("02_01", 120.0)
    edit, settings = Edit(clip, character, local_edits(clip)[name]), deform.Settings()
    result = deform.run(edit, settings)
    saved = tmp_path / "edited.bvh"
    save_clip(result.clip, saved)
    joints, root = out_of_reach(edit, settings)
    _, before = numbers(source)
    _, after = numbers(saved)
    assert len(before) == len(after) == clip.frame_count
    untouched = joints.all(axis=1) & root
    assert untouched.sum() > 100
    for frame in np.flatnonzero(untouched).tolist():
        assert [float(w) for w in after[frame]] == [float(w) for w in before[frame]]
    changed = [f for f in range(clip.frame_count) if before[f] != after[f]]
    assert changed
    again = load_clip(saved)
    quiet = joints.all(axis=0)  # joints that nobody recruits at all
    np.testing.assert_array_equal(again.rotations_wxyz[:, quiet], clip.rotations_wxyz[:, quiet])
