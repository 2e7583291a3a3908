"""Characters whose feet are controls beside the body: the body is taken out, and put back at last.

Rigs for inverse kinematics often keep feet (or hands) as children of the root, where the animator
moves them; the leg ends in a bone that reaches for them. Such a foot sits on the end of its shank
in every frame, so it is taken for a part of the leg, and the body is worked on alone: without the
root that stands still, poles and other helpers. What comes of it goes back into the file's own
tree, joint by joint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Sites, Skeleton
from poise.mechanics import BodyState, forward_kinematics, site_positions
from poise.motion import Clip, resample

NEAR = 0.02
"""Of the figure's height: a control that stays so near to the end of a limb is that limb's."""


@dataclass(frozen=True, eq=False)
class ControlRig:
    """A clip whose limbs end in bones beside the body, and which bone ends which limb."""

    original: Clip
    base: int
    """The joint that carries the body."""
    ends: tuple[tuple[int, int], ...]
    """Bones beside the body, and the joints of the limbs whose ends they are."""
    joints: tuple[int, ...]
    """Of the body, in its order, by their places in the original."""

    @property
    def note(self) -> str:
        """What is said of it."""
        names = self.original.skeleton.joint_names
        told = ", ".join(f"{names[bone]} on {names[limb]}" for bone, limb in self.ends)
        return f"Bones beside the body sit on the ends of limbs and are taken for them: {told}."

    def body(self) -> Clip:
        """The body alone."""
        clip, own = self.original, list(self.joints)
        skeleton, state = clip.skeleton, _state(clip)
        bones = dict(self.ends)
        place = {joint: n for n, joint in enumerate(own)}
        parents = [bones.get(joint, int(skeleton.parents[joint])) for joint in own]
        turns = clip.rotations_wxyz[:, own].copy()
        rest = skeleton.rest_wxyz[own].copy()
        offsets = skeleton.offsets_m[own].copy()
        standing = _rest_rotations(skeleton)
        turns[:, 0], rest[0] = state.rotations_wxyz[:, self.base], standing[self.base]
        offsets[0] = skeleton.rest_positions_m[self.base]
        for bone, limb in self.ends:
            at, world = place[bone], state.rotations_wxyz
            turns[:, at] = _in(world[:, limb], world[:, bone])
            rest[at] = _in(standing[limb], standing[bone])
            apart = state.positions_m[:, bone] - state.positions_m[:, limb]
            local = rotations.rotate(rotations.conjugate(world[:, limb]), apart)
            offsets[at] = np.median(local, axis=0)
        kept = [i for i, joint in enumerate(skeleton.end_sites.joints) if int(joint) in place]
        sites = skeleton.end_sites
        body = Skeleton(
            tuple(skeleton.joint_names[joint] for joint in own),
            np.array([-1, *(place[parent] for parent in parents[1:])]),
            offsets,
            rest,
            end_sites=Sites(
                tuple(sites.names[i] for i in kept),
                np.array([place[int(sites.joints[i])] for i in kept], dtype=np.int64),
                sites.offsets_m[kept],
            ),
        )
        inner = [n for n, j in enumerate(clip.moving_joints) if j in place and j != self.base]
        inner = [n for n in inner if clip.moving_joints[n] not in bones]
        source = clip.source and replace(clip.source, layout=None, channels=None)
        return replace(
            clip,
            skeleton=body,
            root_positions_m=state.positions_m[:, self.base],
            rotations_wxyz=turns,
            moving_joints=tuple(place[clip.moving_joints[n]] for n in inner),
            moving_offsets_m=clip.moving_offsets_m[:, inner],
            source=source,
        )

    def restored(self, body: Clip) -> Clip:
        """An edited body in the tree of the file; helpers move as they did."""
        clip = self.original
        if clip.frame_count != body.frame_count:
            clip = resample(clip, body.rate_hz)
        if clip.frame_count != body.frame_count:
            return body  # frames were added or taken: nobody knows where helpers are then
        skeleton, made = clip.skeleton, _state(body)
        place = {joint: n for n, joint in enumerate(self.joints)}
        before = _state(clip)
        turns, spots = before.rotations_wxyz.copy(), before.positions_m.copy()
        for joint, n in place.items():
            turns[:, joint], spots[:, joint] = made.rotations_wxyz[:, n], made.positions_m[:, n]
        local = clip.rotations_wxyz.copy()
        offsets = clip.moving_offsets_m.copy()
        local[:, 0] = turns[:, 0]
        for joint in range(1, skeleton.joint_count):
            parent = int(skeleton.parents[joint])
            if joint in place:
                local[:, joint] = _in(turns[:, parent], turns[:, joint])
            if joint in place and joint in clip.moving_joints:
                apart = spots[:, joint] - spots[:, parent]
                inverse = rotations.conjugate(turns[:, parent])
                offsets[:, clip.moving_joints.index(joint)] = rotations.rotate(inverse, apart)
        return replace(
            clip,
            rate_hz=body.rate_hz,
            root_positions_m=spots[:, 0],
            rotations_wxyz=local,
            moving_offsets_m=offsets,
            history=body.history,
        )


def control_rig(clip: Clip) -> ControlRig | None:
    """The rig of a clip whose limbs end in bones beside the body; None of others."""
    if not clip.moving_joints:
        return None
    skeleton = clip.skeleton
    below = _below(skeleton)
    largest = max(clip.moving_joints, key=lambda joint: len(below[joint]))
    base = largest if len(below[largest]) > skeleton.joint_count / 2 else 0
    loose = [j for j in clip.moving_joints if j != base and int(skeleton.parents[j]) == 0]
    beside = {each for joint in loose for each in below[joint]}
    inside = [joint for joint in below[base] if joint not in beside]
    ends = _ends(clip, inside, loose)
    if not ends:
        return None
    carried = [each for bone, _ in ends for each in below[bone]]
    return ControlRig(clip, base, ends, (*inside, *carried))


def _ends(clip: Clip, inside: list[int], loose: list[int]) -> tuple[tuple[int, int], ...]:
    """Loose bones and the joints whose tips they sit on, each tip at most once."""
    sites, state = clip.skeleton.end_sites, _state(clip)
    tips = [i for i, joint in enumerate(sites.joints) if int(joint) in inside]
    if not tips or not loose:
        return ()
    places = site_positions(state, sites)[:, tips]
    height = float(np.ptp(state.positions_m[..., 1], axis=1).max())
    found: dict[int, int] = {}
    for bone in loose:
        apart = np.linalg.norm(places - state.positions_m[:, bone, None], axis=2)
        off = np.median(apart, axis=0)
        limb = int(sites.joints[tips[int(off.argmin())]])
        if off.min() < NEAR * height and limb not in found.values():
            found[bone] = limb
    return tuple(found.items())


def _below(skeleton: Skeleton) -> list[list[int]]:
    """Each joint with all below it, in the order of the skeleton."""
    found = [[joint] for joint in range(skeleton.joint_count)]
    for joint in range(skeleton.joint_count):
        parent = int(skeleton.parents[joint])
        while parent >= 0:
            found[parent].append(joint)
            parent = int(skeleton.parents[parent])
    return found


def _state(clip: Clip) -> BodyState:
    return forward_kinematics(clip.skeleton, *clip.pose)


def _rest_rotations(skeleton: Skeleton) -> Array:
    """(J, 4) of the rest pose, in the world."""
    rest = skeleton.rest_positions_m[:1], skeleton.rest_wxyz[None]
    return forward_kinematics(skeleton, *rest).rotations_wxyz[0]


def _in(parents_wxyz: Array, turns_wxyz: Array) -> Array:
    """Rotations in the frames of parents."""
    return rotations.multiply(rotations.conjugate(parents_wxyz), turns_wxyz)
