"""Clips, contacts and bodies that cannot be: a status with the cause, and bounded work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from poise.arrays import Array
from poise.character import Character
from poise.constraints import EVERYTHING, Recruits, Scene, Task, recruits_of_point
from poise.contact import ContactSchedule, observe
from poise.environment import Environment
from poise.errors import BadValue
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.methods import Edit, Result, correct, deform, retarget
from poise.methods.correct import CorrectReport
from poise.methods.deform import Settings as DeformSettings
from poise.motion import Clip
from poise.physics import PhysicsSolution, shortfalls, solve_clip, unexplained_stretches
from poise.physics.local_newton import MOST_STEPS
from poise.samples import sample_character, squatting, walking

FLAT = Environment.flat()
DEEP = Environment.flat(-3.0)
BODY = sample_character()
WALK = walking(1.0, 60.0)
SQUAT = squatting(1.0, 60.0)
FEET = ("left_foot", "right_foot")
OVER = 4
"""Factorizations of the step in which the work runs out."""


def told(parts: Sequence[str], frames: int) -> ContactSchedule:
    """Parts that touch all the time."""
    return ContactSchedule(tuple(parts), np.ones((frames, len(parts)), dtype=np.bool_), 60.0)


def nothing(contacts: ContactSchedule) -> ContactSchedule:
    return replace(contacts, touching=np.zeros_like(contacts.touching))


def without_strength(joint: str | None = None) -> Character:
    """A body of which all joints, or one of them, can do nothing."""
    limits = np.full((BODY.skeleton.joint_count, 3), np.inf)
    limits[slice(None) if joint is None else BODY.skeleton.index(joint)] = 0.0
    return replace(BODY, strength=None, torque_limits_nm=limits)


def at(joint: str, moved_m: Sequence[float], clip: Clip = SQUAT.clip) -> Task:
    """A joint held where it is in the first frame, moved."""
    j = BODY.skeleton.index(joint)
    place = forward_kinematics(clip.skeleton, *clip.pose).positions_m[0, j] + np.array(moved_m)
    goals: Array = np.tile(place, (clip.frame_count, 1))
    name = f"{joint} at {moved_m}"
    return Task(
        name, "point", 0, goals, recruits_of_point(BODY, j, np.zeros(3), EVERYTHING), joint=j
    )


@dataclass(frozen=True, eq=False)
class Case:
    """What is asked for, and who does not let it be."""

    clip: Clip
    contacts: ContactSchedule
    tasks: tuple[Task, ...] = ()
    character: Character = BODY
    environment: Environment = FLAT
    causes: tuple[str, ...] = ()
    """What must be said: `missed`, `laws`, or a kind of shortfall."""


def one(sample_frames: int) -> Case:
    return Case(WALK.clip.sliced(0, sample_frames), WALK.contacts.sliced(0, sample_frames))


STAND = told(FEET, SQUAT.clip.frame_count)
HANDS = told((*FEET, "left_hand", "right_hand"), SQUAT.clip.frame_count)
PLANTED = (at("LeftFoot", (0.0, 0.0, 0.0)), at("RightFoot", (0.0, 0.0, 0.0)))
CASES: dict[str, Case] = {
    "one frame": one(1),
    "two frames": one(2),
    "three frames": one(3),
    "no contacts": Case(WALK.clip, nothing(WALK.contacts), causes=("laws",)),
    "feet 5 m apart": Case(
        SQUAT.clip, STAND, (at("LeftFoot", (2.5, 0.0, 0.0)), at("RightFoot", (-2.5, 0.0, 0.0))),
        causes=("missed",),
    ),
    "a foot out of reach": Case(
        SQUAT.clip, STAND, (PLANTED[0], at("RightFoot", (0.0, 0.0, 3.0))), causes=("missed",)
    ),
    "a foot in two places": Case(
        SQUAT.clip, STAND, (PLANTED[0], at("LeftFoot", (0.0, 3.0, 0.0))), causes=("missed",)
    ),
    "hands on the floor": Case(
        SQUAT.clip, HANDS,
        (*PLANTED, at("LeftHand", (0.0, -3.0, 0.0)), at("RightHand", (0.0, -3.0, 0.0))),
        causes=("missed",),
    ),
    "no strength": Case(WALK.clip, WALK.contacts, character=without_strength(), causes=("torque",)),
    "a knee without strength": Case(
        WALK.clip, WALK.contacts, character=without_strength("LeftLeg"), causes=("torque",)
    ),
    "feet 3 m above the floor": Case(
        SQUAT.clip, STAND, tuple(replace(t, goals=t.goals - [0.0, 3.0, 0.0]) for t in PLANTED),
        environment=DEEP,
    ),
    "a floor 3 m above the feet": Case(
        SQUAT.clip, STAND, PLANTED, environment=Environment.flat(3.0), causes=("missed", "depth")
    ),
}  # fmt: skip


def checked(solved: PhysicsSolution) -> PhysicsSolution:
    for found in (
        solved.root_positions_m, solved.rotations_wxyz, solved.wrench_left, solved.forces_n,
    ):  # fmt: skip
        assert np.isfinite(found).all()
    assert solved.steps <= MOST_STEPS + OVER
    return solved


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_solve_ends_and_what_is_owed_is_known(case: Case) -> None:
    scene = Scene(case.clip, case.character, case.environment)
    also = Recruits(case.character.skeleton.freedoms > 0, True)
    solved = checked(solve_clip(scene, case.tasks, case.contacts, also=also))
    made = replace(
        case.clip, root_positions_m=solved.root_positions_m, rotations_wxyz=solved.rotations_wxyz
    )
    short = shortfalls(made, case.character, case.environment, case.contacts, case.clip)
    owed = {each.kind for each in short if each.kind != "speed"}
    if max(solved.missed_m.values(), default=0.0) > 1e-3:
        owed.add("missed")  # type: ignore[arg-type]
    if unexplained_stretches(solved):
        owed.add("laws")  # type: ignore[arg-type]
    assert owed >= set(case.causes)
    assert owed or not case.causes


def corrected(
    clip: Clip, contacts: ContactSchedule, character: Character = BODY, place: Environment = FLAT
) -> Result[CorrectReport]:
    result = correct.run(Edit(clip, character, environment=place, contacts=contacts))
    assert np.isfinite(result.clip.root_positions_m).all()
    assert np.isfinite(result.clip.rotations_wxyz).all()
    return result


def torn() -> Clip:
    """A squat that is 5 m elsewhere from one frame to the next."""
    roots = SQUAT.clip.root_positions_m.copy()
    roots[30:, 0] += 5.0
    return replace(SQUAT.clip, root_positions_m=roots)


@pytest.mark.parametrize(
    ("clip", "contacts", "character", "said"),
    [
        (SQUAT.clip, nothing(STAND), BODY, "No force of the ground explains the motion"),
        (SQUAT.clip, STAND, without_strength(), "Left hip has no strength and needs some"),
        (SQUAT.clip, STAND, without_strength("LeftLeg"), "Left knee has no strength and needs"),
        (torn(), STAND, BODY, "stands from frame 0' is off by"),
    ],
    ids=("no contacts", "no strength", "a weak knee", "torn"),
)
def test_correct_says_what_cannot_be(
    clip: Clip, contacts: ContactSchedule, character: Character, said: str
) -> None:
    result = corrected(clip, contacts, character)
    assert result.status == "out_of_iterations" and said in result.summary, result.summary


def test_hands_said_to_be_on_the_floor_are_there_or_it_is_said() -> None:
    result = corrected(SQUAT.clip, HANDS)
    series = observe(result.clip, BODY, FLAT, HANDS)
    points = [part.endswith("hand") for part in series.point_parts]
    gap = series.point_distances_m[:, points].min(axis=1).max()
    assert (gap < 0.005) == ("contacts hold" in result.summary)
    if gap > 0.005:
        assert result.status != "converged"


def test_a_foot_that_walks_on_though_it_is_said_to_stand_is_said_to_slide() -> None:
    result = corrected(WALK.clip, told(FEET, WALK.clip.frame_count))
    assert result.contacts is not None and result.contacts.sliding is not None
    assert result.contacts.sliding[:, FEET.index("right_foot")].mean() > 0.2
    measured = evaluate(result.clip, BODY, FLAT, result.contacts)
    assert measured.value("foot_slide.mean") < 0.5


def test_a_motion_far_above_the_floor_comes_down_as_a_whole_and_says_so() -> None:
    near, far = corrected(SQUAT.clip, STAND), corrected(SQUAT.clip, STAND, place=DEEP)
    assert near.status == far.status == "converged" and near.notes == ()
    assert far.notes == ("The motion was lowered by 3.0 m to where it touches.",)
    fell = near.clip.root_positions_m - far.clip.root_positions_m
    np.testing.assert_allclose(fell, np.broadcast_to([0.0, 3.0, 0.0], fell.shape), atol=0.1)


@pytest.mark.parametrize("frames", [1, 2])
def test_too_few_frames_are_refused_by_count(frames: int) -> None:
    clip, contacts = WALK.clip.sliced(0, frames), WALK.contacts.sliced(0, frames)
    edit = Edit(clip, BODY, environment=FLAT, contacts=contacts)
    for run in (correct.run, lambda edit: deform.run(edit, DeformSettings(physics=True))):
        with pytest.raises(BadValue, match=f"at least 3 frames.*got {frames}"):
            run(edit)


def test_three_frames_are_enough() -> None:
    assert corrected(WALK.clip.sliced(0, 3), WALK.contacts.sliced(0, 3)).status == "converged"


@pytest.mark.parametrize(
    ("clip", "contacts", "character", "said"),
    [
        (SQUAT.clip, nothing(STAND), BODY, "No force of the ground explains"),
        (SQUAT.clip, STAND, without_strength("LeftLeg"), "Left knee has no strength and needs"),
        (torn(), STAND, BODY, "stands from frame 0' is off by"),
    ],
    ids=("no contacts", "a weak knee", "torn"),
)
def test_deform_with_physics_says_what_cannot_be(
    clip: Clip, contacts: ContactSchedule, character: Character, said: str
) -> None:
    edit = Edit(clip, character, environment=FLAT, contacts=contacts)
    result = deform.run(edit, DeformSettings(physics=True))
    assert result.report.physics is not None
    checked(result.report.physics)
    assert result.status == "out_of_iterations" and said in result.summary, result.summary


def test_deform_with_physics_and_nothing_else_says_what_holds() -> None:
    edit = Edit(SQUAT.clip, BODY, environment=FLAT, contacts=STAND)
    result = deform.run(edit, DeformSettings(physics=True))
    assert result.status == "converged"
    assert result.summary == "Contacts hold, and the ground can carry every frame."


@pytest.mark.parametrize(
    ("target", "place", "said"),
    [
        (without_strength("LeftLeg"), FLAT, "Left knee has no strength and needs some"),
        (BODY, DEEP, "No force of the ground explains the motion in frames 0 to 60"),
    ],
    ids=("a weak knee", "nothing below"),
)
def test_retarget_says_what_cannot_be(target: Character, place: Environment, said: str) -> None:
    result = retarget.run(Edit(SQUAT.clip, BODY, environment=place, target=target))
    assert np.isfinite(result.clip.root_positions_m).all()
    assert np.isfinite(result.clip.rotations_wxyz).all()
    assert result.status == "out_of_iterations" and said in result.summary, result.summary


@pytest.mark.parametrize("frames", [1, 2, 4])
def test_retarget_of_a_few_frames_says_that_they_are_too_few(frames: int) -> None:
    clip = SQUAT.clip.sliced(0, frames)
    result = retarget.run(Edit(clip, BODY, environment=FLAT, target=BODY))
    assert result.status == "infeasible" and "too short for physics" in result.summary
