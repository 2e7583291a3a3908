"""`poise run`: do what a recipe says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import AS_THE_RECIPE_SAYS, RunOptions, taking_records
from poise.apps.cli.waiting import Say, say_notes, waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from poise.job import Change, Outcome, PlannedOutputs, Recipe, Subject
    from poise.methods import Progress

EXIT_WRONG_INPUT = 2
EXIT_NOT_MET = 3


def _schema(asked: bool) -> None:
    if asked:
        import json

        from poise.job import recipe_schema

        print(json.dumps(recipe_schema(), indent=2, ensure_ascii=False))
        raise typer.Exit


@taking_records
def run(
    recipe: Annotated[Path, typer.Argument(help="The recipe (.yaml); see docs/recipes.md.")],
    clip: Annotated[Path | None, typer.Option(help="Another clip than the recipe names.")] = None,
    asked: RunOptions = AS_THE_RECIPE_SAYS,
    read: ClipOptions = AS_THE_FILE_SAYS,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema",
            callback=_schema,
            is_eager=True,
            help="Print the JSON schema of recipes, which editors use to complete and check.",
        ),
    ] = False,
) -> None:
    """Do what a recipe says: which clip, which constraints in which order, which files to write.

    Options come before what the recipe says, and --set before both. Files in options and in --set
    are seen from the current folder, those in the recipe from its own.

    Ends with code 0 when every constraint is met and with 3 when one is not; the outputs are
    written in both cases.

        poise run reach.yaml

        poise run reach.yaml --clip other.bvh -o edited.bvh --report edited.html

        poise run reach.yaml --without balance --set reach.priority=1 -o unbalanced.bvh
    """  # fmt: skip
    follow(recipe, clip, asked, asked.changes(read))


def follow(
    recipe_path: Path,
    clip: Path | None,
    asked: RunOptions,
    changes: Sequence[str | Change],
    *,
    method: str | None = None,
    given: Mapping[str, Path | None] | None = None,
    tell: Callable[[Outcome, Sequence[str]], None] | None = None,
) -> None:
    """Read, check, run, write, and say how it went.

    Args:
        recipe_path: what to do.
        clip: another clip than the recipe's.
        asked: what to write, what to leave out.
        changes: values to change first, those of `asked` among them.
        method: a step of it must be there.
        given: where more goes than `asked` says: what touches when (`contacts`), the first version
            of a method that makes one (`preview`), a robot's file (`robot`).
        tell: says how it went, of which these are the notes, instead of us.
    """
    with waiting(f"reading {recipe_path.name}"):
        from poise.apps.figure_text import figure_lines, is_measured
        from poise.apps.outcome_text import outcome_lines, outcome_page
        from poise.job import evaluation_of, load_recipe, run_prepared, write_outputs

        recipe = load_recipe(recipe_path, changes=changes, without=asked.without or ())
        recipe = recipe.for_clip(clip)
        _check_method(recipe, recipe_path, method)
        outputs, prepared = _ready(recipe, clip, asked, given or {})
    with waiting("running") as news:
        watching = Watching(news, outputs.files.pop("preview", None))
        outcome = run_prepared(recipe, prepared, progress=watching)
    found = None
    if "report" in outputs.files or (tell is None and is_measured(recipe)):
        with waiting("measuring"):
            found = evaluation_of(outcome)
    with waiting("writing"):
        name = recipe_path.stem if clip is None else clip.stem
        written, notes = write_outputs(
            outputs, recipe, outcome, found, lambda seen: outcome_page(recipe, outcome, seen, name)
        )
    said = (*outputs.notes, *outcome.notes, *watching.notes, *notes)
    if tell is not None:
        tell(outcome, said)
    else:
        lines = outcome_lines(recipe, outcome)
        if found is not None and is_measured(recipe):
            lines += figure_lines(found)
        say(said, (*lines, *watching.written, *written))
    if not outcome.converged and not asked.accept:
        raise typer.Exit(EXIT_NOT_MET)


def _check_method(recipe: Recipe, path: Path, method: str | None) -> None:
    from poise.errors import BadValue

    used = [step.method for step in recipe.steps]
    if method is not None and method not in used:
        allowed = f"at least one of '{method}' (poise run follows any recipe)"
        raise BadValue(f"steps of {path.name}", allowed, ", ".join(used))


def _ready(
    recipe: Recipe, clip: Path | None, asked: RunOptions, given: Mapping[str, Path | None]
) -> tuple[PlannedOutputs, Subject]:
    """The outputs and the subject: what cannot be written is said before the work, not after it."""
    from poise.apps.report.page import built
    from poise.formats import check_hinged
    from poise.job import located, planned_outputs, subject

    usual = {"clip": asked.output, "contacts": None, "report": asked.report}
    outputs = planned_outputs(
        recipe, clip, {**usual, **given}, overwrite=asked.overwrite,
        allow_outside=asked.allow_outside,
    )  # fmt: skip
    if "report" in outputs.files:
        built()
    prepared = subject(recipe, clip)
    if "robot" in outputs.files and prepared.target is not None:
        with located(recipe, ("outputs", "robot")):
            check_hinged(prepared.target.skeleton)
    return outputs, prepared


def say(notes: Iterable[str], lines: Iterable[str]) -> None:
    """Notes to standard error, what was asked for to standard output."""
    say_notes(notes)
    for line in lines:
        print(line)


STAGES = {
    "contacts": "looking for contacts",
    "places": "finding places for the joints",
    "angles": "turning the joints",
    "leap": "solving the leap, step",
}


class Watching:
    """Is told how far a method is."""

    def __init__(self, say: Say, preview: Path | None = None) -> None:
        self._say = say
        self._preview = preview
        self.written: list[str] = []
        """A line about the preview, once it is written."""
        self.notes: list[str] = []

    def __call__(self, told: Progress) -> None:
        """Show it; the first preview is written."""
        words = STAGES.get(told.stage, told.stage)
        self._say(f"{words}: {told.done} of {told.total}" if told.total > 1 else words)
        if told.preview is None or self._preview is None:
            return
        path, self._preview = self._preview, None
        from poise.formats import save_clip
        from poise.wording import counted

        self.notes += save_clip(told.preview, path)
        clip = told.preview
        frames = f"{counted(clip.frame_count, 'frame')} at {clip.rate_hz:g} Hz"
        self.written.append(f"{path}: a preview before contacts were made exact, {frames}")
