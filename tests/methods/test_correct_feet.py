"""Soles, their prints, and paths on which no touching point moves along the ground or leaves it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import rotations
from poise.arrays import Array
from poise.character import Character, complete_character
from poise.environment import ConvexPart, Environment, Ground, query
from poise.footing.foot_path import FootPath, touching_sole
from poise.footing.foot_shape import (
    BALL,
    HEEL,
    INNER,
    OUTER,
    TIP,
    FootShape,
    foot_shapes,
    in_one_piece,
)
from poise.footing.footprints import (
    Placed,
    placed_at,
    points_of,
    stretches_of,
    weights_of,
)
from poise.mechanics import forward_kinematics, site_positions
from poise.samples import sample_character, walking
from tests.character import known_skeletons
from tests.character.reference_human import reference_human
from tests.methods.rolling_feet import (
    FLAT,
    ON_TIP,
    RATE_HZ,
    Seen,
    on_a_rung,
    rolling,
    shape_of,
    slope,
    soles,
    tangents_of,
    travelling,
    with_high_toes,
    without_toes,
)
from tests.shared_data import clips, needs_mocap

PLACES = {"level": Environment.flat(0.1), "slope": slope(12.0), "steep": slope(25.0, (-1.0, 0.2))}
FEET = {
    "left": shape_of("left"), "right": shape_of("right"), "no toes": without_toes(shape_of("left")),
}  # fmt: skip
EASED_M, EASED_M_S = 4e-3, 3e-3
"""Rolling begins and ends over some hundredths of a second: so much of it is in frames in which
both ends are said to touch."""


# Shapes


CHARACTERS = {
    "sample": sample_character, "reference": reference_human,
    "mixamo": lambda: complete_character(known_skeletons.mixamo()),
    "xsens": lambda: complete_character(known_skeletons.xsens()),
    "smpl": lambda: complete_character(known_skeletons.smpl()),
}  # fmt: skip


@pytest.mark.parametrize("name", CHARACTERS)
def test_soles_are_flat_squares_with_the_heel_behind_and_the_tip_ahead(name: str) -> None:
    character: Character = CHARACTERS[name]()
    shapes = foot_shapes(character)
    assert [shape.part for shape in shapes] == ["left_foot", "right_foot"]
    for shape in shapes:
        np.testing.assert_allclose(shape.axes.T @ shape.axes, np.eye(3), atol=1e-12)
        assert np.linalg.det(shape.axes) == pytest.approx(1.0)
        np.testing.assert_allclose(shape.flat_m[BALL], 0.0, atol=1e-12)
        assert shape.flat_m[HEEL, 0] < -0.1 and shape.flat_m[TIP, 0] > 0.03
        outward = 1.0 if shape.part == "left_foot" else -1.0
        assert outward * shape.flat_m[OUTER, 1] > 0.02 > -0.02 > outward * shape.flat_m[INNER, 1]
        # Points that ride on the foot lie on its sole.
        up = (shape.offsets_m[:TIP] - shape.offsets_m[BALL]) @ shape.axes[:, 2]
        np.testing.assert_allclose(up, 0.0, atol=1e-9)


def test_a_foot_at_rest_has_its_flat_points_where_the_figure_has_them() -> None:
    character = sample_character()
    skeleton = character.skeleton
    rest = forward_kinematics(skeleton, np.zeros((1, 3)), skeleton.rest_wxyz[None])
    for shape in foot_shapes(character):
        names = [f"{shape.part[:-5]}_{p}" for p in
                 ("heel", "ball", "inner_edge", "outer_edge", "toe_tip")]  # fmt: skip
        where = site_positions(rest, character.sites)[0]
        seen = where[[character.sites.index(name) for name in names]]
        turn = rest.rotations_wxyz[0, shape.joint]
        own = (seen - seen[BALL]) @ rotations.rotate(turn, shape.axes.T).T
        np.testing.assert_allclose(own[:, :2], shape.flat_m, atol=1e-9)
        np.testing.assert_allclose(own[:, 2], 0.0, atol=1e-9)


@needs_mocap
@pytest.mark.parametrize("path", clips("addbio_grf/*/*.bvh"), ids=lambda path: path.stem)
def test_soles_of_feet_whose_joint_is_in_the_heel_look_down(path: Path) -> None:
    character = complete_character(poise.load(path).skeleton)
    skeleton = character.skeleton
    shapes = foot_shapes(character)
    assert len(shapes) == 2
    for shape in shapes:
        up = rotations.rotate(skeleton.rest_world_wxyz[shape.joint], shape.axes[:, 2])
        assert up[1] > 0.95


def test_a_foot_in_one_piece_has_its_points_where_they_were() -> None:
    character = sample_character()
    clip = walking().clip
    state = forward_kinematics(clip.skeleton, *clip.pose)
    for shape in foot_shapes(character):
        whole = in_one_piece(shape, state)
        assert whole.toes == whole.joint and in_one_piece(whole, state) is whole
        places, turns = state.positions_m[0], state.rotations_wxyz[0]
        tip = places[shape.toes] + rotations.rotate(turns[shape.toes], shape.offsets_m[TIP])
        same = places[whole.joint] + rotations.rotate(turns[whole.joint], whole.offsets_m[TIP])
        np.testing.assert_allclose(same, tip, atol=1e-12)


# Prints


HEADINGS = [0.0, 0.7, -2.0, np.pi - 1e-3, -np.pi + 1e-3, np.pi]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_known_place_is_found_exactly(heading: float) -> None:
    shape, placed = shape_of(), Placed(heading, (1.3, -0.4))
    seen = np.repeat(points_of(shape, placed)[None], 20, axis=0)
    weights = np.random.default_rng(2).uniform(0.0, 1.0, (20, 5))
    found = placed_at(shape, seen, weights)
    assert found.ball_m == pytest.approx(placed.ball_m, abs=1e-12)
    assert np.cos(found.turn_rad - heading) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("heading", HEADINGS)
def test_noise_hardly_moves_a_print(heading: float) -> None:
    shape, placed = shape_of("right"), Placed(heading, (-0.2, 2.0))
    random = np.random.default_rng(3)
    seen = points_of(shape, placed) + random.normal(scale=0.01, size=(60, 5, 2))
    found = placed_at(shape, seen, np.ones((60, 5)))
    assert np.linalg.norm(np.subtract(found.ball_m, placed.ball_m)) < 0.004
    assert abs(np.degrees(np.angle(np.exp(1j * (found.turn_rad - heading))))) < 1.0


def test_the_print_is_the_best_of_all_places_around_it() -> None:
    shape, random = shape_of(), np.random.default_rng(4)
    seen = points_of(shape, Placed(0.3, (0.1, 0.2))) + random.normal(scale=0.05, size=(10, 5, 2))
    weights = random.uniform(0.0, 1.0, (10, 5))

    def cost(placed: Placed) -> float:
        return float((weights * ((seen - points_of(shape, placed)) ** 2).sum(axis=-1)).sum())

    best = placed_at(shape, seen, weights)
    for x, y, turn in random.normal(scale=0.01, size=(50, 3)).tolist():
        ball = (best.ball_m[0] + x, best.ball_m[1] + y)
        assert cost(Placed(best.turn_rad + turn, ball)) > cost(best)


def test_slow_points_that_touch_say_most() -> None:
    flags = np.array([[True, True, False, True, False]])
    speeds = np.array([[0.0, 0.3, 0.0, 3.0, 3.0]])
    weights = weights_of(flags, speeds)[0]
    assert weights[0] > 2.0 * weights[1] > 2.0 * weights[3] > 0.0
    assert weights[2] == weights[4] > 0.0
    assert weights[3] == pytest.approx(weights[4], rel=1e-3)


def between(shape: FootShape, first: Array, second: Array, frames: tuple[int, int, int]) -> Seen:
    """A flat foot that goes from one place to another."""
    stay, way, rest = frames
    share = np.concatenate([np.zeros(stay), np.linspace(0.0, 1.0, way), np.ones(rest)])[:, None]
    poses = (1.0 - share) * first + share * second
    return travelling(shape, PLACES["level"], poses[:, 2], poses[:, :2])


FROM, TO = np.array([0.0, 0.0, 0.2]), np.array([0.35, 0.1, 0.5])


def seen_stretches(seen: Seen) -> list[tuple[int, int, bool]]:
    _, first, second = tangents_of(seen.environment)
    points = seen.points_m @ np.stack([first, second]).T
    speeds = np.linalg.norm(np.gradient(seen.points_m, axis=0), axis=-1) * RATE_HZ
    weights = weights_of(np.ones((seen.count, 5), dtype=np.bool_), speeds)
    found = stretches_of(seen.shape, points, weights, 7, RATE_HZ)
    assert found[0].first == 7 and found[-1].stop == 7 + seen.count
    assert all(a.stop == b.first for a, b in pairwise(found))
    return [(s.first, s.stop, s.placed is not None) for s in found]


def test_a_foot_that_stays_has_one_print() -> None:
    assert seen_stretches(between(shape_of(), FROM, FROM, (40, 2, 40))) == [(7, 89, True)]
    near = FROM + np.array([0.06, 0.0, 0.1])
    assert seen_stretches(between(shape_of(), FROM, near, (40, 2, 40))) == [(7, 89, True)]


def test_a_foot_that_walks_from_one_print_to_another_has_two() -> None:
    found = seen_stretches(between(shape_of(), FROM, TO, (40, 10, 40)))
    assert [placed for _, _, placed in found] == [True, True]
    assert 7 + 40 <= found[0][1] <= 7 + 50


def test_a_short_stance_that_travels_slides() -> None:
    # Shorter than twice the least rest: there is nowhere to cut it.
    found = seen_stretches(between(shape_of(), FROM, TO, (8, 4, 8)))
    assert found == [(7, 27, False)]


def test_a_foot_between_two_prints_slides_and_stands_before_and_after() -> None:
    seen = between(shape_of(), FROM, TO, (40, 10, 40))
    path = seen.path()
    assert path.static[:35].all() and path.static[-35:].all()
    assert not path.static[41:49].any()
    balls = path.ball_m @ np.stack(tangents_of(seen.environment)[1:]).T
    np.testing.assert_allclose(balls[:35], np.tile(FROM[:2], (35, 1)), atol=1e-3)
    np.testing.assert_allclose(balls[-35:], np.tile(TO[:2], (35, 1)), atol=1e-3)
    # On the way it neither jumps nor leaves the ground.
    fastest = np.linalg.norm(np.diff(seen.points_m[:, BALL], axis=0), axis=1).max()
    assert np.linalg.norm(np.diff(path.ball_m, axis=0), axis=1).max() < 1.5 * fastest
    assert np.abs(query(seen.environment, soles(path)).distances_m).max() < 1e-9


def test_a_foot_known_to_slide_slides_then_and_stands_else() -> None:
    seen = between(shape_of(), FROM, TO, (40, 30, 40))
    slides = np.zeros(seen.count, dtype=np.bool_)
    slides[40:70] = True
    static = seen.path(slides).static
    assert not static[42:68].any()
    assert static[:38].all() and static[72:].all()


def test_a_foot_that_stays_within_its_print_does_not_slide_whatever_is_said() -> None:
    seen = rolling(shape_of(), PLACES["level"]).shaken(0.02, 0.0)
    assert seen.path(np.ones(seen.count, dtype=np.bool_)).static.all()


@pytest.mark.parametrize("heading", [0.0, np.pi - 0.3, np.pi, -np.pi + 0.05])
def test_a_pivoting_foot_turns_evenly_through_every_heading(heading: float) -> None:
    """Headings wrap at half a turn, which is no reason to spin."""
    turned = np.array([0.0, 0.0, heading]), np.array([0.4, 0.0, heading + 0.8])
    seen = between(shape_of(), *turned, (30, 20, 30))
    path = seen.path()
    steps = np.degrees(rotations.angle_between(path.turns_wxyz[1:], path.turns_wxyz[:-1]))
    assert steps.max() < 2.0 * np.degrees(0.8) / 19
    off = rotations.angle_between(path.turns_wxyz, seen.turns_wxyz)
    assert np.degrees(off.max()) < 10.0
    assert np.degrees(off[[0, -1]].max()) < 0.5


# Paths


def slides_m_s(path: FootPath, points: Array, normal: Array) -> Array:
    """(n - 1, 5) how fast points move along the surface."""
    steps = np.diff(points, axis=0)
    along = steps - (steps @ normal)[..., None] * normal
    return np.linalg.norm(along, axis=-1) * RATE_HZ


@pytest.mark.parametrize("heading", [0.4, np.pi, -2.5])
@pytest.mark.parametrize("captured", ["clean", "drifting"])
@pytest.mark.parametrize("foot", FEET)
@pytest.mark.parametrize("place", PLACES)
def test_no_touching_point_slides_or_leaves(
    place: str, foot: str, captured: str, heading: float
) -> None:
    environment = PLACES[place]
    seen = rolling(FEET[foot], environment, heading)
    if captured == "drifting":
        seen = seen.shaken(0.08, 0.001)
    path, flags = seen.path(), seen.flags()
    assert path.static.all()
    assert path.posed.sum() >= 30 and path.on_heel.any() and path.on_tip.any()
    assert (path.posed ^ path.on_heel ^ path.on_tip).all()
    normal = tangents_of(environment)[0]
    points = soles(path)
    heights = np.asarray(query(environment, points).distances_m)
    own = heights if foot == "no toes" else heights[:, :TIP]
    # While it has a pose, its lowest point is on the ground and no other is below.
    np.testing.assert_allclose(own[path.posed].min(axis=1), 0.0, atol=1e-9)
    assert heights[path.posed].min() > -1e-9
    touching = flags & path.posed[:, None]
    assert heights[touching].max() < EASED_M
    both = touching[1:] & touching[:-1]
    assert slides_m_s(path, points, normal)[both].max() < EASED_M_S
    # On heel or tip alone, that point has one place, on the ground.
    for flag, where in ((path.on_heel, path.heel_m), (path.on_tip, path.tip_m)):
        assert np.ptp(where[flag], axis=0).max() < 1e-9
        np.testing.assert_allclose(query(environment, where[flag]).distances_m, 0.0, atol=1e-9)


def test_toes_whose_joint_is_above_the_sole_stay_on_the_ground() -> None:
    seen = rolling(with_high_toes(shape_of("right")), PLACES["level"])
    path = seen.path()
    tips = soles(path)[path.toes_flat][:, TIP]
    heights = np.asarray(query(seen.environment, tips).distances_m)
    assert heights.min() > -1e-3
    assert np.ptp(tips[len(tips) // 2 :], axis=0).max() < 2e-3


@pytest.mark.parametrize("foot", [*FEET, "high toes"])
def test_from_one_phase_to_the_next_no_point_jumps(foot: str) -> None:
    shape = FEET[foot] if foot in FEET else with_high_toes(shape_of("right"))
    seen = rolling(shape, PLACES["slope"])
    path, points = seen.path(), soles(seen.path())
    # The heel's place before is where the flat foot has it; the tip stays where it was left.
    first = int(np.flatnonzero(path.posed)[0])
    assert np.linalg.norm(path.heel_m[first - 1] - points[first, HEEL]) < EASED_M
    leaves = int(np.flatnonzero(path.on_tip)[0])
    assert np.linalg.norm(path.tip_m[leaves] - points[leaves - 1, TIP]) < 1e-9


def test_a_clean_foot_is_given_back() -> None:
    seen = rolling(shape_of(), PLACES["slope"])
    path, flat = seen.path(), seen.phase == FLAT
    inside = flat & np.roll(flat, 4) & np.roll(flat, -4)
    np.testing.assert_allclose(soles(path)[inside], seen.points_m[inside], atol=1e-3)
    held = seen.phase != ON_TIP
    turned = rotations.angle_between(path.turns_wxyz[held], seen.turns_wxyz[held])
    assert np.degrees(turned.max()) < 5.0  # rolling is told from where points leave
    assert np.degrees(turned[inside[held]].max()) < 0.1


def test_a_drifting_foot_stands_where_it_was_on_the_whole() -> None:
    clean = rolling(shape_of(), PLACES["level"], roll_off=False)
    path = clean.shaken(0.08, 0.0005).path()
    off = np.linalg.norm(path.ball_m - clean.path().ball_m, axis=1)
    assert off.max() < 0.025


def test_a_foot_on_its_edge_rolls_about_it() -> None:
    seen = rolling(shape_of(), PLACES["level"], roll_off=False)
    tilt = np.concatenate([np.zeros(30), np.linspace(0.0, 0.35, seen.count - 30)])
    shape = seen.shape
    rolled = rotations.multiply(seen.turns_wxyz, rotations.from_axis_angle(shape.axes[:, 0], tilt))
    pivot = seen.points_m[:, INNER]
    own = rotations.rotate(rolled[:, None], shape.offsets_m - shape.offsets_m[INNER])
    points = pivot[:, None] + own
    points[:, TIP] = seen.points_m[:, TIP] + (points[:, BALL] - seen.points_m[:, BALL])
    edgy = replace(seen, turns_wxyz=rolled, points_m=points)
    path, flags = edgy.path(), edgy.flags()
    edge = flags[:, INNER] != flags[:, OUTER]
    assert edge.any()
    heights = np.asarray(query(edgy.environment, soles(path)).distances_m)
    np.testing.assert_allclose(heights[path.posed][:, :TIP].min(axis=1), 0.0, atol=1e-9)


# What touches


def low(frames: int, **heights: Array) -> Array:
    found = np.zeros((frames, 5))
    for name, value in heights.items():
        found[:, {"heel": HEEL, "ball": BALL, "inner": INNER, "outer": OUTER, "tip": TIP}[name]] = (
            value
        )
    return found


def touching(heights: Array, touches: Array | None = None, shape: FootShape | None = None) -> Array:
    all_of_it = np.ones(len(heights), dtype=np.bool_) if touches is None else touches
    return touching_sole(all_of_it, heights, shape or shape_of(), RATE_HZ)


def test_a_flat_foot_touches_with_all_points_however_high_it_floats() -> None:
    assert touching(low(30)).all()
    assert touching(low(30) + 0.07).all()


def test_what_is_higher_than_the_lowest_does_not_touch() -> None:
    up = np.full(30, 0.05)
    found = touching(low(30, heel=up))
    assert not found[:, HEEL].any() and found[:, BALL:].all()
    found = touching(low(30, ball=up, inner=up, outer=up, tip=up))
    assert found[:, HEEL].all() and not found[:, BALL:].any()


def test_a_foot_in_the_air_touches_with_nothing() -> None:
    touches = np.zeros(40, dtype=np.bool_)
    touches[10:30] = True
    found = touching(low(40), touches)
    assert found[10:30].all() and not found[:10].any() and not found[30:].any()


def test_points_do_not_blink() -> None:
    blink = np.zeros(40)
    blink[20:22] = 0.05
    assert touching(low(40, heel=blink))[:, HEEL].all()
    touch = np.full(40, 0.05)
    touch[20:22] = 0.0
    assert not touching(low(40, heel=touch))[:, HEEL].any()


def test_a_touching_foot_touches_with_something() -> None:
    random = np.random.default_rng(5)
    for shape in FEET.values():
        for _ in range(20):
            heights = random.uniform(0.0, 0.1, (25, 5))
            assert touching(heights, shape=shape).any(axis=1).all()


def test_a_foot_without_toes_rolls_about_its_tip_only() -> None:
    up = np.full(30, 0.05)
    found = touching(low(30, heel=up), shape=FEET["no toes"])
    assert found[:, TIP].all() and not found[:, :TIP].any()


@pytest.mark.parametrize("away_m", [0.0, 0.008])
def test_a_heel_on_a_pole_stays_on_the_pole(away_m: float) -> None:
    """Next to the ball is the floor, or another side: what does not touch says nothing."""
    corners = np.array([(x, y, z) for x in (-0.03, 0.03) for y in (0, 1) for z in (-0.06, 0)])
    pole = Environment((Ground(), ConvexPart(corners, "pole")))
    seen = on_a_rung(FEET["left"], pole, away_m)
    normals = query(pole, seen.points_m[0]).normals
    assert normals[HEEL, 2] > 0.99 > 0.5 > normals[TIP, 2], "two surfaces are next to the sole"
    path = seen.path()
    assert path.on_heel.all()
    heel = seen.points_m[:, HEEL] - [0.0, 0.0, away_m]
    np.testing.assert_allclose(path.heel_m, heel, atol=5e-3)
    np.testing.assert_allclose(query(pole, path.heel_m).distances_m, 0.0, atol=1e-6)
