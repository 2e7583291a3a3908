"""How long the physics solve takes: `solve_clip` alone, once contacts and their tasks are known.

`python -m benchmarks.physics_speed [--only made captures robot again] [--long] [--write]`:

- a walk made by code, 10 s at 120 Hz, of a body with 54 unknowns;
- captures at 120 Hz held to 54 unknowns and with all 96, as seconds for 10 s of motion;
- the same on a robot at 50 Hz, with what the physics stage of `retarget` asks for;
- solving again, from a solution, after the goal of a wrist in a clip of 300 frames was moved;
- with `--long`, a walk of 100,000 frames, and the memory it takes (Linux).

Times are of the processor, on one thread, warm; of short solves the median of three.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.correct_table import preset_of
from benchmarks.page import put_table
from benchmarks.physics_peers import MOVING, ONE_THREAD, SLIDE_CM_S
from benchmarks.retarget_table import TARGETS, target, whole
from poise.character import Character, complete_character, with_ranges
from poise.constraints import EVERYTHING, Recruits, Scene, Task, recruits_of_point
from poise.contact import ContactSchedule
from poise.contact.seat import shown_place
from poise.environment import Environment
from poise.footing import moving_joints
from poise.formats import load_clip
from poise.job import measurable
from poise.mechanics import forward_kinematics
from poise.methods import Edit, correct
from poise.methods.correct.recovery import fastest_turns_rad_s, recover
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from poise.physics import PhysicsSettings, PhysicsSolution, solve_clip
from poise.samples import sample_character, walking, with_foot_slide
from tests.shared_data import MOCAP

CAPTURES = ("02_01", "13_11", "02_03", "02_04", "05_02", "02_05", "49_02")
MOST_FRAMES = 1200
"""Of a capture: ten seconds."""
ROBOT, ROBOT_HZ, ROBOT_CLIPS = "G1", 50.0, ("02_01", "02_04")
MOVED_M = (0.01, 0.03, 0.05)
LONG_FRAMES = 100_000
BRIEF_S = 1.5
"""Solves that take longer are timed once."""


@dataclass(eq=False)
class Asked:
    """What a solve was called with."""

    given: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)

    @property
    def scene(self) -> Scene:
        """The motion to stay close to."""
        return self.given[0]

    @property
    def unknowns(self) -> int:
        """Of a frame."""
        return 3 + int(self.scene.clip.skeleton.freedoms[self.named["also"].joints].sum())

    def solve(self, **changed: Any) -> PhysicsSolution:
        """Call it again."""
        return solve_clip(*self.given, **(self.named | changed))


class _Heard(Exception):
    """Enough is known."""


def heard(module: str, job: Callable[[], object]) -> Asked:
    """What `job` asks of the solve, which it does not get."""
    asked = Asked()

    def listen(*given: Any, **named: Any) -> PhysicsSolution:
        asked.given, asked.named = given, named
        raise _Heard

    with patch.object(sys.modules[module], "solve_clip", listen), suppress(_Heard):
        job()
    return asked


def corrected(
    clip: Clip, character: Character, place: Environment, contacts: ContactSchedule,
    moves: NDArray[np.bool_],
) -> Asked:  # fmt: skip
    """What `correct` asks for once contacts are found."""
    return heard(
        "poise.methods.correct.recovery",
        partial(
            recover, clip, character, place, contacts, moves=moves,
            fastest_rad_s=fastest_turns_rad_s(clip), physics=PhysicsSettings(),
        ),
    )  # fmt: skip


def made_walk(frames: int) -> Asked:
    """A walk made by code whose feet slide; 54 unknowns."""
    sample = with_foot_slide(walking((frames - 1) / 120.0, 120.0), SLIDE_CM_S)
    moves = moving_joints(sample.clip)
    moves[sample.clip.skeleton.index("Head")] = False
    return corrected(sample.clip, sample_character(), Environment.flat(0.0), sample.contacts, moves)


def captured(name: str, groups: int) -> Asked:
    """A capture as `correct` has it solved, the first so many groups of its joints free to move."""
    given = measurable(MOCAP / "cmu" / f"{name}.bvh")
    clip = given.clip.sliced(0, min(given.clip.frame_count, MOST_FRAMES))
    character = with_ranges(given.character, given.clip.rotations_wxyz)
    moves = np.zeros(clip.skeleton.joint_count, dtype=np.bool_)
    moves[[clip.skeleton.index(joint) for names in MOVING[:groups] for joint in names]] = True
    edit = Edit(clip, character, environment=given.environment)

    def said(_: Clip) -> NDArray[np.bool_]:
        return moves

    with patch.object(sys.modules["poise.methods.correct.run"], "moving_joints", said):
        return heard(
            "poise.methods.correct.recovery",
            partial(correct.run, edit, correct.settings_for(preset_of(name))),
        )


def on_robot(name: str) -> Asked:
    """A capture on a robot: the first solve of the physics stage."""
    clip = resample(clean(load_clip(MOCAP / "cmu" / f"{name}.bvh"))[0], ROBOT_HZ)
    clip = clip.sliced(0, min(clip.frame_count, round(10 * ROBOT_HZ)))
    human = complete_character(clip.skeleton)
    place = shown_place(clip, human)[0]
    return heard(
        "poise.methods.retarget.physics", partial(whole, clip, human, target(ROBOT), place)
    )


def timed(job: Callable[[], PhysicsSolution]) -> tuple[float, PhysicsSolution]:
    """Seconds of the processor."""
    seconds: list[float] = []
    while True:
        start = time.process_time()
        found = job()
        seconds.append(time.process_time() - start)
        if seconds[0] > BRIEF_S or len(seconds) == 3:
            return statistics.median(seconds), found


HEADING = (
    "| clip | frames | unknowns | steps | s | s for 10 s | promised |",
    "|---|---|---|---|---|---|---|",
)


def told(name: str, asked: Asked, promised: float) -> str:
    """A line of the table."""
    clip = asked.scene.clip
    spent, found = timed(asked.solve)
    each = spent * 10.0 * clip.rate_hz / clip.frame_count
    mark = "" if each < promised else "**"
    line = (
        f"| {name} | {clip.frame_count} | {asked.unknowns} | {found.steps:.1f} | {spent:.2f} "
        f"| {mark}{each:.2f}{mark} | {promised:g} |"
    )
    print(line, flush=True)
    return line


def again_lines() -> list[str]:
    """Solving again after a goal was moved."""
    sample = walking(2.5)
    clip, character = sample.clip.sliced(0, 300), sample_character()
    contacts = sample.contacts.sliced(0, 300)
    moves = clip.skeleton.freedoms > 0
    asked = corrected(clip, character, Environment.flat(0.0), contacts, moves)
    scene, tasks, *others = asked.given
    wrist = clip.skeleton.index("LeftHand")
    recruits = recruits_of_point(character, wrist, np.zeros(3), EVERYTHING)
    places = forward_kinematics(clip.skeleton, *asked.solve().pose).positions_m[150:162, wrist]

    def with_goal(up_m: float, start: PhysicsSolution | None) -> PhysicsSolution:
        goals = places + np.array([0.0, up_m, 0.0])
        goal = Task("hand", "point", 150, goals, recruits, joint=wrist)
        named: dict[str, Any] = asked.named | {"also": Recruits(moves, True), "start": start}
        return solve_clip(scene, [*tasks, goal], *others, **named)

    before = with_goal(0.0, None)
    lines = ["| goal moved by, cm | steps | ms | promised |", "|---|---|---|---|"]
    for up_m in MOVED_M:
        spent, found = timed(partial(with_goal, up_m, before))
        mark = "" if spent < 0.15 else "**"
        lines.append(
            f"| {100 * up_m:g} | {found.steps:.1f} | {mark}{1e3 * spent:.0f}{mark} | 150 |"
        )
        print(lines[-1], flush=True)
    return lines


def long_line() -> str:
    """A walk of 100,000 frames."""
    asked = made_walk(LONG_FRAMES)
    _forget_peak()
    before_mb, marks = _memory_mb("VmRSS"), [(time.process_time(), 0.0, 0.0)]

    def watch(share: float) -> None:
        marks.append((time.process_time(), share, _memory_mb("VmHWM")))
        print(f"{share * LONG_FRAMES:.0f} frames, {marks[-1][0] - marks[0][0]:.0f} s", flush=True)

    asked.solve(watch=watch)
    half = np.searchsorted([share for _, share, _ in marks], 0.5)
    first = (marks[half][0] - marks[0][0]) / (marks[half][1] * LONG_FRAMES)
    last = (marks[-1][0] - marks[half][0]) / ((1.0 - marks[half][1]) * LONG_FRAMES)
    return (
        f"Walk made by code, {LONG_FRAMES} frames: {marks[-1][0] - marks[0][0]:.0f} s, "
        f"{1e3 * first:.2f} ms a frame in the first half and {1e3 * last:.2f} in the second. "
        f"Most memory of the process: {before_mb:.0f} MB before the solve began (clip, contacts, "
        f"tasks), {marks[1][2]:.0f} MB in its first window, {_memory_mb('VmHWM'):.0f} MB in all."
    )


def _memory_mb(field: str) -> float:
    """What the system says of this process: resident now (VmRSS) or at most (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024.0 for line in lines if line.startswith(field))


def _forget_peak() -> None:
    """Most memory is counted from now on."""
    Path("/proc/self/clear_refs").write_text("5")


PARTS = ("made", "captures", "robot", "again")


def _lines(only: Sequence[str], captures: Sequence[str], long: bool) -> list[str]:
    made_walk(120).solve()
    lines: list[str] = list(HEADING)
    if "made" in only:
        lines.append(told("walk made by code", made_walk(1200), 5.0))
    if "captures" in only:
        for groups, promised in ((2, 5.0), (4, 12.0)):
            lines += [told(name, captured(name, groups), promised) for name in captures]
    if "robot" in only and (MOCAP.parent / TARGETS[ROBOT]).is_file():
        lines += [told(f"{name} on the {ROBOT}", on_robot(name), 1.0) for name in ROBOT_CLIPS]
    if "again" in only:
        lines += ["", *again_lines()]
    if long:
        lines += ["", long_line()]
    return lines


def main() -> int:
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        # Libraries read these when they are loaded, which they are by now.
        os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.physics_speed", *sys.argv[1:]])
    parser = argparse.ArgumentParser(prog="python -m benchmarks.physics_speed", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--captures", nargs="+", default=CAPTURES, help="such as 02_01")
    parser.add_argument("--long", action="store_true", help="100,000 frames as well")
    parser.add_argument("--write", action="store_true", help="into docs/physics.md")
    asked = parser.parse_args()
    with threadpool_limits(1):
        lines = _lines(asked.only, asked.captures, asked.long)
    print("\n" + "\n".join(lines))
    if asked.write:
        put_table("physics.md", "speed", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
