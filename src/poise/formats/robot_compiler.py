"""Robots as MuJoCo compiles them, in a process of its own with limits on time and memory.

The process runs `robot_child.py`. It gets a robot as text and the meshes that it asks for; it opens
no file, and where the system can see to it, it cannot. What a robot was compiled to is kept, by
content, so that the next one who reads it in this process does not wait for it.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import FileProblem, MissingExtra, PoiseError
from poise.formats.robot_copies import MAX_BODIES
from poise.formats.robot_source import Source
from poise.limited_process import LimitedProcess, ProcessLost

SECONDS = 6.0
"""For one robot; real ones take a tenth of one, a second or two where masses depend on meshes."""
MEMORY_BYTES = 512 << 20
"""Beside what MuJoCo has once it is loaded."""
_LOADED_BYTES = 128 << 20
"""More than that."""
_START_S = 120.0
_MAX_MESHES_BYTES = 256 << 20
_LARGE_BYTES = 8 << 20
"""Of a mesh that is not worth the time if only a sole depends on it."""
SCRIPT = Path(__file__).absolute().with_name("robot_child.py")
_ENVIRONMENT = {"MUJOCO_GL": "disable", "OPENBLAS_NUM_THREADS": "1"}
"""Nothing is drawn, and nothing is multiplied."""
_LINE = re.compile(r",? ?[Ll]ine(?: number=| )(\d+)")
_MOST_KEPT = 16

_WIDTHS = {
    "pos": 3, "quat": 4, "ipos": 3, "iquat": 4, "inertia": 3, "axis": 3, "range": 2, "size": 3,
    "actfrcrange": 2, "forcerange": 2, "ctrlrange": 2,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Model:
    """A robot as MuJoCo sees it: columns by the names of its own arrays.

    Joints also have their `jnt_start`, the angle in the pose of the file.
    """

    name: str
    notes: tuple[str, ...]
    columns: dict[str, Array]
    names: dict[str, tuple[str, ...]]
    """Of `body`, `jnt` and `site`."""
    weightless: frozenset[int]
    """Bodies that nothing states a mass of,"""
    shapeless: frozenset[int]
    """and ends of limbs whose shape is in a mesh that is not there."""

    def count(self, kind: str) -> int:
        """How many there are of `body`, `jnt`, `site`, `geom` or `actuator`."""
        some = {"body": "mass", "jnt": "type", "site": "bodyid", "geom": "type", "actuator": "gear"}
        return len(self.columns[f"{kind}_{some[kind]}"])

    def __getitem__(self, column: str) -> Array:
        return self.columns[column]


def compile_robot(source: Source) -> Model:
    """A robot as MuJoCo compiles it.

    Raises:
        FileProblem: MuJoCo cannot read it, takes too long or too much memory, or crashes.
        MissingExtra: it is not installed.
        PoiseError: it cannot be started.
    """
    folder = _mujoco_folder()
    key = _key(source)
    known = _KEPT.found(key)
    if known is not None and all(_digest(source, name) == d for name, d in known[0].items()):
        return known[1]
    digests, model = _compiled(source, folder)
    _KEPT.keep(key, digests, model)
    return model


class _Kept:
    """The robots that were compiled last, with the meshes that they needed."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, tuple[dict[str, str], Model]] = OrderedDict()
        self._lock = threading.Lock()

    def found(self, key: str) -> tuple[dict[str, str], Model] | None:
        """The digests of its meshes, and the robot."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def keep(self, key: str, digests: dict[str, str], model: Model) -> None:
        """Keep one more, and let the one go that was not asked for longest."""
        with self._lock:
            self._entries[key] = digests, model
            self._entries.move_to_end(key)
            while len(self._entries) > _MOST_KEPT:
                self._entries.popitem(last=False)


_KEPT = _Kept()


def _key(source: Source) -> str:
    parts = [source.text, *(f"{name}={text}" for name, text in source.models.items())]
    return hashlib.sha256("\0".join([*parts, *source.absent]).encode()).hexdigest()


def _digest(source: Source, mesh: str) -> str:
    return hashlib.sha256(source.meshes[mesh].read()).hexdigest()


def _compiled(source: Source, folder: Path) -> tuple[dict[str, str], Model]:
    with _started(folder) as child:
        child.send({
            "text": source.text,
            "models": source.models,
            "absent": source.absent,
            "large": [n for n, mesh in source.meshes.items() if mesh.size_bytes > _LARGE_BYTES],
            "urdf": source.is_urdf,
        })  # fmt: skip
        digests: dict[str, str] = {}
        answer = _answer(source, child)
        if "needed" in answer:
            total, needed = 0, set(map(str, answer["needed"]))
            if not needed <= source.meshes.keys():
                raise _noise(source)
            for name in sorted(needed):
                data = source.meshes[name].read()
                total += len(data)
                if total > _MAX_MESHES_BYTES:
                    expected = f"at most {_MAX_MESHES_BYTES >> 20} MiB of meshes for masses"
                    raise FileProblem(source.path, expected, "more")
                digests[name] = hashlib.sha256(data).hexdigest()
                child.send(data)
            answer = _answer(source, child)
    return digests, _model(source, answer)


def _mujoco_folder() -> Path:
    """Where MuJoCo is, without importing it."""
    found = util.find_spec("mujoco")
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("Reading robots (MJCF, URDF)", "robots")
    return Path(found.submodule_search_locations[0]).absolute().parent


def _started(mujoco: Path) -> LimitedProcess:
    """MuJoCo, loaded and waiting for a robot."""
    # Where it is looked for if it is not among the interpreter's own packages.
    folders = [mujoco, Path(np.__file__).parents[1]]
    limits = [str(MEMORY_BYTES), str(int(SECONDS) + 1), str(MAX_BODIES)]
    words = [*limits, *dict.fromkeys(str(folder) for folder in folders)]
    try:
        child = LimitedProcess(
            SCRIPT, words, memory_bytes=MEMORY_BYTES + _LOADED_BYTES, environment=_ENVIRONMENT
        )
        try:
            said = child.receive(_START_S, is_trusted=True)
        except BaseException:
            child.close()
            raise
    except ProcessLost as lost:
        raise PoiseError(f"The process that reads robots cannot be started: {lost}.") from None
    if "broken" in said:
        child.close()
        raise PoiseError(f"MuJoCo is installed but cannot be loaded: {said['broken']}.")
    return child


def _answer(source: Source, child: LimitedProcess) -> dict[str, Any]:
    """What the child says next.

    Raises:
        FileProblem: that something is wrong with the robot, or nothing any more.
    """
    try:
        answer = child.receive(SECONDS)
    except ProcessLost as lost:
        found = f"that MuJoCo crashes on it ({lost})"
        if lost.how == "out_of_memory":
            raise FileProblem(source.path, *_NO_MEMORY) from None
        if lost.how == "out_of_time":
            found = f"that it compiles it longer than {SECONDS:g} s"
        raise FileProblem(source.path, "a robot that MuJoCo can read", found) from None
    if "full" in answer:
        raise FileProblem(source.path, *_NO_MEMORY)
    if "bodies" in answer:
        found = f"{answer['bodies']} and {answer.get('joints')}"
        raise FileProblem(source.path, f"at most {MAX_BODIES:,} bodies and joints", found)
    if "problem" in answer:
        raise _problem(source, str(answer["problem"]))
    return answer


_NO_MEMORY = f"a robot that MuJoCo compiles in {MEMORY_BYTES >> 20} MiB", "one that takes more"
"""What was expected and found."""


def _problem(source: Source, said: str) -> FileProblem:
    """A complaint of MuJoCo, with the place in the file for the line in our text."""
    stated = _LINE.search(said)
    number = int(stated.group(1)) if stated else 0
    path, line = source.path, None
    if 0 < number <= len(source.places):
        path, line = source.places[number - 1]
    words = " ".join(_LINE.sub("", said).split())[:300]
    return FileProblem(path, "a robot model that MuJoCo can read", words, line=line)


def _model(source: Source, answer: dict[str, Any]) -> Model:
    try:
        columns, names = dict[str, Array](), dict[str, tuple[str, ...]]()
        weightless, shapeless = (
            frozenset(np.flatnonzero(answer["columns"].pop(name)).tolist())
            for name in ("weightless", "shapeless")
        )
        for name, rows in answer["columns"].items():
            kind, what = name.split("_") if "_" in name else ("", name)
            if what == "name":
                names[kind] = tuple(str(each) for each in rows)
            else:
                width = _WIDTHS.get(what, 1)
                shape = (-1, width) if width > 1 else (-1,)
                columns[name] = np.asarray(rows, dtype=float).reshape(shape)
        said = dict.fromkeys(str(each) for each in answer["said"])
        warned = [f"MuJoCo warns: {' '.join(text.split())}" for text in said]
        if any("NaN" in text for text in warned):
            raise FileProblem(source.path, "finite numbers", "NaN")
        notes = (*(str(note) for note in answer["notes"]), *warned)
        model = Model(str(answer["name"]), notes, columns, names, weightless, shapeless)
        _check_numbers(model)
    except (KeyError, ValueError, TypeError, IndexError, OverflowError, AttributeError):
        raise _noise(source) from None
    return model


def _noise(source: Source) -> FileProblem:
    found = "that MuJoCo answers with noise"
    return FileProblem(source.path, "a robot that MuJoCo can read", found)


def _check_numbers(model: Model) -> None:
    """Indices are within what there is; a process that goes astray may say anything."""
    bodies, joints = model.count("body"), model.count("jnt")
    if len(model.names["body"]) != bodies or len(model.names["jnt"]) != joints:
        raise ValueError
    for column, end in (
        ("body_parentid", bodies), ("body_rootid", bodies), ("site_bodyid", bodies),
        ("geom_bodyid", bodies), ("vertex_geom", model.count("geom")),
    ):  # fmt: skip
        if not ((model[column] >= 0) & (model[column] < end)).all():
            raise ValueError
    if len(model["vertex_geom"]) != len(model["vertex_pos"]):
        raise ValueError
    ends = model["body_jntadr"] + model["body_jntnum"]
    if not (ends <= joints).all() or not (model["body_jntadr"] >= -1).all():
        raise ValueError
