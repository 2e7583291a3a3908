"""Reaction forces of whole clips, and the solver behind them against SciPy's nnls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import nnls

from benchmarks.measure import Measure
from benchmarks.timing import interleaved
from poise.arrays import Array
from poise.character import complete_character
from poise.contact import (
    UNLIMITED,
    ClipDynamics,
    TouchingPoints,
    clip_dynamics,
    detect_contacts,
    reaction_forces,
    support_area,
    touching_points,
)
from poise.environment import Environment
from poise.samples import walk
from poise.solvers.cone_least_squares import ConeSettings, cone_least_squares

FRAMES = 1_000
GROWTH = (1_000, 10_000, 100_000)
NOISE = 0.5
PROMISE = 10.0
"""Warm, on one core, against nnls on the same problems: SciPy took 98 µs where we take 1 to 3."""
FRICTION = 0.8
WEIGHT = 1e-4


def run(quick: bool) -> list[Measure]:
    dynamics, points = walking()
    measures = against_nnls(dynamics, points)
    return measures + growth(dynamics, points, quick)


def walking() -> tuple[ClipDynamics, TouchingPoints]:
    """A figure of our own that walks: ten points on two soles, one to nine of them touching."""
    clip = walk(FRAMES / 120.0, 120.0).sliced(0, FRAMES)
    character = complete_character(clip.skeleton, mass_kg=75.0)
    dynamics = clip_dynamics(clip, character)
    contacts = detect_contacts(clip, character, Environment.flat())
    points = touching_points(dynamics.state, character, contacts, Environment.flat())
    return dynamics, points


def against_nnls(dynamics: ClipDynamics, points: TouchingPoints) -> list[Measure]:
    """The same problems for both: a four-sided cone, no ceiling, no torque, a small weight."""
    unit, length = dynamics.weight_n, dynamics.length_m
    used = points.touching.any(axis=0)
    places, normals = points.places_m[:, used], points.normals[:, used]
    grip = points.touching[:, used].astype(float)
    settings = ConeSettings(cone="four_sided", friction=FRICTION, force_weight=WEIGHT)
    wanted = dynamics.com_m, dynamics.outer_force_n, dynamics.outer_moment_nm

    def solve(*arrays: Array) -> Any:
        return cone_least_squares(*arrays, settings, force_scale_n=unit, length_scale_m=length)

    warm = (places, normals, grip, *wanted)
    cold = tuple(np.repeat(a, 2, axis=0) for a in warm)
    cold[2][1::2] = 0.0  # after a frame in the air the solver starts afresh
    problems = [_matrices(dynamics, places[f], normals[f], grip[f], f) for f in range(FRAMES)]
    ours = solve(*warm)
    theirs = [nnls(a, b, maxiter=1000)[0] for a, b in problems]
    left = np.array([b[:3] - a[:3] @ x for (a, b), x in zip(problems, theirs, strict=True)])
    apart = float(np.abs(ours.missing_force_n / unit - left).max())
    jobs: dict[str, Callable[[], Any]] = {
        "ours, warm": lambda: solve(*warm),
        "ours, cold": lambda: solve(*cold),
        "scipy nnls": lambda: [nnls(a, b, maxiter=1000) for a, b in problems],
        "ours, all of Eq. 13": lambda: reaction_forces(dynamics, points),
        "ours, root wrench": lambda: reaction_forces(dynamics, points, UNLIMITED),
        "support area": lambda: support_area(points.places_m, points.touching),
    }
    micro = {name: 1e6 * s / FRAMES for name, s in interleaved(jobs).items()}
    print(f"\nreaction forces, {FRAMES} frames of walking: microseconds a frame, one core")
    print(f"(answers of nnls and ours apart by {apart:.1e} body weights)")
    measures: list[Measure] = []
    for name, value in micro.items():
        ratio = (
            f" ({micro['scipy nnls'] / value:.0f}x nnls)" if name[-4:] in ("warm", "cold") else ""
        )
        print(f"{name:22}{value:10.2f}{ratio}")
        key = f"reaction_forces/{name.replace(', ', '/').replace(' ', '_')}"
        measures.append(Measure(f"{key}/time", value, "us", "lower", NOISE))
    for start in ("warm", "cold"):
        times = micro["scipy nnls"] / micro[f"ours, {start}"]
        key = f"reaction_forces/ours/{start}"
        promise = PROMISE if start == "warm" else None
        measures.append(Measure(key, times, "x", "higher", NOISE, promise=promise))
    return measures


def _matrices(
    dynamics: ClipDynamics, places: Array, normals: Array, grip: Array, f: int
) -> tuple[Array, Array]:
    """One frame's problem for nnls, on level ground: [A; √w I] β ≈ [b; 0], in body weights."""
    unit, length = dynamics.weight_n, dynamics.length_m
    columns: list[Array] = [np.zeros(6)]
    for place, normal in zip(places[grip > 0], normals[grip > 0], strict=True):
        arm = (place - dynamics.com_m[f]) / length
        for tangent in ([1.0, 0, 0], [-1.0, 0, 0], [0, 0, 1.0], [0, 0, -1.0]):
            edge = normal + FRICTION * np.array(tangent)
            columns.append(np.concatenate([edge, np.cross(arm, edge)]))
    a = np.array(columns).T
    moment = dynamics.outer_moment_nm[f] / (unit * length)
    b = np.concatenate([dynamics.outer_force_n[f] / unit, moment])
    count = a.shape[1]
    return np.vstack([a, WEIGHT**0.5 * np.eye(count)]), np.concatenate([b, np.zeros(count)])


def growth(dynamics: ClipDynamics, points: TouchingPoints, quick: bool) -> list[Measure]:
    """What a longer clip costs."""
    print("\nreaction forces of longer clips: milliseconds")
    measures: list[Measure] = []
    for frames in GROWTH[: 1 if quick else None]:
        rows = np.arange(frames) % FRAMES
        longer = replace(
            dynamics,
            com_m=dynamics.com_m[rows],
            outer_force_n=dynamics.outer_force_n[rows],
            outer_moment_nm=dynamics.outer_moment_nm[rows],
        )
        where = replace(
            points,
            places_m=points.places_m[rows],
            normals=points.normals[rows],
            grip=points.grip[rows],
        )
        seconds = interleaved({"job": lambda d=longer, p=where: reaction_forces(d, p)}, 3)["job"]
        print(f"F = {frames:<10,}{1e3 * seconds:10.1f}")
        key = f"reaction_forces/F={frames}/time"
        measures.append(Measure(key, 1e3 * seconds, "ms", "lower", NOISE))
    return measures
