"""The one-button job: a capture with all the usual defects goes in, a clean walk comes out.

The walk is made by code and damaged on purpose: it slides, hovers over the floor and shakes, two
frames are lost, and a fake T-pose stands before the first. Nothing is said about what touches when:
that is found. Everything lands in the folder `out/`: the clip before and after as BVH and GLB, what
touches when, and a report with pictures. This is what `make demo` runs.

    python examples/05_correct_walk.py

The same on the command line:

    poise correct out/damaged_walk.bvh -o out/corrected_walk.bvh --report out/corrected_walk.html
"""

from __future__ import annotations

from pathlib import Path

import poise
from poise.contact import contact_agreement, write_contacts
from poise.environment import Environment
from poise.face import Result
from poise.samples import (
    Sample,
    walking,
    with_dropped_frames,
    with_float,
    with_foot_slide,
    with_noise,
    with_rotation_noise,
    with_t_pose,
)

OUT = Path("out")
FLOOR = Environment.flat()


def damaged_walk() -> Sample:
    """A walk with a defect of every kind, and what is true of it all the same."""
    sample = with_float(with_foot_slide(walking(), 10.0), 3.0)
    return with_rotation_noise(with_noise(sample, 1.0), 0.3)


def corrected(captured: Path) -> Result:
    """What `poise correct` makes of it, on a floor whose height is known."""
    return poise.correct(captured, place=FLOOR)


def main() -> None:
    OUT.mkdir(exist_ok=True)
    sample, captured = damaged_walk(), OUT / "damaged_walk.bvh"
    poise.save(with_t_pose(with_dropped_frames(sample.clip, (60, 61))), captured)
    print(f"{captured}: a walk with these defects:")
    for defect in sample.injected:
        print(f"  {defect.defect} of {defect.size:g} {defect.unit}")
    print("  a fake T-pose, two lost frames\n")

    print("Correcting it (the first time, most of a minute goes into compiling) ...", flush=True)
    fixed = corrected(captured)
    print(fixed)
    table = fixed.measures()
    print(table)
    if table.worse:
        print("\nWorse than the input: " + ", ".join(row.name.lower() for row in table.worse))
    else:
        print("\nEvery figure is better than the input's or equal.")
    touches = fixed.contacts
    assert touches is not None
    agreement = contact_agreement(touches, sample.contacts)
    shares = ", ".join(
        f"{part.replace('_', ' ')} {each.f1:.3f}" for part, each in agreement.items()
    )
    print(f"\nContacts found against the true ones (F1): {shares}")

    print("\nWritten:")
    for name in ("corrected_walk.glb", "corrected_walk.bvh"):
        fixed.save(OUT / name)
    poise.save(fixed.start, OUT / "damaged_walk.glb")
    write_contacts(touches, OUT / "corrected_walk_contacts.csv")
    fixed.report(OUT / "corrected_walk.html")
    for path in sorted([*OUT.glob("damaged_walk.*"), *OUT.glob("corrected_walk*")]):
        print(f"  {path}")


if __name__ == "__main__":
    main()
