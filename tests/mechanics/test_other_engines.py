"""Every kernel against Pinocchio and MuJoCo on 50 random trees, to 1e-9 of the largest entry."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache

import numpy as np
import pytest
from _pytest.mark import ParameterSet

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.constraints import Scene, Task
from poise.ik.packed import BALL, HINGE, TRANSLATION
from poise.ik.packing import ANGLE_LENGTH_M
from poise.mechanics import (
    Wrenches,
    center_of_mass,
    forward_kinematics,
    inverse_dynamics,
    momentum,
    momentum_matrix,
    site_positions,
)
from poise.motion import Clip
from tests.ik.posed import Posed, everything, posed
from tests.mechanics.random_trees import Case, random_case, to_tangent
from tests.mechanics.reference import generalized_forces
from tests.oracles import assert_close

TREES = range(50)
AGREEMENT = 1e-9

pytestmark = pytest.mark.other_engine


def engine(package: str, reason: str) -> ParameterSet:
    missing = importlib.util.find_spec(package) is None
    return pytest.param(
        f"tests.mechanics.{package}_engine",
        id=package,
        marks=pytest.mark.skipif(missing, reason=reason),
    )


ENGINES = [
    engine("pinocchio", "Pinocchio is not installed (package pin; it has no Windows wheel)"),
    engine("mujoco", "MuJoCo is not installed (package mujoco)"),
]


@cache
def our_answers(seed: int) -> tuple[Case, dict[str, Array]]:
    case = random_case(seed)
    m, skeleton, body = case.motion, case.skeleton, case.body
    state = forward_kinematics(skeleton, m.root_m, m.local)
    moving = momentum(state, body, m.root_v, m.omega)

    def forces(wrenches: Wrenches | None) -> Array:
        return generalized_forces(
            inverse_dynamics(
                skeleton, body, m.local, m.omega, m.root_a, m.alpha,
                gravity_m_s2=case.gravity, wrenches=wrenches,
            )
        )  # fmt: skip

    return case, {
        "positions": state.positions_m,
        "rotations": rotations.to_matrix(state.rotations_wxyz),
        "places": site_positions(state, case.sites),
        "center": center_of_mass(state, body),
        **_jacobians(case),
        "momentum matrix": momentum_matrix(state, body),
        "linear momentum": moving.linear_kg_m_s,
        "angular momentum": moving.angular_kg_m2_s,
        "forces": forces(None),
        "forces with wrenches": forces(case.wrenches),
    }


def _jacobians(case: Case) -> dict[str, Array]:
    """The rows that inverse kinematics has of points, turns and the centre, in tangent columns."""
    skeleton, m = case.skeleton, case.motion
    character, frames = Character(skeleton, body=case.body), len(m.root_m)
    scene = Scene(Clip(skeleton, 30.0, m.root_m, m.local), character)
    free, places = everything(character), np.ones((frames, 3))
    turns = np.tile(rotations.IDENTITY, (frames, 1))
    sites = zip(case.sites.joints.tolist(), case.sites.offsets_m, strict=True)
    tasks = {
        "site jacobians": [
            Task("site", "point", 0, places, free, joint=joint, offset_m=offset)
            for joint, offset in sites
        ],
        "angular jacobians": [
            Task("turn", "turn", 0, turns, free, joint=joint)
            for joint in range(skeleton.joint_count)
        ],
        "center jacobian": [Task("center", "center", 0, places, free)],
    }
    found: dict[str, Array] = {}
    for name, some in tasks.items():
        rows = np.array([_tangent_rows(posed(scene, some, f)) for f in range(frames)])
        scale = ANGLE_LENGTH_M if name.startswith("angular") else 1.0
        found[name] = (rows[:, 0] if name.startswith("center") else rows) / scale
    return found


def _tangent_rows(pose: Posed) -> Array:
    """(T, 3, D) rows of every task, by turns about joints' own axes instead of the world's."""
    problem, skeleton = pose.problem, pose.problem.scene.character.skeleton
    world = forward_kinematics(skeleton, pose.root_m, pose.local_wxyz).rotations_wxyz[0]
    rows = np.array([pose.written(task)[2] for task in range(len(problem.tasks))])
    found = np.zeros((*rows.shape[:2], skeleton.tangent_size))
    blocks = problem.blocks
    for b, kind in enumerate(blocks.kind.tolist()):
        joint, column = int(blocks.joint[b]), int(blocks.column[b])
        start = 0 if kind == TRANSLATION else int(skeleton.freedom_starts[joint])
        own = rows[..., column : column + (1 if kind == HINGE else 3)]
        if kind == BALL:
            own = own @ rotations.to_matrix(world[joint])
        found[..., start : start + own.shape[-1]] = own
    return found


@pytest.mark.parametrize("module", ENGINES)
@pytest.mark.parametrize("seed", TREES)
def test_every_quantity_agrees_with(seed: int, module: str) -> None:
    case, ours = our_answers(seed)
    m, skeleton = case.motion, case.skeleton
    velocities = to_tangent(skeleton, m.root_v, m.omega)
    accelerations = to_tangent(skeleton, m.root_a, m.alpha)
    theirs = importlib.import_module(module).answers(case, velocities, accelerations)
    assert len(theirs) >= len(ours) - 1  # MuJoCo has no centroidal momentum matrix
    for what, expected in theirs.items():
        assert_close(ours[what], expected, AGREEMENT, what)


def test_the_trees_mix_all_kinds_of_joints_and_shapes() -> None:
    skeletons = [random_case(seed).skeleton for seed in TREES]
    kinds = [kind for skeleton in skeletons for kind in skeleton.kinds]
    assert min(kinds.count(kind) for kind in ("ball", "hinge", "fixed")) > 50
    assert any(max(len(c) for c in s.children) > 3 for s in skeletons)
    assert any(len(s.ancestors(s.joint_count - 1)) > 8 for s in skeletons)
    assert any(len(set(random_case(seed).wrenches.joints)) < 3 for seed in TREES)
    assert np.mean([s.joint_count for s in skeletons]) > 8
