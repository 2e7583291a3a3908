"""Contacts of made clips, whose truth is known for every part of the body, under every defect.

`python -m benchmarks.contacts_labelled [--write] [--ablate]`: all samples (walk, run, jump, hop,
reach, golf, squat, stand, sit, getup, kneel, cartwheel), clean and spoiled, by the plain detector
and by all evidence at once. Any part may touch. F1 is pooled over the time of all clips, so that a
contact that is not there counts wherever it is found.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.contacts_ablations import WAYS, Change
from benchmarks.page import put_table
from poise import rotations, samples
from poise.arrays import Array
from poise.contact import BODY_PARTS, ContactSchedule, contact_agreement, detect_contacts
from poise.contact import find_contacts as find_by_evidence
from poise.motion import low_pass, resample
from poise.motion.cleanup import clean
from poise.samples import SAMPLES, Sample, sample_character
from tests.methods.test_correct_defects import CASES as DAMAGED
from tests.methods.test_correct_defects import damaged

RATE_HZ = 120.0
SLOPE = 0.02
DRIFT_M = 0.03
KINDS = {
    "feet": ("left_foot", "right_foot"),
    "hands": ("left_hand", "right_hand"),
    "knees": ("left_knee", "right_knee"),
    "pelvis": ("pelvis",),
}
REST = tuple(part for part in BODY_PARTS if not any(part in kind for kind in KINDS.values()))
"""Parts that touch in no sample."""
Find = Callable[[Sample], ContactSchedule]


def _low_passed(sample: Sample) -> Sample:
    clip = sample.clip
    frames, rate = clip.frame_count, clip.rate_hz
    q = rotations.continuous(clip.rotations_wxyz)
    smooth = low_pass(q.reshape(frames, -1), rate, 6.0).reshape(q.shape)
    roots = low_pass(clip.root_positions_m, rate, 6.0)
    clip = replace(clip, root_positions_m=roots, rotations_wxyz=rotations.normalize(smooth))
    return replace(sample, clip=clip)


def _dropped(sample: Sample) -> Sample:
    """Three times four frames lost, and filled as `clean` fills them."""
    count = sample.clip.frame_count
    lost = tuple(int(share * count) + k for share in (0.25, 0.5, 0.75) for k in range(4))
    made = samples.with_dropped_frames(sample, lost)
    cleaned, _ = clean(made.clip)
    if cleaned.frame_count != count:
        raise AssertionError(
            f"{cleaned.frame_count} of {count} frames are left of {made.clip.name}"
        )
    return replace(made, clip=cleaned)


def _slow(sample: Sample) -> Sample:
    clip = resample(sample.clip, 30.0)
    frames = np.minimum(np.rint(np.arange(clip.frame_count) * 4.0), sample.clip.frame_count - 1)
    touching = sample.contacts.touching[frames.astype(int)]
    return replace(
        sample, clip=clip, contacts=ContactSchedule(sample.contacts.parts, touching, 30.0)
    )


def _tilted(sample: Sample) -> Sample:
    clip = sample.clip
    tilt = rotations.from_axis_angle([1.0, 0.0, 0.0], np.arctan(SLOPE))
    q = clip.rotations_wxyz.copy()
    q[:, 0] = rotations.multiply(tilt, q[:, 0])
    roots = rotations.rotate(tilt, clip.root_positions_m)
    return replace(sample, clip=replace(clip, root_positions_m=roots, rotations_wxyz=q))


def _drifting(sample: Sample) -> Sample:
    clip = sample.clip
    rise = np.linspace(0.0, DRIFT_M, clip.frame_count)[:, None] * np.array([0.0, 1.0, 0.0])
    return replace(sample, clip=replace(clip, root_positions_m=clip.root_positions_m + rise))


DEFECTS: dict[str, Callable[[Sample], Sample]] = {
    "clean": lambda sample: sample,
    "noise 1 mm": lambda sample: samples.with_noise(sample, 1.0),
    "noise 5 mm": lambda sample: samples.with_noise(sample, 5.0),
    "noise 15 mm": lambda sample: samples.with_noise(sample, 15.0),
    "joints shake by 1°": lambda sample: samples.with_rotation_noise(sample, 1.0),
    "low-pass 6 Hz": _low_passed,
    "dropped frames": _dropped,
    "30 Hz": _slow,
    "slope 2 cm/m": _tilted,
    "drift up 3 cm": _drifting,
    "slide 10 cm/s": lambda sample: samples.with_foot_slide(sample, 10.0),
    "float 3 cm": lambda sample: samples.with_float(sample, 3.0),
    "sunk 3 cm": lambda sample: samples.with_penetration(sample, 3.0),
}


def by_detector(sample: Sample) -> ContactSchedule:
    return detect_contacts(sample.clip, sample_character(), sample.environment)


def by_evidence(sample: Sample) -> ContactSchedule:
    return find_by_evidence(sample.clip, sample_character(), sample.environment).schedule


@dataclass(frozen=True)
class Counted:
    """Seconds of one part in one clip."""

    clip: str
    part: str
    both: float
    found: float
    true: float


def counted(name: str, sample: Sample, found: ContactSchedule) -> Iterator[Counted]:
    step = 1.0 / sample.clip.rate_hz
    nothing = np.zeros(sample.clip.frame_count, dtype=np.bool_)
    for part in BODY_PARTS:
        ours, truth = (
            each.column(part) if part in each.parts else nothing
            for each in (found, sample.contacts)
        )
        both = float((ours & truth).sum()) * step
        yield Counted(name, part, both, float(ours.sum()) * step, float(truth.sum()) * step)


def f1(rows: Sequence[Counted]) -> float:
    either = sum(row.found + row.true for row in rows)
    return 2.0 * sum(row.both for row in rows) / either if either else 1.0


def all_of(find: Find, spoil: Callable[[Sample], Sample]) -> list[Counted]:
    rows: list[Counted] = []
    for name, make in SAMPLES.items():
        sample = spoil(make(rate_hz=RATE_HZ))
        rows += counted(name, sample, find(sample))
    return rows


def _cells(rows: Sequence[Counted]) -> list[str]:
    of_kinds = [f1([row for row in rows if row.part in parts]) for parts in KINDS.values()]
    invented = sum(row.found for row in rows if row.part in REST)
    return [*(f"{value:.3f}" for value in of_kinds), f"{invented:.1f}"]


def part_lines(made: dict[str, tuple[list[Counted], list[Counted]]]) -> list[str]:
    heads = [*(f"{kind}: detector, evidence" for kind in KINDS), "other parts, s"]
    lines = ["| F1 | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for defect, (detector, evidence) in made.items():
        pairs = zip(_cells(detector), _cells(evidence), strict=True)
        lines.append(f"| {defect} | " + " | ".join(f"{a}, {b}" for a, b in pairs) + " |")
    return lines


def clip_lines(made: dict[str, tuple[list[Counted], list[Counted]]]) -> list[str]:
    """All parts of each clip together."""
    lines = ["| F1 by evidence | " + " | ".join(SAMPLES) + " |", "|---" * (len(SAMPLES) + 1) + "|"]
    for defect, (_, evidence) in made.items():
        cells = [f"{f1([row for row in evidence if row.clip == name]):.3f}" for name in SAMPLES]
        lines.append(f"| {defect} | {' | '.join(cells)} |")
    return lines


def damaged_lines() -> list[str]:
    """The samples that `correct` is tested on: the worse foot."""
    lines = ["| sample | damage | detector | evidence |", "|---|---|---|---|"]
    held = 0
    for name, defect in DAMAGED:
        sample, cells = damaged(name, defect), list[float]()
        for find in (by_detector, by_evidence):
            agreement = contact_agreement(find(sample), sample.contacts)
            cells.append(min(part.f1 for part in agreement.values()))
        held += cells[1] >= 0.98
        lines.append(f"| {name} | {defect} | {cells[0]:.3f} | {cells[1]:.3f} |")
    lines.append(f"| **0.98 or more** | | | {held} of {len(DAMAGED)} |")
    return lines


SHOWN = ("clean", "noise 5 mm", "noise 15 mm", "30 Hz", "float 3 cm")


def ablation_lines() -> list[str]:
    """Mean over the shown defects of pooled F1, one kind of evidence left out at a time."""
    heads = [*KINDS, "other parts, s"]
    lines = ["| mean F1 | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for name, change in WAYS.items():
        lines.append(f"| {name} | " + " | ".join(_left_out(change)) + " |")
        print(lines[-1], flush=True)
    return lines


def _left_out(change: Change) -> list[str]:
    with ExitStack() as stack:
        stack.enter_context(change())
        each = [_cells(all_of(by_evidence, DEFECTS[defect])) for defect in SHOWN]
    values: Array = np.array(each, dtype=np.float64).mean(axis=0)
    return [*(f"{v:.3f}" for v in values[:-1]), f"{values[-1]:.1f}"]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.contacts_labelled", description=__doc__
    )
    parser.add_argument("--write", action="store_true", help="into docs/contacts.md")
    parser.add_argument("--ablate", action="store_true", help="leave evidence out instead")
    asked = parser.parse_args()
    if asked.ablate:
        tables = {"labelled ablations": ablation_lines()}
    else:
        made = {
            name: (all_of(by_detector, spoil), all_of(by_evidence, spoil))
            for name, spoil in DEFECTS.items()
        }
        tables = {
            "labelled parts": part_lines(made),
            "labelled clips": clip_lines(made),
            "labelled damaged": damaged_lines(),
        }
    for mark, lines in tables.items():
        print("\n".join(["", *lines]))
        if asked.write:
            put_table("contacts.md", mark, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
