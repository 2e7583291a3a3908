"""`poise run`: do what a recipe says."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.waiting import waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poise.job import Change

EXIT_WRONG_INPUT = 2
EXIT_NOT_MET = 3


def _schema(asked: bool) -> None:
    if asked:
        import json

        from poise.recipes import recipe_schema

        print(json.dumps(recipe_schema(), indent=2, ensure_ascii=False))
        raise typer.Exit


Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", help="Write the edited clip here, instead of where the recipe says."
    ),
]
Report = Annotated[
    Path | None, typer.Option(help="Write a page about it here (.html), before and after.")
]
Without = Annotated[
    list[str] | None,
    typer.Option(help="Leave out the constraint of this name; repeat.", metavar="NAME"),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Change one value first: reach.priority=3, deform.settings.strategy=weights, "
        "clip.rate_hz=24; repeat.",
        metavar="PATH=VALUE",
    ),
]
Overwrite = Annotated[bool, typer.Option(help="Replace outputs that exist.")]
Accept = Annotated[
    bool,
    typer.Option("--accept", help="End with code 0 also when some constraint was not met."),
]


def run(
    recipe: Annotated[Path, typer.Argument(help="The recipe (.yaml); see docs/recipes.md.")],
    clip: Annotated[Path | None, typer.Option(help="Another clip than the recipe names.")] = None,
    output: Output = None,
    report: Report = None,
    without: Without = None,
    set_: Set = None,
    overwrite: Overwrite = False,
    accept: Accept = False,
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

    Ends with code 0 when every constraint is met and with 3 when one is not; the outputs are
    written in both cases.

        poise run reach.yaml

        poise run reach.yaml --clip other.bvh -o edited.bvh --report edited.html

        poise run reach.yaml --without balance --set reach.priority=1 -o unbalanced.bvh
    """  # fmt: skip
    with saying_problems():
        follow(recipe, clip, output, report, without, set_, overwrite=overwrite, accept=accept)


def follow(
    recipe_path: Path,
    clip: Path | None,
    output: Path | None,
    report: Path | None,
    without: Sequence[str] | None,
    changes: Sequence[str | Change] | None,
    *,
    overwrite: bool,
    accept: bool,
    method: str | None = None,
    contacts: Path | None = None,
    preview: Path | None = None,
) -> None:
    """Read, check, run, write, and say how it went.

    Args:
        recipe_path: what to do.
        clip: another clip than the recipe's.
        output: where the edited clip goes.
        report: where a page about it goes.
        without: names of constraints to leave out.
        changes: values to change first.
        overwrite: whether files may be replaced.
        accept: whether unmet goals are no failure.
        method: a step of it must be there.
        contacts: where what touches when goes.
        preview: where a method that makes one puts its first version, as soon as it is there.
    """
    with waiting(f"reading {recipe_path.name}"):
        from poise.apps.cli.before_after import figure_lines, is_measured
        from poise.apps.cli.run_progress import Watching
        from poise.apps.evaluation import evaluation_of
        from poise.apps.outcome_text import outcome_lines
        from poise.apps.outputs import planned_outputs, write_outputs
        from poise.errors import BadValue
        from poise.recipes import load_recipe, prepare, run_prepared

        recipe = load_recipe(recipe_path, changes=changes or (), without=without or ())
        used = [step.method for step in recipe.steps]
        if method is not None and method not in used:
            raise BadValue(
                f"steps of {recipe_path.name}",
                f"at least one of '{method}' (poise run follows any recipe)",
                ", ".join(used),
            )
        # What cannot be written is said before the work, not after it.
        given = {"clip": output, "contacts": contacts, "report": report, "preview": preview}
        outputs = planned_outputs(recipe, clip, given, overwrite=overwrite)
        prepared = prepare(recipe, clip)
    with waiting("running") as say:
        watching = Watching(say, outputs.files.pop("preview", None))
        outcome = run_prepared(recipe, prepared, watch=watching)
    found = None
    if "report" in outputs.files or is_measured(recipe):
        with waiting("measuring"):
            found = evaluation_of(outcome)
    with waiting("writing"):
        name = recipe_path.stem if clip is None else clip.stem
        written, notes = write_outputs(outputs, recipe, outcome, found, name)
    for note in (*outputs.notes, *outcome.notes, *watching.notes, *notes):
        typer.echo(f"note: {note}", err=True)
    lines = outcome_lines(recipe, outcome)
    if found is not None and is_measured(recipe):
        lines += figure_lines(found)
    for line in (*lines, *watching.written, *written):
        print(line)
    if not outcome.converged and not accept:
        raise typer.Exit(EXIT_NOT_MET)


@contextmanager
def saying_problems() -> Generator[None, None, None]:
    """Say all that is wrong with a recipe, a line each, and leave with the code for wrong input."""
    from poise.errors import PoiseError

    try:
        yield
    except PoiseError as problem:
        if not hasattr(problem, "problems"):
            raise
        for line in str(problem).splitlines():
            print(f"poise: {line}", file=sys.stderr)
        raise typer.Exit(EXIT_WRONG_INPUT) from None
