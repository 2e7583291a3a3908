"""The contact state graph: its states, their costs, and that pruning loses nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.optimize import nnls

from benchmarks.correct_studies import printed_costs
from poise import samples
from poise.contact import clip_dynamics
from poise.environment import Environment, query
from poise.methods.correct.contact_optimizer import JUMP
from poise.methods.correct.contact_states import (
    MOST_CANDIDATES,
    RULED_OUT,
    contact_states,
    possible,
    touching,
)
from poise.methods.correct.evidence import evidence
from poise.methods.correct.mesh import motion_mesh, vertices_of
from poise.methods.correct.momentum_costs import (
    bending_costs,
    contact_places,
    limb_laplacian,
    momentum_costs,
)
from poise.methods.correct.node_costs import (
    LEAST_WEIGHT,
    SHARE,
    key_count,
    node_costs,
    weights_over_time,
)
from poise.methods.correct.scoring import diversity, limited_paths
from poise.methods.correct.settings import FEET, HANDS, Settings
from poise.methods.correct.standing_places import rest_heights_m
from poise.motion import resample
from poise.solvers.shortest_path import Layers, cheapest_paths
from poise.solvers.voronoi_sampling import even_simplex_points

FLAT = Environment.flat()


@cache
def walk():
    """A second of the sample walk, and its mesh with hands too."""
    clip = resample(samples.walking().clip, 30.0)
    clip = replace(
        clip,
        root_positions_m=clip.root_positions_m[:40],
        rotations_wxyz=clip.rotations_wxyz[:40],
        moving_offsets_m=clip.moving_offsets_m[:40],
        source=None,
    )
    character = samples.sample_character()
    return clip, character, motion_mesh(character, (*FEET, *HANDS))


@cache
def graph(pruned: bool = True):
    clip, character, mesh = walk()
    found = evidence(mesh, clip, character, FLAT)
    rest = rest_heights_m(mesh, clip, character, FLAT)
    return node_costs(mesh, clip, character, FLAT, Settings(), found, rest, pruned=pruned)


def test_states_are_all_sets_of_what_is_allowed() -> None:
    allowed = np.array([[True, False, True], [False, False, False], [True, True, True]])
    layers = contact_states(allowed)
    assert layers.states.tolist() == [0, 1, 4, 5, 0, 0, 1, 2, 3, 4, 5, 6, 7]
    assert layers.starts.tolist() == [0, 4, 5, 13]
    flags = touching(layers.states, 3)
    assert (flags @ [1, 2, 4] == layers.states).all()


def test_of_too_many_candidates_the_likeliest_stay() -> None:
    rng = np.random.default_rng(3)
    lifted, moving = rng.random((4, 16)), rng.random((4, 16))
    kept = possible(lifted, moving)
    assert (kept.sum(axis=1) == MOST_CANDIDATES).all()
    scores = lifted + moving
    assert all(scores[t][kept[t]].max() < scores[t][~kept[t]].min() for t in range(4))


def test_pruning_pays_by_its_own_account() -> None:
    gain = SHARE * LEAST_WEIGHT * RULED_OUT
    assert gain > (1.0 - 2.0 * LEAST_WEIGHT) + 2.0 * JUMP


def test_pruning_changes_no_path() -> None:
    less, whole = graph(), graph(pruned=False)
    assert len(less.layers.states) < 0.3 * len(whole.layers.states)
    frames = less.layers.layer_count
    weights = weights_over_time(even_simplex_points(60, 2, 3), frames)
    jumps = np.full(60, JUMP)
    found = cheapest_paths(less.layers, less.costs, weights, jumps)
    wanted = cheapest_paths(whole.layers, whole.costs, weights, jumps)
    assert (found.states == wanted.states).all()
    assert found.costs == pytest.approx(wanted.costs, rel=1e-9)
    assert len(np.unique(found.states, axis=0)) > 5  # the weights do matter


def test_costs_as_printed_are_shares_of_their_frame() -> None:
    clip, character, mesh = walk()
    rest = rest_heights_m(mesh, clip, character, FLAT)
    printed = printed_costs(mesh, clip, character, FLAT, Settings(), rest)
    assert (printed.costs >= 0.0).all()
    largest = np.maximum.reduceat(printed.costs, printed.layers.starts[:-1], axis=0)
    assert largest == pytest.approx(np.ones_like(largest)) or (largest <= 1.0 + 1e-12).all()
    # Nothing in contact bends nothing and slips not at all (Eqs. 22 and 25).
    nothing = printed.layers.states == 0
    assert (printed.costs[nothing][:, [0, 2]] == 0.0).all()


def test_standing_on_what_rests_is_cheaper_than_not_standing() -> None:
    """In every kind of cost of ours; as printed, only the forces speak for contact."""
    clip, character, mesh = walk()
    found = evidence(mesh, clip, character, FLAT)
    ours = graph()
    frame = np.repeat(np.arange(len(clip.root_positions_m)), np.diff(ours.layers.starts))
    resting = (found.lifted < 0.1) & (found.moving < 0.1)
    for t in (5, 20, 33):
        nodes = np.flatnonzero(frame == t)
        state = int(resting[t] @ (1 << np.arange(resting.shape[1])))
        assert state > 0
        at = nodes[ours.layers.states[nodes] == state][0]
        none = nodes[ours.layers.states[nodes] == 0][0]
        assert (ours.costs[at] < ours.costs[none]).all()


@pytest.mark.parametrize("epsilon", [1e-2, 1e-3, 1e-4])
def test_bending_is_what_the_least_squares_problem_says(epsilon: float) -> None:
    """Eqs. 22 and 23 written out, against the small forms."""
    _, _, mesh = walk()
    rng = np.random.default_rng(4)
    count = len(mesh.candidates)
    targets = rng.normal(0.0, 0.05, (1, count, 3))
    layers = Layers(np.array([0, 1 << count]), np.arange(1 << count), 1 << count)
    costs = bending_costs(mesh, layers, targets, epsilon)
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


def test_epsilon_hardly_matters() -> None:
    _, _, mesh = walk()
    count = len(mesh.candidates)
    targets = np.random.default_rng(5).normal(0.0, 0.05, (1, count, 3))
    layers = Layers(np.array([0, 1 << count]), np.arange(1 << count), 1 << count)
    usual = bending_costs(mesh, layers, targets)
    for epsilon in (1e-4, 1e-2):
        other = bending_costs(mesh, layers, targets, epsilon)
        assert np.abs(other - usual).max() < 0.01 * usual.max()


def test_lifting_all_of_the_body_bends_nothing() -> None:
    """The differences of Eq. 22 do not see where the body is; the evidence beside it does."""
    _, _, mesh = walk()
    count = len(mesh.candidates)
    targets = np.tile([0.0, -0.05, 0.0], (1, count, 1))
    layers = Layers(np.array([0, 1 << count]), np.arange(1 << count), 1 << count)
    assert bending_costs(mesh, layers, targets).max() < 1e-6


def test_momentum_costs_are_what_non_negative_least_squares_leaves() -> None:
    """Eq. 13 without ceiling and torques, each node by another solver."""
    clip, character, mesh = walk()
    vertices = vertices_of(mesh, clip)[:, mesh.contact_vertex]
    settings = Settings(largest_force_n=1e6, largest_torque_nm=0.0)
    dynamics = clip_dynamics(clip, character)
    layers = graph().layers
    costs = momentum_costs(layers, dynamics, FLAT, vertices, settings)
    points, normals = contact_places(FLAT, vertices, settings)
    weight, length = dynamics.weight_n, dynamics.length_m
    frame = np.repeat(np.arange(layers.layer_count), np.diff(layers.starts))
    rng = np.random.default_rng(6)
    for n in rng.choice(len(layers.states), 40, replace=False):
        t, columns = frame[n], []
        for b in np.flatnonzero(touching(layers.states[n : n + 1], len(mesh.candidates))[0]):
            for point in points[t, b]:
                lever = (point - dynamics.com_m[t]) / length
                for edge in ((0.8, 0.0), (-0.8, 0.0), (0.0, 0.8), (0.0, -0.8)):
                    force = normals[t, b] + np.array([edge[0], 0.0, edge[1]])
                    columns.append(np.concatenate([force, np.cross(lever, force)]))
        wanted = np.concatenate(
            [dynamics.outer_force_n[t] / weight, dynamics.outer_moment_nm[t] / (weight * length)]
        )
        left = wanted
        if columns:
            a = np.array(columns).T
            damped = np.vstack([a, np.sqrt(1e-3) * np.eye(a.shape[1])])
            beta, _ = nnls(damped, np.concatenate([wanted, np.zeros(a.shape[1])]), maxiter=1000)
            left = wanted - a @ beta
        # Nodes that a smaller state explains are not solved again.
        assert costs[n] == pytest.approx(left @ left, rel=1e-3, abs=1e-4)


def test_more_contacts_never_explain_less() -> None:
    ours = graph(pruned=False)
    costs = ours.costs[:, 1].reshape(ours.layers.layer_count, -1)
    for b in range(6):
        without = np.array([s for s in range(64) if not s >> b & 1])
        assert (costs[:, without | 1 << b] <= costs[:, without] + 2e-3).all()


def test_diversity_counts_stretches() -> None:
    assert diversity(np.zeros(30, np.int64)) == pytest.approx(1.0)
    assert diversity(np.repeat([1, 2, 1, 2], 5)) == pytest.approx(4.0)
    uneven = diversity(np.array([1] * 28 + [0] * 2))
    assert 1.0 < uneven < 2.0


def test_the_price_of_change_keeps_diversity_below_its_limit() -> None:
    ours = graph()
    frames = ours.layers.layer_count
    weights = weights_over_time(even_simplex_points(12, 2, 3), frames)
    free = limited_paths(ours.layers, ours.costs, weights, JUMP, 1e3)
    highest = max(diversity(path) for path in free.states)
    assert highest > 4.0
    held = limited_paths(ours.layers, ours.costs, weights, JUMP, 3.0)
    assert max(diversity(path) for path in held.states) <= 3.0


def test_weights_lie_on_lines_between_keys_and_are_never_nothing() -> None:
    samples_ = even_simplex_points(5, 3, 3)
    weights = weights_over_time(samples_, 21)
    assert weights.shape == (5, 21, 3)
    assert np.abs(weights.sum(axis=2) - 1.0).max() < 1e-12
    assert weights.min() >= LEAST_WEIGHT
    assert weights[:, 5] == pytest.approx(0.5 * (weights[:, 0] + weights[:, 10]))
    assert key_count(85, 30.0, 1.0) == 4
    assert key_count(1, 30.0, 1.0) == 1
    assert weights_over_time(even_simplex_points(2, 1, 3), 7).shape == (2, 7, 3)


def test_places_to_push_lie_on_the_surface_around_the_candidate() -> None:
    clip, _, mesh = walk()
    vertices = vertices_of(mesh, clip)[:, mesh.contact_vertex]
    points, normals = contact_places(FLAT, vertices, Settings())
    assert points.shape == (*vertices.shape[:2], 3, 3)
    assert np.abs(query(FLAT, points).distances_m).max() < 1e-9
    middle = points.mean(axis=2)
    assert np.abs(middle - query(FLAT, vertices).closest_m).max() < 1e-9
    assert np.linalg.norm(points - middle[:, :, None], axis=-1) == pytest.approx(0.05)
    assert normals.shape == vertices.shape
