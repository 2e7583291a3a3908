"""The benchmarks of contacts: what they change is there, and what they count is right."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from benchmarks import contacts_ablations, contacts_kinds, contacts_labelled, contacts_left_out
from benchmarks.contacts_agreement import rows_of, summary
from benchmarks.contacts_speed import made_walk
from poise.contact import ContactSchedule
from poise.samples import SAMPLES
from tests.shared_data import needs_mocap

finding = importlib.import_module("poise.contact.finding")


@pytest.mark.parametrize("name", contacts_ablations.WAYS)
def test_what_an_ablation_changes_is_there_and_comes_back(name: str) -> None:
    usual = finding.CHANGE
    with contacts_ablations.WAYS[name]():
        pass
    assert usual == finding.CHANGE


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


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("Run Dive Over Roll Run", ("roll",)),
        ("walk forward stepping up stairs", ("walk",)),
        ("Sit Down And Get Up", ("walk", "seat")),
        ("run/jog", ("run",)),
        ("JumpForward", ("run",)),
        ("CoolWalk", ("walk",)),
    ],
)
def test_words_of_a_list_say_which_kinds_are_right(words: str, kinds: tuple[str, ...]) -> None:
    rule = contacts_kinds.listing_of(words)
    assert rule is not None and rule.kinds == kinds


@pytest.mark.parametrize("words", ["Unknown", "?", "Motorcycle"])
def test_words_that_say_nothing_are_not_judged(words: str) -> None:
    assert contacts_kinds.listing_of(words) is None


def test_what_contradicts_a_list_is_named() -> None:
    cartwheel, walk = map(contacts_kinds.listing_of, ("cartwheel", "walk"))
    assert cartwheel is not None and walk is not None
    feet = {"left_foot": 1.0, "right_foot": 1.0}
    hands = {"left_hand": 0.2, "right_hand": 0.2}
    judge = contacts_kinds.reasons
    assert judge(walk, feet, 0, 0.0, "walk") == ()
    assert judge(cartwheel, feet | hands, 1, 0.0, "acrobatic") == ()
    assert judge(cartwheel, feet | {"left_hand": 0.2}, 0, 0.0, "acrobatic") == (
        "right hand missed",
    )
    assert judge(walk, feet | {"left_hand": 0.01}, 0, 0.0, "acrobatic") == (
        "left hand invented", "acrobatic, not walk",
    )  # fmt: skip
    assert judge(walk, feet, 1, 0.6, "run") == (
        "flies", "unknown carrier for 0.6 s", "run, not walk",
    )  # fmt: skip


@needs_mocap
def test_captures_are_judged_by_the_name_of_their_list() -> None:
    told = contacts_kinds.listed()
    assert told["02_01"] == "walk" and told["128_11"] == "Run Dive Over Roll Run"
    assert told["118_01"] == "Jump" and told["103_07"] == "Casual Walk"
    assert {path.stem for path in contacts_kinds.all_captures()} <= set(told)


def test_longer_clips_go_forwards_and_backwards() -> None:
    given = made_walk()
    longer, count = given.longer(3), given.clip.frame_count
    roots = longer.clip.root_positions_m
    assert longer.clip.frame_count == 3 * count
    np.testing.assert_array_equal(roots[count : 2 * count], roots[:count][::-1])
    np.testing.assert_array_equal(roots[2 * count :], roots[:count])
