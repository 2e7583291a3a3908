"""Calls every mechanics kernel once and says how long each took; run in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np


def timed(name: str, call: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    result = call()
    print(f"{name} {time.perf_counter() - start:.2f}")
    return result


def imported() -> Any:
    from poise import mechanics

    return mechanics


def main() -> None:
    mechanics = timed("import", imported)
    from benchmarks.workloads import human

    work = human(2)
    rates = (work.omega, work.root_a, work.alpha)
    skeleton, body, sites = work.skeleton, work.body, work.sites
    state = timed(
        "forward kinematics",
        lambda: mechanics.forward_kinematics(skeleton, work.root_m, work.local),
    )
    timed(
        "inverse dynamics",
        lambda: mechanics.inverse_dynamics(skeleton, body, work.local, *rates),
    )
    push = np.zeros((2, len(sites), 3))
    wrenches = timed("site positions", lambda: mechanics.point_forces(state, sites, push))
    timed(
        "wrenches",
        lambda: mechanics.inverse_dynamics(skeleton, body, work.local, *rates, wrenches=wrenches),
    )
    timed("center of mass", lambda: mechanics.center_of_mass(state, body))
    timed("momentum", lambda: mechanics.momentum(state, body, work.root_v, work.omega))
    timed("momentum matrix", lambda: mechanics.momentum_matrix(state, body))


if __name__ == "__main__":
    main()
