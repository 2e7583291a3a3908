"""Walks and runs in place: is the belt found, at which speed, and do feet stand on it afterwards.

`python -m benchmarks.in_place [CASE...] [--write]`: made cycles whose speed is known, at several
speeds and rates, with noise and on a slope; captures that are made to stay in place; treadmill
trials; characters of games. Each is corrected without being told anything, and measured.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

import poise
from benchmarks.page import put_table
from poise import rotations, samples
from poise.arrays import Array
from poise.environment import Ground
from poise.errors import PoiseError
from poise.formats import load_clip
from poise.job import root_motion_of
from poise.job.root_motion import mean_velocity_m_s, moved, with_root_motion
from poise.methods import status_words
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from tests.contact.force_plates import BELTS_M_S, trial, trial_paths
from tests.shared_data import MOCAP, SHARED

CLOSE = 0.05
"""Of the true speed."""
CYCLES_S = {"walk": 1.08, "run": 0.72}
CYCLES = 3
PACES = (0.75, 1.0, 1.3)
"""Times as fast as the sample: the same steps in less time."""
RATES_HZ = (30.0, 60.0, 120.0)
NOISES_MM = (0.0, 5.0)
SLOPE_DEG = 4.0
CAPTURES = ("02_01", "07_01", "16_35", "35_03")
TREADMILLS = ("run200", "run400")
FOREIGN = (
    ("khronos/CesiumMan.glb", None),
    ("threejs/RobotExpressive.glb", "Walking"),
    ("threejs/RobotExpressive.glb", "Running"),
)
HEADING = (
    "| in place | true speed, m/s | belt found, m/s | off | foot slide, cm/s | status |",
    "|---|---|---|---|---|---|",
)


@dataclass(frozen=True)
class Case:
    """A clip in place, and the velocity of its ground where that is known."""

    name: str
    make: Callable[[], tuple[Clip, Array | None]]


def cases() -> Iterator[Case]:
    """All that can be had here: captures and foreign characters are no part of the project."""
    for name in CYCLES_S:
        for pace in PACES:
            for noise_mm in NOISES_MM:
                for rate_hz in RATES_HZ:
                    noisy = f", {noise_mm:g} mm of noise" if noise_mm else ""
                    words = f"{name} × {pace:g}, {rate_hz:g} Hz{noisy}"
                    yield Case(words, partial(made_cycle, name, pace, rate_hz, noise_mm))
        words = f"{name} uphill, {SLOPE_DEG:g}°"
        yield Case(words, partial(made_cycle, name, 1.0, 60.0, 0.0, SLOPE_DEG))
    for name in CAPTURES:
        path = MOCAP / "cmu" / f"{name}.bvh"
        if path.is_file():
            yield Case(f"capture {name}", partial(captured, path))
    for path in trial_paths():
        if path.stem.rsplit("_", 1)[-1] in TREADMILLS:
            yield Case(f"treadmill {path.stem}", partial(on_a_treadmill, path))
    for name, animation in FOREIGN:
        path = SHARED / "foreign" / name
        if path.is_file():
            words = path.stem if animation is None else f"{path.stem} {animation}"
            yield Case(words, partial(foreign, path, animation))


def made_cycle(
    name: str, pace: float, rate_hz: float, noise_mm: float, slope_deg: float = 0.0
) -> tuple[Clip, Array]:
    """Whole cycles of a sample, in place, and the velocity of the belt under it."""
    own = samples.SAMPLES[name](CYCLES * CYCLES_S[name] + 0.2, 120.0).clip
    frames = round(CYCLES * CYCLES_S[name] * 120.0) + 1
    hurried = replace(own.sliced(0, frames), rate_hz=120.0 * pace, source=None)
    clip = resample(hurried, rate_hz)
    velocity = mean_velocity_m_s(hurried)
    clip = moved(clip, -velocity)
    if noise_mm:
        noise = np.random.default_rng(1).normal(0.0, 1e-3 * noise_mm, (clip.frame_count, 3))
        clip = replace(clip, root_positions_m=clip.root_positions_m + noise)
    tilt = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), -np.radians(slope_deg))
    turns = clip.rotations_wxyz.copy()
    turns[:, 0] = rotations.multiply(tilt, turns[:, 0])
    roots = rotations.rotate(tilt, clip.root_positions_m)
    clip = replace(clip, root_positions_m=roots, rotations_wxyz=turns)
    return clip, -rotations.rotate(tilt, velocity)


def captured(path: Path) -> tuple[Clip, Array]:
    """A capture over ground, made to stay in place."""
    clip = clean(load_clip(path))[0]
    return root_motion_of(clip, "in-place").clip, -mean_velocity_m_s(clip)


def on_a_treadmill(path: Path) -> tuple[Clip, Array]:
    """A treadmill trial, and the velocity of its belt."""
    given = trial(path)
    speed = BELTS_M_S[path.stem.rsplit("_", 1)[-1]]
    return given.clip, np.array([-speed, 0.0, 0.0])


def foreign(path: Path, animation: str | None) -> tuple[Clip, None]:
    """A game's character; nobody says how fast its ground is."""
    return load_clip(path, animation=animation), None


@dataclass(frozen=True)
class Found:
    """What came of a case."""

    speed_m_s: float | None
    """Of the belt that was found."""
    off: float | None
    """Of its velocity, as a share of the true one."""
    slides_cm_s: tuple[float, float]
    status: str
    worst_mm: float
    """How far the root is from where it was, once the clip has travelled and is in place again."""


def found(clip: Clip, true: Array | None) -> Found:
    """Correct a case and measure it."""
    made = poise.correct(clip)
    grounds = (s for s in made.outcome.prepared.environment.surfaces if isinstance(s, Ground))
    belt = next(grounds).belt_velocity_m_s
    speed = float(np.linalg.norm(belt))
    off = None if true is None else float(np.linalg.norm(belt - true) / np.linalg.norm(true))
    table = made.measures()
    row = next(row for row in table if row.key == "foot_slide.mean")
    return Found(
        speed or None,
        off if speed else None,
        (float("nan") if row.before is None else row.before, row.value),
        status_words(made.status),
        1e3 * there_and_back_m(clip),
    )


def there_and_back_m(clip: Clip) -> float:
    """Largest distance of the root from where it was, after in place, travelling and in place."""
    cycle = moved(clip, -mean_velocity_m_s(clip))
    gone = root_motion_of(cycle, "travel")
    back = with_root_motion(gone.clip, gone.environment, "in-place").clip
    return float(np.abs(back.root_positions_m - cycle.root_positions_m).max())


def line(case: Case) -> tuple[str, Found | None]:
    """A row of the table."""
    clip, true = case.make()
    speed = "not known" if true is None else f"{np.linalg.norm(true):.2f}"
    try:
        each = found(clip, true)
    except PoiseError as problem:
        why = " ".join(str(problem).split())[:120]
        return f"| {case.name} | {speed} | – | – | – | refused: {why} |", None
    belt = "none" if each.speed_m_s is None else f"{each.speed_m_s:.2f}"
    off = "–" if each.off is None else f"{100.0 * each.off:.1f} %"
    before, after = each.slides_cm_s
    slides = f"{before:.1f} → {after:.1f}"
    return f"| {case.name} | {speed} | {belt} | {off} | {slides} | {each.status} |", each


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; end with 1 where a speed is off by more than `CLOSE`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.in_place", description=__doc__)
    parser.add_argument("cases", nargs="*", help="beginnings of names (default: all)")
    parser.add_argument("--write", action="store_true", help="put the table into environment.md")
    asked = parser.parse_args(arguments)
    lines, wrong = list[str](), 0
    print("\n".join(HEADING))
    for case in cases():
        if asked.cases and not case.name.startswith(tuple(asked.cases)):
            continue
        told, each = line(case)
        print(told, flush=True)
        lines.append(told)
        if each is not None:
            known = each.off is not None and each.off <= CLOSE
            wrong += not known and not case.name.startswith(("CesiumMan", "RobotExpressive"))
            if each.worst_mm > 1.0:
                print(f"  there and back: {each.worst_mm:.2f} mm")
                wrong += 1
    if asked.write:
        put_table("environment.md", "in_place", (*HEADING, *lines))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
