"""What commands may take, by value: cells of shade, pictures of a GIF, rounds, windows, figures."""

from __future__ import annotations

import numpy as np
import pytest

import poise.apps.render.animation as animation
from poise.apps.render import stage_for, write_picture
from poise.apps.render.ground import CELL_M, LONGEST_CELLS, MOST_CELLS, level_plane, shade_map
from poise.errors import BadValue
from poise.measures import evaluate
from poise.methods.filter.settings import MOST_ROUNDS, rounds_of
from poise.methods.filter.stream_window import MOST_HALF_WINDOW, half_window_frames
from tests.apps.command_line import Command
from tests.formats.degenerate import usual

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.5, 1.0]])
TRIANGLE = np.array([[0, 1, 2]])


@pytest.mark.parametrize("metres", [1.0, 100.0, 1e4, 1e9])
@pytest.mark.parametrize("wide", [True, False])
def test_shade_of_any_scene_has_so_many_cells_at_most(metres: float, wide: bool) -> None:
    points = CORNERS * (metres if wide else np.array([metres, 1.0, 1.0]))
    along, key = np.array([1.0, 0.0, 0.0]), np.array([0.2, 1.0, 0.1]) / np.sqrt(1.05)
    shade = shade_map(level_plane(0.0), along, key, [(points, TRIANGLE)])
    rows, columns = shade.light.shape
    assert (rows - 1) * (columns - 1) <= MOST_CELLS and max(rows, columns) <= LONGEST_CELLS + 1
    assert shade.cell_m == CELL_M if metres == 1.0 else shade.cell_m >= CELL_M
    assert metres < 1e4 or shade.cell_m > CELL_M


def test_a_gif_of_too_many_pixels_is_refused_before_it_is_drawn(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(animation, "MOST_GIF_PIXELS", 10 * 64 * 64)
    with pytest.raises(BadValue, match=r"at most 10 pictures of 64x64.*\.mp4"):
        write_picture(tmp_path / "a.gif", stage_for(usual()), size=(64, 64), fps=60)
    assert not (tmp_path / "a.gif").exists()


def test_rounds_of_the_filter_are_counted_in_all() -> None:
    assert len(rounds_of("100K+100D")) == MOST_ROUNDS
    with pytest.raises(BadValue, match="rounds in all"):
        rounds_of("+".join(["100D"] * 3))


def test_a_window_of_a_stream_holds_so_many_frames() -> None:
    assert half_window_frames(0.1, MOST_HALF_WINDOW / 0.1, 2) == MOST_HALF_WINDOW
    with pytest.raises(BadValue, match="at most 1500"):
        half_window_frames(0.1, 10_000.0, 2)


def test_a_figure_that_cannot_be_computed_says_why(command: Command, tmp_path) -> None:
    found = {m.key: m for m in evaluate(usual().sliced(0, 3)).measures}
    assert np.isnan(found["jitter.jerk"].value) and found["jitter.jerk"].reason
    assert all(bool(m.reason) == bool(np.isnan(m.value)) for m in found.values())
    from poise.formats import save_clip

    save_clip(usual().sliced(0, 3), tmp_path / "short.npz")
    said = command("measure", "short.npz").out
    line = next(each for each in said.splitlines() if each.startswith("jitter.jerk"))
    assert "under four frames" in line and "nan" not in said
    assert '"reason": "under four frames"' in command("measure", "short.npz", "--json").out
