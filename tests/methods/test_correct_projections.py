"""Local steps of the motion optimizer, against brute force and against the laws of motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from poise.arrays import Array
from poise.environment import Environment
from poise.methods.correct.alternation import Room, begin, room
from poise.methods.correct.balance import project_balance
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.problem import (
    GRAVITY_M_S2,
    LEVER_M,
    SLIDING,
    STATIC,
    Contacts,
    by_coordinate,
)
from poise.methods.correct.projections import (
    project_bones,
    project_contacts,
    project_pairs,
    project_penetrations,
)
from poise.methods.correct.settings import Settings
from tests.called_from_python import from_python
from tests.methods.test_correct_optimizer import FLAT, human, walking_about

bones = from_python(project_bones)
touches = from_python(project_contacts)
penetrations = from_python(project_penetrations)
pairs = from_python(project_pairs)
balance = from_python(project_balance)

UNIT = replace(
    Settings(), bone_weight=1.0, contact_weight=1.0, penetration_weight=1.0, contact_points=4
)


def made(
    places: Array, contacts: Contacts, settings: Settings = UNIT, place: Environment = FLAT
) -> tuple[MotionOptimizer, Room]:
    """An optimizer of these places, and its work space at the reference."""
    optimizer = MotionOptimizer(human(), places, 30.0, place, settings, np.full(6, 0.02))
    work = room(optimizer.problem)
    begin(optimizer.problem, optimizer._planes, optimizer._base, contacts, work, True)
    return optimizer, work


def nothing(frames: int) -> Contacts:
    return np.zeros((frames, 6), np.int8)


def test_bones_go_to_the_nearest_of_the_right_length() -> None:
    places = walking_about(human(), 1)
    optimizer, work = made(places, nothing(1))
    rng = np.random.default_rng(0)
    x = work.x + 0.05 * rng.normal(size=work.x.shape)
    right = np.zeros_like(x)
    off = bones(optimizer.problem, x, right)
    expected, total = np.zeros_like(x), 0.0
    for (a, b), length in zip(human().bones, optimizer.problem.lengths[0], strict=True):
        edge = x[:, a] - x[:, b]

        def distance(angles: Array, edge: Array = edge, length: float = length) -> float:
            polar, around = angles
            way = np.array([np.sin(polar) * np.cos(around), np.cos(polar),
                            np.sin(polar) * np.sin(around)])  # fmt: skip
            return float(((length * way - edge) ** 2).sum())

        first = [np.arccos(edge[1] / np.linalg.norm(edge)) + 0.1, np.arctan2(edge[2], edge[0])]
        best = minimize(distance, first, tol=1e-14)
        polar, around = best.x
        target = length * np.array([np.sin(polar) * np.cos(around), np.cos(polar),
                                    np.sin(polar) * np.sin(around)])  # fmt: skip
        total += best.fun
        expected[:, a] += target
        expected[:, b] -= target
    assert off == pytest.approx(total, rel=1e-6)
    assert right == pytest.approx(expected, abs=1e-5)


def test_contacts_go_to_their_place_or_straight_to_the_surface() -> None:
    places = walking_about(human(), 6)
    contacts = nothing(6)
    contacts[1:4, 0], contacts[3, 1] = STATIC, SLIDING
    optimizer, work = made(places, contacts)
    right = np.zeros_like(work.x)
    off = touches(
        optimizer.problem, optimizer._planes, contacts, work.places, work.x, right
    )  # fmt: skip
    grid = np.moveaxis(right.reshape(3, 6, -1), 0, 2)[:, human().contact_vertex]
    stand = grid[1:4, 0] / 2.0  # both of Eq. 9's potentials
    assert np.ptp(stand, axis=0).max() < 1e-12
    assert stand[0, 1] == pytest.approx(0.02)
    path = places[1:4, human().contact_vertex[0]]
    assert (path.min(axis=0)[[0, 2]] <= stand[0, [0, 2]]).all()
    assert (path.max(axis=0)[[0, 2]] >= stand[0, [0, 2]]).all()
    slide, here = grid[3, 1], places[3, human().contact_vertex[1]]
    assert slide == pytest.approx([here[0], 0.02, here[2]])
    assert off == pytest.approx(2.0 * ((path - stand) ** 2).sum() + (here[1] - 0.02) ** 2)


def test_what_is_held_goes_out_of_the_ground_or_stays() -> None:
    places = walking_about(human(), 2)
    places[0, :, 1] -= 0.3
    optimizer, work = made(places, nothing(2))
    held = np.ones(work.x.shape[1], np.bool_)
    right = np.zeros_like(work.x)
    off = penetrations(optimizer.problem, optimizer._planes, held, work.x, right)
    clear = np.tile(optimizer.problem.clearances, 2)
    lift = np.maximum(0.0, clear - work.x[1])
    assert lift.max() > 0.2
    assert off == pytest.approx((lift**2).sum())
    assert right[1] == pytest.approx(work.x[1] + lift)
    assert right[0] == pytest.approx(work.x[0])


def wanted_and_given(frames: int, contacts: Contacts, settings: Settings = UNIT) -> tuple[
    Array, Array, Array, Array, Room, float
]:  # fmt: skip
    """Centre, accelerations, what the projection makes of them, and missing force and moment."""
    places = walking_about(human(), frames)
    places[:, :, 1] += 0.004 * np.sin(np.arange(frames) * 1.1)[:, None]
    only = replace(settings, balance_weight=0.0)
    optimizer, work = made(places, contacts, only)
    # With everything but the middle frame's rows left out, the right side holds its target alone.
    right = np.zeros_like(work.x)
    balance(
        optimizer.problem, optimizer._planes, contacts, work.wrenches, work.x, right
    )  # fmt: skip
    middle = right.reshape(3, frames, -1)[:, 1]
    shares = human().shares
    targets = -0.5 * np.divide(
        middle, shares, out=np.zeros_like(middle), where=shares > 0
    ).T / settings.spin_weight**2  # fmt: skip
    second = (places[:-2] - 2 * places[1:-1] + places[2:])[0]
    center = shares @ places[1]
    return center, second, targets, places[1], work, optimizer.problem.drop


def momenta(center: Array, places: Array, accelerations: Array) -> tuple[Array, Array]:
    shares = human().shares[:, None]
    force = (shares * accelerations).sum(axis=0)
    moment = np.cross(places - center, shares * accelerations).sum(axis=0)
    return force, moment


def test_in_the_air_the_body_falls_and_does_not_start_to_spin() -> None:
    center, _, targets, places, _, drop = wanted_and_given(3, nothing(3))
    force, moment = momenta(center, places, targets)
    assert force == pytest.approx([0.0, -drop, 0.0], abs=1e-9)
    assert moment == pytest.approx(np.zeros(3), abs=1e-9 + 1e-5 * drop)
    assert drop == pytest.approx(GRAVITY_M_S2 / 900.0)


def test_on_the_ground_the_momenta_change_as_the_forces_say() -> None:
    contacts = nothing(3)
    contacts[:, 0] = STATIC  # one toe, far from under the body: neither force nor moment fits
    center, second, targets, places, work, drop = wanted_and_given(3, contacts)
    missing = work.wrenches.missing[1]
    assert np.abs(missing).max() > 0.01
    before, after = momenta(center, places, second), momenta(center, places, targets)
    assert after[0] == pytest.approx(before[0] - drop * missing[:3], abs=1e-9)
    assert after[1] == pytest.approx(before[1] - drop * LEVER_M * missing[3:], abs=1e-5 * drop)
    given = work.wrenches.forces[1].sum(axis=0) - [0.0, 1.0, 0.0]
    assert after[0] == pytest.approx(drop * given, abs=1e-9)


def test_of_all_accelerations_with_those_momenta_the_nearest_are_taken() -> None:
    contacts = nothing(3)
    contacts[:, 0] = STATIC
    center, second, targets, places, _, drop = wanted_and_given(3, contacts)
    shares = human().shares
    arms = places - center
    rows = np.zeros((6, 3 * len(shares)))
    for v, share in enumerate(shares):
        rows[:3, 3 * v : 3 * v + 3] = share * np.eye(3)
        for k in range(3):
            rows[3:, 3 * v + k] = share * np.cross(arms[v], np.eye(3)[k])
    wanted = rows @ targets.reshape(-1)
    heavy = np.repeat(shares, 3)
    moved = heavy > 0
    gap = wanted - rows @ second.reshape(-1)
    weighed = rows[:, moved] / np.sqrt(heavy[moved])
    step = np.linalg.lstsq(weighed, gap, rcond=None)[0] / np.sqrt(heavy[moved])
    expected = second.reshape(-1).copy()
    expected[moved] += step
    assert targets.reshape(-1)[moved] == pytest.approx(expected[moved], abs=1e-5 * drop)


def test_a_body_that_stands_still_on_both_feet_needs_no_change() -> None:
    places = np.repeat(walking_about(human(), 1), 5, axis=0)
    contacts = nothing(5)
    contacts[:, :4] = STATIC
    free = replace(UNIT, largest_force_n=2000.0, largest_torque_nm=200.0)
    optimizer, work = made(places, contacts, free)
    off, spun, turned = balance(
        optimizer.problem, optimizer._planes, contacts, work.wrenches, work.x,
        np.zeros_like(work.x),
    )  # fmt: skip
    assert off < (0.01 * optimizer.problem.drop) ** 2 * 5
    assert turned < 0.01**2 * 5
    assert spun < 1e-4 * optimizer.problem.drop
    total = work.wrenches.forces[2].sum(axis=0)
    assert total == pytest.approx([0.0, 1.0, 0.0], abs=0.01)


def test_forces_stay_inside_their_cones_and_under_their_ceiling() -> None:
    places = walking_about(human(), 12)
    contacts = nothing(12)
    contacts[:, :4] = STATIC
    tight = replace(UNIT, largest_force_n=60.0, friction=0.3)
    optimizer, work = made(places, contacts, tight)
    balance(
        optimizer.problem, optimizer._planes, contacts, work.wrenches, work.x,
        np.zeros_like(work.x),
    )  # fmt: skip
    forces = work.wrenches.forces[1:-1]
    sideways = np.linalg.norm(forces[..., [0, 2]], axis=-1)
    assert (sideways <= 0.3 * forces[..., 1] + 1e-9).all()
    assert forces[..., 1].max() <= 60.0 / (70.0 * GRAVITY_M_S2) + 1e-9
    assert forces[..., 1].max() > 0.05


def test_spheres_go_apart_along_the_line_between_them() -> None:
    from poise.methods.correct.mesh import motion_mesh
    from tests.character.reference_human import reference_human

    mesh = motion_mesh(reference_human(), ("left_toe",), spheres={"head": 0.1, "left_wrist": 0.2})
    places = walking_about(mesh, 1)
    head, wrist = mesh.names.index("head"), mesh.names.index("left_wrist")
    places[0, wrist] = places[0, head] + [0.06, 0.08, 0.0]
    optimizer = MotionOptimizer(mesh, places, 30.0, FLAT, UNIT, np.zeros(1))
    assert len(optimizer.problem.pairs) == 1
    right = np.zeros_like(optimizer.problem.reference)
    off = pairs(
        optimizer.problem, np.ones((1, 1), np.bool_), by_coordinate(places), right
    )  # fmt: skip
    assert off == pytest.approx(0.2**2)
    first, second = optimizer.problem.pairs[0]
    sign = 1.0 if first == wrist else -1.0
    assert right[:, first] == pytest.approx(sign * np.array([0.18, 0.24, 0.0]))
    assert right[:, second] == pytest.approx(-right[:, first])
