"""Cleaning steps: each defect is found where it was put, and repaired to the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.errors import UnknownName
from poise.motion import Clip
from poise.motion.cleanup import STEPS, clean, findings
from poise.samples import human_skeleton, with_dropped_frames, with_t_pose


def swaying(seconds: float, rate_hz: float = 120.0) -> Clip:
    """Every joint sways by 17 degrees about an axis of its own, once a second."""
    skeleton = human_skeleton()
    rng = np.random.default_rng(12345)
    t = np.arange(round(seconds * rate_hz) + 1)[:, None, None] / rate_hz
    axes = rng.normal(size=(skeleton.joint_count, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    phases = rng.uniform(0, 2 * np.pi, size=(skeleton.joint_count, 1))
    q = rotations.exp(0.3 * np.sin(2 * np.pi * t + phases) * axes)
    roots = skeleton.offsets_m[0] + t[:, 0] * np.array([0.0, 0.0, 1.3])
    return Clip(skeleton, rate_hz, roots, q)


@pytest.fixture(scope="module")
def clip() -> Clip:
    return swaying(1.5)


def worst_angle_deg(a: Clip, b: Clip) -> float:
    return float(np.degrees(rotations.angle_between(a.rotations_wxyz, b.rotations_wxyz).max()))


def flipped(clip: Clip, joint: str, first: int, last: int, degrees: float = 90.0) -> Clip:
    q = clip.rotations_wxyz.copy()
    j = clip.skeleton.index(joint)
    turn = rotations.from_axis_angle([0.0, 1.0, 0.0], np.radians(degrees))
    q[first : last + 1, j] = rotations.multiply(q[first : last + 1, j], turn)
    return replace(clip, rotations_wxyz=q)


def test_a_clean_clip_has_no_findings_and_comes_back_unchanged(clip: Clip) -> None:
    assert findings(clip) == ()
    cleaned, found = clean(clip)
    assert cleaned is clip and found == ()


def test_a_t_pose_is_named_and_removed(clip: Clip) -> None:
    cleaned, (found,) = clean(with_t_pose(clip))
    assert (found.step, found.frames) == ("t-pose", (0,))
    assert cleaned.frame_count == clip.frame_count
    np.testing.assert_array_equal(cleaned.root_positions_m, clip.root_positions_m)


def test_a_foreign_first_pose_is_found_without_exact_zeros(clip: Clip) -> None:
    rng = np.random.default_rng(3)
    fake = with_t_pose(clip)
    q = fake.rotations_wxyz.copy()
    q[0] = rotations.multiply(q[0], rotations.exp(rng.normal(scale=0.5, size=(len(q[0]), 3))))
    (found,) = findings(replace(fake, rotations_wxyz=q))
    assert (found.step, found.frames) == ("t-pose", (0,))


def test_dropped_frames_are_filled_from_their_neighbours(clip: Clip) -> None:
    cleaned, (found,) = clean(with_dropped_frames(clip, (40, 41, 90)))
    assert (found.step, found.frames) == ("dropped-frames", (40, 41, 90))
    assert worst_angle_deg(cleaned, clip) < 0.6
    assert np.abs(cleaned.root_positions_m - clip.root_positions_m).max() < 0.002


@pytest.mark.parametrize("frames", [(0,), (180,), (179, 180)])
def test_dropped_frames_at_the_ends_carry_the_motion_on(clip: Clip, frames: tuple[int]) -> None:
    assert clip.frame_count == 181
    damaged = with_dropped_frames(clip, frames)
    cleaned, (found,) = clean(damaged, ["dropped-frames"])
    assert found.frames == frames
    assert worst_angle_deg(cleaned, clip) < 1.0


def test_a_drop_right_behind_the_t_pose_is_not_filled_from_it(clip: Clip) -> None:
    damaged = with_t_pose(with_dropped_frames(clip, (0,)))
    # Like the CMU files: arms and legs turned a little, the root where the next frame has it.
    q = damaged.rotations_wxyz.copy()
    arm = clip.skeleton.index("LeftArm")
    q[0, arm] = rotations.from_axis_angle([0.0, 0.0, 1.0], np.radians(8.0))
    cleaned, found = clean(replace(damaged, rotations_wxyz=q))
    assert [(f.step, f.frames) for f in found] == [("t-pose", (0,)), ("dropped-frames", (1,))]
    assert worst_angle_deg(cleaned, clip) < 1.0


def test_a_flip_is_bridged_and_nothing_else_is_touched(clip: Clip) -> None:
    damaged = flipped(clip, "LeftFoot", 60, 63)
    cleaned, (found,) = clean(damaged)
    assert (found.step, found.joints) == ("rotation-flips", ("LeftFoot",))
    assert found.frames == (60, 61, 62, 63)
    assert worst_angle_deg(cleaned, clip) < 1.5
    others = [j for j, n in enumerate(clip.skeleton.joint_names) if n != "LeftFoot"]
    np.testing.assert_array_equal(
        cleaned.rotations_wxyz[:, others], damaged.rotations_wxyz[:, others]
    )


def test_a_lasting_jump_is_reported_and_left_alone(clip: Clip) -> None:
    damaged = flipped(clip, "Head", 100, clip.frame_count - 1)
    cleaned, (found,) = clean(damaged)
    assert found.repair == "" and found.frames == (100,)
    assert cleaned is damaged


@pytest.mark.parametrize("by_m", [(0.0, 0.0, 100.0), (0.0, -100.0, 0.0), (0.3, 0.0, 0.0)])
@pytest.mark.parametrize("first", [1, 90, 180])
def test_what_follows_a_jump_of_the_root_goes_on_from_where_it_was(
    clip: Clip, by_m: tuple[float, float, float], first: int
) -> None:
    roots = clip.root_positions_m.copy()
    roots[first:] += by_m
    cleaned, (found,) = clean(replace(clip, root_positions_m=roots))
    assert (found.step, found.frames, found.joints) == ("root-jumps", (first,), ("Hips",))
    assert f"1 jump of Hips by {np.linalg.norm(by_m):.3g} m" in found.summary
    np.testing.assert_allclose(cleaned.root_positions_m, clip.root_positions_m, atol=1e-9)
    np.testing.assert_array_equal(cleaned.rotations_wxyz, clip.rotations_wxyz)


@pytest.mark.parametrize(("first", "stop"), [(60, 61), (60, 66), (120, 132)])
def test_a_root_that_is_elsewhere_for_a_moment_is_bridged(
    clip: Clip, first: int, stop: int
) -> None:
    roots = clip.root_positions_m.copy()
    roots[first:stop] += (100.0, 0.0, 3.0)
    cleaned, (found,) = clean(replace(clip, root_positions_m=roots))
    assert found.frames == tuple(range(first, stop)) and "bridge" in found.repair
    np.testing.assert_allclose(cleaned.root_positions_m, clip.root_positions_m, atol=1e-9)


def test_several_jumps_and_those_of_other_joints_are_all_taken_out(clip: Clip) -> None:
    roots, spine = clip.root_positions_m.copy(), clip.skeleton.index("Spine")
    roots[30:] += (5.0, 0.0, 0.0)
    roots[32:] += (0.0, 0.0, 7.0)
    roots[100:103] -= (0.0, 2.0, 0.0)
    moving = np.tile(clip.skeleton.offsets_m[spine], (clip.frame_count, 1, 1))
    whole = replace(clip, moving_joints=(spine,), moving_offsets_m=moving)
    moved = moving.copy()
    moved[50:, 0] += (0.0, 40.0, 0.0)
    broken = replace(whole, root_positions_m=roots, moving_offsets_m=moved)
    cleaned, (found,) = clean(broken)
    assert found.frames == (30, 32, 50, 100, 101, 102) and found.joints == ("Hips", "Spine")
    np.testing.assert_allclose(cleaned.root_positions_m, clip.root_positions_m, atol=1e-9)
    np.testing.assert_allclose(cleaned.moving_offsets_m, moving, atol=1e-9)


def test_a_root_that_leaps_about_all_the_time_is_said_and_left_alone(clip: Clip) -> None:
    rng = np.random.default_rng(12345)
    mad = replace(clip, root_positions_m=rng.normal(scale=50.0, size=(clip.frame_count, 3)))
    cleaned, (found,) = clean(mad)
    assert found.step == "root-jumps" and not found.repair and "too many" in found.summary
    assert cleaned is mad


def test_sprints_and_clips_read_in_a_wrong_unit_do_not_jump(clip: Clip) -> None:
    times = np.arange(clip.frame_count)[:, None] / clip.rate_hz
    sprint = replace(clip, root_positions_m=times * np.array([0.0, 0.0, 12.0]))
    assert findings(sprint) == ()
    rng = np.random.default_rng(12345)
    noisy = clip.root_positions_m + rng.normal(scale=0.015, size=(clip.frame_count, 3))
    assert findings(replace(clip, root_positions_m=noisy)) == ()
    skeleton = replace(clip.skeleton, offsets_m=100.0 * clip.skeleton.offsets_m)
    giant = replace(clip, skeleton=skeleton, root_positions_m=100.0 * clip.root_positions_m)
    assert "root-jumps" not in [found.step for found in findings(giant)]


def test_a_figure_of_cat_size_in_metres_is_called_a_wrong_unit(clip: Clip) -> None:
    small = replace(clip.skeleton, offsets_m=clip.skeleton.offsets_m * 100.0)
    ends = replace(small.end_sites, offsets_m=small.end_sites.offsets_m * 100.0)
    giant = replace(
        clip,
        skeleton=replace(small, end_sites=ends),
        root_positions_m=clip.root_positions_m * 100.0,
    )
    cleaned, (found,) = clean(giant)
    assert found.step == "wrong-unit" and "cm" in found.repair
    np.testing.assert_allclose(cleaned.root_positions_m, clip.root_positions_m, atol=1e-12)
    np.testing.assert_allclose(cleaned.skeleton.offsets_m, clip.skeleton.offsets_m, atol=1e-12)


def test_steps_can_be_switched_and_an_unknown_one_is_named(clip: Clip) -> None:
    damaged = with_t_pose(with_dropped_frames(clip, (50,)))
    cleaned, found = clean(damaged, ["t-pose"])
    assert [f.step for f in found] == ["t-pose"]
    assert cleaned.frame_count == clip.frame_count
    with pytest.raises(UnknownName, match="Did you mean 't-pose'"):
        clean(damaged, ["tpose"])


def test_what_was_done_stands_in_the_history(clip: Clip) -> None:
    cleaned, _ = clean(with_t_pose(clip))
    assert cleaned.history[-1] == "t-pose: remove it (frame 0)"


def test_a_still_clip_is_not_called_artificial() -> None:
    clip = swaying(0.2)
    frozen = replace(
        clip, rotations_wxyz=np.repeat(clip.rotations_wxyz[:1], len(clip.rotations_wxyz), 0)
    )
    assert findings(frozen) == ()
    at_rest = replace(
        clip, rotations_wxyz=np.tile(clip.skeleton.rest_wxyz, (clip.frame_count, 1, 1))
    )
    assert findings(at_rest) == ()


def test_every_step_survives_one_frame(clip: Clip) -> None:
    one = clip.sliced(0, 1)
    for step in STEPS.values():
        assert step.find(one) is None
