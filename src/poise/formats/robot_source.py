"""A robot file with all that it takes in, as one text without files for MuJoCo to compile.

Includes are put in their places here, models that are attached become texts beside it, and mesh
files get names of ours. What a character has no use for is left out: pictures, heights, skins, soft
bodies, sensors, tendons, plugins, and of URDF all meshes. So MuJoCo opens no file.

A robot may name files in its folder and below the one above it (`meshdir="../meshes"` is usual),
by relative paths (see `robot_files`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from poise.errors import FileProblem
from poise.formats.disk import read_bytes
from poise.formats.robot_copies import check_copies
from poise.formats.robot_files import Mesh, named_file
from poise.formats.robot_xml import (
    MAX_DEPTH,
    MAX_ELEMENTS,
    MAX_XML_BYTES,
    Element,
    parse_xml,
    write_xml,
)
from poise.formats.text import shown

_MAX_FILES = 200
_LEFT_OUT = frozenset(
    "size visual statistic custom contact pair exclude equality tendon sensor keyframe extension"
    " plugin deformable flex skin flexcomp composite camera light texture material hfield"
    " lengthrange".split()
)
"""Elements of MJCF, wherever they are."""
_SOFT = ("composite", "flexcomp")
_ASSETS = ("mesh", "model")
"""Those of use among assets, of all kinds that there are or will be."""
_OTHER_TARGETS = ("tendon", "site", "body", "jointinparent", "cranksite", "slidersite")
"""What actuators move that are not on a joint."""
_NOT_PASSED = frozenset(
    "file filename content_type material assetdir meshdir texturedir strippath usethread".split()
)
"""Attributes, wherever they are."""
_SUFFIXES = {"model/stl": ".stl", "model/obj": ".obj", "model/vnd.mujoco.msh": ".msh"}

_URDF_PARTS = ("link", "joint", "mujoco")
_EXTENSION_PARTS = ("compiler", "option")
_SHAPES = ("visual", "collision")


@dataclass
class Source:
    """A robot as text, and what stands beside it."""

    path: Path
    root: Element
    """Of the robot's file; includes are in their places."""
    text: str = ""
    models: dict[str, str] = field(default_factory=dict[str, str])
    """Name in the text to a model that it attaches."""
    meshes: dict[str, Mesh] = field(default_factory=dict[str, Mesh])
    """Name in the texts to a file."""
    places: list[tuple[Path, int]] = field(default_factory=list[tuple[Path, int]])
    """Where each line comes from; the lines of several texts are counted on."""
    loops: int = 0
    soft: int = 0

    @property
    def is_urdf(self) -> bool:
        """Whether it is URDF."""
        return self.root.tag == "robot"

    @property
    def absent(self) -> list[str]:
        """Names of meshes whose files are not there."""
        return [name for name, mesh in self.meshes.items() if mesh.is_absent]

    @property
    def notes(self) -> list[str]:
        """What was left out of bodies and what holds them."""
        notes = list[str]()
        if self.loops:
            notes.append(f"{self.loops} equality constraints (closed loops) are not read.")
        if self.soft:
            notes.append(f"{self.soft} soft bodies (composite, flexcomp) are not read.")
        return notes


class _Files:
    """XML files of one robot, within limits on all of them together."""

    def __init__(self, path: Path) -> None:
        self._path, self._bytes, self._count = path, 0, 0

    def root(self, path: Path) -> Element:
        """The root element of one."""
        data = read_bytes(path, max_bytes=MAX_XML_BYTES, advice="")
        self._count, self._bytes = self._count + 1, self._bytes + len(data)
        if self._count > _MAX_FILES or self._bytes > MAX_XML_BYTES:
            expected = f"at most {_MAX_FILES} XML files and {MAX_XML_BYTES >> 20} MiB in all"
            raise FileProblem(self._path, expected, "that it takes in more")
        return parse_xml(path, data)


def read_source(path: Path) -> Source:
    """A robot and all that it takes in.

    Raises:
        FileProblem: not XML of a robot, or something it names that it may not.
    """
    files = _Files(path)
    root = files.root(path)
    if root.tag not in ("mujoco", "robot"):
        expected = "a robot: XML that starts with <mujoco> or <robot>"
        raise FileProblem(path, expected, f"<{root.tag[:40]}>")
    source = Source(path, root)
    source.text = _text(source, files, root, (path.parent.resolve() / path.name,))[0]
    return source


def _text(
    source: Source, files: _Files, root: Element, paths: tuple[Path, ...]
) -> tuple[str, tuple[int, int]]:
    """A model as text, and how many elements and bodies it makes.

    Args:
        source: where its meshes and models go.
        files: of the robot.
        root: the model.
        paths: the robot's file, then each model that the one before attaches, the last of them this
            one's.
    """
    sizes: dict[str, tuple[int, int]] = {}
    if root.tag == "robot":
        _prepare_urdf(root)
    else:
        _Includes(files, paths).resolve(root)
        for element in _prepared(source, root):
            if element.tag == "model":
                name = element.attributes.get("name", "")
                sizes[name] = _attach(source, files, element, paths)
        _rename_meshes(source, root, paths)
    size = check_copies(root, sizes)
    return write_xml(root, source.places), size


class _Includes:
    """Included files, each at most once."""

    def __init__(self, files: _Files, paths: tuple[Path, ...]) -> None:
        self._files, self._top, self._model = files, paths[0].parent, paths[-1]
        self._seen = {self._model}
        self._count = 0

    def resolve(self, root: Element) -> None:
        """Put the content of included files in their places."""
        self._resolve(root, self._model, 0)

    def _resolve(self, parent: Element, path: Path, depth: int) -> None:
        self._count += len(parent.children)
        if self._count > MAX_ELEMENTS or depth > MAX_DEPTH:
            expected = f"at most {MAX_ELEMENTS:,} XML elements, nested at most {MAX_DEPTH} deep"
            raise parent.problem(expected, "more, with what is included")
        children: list[Element] = []
        for child in parent.children:
            if child.tag.lower() != "include":
                self._resolve(child, path, depth + 1)
                children.append(child)
                continue
            file = _taken_in(child, (self._model.parent, path.parent), self._top)
            if file in self._seen:
                raise child.problem("each file to be included once", f"{file.name} again")
            self._seen.add(file)
            root = self._files.root(file)
            self._resolve(root, file, depth + 1)
            children += root.children
        parent.children = children


def _taken_in(element: Element, folders: tuple[Path, ...], top: Path) -> Path:
    """The XML file that an element names, which must be there."""
    name = element.attributes.get("file", "")
    path = named_file(element, name, folders, top)
    if not path.exists():
        raise element.problem("an existing file to take in", f"no {shown(name)}")
    return path


def _prepared(source: Source, root: Element) -> list[Element]:
    """All elements of a model once what is of no use is left out."""
    left, done = [root], list[Element]()
    while left:
        parent = left.pop()
        done.append(parent)
        for child in parent.children:
            source.soft += child.tag in _SOFT
            # Of default classes, too, there are some for equalities.
            source.loops += len(child.children) if child.tag == "equality" else 0
        parent.children = [child for child in parent.children if _is_kept(parent, child)]
        left += reversed(parent.children)
    return done


def _is_kept(parent: Element, child: Element) -> bool:
    if parent.tag == "asset":
        return child.tag in _ASSETS
    if parent.tag == "actuator" and not child.attributes.keys().isdisjoint(_OTHER_TARGETS):
        return False
    return child.tag not in _LEFT_OUT


def _attach(
    source: Source, files: _Files, element: Element, paths: tuple[Path, ...]
) -> tuple[int, int]:
    """Read a model that bodies of another attach; how many elements and bodies it has."""
    path = _taken_in(element, (paths[-1].parent, element.path.parent), paths[0].parent)
    if path in paths:
        raise element.problem("a model that does not attach itself", path.name)
    name = f"model{len(source.models)}.xml"
    source.models[name] = ""  # it may attach others, which get the following names
    source.models[name], size = _text(source, files, files.root(path), (*paths, path))
    element.attributes = {"name": element.attributes.get("name", path.stem), "file": name}
    return size


def _rename_meshes(source: Source, root: Element, paths: tuple[Path, ...]) -> None:
    """Give mesh files names of ours, and take away all else that names files and folders."""
    elements = list(root.all())
    folder, strip = "", False
    for element in elements:
        if element.tag == "compiler":
            for key in ("assetdir", "meshdir"):
                folder = element.attributes.get(key, folder)
            strip = element.attributes.get("strippath", str(strip)).lower() == "true"
    for element in elements:
        name, kind = (element.attributes.get(key, "") for key in ("file", "content_type"))
        if element.tag == "model":
            continue
        known = {k: v for k, v in element.attributes.items() if k not in _NOT_PASSED}
        if element.tag == "mesh" and name:
            plain = PurePosixPath(name.replace("\\", "/"))
            names = (plain.name if strip else name,)
            if folder:
                names = (f"{folder}/{names[0]}", *names)
            suffix = _SUFFIXES.get(kind, plain.suffix)
            ending = suffix if re.fullmatch(r"\.\w{1,8}", suffix) else ""
            ours = f"mesh{len(source.meshes)}{ending}"
            source.meshes[ours] = Mesh(element, names, paths[-1].parent, paths[0].parent)
            known = {"name": plain.stem, **known, "file": ours}
        element.attributes = known


def _prepare_urdf(root: Element) -> None:
    """Leave out all that names files, and refuse what xacro was to replace."""
    advice = "Expand it first: xacro robot.urdf.xacro > robot.urdf"
    for element in root.all():
        if element.tag.startswith("xacro:"):
            raise element.problem("URDF", f"<{element.tag[:60]}>", advice=advice)
        for name, value in element.attributes.items():
            if "${" in value or "$(" in value:
                raise element.problem("URDF", f"{name}='{value[:60]}'", advice=advice)
    root.children = [child for child in root.children if child.tag in _URDF_PARTS]
    for part in root.children:
        if part.tag == "mujoco":
            part.children = [each for each in part.children if each.tag in _EXTENSION_PARTS]
        if part.tag == "link":
            part.children = [each for each in part.children if _is_simple(each)]
    for element in root.all():
        element.children = [each for each in element.children if each.tag != "material"]
        known = element.attributes.items()
        element.attributes = {name: value for name, value in known if name not in _NOT_PASSED}


def _is_simple(part: Element) -> bool:
    return part.tag not in _SHAPES or all(each.tag != "mesh" for each in part.all())
