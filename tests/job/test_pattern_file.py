"""Patterns in files: what is written is read, what is damaged is said."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise.apps.cli.pattern_text import pattern_lines
from poise.constraints import HitAt
from poise.errors import FileProblem
from poise.formats import load_clip, save_clip
from poise.job import load_pattern, save_pattern
from poise.methods import Edit
from poise.methods.pattern import EventRule, Pattern, learn, run
from poise.samples import sample_character
from tests.methods.patterned import CLUB, SEED, swing_pattern, swings

ARRAYS = ("mean_roots_m", "mean_wxyz", "mean_joints_m", "components", "variances", "coefficients")
MEMBERS = ("components", "variances", "coefficients", "mean_joints_m")


@pytest.fixture(scope="module")
def bytes_of(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("patterns") / "pattern.npz"
    save_pattern(swing_pattern(), path)
    return path.read_bytes()


@pytest.fixture
def written(bytes_of: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "pattern.npz"
    path.write_bytes(bytes_of)
    return path


def members_of(path: Path) -> dict[str, Any]:
    with np.load(path) as archive:
        return dict(archive)


def facts_of(path: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(str(members_of(path)["pattern_json"]))
    return facts


def with_facts(path: Path, facts: Any) -> None:
    """Write other facts into a pattern's file."""
    np.savez(path, **{**members_of(path), "pattern_json": np.array(json.dumps(facts))})


def assert_same(again: Pattern, pattern: Pattern) -> None:
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(again, name), getattr(pattern, name), name)
    for name in ("rate_hz", "events", "rules", "span", "used", "notes"):
        assert getattr(again, name) == getattr(pattern, name), name
    assert again.skeleton.joint_names == pattern.skeleton.joint_names
    np.testing.assert_array_equal(again.skeleton.offsets_m, pattern.skeleton.offsets_m)
    np.testing.assert_array_equal(again.skeleton.parents, pattern.skeleton.parents)
    for one, other in zip(again.examples, pattern.examples, strict=True):
        for name in ("name", "rate_hz", "frame_count", "placing", "away_deg"):
            assert getattr(one, name) == getattr(other, name), name
        np.testing.assert_array_equal(one.warp.normal, other.warp.normal)
        np.testing.assert_array_equal(one.warp.own, other.warp.own)
    for tool, held in zip(again.tools, pattern.tools, strict=True):
        for name in ("name", "on", "mass_kg", "radius_m"):
            assert getattr(tool, name) == getattr(held, name), name
        np.testing.assert_array_equal(np.asarray(tool.place_m), np.asarray(held.place_m))


def asked(pattern: Pattern) -> Edit:
    hit = HitAt("hit", "club_head", (0.07, 0.02, 0.12), 54)
    return Edit(swings()[0], sample_character(), [hit], pattern=pattern)


# What is written is read


def test_a_pattern_comes_back_bit_for_bit(written: Path) -> None:
    assert_same(load_pattern(written), swing_pattern())


def test_the_same_pattern_gives_the_same_bytes(written: Path, tmp_path: Path) -> None:
    save_pattern(load_pattern(written), tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == written.read_bytes()


def test_a_pattern_that_was_read_edits_as_the_one_that_was_learned(written: Path) -> None:
    one, other = run(asked(swing_pattern())), run(asked(load_pattern(written)))
    np.testing.assert_array_equal(one.clip.rotations_wxyz, other.clip.rotations_wxyz)
    np.testing.assert_array_equal(one.clip.root_positions_m, other.clip.root_positions_m)
    assert (one.status, one.summary, one.notes) == (other.status, other.summary, other.notes)


def test_what_is_seldom_said_comes_back_too(tmp_path: Path) -> None:
    rules = (
        EventRule("hit", "lowest", "club_head", near="fastest"),
        EventRule("top", "highest", "left_wrist", before="hit"),
    )
    heavy = replace(CLUB, mass_kg=0.4, radius_m=0.03)
    made = learn(
        swings(), sample_character(), rules=rules, span=("top", None), tools=[heavy], share=0.5,
    )  # fmt: skip
    made = replace(made, notes=("Größer als nötig.", "二"))
    save_pattern(made, tmp_path / "p.npz")
    assert_same(load_pattern(tmp_path / "p.npz"), made)
    assert 1 <= made.used < len(made.variances) and made.span == ("top", None)


@pytest.mark.parametrize("events", [None, [{"hit": 50}] * 5])
def test_patterns_without_rules_come_back(tmp_path: Path, events: Any) -> None:
    made = learn(swings(), sample_character(), events=events)
    save_pattern(made, tmp_path / "p.npz")
    again = load_pattern(tmp_path / "p.npz")
    assert_same(again, made)
    assert again.rules == () and again.tools == ()


def test_numpy_alone_is_enough(written: Path) -> None:
    members, pattern = members_of(written), swing_pattern()
    for name in MEMBERS:
        np.testing.assert_array_equal(members[name], getattr(pattern, name))
    np.testing.assert_array_equal(members["root_positions_m"], pattern.mean_roots_m)
    np.testing.assert_array_equal(members["rotations_wxyz"], pattern.mean_wxyz)
    facts = json.loads(str(members["pattern_json"]))
    assert facts["schema"] == 1 and facts["used"] == pattern.used
    # The paper's own words: a motion is the mean and coefficients times components.
    flat = members["components"].reshape(len(members["variances"]), -1)
    np.testing.assert_allclose(flat @ flat.T, np.eye(len(flat)), atol=1e-12)


def test_a_pattern_is_a_clip_of_the_mean_motion(written: Path) -> None:
    clip = load_clip(written)
    assert clip.frame_count == swing_pattern().frame_count
    np.testing.assert_array_equal(clip.root_positions_m, swing_pattern().mean_roots_m)


# What is none


def test_a_clip_is_no_pattern(tmp_path: Path) -> None:
    save_clip(swings()[0], tmp_path / "clip.npz")
    with pytest.raises(FileProblem, match="expected a pattern, found a clip") as problem:
        load_pattern(tmp_path / "clip.npz")
    assert "poise pattern learn" in str(problem.value)


def test_what_is_no_pattern_or_no_longer_one_is_said(bytes_of: bytes, tmp_path: Path) -> None:
    flipped = bytearray(bytes_of)
    flipped[len(bytes_of) // 2] ^= 0xFF
    save_clip(swings()[0], tmp_path / "clip.bvh")
    bad = {
        "cut.npz": bytes_of[: len(bytes_of) // 2], "empty.npz": b"", "flipped.npz": bytes(flipped),
        "text.npz": b"poise: 1\n", "clip.npz": (tmp_path / "clip.bvh").read_bytes(),
        "end.npz": bytes_of[:-1], "start.npz": bytes_of[1:],
    }  # fmt: skip
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    for name in (*bad, "nowhere.npz"):
        with pytest.raises(FileProblem, match=name):
            load_pattern(tmp_path / name)
    with pytest.raises(FileProblem):
        load_pattern(tmp_path)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="expected an existing folder"):
        save_pattern(swing_pattern(), tmp_path / "none" / "p.npz")


# Damaged members

EVERY_MEMBER = [
    *MEMBERS, "root_positions_m", "rotations_wxyz", "rate_hz", "joint_names", "parents",
]  # fmt: skip


@pytest.mark.parametrize("name", EVERY_MEMBER)
def test_a_missing_member_is_named(written: Path, name: str) -> None:
    members = members_of(written)
    del members[name]
    np.savez(written, **members)
    with pytest.raises(FileProblem, match=f"a member '{name}.npy'"):
        load_pattern(written)


def damaged(name: str, values: Any) -> dict[str, Any]:
    """What may have become of an array."""
    first = np.arange(values.size).reshape(values.shape) == 0
    return {
        "short": values[:-1], "long": np.concatenate([values, values]), "none": values[:0],
        "flat": values.ravel() if values.ndim > 1 else values[None], "one": np.float64(1.0),
        "one axis more": values[..., None], "not a number": np.where(first, np.nan, values),
        "infinite": np.where(first, -np.inf, values), "text": np.array("x"),
        "small": values.astype(np.float32), "whole": np.ones(values.shape, dtype=np.int64),
    }  # fmt: skip


@pytest.mark.parametrize("how", list(damaged("", np.zeros((2, 3)))))
@pytest.mark.parametrize("name", [*MEMBERS, "root_positions_m", "rotations_wxyz"])
def test_a_member_of_another_kind_is_said(written: Path, name: str, how: str) -> None:
    members = members_of(written)
    members[name] = damaged(name, members[name])[how]
    np.savez(written, **members)
    with pytest.raises(FileProblem, match=r"pattern\.npz: expected"):
        load_pattern(written)


@pytest.mark.parametrize(
    "variances", [np.zeros(4), -np.ones(4), np.array([1.0, 2.0, 3.0, 4.0]), np.array([1, 1, 1, 0])]
)
def test_variances_that_cannot_be_are_said(written: Path, variances: Any) -> None:
    np.savez(written, **{**members_of(written), "variances": variances.astype(np.float64)})
    with pytest.raises(FileProblem, match="variances must be above zero, in descending order"):
        load_pattern(written)


# Damaged facts

GONE = object()
EXAMPLE = {
    "name": "x", "rate_hz": 30.0, "frame_count": 97, "normal": [0.0, 53.0, 95.0],
    "own": [0.0, 54.0, 96.0], "away_deg": 1.0,
    "placing": {"turn_rad": 0.0, "from_m": [0, 0, 0], "to_m": [0, 0, 0]},
}  # fmt: skip
RULE = {"name": "hit", "kind": "lowest", "point": "club_head"}
TOOL = {"name": "club_head", "on": "left_wrist", "mass_kg": 0.0, "place_m": [0, 0, 1]}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, GONE) for key in ("schema", "examples", "events", "rules", "span", "tools", "used",
                                  "notes")),
        ("schema", 2), ("schema", "1"), ("schema", None), ("schema", [1]),
        ("examples", []), ("examples", 5), ("examples", [{}] * 5), ("examples", [7] * 5),
        ("examples", [EXAMPLE] * 4), ("examples", [EXAMPLE] * 6), ("examples", None),
        *(("examples", [{k: v for k, v in EXAMPLE.items() if k != key}] * 5) for key in EXAMPLE),
        *(("examples", [{**EXAMPLE, **changed}] * 5) for changed in (
            {"rate_hz": "fast"}, {"rate_hz": None}, {"frame_count": "many"},
            {"frame_count": float("inf")}, {"frame_count": [97]}, {"normal": []},
            {"normal": [0.0]}, {"normal": [0.0, 53.0, 20.0]}, {"normal": "long"},
            {"normal": [0.0, float("nan"), 95.0]}, {"own": [0.0, 96.0]}, {"own": [5, 5, 5]},
            {"own": [[0, 1], [2]]}, {"own": {"a": 1}}, {"placing": {}}, {"placing": 3},
            {"placing": {"turn_rad": 0.0, "from_m": [0, 0], "to_m": [0, 0, 0]}},
            {"placing": {"turn_rad": None, "from_m": [0, 0, 0], "to_m": [0, 0, 0]}},
            {"placing": {"turn_rad": 0.0, "from_m": "abc", "to_m": [0, 0, 0]}},
            {"away_deg": "far"}, {"away_deg": None},
        )),
        ("events", 5), ("events", [5]), ("events", [["hit"]]), ("events", [["hit", "late"]]),
        ("events", [["hit", 96]]), ("events", [["hit", -1]]), ("events", [["hit", 10**30]]),
        ("events", [["a", 53], ["b", 20]]), ("events", [["a", 53], ["b", 53]]),
        ("events", [["hit", float("nan")]]), ("events", [["hit", float("inf")]]),
        ("rules", 5), ("rules", [5]), ("rules", [{}]), ("rules", [{**RULE, "kind": "quickest"}]),
        ("rules", [{**RULE, "more": 1}]), ("rules", [{**RULE, "near": "starts"}]),
        ("rules", [{**RULE, "point": ""}]), ("rules", [{**RULE, "name": None}]),
        ("rules", {"name": "hit"}),
        ("span", None), ("span", []), ("span", ["hit"]), ("span", ["hit", None, None]),
        ("span", 5),
        ("tools", 5), ("tools", [5]), ("tools", [{}]), ("tools", [{**TOOL, "mass_kg": -1}]),
        ("tools", [{**TOOL, "mass_kg": float("nan")}]), ("tools", [{**TOOL, "name": ""}]),
        ("tools", [{**TOOL, "place_m": [0, 1]}]), ("tools", [{**TOOL, "place_m": "here"}]),
        ("tools", [{**TOOL, "place_m": [0, 0, float("inf")]}]), ("tools", [{**TOOL, "huge": 1}]),
        ("used", 0), ("used", 5), ("used", -1), ("used", "all"), ("used", None), ("used", 10**30),
        ("used", float("nan")), ("used", [2]),
        ("notes", 5), ("notes", None),
    ],
)  # fmt: skip
def test_facts_that_do_not_fit_are_said(written: Path, key: str, value: Any) -> None:
    facts = {k: v for k, v in {**facts_of(written), key: value}.items() if v is not GONE}
    with_facts(written, facts)
    with pytest.raises(FileProblem, match=r"pattern\.npz: expected"):
        load_pattern(written)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", '"pattern"', "[" * 100_000])
def test_facts_that_are_none_are_said(written: Path, text: str) -> None:
    np.savez(written, **{**members_of(written), "pattern_json": np.array(text)})
    with pytest.raises(FileProblem, match=r"pattern\.npz: expected"):
        load_pattern(written)


def test_a_newer_schema_is_said(written: Path) -> None:
    with_facts(written, {**facts_of(written), "schema": 2})
    with pytest.raises(FileProblem, match="expected a pattern of schema 1, found schema 2"):
        load_pattern(written)


# What is read as a pattern is one, whatever happened to its file

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 3, 10**9, 10**30, 1e308, -1e308, float("nan"), float("inf"),
    0.5, "", "x", "hit", "left_wrist", "1", [], [1], [1, 2], [1, 2, 3], [[1, 2]], {}, {"a": 1},
)  # fmt: skip


def places_in(facts: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands."""
    inner = facts.items() if isinstance(facts, dict) else enumerate(facts)
    for key, value in inner:
        yield (*before, key)
        if isinstance(value, dict | list):
            yield from places_in(value, (*before, key))


def changed(facts: Any, place: tuple[Any, ...], value: Any) -> Any:
    facts = copy.deepcopy(facts)
    at = facts
    for key in place[:-1]:
        at = at[key]
    if value is GONE:
        del at[place[-1]]
    else:
        at[place[-1]] = value
    return facts


def assert_said_or_a_pattern(path: Path) -> bool:
    """Whether it was said that something is wrong; otherwise it can be used."""
    try:
        pattern = load_pattern(path)
    except FileProblem as problem:
        assert path.name in str(problem) and "\n" not in str(problem)
        return True
    assert all(np.isfinite(getattr(pattern, name)).all() for name in ARRAYS)
    assert pattern_lines(pattern)
    return False


def test_any_change_of_the_facts_is_said_or_gives_a_pattern(written: Path) -> None:
    rng = np.random.default_rng(SEED)
    facts, members = facts_of(written), members_of(written)
    places = list(places_in(facts))
    said = 0
    for _ in range(400):
        value = (*VALUES, GONE)[rng.integers(len(VALUES) + 1)]
        other = changed(facts, places[rng.integers(len(places))], value)
        np.savez(written, **{**members, "pattern_json": np.array(json.dumps(other))})
        said += assert_said_or_a_pattern(written)
    assert 150 < said < 400


def test_any_change_of_the_bytes_is_said_or_gives_a_pattern(bytes_of: bytes, written: Path) -> None:
    rng = np.random.default_rng(SEED)
    ends = [0, bytes_of.find(b"components.npy"), len(bytes_of) - 1500]
    said = 0
    for i in range(400):
        data = bytearray(bytes_of)
        low = ends[i % 3]
        at = int(rng.integers(low, low + 1500) if i % 2 else rng.integers(len(data)))
        data[min(at, len(data) - 1)] ^= int(rng.integers(1, 256))
        written.write_bytes(bytes(data))
        said += assert_said_or_a_pattern(written)
    assert said > 300


@pytest.mark.parametrize("cut", [1, 4, 22, 60, 1000, 20_000])
def test_what_is_cut_anywhere_is_said(bytes_of: bytes, written: Path, cut: int) -> None:
    written.write_bytes(bytes_of[:-cut])
    assert assert_said_or_a_pattern(written)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("rules", 0, "name"), 7), (("rules", 0, "name"), [1]), (("rules", 0, "point"), 7),
        (("rules", 0, "point"), [1]), (("rules", 0, "after"), 7), (("rules", 0, "before"), {}),
        (("tools", 0, "name"), [1]), (("tools", 0, "on"), None), (("tools", 0, "on"), True),
    ],
)  # fmt: skip
def test_names_that_are_no_text_are_said(written: Path, place: tuple[Any, ...], value: Any) -> None:
    with_facts(written, changed(facts_of(written), place, value))
    with pytest.raises(FileProblem, match=r"pattern\.npz: expected"):
        load_pattern(written)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("rules", 0, "name"), "top"), (("span", 0), "top"), (("span", 1), "finish"),
    ],
)  # fmt: skip
def test_names_that_the_pattern_does_not_have_are_said(
    written: Path, place: tuple[Any, ...], value: Any
) -> None:
    with_facts(written, changed(facts_of(written), place, value))
    with pytest.raises(FileProblem, match=r"pattern\.npz: expected"):
        load_pattern(written)


@pytest.mark.parametrize("scale", [0.0, 1e300])
def test_coefficients_that_cannot_be_are_said(written: Path, scale: float) -> None:
    members = members_of(written)
    members["coefficients"] = members["coefficients"] * scale
    np.savez(written, **members)
    assert_said_or_a_pattern(written)


@pytest.mark.parametrize("scale", [0.0, 2.0])
def test_components_that_are_not_unit_are_said(written: Path, scale: float) -> None:
    members = members_of(written)
    members["components"] = members["components"] * scale
    np.savez(written, **members)
    with pytest.raises(FileProblem, match=r"pattern\.npz: expected"):
        load_pattern(written)


def test_a_rule_after_an_event_that_is_not_there_is_said(written: Path) -> None:
    with_facts(written, changed(facts_of(written), ("rules", 0, "after"), "top"))
    with pytest.raises(FileProblem, match=r"pattern\.npz: expected"):
        load_pattern(written)


def test_components_that_are_beyond_all_measure_are_said(written: Path) -> None:
    members = members_of(written)
    members["components"] = members["components"] * 1e300
    np.savez(written, **members)
    with pytest.raises(FileProblem, match=r"pattern\.npz: expected"):
        load_pattern(written)
