"""`poise deform` and `poise filter`: a recipe of that method on a clip of your own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions, option_changes
from poise.apps.cli.options import AS_THE_RECIPE_SAYS, RunOptions, taking_records, usual_recipe
from poise.apps.cli.run import follow

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
        read: ClipOptions = AS_THE_FILE_SAYS,
    ) -> None:
        used, changes = _recipe_and_changes(recipe, method, to, asked, read)
        follow(used, clip, asked, changes, method=method)

    def filter_clip(
        clip: Clip,
        recipe: RecipeFile = None,
        to: To = None,
        asked: RunOptions = AS_THE_RECIPE_SAYS,
        read: ClipOptions = AS_THE_FILE_SAYS,
        stream: Stream = False,
    ) -> None:
        if not stream:
            return edit_clip(clip, recipe, to, asked, read)
        from poise.apps.cli.stream_frames import stream_clip

        if asked.report is not None:
            raise typer.BadParameter("none of a stream", param_hint="--report")
        if asked.root_motion:
            raise typer.BadParameter("a stream is not known as a whole", param_hint="--root-motion")
        used, changes = _recipe_and_changes(recipe, method, to, asked, read)
        stream_clip(used, clip, asked, changes, read)

    command = taking_records(filter_clip if method == "filter" else edit_clip)
    command.__doc__ = f"""{about}, by a recipe, whatever clip the recipe itself names.

    The clip is cut, cleaned and resampled as the recipe says. Code 3 when some constraint is not
    met; the outputs are written all the same.

        poise {method} walk.bvh --recipe edit.yaml -o edited.bvh

        poise {method} walk.bvh --to other.bvh -o other_walk.bvh
    """
    return command


def _recipe_and_changes(
    recipe: Path | None, method: str, to: Path | None, asked: RunOptions, read: ClipOptions
) -> tuple[Path, list[Change]]:
    """Without a recipe, for another body, that of the paper's dancing experiment."""
    if recipe is None and to is None:
        raise typer.BadParameter("needed, unless --to names a body", param_hint="--recipe")
    own = option_changes(("character.to", to, "--to"))
    return recipe or usual_recipe(f"onto_body_{method}"), asked.changes(read, own)
