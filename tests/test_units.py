"""Units: detected by a stated rule, or named, or refused."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations, units
from poise.errors import BadValue, UnknownName


@pytest.mark.parametrize(
    ("stature", "name"), [(1.7, "m"), (163.0, "cm"), (1720.0, "mm"), (26.1, "cmu"), (68.0, "in")]
)
def test_a_figure_gets_the_unit_in_which_it_is_human(stature: float, name: str) -> None:
    found = units.detect_unit(stature)
    assert found.name == name and found.reason.startswith("detected")


def test_a_figure_of_no_human_size_is_taken_in_metres_and_said_so() -> None:
    found = units.detect_unit(12345.0)
    assert found.metres == 1.0 and found.reason.startswith("assumed")


def test_the_cmu_unit_is_an_inch_over_its_scale() -> None:
    assert pytest.approx(0.0564444, abs=1e-6) == units.UNITS_M["cmu"]


def test_units_by_name_or_number() -> None:
    assert units.unit_called("in").metres == 0.0254
    assert units.unit_called("0.5").metres == 0.5
    with pytest.raises(UnknownName, match="A number means metres per file unit"):
        units.unit_called("furlong")
    with pytest.raises(BadValue):
        units.unit_called("-1")


def test_z_up_becomes_y_up() -> None:
    turn = units.world_from_file_wxyz("z")
    np.testing.assert_allclose(rotations.rotate(turn, [0, 0, 1]), [0, 1, 0], atol=1e-15)
    with pytest.raises(UnknownName):
        units.world_from_file_wxyz("x")
