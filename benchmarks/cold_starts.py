"""The first use of every command with no kernel compiled yet, beside the second.

    python -m benchmarks.cold_starts [--write] [--python PYTHON] [--cores N]

Each command runs twice on small made clips, first with no kernels kept. `--python` is the one of an
environment to look at, such as one that a wheel was installed into; `--write` puts the table into
docs/installation.md.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.kernel_list import JOBS, MADE, ROBOT
from benchmarks.page import put_table


class Run(NamedTuple):
    """What one command cost."""

    wall_s: float
    processor_s: float
    kernels: int
    """Compiled and kept."""


def run(python: str, command: tuple[str, ...], folder: Path, kernels: Path, cores: int) -> Run:
    """Run a command and all that it starts."""
    before = len(list(kernels.glob("*.nbc")))
    used, start = _children_s(), time.perf_counter()
    done = subprocess.run(
        [python, "-P", "-m", "poise", *command], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(kernels), "POISE_CORES": str(cores)}, check=False,
    )  # fmt: skip
    wall_s = time.perf_counter() - start
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return Run(wall_s, _children_s() - used, len(list(kernels.glob("*.nbc"))) - before)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--mark", default="cold starts", help="of the table in the page")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    lines = [
        "| command | first use, s | of the processor | kernels compiled | second use, s |",
        "|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        for made in MADE:
            run(asked.python, ("sample", *made, "--overwrite"), folder, folder / "all", asked.cores)
        for number, job in enumerate(JOBS):
            kernels = folder / f"kernels_{number}"
            kernels.mkdir()
            cold = run(asked.python, job, folder, kernels, asked.cores)
            again = tuple("again_" + part if part in _outputs(job) else part for part in job)
            warm = run(asked.python, again, folder, kernels, asked.cores)
            name = " ".join(["robot" if part == str(ROBOT) else part for part in job])
            lines.append(
                f"| `{name}` | {cold.wall_s:.1f} | {cold.processor_s:.1f} | {cold.kernels} "
                f"| {warm.wall_s:.1f} |"
            )
            print(lines[-1], flush=True)
    if asked.write:
        put_table("installation.md", asked.mark, lines)


def _outputs(job: tuple[str, ...]) -> set[str]:
    """The files that a job writes."""
    named = {job[i + 1] for i, part in enumerate(job) if part in ("-o", "--report", "--robot")}
    return named | ({job[2]} if job[0] == "convert" else set())


if __name__ == "__main__":
    main()
