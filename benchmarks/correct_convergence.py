"""The paper's Figures 15 and 16: the motion optimizer against L-BFGS over joint angles.

Both minimise the same cost for the same walk and the same contacts, on one thread, from the same
start. L-BFGS (SciPy's) turns joints, so its bones keep their length for nothing; ours moves places
and pays for bones that stretch. Hence ours can end lower than any motion of rigid bones. That makes
three fair questions: how long each takes down to the cost that L-BFGS can reach; whether L-BFGS
reaches ours; and what is left of the lead when our places are first fitted with rigid bones.
L-BFGS runs twice: with its unknowns in metres and radians, and with each measured by the root of
its own curvature, which serves it better. Times are the thread's own, without those in which others
had the core.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.correct_angles import Poses, Tree, cost_of_angles, poses_for, tree_of
from benchmarks.correct_body import Ready, captured, ready
from benchmarks.ik import one_thread
from benchmarks.measure import Measure
from benchmarks.timing import REPEATS
from poise import rotations
from poise.arrays import Array
from poise.footing import moving_joints
from poise.mechanics import forward_kinematics, site_positions
from poise.methods.correct.alternation import Room, advance, begin, room
from poise.methods.correct.band import REACH, assemble
from poise.methods.correct.mesh import vertices_of
from poise.methods.correct.planes import planes_at
from poise.methods.correct.problem import KINDS, Planes, Problem, by_frame, packed
from tests.mechanics.reference import site_jacobians

ITERATIONS = 6000
"""Of L-BFGS: by then it gains less than a thousandth in a thousand of them."""
LEVELS = (3.0, 2.0, 1.5, 1.2, 1.1, 1.05, 1.02, 1.01)
"""Costs at which both are timed, in multiples of the least that L-BFGS finds."""
LAST = 1.01
PROMISE = 50.0
NOISE = 0.5
_CALLS = 5
_FIT_ROUNDS = 6
_DAMPING = 1e-6


@dataclass(frozen=True, eq=False)
class Walk:
    """The problem in vertices, and all that belongs to it."""

    ready: Ready
    contacts: NDArray[np.bool_]
    problem: Problem
    planes: Planes
    base: Array
    work: Room

    def solve(self, rounds: int, record: bool) -> tuple[Array, Array]:
        """Assemble, factor and alternate: the cost and the potentials after each round."""
        cost, potentials, score = np.zeros(rounds), np.zeros((rounds, len(KINDS))), np.zeros(4)
        assemble(self.problem, self.base)
        begin(self.problem, self.base, self.contacts, self.work, True)
        advance(
            self.problem, self.planes, self.contacts, self.work, 0, rounds, record, potentials,
            cost, score,
        )  # fmt: skip
        return cost, potentials

    def seconds(self, rounds: int) -> float:
        """What so many rounds take, a mean of a few calls."""
        start = time.thread_time()
        for _ in range(_CALLS):
            self.solve(rounds, False)
        return (time.thread_time() - start) / _CALLS


def walk_problem(name: str = "walking") -> Walk:
    """The walk with the detector's contacts."""
    chosen = ready(name)
    mesh, place, rate = chosen.mesh, chosen.given.environment, chosen.working.rate_hz
    reference = vertices_of(mesh, chosen.working)
    problem = packed(mesh, reference, rate, chosen.settings, chosen.rest_m)
    planes = planes_at(place, reference, mesh.contact_vertex, rate)
    base = np.empty((problem.reference.shape[1], REACH * mesh.vertex_count))
    return Walk(chosen, chosen.detected(), problem, planes, base, room(problem))


@dataclass(frozen=True, eq=False)
class Angles:
    """The same problem over joint angles."""

    walk: Walk
    tree: Tree
    poses: Poses
    problem: Problem
    """With the bones that angles can stretch: rigid ones cost nothing here."""
    work: Room
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        """(T, D)"""
        return len(self.tree.roots), self.width

    def cost(self, unknowns: Array, gradient: Array) -> float:
        """Of unknowns (T, D), whose gradient is filled."""
        walk = self.walk
        return cost_of_angles(
            self.tree, self.poses, self.problem, walk.planes, walk.contacts, self.work, unknowns,
            gradient,
        )  # fmt: skip

    def columns(self) -> list[int]:
        """The columns of a Jacobian that are unknowns."""
        starts = self.walk.ready.working.skeleton.freedom_starts
        turning = np.flatnonzero(self.tree.columns >= 0).tolist()
        return [0, 1, 2] + [int(starts[j]) + i for j in turning for i in range(3)]

    def curvatures(self) -> Array:
        """(T, D) of the cost by each unknown alone, at the reference."""
        ready, width = self.walk.ready, self.walk.ready.mesh.vertex_count
        state = forward_kinematics(ready.working.skeleton, *ready.working.pose)
        jacobians = site_jacobians(state, ready.mesh.sites)[..., self.columns()]
        frames = np.arange(self.shape[0]) * width
        blocks = np.zeros((self.shape[0], width, width))
        for v in range(width):
            blocks[:, v, v:] = self.walk.work.band[frames + v, : width - v]
            blocks[:, v:, v] = blocks[:, v, v:]
        found = np.einsum("tvkd,tvw,twkd->td", jacobians, blocks, jacobians)
        return np.maximum(found, _DAMPING)

    def fitted(self, places_m: Array) -> Array:
        """(T, D) the unknowns whose vertices are nearest to places (T, V, 3): bones made rigid."""
        ready = self.walk.ready
        clip, sites = ready.working, ready.mesh.sites
        roots, turns = clip.root_positions_m.copy(), clip.rotations_wxyz.copy()
        frames, width = self.shape
        turning = np.flatnonzero(self.tree.columns >= 0).tolist()
        for _ in range(_FIT_ROUNDS):
            state = forward_kinematics(clip.skeleton, roots, turns)
            gaps = (places_m - site_positions(state, sites)).reshape(frames, -1)
            rows = site_jacobians(state, sites)[..., self.columns()].reshape(frames, -1, width)
            square = np.einsum("tad,tae->tde", rows, rows) + _DAMPING * np.eye(width)
            step = np.linalg.solve(square, np.einsum("tad,ta->td", rows, gaps)[..., None])[..., 0]
            roots += step[:, :3]
            for j in turning:
                k = int(self.tree.columns[j])
                more = rotations.exp(step[:, k : k + 3])
                turns[:, j] = rotations.multiply(turns[:, j], more)
        found = np.zeros(self.shape)
        found[:, :3] = roots - clip.root_positions_m
        for j in turning:
            k = int(self.tree.columns[j])
            back = rotations.conjugate(clip.rotations_wxyz[:, j])
            found[:, k : k + 3] = rotations.log(rotations.multiply(back, turns[:, j]))
        return found


def angles_of(walk: Walk) -> Angles:
    """The angles of a walk that ours has been solved for: what it holds apart, they do."""
    ready = walk.ready
    tree = tree_of(ready.working, ready.mesh, moving_joints(ready.working))
    loose = ready.mesh.flexible
    problem = walk.problem._replace(
        bones=np.ascontiguousarray(walk.problem.bones[loose]),
        lengths=np.ascontiguousarray(walk.problem.lengths[:, loose]),
    )
    work = room(problem)
    work.held[:], work.apart[:] = walk.work.held, walk.work.apart
    width = 3 + 3 * int(np.count_nonzero(tree.columns >= 0))
    return Angles(walk, tree, poses_for(tree), problem, work, width)


@dataclass(frozen=True)
class Descent:
    """Best cost so far, by time."""

    seconds: Array
    costs: Array
    status: str

    def reaches(self, cost: float) -> float:
        """Seconds until a cost is reached; infinite if it never is."""
        found = np.flatnonzero(self.costs <= cost)
        return float(self.seconds[found[0]]) if len(found) else float("inf")


def minimized(angles: Angles, scale: Array, iterations: int = ITERATIONS) -> Descent:
    """SciPy's L-BFGS on unknowns divided by `scale` (T, D), until it has had enough."""
    from scipy.optimize import minimize

    gradient, factor = np.empty(angles.shape), scale.ravel()
    seconds: list[float] = []
    costs: list[float] = []

    def evaluate(y: Array) -> tuple[float, Array]:
        value = angles.cost((factor * y).reshape(angles.shape), gradient)
        seconds.append(time.thread_time() - start)
        costs.append(value)
        return value, factor * gradient.ravel()

    options = {"maxiter": iterations, "maxfun": 10 * iterations, "ftol": 0.0, "gtol": 1e-12}
    angles.work.wrenches.done[:] = False
    start = time.thread_time()
    found = minimize(
        evaluate, np.zeros(gradient.size), jac=True, method="L-BFGS-B", options=options
    )
    best = np.minimum.accumulate(costs)
    return Descent(np.array(seconds), best, str(found.message))


def run(quick: bool) -> list[Measure]:
    if not captured("walking"):
        print("\ncorrect, Figure 15: the captured walk is not here")
        return []
    with one_thread():
        walk = walk_problem()
        measures = race(walk, 1500 if quick else ITERATIONS, 1 if quick else 3)
        potentials(walk)
    return measures


def race(walk: Walk, iterations: int, repeats: int) -> list[Measure]:
    """Times down to every level, ours and both of L-BFGS."""
    final = walk.ready.settings.iterations
    ours, errors = walk.solve(final, True)
    places = by_frame(walk.work.x, walk.ready.mesh.vertex_count)
    angles = angles_of(walk)
    scales = {"L-BFGS": np.ones(angles.shape), "L-BFGS, scaled": angles.curvatures() ** -0.5}
    angles.cost(np.zeros(angles.shape), np.empty(angles.shape))
    runs = {
        name: [minimized(angles, scale, iterations) for _ in range(repeats)]
        for name, scale in scales.items()
    }
    least = min(float(d.costs[-1]) for descents in runs.values() for d in descents)
    rigid = angles.cost(angles.fitted(places), np.empty(angles.shape))
    bones = errors[-1, 0] / walk.problem.lengths.size
    print(
        f"\nmotion optimizer against L-BFGS over {angles.shape[1]} joint angles a frame, "
        f"{angles.shape[0]} frames: milliseconds to a cost (paper: Fig. 15)"
    )
    head = "".join(f"{name:>18}" for name in runs)
    print(f"{'cost, m²':30}{'rounds':>8}{'ours':>10}{head}{'times':>8}")
    measures: list[Measure] = []
    for share in LEVELS:
        at = int(np.flatnonzero(ours <= share * least)[0]) + 1
        told = f"{share * least:.5f} ({share:g} × its least)"
        ratio = _told_level(told, share * least, at, walk, runs)
        if share == LAST:
            measures.append(
                Measure("correct/walk/lbfgs", ratio, "x", "higher", NOISE, promise=PROMISE)
            )
    _told_level(f"{ours[-1]:.5f} (ours at its end)", float(ours[-1]), final, walk, runs)
    for name, descents in runs.items():
        last = descents[0]
        each_us = 1e6 * last.seconds[-1] / len(last.costs)
        print(
            f"{name}: {len(last.costs)} evaluations of {each_us:.0f} us, "
            f"least {last.costs[-1]:.5f}; {last.status}"
        )
    print(
        f"our bones are off by {1e3 * np.sqrt(bones):.2f} mm (RMS); places fitted with rigid ones "
        f"cost {rigid:.5f},"
    )
    _told_level(f"{rigid:.5f} (ours, made rigid)", rigid, final, walk, runs)
    return measures


def _told_level(
    told: str, cost: float, rounds: int, walk: Walk, runs: dict[str, list[Descent]]
) -> float:
    """Print a line; returns how many times faster than the better L-BFGS ours is."""
    ours = statistics.median(walk.seconds(rounds) for _ in range(REPEATS))
    theirs = {
        name: statistics.median(d.reaches(cost) for d in descents)
        for name, descents in runs.items()
    }
    cells = "".join(
        f"{1e3 * s:18.1f}" if np.isfinite(s) else f"{'never':>18}" for s in theirs.values()
    )
    ratio = min(theirs.values()) / ours
    print(f"{told:30}{rounds:8}{1e3 * ours:10.2f}{cells}{ratio:8.1f}")
    return ratio


def potentials(walk: Walk, rounds: Sequence[int] = (1, 2, 3, 5, 10, 20, 30, 60)) -> None:
    """Figure 16: the error of every potential after some rounds."""
    cost, found = walk.solve(max(rounds), True)
    print("\nerror of each potential by round, m² (paper: Fig. 16)")
    print(f"{'round':10}" + "".join(f"{n:>12}" for n in rounds))
    for kind, name in enumerate(KINDS):
        print(f"{name:10}" + "".join(f"{found[n - 1, kind]:12.2e}" for n in rounds))
    print(f"{'weighed':10}" + "".join(f"{cost[n - 1]:12.2e}" for n in rounds))
