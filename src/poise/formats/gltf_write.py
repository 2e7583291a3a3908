"""Writing a clip as glTF 2.0: joints, one animation, and a simple body skinned to them.

Everything a viewer needs is standard glTF. What glTF has no word for (the exact rate, hinges and
limits, where the clip came from) goes into `extras` under "poise", where our reader finds it.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np
import pygltflib as gltf

from poise import rotations
from poise.arrays import Array, RawArray
from poise.character import Skeleton
from poise.formats.body_record import as_json
from poise.formats.body_shape import body_mesh
from poise.formats.disk import atomic_write
from poise.formats.text import free_name
from poise.motion import Clip, Provenance, provenance_of

SKIN_TONE = (0.62, 0.60, 0.57, 1.0)
"""A neutral, slightly warm grey."""
ROUGHNESS = 0.75

_COMPONENTS = {"f4": gltf.FLOAT, "u1": 5121, "u2": 5123, "u4": 5125}
_TYPES = {1: gltf.SCALAR, 3: gltf.VEC3, 4: gltf.VEC4, 16: gltf.MAT4}


@dataclass
class _Buffer:
    """The bytes written so far, and the accessors into them."""

    data: bytearray = field(default_factory=bytearray)
    views: list[gltf.BufferView] = field(default_factory=list[gltf.BufferView])
    accessors: list[gltf.Accessor] = field(default_factory=list[gltf.Accessor])

    def add(self, values: RawArray, *, target: int | None = None, bounds: bool = False) -> int:
        """Append (count, width) numbers; returns the accessor's index."""
        count, width = values.shape
        content = np.ascontiguousarray(values).tobytes()
        view = gltf.BufferView(
            buffer=0, byteOffset=len(self.data), byteLength=len(content), target=target
        )
        accessor = gltf.Accessor(
            bufferView=len(self.views),
            componentType=_COMPONENTS[values.dtype.str[1:]],
            count=count,
            type=_TYPES[width],
        )
        if bounds:
            accessor.min = [float(x) for x in values.min(axis=0)]
            accessor.max = [float(x) for x in values.max(axis=0)]
        self.data += content + bytes(-len(content) % 4)
        self.views.append(view)
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def write(path: Path, clip: Clip, provenance: Provenance | None = None) -> tuple[str, ...]:
    """Write a .glb, or a .gltf with its data inside.

    Returns:
        Notes to say aloud; there are none.
    """
    document = _document(clip, provenance or provenance_of(clip))
    if path.suffix.lower() == ".gltf":
        encoded = base64.b64encode(document.binary_blob() or b"").decode("ascii")
        document.buffers[0].uri = f"data:application/octet-stream;base64,{encoded}"
        atomic_write(path, document.gltf_to_json().encode("utf-8"))
    else:
        atomic_write(path, b"".join(bytes(part) for part in document.save_to_bytes()))
    return ()


def _document(clip: Clip, provenance: Provenance) -> gltf.GLTF2:
    skeleton, buffer = clip.skeleton, _Buffer()
    nodes = _joint_nodes(skeleton)
    joints = list(range(len(nodes)))
    nodes.append(gltf.Node(name="Body", mesh=0, skin=0))
    document = gltf.GLTF2(
        asset=gltf.Asset(
            generator=f"Poise {provenance.version}", extras={"poise": _extras(clip, provenance)}
        ),
        scene=0,
        scenes=[gltf.Scene(nodes=[0, len(nodes) - 1])],
        nodes=nodes,
        skins=[_skin(skeleton.standing, joints, buffer)],
        meshes=[_mesh(skeleton.standing, buffer)],
        materials=[
            gltf.Material(
                name="Body",
                pbrMetallicRoughness=gltf.PbrMetallicRoughness(
                    baseColorFactor=list(SKIN_TONE), metallicFactor=0.0, roughnessFactor=ROUGHNESS
                ),
            )
        ],
        animations=[_animation(clip, buffer)],
    )
    document.accessors, document.bufferViews = buffer.accessors, buffer.views
    document.buffers = [gltf.Buffer(byteLength=len(buffer.data))]
    document.set_binary_blob(bytes(buffer.data))
    return document


def _extras(clip: Clip, provenance: Provenance) -> dict[str, object]:
    body = {} if clip.body is None else {"body": as_json(clip.body)}
    return {**provenance.as_dict(), **body}


def _joint_nodes(skeleton: Skeleton) -> list[gltf.Node]:
    """One node per joint, in joint order, then one per end site."""
    nodes = [
        gltf.Node(
            name=name,
            translation=skeleton.offsets_m[joint].tolist(),
            rotation=rotations.to_xyzw(skeleton.rest_wxyz[joint]).tolist(),
            children=list(skeleton.children[joint]),
            extras=_joint_extras(skeleton, joint),
        )
        for joint, name in enumerate(skeleton.joint_names)
    ]
    taken = set(skeleton.joint_names)
    ends = skeleton.end_sites
    for site, joint in enumerate(ends.joints.tolist()):
        first = f"{skeleton.joint_names[joint]}_end"
        name = free_name(first, (f"{first}_{number}" for number in count(2)), taken)
        nodes[joint].children.append(len(nodes))
        nodes.append(
            gltf.Node(
                name=name,
                translation=ends.offsets_m[site].tolist(),
                extras={"poise": {"end_site": ends.names[site]}},
            )
        )
    return nodes


def _joint_extras(skeleton: Skeleton, joint: int) -> dict[str, object]:
    kind, limits = skeleton.kinds[joint], skeleton.limits_rad[joint]
    extras: dict[str, object] = {}
    if kind != "ball":
        extras["kind"] = kind
    if kind == "hinge":
        extras["axis"] = skeleton.hinge_axes[joint].tolist()
    if np.isfinite(limits).any():
        # JSON has no infinity; null stands for it.
        extras["limits_rad"] = [
            [float(x) if np.isfinite(x) else None for x in pair] for pair in limits
        ]
    return {"poise": extras} if extras else {}


def _skin(skeleton: Skeleton, joints: list[int], buffer: _Buffer) -> gltf.Skin:
    """All nodes are joints, tips too: viewers then know how long the last bones are."""
    ends = skeleton.end_sites
    positions = np.concatenate([skeleton.rest_positions_m, skeleton.rest_end_positions_m])
    turns = np.concatenate([skeleton.rest_world_wxyz, skeleton.rest_world_wxyz[ends.joints]])
    back = rotations.to_matrix(rotations.conjugate(turns))
    inverse = np.tile(np.eye(4), (len(joints), 1, 1))
    inverse[:, :3, :3] = back
    inverse[:, :3, 3] = -(back @ positions[:, :, None])[:, :, 0]
    columns = np.swapaxes(inverse, 1, 2).reshape(-1, 16)
    return gltf.Skin(
        inverseBindMatrices=buffer.add(columns.astype("<f4")), skeleton=0, joints=joints
    )


def _mesh(skeleton: Skeleton, buffer: _Buffer) -> gltf.Mesh:
    body = body_mesh(skeleton)
    joint_type = "<u1" if skeleton.joint_count <= 256 else "<u2"
    index_type = "<u2" if len(body.positions_m) < 65535 else "<u4"
    vertex = gltf.ARRAY_BUFFER
    attributes = gltf.Attributes(
        POSITION=buffer.add(body.positions_m.astype("<f4"), target=vertex, bounds=True),
        NORMAL=buffer.add(body.normals.astype("<f4"), target=vertex),
        JOINTS_0=buffer.add(body.joints.astype(joint_type), target=vertex),
        WEIGHTS_0=buffer.add(body.weights.astype("<f4"), target=vertex),
    )
    indices = body.triangles.reshape(-1, 1).astype(index_type)
    primitive = gltf.Primitive(
        attributes=attributes,
        indices=buffer.add(indices, target=gltf.ELEMENT_ARRAY_BUFFER),
        material=0,
    )
    return gltf.Mesh(name="Body", primitives=[primitive])


def _animation(clip: Clip, buffer: _Buffer) -> gltf.Animation:
    animation = gltf.Animation(
        name=clip.name or "motion",
        extras={"poise": {"rate_hz": clip.rate_hz, "frame_count": clip.frame_count}},
    )
    # Each time is rounded once from its own quotient, so errors do not add up along the clip.
    times = (np.arange(clip.frame_count) / clip.rate_hz).astype("<f4")
    keys = buffer.add(times[:, None], bounds=True)

    def channel(node: int, path: str, values: Array) -> None:
        output = buffer.add(values.astype("<f4"))
        target = gltf.AnimationChannelTarget(node=node, path=path)
        animation.channels.append(
            gltf.AnimationChannel(sampler=len(animation.samplers), target=target)
        )
        animation.samplers.append(
            gltf.AnimationSampler(input=keys, output=output, interpolation=gltf.ANIM_LINEAR)
        )

    channel(0, "translation", clip.root_positions_m)
    for column, joint in enumerate(clip.moving_joints):
        channel(joint, "translation", clip.moving_offsets_m[:, column])
    for joint in range(clip.skeleton.joint_count):
        channel(joint, "rotation", rotations.to_xyzw(clip.rotations_wxyz[:, joint]))
    return animation
