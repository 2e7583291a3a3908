"""The places of the correction's recipes, and a level motion put on a hill."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.arrays import Array
from poise.environment import Environment, Ground, HeightField, load_environment, query
from poise.environment.places import box
from poise.errors import BadValue
from poise.mechanics import forward_kinematics, site_positions
from poise.methods.correct.draping import draped_places_m, raised_clip, rises_m
from poise.samples import SAMPLES, sample_character

PLACES = Path(__file__).resolve().parents[2] / "examples" / "recipes" / "correct"
LEVEL = Ground(0.02)


def hill() -> Environment:
    """A smooth rise along z, 10 degrees at the steepest, on a fine grid."""
    z = np.linspace(-1.0, 5.0, 241)
    heights = 0.15 * (1.0 - np.cos(2.0 * np.pi * np.clip(z / 5.0, 0.0, 1.0)))
    return Environment((HeightField(np.stack([heights] * 2), [40.0, z[1] - z[0]], [-20.0, -1.0]),))


def soles() -> tuple[Array, Array]:
    """(F, S, 3) of a walk, and (F, S) which of them stand still on the floor."""
    clip = SAMPLES["walk"]().clip
    sites = sample_character().sites
    points = site_positions(forward_kinematics(clip.skeleton, *clip.pose), sites)
    still = np.linalg.norm(np.gradient(points, axis=0), axis=-1) * clip.rate_hz < 1e-3
    return points, still & (np.abs(points[..., 1]) < 1e-3)


def test_what_stands_on_the_floor_stands_on_the_hill() -> None:
    points, standing = soles()
    assert standing.sum() > 500
    draped = draped_places_m(points, Ground(), hill())
    found = query(hill(), draped[standing])
    assert np.abs(found.distances_m).max() < 2e-3
    # and does not move while it stands
    speeds = np.linalg.norm(np.gradient(draped, axis=0), axis=-1)
    assert (speeds[standing] * SAMPLES["walk"]().clip.rate_hz).max() < 2e-3


def test_level_ground_at_the_same_height_changes_nothing() -> None:
    points, _ = soles()
    np.testing.assert_allclose(
        draped_places_m(points, LEVEL, Environment((LEVEL,))), points, atol=1e-9
    )
    higher = rises_m(points, LEVEL, Environment.flat(0.5))
    np.testing.assert_allclose(higher, 0.48, atol=1e-9)


def test_a_tilted_floor_is_levelled_with_its_motion() -> None:
    points, _ = soles()
    tilted = Ground.tilted(0.03, (1.0, 0.0, 0.2))
    over = points.copy()
    over[..., 1] += tilted.heights_m(points)
    np.testing.assert_allclose(
        draped_places_m(over, tilted, Environment.flat(0.0)), points, atol=1e-9
    )


def test_a_table_raises_nobody() -> None:
    points, _ = soles()
    place = Environment((LEVEL, *box((50.0, 1.0, 50.0))))
    np.testing.assert_allclose(rises_m(points, LEVEL, place), 0.0, atol=1e-9)
    with pytest.raises(BadValue, match="to stand on"):
        rises_m(points, LEVEL, Environment(box()))


def test_a_raised_clip_keeps_its_poses() -> None:
    clip = SAMPLES["walk"]().clip
    raised = raised_clip(clip, Ground(), hill())
    np.testing.assert_array_equal(raised.rotations_wxyz, clip.rotations_wxyz)
    up = raised.root_positions_m - clip.root_positions_m
    assert np.abs(up[:, [0, 2]]).max() == 0.0 and up[:, 1].max() > 0.2
    assert replace(raised, history=()).frame_count == clip.frame_count


def test_the_recipes_hill_is_smooth_and_as_steep_as_it_says() -> None:
    place = load_environment(PLACES / "hill.yaml")
    along = np.zeros((2000, 3))
    along[:, 2] = np.linspace(-3.0, 4.0, len(along))
    along[:, 1] = 2.0
    found = query(place, along)
    slopes = np.degrees(np.arccos(np.clip(found.normals[:, 1], -1.0, 1.0)))
    heights = 2.0 + rises_m(along, Ground(2.0), place)
    steepest = np.degrees(np.arctan(np.abs(np.gradient(heights, along[:, 2])).max()))
    assert 9.0 < steepest < 10.5
    assert np.abs(np.diff(slopes)).max() < 1.5
    assert heights[0] == heights[-1] < heights.max() - 0.2
    # Level before, behind and beside it.
    far = query(place, np.array([[0.0, 0.5, -30.0], [0.0, 0.5, 30.0], [300.0, 0.5, -30.0]]))
    np.testing.assert_allclose(far.normals, np.tile([0.0, 1.0, 0.0], (3, 1)), atol=1e-9)


@pytest.mark.parametrize(("name", "height_m"), [("chair", 0.35), ("stool", 0.67)])
def test_the_recipes_seats_are_read(name: str, height_m: float) -> None:
    place = load_environment(PLACES / f"{name}.yaml")
    assert [surface.name for surface in place.surfaces] == ["ground", "seat", "stand"]
    top = max(float(part.vertices_m[:, 1].max()) for part in place.surfaces[1:])
    ground = place.grounds[0]
    assert top - ground.height_m == pytest.approx(height_m, abs=0.03)
    assert not [note for note in place.notes if "assumed" in note]
