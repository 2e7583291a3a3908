"""Contacts against force plates: all evidence at once beside the plain detector.

`python -m benchmarks.contacts_plates [--write] [--trials] [--ablate] [--leave-one-out]`: the
captures as they are, with white noise (the whole figure shakes, or every joint on its own), at
30 Hz, and both. Means are over trials, feet and seeds; times of events are mean absolute errors.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from benchmarks.contacts_agreement import Row, rows_of, summary
from benchmarks.page import put_table
from poise import rotations
from poise.contact import ContactSchedule, detect_contacts
from poise.contact import find_contacts as find_by_evidence
from poise.environment import Environment
from tests.contact.force_plates import FEET, Trial, spoiled, trial, trial_paths

SEEDS = (1, 2, 3)
BONE_M = 0.4
"""A joint off by the noise turns a bone of this length by as much at its far end."""
Way = Callable[[Trial], ContactSchedule]


@dataclass(frozen=True)
class Case:
    """What is done to every trial."""

    name: str
    noise_m: float = 0.0
    joints: bool = False
    """Whether each joint is noisy on its own; else the whole figure shakes."""
    rate_hz: float | None = None

    @property
    def seeds(self) -> tuple[int, ...]:
        return SEEDS if self.noise_m > 0.0 else (0,)


CASES = (
    Case("as captured"),
    Case("5 mm", 0.005),
    Case("10 mm", 0.010),
    Case("15 mm", 0.015),
    Case("5 mm, each joint", 0.005, joints=True),
    Case("10 mm, each joint", 0.010, joints=True),
    Case("15 mm, each joint", 0.015, joints=True),
    Case("30 Hz", rate_hz=30.0),
    Case("15 mm, 30 Hz", 0.015, rate_hz=30.0),
)
HEADING = (
    "| trials | mean F1: detector, evidence | lowest | onset, ms | offset, ms |",
    "|---|---|---|---|---|",
)


@cache
def trials(case: Case) -> tuple[Trial, ...]:
    """All trials, spoiled as the case says, once a seed."""
    return tuple(_spoiled(trial(path), case, seed) for seed in case.seeds for path in trial_paths())


def _spoiled(given: Trial, case: Case, seed: int) -> Trial:
    if case.rate_hz is not None:
        given = spoiled(given, rate_hz=case.rate_hz)
    if case.noise_m == 0.0:
        return given
    rng, clip = np.random.default_rng(seed), given.clip
    roots = clip.root_positions_m
    roots = roots + case.noise_m * rng.normal(0.0, 1.0, roots.shape)
    q = clip.rotations_wxyz
    if case.joints:
        turns = rng.normal(0.0, 1.0, (*q.shape[:2], 3)) * (case.noise_m / BONE_M)
        q = rotations.multiply(q, rotations.exp(turns))
    clip = replace(clip, root_positions_m=roots, rotations_wxyz=q, source=None)
    return replace(given, clip=clip)


def by_detector(given: Trial) -> ContactSchedule:
    return detect_contacts(given.clip, given.character, given.environment, FEET)


def by_evidence(given: Trial) -> ContactSchedule:
    """Any part may touch; over ground the floor is at zero, as it is in a laboratory."""
    place = given.environment or Environment.flat()
    return find_by_evidence(given.clip, given.character, place).schedule


def rows(way: Way, case: Case, only: Callable[[Trial], bool] = lambda _: True) -> list[Row]:
    found: list[Row] = []
    for given in filter(only, trials(case)):
        found += rows_of(given.name, way(given), given.truth, given.valid, FEET)
    return found


def line(case: Case, detector: Sequence[Row], evidence: Sequence[Row]) -> str:
    a, b = summary(detector), summary(evidence)
    return (
        f"| {case.name} | {a.mean:.4f}, {b.mean:.4f} | {a.lowest:.3f}, {b.lowest:.3f} "
        f"| {a.onset_ms:.1f}, {b.onset_ms:.1f} | {a.offset_ms:.1f}, {b.offset_ms:.1f} |"
    )


TRIAL_HEADING = (
    "| trial | foot | F1: detector, evidence | onset, ms late | offset, ms late |",
    "|---|---|---|---|---|",
)


def trial_lines(detector: Sequence[Row], evidence: Sequence[Row]) -> list[str]:
    """One line a foot, means over seeds."""
    lines: list[str] = []
    for name, part in dict.fromkeys((row.clip, row.part) for row in evidence):
        a, b = (
            summary([row for row in rows if (row.clip, row.part) == (name, part)])
            for rows in (detector, evidence)
        )
        lines.append(
            f"| {name} | {part.removesuffix('_foot')} | {a.mean:.3f}, {b.mean:.3f} "
            f"| {_late(a.onset_bias_ms)}, {_late(b.onset_bias_ms)} "
            f"| {_late(a.offset_bias_ms)}, {_late(b.offset_bias_ms)} |"
        )
    return lines


def _late(milliseconds: float) -> str:
    return "–" if np.isnan(milliseconds) else f"{milliseconds:+.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.contacts_plates", description=__doc__
    )
    parser.add_argument("--write", action="store_true", help="into docs/contacts.md")
    parser.add_argument("--trials", action="store_true", help="every trial of every case, too")
    parser.add_argument("--ablate", action="store_true", help="leave evidence out instead")
    parser.add_argument(
        "--leave-one-out", action="store_true", help="one subject at a time instead"
    )
    asked = parser.parse_args()
    if asked.ablate or asked.leave_one_out:
        from benchmarks import contacts_ablations, contacts_left_out

        mark = "plates ablations" if asked.ablate else "plates left out"
        lines = contacts_ablations.lines() if asked.ablate else contacts_left_out.lines()
        print("\n".join(lines))
        if asked.write:
            put_table("contacts.md", mark, lines)
        return 0
    lines: list[str] = [*HEADING]
    each: list[str] = [*TRIAL_HEADING]
    print("\n".join(lines), flush=True)
    for case in CASES:
        detector, evidence = rows(by_detector, case), rows(by_evidence, case)
        lines.append(line(case, detector, evidence))
        print(lines[-1], flush=True)
        if asked.trials:
            print("\n".join(["", *TRIAL_HEADING, *trial_lines(detector, evidence), ""]), flush=True)
        if case == CASES[0]:
            each += trial_lines(detector, evidence)
    if asked.write:
        put_table("contacts.md", "plates", lines)
        put_table("contacts.md", "plates trials", each)
    return 0


if __name__ == "__main__":
    sys.exit(main())
