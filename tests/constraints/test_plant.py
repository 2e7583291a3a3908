from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.constraints import Interval, Plant, Scene, Task, tasks_of
from poise.constraints.scene import point_path
from poise.environment import Environment, Ground
from poise.errors import BadValue, UnknownName
from poise.motion import Clip
from tests.character.reference_human import reference_human
from tests.constraints.made_scenes import gap, walk_scene
from tests.constraints.test_surface_under import box

WHEN = Interval(10, 40, 8, 8)
FULL = slice(8, 23)
UP = np.array([0.0, 1.0, 0.0])


def plant(wish: Plant, scene: Scene | None = None) -> tuple[Task, ...]:
    return tasks_of(wish, scene or walk_scene())


def without(part: str) -> Scene:
    """The walk of a figure in which no joint is known to be that part."""
    scene = walk_scene()
    assert scene.character.roles is not None
    left = {r: n for r, n in scene.character.roles.joints.items() if part not in r}
    roles = replace(scene.character.roles, joints=left)
    return Scene(scene.clip, replace(scene.character, roles=roles))


def soles(scene: Scene, wish: Plant, frame: int) -> Array:
    """(5, 3) the points of the sole in the pose that the goals describe in a frame."""
    place, turn, toe = plant(wish, scene)
    row = frame - place.first
    sites, found = scene.character.sites, list[Array]()
    skeleton = scene.character.skeleton
    for name in ("heel", "ball", "inner_edge", "outer_edge", "toe_tip"):
        i = sites.index(f"{wish.part.removesuffix('_foot')}_{name}")
        offset = sites.offsets_m[i]
        if sites.joints[i] == toe.joint:
            offset = skeleton.offsets_m[toe.joint] + rotations.rotate(toe.goals[row], offset)
        found.append(place.goals[row] + rotations.rotate(turn.goals[row], offset))
    return np.array(found)


def test_a_foot_has_a_place_a_turn_and_its_toes() -> None:
    character = walk_scene().character
    place, turn, toe = plant(Plant("p", "left_foot", WHEN))
    ankle, ball = (character.skeleton.index(n) for n in ("LeftFoot", "LeftToeBase"))
    assert (place.kind, place.joint, place.offset_m.any()) == ("point", ankle, False)
    assert (turn.kind, turn.joint, turn.reference) == ("turn", ankle, -1)
    assert (toe.kind, toe.joint, toe.reference) == ("turn", ball, ankle)
    assert toe.recruits.names(character) == ("LeftToeBase",)
    assert "LeftFoot" in turn.recruits.names(character)
    assert "LeftFoot" not in place.recruits.names(character)


def test_a_hand_and_a_foot_without_toes_have_two_tasks() -> None:
    assert [t.kind for t in plant(Plant("p", "right_hand", WHEN))] == ["point", "turn"]
    toeless = without("toe")
    assert [t.kind for t in plant(Plant("p", "left_foot", WHEN), toeless)] == ["point", "turn"]


def test_still_is_the_pose_of_one_frame() -> None:
    scene = walk_scene()
    place, turn, toe = plant(Plant("p", "left_foot", WHEN, frame=17))
    np.testing.assert_array_equal(
        place.goals[FULL], [scene.state.positions_m[17, place.joint]] * 15
    )
    assert (turn.goals[FULL] == scene.state.rotations_wxyz[17, turn.joint]).all()
    bend = scene.clip.rotations_wxyz[17, toe.joint]
    assert rotations.angle_between(toe.goals[FULL], bend).max() < 1e-7


def test_the_usual_frame_is_the_one_in_which_the_part_moves_least() -> None:
    scene = walk_scene()
    ankle = scene.character.skeleton.index("RightFoot")
    place, turn, _ = plant(Plant("p", "right_foot", WHEN))
    ends = [point_path(scene, f"right_{p}", 0, 60) for p in ("heel", "toe_tip")]
    speeds = sum(np.linalg.norm(np.gradient(e, axis=0), axis=1) for e in ends)
    chosen = np.flatnonzero((scene.state.positions_m[:, ankle] == place.goals[10]).all(axis=1))
    assert len(chosen) >= 1 and 18 <= chosen[0] <= 32
    assert speeds[chosen[0]] < 1.2 * speeds[18:33].min() + 1e-4
    assert (turn.goals[10] == scene.state.rotations_wxyz[chosen[0], ankle]).all()


def slowest(roots: Array, bends: Array) -> int:
    """Which frame is chosen when the root goes these ways and the ankle bends by these angles."""
    character = reference_human()
    count = character.skeleton.joint_count
    turns = np.tile(rotations.IDENTITY, (len(roots), count, 1))
    ankle = character.skeleton.index("left_ankle")
    turns[:, ankle] = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), bends)
    clip = Clip(character.skeleton, 30.0, np.outer(roots, [0.0, 0.0, 1.0]), turns)
    state = Scene(clip, character).state
    place, turn, *_ = plant(
        Plant("p", "left_foot", Interval(0, len(roots) - 1)), Scene(clip, character)
    )
    same_place = (state.positions_m[:, ankle] == place.goals[0]).all(axis=1)
    same_turn = (state.rotations_wxyz[:, ankle] == turn.goals[0]).all(axis=1)
    (chosen,) = np.flatnonzero(same_place & same_turn)
    return int(chosen)


def test_moving_least_counts_shifting_and_turning_and_is_by_frame() -> None:
    steady = np.linspace(0.0, 1.0, 11)
    slower_at_7 = np.cumsum(np.where(np.arange(11) == 7, 0.05, 0.1))
    still = np.zeros(11)
    assert slowest(slower_at_7, still) in (6, 7)
    assert slowest(still + 1e-9 * steady, slower_at_7) in (6, 7)
    # At the ends of the clip there is half the time for a step.
    hurried = np.cumsum(np.where(np.arange(11) == 5, 0.09, 0.1))
    assert slowest(hurried, still) in (4, 5)


def test_displacement_and_turn_move_the_foot_as_one_piece() -> None:
    scene = walk_scene()
    wish = Plant("p", "left_foot", WHEN, frame=17)
    moved = replace(wish, displacement_m=(0.2, 0.1, -0.3), turn_deg=40.0)
    before, after = soles(scene, wish, 25), soles(scene, moved, 25)
    pivot = scene.state.positions_m[17, plant(wish)[0].joint]
    turn = rotations.from_axis_angle(UP, np.radians(40.0))
    expected = pivot + rotations.rotate(turn, before - pivot) + [0.2, 0.1, -0.3]
    np.testing.assert_allclose(after, expected, atol=1e-12)


def test_following_is_the_original_in_every_frame() -> None:
    for task in plant(Plant("p", "left_foot", WHEN, "follow")):
        assert gap(task, walk_scene()).max() < 1e-7


def test_following_turns_the_path_about_the_place_at_its_frame() -> None:
    scene = walk_scene()
    wish = Plant("p", "left_foot", Interval(10, 40), "follow", 20, (0, 0.1, 0), -30.0)
    place, turn, _ = plant(wish)
    path = scene.state.positions_m[10:41, place.joint]
    about = rotations.from_axis_angle(UP, np.radians(-30.0))
    expected = path[10] + rotations.rotate(about, path - path[10]) + [0, 0.1, 0]
    np.testing.assert_allclose(place.goals, expected, atol=1e-12)
    turned = rotations.multiply(about, scene.state.rotations_wxyz[10:41, turn.joint])
    assert rotations.angle_between(turn.goals, turned).max() < 1e-7


@pytest.mark.parametrize("lift", [0.15, -0.15])
def test_on_the_surface_the_lowest_point_of_the_sole_touches(lift: float) -> None:
    scene = walk_scene()
    wish = Plant("p", "left_foot", WHEN, displacement_m=(0, lift, 0), on_surface=True)
    assert abs(soles(scene, wish, 25)[:, 1].min()) < 1e-9
    tilted = Scene(scene.clip, scene.character, Environment((Ground.tilted(0.2),)))
    ground = tilted.environment.grounds[0]
    gaps = soles(tilted, wish, 25) @ ground.normal - ground.offset_m
    assert abs(gaps.min()) < 1e-9


def test_on_a_step_it_stands_on_the_step() -> None:
    scene = walk_scene()
    x, _, z = soles(scene, Plant("p", "left_foot", WHEN), 25)[1]
    step = box((x - 0.3, 0.0, z - 0.05), (x + 0.3, 0.18, z + 1.0))
    stairs = Scene(scene.clip, scene.character, scene.environment.with_surfaces([step]))
    found = soles(stairs, Plant("p", "left_foot", WHEN, on_surface=True), 25)
    over = found[found[:, 2] > z - 0.05]
    assert 0 < len(over) < 5  # the heel stands out over the edge
    assert abs(over[:, 1].min() - 0.18) < 1e-9


def test_what_follows_is_lifted_by_one_amount_and_never_sinks_in() -> None:
    scene = walk_scene()
    when = Interval(10, 40)
    wish = Plant("p", "left_foot", when, "follow", displacement_m=(0, -0.1, 0), on_surface=True)
    place = plant(wish)[0]
    lifts = place.goals - scene.state.positions_m[10:41, place.joint]
    assert np.abs(lifts - lifts[0]).max() < 1e-12
    lowest = [soles(scene, wish, frame)[:, 1].min() for frame in range(10, 41)]
    assert abs(min(lowest)) < 1e-9


def test_a_hand_touches_with_its_skin() -> None:
    scene = walk_scene()
    wish = Plant("p", "left_hand", WHEN, frame=20, on_surface=True)
    place, turn = plant(wish)
    tip = scene.character.sites.index("left_hand_tip")
    offset = scene.character.sites.offsets_m[tip]
    finger = place.goals[10] + rotations.rotate(turn.goals[10], offset)
    assert 0.005 < min(finger[1], place.goals[10][1]) < 0.03


def test_where_no_surface_is_it_says_so() -> None:
    scene = walk_scene()
    void = Environment((box((9, 0, 9), (10, 1, 10)),))
    with pytest.raises(BadValue, match="on_surface of 'p' must be used where there is a surface"):
        plant(
            Plant("p", "left_foot", WHEN, on_surface=True), Scene(scene.clip, scene.character, void)
        )


def test_bad_wishes_are_explained() -> None:
    with pytest.raises(BadValue, match="part of 'p' must be one of left_foot, right_foot"):
        Plant("p", "left_ear", WHEN)
    with pytest.raises(BadValue, match=r"frame of 'p' must be a frame of the clip \(0 to 60\)"):
        plant(Plant("p", "left_foot", WHEN, frame=61))
    with pytest.raises(BadValue, match="frame of 'p' must be zero or more"):
        Plant("p", "left_foot", WHEN, frame=-1)
    with pytest.raises(BadValue, match="on_surface of 'p' must be true or false"):
        Plant("p", "left_foot", WHEN, on_surface="yes")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="No joint or role is called 'left_wrist'"):
        plant(Plant("p", "left_hand", WHEN), without("wrist"))
