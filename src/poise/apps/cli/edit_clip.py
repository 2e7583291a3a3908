"""`poise deform` and `poise filter`: a recipe of that method on a clip of your own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.options import AS_THE_RECIPE_SAYS, Accept, RunOptions, taking_records
from poise.apps.cli.run import follow, saying_problems

if TYPE_CHECKING:
    from poise.job import Change

Clip = Annotated[Path, typer.Argument(help="The clip to edit.")]
RecipeFile = Annotated[
    Path | None,
    typer.Option(
        help="What to do (.yaml); see docs/recipes.md. With --to it may be left out: both feet "
        "then go where they went."
    ),
]
To = Annotated[
    Path | None,
    typer.Option(
        help="Put the motion on the body of this motion or skeleton file first; its root is "
        "raised or lowered by one amount, and constraints speak of the clip's own body.",
        metavar="CHARACTER",
    ),
]


Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Frames in, frames out, as they come: CLIP is a BVH, or - for standard input; -o is "
        "standard output unless given.",
    ),
]


def command_for(method: str, about: str) -> Callable[..., None]:
    """The command of one method; it follows recipes that have a step of it."""

    def edit_clip(
        clip: Clip,
        recipe: RecipeFile = None,
        to: To = None,
        asked: RunOptions = AS_THE_RECIPE_SAYS,
        accept: Accept = False,
    ) -> None:
        changes = _changes(asked.set_, to)
        with saying_problems():
            used = recipe or _usual_recipe(method, to)
            follow(used, clip, asked, changes, accept=accept, method=method)

    def filter_clip(
        clip: Clip,
        recipe: RecipeFile = None,
        to: To = None,
        asked: RunOptions = AS_THE_RECIPE_SAYS,
        accept: Accept = False,
        stream: Stream = False,
    ) -> None:
        if not stream:
            return edit_clip(clip, recipe, to, asked, accept)
        from poise.apps.cli.stream_frames import stream_clip

        if asked.report is not None:
            raise typer.BadParameter("none of a stream", param_hint="--report")
        changes = _changes(asked.set_, to)
        with saying_problems():
            stream_clip(recipe or _usual_recipe(method, to), clip, asked, changes)

    command = taking_records(filter_clip if method == "filter" else edit_clip)
    command.__doc__ = f"""{about}, by a recipe, whatever clip the recipe itself names.

    The clip is cut, cleaned and resampled as the recipe says. Code 3 when some constraint is not
    met; the outputs are written all the same.

        poise {method} walk.bvh --recipe edit.yaml -o edited.bvh

        poise {method} walk.bvh --to other.bvh -o other_walk.bvh
    """
    return command


def _changes(set_: list[str] | None, to: Path | None) -> list[str | Change]:
    """Another body is one as a recipe would write it, but seen from where the user is."""
    from poise.job import Change

    body = [] if to is None else [Change(("character", "to"), str(to.resolve()), f"--to {to}")]
    return [*(set_ or ()), *body]


def _usual_recipe(method: str, to: Path | None) -> Path:
    """For another body, that of the paper's dancing experiment."""
    if to is None:
        raise typer.BadParameter("needed, unless --to names a body", param_hint="--recipe")
    from poise import job

    return Path(job.__file__).with_name(f"onto_body_{method}.yaml")
