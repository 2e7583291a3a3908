"""Points stay outside of the surface next to them, also where that is not the one it was."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import contact_points, contact_radii_m
from poise.constraints import EVERYTHING, Recruits, Scene, Task, recruits_of_point
from poise.environment import ConvexPart, Environment, Ground, query
from poise.mechanics import forward_kinematics, site_positions
from poise.physics import PhysicsSolution, solve_clip
from poise.physics.clearance_rows import MOST_PLANES, _planes
from poise.samples import sample_character, standing

BODY = sample_character()
SAMPLE = standing(1.0, 30.0)
WRIST = BODY.skeleton.index("LeftHand")
STATE = forward_kinematics(BODY.skeleton, *SAMPLE.clip.pose)
AHEAD = np.array([0.0, 0.0, 0.4])
"""Of the hand: where a block is."""
CUBE = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def place() -> Environment:
    """A floor, a wall next to the hand, and a block in front of it."""
    wrist = STATE.positions_m[0, WRIST]
    wall = ConvexPart(wrist + [0.2, 0.0, 0.0] + CUBE * [0.1, 1.0, 2.0], "wall")
    return Environment((Ground(), wall, ConvexPart(wrist + AHEAD + 0.3 * CUBE, "block")))


def reaching(start: PhysicsSolution | None, by: float) -> PhysicsSolution:
    recruits = recruits_of_point(BODY, WRIST, np.zeros(3), EVERYTHING)
    goals = STATE.positions_m[10:20, WRIST] + by * AHEAD
    reach = Task("hand", "point", 10, goals, recruits, 2, 30.0, joint=WRIST)
    everything = Recruits(BODY.skeleton.freedoms > 0, True)
    scene = Scene(SAMPLE.clip, BODY, place())
    return solve_clip(scene, [reach], SAMPLE.contacts, also=everything, start=start)


def deepest_m(found: PhysicsSolution) -> float:
    state = forward_kinematics(BODY.skeleton, *found.pose)
    hand = contact_points(BODY)["left_hand"]
    near = query(place(), site_positions(state, hand))
    return contact_radii_m(BODY)["left_hand"] - float(near.distances_m.min())


@pytest.mark.parametrize("by", [0.7, 0.8, 0.9, 1.0, 1.1, 1.3])
def test_a_hand_that_goes_on_into_a_block_is_stopped(by: float) -> None:
    """Where it was, the wall was next to it."""
    before = reaching(None, 0.0)
    assert deepest_m(before) < 0.0
    assert deepest_m(reaching(before, by)) < 3e-3


def test_one_plane_alone_would_not_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = reaching(None, 0.0)
    monkeypatch.setattr("poise.physics.clearance_rows.MOST_PLANES", 1)
    assert deepest_m(reaching(before, 0.7)) > 0.05


def test_planes_are_those_of_the_nearest_surfaces() -> None:
    points = STATE.positions_m[:, [WRIST]]
    many = place().with_surfaces([ConvexPart(points[0, 0] + [0.0, 9.0, 0.0] + CUBE, "far")])
    normals, heights = _planes(many, points)
    assert normals.shape == (len(points), 1, MOST_PLANES, 3)
    away = (normals * points[:, :, None]).sum(axis=-1) - heights
    near = [query(Environment((each,)), points).distances_m for each in place().surfaces]
    np.testing.assert_allclose(np.sort(away, axis=-1), np.sort(np.stack(near, axis=-1), axis=-1))
