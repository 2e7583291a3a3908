"""`poise measure`, `report` and `contacts`: how physical a clip is, and what touches when."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import Against, ContactsFile, Overwrite, check_new, taking_records
from poise.apps.cli.waiting import say_notes, waiting
from poise.errors import FileProblem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from poise.contact import ContactSchedule
    from poise.measures import Evaluation, Measure


@taking_records
def measure(
    clip: Annotated[Path, typer.Argument(help="The clip to measure.")],
    against: Against = None,
    contacts: ContactsFile = None,
    read: ClipOptions = AS_THE_FILE_SAYS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Say in numbers how physical a clip is.

    Sliding and sinking feet, balance, flight, residual forces that no contact explains, torques
    against strength, jerk; with an original, likeness to it, peaks and shifts against it, and every
    contact-based figure a second time with the contacts found in the original.

        poise measure walk.bvh

        poise measure edited.bvh --against walk.bvh --json
    """
    found, notes = _measured(clip, read, against, contacts)
    if as_json:
        print(json.dumps(_as_data(clip, found.measures, notes), indent=2, ensure_ascii=False))
        return
    say_notes(notes)
    width = max(len(m.key) for m in found.measures)
    for m in found.measures:
        value = m.reason if math.isnan(m.value) else f"{m.value:.4g} {m.unit}"
        print(f"{m.key:<{width}}  {value:<26}  {m.about}")


@taking_records
def report(
    clip: Annotated[Path, typer.Argument(help="The clip to report on.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The page to write (.html).")],
    against: Against = None,
    contacts: ContactsFile = None,
    read: ClipOptions = AS_THE_FILE_SAYS,
    overwrite: Overwrite = False,
) -> None:
    """Write a page that says how physical a clip is.

    One file that needs no network: figures in plain words, a figure strip, and charts of contacts,
    forces, balance, flight, momentum and strength. With an original, before and after.

    poise report walk.bvh -o walk.html

    poise report edited.bvh --against walk.bvh -o edited.html
    """
    if output.suffix.lower() not in (".html", ".htm"):
        raise FileProblem(output, "an extension of a page (.html)", f"'{output.suffix}'")
    check_new(output, overwrite)
    found, notes = _measured(clip, read, against, contacts)
    with waiting(f"writing {output.name}"):
        from poise.apps.report.build import report_html
        from poise.formats import atomic_write

        original = against.name if against else ""
        page = report_html(found, clip.name, against=original, notes=notes)
        atomic_write(output, page.encode("utf-8", "replace"))
    say_notes(notes)
    print(f"{output}: {output.stat().st_size / 1e6:.2f} MB")


@taking_records
def contacts(
    clip: Annotated[Path, typer.Argument(help="The clip to look at.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write them here: .csv or .json.")
    ] = None,
    read: ClipOptions = AS_THE_FILE_SAYS,
    detector: Annotated[
        bool,
        typer.Option(
            "--detector",
            help="By heights and speeds alone, as measures do it: without confidence.",
        ),
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """Find what touches when, and how sure that is.

    One row per frame, one 0/1 column per body part (2 where it slides), and one with the
    probability that it is right. What is in doubt, or carried by something that is not known, is
    said.

        poise contacts walk.bvh -o walk_contacts.csv
    """
    check_new(output, overwrite)
    with waiting(f"looking at {clip.name}"):
        from poise.contact import write_contacts
        from poise.job import find_contacts, measurable

        chosen = measurable(clip, read.question())
        found, unknown = find_contacts(chosen, by_detector=detector)
        if output is not None:
            write_contacts(found, output)
    say_notes(chosen.notes)
    for line in _contact_lines(found, unknown):
        print(line)
    if output is not None:
        print(f"{output}: written")


def _contact_lines(found: ContactSchedule, unknown: NDArray[np.bool_]) -> list[str]:
    """What touches how often and how surely, what is in doubt, and what nobody knows."""
    from poise.apps.report.contact_doubts import SURE, doubts_in_words, doubts_of, unknown_in_words
    from poise.contact import intervals
    from poise.wording import counted

    lines: list[str] = []
    for number, part in enumerate(found.parts):
        flags = found.column(part)
        if not flags.any():
            continue
        line = f"{part:<16} touches {100 * flags.mean():5.1f} % of {found.frame_count} frames"
        if found.confidence is not None:
            sure = 100 * found.confidence[flags, number].mean()
            line += f", {counted(len(intervals(flags)), 'time')}, {sure:.0f} % sure"
        lines.append(line)
    doubts = doubts_of(found)
    if doubts and found.confidence is not None:
        share = 100 * (found.confidence < SURE).any(axis=1).mean()
        lines.append(f"contacts in doubt, in {share:.1f} % of frames: {doubts_in_words(doubts)}")
    if unknown.any():
        advice = "Give the surface it stands, sits or hangs on (--environment)."
        lines.append(f"{unknown_in_words(intervals(unknown))} {advice}")
    return lines or ["nothing touches"]


def _measured(
    clip: Path, read: ClipOptions, against: Path | None, contacts: Path | None
) -> tuple[Evaluation, tuple[str, ...]]:
    with waiting(f"measuring {clip.name}"):
        from poise.job import evaluate_files

        return evaluate_files(clip, read.question(), against=against, contacts=contacts)


def _as_data(
    clip: Path, measures: tuple[Measure, ...], notes: tuple[str, ...]
) -> dict[str, object]:
    return {
        "file": str(clip),
        "measures": {
            m.key: {
                "value": None if math.isnan(m.value) else m.value,
                **({"reason": m.reason} if m.reason else {}),
                "unit": m.unit,
                "better": m.direction,
                "about": m.about,
            }
            for m in measures
        },
        "notes": list(notes),
    }
