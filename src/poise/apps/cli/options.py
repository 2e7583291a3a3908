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
Rate = Annotated[
    float | None, typer.Option(help="Frame rate of an .amc, which does not state one.")
]
Animation = Annotated[
    str | None, typer.Option(help="Which animation of a glTF file, by name or number.")
]
RolesFile = Annotated[
    Path | None,
    typer.Option(help="A file that names joints by role, one 'left_knee: LShin' per line."),
]
Against = Annotated[Path | None, typer.Option(help="The original, to compare with.")]
EnvironmentFile = Annotated[
    Path | None,
    typer.Option(
        help="The place: a small YAML file, or a mesh (.obj, .stl, .glb). Without it, "
        "the floor that the feet show."
    ),
]
ContactsFile = Annotated[
    Path | None, typer.Option(help="What touches when (.csv or .json), instead of detecting it.")
]
Mass = Annotated[
    float | None, typer.Option(help="Body mass in kg; without it, taken from the stature.")
]
Table = Annotated[str, typer.Option(help="Segment masses by: de_leva (1996) or winter (1990).")]
Sex = Annotated[str, typer.Option(help="Whose of de Leva's: male, female or average.")]
Clean = Annotated[
    bool,
    typer.Option(help="Leave out fake T-poses, fill lost frames and restore a lost thorax first."),
]
