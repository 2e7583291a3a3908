"""A recognised figure in an upright pose: where its parts are, and which way it faces."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character.role_geometry import Figure, flattened
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Sites, Skeleton
from poise.errors import UnknownName


class StandingFigure:
    """The skeleton as it stands, with the questions a body model asks of it."""

    def __init__(self, skeleton: Skeleton, roles: Roles) -> None:
        posed = skeleton.standing
        self.skeleton = posed
        self.joints = {role: skeleton.index(name) for role, name in roles.joints.items()}
        self.figure = Figure(posed)
        self.up: Array = self.figure.up(self.joints)
        flat = flattened(roles.forward, self.up)
        if np.linalg.norm(flat) < 1e-6:  # lying along the trunk: any square direction serves
            flat = rotations.rotate(
                rotations.between_vectors(np.array([0.0, 1.0, 0.0]), self.up), [0.0, 0.0, 1.0]
            )
        self.forward: Array = flat / np.linalg.norm(flat)
        self.left: Array = np.cross(self.up, self.forward)

    @property
    def body_axes(self) -> Array:
        """(3, 3) columns: left, up, forward, in the world."""
        return np.stack([self.left, self.up, self.forward], axis=1)

    def place(self, role: str) -> Array:
        """Where a role's joint is."""
        if role not in self.joints:
            raise UnknownName("joint role of this skeleton", role, self.joints)
        return self.figure.positions[self.joints[role]]

    def middle(self, part: str) -> Array:
        """Half way between the left and the right joint of a part."""
        return 0.5 * (self.place(f"left_{part}") + self.place(f"right_{part}"))

    def site(self, sites: Sites, name: str) -> Array | None:
        """Where a named point is in this pose; None when the figure has none."""
        if name not in sites.names:
            return None
        i = sites.index(name)
        joint = int(sites.joints[i])
        turned = rotations.rotate(self.skeleton.rest_world_wxyz[joint], sites.offsets_m[i])
        return self.figure.positions[joint] + turned

    def in_joint(self, joint: int, position_m: Array) -> Array:
        """A place in the pose, seen from a joint's frame."""
        frame = rotations.conjugate(self.skeleton.rest_world_wxyz[joint])
        return rotations.rotate(frame, position_m - self.figure.positions[joint])

    def length(self, side: str, *parts: str) -> float:
        """The length of a chain of roles on one side."""
        places = np.array([self.place(f"{side}_{part}") for part in parts])
        return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())

    @property
    def leg_m(self) -> float:
        """Thigh and shank of the longer leg."""
        return max(self.length(side, "hip", "knee", "ankle") for side in SIDES)

    def spine(self) -> list[int]:
        """The joints of the trunk from the pelvis to the one that carries the arms."""
        pelvis = self.joints["pelvis"]
        chest = self.joints.get("chest")
        if chest is None:
            return [pelvis]
        line = self.figure.path(pelvis, chest)
        if line:
            return line
        # Pelvis and spine side by side under a common root, as some rigs have them.
        meeting = self.figure.meeting_joint(pelvis, chest)
        return [pelvis, *self.figure.path(meeting, chest)[1:]]
