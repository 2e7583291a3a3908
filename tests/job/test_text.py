"""What is written down is what is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from poise.constraints import STAGE_EDITS, Constraint, Recruit
from poise.job import (
    CharacterChoice,
    ClipChoice,
    Clock,
    ConstraintSpec,
    Outputs,
    Recipe,
    Step,
    constraint_from,
    recipe_from_text,
    recipe_text,
    spec_from,
)
from tests.constraints.cases import CASES, WHEN
from tests.job.fakes import WORDS, Inner, Settings
from tests.job.test_load import GOOD

# What YAML itself cannot hold: surrogates. Everything else must survive.
words = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=20)
tricky = st.sampled_from(
    "1e5|no|yes|null|~|1_000|0x10|1:30|2001-01-01|- a|a: b|#| |a #b|true|!x|&a|*a|<<|=|.nan|%|@|'|"
    '"|\n|é|\x85|\ufeff|\u2028'.split("|")
)
names = st.one_of(words, tricky)
numbers = st.floats(-1e6, 1e6)
vectors = st.tuples(numbers, numbers, numbers)


def again(recipe: Recipe) -> Recipe:
    return recipe_from_text(recipe_text(recipe), words=WORDS)


def test_a_recipe_comes_back() -> None:
    recipe = recipe_from_text(GOOD, words=WORDS)
    assert again(recipe) == recipe
    assert recipe_text(again(recipe)) == recipe_text(recipe)


def test_only_what_differs_is_written() -> None:
    recipe = Recipe([Step("lift", Settings(passes=2))], ClipChoice(sample="walk"))
    assert recipe_text(recipe) == (
        "poise: 1\nclip:\n  sample: walk\nsteps:\n  - lift:\n      settings:\n        passes: 2\n"
    )


@given(
    about=st.one_of(st.just(""), names),
    clip=st.one_of(
        st.just(ClipChoice()),
        st.builds(
            ClipChoice,
            file=names,
            frames=st.one_of(st.none(), st.just((3, 9))),
            rate_hz=st.one_of(st.none(), st.floats(0.1, 1000.0)),
            clean=st.sampled_from([True, False, "all", ("t-pose", "rotation-flips")]),
            unit=st.sampled_from([None, "cm", 0.01]),
            animation=st.one_of(st.none(), names, st.integers(0, 9)),
        ),
    ),
    character=st.builds(
        CharacterChoice,
        mass_kg=st.one_of(st.none(), st.floats(1, 200)),
        sex=st.sampled_from(["male", "female", "average"]),
        roles=st.one_of(st.none(), names, st.dictionaries(names, names, min_size=1, max_size=3)),
    ),
    outputs=st.builds(Outputs, clip=st.one_of(st.none(), names)),
    values=st.fixed_dictionaries(
        {
            "name": names,
            "point": names,
            "place_m": vectors,
            "seconds": st.just((0.5, 2.5)),
            "priority": st.integers(1, 9),
            "weight": st.floats(0, 1e3),
            "recruit": st.fixed_dictionaries({"joints": st.tuples(names, names)}),
        }
    ),
    strategy=st.sampled_from(["priorities", "weights"]),
)
@example("\t\x07\x00", ClipChoice(), CharacterChoice(), Outputs(), {
    "name": "a", "point": "b", "place_m": (0.0, -0.0, 1e-30), "seconds": (0.5, 1e-3 + 2),
    "priority": 3,
}, "weights")  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_whatever_a_recipe_says_comes_back(
    about: str,
    clip: ClipChoice,
    character: CharacterChoice,
    outputs: Outputs,
    values: dict[str, Any],
    strategy: Any,
) -> None:
    more = Settings(
        strategy=strategy, mobility={about or "x": 0.5}, inner=Inner(values["priority"])
    )
    step = Step("lift", more, [ConstraintSpec("hold_point", values)])
    recipe = Recipe([step], clip, character, {"ground": {"height_m": 0.5}}, outputs, about)
    assert again(recipe) == recipe


pieces = st.sampled_from(
    ["a", "walk ", "  ", " ", "\n", '"', "'", "é", "\t", "\\", ": ", " #", "\U0001f600"]
)


@given(st.lists(pieces, max_size=150).map("".join), st.lists(pieces, max_size=150).map("".join))
@settings(max_examples=150, deadline=None)
def test_long_texts_come_back_wherever_their_lines_end(about: str, name: str) -> None:
    values = {"name": name or "x", "point": "b", "place_m": (0.0, 1.0, 2.0), "frames": "all"}
    step = Step("lift", Settings(), [ConstraintSpec("hold_point", values)])
    recipe = Recipe([step], about=about)
    assert again(recipe) == recipe


def test_words_that_could_be_more_are_quoted() -> None:
    for word in ("1e5", "no", "null", "7", "true"):
        text = recipe_text(Recipe([Step("lift", Settings())], about=word))
        assert f'about: "{word}"\n' in text or f"about: '{word}'\n" in text
    assert "about: a walk\n" in recipe_text(Recipe([Step("lift", Settings())], about="a walk"))


@pytest.mark.parametrize(
    ("kind", "made"), [(kind, made) for kind, records in CASES.items() for made in records]
)
def test_every_constraint_becomes_a_wish_and_back(kind: str, made: Constraint) -> None:
    made = replace(made, priority=2, recruit=Recruit(up_to="root"))
    wish = spec_from(made, WORDS)
    assert wish.kind == kind and "weight" not in wish.values
    assert kind == "hit_at" or wish.values["frames"] == (WHEN.first, WHEN.last)
    assert constraint_from(wish, WORDS, Clock(30.0, 100)) == made
    recipe = Recipe([Step("lift", Settings(), [wish])])
    assert again(recipe) == recipe


STAGE_FIELDS: dict[str, dict[str, Any]] = {
    "move_stage": {"stage": -1, "by_m": (0.0, 0.1, 0.5), "turn_deg": 90.0},
    "flight_height": {"flight": 1, "scale": 1.3, "by": "gravity"},
    "gravity": {"gravity_m_s2": 1.6, "flight": -1},
}


@pytest.mark.parametrize("kind", STAGE_EDITS)
def test_every_edit_of_a_stage_becomes_a_wish_and_back(kind: str) -> None:
    made = STAGE_EDITS[kind](name="a", **STAGE_FIELDS[kind])
    wish = spec_from(made, WORDS)
    # It holds in a stage, not in frames.
    assert (wish.kind, dict(wish.values)) == (kind, {"name": "a", **STAGE_FIELDS[kind]})
    assert constraint_from(wish, WORDS, Clock(30.0, 100)) == made
    recipe = Recipe([Step("lift", Settings(), [wish])])
    assert again(recipe) == recipe
