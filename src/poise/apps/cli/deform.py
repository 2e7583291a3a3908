"""`poise deform`: a recipe on a clip of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.run import (
    Accept,
    Output,
    Overwrite,
    Report,
    Set,
    Without,
    follow,
    saying_problems,
)


def deform(
    clip: Annotated[Path, typer.Argument(help="The clip to edit.")],
    recipe: Annotated[Path, typer.Option(help="What to do (.yaml); see docs/recipes.md.")],
    output: Output = None,
    report: Report = None,
    without: Without = None,
    set_: Set = None,
    overwrite: Overwrite = False,
    accept: Accept = False,
) -> None:
    """Bend a clip to the constraints of a recipe, whatever clip the recipe itself names.

    The clip is cut, cleaned and resampled as the recipe says. Code 3 when some constraint is not
    met; the outputs are written all the same.

        poise deform walk.bvh --recipe reach.yaml -o reaching.bvh
    """  # fmt: skip
    with saying_problems():
        follow(recipe, clip, output, report, without, set_, overwrite=overwrite, accept=accept)
