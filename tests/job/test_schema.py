"""The schema that editors use: made from the records, so nothing can be missing."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from poise.job import (
    IN_SECONDS,
    INTERVAL_KEYS,
    CharacterChoice,
    ClipChoice,
    Outputs,
    field_docs,
    recipe_schema,
)
from tests.job.fakes import RECORDS, WORDS, Settings

SCHEMA = recipe_schema(WORDS)


def definition(name: str) -> dict[str, Any]:
    return SCHEMA["$defs"][name]


@pytest.mark.parametrize("kind", RECORDS)
def test_every_field_of_every_constraint_is_in_it(kind: str) -> None:
    record = RECORDS[kind]
    assert kind in definition("Constraint")["properties"]
    known = definition(record.__name__)["properties"]
    for field in fields(record):
        keys = INTERVAL_KEYS if field.name == "interval" else (field.name,)
        for key in keys:
            assert key in known
    for name, text in field_docs(record).items():
        assert known[name]["description"] == text
    assert definition(record.__name__)["additionalProperties"] is False
    assert "interval" not in known


def test_frames_have_their_seconds() -> None:
    known = definition("PassPoint")["properties"]
    assert set(IN_SECONDS) | set(IN_SECONDS.values()) <= set(known)
    assert definition("PassPoint")["required"] == ["place_m"]


@pytest.mark.parametrize("record", [ClipChoice, CharacterChoice, Outputs, Settings])
def test_the_other_records_are_in_it_with_their_help(record: type) -> None:
    known = definition(record.__name__)["properties"]
    assert set(known) == {field.name for field in fields(record)}
    for name, text in field_docs(record).items():
        assert known[name]["description"] == text


def test_every_method_is_in_it() -> None:
    steps = definition("Step")
    assert set(steps["properties"]) == set(WORDS.methods)
    assert steps["minProperties"] == steps["maxProperties"] == 1


def test_it_is_plain_json() -> None:
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert SCHEMA["required"] == ["poise", "steps"]


def test_help_is_what_stands_under_a_field() -> None:
    assert field_docs(Settings)["lift_m"] == "How far everything goes up."
    assert "passes" not in field_docs(Settings)
