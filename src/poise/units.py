"""Lengths and axes at the border: inside there are only metres and Y up.

A file that does not state its unit gets one by the rule written here; whoever applies the rule
says so aloud and lets the user override it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.errors import BadValue, UnknownName

INCH_M = 0.0254
CMU_UNIT_M = INCH_M / 0.45
"""The ASF header of the CMU library says `length 0.45`: one file unit is 1/0.45 inch."""

UNITS_M = {
    "m": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "in": INCH_M,
    "cmu": CMU_UNIT_M,
}

GIVEN = "given by the user"
"""The reason of a unit or axis that a user named; no rule overrides it."""

PLAUSIBLE_STATURE_M = (0.9, 2.4)
"""From a four-year-old, or a skeleton without its head, to a tall adult with raised arms."""

_DETECTION_ORDER = ("m", "cm", "mm", "cmu", "in")


@dataclass(frozen=True)
class Unit:
    """A length unit and why it was chosen."""

    name: str
    metres: float
    reason: str
    """One of: stated by the file, given by the user, or the rule that found it."""

    def __repr__(self) -> str:
        return f"<Unit {self.name}: {self.metres:g} m, {self.reason}>"


def unit_called(name: str, reason: str = GIVEN) -> Unit:
    """A unit by name (`cm`), or by its size in metres (`0.0564`)."""
    if name in UNITS_M:
        return Unit(name, UNITS_M[name], reason)
    try:
        metres = float(name)
    except ValueError:
        raise UnknownName(
            "unit", name, UNITS_M, advice="A number means metres per file unit."
        ) from None
    if not (np.isfinite(metres) and metres > 0):
        raise BadValue("unit", "a positive number of metres", name)
    return Unit(f"{metres:g} m", metres, reason)


def detect_unit(stature_file_units: float) -> Unit:
    """The unit in which a figure of this height is as tall as a person.

    The ranges of the candidates do not overlap except `cmu` and `in` between 36 and 43 file
    units; there `cmu` wins, because inches that small would be an infant.
    """
    low, high = PLAUSIBLE_STATURE_M
    for name in _DETECTION_ORDER:
        height_m = stature_file_units * UNITS_M[name]
        if low <= height_m <= high:
            found = f"{stature_file_units:.4g} units from end to end are {height_m:.2f} m in {name}"
            reason = f"detected: {found}"
            return Unit(name, UNITS_M[name], reason)
    reason = (
        f"assumed: {stature_file_units:.4g} units from end to end are human-sized in none of "
        f"{', '.join(_DETECTION_ORDER)}"
    )
    return Unit("m", 1.0, reason)


UP_AXES = ("y", "z")

_HALF_ROOT = float(np.sqrt(0.5))


def world_from_file_wxyz(up: str) -> Array:
    """The rotation that brings a file's axes to ours (Y up): identity, or -90 degrees about X."""
    if up == "y":
        return np.array([1.0, 0.0, 0.0, 0.0])
    if up == "z":
        return np.array([_HALF_ROOT, -_HALF_ROOT, 0.0, 0.0])
    raise UnknownName("up axis", up, UP_AXES)
