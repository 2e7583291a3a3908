"""Outer forces on a body: wrenches at joints, forces at points, and what joints owe to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Indices
from poise.character.sites import Sites
from poise.compiled import compiled
from poise.errors import BadShape, BadValue
from poise.mechanics.frames import as_frames, over_frames
from poise.mechanics.kinematics import BodyState, site_positions
from poise.mechanics.quaternion_kernels import cross, turn


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
        _relieve, state.frame_count, 2 * state.skeleton.joint_count, parallel,
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
    parents: Indices, positions: Array, rotations: Array,
    joints: Indices, forces: Array, moments: Array,
    out: Array, root_force: Array, root_moment: Array,
) -> None:  # fmt: skip
    count = len(parents)
    sums = np.empty((count, 6))
    for f in range(first, last):
        p = positions[f]
        sums[:] = 0.0
        for c in range(len(joints)):
            for k in range(3):
                sums[joints[c], k] += forces[f, c, k]
                sums[joints[c], 3 + k] += moments[f, c, k]
        for j in range(count - 1, -1, -1):
            s, q = sums[j], rotations[f, j]
            nx, ny, nz = turn(q[0], -q[1], -q[2], -q[3], s[3], s[4], s[5])
            out[f, j, 0] -= nx
            out[f, j, 1] -= ny
            out[f, j, 2] -= nz
            if j > 0:
                a = parents[j]
                ox, oy, oz = p[j, 0] - p[a, 0], p[j, 1] - p[a, 1], p[j, 2] - p[a, 2]
                mx, my, mz = cross(ox, oy, oz, s[0], s[1], s[2])
                up = sums[a]
                up[0], up[1], up[2] = up[0] + s[0], up[1] + s[1], up[2] + s[2]
                up[3], up[4], up[5] = up[3] + s[3] + mx, up[4] + s[4] + my, up[5] + s[5] + mz
        for k in range(3):
            root_force[f, k] -= sums[0, k]
            root_moment[f, k] -= sums[0, 3 + k]
