"""Messages over the socket: what goes in comes out, and what is none is refused in one line."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from poise.apps.studio import from_page, to_page
from poise.apps.studio.typescript import FILE, typescript
from poise.apps.studio.wire import told, understood
from poise.errors import BadValue
from tests.apps.studio.running_server import unpacked

PROJECT = Path(__file__).resolve().parents[3]

EXAMPLES: dict[str, dict[str, Any]] = {
    "open_sample": {"name": "walk"},
    "open_file": {"path": "walk.bvh"},
    "open_document": {"id": "0123456789abcdef"},
    "edit_recipe": {"recipe": {"poise": 1}, "label": "move"},
    "edit_contacts": {
        "step": 0, "touches": [{"part": "left_foot", "first": 0, "last": 9}], "label": "bar",
    },
    "begin_drag": {"recipe": {}, "number": 3},
    "drag": {"step": 0, "index": 1, "constraint": {}, "number": 3},
    "end_drag": {},
    "run_method": {},
    "cancel_run": {},
    "undo": {},
    "redo": {},
    "ask_measures": {},
    "ask_files": {},
    "save_file": {"path": "a.bvh"},
    "blend_family": {"coordinate": [0.5, 1.0], "number": 1},
    "steer_leap": {"forward": 1.0, "turn": -0.5, "number": 1},
}  # fmt: skip

KINDS = {
    kind: each
    for each in get_args(from_page.FromPage)
    for kind in get_args(get_type_hints(each)["kind"])
}


def refusal(text: str | bytes) -> str:
    with pytest.raises(BadValue) as refused:
        understood(text)
    said = str(refused.value)
    assert "\n" not in said and len(said) < 500, said
    return said


def test_arrays_come_back_with_names_shapes_and_values() -> None:
    rng = np.random.default_rng(12345)
    roots = rng.normal(size=(7, 3))
    sent = {
        "roots_m": roots,
        "triangles": np.arange(6).reshape(2, 3),
        "flags": np.array([True, False, True]),
        "nothing": np.zeros((0, 3)),
    }
    head, arrays = unpacked(bytes(told(to_page.Goals(()), **sent)))
    assert head["kind"] == "goals"
    assert [each["name"] for each in head["arrays"]] == list(sent)
    types = [each["type"] for each in head["arrays"]]
    assert types == ["float32", "uint32", "uint8", "float32"]
    for name, values in sent.items():
        assert arrays[name].shape == np.shape(values)
        np.testing.assert_array_equal(arrays[name], np.asarray(values).astype(arrays[name].dtype))


def test_bytes_stay_bytes() -> None:
    _, arrays = unpacked(bytes(told(to_page.Goals(()), a=np.array([1, 255], np.uint8))))
    assert arrays["a"].dtype == np.uint8


@pytest.mark.parametrize("length", range(9))
@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_array_starts_at_a_multiple_of_eight(length: int, count: int) -> None:
    message = to_page.Place(0.0, (0.0, 1.0, 0.0))
    note = to_page.Problem((to_page.ProblemLine("x" * length),), "")
    sent: dict[str, Any] = {f"a{i}": np.full(i + 1, True) for i in range(count)}
    sent["last"] = np.arange(3.0)
    data = bytes(told(message, **sent, **{"x" * (length + 1): np.arange(2)}))
    assert len(data) % 8 == 0
    (size,) = struct.unpack_from("<I", data)
    head = json.loads(data[4 : 4 + size])
    at = 4 + size + -(4 + size) % 8
    for each in head["arrays"]:
        assert at % 8 == 0
        item = {"uint8": 1, "uint32": 4, "float32": 4}[each["type"]]
        at += int(np.prod(each["shape"])) * item
        at += -at % 8
    assert at == len(data)
    assert isinstance(told(note), str)  # without arrays: text


def test_letters_beyond_ascii_do_not_move_the_arrays() -> None:
    lane = np.arange(5.0)
    message = to_page.Measures((), (to_page.Plot("Höhe · × 脚 🦶", "m", 0),), ())
    head, arrays = unpacked(bytes(told(message, before=lane, after=lane)))
    assert head["plots"][0]["name"] == "Höhe · × 脚 🦶"
    np.testing.assert_array_equal(arrays["after"], lane)


def test_what_is_not_a_number_is_nothing_in_json() -> None:
    nan, inf = float("nan"), float("inf")
    state = to_page.DocumentState(
        "a", "b", {"x": [nan, {"y": -inf}], "z": np.float64("nan")}, 1, inf, "", "", "no", "", "",
        (),
    )  # fmt: skip

    def refuse(word: str) -> None:
        raise AssertionError(word)

    said = json.loads(told(state), parse_constant=refuse)
    assert said["recipe"] == {"x": [None, {"y": None}], "z": None} and said["rate_hz"] is None


def test_nan_in_arrays_stays_nan() -> None:
    _, arrays = unpacked(bytes(told(to_page.Goals(()), zmp_m=np.array([[np.nan, 1, 2]]))))
    assert np.isnan(arrays["zmp_m"][0, 0]) and arrays["zmp_m"][0, 2] == 2


def test_every_kind_of_message_has_an_example_here() -> None:
    assert set(EXAMPLES) == set(KINDS)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_message_is_understood(kind: str) -> None:
    message = understood(json.dumps({"kind": kind, **EXAMPLES[kind]}))
    assert type(message) is KINDS[kind] and message.kind == kind


@pytest.mark.parametrize("kind", [kind for kind, values in EXAMPLES.items() if values])
def test_a_message_without_what_it_needs_is_refused(kind: str) -> None:
    assert kind in refusal(json.dumps({"kind": kind}))


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "{", "[]", "null", "1", '"undo"', "{}", '{"kind": null}', '{"kind": "bomb"}',
        '{"kind": ["undo"]}', '{"kind": {"a": 1}}', '{"kind": "undo"} x', "\x00", "\ufeff{}",
        '{"kind": "Undo"}', '{"kind": "open_sample", "name": 1}',
        '{"kind": "open_sample", "name": null}', '{"kind": "open_sample", "name": ["walk"]}',
        '{"kind": "begin_drag", "recipe": {}, "number": "x"}',
        '{"kind": "begin_drag", "recipe": {}, "number": 1.5}',
        '{"kind": "begin_drag", "recipe": [], "number": 1}',
        '{"kind": "edit_recipe", "recipe": "a", "label": "b"}',
        '{"kind": "edit_recipe", "recipe": {}, "label": 5}',
        '{"kind": "edit_contacts", "step": 0, "touches": [1], "label": ""}',
        '{"kind": "edit_contacts", "step": 0, "touches": {"a": 1}, "label": ""}',
        '{"kind": "edit_contacts", "step": 0, "label": "", '
        '"touches": [{"part": 1, "first": 0, "last": 1}]}',
        '{"kind": "save_file", "path": "a.bvh", "overwrite": "perhaps"}',
        '{"kind": "blend_family", "coordinate": "0.5", "number": 1}',
        '{"kind": "steer_leap", "forward": [], "turn": 0, "number": 1}',
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_in_one_line(text: str) -> None:
    assert "messages.ts" in refusal(text)


def test_very_deep_messages_are_refused() -> None:
    refusal('{"kind": "begin_drag", "number": 1, "recipe": ' + '{"a":' * 100_000)
    deep = "[" * 5_000 + "]" * 5_000
    refusal('{"kind": "begin_drag", "number": 1, "recipe": {"a": ' + deep + "}}")


def test_a_very_long_kind_is_refused_in_one_short_line() -> None:
    with pytest.raises(BadValue) as refused:
        understood(json.dumps({"kind": "x" * 100_000}))
    assert len(str(refused.value)) < 1000, "too long"


def test_very_long_values_are_refused_in_one_short_line() -> None:
    refusal(json.dumps({"kind": "open_sample", "name": ["x" * 1_000_000]}))
    refusal('{"kind": "begin_drag", "recipe": {}, "number": ' + "9" * 10_000 + "}")


def test_broken_letters_are_refused() -> None:
    refusal(b'{"kind": "open_sample", "name": "\xff\xfe"}')
    refusal('{"kind": "open_sample", "name": "\\ud800"}')


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_refused(word: str) -> None:
    refusal(f'{{"kind": "steer_leap", "forward": {word}, "turn": 0, "number": 1}}')
    refusal(f'{{"kind": "blend_family", "coordinate": [{word}], "number": 1}}')


def test_the_types_of_the_page_are_those_of_the_server() -> None:
    committed = (PROJECT / FILE).read_text(encoding="utf-8")
    assert committed == typescript(), "run python -m poise.apps.studio.typescript"
