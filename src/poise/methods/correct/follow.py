"""Joint angles that follow optimized places: every bone swings to where its end has gone.

Optimized places are at the working rate and smooth; only how far they moved is carried back to the
clip's own rate, and added to the clip's own places. Each joint then turns by the least rotation
that takes its bones along. The least rotation has no twist of its own, so twist stays as captured.
Feet and hands keep their orientation in the world (section 3.5.2): the few points that places know
of a foot lie nearly on a line, and would roll it about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, Skeleton
from poise.mechanics import forward_kinematics
from poise.methods.correct.mesh import Mesh, vertices_of
from poise.motion import Clip

_SHORT_M = 1e-3
"""Bones shorter than this have no direction."""


def at_own_rate(moved_m: Array, working_rate_hz: float, clip: Clip) -> Array:
    """(F, V, 3) displacements (T, V, 3) of the working rate at the frames of a clip."""
    from scipy.interpolate import make_interp_spline

    count = len(moved_m)
    if count == 1:
        return np.repeat(moved_m, clip.frame_count, axis=0)
    times = np.minimum(np.arange(clip.frame_count) * (working_rate_hz / clip.rate_hz), count - 1.0)
    degree = 3 if count >= 4 else 1
    return np.asarray(make_interp_spline(np.arange(count), moved_m, k=degree)(times))


def followed(
    clip: Clip,
    character: Character,
    mesh: Mesh,
    moved_m: Array,
    moves: NDArray[np.bool_],
    turns: Mapping[int, Array] | None = None,
) -> Clip:
    """The clip with its joints turned so that its places go along with displacements.

    Those are (F, V, 3), from `at_own_rate`; joints turn that `moves` (J,). Of feet and hands,
    `turns` (F, 4) by joint turn those further in the world.
    """
    skeleton = clip.skeleton
    state = forward_kinematics(skeleton, *clip.pose)
    vertices = vertices_of(mesh, clip)
    goals = vertices + moved_m
    root = int(mesh.joint_vertex[0])
    roots = clip.root_positions_m + (moved_m[:, root] if root >= 0 else 0.0)
    world, local = np.empty_like(clip.rotations_wxyz), np.empty_like(clip.rotations_wxyz)
    places = np.empty_like(state.positions_m)
    kept = _feet_and_hands(character)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        before = clip.rotations_wxyz[:, joint]
        if parent < 0:
            above = np.broadcast_to(rotations.IDENTITY, before.shape)
            places[:, joint] = roots
        else:
            above = world[:, parent]
            offset = rotations.rotate(above, skeleton.offsets_m[joint])
            places[:, joint] = places[:, parent] + offset
        ends = _ends(skeleton, mesh, moves, joint)
        turned = rotations.multiply(above, before)
        if moves[joint] and skeleton.freedoms[joint] > 0:
            if ends and joint not in kept:
                # The bones to those vertices in the joint's frame, as captured.
                back = rotations.conjugate(state.rotations_wxyz[:, joint])
                bones = rotations.rotate(
                    back[:, None], vertices[:, ends] - state.positions_m[:, [joint]]
                )
                wanted = goals[:, ends] - places[:, [joint]]
                carried = rotations.rotate(turned[:, None], bones)
                turned = rotations.multiply(_least_turn(carried, wanted), turned)
            elif skeleton.freedoms[joint] == 3:
                turned = state.rotations_wxyz[:, joint]
                if turns and joint in turns:
                    turned = rotations.multiply(turns[joint], turned)
        own = rotations.multiply(rotations.conjugate(above), turned)
        local[:, joint] = _allowed(skeleton, joint, own, before)
        world[:, joint] = rotations.multiply(above, local[:, joint])
    return replace(clip, root_positions_m=roots, rotations_wxyz=rotations.continuous(local))


def _feet_and_hands(character: Character) -> set[int]:
    """Ankles and wrists, and what hangs on them."""
    assert character.roles is not None
    skeleton, roles = character.skeleton, character.roles.joints
    tops = {
        skeleton.index(roles[f"{side}_{part}"])
        for side in SIDES
        for part in ("ankle", "wrist")
        if f"{side}_{part}" in roles
    }
    return {j for j in range(skeleton.joint_count) if tops & set(skeleton.ancestors(j))}


def _ends(
    skeleton: Skeleton, mesh: Mesh, moves: NDArray[np.bool_], joint: int
) -> list[int]:  # fmt: skip
    """The vertices that turning a joint carries, and no joint below it does by itself."""
    found = [
        v
        for v in range(mesh.vertex_count)
        if mesh.sites.joints[v] == joint
        and float(np.linalg.norm(mesh.sites.offsets_m[v])) > _SHORT_M
    ]
    for child, parent in enumerate(skeleton.parents.tolist()):
        if parent != joint:
            continue
        if float(np.linalg.norm(skeleton.offsets_m[child])) > _SHORT_M:
            if mesh.joint_vertex[child] >= 0:
                found.append(int(mesh.joint_vertex[child]))
        elif not moves[child]:
            found += _ends(skeleton, mesh, moves, child)
    return list(dict.fromkeys(found))


def _least_turn(bones: Array, wanted: Array) -> Array:
    """(F, 4) the turn that takes bones (F, n, 3) nearest to where they are wanted.

    One bone: straight from its direction to the other. Several: the best rotation in the sense of
    least squares (Kabsch), with the straight one as it is for directions that they leave open.
    """
    if bones.shape[1] == 1:
        return rotations.between_vectors(bones[:, 0], wanted[:, 0])
    straight = _straight(bones, wanted)
    turned = rotations.rotate(straight[:, None], bones)
    spread = np.einsum("fni,fnj->fij", wanted, turned)
    # A little of the identity decides what the bones leave open: turning about their own line.
    size = np.einsum("fni,fni->f", turned, turned)
    spread += 1e-3 * size[:, None, None] * np.eye(3)
    u, _, vt = np.linalg.svd(spread)
    sign = np.sign(np.linalg.det(u @ vt))
    u[:, :, 2] *= sign[:, None]
    return rotations.multiply(rotations.from_matrix(u @ vt), straight)


def _straight(bones: Array, wanted: Array) -> Array:
    """(F, 4) the turn between the middles of bones; none where they lie about the joint itself."""
    a, b = bones.sum(axis=1), wanted.sum(axis=1)
    least = _NO_MIDDLE * np.linalg.norm(bones, axis=-1).sum(axis=1)
    told = (np.linalg.norm(a, axis=1) > least) & (np.linalg.norm(b, axis=1) > least)
    made = np.tile(rotations.IDENTITY, (len(bones), 1))
    made[told] = rotations.between_vectors(a[told], b[told])
    return made


_NO_MIDDLE = 1e-3
"""Of the bones' lengths: hips on either side of a waist have no middle to point to."""


def _allowed(skeleton: Skeleton, joint: int, turn: Array, before: Array) -> Array:
    """What the kind of joint can have: a hinge turns about its axis only."""
    if skeleton.kinds[joint] == "ball":
        return turn
    if skeleton.kinds[joint] == "fixed":
        return before
    axis = skeleton.hinge_axes[joint]
    more = rotations.twist_angle(rotations.multiply(rotations.conjugate(before), turn), axis)
    return rotations.multiply(before, rotations.from_axis_angle(axis, more))
