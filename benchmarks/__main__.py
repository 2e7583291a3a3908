"""`python -m benchmarks`: print the tables; `--json FILE`, `--gate`, `--write-baseline`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import platform
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import (
    correct,
    deform,
    filter,
    ik,
    measuring,
    mechanics,
    momentum,
    pattern,
    reaction_forces,
    retarget,
    studio,
)
from benchmarks.measure import BASELINE, Measure, gate, read_baseline, write_baseline

SUITES: dict[str, Callable[[bool], list[Measure]]] = {
    "mechanics": mechanics.run,
    "reaction_forces": reaction_forces.run,
    "measuring": measuring.run,
    "ik": ik.run,
    "deform": deform.run,
    "filter": filter.run,
    "correct": correct.run,
    "momentum": momentum.run,
    "pattern": pattern.run_suite,
    "retarget": retarget.run_suite,
    "studio": studio.run_suite,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", help=f"which of: {', '.join(SUITES)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the frames")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there as well")
    parser.add_argument("--gate", action="store_true", help="exit 1 if a ratio got worse")
    parser.add_argument("--write-baseline", action="store_true", help=f"to {BASELINE.name}")
    asked = parser.parse_args()
    unknown = [name for name in asked.suites if name not in SUITES]
    if unknown:
        parser.error(f"no suite is called {unknown[0]!r}; known: {', '.join(SUITES)}")
    print(f"{platform.machine()}, Python {platform.python_version()}")
    measures = [m for name in asked.suites or SUITES for m in SUITES[name](asked.quick)]
    if asked.json:
        figures = [dataclasses.asdict(m) for m in measures]
        asked.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if asked.write_baseline:
        write_baseline(measures)
    complaints = gate(measures, read_baseline()) if asked.gate else []
    for complaint in complaints:
        print(f"WORSE {complaint}")
    if asked.gate and not complaints:
        print(f"\ngate: {sum(m.gated for m in measures)} ratios hold")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
