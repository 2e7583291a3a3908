"""Turning the frames of a skeleton's joints moves no point of the body."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.character import Sites, Skeleton
from poise.motion import Clip
from poise.motion.rest_frames import rests_along, with_world_aligned_frames
from tests.formats.corpus import world_positions

FRAMES, JOINTS = 7, 6
AXES = rotations.exp([-np.pi / 2, 0.0, 0.0])


@pytest.fixture
def clip() -> Clip:
    rng = np.random.default_rng(12345)
    rest = rotations.normalize(rng.normal(size=(JOINTS, 4)))
    hinge = np.zeros((JOINTS, 3))
    hinge[3] = rotations.rotate(rotations.normalize(rng.normal(size=4)), [1.0, 0.0, 0.0])
    limits = np.tile([-np.inf, np.inf], (JOINTS, 3, 1))
    limits[3, 0] = (-0.5, 1.5)
    limits[2] = [(-1.0, 2.0), (-0.1, 0.2), (-3.0, 0.5)]
    angles = rng.uniform(-0.5, 1.5, size=FRAMES)
    q = rotations.normalize(rng.normal(size=(FRAMES, JOINTS, 4)))
    q[:, 3] = rotations.multiply(rest[3], rotations.from_axis_angle(hinge[3], angles))
    skeleton = Skeleton(
        joint_names=tuple("abcdef"),
        parents=np.array([-1, 0, 1, 1, 3, 0]),
        offsets_m=rng.normal(size=(JOINTS, 3)),
        rest_wxyz=rest,
        kinds=("ball", "ball", "ball", "hinge", "ball", "ball"),
        hinge_axes=hinge,
        limits_rad=limits,
        end_sites=Sites(("x", "y"), np.array([4, 2]), rng.normal(size=(2, 3))),
    )
    return Clip(
        skeleton, 30.0, rng.normal(size=(FRAMES, 3)), q,
        moving_joints=(4, 5), moving_offsets_m=rng.normal(size=(FRAMES, 2, 3)),
    )  # fmt: skip


@pytest.mark.parametrize("axes", [rotations.IDENTITY, AXES])
def test_no_point_moves_in_the_motion_or_at_rest(clip: Clip, axes: np.ndarray):
    turned = with_world_aligned_frames(clip, axes)
    np.testing.assert_allclose(world_positions(turned), world_positions(clip), atol=1e-12)
    before, after = clip.skeleton, turned.skeleton
    np.testing.assert_allclose(after.rest_positions_m, before.rest_positions_m, atol=1e-12)
    np.testing.assert_allclose(after.rest_end_positions_m, before.rest_end_positions_m, atol=1e-12)
    assert not rests_along(before, axes)
    assert rests_along(after, axes)
    assert with_world_aligned_frames(turned, axes) is turned


def test_world_rotations_change_by_the_rest_alone(clip: Clip):
    turned = with_world_aligned_frames(clip)
    p = clip.skeleton.rest_world_wxyz
    for joint in range(JOINTS):
        chain = clip.skeleton.ancestors(joint)[::-1]
        old = new = np.tile(rotations.IDENTITY, (FRAMES, 1))
        for j in chain:
            old = rotations.multiply(old, clip.rotations_wxyz[:, j])
            new = rotations.multiply(new, turned.rotations_wxyz[:, j])
        wanted = rotations.multiply(old, rotations.conjugate(p[joint]))
        assert rotations.angle_between(new, wanted).max() < 1e-7


def test_hinges_still_turn_about_their_axis_by_the_same_angle(clip: Clip):
    turned = with_world_aligned_frames(clip)
    rest, axis = clip.skeleton.rest_wxyz[3], clip.skeleton.hinge_axes[3]
    before = rotations.multiply(rotations.conjugate(rest), clip.rotations_wxyz[:, 3])
    angle = rotations.twist_angle(before, axis)
    after = turned.rotations_wxyz[:, 3]
    new_axis = turned.skeleton.hinge_axes[3]
    np.testing.assert_allclose(rotations.twist_angle(after, new_axis), angle, atol=1e-12)
    made = rotations.from_axis_angle(new_axis, angle)
    assert rotations.angle_between(made, after).max() < 1e-7
    assert turned.skeleton.limits_rad[3, 0].tolist() == [-0.5, 1.5]


def test_ball_limits_follow_axes_onto_axes_and_are_opened_aloud_otherwise(clip: Clip):
    turned = with_world_aligned_frames(clip)
    assert np.isinf(turned.skeleton.limits_rad[2]).all()
    assert "limits of c opened" in turned.history[-1]
    # Onto axes: in the new frame old x is new x, old y is new z, old z is new -y.
    aligned = with_world_aligned_frames(clip)
    skeleton = aligned.skeleton
    limits = skeleton.limits_rad.copy()
    limits[2] = [(-1.0, 2.0), (-0.1, 0.2), (-3.0, 0.5)]
    object.__setattr__(skeleton, "limits_rad", limits)
    again = with_world_aligned_frames(aligned, AXES)
    matrix = rotations.to_matrix(rotations.conjugate(AXES))  # new from old
    vector = np.array([1.5, -0.05, 0.4])  # inside the old box
    new = matrix @ vector
    box = again.skeleton.limits_rad[2]
    assert (box[:, 0] <= new).all() and (new <= box[:, 1]).all()
    np.testing.assert_allclose(np.sort(np.ptp(box, axis=1)), [0.3, 3.0, 3.5])
    corner = matrix @ [2.0, 0.2, 0.5]  # of the old box, so of the new one
    on_edge = np.isclose(corner, box[:, 0]) | np.isclose(corner, box[:, 1])
    assert on_edge.all()
