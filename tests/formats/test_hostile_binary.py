"""Damaged and malicious .glb, .gltf and .npz files: one clear line and bounded memory."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poise.errors import FileProblem
from poise.formats import load_clip, save_clip
from poise.motion import Clip
from tests.formats.gltf_maker import Maker, glb
from tests.formats.made_clips import rich_clip

MEGABYTE = 2**20


def refused(path: Path, *words: str, below_bytes: int = 32 * MEGABYTE) -> str:
    """The message of the one error that loading may raise."""
    tracemalloc.start()
    try:
        with pytest.raises(FileProblem) as caught:
            load_clip(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    message = str(caught.value)
    assert str(path) in message
    assert "expected" in message
    assert "\n" not in message
    assert len(message) < 1000
    assert peak < below_bytes
    for word in words:
        assert word in message
    return message


def loads_or_is_refused(path: Path) -> None:
    try:
        assert isinstance(load_clip(path), Clip)
    except FileProblem as problem:
        assert str(path) in str(problem)


# --- glTF ------------------------------------------------------------------------------------


def small() -> Maker:
    """Two joints, two keys, every kind of entry once."""
    maker = Maker()
    root = maker.node("root", translation=[0.0, 1.0, 0.0])
    child = maker.node("child", root, translation=[0.0, 0.5, 0.0])
    maker.node("child_end", child, translation=[0.0, 0.5, 0.0])
    maker.skin(root, child)
    maker.channel(root, "translation", [0.0, 1 / 30], [[0.0, 1, 0], [0, 2, 0]])
    maker.channel(child, "rotation", [0.0, 1 / 30], [[0.0, 0, 0, 1], [0, 0, 0.6, 0.8]])
    return maker


def test_the_small_file_itself_is_good(tmp_path: Path) -> None:
    assert load_clip(small().glb(tmp_path / "good.glb")).frame_count == 2


def test_a_glb_cut_anywhere_is_refused(tmp_path: Path) -> None:
    whole = small().glb_bytes()
    path = tmp_path / "cut.glb"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(FileProblem):
            load_clip(path)


def test_a_gltf_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path = small().gltf(tmp_path / "cut.gltf")
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(FileProblem):
            load_clip(path)


def headers(magic: bytes, version: int, length: int, size: int, kind: bytes) -> bytes:
    body = small().glb_bytes()[20:]
    return struct.pack("<4sII", magic, version, length) + struct.pack("<I4s", size, kind) + body


CONTAINERS = {
    "empty": (b"", "empty file"),
    "wrong magic": (headers(b"glTG", 2, 2000, 100, b"JSON"), "begins with 'glTF'"),
    "version 1": (headers(b"glTF", 1, 1000, 100, b"JSON"), "version 1"),
    "huge length": (headers(b"glTF", 2, 0xFFFFFFFF, 100, b"JSON"), "4294967295 bytes"),
    "huge chunk": (headers(b"glTF", 2, 1000, 0xFFFFFFFF, b"JSON"), "chunk of 4294967295"),
    "no JSON chunk": (headers(b"glTF", 2, 1000, 980, b"BIN\0"), "JSON chunk first"),
    "text": (b"solid cube\n" * 50, "begins with 'glTF'"),
    "not UTF-8": (glb(b'{"asset": {"version": "2.0"}, "x": "\xff"}', b""), "UTF-8"),
    "not JSON": (glb(b"{nodes: }", b""), "JSON"),
    "a list": (glb(b"[]", b""), "a JSON object"),
    "NaN": (glb(b'{"asset": {"version": NaN}}', b""), "NaN is not a JSON number"),
    "deep JSON": (glb(b"[" * 200_000, b""), "nesting too deep"),
    "long number": (glb(b'{"asset": ' + b"9" * 100_000 + b"}", b""), "JSON"),
    "no asset": (glb(b"{}", b""), "glTF version 2"),
    "old asset": (glb(b'{"asset": {"version": "1.0"}}', b""), "glTF version 2"),
    "nothing inside": (glb(b'{"asset": {"version": "2.0"}}', b""), "a skin or an animation"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_bad_container_is_refused(tmp_path: Path, name: str) -> None:
    content, words = CONTAINERS[name]
    path = tmp_path / "bad.glb"
    path.write_bytes(content)
    refused(path, words)


def put(*keys: Any) -> Callable[[dict[str, Any]], None]:
    """Set the value at a path of keys: put("nodes", 0, "scale", [1])."""
    *way, last, value = keys

    def change(root: dict[str, Any]) -> None:
        at: Any = root
        for key in way:
            at = at[key]
        at[last] = value

    return change


def drop(*keys: Any) -> Callable[[dict[str, Any]], None]:
    *way, last = keys

    def change(root: dict[str, Any]) -> None:
        at: Any = root
        for key in way:
            at = at[key]
        del at[last]

    return change


def sparse(**facts: Any) -> Callable[[dict[str, Any]], None]:
    usual = {
        "count": 1,
        "indices": {"bufferView": 0, "componentType": 5123},
        "values": {"bufferView": 0},
    }
    return put("accessors", 0, "sparse", {**usual, **facts})


SAMPLER = ("animations", 0, "samplers", 0)
CHANNEL = ("animations", 0, "channels", 0)

# Accessors: 0 translations, 1 their times, 2 rotations, 3 their times.
DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "nodes not a list": (put("nodes", 5), "list of objects as 'nodes'"),
    "node not an object": (put("nodes", 1, None), "list of objects as 'nodes'"),
    "child missing": (put("nodes", 0, "children", [99]), "indices below 3"),
    "child negative": (put("nodes", 0, "children", [-1]), "indices below 3"),
    "child not whole": (put("nodes", 0, "children", [1.0]), "indices below 3"),
    "child true": (put("nodes", 0, "children", [True]), "indices below 3"),
    "own child": (put("nodes", 2, "children", [2]), "one parent for node 2"),
    "cycle": (put("nodes", 2, "children", [0]), "their own ancestors"),
    "two parents": (put("nodes", 0, "children", [1, 2]), "one parent for node 2"),
    "short translation": (put("nodes", 0, "translation", [1, 2]), "3 numbers as 'translation'"),
    "text translation": (put("nodes", 0, "translation", ["1", 2, 3]), "3 numbers"),
    "huge translation": (put("nodes", 0, "translation", [1e300, 0, 0]), "numbers up to"),
    "endless translation": (put("nodes", 0, "translation", [10**400, 0, 0]), "numbers up to"),
    "zero rotation": (put("nodes", 0, "rotation", [0, 0, 0, 0]), "unit quaternion"),
    "flat matrix": (put("nodes", 0, "matrix", [0.0] * 16), "flattens"),
    "sheared matrix": (
        put("nodes", 0, "matrix", [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
        "a shear",
    ),
    "bad kind": (put("nodes", 0, "extras", {"poise": {"kind": "rubber"}}), "ball, hinge, fixed"),
    "bad limits": (put("nodes", 0, "extras", {"poise": {"limits_rad": [[1]]}}), "three pairs"),
    "skin of nothing": (put("skins", 0, "joints", [7]), "indices below 3"),
    "channel without target": (drop(*CHANNEL, "target"), "'target'"),
    "channel of nothing": (put(*CHANNEL, "target", "node", 9), "index below 3"),
    "no sampler": (put(*CHANNEL, "sampler", 9), "index below 2"),
    "no times": (drop(*SAMPLER, "input"), "'input'"),
    "same target twice": (
        put("animations", 0, "channels", 1, "target", {"node": 0, "path": "translation"}),
        "one channel",
    ),
    "unknown interpolation": (put(*SAMPLER, "interpolation", "MAGIC"), "CUBICSPLINE"),
    "listed interpolation": (put(*SAMPLER, "interpolation", ["LINEAR"]), "CUBICSPLINE"),
    "cubic with too few": (
        put(*SAMPLER, "interpolation", "CUBICSPLINE"),
        "6 values for the 2 keys",
    ),
    "wrong type": (put("accessors", 0, "type", "VEC4"), "of type VEC3"),
    "listed type": (put("accessors", 0, "type", ["VEC3"]), "of type VEC3"),
    "unknown component": (put("accessors", 0, "componentType", 5130), "componentType"),
    "text component": (put("accessors", 0, "componentType", "5126"), "componentType"),
    "whole times": (put("accessors", 1, "componentType", 5120), "floats in accessor 1 (key times"),
    "whole translations": (put("accessors", 0, "componentType", 5120), "floats in accessor 0"),
    "huge count": (put("accessors", 0, "count", 10**12), "as the file holds"),
    "endless count": (put("accessors", 0, "count", 10**400), "as the file holds"),
    "negative count": (put("accessors", 0, "count", -1), "a size as 'count'"),
    "count beyond view": (put("accessors", 0, "count", 3), "inside bufferView"),
    "no keys": (put("accessors", 1, "count", 0), "key times for"),
    "offset beyond view": (put("accessors", 0, "byteOffset", 10**9), "inside bufferView"),
    "negative offset": (put("accessors", 0, "byteOffset", -4), "a size as 'byteOffset'"),
    "view beyond buffer": (put("bufferViews", 0, "byteLength", 10**12), "inside its buffer"),
    "view starts beyond": (put("bufferViews", 0, "byteOffset", 10**12), "inside its buffer"),
    "view of no buffer": (put("bufferViews", 0, "buffer", 3), "index below 1"),
    "no such view": (put("accessors", 0, "bufferView", 77), "an index below"),
    "small stride": (put("bufferViews", 0, "byteStride", 1), "byteStride of at least 12"),
    "huge stride": (put("bufferViews", 0, "byteStride", 10**12), "inside bufferView"),
    "zeros without view": (drop("accessors", 2, "bufferView"), "unit quaternions"),
    "sparse too many": (sparse(count=10**9), "at most 2"),
    "sparse without values": (sparse(values=None), "indices and values"),
    "sparse signed": (sparse(indices={"bufferView": 0, "componentType": 5122}), "unsigned"),
    "sparse out of range": (
        sparse(indices={"bufferView": 0, "componentType": 5121, "byteOffset": 7}),
        "indices below 2",
    ),
    "buffer too long": (put("buffers", 0, "byteLength", 10**12), "1000000000000 bytes in buffer 0"),
    "buffer without length": (drop("buffers", 0, "byteLength"), "'byteLength'"),
    "buffer not base64": (put("buffers", 0, "uri", "data:;base64,@@@@"), "base64"),
    "buffer not data": (put("buffers", 0, "uri", "data:text/plain,hello"), "base64"),
    "buffer with long name": (put("buffers", 0, "uri", "x" * 5000), "a file"),
    "buffer with odd name": (put("buffers", 0, "uri", "a%00b"), "a file"),
    "buffer name not text": (put("buffers", 0, "uri", 7), "text as 'uri'"),
    "compressed": (put("extensionsRequired", ["EXT_meshopt_compression"]), "meshopt"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_document_is_refused(tmp_path: Path, name: str) -> None:
    change, words = DAMAGE[name]
    path = small().gltf(tmp_path / "bad.gltf")
    root = json.loads(path.read_text(encoding="utf-8"))
    change(root)
    path.write_text(json.dumps(root), encoding="utf-8")
    refused(path, words)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 3e38])
@pytest.mark.parametrize("accessor", [0, 1, 2, 3])
def test_numbers_that_are_none_are_refused(tmp_path: Path, accessor: int, bad: float) -> None:
    maker = small()
    start = maker.root["bufferViews"][accessor]["byteOffset"]
    maker.data[start + 4 : start + 8] = struct.pack("<f", bad)
    refused(maker.glb(tmp_path / "nan.glb"), f"accessor {accessor}")


def test_key_times_must_ascend_and_not_last_for_ever(tmp_path: Path) -> None:
    back = "rising key times in channel 2 of animation '0', found key 2 at 0.5 s after key 1 at 1 s"
    for times, words in (
        ([0.0, 1.0, 0.5], back),
        ([0.0, 0.001, 9e8], "key times that span"),
    ):
        maker = small()
        maker.channel(0, "rotation", times, np.tile([0.0, 0, 0, 1], (len(times), 1)))
        refused(maker.glb(tmp_path / "times.glb"), words)


def test_many_frames_of_many_joints_are_refused_before_they_are_made(tmp_path: Path) -> None:
    maker = Maker()
    joints = [maker.node("root")]
    joints += [maker.node(f"n{i}", joints[0], translation=[0.0, 1, 0]) for i in range(1000)]
    maker.skin(*joints)
    maker.channel(0, "translation", [0.0, 0.01, 100.0], np.zeros((3, 3)))
    refused(maker.glb(tmp_path / "wide.glb"), "frames of 1001 joints")


def test_a_chain_ten_thousand_deep_is_refused(tmp_path: Path) -> None:
    maker = Maker()
    node = maker.node("n")
    for _ in range(10_000):
        node = maker.node(None, node, translation=[0.0, 1.0, 0.0])
    maker.skin(*range(10_000))
    refused(maker.glb(tmp_path / "deep.glb"), "1000 deep")


def test_scales_that_overflow_are_refused(tmp_path: Path) -> None:
    maker = Maker()
    node = maker.node("n", scale=[1e9] * 3)
    for _ in range(60):
        node = maker.node(None, node, translation=[0.0, 1.0, 0.0], scale=[1e9] * 3)
    maker.skin(*range(60))
    refused(maker.glb(tmp_path / "grown.glb"))


def test_joints_in_two_trees_are_refused(tmp_path: Path) -> None:
    maker = Maker()
    maker.skin(maker.node("a"), maker.node("b"))
    refused(maker.glb(tmp_path / "two.glb"), "one tree of joints")


def test_a_directory_or_a_missing_file_is_refused(tmp_path: Path) -> None:
    for suffix in (".glb", ".gltf", ".npz"):
        (tmp_path / f"folder{suffix}").mkdir()
        refused(tmp_path / f"folder{suffix}", "directory")
        refused(tmp_path / f"missing{suffix}")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_flipped_bytes_load_or_are_refused(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(small().glb_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    path = tmp_path / "flipped.glb"
    path.write_bytes(content)
    loads_or_is_refused(path)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def places_in(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [way] if way else []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        here = (*way, key)
        found += places_in(inner, here) if isinstance(inner, dict | list) else [here]
    return found


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data(), JSON_VALUES)
def test_any_value_anywhere_loads_or_is_refused(
    tmp_path: Path, data: st.DataObject, value: Any
) -> None:
    path = small().gltf(tmp_path / "changed.gltf")
    root = json.loads(path.read_text(encoding="utf-8"))
    put(*data.draw(st.sampled_from(places_in(root))), value)(root)
    path.write_text(json.dumps(root), encoding="utf-8")
    loads_or_is_refused(path)


# --- npz -------------------------------------------------------------------------------------


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "clip.npz"
    save_clip(rich_clip(frames=3), path)
    return path


def test_an_npz_cut_anywhere_is_refused(good: Path) -> None:
    whole = good.read_bytes()
    for length in [
        *range(0, 400),
        *range(400, len(whole), 61),
        *range(len(whole) - 200, len(whole)),
    ]:
        good.write_bytes(whole[:length])
        with pytest.raises(FileProblem):
            load_clip(good)


def rewritten(path: Path, changes: dict[str, Any], *, drop: str = "") -> Path:
    """The archive with members replaced: arrays, or raw bytes."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members.pop(f"{drop}.npy", None)
    for name, value in changes.items():
        if not isinstance(value, bytes):
            stream = io.BytesIO()
            np.lib.format.write_array(stream, np.asarray(value), allow_pickle=True)
            value = stream.getvalue()
        members[f"{name}.npy"] = value
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def header(shape: str, descr: str = "'<f8'") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(10 + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def meta(**changes: Any) -> str:
    source = {
        "format": "x", "path": "x", "sha256": "", "up": "y", "up_reason": "", "layout": None,
        "notes": [], "unit": {"name": "m", "metres": 1.0, "reason": ""},
    }  # fmt: skip
    source.update(changes.pop("source", {}))
    return json.dumps({"name": "x", "history": [], "provenance": {}, "source": source, **changes})


def unit(metres: float) -> dict[str, Any]:
    return {"unit": {"name": "m", "metres": metres, "reason": ""}}


def test_a_recompressed_archive_is_fine(good: Path) -> None:
    assert load_clip(rewritten(good, {"meta_json": meta()})).frame_count == 3


NPZ_DAMAGE: dict[str, tuple[str, Any, str]] = {
    "future schema": ("schema", np.int64(2), "schema 1"),
    "schema as list": ("schema", np.array([1, 1]), "schema 1"),
    "object array": ("offsets_m", np.array([None, {}], dtype=object), "real numbers"),
    "float32": ("offsets_m", np.zeros((6, 3), np.float32), "type float32"),
    "complex": ("rate_hz", np.complex128(3), "real numbers"),
    "records": ("parents", np.zeros(6, [("a", "<i8")]), "whole numbers"),
    "wrong shape": ("offsets_m", np.zeros((5, 3)), "(6, 3)"),
    "wrong frames": ("root_positions_m", np.zeros((4, 3)), "(3, 3)"),
    "no frames": ("rotations_wxyz", np.zeros((0, 6, 4)), "at least 1 frame"),
    "NaN": ("root_positions_m", np.full((3, 3), np.nan), "finite"),
    "rest beyond numbers": ("rest_wxyz", np.full((6, 4), 1e300), "rest_wxyz"),
    "endless rate": ("rate_hz", np.float64(1e300), "at most 1e+09 in rate_hz"),
    "not unit": ("rotations_wxyz", np.ones((3, 6, 4)), "unit quaternion"),
    "bad parents": ("parents", np.array([-1, 5, 0, 1, 2, 1]), "earlier joints"),
    "zero rate": ("rate_hz", np.float64(0), "rate_hz"),
    "rate as list": ("rate_hz", np.zeros(2), "expected"),
    "names as grid": ("joint_names", np.zeros((2, 3), "<U1"), "joint_names"),
    "same names": ("joint_names", np.array(["a"] * 6), "unique"),
    "bad kinds": ("kinds", np.array(["rubber"] * 6), "ball, hinge, fixed"),
    "site of nothing": ("end_site_joints", np.array([3, 3, 44]), "site joints"),
    "moving root": ("moving_joints", np.array([0, 1]), "other than the root"),
    "not an array": ("offsets_m", b"hello", "NumPy array"),
    "bad header": ("offsets_m", header("(6, 3"), "NumPy array"),
    "code as header": ("offsets_m", header("__import__('os').getcwd()"), "NumPy array"),
    "huge shape": ("offsets_m", header("(1000000000, 3)"), "fits its data"),
    "endless shape": ("offsets_m", header(f"({10**30}, 3)"), "fits its data"),
    "negative shape": ("offsets_m", header("(-6, -3)") + bytes(144), "fits its data"),
    "empty but endless": ("offsets_m", header(f"(0, {2**62}, 8)"), "expected"),
    "meta not JSON": ("meta_json", np.array("{"), "JSON text"),
    "meta a list": ("meta_json", np.array("[]"), "JSON object"),
    "meta too deep": ("meta_json", np.array("[" * 100_000), "JSON text"),
    "meta empty": ("meta_json", np.array("{}"), "meta_json"),
    "meta no text": ("meta_json", np.array(meta(name=3)), "text"),
    "history a number": ("meta_json", np.array(meta(history=3)), "meta_json"),
    "unit endless": ("meta_json", np.array(meta(source=unit(10**400))), "meta_json"),
    "unit zero": ("meta_json", np.array(meta(source=unit(0))), "a unit of 0"),
    "up sideways": ("meta_json", np.array(meta(source={"up": "x"})), "'x' up"),
    "layout of nothing": ("meta_json", np.array(meta(source={"layout": {}})), "layout"),
    "layout of wrong kind": (
        "meta_json", np.array(meta(source={"format": "bvh", "layout": {"joints": 3}})), "layout"
    ),
    "beyond Unicode": ("joint_names", header("(6,)", "'<U1'") + b"\xff" * 24, "expected"),
    "channels too few": ("source_channels", np.zeros((2, 9)), "source_channels"),
}  # fmt: skip


@pytest.mark.parametrize("name", NPZ_DAMAGE)
def test_a_damaged_archive_is_refused(good: Path, name: str) -> None:
    member, value, words = NPZ_DAMAGE[name]
    refused(rewritten(good, {member: value}), words)


def test_a_missing_member_is_named(good: Path) -> None:
    refused(rewritten(good, {}, drop="parents"), "'parents.npy'")


def test_a_bomb_is_refused_before_it_unfolds(good: Path) -> None:
    refused(rewritten(good, {"offsets_m": header("(20000000,)") + bytes(160_000_000)}), "declared",
            below_bytes=8 * MEGABYTE)  # fmt: skip


def test_a_member_that_lies_about_its_size_is_refused(good: Path) -> None:
    rewritten(good, {"offsets_m": header("(1000000,)") + bytes(8_000_000)})
    content = bytearray(good.read_bytes())
    with zipfile.ZipFile(good) as archive:
        true_size = archive.getinfo("offsets_m.npy").file_size
    # Both the directory and the local header say a small number; the data unfolds to megabytes.
    lie = struct.pack("<I", 1000)
    content = bytearray(bytes(content).replace(struct.pack("<I", true_size), lie))
    good.write_bytes(content)
    refused(good, below_bytes=8 * MEGABYTE)


def test_encrypted_or_strange_members_are_refused(good: Path) -> None:
    content = bytearray(good.read_bytes())
    at = content.index(b"PK\x01\x02")
    content[at + 8] |= 1
    good.write_bytes(content)
    refused(good, "stored or deflated")
    content[at + 8] &= 0xFE
    content[at + 10] = 14  # LZMA
    good.write_bytes(content)
    refused(good, "stored or deflated")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_flipped_bytes_in_an_archive_load_or_are_refused(good: Path, data: st.DataObject) -> None:
    whole = good.read_bytes()
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    flipped = good.with_name("flipped.npz")
    flipped.write_bytes(content)
    loads_or_is_refused(flipped)
