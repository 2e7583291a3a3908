"""Rigs whose feet hang on the root: taken for the ends of legs, worked on, put back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import rotations, samples
from poise.arrays import Array
from poise.character import Sites, Skeleton, complete_character
from poise.errors import MissingRoles
from poise.formats import load_clip
from poise.job import control_rig, root_motion_of
from poise.job.root_motion import mean_velocity_m_s
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from tests.shared_data import SHARED

EXPRESSIVE = SHARED / "foreign" / "threejs" / "RobotExpressive.glb"


def world(clip: Clip) -> Array:
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


def rigged(clip: Clip) -> Clip:
    """The same motion where hips and feet hang on a root that stands still, beside a helper."""
    skeleton, state = clip.skeleton, forward_kinematics(clip.skeleton, *clip.pose)
    names = [*skeleton.joint_names]
    feet = [names.index(f"{side}Foot") for side in ("Left", "Right")]
    parents = np.concatenate([[-1], skeleton.parents + 1, [0]])
    offsets = np.concatenate([[np.zeros(3)], skeleton.offsets_m, [[1.0, 1.0, 1.0]]])
    offsets[1] = skeleton.rest_positions_m[0]
    turns = np.concatenate([state.rotations_wxyz[:, :1] * 0.0, clip.rotations_wxyz,
                            state.rotations_wxyz[:, :1] * 0.0], axis=1)  # fmt: skip
    turns[:, [0, -1]] = rotations.IDENTITY
    shins = [int(skeleton.parents[foot]) + 1 for foot in feet]
    for foot in feet:
        parents[foot + 1] = 0
        offsets[foot + 1] = skeleton.rest_positions_m[foot]
        turns[:, foot + 1] = state.rotations_wxyz[:, foot]
    sites = skeleton.end_sites
    tips = Sites(("LeftLeg_tip", "RightLeg_tip"), np.array(shins), skeleton.offsets_m[feet])
    ends = Sites(sites.names, sites.joints + 1, sites.offsets_m).joined(tips)
    moving = (1, *(foot + 1 for foot in feet))
    return replace(
        clip,
        skeleton=Skeleton(("Root", *names, "Pole"), parents, offsets, end_sites=ends),
        root_positions_m=np.zeros((clip.frame_count, 3)),
        rotations_wxyz=turns,
        moving_joints=moving,
        moving_offsets_m=state.positions_m[:, [joint - 1 for joint in moving]],
        source=None,
    )  # fmt: skip


def walk() -> Clip:
    return replace(samples.walking(2.16, 30.0).clip, source=None)


def test_feet_beside_the_body_are_taken_for_ends_of_legs() -> None:
    clip = walk()
    rig = rigged(clip)
    np.testing.assert_allclose(world(rig)[:, 1:-1], world(clip), atol=1e-9)
    with pytest.raises(MissingRoles):
        complete_character(rig.skeleton)
    found = control_rig(rig)
    assert found is not None and "LeftFoot on LeftLeg" in found.note
    body = found.body()
    roles = complete_character(body.skeleton).known_roles.joints
    assert roles["left_ankle"] == "LeftFoot" and roles["left_toe"] == "LeftToeBase"
    assert not body.moving_joints and "Pole" not in body.skeleton.joint_names
    for name in clip.skeleton.joint_names:
        there, here = body.skeleton.index(name), clip.skeleton.index(name)
        np.testing.assert_allclose(world(body)[:, there], world(clip)[:, here], atol=1e-6)
    back = found.restored(body)
    assert back.skeleton is rig.skeleton
    np.testing.assert_allclose(world(back), world(rig), atol=1e-6)


def test_ordinary_clips_are_none_of_these() -> None:
    assert control_rig(walk()) is None
    rig = rigged(walk())
    far = rig.moving_offsets_m.copy()
    far[:, 1:] += [0.0, 0.0, 0.6]  # feet that are somewhere else
    assert control_rig(replace(rig, moving_offsets_m=far)) is None


def test_such_a_clip_is_corrected_and_written_in_its_own_tree(tmp_path: Path) -> None:
    rig = rigged(root_motion_of(walk(), "in-place").clip)
    made = poise.correct(rig)
    assert made.status == "converged"
    assert any("Bones beside the body" in note for note in made.notes)
    assert any("in place" in note for note in made.notes)
    made.save(tmp_path / "cycle.npz")
    written = load_clip(tmp_path / "cycle.npz")
    assert written.skeleton.joint_names == rig.skeleton.joint_names
    assert np.array_equal(written.skeleton.parents, rig.skeleton.parents)
    body = control_rig(written)
    assert body is not None
    np.testing.assert_allclose(world(body.body()), world(made.clip), atol=2e-3)
    made.save(tmp_path / "walk.npz", root_motion="travel")
    went = mean_velocity_m_s(load_clip(tmp_path / "walk.npz"))  # the root, and all that hangs on it
    assert np.linalg.norm(went) == pytest.approx(1.24 / 1.08, rel=0.03)


@pytest.mark.skipif(not EXPRESSIVE.is_file(), reason="the foreign characters are not here")
def test_a_character_of_a_game() -> None:
    clip = load_clip(EXPRESSIVE, animation="Walking")
    made = poise.correct(clip)
    assert any("Foot.L on LowerLeg.L" in note for note in made.notes)
    assert any("in place" in note for note in made.notes)
    slide = next(row for row in made.measures() if row.key == "foot_slide.mean")
    assert slide.before is not None and slide.before > 20.0 and slide.value < 0.5 * slide.before
