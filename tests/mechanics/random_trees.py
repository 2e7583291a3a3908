"""Random bodies and motions, from a seed: mixed joints, turned rest frames, uneven masses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Sites, Skeleton
from poise.mechanics import Wrenches

KINDS = ("ball", "hinge", "fixed")


@dataclass(frozen=True, eq=False)
class Motion:
    """Everything the mechanics functions may ask for, over a few frames."""

    root_m: Array
    local: Array
    root_v: Array
    omega: Array
    root_a: Array
    alpha: Array


@dataclass(frozen=True, eq=False)
class Case:
    skeleton: Skeleton
    body: Body
    sites: Sites
    motion: Motion
    wrenches: Wrenches
    gravity: Array


def random_case(seed: int, frames: int = 3, joints: int | None = None) -> Case:
    rng = np.random.default_rng(12345 + seed)
    count = int(rng.integers(2, 25)) if joints is None else joints
    skeleton = random_skeleton(rng, count)
    points = int(rng.integers(1, 6))
    sites = Sites(
        tuple(f"s{i}" for i in range(points)),
        rng.integers(0, count, points),
        rng.normal(0, 0.2, (points, 3)),
    )
    pushed = tuple(int(j) for j in rng.integers(0, count, 3))  # repeats are allowed, and occur
    wrenches = Wrenches(
        pushed, rng.normal(0, 100, (frames, 3, 3)), rng.normal(0, 20, (frames, 3, 3))
    )
    motion = random_motion(rng, skeleton, frames)
    return Case(skeleton, random_body(rng, count), sites, motion, wrenches, rng.normal(0, 8, 3))


def random_skeleton(rng: np.random.Generator, count: int) -> Skeleton:
    # Chains at one end, bushes at the other: how far back a parent may lie.
    reach = int(rng.integers(1, count + 1))
    parents = [-1, *(int(rng.integers(max(0, j - reach), j)) for j in range(1, count))]
    kinds = ("ball", *(KINDS[i] for i in rng.choice(3, count - 1, p=[0.45, 0.4, 0.15])))
    axes = rng.normal(size=(count, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    axes[[kind != "hinge" for kind in kinds]] = 0.0
    return Skeleton(
        tuple(f"j{j}" for j in range(count)),
        np.array(parents),
        rng.normal(0, 0.25, (count, 3)),
        rest_wxyz=rotations.normalize(rng.normal(size=(count, 4))),
        kinds=kinds,
        hinge_axes=axes,
    )


def random_body(rng: np.random.Generator, count: int) -> Body:
    masses = np.exp(rng.normal(0, 1, count))
    spread = rng.normal(0, 0.1, (count, 3, 3))
    second = spread @ np.swapaxes(spread, 1, 2) + 1e-3 * np.eye(3)
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    return Body(masses, rng.normal(0, 0.1, (count, 3)), masses[:, None, None] * inertia)


def random_motion(rng: np.random.Generator, skeleton: Skeleton, frames: int) -> Motion:
    """Turns from near identity to near π, and velocities only along the joints' freedoms."""
    count = skeleton.joint_count
    size = rng.choice([1e-9, 0.3, 1.5, np.pi - 1e-7], (frames, count, 1), p=[0.1, 0.4, 0.4, 0.1])
    turns = rng.normal(size=(frames, count, 3))
    turns = size * turns / np.linalg.norm(turns, axis=-1, keepdims=True)
    local = rotations.multiply(skeleton.rest_wxyz, rotations.exp(along_freedoms(skeleton, turns)))
    return Motion(
        rng.normal(size=(frames, 3)),
        local,
        rng.normal(0, 2, (frames, 3)),
        along_freedoms(skeleton, rng.normal(0, 3, (frames, count, 3))),
        rng.normal(0, 9, (frames, 3)),
        along_freedoms(skeleton, rng.normal(0, 30, (frames, count, 3))),
    )


def along_freedoms(skeleton: Skeleton, vectors: Array) -> Array:
    """The part of each joint's vector (..., J, 3) that its freedoms allow."""
    axes = skeleton.hinge_axes
    hinged = np.sum(vectors * axes, axis=-1, keepdims=True) * axes
    return np.where((skeleton.freedoms == 3)[:, None], vectors, hinged)


def to_tangent(skeleton: Skeleton, root: Array, joints: Array) -> Array:
    """(F, 3) and (F, J, 3) along the freedoms to (F, D)."""
    parts = [root]
    for joint, count in enumerate(skeleton.freedoms.tolist()):
        if count == 3:
            parts.append(joints[:, joint])
        elif count == 1:
            parts.append(joints[:, joint] @ skeleton.hinge_axes[joint][:, None])
    return np.concatenate(parts, axis=1)


def from_tangent(skeleton: Skeleton, tangent: Array) -> tuple[Array, Array]:
    """(F, D) to (F, 3) and (F, J, 3)."""
    joints = np.zeros((len(tangent), skeleton.joint_count, 3))
    for joint, count in enumerate(skeleton.freedoms.tolist()):
        start = int(skeleton.freedom_starts[joint])
        if count == 3:
            joints[:, joint] = tangent[:, start : start + 3]
        elif count == 1:
            joints[:, joint] = tangent[:, start, None] * skeleton.hinge_axes[joint]
    return tangent[:, :3], joints
