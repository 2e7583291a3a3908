"""The simple body: closed, outward, skinned, and shaped like somebody."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from poise.character import Skeleton, with_proportions
from poise.formats import load_clip
from poise.formats.body_shape import SEGMENTS, BodyMesh, body_mesh, figure_of, limb_span, solids_of
from poise.motion.cleanup import clean
from tests.character import known_skeletons as known
from tests.character.reference_human import reference_human
from tests.shared_data import MOCAP, needs_mocap

EVERY = [
    known.mixamo,
    known.unreal4,
    known.smpl,
    known.lafan1,
    known.rokoko,
    known.cmu_asf,
    known.dog,
]


def chain(offsets: list[list[float]]) -> Skeleton:
    count = len(offsets)
    names = tuple(f"j{i}" for i in range(count))
    return Skeleton(names, np.arange(count) - 1, np.array(offsets))


def shells(skeleton: Skeleton, mesh: BodyMesh) -> list[tuple[np.ndarray, np.ndarray]]:
    """Vertices and triangles of each solid, numbered from zero."""
    parts, start = [], 0
    for solid in solids_of(skeleton):
        count = len(solid.centers_m) * SEGMENTS + 2
        inside = (mesh.triangles >= start).all(axis=1) & (mesh.triangles < start + count).all(
            axis=1
        )
        parts.append((mesh.positions_m[start : start + count], mesh.triangles[inside] - start))
        start += count
    assert start == len(mesh.positions_m)
    return parts


@pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)
def test_every_solid_is_closed_and_faces_outward(make: Callable[[], Skeleton]) -> None:
    skeleton = make()
    mesh = body_mesh(skeleton)
    total = 0
    for points, triangles in shells(skeleton, mesh):
        total += len(triangles)
        edges = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)])
        forward = {tuple(edge) for edge in edges.tolist()}
        assert len(forward) == len(edges)
        assert forward == {(b, a) for a, b in forward}
        a, b, c = (points[triangles[:, i]] for i in range(3))
        assert np.sum(a * np.cross(b, c)) / 6.0 > 0
    assert total == len(mesh.triangles)


def is_flesh(skeleton: Skeleton, joint: int) -> bool:
    """Whether a bone is part of the body; Unreal has helpers beside the pelvis."""
    above = [skeleton.joint_names[j] for j in skeleton.ancestors(joint)[1:]]
    return "pelvis" not in skeleton.joint_names or "pelvis" in above


@pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)
def test_skinning_is_complete(make: Callable[[], Skeleton]) -> None:
    skeleton = make()
    mesh = body_mesh(skeleton)
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1.0)
    assert (mesh.weights >= 0).all()
    assert mesh.joints.min() >= 0
    assert mesh.joints.max() < skeleton.joint_count
    assert (mesh.joints[mesh.weights == 0] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)
    used = set(mesh.joints[mesh.weights > 0.5].tolist())
    long_bones = {
        int(skeleton.parents[j])
        for j in range(1, skeleton.joint_count)
        if np.linalg.norm(skeleton.offsets_m[j]) > 0.05 and is_flesh(skeleton, j)
    }
    assert long_bones <= used


def test_a_thigh_is_thicker_than_a_finger() -> None:
    skeleton = known.mixamo()

    def radius(name: str) -> float:
        joint = skeleton.index(name)
        bones = [s for s in solids_of(skeleton) if (s.joints[:, 0] == joint).all()]
        return max(float(np.linalg.norm(s.sides_m, axis=1).max()) for s in bones)

    thigh, arm, finger = (radius(f"mixamorig:Left{n}") for n in ("UpLeg", "ForeArm", "HandIndex2"))
    assert 0.06 < thigh < 0.12
    assert thigh > 1.5 * arm > 3.0 * finger


STANDING = [make for make in EVERY if make not in (known.dog, known.lafan1)]
"""LAFAN1 rests with all limbs along the spine."""


@pytest.mark.parametrize("make", STANDING, ids=lambda make: make.__name__)
def test_a_person_has_a_trunk_and_a_head_where_they_belong(make: Callable[[], Skeleton]) -> None:
    skeleton = make()
    plain = chain([[0, 0, 0], [0, 1.0, 0]])
    limbs_only = len(solids_of(plain))
    assert limbs_only == 1
    mesh, joints = body_mesh(skeleton), skeleton.rest_positions_m
    height = np.ptp(joints[:, 1])
    top = mesh.positions_m[:, 1].max()
    assert 0.0 < top - joints[:, 1].max() < 0.2 * height
    # The trunk is wide: half-way up it reaches well to both sides of the spine.
    hips = joints[0]
    band = np.abs(mesh.positions_m[:, 1] - (hips[1] + 0.12 * height)) < 0.05 * height
    middle = mesh.positions_m[band & (np.abs(mesh.positions_m[:, 0] - hips[0]) < 0.25)]
    assert np.ptp(middle[:, 0]) > 0.12 * height


@pytest.mark.parametrize(
    "offsets",
    [
        [[0.0, 0, 0]],
        [[0.0, 0, 0], [0, 0, 0], [0, 0, 0]],
        [[0.0, 1, 0], [0, 0, 0], [0, 0.5, 0], [0, 0, 0], [0, 0.5, 0]],
        [[0.0, 0, 0], [1e-12, 0, 0], [0, 1.0, 0]],
        [[5.0, 5, 5], [1000.0, 0, 0], [0, 1e-3, 0]],
    ],
)
def test_bones_without_length_leave_no_flat_faces(offsets: list[list[float]]) -> None:
    mesh = body_mesh(chain(offsets))
    assert np.isfinite(mesh.positions_m).all()
    a, b, c = (mesh.positions_m[mesh.triangles[:, i]] for i in range(3))
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).min() > 0


@pytest.mark.parametrize("limbs", [0.7, 1.0, 1.4])
@pytest.mark.parametrize("trunk", [0.7, 1.0, 1.4])
def test_builds_of_all_kinds_have_legs_arms_and_a_head(limbs: float, trunk: float) -> None:
    person = with_proportions(reference_human(), limbs=limbs, trunk=trunk)
    skeleton = person.skeleton
    found = figure_of(skeleton)
    ends = [way[limb_span(skeleton, way)[0]] for way in (*found.legs, *found.arms)]
    assert {skeleton.joint_names[joint] for joint in ends} == {
        f"{side}_{part}" for side in ("left", "right") for part in ("hip", "shoulder")
    }
    assert skeleton.joint_names[found.head[-1]] == "head"


@needs_mocap
def test_a_trunk_as_long_as_a_leg_is_no_leg() -> None:
    clip, _ = clean(load_clip(MOCAP / "cmu" / "61_03.bvh"), ("missing-thorax",))
    found = figure_of(clip.skeleton)
    assert [clip.skeleton.joint_names[leg[0]] for leg in found.legs] == ["RHipJoint", "LHipJoint"]
    assert clip.skeleton.joint_names[found.head[-1]] == "Head"
