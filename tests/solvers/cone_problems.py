"""Random contact problems, and judges that share no line with the solver."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array


@dataclass(frozen=True)
class Problem:
    """Arguments of `cone_least_squares`, in its order."""

    points: Array
    normals: Array
    grip: Array
    centers: Array
    force: Array
    moment: Array

    def arguments(self) -> tuple[Array, ...]:
        return self.points, self.normals, self.grip, self.centers, self.force, self.moment

    def frame(self, f: int) -> Problem:
        return Problem(*(array[f : f + 1] for array in self.arguments()))

    def turned(self, rotation: Array) -> Problem:
        parts = ("points", "normals", "centers", "force", "moment")
        return replace(self, **{name: getattr(self, name) @ rotation.T for name in parts})


def random_problems(frames: int, points: int = 10, *, seed: int = 12345) -> Problem:
    """Feet, hands and walls in all directions; about half of what is wanted cannot be had."""
    rng = np.random.default_rng(seed)
    places = rng.normal(0, 0.4, (frames, points, 3))
    places[..., 1] *= 0.2
    normals = rng.normal(0, 0.3, (frames, points, 3))
    normals[..., 1] += 1.0
    walls = rng.random((frames, points)) < 0.1
    normals[walls] = rng.normal(0, 1, (int(walls.sum()), 3))
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    grip = (rng.random((frames, points)) < 0.6).astype(float)
    centers = np.tile([0.0, 1.0, 0.0], (frames, 1)) + rng.normal(0, 0.05, (frames, 3))
    force = np.array([0.0, 1.0, 0.0]) + rng.normal(0, 0.3, (frames, 3))
    return Problem(places, normals, grip, centers, force, rng.normal(0, 0.2, (frames, 3)))


def tangents(normal: Array) -> tuple[Array, Array]:
    """World x and z carried along by the smallest turn from +Y to the normal."""
    axis = np.cross([0.0, 1.0, 0.0], normal)
    sine, cosine = float(np.linalg.norm(axis)), float(normal[1])
    if sine < 1e-12:
        return np.array([1.0, 0, 0]), np.array([0.0, 0, 1.0]) * np.sign(cosine)
    k = axis / sine
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    turn = np.eye(3) + sine * cross + (1 - cosine) * cross @ cross
    return turn[:, 0], turn[:, 2]


def pyramid_matrix(problem: Problem, friction: float) -> Array:
    """(6, 4n) from the multipliers of the touching points of frame 0 to force and moment."""
    columns: list[Array] = []
    for p in np.flatnonzero(problem.grip[0] > 0):
        normal = problem.normals[0, p]
        arm = problem.points[0, p] - problem.centers[0]
        for tangent in tangents(normal):
            for sign in (1.0, -1.0):
                edge = normal + sign * friction * tangent
                columns.append(np.concatenate([edge, np.cross(arm, edge)]))
    return np.array(columns).T.reshape(6, -1)


def wanted(problem: Problem) -> Array:
    return np.concatenate([problem.force[0], problem.moment[0]])


def round_certificate(
    problem: Problem, forces: Array, missing: Array, friction: float, weight: float, ceiling: float
) -> float:
    """How much the linearised objective of frame 0 could still fall inside the round cones.

    At the optimum of a convex problem no direction inside the set gains; the best that a point
    could do is at its apex, or on the rim of its lid (without a lid: no gain along any ray).
    """
    gain = 0.0
    for p in np.flatnonzero(problem.grip[0] > 0):
        normal = problem.normals[0, p]
        arm = problem.points[0, p] - problem.centers[0]
        f, grip = forces[p], problem.grip[0, p]
        along = f @ normal
        cost = weight / grip * (0.25 * along * normal + 0.5 / friction**2 * (f - along * normal))
        pull = missing[:3] + np.cross(missing[3:], arm) - cost
        n = pull @ normal
        best = n + friction * float(np.linalg.norm(pull - n * normal))
        ray = max(best, 0.0) * (grip * ceiling if np.isfinite(ceiling) else 1.0)
        gain += ray - pull @ f
    return gain
