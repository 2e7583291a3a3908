"""The kernels are compiled without bounds checks: here they run once with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBLEMS = """
import numpy as np
from poise.character import with_ranges
from poise.constraints import (
    HoldPoint, Interval, KeepDistance, LookAt, Orient, PlaceCenterOfMass, Plant, Recruit,
)
from poise.methods import Edit, deform
from poise.samples import sample_character, walking

clip, person = walking(seconds=1.2, rate_hz=30.0).clip, sample_character()
always, part = Interval(0, clip.frame_count - 1), Interval(5, 30, 8, 8)
feet = [Plant(s, f"{s}_foot", always, "follow") for s in ("left", "right")]
near = HoldPoint("hand", "left_wrist", (0.1, 0.2, 0.2), part, "offset", priority=2)
far = HoldPoint("far", "right_wrist", (0.5, 0.9, 0.9), part, "offset", priority=4)
rest = [
    PlaceCenterOfMass("balance", always, priority=3),
    LookAt("gaze", "head", (2.0, 1.0, -3.0), part, priority=5),
    Orient("turn", "left_wrist", (0.9, 0.1, 0.4, 0.0), part, "offset", priority=6),
    KeepDistance("apart", "left_elbow", "right_elbow", part, 0.3, priority=7),
]
crowd = [
    HoldPoint(n, n, (0.01, 0.02, 0.0), part, "offset") for n in person.skeleton.joint_names
]
alone = [HoldPoint("alone", "left_wrist", (0.1, 0.9, 0.9), part, "offset",
                   recruit=Recruit(up_to="left_collar"))]
problems = {
    "nothing": [], "feet": feet, "layers": [*feet, near, far, *rest], "an arm": alone,
    "crowd": crowd, "crowd and more": [*crowd, far],
    "crowd with a centre": [*crowd, PlaceCenterOfMass("center", always)],
}
for name, constraints in problems.items():
    for who in (person, with_ranges(person)):
        first = deform.run(Edit(clip, who, constraints))
        assert np.isfinite(first.clip.rotations_wxyz).all(), name
        deform.run(Edit(clip, who, constraints[:-1]), previous=first)
        deform.run(Edit(clip, who, constraints), deform.Settings(strategy="weights"))
print("all problems solved")
"""


@pytest.mark.slow
def test_no_kernel_writes_or_reads_beyond_its_arrays(tmp_path: Path) -> None:
    """In a process and with compiled kernels of its own, as the checks are compiled in."""
    environment = os.environ | {
        "NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "NUMBA_CACHE_DIR": str(tmp_path)
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", PROBLEMS],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "all problems solved" in done.stdout
