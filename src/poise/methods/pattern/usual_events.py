"""Events where nobody has said which: those of a swing, or the moment of greatest speed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Character
from poise.errors import BadValue
from poise.mechanics import forward_kinematics
from poise.methods.motion_pattern import EventRule
from poise.methods.pattern.events import point_path_m
from poise.motion import Clip

_LIMBS = ("left_wrist", "right_wrist", "left_ankle", "right_ankle")


def swing_events(head: str, hand: str) -> tuple[EventRule, ...]:
    """Take-away, top, hit and finish of a swing: of the site that hits, and the hand that holds."""
    return (
        EventRule("hit", "lowest", head, near="fastest"),
        EventRule("top", "highest", hand, before="hit"),
        EventRule("takeaway", "starts", hand, before="top"),
        EventRule("finish", "stops", hand, after="hit"),
    )


SWING_SPAN = ("takeaway", "finish")
"""What lies before and after a swing is standing about: everybody does it differently."""


def peak_event(clips: Sequence[Clip], character: Character) -> EventRule:
    """The moment in which what moves fastest (a hand, a foot, a tool) is fastest.

    Raises:
        BadValue: a skeleton whose hands and feet are not known.
    """
    roles = dict(character.roles.joints) if character.roles is not None else {}
    ends = set(character.skeleton.end_sites.names)
    holders = {joint for role, joint in roles.items() if role in _LIMBS}
    tools = [
        name for name, joint in zip(character.sites.names, character.sites.joints, strict=True)
        if name not in ends and character.skeleton.joint_names[joint] in holders
        and not name.startswith(("left_", "right_"))
    ]  # fmt: skip
    points = [*tools, *(role for role in _LIMBS if role in roles)]
    if not points:
        raise BadValue("character", "one with hands or feet that are known (see roles)", "neither")
    fastest = dict.fromkeys(points, 0.0)
    for clip in clips:
        state = forward_kinematics(clip.skeleton, *clip.pose)
        for point in points:
            path = point_path_m(point, state, character)
            speeds = np.linalg.norm(np.diff(path, axis=0), axis=1) * clip.rate_hz
            fastest[point] += float(np.quantile(speeds, 0.99)) if len(speeds) else 0.0
    return EventRule("peak", "fastest", max(fastest, key=lambda point: fastest[point]))


_LEAST_SILHOUETTE = 0.5
"""Clusters that are told apart less clearly than this are none."""
_WORTH_IT = 0.05
"""More clusters must be told apart better by this much."""
_FEWEST = 3
"""Motions of a style, on average."""


def styles_of(coefficients: Array) -> Indices:
    """(M,) the number of each motion's style, from 0; all 0 where there is but one.

    Ward's clusters of the first two coefficients, as many as are told apart best (by the mean
    silhouette), and one if none are told apart well.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import cdist

    points = coefficients[:, :2]
    count = len(points)
    if count < 4 or not np.ptp(points, axis=0).any():
        return np.zeros(count, dtype=np.int64)
    tree, apart = linkage(points, "ward"), np.asarray(cdist(points, points), dtype=np.float64)
    tried = [np.zeros(count, dtype=np.int64)]
    scores = [_LEAST_SILHOUETTE + _WORTH_IT]
    for clusters in range(2, max(count // _FEWEST, 2) + 1):
        labels = np.asarray(fcluster(tree, clusters, "maxclust"), dtype=np.int64) - 1
        if len(set(labels.tolist())) > 1:
            tried.append(labels)
            scores.append(_silhouette(apart, labels))
    first_good = next(i for i, s in enumerate(scores) if s >= max(scores) - _WORTH_IT)
    chosen = tried[first_good]
    # Numbered as they come, so that the same motions give the same numbers.
    order = {int(label): n for n, label in enumerate(dict.fromkeys(chosen.tolist()))}
    return np.array([order[int(label)] for label in chosen], dtype=np.int64)


def _silhouette(apart: Array, labels: Indices) -> float:
    """How much nearer points are to their own cluster than to the next one: at most 1."""
    scores: list[float] = []
    for i, label in enumerate(labels):
        own = (labels == label) & (np.arange(len(labels)) != i)
        if not own.any():
            scores.append(0.0)
            continue
        inside = float(apart[i, own].mean())
        outside = min(float(apart[i, labels == other].mean()) for other in set(labels) - {label})
        scores.append((outside - inside) / max(inside, outside, 1e-30))
    return float(np.mean(scores))
