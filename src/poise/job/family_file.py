"""A motion family in one file, and its members while it is being built.

The file is a clip in Poise's own format, the captured leap and all members one after the other,
with what makes a family of them as JSON beside it: `numpy.load` alone is enough to use it. While a
family is built, each member lies in a folder beside the file, so that what is interrupted can be
gone on with.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any, cast, get_args

import numpy as np

from poise.arrays import Array
from poise.contact import ContactSchedule
from poise.environment import Environment, Ground
from poise.errors import BadValue, FileProblem, PoiseError
from poise.formats import read_bytes, read_clip, read_members, write
from poise.methods import Edit, Status
from poise.methods.momentum import Family, FamilyAxis, Member, Settings
from poise.motion import Clip

_TITLES = ["frame", "x", "y", "z"]


def read_ball(path: str | Path) -> tuple[Array, int]:
    """(n, 3) places from the first frame on, NaN in frames that are not there; and that frame.

    Raises:
        FileProblem: no such file, other columns, no numbers.
    """
    path = Path(path)
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise FileProblem(path, "a table of a ball's path", str(problem)) from None
    read = csv.reader(io.StringIO(text, newline=""))
    rows = [(read.line_num, [cell.strip() for cell in row]) for row in read if row]
    if rows and [cell.lower() for cell in rows[0][1]] == _TITLES:
        rows = rows[1:]
    if not rows:
        raise FileProblem(path, f"lines of {', '.join(_TITLES)}", "none")
    known: dict[int, list[float]] = {}
    for number, row in rows:
        try:
            frame, *place = (float(cell) for cell in row)
            if len(place) != 3 or not np.isfinite([frame, *place]).all():
                raise ValueError
            if frame != int(frame) or frame < 0:
                raise ValueError
        except ValueError:
            found = ",".join(row)[:60]
            raise FileProblem(path, "frame,x,y,z: numbers", f"'{found}'", line=number) from None
        known[int(frame)] = place
    first, last = min(known), max(known)
    if last - first > _LONGEST:
        raise FileProblem(path, f"at most {_LONGEST} frames", str(last - first))
    places = np.full((last - first + 1, 3), np.nan)
    for frame, place in known.items():
        places[frame - first] = place
    return places, first


_LONGEST = 1_000_000


SCHEMA = 1
_MEMBER = "family_json"


def save_family(family: Family, path: str | Path) -> None:
    """Write a family.

    Raises:
        BadValue: a place that is more than a floor, which the file does not hold.
        FileProblem: what the system refuses.
    """
    path = Path(path)
    ground = ground_of(family.environment)
    count, frames = family.roots_m.shape[:2]
    base = family.clip
    roots = np.concatenate([base.root_positions_m[None], family.roots_m])
    turns = np.concatenate([base.rotations_wxyz[None], family.rotations_wxyz])
    stacked = replace(
        base,
        root_positions_m=roots.reshape((count + 1) * frames, 3),
        rotations_wxyz=turns.reshape((count + 1) * frames, -1, 4),
        source=None,
    )
    facts = {
        "schema": SCHEMA,
        "frames": frames,
        "axes": [asdict(axis) for axis in family.axes],
        "statuses": list(family.statuses),
        "stages": [list(stage) for stage in family.stages],
        "stage_places_m": family.stage_places_m.tolist(),
        "ground": {"height_m": ground.height_m, "normal": ground.normal.tolist()},
        "contacts": {
            part: np.flatnonzero(family.contacts.column(part)).tolist()
            for part in family.contacts.parts
        },
        "notes": list(family.notes),
    }
    write(path, stacked, also={_MEMBER: json.dumps(facts, separators=(",", ":"))})


def ground_of(environment: Environment) -> Ground:
    """The one ground of a place that a family can be kept with.

    Raises:
        BadValue: more than that, or a belt.
    """
    surfaces = environment.surfaces
    ground = surfaces[0] if len(surfaces) == 1 else None
    if not isinstance(ground, Ground) or ground.belt_velocity_m_s.any():
        allowed = "one ground, level or tilted, that does not move"
        raise BadValue("environment of a family", allowed, "another place")
    return ground


def is_family_file(path: Path) -> bool:
    """Whether it looks like one."""
    if path.suffix.lower() != ".npz":
        return False
    try:
        return _MEMBER in read_members(path, {_MEMBER: "U"}, optional={_MEMBER})
    except PoiseError:
        return False


def load_family(path: str | Path) -> Family:
    """Read a family.

    Raises:
        FileProblem: not a family, or a damaged one.
    """
    path = Path(path)
    text = read_members(path, {_MEMBER: "U"}, optional={_MEMBER}).get(_MEMBER)
    if text is None:
        advice = "Build one with 'poise family build'."
        raise FileProblem(path, "a motion family", "a clip", advice=advice)
    clip = read_clip(path)
    try:
        facts = cast(dict[str, Any], json.loads(str(text[()])))
        if facts["schema"] != SCHEMA:
            raise FileProblem(path, f"a family of schema {SCHEMA}", f"schema {facts['schema']}")
        return _family(clip, facts)
    except FileProblem:
        raise
    except PoiseError as problem:
        raise FileProblem(path, "a consistent family", str(problem).rstrip(".")) from problem
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError) as problem:
        found = f"{type(problem).__name__}: {problem}"
        raise FileProblem(path, f"the usual entries in {_MEMBER}", found) from None


def _family(clip: Clip, facts: dict[str, Any]) -> Family:
    frames, whole = facts["frames"], clip.frame_count
    if not isinstance(frames, int) or not 0 < frames <= whole or whole % frames:
        raise ValueError(f"{frames} frames a member, {whole} in all")
    joints = clip.skeleton.joint_count
    axes = tuple(FamilyAxis(**axis) for axis in facts["axes"])
    parts = tuple(facts["contacts"])
    touching = np.zeros((frames, len(parts)), dtype=np.bool_)
    for column, part in enumerate(parts):
        at = np.array(facts["contacts"][part], dtype=np.int64)
        if ((at < 0) | (at >= frames)).any():
            raise ValueError(f"contacts of {part} outside {frames} frames")
        touching[at, column] = True
    statuses = tuple(facts["statuses"])
    if len(statuses) != whole // frames - 1 or not set(statuses) <= set(get_args(Status)):
        raise ValueError(f"{len(statuses)} statuses of {whole // frames - 1} members")
    stages = tuple((str(kind), int(first), int(stop)) for kind, first, stop in facts["stages"])
    if not all(k in ("ground", "flight") and 0 <= a < b <= frames for k, a, b in stages):
        raise ValueError("stages that are none")
    places = np.array(facts["stage_places_m"], dtype=np.float64)
    if places.ndim != 2 or places.shape[1] != 3:
        raise ValueError("stage_places_m that are none")
    ground = facts["ground"]
    return Family(
        axes,
        clip.sliced(0, frames),
        clip.root_positions_m.reshape(-1, frames, 3)[1:],
        clip.rotations_wxyz.reshape(-1, frames, joints, 4)[1:],
        statuses,
        ContactSchedule(parts, touching, clip.rate_hz),
        stages,
        Environment((Ground(float(ground["height_m"]), np.array(ground["normal"])),)),
        places,
        tuple(str(note) for note in facts["notes"]),
    )


class MemberFolder:
    """Members of a family that is being built, a file each."""

    def __init__(self, family_path: str | Path, edit: Edit, settings: Settings) -> None:
        """Beside the family's file; members of another family there are thrown away.

        Args:
            family_path: where the family will be.
            edit: the leap, and what all members have.
            settings: how they are solved.
        """
        path = Path(family_path)
        self.folder = path.with_name(f"{path.name}.part")
        asked = _fingerprint(edit, settings)
        mark = self.folder / "asked"
        self.started_over = self.folder.is_dir() and (
            not mark.is_file() or mark.read_text(encoding="utf-8") != asked
        )
        if self.started_over:
            rmtree(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        mark.write_text(asked, encoding="utf-8")
        self._clip = edit.clip

    def load(self, index: int) -> Member | None:
        """A member that is there; a damaged one is solved again."""
        path = self._path(index)
        if not path.is_file():
            return None
        try:
            text = read_members(path, {"member_json": "U"}, optional=set())["member_json"]
            facts = json.loads(str(text[()]))
            clip = read_clip(path)
            return Member(
                np.array(clip.root_positions_m), np.array(clip.rotations_wxyz), facts["status"],
                facts["summary"],
            )  # fmt: skip
        except (PoiseError, KeyError, ValueError):
            return None

    def save(self, index: int, member: Member) -> None:
        """Write one member, whole or not at all."""
        clip = replace(
            self._clip,
            root_positions_m=member.roots_m,
            rotations_wxyz=member.rotations_wxyz,
            source=None,
        )
        facts = json.dumps({"status": member.status, "summary": member.summary})
        write(self._path(index), clip, also={"member_json": facts})

    def remove(self) -> None:
        """The family is whole: its members lie in its own file."""
        rmtree(self.folder, ignore_errors=True)

    def _path(self, index: int) -> Path:
        return self.folder / f"{index:05d}.npz"


def _fingerprint(edit: Edit, settings: Settings) -> str:
    """Tells one family from another: everything that its members depend on."""
    clip, character = replace(edit.clip, source=None, history=()), edit.character
    asked = (clip, character.body, character.ranges, edit.environment, edit.contacts)
    return hashlib.sha256(_plain((*asked, tuple(edit.constraints), settings))).hexdigest()


def _plain(value: Any) -> bytes:
    """The same bytes for the same values, arrays and records inside included."""
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(cast(Array, value)).tobytes() + b"|"
    if is_dataclass(value):
        return b"".join(_plain(getattr(value, each.name)) for each in fields(value)) + b"|"
    if isinstance(value, tuple | list):
        return b"".join(_plain(each) for each in cast(Sequence[Any], value)) + b"|"
    return f"{value!r}|".encode()
