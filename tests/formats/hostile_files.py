"""Hostile files of every kind, made when they are asked for: none is kept in the repository.

Beside those that readers' own tests are about, good files are damaged in the same ways everywhere:
their numbers, their lines, their ends.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from poise.formats import save_clip
from tests.environment.test_load import BAD as BAD_PLACES
from tests.formats.corpus import AMC, ASF, BVH, GOOD_AMC, GOOD_ASF, GOOD_BVH
from tests.formats.gltf_maker import Maker
from tests.formats.made_clips import rich_clip
from tests.formats.test_hostile_binary import (
    CONTAINERS,
    DAMAGE,
    NPZ_DAMAGE,
    header,
    meta,
    rewritten,
    small,
)  # fmt: skip
from tests.formats.test_mesh import BAD_OBJ
from tests.job.test_load import HOSTILE as HOSTILE_YAML


@dataclass(frozen=True)
class HostileFile:
    """A file, what kind it is of, and what has to lie beside it."""

    kind: str
    """clip, skeleton, recipe, place, mapping, roles, contacts."""
    name: str
    file: str
    """Its name; the extension says how it is read."""
    content: Callable[[], bytes]
    beside: Mapping[str, Callable[[], bytes]] = field(default_factory=dict[str, Any])

    def write(self, folder: Path) -> Path:
        """Put it, and what belongs to it, into a folder."""
        for name, content in {**self.beside, self.file: self.content}.items():
            (folder / name).write_bytes(content())
        return folder / self.file


GOOD_RECIPE = """poise: 1
about: a reach
clip: {file: usual.npz, frames: [0, 20], rate_hz: 30, unit: m}
character: {mass_kg: 70, sex: female, heavier: {trunk: 1.5}, limbs: 1.1}
environment: {ground: {height_m: 0.0, tilt_deg: 2}}
steps:
  - deform:
      settings: {smoothing_s: 0.1, passes: 2, met_mm: 5}
      constraints:
        - plant: {name: left foot, part: left_foot, frames: [2, 9], ease: 3, priority: 1}
        - hold_point:
            {name: hand, point: left_wrist, frames: [4, 8], place_m: [0.3, 1.2, 0.2], weight: 2}
  - filter:
      settings: {passes: 1K, updates: 2, knot_s: 0.07}
      constraints:
        - plant: {name: right foot, part: right_foot, mode: follow, frames: all}
outputs: {contacts: made.csv}
"""
GOOD_PLACE = """ground: {height_m: 0, tilt_deg: 3, uphill: [0, 0, 1], belt_velocity_m_s: [0, 0, -1]}
parts:
  - {box: {size_m: [0.4, 0.3, 0.4]}, at_m: [0, 0, 1.5], turn_deg: 20, name: crate}
  - {stairs: {step_count: 3, rise_m: 0.17, depth_m: 0.3}, at_m: [2, 0, 0]}
  - {chair: {seat_height_m: 0.45}}
  - {ramp: {rise_m: 0.2, length_m: 1.0}}
height_field: {heights_m: [[0, 0.1], [0, 0.2]], spacing_m: [1, 1], origin_m: [-1, -1]}
"""
GOOD_MAPPING = "left_shin: left_shin\nright_shin: null\nhead: neck\n"
GOOD_ROLES = "left_knee: left_shin\nright_knee: right_shin\nforward: [0, 0, 1]\n"
GOOD_CSV = "frame,time_s,left_foot,right_foot,left_foot_confidence\n" + "".join(
    f"{i},{i / 60:.9f},{int(i < 30)},{int(i > 20)},0.9\n" for i in range(48)
)
GOOD_JSON = json.dumps(
    {
        "rate_hz": 60, "frames": 48, "contacts": {"left_foot": [[0, 20]], "head": [[30, 40]]},
        "sliding": {"left_foot": [[3, 5]]}, "confidence": {"head": [0.5] * 48},
    },
    indent=1,
)  # fmt: skip

_WORTHLESS = ("nan", "inf", "-1e9", "1e9", "1e300", "1e-300", "-1", "0", "", "x", "[", "9" * 40)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")


def damaged(good: str, *, most: int) -> Iterator[tuple[str, bytes]]:
    """A good text with numbers replaced, lines left out or doubled, cut short; at most so many."""
    made: list[tuple[str, bytes]] = []
    places = list(_NUMBER.finditer(good))
    for i, place in enumerate(places):
        for k, word in enumerate(_WORTHLESS):
            text = good[: place.start()] + word + good[place.end() :]
            made.append((f"number {i} is {_WORTHLESS[k][:6] or 'gone'}", text.encode()))
    lines = good.splitlines(keepends=True)
    for i in range(len(lines)):
        made.append((f"without line {i}", "".join(lines[:i] + lines[i + 1 :]).encode()))
        made.append((f"line {i} twice", "".join([*lines[:i], lines[i], *lines[i:]]).encode()))
    for i in range(1, 12):
        made.append((f"cut at {i} twelfths", good[: len(good) * i // 12].encode()))
    made += [
        ("as UTF-16", good.encode("utf-16")), ("with a zero byte", good.encode() + b"\0"),
        ("with a byte that is no text", good.encode() + b"\xff"), ("empty", b""),
        ("noise", bytes(range(256)) * 20),
        ("in Windows lines", good.replace("\n", "\r\n").encode()),
    ]  # fmt: skip
    rng = np.random.default_rng(25)
    chosen = rng.permutation(len(made))[:most]
    for at in sorted(chosen.tolist()):
        yield made[at]


def _text_files() -> Iterator[HostileFile]:
    for kind, file, good, most in (
        ("recipe", "hostile.yaml", GOOD_RECIPE, 70), ("place", "hostile.yaml", GOOD_PLACE, 70),
        ("mapping", "hostile.yaml", GOOD_MAPPING, 16), ("roles", "hostile.yaml", GOOD_ROLES, 20),
        ("contacts", "hostile.csv", GOOD_CSV, 30), ("contacts", "hostile.json", GOOD_JSON, 30),
        ("clip", "hostile.bvh", GOOD_BVH, 40), ("skeleton", "hostile.asf", GOOD_ASF, 30),
    ):  # fmt: skip
        for name, content in damaged(good, most=most):
            yield HostileFile(kind, f"{file[8:]} {name}", file, lambda content=content: content)
    for name, content in HOSTILE_YAML.items():
        for kind in ("recipe", "place", "mapping", "roles"):
            yield HostileFile(kind, name, "hostile.yaml", lambda content=content: content)
    for name, (text, _) in BAD_PLACES.items():
        yield HostileFile("place", f"place: {name}", "hostile.yaml", text.encode)


def _clips() -> Iterator[HostileFile]:
    for item in BVH:
        yield HostileFile("clip", item.name, "hostile.bvh", lambda item=item: item.content)
    skeleton = {"hostile.asf": GOOD_ASF.encode}
    for item in AMC:
        yield HostileFile(
            "clip", item.name, "hostile.amc", lambda item=item: item.content, skeleton
        )
    for item in ASF:
        yield HostileFile("skeleton", item.name, "hostile.asf", lambda item=item: item.content)
    for item in ASF[::3]:
        beside = {"hostile.asf": lambda item=item: item.content}
        name = f"skeleton: {item.name}"
        yield HostileFile("clip", name, "hostile.amc", GOOD_AMC.encode, beside)
    for name, (content, _) in CONTAINERS.items():
        yield HostileFile("clip", name, "hostile.glb", lambda content=content: content)
    for name in DAMAGE:
        yield HostileFile("clip", name, "hostile.gltf", lambda name=name: _damaged_gltf(name))
    for name in NPZ_DAMAGE:
        yield HostileFile("clip", name, "hostile.npz", lambda name=name: _damaged_npz(name))
    for name, make in BOMBS.items():
        file = f"hostile{name[name.rindex('.') :]}"
        beside = {"hostile.asf": _asf_of_fixed_bones} if file.endswith(".amc") else {}
        yield HostileFile("clip", name, file, make, beside)


def _meshes() -> Iterator[HostileFile]:
    place = b"ground: none\nparts:\n  - {file: hostile.obj}\n"
    for name, (content, _) in BAD_OBJ.items():
        data = content if isinstance(content, bytes) else content.encode()
        yield HostileFile(
            "place", f"mesh: {name}", "hostile.yaml", lambda: place,
            {"hostile.obj": lambda data=data: data},
        )  # fmt: skip
        yield HostileFile("place", f"mesh alone: {name}", "hostile.obj", lambda data=data: data)
    for name, (text, more) in _LARGE_PLACES.items():
        yield HostileFile("place", name, "hostile.yaml", lambda text=text: text.encode(), more)


def _damaged_gltf(name: str) -> bytes:
    maker = small()
    root = json.loads(json.dumps(maker.root))
    root["buffers"] = [{"byteLength": len(maker.data), "uri": _uri(bytes(maker.data))}]
    DAMAGE[name][0](root)
    return json.dumps(root).encode()


def _uri(data: bytes) -> str:
    import base64

    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


@cache
def _good_npz() -> bytes:
    return _in_a_file(".npz", lambda path: save_clip(rich_clip(frames=3), path))


def _in_a_file(suffix: str, write: Callable[[Path], object], first: bytes | None = None) -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"file{suffix}")
        if first is not None:
            path.write_bytes(first)
        write(path)
        return path.read_bytes()


def _npz_with(changes: dict[str, Any]) -> bytes:
    return _in_a_file(".npz", lambda path: rewritten(path, changes), _good_npz())


def _damaged_npz(name: str) -> bytes:
    member, value, _ = NPZ_DAMAGE[name]
    return _npz_with({member: value})


# What is small in a file and large in memory


def _fixed_joints(joints: int, frames: int) -> bytes:
    lines = ["HIERARCHY", "ROOT a", "{", "OFFSET 0 0 0", "CHANNELS 1 Xrotation"]
    for i in range(1, joints):
        lines += [f"JOINT j{i}", "{", "OFFSET 0 1 0", "CHANNELS 0", "}"]
    lines += ["}", "MOTION", f"Frames: {frames}", "Frame Time: 0.01"]
    return "\n".join(lines).encode() + b"\n" + b"0\n" * frames


def _asf_of_fixed_bones() -> bytes:
    names = [f"b{i}" for i in range(1900)]
    bones = "".join(f"begin\nname {n}\ndirection 0 1 0\nlength 1\nend\n" for n in names)
    links = "".join(f"root {n}\n" for n in names)
    head = GOOD_ASF[: GOOD_ASF.index("  begin\n     id 1")]
    return f"{head}{bones}:hierarchy\nbegin\n{links}end\n".encode()


def _amc_of_fixed_bones(frames: int) -> bytes:
    body = "".join(f"{i}\nroot 0 0 0 0 0 0\n" for i in range(1, frames + 1))
    return f":FULLY-SPECIFIED\n:DEGREES\n{body}".encode()


def _wide_gltf(joints: int, seconds: float, **facts: Any) -> bytes:
    maker = Maker()
    nodes = [maker.node("root")]
    nodes += [
        maker.node(f"n{i}", nodes[0], translation=[0.0, 1.0, 0.0], **facts) for i in range(joints)
    ]
    maker.skin(*nodes)
    maker.channel(0, "translation", [0.0, 0.01, seconds], np.zeros((3, 3)))
    return maker.glb_bytes()


def _one_accessor_for_all(nodes: int, keys: int, path: str = "rotation") -> bytes:
    maker = Maker()
    joints = [maker.node("root")]
    joints += [maker.node(f"n{i}", joints[0], translation=[0.0, 1.0, 0.0]) for i in range(nodes)]
    maker.skin(*joints)
    values = np.tile([0.0, 0, 0, 1] if path == "rotation" else [1.0, 2.0, 3.0], (keys, 1))
    if path == "scale":
        values[::2] += 1.0
    maker.channel(joints[1], path, np.arange(keys) / 30.0, values)
    animation = maker.root["animations"][0]
    for node in joints[2:]:
        animation["channels"].append({"sampler": 0, "target": {"node": node, "path": path}})
    return maker.glb_bytes()


def _deep_gltf(levels: int, seconds: float) -> bytes:
    maker = Maker()
    node = maker.node("n0")
    for i in range(1, levels):
        node = maker.node(f"n{i}", node, translation=[0.0, 0.1, 0.0])
    tip = maker.node("tip", node, translation=[0.0, 0.1, 0.0])
    maker.skin(node, tip)
    for i in range(levels):
        maker.channel(
            i, "rotation", [0.0, 0.01, seconds], [[0.0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
        )
    return maker.glb_bytes()


def _zeros_npz(frames: int, joints: int, padding: int = 0) -> bytes:
    """Compressed rotations of nothing but ones and zeros, in an archive padded with noise."""
    turn = np.tile(np.array([1.0, 0, 0, 0]), joints).tobytes()
    out = BytesIO()
    out.write(_good_npz())
    data = _npz_with(
        {
            "rotations_wxyz": header(f"({frames}, {joints}, 4)") + turn * frames,
            "root_positions_m": header(f"({frames}, 3)") + bytes(24 * frames),
        }
    )
    if not padding:
        return data
    out = BytesIO(data)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("noise", np.random.default_rng(1).bytes(padding))
    return out.getvalue()


BOMBS: dict[str, Callable[[], bytes]] = {
    "as many fixed joints as may be.bvh": lambda: _fixed_joints(2000, 2097),
    "a million frames of fixed joints.bvh": lambda: _fixed_joints(1000, 400_000),
    "a joint for a million frames.bvh": lambda: _fixed_joints(1, 2**20),
    "a joint for more than a million frames.bvh": lambda: _fixed_joints(1, 2**20 + 1),
    "frames of fixed bones.amc": lambda: _amc_of_fixed_bones(2200),
    "more frames of fixed bones.amc": lambda: _amc_of_fixed_bones(30_000),
    "keys an hour apart.glb": lambda: _wide_gltf(3, 3600.0),
    "keys far apart for many joints.glb": lambda: _wide_gltf(1900, 20.0),
    "more joints than may be.glb": lambda: _wide_gltf(4000, 1.0),
    "the same keys for all joints.glb": lambda: _one_accessor_for_all(1500, 20_000),
    "growth of all joints.glb": lambda: _one_accessor_for_all(400, 2500, "scale"),
    "moves of all joints.glb": lambda: _one_accessor_for_all(1500, 2000, "translation"),
    "a deep tree above the joints.glb": lambda: _deep_gltf(900, 100.0),
    "a deep tree that turns.glb": lambda: _deep_gltf(900, 40.0),
    "compressed stillness.npz": lambda: _zeros_npz(20_000, 6),
    "compressed stillness with noise.npz": lambda: _zeros_npz(600_000, 6, 2 * 2**20),
    "more compressed stillness than may be.npz": lambda: _zeros_npz(900_000, 6, 4 * 2**20),
    "joints without end.npz": lambda: _zeros_npz(1, 300_000),
    "names of a megabyte.npz": lambda: _npz_with({"joint_names": np.array(["x" * 300_000] * 6)}),
    "a history of nothing.npz": lambda: _npz_with(
        {"meta_json": np.array(meta(history=[[]] * 900_000))}
    ),
    "a rate of 1e-300.npz": lambda: _npz_with({"rate_hz": np.float64(1e-300)}),
    "a rate of 1e300.npz": lambda: _npz_with({"rate_hz": np.float64(1e300)}),
    "places at the end of numbers.npz": lambda: _npz_with(
        {"root_positions_m": np.full((3, 3), 1e308)}
    ),
    "bones at the end of numbers.npz": lambda: _npz_with({"offsets_m": np.full((6, 3), 1e308)}),
}  # fmt: skip


def _grid(nodes: int) -> bytes:
    return (b"0 " * nodes + b"\n") * nodes


def _ball(points: int) -> bytes:
    rng = np.random.default_rng(3)
    at = rng.normal(size=(points, 3))
    at /= np.linalg.norm(at, axis=1, keepdims=True)
    lines = [f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in at.tolist()]
    lines += [f"f {i} {i + 1} {i + 2}" for i in range(1, points - 1)]
    return "\n".join(lines).encode()


def _many(entry: str, count: int) -> str:
    return "parts:\n" + f"  - {entry}\n" * count


_FIELD = "height_field: {file: heights.txt, spacing_m: [0.05, 0.05]}\n"

_LARGE_PLACES: dict[str, tuple[str, dict[str, Callable[[], bytes]]]] = {
    "a field of two million heights": (_FIELD, {"heights.txt": lambda: _grid(1400)}),
    "a field of five million heights": (_FIELD, {"heights.txt": lambda: _grid(2240)}),
    "a field with one line": (_FIELD, {"heights.txt": lambda: b"0 " * 9000}),
    "a field of words": (_FIELD, {"heights.txt": lambda: b"low high\nhigh low\n"}),
    "a field with a hole": (_FIELD, {"heights.txt": lambda: b"0 0\n0 nan\n"}),
    "a field up to the sky": (_FIELD, {"heights.txt": lambda: b"0 0\n0 1e8\n"}),
    "two thousand steps": (_many("{stairs: {step_count: 500}}", 4), {}),
    "more steps than may be": (_many("{stairs: {step_count: 500}}", 5), {}),
    "a thousand chairs": (_many("{chair: }", 1000), {}),
    "a chair of a kilometre": (_many("{chair: {seat_height_m: 1000}}", 1), {}),
    "a ramp like a wall": (_many("{ramp: {rise_m: 9000, length_m: 0.001}}", 1), {}),
    "a ball of thirty thousand points": (
        _many("{file: ball.obj}", 1), {"ball.obj": lambda: _ball(30_000)}
    ),
    "the same ball two hundred times": (
        _many("{file: ball.obj}", 200), {"ball.obj": lambda: _ball(30_000)}
    ),
    "a ball in light years": (
        _many("{file: ball.obj, unit: '1e9'}", 1), {"ball.obj": lambda: _ball(50)}
    ),
    "a ball of a nanometre": (
        _many("{file: ball.obj, unit: '1e-9'}", 1), {"ball.obj": lambda: _ball(50)}
    ),
    "a steep belt": ("ground: {tilt_deg: 80, belt_velocity_m_s: [50, 50, 50]}\n", {}),
    "ground ten kilometres down": ("ground: {height_m: -10000}\n", {}),
}  # fmt: skip


def _large_contacts() -> Iterator[HostileFile]:
    row = "".join(f"{i},{i / 60:.6f},1\n" for i in range(300_000))
    made: dict[str, tuple[str, Callable[[], bytes]]] = {
        "rows without end": (".csv", lambda: b"frame,time_s,left_foot\n" + row.encode()),
        "columns without end": (".csv", lambda: b"frame,time_s" + b",left_foot" * 500_000),
        "lists without end": (".json", lambda: b"[" + b"[]," * 3_000_000 + b"[]]"),
        "frames without end": (
            ".json", lambda: b'{"rate_hz": 60, "frames": 2000000, "contacts": {"head": [[0, 9]]}}'
        ),
        "spans without end": (
            ".json",
            lambda: json.dumps(
                {"rate_hz": 60, "frames": 48, "contacts": {"head": [[0, 48]] * 500_000}}
            ).encode(),
        ),
        "a deep list": (".json", lambda: b"[" * 100_000),
    }  # fmt: skip
    for name, (suffix, content) in made.items():
        yield HostileFile("contacts", name, f"hostile{suffix}", content)


@cache
def hostile_files() -> tuple[HostileFile, ...]:
    """All of them, in a fixed order."""
    return (*_clips(), *_text_files(), *_meshes(), *_large_contacts())
