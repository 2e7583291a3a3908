"""`poise correct`: a capture goes in, and comes out with its feet on the ground."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from poise.apps.cli.edit_clip import To
from poise.apps.cli.options import AS_THE_RECIPE_SAYS, EnvironmentFile, RunOptions, taking_records
from poise.apps.cli.run import follow, saying_problems

if TYPE_CHECKING:
    from poise.job import Change


@taking_records
def correct(
    clip: Annotated[Path, typer.Argument(help="The clip to correct.")],
    asked: RunOptions = AS_THE_RECIPE_SAYS,
    environment: EnvironmentFile = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="What kind of motion it is: walk, run, dance, acrobatic, floor, roll or seat; "
            "walk if nothing is said.",
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
        bool, typer.Option("--accept", help="End with code 0 also when some contact is not exact.")
    ] = False,
) -> None:
    """Correct a capture: find what touches when, and take out slide, float and penetration.

    Also what forces at those contacts could not bring about. Code 3 when some contact is out of
    reach; the outputs are written all the same.

        poise correct walk.bvh -o corrected.bvh --report corrected.html

        poise correct cartwheel.bvh --preset acrobatic --contacts-out touches.csv -o cartwheel.glb

        poise correct sitting.bvh --preset seat --environment chair.yaml -o sitting.glb
    """
    from poise.errors import BadValue

    with saying_problems():
        outputs = (asked.output, contacts_out, preview, asked.report)
        if all(path is None for path in outputs) and not recipe:
            raise BadValue("output", "given, or nothing would be written (-o OUT)", "none")
        changes: list[str | Change] = [
            *_changes(environment, preset, candidates, contacts, to),
            *(asked.set_ or ()),
        ]
        follow(
            recipe or _usual_recipe(), clip, asked, changes, accept=accept, method="correct",
            contacts=contacts_out, preview=preview,
        )  # fmt: skip


def _changes(
    environment: Path | None,
    preset: str | None,
    candidates: str | None,
    contacts: Path | None,
    to: Path | None,
) -> list[Change]:
    """The options as changes of the recipe; paths are seen from where the user is."""
    from poise.job import Change

    listed = None if candidates is None else candidates.replace(",", " ").split()
    asked: list[tuple[tuple[str, ...], Any, str]] = [
        (("environment",), environment, f"--environment {environment}"),
        (("correct", "settings", "preset"), preset, f"--preset {preset}"),
        (("correct", "settings", "candidates"), listed, f"--candidates {candidates}"),
        (("correct", "contacts"), contacts, f"--contacts {contacts}"),
        (("character", "to"), to, f"--to {to}"),
    ]
    return [Change(path, _whole(value), label) for path, value, label in asked if value is not None]


def _whole(value: Any) -> Any:
    return str(value.resolve()) if isinstance(value, Path) else value


def _usual_recipe() -> Path:
    from poise import job

    return Path(job.__file__).with_name("correct_clip.yaml")
