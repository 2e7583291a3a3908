"""The paper's tables and studies of the correction again, with ours: Tables 2 and 3, f_max, Fig. 9,
and 100 samples against 1,000.

`python -m benchmarks.correct_studies [tables|force|weights|samples ...]`; some minutes for all.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.correct_body import MOTIONS, captured, ready
from benchmarks.correct_whole import STAGES, timed
from poise.contact import intervals
from poise.methods.correct.contact_optimizer import Discovered, discover
from poise.methods.correct.contact_states import touching
from poise.methods.correct.mesh import vertices_of
from poise.methods.correct.node_costs import node_costs
from poise.methods.correct.scoring import diversity, limited_paths

FORCES_N = (100.0, 150.0, 200.0, 300.0, 500.0, 700.0, 1000.0)
COLUMNS = (*STAGES, "all", "cpu")
WEIGHTS = ((0.8, 0.1, 0.1), (0.45, 0.45, 0.1), (0.1, 0.9, 0.0))
"""Pose, dynamics, slip: more and more for the dynamics, the last one as in Fig. 9c."""
DIVERSITIES = (15.0, 6.0)
"""Effective numbers of stretches that a sequence may have."""
TRIED = (1, 10, 100, 1000)
"""Samples; a tenth of them drawn evenly, the first with even weights."""
SEEDS = (0, 1, 2)


def found_in(name: str, **chosen: object) -> Discovered:
    """The contacts of a motion, without correcting it."""
    return discover(ready(name, **chosen).optimizer())


def strip(touches: NDArray[np.bool_]) -> str:
    """Frames in a row: # touches, . does not."""
    return "".join("#" if t else "." for t in touches)


def tables(repeats: int = 3) -> None:
    """Tables 2 and 3: seven motions, what their contacts are like and what they take."""
    print("\nTables 2 and 3: seconds on all cores (medians of warm runs); the paper's on eight")
    print(
        f"{'motion':12}{'clip':>8}{'frames':>8}{'parts':>7}{'nodes':>8}{'sequences':>11}"
        f"{'diversity':>11}{'a second':>10}"
        + "".join(f"{stage:>10}" for stage in COLUMNS)
        + f"{'| paper: frames':>18}{'diversity':>11}{'contacts':>10}{'motion':>8}"
    )
    for name in filter(captured, MOTIONS):
        motion = MOTIONS[name]
        timed(name)
        runs = [timed(name) for _ in range(repeats)]
        seconds = {s: float(np.median([r.seconds[s] for r in runs])) for s in COLUMNS}
        found = runs[-1].result.report.discovered
        assert found is not None
        frames, parts = found.contacts.shape
        rate = ready(name).working.rate_hz
        print(
            f"{name:12}{motion.clip:>8}{frames:8}{parts:7}{found.states:8}{found.solved:11}"
            f"{found.diversity:11.1f}{found.diversity * rate / frames:10.1f}"
            + "".join(f"{seconds[s]:10.2f}" for s in COLUMNS)
            + f"{motion.frames:18}{motion.diversity:11g}{motion.contacts_s:10.1f}"
            f"{motion.motion_s:8.1f}",
            flush=True,
        )


def force() -> None:
    """How long feet touch, by the largest force that a contact point can press with."""
    print("\nf_max of the walk: share of time that a foot touches, mean stance")
    print(f"{'f_max':>8}{'touching':>10}{'stance, s':>11}{'both feet':>11}{'error':>9}   left foot")
    for force_n in FORCES_N:
        found = found_in("walking", largest_force_n=force_n)
        rate = ready("walking").working.rate_hz
        toes = found.contacts[:, :2] | found.contacts[:, 2:]
        inner = [
            (b - a) / rate
            for foot in range(2)
            for a, b in intervals(toes[:, foot])
            if a > 0 and b < len(toes)
        ]
        print(
            f"{force_n:8g}{toes.mean():10.3f}{np.mean(inner):11.3f}"
            f"{toes.all(axis=1).mean():11.3f}{found.error:9.4f}   {strip(toes[:, 0])}",
            flush=True,
        )


def weights() -> None:
    """Figure 9: the cheapest sequences for constant weights."""
    given = ready("walking", candidates=("left_toe", "right_toe"))
    seen = given.detected()
    print("\nFig. 9: contacts of the walk for constant weights; right toe above, left toe below")
    print(f"\nthe detector's\n    {strip(seen[:, 1])}\n    {strip(seen[:, 0])}")
    graph = node_costs(
        given.mesh, vertices_of(given.mesh, given.working), given.working.rate_hz,
        given.given.environment, given.settings, given.rest_m,
    )  # fmt: skip
    for share in WEIGHTS:
        constant = np.tile(np.array(share), (1, graph.layers.layer_count, 1))
        for most in DIVERSITIES:
            states = limited_paths(graph.layers, graph.costs, constant, most).states[0]
            toes = touching(states, 2)
            print(
                f"  pose {share[0]:g}, dynamics {share[1]:g}, slip {share[2]:g}; diversity "
                f"{diversity(states):.1f} (limit {most:g}), touching {toes.mean():.2f}\n"
                f"    {strip(toes[:, 1])}\n    {strip(toes[:, 0])}"
            )


def samples() -> None:
    """The least error of so many samples in all, for three seeds, and how contacts still change."""
    print("\nsamples: least error of so many (share of contacts that is not the last column's)")
    print(f"{'motion':14}{'seed':>5}" + "".join(f"{n:>16,}" for n in TRIED) + f"{'solved':>10}")
    for name in filter(captured, ("walking", "running", "standing up", "cartwheel")):
        for seed in SEEDS:
            found = [found_in(name, samples=count, seed=seed) for count in TRIED]
            last = found[-1].contacts
            cells = [f"{f.error:8.4f} ({np.mean(f.contacts != last):.3f})" for f in found]
            told = "".join(f"{cell:>16}" for cell in cells)
            print(f"{name:14}{seed:5}{told}{found[-1].solved:10}", flush=True)


STUDIES: dict[str, Callable[[], None]] = {
    "tables": tables,
    "force": force,
    "weights": weights,
    "samples": samples,
}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.correct_studies", description=__doc__
    )
    parser.add_argument("studies", nargs="*", help=f"which of: {', '.join(STUDIES)} (default: all)")
    asked = parser.parse_args()
    for name in asked.studies or STUDIES:
        if name not in STUDIES:
            parser.error(f"no study is called {name!r}; known: {', '.join(STUDIES)}")
        STUDIES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
