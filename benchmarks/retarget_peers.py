"""Retargeters onto robots side by side: GMR, mink, and Poise: poses, contacts held, physics.

`python -m benchmarks.retarget_peers [--gmr DIR] [--targets G1,H1,T1] [--write] [CLIP...]`: a table
of docs/retarget.md. All get the same frames, and what they make is measured alike, as clips on
Poise's robots under the contacts that the source shows. GMR's and mink's motions are raised or
lowered as a whole so that standing feet are on the ground, which is in their favour: neither knows
of a ground. Speed is that of solving alone, warm, by the median: of five, of the pipeline of three.
"Poses" is what the other two do: every frame as near to the human as the joints let it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import retarget_gmr, retarget_mink
from benchmarks.page import put_table
from benchmarks.pattern_golf import SHARED
from benchmarks.retarget_likeness import (
    beyond_limits,
    bones_off_deg,
    clip_of,
    on_the_ground,
    places_off_cm,
)
from benchmarks.retarget_table import CLIPS, TARGETS, source, target
from benchmarks.timing import interleaved
from poise.arrays import Array
from poise.character import Character
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import PoiseError
from poise.measures import evaluate
from poise.methods.retarget import retargeted
from poise.motion import Clip
from poise.transfer import correspondence

ROBOTS = tuple(retarget_gmr.ROBOTS)
SHOWN = ("02_01", "02_03", "05_02", "90_05")
SLOW = 3
_KEYS = {
    "foot_slide.mean": ".2f",
    "penetration.deepest": ".2f",
    "zmp_excursion.mean": ".2f",
    "zmp_excursion.share": ".0f",
    "root_wrench.force": ".3f",
    "torque_excess.worst": ".2f",
}
HEADS = (
    "| clip | robot | by | bones, ° | places, cm | slide, cm/s | deepest, cm | ZMP outside, cm |"
    " of frames, % | root wrench, body weights | torque, × limit | beyond limits, % (worst, °) |"
    " frames/s |\n" + "|---" * 13 + "|"
)


@dataclass(frozen=True, eq=False)
class Task:
    """A motion and who is to move like it."""

    name: str
    clip: Clip
    human: Character
    place: Environment
    onto: str
    robot: Character
    contacts: ContactSchedule

    def made(self, coordinates: Array, by: str) -> Clip:
        """What a peer found, on the ground."""
        clip = clip_of(coordinates, self.robot, self.clip.rate_hz, f"{self.name} by {by}")
        return on_the_ground(clip, self.robot, self.place, self.contacts)


def compared(name: str, onto: str, gmr: Path | None) -> list[str]:
    """A line of the table for each retargeter."""
    clip, human, place = source(name)
    robot = target(onto)
    matches = correspondence(human, robot)
    kinematic = retargeted(clip, human, robot, matches, place)
    task = Task(name, clip, human, place, onto, robot, kinematic.contacts)
    jobs: dict[str, Callable[[], Array | Clip]] = {}
    if gmr is not None:
        try:
            jobs["GMR"] = _gmr_job(task, gmr)
        except retarget_gmr.NoGmr as problem:
            print(f"GMR is not here: {problem}", flush=True)
    ready = retarget_mink.prepared(SHARED / TARGETS[onto], clip, human, robot, matches, kinematic)
    start = retarget_mink.started(ready)
    jobs["mink"] = lambda: retarget_mink.solved(ready, start)
    jobs["Poise, poses"] = lambda: retargeted(
        clip, human, robot, matches, place, feet=False
    ).clip  # fmt: skip
    jobs["Poise, contacts held"] = lambda: retargeted(clip, human, robot, matches, place).clip
    whole: dict[str, Callable[[], Array | Clip]] = {
        "Poise, whole": lambda: whole(clip, human, robot, place).clip
    }
    seconds = {**interleaved(jobs), **interleaved(whole, SLOW)}
    lines: list[str] = []
    for by, job in {**jobs, **whole}.items():
        found = job()
        moved = found if isinstance(found, Clip) else task.made(found, by)
        lines.append(_line(task, by, moved, clip.frame_count / seconds[by]))
    return lines


def _gmr_job(task: Task, folder: Path) -> Callable[[], Array]:
    gmr = retarget_gmr.retargeter(folder, task.onto)
    frames = retarget_gmr.human_frames(task.clip, task.human, task.place)
    start = retarget_gmr.started(gmr, frames)
    return lambda: retarget_gmr.solved(gmr, frames, start)


def _line(task: Task, by: str, moved: Clip, per_second: float) -> str:
    about = (moved, task.robot, task.clip, task.human)
    found = evaluate(moved, task.robot, task.place, task.contacts)
    share, worst = beyond_limits(moved)
    cells = [
        f"{task.name} {CLIPS.get(task.name, '')}".strip(),
        task.onto,
        by,
        f"{bones_off_deg(*about):.1f}",
        f"{places_off_cm(*about):.1f}",
        *(f"{found.value(key):{shown}}" for key, shown in _KEYS.items()),
        f"{share:.2f} ({worst:.1f})" if share > 0.0 else "0",
        f"{per_second:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.retarget_peers", description=__doc__
    )
    parser.add_argument("clips", nargs="*", help=f"such as 02_01 (default: {', '.join(SHOWN)})")
    parser.add_argument("--targets", help=f"such as G1,H1 (default: {','.join(ROBOTS)})")
    parser.add_argument("--gmr", metavar="DIR", help="a checkout of YanjieZe/GMR")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    robots = asked.targets.split(",") if asked.targets else list(ROBOTS)
    unknown = [name for name in robots if name not in ROBOTS]
    if unknown:
        parser.error(f"no robot is called {unknown[0]!r}; known: {', '.join(ROBOTS)}")
    gmr: Path | None = None
    try:
        gmr = retarget_gmr.found(asked.gmr)
    except retarget_gmr.NoGmr as problem:
        print(f"GMR is not here: {problem}. The other rows are made without it.", flush=True)
    lines = [HEADS]
    print(HEADS, flush=True)
    for onto in robots:
        for name in asked.clips or SHOWN:
            try:
                made = compared(name, onto, gmr)
            except PoiseError as problem:
                made = [f"| {name} {CLIPS.get(name, '')} | {onto} | {problem} |"]
            lines += made
            print("\n".join(made), flush=True)
    if asked.write:
        put_table("retarget.md", "peers", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
