"""From contacts back to joint angles: what touches holds, nothing is inside, and it looks alike."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations, samples
from poise.arrays import Array
from poise.character import Character, contact_points, contact_radii_m
from poise.constraints import Scene
from poise.contact import ContactSchedule, detect_contacts, estimate_ground
from poise.environment import Environment, query
from poise.errors import BadValue
from poise.footing import Movers, center_tasks, clearance_tasks, contact_tasks
from poise.footing.contact_tasks import spots_of
from poise.measures import evaluate
from poise.mechanics import GRAVITY_M_S2, center_of_mass, forward_kinematics, site_positions
from poise.methods import Edit, Result
from poise.methods.correct import run
from poise.methods.correct.follow import at_own_rate, followed
from poise.methods.correct.mesh import motion_mesh, vertices_of
from poise.methods.correct.recovery import (
    MOVED_ON_M,
    SHORTEST_GAP_S,
    Recovered,
    fastest_turns_rad_s,
    moving_joints,
    recover,
)
from poise.methods.correct.settings import FEET, settings_for
from poise.methods.correct.smoothing import smoothed
from poise.motion import Clip
from poise.samples import Sample
from tests.methods.edited import feet as foot_constraints
from tests.methods.edited import recorded
from tests.methods.rolling_feet import slope
from tests.shared_data import needs_mocap

FLAT = Environment.flat()
QUICK = settings_for("walk")


@cache
def clean_walk() -> Sample:
    return samples.walking(seconds=2.0, rate_hz=60.0)


@cache
def damaged_walk() -> Sample:
    """It slides, floats and shakes."""
    slid = samples.with_foot_slide(clean_walk(), 10.0)
    return samples.with_noise(samples.with_float(slid, 3.0), 1.0)


def character() -> Character:
    return samples.sample_character()


@cache
def mended() -> Recovered:
    return recover(damaged_walk().clip, character(), FLAT, clean_walk().contacts)


def all_of_it(clip: Clip, value: bool, *parts: str) -> ContactSchedule:
    flags = np.full((clip.frame_count, len(parts)), value, dtype=np.bool_)
    return ContactSchedule(parts, flags, clip.rate_hz)


def is_sound(clip: Clip, like: Clip) -> bool:
    """Every number is one, and every rotation a rotation."""
    turns = clip.rotations_wxyz
    return (
        turns.shape == like.rotations_wxyz.shape
        and bool(np.isfinite(turns).all())
        and bool(np.isfinite(clip.root_positions_m).all())
        and bool(np.abs(np.linalg.norm(turns, axis=-1) - 1.0).max() < 1e-9)
    )


# Joint angles that follow places


def turned_by(clip: Clip, joint: str, turn: Array) -> Clip:
    q, j = clip.rotations_wxyz.copy(), clip.skeleton.index(joint)
    q[:, j] = rotations.multiply(rotations.exp(turn), q[:, j])
    return replace(clip, rotations_wxyz=q)


def follow_to(clip: Clip, moved: Array) -> Clip:
    mesh = motion_mesh(character(), FEET)
    return followed(clip, character(), mesh, moved, moving_joints(clip))


def nothing_moved(clip: Clip) -> Array:
    return np.zeros((clip.frame_count, motion_mesh(character(), FEET).vertex_count, 3))


def test_without_displacements_the_clip_comes_back() -> None:
    clip = clean_walk().clip
    made = follow_to(clip, nothing_moved(clip))
    np.testing.assert_array_equal(made.root_positions_m, clip.root_positions_m)
    assert rotations.angle_between(made.rotations_wxyz, clip.rotations_wxyz).max() < 1e-9


def test_a_shift_of_all_places_moves_the_root_only() -> None:
    clip, shift = clean_walk().clip, np.array([0.1, 0.2, -0.3])
    made = follow_to(clip, nothing_moved(clip) + shift)
    np.testing.assert_allclose(made.root_positions_m - clip.root_positions_m, [shift] * 121)
    assert rotations.angle_between(made.rotations_wxyz, clip.rotations_wxyz).max() < 1e-9


@pytest.mark.parametrize("joint", ["Hips", "LeftUpLeg", "RightLeg", "Spine", "RightArm"])
def test_a_turned_joint_is_recovered_and_feet_keep_their_orientation(joint: str) -> None:
    clip, mesh = clean_walk().clip, motion_mesh(character(), FEET)
    goal = turned_by(clip, joint, np.array([0.2, 0.0, 0.05]))
    made = follow_to(clip, vertices_of(mesh, goal) - vertices_of(mesh, clip))
    off = np.linalg.norm(vertices_of(mesh, made) - vertices_of(mesh, goal), axis=-1).max(axis=0)
    feet = np.array([name.endswith(("_toe", "_heel")) for name in mesh.names])
    assert off[~feet].max() < 1e-3
    before = forward_kinematics(clip.skeleton, *clip.pose).rotations_wxyz
    after = forward_kinematics(made.skeleton, *made.pose).rotations_wxyz
    for name in ("LeftFoot", "RightFoot", "LeftHand", "RightHand"):
        j = clip.skeleton.index(name)
        if moving_joints(clip)[j]:
            assert rotations.angle_between(before[:, j], after[:, j]).max() < 1e-6
    j = clip.skeleton.index(joint)
    turned = rotations.angle_between(made.rotations_wxyz[:, j], goal.rotations_wxyz[:, j])
    assert np.degrees(turned.max()) < 3.0  # twist about the bone apart


def test_joints_that_may_not_turn_do_not() -> None:
    clip = clean_walk().clip
    random = np.random.default_rng(1)
    moved = nothing_moved(clip) + 0.02 * random.normal(size=nothing_moved(clip).shape[1:])
    moves = moving_joints(clip)
    moves[clip.skeleton.index("LeftLeg")] = False
    made = followed(clip, character(), motion_mesh(character(), FEET), moved, moves)
    still = rotations.angle_between(made.rotations_wxyz, clip.rotations_wxyz)[:, ~moves]
    assert still.max() < 1e-9


@pytest.mark.parametrize("count", [1, 2, 3, 31])
def test_displacements_of_the_working_rate_come_back_at_their_times(count: int) -> None:
    clip = clean_walk().clip.sliced(0, 2 * count - 1)
    line = np.arange(count)[:, None, None] * np.array([[0.1, -0.2, 0.3]]) + 1.0
    found = at_own_rate(line, 30.0, clip)
    assert found.shape == (clip.frame_count, 1, 3)
    np.testing.assert_allclose(found[::2], line, atol=1e-12)
    np.testing.assert_allclose(found[1::2], 0.5 * (line[1:] + line[:-1]), atol=1e-12)


def test_smoothing_leaves_a_steady_path_alone_and_calms_noise() -> None:
    clip = clean_walk().clip
    steady = replace(
        clip, root_positions_m=np.arange(121.0)[:, None] * np.array([[0.01, 0.0, 0.02]])
    )
    np.testing.assert_allclose(
        smoothed(steady, 0.05).root_positions_m, steady.root_positions_m, atol=1e-12
    )
    assert smoothed(clip, 0.0) is clip
    noisy = samples.with_rotation_noise(clean_walk(), 2.0).clip
    before = rotations.angle_between(noisy.rotations_wxyz, clip.rotations_wxyz).mean()
    calm = smoothed(noisy, 0.03)
    assert rotations.angle_between(calm.rotations_wxyz, clip.rotations_wxyz).mean() < 0.6 * before
    assert is_sound(calm, clip) and is_sound(smoothed(noisy.sliced(0, 3), 1.0), clip.sliced(0, 3))


# Tasks


def movers(clip: Clip) -> Movers:
    return Movers(character(), moving_joints(clip))


def test_every_contact_has_a_task_in_every_frame_and_none_else() -> None:
    clip, contacts = damaged_walk().clip, clean_walk().contacts
    tasks, paths, slid = contact_tasks(Scene(clip, character(), FLAT), contacts, None, movers(clip))
    for side in ("left", "right"):
        held = np.zeros(clip.frame_count, dtype=np.bool_)
        for task in (t for t in tasks if t.name.startswith(side) and t.kind == "point"):
            held[task.first : task.last + 1] = True
        np.testing.assert_array_equal(held, contacts.column(f"{side}_foot"))
        assert not slid[f"{side}_foot"].any()
    assert {path.shape.part for path in paths} == {"left_foot", "right_foot"}
    assert (
        contact_tasks(
            Scene(clip, character(), FLAT), all_of_it(clip, False, "left_foot"), None, movers(clip)
        )[0]
        == []
    )


def hand_at(path: Array, slides: bool = False, place: Environment = FLAT, **more: bool) -> list:
    """Spots of a hand along a path."""
    sites = contact_points(character())["left_hand"]
    places = np.repeat(path[:, None], len(sites), axis=1)
    flags = np.ones(len(path), dtype=np.bool_)
    return spots_of(sites, places, 0.02, flags, flags & slides, place, 60.0, **more)


def test_a_hand_that_stays_has_one_spot_on_the_surface() -> None:
    random = np.random.default_rng(2)
    path = np.array([0.3, 0.05, 0.1]) + 0.005 * random.normal(size=(40, 3))
    for place in (FLAT, slope(20.0)):
        (spot,) = hand_at(path, place=place)
        assert spot.axes == (True, True, True) and not spot.slides
        assert np.ptp(spot.goals_m, axis=0).max() == 0.0
        np.testing.assert_allclose(query(place, spot.goals_m).distances_m, 0.02, atol=1e-9)
        if place is FLAT:
            np.testing.assert_allclose(spot.goals_m[0], [0.3, 0.02, 0.1], atol=0.004)


def test_a_hand_that_travels_or_is_known_to_slide_keeps_to_the_surface_only() -> None:
    path = np.linspace([0.0, 0.06, 0.0], [0.4, 0.06, 0.0], 40)
    for (spot,) in (hand_at(path), hand_at(path[:2], slides=True)):
        assert spot.axes == (False, True, False) and spot.slides
        np.testing.assert_allclose(spot.goals_m[:, 1], 0.02, atol=1e-12)
    (rolls,) = hand_at(path[:4], pinned=False)
    assert rolls.axes == (False, True, False) and not rolls.slides


def test_points_that_are_inside_are_asked_out_and_others_are_not_asked() -> None:
    sunk = samples.with_penetration(clean_walk(), 3.0).clip
    scene = Scene(sunk, character(), FLAT)
    tasks = clearance_tasks(scene, scene.state, [], movers(sunk), 0.001)
    points, radii = contact_points(character()), contact_radii_m(character())
    for part, sites in points.items():
        depth = query(FLAT, site_positions(scene.state, sites)).distances_m - radii[part]
        for c, name in enumerate(sites.names):
            asked = np.zeros(sunk.frame_count, dtype=np.bool_)
            for task in (t for t in tasks if t.name.startswith(f"{name} ")):
                assert task.side == -1 and task.axes == (False, True, False)
                np.testing.assert_allclose(task.goals[:, 1], radii[part], atol=1e-9)
                asked[task.first : task.last + 1] = True
            inside = depth[:, c] < -0.001
            assert asked[inside].all()
            assert asked.any() == inside.any()
    assert tasks
    floating = damaged_walk().clip
    scene = Scene(floating, character(), FLAT)
    assert clearance_tasks(scene, scene.state, [], movers(floating), 0.001) == []


def test_held_points_need_no_other_task() -> None:
    sunk = samples.with_penetration(clean_walk(), 3.0).clip
    scene = Scene(sunk, character(), FLAT)
    free = clearance_tasks(scene, scene.state, [], movers(sunk), 0.001)
    held = [replace(task, side=0, axes=(True, True, True)) for task in free]
    assert clearance_tasks(scene, scene.state, held, movers(sunk), 0.001) == []


def test_the_centres_goal_falls_where_nothing_touches_and_goes_on_as_it_did_elsewhere() -> None:
    jump = samples.SAMPLES["jump"]()
    clip, touches = jump.clip, jump.contacts.touching.any(axis=1)
    scene, body = Scene(clip, character(), FLAT), character().body
    assert body is not None
    tasks = center_tasks(scene, touches)
    goals = np.zeros((clip.frame_count, 3))
    for task in tasks:
        assert task.priority == 2 and not task.recruits.joints.any()
        goals[task.first : task.last + 1] = task.goals
    assert sum(len(task.goals) for task in tasks) == clip.frame_count
    second = np.diff(goals, 2, axis=0) * clip.rate_hz**2
    flying = ~touches[1:-1]
    np.testing.assert_allclose(second[flying], np.tile(GRAVITY_M_S2, (flying.sum(), 1)), atol=1e-6)
    own = np.diff(center_of_mass(scene.state, body), 2, axis=0) * clip.rate_hz**2
    assert np.abs(second[:100] - own[:100]).max() < 0.15 * 9.81
    assert center_tasks(Scene(clip.sliced(0, 3), character(), FLAT), touches[:3]) == []


# Whole clips


# Whole clips


def figures(clip: Clip, original: Clip, contacts: ContactSchedule, who: Character,
            place: Environment) -> dict[str, float]:  # fmt: skip
    found = evaluate(
        clip, who, place, contacts, against=original, against_character=who,
        input_contacts=contacts,
    )  # fmt: skip
    return {m.key: m.value for m in found.measures}


def assert_feet_stand(found: dict[str, float]) -> None:
    assert found["foot_slide.mean"] < 0.5
    assert found["penetration.deepest"] < 0.5
    assert found["float.mean"] < 0.5
    assert found["jitter.ratio"] <= 1.0


@pytest.mark.parametrize("way", ["recover", "run"])
def test_a_damaged_walk_stands_on_the_ground_again(way: str) -> None:
    damaged, contacts = damaged_walk().clip, clean_walk().contacts
    before = figures(damaged, damaged, contacts, character(), FLAT)
    assert before["foot_slide.mean"] > 5.0 and before["float.mean"] > 2.0
    if way == "recover":
        clip = mended().clip
        assert mended().worst_m < 1e-4
        assert (mended().contacts.touching == contacts.touching).all()
        contacts = mended().contacts  # with what still travels at their ends
    else:
        edit = Edit(damaged, character(), environment=FLAT, contacts=contacts)
        result = run(edit, QUICK)
        assert not result.report.lawless
        # The chest of a slow clip still turns a little faster than it may.
        assert {each.kind for each in result.report.shortfalls} <= {"speed"}
        assert (result.status == "converged") == (not result.report.shortfalls)
        clip = result.clip
        assert result.contacts is not None
        assert (result.contacts.touching == contacts.touching).all()
        contacts = result.contacts
    found = figures(clip, damaged, contacts, character(), FLAT)
    assert_feet_stand(found)
    assert found["likeness.rotation"] < 4.0 and found["likeness.position"] < 3.0


def test_the_same_input_gives_the_same_motion() -> None:
    again = recover(damaged_walk().clip, character(), FLAT, clean_walk().contacts)
    np.testing.assert_array_equal(again.clip.rotations_wxyz, mended().clip.rotations_wxyz)
    np.testing.assert_array_equal(again.clip.root_positions_m, mended().clip.root_positions_m)


def test_a_sunk_walk_comes_out_of_the_ground() -> None:
    sunk = samples.with_penetration(clean_walk(), 4.0).clip
    found = recover(sunk, character(), FLAT, clean_walk().contacts)
    assert (
        figures(found.clip, sunk, clean_walk().contacts, character(), FLAT)["penetration.deepest"]
        < 0.5
    )


def test_bones_without_a_joint_of_their_own_stay_rigid() -> None:
    clip, moves = damaged_walk().clip, moving_joints(damaged_walk().clip)
    assert 0 < moves.sum() < len(moves)
    np.testing.assert_allclose(
        mended().clip.rotations_wxyz[:, ~moves], clip.rotations_wxyz[:, ~moves], atol=1e-12
    )


# Short gaps, and joints that snap


def brief_step(ends_deg: float, another_touches: bool) -> Recovered:
    """Who stands takes the left foot aside for five frames, and puts it down at some angle."""
    clip = samples.SAMPLES["stand"](seconds=1.0, rate_hz=60.0).clip
    flags = np.ones((clip.frame_count, 2), dtype=np.bool_)
    flags[30:35, 0], flags[30:35, 1] = False, another_touches
    assert 5 < SHORTEST_GAP_S * clip.rate_hz
    angles = np.zeros((clip.frame_count, 3))
    angles[30:35, 2], angles[35:, 2] = np.radians(6.0), np.radians(ends_deg)
    moves = np.ones(clip.skeleton.joint_count, dtype=np.bool_)
    contacts = ContactSchedule(("left_foot", "right_foot"), flags, clip.rate_hz)
    return recover(turned_by(clip, "LeftUpLeg", angles), character(), FLAT, contacts, moves=moves)


@pytest.mark.parametrize(
    ("ends_deg", "another_touches", "stretches"),
    [(6.0, True, 2), (0.5, True, 1), (0.5, False, 2)],
    ids=["comes down elsewhere", "comes back", "comes back from the air"],
)
def test_a_short_gap_is_a_step_if_it_leads_elsewhere_or_nothing_else_touches(
    ends_deg: float, another_touches: bool, stretches: int
) -> None:
    found = brief_step(ends_deg, another_touches)
    held = [t for t in found.tasks if t.name.startswith("left_foot stands") and t.kind == "point"]
    assert len(held) == stretches and found.worst_m < 1e-4
    state = forward_kinematics(found.clip.skeleton, *found.clip.pose)
    path = state.positions_m[:, found.clip.skeleton.index("LeftFoot")]
    for task in held:
        assert np.ptp(path[task.first : task.last + 1], axis=0).max() < 1e-3
    moved_on = np.linalg.norm(path[-1] - path[0]) > MOVED_ON_M
    assert moved_on == (ends_deg == 6.0)


def test_joints_may_turn_as_fast_as_in_the_capture_and_still_ones_a_little() -> None:
    clip = clean_walk().clip
    swift = replace(clip, rate_hz=2.0 * clip.rate_hz)
    fastest, twice = fastest_turns_rad_s(clip), fastest_turns_rad_s(swift)
    steps = rotations.angle_between(clip.rotations_wxyz[:-1], clip.rotations_wxyz[1:])
    assert (fastest > steps.max(axis=0) * clip.rate_hz).all()
    # What is held still may turn a little, the more so the less it carries.
    still = fastest[~moving_joints(clip)]
    assert (still > 0.5).all() and (still < 7.0).all()
    quick = fastest > 7.0
    assert quick.any()
    np.testing.assert_allclose(twice[quick], 2.0 * fastest[quick])
    assert quick.any() and not quick.all()


@pytest.mark.parametrize("joint", ["LeftArm", "RightForeArm"])
def test_a_joint_that_snaps_is_calmed_though_no_contact_moves_it(joint: str) -> None:
    clean, contacts = clean_walk().clip, clean_walk().contacts
    kick = np.zeros((clean.frame_count, 3))
    kick[60:62, 0] = 0.2
    clip, j = turned_by(clean, joint, kick), clean.skeleton.index(joint)
    fastest = fastest_turns_rad_s(clean)
    calm = recover(clip, character(), FLAT, contacts, fastest_rad_s=fastest)
    free = recover(clip, character(), FLAT, contacts)
    assert not any(task.recruits.joints[j] for task in free.tasks)
    np.testing.assert_array_equal(free.clip.rotations_wxyz[:, j], clip.rotations_wxyz[:, j])
    speeds = [
        rotations.angle_between(q[:-1], q[1:]).max(axis=0) * clip.rate_hz / fastest
        for q in (clip.rotations_wxyz, calm.clip.rotations_wxyz)
    ]
    assert speeds[0][j] > 3.0 and speeds[1].max() < 1.04
    assert calm.worst_m < 1e-4


@needs_mocap
def test_a_real_walk_stands_and_looks_as_it_did() -> None:
    clip, who = recorded("02_01", 60.0)
    place = Environment((estimate_ground(clip, who)[0],))
    contacts = detect_contacts(clip, who, place)
    result: Result = run(Edit(clip, who, environment=place, contacts=contacts), QUICK)
    assert result.contacts is not None and result.status == "converged"
    found = figures(result.clip, clip, result.contacts, who, place)
    assert_feet_stand(found)
    assert found["likeness.rotation"] < 8.0 and found["likeness.position"] < 4.0
    assert result.contacts.sliding is None or result.contacts.sliding.mean() < 0.2


# Silly inputs


@pytest.mark.parametrize("frames", [3, 4, 7])
@pytest.mark.parametrize("given", [True, False])
def test_very_short_clips_are_corrected(frames: int, given: bool) -> None:
    clip = damaged_walk().clip.sliced(0, frames)
    contacts = clean_walk().contacts.sliced(0, frames) if given else None
    result = run(Edit(clip, character(), environment=FLAT, contacts=contacts), QUICK)
    assert is_sound(result.clip, clip)


@pytest.mark.parametrize("value", [True, False], ids=["everything touches", "nothing touches"])
def test_contacts_that_cannot_be_give_a_sound_clip(value: bool) -> None:
    clip = damaged_walk().clip
    contacts = all_of_it(clip, value, "left_foot", "right_foot", "left_hand")
    result = run(Edit(clip, character(), environment=FLAT, contacts=contacts), QUICK)
    assert is_sound(result.clip, clip)
    assert np.abs(result.clip.root_positions_m - clip.root_positions_m).max() < 0.6


def test_a_flight_alone_stays_where_it_is() -> None:
    jump = samples.SAMPLES["jump"]()
    (flight,) = jump.flights
    frames = flight.frames(jump.clip.rate_hz, jump.clip.frame_count)
    clip = samples.with_noise(jump, 3.0).clip.sliced(int(frames[0]), int(frames[-1]) + 1)
    made = recover(clip, character(), FLAT, all_of_it(clip, False, "left_foot", "right_foot"))
    assert np.abs(made.clip.root_positions_m - clip.root_positions_m).max() < 0.03


def test_a_schedule_without_parts_is_one_without_contacts() -> None:
    clip = damaged_walk().clip
    assert is_sound(recover(clip, character(), FLAT, all_of_it(clip, False)).clip, clip)


def test_what_correct_cannot_do_is_refused() -> None:
    clip, who = damaged_walk().clip, character()
    with pytest.raises(BadValue, match="constraints"):
        run(Edit(clip, who, foot_constraints(clip)), QUICK)
    with pytest.raises(BadValue, match="at least 3 frames"):
        run(Edit(clip.sliced(0, 2), who), QUICK)
    with pytest.raises(BadValue, match="body"):
        run(Edit(clip, replace(who, body=None)), QUICK)
    with pytest.raises(BadValue, match="contacts"):
        run(Edit(clip, who, contacts=all_of_it(clip.sliced(0, 5), True, "left_foot")), QUICK)


def test_one_contact_holds() -> None:
    clip = damaged_walk().clip.sliced(0, 8)
    contacts = all_of_it(clip, True, "left_foot")
    edit = Edit(clip, character(), contacts=contacts)
    assert run(edit, QUICK).summary.startswith("1 contact holds")
    assert run(edit, replace(QUICK, only="contacts")).summary == "1 contact holds."
