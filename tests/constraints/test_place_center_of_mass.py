from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.character import stature_m
from poise.constraints import Interval, PlaceCenterOfMass, Recruit, Scene, tasks_of
from poise.constraints.scene import body_size_m
from poise.errors import BadValue
from tests.constraints.made_scenes import walk_scene

WHEN = Interval(10, 40, 8, 8)
FULL = slice(8, 23)
FEET = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")


def by_hand(frame: int) -> np.ndarray:
    """The vector from the barycentre of the feet to the centre of mass, from first principles."""
    scene = walk_scene()
    state, body, sites = scene.state, scene.character.body, scene.character.sites
    assert body is not None
    center = np.zeros(3)
    for joint, mass in enumerate(body.masses_kg):
        center += mass * _place(state, frame, joint, body.centers_m[joint])
    center /= body.masses_kg.sum()
    feet = [
        _place(state, frame, sites.joints[i], sites.offsets_m[i]) for i in map(sites.index, FEET)
    ]
    return center - sum(feet) / 4


def _place(state, frame, joint, offset):
    w, x, y, z = state.rotations_wxyz[frame, joint]
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return state.positions_m[frame, joint] + matrix @ offset


def test_the_relation_is_the_one_of_the_paper() -> None:
    wish = PlaceCenterOfMass("c", WHEN, FEET, displacement_m=(0.0, 0.0, 0.1))
    (task,) = tasks_of(wish, walk_scene())
    assert task.points.names == FEET and wish.mode == "relation"
    np.testing.assert_allclose(task.goals[0], by_hand(10), atol=1e-12)
    np.testing.assert_allclose(task.goals[15], by_hand(25) + np.array([0, 0, 0.1]), atol=1e-12)


def test_scale_stretches_the_vector_from_the_barycentre() -> None:
    (task,) = tasks_of(PlaceCenterOfMass("c", WHEN, FEET, scale=(2, 1, 0.5)), walk_scene())
    np.testing.assert_allclose(task.goals[15], by_hand(25) * [2, 1, 0.5], atol=1e-12)


@pytest.mark.parametrize("measure", ["leg_length", "stature"])
def test_a_larger_body_than_the_one_captured_scales_the_vector_up(measure: str) -> None:
    scene = walk_scene()
    size = body_size_m(scene.character, measure, "c")
    for original, factor in ((None, 1.0), (size, 1.0), (size / 2, 2.0)):
        wish = PlaceCenterOfMass(
            "c", WHEN, FEET, normalisation=measure, original_size_m=original
        )  # type: ignore[arg-type]  # fmt: skip
        (task,) = tasks_of(wish, scene)
        np.testing.assert_allclose(task.goals[15], factor * by_hand(25), atol=1e-12)


def test_sizes_are_the_leg_from_hip_to_ankle_and_the_stature() -> None:
    character = walk_scene().character
    skeleton = character.skeleton
    places = {n: skeleton.rest_positions_m[skeleton.index(n)] for n in skeleton.joint_names}
    leg = np.linalg.norm(places["LeftUpLeg"] - places["LeftLeg"])
    leg += np.linalg.norm(places["LeftLeg"] - places["LeftFoot"])
    assert body_size_m(character, "leg_length", "c") == pytest.approx(leg)
    assert character.roles is not None
    assert body_size_m(character, "stature", "c") == stature_m(skeleton, character.roles)
    with pytest.raises(BadValue, match="character of 'c' must be one with roles"):
        body_size_m(replace(character, roles=None), "stature", "c")


def test_without_points_it_is_the_original_path_and_what_is_added() -> None:
    (task,) = tasks_of(PlaceCenterOfMass("c", WHEN), walk_scene())
    np.testing.assert_allclose(task.goals, walk_scene().centers_m[10:41], atol=1e-15)
    assert len(task.points) == 0
    (task,) = tasks_of(PlaceCenterOfMass("c", WHEN, displacement_m=(0.1, 0, 0)), walk_scene())
    shares = WHEN.shares()[:, None]
    expected = walk_scene().centers_m[10:41] + shares * [0.1, 0, 0]
    np.testing.assert_allclose(task.goals, expected, atol=1e-12)


def test_a_place_is_a_place() -> None:
    wish = PlaceCenterOfMass("c", WHEN, mode="absolute", place_m=(1, 2, 3), axes="xz")
    (task,) = tasks_of(wish, walk_scene())
    np.testing.assert_array_equal(task.goals[FULL], [(1, 2, 3)] * 15)
    assert task.axes == (True, False, True)


def test_keys_are_met_with_smooth_passages_between() -> None:
    keys = ((18, (0.0, 0.0, 0.0)), (24, (0.0, 0.0, 0.2)), (32, (0.1, 0.0, 0.2)))
    (task,) = tasks_of(PlaceCenterOfMass("c", WHEN, displacement_m=keys), walk_scene())
    added = task.goals - walk_scene().centers_m[10:41]
    for frame, place in keys:
        np.testing.assert_allclose(added[frame - 10], place, atol=1e-12)
    assert np.abs(np.diff(added[8:23], 2, axis=0)).max() < 0.025
    assert (added[8:23, 2] <= 0.2 + 1e-12).all()


def test_every_joint_with_weight_and_every_carrier_of_a_point_may_help() -> None:
    character = walk_scene().character
    (path,) = tasks_of(PlaceCenterOfMass("c", WHEN), walk_scene())
    (relation,) = tasks_of(PlaceCenterOfMass("c", WHEN, FEET), walk_scene())
    more = set(relation.recruits.names(character)) - set(path.recruits.names(character))
    assert more == {"LeftToeBase", "RightToeBase"}
    legs = Recruit(joints=("left_hip", "right_hip"))
    (task,) = tasks_of(PlaceCenterOfMass("c", WHEN, recruit=legs), walk_scene())
    assert set(task.recruits.names(character)) == {"LeftUpLeg", "RightUpLeg"}
    with pytest.raises(BadValue, match="up_to of 'c' must be root, or a list of joints"):
        tasks_of(PlaceCenterOfMass("c", WHEN, recruit=Recruit(up_to="chest")), walk_scene())


def test_a_body_without_masses_is_explained() -> None:
    scene = walk_scene()
    light = Scene(scene.clip, replace(scene.character, body=None))
    with pytest.raises(BadValue, match="one with a body") as problem:
        tasks_of(PlaceCenterOfMass("c", WHEN), light)
    assert "'c'" in str(problem.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"mode": "relation"}, "points of 'c' must be one or more with mode: relation"),
        ({"points": FEET, "mode": "original"}, "points of 'c' must be none in mode original"),
        ({"points": "left_heel"}, "points of 'c' must be a list of names"),
        ({"points": ("left_heel", "left_heel")}, "points of 'c' must be different"),
        ({"mode": "absolute"}, "place_m of 'c' must be given in absolute mode"),
        ({"place_m": (1, 2, 3)}, "place_m of 'c' must be given in absolute mode, and only there"),
        ({"scale": (1, 1, 2)}, "normalisation and scale of 'c' must be left out without points"),
        ({"normalisation": "weight"}, "normalisation of 'c' must be one of none, leg_length"),
        ({"points": FEET, "original_size_m": 1}, "more than zero, with a normalisation"),
        ({"displacement_m": ()}, "three numbers, or keys"),
        ({"displacement_m": 3}, "three numbers, or keys"),
        ({"displacement_m": ((10, (0, 0, 0)), (9, (0, 0, 0)))}, "at frames of its interval"),
        ({"displacement_m": ((12, (0, 0, 0)), (12, (0, 0, 0)))}, "at ascending frames"),
        ({"displacement_m": ((12, (0, 0)),)}, "displacement_m of 'c' must be 3 numbers"),
        ({"displacement_m": ((12,),)}, "three numbers, or keys"),
    ],
)
def test_bad_wishes_are_explained(values: dict[str, object], words: str) -> None:
    with pytest.raises(BadValue) as problem:
        PlaceCenterOfMass("c", WHEN, **values)  # type: ignore[arg-type]
    assert words in str(problem.value)
