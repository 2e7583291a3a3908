"""The paper's experiments on real clips: what the recipes promise, by the project's measures.

Planted parts slide by at most 0.5 cm/s (captured: 3 to 45), nothing is more than 0.5 cm inside
anything or hovers by more on average, and the motion stays within 8 degrees and 4 cm of the
captured one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from _pytest.mark.structures import ParameterSet

from poise.arrays import Array
from poise.contact import ContactSchedule, estimate_ground, intervals, read_contacts
from poise.environment import Environment
from poise.job import Outcome, load_recipe, run_recipe
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.methods import Edit, correct
from tests.contact.force_plates import trial, trial_paths
from tests.shared_data import needs_mocap

pytestmark = [needs_mocap, pytest.mark.slow]

RECIPES = Path(__file__).resolve().parents[2] / "examples" / "recipes" / "correct"
EXPERIMENTS = (
    "walking", "walking_hill", "running", "standing_up", "cartwheel", "dance", "rolling", "sitting",
    "sitting_stool", "standing_up_long_arms", "cartwheel_thick_body",
)  # fmt: skip
OTHER_BODIES = {"standing_up_long_arms": "standing_up", "cartwheel_thick_body": "cartwheel"}

LIMITS = {
    "foot_slide.mean": 0.5,
    "penetration.deepest": 0.5,
    "float.mean": 0.5,
    "likeness.rotation": 8.0,
    "likeness.position": 4.0,
}
"""cm/s, cm, cm, degrees, cm"""


def cases(names: Iterable[str], short: Mapping[str, str]) -> list[ParameterSet]:
    """One a name; what is known to fall short must, and says by how much."""
    return [
        pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=short[name]))
        if name in short
        else pytest.param(name)
        for name in names
    ]


@cache
def outcome(name: str) -> Outcome:
    return run_recipe(load_recipe(RECIPES / f"{name}.yaml"))


@cache
def figures(name: str) -> dict[str, float]:
    """Measures of what came out, by key."""
    made = outcome(name)
    prepared, source = made.prepared, made.prepared.moved_from
    found = evaluate(
        made.clip, prepared.character, prepared.environment, made.result.contacts,
        against=made.start,
        against_character=prepared.character if source is None else source.character,
    )  # fmt: skip
    return {measure.key: measure.value for measure in found.measures}


def contacts(name: str) -> ContactSchedule:
    found = outcome(name).result.contacts
    assert found is not None
    return found


def stretches_s(name: str, part: str) -> list[tuple[float, float]]:
    """From when to when a part touches."""
    found = contacts(name)
    return [(a / found.rate_hz, b / found.rate_hz) for a, b in intervals(found.column(part))]


def places_m(name: str, joint: str) -> Array:
    """(F, 3) of a joint or role, in every frame of what came out."""
    clip, roles = outcome(name).clip, outcome(name).prepared.character.roles
    assert roles is not None
    state = forward_kinematics(clip.skeleton, clip.root_positions_m, clip.rotations_wxyz)
    return state.positions_m[:, clip.skeleton.index(roles.joints.get(joint, joint))]


def heights_m(name: str, joint: str) -> Array:
    return places_m(name, joint)[:, 1]


MOVED = {
    "standing_up": "joints are 4.2 cm off, not 4: no contact is known at the small of the back",
    "rolling": "0.65 cm/s, not 0.5: shoulders and chest roll over more than their points",
}


@pytest.mark.parametrize("name", cases(EXPERIMENTS, MOVED))
def test_what_touches_stands_and_the_motion_stays_itself(name: str) -> None:
    found = figures(name)
    limits = dict(LIMITS)
    if name == "standing_up_long_arms":  # its places are elsewhere by the length of its arms
        del limits["likeness.position"]
    over = {key: found[key] for key, most in limits.items() if not found[key] <= most}
    assert not over


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_capture_was_not_like_that(name: str) -> None:
    made = outcome(name)
    source = made.prepared.moved_from
    character = made.prepared.character if source is None else source.character
    measured = evaluate(made.start, character, made.prepared.environment)
    before = {measure.key: measure.value for measure in measured.measures}
    assert before["foot_slide.mean"] > 10.0 * figures(name)["foot_slide.mean"]
    assert before["penetration.deepest"] > 1.0


@pytest.mark.parametrize("name", ["walking", "walking_hill", "running"])
def test_feet_take_turns(name: str) -> None:
    feet = {side: intervals(contacts(name).column(f"{side}_foot")) for side in ("left", "right")}
    starts = sorted((first, side) for side in feet for first, _ in feet[side] if first > 0)
    sides = [side for _, side in starts]
    assert len(sides) >= 3
    assert all(a != b for a, b in pairwise(sides))
    in_the_air = ~contacts(name).touching.any(axis=1)
    assert in_the_air.any() == (name == "running")


def test_a_hand_carries_the_cartwheel_while_it_is_upside_down() -> None:
    down = contacts("cartwheel")
    assert stretches_s("cartwheel", "left_hand") and stretches_s("cartwheel", "right_hand")
    hands = down.column("left_hand") | down.column("right_hand")
    over_head = heights_m("cartwheel", "pelvis") > heights_m("cartwheel", "head") + 0.2
    assert over_head.mean() > 0.05
    assert hands[over_head].mean() > 0.8
    upright = heights_m("cartwheel", "head") > heights_m("cartwheel", "pelvis") + 0.4
    assert not hands[upright].any()


def test_who_lies_touches_with_back_and_hands_and_stands_up_on_the_feet() -> None:
    lying = contacts("standing_up")
    for part in ("pelvis", "chest", "head", "left_hand", "right_hand"):
        assert lying.column(part)[:30].all(), part
    ends = [lying.column(part).nonzero()[0].max() for part in ("head", "chest", "pelvis")]
    assert ends == sorted(ends)  # rolled up from the head
    last = lying.touching[-120:]
    feet = [lying.parts.index(part) for part in ("left_foot", "right_foot")]
    assert last[:, feet].all() and not np.delete(last, feet, axis=1).any()


def test_a_roll_goes_over_the_back_to_the_seat() -> None:
    rolling = contacts("rolling")
    back = rolling.column("chest") | rolling.column("right_shoulder")
    seat = rolling.column("pelvis")
    assert back.any() and seat.any()
    assert back.argmax() < seat.argmax()
    deepest = figures("rolling")["penetration.deepest"]
    assert deepest < 1.0  # captured 23 cm inside the floor


SEATS_M = {"sitting": 0.5, "sitting_stool": 0.9}
LEFT_LATE = {"sitting_stool": "9 cm below standing hips, not 10: the seat is left a moment late"}


@pytest.mark.parametrize("name", cases(SEATS_M, LEFT_LATE))
def test_the_seat_carries_the_sitter_twice(name: str) -> None:
    sits = stretches_s(name, "pelvis")
    assert len(sits) == 2 and all(end - start > 2.0 for start, end in sits)
    seated = contacts(name).column("pelvis")
    high = heights_m(name, "pelvis")
    assert high[seated].max() < high[~seated].max() - 0.1
    assert high[seated].max() < SEATS_M[name] + 0.25


@pytest.mark.parametrize("name", OTHER_BODIES)
def test_another_body_does_it_with_the_same_contacts(name: str) -> None:
    told = read_contacts(RECIPES / f"{OTHER_BODIES[name]}_contacts.json")
    found = contacts(name)
    assert outcome(name).result.report.found is None
    for part in told.parts:
        np.testing.assert_array_equal(found.column(part), told.column(part))


@pytest.mark.parametrize("name", OTHER_BODIES.values())
def test_the_contacts_of_the_files_are_those_that_are_found(name: str) -> None:
    told, found = read_contacts(RECIPES / f"{name}_contacts.json"), contacts(name)
    agree = [(told.column(part) == found.column(part)).mean() for part in told.parts]
    assert np.mean(agree) > 0.98
    others = [part for part in found.parts if part not in told.parts]
    assert not any(found.column(part).any() for part in others)


def test_flesh_keeps_hands_off_the_spine() -> None:
    """Of cartwheels as they are, a hand comes nearer than the spheres of a thick body let it."""
    spheres = load_recipe(RECIPES / "cartwheel_thick_body.yaml").steps[0].settings.spheres

    def nearest_m(name: str) -> float:
        wrists = [places_m(name, f"{side}_wrist") for side in ("left", "right")]
        return min(float(np.linalg.norm(w - places_m(name, "Spine"), axis=1).min()) for w in wrists)

    apart = spheres["Spine"] + spheres["left_wrist"]
    assert nearest_m("cartwheel") < apart
    assert nearest_m("cartwheel_thick_body") > apart - 0.02


LANDED = {
    "opencap_subject2_DJ1": "2.3 cm, not 2: a landing that no ground carries in 27 % of its frames"
}
TRIALS = {path.stem: path for path in trial_paths() if "hamner" not in path.stem}


@pytest.mark.parametrize("name", cases(TRIALS, LANDED))
def test_other_skeletons_stand_too(name: str) -> None:
    """Force-plate trials have joints in their heels, and toes that hardly bend or not at all."""
    seen = trial(TRIALS[name])
    floor = Environment((estimate_ground(seen.clip, seen.character)[0],))
    made = correct.run(Edit(seen.clip, seen.character, environment=floor))
    found = evaluate(
        made.clip, seen.character, floor, made.contacts, against=seen.clip,
        against_character=seen.character,
    )  # fmt: skip
    value = {measure.key: measure.value for measure in found.measures}
    assert value["foot_slide.mean"] <= 0.7
    assert value["penetration.deepest"] <= 0.5 and value["float.mean"] <= 0.5
    assert value["likeness.rotation"] <= 4.0 and value["likeness.position"] <= 2.0
