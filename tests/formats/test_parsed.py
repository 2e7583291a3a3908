"""Units, axes and rates: decided once for all formats, and said aloud."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import rotations, units
from poise.formats.parsed import Parsed, clip_from, in_world, snapped_rate_hz
from poise.mechanics import forward_kinematics
from poise.samples import human_skeleton


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "clip.bvh"
    file.write_text("x")
    return file


def standing(scale: float, root_turn: np.ndarray | None = None, frames: int = 5) -> Parsed:
    """The sample human in file units, standing at rest or turned as a whole."""
    skeleton = in_world(human_skeleton(), scale, rotations.IDENTITY)
    q = np.tile(skeleton.rest_wxyz, (frames, 1, 1))
    roots = np.tile(skeleton.offsets_m[0], (frames, 1))
    if root_turn is not None:
        q[:, 0] = rotations.multiply(root_turn, q[:, 0])
        roots = rotations.rotate(root_turn, roots)
    return Parsed(skeleton, 120.0, roots, q)


@pytest.mark.parametrize(("scale", "name"), [(1.0, "m"), (100.0, "cm"), (1000.0, "mm")])
def test_the_unit_is_the_one_in_which_the_figure_is_human(
    scale: float, name: str, path: Path
) -> None:
    clip = clip_from(standing(scale), path, "bvh")
    assert clip.source is not None and clip.source.unit.name == name
    assert clip.source.unit.reason.startswith("detected")
    assert clip.root_positions_m[0, 1] == pytest.approx(0.53 * 1.75)


def test_the_users_word_beats_the_files_and_the_rule(path: Path) -> None:
    stated = replace(standing(100.0), unit=units.unit_called("cm", "stated by the file"), up="y")
    assert clip_from(stated, path, "x").source.unit.reason == "stated by the file"  # type: ignore[union-attr]
    given = clip_from(stated, path, "x", unit="mm", up="z")
    assert given.source is not None
    assert (given.source.unit.name, given.source.up) == ("mm", "z")
    assert given.source.unit.reason == given.source.up_reason == "given by the user"


def world_heights(clip_parsed: Parsed, path: Path) -> tuple[str, float]:
    clip = clip_from(clip_parsed, path, "bvh")
    assert clip.source is not None
    state = forward_kinematics(clip.skeleton, *clip.pose)
    head = state.positions_m[0, clip.skeleton.index("Head")]
    foot = state.positions_m[0, clip.skeleton.index("LeftFoot")]
    return clip.source.up, float((head - foot)[1])


Z_FROM_Y = rotations.from_axis_angle([1.0, 0.0, 0.0], np.pi / 2)


def test_a_figure_that_stands_along_z_is_turned_up(path: Path) -> None:
    up, height = world_heights(standing(1.0, Z_FROM_Y), path)
    assert up == "z" and height > 1.3


def test_a_rest_pose_along_z_in_a_y_up_world_is_left_alone(path: Path) -> None:
    upright = standing(1.0)
    skeleton = in_world(upright.skeleton, 1.0, Z_FROM_Y)
    up, height = world_heights(replace(upright, skeleton=skeleton), path)
    assert up == "y" and height > 1.3


def test_somebody_lying_down_is_not_taken_for_another_axis(path: Path) -> None:
    lying = standing(1.0, Z_FROM_Y)
    on_floor = replace(lying, root_positions=lying.root_positions * 0.1)
    clip = clip_from(on_floor, path, "bvh")
    assert clip.source is not None and clip.source.up == "y"


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        (".0083333", 120.0),
        ("0.01", 100.0),
        ("0.033333", 30.0),
        ("0.0333667", 30000 / 1001),
        ("0.0166667", 60.0),
        ("0.00833333", 120.0),
        ("0.04", 25.0),
        ("0.0078125", 128.0),
        ("0.008", 125.0),
        ("0.016", 60.0),
        ("0.017", 60.0),
        ("0.0167", 60.0),
        ("0.033", 30.0),
        ("0.03", 30.0),
        ("0.0083417", 120000 / 1001),
    ],
)
def test_printed_frame_times_mean_whole_rates(text: str, rate: float) -> None:
    assert snapped_rate_hz(float(text), len(text.split(".")[1])) == pytest.approx(rate, rel=1e-12)


def test_a_rate_that_is_really_odd_stays_odd() -> None:
    assert snapped_rate_hz(0.0131234567, 10) == pytest.approx(1 / 0.0131234567)
