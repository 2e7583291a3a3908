"""Compiled kernels and their cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import poise

SCRIPT = """
import numpy as np
from poise.character import Sites, Skeleton
from poise.mechanics import forward_kinematics, site_positions
from poise.mechanics import kinematics
skeleton = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)))
state = forward_kinematics(skeleton, [0.0, 0, 0], [[1.0, 0, 0, 0]])
place = site_positions(state, Sites(("s",), np.array([0]), np.array([[1.0, 2.0, 3.0]])))
print(place.ravel().tolist(), sum(kinematics._sites.stats.cache_hits.values()))
"""


def run(source: Path, cache: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(source), "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.slow
def test_a_change_in_an_inlined_helper_recompiles_its_callers(tmp_path: Path) -> None:
    source, cache = tmp_path / "src", tmp_path / "cache"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(poise.__file__).parent, source / "poise", ignore=ignore)
    assert run(source, cache) == "[1.0, 2.0, 3.0] 0"
    assert run(source, cache) == "[1.0, 2.0, 3.0] 1"
    helpers = source / "poise" / "mechanics" / "quaternion_kernels.py"
    text = helpers.read_text(encoding="utf-8")
    changed = text.replace(
        "vx + w * tx + y * tz - z * ty,", "vx + w * tx + y * tz - z * ty + 10.0,"
    )
    assert changed != text
    helpers.write_text(changed, encoding="utf-8")
    assert run(source, cache) == "[11.0, 2.0, 3.0] 0"
