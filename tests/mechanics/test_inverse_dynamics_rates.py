"""Derivatives of inverse dynamics, against differences of Newton-Euler and against Pinocchio."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Skeleton, complete_character
from poise.constraints import Recruits
from poise.formats import load_clip
from poise.ik import packed
from poise.ik.packed import Blocks
from poise.ik.packing import pack_blocks
from poise.mechanics import forward_kinematics, inverse_dynamics
from poise.mechanics import inverse_dynamics_rates as kernels
from poise.mechanics.inverse_dynamics import GRAVITY_M_S2, segment_constants
from poise.mechanics.inverse_dynamics_rates import make_rate_scratch
from poise.mechanics.inverse_dynamics_rates import wrench_rates as wrench_rates_kernel
from poise.mechanics.joint_moment_rates import joint_moment_rates as joint_moment_rates_kernel
from poise.mechanics.joint_moment_rates import joint_moments as joint_moments_kernel
from poise.mechanics.subtree_sums import FrameMotion, Segments
from tests.called_from_python import from_python
from tests.mechanics.random_trees import random_case
from tests.oracles import assert_close
from tests.shared_data import MOCAP, needs_mocap

wrench_rates = from_python(wrench_rates_kernel)
joint_moment_rates = from_python(joint_moment_rates_kernel)
joint_moments = from_python(joint_moments_kernel)

STEP = 1e-5
AGREEMENT = 1e-7
SEEDS = range(12)


@dataclass(frozen=True, eq=False)
class State:
    """One frame of a body, and the coordinates to differentiate by."""

    skeleton: Skeleton
    body: Body
    blocks: Blocks
    width: int
    gravity: Array
    root_acceleration: Array
    local: Array
    omega: Array
    alpha: Array

    @property
    def segments(self) -> Segments:
        constants = segment_constants(self.skeleton, self.body)
        return Segments(self.skeleton.parents, constants, self.gravity, self.body.total_mass_kg)

    @property
    def motion(self) -> FrameMotion:
        return FrameMotion(self.root_acceleration, self.local, self.omega, self.alpha)


@dataclass(frozen=True, eq=False)
class Rates:
    wrench: Array
    """(6,)"""
    moments: Array
    """(J, 3)"""
    of_wrench: Array
    """(6, 3n)"""
    of_moments: Array
    """(J, 3, 3n)"""


def with_coordinates(
    state: State, left_out: tuple[int, ...] = (), mobility: dict[int, float] | None = None
) -> State:
    chosen = np.ones(state.skeleton.joint_count, dtype=np.bool_)
    chosen[list(left_out)] = False
    blocks, width = pack_blocks(state.skeleton, [], mobility or {}, Recruits(chosen, True))
    return replace(state, blocks=blocks, width=width)


def random_state(seed: int, joints: int | None = None) -> State:
    """A tree of balls, hinges and fixed joints, numbered in no particular order."""
    case = random_case(seed, frames=1, joints=joints)
    m, none = case.motion, np.zeros(0, dtype=np.int64)
    blocks = Blocks(none, none, none, np.zeros((0, 3)), np.zeros(0), none)
    return with_coordinates(
        State(
            case.skeleton, case.body, blocks, 0, case.gravity,
            m.root_a[0], m.local[0], m.omega[0], m.alpha[0],
        )
    )  # fmt: skip


def real_state() -> State:
    """A recorded pose, moving at random."""
    clip = load_clip(MOCAP / "cmu" / "02_01.bvh")
    body = complete_character(clip.skeleton).body
    assert body is not None
    joints, rng = clip.skeleton.joint_count, np.random.default_rng(7)
    return with_coordinates(
        replace(
            random_state(0), skeleton=clip.skeleton, body=body, gravity=np.array(GRAVITY_M_S2),
            root_acceleration=rng.normal(0, 5, 3), local=clip.rotations_wxyz[100].copy(),
            omega=rng.normal(0, 3, (joints, 3)), alpha=rng.normal(0, 20, (joints, 3)),
        )
    )  # fmt: skip


def depth_first(state: State) -> State:
    """The same figure with its joints numbered branch by branch, which Pinocchio relies on."""
    skeleton, body = state.skeleton, state.body
    order: list[int] = []
    waiting = [0]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(skeleton.children[order[-1]])
    place = np.argsort(order)
    parents = [-1, *(int(place[skeleton.parents[j]]) for j in order[1:])]
    same = Skeleton(
        tuple(skeleton.joint_names[j] for j in order), np.array(parents), skeleton.offsets_m[order],
        rest_wxyz=skeleton.rest_wxyz[order], kinds=tuple(skeleton.kinds[j] for j in order),
        hinge_axes=skeleton.hinge_axes[order],
    )  # fmt: skip
    masses = Body(body.masses_kg[order], body.centers_m[order], body.inertias_kg_m2[order])
    return with_coordinates(
        replace(
            state, skeleton=same, body=masses,
            local=state.local[order], omega=state.omega[order], alpha=state.alpha[order],
        )
    )  # fmt: skip


STATES = [
    *(pytest.param(lambda seed=seed: random_state(seed), id=f"tree {seed}") for seed in SEEDS),
    pytest.param(lambda: random_state(99, joints=1), id="root alone"),
    pytest.param(real_state, id="real body", marks=needs_mocap),
]


def rates_of(state: State) -> Rates:
    joints, columns = state.skeleton.joint_count, 3 * state.width
    found = Rates(
        np.full(6, np.nan), np.full((joints, 3), np.nan),
        np.full((6, columns), np.nan), np.full((joints, 3, columns), np.nan),
    )  # fmt: skip
    scratch, n = make_rate_scratch(joints, state.width), state.width
    wrench_rates(
        state.segments, state.motion, state.blocks, n, True, scratch, found.wrench, found.of_wrench
    )
    joint_moments(scratch, found.moments)
    everyone = np.ones(joints, dtype=np.int64)
    joint_moment_rates(state.skeleton.parents, state.blocks, n, everyone, scratch, found.of_moments)
    return found


def columns_of(blocks: Blocks) -> list[tuple[int, int, int, Array]]:
    """Block, joint, column and unit vector (in the axes its kind has) of every coordinate."""
    found: list[tuple[int, int, int, Array]] = []
    for b, kind in enumerate(blocks.kind.tolist()):
        axes = blocks.axis[b][None] if kind == packed.HINGE else np.eye(3)
        for number, axis in enumerate(axes):
            found.append((b, int(blocks.joint[b]), int(blocks.column[b]) + number, axis))
    return found


def stepped(state: State, step: float) -> tuple[Array, Array]:
    """Wrench (3n, 6) and moments (3n, J, 3) of the state with one number changed in each row."""
    n, skeleton = state.width, state.skeleton
    repeat = (3 * n, 1, 1)
    local, omega = np.tile(state.local, repeat), np.tile(state.omega, repeat)
    alpha, root = np.tile(state.alpha, repeat), np.tile(state.root_acceleration, (3 * n, 1))
    world = forward_kinematics(skeleton, np.zeros((1, 3)), state.local[None]).rotations_wxyz[0]
    for b, joint, column, axis in columns_of(state.blocks):
        if state.blocks.kind[b] == packed.TRANSLATION:
            root[2 * n + column] += step * axis
            continue
        omega[n + column, joint] += step * axis
        alpha[2 * n + column, joint] += step * axis
        turn = step * state.blocks.mobility[b] * axis
        if state.blocks.kind[b] == packed.BALL and joint > 0:
            turn = rotations.rotate(rotations.conjugate(world[skeleton.parents[joint]]), turn)
        pair = rotations.exp(turn), state.local[joint]
        first, second = pair if state.blocks.kind[b] == packed.BALL else pair[::-1]
        local[column, joint] = rotations.multiply(first, second)
    forces = inverse_dynamics(
        skeleton, state.body, local, omega, root, alpha, gravity_m_s2=state.gravity
    )
    wrench = np.concatenate([forces.root_force_n, forces.root_moment_nm], axis=1)
    return wrench, forces.joint_moments_nm


def differences(state: State) -> tuple[Array, Array]:
    """(6, 3n) and (J, 3, 3n) by central differences."""
    ahead, behind = stepped(state, STEP), stepped(state, -STEP)
    wrench, moments = ((a - b) / (2.0 * STEP) for a, b in zip(ahead, behind, strict=True))
    return wrench.T, np.moveaxis(moments, 0, -1)


@pytest.mark.parametrize("make", STATES)
def test_values_are_those_of_newton_euler(make: Callable[[], State]) -> None:
    state = make()
    found = rates_of(state)
    forces = inverse_dynamics(
        state.skeleton, state.body, state.local[None], state.omega[None],
        state.root_acceleration[None], state.alpha[None], gravity_m_s2=state.gravity,
    )  # fmt: skip
    wrench = np.concatenate([forces.root_force_n[0], forces.root_moment_nm[0]])
    assert_close(found.wrench, wrench, 1e-12, "wrench")
    assert_close(found.moments, forces.joint_moments_nm[0], 1e-12, "moments")


@pytest.mark.parametrize("make", STATES)
def test_rates_are_what_differences_of_newton_euler_approach(make: Callable[[], State]) -> None:
    state = make()
    found, (wrench, moments) = rates_of(state), differences(state)
    for part, name in enumerate(("places", "velocities", "accelerations")):
        columns = slice(part * state.width, (part + 1) * state.width)
        assert_close(found.of_wrench[:, columns], wrench[:, columns], AGREEMENT, f"wrench, {name}")
        # The moments of light segments far out are small: each joint by its own scale.
        for joint in range(state.skeleton.joint_count):
            assert_close(
                found.of_moments[joint][:, columns], moments[joint][:, columns],
                10 * AGREEMENT, f"moment of joint {joint}, {name}",
            )  # fmt: skip


def test_the_states_have_all_kinds_of_blocks_and_joints_out_of_order() -> None:
    kinds = [kind for seed in SEEDS for kind in random_state(seed).blocks.kind.tolist()]
    assert min(kinds.count(kind) for kind in (packed.TRANSLATION, packed.BALL, packed.HINGE)) > 5
    parents = [random_state(seed).skeleton.parents for seed in SEEDS]
    assert any((np.diff(p[1:]) < 0).any() and (np.diff(p) > 1).any() for p in parents)


def test_kinds_of_blocks_are_numbered_as_in_ik() -> None:
    ours = kernels.TRANSLATION, kernels.BALL, kernels.HINGE
    assert ours == (packed.TRANSLATION, packed.BALL, packed.HINGE)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_still_body_weighs_the_same_in_every_pose(seed: int) -> None:
    state = random_state(seed)
    still = np.zeros_like(state.omega)
    found = rates_of(replace(state, omega=still, alpha=still, root_acceleration=np.zeros(3)))
    n, weight = state.width, float(np.linalg.norm(found.wrench[:3]))
    assert np.abs(found.of_wrench[:3, :n]).max() < 1e-12 * weight
    assert np.abs(found.of_wrench[3:, :n]).max() > 1e-3 * weight  # moments do change
    assert np.abs(found.of_wrench[:, n : 2 * n]).max() < 1e-12 * weight  # rates enter squared


def test_mobility_counts_for_places_alone() -> None:
    state = random_state(3, joints=9)
    slow = with_coordinates(state, mobility={-1: 0.5, 0: 0.25, 1: 0.5})
    plain, scaled = rates_of(state), rates_of(slow)
    of_column = np.concatenate([
        np.full(3 if kind <= packed.BALL else 1, share)
        for kind, share in zip(slow.blocks.kind.tolist(), slow.blocks.mobility, strict=True)
    ])  # fmt: skip
    share = np.concatenate([of_column, np.ones(2 * state.width)])
    assert_close(scaled.of_wrench, plain.of_wrench * share, 1e-13, "wrench")
    assert_close(scaled.of_moments, plain.of_moments * share, 1e-13, "moments")


def test_coordinates_left_out_change_nothing_for_the_others() -> None:
    state = random_state(5, joints=14)
    fewer = with_coordinates(state, left_out=(0, 2, 3))
    assert 0 < fewer.width < state.width
    column_of = {(j, tuple(a), b == 0): c for b, j, c, a in columns_of(state.blocks)}
    kept = [column_of[j, tuple(a), b == 0] for b, j, _, a in columns_of(fewer.blocks)]
    columns = [part * state.width + c for part in range(3) for c in kept]
    all_of_them, some = rates_of(state), rates_of(fewer)
    np.testing.assert_array_equal(some.of_wrench, all_of_them.of_wrench[:, columns])
    np.testing.assert_array_equal(some.of_moments, all_of_them.of_moments[..., columns])


def test_only_wanted_joints_are_written_and_the_wrench_needs_none() -> None:
    state = random_state(4, joints=12)
    joints, n = state.skeleton.joint_count, state.width
    whole = rates_of(state)
    scratch = make_rate_scratch(joints, n)
    wrench, of_wrench = np.full(6, np.nan), np.full((6, 3 * n), np.nan)
    given = state.segments, state.motion, state.blocks, n
    of_moments = np.full((joints, 3, 3 * n), np.nan)
    wrench_rates(*given, False, scratch, wrench, of_wrench)
    np.testing.assert_array_equal(of_wrench, whole.of_wrench)
    np.testing.assert_array_equal(wrench, whole.wrench)
    assert not scratch.laid.any()
    wanted = np.zeros(joints, dtype=np.int64)
    wanted[1::2] = 1
    wrench_rates(*given, True, scratch, wrench, of_wrench)
    joint_moment_rates(state.skeleton.parents, state.blocks, n, wanted, scratch, of_moments)
    np.testing.assert_array_equal(of_moments[1::2], whole.of_moments[1::2])
    assert np.isnan(of_moments[::2]).all()


@pytest.mark.other_engine
@pytest.mark.skipif(
    importlib.util.find_spec("pinocchio") is None,
    reason="Pinocchio is not installed (package pin; it has no Windows wheel)",
)
@pytest.mark.parametrize("seed", SEEDS)
def test_rates_agree_with_pinocchio(seed: int) -> None:
    from tests.mechanics.pinocchio_rates import torque_rates

    state = depth_first(random_state(seed))
    found = rates_of(state)
    axes = [
        (joint, axis) for b, joint, _, axis in columns_of(state.blocks)
        if state.blocks.kind[b] != packed.TRANSLATION
    ]  # fmt: skip
    ours = np.concatenate(
        [found.of_wrench[:3], [axis @ found.of_moments[joint] for joint, axis in axes]]
    )
    theirs = torque_rates(
        state.skeleton, state.body, state.gravity,
        state.root_acceleration, state.local, state.omega, state.alpha,
    )  # fmt: skip
    assert_close(ours, theirs, 1e-9, "torques by places, velocities and accelerations")
