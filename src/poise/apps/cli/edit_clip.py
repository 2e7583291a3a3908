"""`poise deform` and `poise filter`: a recipe of that method on a clip of your own."""

from __future__ import annotations

from collections.abc import Callable
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

Clip = Annotated[Path, typer.Argument(help="The clip to edit.")]
RecipeFile = Annotated[Path, typer.Option(help="What to do (.yaml); see docs/recipes.md.")]


def command_for(method: str, about: str) -> Callable[..., None]:
    """The command of one method; it follows recipes that have a step of it."""

    def edit_clip(
        clip: Clip,
        recipe: RecipeFile,
        output: Output = None,
        report: Report = None,
        without: Without = None,
        set_: Set = None,
        overwrite: Overwrite = False,
        accept: Accept = False,
    ) -> None:
        with saying_problems():
            follow(
                recipe, clip, output, report, without, set_,
                overwrite=overwrite, accept=accept, method=method,
            )  # fmt: skip

    edit_clip.__doc__ = f"""{about}, by a recipe, whatever clip the recipe itself names.

    The clip is cut, cleaned and resampled as the recipe says. Code 3 when some constraint is not
    met; the outputs are written all the same.

        poise {method} walk.bvh --recipe edit.yaml -o edited.bvh
    """
    return edit_clip
