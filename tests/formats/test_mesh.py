"""Mesh files: OBJ, STL in both forms and glTF, good, odd and hostile."""

from __future__ import annotations

import struct
import tracemalloc
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poise.errors import FileProblem
from poise.formats import gltf_mesh
from poise.formats.mesh import MAX_OBJECTS, TriangleMesh, read_mesh
from tests.formats.gltf_maker import Maker, matrix

MEGABYTE = 2**20
CUBE = np.array(list(product((0.0, 1.0), repeat=3)))
QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
"""Outward, by corner number in `CUBE`."""
TRIANGLES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def volume(mesh: TriangleMesh) -> float:
    a, b, c = (mesh.vertices[mesh.triangles[:, i]] for i in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


def corners(mesh: TriangleMesh) -> set[tuple[float, ...]]:
    return set(map(tuple, mesh.vertices.tolist()))


CUBE_CORNERS = set(map(tuple, CUBE.tolist()))


def obj_text(line: str = "\n") -> str:
    vertices = [f"v {x} {y} {z}" for x, y, z in CUBE]
    faces = ["f " + " ".join(str(i + 1) for i in quad) for quad in QUADS]
    return line.join([*vertices, *faces, ""])


def stl_text(shift: float = 0.0, name: str = "cube") -> str:
    lines = [f"solid {name}"]
    for triangle in TRIANGLES:
        lines += ["facet normal 0 0 0", "  outer loop"]
        lines += [f"    vertex {x + shift} {y} {z}" for x, y, z in CUBE[triangle]]
        lines += ["  endloop", "endfacet"]
    return "\n".join([*lines, f"endsolid {name}", ""])


def stl_bytes(corners: np.ndarray = CUBE[TRIANGLES], count: int | None = None) -> bytes:
    head = b"solid says this header, yet it is binary".ljust(80)
    body = b"".join(
        struct.pack("<12fH", 0, 0, 0, *np.asarray(triangle).reshape(-1), 0) for triangle in corners
    )
    return head + struct.pack("<I", len(corners) if count is None else count) + body


def gltf_cube(**node: Any) -> Maker:
    maker = Maker()
    places = maker.accessor(CUBE)
    indices = maker.accessor(TRIANGLES.reshape(-1), "<u2")
    maker.root["meshes"] = [
        {"primitives": [{"attributes": {"POSITION": places}, "indices": indices}]}
    ]
    maker.node("cube", mesh=0, **node)
    return maker


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def is_cube(mesh: TriangleMesh) -> bool:
    return (
        corners(mesh) == CUBE_CORNERS
        and mesh.triangles.shape == (12, 3)
        and abs(volume(mesh) - 1.0) < 1e-6
    )


# --- OBJ -------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ("\n", "\r\n", "\r"))
def test_obj_polygons_become_triangles(tmp_path: Path, line: str) -> None:
    found = read_mesh(put(tmp_path / "box.obj", "# a cube" + line + obj_text(line)))
    assert [mesh.name for mesh in found.meshes] == ["box"]
    assert is_cube(found.meshes[0])
    assert found.unit is None
    assert found.up == "y"


@pytest.mark.parametrize("form", ("{0}", "{0}/{0}", "{0}//{0}", "{0}/{0}/{0}"))
@pytest.mark.parametrize("backward", (False, True))
def test_obj_every_form_of_index(tmp_path: Path, form: str, backward: bool) -> None:
    lines = [f"v {x} {y} {z} 1.0" for x, y, z in CUBE] + ["vt 0 0", "vn 0 0 1", "s off"]
    for quad in QUADS:
        numbers = [i - 8 if backward else i + 1 for i in quad]
        lines.append("f " + " ".join(form.format(n) for n in numbers))
    assert is_cube(read_mesh(put(tmp_path / "box.obj", "\n".join(lines))).meshes[0])


def test_obj_objects_groups_continued_lines_and_comments(tmp_path: Path) -> None:
    text = (
        "mtllib wood.mtl\no seat of chair\ng left\nv 0 0 0\nv 1 0 \\\n 0\nv 0 1 0 # corner\n"
        "f 1 2 3\no leg\ng right\nv 0 0 5\nusemtl oak\nf 1 2\\\n -1\no seat of chair\nf 3 2 1\n"
    )
    seat, leg = read_mesh(put(tmp_path / "chair.obj", text)).meshes
    assert (seat.name, len(seat.triangles)) == ("seat of chair", 2)
    assert (leg.name, len(leg.triangles)) == ("leg", 1)
    assert corners(leg) == {(0, 0, 0), (1, 0, 0), (0, 0, 5)}
    groups = text.replace("o seat of chair\n", "").replace("o leg\n", "")
    found = read_mesh(put(tmp_path / "groups.obj", groups))
    assert [mesh.name for mesh in found.meshes] == ["left", "right"]


def test_obj_curves_are_named_in_a_note(tmp_path: Path) -> None:
    found = read_mesh(put(tmp_path / "a.obj", obj_text() + "cstype bezier\ncurv 0 1 1 2\n"))
    assert any("curv" in note for note in found.notes)


BAD_OBJ = {
    "empty": ("", "an empty file"),
    "binary": (b"\x00\x01\x02" * 500, "zero byte"),
    "not UTF-8": (b"v 0 0 \xff\n", "UTF-8"),
    "other text": ("solid cube\nfacet\n", "an OBJ file"),
    "no faces": ("v 0 0 0\nv 1 0 0\n", "at least one triangle"),
    "NaN": ("v 0 0 0\nv 1 nan 0\n", ":2: expected a finite number in 'v', found 'nan'"),
    "infinite": ("v 0 0 inf\n", ":1:"),
    "absurd": ("v 0 0 1e300\n", ":1:"),
    "two coordinates": ("v 0 0\n", "three coordinates"),
    "a word": ("v 0 0 zero\n", "'zero'"),
    "index 0": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", ":4: expected a vertex number from 1 to 3"),
    "index beyond": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "'4'"),
    "index far back": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "'-4'"),
    "huge index": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", ":4:"),
    "fraction": ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 2.5\n", "'2.5'"),
    "two corners": ("v 0 0 0\nv 1 0 0\nf 1 2\n", "three corners"),
    "a long line": ("v 0 0 0\nf " + "1 " * 50_000, "lines of at most"),
    "cut at a backslash": ("v 0 0 0\nv 1 0 0\nf 1 2 \\", "three corners"),
}


@pytest.mark.parametrize("case", BAD_OBJ)
def test_bad_obj_is_refused(tmp_path: Path, case: str) -> None:
    content, words = BAD_OBJ[case]
    refused(put(tmp_path / "bad.obj", content), words)


# --- STL -------------------------------------------------------------------------------------


def test_stl_text(tmp_path: Path) -> None:
    found = read_mesh(put(tmp_path / "part.stl", stl_text()))
    assert [mesh.name for mesh in found.meshes] == ["cube"]
    assert is_cube(found.meshes[0])
    assert found.unit is None
    assert (found.up, found.up_reason[:7]) == ("z", "assumed")


def test_stl_text_with_several_solids_in_capitals(tmp_path: Path) -> None:
    text = stl_text() + stl_text(3.0, "second one").upper()
    first, second = read_mesh(put(tmp_path / "two.stl", text.replace("\n", "\r\n"))).meshes
    assert (first.name, second.name) == ("cube", "SECOND ONE")
    assert second.vertices[:, 0].min() == 3.0


def test_stl_binary_whose_header_says_solid(tmp_path: Path) -> None:
    found = read_mesh(put(tmp_path / "box.stl", stl_bytes()))
    assert [mesh.name for mesh in found.meshes] == ["box"]
    assert is_cube(found.meshes[0])
    assert not found.notes


def test_stl_binary_with_bytes_after_the_end(tmp_path: Path) -> None:
    data = b"\0" * 80 + stl_bytes()[80:] + b"more"
    found = read_mesh(put(tmp_path / "box.stl", data))
    assert is_cube(found.meshes[0])
    assert "4 bytes" in found.notes[0]


TWISTED = CUBE[TRIANGLES].copy()
TWISTED[7, 1, 2] = np.nan
BAD_STL = {
    "empty": (b"", "an empty file"),
    "short": (b"\x01" * 40, "84 bytes"),
    "cut": (b"\0" * 80 + stl_bytes()[80:-60], "cut off"),
    "huge count": (b"\0" * 80 + b"\xff\xff\xff\xff" + b"\0" * 500, "4294967295 triangles"),
    "no triangles": (b"\0" * 80 + b"\0\0\0\0", "at least one triangle"),
    "NaN": (stl_bytes(TWISTED), "others in triangle 8"),
    "garbage": (bytes(range(1, 256)) * 40, "triangles"),
    "text cut": (stl_text()[:300], "expected"),
    "text without end": (stl_text().replace("endsolid cube", ""), "'facet' or 'endsolid'"),
    "text with NaN": (stl_text().replace("vertex 1.0", "vertex nan", 1), "finite number"),
    "text two coordinates": (stl_text().replace("vertex 1.0 1.0", "vertex 1.0", 1), "three coord"),
    "text four corners": (
        stl_text().replace("  endloop", "  vertex 0 0 0\n  endloop", 1), ":7: expected 'endloop'",
    ),
    "solid and nothing": ("solid\n", "'facet' or 'endsolid'"),
    "solid and other text": ("solid a\nendsolid\nv 1 2 3\n", ":3: expected 'solid'"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_STL)
def test_bad_stl_is_refused(tmp_path: Path, case: str) -> None:
    content, words = BAD_STL[case]
    refused(put(tmp_path / "bad.stl", content), words)


def test_a_binary_stl_cut_anywhere_is_refused(tmp_path: Path) -> None:
    whole = b"\0" * 80 + stl_bytes()[80:]
    for length in range(0, len(whole), 11):
        with pytest.raises(FileProblem):
            read_mesh(put(tmp_path / "cut.stl", whole[:length]))


SIGNALLING_NAN = bytes.fromhex("0000a07f")


@pytest.mark.parametrize("kind", ["stl", "glb"])
def test_a_signalling_nan_is_refused_as_any_other(tmp_path: Path, kind: str) -> None:
    marked = CUBE.copy()
    marked[0, 0] = 1234.5
    if kind == "stl":
        whole = b"\0" * 80 + stl_bytes(marked[TRIANGLES])[80:]
    else:
        whole = gltf_cube().glb(tmp_path / "whole.glb").read_bytes()
    number = struct.pack("<f", 1234.5 if kind == "stl" else float(CUBE.max()))
    assert number in whole
    with pytest.raises(FileProblem):
        read_mesh(put(tmp_path / f"bad.{kind}", whole.replace(number, SIGNALLING_NAN, 1)))


# --- glTF ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ("glb", "gltf"))
def test_gltf_meshes_stand_where_nodes_put_them(tmp_path: Path, form: str) -> None:
    maker = gltf_cube(translation=[1.0, 2.0, 3.0], scale=[2.0, 1.0, -1.0])
    turn = [0.0, np.sin(0.3), 0.0, np.cos(0.3)]
    maker.node("room", rotation=turn, translation=[0.0, 5.0, 0.0], children=[0])
    found = read_mesh(getattr(maker, form)(tmp_path / f"place.{form}"))
    (mesh,) = found.meshes
    assert mesh.name == "cube"
    world = matrix([0, 5, 0], turn, [1, 1, 1]) @ matrix([1, 2, 3], [0, 0, 0, 1], [2, 1, -1])
    wanted = CUBE @ world[:3, :3].T + world[:3, 3]
    order = np.lexsort(np.round(mesh.vertices, 6).T)
    again = np.lexsort(np.round(wanted, 6).T)
    np.testing.assert_allclose(mesh.vertices[order], wanted[again], atol=1e-6)
    assert volume(mesh) == pytest.approx(2.0, rel=1e-6)  # outward although mirrored
    assert found.unit is not None
    assert (found.unit.metres, found.up) == (1.0, "y")


def test_gltf_strips_fans_and_plain_lists(tmp_path: Path) -> None:
    square = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    around = [[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    maker = Maker()
    strip, fan = maker.accessor(square), maker.accessor(around)
    plain = maker.accessor([*square[:3], square[2], square[1], square[3]])
    maker.root["meshes"] = [
        {"primitives": [{"attributes": {"POSITION": a}, "mode": mode}]}
        for a, mode in ((strip, 5), (fan, 6), (plain, 4), (plain, 1))
    ]
    for mesh in range(4):
        maker.node(f"m{mesh}", mesh=mesh)
    found = read_mesh(maker.glb(tmp_path / "all.glb"))
    assert [m.name for m in found.meshes] == ["m0", "m1", "m2"]
    for mesh in found.meshes:
        a, b, c = (mesh.vertices[mesh.triangles[:, i]] for i in range(3))
        np.testing.assert_allclose(np.cross(b - a, c - a), [[0, 0, 1]] * 2)
    assert "lines in 'm3'" in found.notes[0]


def test_gltf_skinned_figures_are_left_out(tmp_path: Path) -> None:
    maker = gltf_cube()
    maker.skin(0)
    maker.node("body", mesh=0, skin=0)
    found = read_mesh(maker.glb(tmp_path / "body.glb"))
    assert [mesh.name for mesh in found.meshes] == ["cube"]
    assert "'body' is a skinned figure" in found.notes[0]


def broken(change: Any) -> Maker:
    maker = gltf_cube()
    change(maker.root)
    return maker


def primitive(root: dict[str, Any]) -> dict[str, Any]:
    return root["meshes"][0]["primitives"][0]


BAD_GLTF = {
    "no meshes": (lambda r: r["nodes"][0].pop("mesh"), "at least one triangle"),
    "mesh beyond": (lambda r: r["nodes"][0].update(mesh=7), "index below 1"),
    "mesh is text": (lambda r: r["nodes"][0].update(mesh="x" * 1000), "index below 1"),
    "no positions": (lambda r: primitive(r).update(attributes={}), "POSITION"),
    "attributes a list": (lambda r: primitive(r).update(attributes=[]), "attributes"),
    "primitives a number": (lambda r: r["meshes"][0].update(primitives=3), "primitives"),
    "indices beyond": (lambda r: r["accessors"][0].update(count=4), "indices below 4"),
    "index accessor beyond": (lambda r: primitive(r).update(indices=9), "index below 2"),
    "positions as indices": (lambda r: primitive(r)["attributes"].update(POSITION=1), "VEC3"),
    "absurd count": (lambda r: r["accessors"][0].update(count=10**12), "at most"),
    "draco": (
        lambda r: primitive(r).update(extensions={"KHR_draco_mesh_compression": {}}),
        "without compression",
    ),
    "a cycle": (lambda r: r["nodes"][0].update(children=[0]), "own ancestors"),
    "absurd scale": (lambda r: r["nodes"][0].update(translation=[1e308, 0, 0]), "numbers up to"),
    "mode": (lambda r: primitive(r).update(mode=-4), "mode"),
}


@pytest.mark.parametrize("case", BAD_GLTF)
def test_bad_gltf_is_refused(tmp_path: Path, case: str) -> None:
    change, words = BAD_GLTF[case]
    refused(broken(change).glb(tmp_path / "bad.glb"), words)


def test_gltf_scales_that_multiply_beyond_all_bounds(tmp_path: Path) -> None:
    maker = gltf_cube()
    below = 0
    for _ in range(40):
        below = maker.node(scale=[1e9, 1e9, 1e9], children=[below])
    refused(maker.glb(tmp_path / "huge.glb"), "scales up to")


def test_gltf_one_mesh_shown_too_often(tmp_path: Path) -> None:
    maker = gltf_cube()
    maker.root["nodes"] += [{"mesh": 0}] * MAX_OBJECTS
    refused(maker.glb(tmp_path / "many.glb"), "objects, found 10001")


def test_gltf_what_is_shown_twice_counts_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gltf_mesh, "MAX_TRIANGLES", 30)
    maker = gltf_cube()
    maker.root["nodes"] += [{"mesh": 0}]
    assert len(read_mesh(maker.glb(tmp_path / "two.glb")).meshes) == 2
    maker.root["nodes"] += [{"mesh": 0}]
    refused(maker.glb(tmp_path / "three.glb"), "at most", "triangles in all")


# --- all of them -----------------------------------------------------------------------------


def refused(path: Path, *words: str, below_bytes: int = 32 * MEGABYTE) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(FileProblem) as caught:
            read_mesh(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    message = str(caught.value)
    assert str(path) in message
    assert "expected" in message
    assert "\n" not in message
    assert len(message) < 600
    assert peak < below_bytes
    for word in words:
        assert word in message


@pytest.mark.parametrize("name", ("place.off", "place", "place.objj", "place.bvh"))
def test_other_extensions_are_refused(tmp_path: Path, name: str) -> None:
    refused(put(tmp_path / name, "x"), ".obj, .stl, .glb, .gltf")


@pytest.mark.parametrize("extension", (".obj", ".stl", ".glb", ".gltf"))
def test_no_file_and_a_folder(tmp_path: Path, extension: str) -> None:
    refused(tmp_path / f"none{extension}", "nothing there")
    (tmp_path / f"dir{extension}").mkdir()
    refused(tmp_path / f"dir{extension}", "directory")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from((".obj", ".stl", ".glb", ".gltf")),
    st.integers(0, 2**31),
    st.integers(1, 6),
)
def test_damaged_files_load_or_are_refused(
    tmp_path: Path, extension: str, seed: int, hits: int
) -> None:
    rng = np.random.default_rng(seed)
    sources = {
        ".obj": [obj_text().encode()],
        ".stl": [stl_text().encode(), stl_bytes(), b"\0" * 80 + stl_bytes()[80:]],
        ".glb": [gltf_cube().glb_bytes()],
        ".gltf": [gltf_cube().gltf(tmp_path / "whole.gltf").read_bytes()],
    }[extension]
    data = bytearray(sources[int(rng.integers(len(sources)))])
    for _ in range(hits):
        where = int(rng.integers(len(data)))
        if rng.random() < 0.5:
            data[where] = int(rng.integers(256))
        else:
            del data[where : where + int(rng.integers(1, 40))]
    path = put(tmp_path / f"damaged{extension}", bytes(data))
    try:
        found = read_mesh(path)
    except FileProblem as problem:
        assert str(path) in str(problem)
    else:
        for mesh in found.meshes:
            assert np.isfinite(mesh.vertices).all()
            assert mesh.triangles.max() < len(mesh.vertices)


@pytest.mark.parametrize("extension", (".obj", ".stl"))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=400))
def test_any_bytes_load_or_are_refused(tmp_path: Path, extension: str, content: bytes) -> None:
    path = put(tmp_path / f"any{extension}", content)
    try:
        read_mesh(path)
    except FileProblem as problem:
        assert str(path) in str(problem)
