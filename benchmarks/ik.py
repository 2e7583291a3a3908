"""Inverse kinematics against mink, pink and pymomentum: same body, same targets, same residual.

21 frame tasks and a CoM task on 54 degrees of freedom. Everyone starts each frame from the answer
of the frame before and must bring every frame within 0.1 mm and 0.01 degrees of the best answer.
All on one thread.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import numpy as np

from benchmarks.ik_body import FRAMES, IkWork
from benchmarks.ik_contract import IkPeer, Solved, SteppingPeer
from benchmarks.ik_momentum import Momentum
from benchmarks.ik_ours import Ours
from benchmarks.ik_peers import Mink, Pink
from benchmarks.ik_plan import disagreement, plan
from benchmarks.ik_residual import from_best, from_targets
from benchmarks.ik_work import WORKS, without_center
from benchmarks.measure import Measure
from benchmarks.timing import interleaved

NOISE = 0.5
PROMISES = {"mink": 20.0, "pink": 20.0, "pymomentum": 1.0}
"""Our frames per second over theirs."""
ALIKE_M = {"mink": 1e-9, "pink": 1e-9, "pymomentum": 1e-5}
"""How far models may disagree; pymomentum computes in single precision."""

OUR_NAME = "ours"
OURS: Callable[[], IkPeer] | None = Ours

_PEERS: dict[str, tuple[str, Callable[[], SteppingPeer], str]] = {
    "mink": ("mink", Mink, "pip install mink"),
    "pink": ("pink", Pink, "pip install pin-pink daqp; not for Windows"),
    "pymomentum": (
        "pymomentum",
        Momentum,
        "pip install pymomentum-cpu; it has wheels for Python 3.12 and 3.13, this is "
        f"{sys.version_info.major}.{sys.version_info.minor}",
    ),
}


def run(quick: bool) -> list[Measure]:
    peers = installed()
    with one_thread():
        return [
            measure
            for make in WORKS.values()
            for measure in race(make(FRAMES // 5 if quick else FRAMES), peers)
        ]


def installed() -> dict[str, Callable[[], SteppingPeer]]:
    """The peers that are there; of the others, why not."""
    found: dict[str, Callable[[], SteppingPeer]] = {}
    for name, (module, make, how) in _PEERS.items():
        if importlib.util.find_spec(module):
            found[name] = make
        else:
            print(f"{name} left out: not installed ({how})")
    return found


def one_thread() -> AbstractContextManager[object]:
    """Keeps the peers' linear algebra on one thread, as ours is."""
    if importlib.util.find_spec("threadpoolctl"):
        from threadpoolctl import threadpool_limits

        return threadpool_limits(1)
    print("the peers' linear algebra may use several threads: pip install threadpoolctl")
    return nullcontext()


def race(work: IkWork, peers: Mapping[str, Callable[[], SteppingPeer]]) -> list[Measure]:
    """Frames per second of everyone at the same residual, and our ratio to each."""
    jobs: dict[str, Callable[[], Solved]] = {}
    contenders: dict[str, tuple[IkPeer, IkWork]] = {}
    if OURS is not None:
        ours = OURS()
        ours.prepare(work)
        contenders[OUR_NAME] = ours, work
        jobs[OUR_NAME] = partial(ours.solve, np.zeros(work.frames, dtype=np.int64))
    for name, make in peers.items():
        peer = make()
        given = work if peer.has_center else without_center(work)
        peer.prepare(given)
        apart = disagreement(peer, given)
        assert apart < ALIKE_M[name], f"{name} has another body: {apart:.1e} m or rad apart"
        contenders[name] = peer, given
        jobs[name] = partial(peer.solve, plan(peer, given))
    seconds = interleaved(jobs)
    print(f"\ninverse kinematics, '{work.name}', {work.frames} frames, one thread")
    print(
        f"{'':12}{'frames/s':>10}{'iterations/s':>14}{'a frame':>9}"
        f"{'worst frame, from the best':>30}{'from the targets':>24}{'ours':>8}"
    )
    measures: list[Measure] = []
    own = float("nan")  # for a ratio we must be there ourselves
    for name, (peer, given) in contenders.items():
        solved = jobs[name]()
        off, left = from_best(given, solved.poses), from_targets(given, solved.poses)
        rate, count = work.frames / seconds[name], float(np.mean(solved.iterations))
        row = f"{name:12}{rate:10,.0f}{rate * count:14,.0f}{count:9.2f}"
        row += f"{_words(off.worst):>30}{_words(left.worst):>24}"
        key = f"ik/{work.name}/{name}"
        measures.append(Measure(f"{key}/rate", rate, "frames/s", "higher", NOISE))
        measures.append(Measure(f"{key}/steps", rate * count, "iterations/s", "higher", NOISE))
        if name == OUR_NAME:
            own = seconds[name] if off.met else own
        elif OUR_NAME in contenders:
            ratio = seconds[name] / own
            row += f"{ratio:7.1f}x"
            measures.append(Measure(key, ratio, "x", "higher", NOISE, promise=PROMISES[name]))
        notes = [] if peer.has_center else ["no CoM task"]
        notes += [] if off.met else ["NOT within the tolerance"]
        print(row + (f"  ({', '.join(notes)})" if notes else ""))
    return measures


def _words(worst: tuple[float, float]) -> str:
    return f"{worst[0]:.2g} mm {worst[1]:.2g}°"
