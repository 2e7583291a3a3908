"""What MuJoCo does not read of the joints of a URDF: how fast they turn, and ranges of no width.

A limit whose ends are the same, or the wrong way round, or that is not there, MuJoCo takes for
none: the joint would turn freely. URDF says that a revolute joint has one, and that an end that is
not stated is zero.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from poise.character import Character
from poise.errors import FileProblem


def with_urdf_limits(character: Character, path: Path, data: bytes) -> Character:
    """A character with the speeds and ranges that its file states.

    Args:
        character: as MuJoCo reads it.
        path: its file, for complaints.
        data: what is in it.

    Raises:
        FileProblem: a limit that is none, by its joint.
    """
    skeleton = character.skeleton
    known = {name: joint for joint, name in enumerate(skeleton.joint_names)}
    speeds = np.full(skeleton.joint_count, np.inf)
    ranges, notes = skeleton.limits_rad.copy(), list[str]()
    for element in _root(path, data).iter("joint"):
        name, kind = element.get("name", ""), element.get("type", "")
        if name not in known:
            continue
        limit = element.find("limit")
        if limit is not None:
            # Zero is URDF's word for unknown.
            stated = _number(path, name, limit, "velocity")
            speeds[known[name]] = stated if stated > 0.0 else np.inf
        if kind != "revolute":
            continue
        low, high = _range(path, name, limit)
        if low == high:
            ranges[known[name], 0] = low, high
            notes.append(f"{name} cannot turn: its limit has no width.")
    return replace(
        character,
        skeleton=replace(skeleton, limits_rad=ranges),
        speed_limits_rad_s=speeds,
        notes=(*character.notes, *notes),
    )


def _root(path: Path, data: bytes) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as problem:
        raise FileProblem(path, "well-formed XML", str(problem)[:120]) from None


def _range(path: Path, name: str, limit: ElementTree.Element | None) -> tuple[float, float]:
    """From the lowest to the highest angle of a revolute joint."""
    if limit is None:
        advice = "If it turns all round, its type is continuous."
        raise FileProblem(path, f"a limit of the revolute joint {name}", "none", advice=advice)
    low, high = (_number(path, name, limit, end) for end in ("lower", "upper"))
    if low > high:
        found = f"{low:g} and {high:g}"
        raise FileProblem(path, f"a lower limit of {name} that is below the upper", found)
    return low, high


def _number(path: Path, name: str, limit: ElementTree.Element, what: str) -> float:
    text = limit.get(what, "0")
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    if np.isnan(number):
        raise FileProblem(path, f"a number for the {what} of {name}", f"{text}"[:80])
    return number
