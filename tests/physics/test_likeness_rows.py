"""The equations of a whole clip: right side and band are slope and curvature of its cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from poise import ik, rotations
from poise.arrays import Array
from poise.character import with_ranges
from poise.constraints import Recruits, Scene, Task
from poise.ik.displacement_rows import take_steps
from poise.ik.packed import PoseArrays
from poise.ik.problem import IkProblem, IkSolution, unsolved
from poise.mechanics import center_of_mass
from poise.physics.likeness import tail_of
from poise.physics.likeness_rows import REACH, SOFT_SPEED, Equations, Price, put_frames
from poise.samples import sample_character, walking
from tests.constraints.made_scenes import free_scene, quantity
from tests.ik.posed import everything
from tests.ik.test_rows import CASES, FRAMES


@dataclass(frozen=True, eq=False)
class Filled:
    """The equations of a problem at a motion."""

    problem: IkProblem
    price: Price
    at: IkSolution

    def cost_and_equations(self) -> tuple[float, Equations]:
        p, frames, width = self.problem, len(self.at.root_positions_m), self.problem.width
        equations = Equations(
            np.full((frames * width, REACH * width), 7e7), np.full(frames * width, 7e7),
            np.zeros((frames, width)), np.zeros((frames, 3, width)), np.zeros((frames, 4)),
            np.zeros(REACH * width), np.zeros(REACH * width, dtype=np.int64),
            np.zeros((len(p.limits.block), 3)),
            np.zeros((frames, len(p.limits.block), 3), dtype=np.int64),
            np.zeros((len(p.tasks), 3, width)), np.zeros((len(p.tasks), 3)),
            np.zeros(len(p.tasks), dtype=np.int64), np.zeros((frames, len(p.work.errors))),
            np.zeros((frames, len(p.work.errors))), np.zeros(frames),
        )  # fmt: skip
        clip = p.scene.clip
        cost = put_frames(
            0, frames, p.rig, p.limits, self.price,
            PoseArrays(clip.root_positions_m, clip.rotations_wxyz), self.at.poses, True, equations,
            self.at.misses,
        )  # fmt: skip
        return cost, equations

    def moved(self, steps: Array, share: float) -> Filled:
        at = self.at.copy()
        take_steps(
            self.problem.blocks, self.problem.width, steps, share, at.root_positions_m,
            at.rotations_wxyz,
        )  # fmt: skip
        return replace(self, at=at)

    def slope(self, steps: Array, share: float = 1e-6) -> float:
        """Of the cost, by differences."""
        ahead, _ = self.moved(steps, share).cost_and_equations()
        behind, _ = self.moved(steps, -share).cost_and_equations()
        return (ahead - behind) / (2.0 * share)

    def directions(self, count: int = 8) -> Array:
        size = len(self.at.root_positions_m) * self.problem.width
        return np.random.default_rng(4).normal(size=(count, size))


def price_of(stiffness: Array, frames: int = FRAMES, **numbers: float | Array) -> Price:
    """By name; where nothing is said displacements cost 1, and joints turn as fast as they like."""
    known: dict[str, Any] = {"place": 1.0, "speed": 0.0, "farthest": np.zeros(0), **numbers}
    shape = (frames, len(stiffness))
    known["acceleration"] = np.broadcast_to(known.get("acceleration", 0.0), shape).copy()
    known.setdefault("tail", np.zeros((3, len(stiffness))))
    return Price(stiffness, **known)


def prices(problem: IkProblem, **changes: float | Array) -> Price:
    stiff = np.random.default_rng(9).uniform(0.2, 1.0, problem.width)
    frames = problem.scene.clip.frame_count
    plain = price_of(
        stiff, frames, velocity=3.0, acceleration=20.0, hard=50.0, wish=7.0, center=40.0, range=30.0
    )
    shape = (frames, problem.width)
    acceleration = np.broadcast_to(changes.pop("acceleration", 20.0), shape).copy()
    return plain._replace(acceleration=acceleration, **changes)


def filled(tasks: list[Task], frames: int = FRAMES, **changes: float | Array) -> Filled:
    """At an original motion of wild poses, ranges apart: those have a test of their own."""
    problem = ik.build(free_scene(0, frames), tasks)
    return Filled(problem, prices(problem, range=0.0, **changes), unsolved(problem))


def dense(equations: Equations, width: int) -> Array:
    """The whole symmetric matrix that the band stands for."""
    size = len(equations.right)
    whole = np.zeros((size, size))
    for i in range(size):
        for k in range(min(REACH * width, size - i)):
            whole[i, i + k] = whole[i + k, i] = equations.band[i, k]
    return whole


WISHED_CENTER = replace(CASES["center"], priority=2, weight=0.3)


@pytest.mark.parametrize("name", [n for n in CASES if CASES[n].kind != "aim"])
def test_the_right_side_is_the_slope_of_the_cost(name: str) -> None:
    case = filled([CASES[name]])
    _, equations = case.cost_and_equations()
    right = equations.right.copy()
    for steps in case.directions():
        assert case.slope(steps) == pytest.approx(-2.0 * (right @ steps), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("layer", ["hard", "wished", "both"])
def test_the_right_side_holds_for_wishes_and_the_centres_acceleration(layer: str) -> None:
    tasks = {
        "hard": [CASES["point beside a joint"], CASES["turn"]],
        "wished": [CASES["point beside a joint"], WISHED_CENTER],
        "both": [CASES["distance"], replace(CASES["turn"], priority=2), WISHED_CENTER],
    }[layer]
    case = filled(tasks)
    _, equations = case.cost_and_equations()
    right = equations.right.copy()
    for steps in case.directions():
        assert case.slope(steps) == pytest.approx(-2.0 * (right @ steps), rel=1e-5, abs=1e-4)


def test_the_right_side_holds_away_from_the_original() -> None:
    case = filled([CASES["point beside a joint"], WISHED_CENTER], velocity=0.0, acceleration=0.0)
    # As stiff about every axis: the slope of a turn's square is then exact.
    case = replace(case, price=case.price._replace(stiffness=np.full(case.problem.width, 0.6)))
    away = case.moved(case.directions(1)[0], 0.3)
    _, equations = away.cost_and_equations()
    right = equations.right.copy()
    for steps in case.directions():
        assert away.slope(steps) == pytest.approx(-2.0 * (right @ steps), rel=1e-4, abs=1e-3)


def test_velocities_and_accelerations_of_displacements_cost_what_they_should() -> None:
    # The root's translation is linear: the slope is exact however far it has gone.
    task = CASES["point at the root"]
    only = replace(task, recruits=Recruits(np.zeros_like(task.recruits.joints), True))
    case = filled([only])
    assert case.problem.width == 3
    away = case.moved(case.directions(1)[0], 0.5)
    cost, equations = away.cost_and_equations()
    right = equations.right.copy()
    for steps in case.directions():
        assert away.slope(steps, 1e-3) == pytest.approx(-2.0 * (right @ steps), rel=1e-8)
    moved = away.at.root_positions_m - case.at.root_positions_m
    p = away.price
    by_hand = sum(
        (weight * p.stiffness * np.diff(moved, order, axis=0) ** 2).sum()
        for order, weight in enumerate((1.0, p.velocity, p.acceleration[1:-1]))
    )
    turned = rotations.rotate(case.at.rotations_wxyz[:, 0], only.offset_m)
    error = only.goals - away.at.root_positions_m - turned
    assert cost == pytest.approx(by_hand + p.hard * (error**2).sum(), rel=1e-12)


def test_beyond_the_ends_displacements_cost_what_fading_away_would() -> None:
    place, velocity, acceleration = 2.0, 30.0, np.array([500.0, 0.0, 4e4])
    tail = tail_of(place, velocity, acceleration)
    frames = 400
    for w, weight in enumerate(acceleration):
        x, y = 0.7, 0.4  # in the last frame, and in the one before
        begun = np.zeros((frames + 2, frames))
        begun[2:] = np.eye(frames)
        given = np.zeros(frames + 2)
        given[:2] = y, x
        rows = np.concatenate([
            np.sqrt(place) * begun[2:],
            np.sqrt(velocity) * np.diff(begun[1:], axis=0),
            np.sqrt(weight) * np.diff(begun, 2, axis=0),
        ])  # fmt: skip
        right = np.concatenate([
            np.sqrt(place) * given[2:],
            np.sqrt(velocity) * np.diff(given[1:]),
            np.sqrt(weight) * np.diff(given, 2),
        ])  # fmt: skip
        best = np.linalg.lstsq(rows, -right, rcond=None)[0]
        cost = float(((rows @ best + right) ** 2).sum())
        a, b, c = tail[:, w]
        assert a * x * x + 2.0 * b * x * y + c * y * y == pytest.approx(cost, rel=1e-4)


def test_the_right_side_holds_for_tails() -> None:
    task = CASES["point at the root"]
    only = replace(task, recruits=Recruits(np.zeros_like(task.recruits.joints), True))
    case = filled([only], tail=tail_of(1.0, 3.0, np.full(3, 20.0)))
    away = case.moved(case.directions(1)[0], 0.5)
    _, equations = away.cost_and_equations()
    right, whole = equations.right.copy(), dense(equations, 3)
    plain = filled([only]).moved(case.directions(1)[0], 0.5).cost_and_equations()[1]
    assert np.abs(right - plain.right).max() > 1.0
    for steps in case.directions():
        assert away.slope(steps, 1e-3) == pytest.approx(-2.0 * (right @ steps), rel=1e-8)
        ahead = away.moved(steps, 1e-3).cost_and_equations()[1].right
        np.testing.assert_allclose((right - ahead) / 1e-3, whole @ steps, rtol=1e-6, atol=1e-6)


def test_the_right_side_holds_for_joints_beyond_their_ranges() -> None:
    character = with_ranges(sample_character())
    clip = walking(seconds=0.2, rate_hz=30.0).clip
    task = Task("x", "turn", 0, clip.rotations_wxyz[:, 0].copy(), everything(character), joint=0)
    problem = ik.build(Scene(clip, character), [task])
    narrow = problem.limits._replace(low=problem.limits.low * 0.1, high=problem.limits.high * 0.1)
    problem = replace(problem, limits=narrow)
    case = Filled(problem, prices(problem, velocity=0.0, acceleration=0.0), unsolved(problem))
    cost, equations = case.cost_and_equations()
    without, _ = replace(case, price=case.price._replace(range=0.0)).cost_and_equations()
    assert cost > without + 0.1
    right = equations.right.copy()
    for steps in case.directions():
        assert case.slope(steps) == pytest.approx(-2.0 * (right @ steps), rel=1e-3, abs=1e-2)


@pytest.mark.parametrize("name", [n for n in CASES if CASES[n].kind not in ("aim", "center")])
def test_the_band_is_the_curvature_where_every_task_is_met(name: str) -> None:
    """With no error left, the cost is the square of what the rows say, and nothing else."""
    scene, task = free_scene(0, FRAMES), CASES[name]
    state = scene.state
    goals = quantity(task, state, scene.character)
    center = replace(WISHED_CENTER, goals=quantity(WISHED_CENTER, state, scene.character))
    case = filled([replace(task, goals=goals), center])
    cost, equations = case.cost_and_equations()
    assert cost == pytest.approx(0.0, abs=1e-18)
    matrix = dense(equations, case.problem.width)
    np.testing.assert_allclose(equations.right, 0.0, atol=1e-8)
    assert np.linalg.eigvalsh(matrix).min() > 0.0
    for steps in case.directions():
        ahead = case.moved(steps, 1e-5).cost_and_equations()[0]
        behind = case.moved(steps, -1e-5).cost_and_equations()[0]
        curved = 0.5 * (ahead + behind) / 1e-10
        assert curved == pytest.approx(steps @ matrix @ steps, rel=1e-4)


@pytest.mark.parametrize("axes", [(True, False, True), (False, True, False)])
def test_a_wished_centre_may_be_about_some_axes_only(axes: tuple[bool, bool, bool]) -> None:
    some = replace(WISHED_CENTER, axes=axes)
    others = [CASES["point beside a joint"], replace(CASES["turn"], priority=3)]
    case = filled([some, *others])
    cost, _ = case.cost_and_equations()
    state = case.problem.scene.state
    body = case.problem.scene.character.body
    assert body is not None
    off = np.diff(some.goals - center_of_mass(state, body), 2, axis=0)[:, list(axes)]
    without, _ = filled(others).cost_and_equations()
    # Weights are told against the heaviest of a layer, and this one is alone in its.
    assert cost - without == pytest.approx(case.price.center * (off**2).sum(), rel=1e-9)


@pytest.mark.parametrize("late", [(True, True, True), (True, False, True), (False, True, False)])
def test_where_a_wished_centres_goal_is_and_how_fast_it_goes_says_nothing(
    late: tuple[bool, bool, bool],
) -> None:
    """Nor does it where one that is about some axes follows one that is about others."""
    path, hard = np.random.default_rng(6).normal(size=(12, 3)), CASES["point beside a joint"]
    moved = path + np.array([5.0, -2.0, 3.0]) + np.arange(12)[:, None] * [0.3, 0.1, -0.2]

    def case(goals: Array) -> Filled:
        early = replace(WISHED_CENTER, goals=goals[:6], axes=(True, False, True))
        then = replace(WISHED_CENTER, first=6, goals=goals[6:], axes=late)
        return filled([hard, early, then], 12)

    cost, equations = case(path).cost_and_equations()
    right = equations.right.copy()
    again, elsewhere = case(moved).cost_and_equations()
    assert cost == pytest.approx(again, rel=1e-9)
    assert cost > filled([hard], 12).cost_and_equations()[0] + 1.0
    np.testing.assert_allclose(elsewhere.right, right, atol=1e-7)
    for steps in case(path).directions():
        assert case(path).slope(steps) == pytest.approx(-2.0 * (right @ steps), rel=1e-5)


# Joints that turn too fast


def turning(kind: str) -> Filled:
    """Only joints of a kind are unknowns, and they turn as fast as they like."""
    kinds = free_scene(0, FRAMES).character.skeleton.kinds
    by = Recruits(np.array([k == kind for k in kinds]), False)
    return filled([replace(CASES["point beyond a hinge"], recruits=by)])


def hurried(case: Filled, farthest: Array) -> Filled:
    return replace(case, price=case.price._replace(speed=60.0, farthest=farthest))


def turned_rad(case: Filled) -> Array:
    """(F - 1, J) how far joints turn from frame to frame."""
    turns = case.at.rotations_wxyz
    return rotations.angle_between(turns[:-1], turns[1:])


@pytest.mark.parametrize("kind", ["ball", "hinge"])
def test_the_right_side_holds_for_joints_that_turn_too_fast(kind: str) -> None:
    free = turning(kind)
    case = hurried(free, np.full(turned_rad(free).shape[1], 0.3))
    cost, equations = case.cost_and_equations()
    assert cost > free.cost_and_equations()[0] + 1.0
    right = equations.right.copy()
    for steps in case.directions():
        assert case.slope(steps) == pytest.approx(-2.0 * (right @ steps), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize(("kind", "joint"), [("ball", "left_shoulder"), ("hinge", "left_elbow")])
def test_a_joint_that_turns_too_far_costs_the_square_of_what_is_too_much(
    kind: str, joint: str
) -> None:
    free = turning(kind)
    j, turned = free.problem.scene.character.skeleton.index(joint), turned_rad(free)
    second, first = np.sort(turned[:, j])[-2:]
    over = 0.5 * (first - second)  # from one frame to the next, and no other
    farthest = np.full(turned.shape[1], np.inf)
    farthest[j] = first - over
    case = hurried(free, farthest)
    before, without = free.cost_and_equations()
    cost, equations = case.cost_and_equations()
    # A smooth hinge: its curvature begins a little before the limit, which costs a third of that.
    soft = SOFT_SPEED * farthest[j]
    assert over > max(0.1, soft)
    assert cost - before == pytest.approx(case.price.speed * (over**2 + soft**2 / 3.0), rel=1e-6)
    priced = case.price.speed * over**2
    # One row, whose error is what is too much.
    row = equations.right - without.right
    band = dense(equations, case.problem.width) - dense(without, case.problem.width)
    np.testing.assert_allclose(band, np.outer(row, row) / priced, atol=1e-6)


def test_nothing_is_asked_of_joints_that_turn_less_far() -> None:
    free = filled([CASES["point beside a joint"], WISHED_CENTER])
    cost, equations = hurried(free, 1.04 * turned_rad(free).max(axis=0) + 1e-6).cost_and_equations()
    before, without = free.cost_and_equations()
    assert cost == before
    np.testing.assert_array_equal(equations.band, without.band)
    np.testing.assert_array_equal(equations.right, without.right)
