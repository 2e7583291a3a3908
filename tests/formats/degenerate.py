"""Motions that nobody would capture, each of a kind of its own: valid files, hardly motions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Sites, Skeleton
from poise.motion import Clip
from poise.samples import SAMPLES, walking

RATE_HZ = 60.0
FRAMES = 32


@cache
def usual() -> Clip:
    """A walk of the usual figure."""
    return walking(1.0, RATE_HZ).clip.sliced(0, FRAMES)


def still(frames: int = FRAMES, rate_hz: float = RATE_HZ) -> Clip:
    """The first pose of the walk, for some frames."""
    clip = usual()
    return replace(
        clip,
        rate_hz=rate_hz,
        root_positions_m=np.repeat(clip.root_positions_m[:1], frames, axis=0),
        rotations_wxyz=np.repeat(clip.rotations_wxyz[:1], frames, axis=0),
    )


def at_roots(roots_m: Array, clip: Clip | None = None) -> Clip:
    """A clip with its root elsewhere."""
    clip = clip or usual()
    return replace(clip, root_positions_m=np.broadcast_to(roots_m, (clip.frame_count, 3)).copy())


def turned(axis: tuple[float, float, float], angles_rad: Array, joint: int = 0) -> Clip:
    """The still figure with one joint turning."""
    clip = still(len(angles_rad))
    q = clip.rotations_wxyz.copy()
    turn = rotations.from_axis_angle(np.array(axis), angles_rad)
    q[:, joint] = rotations.multiply(turn, q[:, joint])
    return replace(clip, rotations_wxyz=q)


def scaled(factor: float) -> Clip:
    """The walk of a body of another size, at once."""
    clip = usual()
    skeleton = clip.skeleton
    ends = replace(skeleton.end_sites, offsets_m=skeleton.end_sites.offsets_m * factor)
    return replace(
        clip,
        skeleton=replace(skeleton, offsets_m=skeleton.offsets_m * factor, end_sites=ends),
        root_positions_m=clip.root_positions_m * factor,
    )


def boned(change: Callable[[Array, Array], None]) -> Clip:
    """The walk on a skeleton whose offsets, of joints and of end sites, were changed."""
    clip = usual()
    skeleton = clip.skeleton
    offsets, tips = skeleton.offsets_m.copy(), skeleton.end_sites.offsets_m.copy()
    change(offsets, tips)
    sites = replace(skeleton.end_sites, offsets_m=tips)
    return replace(clip, skeleton=replace(skeleton, offsets_m=offsets, end_sites=sites))


def chain(joints: int, bone_m: float = 0.1, names: Callable[[int], str] = "j{}".format) -> Clip:
    """A chain of joints, all at rest."""
    offsets = np.zeros((joints, 3))
    offsets[1:, 1] = bone_m
    skeleton = Skeleton(
        joint_names=tuple(names(i) for i in range(joints)),
        parents=np.arange(-1, joints - 1),
        offsets_m=offsets,
        end_sites=Sites(("tip",), np.array([joints - 1]), np.array([[0.0, bone_m, 0.0]])),
    )
    frames = 12
    q = np.tile(rotations.IDENTITY, (frames, joints, 1))
    return Clip(skeleton, RATE_HZ, np.zeros((frames, 3)), q)


def _without(*words: str) -> Clip:
    """The walk with joints of such names renamed, so that they have no role."""
    clip = usual()
    names = tuple(
        f"x{i}" if any(word in name.lower() for word in words) else name
        for i, name in enumerate(clip.skeleton.joint_names)
    )
    return replace(clip, skeleton=replace(clip.skeleton, joint_names=names))


def _legless() -> Clip:
    """The upper body alone, its legs cut off."""
    clip = usual()
    skeleton = clip.skeleton
    words = ("leg", "foot", "toe", "thigh", "shin", "knee", "ankle", "hip", "ball")
    keep = [0]
    for j in range(1, skeleton.joint_count):
        named = any(word in skeleton.joint_names[j].lower() for word in words)
        if int(skeleton.parents[j]) in keep and not (named and j > 0):
            keep.append(j)
    index = {old: new for new, old in enumerate(keep)}
    sites = [i for i, j in enumerate(skeleton.end_sites.joints.tolist()) if j in index]
    ends = skeleton.end_sites
    cut = Skeleton(
        joint_names=tuple(skeleton.joint_names[j] for j in keep),
        parents=np.array([index.get(int(skeleton.parents[j]), -1) for j in keep]),
        offsets_m=skeleton.offsets_m[keep],
        rest_wxyz=skeleton.rest_wxyz[keep],
        end_sites=Sites(
            tuple(ends.names[i] for i in sites),
            np.array([index[int(ends.joints[i])] for i in sites], dtype=np.int64),
            ends.offsets_m[sites],
        ),
    )
    return replace(clip, skeleton=cut, rotations_wxyz=clip.rotations_wxyz[:, keep])


def _noise(scale_rad: float, scale_m: float) -> Clip:
    clip = usual()
    rng = np.random.default_rng(7)
    turns = rotations.exp(rng.normal(scale=scale_rad, size=(*clip.rotations_wxyz.shape[:2], 3)))
    return replace(
        clip,
        rotations_wxyz=rotations.multiply(turns, clip.rotations_wxyz),
        root_positions_m=clip.root_positions_m
        + rng.normal(scale=scale_m, size=clip.root_positions_m.shape),
    )


def _teleport(distance_m: float) -> Clip:
    roots = usual().root_positions_m.copy()
    roots[FRAMES // 2 :, 0] += distance_m
    return at_roots(roots)


def _spike(height_m: float) -> Clip:
    roots = usual().root_positions_m.copy()
    roots[FRAMES // 2] += [height_m, height_m, 0.0]
    return at_roots(roots)


def _falling() -> Clip:
    times = np.arange(FRAMES) / RATE_HZ
    heights = 30.0 + 2.0 * times - 0.5 * 9.81 * times**2
    return at_roots(np.stack([0 * times, heights, times], axis=1), still())


def _all_zero() -> Clip:
    clip = still()
    q = np.tile(rotations.IDENTITY, (*clip.rotations_wxyz.shape[:2], 1))
    return replace(clip, rotations_wxyz=q, root_positions_m=np.zeros((FRAMES, 3)))


def _flat(offsets: Array, tips: Array) -> None:
    offsets[:, 2] = tips[:, 2] = 0.0
    offsets[:, 0] = tips[:, 0] = 0.0


def _shapes() -> dict[str, Callable[[], Clip]]:
    def nothing_long(offsets: Array, tips: Array) -> None:
        offsets[:], tips[:] = 0.0, 0.0

    def no_tips(offsets: Array, tips: Array) -> None:
        tips[:] = 0.0

    def every_other(offsets: Array, tips: Array) -> None:
        offsets[1::2] = 0.0

    def long_leg(offsets: Array, tips: Array) -> None:
        offsets[2] *= 40.0

    def tiny_offsets(offsets: Array, tips: Array) -> None:
        offsets *= 1e-12
        tips *= 1e-12

    return {
        "bones of no length": lambda: boned(nothing_long),
        "tips of no length": lambda: boned(no_tips),
        "every other bone of no length": lambda: boned(every_other),
        "one bone of forty times the length": lambda: boned(long_leg),
        "bones of a picometre": lambda: boned(tiny_offsets),
        "a flat figure": lambda: boned(_flat),
        "a body of 1 mm": lambda: scaled(1e-3),
        "a body of 1 km": lambda: scaled(1e3),
        "one joint": lambda: chain(1),
        "one joint without a bone": lambda: chain(1, 0.0),
        "two joints": lambda: chain(2),
        "500 joints": lambda: chain(500),
        "500 joints with names of feet": lambda: chain(500, 0.01, "LeftFoot{}".format),
        "no feet": lambda: _without("foot", "toe", "ankle"),
        "no legs": _legless,
        "names that say nothing": lambda: _without(""),
    }


def _motions() -> dict[str, Callable[[], Clip]]:
    spin = np.arange(FRAMES) * (1e5 / RATE_HZ)
    return {
        "one frame": lambda: still(1),
        "two frames": lambda: usual().sliced(0, 2),
        "three frames": lambda: usual().sliced(0, 3),
        "four frames": lambda: usual().sliced(10, 14),
        "all frames the same": still,
        "all rotations zero": _all_zero,
        "1 Hz": lambda: replace(usual(), rate_hz=1.0),
        "10 kHz": lambda: replace(usual(), rate_hz=1e4),
        "a millihertz": lambda: replace(usual(), rate_hz=1e-3),
        "far away": lambda: at_roots(usual().root_positions_m + np.array([1e6, 0.0, 1e6])),
        "high up": lambda: at_roots(usual().root_positions_m + np.array([0.0, 1e6, 0.0])),
        "under the floor": lambda: at_roots(usual().root_positions_m - [0.0, 50.0, 0.0]),
        "faster than sound": lambda: at_roots(usual().root_positions_m * [1e3, 1.0, 1e3]),
        "a root that teleports": lambda: _teleport(1e3),
        "a root that teleports a little": lambda: _teleport(0.5),
        "a spike of ten kilometres": lambda: _spike(1e4),
        "a constant spin of 1e5 rad a second": lambda: turned((0.0, 1.0, 0.0), spin),
        "half a turn each frame": lambda: turned((0.0, 1.0, 0.0), np.arange(FRAMES) * np.pi),
        "an arm that spins": lambda: turned((0.0, 0.0, 1.0), spin, 8),
        "upside down": lambda: turned((0.0, 0.0, 1.0), np.full(FRAMES, np.pi)),
        "lying": lambda: turned((1.0, 0.0, 0.0), np.full(FRAMES, np.pi / 2)),
        "free fall in all frames": _falling,
        "rising for ever": lambda: at_roots(
            np.stack([np.zeros(FRAMES), np.arange(FRAMES) * 5.0, np.zeros(FRAMES)], axis=1)
        ),
        "noise of a radian": lambda: _noise(1.0, 0.0),
        "noise of a metre": lambda: _noise(0.0, 1.0),
        "poses without any order": lambda: _noise(3.0, 5.0),
        "a body that goes backwards in time": lambda: replace(
            usual(),
            rotations_wxyz=usual().rotations_wxyz[::-1],
            root_positions_m=usual().root_positions_m[::-1],
        ),
        "one frame of another pose": lambda: replace(
            still(), rotations_wxyz=np.concatenate(
                [still().rotations_wxyz[:20], _noise(2.0, 0.0).rotations_wxyz[:1],
                 still().rotations_wxyz[21:]]
            ),
        ),
        "a capture of zeros with one pose": lambda: replace(
            _all_zero(), rotations_wxyz=np.concatenate(
                [_all_zero().rotations_wxyz[:-1], usual().rotations_wxyz[-1:]]
            ),
        ),
        "a jump at a third of the rate": lambda: replace(
            SAMPLES["jump"]().clip.sliced(0, 200), rate_hz=40.0
        ),
    }  # fmt: skip


MOTIONS: dict[str, Callable[[], Clip]] = {**_motions(), **_shapes()}
"""By name; each makes its clip."""
