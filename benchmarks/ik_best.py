"""The best that can be done where targets conflict: what everyone should end up at."""

from __future__ import annotations

import numpy as np

from benchmarks.ik_body import IkWork, Poses, Targets, moved, targets_of
from poise import rotations
from poise.character import Sites
from poise.mechanics import center_of_mass, forward_kinematics
from tests.mechanics.reference import (
    angular_jacobians,
    center_of_mass_jacobian,
    site_jacobians,
)

STEPS = 12


def best_of(work: IkWork, poses: Poses) -> Targets:
    """Where everything is at the least cost, by plain Gauss-Newton on all frames at once."""
    skeleton, wanted = work.skeleton, work.targets
    everyone = Sites(
        skeleton.joint_names,
        np.arange(skeleton.joint_count),
        np.zeros((skeleton.joint_count, 3)),
    )
    for _ in range(STEPS):
        state = forward_kinematics(skeleton, poses.root_m, poses.local_wxyz)
        back = rotations.conjugate(state.rotations_wxyz)
        turns = rotations.log(rotations.multiply(wanted.rotations_wxyz, back))
        rows = [site_jacobians(state, everyone), angular_jacobians(state)]
        errors = [wanted.positions_m - state.positions_m, turns]
        if work.center:
            rows.append(center_of_mass_jacobian(state, work.body)[:, None])
            errors.append((wanted.com_m - center_of_mass(state, work.body))[:, None])
        matrix = np.concatenate(rows, axis=1).reshape(work.frames, -1, skeleton.tangent_size)
        error = np.concatenate(errors, axis=1).reshape(work.frames, -1, 1)
        across = np.swapaxes(matrix, 1, 2)
        poses = moved(skeleton, poses, np.linalg.solve(across @ matrix, across @ error)[..., 0])
    return targets_of(skeleton, work.body, poses)
