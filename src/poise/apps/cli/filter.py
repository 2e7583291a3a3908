"""`poise filter`: a recipe on a clip of your own, with the physically based filter."""

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


def filter_clip(
    clip: Annotated[Path, typer.Argument(help="The clip to filter.")],
    recipe: Annotated[Path, typer.Option(help="What to do (.yaml); see docs/recipes.md.")],
    output: Output = None,
    report: Report = None,
    without: Without = None,
    set_: Set = None,
    overwrite: Overwrite = False,
    accept: Accept = False,
) -> None:
    """Filter a clip by a recipe, whatever clip the recipe itself names.

    The clip is cut, cleaned and resampled as the recipe says. Code 3 when some constraint is not
    met; the outputs are written all the same.

        poise filter walk.bvh --recipe balance.yaml -o balanced.bvh
    """  # fmt: skip
    with saying_problems():
        follow(recipe, clip, output, report, without, set_, overwrite=overwrite, accept=accept)
