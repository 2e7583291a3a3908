"""The script that compiles robots with MuJoCo, in a process of its own; it imports nothing of ours.

It is told a robot as text without files, and asks for the content of those meshes that masses
depend on. It answers with columns of plain numbers. See `robot_compiler`, the other end.
"""

from __future__ import annotations

import contextlib
import json
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
        asked: `text`, the `models` it attaches by name, the names of mesh files that are `absent`,
            and whether it is `urdf`.
        most_bodies: more of them are a problem.
        hear: where meshes come from.
        tell: where they are asked for.
    """
    with _warnings_kept(mujoco) as said:
        models = {name: text.encode("utf-8") for name, text in asked["models"].items()}
        spec = mujoco.MjSpec.from_string(asked["text"], include=models)
        if len(spec.bodies) - 1 > most_bodies or len(spec.joints) > most_bodies:
            return {"bodies": len(spec.bodies) - 1, "joints": len(spec.joints)}
        notes, weightless = without_files(spec, asked["urdf"], set(asked["absent"]))
        needed = sorted({mesh.file for mesh in spec.meshes if mesh.file})
        _say(tell, {"needed": needed})
        spec.assets = {name: _heard(hear) for name in needed}
        model = spec.compile()
    columns = _columns(model)
    columns["weightless"] = [name in weightless for name in columns["body_name"]]
    return {"name": spec.modelname, "notes": notes, "said": said, "columns": columns}


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


def without_files(spec: Any, urdf: bool, absent: set[str]) -> tuple[list[str], set[str]]:
    """Take out of a specification all meshes that no mass depends on.

    Args:
        spec: of MuJoCo.
        urdf: whether it comes from URDF.
        absent: mesh files that are not there.

    Returns:
        Notes, and the names of bodies that got a placeholder mass because nothing states one.
    """
    notes: list[str] = []
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    spec.compiler.usethread = False  # each thread would reserve memory that counts
    spec.compiler.LRopt.mode = 0  # lengths of muscles: they would be found by a simulation
    weightless = _state_masses(spec, urdf, absent, notes)
    needed = {geom.meshname for geom in spec.geoms if _is_mesh(geom)}
    for mesh in list(spec.meshes):
        if mesh.name not in needed:
            spec.delete(mesh)
    return notes, weightless


def _state_masses(spec: Any, urdf: bool, absent: set[str], notes: list[str]) -> set[str]:
    """Delete mesh geoms except those that a mass needs; bodies left without get a placeholder."""
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
