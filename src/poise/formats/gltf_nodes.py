"""The node tree of a glTF file: who hangs on whom, where, and which nodes are the body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.formats.gltf_document import Document, Json

MAX_DEPTH = 1000
"""A rope of bones may be long, but not this long."""

TIP_SUFFIXES = ("_end", "_End", "_leaf")
"""How writers call the node at the tip of a last bone."""

_SHEAR = 1e-3


@dataclass(frozen=True, eq=False)
class Nodes:
    """All nodes with their rest transforms: translation, rotation, scale."""

    facts: list[Json]
    names: tuple[str, ...]
    """Unique; nodes without a name are called after their number."""
    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    translations: Array
    """(N, 3)"""
    rotations_xyzw: Array
    """(N, 4)"""
    scales: Array
    """(N, 3)"""
    renamed: tuple[str, ...]
    """Names that several nodes had."""

    def path_up(self, node: int) -> list[int]:
        """The node, its parent, and so on to the top."""
        path: list[int] = []
        while node >= 0:
            path.append(node)
            node = self.parents[node]
        return path

    def below(self, node: int) -> list[int]:
        """The node and everything under it, parents first, children in the file's order."""
        order, waiting = list[int](), [node]
        while waiting:
            order.append(waiting.pop())
            waiting.extend(reversed(self.children[order[-1]]))
        return order


@dataclass(frozen=True)
class Figure:
    """Which nodes are the joints of the body, and which only mark the tips of its bones."""

    joints: tuple[int, ...]
    """Node numbers, parents before children, the root first."""
    tips: tuple[int, ...]
    notes: tuple[str, ...] = ()


def nodes_of(document: Document) -> Nodes:
    """Read the node list and make sure that it is a forest."""
    facts = document.items("nodes")
    count = len(facts)
    children = [document.indices(n, "children", count, f"node {i}") for i, n in enumerate(facts)]
    parents = [-1] * count
    for node, below in enumerate(children):
        for child in below:
            if parents[child] >= 0:
                raise document.problem(f"one parent for node {child}", "two")
            parents[child] = node
    _check_forest(document, parents, children)
    rest = [_rest(document, node, f"node {i}") for i, node in enumerate(facts)]
    names, renamed = _unique_names(facts)
    return Nodes(
        facts=facts,
        names=names,
        parents=tuple(parents),
        children=tuple(tuple(c) for c in children),
        translations=np.array([r[0] for r in rest]).reshape(-1, 3),
        rotations_xyzw=np.array([r[1] for r in rest]).reshape(-1, 4),
        scales=np.array([r[2] for r in rest]).reshape(-1, 3),
        renamed=renamed,
    )


def figure_of(document: Document, nodes: Nodes, animated: set[int]) -> Figure:
    """The joints: of the first skin and those that share its joints, else of what moves.

    Nodes on the way between two joints are joints too, and so are nodes under the root that the
    animation moves although no skin uses them: nothing that moves is lost.

    Args:
        document: the file.
        nodes: its nodes.
        animated: the nodes that leave their rest pose at some time.
    """
    wanted, notes = _skin_joints(document, len(nodes.facts))
    in_skin_order = {node: i for i, node in enumerate(wanted)}
    if not wanted:
        if not animated:
            raise document.problem("a skin or an animation of nodes", "neither")
        wanted = sorted(animated)
    root = _common_ancestor(document, nodes, wanted)
    under = nodes.below(root)
    wanted_set = set(wanted) | {node for node in under if node in animated}
    if not in_skin_order:
        # Without a skin every plain node under the moving ones may be a bone.
        wanted_set |= {node for node in under if not _carries_something(nodes.facts[node])}
    joints = {root}
    for node in wanted_set:
        while node not in joints:
            joints.add(node)
            node = nodes.parents[node]
    ours = bool(poise_extras(cast(Json, document.root["asset"])))  # then every tip is marked
    tips = {node for node in under if _is_tip(nodes, node, animated, ours) and node != root}
    tips = {node for node in tips if nodes.parents[node] in joints}
    order = [node for node in under if node in joints and node not in tips]
    by_skin = sorted(order, key=lambda node: in_skin_order.get(node, len(in_skin_order)))
    if _parents_first(nodes, by_skin):
        order = by_skin
    return Figure(tuple(order), tuple(node for node in under if node in tips), notes)


def poise_extras(facts: Json) -> Json:
    """What our own writer noted on an object, or nothing."""
    extras = facts.get("extras")
    ours = cast(Json, extras).get("poise") if isinstance(extras, dict) else None
    return cast(Json, ours) if isinstance(ours, dict) else {}


def _check_forest(document: Document, parents: list[int], children: list[list[int]]) -> None:
    level = [node for node, parent in enumerate(parents) if parent < 0]
    reached, depth = 0, 0
    while level:
        reached += len(level)
        depth += 1
        if depth > MAX_DEPTH:
            raise document.problem(f"a node tree at most {MAX_DEPTH} deep", "a deeper one")
        level = [child for node in level for child in children[node]]
    if reached < len(parents):
        raise document.problem("a tree of nodes", "nodes that are their own ancestors")


def _rest(document: Document, node: Json, where: str) -> tuple[Array, Array, Array]:
    if "matrix" in node:
        flat = document.numbers(node, "matrix", [0.0] * 16, where)
        return _decomposed(document, flat.reshape(4, 4).T, where)
    turn = document.numbers(node, "rotation", [0.0, 0.0, 0.0, 1.0], where)
    norm = float(np.linalg.norm(turn))
    if not 1e-3 < norm < 1e3:
        raise document.problem(f"a unit quaternion as 'rotation' of {where}", f"length {norm:.3g}")
    return (
        document.numbers(node, "translation", [0.0] * 3, where),
        turn / norm,
        document.numbers(node, "scale", [1.0] * 3, where),
    )


def _decomposed(document: Document, matrix: Array, where: str) -> tuple[Array, Array, Array]:
    linear = matrix[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    wanted = f"a translation, rotation and scale as 'matrix' of {where}"
    if not (scale > 1e-12).all() or not np.isfinite(scale).all():
        raise document.problem(wanted, "a matrix that flattens space")
    turn = linear / scale
    if np.abs(turn.T @ turn - np.eye(3)).max() > _SHEAR:
        raise document.problem(wanted, "a shear")
    if np.linalg.det(turn) < 0:
        turn, scale = -turn, -scale
    return matrix[:3, 3].copy(), rotations.to_xyzw(rotations.from_matrix(turn)), scale


def _unique_names(facts: list[Json]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    given = [node.get("name") for node in facts]
    plain = [
        name if isinstance(name, str) and name else f"node_{i}" for i, name in enumerate(given)
    ]
    taken, names, renamed = set(plain), list[str](), list[str]()
    seen: dict[str, int] = {}
    for name in plain:
        seen[name] = seen.get(name, 0) + 1
        unique = name
        if seen[name] > 1:
            renamed.append(name)
            while unique in taken:
                unique = f"{name}_{seen[name]}"
                seen[name] += 1
            seen[name] -= 1
            taken.add(unique)
        names.append(unique)
    return tuple(names), tuple(dict.fromkeys(renamed))


def _skin_joints(document: Document, node_count: int) -> tuple[list[int], tuple[str, ...]]:
    skins = [
        document.indices(skin, "joints", node_count, f"skin {i}")
        for i, skin in enumerate(document.items("skins"))
    ]
    skins = [joints for joints in skins if joints]
    if not skins:
        return [], ()
    joints, others = list(dict.fromkeys(skins[0])), skins[1:]
    apart = 0
    for other in others:
        if set(other) & set(joints):
            joints = list(dict.fromkeys([*joints, *other]))
        else:
            apart += 1
    notes = (f"{apart} more skinned figure(s) in the file; the first was read.",) if apart else ()
    return joints, notes


def _common_ancestor(document: Document, nodes: Nodes, wanted: list[int]) -> int:
    shared = nodes.path_up(wanted[0])
    for node in wanted[1:]:
        path = set(nodes.path_up(node))
        shared = [ancestor for ancestor in shared if ancestor in path]
        if not shared:
            advice = "Put all bones under one node before exporting."
            raise document.problem("one tree of joints", "joints without common root", advice)
    return shared[0]


def _is_tip(nodes: Nodes, node: int, animated: set[int], ours: bool) -> bool:
    if nodes.children[node] or node in animated or _carries_something(nodes.facts[node]):
        return False
    if "end_site" in poise_extras(nodes.facts[node]):
        return True
    # The file's own name: a number appended to tell twins apart would hide the suffix.
    name: Any = nodes.facts[node].get("name")
    return not ours and isinstance(name, str) and name.endswith(TIP_SUFFIXES)


def _carries_something(node: Json) -> bool:
    return any(key in node for key in ("mesh", "camera", "skin"))


def _parents_first(nodes: Nodes, order: list[int]) -> bool:
    seen = {order[0]}
    for node in order[1:]:
        if nodes.parents[node] not in seen:
            return False
        seen.add(node)
    return True
