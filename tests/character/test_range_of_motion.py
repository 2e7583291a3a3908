"""Joint ranges: the words of anatomy, what is inside them, widening for a clip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poise import rotations
from poise.arrays import Array
from poise.character import Skeleton, complete_character, with_ranges
from poise.character.joint_motions import joint_motions
from poise.character.range_of_motion import swing_and_twist
from poise.errors import BadShape
from poise.formats import load_clip
from poise.mechanics import forward_kinematics
from tests.character import known_skeletons as known
from tests.character.held_rotations import clamped, from_swing_and_twist
from tests.character.reference_human import reference_skeleton
from tests.shared_data import MOCAP, needs_mocap


def balls() -> Skeleton:
    plain = reference_skeleton()
    return replace(
        plain,
        kinds=(),
        hinge_axes=np.zeros((plain.joint_count, 3)),
        limits_rad=np.tile([-np.inf, np.inf], (plain.joint_count, 3, 1)),
    )


def posed(skeleton: Skeleton, joint: str, axis: int, degrees: float) -> Array:
    q = skeleton.rest_wxyz.copy()
    turn = rotations.from_axis_angle(np.eye(3)[axis], np.radians(degrees))
    q[skeleton.index(joint)] = rotations.multiply(q[skeleton.index(joint)], turn)
    return q


@pytest.mark.parametrize(
    "joint, motion, moved, goes",
    [
        ("left_hip", "flexion", "left_knee", (0, 1, 1)),
        ("left_knee", "flexion", "left_ankle", (0, 1, -1)),
        ("right_hip", "abduction", "right_knee", (-1, 1, 0)),
        ("left_hip", "abduction", "left_knee", (1, 1, 0)),
        ("left_ankle", "flexion", "left_toe", (0, 1, 0)),
        ("right_shoulder", "flexion", "right_elbow", (0, 1, 1)),
        ("left_elbow", "flexion", "left_wrist", (0, 1, 1)),
        ("left_shoulder", "abduction", "left_elbow", (1, 1, 0)),
        ("left_hip", "inward_rotation", "left_toe", (-1, 0, 0)),
        ("right_hip", "inward_rotation", "right_toe", (1, 0, 0)),
        ("spine", "flexion", "head", (0, -1, 1)),
        ("neck", "abduction", "head", (1, 0, 0)),
        ("spine", "outward_rotation", "left_shoulder", (0, 0, -1)),
    ],
)
def test_motions_go_the_way_anatomy_says(joint: str, motion: str, moved: str, goes) -> None:
    """+X is the figure's left, +Z forward; signs of how the child joint moves."""
    skeleton = balls()
    axis, sign = joint_motions(joint)[motion]
    q = posed(skeleton, joint, axis, sign * 10.0)
    root = skeleton.rest_positions_m[0]
    before = skeleton.rest_positions_m[skeleton.index(moved)]
    after = forward_kinematics(skeleton, root, q).positions_m[0, skeleton.index(moved)]
    for step, wanted in zip(after - before, goes, strict=True):
        if wanted:
            assert np.sign(step) == wanted and abs(step) > 1e-3


def test_the_anatomical_pose_is_the_middle_of_nothing_but_zero() -> None:
    made = with_ranges(complete_character(known.mixamo()))  # a T-pose
    assert made.ranges is not None and made.roles is not None
    angles = np.degrees(made.ranges.angles(made.skeleton.rest_wxyz))
    names = made.skeleton.joint_names
    shoulder = angles[names.index(made.roles.joints["left_shoulder"])]
    np.testing.assert_allclose(shoulder, [0, 0, 90], atol=6)
    shoulder = angles[names.index(made.roles.joints["right_shoulder"])]
    np.testing.assert_allclose(shoulder, [0, 0, -90], atol=6)
    knee = angles[names.index(made.roles.joints["left_knee"])]
    np.testing.assert_allclose(knee, 0, atol=8)


turns = st.tuples(*[st.floats(-2.5, 2.5)] * 3)


@given(turns)
def test_swing_and_twist_put_together_again(vector: tuple[float, float, float]) -> None:
    q = rotations.exp(np.array(vector))
    again = from_swing_and_twist(swing_and_twist(q))
    assert rotations.angle_between(q, again) < 1e-7


def test_clamping_holds_every_angle_and_leaves_the_rest_alone() -> None:
    made = with_ranges(complete_character(balls()))
    ranges = made.ranges
    assert ranges is not None
    rng = np.random.default_rng(3)
    q = rotations.exp(rng.normal(size=(200, made.skeleton.joint_count, 3)) * 0.8)
    held = clamped(ranges, q)
    assert ranges.excess(q).max() > 0.5
    assert ranges.excess(held).max() < 1e-7
    np.testing.assert_allclose(clamped(ranges, held), held, atol=1e-7)
    inside = ranges.excess(q).max(axis=-1) == 0
    assert inside.any()
    np.testing.assert_array_equal(held[inside], q[inside])
    np.testing.assert_allclose(np.linalg.norm(held, axis=-1), 1.0)
    with pytest.raises(BadShape, match="rotations_wxyz"):
        ranges.angles(q[:, :3])


def test_a_knee_bent_too_far_is_brought_back_to_its_limit() -> None:
    made = with_ranges(complete_character(balls()))
    assert made.ranges is not None
    held = clamped(made.ranges, posed(made.skeleton, "left_knee", 0, 160.0))
    knee = made.skeleton.index("left_knee")
    np.testing.assert_allclose(np.degrees(rotations.log(held[knee])), [135.0, 0, 0], atol=1e-9)
    held = clamped(made.ranges, posed(made.skeleton, "left_knee", 0, -40.0))
    np.testing.assert_allclose(np.degrees(rotations.log(held[knee])), [-10.0, 0, 0], atol=1e-9)


def test_ranges_are_widened_for_a_clip_that_goes_beyond_and_the_notes_say_how_far() -> None:
    character = complete_character(balls())
    clip = np.stack([character.skeleton.rest_wxyz, posed(balls(), "left_knee", 0, 150.0)])
    made = with_ranges(character, clip)
    assert made.ranges is not None
    assert made.ranges.excess(clip).max() < 1e-9
    assert [n for n in made.notes if n.startswith("left_knee")] == [
        "left_knee: flexion reaches 150 degrees in the clip, 15 beyond the usual 135; the range "
        "was widened."
    ]
    assert len(made.ranges.notes) == 1
    right = made.skeleton.index("right_knee")
    assert np.degrees(made.ranges.limits_rad[right, 0, 1]) == pytest.approx(135.0)


def test_a_spine_of_many_joints_shares_the_trunks_range() -> None:
    made = with_ranges(complete_character(known.mixamo()))
    assert made.ranges is not None
    names = made.skeleton.joint_names
    spine = [n for n in names if "Spine" in n]
    assert len(spine) == 3
    flexion = [np.degrees(made.ranges.limits_rad[names.index(n), 0, 1]) for n in spine]
    np.testing.assert_allclose(flexion, 80.0 * 2 / 3)


@needs_mocap
def test_real_walks_stay_inside_human_ranges() -> None:
    clip = load_clip(MOCAP / "addbio_grf" / "opencap_subject2" / "opencap_subject2_walking1.bvh")
    made = with_ranges(complete_character(clip.skeleton), clip.rotations_wxyz)
    assert made.ranges is not None
    assert made.ranges.notes == ()
