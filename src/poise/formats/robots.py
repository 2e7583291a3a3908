"""Robots as characters: MJCF and URDF files, read by MuJoCo (the extra `robots`).

Joints carry the names of the file's joints; the root, and links that are welded to their parent,
carry the names of their links. A body with several hinges becomes a chain of joints without mass
between. Welded links stay as fixed joints, so no name and no gram is lost. Mesh files are not
needed: only a mesh that a mass depends on is looked at, and if it is absent a note names the link.
Torque limits come from the joint's force range, or else from its motors; in URDF from `effort`.
Only URDF states how fast joints turn (see `with_urdf_limits`).
Closed loops (equality constraints), springs, friction and contacts are not read.
"""

from __future__ import annotations

import contextlib
import os
import re
import warnings
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import (
    SIDES,
    UP,
    Character,
    Figure,
    Roles,
    Sites,
    Skeleton,
    backward_knee_notes,
    character_from,
    find_partial_roles,
)
from poise.errors import BadValue, FileProblem, MissingExtra, MissingRoles
from poise.formats.disk import check_readable, is_confined, read_bytes
from poise.formats.parsed import sites_of
from poise.formats.robot_tree import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    SPHERE,
    MjObject,
    Shape,
    Tree,
    read_tree,
    with_urdf_limits,
)
from poise.units import world_from_file_wxyz

_PRIMITIVES = (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX)
_HEIGHT_FIELD, _MESH, _SIGNED_DISTANCE = 1, 7, 8
"""Values of MuJoCo's `mjtGeom`."""
_INERTIA_FROM_GEOMS = 1
"""Of `mjtInertiaFromGeom`: whatever the bodies state."""

# End sites of a robot from the simple shapes on its links.
#
# A robot file has no toe tips. The primitives on the foot (boxes, spheres, capsules; meshes are
# not looked at) tell where the sole is: its level is their lowest point, its front and rear are
# the outermost points that touch that level. Hands and heads get their farthest point.
_SOLE_SLACK_M = 0.02
"""Shapes whose underside is this near to the lowest point are part of the sole."""


def with_end_sites(skeleton: Skeleton, roles: Roles, tree: Tree) -> Skeleton:
    """The skeleton with toe, heel, hand and head tips wherever shapes show them."""
    figure = Figure(skeleton)
    joints = {role: skeleton.index(name) for role, name in roles.joints.items()}
    shapes = _shapes(skeleton, tree)
    points: list[tuple[str, int, Array]] = []
    for side in SIDES:
        ankle = joints.get(f"{side}_ankle")
        if ankle is not None:
            own = [s for s in shapes if figure.is_under(s.joint, ankle)]
            points.extend(_sole_points(skeleton, ankle, own, roles.forward))
        hand = joints.get(f"{side}_wrist", joints.get(f"{side}_elbow"))
        if hand is not None:
            own = [s for s in shapes if figure.is_under(s.joint, hand)]
            points.extend(_far_point(figure, skeleton, hand, own))
    head = joints.get("head", joints.get("neck", joints.get("chest")))
    if head is not None:
        line = {j for j in range(len(skeleton.kinds)) if _rides_on(figure, j, head)}
        points.extend(_top_point(skeleton, head, [s for s in shapes if s.joint in line]))
    return replace(skeleton, end_sites=_sites(figure, points))


def _shapes(skeleton: Skeleton, tree: Tree) -> list[Shape]:
    world = rotations.to_matrix(skeleton.rest_world_wxyz)
    places = skeleton.rest_positions_m
    return [
        replace(s, center=places[s.joint] + world[s.joint] @ s.center, axes=world[s.joint] @ s.axes)
        for s in tree.shapes
        if s.kind in _PRIMITIVES
    ]


def _rides_on(figure: Figure, joint: int, head: int) -> bool:
    line = figure.path(head, joint)
    kinds = figure.skeleton.kinds
    return bool(line) and all(kinds[j] == "fixed" for j in line[1:])


def _sole_points(
    skeleton: Skeleton, ankle: int, shapes: list[Shape], forward: Array
) -> list[tuple[str, int, Array]]:
    if not shapes:
        return []
    bottoms = [float(s.support(-UP) @ UP) for s in shapes]
    sole = min(bottoms)
    low = [s for s, y in zip(shapes, bottoms, strict=True) if y < sole + _SOLE_SLACK_M]
    left = np.cross(UP, forward)
    across = [float(s.support(d, core=True) @ left) for s in low for d in (left, -left)]
    middle = 0.5 * (max(across) + min(across))
    front = max(float(s.support(forward, core=True) @ forward) for s in low)
    rear = min(float(s.support(-forward, core=True) @ forward) for s in low)
    name = skeleton.joint_names[ankle]
    return [
        (f"{name}_{end}", ankle, along * forward + middle * left + sole * UP)
        for end, along in (("toe", front), ("heel", rear))
    ]


def _far_point(
    figure: Figure, skeleton: Skeleton, hand: int, shapes: list[Shape]
) -> list[tuple[str, int, Array]]:
    origin = figure.positions[hand]
    reached: list[tuple[float, int, Array]] = []
    for shape in shapes:
        away = shape.center - origin
        length = float(np.linalg.norm(away))
        if length > 1e-6:
            point = shape.support(away / length)
            reached.append((float(np.linalg.norm(point - origin)), shape.joint, point))
    if not reached:
        return []
    _, joint, point = max(reached, key=lambda entry: entry[0])
    return [(f"{skeleton.joint_names[hand]}_tip", joint, point)]


def _top_point(skeleton: Skeleton, head: int, shapes: list[Shape]) -> list[tuple[str, int, Array]]:
    if not shapes:
        return []
    shape = max(shapes, key=lambda s: float(s.support(UP) @ UP))
    return [(f"{skeleton.joint_names[head]}_top", shape.joint, shape.support(UP))]


def _sites(figure: Figure, points: list[tuple[str, int, Array]]) -> Sites:
    world = rotations.conjugate(figure.skeleton.rest_world_wxyz)
    return sites_of(
        (name, j, rotations.rotate(world[j], point - figure.positions[j]))
        for name, j, point in points
    )


_FOLDERS = ("meshdir", "assetdir", "texturedir")
_TAKEN_IN = ("include", "model")
"""Elements whose file is a model in its turn."""


def check_named_files(path: Path, data: bytes, *, max_bytes: int) -> None:
    """Nothing, if all that a model names may be read.

    Args:
        path: the model.
        data: its content.
        max_bytes: of a model that it takes in.

    Raises:
        FileProblem: a file that may not be read (see `reading_below`), or XML that is not well
            formed: what cannot be looked through is not trusted.
    """
    if not is_confined():
        return
    waiting, seen = [(path, data)], {path}
    while waiting:
        including, content = waiting.pop()
        for file, is_model in _named(path, including, content):
            check_readable(file)
            if is_model and file not in seen and file.is_file():
                seen.add(file)
                waiting.append((file, read_bytes(file, max_bytes=max_bytes)))


def _named(path: Path, including: Path, content: bytes) -> Iterator[tuple[Path, bool]]:
    """Wherever MuJoCo may look: beside the model, beside what names the file, in its folders."""
    lowered = content.lower()
    if b"<!doctype" in lowered or b"<!entity" in lowered:
        raise FileProblem(including, "plain XML", "a document type declaration (DOCTYPE)")
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError) as problem:
        raise FileProblem(including, "XML that is well formed", str(problem)[:200]) from None
    folders = [""]
    folders += [each.get(key, "") for each in root.iter() for key in _FOLDERS]
    for each in root.iter():
        for key in ("file", "filename"):
            name = each.get(key)
            if name:
                for base in {path.parent, including.parent}:
                    for folder in dict.fromkeys(folders):
                        yield base / folder / _plain(name), each.tag in _TAKEN_IN


def _plain(name: str) -> str:
    """Without the schemes of ROS: what follows is looked for among the folders."""
    return name.removeprefix("package://").removeprefix("model://").removeprefix("file://")


_MAX_XML_BYTES = 32 << 20
_ROOT_ELEMENT = re.compile(rb"<\s*([A-Za-z_][\w.-]*)")
_SKIPPED = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_LINE = re.compile(r"[Ll]ine(?: number=| )(\d+)")
_PLACEHOLDER_KG = 1e-6
_UNNAMED = "MuJoCo Model"
"""What MuJoCo calls a model whose file gives it no name."""


def read_character(path: Path) -> Character:
    """A robot with hinges, limits, masses, torque limits and sites, and roles if it is humanoid.

    Raises:
        FileProblem: not a robot file, or one with what Poise cannot take over (slide joints).
        MissingExtra: MuJoCo is not installed.
    """
    path = Path(path)
    mujoco = _mujoco()
    data = read_bytes(path, max_bytes=_MAX_XML_BYTES)
    urdf = _root_element(path, data) == "robot"
    check_named_files(path, data, max_bytes=_MAX_XML_BYTES)
    with _mujoco_at_the_border(path, mujoco) as said:
        spec = mujoco.MjSpec.from_file(str(path))
        notes, weightless = _without_files(spec, urdf)
        model = spec.compile()
        tree = read_tree(model, weightless)
    if any("NaN" in warning for warning in said):
        raise FileProblem(path, "finite numbers", "NaN")
    name = path.stem if spec.modelname in ("", _UNNAMED) else spec.modelname
    character = _character(path, name, tree, [*notes, *said])
    return with_urdf_limits(character, path, data) if urdf else character


def _character(path: Path, name: str, tree: Tree, notes: list[str]) -> Character:
    try:
        skeleton = tree.skeleton(world_from_file_wxyz(tree.up))
        body = tree.body()
        skeleton = with_end_sites(skeleton, find_partial_roles(skeleton), tree)
    except BadValue as problem:
        expected = f"{problem.argument} {problem.allowed}"
        raise FileProblem(path, expected, f"{problem.got}"[:200]) from problem
    try:
        character = character_from(skeleton, name=name, body=body)
    except MissingRoles as problem:
        unknown = f"Not recognised as a humanoid: no {', '.join(problem.missing)}."
        character = Character(skeleton, name, body, notes=(unknown,))
    knees = backward_knee_notes(skeleton, character.roles) if character.roles else ()
    return replace(
        character,
        sites=tree.sites().joined(character.sites),
        torque_limits_nm=tree.torque_limits_nm,
        notes=(*notes, *tree.notes, *character.notes, *knees),
    )


def _mujoco() -> MjObject:
    try:
        with _safe_path():
            import mujoco
    except ImportError as problem:
        raise MissingExtra("Reading robots (MJCF, URDF)", "robots") from problem
    return mujoco


@contextlib.contextmanager
def _safe_path() -> Generator[None]:
    """Where Python starts Python, have it import nothing from the current folder.

    MuJoCo comes with GLFW, which does so to ask for the version of a library.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _root_element(path: Path, data: bytes) -> str:
    """`mujoco` or `robot`; anything else, and any document type with entities, is refused."""
    bare = _SKIPPED.sub(b"", data)
    if b"<!doctype" in bare.lower() or b"<!entity" in bare.lower():
        raise FileProblem(path, "plain XML", "a document type declaration (DOCTYPE)")
    found = _ROOT_ELEMENT.search(bare)
    element = found.group(1).decode("ascii", "replace") if found else ""
    if element in ("mujoco", "robot"):
        return element
    what = f"<{element[:40]}>" if element else "no XML element"
    raise FileProblem(path, "a robot: XML that starts with <mujoco> or <robot>", what)


@contextlib.contextmanager
def _mujoco_at_the_border(path: Path, mujoco: MjObject) -> Generator[list[str]]:
    """Turn MuJoCo's complaints into ours; its warnings are collected and not printed."""
    said: list[str] = []

    def keep(message: object) -> None:
        said.append(str(message))

    mujoco.set_mju_user_warning(keep)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield said
        said.extend(str(warning.message) for warning in caught)
    except FileProblem as problem:
        raise FileProblem(path, problem.expected, problem.found, advice=problem.advice) from problem
    except (ValueError, TypeError, RuntimeError, MemoryError, mujoco.FatalError) as problem:
        message = str(problem)
        line = _LINE.search(message)
        number = int(line.group(1)) if line else 0
        raise FileProblem(
            path,
            "a robot model that MuJoCo can read",
            " ".join(message.split())[:300] or type(problem).__name__,
            line=number or None,
        ) from problem
    finally:
        mujoco.set_mju_user_warning(None)
    said[:] = [f"MuJoCo warns: {' '.join(text.split())}" for text in dict.fromkeys(said)]


def _without_files(spec: MjObject, urdf: bool) -> tuple[list[str], set[str]]:
    """Take out of a model all that needs other files, and what a character has no use for.

    Returns notes, and the names of bodies that got a placeholder mass because nothing states one.
    """
    notes: list[str] = []
    if spec.equalities:
        notes.append(f"{len(spec.equalities)} equality constraints (closed loops) are not read.")
    for kind in ("sensors", "keys", "pairs", "excludes", "equalities", "skins", "flexes"):
        for element in list(getattr(spec, kind)):
            spec.delete(element)
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    weightless = _state_masses(spec, urdf, notes)
    meshes_needed = {geom.meshname for geom in spec.geoms if _is_mesh(geom)}
    for geom in spec.geoms:
        geom.material = ""
    for mesh in list(spec.meshes):
        if mesh.name not in meshes_needed:
            spec.delete(mesh)
    for kind in ("hfields", "materials", "textures"):
        for element in list(getattr(spec, kind)):
            spec.delete(element)
    return notes, weightless


def _state_masses(spec: MjObject, urdf: bool, notes: list[str]) -> set[str]:
    """Delete mesh geoms except those that a mass needs; bodies left without get a placeholder."""
    always = int(spec.compiler.inertiafromgeom) == _INERTIA_FROM_GEOMS
    weightless: set[str] = set()
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
            if wants_geoms and _gives_mass(geom) and _file_exists(spec, geom):
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


def _is_mesh(geom: MjObject) -> bool:
    return int(geom.type) in (_MESH, _SIGNED_DISTANCE) or bool(geom.meshname)


def _needs_file(geom: MjObject) -> bool:
    return _is_mesh(geom) or int(geom.type) == _HEIGHT_FIELD


def _gives_mass(geom: MjObject) -> bool:
    """Whether a geom adds to its body's mass: by its own, or by its density."""
    stated = float(geom.mass)
    return stated > 0 if stated == stated else float(geom.density) > 0


def _file_exists(spec: MjObject, geom: MjObject) -> bool:
    mesh = spec.mesh(geom.meshname)
    if mesh is None:
        return False
    if not mesh.file:
        return True  # vertices stand in the XML itself
    folder = Path(spec.modelfiledir) / spec.meshdir
    return (folder / mesh.file).is_file() or (Path(spec.modelfiledir) / mesh.file).is_file()
