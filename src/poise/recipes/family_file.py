"""A motion family in one file, and its members while it is being built.

The file is a clip in Poise's own format, all members one after the other, with what makes a family
of them as JSON beside it: `numpy.load` alone is enough to use it. While a family is built, each
member lies in a folder beside the file, so that what is interrupted can be gone on with.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from shutil import rmtree
from typing import Any, cast

import numpy as np

from poise.constraints import Constraint, StageEdit
from poise.contact import ContactSchedule
from poise.environment import Environment, Ground
from poise.errors import BadValue, FileProblem, PoiseError
from poise.formats.npz import read_clip, write
from poise.formats.npz_members import read_members
from poise.methods.momentum.family import Family, Member
from poise.methods.momentum.family_axes import FamilyAxis
from poise.methods.momentum.settings import Settings
from poise.motion import Clip

SCHEMA = 1
_MEMBER = "family_json"


def save_family(family: Family, path: str | Path) -> None:
    """Write a family.

    Raises:
        BadValue: a place that is more than a floor, which the file does not hold.
        FileProblem: what the system refuses.
    """
    path = Path(path)
    surfaces = family.environment.surfaces
    if len(surfaces) != 1 or not isinstance(surfaces[0], Ground):
        raise BadValue("environment of a family", "one level or tilted ground", "another place")
    ground = surfaces[0]
    count, frames = family.roots_m.shape[:2]
    stacked = replace(
        family.clip,
        root_positions_m=family.roots_m.reshape(count * frames, 3),
        rotations_wxyz=family.rotations_wxyz.reshape(count * frames, -1, 4),
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
    except (KeyError, TypeError, ValueError, RecursionError) as problem:
        found = f"{type(problem).__name__}: {problem}"
        raise FileProblem(path, f"the usual entries in {_MEMBER}", found) from None


def _family(clip: Clip, facts: dict[str, Any]) -> Family:
    frames = int(facts["frames"])
    joints = clip.skeleton.joint_count
    axes = tuple(FamilyAxis(**axis) for axis in facts["axes"])
    parts = tuple(facts["contacts"])
    touching = np.zeros((frames, len(parts)), dtype=np.bool_)
    for column, part in enumerate(parts):
        touching[np.array(facts["contacts"][part], dtype=np.int64), column] = True
    ground = facts["ground"]
    return Family(
        axes,
        clip.sliced(0, frames),
        clip.root_positions_m.reshape(-1, frames, 3),
        clip.rotations_wxyz.reshape(-1, frames, joints, 4),
        tuple(facts["statuses"]),
        ContactSchedule(parts, touching, clip.rate_hz),
        tuple((str(kind), int(first), int(stop)) for kind, first, stop in facts["stages"]),
        Environment((Ground(float(ground["height_m"]), np.array(ground["normal"])),)),
        np.array(facts["stage_places_m"]),
        tuple(str(note) for note in facts["notes"]),
    )


class MemberFolder:
    """Members of a family that is being built, a file each."""

    def __init__(
        self,
        family_path: str | Path,
        clip: Clip,
        constraints: Sequence[Constraint | StageEdit],
        settings: Settings,
    ) -> None:
        """Beside the family's file; members of another family there are thrown away.

        Args:
            family_path: where the family will be.
            clip: the leap.
            constraints: what all members have.
            settings: how they are solved.
        """
        path = Path(family_path)
        self.folder = path.with_name(f"{path.name}.part")
        asked = _fingerprint(clip, constraints, settings)
        mark = self.folder / "asked"
        self.started_over = self.folder.is_dir() and (
            not mark.is_file() or mark.read_text(encoding="utf-8") != asked
        )
        if self.started_over:
            rmtree(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        mark.write_text(asked, encoding="utf-8")
        self._clip = clip

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


def _fingerprint(
    clip: Clip, constraints: Sequence[Constraint | StageEdit], settings: Settings
) -> str:
    found = hashlib.sha256()
    for array in (clip.root_positions_m, clip.rotations_wxyz, clip.skeleton.offsets_m):
        found.update(np.ascontiguousarray(array).tobytes())
    found.update(repr((clip.rate_hz, list(constraints), settings)).encode("utf-8"))
    return found.hexdigest()
