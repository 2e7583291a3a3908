"""The contact state graph: its states, their costs, and the paths through it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.optimize import nnls

from poise import samples
from poise.arrays import Array
from poise.environment import Environment, query
from poise.errors import BadValue
from poise.methods.correct.bending_costs import bending_costs, center_shifts_m, limb_laplacian
from poise.methods.correct.contact_states import (
    MOST_CANDIDATES,
    columns_of,
    contact_states,
    touching,
    touching_candidates,
)
from poise.methods.correct.mesh import Mesh, motion_mesh, vertices_of
from poise.methods.correct.momentum_costs import (
    EXPLAINED,
    contact_places,
    momentum_costs,
    reference_momenta,
)
from poise.methods.correct.node_costs import NodeCosts, key_count, node_costs, weights_over_time
from poise.methods.correct.problem import FORCE_WEIGHT, LEVER_M
from poise.methods.correct.rest_heights import rest_heights_m
from poise.methods.correct.scoring import diversity, limited_paths, most_stretches
from poise.methods.correct.settings import FEET, HANDS, Settings
from poise.motion import resample
from poise.solvers.shortest_path import Layers
from poise.solvers.voronoi_sampling import even_simplex_points

FLAT = Environment.flat()
RATE_HZ = 30.0


@cache
def walk() -> tuple[Mesh, Array, Array]:
    """A second of the sample walk: its mesh with hands too, vertices, and heights at rest."""
    clip = replace(resample(samples.walking().clip, RATE_HZ).sliced(0, 40), source=None)
    character = samples.sample_character()
    mesh = motion_mesh(character, (*FEET, *HANDS))
    return mesh, vertices_of(mesh, clip), rest_heights_m(mesh, clip, character, FLAT)


@cache
def graph() -> NodeCosts:
    mesh, vertices, rest = walk()
    return node_costs(mesh, vertices, RATE_HZ, FLAT, Settings(), rest)


def frames_of(layers: Layers) -> Array:
    return np.repeat(np.arange(layers.layer_count), np.diff(layers.starts))


def test_states_are_all_sets() -> None:
    layers = contact_states(3, 2)
    assert layers.states.tolist() == [0, 1, 2, 3] * 3
    assert layers.starts.tolist() == [0, 4, 8, 12]
    flags = touching(layers.states, 2)
    assert (flags @ [1, 2] == layers.states).all()
    with pytest.raises(BadValue, match=str(MOST_CANDIDATES)):
        contact_states(3, MOST_CANDIDATES + 1)


def test_of_a_touching_part_the_lowest_candidates_touch() -> None:
    mesh, vertices, rest = walk()
    schedule = samples.walking().contacts
    rows = np.arange(40) * round(schedule.rate_hz / RATE_HZ)
    thinned = replace(schedule, touching=schedule.touching[rows], sliding=None, confidence=None)
    clearances = vertices[:, mesh.contact_vertex, 1] - rest
    found = touching_candidates(thinned, mesh.candidates, clearances)
    for part in ("left_foot", "right_foot"):
        mine = columns_of(mesh.candidates, part)
        assert (found[:, mine].any(axis=1) == thinned.column(part)).all()
        assert (found[:, mine].sum(axis=1) == 1).any() and (found[:, mine].sum(axis=1) == 2).any()
    assert not found[:, columns_of(mesh.candidates, "left_hand")].any()


def test_costs_are_shares_of_their_frame() -> None:
    ours = graph()
    assert (ours.costs >= 0.0).all()
    largest = np.maximum.reduceat(ours.costs, ours.layers.starts[:-1], axis=0)
    assert largest[1:] == pytest.approx(np.ones((39, 3)))
    # Nothing in contact bends nothing and slips not at all (Eqs. 22 and 25).
    nothing = ours.layers.states == 0
    assert (ours.costs[nothing][:, [0, 2]] == 0.0).all()


def test_only_the_forces_speak_for_contact() -> None:
    ours = graph()
    none = ours.costs[ours.layers.states == 0]
    assert (none[5:35, 1] > 0.9).all()
    full = ours.costs[ours.layers.states == 63]
    assert (full[5:35, 1] < 0.1).all() and (full[5:35, 0] > none[5:35, 0]).all()


def test_slip_is_how_far_the_members_of_a_state_go() -> None:
    mesh, vertices, _ = walk()
    ours = graph()
    steps = np.diff(vertices[:, mesh.contact_vertex], axis=0)
    squares = (steps**2).sum(axis=2)
    at = (frames_of(ours.layers) == 11) & (ours.layers.states == 0b100101)
    share = squares[10, [0, 2, 5]].sum() / squares[10].sum()
    assert ours.costs[at, 2] == pytest.approx(share)


def test_slip_is_relative_to_a_belt() -> None:
    mesh, vertices, rest = walk()
    belt = Environment.flat(0.0, (0.0, 0.0, -1.5))
    carried = vertices - np.arange(40)[:, None, None] * np.array([0.0, 0.0, 1.5 / RATE_HZ])
    moving = node_costs(mesh, carried, RATE_HZ, belt, Settings(), rest)
    assert moving.costs[:, 2] == pytest.approx(graph().costs[:, 2], abs=1e-9)


@pytest.mark.parametrize("epsilon", [1e-2, 1e-3, 1e-4])
def test_bending_is_what_the_least_squares_problem_says(epsilon: float) -> None:
    """Eqs. 22 and 23 written out, against the small forms."""
    mesh, _, _ = walk()
    rng = np.random.default_rng(4)
    count = len(mesh.candidates)
    targets = rng.normal(0.0, 0.05, (1, count, 3))
    layers = Layers(np.array([0, 1 << count]), np.arange(1 << count), 1 << count)
    costs = bending_costs(mesh, layers, targets, epsilon)
    shifts = center_shifts_m(mesh, layers, targets, epsilon)
    a = limb_laplacian(mesh)
    for state in (0, 1, 5, 22, 63):
        chosen = np.flatnonzero(touching(np.array([state]), count)[0])
        contact = np.zeros((len(chosen), mesh.vertex_count))
        contact[np.arange(len(chosen)), mesh.contact_vertex[chosen]] = 1.0
        rows = np.concatenate([a, contact, epsilon * np.eye(mesh.vertex_count)])
        right = np.zeros((len(rows), 3))
        right[len(a) : len(a) + len(chosen)] = targets[0, chosen]
        moved = np.linalg.lstsq(rows, right, rcond=None)[0]
        assert costs[state] == pytest.approx(np.sum((a @ moved) ** 2), rel=1e-6, abs=1e-12)
        assert shifts[state] == pytest.approx(mesh.shares @ moved, rel=1e-6, abs=1e-9)


def test_epsilon_hardly_matters() -> None:
    mesh, _, _ = walk()
    count = len(mesh.candidates)
    targets = np.random.default_rng(5).normal(0.0, 0.05, (1, count, 3))
    layers = Layers(np.array([0, 1 << count]), np.arange(1 << count), 1 << count)
    usual = bending_costs(mesh, layers, targets)
    for epsilon in (1e-4, 1e-2):
        other = bending_costs(mesh, layers, targets, epsilon)
        assert np.abs(other - usual).max() < 0.01 * usual.max()


def test_lifting_all_of_the_body_bends_nothing() -> None:
    """The differences of Eq. 22 do not see where the body is."""
    mesh, _, _ = walk()
    count = len(mesh.candidates)
    targets = np.tile([0.0, -0.05, 0.0], (1, count, 1))
    layers = Layers(np.array([0, 1 << count]), np.arange(1 << count), 1 << count)
    assert bending_costs(mesh, layers, targets).max() < 1e-6


def test_momentum_costs_are_what_non_negative_least_squares_leaves() -> None:
    """Eq. 13 without ceiling and torques, each node by another solver; Eq. 24 counts the force."""
    mesh, vertices, _ = walk()
    settings = Settings(largest_force_n=1e6, largest_torque_nm=0.0)
    layers = contact_states(40, len(mesh.candidates))
    rng = np.random.default_rng(6)
    shifts = 0.02 * rng.normal(size=(len(layers.states), 3))
    costs = momentum_costs(mesh, layers, vertices, RATE_HZ, FLAT, settings, shifts)
    points, normals = contact_places(FLAT, vertices[:, mesh.contact_vertex], settings)
    force, moment = reference_momenta(mesh, vertices, RATE_HZ)
    centers = np.einsum("v,tvk->tk", mesh.shares, vertices)
    frame = frames_of(layers)
    for n in rng.choice(len(layers.states), 40, replace=False):
        t, columns = frame[n], []
        for b in np.flatnonzero(touching(layers.states[n : n + 1], len(mesh.candidates))[0]):
            for point in points[t, b]:
                lever = (point - centers[t] - shifts[n]) / LEVER_M
                for edge in ((0.8, 0.0), (-0.8, 0.0), (0.0, 0.8), (0.0, -0.8)):
                    push = normals[t, b] + np.array([edge[0], 0.0, edge[1]])
                    columns.append(np.concatenate([push, np.cross(lever, push)]))
        wanted = np.concatenate([force[t], moment[t]])
        left = wanted
        if columns:
            a = np.array(columns).T
            damped = np.vstack([a, np.sqrt(FORCE_WEIGHT) * np.eye(a.shape[1])])
            beta, _ = nnls(damped, np.concatenate([wanted, np.zeros(a.shape[1])]), maxiter=1000)
            left = wanted - a @ beta
        rest = left[:3] @ left[:3]
        if costs[n] < EXPLAINED:  # as a smaller state explains it, which is not solved again
            assert rest < 1e-3
        else:
            assert costs[n] == pytest.approx(rest, rel=1e-2)


def test_a_motion_at_rest_asks_for_its_weight() -> None:
    mesh, vertices, _ = walk()
    still = np.repeat(vertices[:1], 5, axis=0)
    force, moment = reference_momenta(mesh, still, RATE_HZ)
    assert force == pytest.approx(np.tile([0.0, 1.0, 0.0], (5, 1)))
    assert np.abs(moment).max() < 1e-12


def test_diversity_counts_stretches() -> None:
    assert diversity(np.zeros(30, np.int64)) == pytest.approx(1.0)
    assert diversity(np.repeat([1, 2, 1, 2], 5)) == pytest.approx(4.0)
    uneven = diversity(np.array([1] * 28 + [0] * 2))
    assert 1.0 < uneven < 2.0


def test_the_price_of_change_keeps_diversity_below_its_limit() -> None:
    ours = graph()
    frames = ours.layers.layer_count
    weights = weights_over_time(even_simplex_points(12, 2, 3), frames)
    free = limited_paths(ours.layers, ours.costs, weights, 1e3)
    highest = max(diversity(path) for path in free.states)
    assert highest > 4.0
    held = limited_paths(ours.layers, ours.costs, weights, 3.0)
    assert max(diversity(path) for path in held.states) <= 3.0


def test_diversity_is_table_2_s_for_the_length_of_table_3_s_clips() -> None:
    assert most_stretches(Settings(preset="run"), 43 / 30) == pytest.approx(15.0)
    assert most_stretches(Settings(preset="acrobatic"), 255 / 60) == pytest.approx(20.0)
    assert most_stretches(Settings(preset="run", diversity=3.0), 43 / 30) == 3.0
    assert most_stretches(Settings(), 0.01) == 1.0


def test_weights_lie_on_lines_between_keys() -> None:
    samples_ = even_simplex_points(5, 3, 3)
    weights = weights_over_time(samples_, 21)
    assert weights.shape == (5, 21, 3)
    assert np.abs(weights.sum(axis=2) - 1.0).max() < 1e-12
    assert weights[:, [0, 10, 20]] == pytest.approx(samples_)
    assert weights[:, 5] == pytest.approx(0.5 * (weights[:, 0] + weights[:, 10]))
    assert key_count(85, 30.0, 1.0) == 4
    assert key_count(1, 30.0, 1.0) == 1
    assert weights_over_time(even_simplex_points(2, 1, 3), 7).shape == (2, 7, 3)


def test_places_to_push_lie_on_the_surface_around_the_candidate() -> None:
    mesh, places, _ = walk()
    vertices = places[:, mesh.contact_vertex]
    points, normals = contact_places(FLAT, vertices, Settings())
    assert points.shape == (*vertices.shape[:2], 3, 3)
    assert np.abs(query(FLAT, points).distances_m).max() < 1e-9
    middle = points.mean(axis=2)
    assert np.abs(middle - query(FLAT, vertices).closest_m).max() < 1e-9
    assert np.linalg.norm(points - middle[:, :, None], axis=-1) == pytest.approx(0.05)
    assert normals.shape == vertices.shape
