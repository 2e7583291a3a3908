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
from poise.mechanics import (
    Wrenches,
    angular_jacobians,
    center_of_mass,
    center_of_mass_jacobian,
    forward_kinematics,
    generalized_forces,
    inverse_dynamics,
    momentum,
    momentum_matrix,
    site_jacobians,
    site_positions,
)
from tests.mechanics.random_trees import Case, random_case, to_tangent
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
        "site jacobians": site_jacobians(state, case.sites),
        "angular jacobians": angular_jacobians(state, range(skeleton.joint_count)),
        "center jacobian": center_of_mass_jacobian(state, body),
        "momentum matrix": momentum_matrix(state, body),
        "linear momentum": moving.linear_kg_m_s,
        "angular momentum": moving.angular_kg_m2_s,
        "forces": forces(None),
        "forces with wrenches": forces(case.wrenches),
    }


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
