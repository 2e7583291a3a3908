"""Curves of a whole clip: whatever the unknowns are, they meet at flights, and smoothly."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.methods.momentum.momentum_curves import (
    CURVES,
    VERTICAL,
    CurveUnknowns,
    StageMomentum,
    curve_unknowns,
    intervals_of,
    used_columns,
)
from poise.methods.momentum.stages import Stage, StageKind
from poise.solvers.knot_fit import DEGREE, FittedSpline

FINE_HZ, COARSE_HZ = 400.0, 30.0
LAYOUTS = {"a leap": "gfg", "from the air": "fg", "into the air": "gf", "from air to air": "fgf",
           "three flights": "gfgfgfg"}  # fmt: skip
LEVEL = [c for c in range(len(CURVES)) if c != VERTICAL]


def stages_like(layout: str, rng: np.random.Generator, rate: float) -> tuple[Stage, ...]:
    """Stages of a quarter to three quarters of a second, each flight with its own gravity."""
    lengths = np.round(rng.uniform(0.25, 0.75, len(layout)) * rate).astype(int)
    edges = [0, *np.cumsum(lengths).tolist()]
    kinds: dict[str, StageKind] = {"g": "ground", "f": "flight"}
    return tuple(
        Stage(kinds[letter], a, b, float(rng.uniform(3.0, 15.0)))
        for letter, (a, b) in zip(layout, pairwise(edges), strict=True)
    )


def curves_on(
    stages: Sequence[Stage], rng: np.random.Generator, rate: float, *, alike: bool = False
) -> dict[int, StageMomentum]:
    """Splines with random knots, `alike` for all six, and random control points."""
    found: dict[int, StageMomentum] = {}
    for i, stage in enumerate(stages):
        if stage.kind == "flight":
            continue
        first, stop = intervals_of(stages, i)
        lasts, curves = (stop - first - 1) / rate, list[FittedSpline]()
        for _ in CURVES:
            gaps = np.cumsum(rng.uniform(0.5, 1.5, 5))
            inside = lasts * gaps[:-1] / gaps[-1]
            knots = np.concatenate([np.zeros(4), inside, np.full(4, lasts)])
            if alike and curves:
                knots = curves[0].knots
            curves.append(FittedSpline(knots, rng.normal(size=len(knots) - DEGREE - 1)))
        found[i] = StageMomentum(stage, first, tuple(curves), stop - first, np.zeros(6))
    return found


def made(
    layout: str, seed: int, rate: float = FINE_HZ, turn_rad: float = 0.0
) -> tuple[tuple[Stage, ...], CurveUnknowns, Array]:
    """Stages, their unknowns, and momentum for random ones of these; even stages are turned."""
    rng = np.random.default_rng(seed)
    stages = stages_like(layout, rng, rate)
    fitted = curves_on(stages, rng, rate)
    unknowns = curve_unknowns(stages, fitted, {i: turn_rad * (i + 1) for i in fitted}, rate)
    return stages, unknowns, of(unknowns, rng.normal(size=unknowns.basis.shape[2]))


def of(unknowns: CurveUnknowns, control: Array) -> Array:
    """(F − 1, 6)"""
    return unknowns.basis @ control + unknowns.constant


def run_on(values: Array) -> tuple[Array, Array]:
    """Value and slope per step, one step before four samples (4, 6) of a cubic."""
    through = np.polynomial.polynomial.polyfit(np.arange(1.0, 5.0), values, DEGREE)
    return through[0], through[1]


every_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
turned_or_not = pytest.mark.parametrize("turn_rad", [0.0, 0.7])


# Where stages meet


@every_layout
@turned_or_not
def test_curves_go_on_smoothly_into_flight(layout: str, turn_rad: float) -> None:
    stages, _, momentum = made(layout, 1, turn_rad=turn_rad)
    for ground, flight in pairwise(stages):
        if flight.kind == "flight":
            at = flight.first - 1
            assert at == ground.stop - 1
            value, slope = run_on(momentum[at - 4 : at][::-1])
            np.testing.assert_allclose(value, momentum[at], atol=1e-9)
            np.testing.assert_allclose(-slope, momentum[at + 1] - momentum[at], atol=1e-10)


@every_layout
@turned_or_not
def test_curves_go_on_smoothly_out_of_flight_but_for_the_blow(layout: str, turn_rad: float) -> None:
    stages, _, momentum = made(layout, 2, turn_rad=turn_rad)
    for ground in stages[1:]:
        if ground.kind == "ground":
            at = ground.first - 1
            value, slope = run_on(momentum[at + 1 : at + 5])
            falling = momentum[at] - momentum[at - 1]
            np.testing.assert_allclose(value, momentum[at], atol=1e-9)
            np.testing.assert_allclose(slope[LEVEL], falling[LEVEL], atol=1e-10)
            # Per second: only a landing changes how fast the body falls at once.
            assert abs(slope[VERTICAL] - falling[VERTICAL]) * FINE_HZ > 1.0


@every_layout
@turned_or_not
def test_flights_fall_and_keep_all_else(layout: str, turn_rad: float) -> None:
    stages, unknowns, momentum = made(layout, 3, turn_rad=turn_rad)
    assert set(unknowns.flights) == {i for i, s in enumerate(stages) if s.kind == "flight"}
    for i in unknowns.flights:
        stage = stages[i]
        # From the interval across its one boundary to the one across the other.
        aloft = momentum[max(stage.first - 1, 0) : min(stage.stop, len(momentum))]
        steps = np.diff(aloft, axis=0) * FINE_HZ
        np.testing.assert_allclose(steps[:, VERTICAL], -stage.gravity_m_s2, atol=1e-10)
        assert not np.diff(aloft[:, LEVEL], axis=0).any()


@every_layout
def test_the_unknowns_of_a_flight_are_its_momentum_at_the_start(layout: str) -> None:
    rng = np.random.default_rng(4)
    stages, unknowns, _ = made(layout, 4)
    control = rng.normal(size=unknowns.basis.shape[2])
    for i, at in unknowns.flights.items():
        start = of(unknowns, control)[max(stages[i].first - 1, 0)]
        np.testing.assert_array_equal(start, control[at : at + len(CURVES)])


# What the unknowns can do


@every_layout
def test_momentum_that_is_made_of_such_curves_comes_back(layout: str) -> None:
    rng, rate = np.random.default_rng(5), 120.0
    stages = stages_like(layout, rng, rate)
    fitted = curves_on(stages, rng, rate)
    wanted = np.full((stages[-1].stop - 1, 6), np.nan)
    starts = {i: rng.normal(size=6) for i, s in enumerate(stages) if s.kind == "flight"}
    for i, stage in enumerate(stages):
        if stage.kind == "flight":
            a, b = max(stage.first - 1, 0), min(stage.stop, len(wanted))
            wanted[a:b] = starts[i]
            wanted[a:b, VERTICAL] -= stage.gravity_m_s2 * np.arange(b - a) / rate
    for i, each in fitted.items():
        first, stop = intervals_of(stages, i)
        times = np.arange(stop - first) / rate
        for c, curve in enumerate(each.curves):
            control = curve.control.copy()
            if i > 0:
                control[0] = wanted[first, c]
                if c != VERTICAL:
                    control[1] = control[0]
            if i + 1 < len(stages):
                slope = -stages[i + 1].gravity_m_s2 if c == VERTICAL else 0.0
                control[-1] = starts[i + 1][c]
                control[-2] = control[-1] - slope * (curve.knots[-1] - curve.knots[-5]) / DEGREE
            mine = slice(int(i > 0), len(times) - int(i + 1 < len(stages)))
            whole = FittedSpline(curve.knots, control)
            wanted[first:stop][mine, c] = whole(times)[mine]
    unknowns = curve_unknowns(stages, fitted, {}, rate)
    size = unknowns.basis.shape[2]
    basis = unknowns.basis.reshape(-1, size)
    assert np.linalg.matrix_rank(basis) == size
    control = np.linalg.lstsq(basis, (wanted - unknowns.constant).ravel(), rcond=None)[0]
    np.testing.assert_allclose(of(unknowns, control), wanted, atol=1e-9)


@pytest.mark.parametrize("layout", ["gfg", "fgf", "gfgfgfg"])
@pytest.mark.parametrize("alike", [True, False])
def test_a_turn_of_all_stages_turns_what_happens_along_the_ground(
    layout: str, *, alike: bool
) -> None:
    rng = np.random.default_rng(6)
    stages = stages_like(layout, rng, FINE_HZ)
    fitted = curves_on(stages, rng, FINE_HZ, alike=alike)
    angle = 0.5 * np.pi
    straight = curve_unknowns(stages, fitted, {}, FINE_HZ)
    turned = curve_unknowns(stages, fitted, dict.fromkeys(fitted, angle), FINE_HZ)
    turn = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    control = rng.normal(size=straight.basis.shape[2])
    other = control.copy()
    for at in straight.flights.values():
        # Flights are told in the world's axes, ground stages in their own.
        other[at : at + 6] = rotations.rotate(turn, control[at : at + 6].reshape(2, 3)).ravel()
    wanted = rotations.rotate(turn, of(straight, control).reshape(-1, 2, 3)).reshape(-1, 6)
    np.testing.assert_allclose(of(turned, other), wanted, atol=1e-9)


def test_a_turned_stage_leaves_the_others_alone() -> None:
    rng = np.random.default_rng(7)
    stages = stages_like("gfgfg", rng, FINE_HZ)
    fitted = curves_on(stages, rng, FINE_HZ)
    control = rng.normal(size=curve_unknowns(stages, fitted, {}, FINE_HZ).basis.shape[2])
    straight = of(curve_unknowns(stages, fitted, {}, FINE_HZ), control)
    turned = of(curve_unknowns(stages, fitted, {2: 1.1}, FINE_HZ), control)
    changed = (turned != straight).any(axis=1)
    assert changed[stages[2].first : stages[2].stop - 1].all()
    changed[stages[2].first : stages[2].stop - 1] = False
    assert not changed.any()
    np.testing.assert_array_equal(turned[:, VERTICAL], straight[:, VERTICAL])


# Where what counts is


@every_layout
@turned_or_not
@pytest.mark.parametrize("rate", [COARSE_HZ, FINE_HZ])
def test_the_ranges_cover_all_that_is_not_zero(layout: str, turn_rad: float, rate: float) -> None:
    stages, unknowns, _ = made(layout, 8, rate, turn_rad)
    count, _, size = unknowns.basis.shape
    assert count == stages[-1].stop - 1
    columns, used = np.arange(size), (unknowns.basis != 0.0).any(axis=1)
    first, stop = used_columns(unknowns.basis)
    inside = (columns >= first[:, None]) & (columns < stop[:, None])
    assert not (used & ~inside).any()
    # No wider than it has to be: both ends of every range are used.
    rows = np.arange(count)
    assert used[rows, first].all() and used[rows, stop - 1].all()
    assert not (used & (rows[:, None] < unknowns.begins)).any()
    assert (np.diff(unknowns.begins) >= 0).all()
    assert ((unknowns.begins >= 0) & (unknowns.begins <= count)).all()


def test_a_stage_matters_only_while_it_lasts() -> None:
    stages, unknowns, _ = made("gfgfgfg", 9)
    first, stop = used_columns(unknowns.basis)
    assert (stop - first).max() < 0.6 * unknowns.basis.shape[2]
    # A control point begins to count once its stage has: those of the last one do so late.
    assert unknowns.begins[-1] >= stages[-1].first
