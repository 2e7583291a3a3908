"""Contacts against force plates: F1 of each foot in every trial, on frames the plates saw.

`python -m benchmarks.correct_contacts MODULE:FUNCTION` hands every trial to
`FUNCTION(clip, character, environment) -> ContactSchedule`; a treadmill's environment has its belt.
`detected` of this file is the detector, for comparison.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from poise.character import Character
from poise.contact import ContactSchedule, contact_agreement, detect_contacts, estimate_ground
from poise.contact.agreement import PartAgreement
from poise.environment import Environment
from poise.motion import Clip
from tests.contact.force_plates import FEET, trial, trial_paths

GOAL_MEAN = 0.975
Finder = Callable[[Clip, Character, Environment], ContactSchedule]


def detected(clip: Clip, character: Character, environment: Environment) -> ContactSchedule:
    """The detector's contacts, which know nothing of dynamics."""
    return detect_contacts(clip, character, environment, FEET)


def corrected(clip: Clip, character: Character, environment: Environment) -> ContactSchedule:
    """The contacts that a correction finds, with default settings."""
    from poise.methods import Edit, correct

    found = correct.run(Edit(clip, character, environment=environment)).contacts
    assert found is not None
    return found


def agreement(path: Path, find: Finder) -> dict[str, PartAgreement]:
    """How well what is found in one trial agrees with its plates, foot by foot."""
    given = trial(path)
    place = given.environment
    if place is None:
        place = Environment((estimate_ground(given.clip, given.character)[0],))
    found = find(given.clip, given.character, place)
    return contact_agreement(found, given.truth, valid=given.valid, parts=FEET)


def _agreement(path: Path, function: str) -> dict[str, PartAgreement]:
    module, _, name = function.partition(":")
    return agreement(path, getattr(importlib.import_module(module), name))


def plates_table(
    function: str, names: Sequence[str] = (), processes: int = 2, *, told: bool = True
) -> float:
    """Mean F1 over feet and trials of `MODULE:FUNCTION`."""
    paths = [p for p in trial_paths() if not names or any(name in p.stem for name in names)]
    everything: list[PartAgreement] = []
    context = multiprocessing.get_context("spawn")
    if told:
        print(f"{'trial':32}{'left':>8}{'right':>8}   onsets, offsets: mean error ms (missed)")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        for path, found in zip(
            paths, pool.map(_agreement, paths, [function] * len(paths)), strict=True
        ):
            feet = [found[foot] for foot in FEET]
            everything += feet
            if told:
                print(f"{path.stem:32}" + "".join(f"{f.f1:8.4f}" for f in feet) + _events(feet))
    f1 = [f.f1 for f in everything]
    if told and f1:
        print(f"mean F1 {np.mean(f1):.4f} (goal {GOAL_MEAN}), lowest {min(f1):.4f}")
    return float(np.mean(f1))


def _events(feet: Sequence[PartAgreement]) -> str:
    told = ""
    for kind in ("onsets", "offsets"):
        events = [getattr(foot, kind) for foot in feet]
        errors = [ms for event in events for ms in event.errors_ms]
        lost = sum(event.missed for event in events)
        invented = sum(event.invented for event in events)
        mean = f"{np.mean(errors):+.0f}" if errors else "none"
        told += f"   {mean} ({lost} missed, {invented} invented)"
    return told


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.correct_contacts", description=__doc__
    )
    parser.add_argument("function", help="MODULE:FUNCTION of (clip, character, environment)")
    parser.add_argument("trials", nargs="*", help="parts of trials' names (default: all)")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    mean = plates_table(asked.function, asked.trials, asked.processes)
    return 0 if mean >= GOAL_MEAN else 1


if __name__ == "__main__":
    sys.exit(main())
