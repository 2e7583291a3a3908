"""The body of a clip as plain arrays, for files that keep it: a robot's masses, limits and soles.

A robot is what its own file says, and no skeleton tells its masses. So a clip that was put on one
carries it (`Clip.body`), and formats with room for it keep these arrays. Files of strangers come
back through `character_of`, which lets in nothing that a robot file could not say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

import numpy as np

from poise.arrays import Json, RawArray
from poise.character import Body, Character, Roles, Sites, Skeleton
from poise.errors import BadShape, BadValue
from poise.wording import MAX_MAGNITUDE

NUMBERS: dict[str, tuple[str | int, ...]] = {
    "masses_kg": ("J",),
    "centers_m": ("J", 3),
    "inertias_kg_m2": ("J", 3, 3),
    "torque_limits_nm": ("J", 3),
    "speed_limits_rad_s": ("J",),
    "site_offsets_m": ("S", 3),
    "forward": (3,),
}
"""Arrays of a record by the lengths they must have: J joints, S sites."""
WORDS = ("name", "site_names", "site_joints", "role_names", "role_joints", "notes")
"""Lists of texts; sites and roles name their joints, and `name` is a list of one."""
_INFINITE = ("torque_limits_nm", "speed_limits_rad_s")
"""Where a limit that is not known is infinite."""
_MOST_TEXTS = 10_000
_LONGEST_TEXT = 2_000

Record = dict[str, RawArray]


def record_of(body: Character) -> Record:
    """The arrays of a body; without roles, none of them are named."""
    assert body.body is not None
    joints, sites, roles = body.skeleton.joint_names, body.sites, body.roles
    named = {} if roles is None else dict(roles.joints)
    words = {
        "name": [body.name],
        "site_names": sites.names,
        "site_joints": [joints[joint] for joint in sites.joints.tolist()],
        "role_names": list(named),
        "role_joints": list(named.values()),
        "notes": body.notes,
    }
    return {
        "masses_kg": body.body.masses_kg,
        "centers_m": body.body.centers_m,
        "inertias_kg_m2": body.body.inertias_kg_m2,
        "torque_limits_nm": body.torque_limits_nm,
        "speed_limits_rad_s": body.speed_limits_rad_s,
        "site_offsets_m": sites.offsets_m,
        "forward": np.array([0.0, 0.0, 1.0]) if roles is None else roles.forward,
        **{name: np.array(texts, dtype=np.str_).reshape(-1) for name, texts in words.items()},
    }


def character_of(record: Mapping[str, RawArray], skeleton: Skeleton) -> Character:
    """The body again, on the skeleton of its clip.

    Raises:
        PoiseError: arrays of other lengths, joints that there are not, numbers that no body has.
    """
    words = {name: _texts(name, record[name]) for name in WORDS}
    counts = {"J": skeleton.joint_count, "S": len(words["site_names"])}
    for name, shape in NUMBERS.items():
        _check_numbers(name, record[name], tuple(counts.get(str(n), n) for n in shape))
    joints = [skeleton.index(joint) for joint in words["site_joints"]]
    if len(words["role_names"]) != len(words["role_joints"]):
        raise BadValue("body role_joints", "one for each role", len(words["role_joints"]))
    roles = dict(zip(words["role_names"], words["role_joints"], strict=True))
    for joint in roles.values():
        skeleton.index(joint)
    body = Body(record["masses_kg"], record["centers_m"], record["inertias_kg_m2"])
    if not 0.0 < body.total_mass_kg:
        raise BadValue("body masses_kg", "more than zero together", body.total_mass_kg)
    if np.linalg.eigvalsh(body.inertias_kg_m2).min() < -1e-9 * np.abs(body.inertias_kg_m2).max():
        raise BadValue("body inertias_kg_m2", "those of masses", "one with a negative moment")
    return Character(
        skeleton,
        name="".join(words["name"][:1]),
        body=body,
        roles=Roles(roles, record["forward"], "kept with the clip") if roles else None,
        sites=Sites(
            words["site_names"], np.array(joints, dtype=np.int64), record["site_offsets_m"]
        ),
        torque_limits_nm=record["torque_limits_nm"],
        speed_limits_rad_s=record["speed_limits_rad_s"],
        notes=words["notes"],
    )


def _check_numbers(name: str, values: RawArray, shape: tuple[str | int, ...]) -> None:
    if values.shape != shape:
        raise BadShape(f"body {name}", str(shape), values.shape)
    limits = name in _INFINITE
    known = values[np.isfinite(values)] if limits else values
    if np.isnan(values).any() or not (np.abs(known) <= MAX_MAGNITUDE).all():
        raise BadValue(f"body {name}", f"numbers of at most {MAX_MAGNITUDE:g}", "others")
    if limits and (values < 0.0).any():
        raise BadValue(f"body {name}", "zero or more", float(values.min()))


def _texts(name: str, values: RawArray) -> tuple[str, ...]:
    if values.ndim != 1 or len(values) > _MOST_TEXTS:
        raise BadShape(f"body {name}", f"(at most {_MOST_TEXTS} texts)", values.shape)
    texts = tuple(str(text) for text in values)
    if any(len(text) > _LONGEST_TEXT for text in texts):
        raise BadValue(f"body {name}", f"texts of at most {_LONGEST_TEXT} letters", "a longer one")
    return texts


# JSON has no infinity (null stands for it) and no order of joints that other programs would keep.
def as_json(body: Character) -> Json:
    """The record as JSON values, with the names of the joints in whose order it is."""
    record = {"joint_names": np.array(body.skeleton.joint_names), **record_of(body)}
    return {name: _plain(values.tolist()) for name, values in record.items()}


def from_json(value: Json, joint_names: tuple[str, ...]) -> Record:
    """The arrays again, in the order of these joints.

    Raises:
        PoiseError: what is no record, or one of other joints.
    """
    if not isinstance(value, dict):
        raise BadValue("body", "an object", type(value).__name__)
    lacking = [name for name in ("joint_names", *NUMBERS) if name not in value]
    if lacking:
        raise BadValue("body", f"an object with {lacking[0]}", "one without")
    listed = value["joint_names"]
    if not isinstance(listed, list) or sorted(map(str, listed)) != sorted(joint_names):
        raise BadValue("body joint_names", "the joints of the figure", "others")
    order = [list(map(str, listed)).index(name) for name in joint_names]
    record: Record = {}
    for name, shape in NUMBERS.items():
        values = _array(name, value[name], name in _INFINITE)
        record[name] = values[order] if shape[0] == "J" and len(values) == len(order) else values
    for name in WORDS:
        texts = value.get(name, [])  # writers of glTF leave empty lists out
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise BadValue(f"body {name}", "a list of texts", type(texts).__name__)
        record[name] = np.array(texts, dtype=np.str_)
    return record


def _plain(value: object) -> Json:
    if isinstance(value, list):
        return [_plain(item) for item in cast(list[object], value)]
    if isinstance(value, float) and math.isinf(value):
        return None
    return cast(Json, value)


def _array(name: str, value: Json, nullable: bool) -> RawArray:
    """Numbers as an array; what is ragged, too deep or no number is refused."""
    if not isinstance(value, list):
        raise BadValue(f"body {name}", "a list of numbers", type(value).__name__)
    shape, level = list[int](), cast(list[Json], [value])
    while level and all(isinstance(item, list) for item in level) and len(shape) < 3:
        lists = cast(list[list[Json]], level)
        shape.append(len(lists[0]))
        if any(len(item) != shape[-1] for item in lists):
            raise BadValue(f"body {name}", "rows of one length", "others")
        level = [number for item in lists for number in item]
    numbers = [math.inf if item is None and nullable else item for item in level]
    if not all(type(number) in (int, float) for number in numbers):
        raise BadValue(f"body {name}", "numbers", "something else")
    try:
        return np.array(numbers, dtype=np.float64).reshape(shape)
    except OverflowError:
        raise BadValue(f"body {name}", f"numbers of at most {MAX_MAGNITUDE:g}", "others") from None
