"""The same bits whatever number of threads the linear algebra library has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from poise.samples.balancing import solved_line, solved_ring

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

# Over 10,000 unknowns: a library shares only sums that are as long among its threads.
LEAP = """
import hashlib
from poise.constraints import MoveStage
from poise.environment import Environment
from poise.methods import Edit
from poise.methods.momentum import FamilyAxis, Settings, build_family, run
from poise.samples import SAMPLES, sample_character

def bits(*arrays):
    return hashlib.sha256(b"".join(each.tobytes() for each in arrays)).hexdigest()

sample = SAMPLES["jump"]().clip
print("sample", bits(sample.root_positions_m, sample.rotations_wxyz))
clip = sample.sliced(60, 260)
place = Environment.flat()
further = (MoveStage("further", -1, (0.0, 0.0, 0.1), 0.0),)
settings = Settings(iterations=3, knots_per_s=24)
leap = run(Edit(clip, sample_character(), further, place), settings).clip
print("leap", bits(leap.root_positions_m, leap.rotations_wxyz))
axis = FamilyAxis("far", stage=-1, values=(0.0, 0.05), by_m=(0.0, 0.0, 1.0))
settings = Settings(iterations=2, knots_per_s=24, family=(axis,))
family = build_family(Edit(clip, sample_character(), (), place), settings)
print("family", bits(family.roots_m, family.rotations_wxyz))
"""


def test_a_leap_and_a_family_are_the_same_with_one_and_two_threads() -> None:
    said = []
    for threads in ("1", "2"):
        given = {**os.environ, **dict.fromkeys(VARIABLES, threads)}
        done = subprocess.run(
            [sys.executable, "-c", LEAP], cwd=ROOT, env=given, capture_output=True, text=True,
            timeout=1200, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.splitlines())
    assert [line.split()[0] for line in said[0]] == ["sample", "leap", "family"]
    assert said[0] == said[1]


@pytest.mark.parametrize("nodes", [3, 50, 600])
def test_lines_and_rings_are_solved_as_their_matrices_are(nodes: int) -> None:
    rng = np.random.default_rng(12345)
    beside = rng.uniform(0.5, 2.0, nodes) * 1e4
    middle = rng.uniform(0.1, 3.0, nodes) * 10.0 + 2.0 * beside
    right = rng.normal(size=(nodes, 2))
    matrix, rows = np.diag(middle), np.arange(nodes)
    matrix[rows, (rows + 1) % nodes] -= beside
    matrix[rows, (rows - 1) % nodes] -= beside
    expected = np.linalg.solve(matrix, right)
    close = 1e-11 * np.abs(expected).max()
    np.testing.assert_allclose(solved_ring(middle, beside, right), expected, rtol=0, atol=close)
    matrix[0, -1] = matrix[-1, 0] = 0.0
    expected = np.linalg.solve(matrix, right)
    np.testing.assert_allclose(solved_line(middle, beside, right), expected, rtol=0, atol=close)
