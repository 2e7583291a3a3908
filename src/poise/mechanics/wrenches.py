"""Outer forces on a body: wrenches at joints, forces at points, and what joints owe to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Indices
from poise.character import Sites
from poise.compiled import compiled
from poise.errors import BadShape, BadValue
from poise.mechanics.frames import as_frames
from poise.mechanics.kinematics import BodyState, site_positions
from poise.mechanics.quaternion_kernels import between, cross, turn_row_back
from poise.sharing import over_frames


@dataclass(frozen=True, eq=False)
class Wrenches:
    """Forces and moments that the surroundings put on some joints' segments, in world axes."""

    joints: tuple[int, ...]
    """(C,) the joints whose segments are pushed; one may appear more than once."""
    forces_n: Array
    """(F, C, 3) acting at the joints' origins."""
    moments_nm: Array
    """(F, C, 3) about the joints' origins."""

    def __post_init__(self) -> None:
        forces = as_frames("forces_n", self.forces_n, (len(self.joints), 3))
        moments = as_frames("moments_nm", self.moments_nm, (len(self.joints), 3), len(forces))
        object.__setattr__(self, "joints", tuple(int(joint) for joint in self.joints))
        object.__setattr__(self, "forces_n", forces)
        object.__setattr__(self, "moments_nm", moments)


def point_forces(state: BodyState, sites: Sites, forces_n: ArrayLike) -> Wrenches:
    """The wrenches that forces (F, S, 3) in world axes at these sites amount to."""
    forces = as_frames("forces_n", forces_n, (len(sites), 3), state.frame_count)
    arms = site_positions(state, sites) - state.positions_m[:, sites.joints]
    return Wrenches(tuple(sites.joints.tolist()), forces, np.cross(arms, forces))


def check_wrenches(wrenches: Wrenches, joint_count: int, frames: int) -> None:
    """Raise unless these wrenches fit a body of `joint_count` joints over `frames` frames."""
    if len(wrenches.forces_n) != frames:
        wanted = f"({frames}, {len(wrenches.joints)}, 3)"
        raise BadShape("wrenches.forces_n", wanted, wrenches.forces_n.shape)
    if any(not 0 <= joint < joint_count for joint in wrenches.joints):
        raise BadValue("wrenches.joints", f"indices from 0 to {joint_count - 1}", wrenches.joints)


def relieve(
    state: BodyState,
    wrenches: Wrenches,
    moments: Array,
    root_force: Array,
    root_moment: Array,
    parallel: bool,
) -> None:
    """Take from joint moments, in place, what the wrenches already supply.

    A joint carries its whole subtree, so it is relieved of the sum of the wrenches there, about
    its own origin. The equations of motion are linear in outer forces: this is exact.
    """
    over_frames(
        _relieve, state.frame_count, 15 * state.skeleton.joint_count, parallel,
        state.skeleton.parents, state.positions_m, state.rotations_wxyz,
        joint_indices(wrenches.joints), wrenches.forces_n, wrenches.moments_nm,
        moments, root_force, root_moment,
    )  # fmt: skip


def joint_indices(joints: Sequence[int]) -> Indices:
    """The joints as a read-only index array."""
    indices = np.array(joints, dtype=np.int64)
    indices.setflags(write=False)
    return indices


@compiled
def _relieve(
    first: int, last: int,
    parents: Indices, p: Array, rotations: Array,
    joints: Indices, forces: Array, moments: Array,
    out: Array, root_force: Array, root_moment: Array,
) -> None:  # fmt: skip
    count = len(parents)
    s = np.empty((count, 6))
    for f in range(first, last):
        s[:] = 0.0
        for c in range(len(joints)):
            for k in range(3):
                s[joints[c], k] += forces[f, c, k]
                s[joints[c], 3 + k] += moments[f, c, k]
        for j in range(count - 1, -1, -1):
            nx, ny, nz = turn_row_back(rotations, f, j, s[j, 3], s[j, 4], s[j, 5])
            out[f, j, 0] -= nx
            out[f, j, 1] -= ny
            out[f, j, 2] -= nz
            if j > 0:
                a = parents[j]
                ox, oy, oz = between(p, f, a, j)
                mx, my, mz = cross(ox, oy, oz, s[j, 0], s[j, 1], s[j, 2])
                s[j, 3], s[j, 4], s[j, 5] = s[j, 3] + mx, s[j, 4] + my, s[j, 5] + mz
                for k in range(6):
                    s[a, k] += s[j, k]
        for k in range(3):
            root_force[f, k] -= s[0, k]
            root_moment[f, k] -= s[0, 3 + k]
