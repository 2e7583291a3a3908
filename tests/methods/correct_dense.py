"""The motion optimizer's problem put together once more, densely and in plain numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.problem import ANCHOR_WEIGHT, Contacts
from poise.methods.correct.settings import Settings


class Rows:
    """Rows w·A of Eq. 3, kind by kind."""

    def __init__(self, mesh: Mesh, frames: int, settings: Settings, contacts: Contacts) -> None:
        self.mesh, self.frames, self.settings, self.contacts = mesh, frames, settings, contacts
        self.bone = settings.bone_weight * self._every_frame(
            [{int(a): 1.0, int(b): -1.0} for a, b in mesh.bones]
        )
        self.pose = self._pose()
        self.trajectory = settings.trajectory_weight * self._trajectory()
        self.ground = settings.contact_weight * self._ground()
        self.still = settings.contact_weight * self._still()
        self.center = settings.balance_weight * self._along_time([dict(enumerate(mesh.shares))])
        self.anchor = ANCHOR_WEIGHT * np.eye(frames * mesh.vertex_count)

    @property
    def matrix(self) -> Array:
        """AᵀA."""
        contact = (self.ground, self.still)
        kinds = (self.bone, self.pose, self.trajectory, *contact, self.center, self.anchor)
        stacked = np.concatenate(kinds)
        return stacked.T @ stacked

    def _row(self, entries: dict[tuple[int, int], float]) -> Array:
        row = np.zeros((self.frames, self.mesh.vertex_count))
        for place, value in entries.items():
            row[place] += value
        return row.reshape(-1)

    def _stack(self, rows: Sequence[Array]) -> Array:
        return np.array(rows).reshape(-1, self.frames * self.mesh.vertex_count)

    def _every_frame(self, wanted: Sequence[dict[int, float]]) -> Array:
        return self._stack(
            [
                self._row({(t, v): value for v, value in row.items()})
                for t in range(self.frames)
                for row in wanted
            ]
        )

    def _along_time(self, wanted: Sequence[dict[int, float]]) -> Array:
        return self._stack(
            [
                self._row(
                    {
                        (t + step, v): factor * value
                        for v, value in row.items()
                        for step, factor in ((-1, 1.0), (0, -2.0), (1, 1.0))
                    }
                )
                for t in range(1, self.frames - 1)
                for row in wanted
            ]
        )

    def _pose(self) -> Array:
        seen: set[tuple[int, frozenset[int]]] = set()
        rows: list[dict[int, float]] = []
        for limb in self.mesh.limbs:
            for i, v in enumerate(limb):
                sides = frozenset((limb[i - 1], limb[(i + 1) % len(limb)]))
                if len(limb) > 2 and (v, sides) not in seen:
                    seen.add((v, sides))
                    rows.append({v: 1.0, **dict.fromkeys(sides, -0.5)})
            if len(limb) == 2:
                rows.append({limb[1]: 1.0, limb[0]: -1.0})
        soft = self.settings.pose_weight * self._every_frame(rows)
        tied = [{int(a): 1.0, int(b): -1.0} for a, b in self.mesh.extra_edges]
        return np.concatenate([soft, self.settings.bone_weight * self._every_frame(tied)])

    def _trajectory(self) -> Array:
        rows = [
            self._row({(t - 1, v): 0.5, (t, v): -1.0, (t + 1, v): 0.5})
            for t in range(1, self.frames - 1)
            for v in range(self.mesh.vertex_count)
            if not self.contacts[t, self.mesh.contact_vertex == v].any()
        ]
        return self._stack(rows)

    def _ground(self) -> Array:
        """One row for every contact, on the surface."""
        at = self.mesh.contact_vertex
        return self._stack(
            [self._row({(int(t), int(at[b])): 1.0}) for t, b in np.argwhere(self.contacts)]
        )

    def _still(self) -> Array:
        """One row for every frame that a contact goes on from the one before."""
        at = self.mesh.contact_vertex
        return self._stack(
            [
                self._row({(int(t) + 1, int(at[b])): 1.0, (int(t), int(at[b])): -1.0})
                for t, b in np.argwhere(self.contacts[1:] & self.contacts[:-1])
            ]
        )


def dense_of(band: Array, unknowns: int) -> Array:
    """The symmetric matrix of a band whose rows are columns from the diagonal on."""
    dense = np.zeros((unknowns, unknowns))
    for j, row in enumerate(band):
        count = min(len(row), unknowns - j)
        dense[j, j : j + count] = row[:count]
    return dense + np.triu(dense, 1).T
