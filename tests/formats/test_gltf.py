"""glTF: our own files lose nothing, and other programs' files mean what the specification says."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pygltflib
import pytest

from poise import rotations
from poise.errors import FileProblem, UnknownName
from poise.formats import load_clip, save_clip
from poise.formats.gltf_read import read
from poise.motion import Clip
from poise.motion.clip import provenance_of
from tests.formats.gltf_maker import Maker, matrix
from tests.formats.made_clips import rich_clip, world_positions
from tests.shared_data import MOCAP, clips, needs_mocap

HALF = float(np.sqrt(0.5))


def saved(clip: Clip, path: Path) -> Clip:
    save_clip(clip, path)
    return load_clip(path)


def assert_same_places(a: Clip, b: Clip, within_m: float = 1e-6) -> None:
    for one, other in zip(world_positions(a), world_positions(b), strict=True):
        assert np.abs(one - other).max(initial=0.0) < within_m


# --- our own files ---------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_clip_survives_the_round_trip(tmp_path: Path, suffix: str) -> None:
    clip = rich_clip()
    back = saved(clip, tmp_path / f"clip{suffix}")
    a, b = clip.skeleton, back.skeleton
    assert_same_places(clip, back)
    assert back.rate_hz == clip.rate_hz
    assert back.frame_count == clip.frame_count
    assert b.joint_names == a.joint_names
    assert b.parents.tolist() == a.parents.tolist()
    assert b.kinds == a.kinds
    np.testing.assert_array_equal(b.hinge_axes, a.hinge_axes)
    np.testing.assert_array_equal(b.limits_rad, a.limits_rad)
    assert b.end_sites.names == a.end_sites.names
    np.testing.assert_allclose(b.end_sites.offsets_m, a.end_sites.offsets_m, atol=1e-12)
    np.testing.assert_allclose(b.rest_wxyz, a.rest_wxyz, atol=1e-12)
    np.testing.assert_allclose(b.rest_positions_m, a.rest_positions_m, atol=1e-12)
    assert set(back.moving_joints) == set(clip.moving_joints)
    assert back.source is not None
    assert (back.source.unit.metres, back.source.up) == (1.0, "y")


def test_one_frame_is_enough(tmp_path: Path) -> None:
    clip = rich_clip().sliced(3, 4)
    back = saved(clip, tmp_path / "still.glb")
    assert (back.frame_count, back.rate_hz) == (1, clip.rate_hz)
    assert_same_places(clip, back)


@needs_mocap
@pytest.mark.parametrize("path", clips("*/02_0[13].bvh") + clips("tennis/*Reves*.bvh"), ids=str)
def test_real_clips_keep_their_joint_positions(tmp_path: Path, path: Path) -> None:
    clip = load_clip(path)
    back = saved(clip, tmp_path / "real.glb")
    assert_same_places(clip, back)
    assert back.rate_hz == clip.rate_hz
    assert back.skeleton.joint_names == clip.skeleton.joint_names
    assert back.skeleton.end_sites.names == clip.skeleton.end_sites.names


def test_the_same_clip_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.glb", "two.glb"):
        save_clip(rich_clip(), tmp_path / name)
    assert (tmp_path / "one.glb").read_bytes() == (tmp_path / "two.glb").read_bytes()


def test_the_file_says_where_it_came_from(tmp_path: Path) -> None:
    clip = rich_clip()
    save_clip(clip, tmp_path / "clip.glb")
    asset = pygltflib.GLTF2().load(str(tmp_path / "clip.glb")).asset
    assert asset.generator.startswith("Poise ")
    assert asset.extras["poise"] == provenance_of(clip).as_dict()


def test_a_joint_called_like_a_tip_stays_a_joint(tmp_path: Path) -> None:
    clip = rich_clip()
    still = clip.rotations_wxyz.copy()
    still[:, 3] = clip.skeleton.rest_wxyz[3]
    names = ("hips", "spine", "knee", "HeadTop_End", "weld", "x")
    clip = replace(
        clip,
        skeleton=replace(
            clip.skeleton, joint_names=names, end_sites=type(clip.skeleton.end_sites)()
        ),
        rotations_wxyz=still,
        moving_joints=(),
        moving_offsets_m=np.zeros((0, 0, 3)),
    )
    assert saved(clip, tmp_path / "clip.glb").skeleton.joint_names == names


def test_another_library_finds_a_valid_skin_and_animation(tmp_path: Path) -> None:
    clip = rich_clip()
    save_clip(clip, tmp_path / "clip.glb")
    file = pygltflib.GLTF2().load(str(tmp_path / "clip.glb"))
    blob = file.binary_blob()

    def values(index: int) -> np.ndarray:
        accessor = file.accessors[index]
        view = file.bufferViews[accessor.bufferView]
        dtype = {5121: "<u1", 5123: "<u2", 5126: "<f4"}[accessor.componentType]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor.type]
        flat = np.frombuffer(blob, dtype, accessor.count * width, view.byteOffset)
        return flat.reshape(accessor.count, width)

    skin = file.skins[0]
    back = values(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
    for node, inverse in zip(skin.joints, back, strict=True):
        world = np.eye(4)
        for step in reversed(path_to(file, node)):
            turn = file.nodes[step].rotation or [0.0, 0.0, 0.0, 1.0]
            world = world @ matrix(file.nodes[step].translation, turn, [1.0] * 3)
        np.testing.assert_allclose(inverse @ world, np.eye(4), atol=1e-6)

    shape = file.meshes[0].primitives[0]
    positions, weights = values(shape.attributes.POSITION), values(shape.attributes.WEIGHTS_0)
    bounds = file.accessors[shape.attributes.POSITION]
    assert bounds.min == positions.min(axis=0).tolist()
    assert bounds.max == positions.max(axis=0).tolist()
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-6)
    assert values(shape.attributes.JOINTS_0).max() < len(skin.joints)
    assert values(shape.indices).max() < len(positions)
    animation = file.animations[0]
    assert animation.name == "walk"
    times = values(animation.samplers[0].input)[:, 0]
    np.testing.assert_array_equal(
        times, (np.arange(clip.frame_count) / clip.rate_hz).astype(np.float32)
    )
    for sampler in animation.samplers:
        assert file.accessors[sampler.output].count == clip.frame_count


def path_to(file: pygltflib.GLTF2, node: int) -> list[int]:
    path = [node]
    while True:
        above = [i for i, n in enumerate(file.nodes) if path[-1] in (n.children or [])]
        if not above:
            return path
        path.append(above[0])


# --- other programs' files -------------------------------------------------------------------


def figure(maker: Maker, parent: int | None = None, size: float = 1.0) -> list[int]:
    """A root, a chain of two, a branch, and a tip; a skin over the joints."""
    root = maker.node("root", parent, translation=[0.0, size, 0.0], rotation=[HALF, 0, 0, HALF])
    upper = maker.node("upper", root, translation=[0.3 * size, 0.0, 0.1 * size])
    lower = maker.node("lower", upper, translation=[0.0, 0.4 * size, 0.0])
    other = maker.node("other", root, translation=[-0.3 * size, 0.0, 0.0])
    maker.node("lower_end", lower, translation=[0.0, 0.2 * size, 0.0])
    maker.skin(root, upper, lower, other)
    return [root, upper, lower, other]


def node_places(
    maker: Maker, poses: list[dict[tuple[int, str], list[float]]], node: int
) -> np.ndarray:
    """(F, 3) a node's world position by multiplying matrices."""
    nodes = maker.root["nodes"]
    above = {child: i for i, n in enumerate(nodes) for child in n.get("children", [])}
    places = []
    for pose in poses:
        world, at = np.eye(4), node
        while True:
            facts = nodes[at]
            local = matrix(
                pose.get((at, "translation"), facts.get("translation", [0.0] * 3)),
                pose.get((at, "rotation"), facts.get("rotation", [0, 0, 0, 1])),
                pose.get((at, "scale"), facts.get("scale", [1.0] * 3)),
            )
            if "matrix" in facts:
                local = np.array(facts["matrix"], dtype=float).reshape(4, 4).T
            world = local @ world
            if at not in above:
                break
            at = above[at]
        places.append(world[:3, 3])
    return np.array(places)


def assert_means_what_the_matrices_say(
    tmp_path: Path, maker: Maker, joints: list[int], curves: dict[tuple[int, str], np.ndarray]
) -> Clip:
    """Write linear keys at 30 Hz, read them, and compare every joint in every frame."""
    frames = len(next(iter(curves.values())))
    times = np.arange(frames) / 30.0
    for (node, path), values in curves.items():
        maker.channel(node, path, times, values)
    clip = load_clip(maker.glb(tmp_path / "foreign.glb"))
    poses = [
        {key: values[f].astype(np.float32).tolist() for key, values in curves.items()}
        for f in range(frames)
    ]
    places, _ = world_positions(clip)
    names = [maker.root["nodes"][j]["name"] for j in joints]
    assert clip.frame_count == frames
    assert clip.rate_hz == 30.0
    for node, name in zip(joints, names, strict=True):
        expected = node_places(maker, poses, node)
        np.testing.assert_allclose(places[:, clip.skeleton.index(name)], expected, atol=2e-6)
    return clip


def turning(frames: int, axis: list[float], to_rad: float) -> np.ndarray:
    angles = np.linspace(0.0, to_rad, frames)
    return rotations.to_xyzw(rotations.from_axis_angle(np.array(axis), angles))


def test_an_armature_that_turns_and_shrinks_is_folded_in(tmp_path: Path) -> None:
    maker = Maker()
    armature = maker.node(
        "Armature", translation=[1.0, 0, 2.0], rotation=[HALF, 0, 0, HALF], scale=[0.01] * 3
    )
    joints = figure(maker, armature, size=100.0)
    curves = {
        (joints[0], "translation"): np.linspace([0, 90, 0], [200, 95, 3], 12),
        (joints[0], "rotation"): turning(12, [0, 1, 0], 1.0),
        (joints[1], "rotation"): turning(12, [0, 0, 1], -2.0),
        (joints[2], "rotation"): turning(12, [1, 0, 0], 0.5),
    }
    clip = assert_means_what_the_matrices_say(tmp_path, maker, joints, curves)
    assert clip.moving_joints == ()
    assert clip.skeleton.joint_names == ("root", "upper", "lower", "other")
    assert clip.skeleton.end_sites.names == ("lower_end",)
    np.testing.assert_allclose(clip.skeleton.end_sites.offsets_m, [[0, 0.2, 0]], atol=1e-9)
    np.testing.assert_allclose(clip.skeleton.offsets_m[2], [0, 0.4, 0], atol=1e-9)


def test_an_armature_that_moves_carries_the_root(tmp_path: Path) -> None:
    maker = Maker()
    armature = maker.node("Armature", scale=[2.0, 2.0, 2.0])
    joints = figure(maker, armature)
    curves = {
        (armature, "translation"): np.linspace([0, 0, 0], [1, 0, 3], 9),
        (armature, "rotation"): turning(9, [0, 1, 0], 2.5),
        (joints[1], "rotation"): turning(9, [0, 0, 1], 1.0),
    }
    assert_means_what_the_matrices_say(tmp_path, maker, joints, curves)


def test_scale_that_moves_or_squeezes_keeps_joints_in_place(tmp_path: Path) -> None:
    maker = Maker()
    joints = figure(maker)
    maker.root["nodes"][joints[0]]["scale"] = [1.0, 2.0, 0.5]
    curves = {
        (joints[0], "rotation"): turning(10, [0, 1, 0], 1.0),
        (joints[1], "rotation"): turning(10, [0.6, 0, 0.8], 2.0),
        (joints[1], "scale"): np.linspace([1, 1, 1], [1.5, 0.7, 1], 10),
    }
    clip = assert_means_what_the_matrices_say(tmp_path, maker, joints, curves)
    assert clip.moving_joints == (2,)
    assert clip.source is not None
    assert any("Scale" in note for note in clip.source.notes)


def test_inner_translations_become_moving_offsets_only_when_they_vary(tmp_path: Path) -> None:
    maker = Maker()
    joints = figure(maker)
    still = np.tile([-0.3, 0.0, 0.0], (8, 1))
    shifted = np.tile([0.0, 0.5, 0.0], (8, 1))
    curves = {
        (joints[3], "translation"): still,
        (joints[2], "translation"): shifted,
        (joints[1], "translation"): np.linspace([0.3, 0, 0.1], [0.4, 0, 0.1], 8),
    }
    clip = assert_means_what_the_matrices_say(tmp_path, maker, joints, curves)
    assert clip.moving_joints == (1,)
    np.testing.assert_allclose(clip.skeleton.offsets_m[2], [0.0, 0.5, 0.0])


def test_a_matrix_is_taken_apart(tmp_path: Path) -> None:
    maker = Maker()
    top = matrix([1.0, 2, 3], [0.1, 0.2, 0.3, 0.9], [0.5] * 3)
    armature = maker.node("Armature", matrix=top.T.ravel().tolist())
    joints = figure(maker, armature)
    curves = {(joints[1], "rotation"): turning(5, [0, 0, 1], 1.0)}
    assert_means_what_the_matrices_say(tmp_path, maker, joints, curves)


def test_without_a_skin_the_moving_tree_is_the_figure(tmp_path: Path) -> None:
    maker = Maker()
    scene = maker.node("scene", translation=[0.0, 0.5, 0.0])
    joints = figure(maker, scene)
    del maker.root["skins"]
    maker.node("lamp", scene)
    maker.channel(joints[0], "rotation", [0.0, 1 / 30, 2 / 30], turning(3, [0, 1, 0], 1.0))
    clip = load_clip(maker.glb(tmp_path / "bare.glb"))
    assert clip.skeleton.joint_names == ("root", "upper", "lower", "other")
    np.testing.assert_allclose(clip.root_positions_m, np.tile([0.0, 1.5, 0.0], (3, 1)))


def test_a_node_between_joints_and_an_unskinned_mover_are_joints(tmp_path: Path) -> None:
    maker = Maker()
    root = maker.node("root")
    between = maker.node("between", root, translation=[0.0, 1, 0])
    tip = maker.node("tip", between, translation=[0.0, 1, 0])
    finger = maker.node("finger", tip, translation=[0.0, 1, 0])
    maker.node("hat", tip, translation=[0.0, 1, 0])
    maker.skin(tip, root)
    maker.channel(finger, "rotation", [0.0, 1 / 30], turning(2, [1, 0, 0], 1.0))
    clip = load_clip(maker.glb(tmp_path / "gaps.glb"))
    assert clip.skeleton.joint_names == ("root", "between", "tip", "finger")


def test_names_are_made_unique(tmp_path: Path) -> None:
    maker = Maker()
    a = maker.node("bone")
    b = maker.node("bone", a, translation=[0.0, 1, 0])
    c = maker.node("bone_2", b, translation=[0.0, 1, 0])
    d = maker.node(None, c, translation=[0.0, 1, 0])
    maker.skin(a, b, c, d)
    parsed = read(maker.glb(tmp_path / "twins.glb"))
    assert parsed.skeleton.joint_names == ("bone", "bone_3", "bone_2", "node_3")
    assert any("name" in note for note in parsed.notes)


def test_a_skin_without_animation_is_one_frame_at_rest(tmp_path: Path) -> None:
    maker = Maker()
    figure(maker)
    parsed = read(maker.glb(tmp_path / "still.glb"))
    assert len(parsed.rotations_wxyz) == 1
    np.testing.assert_allclose(parsed.rotations_wxyz[0], parsed.skeleton.rest_wxyz)
    assert any("rest pose" in note for note in parsed.notes)


def test_one_of_several_animations_can_be_chosen(tmp_path: Path) -> None:
    maker = Maker()
    joints = figure(maker)
    for number, name in enumerate(("walk", "run", None)):
        maker.animation(name)
        keys = [[0.0, float(number), 0.0], [0.0, 5.0, 0.0]]
        maker.channel(joints[0], "translation", [0.0, 1 / 30], keys, which=number)
    path = maker.glb(tmp_path / "three.glb")
    first = read(path)
    assert first.root_positions[0].tolist() == [0.0, 0.0, 0.0]
    assert any("'walk'; others: run, 2" in note for note in first.notes)
    assert read(path, animation="run").root_positions[0, 1] == 1.0
    assert load_clip(path, animation="2").root_positions_m[0, 1] == 2.0
    with pytest.raises(UnknownName, match="Did you mean 'walk'"):
        read(path, animation="walks")


# --- key times and interpolation -------------------------------------------------------------


def lifted(tmp_path: Path, times: object, heights: object, kind: str = "LINEAR") -> Clip:
    """A clip whose root rises as one channel says."""
    maker = Maker()
    joints = figure(maker)
    values = np.asarray(heights, dtype=float)[:, None] * np.array([0.0, 1.0, 0.0])
    maker.channel(joints[0], "translation", times, values, kind)
    return load_clip(maker.glb(tmp_path / "lifted.glb"))


@pytest.mark.parametrize(
    "rate_hz", [24.0, 25.0, 29.97002997002997, 30.0, 60.0, 100.0, 120.0, 240.0]
)
def test_a_steady_rate_is_found_over_a_long_clip(tmp_path: Path, rate_hz: float) -> None:
    frames = int(600 * rate_hz)
    heights = np.sin(np.arange(frames))
    clip = lifted(tmp_path, 0.04 + np.arange(frames) / rate_hz, heights)
    assert clip.rate_hz == pytest.approx(rate_hz, rel=1e-12)
    np.testing.assert_allclose(clip.root_positions_m[:, 1], heights, atol=1e-7)


def test_dropped_keys_are_filled_in(tmp_path: Path) -> None:
    kept = np.array([0, 2, 5, 9, 10, 20])
    clip = lifted(tmp_path, kept / 60.0, kept.astype(float))
    assert (clip.rate_hz, clip.frame_count) == (60.0, 21)
    np.testing.assert_allclose(clip.root_positions_m[:, 1], np.arange(21), atol=1e-9)


def test_key_poses_are_sampled_between(tmp_path: Path) -> None:
    clip = lifted(tmp_path, [0.0, 0.5, 1.0], [0.0, 1.0, 0.0])
    assert (clip.rate_hz, clip.frame_count) == (30.0, 31)
    assert clip.root_positions_m[15, 1] == 1.0
    np.testing.assert_allclose(clip.root_positions_m[3, 1], 0.2)
    assert clip.source is not None
    assert any("Key poses at 2 Hz" in note for note in clip.source.notes)


def test_irregular_keys_are_resampled_and_said_to_be(tmp_path: Path) -> None:
    times = np.array([0.0, 0.0317, 0.0713, 0.151, 0.2])
    clip = lifted(tmp_path, times, times)
    assert (clip.rate_hz, clip.frame_count) == (30.0, 7)
    np.testing.assert_allclose(clip.root_positions_m[:, 1], np.arange(7) / 30.0, atol=1e-7)
    assert clip.source is not None
    assert any("no steady rate" in note for note in clip.source.notes)


def test_keys_at_the_same_time_are_said_and_the_last_counts(tmp_path: Path) -> None:
    maker = Maker()
    joints = figure(maker)
    maker.animation("Läuft\n")
    times = np.array([0, 1, 2, 2, 2, 3, 3]) / 30.0
    heights = np.array([0.0, 1, 2, 7, 8, 3, 9])[:, None] * np.array([0.0, 1.0, 0.0])
    maker.channel(joints[1], "translation", np.arange(4) / 30.0, heights[:4])
    maker.channel(joints[0], "translation", times, heights)
    clip = load_clip(maker.glb(tmp_path / "twice.glb"))
    assert clip.root_positions_m[:, 1].tolist() == [0.0, 1.0, 8.0, 9.0]
    assert clip.source is not None
    (said,) = [note for note in clip.source.notes if "same time" in note]
    assert said.startswith("Animation 'Läuft\\n': channel 1 (translation of ")
    assert "has keys 2 and 3 both at 0.0666667 s (3 such keys in 1 channel)" in said


def test_steps_hold_and_splines_follow_their_tangents(tmp_path: Path) -> None:
    step = lifted(tmp_path, [0.0, 0.5, 1.0], [1.0, 2.0, 3.0], "STEP").root_positions_m[:, 1]
    assert step.tolist() == [1.0] * 15 + [2.0] * 15 + [3.0]
    # y = t³ on [0, 1] and beyond: a cubic spline with the right tangents is exact.
    t = np.array([0.0, 0.5, 1.5])
    heights = np.stack([3 * t**2, t**3, 3 * t**2], axis=1).ravel()
    cubic = lifted(tmp_path, t, heights, "CUBICSPLINE")
    np.testing.assert_allclose(cubic.root_positions_m[:, 1], (np.arange(46) / 30.0) ** 3, atol=1e-6)


def test_rotations_turn_along_the_shorter_arc(tmp_path: Path) -> None:
    maker = Maker()
    joints = figure(maker)
    ends = turning(2, [0, 0, 1], 2.0) * [[1.0], [-1.0]]
    maker.channel(joints[1], "rotation", [0.0, 0.5], ends)
    q = load_clip(maker.glb(tmp_path / "arc.glb")).rotations_wxyz[:, 1]
    angles = rotations.twist_angle(q, [0.0, 0.0, 1.0])
    np.testing.assert_allclose(angles, np.linspace(0, 2, 16), atol=1e-6)


def test_a_cubic_rotation_is_a_unit_quaternion(tmp_path: Path) -> None:
    maker = Maker()
    joints = figure(maker)
    values = turning(3, [0, 0, 1], 2.0)
    keys = np.stack([np.full((3, 4), 0.7), values, np.full((3, 4), -0.4)], axis=1)
    maker.channel(joints[1], "rotation", [0.0, 0.5, 1.0], keys.reshape(9, 4), "CUBICSPLINE")
    q = load_clip(maker.glb(tmp_path / "cubic.glb")).rotations_wxyz[:, 1]
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.abs(q[[0, 15, 30]] @ rotations.from_xyzw(values).T).diagonal(), 1)


# --- accessors and containers ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "largest"), [("<i1", 127), ("<u1", 255), ("<i2", 32767), ("<u2", 65535)]
)
def test_normalised_integers_are_fractions(tmp_path: Path, dtype: str, largest: int) -> None:
    maker = Maker()
    joints = figure(maker)
    whole = np.array([[0, 0, 0, largest], [0, 0, largest, largest]])
    output = maker.accessor(whole, dtype, normalized=True)
    maker.channel(joints[1], "rotation", [0.0, 1 / 30], output)
    q = load_clip(maker.glb(tmp_path / "whole.glb")).rotations_wxyz[:, 1]
    np.testing.assert_allclose(q, [[1, 0, 0, 0], [HALF, 0, 0, HALF]], atol=1e-12)


def test_strides_and_offsets_are_followed(tmp_path: Path) -> None:
    maker = Maker()
    joints = figure(maker)
    rows = b"".join(struct.pack("<f3ff", 9.0, i, 2.0 * i, 3.0 * i, 9.0) for i in range(4))
    output = maker.raw(rows, 4, 3, "<f4", byteStride=20, byteOffset=4)
    maker.channel(joints[0], "translation", np.arange(4) / 30, output)
    clip = load_clip(maker.glb(tmp_path / "strided.glb"))
    np.testing.assert_allclose(clip.root_positions_m, np.outer(np.arange(4), [1, 2, 3]))


@pytest.mark.parametrize("has_view", [True, False])
def test_sparse_accessors_change_single_values(tmp_path: Path, has_view: bool) -> None:
    maker = Maker()
    joints = figure(maker)
    output = maker.accessor(np.full((5, 3), 7.0 if has_view else 0.0))
    spots, given = maker.accessor([1, 4], "<u2"), maker.accessor([[1.0, 2, 3], [4, 5, 6]])
    accessors = maker.root["accessors"]
    accessors[output]["sparse"] = {
        "count": 2,
        "indices": {"bufferView": accessors[spots]["bufferView"], "componentType": 5123},
        "values": {"bufferView": accessors[given]["bufferView"]},
    }
    if not has_view:
        del accessors[output]["bufferView"]
    maker.channel(joints[0], "translation", np.arange(5) / 30, output)
    clip = load_clip(maker.glb(tmp_path / "sparse.glb"))
    rest = [7.0] * 3 if has_view else [0.0] * 3
    expected = np.array([rest, [1, 2, 3], rest, rest, [4, 5, 6]])
    np.testing.assert_allclose(clip.root_positions_m, expected)


def test_a_buffer_may_lie_beside_the_document(tmp_path: Path) -> None:
    maker = Maker()
    joints = figure(maker)
    maker.channel(joints[0], "translation", [0.0, 1 / 30], [[0.0, 1, 0], [0, 2, 0]])
    path = maker.gltf(tmp_path / "two.gltf", beside="my%20data.bin")
    assert load_clip(path).root_positions_m[1].tolist() == [0.0, 2.0, 0.0]
    (tmp_path / "my data.bin").unlink()
    with pytest.raises(FileProblem, match=r"a file 'my data.bin' for buffer 0.*next to the .gltf"):
        load_clip(path)


@pytest.mark.parametrize(
    "uri", ["../x.bin", "/etc/hostname", "C:\\x.bin", "http://a/b", "", "a/../../b"]
)
def test_a_buffer_outside_the_folder_is_refused(tmp_path: Path, uri: str) -> None:
    maker = Maker()
    figure(maker)
    maker.root["buffers"] = [{"byteLength": 4, "uri": uri}]
    path = tmp_path / "far.gltf"
    path.write_text(json.dumps(maker.root), encoding="utf-8")
    with pytest.raises(FileProblem, match="beside the document"):
        read(path)


@needs_mocap
def test_the_written_file_is_not_much_larger_than_its_source(tmp_path: Path) -> None:
    source = MOCAP / "cmu" / "02_01.bvh"
    save_clip(load_clip(source), tmp_path / "walk.glb")
    assert (tmp_path / "walk.glb").stat().st_size < 2 * source.stat().st_size
