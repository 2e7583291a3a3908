"""The motion optimizer: its matrix, its projections, and what comes out of their alternation."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize

from poise.arrays import Array
from poise.character import complete_character
from poise.contact import detect_contacts
from poise.environment import ConvexPart, Environment, Ground, HeightField, query
from poise.errors import BadShape, BadValue
from poise.execution import Threads
from poise.formats import load_clip
from poise.methods.correct.alternation import begin, room
from poise.methods.correct.band import REACH, assemble
from poise.methods.correct.mesh import Mesh, motion_mesh, vertices_of
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.problem import KINDS, Contacts
from poise.methods.correct.settings import FEET, Settings
from poise.motion import resample
from tests.character.reference_human import reference_human
from tests.methods.correct_dense import Rows, dense_of
from tests.shared_data import MOCAP, needs_mocap

QUIET = replace(Settings(), balance_weight=0.0, penetration_weight=0.0)
FLAT = Environment.flat()


@cache
def human() -> Mesh:
    return motion_mesh(
        reference_human(), (*FEET, "left_knee", "chest"),
        extra_edges=[("left_wrist", "right_wrist")],
    )  # fmt: skip


def walking_about(mesh: Mesh, frames: int, seed: int = 0) -> Array:
    """Vertices at rest that drift, bob and shake a little."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None, None]
    rest = mesh.rest_m - [0.0, mesh.rest_m[:, 1].min(), 0.0]
    sway = 0.01 * np.sin(0.4 * t + rng.uniform(0, 6, (1, mesh.vertex_count, 3)))
    return rest + sway + t * np.array([0.004, 0.0, 0.001])


def some_contacts(mesh: Mesh, frames: int, seed: int = 0) -> Contacts:
    rng = np.random.default_rng(seed)
    found = np.zeros((frames, len(mesh.candidates)), np.bool_)
    for b in range(len(mesh.candidates)):
        first = int(rng.integers(0, frames // 2))
        found[first : first + int(rng.integers(3, frames)), b] = True
    return found


def optimizer(
    frames: int = 12, settings: Settings = QUIET, environment: Environment = FLAT, seed: int = 0
) -> MotionOptimizer:
    mesh = human()
    places = walking_about(mesh, frames, seed)
    heights = places[0, mesh.contact_vertex, 1] + np.linspace(-0.01, 0.02, len(mesh.candidates))
    return MotionOptimizer(mesh, places, 30.0, environment, settings, heights)


def test_the_band_is_the_matrix_of_all_rows() -> None:
    settings = replace(Settings(), bone_weight=1.3, trajectory_weight=0.8, contact_weight=1.7,
                       pose_weight=0.3, balance_weight=2.0)  # fmt: skip
    made = optimizer(6, settings)
    contacts = some_contacts(human(), 6)
    assert 0.2 < contacts.mean() < 0.8
    work, size = room(made.problem), 6 * human().vertex_count
    base = np.empty((size, REACH * human().vertex_count))
    assemble(made.problem, base)
    begin(made.problem, base, contacts, work, True)
    expected = Rows(human(), 6, settings, contacts).matrix
    assert dense_of(work.band, size) == pytest.approx(expected, abs=1e-12)


def cost_and_slope(
    rows: Rows, made: MotionOptimizer, heights: Array, flat: Array
) -> tuple[float, Array]:
    """Eqs. 4 to 10 with each projection put in: what the alternation is to minimise."""
    reference = made.reference_m.reshape(-1, 3)
    x = flat.reshape(-1, 3)
    edges = rows.bone @ x
    lengths = np.linalg.norm(edges, axis=1, keepdims=True)
    wanted = rows.settings.bone_weight * made.problem.lengths.reshape(-1, 1)
    gaps = [(rows.bone, edges - edges / lengths * wanted), (rows.still, rows.still @ x)]
    for matrix in (rows.pose, rows.anchor, rows.trajectory):
        gaps.append((matrix, matrix @ (x - reference)))
    off = rows.ground @ x
    off[:, [0, 2]] = 0.0
    off[:, 1] -= rows.settings.contact_weight * heights[np.argwhere(rows.contacts)[:, 1]]
    gaps.append((rows.ground, off))
    cost = sum(float((gap**2).sum()) for _, gap in gaps)
    slope = sum((2.0 * matrix.T @ gap for matrix, gap in gaps), np.zeros_like(x))
    return cost, slope.reshape(-1)


def test_the_alternation_ends_where_a_dense_minimisation_does() -> None:
    made = optimizer(7)
    contacts = some_contacts(human(), 7, seed=3)
    rows = Rows(human(), 7, QUIET, contacts)
    found = made.solve(contacts, 30_000)
    heights = made.problem.rest_heights
    best = minimize(
        lambda flat: cost_and_slope(rows, made, heights, flat),
        made.reference_m.reshape(-1),
        jac=True, method="L-BFGS-B",
        options={"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    assert found.cost[-1] == pytest.approx(best.fun, rel=1e-6)
    assert np.abs(found.vertices_m.reshape(-1) - best.x).max() < 2e-4


def test_a_stance_neither_moves_nor_leaves_the_surface() -> None:
    made = optimizer(12)
    contacts = np.zeros((12, 6), np.bool_)
    contacts[2:9, 0] = True
    heavy = MotionOptimizer(
        human(), made.reference_m, 30.0, FLAT, replace(QUIET, contact_weight=100.0),
        made.problem.rest_heights,
    )  # fmt: skip
    path = heavy.solve(contacts, 200).vertices_m[2:9, human().contact_vertex[0]]
    assert np.ptp(path, axis=0).max() < 1e-4
    assert path[:, 1] == pytest.approx(made.problem.rest_heights[0], abs=1e-4)
    reference = made.reference_m[:, human().contact_vertex[0]]
    assert np.ptp(reference[2:9], axis=0).max() > 0.01
    # Nothing else says where it stands: somewhere on its way.
    assert (path[3] > reference.min(axis=0) - 0.01).all()
    assert (path[3] < reference.max(axis=0) + 0.01).all()


def test_a_contact_keeps_to_a_slope() -> None:
    slope = Environment((Ground(0.0, normal=np.array([0.1, 0.99498744, 0.0])),))
    mesh = human()
    made = MotionOptimizer(
        mesh, walking_about(mesh, 20), 30.0, slope, replace(QUIET, contact_weight=30.0),
        np.zeros(6),
    )  # fmt: skip
    contacts = np.zeros((20, 6), np.bool_)
    contacts[:, 0] = True
    path = made.solve(contacts, 300).vertices_m[:, mesh.contact_vertex[0]]
    assert path @ [0.1, 0.99498744, 0.0] == pytest.approx(0.0, abs=1e-3)
    assert np.ptp(path, axis=0).max() < 1e-3


def test_contacts_keep_to_a_hill_and_to_a_box() -> None:
    x = np.linspace(-3.0, 3.0, 61)
    hill = HeightField(0.05 * np.cos(2.0 * x)[:, None] + np.zeros(61), np.full(2, 0.1),
                       np.full(2, -3.0))  # fmt: skip
    corners = np.array([[i, j, k] for i in (-0.5, 0.5) for j in (-1.0, 1.0) for k in (-0.5, 0.5)])
    box = ConvexPart(corners * [0.3, 0.1, 0.6] + [0.3, 0.0, 0.3])
    place = Environment((hill, box))
    mesh = human()
    made = MotionOptimizer(
        mesh, walking_about(mesh, 24), 30.0, place, replace(QUIET, contact_weight=30.0),
        np.full(6, 0.01),
    )  # fmt: skip
    contacts = np.zeros((24, 6), np.bool_)
    contacts[:12, 0] = contacts[4:18, 1] = True
    found = made.solve(contacts, 200)
    paths = found.vertices_m[:, mesh.contact_vertex]
    heights = query(place, paths).distances_m
    assert heights[:12, 0] == pytest.approx(0.01, abs=1e-3)
    assert heights[4:18, 1] == pytest.approx(0.01, abs=1e-3)
    assert np.ptp(paths[4:18, 1], axis=0).max() < 1e-3
    errors, _ = made.solve_many(contacts[None], 200)
    assert errors[0] == pytest.approx(found.error, rel=1e-9)


def test_what_stands_on_a_belt_goes_with_it() -> None:
    belt = Environment.flat(0.0, (0.3, 0.0, 0.0))
    mesh = human()
    made = MotionOptimizer(
        mesh, walking_about(mesh, 20), 30.0, belt, replace(QUIET, contact_weight=100.0), np.zeros(6)
    )
    contacts = np.zeros((20, 6), np.bool_)
    contacts[:, 0] = True
    path = made.solve(contacts, 2000).vertices_m[:, mesh.contact_vertex[0]]
    assert np.diff(path[:, 0]) == pytest.approx(0.01, abs=1e-4)


@pytest.mark.parametrize("weights", [{}, {"balance_weight": 3.0}])
def test_the_cost_never_rises(weights: dict[str, float]) -> None:
    """With the rows as they are: what is held against penetration adds rows while it runs."""
    settings = replace(Settings(), penetration_weight=0.0, **weights)
    made = optimizer(40, settings)
    contacts = some_contacts(human(), 40)
    contacts[:, :4] = True
    cost = made.solve(contacts, 80).cost
    assert np.diff(cost).max() <= 1e-9 * cost[0]
    assert cost[-1] < 0.9 * cost[0]


@pytest.mark.parametrize("settings", [QUIET, Settings()], ids=["quiet", "usual"])
@pytest.mark.parametrize("frame", [0, 1, 7, 31, 59])
def test_changed_contacts_give_what_a_fresh_factor_gives(settings: Settings, frame: int) -> None:
    contacts = some_contacts(human(), 60, seed=5)
    used, fresh = optimizer(60, settings), optimizer(60, settings)
    used.solve(contacts, 12)
    if settings is QUIET:  # nothing that is held against penetration spoils it
        assert used._rooms[-1].usable[0] == 60
    changed = contacts.copy()
    changed[frame:] = ~contacts[frame:]
    again, expected = used.solve(changed, 12), fresh.solve(changed, 12)
    assert np.abs(again.vertices_m - expected.vertices_m).max() < 1e-9
    assert np.abs(used._rooms[-1].factor - fresh._rooms[-1].factor).max() < 1e-9
    assert not np.allclose(again.vertices_m, used.solve(contacts, 12).vertices_m)


def test_samples_in_threads_are_those_one_by_one_to_the_last_bit() -> None:
    made = optimizer(40, Settings())
    samples = np.array([some_contacts(human(), 40, seed) for seed in range(9)])
    one, parts = made.solve_many(samples, 6, executor=Threads(1))
    for _ in range(3):
        other, others = made.solve_many(samples, 6)
        assert np.array_equal(one, other)
        assert np.array_equal(parts, others)
    again = optimizer(40, Settings())
    assert np.array_equal(again.solve_many(samples[::-1], 6)[0][::-1], one)
    assert one[3] == pytest.approx(again.solve(samples[3], 6).error, rel=1e-9)


def test_contacts_that_fit_are_better_than_none_and_than_too_many() -> None:
    mesh = human()
    still = np.repeat(walking_about(mesh, 1), 40, axis=0)
    heights = still[0, mesh.contact_vertex, 1]
    moving = still.copy()
    stepping = np.clip((np.arange(40) - 10) / 20, 0, 1)
    lift = np.sin(np.pi * stepping)
    foot = [v for v, name in enumerate(mesh.names) if name in ("left_toe", "left_heel")]
    moving[:, foot, 1] += 0.1 * lift[:, None]
    moving[:, foot, 2] += 0.4 * stepping[:, None]
    made = MotionOptimizer(mesh, moving, 30.0, FLAT, Settings(), heights)
    right = np.zeros((40, 6), np.bool_)
    right[:, [1, 3]] = True
    right[:11, [0, 2]] = True
    right[30:, [0, 2]] = True
    always, never, late = right.copy(), np.zeros_like(right), right.copy()
    always[:, [0, 2]] = True
    late[22:, [0, 2]] = True
    errors, _ = made.solve_many(np.array([right, always, never, late]), 15)
    assert errors[0] == errors.min()
    assert np.diff(np.sort(errors))[0] > 0.01


def test_what_penetrates_is_pushed_out() -> None:
    mesh = human()
    low = walking_about(mesh, 30)
    head = mesh.names.index("head_top")
    low[10:20, :, 1] -= 0.05
    made = MotionOptimizer(mesh, low, 30.0, FLAT, replace(QUIET, penetration_weight=10.0),
                           np.zeros(6))  # fmt: skip
    found = made.solve(np.zeros((30, 6), np.bool_), 60).vertices_m
    assert low[..., 1].min() < -0.04
    assert found[..., 1].min() > -0.004
    assert found[:, head, 1].min() > 1.0


def test_spheres_of_the_body_keep_apart() -> None:
    mesh = motion_mesh(
        reference_human(), FEET, spheres={"left_wrist": 0.05, "right_wrist": 0.08, "head": 0.1}
    )
    places = walking_about(mesh, 20)
    left, right = mesh.names.index("left_wrist"), mesh.names.index("right_wrist")
    places[:, left] = places[:, right] + [0.02, 0.0, 0.01]
    made = MotionOptimizer(mesh, places, 30.0, FLAT, replace(QUIET, penetration_weight=10.0),
                           np.zeros(4))  # fmt: skip
    found = made.solve(np.zeros((20, 4), np.bool_), 60).vertices_m
    gaps = np.linalg.norm(found[:, left] - found[:, right], axis=1)
    assert gaps.min() > 0.12
    assert "bone" in KINDS


def test_extra_edges_keep_hands_together() -> None:
    tied, loose = human(), motion_mesh(reference_human(), (*FEET, "left_knee", "chest"))
    gaps: list[float] = []
    for mesh in (tied, loose):
        places = walking_about(mesh, 30)
        left, right = mesh.names.index("left_wrist"), mesh.names.index("right_wrist")
        places[:, left] = places[:, right] + [0.1, 0.0, 0.0]
        contacts = np.zeros((30, 6), np.bool_)
        contacts[10:20, 5] = True
        made = MotionOptimizer(mesh, places, 30.0, FLAT, QUIET, np.full(6, 0.9))
        found = made.solve(contacts, 60).vertices_m
        gap = found[:, left] - found[:, right] - [0.1, 0.0, 0.0]
        gaps.append(float(np.abs(gap).max()))
    assert gaps[0] < 0.5 * gaps[1]


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_shortest_clips_work(frames: int) -> None:
    made = optimizer(frames, Settings())
    contacts = np.ones((frames, 6), np.bool_)
    found = made.solve(contacts, 3)
    assert np.isfinite(found.vertices_m).all()
    assert np.isfinite(found.error)


@pytest.mark.parametrize(
    "silly",
    [
        {"bone_weight": 1e8}, {"contact_weight": 1e8}, {"trajectory_weight": 0.0},
        {"balance_weight": 1e6}, {"pose_weight": 0.0, "friction": 0.0},
        {"penetration_weight": 1e6}, {"largest_force_n": 1e-6}, {"contact_points": 1},
        {"contact_points": 40, "contact_radius_m": 3.0}, {"largest_torque_nm": 0.0},
    ],
    ids=str,
)  # fmt: skip
def test_silly_weights_do_no_harm(silly: dict[str, float]) -> None:
    made = optimizer(20, replace(Settings(), **silly))  # type: ignore[arg-type]
    found = made.solve(some_contacts(human(), 20), 10)
    assert np.isfinite(found.vertices_m).all()
    assert np.abs(found.vertices_m).max() < 100.0


def test_wrong_shapes_and_values_are_refused() -> None:
    made = optimizer(12)
    with pytest.raises(BadShape, match="contacts"):
        made.solve(np.zeros((11, 6), np.bool_))
    with pytest.raises(BadShape, match="contacts"):
        made.solve_many(np.zeros((12, 6), np.bool_))
    with pytest.raises(BadValue, match="touches"):
        made.solve(np.full((12, 6), 3))
    with pytest.raises(BadValue, match="iterations"):
        made.solve(np.zeros((12, 6), np.bool_), 0)
    with pytest.raises(BadShape, match="reference_m"):
        MotionOptimizer(human(), np.zeros((4, 3, 3)), 30.0, FLAT, QUIET, np.zeros(6))
    with pytest.raises(BadValue, match="reference_m"):
        MotionOptimizer(
            human(), np.full((4, human().vertex_count, 3), np.nan), 30.0, FLAT, QUIET, np.zeros(6)
        )
    with pytest.raises(BadShape, match="rest_heights_m"):
        MotionOptimizer(human(), walking_about(human(), 4), 30.0, FLAT, QUIET, np.zeros(5))
    with pytest.raises(BadValue, match="rate_hz"):
        MotionOptimizer(human(), walking_about(human(), 4), 0.0, FLAT, QUIET, np.zeros(6))


def real_walk(name: str) -> tuple[Mesh, Array, Array, Contacts]:
    clip = load_clip(MOCAP / name)
    character = complete_character(clip.skeleton)
    schedule = detect_contacts(clip, character, parts=("left_foot", "right_foot"))
    step = round(clip.rate_hz / 30.0)
    mesh = motion_mesh(character, FEET)
    places = vertices_of(mesh, resample(clip, clip.rate_hz / step))
    paths = places[:, mesh.contact_vertex]
    feet = [f"{c.split('_')[0]}_foot" for c in FEET]
    touching = np.stack([schedule.column(foot)[::step] for foot in feet], axis=1)
    touching = touching[: len(places)]
    heights = np.array([np.median(paths[touching[:, b], b, 1]) for b in range(4)])
    speeds = np.linalg.norm(np.gradient(paths, axis=0), axis=2) * 30.0
    contacts = touching & (paths[..., 1] < heights + 0.03) & (speeds < 0.5)
    return mesh, places, heights, np.asarray(contacts)


@needs_mocap
@pytest.mark.parametrize("name", ["cmu/02_01.bvh", "cmu/07_01.bvh"])
def test_a_real_walk_keeps_its_feet_on_the_ground_and_looks_the_same(name: str) -> None:
    mesh, places, heights, contacts = real_walk(name)
    made = MotionOptimizer(mesh, places, 30.0, FLAT, Settings(), heights)
    found = made.solve(contacts)
    stands, touching = contacts[1:] & contacts[:-1], contacts

    def slide_and_gap(x: Array) -> tuple[float, float]:
        paths = x[:, mesh.contact_vertex]
        steps = np.linalg.norm(np.diff(paths, axis=0)[..., [0, 2]], axis=2)
        return float(steps[stands].mean()), float(np.abs(paths[..., 1] - heights)[touching].mean())

    before, after = slide_and_gap(places), slide_and_gap(found.vertices_m)
    assert after[0] < 0.35 * before[0]  # as printed, not slipping is one wish among others
    assert after[1] < 0.1 * before[1]
    assert np.linalg.norm(found.vertices_m - places, axis=2).mean() < 0.03
    edges = found.vertices_m[:, mesh.bones[:, 0]] - found.vertices_m[:, mesh.bones[:, 1]]
    assert np.abs(np.linalg.norm(edges, axis=2) - made.problem.lengths).max() < 0.01
    assert found.status == "solved"
