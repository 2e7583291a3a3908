"""`poise report`: a page about a clip, in plain words and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.options import (
    Against,
    Animation,
    Clean,
    ContactsFile,
    EnvironmentFile,
    Mass,
    Rate,
    RolesFile,
    Sex,
    SkeletonFile,
    Table,
    Unit,
    Up,
)
from poise.apps.cli.waiting import waiting


def report(
    clip: Annotated[Path, typer.Argument(help="The clip to report on.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The page to write (.html).")],
    against: Against = None,
    environment: EnvironmentFile = None,
    contacts: ContactsFile = None,
    mass: Mass = None,
    table: Table = "de_leva",
    sex: Sex = "average",
    clean: Clean = True,
    roles: RolesFile = None,
    unit: Unit = None,
    up: Up = None,
    skeleton: SkeletonFile = None,
    rate: Rate = None,
    animation: Animation = None,
    overwrite: Annotated[bool, typer.Option(help="Replace the output if it exists.")] = False,
) -> None:
    """Write a page that says how physical a clip is.

    One file that needs no network: figures in plain words, a figure strip, and charts of contacts,
    forces, balance, flight, momentum and strength. With an original, before and after.

    poise report walk.bvh -o walk.html

    poise report edited.bvh --against walk.bvh -o edited.html
    """
    from poise.errors import FileProblem

    if output.suffix.lower() not in (".html", ".htm"):
        raise FileProblem(output, "an extension of a page (.html)", f"'{output.suffix}'")
    if output.exists() and not overwrite:
        raise FileProblem(output, "a new file", "one that exists", advice="Add --overwrite.")
    with waiting(f"measuring {clip.name}"):
        from poise.apps.evaluation import Reading, evaluate_files

        options = {"unit": unit, "up": up, "skeleton": skeleton, "rate_hz": rate}
        reading = Reading(mass, clean, roles, {**options, "animation": animation}, table, sex)
        found, notes = evaluate_files(clip, against, environment, contacts, reading)
    with waiting(f"writing {output.name}"):
        from poise.apps.report.build import report_html
        from poise.formats import atomic_write

        page = report_html(
            found, clip.name, against=against.name if against else "", notes=notes
        ).encode("utf-8", "replace")
        atomic_write(output, page)
    for note in notes:
        typer.echo(f"note: {note}", err=True)
    print(f"{output}: {len(page) / 1e6:.2f} MB")
