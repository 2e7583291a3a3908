"""The benchmarks of contacts: what they change is there, and what they count is right."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import contacts_ablations, contacts_labelled, contacts_left_out
from benchmarks.contacts_agreement import rows_of, summary
from poise.contact import ContactSchedule
from poise.samples import SAMPLES


@pytest.mark.parametrize("name", contacts_ablations.WAYS)
def test_what_an_ablation_changes_is_there_and_comes_back(name: str) -> None:
    usual = contacts_ablations._finding.CHANGE
    with contacts_ablations.WAYS[name]():
        pass
    assert usual == contacts_ablations._finding.CHANGE


def test_constants_that_are_chosen_are_there() -> None:
    for constant in contacts_left_out.CONSTANTS:
        assert constant.default in constant.values


def test_parts_that_nobody_looked_for_do_not_touch() -> None:
    true = ContactSchedule(("left_foot", "pelvis"), np.array([[1, 1], [1, 0], [0, 0]]), 50.0)
    found = ContactSchedule(("left_foot",), np.array([[1], [1], [1]]), 50.0)
    rows = {row.part: row for row in rows_of("clip", found, true)}
    assert rows["left_foot"].f1 == pytest.approx(0.8) and rows["pelvis"].f1 == 0.0
    assert summary(list(rows.values())).mean == pytest.approx(0.4)


@pytest.mark.parametrize("defect", contacts_labelled.DEFECTS)
def test_defects_keep_the_truth_beside_the_frames(defect: str) -> None:
    sample = contacts_labelled.DEFECTS[defect](SAMPLES["sit"](rate_hz=120.0))
    assert sample.contacts.frame_count == sample.clip.frame_count
    assert sample.contacts.rate_hz == sample.clip.rate_hz
    rows = list(contacts_labelled.counted("sit", sample, sample.contacts))
    assert contacts_labelled.f1(rows) == 1.0
    pelvis = next(row for row in rows if row.part == "pelvis")
    assert pelvis.true == pytest.approx(2.2, abs=0.05)


def test_contacts_that_are_not_there_count_against_a_part() -> None:
    sample = SAMPLES["stand"](seconds=1.0)
    everywhere = np.ones((sample.clip.frame_count, 2), bool)
    found = ContactSchedule(("left_foot", "head"), everywhere, sample.clip.rate_hz)
    rows = list(contacts_labelled.counted("stand", sample, found))
    assert contacts_labelled.f1([row for row in rows if row.part == "head"]) == 0.0
    assert contacts_labelled.f1([row for row in rows if row.part == "left_foot"]) == 1.0
    assert contacts_labelled.f1([row for row in rows if row.part == "right_foot"]) == 0.0
    assert contacts_labelled.f1([row for row in rows if row.part == "pelvis"]) == 1.0
