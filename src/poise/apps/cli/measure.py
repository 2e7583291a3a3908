"""`poise measure`: how physical a clip is, in numbers."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from poise.measures import Measure


def measure(
    clip: Annotated[Path, typer.Argument(help="The clip to measure.")],
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Say in numbers how physical a clip is.

    Sliding and sinking feet, balance, flight, the invisible hand that would have to help, torques
    against strength, shakiness; with an original, likeness to it, and every contact-based figure a
    second time with the contacts found in the original.

        poise measure walk.bvh

        poise measure edited.bvh --against walk.bvh --json
    """
    from poise.apps.evaluation import Reading, evaluate_files

    with waiting(f"measuring {clip.name}"):
        options = {"unit": unit, "up": up, "skeleton": skeleton, "rate_hz": rate}
        reading = Reading(mass, clean, roles, {**options, "animation": animation}, table, sex)
        found, notes = evaluate_files(clip, against, environment, contacts, reading)
    if as_json:
        print(json.dumps(_as_data(clip, found.measures, notes), indent=2, ensure_ascii=False))
        return
    for note in notes:
        typer.echo(f"note: {note}", err=True)
    width = max(len(m.key) for m in found.measures)
    for m in found.measures:
        value = "none" if math.isnan(m.value) else f"{m.value:.4g} {m.unit}"
        print(f"{m.key:<{width}}  {value:<26}  {m.about}")


def _as_data(
    clip: Path, measures: tuple[Measure, ...], notes: tuple[str, ...]
) -> dict[str, object]:
    return {
        "file": str(clip),
        "measures": {
            m.key: {
                "value": None if math.isnan(m.value) else m.value,
                "unit": m.unit,
                "better": m.direction,
                "about": m.about,
            }
            for m in measures
        },
        "notes": list(notes),
    }
