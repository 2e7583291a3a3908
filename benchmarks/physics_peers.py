"""The physics solve beside others on the same problem, and how its time grows.

`python -m benchmarks.physics_peers [--only program quadratic growth] [--write]`. Three parts:

- the whole-clip problem (likeness, contacts, laws of motion; no torques, clearance, ranges or
  speeds) solved by Poise and by CasADi with IPOPT, both judged by Poise's own cost and residuals;
- its linearization at a captured walk, as one quadratic program, solved by Poise's inner method,
  PIQP, Clarabel and OSQP;
- time per frame as clips get longer and bodies get more unknowns, with everything that `correct`
  asks for.

Times are of the processor, on one thread, the median of a few runs; a machine that others use makes
them long, but all of them alike.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.page import put_table
from benchmarks.physics_peer_nlp import Peer, build_peer, solve_with_ipopt
from benchmarks.physics_peer_qp import PEERS, OwnMethod, QuadraticSolved, linearized
from poise import rotations
from poise.arrays import Array
from poise.character import Character, with_ranges
from poise.constraints import Recruits, Scene
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.footing import Movers, contact_tasks, moving_joints
from poise.ik import IkProblem, build, unsolved
from poise.job import measurable
from poise.methods import Edit, correct
from poise.methods.correct.recovery import fastest_turns_rad_s, recover
from poise.motion import Clip
from poise.physics import PhysicsSettings
from poise.physics.merit import Merit
from poise.physics.newton_euler_rows import Multipliers
from poise.physics.settings import MET_M, MET_WRENCH
from poise.physics.solve import Solved, solve
from poise.samples import Sample, sample_character, walking, with_foot_slide
from poise.solvers import Barrier, make_forces
from tests.shared_data import MOCAP

SLIDE_CM_S = 8.0
SAMPLES = ((2.0, 30.0), (2.0, 60.0))
"""Seconds and rate of the walks that IPOPT gets."""
CAPTURE = MOCAP / "cmu" / "02_01.bvh"
REPEATS = 3

LIKE_THE_PEER = 5e-3
"""Of our tolerances: what IPOPT's answers are off by."""
FINE_BARRIER = 1e-6
"""Of the last stage: with the usual 1e-4, forces keep away from their bounds, which costs."""

FRAMES, RATE_HZ = (250, 500, 1000, 2000, 4000), 120.0
MEMORY_FRAMES = (2000, 4000, 8000)

# Joints of the capture that may move, in steps of the unknowns: 36, 54, 78 and all 96.
_LEGS = tuple(f"{side}{bone}" for side in ("Left", "Right") for bone in ("UpLeg", "Leg", "Foot"))
MOVING = (
    ("Hips", "LowerBack", "Spine", "LeftToeBase", "RightToeBase", *_LEGS),
    ("Spine1", "Neck", "LeftArm", "RightArm", "LeftForeArm", "RightForeArm"),
    ("Neck1", "Head", "LeftHand", "RightHand", "LeftFingerBase", "RightFingerBase",
     "LeftShoulder", "RightShoulder"),
    ("LHipJoint", "RHipJoint", "LeftHandIndex1", "RightHandIndex1", "LThumb", "RThumb"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Case:
    """A clip with its contacts as hard tasks, and nothing else that is asked for."""

    name: str
    problem: IkProblem
    contacts: ContactSchedule
    settings: PhysicsSettings


@dataclass(frozen=True)
class Judged:
    """A motion by one yardstick."""

    cost: float
    """Likeness of poses and wrenches."""
    contacts_m: float
    wrench: float
    """What no reaction force explains, whatever the forces that a solver gives."""


def case_of(name: str, scene: Scene, contacts: ContactSchedule) -> Case:
    movers = Movers(scene.character, moving_joints(scene.clip))
    # Two points of a rolling foot are six rows of rank five, and linear programs of them have no
    # solution: here feet have a pose, and those on the tip of their toes one end of its axis.
    held, _, _ = contact_tasks(scene, contacts, None, movers, pitched=True)
    held = [task for task in held if not task.name.endswith("right end")]
    hard = [task for task in held if task.priority == 1 and task.side == 0 and not task.tied]
    problem = build(scene, hard, also=Recruits(movers.moves, True))
    likeness = replace(PhysicsSettings().likeness, range=0.0, speed=0.0)
    return Case(
        name,
        problem,
        contacts,
        PhysicsSettings(likeness=likeness, torque=0.0, clearance=0.0, looks=0),
    )


def sample_case(seconds: float, rate_hz: float) -> Case:
    sample = with_foot_slide(walking(seconds, rate_hz), SLIDE_CM_S)
    scene = Scene(sample.clip, sample_character(), Environment.flat(0.0), None)
    return case_of(f"walk made by code, {rate_hz:g} Hz", scene, sample.contacts)


def captured() -> tuple[Scene, ContactSchedule]:
    """The captured walk and the contacts that `correct` finds in it."""
    given = measurable(CAPTURE)
    character = with_ranges(given.character, given.clip.rotations_wxyz)
    found = correct.run(
        Edit(given.clip, character, environment=given.environment), correct.settings_for("walk")
    )
    return Scene(given.clip, character, given.environment, None), found.contacts


def solve_ours(case: Case, share: float = 1.0, mu: float | None = None) -> tuple[Solved, Merit]:
    """`poise.physics.solve` itself, and the merit function that it ended with.

    Args:
        case: what to solve.
        share: of the usual tolerances.
        mu: barrier of the last stage; the usual one by default.
    """
    kept: list[Merit] = []

    def keep(*given: object) -> Merit:
        kept.append(Merit(*given))  # type: ignore[arg-type]
        return kept[-1]

    module, settings = sys.modules["poise.physics.solve"], case.settings
    if mu is not None:
        *before, last = settings.stages
        settings = replace(settings, stages=(*before, replace(last, mu=mu)))
    with (
        patch.object(module, "Merit", keep),
        patch.object(module, "MET_M", share * MET_M),
        patch.object(module, "MET_WRENCH", share * MET_WRENCH),
    ):
        solved = solve(case.problem, case.contacts, settings)
    return solved, kept[-1]


def judge(case: Case, merit: Merit, roots: Array, locals_: Array) -> Judged:
    """By Poise's own merit function, in which rows count one after the other."""
    at, frames = unsolved(case.problem, None), merit.frames
    at.root_positions_m[:], at.rotations_wxyz[:] = roots, locals_
    kept = merit._price, merit._barrier, merit.multipliers

    def evaluated(rho: float, mu: float) -> float:
        caps = merit.supports.caps
        merit.multipliers = Multipliers(
            np.zeros((frames, 6)), np.zeros((frames, 6)), make_forces(caps, mu)
        )
        merit._barrier = Barrier(rho, mu, case.settings.effort)
        return merit.evaluate(at, 0, frames, slopes=False)

    try:
        merit._price = merit._price._replace(hard=0.0)
        cost = evaluated(1e-9, 1e-9)  # what is left of laws and barrier is nothing
        evaluated(1e5, 1e-6)
        left = merit.multipliers.gradient / 1e5
        left[[0, -1]] = 0.0
        left[merit.supports.believed == 0] = 0.0
        contacts = float(merit.contact_left_m(at).max(initial=0.0))
    finally:
        merit._price, merit._barrier, merit.multipliers = kept
    return Judged(cost, contacts, float(np.abs(left).max(initial=0.0)))


def cpu_s(job: Callable[[], object], repeats: int = REPEATS) -> float:
    """Median seconds of the processor, warm."""
    job()
    seconds: list[float] = []
    for _ in range(repeats):
        start = time.process_time()
        job()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


PROGRAM_HEADING = (
    "| whole clip | solved by | cost | contacts, mm | wrench, ‰ | steps | s | × |",
    "|---|---|---|---|---|---|---|---|",
)


def program_lines() -> list[str]:
    """The whole problem beside IPOPT."""
    lines = list(PROGRAM_HEADING)
    notes: list[str] = []
    for seconds, rate in SAMPLES:
        case = sample_case(seconds, rate)
        usual = partial(solve_ours, case)
        fine = partial(solve_ours, case, LIKE_THE_PEER, FINE_BARRIER)
        times = {job: cpu_s(job) for job in (usual, fine)}
        base = times[usual]
        size = f"{case.name}: {case.problem.scene.clip.frame_count} × {case.problem.width}"

        def told(
            who: str, judged: Judged, steps: float, spent: float, base: float = base,
            size: str = size,
        ) -> str:  # fmt: skip
            line = (
                f"| {size} | {who} | {judged.cost:.4f} | {1e3 * judged.contacts_m:.4f} "
                f"| {1e3 * judged.wrench:.3f} | {steps:.0f} | {spent:.3f} | {spent / base:.1f} |"
            )
            print(line, flush=True)
            return line

        solved, merit = usual()
        at = solved.at
        judged = judge(case, merit, at.root_positions_m, at.rotations_wxyz)
        lines.append(told("Poise as it is used", judged, solved.steps, base))
        finer, merit = fine()
        judged = judge(case, merit, finer.at.root_positions_m, finer.at.rotations_wxyz)
        lines.append(told("Poise, as exact as IPOPT", judged, finer.steps, times[fine]))
        peer: Peer = build_peer(case.problem, merit)
        runs = [solve_with_ipopt(peer) for _ in range(REPEATS)]
        found, spent = runs[0], statistics.median(run.solve_s for run in runs)
        judged = judge(case, merit, found.roots, found.locals)
        lines.append(told("CasADi, IPOPT", judged, found.iterations, spent))
        if found.status != "Solve_Succeeded":
            notes.append(f"IPOPT, {case.name}: {found.status}.")
        apart = np.degrees(rotations.angle_between(found.locals, finer.at.rotations_wxyz))
        notes.append(
            f"{case.name}: IPOPT's motion is {apart.max():.2f}° at most from Poise's as exact, "
            f"{apart.mean():.3f}° on average ({len(peer.start)} unknowns, {peer.forces} of them "
            f"forces; building its symbols took {peer.build_s:.1f} s, not counted)."
        )
    return [*lines, "", *notes]


QUADRATIC_HEADING = (
    "| one step, {} unknowns, {} equations | cost | worst row, of its tolerance "
    "| factorizations or iterations | s | × |",
    "|---|---|---|---|---|---|",
)


def quadratic_lines(case: Case) -> list[str]:
    """The inner problem beside solvers of quadratic programs."""
    solved, merit = solve_ours(case)
    whole = cpu_s(partial(solve_ours, case))
    peer = build_peer(case.problem, merit)
    told = linearized(peer, merit)
    own, fine = OwnMethod(told, peer, merit), OwnMethod(told, peer, merit, FINE_BARRIER)
    own.solve()
    jobs: dict[str, Callable[[], QuadraticSolved]] = {
        "Poise's method": own.solve,
        "Poise's method, as exact as the others": partial(fine.solve, LIKE_THE_PEER),
    }
    jobs |= {name: partial(job, told) for name, job in PEERS.items()}
    lines = [QUADRATIC_HEADING[0].format(len(told.q), len(told.b)), QUADRATIC_HEADING[1]]
    base = 0.0
    for name, job in jobs.items():
        try:
            runs = [job() for _ in range(REPEATS)]
        except ImportError:
            lines.append(f"| {name} | not installed | | | | |")
            continue
        found, spent = runs[0], statistics.median(run.seconds for run in runs)
        base = base or spent
        met = "solved" in found.status.lower() or found.status == "met"
        who = name if met else f"{name} ({found.status.lower().replace('_', ' ')})"
        off = told.violation_m(found.x) / MET_M
        lines.append(
            f"| {who} | {told.cost(found.x):.4f} | {off:.4f} "
            f"| {found.iterations} | {spent:.3f} | {spent / base:.1f} |"
        )
        print(lines[-1], flush=True)
    clip = case.problem.scene.clip
    note = (
        f"{case.name}, {clip.frame_count} frames × {case.problem.width}. Poise solves the whole "
        f"nonlinear problem of it in {whole:.3f} s ({solved.steps:.1f} factorizations, "
        f"{1e3 * whole / max(solved.steps, 1.0):.1f} ms each with all derivatives)."
    )
    return [*lines, "", note]


def _everything(
    clip: Clip, character: Character, place: Environment, contacts: ContactSchedule,
    moves: NDArray[np.bool_],
) -> float:  # fmt: skip
    """All that `correct` asks for once contacts are found; returns Newton steps."""
    found = recover(
        clip, character, place, contacts, moves=moves, fastest_rad_s=fastest_turns_rad_s(clip),
        physics=PhysicsSettings(),
    )  # fmt: skip
    assert found.physics is not None
    return found.physics.steps


def _sample_job(frames: int) -> Callable[[], float]:
    sample: Sample = with_foot_slide(walking(frames / RATE_HZ, RATE_HZ), SLIDE_CM_S)
    moves = moving_joints(sample.clip)
    moves[sample.clip.skeleton.index("Head")] = False  # 54 unknowns are left
    clip, contacts = sample.clip.sliced(0, frames), sample.contacts.sliced(0, frames)
    return partial(_everything, clip, sample_character(), Environment.flat(0.0), contacts, moves)


def growth_lines(scene: Scene | None, contacts: ContactSchedule | None) -> list[str]:
    """Time per frame, by frames and by unknowns."""
    lines = ["| frames at 120 Hz, 54 unknowns | s | ms a frame | steps |", "|---|---|---|---|"]
    for frames in FRAMES:
        job = _sample_job(frames)
        spent = cpu_s(job, REPEATS if frames <= 1000 else 1)
        lines.append(f"| {frames} | {spent:.2f} | {1e3 * spent / frames:.2f} | {job():.1f} |")
        print(lines[-1], flush=True)
    lines += ["", f"| unknowns, {CAPTURE.stem} | s | ms a frame | ms a frame and step | steps |",
              "|---|---|---|---|---|"]  # fmt: skip
    if scene is not None and contacts is not None:
        clip, skeleton = scene.clip, scene.clip.skeleton
        moves = np.zeros(skeleton.joint_count, dtype=np.bool_)
        for names in MOVING:
            moves[[skeleton.index(name) for name in names]] = True
            work = partial(
                _everything, clip, scene.character, scene.environment, contacts, moves.copy()
            )
            spent, steps = cpu_s(work), work()
            each = 1e3 * spent / clip.frame_count
            width = 3 + int(skeleton.freedoms[moves].sum())
            step = each / max(steps, 1.0)
            lines.append(f"| {width} | {spent:.2f} | {each:.2f} | {step:.3f} | {steps:.1f} |")
            print(lines[-1], flush=True)
    rooms = [f"{frames} frames {_room_mb(_sample_job(frames)):.0f}" for frames in MEMORY_FRAMES]
    return [*lines, "", f"Most megabytes at once, 54 unknowns: {', '.join(rooms)}."]


def _room_mb(job: Callable[[], float]) -> float:
    tracemalloc.start()
    job()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


PARTS = ("program", "quadratic", "growth")


ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""IPOPT's own linear algebra obeys nothing else, and is slower with two threads on two cores."""


def main() -> int:
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        # Libraries read these when they are loaded, which they are by now.
        os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.physics_peers", *sys.argv[1:]])
    parser = argparse.ArgumentParser(prog="python -m benchmarks.physics_peers", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--write", action="store_true", help="into docs/physics.md")
    asked = parser.parse_args()
    lines: list[str] = []
    with threadpool_limits(1):
        if "program" in asked.only:
            lines += program_lines()
        walk = captured() if CAPTURE.is_file() and asked.only != ["program"] else None
        if "quadratic" in asked.only:
            case = sample_case(*SAMPLES[-1]) if walk is None else case_of(CAPTURE.stem, *walk)
            lines += ["", *quadratic_lines(case)]
        if "growth" in asked.only:
            lines += ["", *growth_lines(*(walk or (None, None)))]
    print("\n" + "\n".join(lines))
    if asked.write:
        put_table("physics.md", "peers", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
