"""Poses between members of a family: members themselves, means between, and no kinks if asked."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from poise import rotations
from poise.errors import BadShape, BadValue
from poise.methods.momentum.blending import blended, nearest

AXES = (np.array([0.0, 1.0, 3.0]), np.array([-2.0, 2.0]), np.array([5.0]))


def made() -> tuple[np.ndarray, np.ndarray]:
    """Members whose root is linear in the coordinates, and whose joint turns with the first."""
    corners = np.array(list(product(*AXES)))
    roots = np.repeat(corners[:, None], 4, axis=1)
    turns = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.4 * corners[:, 0])
    flipped = np.where(np.arange(len(turns)) % 2 == 0, 1.0, -1.0)[:, None] * turns
    return roots, np.repeat(flipped[:, None, None], 4, axis=1)


@pytest.mark.parametrize("weighing", ["linear", "smooth"])
def test_members_come_back_at_their_own_coordinates(weighing: str) -> None:
    roots, turns = made()
    for m, corner in enumerate(product(*AXES)):
        members, weights = nearest(AXES, corner, weighing)  # type: ignore[arg-type]
        assert weights.sum() == pytest.approx(1.0) and (weights >= 0.0).all()
        root, turn = blended(roots, turns, members, weights)
        np.testing.assert_allclose(root, roots[m], atol=1e-12)
        assert rotations.angle_between(turn, turns[m]).max() < 1e-7


def test_what_is_linear_is_met_between_members() -> None:
    roots, turns = made()
    random = np.random.default_rng(3)
    for _ in range(30):
        at = (random.uniform(0.0, 3.0), random.uniform(-2.0, 2.0), 5.0)
        root, turn = blended(roots, turns, *nearest(AXES, at))
        np.testing.assert_allclose(root, np.tile(at, (4, 1)), atol=1e-12)
        wanted = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.4 * at[0])
        # The mean of quaternions is off the arc's even division by little.
        assert rotations.angle_between(turn, wanted).max() < 0.01


def test_smooth_weights_do_not_kink_where_neighbours_change() -> None:
    roots, _ = made()
    turns = np.tile(np.array(rotations.IDENTITY), (len(roots), 4, 1, 1))

    def slope(weighing: str, value: float, h: float = 1e-5) -> tuple[float, float]:
        ahead, here, behind = (
            blended(roots, turns, *nearest(AXES, (value + d, 0.0, 5.0), weighing))[0][0, 0]  # type: ignore[arg-type]
            for d in (h, 0.0, -h)
        )
        return (ahead - here) / h, (here - behind) / h

    after, before = slope("smooth", 1.0)
    assert after == pytest.approx(0.0, abs=1e-3) and before == pytest.approx(0.0, abs=1e-3)
    assert slope("linear", 0.5)[0] == pytest.approx(1.0, abs=1e-6)
    assert slope("smooth", 0.5)[0] == pytest.approx(0.5 * np.pi, abs=1e-3)


def test_coordinates_outside_are_refused() -> None:
    with pytest.raises(BadValue, match="from 0 to 3"):
        nearest(AXES, (3.5, 0.0, 5.0))
    with pytest.raises(BadValue, match="from 0 to 3"):
        nearest(AXES, (float("nan"), 0.0, 5.0))
    with pytest.raises(BadShape, match="coordinate"):
        nearest(AXES, (0.0, 0.0))
