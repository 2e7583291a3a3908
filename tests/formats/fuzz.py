"""A mutation fuzzer for everything Poise reads: `python -m tests.formats.fuzz --seconds 180`.

Good files and the hostile corpus are flipped, cut, spliced and filled with words that mean
something. A reader may return what it is for, or refuse with a `PoiseError`; whatever else comes
out of it, a warning, a minute of work or a gigabyte, is a finding.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np

from poise.character import read_role_file
from poise.contact import read_contacts
from poise.environment import load_environment
from poise.errors import PoiseError
from poise.formats import load_character, load_clip, read_mesh, save_clip
from poise.job import load_recipe
from poise.job.another_body import read_mapping
from tests.formats.corpus import GOOD_AMC, GOOD_ASF, GOOD_BVH
from tests.formats.degenerate import still, usual
from tests.formats.gltf_maker import glb
from tests.formats.hostile_files import (
    GOOD_CSV,
    GOOD_JSON,
    GOOD_MAPPING,
    GOOD_PLACE,
    GOOD_RECIPE,
    GOOD_ROLES,
    hostile_files,
)
from tests.formats.made_clips import rich_clip, with_body
from tests.formats.test_mesh import obj_text

SLOW_S = 10.0
"""Of processor time; one file may take that."""
LARGE_BYTES = 2**30
_MOST_BYTES = 200_000
"""Of a mutated file: what is large in memory and small in a file is looked for."""

_SAID = (
    "nan inf -inf 1e400 1e308 1e-308 -1 0 1 1e9 4294967295 9223372036854775808 { } [ ] : , # //"
    " & * ! | > ' \" \\ \0 \x1b JOINT ROOT OFFSET CHANNELS MOTION Frames: End Site MOTION begin"
    " end :root :bonedata :hierarchy dof rx limits (-inf inf) root v f o solid facet vertex"
    " steps: null true ~ poise: 1 deform filter clip: ground: parts: heights_m file: ٤٦"
)
WORDS = (
    *(word.encode() for word in _SAID.split(" ")),
    *(b"\n", b"\r", b"\t", b" ", b"\xff\xfe", b"\xef\xbb\xbf", b"9" * 40, b"[" * 300, b"- " * 60),
)  # fmt: skip


@dataclass(frozen=True)
class Reader:
    """Something that reads files, and files that it reads."""

    suffix: str
    read: Callable[[Path], object]
    seeds: Callable[[], Sequence[bytes]]
    """The first three at most are good files."""
    unpacked: Callable[[bytes], dict[str, bytes]] | None = None
    """Of files that no change of a byte survives: their parts,"""
    packed: Callable[[dict[str, bytes]], bytes] | None = None
    """and a file of these again."""
    beside: dict[str, bytes] = field(default_factory=dict[str, bytes])


@dataclass
class Tally:
    """What came of the files one reader was given."""

    cases: int = 0
    accepted: int = 0
    refused: int = 0
    findings: list[str] = field(default_factory=list[str])
    slowest_s: float = 0.0


def _bytes_of(suffix: str, also: str = "") -> Callable[[], Sequence[bytes]]:
    @cache
    def made() -> Sequence[bytes]:
        found: list[bytes] = []
        with tempfile.TemporaryDirectory() as folder:
            clips = (with_body(rich_clip(4)), usual().sliced(0, 3), still(2))
            for i, clip in enumerate(clips):
                path = Path(folder, f"{i}{suffix}")
                save_clip(clip, path)
                found.append(path.read_bytes())
        return (also.encode() or found[2], *found, *_hostile(suffix))

    return made


def _hostile(suffix: str, kind: str = "clip") -> tuple[bytes, ...]:
    made = (
        item.content()
        for item in hostile_files()
        if item.kind == kind and item.file.endswith(suffix) and item.name not in _HEAVY
    )
    return tuple(each for each in made if len(each) < _MOST_BYTES)


_HEAVY = frozenset(
    item.name for item in hostile_files() if "." in item.name and item.kind == "clip"
)
"""Bombs are known; mutating them would only take time."""


def _texts(good: str, suffix: str, kind: str) -> Callable[[], Sequence[bytes]]:
    return cache(lambda: (good.encode(),) * 3 + _hostile(suffix, kind))


def _chunks(data: bytes) -> dict[str, bytes]:
    size = int.from_bytes(data[12:16], "little")
    return {"json": data[20 : 20 + size], "bin": data[28 + size :]}


def _glb(parts: dict[str, bytes]) -> bytes:
    return glb(parts["json"], parts["bin"])


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zip(parts: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


READERS: dict[str, Reader] = {
    "bvh": Reader(".bvh", load_clip, _bytes_of(".bvh", GOOD_BVH)),
    "bvh skeleton": Reader(".bvh", load_character, lambda: (GOOD_BVH.encode(),)),
    "asf": Reader(".asf", load_character, _texts(GOOD_ASF, ".asf", "skeleton")),
    "amc": Reader(
        ".amc", load_clip, _texts(GOOD_AMC, ".amc", "clip"),
        beside={"fuzzed.asf": GOOD_ASF.encode()},
    ),
    "glb": Reader(".glb", load_clip, _bytes_of(".glb"), _chunks, _glb),
    "gltf": Reader(".gltf", load_clip, _bytes_of(".gltf")),
    "npz": Reader(".npz", load_clip, _bytes_of(".npz"), _members, _zip),
    "recipe": Reader(".yaml", load_recipe, _texts(GOOD_RECIPE, ".yaml", "recipe")),
    "place": Reader(".yaml", load_environment, _texts(GOOD_PLACE, ".yaml", "place")),
    "place as JSON": Reader(
        ".json", load_environment, lambda: (b'{"ground": {"height_m": 0}, "parts": [{"box": {}}]}',)
    ),
    "obj": Reader(".obj", read_mesh, lambda: (obj_text().encode(),)),
    "stl": Reader(".stl", read_mesh, lambda: (b"solid a\n" + _FACET * 4 + b"endsolid a\n", _STL)),
    "mapping": Reader(".yaml", read_mapping, _texts(GOOD_MAPPING, ".yaml", "mapping")),
    "roles": Reader(".yaml", read_role_file, _texts(GOOD_ROLES, ".yaml", "roles")),
    "contacts as CSV": Reader(".csv", read_contacts, _texts(GOOD_CSV, ".csv", "contacts")),
    "contacts as JSON": Reader(".json", read_contacts, _texts(GOOD_JSON, ".json", "contacts")),
}  # fmt: skip

_FACET = (
    b"facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 1\nendloop\nendfacet\n"
)
_STL = bytes(80) + (4).to_bytes(4, "little") + np.arange(48, dtype="<f4").tobytes() + bytes(8)


_GOOD_SHARE = 0.7
"""Of files that are made from good ones: most changes of a bad file leave it as bad."""


def mutated(rng: np.random.Generator, reader: Reader, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds with some changes, in one of its parts where it has parts."""
    good = seeds[:3] if rng.random() < _GOOD_SHARE else seeds
    data = good[int(rng.integers(len(good)))]
    if reader.unpacked is None or reader.packed is None or rng.random() < 0.2:
        return _changed(rng, data, seeds)
    try:
        parts = reader.unpacked(data)
    except Exception:  # a seed that is broken already
        return _changed(rng, data, seeds)
    name = list(parts)[int(rng.integers(len(parts)))]
    others = tuple(parts.values())
    return reader.packed({**parts, name: _changed(rng, parts[name], others)})


def _changed(rng: np.random.Generator, whole: bytes, seeds: Sequence[bytes]) -> bytes:
    data = bytearray(whole)
    for _ in range(int(rng.geometric(0.5))):
        at = int(rng.integers(len(data) + 1))
        kind = int(rng.integers(8))
        if kind == 0 and at < len(data):
            data[at] = int(rng.integers(256))
        elif kind == 1 and at < len(data):
            data[at] ^= 1 << int(rng.integers(8))
        elif kind == 2:
            del data[at : at + int(rng.integers(1, 50))]
        elif kind == 3:
            data[at:at] = data[at : at + int(rng.integers(1, 80))] * int(rng.integers(1, 6))
        elif kind == 4:
            other = seeds[int(rng.integers(len(seeds)))]
            start = int(rng.integers(len(other) + 1))
            data[at : at + int(rng.integers(40))] = other[start : start + int(rng.integers(400))]
        elif kind == 5:
            _swap_word(rng, data, at)
        elif kind == 6 and rng.random() < 0.2:
            del data[at:]
        else:
            data[at:at] = WORDS[int(rng.integers(len(WORDS)))]
    return bytes(data[:_MOST_BYTES])


def _swap_word(rng: np.random.Generator, data: bytearray, at: int) -> None:
    """Put a word in the place of the one that stands there."""
    first = at
    while first > 0 and data[first - 1 : first].isalnum():
        first -= 1
    last = at
    while last < len(data) and (data[last : last + 1].isalnum() or data[last] in b".-"):
        last += 1
    data[first:last] = WORDS[int(rng.integers(len(WORDS)))]


def fuzz(name: str, seconds: float, seed: int, keep: Path | None = None) -> Tally:
    """Give a reader mutated files for some time."""
    reader, tally = READERS[name], Tally()
    rng, seeds = np.random.default_rng(seed), reader.seeds()
    with tempfile.TemporaryDirectory() as folder:
        for file, content in reader.beside.items():
            Path(folder, file).write_bytes(content)
        path = Path(folder, f"fuzzed{reader.suffix}")
        end = time.monotonic() + seconds
        while time.monotonic() < end or not tally.cases:
            content = mutated(rng, reader, seeds)
            path.write_bytes(content)
            found = _tried(reader, path, tally)
            if found:
                tally.findings.append(found)
                if keep is not None:
                    keep.mkdir(exist_ok=True, parents=True)
                    (keep / f"{name}_{len(tally.findings)}{reader.suffix}").write_bytes(content)
    return tally


def _tried(reader: Reader, path: Path, tally: Tally) -> str:
    """What is wrong with how a reader took a file; nothing if nothing is."""
    tally.cases += 1
    began = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            reader.read(path)
        tally.accepted += 1
    except PoiseError as problem:
        tally.refused += 1
        if not str(problem).isprintable() and not hasattr(problem, "problems"):
            return f"a message that cannot be printed: {str(problem)!r:.200}"
    except Exception:
        return traceback.format_exc(limit=-4)
    took = time.process_time() - began
    tally.slowest_s = max(tally.slowest_s, took)
    if took > SLOW_S:
        return f"{took:.1f} s of processor time"
    return ""


def _limit_memory() -> None:
    """Let what would take more than a gigabyte fail, where the system can do that."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        size = pages * resource.getpagesize() + LARGE_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ImportError, OSError, ValueError):
        print("memory is not limited on this system")


def main() -> None:
    """Fuzz readers, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=180.0, help="for each reader")
    parser.add_argument("--reader", action="append", choices=sorted(READERS))
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--keep", type=Path, help="a folder for files that are findings")
    asked = parser.parse_args()
    chosen = asked.reader or list(READERS)
    tallies: dict[str, Tally] = {}
    for name in chosen:
        if not tallies:
            READERS[name].seeds()
            _limit_memory()
        tallies[name] = found = fuzz(name, asked.seconds, asked.seed, asked.keep)
        print(
            f"{name:<17} {found.cases:>8} files, {found.accepted:>7} read, {found.refused:>8} "
            f"refused, {len(found.findings)} findings, slowest {found.slowest_s:.2f} s",
            flush=True,
        )
        for finding in sorted(set(found.findings))[:5]:
            print(finding, flush=True)
    sys.exit(any(found.findings for found in tallies.values()))


if __name__ == "__main__":
    main()
