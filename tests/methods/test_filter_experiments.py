"""The paper's experiments on real clips: what the recipes promise, by the project's measures.

Against the kinematic-only result on the same body: the zero-moment point clearly outside the
support on at most a tenth of the stance frames, and on at most 3 % of all; torques at most 5 % over
their limits; at most 5 % of g in the air and 5 % drift of the angular momentum; feet within 2 mm.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from poise.job import load_recipe, run_prepared, subject
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.methods import Result
from tests.shared_data import needs_mocap

pytestmark = needs_mocap

RECIPES = Path(__file__).resolve().parents[2] / "examples" / "recipes" / "filter"
KINEMATIC = "filter.settings.passes=1K"


@cache
def outcome(
    name: str, *changes: str, without: tuple[str, ...] = ()
) -> tuple[Result, dict[str, float]]:
    """A recipe's result, and its measures on the recipe's body."""
    recipe = load_recipe(RECIPES / f"{name}.yaml", changes=changes, without=without)
    prepared = subject(recipe)
    result = run_prepared(recipe, prepared).results[-1]
    found = evaluate(
        result.clip, prepared.character, prepared.environment,
        prepared.contacts or result.contacts,
        against=prepared.clip, against_character=prepared.character,
    )  # fmt: skip
    return result, {measure.key: measure.value for measure in found.measures}


def worst_foot_mm(result: Result) -> float:
    rows = [row for row in result.constraints if "foot" in row.name]
    assert rows
    return max(row.worst for row in rows if row.unit == "mm")


@pytest.mark.parametrize(
    "name", ["wide_steps", "golf_swing", "limbo_walk", "limbo_walk_heavy", "jump_kick"]
)
def test_balance_comes_back_and_feet_stay(name: str) -> None:
    result, after = outcome(name)
    _, kinematic = outcome(name, KINEMATIC)
    assert kinematic["zmp_excursion.share"] > 30.0
    assert after["zmp_excursion.share"] <= min(3.0, 0.1 * kinematic["zmp_excursion.share"])
    assert worst_foot_mm(result) < 2.0
    assert after["jitter.ratio"] < 1.5


@pytest.mark.parametrize("name", ["limbo_walk_heavy", "jump_kick"])
def test_joints_work_within_their_strength(name: str) -> None:
    _, after = outcome(name)
    _, kinematic = outcome(name, KINEMATIC)
    assert kinematic["torque_excess.worst"] > 1.5
    assert after["torque_excess.worst"] <= 1.05


def test_the_kick_flies_freely() -> None:
    _, after = outcome("jump_kick")
    _, kinematic = outcome("jump_kick", KINEMATIC)
    assert kinematic["flight_residual.acceleration"] > 30.0
    assert after["flight_residual.flights"] == kinematic["flight_residual.flights"]
    assert after["flight_residual.acceleration"] <= 5.0
    assert after["flight_residual.spin"] <= 5.0


def leans_deg(result: Result) -> float:
    """How far the trunk leans ahead under the bar, where it leans least far."""
    clip = result.clip
    state = forward_kinematics(clip.skeleton, *clip.pose)
    pelvis, neck = (clip.skeleton.index(name) for name in ("Hips", "Neck"))
    trunk = state.positions_m[60:90, neck] - state.positions_m[60:90, pelvis]
    return float(np.degrees(np.arctan2(trunk[:, 2], trunk[:, 1])).min())


def bar_missed_mm(result: Result) -> float:
    return max(row.worst for row in result.constraints if row.name == "under the bar")


def test_a_heavy_torso_keeps_a_soft_bar_within_its_strength() -> None:
    """Measured: off by 2.1 mm at 0.92 of the strength, without limits by 1.7 mm at 1.08; the limbo
    of the body as it is by 0.2 mm."""
    light, _ = outcome("limbo_walk")
    heavy, within = outcome("limbo_walk_heavy")
    _, beyond = outcome("limbo_walk_heavy", "filter.settings.torque=false")
    assert bar_missed_mm(light) < 2.0
    assert bar_missed_mm(heavy) < 10.0
    assert within["torque_excess.worst"] <= 1.0 < beyond["torque_excess.worst"]


@pytest.mark.parametrize(
    "name", ["wide_steps", "golf_swing", "limbo_walk", "limbo_walk_heavy", "jump_kick"]
)
def test_what_is_said_of_an_experiment_is_so(name: str) -> None:
    result, _ = outcome(name)
    assert result.status == "converged"
    assert "ground can carry every frame" in result.summary
    assert result.report.lawless == () and result.report.shortfalls == ()


def test_a_limbo_leans_back_where_a_bow_leans_forward() -> None:
    limbo, _ = outcome("limbo_walk")
    bow, _ = outcome(
        "limbo_walk", "filter.settings.hints=[]", "filter.settings.noise={under the bar: 1.0e-14}",
        without=("lean back", "knees bent"),
    )  # fmt: skip
    assert leans_deg(limbo) < -5.0 and leans_deg(bow) > 25.0


@pytest.mark.parametrize("build", ["short", "long"])
def test_dancers_of_another_build_keep_the_feet_of_the_dance(build: str) -> None:
    result, _ = outcome(f"dancing_{build}_limbs")
    assert result.clip.frame_count >= 660
    assert worst_foot_mm(result) < 2.0
