"""A root that stays while the hips move becomes one that carries them: nobody moves by it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import poise
from poise import rotations
from poise.arrays import Array
from poise.character import Sites, Skeleton
from poise.formats import load_clip, save_clip
from poise.mechanics import forward_kinematics
from poise.motion import Clip, with_root_at_hips
from poise.samples import walk
from tests.rest_poses import along_one_axis, resting_in


def positions(clip: Clip) -> Array:
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


def under_a_root(clip: Clip) -> Clip:
    """The same motion in hips that move against a root that turns on the spot."""
    skeleton, ends = clip.skeleton, clip.skeleton.end_sites
    frames = clip.frame_count
    turn = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.linspace(0.0, 0.5, frames))
    q = np.concatenate([turn[:, None], clip.rotations_wxyz], axis=1)
    q[:, 1] = rotations.multiply(rotations.conjugate(turn), q[:, 1])
    whole = Skeleton(
        ("joint_Root", *skeleton.joint_names),
        np.concatenate([[-1], skeleton.parents + 1]),
        np.concatenate([np.zeros((1, 3)), skeleton.offsets_m]),
        end_sites=Sites(ends.names, ends.joints + 1, ends.offsets_m),
    )
    at = rotations.rotate(rotations.conjugate(turn), clip.root_positions_m)
    return Clip(whole, clip.rate_hz, np.zeros((frames, 3)), q, (1,), at[:, None], name="made")


def test_the_body_stays_where_it_is() -> None:
    clip = walk(seconds=1.0)
    given = under_a_root(clip)
    np.testing.assert_allclose(positions(given)[:, 1:], positions(clip), atol=1e-12)
    carried = with_root_at_hips(given)
    assert carried.moving_joints == () and "goes along with" in carried.history[-1]
    np.testing.assert_allclose(positions(carried)[:, 1:], positions(clip), atol=1e-12)


def test_other_clips_are_left_as_they_are() -> None:
    clip = walk(seconds=1.0)
    assert with_root_at_hips(clip) is clip
    given = under_a_root(clip)
    tail = replace(
        given.skeleton, end_sites=Sites(("tail",), np.array([0]), np.array([[0.0, 0.0, -1.0]]))
    )
    on_root = replace(given, skeleton=tail)
    assert with_root_at_hips(on_root) is on_root


def test_a_file_of_that_kind_that_rests_along_one_axis_is_corrected(tmp_path: Path) -> None:
    clip = walk(seconds=1.5)
    lying = resting_in(replace(clip, source=None), along_one_axis(clip.skeleton))
    save_clip(under_a_root(lying), tmp_path / "in.bvh")
    made = poise.correct(tmp_path / "in.bvh")
    made.save(tmp_path / "out.bvh")
    again = load_clip(tmp_path / "out.bvh")
    np.testing.assert_allclose(positions(again), positions(made.clip), atol=1e-6)
    away = positions(made.clip)[:, 1:] - positions(poise.correct(clip).clip)
    assert np.sqrt((away**2).sum(-1).mean()) < 0.01
