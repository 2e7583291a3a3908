"""What runs have made comes back from disk as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poise
from poise.apps.studio.measuring import observed
from poise.apps.studio.results import MOST_RESULTS, load_result, save_result
from poise.apps.studio.solver import Solver
from poise.apps.studio.solving import Solution, solution_of
from poise.job import Recipe, run_prepared
from poise.samples import SAMPLES, walk
from tests.apps.studio.short_walk import wrist

ONTO = {"character": {"legs": 1.1}, "steps": [{"deform": {"constraints": [wrist(0.1)]}}]}
RECIPES: dict[str, dict[str, Any]] = {
    "two steps": {"steps": [{"correct": {}}, {"deform": {"constraints": [wrist(0.1)]}}]},
    "longer legs": ONTO,
    "another body": {
        "character": {"to": "other.bvh"},
        "steps": [{"retarget": {"settings": {"torque": False}}}, *ONTO["steps"]],
    },
}


def solved(folder: Path, what: str) -> tuple[Recipe, Solver, Solution]:
    poise.save(walk(1.0, 30.0), folder / "short.bvh")
    poise.save(SAMPLES["stand"](rate_hz=30.0, seconds=0.2).clip, folder / "other.bvh")
    solver = Solver(folder, folder / "results")
    recipe = solver.read({"poise": 1, "clip": {"file": "short.bvh"}, **RECIPES[what]})
    return recipe, solver, solution_of(run_prepared(recipe, solver.prepare(recipe)))


@pytest.mark.parametrize("what", RECIPES)
def test_a_result_comes_back(tmp_path: Path, what: str) -> None:
    recipe, _, made = solved(tmp_path, what)
    save_result(tmp_path / "results", "key", made)
    later = Solver(tmp_path, tmp_path / "results")
    back = load_result(tmp_path / "results", "key", recipe, later.prepare(recipe))
    assert back is not None
    for one, other in zip((*made.clips, made.start), (*back.clips, back.start), strict=True):
        np.testing.assert_array_equal(one.rotations_wxyz, other.rotations_wxyz)
        np.testing.assert_array_equal(one.root_positions_m, other.root_positions_m)
    words = ("status", "summary", "notes", "met", "scale", "unknown")
    assert [getattr(back, word) for word in words] == [getattr(made, word) for word in words]
    series = [observed(s.clip, s.character, s.environment, s.contacts) for s in (made, back)]
    np.testing.assert_allclose(series[0].zmp_m, series[1].zmp_m, atol=1e-9)
    np.testing.assert_allclose(series[0].forces_n, series[1].forces_n, atol=1e-6)
    assert back.start_character.skeleton.joint_names == made.start_character.skeleton.joint_names


def test_how_sure_contacts_are_comes_back(tmp_path: Path) -> None:
    recipe, solver, made = solved(tmp_path, "two steps")
    contacts = None if made.earlier is None else made.earlier.contacts
    assert contacts is not None and contacts.confidence is not None
    made = replace(made, contacts=contacts, unknown=((3, 8), (20, 21)))
    save_result(tmp_path / "results", "key", made)
    back = load_result(tmp_path / "results", "key", recipe, solver.prepare(recipe))
    assert back is not None and back.contacts is not None and back.contacts.confidence is not None
    assert back.unknown == ((3, 8), (20, 21))
    np.testing.assert_allclose(back.contacts.confidence, contacts.confidence, atol=5.1e-4)


def test_what_is_torn_is_nothing(tmp_path: Path) -> None:
    recipe, solver, made = solved(tmp_path, "two steps")
    results = tmp_path / "results"
    prepared = solver.prepare(recipe)
    assert load_result(results, "key", recipe, prepared) is None
    save_result(results, "key", made)
    whole = {path.name: path.read_bytes() for path in (results / "key").iterdir()}
    facts = json.loads(whole["facts.json"])
    for name in whole:
        (results / "key" / name).write_bytes(whole[name][: len(whole[name]) // 2])
        assert load_result(results, "key", recipe, prepared) is None, name
        (results / "key" / name).write_bytes(whole[name])
    for key in facts:
        odd = json.dumps({**facts, key: {"x": []}}).encode()
        (results / "key" / "facts.json").write_bytes(odd)
        load_result(results, "key", recipe, prepared)  # something or nothing, but no error
    (results / "key" / "facts.json").write_bytes(whole["facts.json"])
    assert load_result(results, "key", recipe, prepared) is not None


def test_old_results_go(tmp_path: Path) -> None:
    recipe, solver, made = solved(tmp_path, "longer legs")
    for number in range(MOST_RESULTS + 3):
        save_result(tmp_path / "results", f"key{number}", made)
    assert len(list((tmp_path / "results").iterdir())) == MOST_RESULTS
    last = f"key{MOST_RESULTS + 2}"
    assert load_result(tmp_path / "results", last, recipe, solver.prepare(recipe)) is not None
