"""The node tree of a glTF file: who hangs on whom, where, and which nodes are the body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.formats.budget import ALWAYS_ALLOWED
from poise.formats.gltf_document import Document, Facts
from poise.formats.text import depth_first
from poise.wording import counted

MAX_DEPTH = 1000
"""A rope of bones may be long, but not this long."""

TIP_SUFFIXES = ("_end", "_End", "_leaf")
"""How writers call the node at the tip of a last bone."""

_SHEAR = 1e-3


@dataclass(frozen=True, eq=False)
class Nodes:
    """All nodes with their rest transforms: translation, rotation, scale."""

    facts: list[Facts]
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
        return depth_first(node, lambda above: self.children[above])


@dataclass(frozen=True)
class Figure:
    """Which nodes are the joints of the body, and which only mark the tips of its bones."""

    joints: tuple[int, ...]
    """Node numbers, parents before children, the root first."""
    parents: tuple[int, ...]
    """For each joint, which joint is its parent; -1 for the root."""
    tips: tuple[int, ...]
    """Node numbers."""
    tip_joints: tuple[int, ...]
    """For each tip, the joint that carries it."""
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
    asset = document.root["asset"]
    ours = isinstance(asset, dict) and bool(poise_extras(asset))  # then every tip is marked
    tips = {node for node in under if _is_tip(nodes, node, animated, ours) and node != root}
    tips = {node for node in tips if nodes.parents[node] in joints}
    order = [node for node in under if node in joints and node not in tips]
    by_skin = sorted(order, key=lambda node: in_skin_order.get(node, len(in_skin_order)))
    if _parents_first(nodes, by_skin):
        order = by_skin
    index = {node: joint for joint, node in enumerate(order)}
    listed = tuple(node for node in under if node in tips)
    return Figure(
        joints=tuple(order),
        parents=(-1, *(index[nodes.parents[node]] for node in order[1:])),
        tips=listed,
        tip_joints=tuple(index[nodes.parents[node]] for node in listed),
        notes=notes,
    )


def poise_extras(facts: Facts) -> Facts:
    """What our own writer noted on an object, or nothing."""
    extras = facts.get("extras")
    ours = extras.get("poise") if isinstance(extras, dict) else None
    return ours if isinstance(ours, dict) else {}


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


def _rest(document: Document, node: Facts, where: str) -> tuple[Array, Array, Array]:
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


def _unique_names(facts: list[Facts]) -> tuple[tuple[str, ...], tuple[str, ...]]:
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
    name = nodes.facts[node].get("name")
    return not ours and isinstance(name, str) and name.endswith(TIP_SUFFIXES)


def _carries_something(node: Facts) -> bool:
    return any(key in node for key in ("mesh", "camera", "skin"))


def _parents_first(nodes: Nodes, order: list[int]) -> bool:
    place = {node: i for i, node in enumerate(order)}
    return all(place.get(nodes.parents[node], i) < i for i, node in enumerate(order) if i)


# Animation curves of a glTF file, and one steady row of frames through all of them.
#
# Every channel has key times of its own. Most files were sampled at a steady rate all the same,
# with or without the redundant keys; that rate is found, and the keys then lie on whole frames
# exactly.
PATHS: dict[str, int] = {"translation": 3, "rotation": 4, "scale": 3}
"""What a channel may move, and how many numbers that takes."""

INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")

USUAL_RATES_HZ = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 200.0, 240.0)
DEFAULT_RATE_HZ = 30.0
LOWEST_RATE_HZ = 20.0
"""Keys further apart than this are key poses, not frames; the curves between them matter."""

SAME_TIME_S = 1e-4
"""Keys closer than this are one key with rounding; nobody samples a body at 10 kHz."""

MAX_FRAMES = 2**14
"""Of an animation with few keys: nine minutes at 30 Hz."""
MAX_FRAMES_PER_KEY = 64
"""Of one with many."""


@dataclass(frozen=True, eq=False)
class Curve:
    """One channel: what it does to one property of one node."""

    times_s: Array
    """(K,) ascending; of keys at the same time the last counts."""
    values: Array
    """(K, W), or (K, 3, W) with tangents for a cubic spline: in-tangent, value, out-tangent."""
    interpolation: str
    is_rotation: bool
    channel: int
    """Its number in the animation."""


@dataclass(frozen=True)
class Timeline:
    """The steady frames that the curves are evaluated at."""

    start_s: float
    rate_hz: float
    frame_count: int
    keys_per_s: float
    """Rate of the grid on which all key times lie, or 0 when they lie on none."""
    notes: tuple[str, ...] = ()


def curves_of(document: Document, animation: Facts, name: str) -> dict[tuple[int, str], Curve]:
    """The curves of one animation, by node and property; morph weights are left aside.

    Its name, or its number where it has none, is for messages.
    """
    samplers = document.objects_in(animation, "samplers", "the animation")
    nodes = len(document.items("nodes"))
    curves: dict[tuple[int, str], Curve] = {}
    keys, most = 0, max(ALWAYS_ALLOWED, document.byte_count)
    for number, channel in enumerate(document.objects_in(animation, "channels", "the animation")):
        where = f"channel {number} of animation {name!r:.60}"
        target = channel.get("target")
        if not isinstance(target, dict):
            raise document.problem(f"an object as 'target' of {where}", "something else")
        path = target.get("path")
        if not isinstance(path, str) or path not in PATHS or "node" not in target:
            continue
        node = document.index(target, "node", nodes, where)
        sampler = samplers[document.index(channel, "sampler", len(samplers), where)]
        if (node, path) in curves:
            raise document.problem(f"one channel for the {path} of node {node}", "two")
        curves[node, path] = _curve(document, sampler, path, number, where)
        keys += len(curves[node, path].times_s)
        if keys > most:  # many channels may share what the file has once
            raise document.problem(f"at most {most} keys in all channels", "more")
    return curves


def repeated_keys(curves: dict[tuple[int, str], Curve], nodes: Nodes, name: str) -> tuple[str, ...]:
    """A sentence on keys that share their time, which glTF forbids: the first, and how many."""
    found: list[tuple[int, str]] = []
    count = 0
    for (node, path), curve in curves.items():
        keys = np.flatnonzero(np.diff(curve.times_s) == 0)
        count += len(keys)
        if len(keys):
            key, time = int(keys[0]), curve.times_s[keys[0]]
            where = f"channel {curve.channel} ({path} of {nodes.names[node]})"
            found.append(
                (curve.channel, f"{where} has keys {key} and {key + 1} both at {time:.6g} s")
            )
    if not found:
        return ()
    more = f" ({count} such keys in {counted(len(found), 'channel')})" if count > 1 else ""
    return (
        f"Animation {name!r:.60}: {min(found)[1]}{more}; glTF asks for rising times. "
        "Of keys at the same time the last counts.",
    )


def timeline(document: Document, curves: list[Curve], stated_hz: float | None) -> Timeline:
    """Choose the frames: the stated rate if the keys bear it out, else the rate they show."""
    if not curves:
        return Timeline(0.0, DEFAULT_RATE_HZ, 1, 0.0)
    times = _merged(np.concatenate([curve.times_s for curve in curves]))
    start, span = float(times[0]), float(times[-1] - times[0])
    if len(times) == 1:
        return Timeline(start, stated_hz or DEFAULT_RATE_HZ, 1, 0.0)
    notes: tuple[str, ...] = ()
    if stated_hz is not None and _lies_on(times, stated_hz):
        grid_hz = rate_hz = stated_hz
    else:
        grid_hz = _grid_rate_hz(times)
        rate_hz = grid_hz or _finest_rate_hz(curves)
        if not grid_hz:
            notes = (f"Key times follow no steady rate; resampled at {rate_hz:g} Hz.",)
        elif grid_hz < LOWEST_RATE_HZ:
            rate_hz = grid_hz * np.ceil(DEFAULT_RATE_HZ / grid_hz)
            notes = (f"Key poses at {grid_hz:g} Hz; resampled at {rate_hz:g} Hz.",)
    most = max(MAX_FRAMES, MAX_FRAMES_PER_KEY * len(times))
    if not span * rate_hz < most:
        wanted = f"key times that span at most {most} frames, for {len(times)} keys"
        raise document.problem(wanted, f"{span:.6g} s at {rate_hz:g} Hz")
    return Timeline(start, float(rate_hz), round(span * rate_hz) + 1, float(grid_hz), notes)


def sampled(curve: Curve, line: Timeline) -> Array:
    """(F, W) the curve at every frame of the timeline; rotations stay xyzw, and unit."""
    keys = (curve.times_s - line.start_s) * line.rate_hz
    if line.keys_per_s:
        # Undo the rounding of float32 times, so that a frame on a key is that key.
        keys = np.rint((curve.times_s - line.start_s) * line.keys_per_s) * (
            line.rate_hz / line.keys_per_s
        )
    frames = np.arange(line.frame_count, dtype=np.float64)
    last = len(keys) - 1
    before = np.clip(np.searchsorted(keys, frames, side="right") - 1, 0, last)
    after = np.minimum(before + 1, last)
    width = keys[after] - keys[before]
    share = np.clip((frames - keys[before]) / np.where(width > 0, width, 1.0), 0.0, 1.0)
    if curve.interpolation == "CUBICSPLINE":
        seconds = (width / line.rate_hz)[:, None]
        return _hermite(curve, before, after, share[:, None], seconds)
    first, second = curve.values[before], curve.values[after]
    if curve.interpolation == "STEP":
        return first
    if not curve.is_rotation:
        return first + share[:, None] * (second - first)
    exact = share == 0.0
    turned = rotations.slerp(rotations.from_xyzw(first), rotations.from_xyzw(second), share)
    return np.where(exact[:, None], first, rotations.to_xyzw(rotations.normalize(turned)))


def _curve(document: Document, sampler: Facts, path: str, number: int, where: str) -> Curve:
    keys = document.accessor_index(sampler, "input", where)
    times = document.accessor(keys, 1, f"key times of {where}", floats=True)[:, 0]
    if len(times) == 0:
        raise document.problem(f"key times for {where}", "none")
    back = np.flatnonzero(np.diff(times) < 0)
    if len(back):
        key = int(back[0]) + 1
        found = f"key {key} at {times[key]:.6g} s after key {key - 1} at {times[key - 1]:.6g} s"
        raise document.problem(f"rising key times in {where}", found)
    kind = sampler.get("interpolation", "LINEAR")
    if kind not in INTERPOLATIONS:
        raise document.problem(f"one of {', '.join(INTERPOLATIONS)} for {where}", f"{kind!r:.60}")
    output = document.accessor_index(sampler, "output", where)
    only_floats = path != "rotation"
    values = document.accessor(output, PATHS[path], f"values of {where}", floats=only_floats)
    per_key = 3 if kind == "CUBICSPLINE" else 1
    if len(values) != per_key * len(times):
        wanted = f"{per_key * len(times)} values for the {len(times)} keys of {where}"
        raise document.problem(wanted, f"{len(values)}")
    if per_key == 3:
        values = values.reshape(len(times), 3, -1)
    if path == "rotation":
        values = _unit(document, values, where)
    return Curve(times, values, kind, path == "rotation", number)


def _unit(document: Document, values: Array, where: str) -> Array:
    """Unit quaternions; of a cubic spline only the values are rotations, not the tangents."""
    turns = values if values.ndim == 2 else values[:, 1]
    norms = np.linalg.norm(turns, axis=-1, keepdims=True)
    if (norms < 1e-3).any():
        key = int(np.argmin(norms))
        raise document.problem(f"unit quaternions in {where}", f"a zero one at key {key}")
    if values.ndim == 2:
        return turns / norms
    changed = values.copy()
    changed[:, 1] = turns / norms
    return changed


def _hermite(curve: Curve, before: Indices, after: Indices, u: Array, seconds: Array) -> Array:
    v = curve.values
    value = (
        (2 * u**3 - 3 * u**2 + 1) * v[before, 1]
        + seconds * (u**3 - 2 * u**2 + u) * v[before, 2]
        + (3 * u**2 - 2 * u**3) * v[after, 1]
        + seconds * (u**3 - u**2) * v[after, 0]
    )
    return rotations.normalize(value) if curve.is_rotation else value


def _merged(times: Array) -> Array:
    """All different key times, ascending."""
    times = np.unique(times)
    return times[np.concatenate([[True], np.diff(times) > SAME_TIME_S])]


def _rounding_s(times: Array) -> float:
    """How far a float32 key time may lie from the time that was meant."""
    return 2.0 * float(np.finfo(np.float32).eps) * float(np.abs(times).max()) + 1e-7


def _lies_on(times: Array, rate_hz: float) -> bool:
    frames = (times - times[0]) * rate_hz
    off = np.abs(frames - np.rint(frames)).max()
    return bool(off < 0.02 + _rounding_s(times) * rate_hz)


def _grid_rate_hz(times: Array) -> float:
    """The lowest rate whose frames meet every key, or 0."""
    steps = np.diff(times)
    step = float(steps[steps < 1.5 * steps.min()].mean())
    # Counting step by step keeps a small error in `step` from adding up over a long clip.
    counts = np.maximum(np.rint(steps / step), 1.0)
    step = float(steps.sum() / counts.sum())
    rate = _whole_rate(1.0 / step)
    for candidate in (rate, 1.0 / step, *USUAL_RATES_HZ):
        if _lies_on(times, candidate):
            return candidate
    return 0.0


def _whole_rate(rate_hz: float) -> float:
    """The whole rate, or the video rate (times 1000/1001), that was meant, if one is this close."""
    for candidate in (float(round(rate_hz)), round(rate_hz * 1.001) / 1.001):
        if candidate > 0 and abs(candidate - rate_hz) < 1e-4 * rate_hz:
            return candidate
    return rate_hz


def _finest_rate_hz(curves: list[Curve]) -> float:
    rates = [
        _grid_rate_hz(merged)
        for merged in (_merged(curve.times_s) for curve in curves)
        if len(merged) > 2
    ]
    return max((rate for rate in rates if rate <= max(USUAL_RATES_HZ)), default=0.0) or (
        DEFAULT_RATE_HZ
    )
