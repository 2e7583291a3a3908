"""Segment masses, centres and radii of gyration from published tables, as data.

de Leva 1996 (J. Biomechanics 29:1223-1230, table 4; gamma-ray scans of living young adults, given
from joint centre to joint centre) for men and women, and Winter 1990 (Biomechanics and Motor
Control of Human Movement, second edition, table 3.1; after Dempster's cadavers).

Winter gives one radius per limb, about the axes across it, and none for the trunk, for the head
about its own middle, or about the long axis. Those are de Leva's, both sexes averaged. Winter's
head centre lies at the ear canal, which is half way from C7 to the crown. His trunk is one piece,
with its centre half way from hip to shoulder: his rows for thorax, abdomen and pelvis alone add up
to a centre ten centimetres higher than his rows for the trunk and for trunk, head and arms do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from poise.character.role_sites import HEEL_BEHIND_ANKLE, TOES_BEYOND_BALL
from poise.errors import UnknownName

Sex = Literal["male", "female", "average"]
SEXES: tuple[Sex, ...] = ("male", "female", "average")

Landmark = Literal[
    "hip", "knee", "ankle", "heel", "ball", "toe_tip", "shoulder", "elbow", "wrist", "knuckles",
    "hand_tip", "crown", "c7", "trunk",
]  # fmt: skip
"""Where a segment begins and ends; the parts of the trunk lie one after the other along `trunk`."""


@dataclass(frozen=True)
class Segment:
    """One row: shares of body mass and of the segment's own length."""

    ends: tuple[Landmark, Landmark]
    """Proximal and distal end; the centre is measured from the first."""
    mass: float
    """Share of the whole body, one side."""
    center: float
    """Share of the length from the proximal end."""
    radii: tuple[float, float, float]
    """About the front-to-back axis, the left-to-right axis and the long axis, per length, through
    the centre."""


@dataclass(frozen=True)
class Anthropometry:
    """One table: the segments, and the lengths that place the trunk's parts and the head."""

    source: str
    segments: Mapping[str, Segment]
    trunk: Mapping[str, float]
    """The parts of the trunk from mid-hip to C7 and their shares of that length, adding to one.
    Their centres are measured from their tops."""
    c7_per_shoulder_height: float
    """Mid-hip to C7 over mid-hip to mid-shoulder."""
    head_per_leg: float
    """C7 to crown over thigh and shank."""


PAIRED = ("upper_arm", "forearm", "hand", "thigh", "shank", "foot")
"""Segments that a body has two of."""

KNUCKLES_PER_HAND = 86.2 / 189.9
"""Wrist to third knuckle over wrist to finger tip (de Leva 1996, men)."""

ANKLE_TO_BALL_PER_FOOT = 1 / (1 + HEEL_BEHIND_ANKLE + TOES_BEYOND_BALL)
"""Ankle to ball over heel to toe tip, by the proportions that place those points."""

_ENDS: dict[str, tuple[Landmark, Landmark]] = {
    "head": ("crown", "c7"),
    "upper_trunk": ("trunk", "trunk"),
    "middle_trunk": ("trunk", "trunk"),
    "lower_trunk": ("trunk", "trunk"),
    "trunk": ("trunk", "trunk"),
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
    "hand": ("wrist", "hand_tip"),
    "thigh": ("hip", "knee"),
    "shank": ("knee", "ankle"),
    "foot": ("heel", "toe_tip"),
}

_TRUNK = ("lower_trunk", "middle_trunk", "upper_trunk")
# Mass, centre and the three radii in percent, as printed.
_Rows = dict[str, tuple[float, float, float, float, float]]
_DE_LEVA_MALE: _Rows = {
    "head": (6.94, 50.02, 30.3, 31.5, 26.1),
    "upper_trunk": (15.96, 50.66, 50.5, 32.0, 46.5),
    "middle_trunk": (16.33, 45.02, 48.2, 38.3, 46.8),
    "lower_trunk": (11.17, 61.15, 61.5, 55.1, 58.7),
    "upper_arm": (2.71, 57.72, 28.5, 26.9, 15.8),
    "forearm": (1.62, 45.74, 27.6, 26.5, 12.1),
    "hand": (0.61, 36.24, 28.8, 23.5, 18.4),
    "thigh": (14.16, 40.95, 32.9, 32.9, 14.9),
    "shank": (4.33, 43.95, 25.1, 24.6, 10.2),
    "foot": (1.37, 44.15, 25.7, 24.5, 12.4),
}
_DE_LEVA_FEMALE: _Rows = {
    "head": (6.68, 48.41, 27.1, 29.5, 26.1),
    "upper_trunk": (15.45, 50.50, 46.6, 31.4, 44.9),
    "middle_trunk": (14.65, 45.12, 43.3, 35.4, 41.5),
    "lower_trunk": (12.47, 49.20, 43.3, 40.2, 44.4),
    "upper_arm": (2.55, 57.54, 27.8, 26.0, 14.8),
    "forearm": (1.38, 45.59, 26.1, 25.7, 9.4),
    "hand": (0.56, 34.27, 24.4, 20.8, 15.4),
    "thigh": (14.78, 36.12, 36.9, 36.4, 16.2),
    "shank": (4.81, 43.52, 26.7, 26.3, 9.2),
    "foot": (1.29, 40.14, 29.9, 27.9, 13.9),
}
# Millimetres, from the same table: lower, middle, upper trunk; mid-hip to mid-shoulder; C7 to
# crown; thigh and shank.
_DE_LEVA_LENGTHS_MM = {
    "male": ((145.7, 215.5, 242.1), 515.5, 242.9, 422.2 + 440.3),
    "female": ((181.5, 205.3, 228.0), 497.9, 243.7, 368.5 + 438.6),
}


def anthropometry(table: str = "de_leva", sex: str = "average") -> Anthropometry:
    """A table by name: "de_leva" or "winter", and "male", "female" or "average".

    Winter does not tell the sexes apart.
    """
    if table not in TABLES:
        raise UnknownName("anthropometric table", table, TABLES)
    if sex not in SEXES:
        raise UnknownName("sex of an anthropometric table", sex, SEXES)
    return _WINTER if table == "winter" else _DE_LEVA[sex]


TABLES = ("de_leva", "winter")
"""Names that `anthropometry` knows."""


def _de_leva(rows: _Rows, sex: str) -> Anthropometry:
    total = sum(row[0] * (2 if name in PAIRED else 1) for name, row in rows.items())
    segments = {
        name: Segment(_ENDS[name], mass / total, center / 100, (a / 100, b / 100, c / 100))
        for name, (mass, center, a, b, c) in rows.items()
    }
    trunk, shoulders, head, leg = _DE_LEVA_LENGTHS_MM[sex]
    length = sum(trunk)
    return Anthropometry(
        f"de Leva 1996, {sex}",
        segments,
        {name: part / length for name, part in zip(_TRUNK, trunk, strict=True)},
        length / shoulders,
        head / leg,
    )


def _averaged(a: Anthropometry, b: Anthropometry) -> Anthropometry:
    def segment(name: str) -> Segment:
        x, y = a.segments[name], b.segments[name]
        radii = [0.5 * (p + q) for p, q in zip(x.radii, y.radii, strict=True)]
        return Segment(
            x.ends,
            0.5 * (x.mass + y.mass),
            0.5 * (x.center + y.center),
            (radii[0], radii[1], radii[2]),
        )

    return Anthropometry(
        "de Leva 1996, men and women averaged",
        {name: segment(name) for name in a.segments},
        {name: 0.5 * (a.trunk[name] + b.trunk[name]) for name in a.trunk},
        0.5 * (a.c7_per_shoulder_height + b.c7_per_shoulder_height),
        0.5 * (a.head_per_leg + b.head_per_leg),
    )


_MALE, _FEMALE = _de_leva(_DE_LEVA_MALE, "male"), _de_leva(_DE_LEVA_FEMALE, "female")
_DE_LEVA = {"male": _MALE, "female": _FEMALE, "average": _averaged(_MALE, _FEMALE)}

# Mass, centre, and the radius across the segment (zero: none is given). The trunk's centre is half
# way up to the shoulders, here measured down from C7.
_WINTER_ROWS: dict[str, tuple[float, float, float]] = {
    "head": (0.081, 0.5, 0.0),
    "trunk": (0.497, 1.0 - 0.5 / _DE_LEVA["average"].c7_per_shoulder_height, 0.0),
    "upper_arm": (0.028, 0.436, 0.322),
    "forearm": (0.016, 0.430, 0.303),
    "hand": (0.006, 0.506, 0.297),
    "thigh": (0.100, 0.433, 0.323),
    "shank": (0.0465, 0.433, 0.302),
    "foot": (0.0145, 0.5, 0.475),
}
_WINTER_ENDS: dict[str, tuple[Landmark, Landmark]] = {
    "hand": ("wrist", "knuckles"),
    "foot": ("ankle", "ball"),
}
_WHOLE_TRUNK_RADII = (0.3175, 0.299, 0.158)
"""de Leva's trunk from C7 to mid-hip: men 32.8, 30.6, 16.9 and women 30.7, 29.2, 14.7 averaged."""


def _winter() -> Anthropometry:
    usual = _DE_LEVA["average"]

    def segment(name: str) -> Segment:
        mass, center, radius = _WINTER_ROWS[name]
        theirs = usual.segments.get(name)
        front, side, long = _WHOLE_TRUNK_RADII if theirs is None else theirs.radii
        if name in _WINTER_ENDS:  # nearer ends than de Leva's, so larger shares of the length
            long /= KNUCKLES_PER_HAND if name == "hand" else ANKLE_TO_BALL_PER_FOOT
        if radius:
            front = side = radius
        return Segment(_WINTER_ENDS.get(name, _ENDS[name]), mass, center, (front, side, long))

    return replace(
        usual,
        source="Winter 1990",
        segments={name: segment(name) for name in _WINTER_ROWS},
        trunk={"trunk": 1.0},
    )


_WINTER = _winter()
