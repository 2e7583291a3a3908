"""A library that holds every hostile file: what readers refuse, what systems hold, odd names."""

from __future__ import annotations

import json
import os
import struct
import sys
import zipfile
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path

from tests.apps.batch_runs import walk_text
from tests.formats import corpus
from tests.formats.gltf_maker import Maker

Make = Callable[[Path], object]

GOOD = ("good/a.bvh", "good/=1+1.bvh", "good/-3.2.bvh", "good/é ü.bvh")
"""Clips that are done, whatever lies beside them."""


def _bytes(content: bytes) -> Make:
    return lambda path: path.write_bytes(content)


def _sparse(size: int) -> Make:
    """A file that says it is so large, and holds nothing."""

    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(size)

    return make


def _gltf(root: object) -> Make:
    return _bytes(json.dumps(root).encode())


def _glb(text: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text


def _small_gltf(uri: object) -> dict[str, object]:
    return {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4, "uri": uri}]}


def _bomb() -> bytes:
    """An archive of a few kilobytes that says it holds gigabytes."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rotations_wxyz.npy", b"\0" * 50_000_000)
    return content.getvalue()


def _amc_with(name: str, skeleton: Make) -> Make:
    """A motion in a folder of its own, beside a skeleton that is no such thing."""

    def make(path: Path) -> None:
        path.write_text(corpus.GOOD_AMC, encoding="utf-8")
        skeleton(path.with_name(name))

    return make


DEEP = b"[" * 200_000
CONTENT: dict[str, Make] = {
    "deep.gltf": _bytes(DEEP),
    "deep_objects.gltf": _bytes(b'{"a":' * 200_000),
    "deep.glb": _bytes(_glb(DEEP)),
    "deep_buffers.gltf": _bytes(b'{"asset": {"version": "2.0"}, "buffers": ' + DEEP + b"}"),
    "huge_number.gltf": _bytes(b'{"asset": {"version": ' + b"9" * 5000 + b"}}"),
    "null.gltf": _bytes(b"null"),
    "buffers_null.gltf": _gltf({"asset": {"version": "2.0"}, "buffers": None}),
    "buffers_numbers.gltf": _gltf({"asset": {"version": "2.0"}, "buffers": [1, 2]}),
    "uri_number.gltf": _gltf(_small_gltf(7)),
    "uri_up.gltf": _gltf(_small_gltf("../../../../../../../etc/hostname")),
    "uri_zero.gltf": _gltf(_small_gltf("a\0b")),
    "uri_long.gltf": _gltf(_small_gltf("x" * 100_000)),
    "uri_bytes.gltf": _gltf(_small_gltf("%ff%fe.bin")),
    "uri_surrogate.gltf": _gltf(_small_gltf("\ud800.bin")),
    "uri_own.gltf": _gltf(_small_gltf("uri_own.gltf")),
    "uri_device.gltf": _gltf(_small_gltf("/dev/zero")),
    "packed_bomb.npz": _bytes(_bomb()),
    "not_packed.npz": _bytes(b"PK\x03\x04" + b"\0" * 100),
    "empty.npz": _bytes(b""),
    "cut.bvh": lambda path: path.write_bytes(walk_text(20)[:2000]),
    "one_line.bvh": _bytes(b"HIERARCHY " + b"x" * 5_000_000),
    "lonely/motion.amc": _bytes(corpus.GOOD_AMC.encode()),
}
"""Files that can be on any system."""

NAMES: tuple[str, ...] = ("a..bvh", "@SUM(1).bvh", "+1.bvh")
POSIX_NAMES: tuple[str, ...] = (
    "x" * 230 + ".bvh", "two\nlines.bvh", "\x1b[2Jcleared.bvh", "tab\t.bvh", "\ttab.bvh",
    "\rreturn.bvh", "C:\\x.bvh", "=cmd|' ' !A0.bvh",
)  # fmt: skip


POSIX: dict[str, Make] = {} if os.name == "nt" else {
    "sparse.bvh": _sparse(1 << 40),
    "sparse.gltf": _sparse(1 << 40),
    "sparse.npz": _sparse(1 << 40),
    "sparse_skeleton/motion.amc": _amc_with("motion.asf", _sparse(1 << 40)),
    "pipe.bvh": os.mkfifo,
    "pipe.gltf": os.mkfifo,
    "pipe.glb": os.mkfifo,
    "pipe.npz": os.mkfifo,
    "pipe_skeleton/motion.amc": _amc_with("motion.asf", os.mkfifo),
    "pipe_buffer.gltf": lambda path: (
        os.mkfifo(path.with_name("pipe_buffer.bin")),
        path.write_text(json.dumps(_small_gltf("pipe_buffer.bin")), encoding="utf-8"),
    ),
    "link_to_a_pipe.gltf": lambda path: (
        os.mkfifo(path.with_name("far")),
        path.symlink_to("far"),
    ),
    "loop.bvh": lambda path: path.symlink_to(path.name),
    "loop.gltf": lambda path: path.symlink_to(path.name),
    "loop_of_two.bvh": lambda path: (
        path.with_name("other").symlink_to(path.name),
        path.symlink_to("other"),
    ),
    "nowhere.bvh": lambda path: path.symlink_to("nothing"),
    "zero.bvh": lambda path: path.symlink_to("/dev/zero"),
    "zero.gltf": lambda path: path.symlink_to("/dev/zero"),
    "null.bvh": lambda path: path.symlink_to("/dev/null"),
    "terminal.gltf": lambda path: path.symlink_to("/dev/tty"),
    "closed.bvh": lambda path: (path.write_bytes(b"no clip"), path.chmod(0o000)),
    "loop_skeleton/motion.amc": _amc_with("motion.asf", lambda p: p.symlink_to(p.name)),
}  # fmt: skip
"""What only such systems have."""

FOLDERS = ("folder.bvh", "folder.gltf", "folder.npz")


def of_corpus(extension: str, hostile: Iterable[corpus.Hostile]) -> dict[str, Make]:
    """Files of the readers' own tests."""
    return {
        f"corpus/{number}{extension}": _bytes(each.content) for number, each in enumerate(hostile)
    }


def every_file() -> dict[str, Make]:
    """Names and makers of all of them."""
    found = dict(CONTENT)
    found |= {f"names/{name}": _bytes(b"no clip") for name in NAMES}
    if os.name != "nt":
        found |= POSIX
        found |= {f"names/{name}": _bytes(b"no clip") for name in POSIX_NAMES}
    if sys.platform == "linux":
        found[f"names/{os.fsdecode(bytes([255, 254]))}.bvh"] = _bytes(b"no clip")
    return found


def whole_corpus() -> dict[str, Make]:
    """Every file, those of the readers' tests, and a glTF file cut in many places."""
    found = every_file() | of_corpus(".bvh", corpus.BVH)
    for number, each in enumerate(corpus.AMC):
        folder = f"corpus/amc_{number}"
        found[f"{folder}/motion.amc"] = _with_skeleton(each.content, corpus.GOOD_ASF.encode())
    for number, each in enumerate(corpus.ASF):
        folder = f"corpus/asf_{number}"
        found[f"{folder}/motion.amc"] = _with_skeleton(corpus.GOOD_AMC.encode(), each.content)
    maker = Maker()
    root = maker.node("root", translation=[0.0, 1.0, 0.0])
    maker.channel(root, "translation", [0.0, 1 / 30], [[0.0, 1, 0], [0, 2, 0]])
    whole = maker.glb_bytes()
    for length in range(1, len(whole), 40):
        found[f"corpus/cut_{length}.glb"] = _bytes(whole[:length])
    return found


def _with_skeleton(motion: bytes, skeleton: bytes) -> Make:
    def make(path: Path) -> None:
        path.write_bytes(motion)
        path.with_suffix(".asf").write_bytes(skeleton)

    return make


def put(library: Path, files: dict[str, Make]) -> list[str]:
    """Make them, with the good clips and folders called like clips; the names of all rows."""
    for name in GOOD:
        path = library / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(walk_text(20))
    for name in FOLDERS:
        (library / name).mkdir()
    for name, make in files.items():
        path = library / name
        path.parent.mkdir(parents=True, exist_ok=True)
        make(path)
    return sorted([*GOOD, *FOLDERS, *files])
