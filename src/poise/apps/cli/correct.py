"""`poise correct`: a capture goes in, and comes out with its feet on the ground."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions, option_changes
from poise.apps.cli.edit_clip import To
from poise.apps.cli.options import (
    AS_THE_RECIPE_SAYS,
    ContactsFile,
    RunOptions,
    taking_records,
    usual_recipe,
)
from poise.apps.cli.run import follow

if TYPE_CHECKING:
    from poise.job import Change


@dataclass(frozen=True)
class CorrectOptions:
    """What is corrected, and what else is written."""

    preset: Annotated[
        str | None,
        typer.Option(
            help="What kind of motion it is: walk, run, dance, acrobatic, floor, roll or seat. "
            "By default any part may touch, and what was found is printed.",
            metavar="KIND",
        ),
    ] = None
    candidates: Annotated[
        str | None,
        typer.Option(
            help="What may touch, instead of what the preset says: left_toe,right_toe,left_hand.",
            metavar="PART,PART,...",
        ),
    ] = None
    only: Annotated[
        str | None,
        typer.Option(
            help="contacts: hold what touches, and leave balance, flight and strength as they are.",
            metavar="WHAT",
        ),
    ] = None
    mode: Annotated[
        str | None,
        typer.Option(
            help="paper: Lee & Lee 2018 as printed, for comparison; no physics.", metavar="MODE"
        ),
    ] = None
    contacts: ContactsFile = None
    contacts_out: Annotated[
        Path | None, typer.Option(help="Write what touches when here (.csv or .json).")
    ] = None
    preview: Annotated[
        Path | None,
        typer.Option(help="Write the clip here as it is before contacts are made exact."),
    ] = None

    def changes(self) -> list[Change]:
        """Those that change the recipe."""
        from poise.job import Change

        found = option_changes(
            ("correct.settings.preset", self.preset, "--preset"),
            ("correct.settings.only", self.only, "--only"),
            ("correct.settings.mode", self.mode, "--mode"),
            ("correct.contacts", self.contacts, "--contacts"),
        )
        if self.candidates is not None:
            listed = self.candidates.replace(",", " ").split()
            path = ("correct", "settings", "candidates")
            found.append(Change(path, listed, f"--candidates {self.candidates}"))
        return found


AS_USUAL = CorrectOptions()


@taking_records
def correct(
    clip: Annotated[Path, typer.Argument(help="The clip to correct.")],
    asked: RunOptions = AS_THE_RECIPE_SAYS,
    wanted: CorrectOptions = AS_USUAL,
    recipe: Annotated[
        Path | None,
        typer.Option(help="A recipe with a step of correct (.yaml); see docs/recipes.md."),
    ] = None,
    to: To = None,
    read: ClipOptions = AS_THE_FILE_SAYS,
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

    outputs = (asked.output, wanted.contacts_out, wanted.preview, asked.report)
    if all(path is None for path in outputs) and not recipe:
        raise BadValue("output", "given, or nothing would be written (-o OUT)", "none")
    own = [*wanted.changes(), *option_changes(("character.to", to, "--to"))]
    follow(
        recipe or usual_recipe("correct_clip"),
        clip,
        asked,
        asked.changes(read, own),
        method="correct",
        given={"contacts": wanted.contacts_out, "preview": wanted.preview},
    )
