"""Options that several commands share, with one wording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Unit = Annotated[
    str | None,
    typer.Option(help="Length unit of the file: m, cm, mm, in, cmu, or metres per unit."),
]
Up = Annotated[str | None, typer.Option(help="Up axis of the file: y or z.")]
SkeletonFile = Annotated[
    Path | None, typer.Option(help="The .asf of an .amc, when it is not the one beside it.")
]
RolesFile = Annotated[
    Path | None,
    typer.Option(help="A file that names joints by role, one 'left_knee: LShin' per line."),
]
