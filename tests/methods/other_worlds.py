"""The same edit in another world: mirrored, elsewhere and facing another way, begun later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from poise import rotations
from poise.constraints import Interval
from poise.contact import ContactSchedule
from poise.mechanics import forward_kinematics
from poise.methods import Edit
from poise.motion import Clip
from tests.methods.patterned import moved

TURN_RAD, SHIFT_M = 2.1, np.array([3.0, 0.0, -1.5])


def other_side(name: str) -> str:
    """What is on the right is on the left, and back."""
    for left, right in (("left", "right"), ("Left", "Right")):
        if left in name:
            return name.replace(left, right)
        if right in name:
            return name.replace(right, left)
    return name


def mirrored(clip: Clip) -> Clip:
    """As in a mirror in the plane x = 0, on a body that is alike on both sides."""
    names = clip.skeleton.joint_names
    across = [names.index(other_side(name)) for name in names]
    np.testing.assert_allclose(
        clip.skeleton.offsets_m[across] * (-1.0, 1.0, 1.0), clip.skeleton.offsets_m, atol=1e-12
    )
    return replace(
        clip,
        root_positions_m=clip.root_positions_m * (-1.0, 1.0, 1.0),
        rotations_wxyz=clip.rotations_wxyz[:, across] * (1.0, 1.0, -1.0, -1.0),
    )


def mirrored_edit(edit: Edit) -> Edit:
    """The clip, the contacts and the constraints in a mirror; not the pattern."""
    contacts = edit.contacts
    if contacts is not None:
        parts = tuple(map(other_side, contacts.parts))
        contacts = ContactSchedule(parts, contacts.touching, contacts.rate_hz)
    signs = {"place_m": (-1.0, 1.0, 1.0), "by_m": (-1.0, 1.0, 1.0), "turn_deg": -1.0}
    asked = [
        _with(each, {key: lambda value, s=s: _times(value, s) for key, s in signs.items()}
              | {key: other_side for key in ("point", "part")})
        for each in edit.constraints
    ]  # fmt: skip
    return replace(edit, clip=mirrored(edit.clip), constraints=asked, contacts=contacts)


def moved_edit(edit: Edit) -> Edit:
    """All of it elsewhere, facing another way; offsets and moves are turned, places moved too."""
    turn = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.float64(TURN_RAD))

    def place(constraint: Any, value: Any) -> tuple[float, ...]:
        shift = SHIFT_M if getattr(constraint, "mode", "absolute") == "absolute" else 0.0
        return tuple((rotations.rotate(turn, np.array(value)) + shift).tolist())

    asked = [
        _with(each, {
            "place_m": lambda value, each=each: place(each, value),
            "by_m": lambda value: tuple(rotations.rotate(turn, np.array(value)).tolist()),
        })
        for each in edit.constraints
    ]  # fmt: skip
    return replace(edit, clip=moved(edit.clip, TURN_RAD, SHIFT_M), constraints=asked)


def shifted_edit(edit: Edit, frames: int) -> Edit:
    """Without the first frames: all that is left happens so much earlier."""
    clip, contacts = edit.clip.sliced(frames, edit.clip.frame_count), edit.contacts
    if contacts is not None:
        contacts = contacts.sliced(frames, contacts.frame_count)
    asked = [
        _with(each, {"interval": lambda when: _earlier(when, frames)}) for each in edit.constraints
    ]
    return replace(edit, clip=clip, constraints=asked, contacts=contacts)


def apart_m(one: Clip, other: Clip, frames: slice = slice(None)) -> float:
    """How far joints are from each other at worst."""
    a, b = (forward_kinematics(clip.skeleton, *clip.pose).positions_m for clip in (one, other))
    return float(np.linalg.norm(a[frames] - b[frames], axis=-1).max())


def _with(record: Any, changes: dict[str, Callable[[Any], Any]]) -> Any:
    assert is_dataclass(record)
    own = {each.name for each in fields(record)} & set(changes)
    return replace(record, **{name: changes[name](getattr(record, name)) for name in own})  # type: ignore[type-var]


def _times(value: Any, factors: float | Sequence[float]) -> Any:
    product = np.array(value) * factors
    return tuple(product.tolist()) if product.ndim else float(product)


def _earlier(when: Interval, frames: int) -> Interval:
    first = max(when.first - frames, 0)
    return Interval(first, when.last - frames, when.ease_in, when.ease_out)
