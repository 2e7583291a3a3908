"""How sure contacts are, as the page is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import poise
from poise.apps.report.contact_doubts import Stretch
from poise.apps.studio import views
from poise.apps.studio.measuring import observed
from poise.apps.studio.solver import Solver
from poise.apps.studio.solving import solution_of, solved_on_top
from poise.character import complete_character
from poise.contact import FoundContacts, Series
from poise.environment import Environment, Ground
from poise.job import Outcome
from poise.methods import Result
from poise.methods.correct import CorrectReport
from poise.samples import walk
from tests.apps.studio.running_server import unpacked
from tests.apps.studio.short_walk import recipe, wrist

CLIP = walk(1.0, 30.0)


def series() -> Series:
    """With contacts that nobody has weighed."""
    seen = observed(CLIP, complete_character(CLIP.skeleton), Environment((Ground(),)))
    return replace(seen, contacts=replace(seen.contacts, confidence=None))


def heard(of: Series, unknown: tuple[Stretch, ...] = ()) -> tuple[dict[str, Any], Any]:
    return unpacked(bytes(views.physics(of, "after", unknown)))  # pyright: ignore[reportArgumentType]


def test_contacts_that_were_not_weighed_say_nothing_of_confidence() -> None:
    head, arrays = heard(series())
    assert head["touches"] and head["doubts"] == head["unknown"] == []
    assert "confidence" not in arrays


def test_confidence_goes_in_percent_with_doubts_and_what_is_not_known() -> None:
    seen = series()
    contacts = seen.contacts
    sure = np.ones(contacts.touching.shape)
    sure[4:7, 1], sure[5, 1], sure[9, 0] = 0.7, 0.614, 0.8
    weighed = replace(contacts, confidence=sure)
    head, arrays = heard(replace(seen, contacts=weighed), ((3, 8),))
    found = arrays["confidence"]
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, np.round(100.0 * sure.T))
    assert tuple(head["parts"][: len(found)]) == contacts.parts
    assert head["doubts"] == [{"part": contacts.parts[1], "first": 4, "last": 6, "percent": 61}]
    assert head["unknown"] == [{"first": 3, "last": 7}]
    plain, _ = heard(seen)
    assert head["touches"] == plain["touches"]


def test_what_is_not_known_stays_so_in_the_steps_after_a_correction(tmp_path: Path) -> None:
    poise.save(CLIP, tmp_path / "short.bvh")
    solver = Solver(tmp_path, tmp_path / "results")
    asked = solver.read(recipe(steps=[{"correct": {}}, {"deform": {"constraints": [wrist(0.1)]}}]))
    prepared = solver.prepare(asked)
    unknown = np.zeros(prepared.clip.frame_count, np.bool_)
    unknown[3:8] = True
    found = FoundContacts(series().contacts, unknown, np.zeros(len(unknown)))
    report = CorrectReport(found=found, lawless=(), shortfalls=())
    corrected = Result[object](prepared.clip, "converged", "", report, found.schedule)
    base = solution_of(Outcome(prepared, (corrected,)))
    assert base.unknown == ((3, 8),)
    assert solved_on_top(asked, base).unknown == ((3, 8),)
