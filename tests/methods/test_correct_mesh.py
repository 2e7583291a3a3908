"""The space-time mesh: what becomes a vertex, what ties them, and where the weight is."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Character, complete_character
from poise.errors import BadValue, UnknownName
from poise.formats import load_clip
from poise.mechanics import center_of_mass, forward_kinematics
from poise.methods.correct.mesh import Mesh, motion_mesh, vertices_of
from poise.methods.correct.mesh_vertices import CANDIDATES
from poise.methods.correct.settings import FEET, HANDS, KNEES, TRUNK, Settings
from poise.motion import Clip
from tests.character.reference_human import reference_human
from tests.shared_data import MOCAP, needs_mocap


def real(name: str) -> tuple[Clip, Character]:
    clip = load_clip(MOCAP / name)
    return clip, complete_character(clip.skeleton)


def connected(mesh: Mesh) -> bool:
    reached, count = {0}, 0
    while len(reached) != count:
        count = len(reached)
        for a, b in mesh.bones.tolist():
            if a in reached or b in reached:
                reached |= {a, b}
    return len(reached) == mesh.vertex_count


@needs_mocap
@pytest.mark.parametrize(
    "name",
    ["cmu/02_01.bvh", "cmu/49_02.bvh", "cmu_asfamc/02_01.amc", "tennis/adorozco_Reves_8seg.bvh"],
)
@pytest.mark.parametrize("candidates", [FEET, tuple(CANDIDATES)], ids=["feet", "all"])
def test_the_centre_of_mass_is_a_fixed_combination_of_vertices(
    name: str, candidates: tuple[str, ...]
) -> None:
    clip, character = real(name)
    mesh = motion_mesh(character, candidates)
    assert character.body is not None
    true = center_of_mass(forward_kinematics(clip.skeleton, *clip.pose), character.body)
    places = vertices_of(mesh, clip)
    found = np.einsum("v,fvk->fk", mesh.shares, places)
    # Half way along bones is not where anatomy has it: the trunk's is further forward.
    assert np.linalg.norm(found - true, axis=1).max() < 0.05
    assert mesh.shares.min() >= 0.0
    assert mesh.shares.sum() == pytest.approx(1.0)
    middles = 0.5 * (places[:, mesh.parts[:, 0]] + places[:, mesh.parts[:, 1]])
    assert np.einsum("p,fpk->fk", mesh.part_shares, middles) == pytest.approx(found)


@needs_mocap
@pytest.mark.parametrize("candidates", [FEET, tuple(CANDIDATES)], ids=["feet", "all"])
def test_edges_keep_their_length_unless_a_joint_lies_between(candidates: tuple[str, ...]) -> None:
    clip, character = real("cmu/49_02.bvh")
    mesh = motion_mesh(character, candidates)
    places = vertices_of(mesh, clip)
    found = np.linalg.norm(places[:, mesh.bones[:, 0]] - places[:, mesh.bones[:, 1]], axis=2)
    off = np.abs(found - mesh.lengths_m).max(axis=0)
    assert off[~mesh.flexible].max() < 1e-9
    assert mesh.flexible.any()
    assert mesh.lengths_m.min() > 0.005
    assert connected(mesh)


@needs_mocap
def test_zero_length_bones_and_fingers_are_no_vertices() -> None:
    _, character = real("cmu/02_01.bvh")
    mesh = motion_mesh(character, FEET)
    for name in ("LHipJoint", "LowerBack", "Neck", "LeftFingerBase", "LThumb", "LeftHandIndex1"):
        assert name not in mesh.names
    assert mesh.vertex_count == 22
    skeleton = character.skeleton
    assert mesh.joint_vertex[skeleton.index("LowerBack")] == mesh.joint_vertex[0] == 0
    assert mesh.joint_vertex[skeleton.index("LThumb")] == -1


def test_feet_are_rigid_triangles() -> None:
    mesh = motion_mesh(reference_human(), FEET)
    pairs = {frozenset(pair) for pair in mesh.bones.tolist()}
    for side in ("left", "right"):
        ankle, heel, toe = (mesh.names.index(f"{side}_{p}") for p in ("ankle", "heel", "toe"))
        assert {frozenset((ankle, heel)), frozenset((ankle, toe)), frozenset((heel, toe))} <= pairs


def test_limbs_run_from_the_root_to_the_ends() -> None:
    mesh = motion_mesh(reference_human(), FEET + HANDS)
    ends = {mesh.names[limb[-1]] for limb in mesh.limbs}
    wanted = {"left_toe", "right_toe", "left_heel", "right_heel", "left_hand", "right_hand"}
    assert ends == wanted | {"head_top"}
    assert all(limb[0] == 0 for limb in mesh.limbs)


def test_knees_are_joints_and_hands_are_points_of_their_own() -> None:
    human = reference_human()
    mesh = motion_mesh(human, FEET + HANDS + KNEES + TRUNK)
    at = dict(zip(mesh.candidates, mesh.contact_vertex.tolist(), strict=True))
    assert mesh.names[at["left_knee"]] == "left_knee"
    assert mesh.sites.joints[at["left_hand"]] == human.skeleton.index("left_wrist")
    assert np.linalg.norm(mesh.sites.offsets_m[at["left_hand"]]) > 0.02
    radii = dict(zip(mesh.candidates, mesh.radius_m.tolist(), strict=True))
    assert radii["left_toe"] == 0.0
    assert radii["chest"] > radii["left_knee"] > radii["left_hand"] > 0.0


def test_edges_and_spheres_go_by_candidate_role_or_joint() -> None:
    mesh = motion_mesh(
        reference_human(), FEET,
        extra_edges=[("left_hand", "right_hand"), ("head", "left_elbow")],
        spheres={"left_knee": 0.1, "left_hand": 0.05},
    )  # fmt: skip
    named = [tuple(mesh.names[v] for v in pair) for pair in mesh.extra_edges.tolist()]
    assert named == [("left_hand", "right_hand"), ("head", "left_elbow")]
    assert mesh.sphere_m[mesh.names.index("left_knee")] == 0.1
    assert mesh.sphere_m[mesh.names.index("left_hand")] == 0.05
    assert np.count_nonzero(mesh.sphere_m) == 2


def test_wrong_names_and_values_are_refused() -> None:
    human = reference_human()
    with pytest.raises(UnknownName, match="left_tail"):
        Settings(candidates=("left_tail",))
    with pytest.raises(UnknownName, match="club"):
        motion_mesh(human, FEET, extra_edges=[("left_hand", "club")])
    with pytest.raises(BadValue, match="different places"):
        motion_mesh(human, FEET, extra_edges=[("head", "head")])
    with pytest.raises(BadValue, match="sphere"):
        Settings(spheres={"head": -1.0})
    with pytest.raises(BadValue, match="different parts"):
        Settings(candidates=("left_toe", "left_toe"))
