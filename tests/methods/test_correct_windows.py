"""Windows over long clips: the same as the whole, in bounded memory."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from poise.arrays import Array
from poise.character import complete_character
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.formats import load_clip
from poise.methods.correct.mesh import motion_mesh, vertices_of
from poise.methods.correct.motion_optimizer import MotionOptimizer
from poise.methods.correct.problem import STATIC, Contacts
from poise.methods.correct.settings import FEET, Settings
from poise.methods.correct.windows import optimize_long, windows
from poise.motion import resample
from tests.methods.test_correct_optimizer import human, walking_about
from tests.shared_data import MOCAP, needs_mocap


@pytest.mark.parametrize(("frames", "length", "overlap"), [(10, 20, 5), (100, 20, 5), (41, 20, 9)])
def test_windows_cover_all_frames_and_overlap(frames: int, length: int, overlap: int) -> None:
    cuts = windows(frames, length, overlap)
    assert cuts[0].start == 0
    assert cuts[-1].stop == frames
    for before, after in pairwise(cuts):
        assert before.stop - after.start >= overlap
        assert after.start > before.start
    assert all(cut.stop - cut.start <= length for cut in cuts)


def test_a_short_clip_is_one_window() -> None:
    assert windows(30, 30, 5) == [range(30)]


@needs_mocap
@pytest.mark.parametrize("name", ["49_02", "05_02"])
def test_windows_agree_with_the_whole_on_a_real_clip(name: str) -> None:
    clip = load_clip(MOCAP / "cmu" / f"{name}.bvh")
    mesh = motion_mesh(complete_character(clip.skeleton), FEET)
    places = vertices_of(mesh, resample(clip, clip.rate_hz / round(clip.rate_hz / 30.0)))
    paths = places[:, mesh.contact_vertex]
    heights = np.percentile(paths[..., 1], 10, axis=0)
    speeds = np.linalg.norm(np.gradient(paths, axis=0), axis=2) * 30.0
    contacts = ((paths[..., 1] < heights + 0.03) & (speeds < 0.6)).astype(np.int8)
    given = (mesh, places, 30.0, Environment.flat(), Settings(), heights)
    whole = MotionOptimizer(*given).solve(contacts, 40)
    parts = optimize_long(*given, contacts, 40, window_s=8.0, overlap_s=3.0)
    assert "windows" in parts.status
    gaps = np.linalg.norm(parts.vertices_m - whole.vertices_m, axis=2)
    assert gaps.max() < 0.001
    assert np.linalg.norm(whole.vertices_m - places, axis=2).mean() > 0.003
    assert parts.error == pytest.approx(whole.error, rel=0.5)


def long_walk(frames: int) -> tuple[Array, Contacts]:
    places = walking_about(human(), frames)
    contacts = np.zeros((frames, 6), np.int8)
    phase = np.arange(frames) % 40
    contacts[phase < 25, 0] = STATIC
    contacts[(phase > 15), 1] = STATIC
    return places, contacts


def test_memory_does_not_grow_with_the_length() -> None:
    settings = replace(Settings(), iterations=2)
    peaks: list[float] = []
    for frames in (600, 2400):
        places, contacts = long_walk(frames)
        tracemalloc.start()
        optimize_long(
            human(), places, 30.0, Environment.flat(), settings, np.zeros(6), contacts,
            window_s=6.0, overlap_s=2.0,
        )  # fmt: skip
        peaks.append(tracemalloc.get_traced_memory()[1] - 6.0 * places.nbytes)
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_what_does_not_fit_is_refused() -> None:
    places, contacts = long_walk(50)
    given = (human(), places, 30.0, Environment.flat(), Settings(), np.zeros(6))
    with pytest.raises(BadShape, match="contacts"):
        optimize_long(*given, contacts[:-1])
    with pytest.raises(BadValue, match="overlap_s"):
        optimize_long(*given, contacts, window_s=1.0, overlap_s=0.6)
