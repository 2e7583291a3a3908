"""What each part of the physics solve brings: left out one at a time, on ten captures.

`python -m benchmarks.physics_ablations [CLIP...] [--write]`: the capture, contacts only, contacts
and then `filter` (what the docs used to suggest), everything, and everything without one part.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

from benchmarks.page import put_table
from benchmarks.physics_table import captures
from poise.arrays import Array
from poise.character import Character, with_ranges
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.job import measurable
from poise.measures import evaluate
from poise.methods import Edit, correct
from poise.methods import filter as filtering
from poise.motion import Clip
from poise.physics import PhysicsSettings, Stage
from poise.physics.second_look import Seen

CLIPS = ("02_01", "35_03", "136_20", "02_03", "09_01", "16_35", "13_11", "05_02", "10_03", "64_26")
"""Walks, runs, a jump, a dance, a kick, picking up a ball."""

_run = importlib.import_module("poise.methods.correct.run")
_contact_tasks = importlib.import_module("poise.footing.contact_tasks")
_recovery = importlib.import_module("poise.methods.correct.recovery")
_merit = importlib.import_module("poise.physics.merit")
_bounds = importlib.import_module("poise.physics.bounds")

Made = tuple[Clip, ContactSchedule]
Way = Callable[[Clip, Character, Environment, str], Made]

COLUMNS = (
    ("foot_slide.mean", "slide cm/s", 2),
    ("zmp_excursion.share", "ZMP %", 1),
    ("root_wrench.force", "force ‰", 1),
    ("root_wrench.moment", "moment ‰", 1),
    ("flight_residual.acceleration", "flight %", 1),
    ("torque_excess.worst", "torque", 2),
    ("likeness.rotation", "rotation °", 1),
    ("likeness.largest", "farthest cm", 0),
    ("joint_peaks.acceleration", "acceleration ×", 2),
    ("jitter.ratio", "jerk ×", 2),
    ("root_shift.mean", "root cm", 1),
    ("swing_shift.mean", "swing cm", 1),
)


def _corrected(only: str = "everything") -> Way:
    def way(clip: Clip, character: Character, place: Environment, preset: str) -> Made:
        settings = replace(correct.settings_for(preset), only=only)
        found = correct.run(Edit(clip, character, environment=place), settings)
        assert found.contacts is not None
        return found.clip, found.contacts

    return way


def _then_filter(clip: Clip, character: Character, place: Environment, preset: str) -> Made:
    made, contacts = _corrected("contacts")(clip, character, place, preset)
    edit = Edit(made, character, (), place, contacts=contacts)
    return filtering.run(edit, filtering.Settings(passes="3D+1K", torque=True)).clip, contacts


@contextmanager
def _with(settings: PhysicsSettings) -> Iterator[None]:
    with mock.patch.object(_run, "PhysicsSettings", lambda: settings):
        yield


def _varied(settings: PhysicsSettings) -> Way:
    def way(clip: Clip, character: Character, place: Environment, preset: str) -> Made:
        with _with(settings):
            return _corrected()(clip, character, place, preset)

    return way


def _held_while_travelling(
    clip: Clip, character: Character, place: Environment, preset: str
) -> Made:
    def nowhere(scene: object, contacts: ContactSchedule) -> object:
        return np.zeros_like(contacts.touching)

    with mock.patch.object(_recovery, "travelling", nowhere):
        return _corrected()(clip, character, place, preset)


def _on_one_point(clip: Clip, character: Character, place: Environment, preset: str) -> Made:
    with mock.patch.object(_contact_tasks, "TIP_HALF_M", 1e-6):
        return _corrected()(clip, character, place, preset)


def _swinging_by_ankles(clip: Clip, character: Character, place: Environment, preset: str) -> Made:
    tasks = _recovery.swing_tasks

    def ankles(*given: object) -> list[object]:
        return [task for task in tasks(*given) if not task.name.endswith("(ball)")]

    with mock.patch.object(_recovery, "swing_tasks", ankles):
        return _corrected()(clip, character, place, preset)


def _bounds_alike(clip: Clip, character: Character, place: Environment, preset: str) -> Made:
    with mock.patch.object(_bounds, "HEAVIEST", 1.0):
        return _corrected()(clip, character, place, preset)


def _without_torques_looked_at(
    clip: Clip, character: Character, place: Environment, preset: str
) -> Made:
    def alike(seen: Seen) -> Array:
        clip = seen.dynamics.clip
        return np.ones((clip.frame_count, clip.skeleton.joint_count))

    with mock.patch.object(_merit, "torque_severity", alike):
        return _corrected()(clip, character, place, preset)


_USUAL = PhysicsSettings()
WAYS: dict[str, Way] = {
    "contacts only": _corrected("contacts"),
    "contacts, then filter 3D+1K": _then_filter,
    "**everything**": _corrected(),
    "without force rows": _varied(
        PhysicsSettings(stages=tuple(Stage(s.hard, 0.0, s.mu) for s in _USUAL.stages))
    ),
    "without torque rows": _varied(PhysicsSettings(torque=0.0)),
    "without force ramps": _varied(PhysicsSettings(edge_s=0.0, ramp_s=1e-3)),
    "held while feet still travel": _held_while_travelling,
    "feet swing by their ankles": _swinging_by_ankles,
    "broken bounds weigh no more": _bounds_alike,
    "toes roll on a point": _on_one_point,
    "without wrench likeness": _varied(PhysicsSettings(wrench_likeness=0.0, moment_likeness=0.0)),
    "root no stiffer": _varied(PhysicsSettings(root=1.0)),
    "other joints no calmer": _varied(PhysicsSettings(calm=1.0)),
    "quiet joints no calmer": _varied(PhysicsSettings(brisk_rad_s2=0.0)),
    "knees no stiffer": _varied(PhysicsSettings(knee=1.0)),
    "without a second look": _varied(PhysicsSettings(looks=0)),
    "a second look at accelerations only": _varied(PhysicsSettings(insistence=0.0)),
    "a second look at pressure only": _varied(PhysicsSettings(most_peak=0.0)),
    "torques not looked at again": _without_torques_looked_at,
    "no fading beyond the ends": _varied(PhysicsSettings(fading=False)),
}


def figures(path: Path, way: Way | None) -> dict[str, float]:
    """Of one capture; of the capture itself, by contacts that its correction finds, for None."""
    given = measurable(path)
    character = with_ranges(given.character, given.clip.rotations_wxyz)
    preset = "auto"
    made, contacts = (way or _corrected())(given.clip, character, given.environment, preset)
    measured = evaluate(
        made if way else given.clip, given.character, given.environment, contacts,
        against=given.clip, against_character=given.character, input_contacts=contacts,
    )  # fmt: skip
    return {m.key: m.value for m in measured.measures}


def line(name: str, rows: Sequence[dict[str, float]]) -> str:
    """Means over captures; of the flight over those that fly."""
    cells = [name]
    for key, title, digits in COLUMNS:
        scale = 1000.0 if "‰" in title else 1.0
        values = np.array([row.get(key, np.nan) for row in rows])
        known = values[np.isfinite(values)]
        cells.append(f"{scale * known.mean():.{digits}f}" if len(known) else "–")
    return f"| {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.physics_ablations", description=__doc__
    )
    parser.add_argument("clips", nargs="*", help=f"default: {' '.join(CLIPS)}")
    parser.add_argument("--write", action="store_true", help="into docs/physics.md")
    asked = parser.parse_args()
    names = asked.clips or CLIPS
    paths = [path for path in captures() if path.stem in names and path.parent.name != "cmu_3dsmax"]
    lines = ["| means of ten captures | " + " | ".join(title for _, title, _ in COLUMNS) + " |"]
    lines.append("|---" * (len(COLUMNS) + 1) + "|")
    print("\n".join(lines), flush=True)
    for name, way in {"capture": None, **WAYS}.items():
        lines.append(line(name, [figures(path, way) for path in paths]))
        print(lines[-1], flush=True)
    if asked.write:
        put_table("physics.md", "ablations", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
