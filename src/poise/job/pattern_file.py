"""A pattern in one file.

The file is a clip in Poise's own format, the mean motion, with the components, their variances and
the motions' coefficients as plain arrays beside it, and the rest as JSON: `numpy.load` alone is
enough to use it.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from poise.character import Attachment
from poise.errors import FileProblem, PoiseError
from poise.formats import read_clip, read_members, write
from poise.methods.pattern import EventRule, Example, Pattern, Placing, Warp
from poise.motion import Clip

SCHEMA = 1
_FACTS = "pattern_json"
_ARRAYS = ("components", "variances", "coefficients", "mean_joints_m")


def save_pattern(pattern: Pattern, path: str | Path) -> None:
    """Write a pattern.

    Raises:
        FileProblem: what the system refuses.
    """
    mean = Clip(
        pattern.skeleton, pattern.rate_hz, pattern.mean_roots_m, pattern.mean_wxyz,
        name="mean motion",
    )  # fmt: skip
    facts = {
        "schema": SCHEMA,
        "examples": [_example_facts(example) for example in pattern.examples],
        "events": [list(event) for event in pattern.events],
        "rules": [asdict(rule) for rule in pattern.rules],
        "span": list(pattern.span),
        "tools": [
            {
                "name": tool.name, "on": tool.on, "mass_kg": tool.mass_kg,
                "place_m": np.asarray(tool.place_m).tolist(), "radius_m": tool.radius_m,
            }
            for tool in pattern.tools
        ],
        "used": pattern.used,
        "notes": list(pattern.notes),
    }  # fmt: skip
    arrays = {name: np.asarray(getattr(pattern, name)) for name in _ARRAYS}
    write(Path(path), mean, also={_FACTS: json.dumps(facts, separators=(",", ":")), **arrays})


def is_pattern_file(path: Path) -> bool:
    """Whether it looks like one: only the archive's directory is read."""
    try:
        with ZipFile(path) as archive:
            return f"{_FACTS}.npy" in archive.namelist()
    except (OSError, ValueError, BadZipFile, NotImplementedError):
        return False


def load_pattern(path: str | Path) -> Pattern:
    """Read a pattern.

    Raises:
        FileProblem: not a pattern, or a damaged one.
    """
    path = Path(path)
    kinds = {_FACTS: "U", **dict.fromkeys(_ARRAYS, "f")}
    members = read_members(path, kinds, optional=set(kinds))
    if _FACTS not in members:
        advice = "Learn one with 'poise pattern learn'."
        raise FileProblem(path, "a pattern", "a clip", advice=advice)
    missing = [name for name in _ARRAYS if name not in members]
    if missing:
        raise FileProblem(path, f"a member '{missing[0]}.npy'", "none")
    clip = read_clip(path)
    try:
        facts = cast(dict[str, Any], json.loads(str(members[_FACTS][()])))
        if facts["schema"] != SCHEMA:
            raise FileProblem(path, f"a pattern of schema {SCHEMA}", f"schema {facts['schema']}")
        return _pattern(clip, facts, members)
    except FileProblem:
        raise
    except PoiseError as problem:
        raise FileProblem(path, "a consistent pattern", str(problem).rstrip(".")) from problem
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError) as problem:
        found = f"{type(problem).__name__}: {problem}"
        raise FileProblem(path, f"the usual entries in {_FACTS}", found) from None


def _pattern(clip: Clip, facts: dict[str, Any], members: dict[str, NDArray[Any]]) -> Pattern:
    first, last = facts["span"]
    return Pattern(
        clip.skeleton,
        clip.rate_hz,
        clip.root_positions_m,
        clip.rotations_wxyz,
        members["mean_joints_m"],
        members["components"],
        members["variances"],
        members["coefficients"],
        tuple(_example(each) for each in facts["examples"]),
        tuple((str(name), int(frame)) for name, frame in facts["events"]),
        tuple(EventRule(**rule) for rule in facts["rules"]),
        (None if first is None else str(first), None if last is None else str(last)),
        tuple(Attachment(**tool) for tool in facts["tools"]),
        int(facts["used"]),
        tuple(str(note) for note in facts["notes"]),
    )


def _example_facts(example: Example) -> dict[str, Any]:
    return {
        "name": example.name,
        "rate_hz": example.rate_hz,
        "frame_count": example.frame_count,
        "normal": example.warp.normal.tolist(),
        "own": example.warp.own.tolist(),
        "placing": asdict(example.placing),
        "away_deg": example.away_deg,
    }


def _example(facts: dict[str, Any]) -> Example:
    placing = facts["placing"]
    return Example(
        str(facts["name"]),
        float(facts["rate_hz"]),
        int(facts["frame_count"]),
        Warp(np.array(facts["normal"], dtype=np.float64), np.array(facts["own"], dtype=np.float64)),
        Placing(float(placing["turn_rad"]), _three(placing["from_m"]), _three(placing["to_m"])),
        float(facts["away_deg"]),
    )


def _three(values: Any) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
