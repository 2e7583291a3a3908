"""Measure defects whose size is known, and write a report with pictures.

Clips made by code carry exact truth: contacts, flights, and defects of known size. Each measure
should return what was put in. The report and a figure strip land in `out/`.

    python examples/02_measure_known_defects.py
"""

from __future__ import annotations

from pathlib import Path

import poise
from poise.contact import check_gravity
from poise.environment import Environment
from poise.samples import (
    SAMPLES,
    Sample,
    sample_character,
    with_float,
    with_foot_slide,
    with_lean,
    with_noise,
    with_penetration,
    with_wrong_rate,
)

OUT = Path("out")
FLOOR = Environment.flat()


def damaged_samples() -> list[tuple[Sample, Sample]]:
    """Pairs of a clean sample and the same with one defect."""
    walk, stand, jump = (SAMPLES[name]() for name in ("walk", "stand", "jump"))
    return [
        (walk, with_foot_slide(walk, 12.0)),
        (walk, with_penetration(walk, 2.0)),
        (walk, with_float(walk, 3.0)),
        (stand, with_lean(stand, 4.0)),
        (walk, with_noise(walk, 1.0)),
        (jump, with_wrong_rate(jump, 2.0)),
        (jump, with_wrong_rate(jump, 0.5)),
    ]


def measured(clean: Sample, damaged: Sample) -> float:
    """What the measure that should show the defect says."""
    (injected,) = damaged.injected
    if injected.measure == "gravity":
        return check_gravity(damaged.clip, sample_character(), FLOOR).gravity_m_s2 or 0.0
    against = clean.clip if injected.measure.startswith("jitter") else None
    body, touches = sample_character(), damaged.contacts
    found = poise.measure(damaged.clip, against, body=body, place=FLOOR, contacts=touches)
    return found[injected.measure]


def table() -> list[tuple[str, float, float, str]]:
    """Defect, what was put in, what came out, unit."""
    rows: list[tuple[str, float, float, str]] = []
    for clean, damaged in damaged_samples():
        (injected,) = damaged.injected
        rows.append(
            (
                f"{injected.defect} {injected.size:g} {injected.unit} ({injected.measure})",
                injected.expected,
                measured(clean, damaged),
                injected.expected_unit,
            )
        )
    return rows


def main() -> None:
    OUT.mkdir(exist_ok=True)
    print(f"{'defect':<52}{'injected':>10}{'measured':>10}  off by")
    for defect, put_in, came_out, unit in table():
        off = abs(came_out / put_in - 1.0)
        print(f"{defect:<52}{put_in:>10.4g}{came_out:>10.4g}  {100 * off:.2f} %  {unit}")

    clean, damaged = damaged_samples()[0]
    page = OUT / "sliding_walk.html"
    poise.report(damaged.clip, page, clean.clip, contacts=damaged.contacts)
    poise.save(damaged.clip, OUT / "sliding_walk.glb")
    print(f"\n{page}: the sliding walk against the clean one, for a browser")


if __name__ == "__main__":
    main()
