"""YAML as a tree of values that know their places."""

from __future__ import annotations

import pytest

from poise.errors import FileProblem
from poise.yaml_nodes import Place, node_from, parse_yaml, scalar_from


def test_values_by_the_rules_of_1_2_and_their_places() -> None:
    root, problems = parse_yaml(b"a: [1e-3, no, ~]\nb: {c: '7', d: }\n", "f.yaml", "a test")
    assert not problems
    assert root.plain() == {"a": (1e-3, "no", None), "b": {"c": "7", "d": None}}
    c = root.at(("b", "c"))
    assert c is not None and c.place == Place("f.yaml", 2, 8)
    assert c.key_place == Place("f.yaml", 2, 5) and str(c.place) == "f.yaml:2:8"
    assert root.nearest(("a", 7)).plain() == (1e-3, "no", None)
    assert type(scalar_from("7")) is int and type(scalar_from("7.0")) is float


def test_aliases_share_and_words_stay_as_they_stand() -> None:
    root, _ = parse_yaml(b"a: &x [1.50]\nb: *x\n", "f.yaml", "a test")
    first, second = root.at(("a", 0)), root.at(("b", 0))
    assert first is second and first is not None and first.word == "1.50"


def test_mistakes_are_collected() -> None:
    text = b"a: 1\na: 2\n? [b]\n: 3\nc: .nan\nd: !!set {}\ne: !!int 7\n"
    root, problems = parse_yaml(text, "f.yaml", "a test")
    assert [str(each) for each in problems] == [
        "f.yaml:2:1: expected each key once, found 'a' again (first in line 1).",
        "f.yaml:3:3: expected a word as the key, found a list or keys and values.",
        "f.yaml:5:4: expected a finite number, found '.nan'.",
        "f.yaml:6:4: expected a plain value, found 'tag:yaml.org,2002:set'. "
        "Leave the tag out; put quotes around what should be text.",
    ]
    assert [key.plain() for key in root.odd_keys] == ["a", ("b",)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"", "an empty file"),
        (b"a: *b\n", "undefined alias 'b'"),
        (b"a: &a [*a]\n", "undefined alias 'a'"),
        (b"a: &a 1\nb: &a 2\n", "duplicate anchor 'a'"),
        (b"a: 1\n---\nb: 1\n", "another document"),
        (b"- " * 100 + b"1", "very deep nesting"),
        (b"[" * 100, "very deep nesting"),
        (b"a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b, *b]\n", "more than 20 values"),
        (b"\xff", "byte 0xff"),
        (b"a: [1", "expected ',' or ']'"),
    ],
)  # fmt: skip
def test_what_is_no_sane_file_is_refused(text: bytes, found: str) -> None:
    with pytest.raises(FileProblem) as refused:
        parse_yaml(text, "f.yaml", "a test", max_values=20)
    assert found in str(refused.value) and str(refused.value).startswith("f.yaml")


def test_values_that_stand_nowhere_go_by_their_keys() -> None:
    root = node_from({"a": [{"b": True}]})
    b = root.at(("a", 0, "b"))
    assert b is not None and str(b.place) == "a.0.b" and b.kind == "true"
    assert str(node_from({"a": 1}, "--a 1").nearest(("a",)).place) == "--a 1"
