"""Motions with curves added, against differences of the same curves sampled finely."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.constraints import Scene
from poise.constraints.recruiting import Recruits
from poise.constraints.scene import FLAT
from poise.ik import build
from poise.ik.packed import BALL, HINGE, TRANSLATION, Blocks
from poise.methods.filter.added_motion import add_motion
from poise.methods.filter.dynamic_state import Motion
from poise.motion import Clip
from tests.mechanics.random_trees import along_freedoms, random_case

RATE_HZ, FRAMES = 10000.0, 41
INNER = slice(4, -4)
"""Frames whose neighbours are all there."""


def slope(values: Array) -> Array:
    """First derivative of the inner frames' neighbourhoods, to fourth order; NaN at the ends."""
    out = np.full_like(values, np.nan)
    near, far = values[3:-1] - values[1:-3], values[4:] - values[:-4]
    out[2:-2] = (8.0 * near - far) / 12.0 * RATE_HZ
    return out


def seen_rates(local: Array) -> tuple[Array, Array]:
    """Angular velocity in the joint's own frame, and its slope, of sampled quaternions."""
    whole = rotations.multiply(rotations.conjugate(local), slope(local))
    omega = 2.0 * whole[..., 1:]
    return omega, slope(omega)


def motion_seen(roots: Array, local: Array) -> Motion:
    speed = slope(roots)
    return Motion(roots.copy(), speed, slope(speed), local.copy(), *seen_rates(local))


def waves(rng: np.random.Generator, shape: tuple[int, ...], size: float) -> tuple[Array, ...]:
    """Curves of about this size that pass through zero, with both derivatives."""
    time = (np.arange(FRAMES) / RATE_HZ).reshape(-1, *(1 for _ in shape))
    speed, late = rng.uniform(100.0, 200.0, shape), rng.uniform(0.0, FRAMES / RATE_HZ, shape)
    high = size * rng.normal(size=shape)
    phase = speed * (time - late)
    return high * np.sin(phase), high * speed * np.cos(phase), -high * speed**2 * np.sin(phase)


def made(seed: int) -> tuple[Blocks, int, Motion]:
    """A figure of all kinds of joints, in smooth motion, and all its coordinates."""
    case = random_case(seed, frames=FRAMES, joints=8)
    rng, skeleton = np.random.default_rng(seed), case.skeleton
    turns, _, _ = waves(rng, (skeleton.joint_count, 3), 1.0)
    start = case.motion.local[0]
    local = rotations.multiply(start, rotations.exp(along_freedoms(skeleton, turns)))
    roots, _, _ = waves(rng, (3,), 1.0)
    character = Character(skeleton, body=case.body, sites=case.sites)
    everything = Recruits(skeleton.freedoms > 0, translation=True)
    scene = Scene(Clip(skeleton, RATE_HZ, roots, local), character, FLAT)
    ik = build(scene, [], also=everything)
    assert {TRANSLATION, BALL, HINGE} <= set(ik.blocks.kind.tolist())
    return ik.blocks, ik.width, motion_seen(roots, local)


def moved_plainly(blocks: Blocks, places: Array, motion: Motion) -> tuple[Array, Array]:
    """Root and local rotations with places (F, n) added."""
    roots, local = motion.roots.copy(), motion.local.copy()
    for kind, j, k, axis in zip(
        *(blocks.kind, blocks.joint, blocks.column, blocks.axis), strict=True
    ):
        if kind == TRANSLATION:
            roots += places[:, k : k + 3]
            continue
        turn = places[:, k : k + 3] if kind == BALL else places[:, k, None] * axis
        local[:, j] = rotations.multiply(local[:, j], rotations.exp(turn))
    return roots, rotations.continuous(local)


@pytest.mark.parametrize("size", [1e-3, 0.1, 0.6, 3.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_velocities_and_accelerations_are_those_of_the_curve_that_comes_out(
    seed: int, size: float
) -> None:
    """Through turns of nothing, and far beyond half a turn."""
    blocks, width, motion = made(seed)
    curves = waves(np.random.default_rng(seed + 50), (width,), size)
    added = np.ascontiguousarray(np.stack(curves, axis=1))
    after = Motion(*(array.copy() for array in motion))
    add_motion(blocks, added, after)
    expected = motion_seen(*moved_plainly(blocks, added[:, 0], motion))
    same = np.sign(np.sum(after.local * expected.local, axis=-1, keepdims=True))
    np.testing.assert_allclose(same * after.local, expected.local, atol=1e-12)
    for name in ("roots", "root_velocities", "root_accelerations", "omega", "alpha"):
        ours, theirs = getattr(after, name)[INNER], getattr(expected, name)[INNER]
        assert np.isfinite(theirs).all()
        # What differences of this step are off by.
        np.testing.assert_allclose(ours, theirs, atol=5e-5 * np.abs(theirs).max(), err_msg=name)


def test_curves_of_nothing_change_nothing() -> None:
    blocks, width, motion = made(1)
    after = Motion(*(array.copy() for array in motion))
    add_motion(blocks, np.zeros((FRAMES, 3, width)), after)
    for ours, theirs in zip(after, motion, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("angle", [np.sqrt(0.05), 1e-8, 1e-160])
def test_rates_do_not_jump_where_the_series_begins(angle: float) -> None:
    """On both sides of the angle, everything is the same to rounding."""
    blocks, width, motion = made(2)
    rng = np.random.default_rng(7)
    directions, speeds, rates = rng.normal(size=(3, width))
    ball = int(np.argmax(blocks.kind == BALL))
    k, j = int(blocks.column[ball]), int(blocks.joint[ball])
    directions[k : k + 3] /= np.linalg.norm(directions[k : k + 3])
    found = list[Array]()
    for share in (1.0 - 1e-9, 1.0 + 1e-9):
        added = np.tile(np.stack([share * angle * directions, speeds, rates]), (FRAMES, 1, 1))
        still = Motion(*(np.zeros_like(a) if a.shape[-1] == 3 else a.copy() for a in motion))
        add_motion(blocks, added, still)
        found.append(np.concatenate([still.omega[0, j], still.alpha[0, j]]))
    np.testing.assert_allclose(found[0], found[1], rtol=0.0, atol=3e-8)
    assert np.abs(found[0]).max() > 0.1
