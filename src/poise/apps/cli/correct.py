"""`poise correct`: a capture goes in, and comes out with its feet on the ground."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.edit_clip import To
from poise.apps.cli.options import (
    AS_THE_RECIPE_SAYS,
    EnvironmentFile,
    RunOptions,
    option_changes,
    taking_records,
    usual_recipe,
)
from poise.apps.cli.run import follow, saying_problems

_ROLES_BY = (
    "Take another motion; or name the joints of its body, each that poise inspect says is missing: "
    "--set 'character.roles={left_knee: LShin}'."
)
"""How to name joints of a motion on the command line."""


@taking_records
def correct(
    clip: Annotated[Path, typer.Argument(help="The clip to correct.")],
    asked: RunOptions = AS_THE_RECIPE_SAYS,
    environment: EnvironmentFile = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="What kind of motion it is: walk, run, dance, acrobatic, floor, roll or seat. "
            "By default any part may touch, and what was found is printed.",
            metavar="KIND",
        ),
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(
            help="What may touch, instead of what the preset says: left_toe,right_toe,left_hand.",
            metavar="PART,PART,...",
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            help="contacts: hold what touches, and leave balance, flight and strength as they are.",
            metavar="WHAT",
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            help="paper: Lee & Lee 2018 as printed, for comparison; no physics.", metavar="MODE"
        ),
    ] = None,
    contacts: Annotated[
        Path | None,
        typer.Option(help="What touches when (.csv or .json), instead of looking for it."),
    ] = None,
    contacts_out: Annotated[
        Path | None, typer.Option(help="Write what touches when here (.csv or .json).")
    ] = None,
    preview: Annotated[
        Path | None,
        typer.Option(help="Write the clip here as it is before contacts are made exact."),
    ] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(help="A recipe with a step of correct (.yaml); see docs/recipes.md."),
    ] = None,
    to: To = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="End with code 0 also when something is not met.")
    ] = False,
) -> None:
    """Correct a capture: find what touches when, and make the whole motion obey body and ground.

    Feet stay where they stand, nothing floats or sinks, the ground can carry the body in every
    frame, flights fall as they must, torques stay within strength. Code 3 when some contact is out
    of reach, some frame cannot be carried, or some joint goes beyond its strength, speed or range;
    the outputs are written all the same.

        poise correct walk.bvh -o corrected.bvh --report corrected.html

        poise correct cartwheel.bvh --contacts-out touches.csv -o cartwheel.glb

        poise correct sitting.bvh --environment chair.yaml -o sitting.glb

        poise correct walk.bvh --mode paper -o as_printed.bvh
    """
    from poise.errors import BadValue
    from poise.job import Change

    with saying_problems():
        outputs = (asked.output, contacts_out, preview, asked.report)
        if all(path is None for path in outputs) and not recipe:
            raise BadValue("output", "given, or nothing would be written (-o OUT)", "none")
        changes = option_changes(
            ("environment", environment, "--environment"),
            ("correct.settings.preset", preset, "--preset"),
            ("correct.settings.only", only, "--only"),
            ("correct.settings.mode", mode, "--mode"),
            ("correct.contacts", contacts, "--contacts"),
            ("character.to", to, "--to"),
        )
        if candidates is not None:
            listed = candidates.replace(",", " ").split()
            path = ("correct", "settings", "candidates")
            changes.append(Change(path, listed, f"--candidates {candidates}"))
        follow(
            recipe or usual_recipe("correct_clip"),
            clip,
            asked,
            [*changes, *(asked.set_ or ())],
            accept=accept,
            method="correct",
            given={"contacts": contacts_out, "preview": preview},
            roles_by=None if recipe else _ROLES_BY,
        )
