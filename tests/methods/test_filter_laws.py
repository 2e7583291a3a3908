"""What dynamic rounds measure, against inverse dynamics of states put together in plain Python."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.constraints import HoldPoint, Interval, Scene, tasks_of
from poise.constraints.scene import FLAT
from poise.contact import ContactSchedule
from poise.ik import IkProblem, build
from poise.ik.packed import BALL, TRANSLATION
from poise.mechanics import (
    GRAVITY_M_S2,
    Segments,
    center_of_mass,
    forward_kinematics,
    inverse_dynamics,
    segment_constants,
    site_positions,
    zero_moment_point,
)
from poise.methods.filter.demands import demands_on
from poise.methods.filter.dynamic_frames import Laws, filter_dynamic_frames
from poise.methods.filter.dynamic_round import motion_of
from poise.methods.filter.dynamic_state import Motion, make_batch
from poise.methods.filter.kinematic_frames import SAMPLED, Prior, make_rows
from poise.methods.filter.law_rows import BALANCE, FLIGHT, NO_DYNAMICS, Demands
from poise.methods.filter.law_slopes import make_rates
from poise.methods.filter.settings import Settings
from poise.methods.filter.strain import no_strain
from poise.motion import Clip
from poise.samples import SAMPLES, sample_character
from poise.solvers import DEPENDENT, Measurements, scaled_spread
from tests.contact.rigid_clips import human, rigid_clip
from tests.mechanics.random_trees import random_case
from tests.solvers.textbook_unscented import scaled_weights, textbook_update

HEIGHT_M = 0.07
KINDS = {"balance": BALANCE, "flight": FLIGHT}
HELD, FREE = 1, 2
"""A frame with a constraint and one without."""


SIDEWAYS = np.array([5.0, 0.0, 0.0])


def upward(acceleration_m_s2: float) -> Array:
    return np.array([0.0, acceleration_m_s2, 0.0])


class Figure(NamedTuple):
    """A random figure in motion, one point of which is held in one frame."""

    character: Character
    ik: IkProblem
    motion: Motion
    prior: Prior


def figure(seed: int, *, alpha: float = 1.0) -> Figure:
    case = random_case(seed, frames=3, joints=6)
    character = Character(case.skeleton, body=case.body, sites=case.sites)
    m = case.motion
    # Enough gravity that the ground pushes in every frame and at every sigma point.
    motion = Motion(m.root_m, m.root_v, m.root_a + upward(60.0), m.local, m.omega, m.alpha)
    clip = Clip(case.skeleton, 30.0, m.root_m, m.local)
    hold = HoldPoint("hold", "s0", (0.1, 0.2, -0.3), Interval(HELD, HELD))
    scene = Scene(clip, character, FLAT)
    ik = build(scene, tasks_of(hold, scene))
    rng = np.random.default_rng(seed)
    deviations = np.exp(rng.normal(0.0, 0.5, 3 * ik.width)) * 0.003
    deviations *= np.repeat([1.0, 10.0, 100.0], ik.width)
    spread = scaled_spread(len(deviations), alpha)
    prior = Prior(
        deviations,
        np.sqrt(spread.scale) * deviations,
        spread,
        DEPENDENT,
        ik.limits,
    )
    return Figure(character, ik, motion, prior)


def copied(motion: Motion) -> Motion:
    return Motion(*(np.array(array) for array in motion))


def filtered(
    who: Figure, frame: int, kind: int, goal: tuple[float, float] = (0.0, 0.0)
) -> tuple[Measurements, Array, Motion]:
    """The rows, the step and the motion after one frame."""
    body, skeleton = who.character.body, who.character.skeleton
    assert body is not None
    frames, joints = who.motion.local.shape[:2]
    segments = Segments(
        skeleton.parents, segment_constants(skeleton, body), np.array(GRAVITY_M_S2),
        body.total_mass_kg,
    )  # fmt: skip
    demands = Demands(
        np.full(frames, kind, dtype=np.int64), np.tile(np.array(goal), (frames, 1)),
        np.full(frames, HEIGHT_M), np.zeros(4),
        np.zeros((frames, 6)), no_strain(frames, joints),
    )  # fmt: skip
    rows = make_rows(3 + 6, 3 * who.ik.width)
    step, after = np.zeros(3 * who.ik.width), copied(who.motion)
    dropped = np.zeros(frames, dtype=np.int64)
    batch, rates = make_batch(who.ik.width, joints), make_rates(joints, who.ik.width)
    filter_dynamic_frames(
        frame, frame, SAMPLED, who.ik.rig, who.prior, np.zeros(1),
        Laws(segments, demands, batch, rates), rows, step, after, dropped,
    )  # fmt: skip
    assert dropped[frame] == 0
    return rows, step, after


def moved(who: Figure, frame: int, x: Array) -> Motion:
    """One frame of the motion with a step of places, rates and their rates added."""
    n, skeleton = who.ik.width, who.character.skeleton
    root, v, a, q, omega, alpha = (array[frame].copy() for array in who.motion)
    world = forward_kinematics(skeleton, root[None], q[None]).rotations_wxyz[0]
    turned = q.copy()
    for kind, j, column, axis in zip(
        *(who.ik.blocks.kind, who.ik.blocks.joint, who.ik.blocks.column, who.ik.blocks.axis),
        strict=True,
    ):
        size = 3 if kind in (TRANSLATION, BALL) else 1
        place, speed, rate = (x[k * n + column :][:size] for k in range(3))
        if kind == TRANSLATION:
            root, v, a = root + place, v + speed, a + rate
            continue
        if kind == BALL:
            up = skeleton.parents[j]
            over = rotations.conjugate(world[up]) if up >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
            turned[j] = rotations.multiply(rotations.exp(rotations.rotate(over, place)), q[j])
        else:
            speed, rate = speed * axis, rate * axis
            turned[j] = rotations.multiply(q[j], rotations.exp(place * axis))
        omega[j], alpha[j] = omega[j] + speed, alpha[j] + rate
    return Motion(*(array[None] for array in (root, v, a, turned, omega, alpha)))


def laws(who: Figure, kind: int, state: Motion) -> Array:
    """x and z of the zero-moment point, or force and moment on the root over the mass."""
    skeleton, body = who.character.skeleton, who.character.body
    assert body is not None
    forces = inverse_dynamics(
        skeleton, body, state.local, state.omega, state.root_accelerations, state.alpha
    )
    if kind == BALANCE:
        assert forces.root_force_n[0, 1] > 0.0
        return zero_moment_point(state.roots, forces, HEIGHT_M)[0, [0, 2]]
    wrench = np.concatenate([forces.root_force_n[0], forces.root_moment_nm[0]])
    return wrench / body.total_mass_kg


def measured(who: Figure, frame: int, kind: int, x: Array) -> Array:
    """All rows of a frame at one state: what the held point lacks, and the laws of motion."""
    state = moved(who, frame, x)
    skeleton = who.character.skeleton
    pose = forward_kinematics(skeleton, state.roots, state.local)
    place = site_positions(pose, who.character.sites)[0, 0]
    held = (place - [0.1, 0.2, -0.3]) if frame == HELD else np.zeros(0)
    asked = laws(who, kind, state) if kind != NO_DYNAMICS else np.zeros(0)
    return np.concatenate([held, asked])


@pytest.mark.parametrize("law", KINDS)
@pytest.mark.parametrize("frame", [HELD, FREE])
@pytest.mark.parametrize("seed", range(6))
def test_rows_at_every_sigma_point_are_those_of_inverse_dynamics(
    seed: int, frame: int, law: str
) -> None:
    who = figure(seed)
    n, lengths = who.ik.width, who.prior.lengths
    rows, _, _ = filtered(who, frame, KINDS[law])
    center = measured(who, frame, KINDS[law], np.zeros(3 * n))
    size = len(center)
    assert size == (3 if frame == HELD else 0) + (2 if law == "balance" else 6)
    scale = np.abs(center).max()
    assert rows.center[:size] == pytest.approx(center, rel=1e-9, abs=1e-9 * scale)
    seen = np.zeros(3 * n, dtype=bool)
    for s in range(3 * n):
        for sign, ours in ((1.0, rows.plus), (-1.0, rows.minus)):
            x = np.zeros(3 * n)
            x[s] = sign * lengths[s]
            expected = measured(who, frame, KINDS[law], x)
            assert ours[s, :size] == pytest.approx(expected, rel=1e-9, abs=1e-9 * scale)
            # Far enough apart that a wrong sigma point shows.
            seen[s] |= np.abs(expected - center).max() > 1e-7 * scale
    still = np.zeros(3 * n, dtype=bool)
    if who.ik.blocks.kind[0] == TRANSLATION:
        still[n : n + 3] = True  # nothing depends on how fast the root travels
        # The place of the root counts for balance and for the point only.
        still[0:3] = law == "flight" and frame == FREE
        if law == "balance" and frame == FREE:
            seen[1] = True
    assert (seen | still).all()


@pytest.mark.parametrize("law", KINDS)
@pytest.mark.parametrize("frame", [HELD, FREE])
@pytest.mark.parametrize("seed", [1, 4])
def test_a_frame_takes_the_step_of_a_textbook_filter(seed: int, frame: int, law: str) -> None:
    who, kind = figure(seed), KINDS[law]
    n = who.ik.width
    zmp = laws(who, BALANCE, moved(who, frame, np.zeros(3 * n)))
    goal = (float(zmp[0]) + 0.01, float(zmp[1]) - 0.02)
    _, step, after = filtered(who, frame, kind, goal)
    size = len(measured(who, frame, kind, np.zeros(3 * n)))
    goals = np.zeros(size)
    if kind == BALANCE:
        goals[-2:] = goal
    update = textbook_update(
        lambda x: measured(who, frame, kind, x), np.zeros(3 * n),
        np.diag(who.prior.deviations**2), np.zeros((size, size)), goals,
        scaled_weights(3 * n, 1.0, 2.0, 0.0),
    )  # fmt: skip
    assert step == pytest.approx(update.step, rel=1e-6, abs=1e-6 * np.abs(update.step).max())
    expected = moved(who, frame, step)
    for ours, theirs, before in zip(after, expected, who.motion, strict=True):
        assert ours[frame] == pytest.approx(theirs[0], rel=1e-12, abs=1e-12)
        others = np.arange(3) != frame
        assert (ours[others] == before[others]).all()


def test_without_laws_only_places_move_and_only_where_something_is_held() -> None:
    who = figure(2, alpha=0.01)
    for frame in (HELD, FREE):
        _, _, after = filtered(who, frame, NO_DYNAMICS)
        for name in ("root_velocities", "root_accelerations", "omega", "alpha"):
            assert (getattr(after, name) == getattr(who.motion, name)).all()
        assert (after.local == who.motion.local).all() == (frame == FREE)


def test_a_body_thrown_without_spin_meets_flight_exactly_and_is_left_alone() -> None:
    case = random_case(3, frames=3, joints=6)
    skeleton = case.skeleton
    q = np.repeat(skeleton.rest_wxyz[None], 3, axis=0)
    still = np.zeros((3, skeleton.joint_count, 3))
    fall = np.tile(GRAVITY_M_S2, (3, 1))
    who = figure(3)
    prior = who.prior._replace(  # so that the bend of the sigma points is next to nothing
        deviations=1e-3 * who.prior.deviations, lengths=1e-3 * who.prior.lengths
    )
    motion = Motion(case.motion.root_m, case.motion.root_v, fall, q, still, still)
    rows, step, _ = filtered(who._replace(motion=motion, prior=prior), FREE, FLIGHT)
    assert np.abs(rows.center[:6]).max() < 1e-12
    assert np.abs(step).max() < 1e-8
    # The same, held back by a hundredth of a metre per second squared, is let go.
    held = motion._replace(root_accelerations=fall + upward(0.01))
    rows, step, _ = filtered(who._replace(motion=held, prior=prior), FREE, FLIGHT)
    assert rows.center[:3] == pytest.approx([0.0, 0.01, 0.0], abs=1e-12)
    assert np.abs(step).max() > 1e-3


def test_a_body_that_tumbles_freely_meets_flight_exactly() -> None:
    """Euler's equations, solved by hand for a rigid figure, leave nothing to push."""
    case = random_case(5, frames=3, joints=6)
    skeleton, body = case.skeleton, case.body
    q = np.repeat(skeleton.rest_wxyz[None], 3, axis=0)
    pose = forward_kinematics(skeleton, np.zeros((3, 3)), q)
    com = center_of_mass(pose, body)[0]
    turns = rotations.to_matrix(pose.rotations_wxyz[0])
    arms = pose.positions_m[0] + rotations.rotate(pose.rotations_wxyz[0], body.centers_m) - com
    inertia: Array = sum(
        turns[j] @ body.inertias_kg_m2[j] @ turns[j].T
        + body.masses_kg[j] * ((arms[j] @ arms[j]) * np.eye(3) - np.outer(arms[j], arms[j]))
        for j in range(skeleton.joint_count)
    )  # pyright: ignore[reportAssignmentType]
    spin = np.array([2.0, -3.0, 1.5])
    spin_rate = np.linalg.solve(inertia, -np.cross(spin, inertia @ spin))
    root_a = GRAVITY_M_S2 + np.cross(spin_rate, -com) + np.cross(spin, np.cross(spin, -com))
    omega, alpha = np.zeros((2, 3, skeleton.joint_count, 3))
    back = rotations.conjugate(q[0, 0])
    omega[:, 0], alpha[:, 0] = rotations.rotate(back, spin), rotations.rotate(back, spin_rate)
    motion = Motion(np.zeros((3, 3)), np.zeros((3, 3)), np.tile(root_a, (3, 1)), q, omega, alpha)
    who = figure(5)._replace(
        character=Character(skeleton, body=body, sites=case.sites), motion=motion
    )
    rows, _, _ = filtered(who, FREE, FLIGHT)
    assert np.abs(rows.center[:6]).max() < 1e-11


def flight_rows(clip: Clip, character: Character, cutoff_hz: float | None) -> Array:
    """(F, 6) force and moment on the root over the mass, as flight measures them."""
    assert character.body is not None
    m = motion_of(clip, cutoff_hz)
    forces = inverse_dynamics(
        clip.skeleton, character.body, m.local, m.omega, m.root_accelerations, m.alpha
    )
    wrench = np.concatenate([forces.root_force_n, forces.root_moment_nm], axis=1)
    return wrench / character.body.total_mass_kg


def test_a_made_jump_asks_for_nothing_in_its_flight() -> None:
    """To what differences at 240 Hz are off by (measured: 1.3 % of g, 0.1 % away from the ends);
    on the ground the same rows hold the weight."""
    sample = SAMPLES["jump"](rate_hz=240.0)
    rows = flight_rows(sample.clip, sample_character(), None)
    aloft = sample.flights[0].frames(240.0, sample.clip.frame_count)[2:-2]
    assert len(aloft) > 50
    assert np.abs(rows[aloft, :3]).max() < 0.02 * 9.81
    assert np.abs(rows[aloft[20:-20], :3]).max() < 0.002 * 9.81
    assert np.abs(rows[:40, 1] - 9.81).max() < 0.01 * 9.81


def standing() -> tuple[Clip, Character, ContactSchedule]:
    """A stiff figure at rest on both feet."""
    clip, character = rigid_clip(np.zeros((12, 3))), human()
    contacts = ContactSchedule(
        ("left_foot", "right_foot"), np.ones((12, 2), dtype=np.bool_), clip.rate_hz
    )
    return clip, character, contacts


def test_a_zero_moment_point_inside_the_support_asks_for_nothing() -> None:
    clip, character, contacts = standing()
    motion = motion_of(clip, None)
    demands = demands_on(motion, clip, character, FLAT, contacts, Settings(fit="separate"))
    assert (demands.kind == NO_DYNAMICS).all()
    # The same figure as if something pushed it sideways: the point leaves the support.
    pushed = motion._replace(root_accelerations=motion.root_accelerations + SIDEWAYS)
    demands = demands_on(pushed, clip, character, FLAT, contacts, Settings(fit="separate"))
    assert (demands.kind == BALANCE).all()
    assert (demands.height == pytest.approx(0.0, abs=1e-9)) and np.isfinite(demands.goal).all()
    off = demands_on(
        pushed, clip, character, FLAT, contacts, Settings(fit="separate", balance=False)
    )
    assert (off.kind == NO_DYNAMICS).all()


def test_a_figure_that_touches_nothing_flies_and_has_no_balance() -> None:
    clip, character, contacts = standing()
    none = ContactSchedule(contacts.parts, np.zeros_like(contacts.touching), contacts.rate_hz)
    motion = motion_of(clip, None)
    demands = demands_on(motion, clip, character, FLAT, none, Settings())
    assert (demands.kind == FLIGHT).all()
    assert np.isfinite(demands.goal).all() and np.isfinite(demands.height).all()
    demands = demands_on(motion, clip, character, FLAT, none, Settings(flight=False))
    assert (demands.kind == NO_DYNAMICS).all()


def test_a_figure_that_falls_has_no_balance_though_it_touches() -> None:
    """Where the ground carries next to nothing, the point may be anywhere."""
    clip, character, contacts = standing()
    motion = motion_of(clip, None)
    fall = motion._replace(root_accelerations=motion.root_accelerations + SIDEWAYS + upward(-9.5))
    demands = demands_on(fall, clip, character, FLAT, contacts, Settings(fit="separate"))
    assert (demands.kind == NO_DYNAMICS).all()
