"""`--root-motion`, as commands take it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from poise import samples
from poise.formats import load_clip, save_clip
from poise.job.root_motion import mean_velocity_m_s
from poise.motion import Clip
from tests.apps.command_line import Command


def walk() -> Clip:
    return replace(samples.walking(2.16, 50.0).clip, source=None)


def test_commands_take_it(command: Command, tmp_path: Path) -> None:
    save_clip(walk(), tmp_path / "walk.bvh")
    done = command("convert", tmp_path / "walk.bvh", tmp_path / "cycle.bvh",
                  "--root-motion", "in-place")  # fmt: skip
    assert done.code == 0 and "1.1" in done.err
    done = command("convert", tmp_path / "cycle.bvh", tmp_path / "again.bvh",
                  "--root-motion", "travel")  # fmt: skip
    assert done.code == 0, done.err
    first, last = (load_clip(tmp_path / f"{name}.bvh") for name in ("walk", "again"))
    # Away at the belt's speed as the feet show it, to which rolling soles add some.
    went, true = mean_velocity_m_s(last), mean_velocity_m_s(first)
    assert np.linalg.norm(went - true) < 0.03 * np.linalg.norm(true)
    done = command("convert", tmp_path / "walk.bvh", tmp_path / "no.bvh", "--root-motion", "up")
    assert done.code == 2 and "in-place" in done.err and not (tmp_path / "no.bvh").exists()
    done = command("correct", tmp_path / "walk.bvh", "--root-motion", "sideways",
                  "-o", tmp_path / "no.bvh")  # fmt: skip
    assert done.code == 2 and "in-place" in done.err
    done = command("correct", tmp_path / "walk.bvh", "--only", "contacts", "--root-motion",
                  "in-place", "-o", tmp_path / "corrected.bvh")  # fmt: skip
    assert done.code == 0, done.err
    made = load_clip(tmp_path / "corrected.bvh")
    assert np.linalg.norm(mean_velocity_m_s(made)) < 1e-3
