"""Robots as characters: MJCF and URDF files, compiled by MuJoCo (the extra `robots`).

Joints carry the names of the file's joints; the root, and links that are welded to their parent,
carry the names of their links. A body with several hinges becomes a chain of joints without mass
between. Welded links stay as fixed joints, so no name and no gram is lost. Mesh files are not
needed: only a mesh that a mass depends on is looked at, and if it is absent a note names the link.
Torque limits come from the joint's force range, or else from its motors; in URDF from `effort`.
Only URDF states how fast joints turn (see `with_urdf_limits`).
Closed loops (equality constraints), springs, friction and contacts are not read.

Files of strangers: what a robot names is read by `robot_source`, and MuJoCo compiles it in a
process of its own (`robot_compiler`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

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
from poise.errors import BadValue, FileProblem, MissingRoles
from poise.formats.parsed import sites_of
from poise.formats.robot_compiler import compile_robot
from poise.formats.robot_soles import SOLE_SLACK_M, colliding, sole_sites
from poise.formats.robot_source import read_source
from poise.formats.robot_tree import (
    BOX,
    CAPSULE,
    CYLINDER,
    ELLIPSOID,
    SPHERE,
    Shape,
    Tree,
    read_tree,
    with_urdf_limits,
)
from poise.units import world_from_file_wxyz

_PRIMITIVES = (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX)

# End sites of a robot from the shapes on its links.
#
# A robot file has no toe tips. What the foot collides with tells where the sole is: its level is
# the lowest point, its front and rear are the outermost points that touch that level (see
# `robot_soles`, too). Hands and heads get the farthest point of their simple shapes.


def with_end_sites(skeleton: Skeleton, roles: Roles, shown: list[Shape]) -> Skeleton:
    """The skeleton with toe, heel, hand and head tips wherever shapes in the world show them."""
    figure = Figure(skeleton)
    joints = {role: skeleton.index(name) for role, name in roles.joints.items()}
    shapes = [shape for shape in shown if shape.kind in _PRIMITIVES]
    points: list[tuple[str, int, Array]] = []
    for side in SIDES:
        ankle = joints.get(f"{side}_ankle")
        if ankle is not None:
            own = colliding([s for s in shown if figure.is_under(s.joint, ankle)])
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
        if s.kind in _PRIMITIVES or len(s.points)
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
    low = [s for s, y in zip(shapes, bottoms, strict=True) if y < sole + SOLE_SLACK_M]
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


_UNNAMED = "MuJoCo Model"
"""What MuJoCo calls a model whose file gives it no name."""


def read_character(path: Path) -> Character:
    """A robot with hinges, limits, masses, torque limits and sites, and roles if it is humanoid.

    Raises:
        FileProblem: not a robot file, or one with what Poise cannot take over (slide joints).
        MissingExtra: MuJoCo is not installed.
    """
    path = Path(path)
    source = read_source(path)
    model = compile_robot(source)
    try:
        tree = read_tree(model)
    except FileProblem as problem:
        raise FileProblem(path, problem.expected, problem.found, advice=problem.advice) from problem
    name = path.stem if model.name in ("", _UNNAMED) else model.name
    character = _character(path, name, tree, [*source.notes, *model.notes])
    return with_urdf_limits(character, path, source.root) if source.is_urdf else character


def _character(path: Path, name: str, tree: Tree, notes: list[str]) -> Character:
    try:
        skeleton = tree.skeleton(world_from_file_wxyz(tree.up))
        body = tree.body()
        shapes = _shapes(skeleton, tree)
        skeleton = with_end_sites(skeleton, find_partial_roles(skeleton), shapes)
    except BadValue as problem:
        expected = f"{problem.argument} {problem.allowed}"
        raise FileProblem(path, expected, f"{problem.got}"[:200]) from problem
    try:
        character = character_from(skeleton, name=name, body=body)
    except MissingRoles as problem:
        unknown = f"Not recognised as a humanoid: no {', '.join(problem.missing)}."
        character = Character(skeleton, name, body, notes=(unknown,))
    knees, soles, said = (), Sites(), ()
    if character.roles is not None:
        knees = backward_knee_notes(skeleton, character.roles)
        soles, said = sole_sites(skeleton, character.roles, shapes)
        said = (*said, *_absent_soles(skeleton, character.roles, tree))
    return replace(
        character,
        sites=tree.sites().joined(character.sites).joined(soles),
        torque_limits_nm=tree.torque_limits_nm,
        notes=(*notes, *tree.notes, *character.notes, *said, *knees),
    )


def _absent_soles(skeleton: Skeleton, roles: Roles, tree: Tree) -> tuple[str, ...]:
    """A note if soles are in mesh files that are not there."""
    figure = Figure(skeleton)
    ankles = [roles.joints[f"{side}_ankle"] for side in SIDES if f"{side}_ankle" in roles.joints]
    lacking = [
        skeleton.joint_names[joint]
        for joint in sorted(tree.shapeless)
        if any(figure.is_under(joint, skeleton.index(ankle)) for ankle in ankles)
    ]
    if not lacking:
        return ()
    return (
        f"The shape of the feet ({', '.join(lacking)}) is in mesh files that cannot be used "
        "(absent, too large or refused by MuJoCo): soles are taken by human proportions.",
    )
