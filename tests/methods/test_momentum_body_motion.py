"""Momentum between two frames: what mechanics says it is, and slopes that differences confirm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Character
from poise.constraints import Recruits, Scene
from poise.environment import Environment
from poise.formats import load_character
from poise.ik import IkProblem, build
from poise.ik.displacement_rows import take_steps
from poise.mechanics import center_of_mass, forward_kinematics, momentum
from poise.methods.momentum.body_motion import (
    Ends,
    Poses,
    Segments,
    put_interval,
    put_pose,
)
from poise.motion import Clip
from poise.samples import sample_character
from tests.called_from_python import from_python
from tests.mechanics.random_trees import along_freedoms, random_body, random_skeleton
from tests.shared_data import ROBOTS, needs_robots

LENGTH_M = 0.3

posed, between = from_python(put_pose), from_python(put_interval)


@dataclass(frozen=True, eq=False)
class Figure:
    """A body ready for the kernels."""

    character: Character
    ik: IkProblem
    segments: Segments

    @property
    def body(self) -> Body:
        assert self.character.body is not None
        return self.character.body


@dataclass(frozen=True, eq=False)
class Pair:
    """Two frames."""

    roots: Array
    locals: Array

    def copy(self) -> Pair:
        return Pair(self.roots.copy(), self.locals.copy())

    def reversed(self) -> Pair:
        return Pair(self.roots[::-1].copy(), self.locals[::-1].copy())


def figure_of(character: Character, joints: Array | None = None) -> Figure:
    skeleton, body = character.skeleton, character.body
    assert body is not None
    clip = Clip(skeleton, 30.0, np.zeros((2, 3)), np.tile(skeleton.rest_wxyz, (2, 1, 1)))
    moving = np.ones(skeleton.joint_count, dtype=np.bool_) if joints is None else joints
    scene = Scene(clip, character, Environment.flat(), None)
    inertias, mass = body.inertias_kg_m2, body.total_mass_kg
    segments = Segments(body.masses_kg, body.centers_m, inertias, mass, LENGTH_M)
    return Figure(character, build(scene, (), also=Recruits(moving, True)), segments)


@cache
def human() -> Figure:
    return figure_of(sample_character())


@cache
def half_of_a_human() -> Figure:
    """Every other joint is rigid."""
    count = sample_character().skeleton.joint_count
    return figure_of(sample_character(), np.arange(count) % 2 == 0)


@cache
def robot() -> Figure:
    return figure_of(load_character(ROBOTS / "unitree_g1" / "g1_nomesh.xml"))


@cache
def tree(seed: int) -> Figure:
    """Balls, hinges and fixed joints with turned rest frames."""
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 14)
    return figure_of(Character(skeleton, body=random_body(rng, 14)))


FIGURES = {
    "human": human,
    "half of a human": half_of_a_human,
    "tree": lambda: tree(1),
    "another tree": lambda: tree(2),
    "robot": robot,
}
A_ROBOT = pytest.param("robot", marks=[needs_robots, pytest.mark.other_engine])
ALL = ["human", "tree", "another tree", A_ROBOT]


def named(name: str) -> Figure:
    return FIGURES[name]()


def random_pair(figure: Figure, rng: np.random.Generator, turn_rad: float) -> Pair:
    """A random pose, and one in which every joint is turned by up to `turn_rad` from it."""
    skeleton = figure.character.skeleton
    count = skeleton.joint_count

    def turns(size: float) -> Array:
        vectors = rng.normal(size=(count, 3))
        vectors *= (
            size * rng.uniform(0.3, 1.0, (count, 1)) / np.linalg.norm(vectors, axis=1)[:, None]
        )
        return rotations.exp(along_freedoms(skeleton, vectors))

    first = rotations.multiply(skeleton.rest_wxyz, turns(1.0))
    then = rotations.multiply(first, turns(turn_rad))
    return Pair(rng.normal(size=(2, 3)), np.stack([first, then]))


def looked_at(figure: Figure, pair: Pair, rate: float) -> tuple[Array, Array]:
    """(6,) values and (6, 2 W) rows of the interval."""
    joints, width = figure.character.skeleton.joint_count, figure.ik.width
    poses = Poses(
        np.empty((2, joints, 4)), np.empty((2, joints, 3)), np.empty((2, joints, 10)),
        np.empty((2, joints, 10)), np.empty((2, 3)), np.zeros((2, 3, width)),
    )  # fmt: skip
    ends = Ends(
        np.empty((joints, 3)), np.empty((joints, 6)), np.empty((joints, 6)),
        np.empty((2, joints, 3, 3)), np.empty((2, joints, 3, 3)), np.empty((2, 3)),
    )  # fmt: skip
    ik, rows, values = figure.ik, np.full((6, 2 * width), np.nan), np.full(6, np.nan)
    for f in range(2):
        posed(ik.tree, ik.blocks, figure.segments, f, pair.roots[f], pair.locals[f], poses)
    between(
        ik.tree, ik.blocks, figure.segments, 0, pair.locals, rate, width, poses, ends, rows, values
    )
    return values, rows


def values_of(figure: Figure, pair: Pair, rate: float = 30.0) -> Array:
    return looked_at(figure, pair, rate)[0]


class Path:
    """A smooth motion with a known velocity: joints turn about two axes that do not commute."""

    def __init__(self, figure: Figure, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.skeleton = figure.character.skeleton
        count = self.skeleton.joint_count
        self.start = random_pair(figure, rng, 0.1).locals[0]
        # Of the second power of time for hinges, whose turns do commute.
        self.a, self.b, self.c = along_freedoms(self.skeleton, rng.normal(size=(3, count, 3)))
        self.v, self.w, self.x = rng.normal(size=(3, 3))

    def pose(self, time: float) -> tuple[Array, Array]:
        turn = rotations.multiply(
            rotations.exp(time * self.a + time**2 * self.c), rotations.exp(time * self.b)
        )
        root = time * self.v + time**2 * self.w + time**3 * self.x
        return root, rotations.multiply(self.start, turn)

    def velocity(self, time: float) -> tuple[Array, Array]:
        """Of the root, and of joints in their own frames."""
        h = 1e-5
        back, ahead = self.pose(time - h)[1], self.pose(time + h)[1]
        omega = rotations.log(rotations.multiply(rotations.conjugate(back), ahead)) / (2.0 * h)
        return self.v + 2.0 * time * self.w + 3.0 * time**2 * self.x, omega


# Values


@pytest.mark.parametrize("name", ALL)
def test_momentum_is_that_of_mechanics_to_second_order(name: str) -> None:
    figure, at = named(name), 0.2
    path, body = Path(figure, 5), figure.body
    root, local = path.pose(at)
    speed, omega = path.velocity(at)
    state = forward_kinematics(figure.character.skeleton, root[None], local[None])
    truth = momentum(state, body, speed[None], omega[None])
    spin = truth.angular_kg_m2_s[0] / (body.total_mass_kg * LENGTH_M)
    wanted = np.concatenate([truth.linear_kg_m_s[0] / body.total_mass_kg, spin])
    off = []
    for step in (0.04, 0.02, 0.01):
        (a, p), (b, q) = path.pose(at - 0.5 * step), path.pose(at + 0.5 * step)
        pair = Pair(np.stack([a, b]), np.stack([p, q]))
        off.append(values_of(figure, pair, 1.0 / step) - wanted)
    assert np.abs(off[-1]).max() < 1e-3 * np.abs(wanted).max()
    for coarse, fine in pairwise(off):
        for part in (slice(0, 3), slice(3, 6)):
            ratio = np.linalg.norm(coarse[part]) / np.linalg.norm(fine[part])
            assert ratio == pytest.approx(4.0, rel=0.03)
        # So what is left once the second order is taken away is of the fourth.
        assert np.abs(4.0 * fine - coarse).max() < 0.02 * np.abs(coarse).max()


@pytest.mark.parametrize("name", ALL)
def test_the_linear_part_is_the_way_of_the_centre_of_mass(name: str) -> None:
    figure, rate = named(name), 37.0
    pair = random_pair(figure, np.random.default_rng(6), 1.5)
    state = forward_kinematics(figure.character.skeleton, pair.roots, pair.locals)
    center = center_of_mass(state, figure.body)
    np.testing.assert_allclose(
        values_of(figure, pair, rate)[:3], rate * (center[1] - center[0]), rtol=0, atol=1e-12 * rate
    )


@pytest.mark.parametrize("angle", [-2.5, 1e-4, 0.3, 1.0, 3.0])
def test_a_rigid_body_spins_with_its_inertia(angle: float) -> None:
    figure, rate, rng = human(), 30.0, np.random.default_rng(7)
    local = random_pair(figure, rng, 0.1).locals[0]
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    turned = local.copy()
    turned[0] = rotations.multiply(rotations.from_axis_angle(axis, angle), local[0])
    middle = local.copy()
    middle[0] = rotations.multiply(rotations.from_axis_angle(axis, 0.5 * angle), local[0])
    found = values_of(figure, Pair(np.zeros((2, 3)), np.stack([local, turned])), rate)[3:]
    # The truth at half the way: there it turns with the same speed.
    omega = np.zeros((1, len(local), 3))
    omega[0, 0] = rotations.rotate(rotations.conjugate(middle[0]), rate * angle * axis)
    state = forward_kinematics(figure.character.skeleton, np.zeros((1, 3)), middle[None])
    truth = momentum(state, figure.body, np.zeros((1, 3)), omega).angular_kg_m2_s[0]
    truth = truth / (figure.body.total_mass_kg * LENGTH_M)
    along, size = axis * (axis @ truth), np.linalg.norm(truth)
    assert axis @ found == pytest.approx(axis @ truth, rel=1e-11)
    # What is across goes around with the body: the mean of both ends is that much shorter.
    wanted = along + np.cos(0.5 * angle) * (truth - along)
    np.testing.assert_allclose(found, wanted, atol=1e-11 * size)


@pytest.mark.parametrize("name", ALL)
def test_where_the_body_is_leaves_its_spin_alone(name: str) -> None:
    figure, rng = named(name), np.random.default_rng(8)
    pair = random_pair(figure, rng, 0.5)
    moved = Pair(pair.roots + rng.normal(0.0, 3.0, (2, 3)), pair.locals)
    here, there = values_of(figure, pair), values_of(figure, moved)
    np.testing.assert_allclose(there[3:], here[3:], atol=1e-12 * np.abs(here).max())
    assert np.abs(there[:3] - here[:3]).max() > 1.0


@pytest.mark.parametrize("name", ALL)
def test_time_that_runs_backwards_turns_momentum_around(name: str) -> None:
    figure = named(name)
    pair = random_pair(figure, np.random.default_rng(9), 1.0)
    here, back = values_of(figure, pair), values_of(figure, pair.reversed())
    np.testing.assert_allclose(back, -here, atol=1e-12 * np.abs(here).max())


@pytest.mark.parametrize("name", ALL)
def test_a_turn_of_the_whole_body_turns_its_momentum(name: str) -> None:
    figure, rng = named(name), np.random.default_rng(10)
    pair = random_pair(figure, rng, 1.0)
    turn = rotations.normalize(rng.normal(size=4))
    turned = Pair(rotations.rotate(turn, pair.roots), pair.locals.copy())
    turned.locals[:, 0] = rotations.multiply(turn, pair.locals[:, 0])
    here = values_of(figure, pair).reshape(2, 3)
    there = values_of(figure, turned).reshape(2, 3)
    np.testing.assert_allclose(there, rotations.rotate(turn, here), atol=1e-12 * np.abs(here).max())


def test_a_pose_that_stays_has_no_momentum() -> None:
    pair = random_pair(human(), np.random.default_rng(11), 1.0)
    same = Pair(pair.roots[[0, 0]], pair.locals[[0, 0]])
    assert np.abs(values_of(human(), same)).max() < 1e-14


def test_the_sign_of_a_quaternion_means_nothing() -> None:
    pair = random_pair(human(), np.random.default_rng(12), 1.0)
    other = Pair(pair.roots, pair.locals.copy())
    other.locals[1, ::2] *= -1.0
    np.testing.assert_allclose(values_of(human(), other), values_of(human(), pair), atol=1e-12)


# Slopes


def differences(figure: Figure, pair: Pair, rate: float, h: float) -> Array:
    """(6, 2 W) by central differences along every unknown, of fourth order."""
    width, blocks = figure.ik.width, figure.ik.blocks
    found = np.empty((6, 2 * width))

    def at(steps: Array, share: float) -> Array:
        moved = pair.copy()
        take_steps(blocks, width, steps, share, moved.roots, moved.locals)
        return values_of(figure, moved, rate)

    for n in range(2 * width):
        steps = np.zeros(2 * width)
        steps[n] = 1.0
        near, far = at(steps, h) - at(steps, -h), at(steps, 2.0 * h) - at(steps, -2.0 * h)
        found[:, n] = (8.0 * near - far) / (12.0 * h)
    return found


@pytest.mark.parametrize("name", [*ALL, "half of a human"])
@pytest.mark.parametrize("turn_rad", [0.0, 5e-3, 0.3, 2.6])
def test_slopes_are_those_of_differences(name: str, turn_rad: float) -> None:
    figure, rate = named(name), 30.0
    for seed in (20, 21):
        pair = random_pair(figure, np.random.default_rng(seed), turn_rad)
        _, rows = looked_at(figure, pair, rate)
        wanted = differences(figure, pair, rate, 1e-3)
        for part in (slice(0, 3), slice(3, 6)):
            size = np.abs(wanted[part]).max()
            np.testing.assert_allclose(rows[part], wanted[part], atol=1e-8 * size, rtol=0)


def test_slopes_by_the_root_s_place_are_the_rate_and_nothing_about_spin() -> None:
    figure, rate = human(), 30.0
    pair = random_pair(figure, np.random.default_rng(22), 0.5)
    _, rows = looked_at(figure, pair, rate)
    width = figure.ik.width
    np.testing.assert_array_equal(rows[:3, :3], -rate * np.eye(3))
    np.testing.assert_array_equal(rows[:3, width : width + 3], rate * np.eye(3))
    assert not rows[3:, :3].any() and not rows[3:, width : width + 3].any()
