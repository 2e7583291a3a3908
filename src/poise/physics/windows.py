"""The physics solve for clips of any length: windows that overlap and agree.

What a motion answers for in one moment is forgotten a second or two later, so two windows that
overlap by more agree in the middle of the overlap, where one is left for the next. Memory is that
of one window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from poise import rotations
from poise.arrays import Array
from poise.constraints import Recruits, Scene, Task
from poise.contact import ContactSchedule
from poise.ik import IkSolution, build, widened
from poise.mechanics import forward_kinematics
from poise.motion import Clip, peak_accelerations_rad_s2
from poise.physics.clearance_rows import NO_FLESH, Flesh
from poise.physics.merit import Held
from poise.physics.self_clearance_rows import Clearing
from poise.physics.settings import LAWLESS, LAWLESS_S, Asked, PhysicsSettings
from poise.physics.solve import solve

WINDOW_S = 20.0
OVERLAP_S = 4.0


@dataclass(frozen=True, eq=False)
class PhysicsSolution:
    """A motion that obeys the body and the ground, and what it still owes."""

    root_positions_m: Array
    """(F, 3)"""
    rotations_wxyz: Array
    """(F, J, 4)"""
    missed_m: dict[str, float]
    """How far each hard task is missed at worst, by `kind: name`."""
    wrench_left: Array
    """(F, 6) what no reaction force explains: body weights, body weight × stature."""
    forces_n: Array
    """(F, 3) what the ground does in all."""
    steps: float
    """Newton steps: frames of all factorizations over those of the clip."""
    rate_hz: float
    held: Held | None = None
    """What another solve goes on with; None of clips longer than a window."""

    @property
    def pose(self) -> tuple[Array, Array]:
        """Roots and rotations."""
        return self.root_positions_m, self.rotations_wxyz

    @property
    def lawless(self) -> NDArray[np.bool_]:
        """(F,) frames around which the laws of motion are not kept.

        On average over `LAWLESS_S`: a jolt of one frame at 120 Hz moves nobody.
        """
        count = max(1, round(LAWLESS_S * self.rate_hz))
        if len(self.wrench_left) == 0:
            return np.zeros(0, dtype=np.bool_)
        mean = uniform_filter1d(self.wrench_left, count, axis=0, mode="nearest")
        return np.abs(mean).max(axis=1) > LAWLESS


def solve_clip(
    scene: Scene,
    tasks: Sequence[Task],
    schedule: ContactSchedule,
    settings: PhysicsSettings | None = None,
    *,
    also: Recruits | None = None,
    fastest_rad_s: Array | None = None,
    slack_rad: Array | None = None,
    asked: Asked | None = None,
    flesh: Flesh = NO_FLESH,
    limbs: Clearing | None = None,
    usual: Array | None = None,
    mobility: Mapping[int, float] | None = None,
    start: PhysicsSolution | None = None,
    window_s: float = WINDOW_S,
    overlap_s: float = OVERLAP_S,
    watch: Callable[[float], None] | None = None,
) -> PhysicsSolution:
    """The motion nearest to the scene's clip that meets tasks, contacts and the laws of motion.

    Joints keep to their ranges, or to how far the clip itself goes beyond them.

    Args:
        scene: the motion to stay close to, whose it is and where.
        tasks: what should hold; priority 1 must, others are wishes.
        schedule: what touches, and so can carry the body, when.
        settings: the knobs.
        also: joints that may turn though no task recruits them.
        fastest_rad_s: (J,) how fast each joint may turn; as fast as it likes by default.
        slack_rad: (J,) how far joints may go beyond their ranges.
        asked: frames in which the laws of motion and strength are asked for; all by default.
        flesh: further points that stay out of the surroundings.
        limbs: that stay out of each other; none by default.
        usual: (F, 6) the wrench to stay close to, in body weights and body weight × stature, moment
            about the centre of mass; that of the clip by default.
        mobility: how far joints may be displaced against others (1 by default), by index; -1 is the
            root's translation.
        start: a solution of the same clip to go on from: what has changed since is solved for, in
            clips of one window only around it.
        window_s: how long a window is; shorter clips are solved as a whole.
        overlap_s: how long neighbours overlap.
        watch: told the share of the clip that is solved.
    """
    settings = settings or PhysicsSettings()
    clip = scene.clip
    frames, rate = clip.frame_count, clip.rate_hz
    length, overlap = max(3, round(window_s * rate)), max(1, round(overlap_s * rate))
    roots, turns = clip.root_positions_m.copy(), clip.rotations_wxyz.copy()
    left, forces = np.zeros((frames, 6)), np.zeros((frames, 3))
    missed: dict[str, float] = {}
    ranges: dict[bytes, tuple[Array, Array]] = {}
    first, steps = 0, 0.0
    peaks = _peaks_rad_s2(clip)
    while True:
        stop = frames if frames - first <= length + overlap else first + length
        part = replace(scene, clip=clip.sliced(first, stop))
        inside = [cut for task in tasks for cut in _cut(task, first, stop)]
        if first > 0:
            inside += _seams(scene, tasks, first + overlap // 2 - 1, first, roots, turns)
        problem = build(part, inside, also=also)
        # Ranges look at the whole clip: once for the joints that have any.
        limited = problem.blocks.joint[problem.limits.block].tobytes()
        if limited not in ranges:
            wide = widened(problem.limits, problem.blocks, clip.rotations_wxyz, slack_rad)
            ranges[limited] = wide.low, wide.high
        low, high = ranges[limited]
        problem = replace(problem, limits=problem.limits._replace(low=low, high=high))
        found = solve(
            problem, schedule.sliced(first, stop), settings,
            fastest_rad_s=fastest_rad_s, flesh=flesh, limbs=limbs, peaks_rad_s2=peaks,
            asked=None if asked is None else asked.sliced(first, stop),
            usual=None if usual is None else usual[first:stop], mobility=mobility,
            start=None if start is None else _begun(start.pose, first, stop, len(problem.tasks)),
            held=None if start is None or stop - first < frames else start.held,
        )  # fmt: skip
        # Up to the middle of the overlap the window before knows better.
        kept = first if first == 0 else first + overlap // 2
        roots[kept:stop] = found.at.root_positions_m[kept - first :]
        turns[kept:stop] = found.at.rotations_wxyz[kept - first :]
        joined = slice(max(kept - 1, 0), stop)
        turns[joined] = rotations.continuous(turns[joined])
        left[kept:stop] = found.wrench_left[kept - first :]
        forces[kept:stop] = found.forces_n[kept - first :]
        steps += found.steps * (stop - first) / frames
        for n, task in enumerate(problem.tasks):
            if task.side == 0 and task.priority == 1:
                miss = float(np.nanmax(found.at.misses[:, n], initial=0.0))
                key = f"{task.kind}: {task.name}"
                missed[key] = max(miss, missed.get(key, 0.0))
        if watch is not None:
            watch(stop / frames)
        if stop == frames:
            held = found.held if stop - first == frames else None
            return PhysicsSolution(roots, turns, missed, left, forces, steps, rate, held)
        first = stop - overlap


def _peaks_rad_s2(clip: Clip) -> Array:
    """(J,) largest accelerations, looked for in pieces: derivatives take ten times the clip."""
    length, overlap = round(WINDOW_S * clip.rate_hz), round(OVERLAP_S * clip.rate_hz)
    starts = range(0, max(clip.frame_count - overlap, 1), max(length, 1))
    pieces = (clip.sliced(a, min(a + length + overlap, clip.frame_count)) for a in starts)
    return np.max([peak_accelerations_rad_s2(piece) for piece in pieces], axis=0)


def _cut(task: Task, first: int, stop: int) -> list[Task]:
    """A task as a window sees it."""
    a, b = max(task.first, first), min(task.last + 1, stop)
    if a >= b:
        return []
    if first == 0 and b == task.last + 1:
        return [task]
    goals = task.goals[a - task.first : b - task.first]
    return [replace(task, first=a - first, goals=goals)]


def _seams(
    scene: Scene, tasks: Sequence[Task], frame: int, first: int, roots: Array, turns: Array
) -> list[Task]:
    """Tied points go on from where the window before has them in the last frame that it keeps."""
    tied = [task for task in tasks if task.tied and task.first <= frame < task.last]
    if not tied:
        return []
    state = forward_kinematics(
        scene.clip.skeleton, roots[frame : frame + 1], turns[frame : frame + 1]
    )
    return [
        replace(
            task, name=f"{task.name} (goes on)", tied=False, first=frame - first,
            goals=state.positions_m[:, task.joint]
            + rotations.rotate(state.rotations_wxyz[:, task.joint], task.offset_m),
        )
        for task in tied
    ]  # fmt: skip


def _begun(start: tuple[Array, Array], first: int, stop: int, tasks: int) -> IkSolution:
    """Roots and rotations as the beginning of a solve of so many tasks."""
    roots, turns = start[0][first:stop], start[1][first:stop]
    frames = stop - first
    return IkSolution(
        roots.copy(), turns.copy(), np.full((frames, tasks), np.nan),
        np.zeros(frames, dtype=np.int64), np.zeros(frames, dtype=np.int64),
    )  # fmt: skip
