"""The sole of a foot as a flat thing that can be put on a surface and rolled over it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SOLE_POINTS, Character, StandingFigure, contact_points
from poise.mechanics import BodyState

HEEL, BALL, INNER, OUTER, TIP = range(5)
"""Rows of everything below: the points of `SOLE_POINTS`."""


@dataclass(frozen=True, eq=False)
class FootShape:
    """One foot: which joint carries it, and where its sole is."""

    part: str
    """left_foot or right_foot."""
    joint: int
    """The joint that carries heel and ball."""
    toes: int
    """The joint that carries the tip; the same as `joint` where toes do not bend."""
    offsets_m: Array
    """(5, 3) the points in the frames of their joints."""
    axes: Array
    """(3, 3) forward, left and up of the sole in the foot's frame, as columns."""
    flat_m: Array
    """(5, 2) the points on the sole, forward and left of the ball."""
    toes_at_m: Array
    """(3,) the toes' joint in the foot's frame."""
    toes_wxyz: Array
    """The toes' rotation to the foot's when the sole is flat."""

    @property
    def left(self) -> Array:
        """(3,) the axis about which the foot rolls."""
        return self.axes[:, 1]


def foot_shapes(character: Character) -> tuple[FootShape, ...]:
    """The feet of a character that show where their soles are."""
    assert character.roles is not None
    figure = StandingFigure(character.skeleton, character.roles)
    turns = figure.skeleton.rest_world_wxyz
    found: list[FootShape] = []
    for part, sites in contact_points(character).items():
        if not part.endswith("_foot") or len(sites) != len(SOLE_POINTS):
            continue
        foot, toes = int(sites.joints[HEEL]), int(sites.joints[TIP])
        offsets = sites.offsets_m
        up = np.cross(offsets[INNER] - offsets[HEEL], offsets[OUTER] - offsets[HEEL])
        up /= np.linalg.norm(up)
        # As a standing figure has it: the joint may be at the ankle, or down in the heel.
        if rotations.rotate(turns[foot], up)[1] < 0.0:
            up = -up
        # It rolls over the line from edge to edge, wherever the heel is.
        left = offsets[OUTER] - offsets[INNER]
        left /= np.linalg.norm(left)
        if np.cross(left, up) @ (offsets[BALL] - offsets[HEEL]) < 0.0:
            left = -left
        axes = np.stack([np.cross(left, up), left, up], axis=1)
        places = offsets.copy()
        if toes != foot:
            tip = figure.site(character.sites, sites.names[TIP])
            assert tip is not None
            places[TIP] = figure.in_joint(foot, tip)
        bent = rotations.multiply(rotations.conjugate(turns[foot]), turns[toes])
        at = figure.in_joint(foot, figure.figure.positions[toes])
        if toes != foot:
            tip = rotations.rotate(bent, offsets[TIP])
            low, rise = _rises(at, tip, offsets[BALL], axes)
            onto = rotations.from_axis_angle(axes[:, 1], rise - low)
            bent = rotations.multiply(onto, bent)
            places[TIP] = at + rotations.rotate(onto, tip)
        flat = ((places - offsets[BALL]) @ axes)[:, :2]
        found.append(FootShape(part, foot, toes, offsets, axes, flat, at, bent))
    return tuple(found)


def out_of_the_ground(shape: FootShape, toes_wxyz: Array, most_rad: float) -> Array:
    """(4,) a rotation of the toes to the foot's, turned until their tip is not below a flat sole.

    Nor do they point up by more than `most_rad`.
    """
    low, rise = _rises(
        shape.toes_at_m, rotations.rotate(toes_wxyz, shape.offsets_m[TIP]), shape.offsets_m[BALL],
        shape.axes,
    )  # fmt: skip
    turn = float(np.clip(rise, low, max(low, most_rad))) - rise
    return rotations.multiply(rotations.from_axis_angle(shape.left, -turn), toes_wxyz)


def _rises(toes_at_m: Array, tip_m: Array, ball_m: Array, axes: Array) -> tuple[float, float]:
    """How steeply toes point up when their tip is on the sole, and as they are.

    `tip_m` (3,) is off their joint.
    """
    ahead, _, up = tip_m @ axes
    length = float(np.hypot(ahead, up))
    below = float((toes_at_m - ball_m) @ axes[:, 2])
    low = float(np.arcsin(np.clip(-below / length, -1.0, 1.0))) if length > 0.0 else 0.0
    return low, float(np.arctan2(up, ahead))


def in_one_piece(shape: FootShape, state: BodyState) -> FootShape:
    """The same foot with toes that do not bend, as they are in a motion that never bends them."""
    if shape.toes == shape.joint:
        return shape
    back = rotations.conjugate(state.rotations_wxyz[0, shape.joint])
    bent = rotations.multiply(back, state.rotations_wxyz[0, shape.toes])
    at = rotations.rotate(
        back, state.positions_m[0, shape.toes] - state.positions_m[0, shape.joint]
    )
    offsets, flat = shape.offsets_m.copy(), shape.flat_m.copy()
    offsets[TIP] = at + rotations.rotate(bent, shape.offsets_m[TIP])
    flat[TIP] = ((offsets[TIP] - offsets[BALL]) @ shape.axes)[:2]
    identity = np.array(rotations.IDENTITY)
    return replace(
        shape, toes=shape.joint, offsets_m=offsets, flat_m=flat, toes_at_m=np.zeros(3),
        toes_wxyz=identity,
    )  # fmt: skip
