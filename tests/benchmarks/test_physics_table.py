"""The table of every capture: kinds, limits and counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.physics_table import (
    AGAINST,
    CHANGES,
    DO_NO_HARM,
    HEADING,
    LIMITS,
    WITH_ENDS,
    Row,
    broken,
    captures,
    kind_of,
    line,
    reasons,
    summary,
)
from poise.measures import KINDS
from tests.shared_data import needs_mocap


def row(name: str, kind: str, **over: float) -> Row:
    """All figures at half their limits, but for some."""
    after = {key: 0.5 * limit for key, limit in {**LIMITS, **DO_NO_HARM}.items()}
    after |= {key.replace("__", "."): value for key, value in over.items()}
    return Row(
        name, kind, "walk", 100, 1.5, "converged", "Left knee needs 2 times its strength.", after,
        after, broken(after, LIMITS), broken(after, DO_NO_HARM), True,
    )  # fmt: skip


def test_limits_and_columns_are_measures() -> None:
    known = {kind.key for kind in KINDS}
    assert {*LIMITS, *DO_NO_HARM} <= known
    assert {*LIMITS, *DO_NO_HARM, WITH_ENDS} == {key for key, _, _ in (*CHANGES, *AGAINST)}


def test_every_limit_can_break() -> None:
    fine = {key: limit for key, limit in LIMITS.items()}
    assert broken(fine, LIMITS) == ()
    for key, limit in LIMITS.items():
        assert broken({**fine, key: 1.01 * limit}, LIMITS) == (key,)
    assert broken({**fine, "flight_residual.spin": float("nan")}, LIMITS) == ()


def test_the_summary_counts_by_kind_and_says_why() -> None:
    rows = [
        row("a", "walks"),
        row("b", "walks", jitter__ratio=1.5),
        row("c", "jumps", torque_excess__worst=2.0, swing_shift__mean=3.0),
    ]
    told = summary(rows)
    assert told[0] == (
        "All limits at once: 1 of 3 (33 %) captures (2 where torques beyond strength are named)."
    )
    assert "- walks: 1 of 2 (50 %)" in told and "- jumps: 0 of 1 (0 %)" in told
    assert any("swing_shift.mean` ≤ 2: 2 of the 3".replace("` ", "`) ") in each for each in told)
    why = reasons(rows)
    assert len(why) == 2 and "jerk 1.5 (limit 1)" in why[0]
    assert line(rows[1]).count("|") == HEADING[0].count("|") == HEADING[1].count("|")
    assert "**1.50**" in line(rows[1])


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("cmu/02_01.bvh", "walks"),
        ("cmu/64_01.bvh", "rest"),
        ("populations/jump_118/118_02.bvh", "jumps"),
        ("addbio_grf/hamner_subject01/hamner_subject01_run200.bvh", "runs"),
        ("addbio_grf/opencap_subject2/opencap_subject2_DJ1.bvh", "jumps"),
    ],
)
def test_kinds(path: str, kind: str) -> None:
    assert kind_of(Path(path)) == kind


@needs_mocap
def test_halves_are_halves() -> None:
    paths = captures()
    assert len(paths[0::2]) + len(paths[1::2]) == len(paths) > 100
