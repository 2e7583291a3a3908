"""What a new document keeps: a dragged hand moves its arm, not the whole figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import poise
from poise.apps.studio.first_recipe import first_recipe
from poise.apps.studio.solver import Solver
from poise.constraints.recruiting import find_joint
from poise.formats.robots import read_character
from poise.mechanics import forward_kinematics
from poise.motion import resample
from poise.motion.cleanup import clean
from tests.shared_data import MOCAP, ROBOTS, needs_mocap, needs_robots

UP_M = 0.25


@needs_mocap
@pytest.mark.parametrize("name", ["02_01", "05_02", "13_11", "83_40"])
def test_a_hand_goes_up_and_only_the_arm_with_it(tmp_path: Path, name: str) -> None:
    whole, _ = clean(poise.load(MOCAP / "cmu" / f"{name}.bvh"), ("missing-thorax", "t-pose"))
    clip = resample(whole, 60.0)
    clip = clip.sliced(0, min(200, clip.frame_count))
    poise.save(clip, tmp_path / "clip.bvh")
    recipe = first_recipe({"file": "clip.bvh"}, clip.skeleton)
    middle = clip.frame_count // 2
    raised = {"follow_curve": {
        "name": "hand", "point": "right_wrist", "mode": "offset", "priority": 2,
        "frames": [middle - 30, middle + 30],
        "through": [{"frame": middle, "place_m": [0, UP_M, 0]}],
    }}  # fmt: skip
    recipe["steps"][0]["deform"]["constraints"].append(raised)
    solver = Solver(tmp_path, tmp_path / "results")
    found = solver.solve(solver.read(recipe))
    assert found.status == "converged"
    before, after = (
        forward_kinematics(each.skeleton, *each.pose).positions_m[middle]
        for each in (found.prepared.clip, found.clip)
    )
    moved = {
        role: float(np.linalg.norm(after[joint] - before[joint]))
        for role in ("right_wrist", "head", "pelvis", "right_shoulder", "left_wrist", "left_ankle")
        for joint in [find_joint(found.character, role)]
    }
    assert moved["right_wrist"] == pytest.approx(UP_M, abs=1e-3)
    assert moved["left_ankle"] < 1e-3
    for role in ("head", "pelvis", "right_shoulder", "left_wrist"):
        assert moved[role] < 0.3 * UP_M, moved


@needs_mocap
def test_who_crouches_bends_the_knees_and_not_the_back(tmp_path: Path) -> None:
    whole, _ = clean(poise.load(MOCAP / "cmu" / "05_02.bvh"), ("missing-thorax", "t-pose"))
    clip = resample(whole, 60.0).sliced(0, 200)
    poise.save(clip, tmp_path / "clip.bvh")
    recipe = first_recipe({"file": "clip.bvh"}, clip.skeleton)
    constraints = recipe["steps"][0]["deform"]["constraints"]
    keys = [[70, [0, 0, 0]], [100, [0, -0.12, 0]], [130, [0, 0, 0]]]
    constraints[2]["place_center_of_mass"]["displacement_m"] = keys
    solver = Solver(tmp_path, tmp_path / "results")
    found = solver.solve(solver.read(recipe))
    assert found.status == "converged"
    between = found.prepared.clip.rotations_wxyz[100] * found.clip.rotations_wxyz[100]
    turned = 2.0 * np.degrees(np.arccos(np.clip(np.abs(between.sum(axis=-1)), 0.0, 1.0)))
    joints = found.clip.skeleton.joint_names
    for name in ("LowerBack", "Spine", "Spine1"):
        assert turned[joints.index(name)] < 8.0, turned
    assert turned[find_joint(found.character, "right_knee")] > 8.0


def test_a_new_document_keeps_the_turn_of_the_chest() -> None:
    bare = poise.samples.walk(0.1).skeleton
    (step,) = first_recipe({"sample": "walk"}, bare)["steps"]
    kept = {kind: each for wish in step["deform"]["constraints"] for kind, each in wish.items()}
    assert kept["orient"]["joint"] == "chest"


@needs_robots
def test_a_robot_has_no_collar_bones() -> None:
    pytest.importorskip("mujoco")
    body = read_character(ROBOTS / "unitree_g1" / "g1_nomesh.xml")
    (step,) = first_recipe({"file": "x.bvh"}, body.skeleton)["steps"]
    assert not [name for name in step["deform"]["settings"]["mobility"] if "collar" in name]
