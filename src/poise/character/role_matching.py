"""Match names to roles: of all readings of the names, the one that the tree allows.

Limbs: the reading that fills most roles with joints that hang on each other in order (hip above
knee above ankle) and lie at different places. Trunk: the pelvis is where the legs meet, the chest
where the arms meet, spine and neck lie between. This holds for trees rooted anywhere, such as a
robot whose root is its torso.

Several hinges that together make one joint (a robot's hip pitch, roll and yaw) are one group. For
hips, shoulders, elbows and knees the role goes to the hinge whose origin lies nearest to the point
where the axes meet, the last of several equally near, because that is where the limb turns; for
wrists, ankles and the head it goes to the last hinge, because that one carries the hand, the foot
and the head.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.character.role_geometry import Figure
from poise.character.role_names import NameParts, looks_hinged, name_parts
from poise.character.roles import SIDES

LEG = ("hip", "knee", "ankle", "toe")
ARM = ("collar", "shoulder", "elbow", "wrist")

_REQUIRED_PARTS = frozenset({"hip", "knee", "ankle", "shoulder", "elbow"})
_CARRIES_THE_END = frozenset({"wrist", "ankle", "toe", "head"})
_MOST_CANDIDATES = 24
_OVERRIDE_WEIGHT = 1000
_SAME_PLACE_M = 5e-3


def roles_from_names(figure: Figure, fixed: dict[str, int]) -> dict[str, int]:
    """Role to joint, as far as names and tree tell; `fixed` holds what the user has named."""
    return _Search(figure, fixed).joints


@dataclass(frozen=True)
class _Group:
    """One joint of the body: a ball, or the hinges that together make it."""

    members: tuple[int, ...]
    parts: Mapping[str, int]


class _Search:
    """Roles from names, tree and places; `joints` holds the result."""

    def __init__(self, figure: Figure, fixed: dict[str, int]) -> None:
        self.figure = figure
        self.fixed = fixed
        names = figure.skeleton.joint_names
        hinged = "hinge" in figure.skeleton.kinds or looks_hinged(names)
        self.parts = [name_parts(name, hinged=hinged) for name in names]
        self.joints: dict[str, int] = {}
        for side in SIDES:
            for chain in (LEG, ARM):
                self.joints.update(self._limb(side, chain))
        self._trunk()
        self.joints.update(fixed)

    def _limb(self, side: str, chain: tuple[str, ...]) -> dict[str, int]:
        groups = self._groups(side, chain)
        candidates: list[list[tuple[int, _Group, int]]] = []
        for part in chain:
            role = f"{side}_{part}"
            if role in self.fixed:
                group = _Group((self.fixed[role],), {part: _OVERRIDE_WEIGHT})
                candidates.append([(_OVERRIDE_WEIGHT, group, self.fixed[role])])
                continue
            found = [
                (g.parts[part], g, self._representative(g, part)) for g in groups if part in g.parts
            ]
            candidates.append(found[:_MOST_CANDIDATES])
        chosen = self._best_line(chain, candidates)
        return {f"{side}_{part}": joint for part, joint in chosen.items()}

    def _groups(self, side: str, chain: tuple[str, ...]) -> list[_Group]:
        """Joints of one side that a name of this limb fits; hinges with one name in one group."""
        skeleton = self.figure.skeleton
        taken = set(self.fixed.values())
        open_groups: dict[int, list[int]] = {}
        for joint, parts in enumerate(self.parts):
            fits = parts.side == side and any(p in parts.limb_parts for p in chain)
            if not fits or joint in taken or skeleton.kinds[joint] == "fixed":
                continue
            parent = int(skeleton.parents[joint])
            while parent >= 0 and skeleton.kinds[parent] == "fixed":
                parent = int(skeleton.parents[parent])
            same = (
                parent in open_groups
                and skeleton.kinds[joint] == skeleton.kinds[parent] == "hinge"
                and self.parts[parent].key == parts.key
            )
            members = open_groups[parent] if same else []
            members.append(joint)
            open_groups[joint] = members
        unique = {id(members): members for members in open_groups.values()}
        return [_Group(tuple(m), self.parts[m[0]].limb_parts) for m in unique.values()]

    def _representative(self, group: _Group, part: str) -> int:
        members = list(group.members)
        if len(members) == 1 or part in _CARRIES_THE_END:
            return members[-1]
        center = self.figure.hinge_center(members)
        gaps = np.linalg.norm(self.figure.positions[members] - center, axis=1)
        near = np.flatnonzero(gaps <= gaps.min() + _SAME_PLACE_M)
        return members[int(near[-1])]

    def _best_line(
        self, chain: tuple[str, ...], candidates: list[list[tuple[int, _Group, int]]]
    ) -> dict[str, int]:
        """The reading with most required parts, then most weight, each below the one before."""
        best: dict[int, tuple[int, int, dict[str, int]]] = {-1: (0, 0, {})}
        for part, options in zip(chain, candidates, strict=True):
            found = dict(best)
            for weight, group, joint in options:
                for last, (required, total, line) in best.items():
                    if last >= 0 and not self._continues(last, group.members[0], joint):
                        continue
                    new = (
                        required + (part in _REQUIRED_PARTS) + (weight == _OVERRIDE_WEIGHT) * 100,
                        total + weight,
                        {**line, part: joint},
                    )
                    if joint not in found or new[:2] > found[joint][:2]:
                        found[joint] = new
            best = found
        return max(best.values(), key=lambda entry: entry[:2])[2]

    def _continues(self, last: int, first: int, joint: int) -> bool:
        gap = float(np.linalg.norm(self.figure.positions[joint] - self.figure.positions[last]))
        return first != last and self.figure.is_under(first, last) and gap > 1e-4 * self.figure.size

    def _trunk(self) -> None:
        figure, joints = self.figure, self.joints
        parents = figure.skeleton.parents
        pelvis = self._meeting("hip")
        if pelvis is None:
            pelvis = self._first_named("pelvis")
        else:
            line = figure.path(0, pelvis)
            named = [j for j in line if self._trunk_part(j) == "pelvis"]
            pelvis = named[-1] if named else pelvis
        pelvis = self.fixed.get("pelvis", pelvis)
        chest = self._meeting("shoulder")
        while chest is not None and chest > 0 and self._trunk_part(chest) in ("neck", "head"):
            chest = int(parents[chest])  # Biped hangs its clavicles on the neck
        chest = self.fixed.get("chest", chest)
        if pelvis is not None:
            joints["pelvis"] = pelvis
        if chest is not None and chest != pelvis:
            joints["chest"] = chest
            between = [] if pelvis is None else figure.path(pelvis, chest)[1:-1]
            turning = [j for j in between if figure.skeleton.kinds[j] != "fixed"]
            if turning:
                joints["spine"] = turning[0]
        self._head(pelvis if chest is None else chest)

    def _meeting(self, part: str) -> int | None:
        pair = [self.joints.get(f"{side}_{part}") for side in SIDES]
        if pair[0] is None or pair[1] is None:
            return None
        joint = self.figure.meeting_joint(pair[0], pair[1])
        return joint if joint not in pair else None

    def _trunk_part(self, joint: int) -> str | None:
        return self.parts[joint].trunk_part

    def _first_named(self, part: str) -> int | None:
        return next((j for j in range(len(self.parts)) if self._trunk_part(j) == part), None)

    def _head(self, chest: int | None) -> None:
        """Head by name, or the end of the column above the chest; neck: the first below it."""
        if chest is None:
            return
        figure = self.figure
        kinds = figure.skeleton.kinds
        named = [
            j
            for j in range(len(self.parts))
            if self._trunk_part(j) == "head" and kinds[j] != "fixed" and figure.is_under(j, chest)
        ]
        if named:
            head = named[0]
            while kinds[head] == "hinge":
                more = [j for j in named if figure.skeleton.parents[j] == head]
                if not more:
                    break
                head = more[0]
            column = [j for j in figure.path(chest, head)[1:-1] if kinds[j] != "fixed"]
            column = [j for j in column if self._trunk_part(j) != "head"]
            self.joints["head"] = head
        else:
            column = self._column_above(chest)
            if len(column) > 1:
                self.joints["head"] = column.pop()
        if column:
            self.joints["neck"] = column[0]

    def _column_above(self, chest: int) -> list[int]:
        """Joints in the middle, from the chest upwards, when no name says "head"."""
        figure = self.figure
        legs = self.joints.get("pelvis", -1)
        column: list[int] = []
        joint = chest
        while True:
            above = [c for c in figure.skeleton.children[joint] if self._may_be_column(c, legs)]
            named = [c for c in above if self._trunk_part(c) == "neck"]
            above = named or above
            if len(above) != 1:
                return column
            joint = above[0]
            column.append(joint)

    def _may_be_column(self, joint: int, pelvis: int) -> bool:
        parts: NameParts = self.parts[joint]
        movable = self.figure.skeleton.kinds[joint] != "fixed"
        carries_pelvis = pelvis >= 0 and self.figure.is_under(pelvis, joint)
        return movable and parts.side is None and not parts.helper and not carries_pelvis
