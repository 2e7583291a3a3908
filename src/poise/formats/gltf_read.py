"""Reading motion from glTF 2.0: a skinned figure, or any animated tree of nodes.

glTF is in metres with Y up by its specification. What our skeletons do not have (scale, a tree
above the root) is folded into what they have: joint positions come out exactly where glTF puts
them. Scale that changes or is not uniform turns into offsets that move with time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from poise import rotations
from poise.arrays import Array, Json
from poise.character import JointKind, Sites, Skeleton
from poise.errors import BadShape, BadValue, UnknownName
from poise.formats.body_record import Record, character_of, from_json
from poise.formats.budget import check_budget
from poise.formats.gltf_document import Document, Facts, load_document
from poise.formats.gltf_nodes import (
    Curve,
    Figure,
    Nodes,
    Timeline,
    curves_of,
    figure_of,
    nodes_of,
    poise_extras,
    repeated_keys,
    sampled,
    timeline,
)
from poise.formats.parsed import Parsed, sites_of
from poise.units import Unit

_UNIT = Unit("m", 1.0, "stated by the file: glTF is in metres")

_STEADY = 1e-6
"""Share of the figure's size below which a translation that wavers counts as constant."""

_AT_REST = 1e-5
"""A node whose keys stay this close to its rest does not move."""

_SCALE_NOISE = 2e-6
"""Scales this close to one, or to each other, are one number with float32 rounding."""


@dataclass(frozen=True, eq=False)
class _Local:
    """A node's transform over time; the first axis is 1 where nothing moves, else F."""

    translation: Array
    rotation: Array
    """wxyz"""
    scale: Array


@dataclass(frozen=True, eq=False)
class _Tree:
    """Joints in the form of our skeletons, lists by joint; the root's are world transforms."""

    offsets: list[Array]
    """(1 or F, 3)"""
    turns: list[Array]
    """(1 or F, 4) wxyz"""
    stretches: list[Array]
    """(1 or F, 3, 3) what scale above and at the joint does to vectors in its frame."""


def read(path: Path, animation: str | int | None = None) -> Parsed:
    """Read one animation of a .glb or .gltf file.

    Args:
        path: the file.
        animation: name or number (from 0) where there are several; the first by default.
    """
    document = load_document(path)
    nodes = nodes_of(document)
    chosen, name, notes = _chosen_animation(document, animation)
    curves = curves_of(document, chosen, name)
    moving = {node for (node, path), curve in curves.items() if _departs(nodes, node, path, curve)}
    figure = figure_of(document, nodes, moving or {node for node, _ in curves})
    names = tuple(nodes.names[node] for node in figure.joints)
    if set(nodes.renamed) & set(names):
        notes.append("Several nodes share a name; numbers were appended.")
    involved = set(figure.joints) | set(nodes.path_up(figure.joints[0]))
    used = {key: curve for key, curve in curves.items() if key[0] in involved}
    line = timeline(document, list(used.values()), _stated_rate(chosen))
    if not used:
        notes.append("No animation moves the figure: one frame, in the rest pose.")
    notes += [*figure.notes, *line.notes, *repeated_keys(used, nodes, name)]
    # Scale that moves makes a stretch of every joint below it in every frame.
    weight = 4 if any(path == "scale" for _, path in used) else 1
    check_budget(path, line.frame_count, len(involved), document.byte_count, weight=weight)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is found at the end
            rest = _tree(nodes, figure, {n: _local(nodes, n, {}, line) for n in involved})
            moved = _tree(nodes, figure, {n: _local(nodes, n, used, line) for n in involved})
            return _parsed(document, nodes, figure, rest, moved, line, tuple(notes))
    except (BadShape, BadValue, UnknownName) as problem:
        raise document.problem("a consistent skeleton", str(problem).rstrip(".")) from problem


def _parsed(
    document: Document,
    nodes: Nodes,
    figure: Figure,
    rest: _Tree,
    moved: _Tree,
    line: Timeline,
    notes: tuple[str, ...],
) -> Parsed:
    if any(_uniform(stretch) is None for stretch in moved.stretches):
        notes = (*notes, "Scale that changes or is not uniform became moving joint offsets.")
    for values in (*moved.offsets, *moved.turns):
        if not np.isfinite(values).all():
            raise document.problem("scales that multiply to finite numbers", "an overflow")
    skeleton = _skeleton(document, nodes, figure, rest)
    body, said = _body(document, skeleton)
    notes = (*notes, *said)
    tolerance = _STEADY * float(np.ptp(skeleton.rest_positions_m, axis=0).max())
    offsets = skeleton.offsets_m.copy()
    moving: list[int] = []
    shifted = 0
    for joint in range(1, len(figure.joints)):
        values = moved.offsets[joint]
        if np.ptp(values, axis=0).max() > tolerance:
            moving.append(joint)
        elif np.abs(values[0] - offsets[joint]).max() > tolerance:
            offsets[joint] = values.mean(axis=0)
            shifted += 1
    if shifted:
        notes = (*notes, f"The animation holds {shifted} joint(s) off their rest offsets; kept so.")
    frames = line.frame_count
    turns = [np.broadcast_to(turn, (frames, 4)) for turn in moved.turns]
    paths = [np.broadcast_to(moved.offsets[joint], (frames, 3)) for joint in moving]
    return Parsed(
        skeleton=replace(skeleton, offsets_m=offsets, end_sites=_end_sites(nodes, figure, moved)),
        rate_hz=line.rate_hz,
        root_positions=np.broadcast_to(moved.offsets[0], (frames, 3)).copy(),
        rotations_wxyz=np.stack(turns, axis=1),
        moving_joints=tuple(moving),
        moving_offsets=np.stack(paths, axis=1) if paths else np.zeros((frames, 0, 3)),
        unit=_UNIT,
        up="y",
        notes=notes,
        body=body,
    )


def animations_of(path: Path) -> tuple[tuple[str | int, bool], ...]:
    """The animations of a file, each by a name or number that `read` takes; whether any moves.

    Numbers stand for animations without a name and for those whose name comes again.
    """
    document = load_document(path)
    listed = document.items("animations")
    names = [each.get("name") for each in listed]
    return tuple(
        (
            name if isinstance(name, str) and name and names.count(name) == 1 else number,
            _has_motion(document, animation),
        )
        for number, (name, animation) in enumerate(zip(names, listed, strict=True))
    )


def _has_motion(document: Document, animation: Facts) -> bool:
    """Whether some node has more than one key."""
    curves = curves_of(document, animation, str(animation.get("name", "")))
    return any(len(curve.times_s) > 1 for curve in curves.values())


def _body(document: Document, skeleton: Skeleton) -> tuple[Record | None, tuple[str, ...]]:
    """The robot whose motion it is, where our writer has put it; a note if the figure is another.

    Raises:
        PoiseError: what is no body.
    """
    asset = document.root.get("asset")
    kept = poise_extras(asset).get("body") if isinstance(asset, dict) else None
    if kept is None:
        return None, ()
    named = kept.get("joint_names") if isinstance(kept, dict) else None
    if isinstance(named, list) and {*map(str, named)} != {*skeleton.joint_names}:
        said = "The file keeps a body of other joints; it is not used."
        return None, (said,)
    record = from_json(kept, skeleton.joint_names)
    character_of(record, skeleton)  # says what is wrong with it
    return record, ()


def _chosen_animation(document: Document, wanted: str | int | None) -> tuple[Facts, str, list[str]]:
    """One animation, its name or number, and what is to be said."""
    animations = document.items("animations")
    names = [
        name if isinstance(name := a.get("name"), str) and name else str(i)
        for i, a in enumerate(animations)
    ]
    if not animations:
        if wanted is not None:
            raise UnknownName("animation", str(wanted), ())
        return {}, "", []
    number = 0
    if wanted is not None:
        if isinstance(wanted, str) and wanted in names:
            number = names.index(str(wanted))
        elif str(wanted).isdecimal() and int(wanted) < len(animations):
            number = int(wanted)
        else:
            raise UnknownName("animation", str(wanted), names, advice="Numbers count from 0.")
    others = [name for i, name in enumerate(names) if i != number]
    notes = [f"Read animation '{names[number]}'; others: {', '.join(others)}."] if others else []
    return animations[number], names[number], notes


def _departs(nodes: Nodes, node: int, path: str, curve: Curve) -> bool:
    """Whether a curve ever leaves the node's rest; exporters write many that do not."""
    rest = {
        "translation": nodes.translations,
        "rotation": nodes.rotations_xyzw,
        "scale": nodes.scales,
    }[path][node]
    if curve.interpolation == "CUBICSPLINE":
        return True
    values = curve.values
    if path == "rotation":
        values = np.where(values @ rest[:, None] < 0, -values, values)
    return bool(np.abs(values - rest).max() > _AT_REST * max(1.0, float(np.abs(rest).max())))


def _stated_rate(animation: Facts) -> float | None:
    rate = poise_extras(animation).get("rate_hz")
    if isinstance(rate, int | float) and 0 < rate < 1e5:
        return float(rate)
    return None


def _local(nodes: Nodes, node: int, curves: dict[tuple[int, str], Curve], line: Timeline) -> _Local:
    def over_time(path: str, rest: Array) -> Array:
        curve = curves.get((node, path))
        return rest[None] if curve is None else sampled(curve, line)

    scale = over_time("scale", nodes.scales[node])
    if np.ptp(scale, axis=0).max() < _SCALE_NOISE * np.abs(scale).max():
        scale = scale[:1]
    if len(scale) == 1 and np.abs(scale - 1.0).max() < _SCALE_NOISE:
        scale = np.ones((1, 3))
    turn = over_time("rotation", nodes.rotations_xyzw[node])
    return _Local(
        over_time("translation", nodes.translations[node]), rotations.from_xyzw(turn), scale
    )


def _tree(nodes: Nodes, figure: Figure, locals_: dict[int, _Local]) -> _Tree:
    """Transforms of nodes, with scale, as offsets and rotations, without."""
    position, turn = np.zeros((1, 3)), rotations.IDENTITY[None]
    stretch = np.eye(3)[None]
    for node in reversed(nodes.path_up(figure.joints[0])):
        here = locals_[node]
        position = position + rotations.rotate(turn, _stretched(stretch, here.translation))
        turn = rotations.multiply(turn, here.rotation)
        stretch = _stretch_below(stretch, here)
    tree = _Tree([position], [rotations.normalize(turn)], [stretch])
    for node, parent in zip(figure.joints[1:], figure.parents[1:], strict=True):
        here, above = locals_[node], tree.stretches[parent]
        tree.offsets.append(_stretched(above, here.translation))
        tree.turns.append(here.rotation)
        tree.stretches.append(_stretch_below(above, here))
    return tree


def _stretch_below(above: Array, here: _Local) -> Array:
    """The stretch in a joint's own frame, from that of its parent: Rᵀ·E·R·S."""
    uniform = _uniform(above)
    if uniform is not None:
        return uniform * here.scale[:, :, None] * np.eye(3)
    turn = rotations.to_matrix(here.rotation)
    return np.swapaxes(turn, 1, 2) @ above @ turn * here.scale[:, None, :]


def _stretched(stretch: Array, vectors: Array) -> Array:
    uniform = _uniform(stretch)
    if uniform is not None:
        return uniform * vectors
    return (stretch @ vectors[:, :, None])[:, :, 0]


def _uniform(stretch: Array) -> float | None:
    """The one factor of a stretch that is constant and the same in all directions."""
    if len(stretch) > 1:
        return None
    factor = float(np.trace(stretch[0])) / 3.0
    if np.abs(stretch[0] - factor * np.eye(3)).max() > _SCALE_NOISE * abs(factor):
        return None
    return factor


def _skeleton(document: Document, nodes: Nodes, figure: Figure, rest: _Tree) -> Skeleton:
    count = len(figure.joints)
    kinds = ["ball"] * count
    axes, limits = np.zeros((count, 3)), np.tile([-np.inf, np.inf], (count, 3, 1))
    for joint, node in enumerate(figure.joints):
        extras = poise_extras(nodes.facts[node])
        where = f"'extras' of node {node}"
        if "kind" in extras:
            kinds[joint] = str(extras["kind"])
            axes[joint] = document.numbers(extras, "axis", [0.0] * 3, where)
        if "limits_rad" in extras:
            limits[joint] = _limits(document, extras["limits_rad"], where)
    return Skeleton(
        joint_names=tuple(nodes.names[node] for node in figure.joints),
        parents=np.array(figure.parents),
        offsets_m=np.array([o[0] for o in rest.offsets]),
        rest_wxyz=np.array([t[0] for t in rest.turns]),
        kinds=cast(tuple[JointKind, ...], tuple(kinds)),
        hinge_axes=axes,
        limits_rad=limits,
    )


def _limits(document: Document, value: Json, where: str) -> Array:
    """Three pairs; null stands for infinity, which JSON does not have."""
    pairs = value if isinstance(value, list) else []
    flat = [x for pair in pairs if isinstance(pair, list) for x in pair]
    numbers = [x for x in flat if x is None or (isinstance(x, int | float) and type(x) is not bool)]
    if len(pairs) != 3 or len(flat) != 6 or len(numbers) != 6:
        raise document.problem(f"three pairs of limits in {where}", "something else")
    free = [-np.inf, np.inf] * 3
    given = [free[i] if x is None else float(x) for i, x in enumerate(numbers)]
    return np.array(given).reshape(3, 2)


def _end_sites(nodes: Nodes, figure: Figure, moved: _Tree) -> Sites:
    names: list[str] = []
    for node in figure.tips:
        given = poise_extras(nodes.facts[node]).get("end_site")
        own = isinstance(given, str) and given not in names
        names.append(str(given) if own else nodes.names[node])
    return sites_of(
        (name, joint, _stretched(moved.stretches[joint][:1], nodes.translations[node][None])[0])
        for name, joint, node in zip(names, figure.tip_joints, figure.tips, strict=True)
    )
