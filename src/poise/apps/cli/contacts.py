"""`poise contacts`: what touches when."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.options import (
    Animation,
    Clean,
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


def contacts(
    clip: Annotated[Path, typer.Argument(help="The clip to look at.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write them here: .csv or .json.")
    ] = None,
    environment: EnvironmentFile = None,
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
    """Find what touches when.

    One row per frame, one 0/1 column per body part that ever touches.

        poise contacts walk.bvh -o walk_contacts.csv
    """
    from poise.errors import FileProblem

    if output is not None and output.exists() and not overwrite:
        raise FileProblem(output, "a new file", "one that exists", advice="Add --overwrite.")
    with waiting(f"looking at {clip.name}"):
        from poise.apps.evaluation import Reading, find_contacts, subject
        from poise.contact import write_contacts

        options = {"unit": unit, "up": up, "skeleton": skeleton, "rate_hz": rate}
        reading = Reading(mass, clean, roles, {**options, "animation": animation}, table, sex)
        chosen = subject(clip, environment, reading)
        found = find_contacts(chosen)
        if output is not None:
            write_contacts(found, output)
    for note in (*chosen.notes, *chosen.place_notes):
        typer.echo(f"note: {note}", err=True)
    for part in found.parts:
        share = found.column(part).mean()
        if share > 0:
            print(f"{part:<16} touches {100 * share:5.1f} % of {found.frame_count} frames")
    if output is not None:
        print(f"{output}: written")
