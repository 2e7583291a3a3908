"""What is measured: bodies, and motions over many frames."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Sites, Skeleton

SITE_COUNT = 5
G1_FILE = Path("robots") / "unitree_g1" / "g1_nomesh.xml"

# name, parent, offset (m), mass (kg), length along the offset of the child or its own (m)
_HUMAN: tuple[tuple[str, str, tuple[float, float, float], float, float], ...] = (
    ("pelvis", "", (0, 0.95, 0), 10.5, 0.10),
    ("spine", "pelvis", (0, 0.10, 0), 6.0, 0.12),
    ("spine1", "spine", (0, 0.12, 0), 7.5, 0.12),
    ("chest", "spine1", (0, 0.12, 0), 12.0, 0.15),
    ("neck", "chest", (0, 0.18, 0), 1.2, 0.10),
    ("head", "neck", (0, 0.10, 0), 4.6, 0.20),
    ("left_collar", "chest", (0.03, 0.14, 0), 1.5, 0.14),
    ("left_shoulder", "left_collar", (0.14, 0, 0), 2.0, 0.28),
    ("left_elbow", "left_shoulder", (0.28, 0, 0), 1.2, 0.25),
    ("left_wrist", "left_elbow", (0.25, 0, 0), 0.45, 0.18),
    ("right_collar", "chest", (-0.03, 0.14, 0), 1.5, 0.14),
    ("right_shoulder", "right_collar", (-0.14, 0, 0), 2.0, 0.28),
    ("right_elbow", "right_shoulder", (-0.28, 0, 0), 1.2, 0.25),
    ("right_wrist", "right_elbow", (-0.25, 0, 0), 0.45, 0.18),
    ("left_hip", "pelvis", (0.09, -0.05, 0), 8.5, 0.42),
    ("left_knee", "left_hip", (0, -0.42, 0), 3.3, 0.41),
    ("left_ankle", "left_knee", (0, -0.41, 0), 0.8, 0.15),
    ("left_toe", "left_ankle", (0, -0.06, 0.14), 0.2, 0.07),
    ("right_hip", "pelvis", (-0.09, -0.05, 0), 8.5, 0.42),
    ("right_knee", "right_hip", (0, -0.42, 0), 3.3, 0.41),
    ("right_ankle", "right_knee", (0, -0.41, 0), 0.8, 0.15),
    ("right_toe", "right_ankle", (0, -0.06, 0.14), 0.2, 0.07),
)


@dataclass(frozen=True, eq=False)
class Workload:
    """A body and a motion, in our layout."""

    name: str
    skeleton: Skeleton
    body: Body
    sites: Sites
    root_m: Array
    local: Array
    root_v: Array
    omega: Array
    root_a: Array
    alpha: Array

    @property
    def frames(self) -> int:
        return len(self.local)

    def of_length(self, frames: int) -> Workload:
        """The first frames, or all of them again and again."""
        rows = np.arange(frames) % self.frames
        parts = ("root_m", "local", "root_v", "omega", "root_a", "alpha")
        return replace(self, **{part: getattr(self, part)[rows] for part in parts})


def human(frames: int) -> Workload:
    """22 ball joints with the masses of a 77 kg adult."""
    names = tuple(row[0] for row in _HUMAN)
    parents = np.array([names.index(row[1]) if row[1] else -1 for row in _HUMAN])
    offsets = np.array([row[2] for row in _HUMAN])
    masses = np.array([row[3] for row in _HUMAN])
    lengths = np.array([row[4] for row in _HUMAN])
    along = offsets / np.linalg.norm(offsets, axis=1, keepdims=True)
    # Rods of a tenth of their length in radius: thin across, heavy along.
    across = masses * lengths**2 / 12
    rods = np.eye(3) - along[:, :, None] * along[:, None, :]
    inertias = across[:, None, None] * (rods + 0.06 * np.eye(3))
    skeleton = Skeleton(names, parents, offsets)
    body = Body(masses, 0.5 * lengths[:, None] * along, inertias)
    return _moving("human22", skeleton, body, frames)


def unitree_g1(frames: int, shared: Path) -> Workload:
    """A floating base and 29 hinges."""
    from poise.formats.robots import read_character

    character = read_character(shared / G1_FILE)
    assert character.body is not None
    return _moving("unitree_g1", character.skeleton, character.body, frames)


def _moving(name: str, skeleton: Skeleton, body: Body, frames: int) -> Workload:
    """Five sites on the outermost joints and a motion of plausible size."""
    rng = np.random.default_rng(12345)
    count = skeleton.joint_count
    tips = [j for j in range(count) if not skeleton.children[j]]
    tips = (tips + list(range(count)))[:SITE_COUNT]
    sites = Sites(
        tuple(f"site{i}" for i in range(SITE_COUNT)),
        np.array(tips),
        rng.normal(0, 0.05, (SITE_COUNT, 3)),
    )

    def freely(size: float) -> Array:
        vectors = rng.normal(0, size, (frames, count, 3))
        axes = skeleton.hinge_axes
        hinged = np.sum(vectors * axes, axis=-1, keepdims=True) * axes
        return np.where((skeleton.freedoms == 3)[:, None], vectors, hinged)

    local = rotations.multiply(skeleton.rest_wxyz, rotations.exp(freely(0.5)))
    return Workload(
        name, skeleton, body, sites,
        rng.normal(0, 1, (frames, 3)), local,
        rng.normal(0, 1, (frames, 3)), freely(2.0),
        rng.normal(0, 5, (frames, 3)), freely(20.0),
    )  # fmt: skip
