"""Small glTF files as other programs might write them, and where their nodes really are."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


class Maker:
    """Collects nodes, accessors and animations; writes any of the three containers."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.root: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "nodes": [],
            "bufferViews": [],
            "accessors": [],
        }

    def node(self, name: str | None = None, parent: int | None = None, **facts: Any) -> int:
        nodes = self.root["nodes"]
        nodes.append({**({} if name is None else {"name": name}), **facts})
        if parent is not None:
            nodes[parent].setdefault("children", []).append(len(nodes) - 1)
        return len(nodes) - 1

    def accessor(self, values: Any, dtype: str = "<f4", **facts: Any) -> int:
        array = np.asarray(values, dtype=dtype)
        array = array.reshape(len(array), -1)
        return self.raw(array.tobytes(), len(array), array.shape[1], dtype, **facts)

    def raw(self, content: bytes, count: int, width: int, dtype: str, **facts: Any) -> int:
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data)}
        view["byteLength"] = len(content)
        if "byteStride" in facts:
            view["byteStride"] = facts.pop("byteStride")
        self.data += content + bytes(-len(content) % 4)
        self.root["bufferViews"].append(view)
        accessor = {
            "bufferView": len(self.root["bufferViews"]) - 1,
            "componentType": COMPONENTS[dtype[1:]],
            "count": count,
            "type": TYPES[width],
            **facts,
        }
        self.root["accessors"].append(accessor)
        return len(self.root["accessors"]) - 1

    def skin(self, *joints: int) -> None:
        self.root.setdefault("skins", []).append({"joints": list(joints)})

    def animation(self, name: str | None = None) -> int:
        made: dict[str, Any] = {"channels": [], "samplers": []}
        if name is not None:
            made["name"] = name
        self.root.setdefault("animations", []).append(made)
        return len(self.root["animations"]) - 1

    def channel(
        self, node: int, path: str, times: Any, values: Any, kind: str = "LINEAR", which: int = 0
    ) -> None:
        if "animations" not in self.root:
            self.animation()
        animation = self.root["animations"][which]
        output = values if isinstance(values, int) else self.accessor(values)
        source = times if isinstance(times, int) else self.accessor(times)
        animation["channels"].append(
            {"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}}
        )
        animation["samplers"].append({"input": source, "output": output, "interpolation": kind})

    def glb_bytes(self) -> bytes:
        self.root["buffers"] = [{"byteLength": len(self.data)}]
        return glb(json.dumps(self.root).encode(), bytes(self.data))

    def glb(self, path: Path) -> Path:
        path.write_bytes(self.glb_bytes())
        return path

    def gltf(self, path: Path, *, beside: str | None = None) -> Path:
        uri = beside
        if beside is None:
            body = base64.b64encode(bytes(self.data)).decode()
            uri = f"data:application/octet-stream;base64,{body}"
        else:
            (path.parent / beside.replace("%20", " ")).write_bytes(bytes(self.data))
        self.root["buffers"] = [{"byteLength": len(self.data), "uri": uri}]
        path.write_text(json.dumps(self.root), encoding="utf-8")
        return path


def glb(text: bytes, blob: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    length = 12 + 8 + len(text) + 8 + len(blob)
    return (
        struct.pack("<4sII", b"glTF", 2, length)
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(blob), b"BIN\0")
        + blob
    )


def matrix(translation: Any, xyzw: Any, scale: Any) -> np.ndarray:
    """T·R·S as the specification says, written out independently of the package."""
    x, y, z, w = np.asarray(xyzw, dtype=float) / np.linalg.norm(xyzw)
    made = np.eye(4)
    made[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    made[:3, :3] *= np.asarray(scale, dtype=float)
    made[:3, 3] = translation
    return made
