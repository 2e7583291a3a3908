"""A body in a file: there again to the bit, and refused in one line where it is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise.arrays import Json
from poise.character import Character
from poise.errors import FileProblem
from poise.formats import load_clip, save_clip
from poise.formats.body_record import as_json, character_of, from_json, record_of
from tests.formats.made_clips import rich_clip, with_body
from tests.formats.test_hostile_binary import rewritten


def assert_same(found: Character | None, wanted: Character | None) -> None:
    assert found is not None and wanted is not None
    assert found.body is not None and wanted.body is not None
    for name in ("masses_kg", "centers_m", "inertias_kg_m2"):
        np.testing.assert_array_equal(getattr(found.body, name), getattr(wanted.body, name))
    np.testing.assert_array_equal(found.torque_limits_nm, wanted.torque_limits_nm)
    np.testing.assert_array_equal(found.speed_limits_rad_s, wanted.speed_limits_rad_s)
    np.testing.assert_array_equal(found.sites.joints, wanted.sites.joints)
    np.testing.assert_array_equal(found.sites.offsets_m, wanted.sites.offsets_m)
    assert (found.name, found.sites.names, found.notes) == (
        wanted.name, wanted.sites.names, wanted.notes,
    )  # fmt: skip
    assert dict(found.known_roles.joints) == dict(wanted.known_roles.joints)
    np.testing.assert_array_equal(found.known_roles.forward, wanted.known_roles.forward)


@pytest.mark.parametrize("suffix", [".npz", ".glb", ".gltf"])
def test_a_body_survives(suffix: str, tmp_path: Path) -> None:
    clip = with_body(rich_clip(3))
    save_clip(clip, tmp_path / f"a{suffix}")
    again = load_clip(tmp_path / f"a{suffix}")
    assert_same(again.body, clip.body)
    if suffix == ".npz":
        np.testing.assert_array_equal(again.skeleton.standing_wxyz, clip.skeleton.standing_wxyz)
    save_clip(again, tmp_path / f"b{suffix}")
    assert_same(load_clip(tmp_path / f"b{suffix}").body, clip.body)


def test_joints_in_another_order_are_found_by_name() -> None:
    body = with_body(rich_clip(3)).body
    assert body is not None
    value = as_json(body)
    assert isinstance(value, dict)
    order = [3, 0, 5, 1, 4, 2]
    for name in ("joint_names", "masses_kg", "centers_m", "inertias_kg_m2", "torque_limits_nm",
                 "speed_limits_rad_s"):  # fmt: skip
        rows = value[name]
        assert isinstance(rows, list)
        value[name] = [rows[i] for i in order]
    again = character_of(from_json(value, body.skeleton.joint_names), body.skeleton)
    assert_same(again, body)


DAMAGE: dict[str, tuple[str, Any, str]] = {
    "masses of others": ("body_masses_kg", np.ones(5), "masses_kg"),
    "a mass below nothing": ("body_masses_kg", -np.ones(6), "zero or more"),
    "no mass at all": ("body_masses_kg", np.zeros(6), "more than zero"),
    "a mass that is no number": ("body_masses_kg", np.full(6, np.nan), "at most"),
    "a mass without end": ("body_masses_kg", np.full(6, 1e300), "at most"),
    "centres in the plane": ("body_centers_m", np.zeros((6, 2)), "centers_m"),
    "a lopsided inertia": ("body_inertias_kg_m2", np.arange(54.0).reshape(6, 3, 3), "symmetric"),
    "a negative moment": ("body_inertias_kg_m2", np.tile(-np.eye(3), (6, 1, 1)), "moment"),
    "a torque below nothing": ("body_torque_limits_nm", np.full((6, 3), -1.0), "zero or more"),
    "a torque that is no number": ("body_torque_limits_nm", np.full((6, 3), np.nan), "at most"),
    "speeds as whole numbers": ("body_speed_limits_rad_s", np.ones(6, np.int64), "real numbers"),
    "a site on nothing": ("body_site_joints", np.array(["hips", "tail"]), "tail"),
    "two sites of a name": ("body_site_names", np.array(["a", "a"]), "unique"),
    "more sites than places": ("body_site_names", np.array(["a", "b", "c"]), "site"),
    "a role of nobody": ("body_role_names", np.array(["wing"]), "wing"),
    "a role without a joint": ("body_role_joints", np.array(["tail"]), "tail"),
    "roles without joints": ("body_role_joints", np.zeros(0, "U1"), "one for each role"),
    "forward nowhere": ("body_forward", np.zeros(3), "unit"),
    "names as numbers": ("body_name", np.zeros(1), "text"),
    "a name in a table": ("body_name", np.array([["a"]]), "body name"),
    "a note of a book": ("body_notes", np.array(["x" * 3000]), "letters"),
    "a standing pose of others": ("standing_wxyz", np.ones((5, 4)), "standing_wxyz"),
    "a standing pose of nothing": ("standing_wxyz", np.full((6, 4), np.nan), "standing_wxyz"),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_what_is_no_body_is_refused(case: str, tmp_path: Path) -> None:
    member, value, said = DAMAGE[case]
    path = tmp_path / "clip.npz"
    save_clip(with_body(rich_clip(3)), path)
    with pytest.raises(FileProblem) as caught:
        load_clip(rewritten(path, {member: value}))
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_half_a_body_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "clip.npz"
    save_clip(with_body(rich_clip(3)), path)
    with pytest.raises(FileProblem, match="body_centers_m"):
        load_clip(rewritten(path, {}, drop="body_centers_m"))


def _deep(value: dict[str, Json]) -> None:
    value["masses_kg"] = [[[[1.0]]]] * 6


def _ragged(value: dict[str, Json]) -> None:
    value["centers_m"] = [[0.0, 0.0, 0.0]] * 5 + [[0.0]]


def _words(value: dict[str, Json]) -> None:
    value["masses_kg"] = ["heavy"] * 6


def _switches(value: dict[str, Json]) -> None:
    value["masses_kg"] = [True] * 6


def _huge(value: dict[str, Json]) -> None:
    value["masses_kg"] = [10**400] * 6


def _nothing(value: dict[str, Json]) -> None:
    value["masses_kg"] = [None] * 6


def _numbers(value: dict[str, Json]) -> None:
    value["site_names"] = [1, 2]


def _lacking(value: dict[str, Json]) -> None:
    del value["inertias_kg_m2"]


def _twice(value: dict[str, Json]) -> None:
    names = value["joint_names"]
    assert isinstance(names, list)
    value["joint_names"] = [*names, names[0]]


@pytest.mark.parametrize(
    "change",
    [_deep, _ragged, _words, _switches, _huge, _nothing, _numbers, _lacking, _twice],
    ids=lambda change: change.__name__,
)
def test_what_is_no_body_in_gltf_is_refused(
    change: Callable[[dict[str, Json]], None], tmp_path: Path
) -> None:
    path = tmp_path / "clip.gltf"
    save_clip(with_body(rich_clip(3)), path)
    document = json.loads(path.read_text())
    change(document["asset"]["extras"]["poise"]["body"])
    path.write_text(json.dumps(document))
    with pytest.raises(FileProblem, match="body"):
        load_clip(path)


def test_a_body_of_other_joints_is_left_with_a_word(tmp_path: Path) -> None:
    path = tmp_path / "clip.gltf"
    save_clip(with_body(rich_clip(3)), path)
    document = json.loads(path.read_text())
    document["nodes"][1]["name"] = "renamed"
    path.write_text(json.dumps(document))
    clip = load_clip(path)
    assert clip.body is None and clip.source is not None
    assert any("body of other joints" in note for note in clip.source.notes)


def test_a_record_is_plain_arrays() -> None:
    body = with_body(rich_clip(3)).body
    assert body is not None
    assert all(values.dtype.kind in "fU" for values in record_of(body).values())
