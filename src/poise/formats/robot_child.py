"""The script that compiles robots with MuJoCo, in a process of its own; it imports nothing of ours.

It is told a robot as text without files, and asks for the content of those meshes that masses
depend on. It answers with columns of plain numbers. See `robot_compiler`, the other end.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import sys
import warnings
from collections.abc import Generator
from typing import Any, BinaryIO

_MESH, _SIGNED_DISTANCE, _HEIGHT_FIELD = 7, 8, 1
"""Values of MuJoCo's `mjtGeom`."""
_INERTIA_FROM_GEOMS = 1
"""Of `mjtInertiaFromGeom`: whatever the bodies state."""
_PLACEHOLDER_KG = 1e-6
_DIRECTIONS = 200
"""In which the vertices of a sole are looked for."""
_LENGTH_BYTES = 8


def main() -> None:
    """Say that all is ready, take one robot, answer once."""
    memory_bytes, seconds, most_bodies = (int(word) for word in sys.argv[1:4])
    sys.path += sys.argv[4:]
    hear, tell = _channels()
    try:
        import mujoco
    except Exception as problem:  # an installation may be broken in any way
        _say(tell, {"broken": f"{type(problem).__name__}: {problem}"[:500]})
        return
    _limit(memory_bytes, seconds)
    _say(tell, {"ready": True})
    asked = json.loads(_heard(hear))
    answer: dict[str, object]
    try:
        answer = _compiled(mujoco, asked, most_bodies, hear, tell)
    except MemoryError:
        answer = {"full": True}
    except Exception as problem:
        answer = {"problem": str(problem) or type(problem).__name__}
    _say(tell, answer)


def _channels() -> tuple[BinaryIO, BinaryIO]:
    """Input and output for us alone: what MuJoCo prints goes to errors."""
    hear, tell = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return hear, tell


def _heard(source: BinaryIO) -> bytes:
    head = source.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        sys.exit(0)  # nobody waits any more
    return source.read(int.from_bytes(head, "big"))


def _say(to: BinaryIO, message: dict[str, object]) -> None:
    data = json.dumps(message).encode("utf-8", "replace")
    to.write(len(data).to_bytes(_LENGTH_BYTES, "big"))
    to.write(data)
    to.flush()


def _limit(memory_bytes: int, seconds: int) -> None:
    """Where the system can: no more memory, time or files than needed, and no dump of a crash."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = [("RLIMIT_CPU", seconds), ("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", 0)]
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm", encoding="ascii") as f:
        has = int(f.read().split()[0]) * resource.getpagesize()
        limits.append(("RLIMIT_AS", has + memory_bytes))
    limits.append(("RLIMIT_NOFILE", 0))  # whatever a robot names, there is no file to be had
    for name, most in limits:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(getattr(resource, name), (most, most))


def _compiled(
    mujoco: Any, asked: dict[str, Any], most_bodies: int, hear: BinaryIO, tell: BinaryIO
) -> dict[str, object]:
    """A robot as columns.

    Args:
        mujoco: the package.
        asked: `text`, the `models` it attaches by name, the names of mesh files that are `absent`
            or `large`, and whether it is `urdf`.
        most_bodies: more of them are a problem.
        hear: where meshes come from.
        tell: where they are asked for.
    """
    with _warnings_kept(mujoco) as said:
        spec = _specification(mujoco, asked)
        if len(spec.bodies) - 1 > most_bodies or len(spec.joints) > most_bodies:
            return {"bodies": len(spec.bodies) - 1, "joints": len(spec.joints)}
        shown = without_files(spec, asked, soles=True)
        needed = sorted({mesh.file for mesh in spec.meshes if mesh.file})
        _say(tell, {"needed": needed})
        assets = {name: _heard(hear) for name in needed}
        spec.assets = dict(assets)
        try:
            model = spec.compile()
        except MemoryError:
            raise
        except Exception:
            if not shown.soles:
                raise
            spec = _specification(mujoco, asked)
            shown = without_files(spec, asked, soles=False)
            spec.assets = {m.file: assets[m.file] for m in spec.meshes if m.file}
            model = spec.compile()
    columns = _columns(model)
    columns["weightless"] = [name in shown.weightless for name in columns["body_name"]]
    columns["shapeless"] = [name in shown.shapeless for name in columns["body_name"]]
    columns["vertex_geom"], columns["vertex_pos"] = _vertices(model, columns, shown.soles)
    return {"name": spec.modelname, "notes": shown.notes, "said": said, "columns": columns}


def _specification(mujoco: Any, asked: dict[str, Any]) -> Any:
    models = {name: text.encode("utf-8") for name, text in asked["models"].items()}
    return mujoco.MjSpec.from_string(asked["text"], include=models)


def _vertices(
    model: Any, columns: dict[str, Any], bodies: set[str]
) -> tuple[list[int], list[list[float]]]:
    """Vertices that lie farthest out on the meshes of some bodies: their geoms and places."""
    owners: list[int] = []
    places: list[list[float]] = []
    # Directions that cover the sphere evenly, and all corners of a box.
    turns = [(k * 2.399963, 1.0 - (2.0 * k + 1.0) / _DIRECTIONS) for k in range(_DIRECTIONS)]
    flat = [math.sqrt(1.0 - height * height) for _, height in turns]
    ways = [(r * math.cos(a), r * math.sin(a), h) for r, (a, h) in zip(flat, turns, strict=True)]
    ways += [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    for geom in range(model.ngeom):
        body = columns["body_name"][int(model.geom_bodyid[geom])]
        touches = model.geom_contype[geom] or model.geom_conaffinity[geom]
        if int(model.geom_type[geom]) != _MESH or not touches or body not in bodies:
            continue
        mesh = int(model.geom_dataid[geom])
        first = int(model.mesh_vertadr[mesh])
        vertices = model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])].astype(float)
        far = sorted({int((vertices @ way).argmax()) for way in ways})
        owners += [geom] * len(far)
        places += vertices[far].tolist()
    return owners, places


@contextlib.contextmanager
def _warnings_kept(mujoco: Any) -> Generator[list[str], None, None]:
    said: list[str] = []

    def keep(message: object) -> None:
        said.append(str(message))

    mujoco.set_mju_user_warning(keep)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    said.extend(str(warning.message) for warning in caught)


def _columns(model: Any) -> dict[str, Any]:
    """What is read of a model, by the name of its array, or of what it is."""
    columns: dict[str, Any] = {
        name: getattr(model, name).tolist()
        for name in (
            "body_parentid", "body_rootid", "body_jntadr", "body_jntnum", "body_pos", "body_quat",
            "body_mass", "body_inertia", "body_ipos", "body_iquat",
            "jnt_type", "jnt_pos", "jnt_axis", "jnt_limited", "jnt_range",
            "jnt_actfrclimited", "jnt_actfrcrange",
            "site_bodyid", "site_pos",
            "geom_bodyid", "geom_type", "geom_size", "geom_pos", "geom_quat",
            "geom_contype", "geom_conaffinity",
            "actuator_trntype", "actuator_forcelimited", "actuator_forcerange",
            "actuator_biastype", "actuator_gaintype", "actuator_ctrllimited", "actuator_ctrlrange",
        )
    }  # fmt: skip
    columns["jnt_start"] = model.qpos0[model.jnt_qposadr].tolist() if model.njnt else []
    columns["actuator_joint"] = model.actuator_trnid[:, 0].tolist()
    columns["actuator_gear"] = model.actuator_gear[:, 0].tolist()
    columns["actuator_gain"] = model.actuator_gainprm[:, 0].tolist()
    columns["body_name"] = [model.body(k).name for k in range(model.nbody)]
    columns["jnt_name"] = [model.joint(k).name for k in range(model.njnt)]
    columns["site_name"] = [model.site(k).name for k in range(model.nsite)]
    columns["gravity"] = model.opt.gravity.tolist()
    return columns


@dataclasses.dataclass
class Shown:
    """What a robot is without its files."""

    notes: list[str]
    weightless: set[str]
    """Names of bodies that got a placeholder mass because nothing states one,"""
    soles: set[str]
    """of those at the ends of limbs whose meshes are kept, as nothing else shows their shape,"""
    shapeless: set[str]
    """and of those whose shape nobody knows, because such a mesh is not there."""


def without_files(spec: Any, asked: dict[str, Any], *, soles: bool) -> Shown:
    """Take out of a specification all meshes that neither a mass nor a sole depends on.

    Args:
        spec: of MuJoCo.
        asked: as of `_compiled`.
        soles: whether to keep meshes for the shape of feet.
    """
    urdf, absent = asked["urdf"], set(asked["absent"])
    ends = {body.name for body in spec.bodies[1:] if _is_end(body)}
    there = {mesh.name for mesh in spec.meshes} - {
        mesh.name for mesh in spec.meshes if mesh.file in absent or mesh.file in asked["large"]
    }
    kept: set[str] = set()
    shapeless: set[str] = set()
    for body in spec.bodies[1:]:
        if body.name in ends:
            ours = [geom for geom in body.geoms if _is_mesh(geom) and _touches(geom)]
            has = soles and all(geom.meshname in there for geom in ours)
            (kept if has else shapeless).add(body.name)
    notes: list[str] = []
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    spec.compiler.usethread = False  # each thread would reserve memory that counts
    spec.compiler.LRopt.mode = 0  # lengths of muscles: they would be found by a simulation
    weightless = _state_masses(spec, urdf, absent, notes, kept)
    needed = {geom.meshname for geom in spec.geoms if _is_mesh(geom)}
    for mesh in list(spec.meshes):
        if mesh.name not in needed:
            spec.delete(mesh)
    return Shown(notes, weightless, kept, shapeless)


def _is_end(body: Any) -> bool:
    """Whether a body is the end of a limb, and meshes alone say where it touches."""
    if not body.name or not len(body.joints) or any(_moves(child) for child in body.bodies):
        return False
    touching = [geom for geom in body.geoms if _touches(geom)]
    return bool(touching) and all(_is_mesh(geom) for geom in touching)


def _moves(body: Any) -> bool:
    return bool(len(body.joints)) or any(_moves(child) for child in body.bodies)


def _touches(geom: Any) -> bool:
    return bool(geom.contype or geom.conaffinity)


def _state_masses(
    spec: Any, urdf: bool, absent: set[str], notes: list[str], kept: set[str]
) -> set[str]:
    """Delete mesh geoms except those that a mass needs, and those of bodies that are to be kept.

    Bodies that are left without a mass get a placeholder.
    """
    always = int(spec.compiler.inertiafromgeom) == _INERTIA_FROM_GEOMS
    weightless: set[str] = set()
    files = {mesh.name: mesh.file for mesh in spec.meshes}
    names = {body.name for body in spec.bodies}
    for index, body in enumerate(spec.bodies):
        if index == 0:
            for geom in [g for g in body.geoms if _needs_file(g)]:
                spec.delete(geom)
            continue
        if not body.name:
            body.name = f"body_{index}" if f"body_{index}" not in names else f"unnamed_{index}"
        wants_geoms = not urdf and (always or not body.explicitinertial)
        lost = False
        for geom in list(body.geoms):
            if not _needs_file(geom):
                if urdf and not body.explicitinertial:
                    geom.mass = 0.0  # a URDF link without <inertial> has no mass
                continue
            file = files.get(geom.meshname)
            is_there = file is not None and file not in absent
            if wants_geoms and _gives_mass(geom) and is_there:
                continue
            lost = lost or (wants_geoms and _gives_mass(geom))
            if body.name in kept and _touches(geom):
                geom.mass = 0.0
            else:
                spec.delete(geom)
        if lost:
            notes.append(
                f"The mass of {body.name} depends on a mesh file that is not there: "
                "it is counted without it."
            )
        if not body.explicitinertial and not any(_gives_mass(g) for g in body.geoms):
            weightless.add(body.name)
            body.explicitinertial = True
            body.mass = _PLACEHOLDER_KG
            body.inertia = [_PLACEHOLDER_KG] * 3
            if not lost and len(body.joints) and not urdf:
                notes.append(f"{body.name} moves but states no mass.")
    return weightless


def _is_mesh(geom: Any) -> bool:
    return int(geom.type) in (_MESH, _SIGNED_DISTANCE) or bool(geom.meshname)


def _needs_file(geom: Any) -> bool:
    return _is_mesh(geom) or int(geom.type) == _HEIGHT_FIELD


def _gives_mass(geom: Any) -> bool:
    """Whether a geom adds to its body's mass: by its own, or by its density."""
    stated = float(geom.mass)
    return stated > 0 if stated == stated else float(geom.density) > 0


if __name__ == "__main__":
    main()
