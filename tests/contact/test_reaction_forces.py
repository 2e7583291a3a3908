from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.contact import (
    UNLIMITED,
    ContactSchedule,
    ReactionForces,
    ReactionSettings,
    clip_dynamics,
    detect_contacts,
    distance_to_support,
    reaction_forces,
    support_area,
    touching_points,
)
from poise.contact.clip_dynamics import ClipDynamics
from poise.environment import Environment, Ground
from poise.errors import BadShape, BadValue
from poise.mechanics import zero_moment_point
from poise.samples import walk
from tests.contact.plate_forces import FEET, WALKS, Plates, plates
from tests.contact.standing import moved, schedule, standing, turned
from tests.shared_data import needs_mocap


def solved(
    dynamics: ClipDynamics, trial: Plates, contacts: ContactSchedule | None = None
) -> ReactionForces:
    points = touching_points(
        dynamics.state, trial.character, contacts or trial.truth, Environment.flat()
    )
    return reaction_forces(dynamics, points)


def part_force_n(found: ReactionForces, part: str) -> Array:
    """(F, 3) the force on one body part."""
    mine = found.points.owners == found.points.parts.index(part)
    return found.forces_n[:, mine].sum(axis=1)


def test_standing_still_both_feet_carry_the_weight() -> None:
    clip, character, floor = standing()
    dynamics = clip_dynamics(clip, character)
    points = touching_points(dynamics.state, character, schedule(40), floor)
    for settings in (ReactionSettings(), UNLIMITED, ReactionSettings(cone="four_sided")):
        found = reaction_forces(dynamics, points, settings)
        assert found.converged.all()
        assert np.allclose(found.forces_n.sum(axis=1), [0.0, 70 * 9.81, 0.0], atol=0.1)
        left, right = (part_force_n(found, foot) for foot in FEET)
        assert np.allclose(left[:, 1], right[:, 1], rtol=0.01)
        assert np.abs(found.missing_moment_nm).max() < 0.1


def test_the_aim_makes_feet_lean_on_each_other_and_adds_nothing() -> None:
    clip, character, floor = standing()
    dynamics = clip_dynamics(clip, character)
    points = touching_points(dynamics.state, character, schedule(40), floor)
    plain = reaction_forces(dynamics, points, ReactionSettings(aim=0.0))
    aimed = reaction_forces(dynamics, points, ReactionSettings(aim=1.0))
    side = dynamics.com_m[0] - points.places_m[0, points.owners == 0].mean(axis=0)
    lateral = 0  # the figure faces +Z
    assert np.abs(part_force_n(plain, "left_foot")[0, lateral]) < 1.0
    push = part_force_n(aimed, "left_foot")[0]
    assert push[lateral] / push[1] == pytest.approx(side[lateral] / side[1], rel=0.05)
    assert np.allclose(aimed.forces_n.sum(axis=1), plain.forces_n.sum(axis=1), atol=0.1)


def test_free_fall_needs_no_force_and_leaves_nothing() -> None:
    clip, character, floor = standing()
    t = np.arange(40)[:, None] / clip.rate_hz
    falling = moved(clip, 0.5 * np.array([0.0, -9.81, 0.0]) * t**2)
    dynamics = clip_dynamics(falling, character)
    assert np.abs(dynamics.outer_force_n).max() < 0.01 * dynamics.weight_n
    points = touching_points(dynamics.state, character, schedule(40), floor)
    assert np.abs(reaction_forces(dynamics, points, UNLIMITED).forces_n.sum(axis=1)).max() < 7.0


def test_on_one_foot_the_unbalanced_half_remains() -> None:
    # Upright on the left foot alone: the weight acts beside the sole, and no friction helps.
    clip, character, floor = standing()
    dynamics = clip_dynamics(clip, character)
    points = touching_points(dynamics.state, character, schedule(40, right=False), floor)
    slippery = ReactionSettings(friction=0.0, largest_torque_nm=0.0, largest_force=np.inf)
    found = reaction_forces(dynamics, points, slippery)
    area = support_area(points.places_m, points.touching)
    lever = distance_to_support(area, dynamics.com_m)[0]
    assert lever > 0.02
    moment = np.linalg.norm(found.missing_moment_nm[0])
    assert moment == pytest.approx(lever * dynamics.weight_n, rel=0.01)
    assert not part_force_n(found, "right_foot").any()


def test_off_the_ground_everything_remains() -> None:
    clip, character, floor = standing()
    dynamics = clip_dynamics(clip, character)
    points = touching_points(dynamics.state, character, schedule(40, False, False), floor)
    found = reaction_forces(dynamics, points, UNLIMITED)
    assert not found.forces_n.any()
    assert np.allclose(found.missing_force_n, dynamics.outer_force_n, atol=1e-9)


def test_on_a_slope_the_cones_follow_the_surface() -> None:
    clip, character, _ = standing()
    dynamics = clip_dynamics(clip, character)
    level = dynamics.state.positions_m[0, :, 1].min()
    tilted = Environment((Ground(float(level), normal=np.array([0.3, 1.0, 0.0]) / 1.09**0.5),))
    points = touching_points(dynamics.state, character, schedule(40), tilted)
    steep = reaction_forces(dynamics, points, ReactionSettings(friction=0.35))
    slips = reaction_forces(dynamics, points, ReactionSettings(friction=0.1))
    assert np.linalg.norm(steep.missing_force_n[0]) < 0.01 * dynamics.weight_n
    assert np.linalg.norm(slips.missing_force_n[0]) > 0.1 * dynamics.weight_n


def test_turning_the_world_turns_the_forces() -> None:
    clip, character, floor = standing()
    t = np.linspace(0, 2 * np.pi, 40)[:, None]
    swaying = moved(clip, np.hstack([0.02 * np.sin(t), 0.05 * np.cos(t), 0.03 * np.sin(2 * t)]))
    found = []
    for angle in (0.0, 0.8):
        dynamics = clip_dynamics(turned(swaying, angle), character)
        points = touching_points(dynamics.state, character, schedule(40), floor)
        found.append(reaction_forces(dynamics, points))
    turn = rotations.from_axis_angle([0.0, 1.0, 0.0], 0.8)
    assert np.allclose(rotations.rotate(turn, found[0].forces_n), found[1].forces_n, atol=0.05)


def test_no_limits_explain_at_least_as_much() -> None:
    clip, character = walk(2.0), standing()[1]
    contacts = detect_contacts(clip, character, parts=FEET)
    dynamics = clip_dynamics(clip, character)
    points = touching_points(dynamics.state, character, contacts, Environment.flat())
    bounded = reaction_forces(dynamics, points, ReactionSettings(largest_torque_nm=0.0))
    hand = reaction_forces(dynamics, points, UNLIMITED)
    assert hand.converged.all()

    def cost(found: ReactionForces) -> np.ndarray:
        force = np.sum(found.missing_force_n**2, axis=1)
        return force + np.sum(found.missing_moment_nm**2, axis=1) / dynamics.length_m**2

    assert (cost(hand) <= cost(bounded) + 1e-6 * dynamics.weight_n**2).all()


def test_a_seat_that_the_environment_does_not_know_carries_where_it_is() -> None:
    clip, character, floor = standing()
    dynamics = clip_dynamics(clip, character)
    seated = ContactSchedule((*FEET, "pelvis"), np.tile([True, True, True], (40, 1)), clip.rate_hz)
    points = touching_points(dynamics.state, character, seated, floor)
    seat = points.owners == points.parts.index("pelvis")
    assert (points.places_m[0, seat, 1] > 0.5).all()
    assert np.array_equal(points.normals[0, seat], np.tile([0.0, 1.0, 0.0], (seat.sum(), 1)))
    found = reaction_forces(dynamics, points)
    assert part_force_n(found, "pelvis")[0, 1] > 0.1 * dynamics.weight_n
    assert np.allclose(found.forces_n.sum(axis=1)[:, 1], dynamics.weight_n, rtol=1e-3)


def test_misuse_is_named() -> None:
    clip, character, floor = standing()
    dynamics = clip_dynamics(clip, character)
    with pytest.raises(BadShape, match="schedule"):
        touching_points(dynamics.state, character, schedule(39), floor)
    short = touching_points(
        clip_dynamics(clip.sliced(0, 20), character).state, character, schedule(20), floor
    )
    with pytest.raises(BadShape, match="grip"):
        reaction_forces(dynamics, short)
    with pytest.raises(BadValue, match="friction"):
        ReactionSettings(friction=-0.1)
    with pytest.raises(BadValue, match="largest_torque_nm"):
        ReactionSettings(largest_torque_nm=np.inf)


def test_heels_let_go_before_toes() -> None:
    clip, character = walk(2.0), standing()[1]
    dynamics = clip_dynamics(clip, character)
    contacts = detect_contacts(clip, character, parts=FEET)
    points = touching_points(dynamics.state, character, contacts, Environment.flat())
    heel, tip = (points.names.index(f"left_{name}") for name in ("heel", "toe_tip"))
    touches = contacts.column("left_foot")
    ends = [f for f in range(1, len(touches)) if touches[f - 1] and not touches[f]]
    assert ends
    for end in ends:
        assert points.grip[end - 1, tip] > points.grip[end - 1, heel] == 0.0
    assert ((points.grip >= 0) & (points.grip <= 1)).all()
    assert not points.grip[~touches][:, points.owners == 0].any()


@needs_mocap
@pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)
def test_walking_forces_are_those_of_the_plates(path: Path) -> None:
    trial = plates(path)
    dynamics = clip_dynamics(trial.clip, trial.character)
    found = solved(dynamics, trial)
    weight = dynamics.weight_n

    def rms(error: np.ndarray, frames: np.ndarray) -> float:
        return float(np.sqrt(np.mean(error[frames] ** 2))) / weight

    measured = trial.forces_n[:, :, 1]
    assert rms(found.forces_n.sum(axis=1)[:, 1] - measured.sum(axis=1), trial.valid) < 0.05
    detected = solved(dynamics, trial, detect_contacts(trial.clip, trial.character, parts=FEET))
    truth = trial.truth.touching
    for k, foot in enumerate(FEET):
        alone = trial.valid & truth[:, k] & ~truth[:, 1 - k]
        assert rms(part_force_n(found, foot)[:, 1] - measured[:, k], alone) < 0.04
        assert rms(part_force_n(detected, foot)[:, 1] - measured[:, k], alone) < 0.08
        both = trial.valid & truth.all(axis=1)
        assert rms(part_force_n(found, foot)[:, 1] - measured[:, k], both) < 0.12
        assert rms(part_force_n(found, foot)[:, 0] - trial.forces_n[:, k, 0], both) < 0.05


@needs_mocap
@pytest.mark.parametrize("path", WALKS, ids=lambda path: path.stem)
def test_walking_zero_moment_points_lie_in_the_footprints(path: Path) -> None:
    trial = plates(path)
    dynamics = clip_dynamics(trial.clip, trial.character)
    stance = trial.valid & trial.truth.touching.any(axis=1)
    for contacts in (trial.truth, detect_contacts(trial.clip, trial.character, parts=FEET)):
        points = touching_points(dynamics.state, trial.character, contacts, Environment.flat())
        area = support_area(points.places_m, points.touching)
        zmp = zero_moment_point(trial.clip.root_positions_m, dynamics.unsupported, area.heights_m)
        distance = distance_to_support(area, zmp)[stance]
        assert np.mean(distance <= 0.03) >= 0.97
    off = np.linalg.norm((zmp - trial.pressure_m)[stance][:, [0, 2]], axis=1)
    assert np.median(off) < 0.03


@needs_mocap
def test_forces_do_not_flicker() -> None:
    trial = plates(WALKS[0])
    found = solved(clip_dynamics(trial.clip, trial.character), trial)
    steps = np.abs(np.diff(found.forces_n.sum(axis=1), axis=0)) / (9.81 * 72.9)
    assert steps.max() < 0.1
    for foot in FEET:
        step = np.abs(np.diff(part_force_n(found, foot)[:, 1])) / (9.81 * 72.9)
        held = trial.truth.column(foot)
        assert step[held[1:] & held[:-1]].max() < 0.15
