"""A pattern: the mean of motions of one behaviour, and the ways in which they differ (Eq. 3, 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, frozen_array
from poise.character import Attachment, Character, Skeleton, with_attachments
from poise.errors import BadShape, BadValue, UnknownName
from poise.methods.motion_alignment import Placing, Warp

EventKind = Literal["fastest", "slowest", "highest", "lowest", "starts", "stops"]
KINDS: tuple[EventKind, ...] = get_args(EventKind)


@dataclass(frozen=True)
class EventRule:
    """How an event is found."""

    name: str
    kind: EventKind
    """`fastest`, `slowest`, `highest`, `lowest`: where the point is so. `starts`, `stops`: where it
    leaves, or comes to, rest."""
    point: str
    """A site, joint or role."""
    near: EventKind | None = None
    """Only within a quarter of a second of where the same point is so: lowest near fastest."""
    after: str | None = None
    """Only after this event."""
    before: str | None = None
    """Only before this event."""

    def __post_init__(self) -> None:
        for field in ("name", "point", "after", "before"):
            value: object = getattr(self, field)
            if value is None and field in ("after", "before"):
                continue
            if not isinstance(value, str) or not value:
                raise BadValue(f"{field} of an event", "some text", value)
        if self.kind not in KINDS:
            raise UnknownName("kind of event", str(self.kind), KINDS)
        if self.near is not None and self.near not in KINDS[:4]:
            raise UnknownName("extreme to be near", str(self.near), KINDS[:4])
        if self.near is not None and self.kind in ("starts", "stops"):
            raise BadValue(f"near of event '{self.name}'", "left out beside starts and stops", "it")


@dataclass(frozen=True, eq=False)
class Example:
    """A clip that the pattern was learned from: how it was made to fit the others."""

    name: str
    rate_hz: float
    frame_count: int
    warp: Warp
    placing: Placing
    away_deg: float
    """How its joints are turned against the mean motion's: root mean square."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """Motions near Ψ = Ψ₀ + Σ αᵢ Eᵢ (Eq. 3), on one skeleton, at one rate."""

    skeleton: Skeleton
    rate_hz: float
    mean_roots_m: Array
    """(N, 3) of the mean motion Ψ₀, in the pattern's own room."""
    mean_wxyz: Array
    """(N, J, 4)"""
    mean_joints_m: Array
    """(N, J, 3) the mean of where the examples' joints are: what a clip is placed by."""
    components: Array
    """(m, N, 1 + J, 3) E: all there are, orthonormal, greatest variance first."""
    variances: Array
    """(m,) λ of Eq. 4."""
    coefficients: Array
    """(M, m) α of the examples."""
    examples: tuple[Example, ...]
    events: tuple[tuple[str, int], ...] = ()
    """Names and frames, in order of time."""
    rules: tuple[EventRule, ...] = ()
    """How events are found in other clips; none where they were given."""
    span: tuple[str | None, str | None] = (None, None)
    """Between which events a clip belongs to the pattern; None: the clip's first or last frame."""
    tools: tuple[Attachment, ...] = ()
    """What is held in a hand, with a site at its head."""
    used: int = 1
    """How many components an edit uses, unless told otherwise."""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        frames, joints = len(self.mean_roots_m), self.skeleton.joint_count
        count, clips = len(self.variances), len(self.examples)
        put = object.__setattr__
        shapes = {
            "mean_roots_m": (frames, 3),
            "mean_wxyz": (frames, joints, 4),
            "mean_joints_m": (frames, joints, 3),
            "components": (count, frames, 1 + joints, 3),
            "variances": (count,),
            "coefficients": (clips, count),
        }
        for name, shape in shapes.items():
            put(self, name, frozen_array(name, getattr(self, name), shape))
        if not 1 <= self.used <= count:
            raise BadValue("used", f"from 1 to {count} components", self.used)
        if (self.variances <= 0).any() or (np.diff(self.variances) > 0).any():
            raise BadValue("variances", "above zero, in descending order", self.variances.tolist())
        frames_of = [frame for _, frame in self.events]
        if frames_of != sorted(set(frames_of)) or any(not 0 <= f < frames for f in frames_of):
            raise BadValue("events", f"ascending frames from 0 to {frames - 1}", self.events)
        if np.abs(self.components).max(initial=0.0) > 1.0 + 1e-6:
            raise BadValue("components", "of length one", "longer ones")
        lengths = np.linalg.norm(self.components.reshape(count, -1), axis=1)
        if np.abs(lengths - 1.0).max(initial=0.0) > 1e-6:
            raise BadValue("components", "of length one", lengths.tolist())
        if np.abs(self.coefficients).max(initial=0.0) > _LARGEST:
            raise BadValue("coefficients", f"at most {_LARGEST:g}", "larger ones")
        names = [name for name, _ in self.events]
        ruled = [n for rule in self.rules for n in (rule.name, rule.after, rule.before)]
        for what, used in (("rules", ruled), ("span", self.span)):
            for name in used:
                if name is not None and name not in names:
                    raise UnknownName("event", str(name), names, advice=f"Asked for by {what}.")
        if self.rules and len(self.rules) != len(self.events):
            raise BadValue("rules", "one for every event, or none", len(self.rules))
        for example in self.examples:
            if not np.array_equal(example.warp.normal, self.knots):
                allowed = f"at the pattern's events ({self.knots.tolist()})"
                raise BadValue(f"warp of {example.name}", allowed, example.warp.normal.tolist())

    @property
    def frame_count(self) -> int:
        """N."""
        return len(self.mean_roots_m)

    @property
    def shares(self) -> Array:
        """(m,) the share of the variance that the first i + 1 components explain (Eq. 4)."""
        return np.cumsum(self.variances) / self.variances.sum()

    @property
    def deviations(self) -> Array:
        """(m,) of the examples along each component."""
        return np.sqrt(self.variances)

    def furthest(self, count: int) -> float:
        """How far the examples go from the mean, in deviations over the first components."""
        scaled = self.coefficients[:, :count] / self.deviations[:count]
        return float(np.linalg.norm(scaled, axis=1).max())

    def components_for(self, share: float) -> int:
        """How many components explain at least this share of the variance.

        Raises:
            BadValue: not a share.
        """
        if not 0.0 < share <= 1.0:
            raise BadValue("share", "above 0, at most 1", share)
        return int(np.searchsorted(self.shares, share - 1e-12)) + 1

    @cached_property
    def varying(self) -> NDArray[np.bool_]:
        """(1 + J,) whether the root's place, and each joint, differs between the motions at all."""
        largest = np.abs(self.components).max(axis=(1, 3)) * self.deviations[:, None]
        return largest.max(axis=0) > _ROUNDING

    @cached_property
    def knots(self) -> Array:
        """Frames of the pattern at which all motions are at the same moment."""
        inner = [frame for _, frame in self.events]
        return np.array(sorted({0, *inner, self.frame_count - 1}), dtype=np.float64)

    def with_tools(self, character: Character) -> Character:
        """The character with what the examples hold, where it does not hold it already."""
        held = [tool for tool in self.tools if tool.name not in character.sites.names]
        return with_attachments(character, held)

    def check_skeleton(self, skeleton: Skeleton, whose: str) -> None:
        """Raise unless a skeleton is that of the pattern, joint by joint.

        Raises:
            BadShape, BadValue: which joints differ.
        """
        check_same(self.skeleton, skeleton, whose, "the pattern")


_LARGEST = 1e6
_ROUNDING = 1e-9
"""Metres or radians by which nothing differs."""
_SAME_LENGTH = 0.02
"""Bones of one body, told by two files, differ by less than this share."""


def check_same(wanted: Skeleton, skeleton: Skeleton, whose: str, like: str) -> None:
    """Raise unless two skeletons have the same joints and bones.

    Raises:
        BadShape: another number of joints.
        BadValue: a joint of another name, another parent, or a bone of another length.
    """
    if skeleton.joint_count != wanted.joint_count:
        words = f"{wanted.joint_count} joints like {like}"
        raise BadShape(f"skeleton of {whose}", f"({words})", (skeleton.joint_count,))
    for j, name in enumerate(wanted.joint_names):
        if skeleton.joint_names[j] != name or skeleton.parents[j] != wanted.parents[j]:
            raise BadValue(
                f"joint {j} of {whose}", f"'{name}' as in {like}", skeleton.joint_names[j]
            )
    lengths = np.linalg.norm(wanted.offsets_m[1:], axis=1)
    apart = np.linalg.norm(skeleton.offsets_m[1:] - wanted.offsets_m[1:], axis=1)
    worst = int((apart - _SAME_LENGTH * lengths).argmax()) if len(apart) else 0
    if len(apart) and apart[worst] > _SAME_LENGTH * lengths[worst] + 1e-6:
        raise BadValue(
            f"bone to '{wanted.joint_names[worst + 1]}' of {whose}",
            f"as in {like} (put all motions on one body first)",
            f"{100 * apart[worst]:.1f} cm off",
        )
