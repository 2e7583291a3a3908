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
from poise.methods.correct.momentum_costs import reference_momenta
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.problem import (
    GRAVITY_M_S2,
    LEVER_M,
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
    begin(optimizer.problem, optimizer._base, contacts, work, True)
    return optimizer, work


def nothing(frames: int) -> Contacts:
    return np.zeros((frames, 6), np.bool_)


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


def test_contacts_go_straight_to_the_surface_and_stay() -> None:
    places = walking_about(human(), 6)
    contacts = nothing(6)
    contacts[1:4, 0] = contacts[3, 1] = True
    optimizer, work = made(places, contacts)
    right = np.zeros_like(work.x)
    off = touches(optimizer.problem, optimizer._planes, contacts, work.x, right)
    grid = np.moveaxis(right.reshape(3, 6, -1), 0, 2)[:, human().contact_vertex]
    paths = places[:, human().contact_vertex]
    # Steps are to be none, so that all that is added are places on the surface.
    down = paths.copy()
    down[..., 1] = 0.02
    assert grid == pytest.approx(np.where(contacts[..., None], down, 0.0))
    lifts, steps = (paths - down)[contacts], np.diff(paths[1:4, 0], axis=0)
    assert off == pytest.approx((lifts**2).sum() + (steps**2).sum())


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


def wanted_and_given(contacts: Contacts) -> tuple[Array, Array, MotionOptimizer, Room]:
    """The centre's acceleration, what the projection makes of it, and how, of three frames."""
    places = walking_about(human(), 3)
    places[:, :, 1] += 0.004 * np.sin(np.arange(3) * 1.1)[:, None]
    optimizer, work = made(places, contacts, replace(UNIT, balance_weight=2.0))
    right = np.zeros_like(work.x)
    off = balance(optimizer.problem, optimizer._planes, contacts, work.wrenches, work.x, right)
    assert off == pytest.approx(
        (work.wrenches.missing[1, :3] ** 2).sum() * optimizer.problem.drop**2
    )
    middle = right.reshape(3, 3, -1)[:, 1]
    shares = human().shares
    # Of each vertex by its share of the mass: one target for all of them.
    heavy = shares > 0
    targets = middle[:, heavy] / (-2.0 * 2.0**2 * shares[heavy])
    assert np.ptp(targets, axis=1).max() < 1e-9
    second = shares @ (places[0] - 2 * places[1] + places[2])
    return second, targets[:, 0], optimizer, work


def test_in_the_air_the_body_falls() -> None:
    _, target, optimizer, _ = wanted_and_given(nothing(3))
    assert target == pytest.approx([0.0, -optimizer.problem.drop, 0.0], abs=1e-9)
    assert optimizer.problem.drop == pytest.approx(GRAVITY_M_S2 / 900.0)


def test_on_the_ground_the_momentum_changes_as_the_forces_say() -> None:
    contacts = nothing(3)
    contacts[:, 0] = True  # one toe, far from under the body: neither force nor moment fits
    second, target, optimizer, work = wanted_and_given(contacts)
    drop, missing = optimizer.problem.drop, work.wrenches.missing[1]
    assert np.abs(missing).max() > 0.01
    assert target == pytest.approx(second - drop * missing[:3], abs=1e-9)
    given = work.wrenches.forces[1].sum(axis=0) - [0.0, 1.0, 0.0]
    assert target == pytest.approx(drop * given, abs=1e-9)


def test_momenta_are_those_of_points_half_way_along_bones() -> None:
    contacts = nothing(3)
    contacts[:, 0] = True
    _, _, optimizer, work = wanted_and_given(contacts)
    places = np.moveaxis(work.x.reshape(3, 3, -1), 0, 2)
    force, moment = reference_momenta(human(), places, 30.0)
    assert work.wrenches.force[1] == pytest.approx(force[1])
    assert work.wrenches.moment[1] == pytest.approx(moment[1])
    # By the change of the angular momentum itself, about the moving centre (Eq. 15).
    middles = 0.5 * (places[:, human().parts[:, 0]] + places[:, human().parts[:, 1]])
    shares = human().part_shares[:, None]
    arms = middles - (shares * middles).sum(axis=1, keepdims=True)
    halves = 0.5 * (arms[1:] + arms[:-1])
    spins = (shares * np.cross(halves, np.diff(arms, axis=0))).sum(axis=1)
    assert moment[1] * LEVER_M * optimizer.problem.drop == pytest.approx(
        spins[1] - spins[0], abs=1e-12
    )


def test_a_body_that_stands_still_on_both_feet_needs_no_change() -> None:
    places = np.repeat(walking_about(human(), 1), 5, axis=0)
    contacts = nothing(5)
    contacts[:, :4] = True
    free = replace(UNIT, largest_force_n=2000.0, largest_torque_nm=200.0)
    optimizer, work = made(places, contacts, free)
    off = balance(
        optimizer.problem, optimizer._planes, contacts, work.wrenches, work.x,
        np.zeros_like(work.x),
    )  # fmt: skip
    assert off < (0.01 * optimizer.problem.drop) ** 2 * 5
    assert np.abs(work.wrenches.missing).max() < 0.01
    total = work.wrenches.forces[2].sum(axis=0)
    assert total == pytest.approx([0.0, 1.0, 0.0], abs=0.01)


def test_forces_stay_inside_their_cones_and_under_their_ceiling() -> None:
    places = walking_about(human(), 12)
    contacts = nothing(12)
    contacts[:, :4] = True
    tight = replace(UNIT, largest_force_n=60.0, friction=0.3)
    optimizer, work = made(places, contacts, tight)
    balance(
        optimizer.problem, optimizer._planes, contacts, work.wrenches, work.x,
        np.zeros_like(work.x),
    )  # fmt: skip
    forces = work.wrenches.forces[1:-1]
    sideways = np.abs(forces[..., [0, 2]])  # cones of four sides
    assert (sideways <= 0.3 * forces[..., 1:2] + 1e-9).all()
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
