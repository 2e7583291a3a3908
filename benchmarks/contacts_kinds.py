"""Every capture without a preset: what touches, what kind of motion that is, right or wrong.

`python -m benchmarks.contacts_kinds [CLIP...] [--write] [--ablate]`: the floor that the feet show,
no other surface, any part. Judged by what each capture is listed as, in words, and by nothing else:
which kinds those words allow, which parts must touch and which may. Every frame counts.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.contacts_ablations import WAYS
from benchmarks.page import put_table
from benchmarks.physics_table import NEED_A_PLACE, captures
from poise.contact import BODY_PARTS, FEET, find_contacts, intervals, phases
from poise.job import Subject, measurable
from poise.methods.correct.kind import Kind, kind_of
from tests.contact.force_plates import trial
from tests.shared_data import MOCAP, clips

HANDS = ("left_hand", "right_hand")
KNEES = ("left_knee", "right_knee")
TRUNK = ("left_shoulder", "right_shoulder", "chest")
ANY = BODY_PARTS
"""Of people on the ground."""
LONG_S = 0.5
"""Something not known carries the body: for at least so long where it must, for less elsewhere."""


@dataclass(frozen=True)
class Listing:
    """What the words of a list allow; feet must touch in all of them."""

    words: tuple[str, ...]
    kinds: tuple[Kind, ...]
    all_of: tuple[str, ...] = ()
    """Parts that must touch, besides feet."""
    one_of: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    flies: bool | None = None
    """None: may or may not."""
    unknown: bool | None = False
    """Something carries the body that the floor is not; None: may or may not."""


LISTINGS = (
    Listing(("cartwheel",), ("acrobatic",), all_of=HANDS),
    Listing(("dive over roll",), ("roll",), HANDS, TRUNK, ANY, True),
    Listing(("breakdance",), ("acrobatic", "roll", "floor"), (), HANDS, ANY),
    Listing(("flip",), ("run", "acrobatic"), may=HANDS, flies=True),
    Listing(("sit ",), ("walk", "seat"), may=("pelvis",), flies=False, unknown=True),
    Listing(("face down",), ("floor",), (), HANDS, ANY, False),
    Listing(("laying on back",), ("floor",), ("pelvis",), TRUNK, ANY, False),
    Listing(("stairs", "steps", "terrain"), ("walk",), flies=False, unknown=None),
    Listing(("pick", "placing"), ("walk", "acrobatic", "floor"), may=(*HANDS, *KNEES), flies=False),
    Listing(("jump", "hop", "dj"), ("run",), flies=True),
    Listing(("run",), ("run",), flies=True),
    Listing(("salsa",), ("walk", "run"), unknown=None),  # One of a couple: 60 is the other.
    Listing(("kick", "strike", "dance", "tennis", "basketball"), ("walk", "run")),
    Listing(("arm wrestle",), ("walk", "run"), unknown=None),
    Listing(("walk", "go", "swing", "putt", "squat", "jacket", "comforts"), ("walk",), flies=False),
)  # fmt: skip
"""The first whose word is found; anything else ("Unknown", "?", "Motorcycle") is not judged."""


@dataclass(frozen=True)
class Found:
    """One capture."""

    name: str
    listed: str
    parts: tuple[str, ...]
    """In words: seconds, and mean confidence while touching."""
    flesh_s: float
    """Of contact of all parts but feet."""
    flights: int
    """Without those in which something not known carries the body."""
    unknown_s: float
    kind: Kind
    """As `poise correct` prints it."""
    wrong: tuple[str, ...] | None
    """Why; None: nothing in its list to judge by."""


def all_captures() -> list[Path]:
    need = [path for name in NEED_A_PLACE for path in clips(f"cmu/{name}.bvh")]
    return sorted([*captures(), *need], key=lambda path: (path.parent.parent.name, path))


@cache
def listed() -> dict[str, str]:
    """What the lists say of each capture, by the name of its file."""
    found: dict[str, str] = {}
    for line in _lines(MOCAP / "README.md"):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 2 and cells[1].endswith(".bvh"):
            path = Path(cells[1])
            told = re.search(r'CMU index: "(.*?)"', cells[2])
            same = re.search(r"same capture as cmu/(\w+)\.bvh", cells[2])
            if "addbio_grf" in path.parts:
                found[path.stem] = path.stem.rsplit("_", 1)[-1]
            elif same is None:
                found[path.stem] = told.group(1) if told else cells[2]
    for index in ("cmu_random", "populations"):
        for line in _lines(MOCAP / index / "INDEX.tsv"):
            *_, name, words = ["", *line.split("\t")]
            found[name] = words.strip()
    return found


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def listing_of(words: str) -> Listing | None:
    said = f"{words.lower()} "
    return next((each for each in LISTINGS if any(word in said for word in each.words)), None)


@cache
def _given(path: Path) -> Subject:
    given = measurable(path)
    if path.parent.parent.name == "addbio_grf":
        belt = trial(path).environment
        given = given if belt is None else replace(given, environment=belt)
    return given


def found_in(path: Path) -> Found:
    given = _given(path)
    all_found = find_contacts(given.clip, given.character, given.environment)
    schedule, rate = all_found.schedule, given.clip.rate_hz
    assert schedule.confidence is not None
    seconds = {part: float(schedule.column(part).sum()) / rate for part in schedule.parts}
    seconds = {part: spent for part, spent in seconds.items() if spent > 0.0}
    told = dict[str, str]()
    for part, spent in seconds.items():
        column = schedule.column(part)
        sure = float(np.mean(schedule.confidence[column, schedule.parts.index(part)]))
        told[part] = f"{part.replace('_', ' ')} {spent:.2f} s ({sure:.2f})"
        if part not in FEET:
            first = given.kept.left_out
            runs = ", ".join(f"{a + first}–{b + first}" for a, b in intervals(column))
            told[part] += f" in frames {runs}"
    carried = replace(
        schedule, touching=schedule.touching | all_found.unknown[:, None], sliding=None
    )
    flights = sum(phase.kind == "flight" for phase in phases(carried))
    unknown_s = float(all_found.unknown.sum()) / rate
    words, kind = listed().get(path.stem, "?"), kind_of(schedule, all_found.unknown)
    rule = listing_of(words)
    wrong = None if rule is None else reasons(rule, seconds, flights, unknown_s, kind)
    flesh_s = sum(spent for part, spent in seconds.items() if part not in FEET)
    return Found(
        path.stem if path.parent.name != "cmu_3dsmax" else f"{path.stem} (3dsmax)",
        words, tuple(told.values()), flesh_s, flights, unknown_s, kind, wrong,
    )  # fmt: skip


def reasons(
    rule: Listing, seconds: dict[str, float], flights: int, unknown_s: float, kind: Kind
) -> tuple[str, ...]:
    """What contradicts the words; none: right."""
    found: list[str] = []
    missing = [part for part in (*FEET, *rule.all_of) if part not in seconds]
    found += [f"{_said(part)} missed" for part in missing]
    if rule.one_of and not any(part in seconds for part in rule.one_of):
        found.append(f"none of {', '.join(_said(part) for part in rule.one_of)}")
    allowed = {*FEET, *rule.all_of, *rule.one_of, *rule.may}
    found += [f"{_said(part)} invented" for part in seconds if part not in allowed]
    if rule.flies is not None and rule.flies != (flights > 0):
        found.append("no flight" if rule.flies else "flies")
    if rule.unknown is True and unknown_s < LONG_S:
        found.append("unknown carrier missed")
    if rule.unknown is False and unknown_s >= LONG_S:
        found.append(f"unknown carrier for {unknown_s:.1f} s")
    if kind not in rule.kinds:
        found.append(f"{kind}, not {' or '.join(rule.kinds)}")
    return tuple(found)


def _said(part: str) -> str:
    return part.replace("_", " ")


HEADING = (
    "| capture | listed as | touching: seconds (confidence) | flights | unknown, s | kind | |",
    "|---|---|---|---|---|---|---|",
)


def line(row: Found) -> str:
    verdict = "–" if row.wrong is None else "right" if not row.wrong else "**wrong**: "
    return (
        f"| {row.name} | {row.listed} | {'; '.join(row.parts)} | {row.flights} "
        f"| {row.unknown_s:.1f} | {row.kind} | {verdict}{', '.join(row.wrong or ())} |"
    )


def totals(rows: Sequence[Found]) -> list[str]:
    """By what captures are listed as."""
    lines = ["| listed as | kinds allowed | right | wrong |", "|---|---|---|---|"]
    judged = [row for row in rows if row.wrong is not None]
    for rule in LISTINGS:
        mine = [row for row in judged if listing_of(row.listed) is rule]
        if mine:
            bad = [row.name for row in mine if row.wrong]
            told = f"{len(bad)} ({', '.join(bad)})" if bad else "0"
            words, kinds = ", ".join(word.strip() for word in rule.words), ", ".join(rule.kinds)
            lines.append(f"| {words} | {kinds} | {len(mine) - len(bad)} | {told} |")
    bad = sum(bool(row.wrong) for row in judged)
    rest = len(rows) - len(judged)
    lines.append(f"| **all** ({rest} more say nothing) | | **{len(judged) - bad}** | **{bad}** |")
    return lines


def ablation_lines(paths: Sequence[Path]) -> list[str]:
    """One kind of evidence left out at a time, over all captures."""
    lines = [
        "| captures | right | wrong | flights | parts but feet, s | unknown, s |",
        "|---" * 6 + "|",
    ]
    for name, change in WAYS.items():
        with change():
            rows = [found_in(path) for path in paths]
        judged = [row for row in rows if row.wrong is not None]
        bad = sum(bool(row.wrong) for row in judged)
        flesh, unknown = (sum(r.flesh_s for r in rows), sum(r.unknown_s for r in rows))
        flights = sum(row.flights for row in rows)
        lines.append(
            f"| {name} | {len(judged) - bad} | {bad} | {flights} | {flesh:.1f} | {unknown:.1f} |"
        )
        print(lines[-1], flush=True)
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.contacts_kinds", description=__doc__
    )
    parser.add_argument("clips", nargs="*", help="names of captures; all without")
    parser.add_argument("--write", action="store_true", help="into docs/contacts.md")
    parser.add_argument("--ablate", action="store_true", help="leave evidence out instead")
    asked = parser.parse_args()
    paths = [path for path in all_captures() if not asked.clips or path.stem in asked.clips]
    if asked.ablate:
        lines = ablation_lines(paths)
        if asked.write:
            put_table("contacts.md", "kinds ablations", lines)
        return 0
    rows: list[Found] = []
    print("\n".join(HEADING), flush=True)
    for path in paths:
        rows.append(found_in(path))
        print(line(rows[-1]), flush=True)
    summed = totals(rows)
    print("\n".join(["", *summed]))
    if asked.write:
        put_table("contacts.md", "kinds totals", summed)
        put_table("contacts.md", "kinds", [*HEADING, *map(line, rows)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
