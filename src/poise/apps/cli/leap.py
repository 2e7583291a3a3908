"""`poise leap`: a captured jump goes further, higher, spins, lands there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.options import (
    AS_THE_RECIPE_SAYS,
    Accept,
    EnvironmentFile,
    RunOptions,
    option_changes,
    taking_records,
    usual_recipe,
)
from poise.apps.cli.run import follow, say, saying_problems

if TYPE_CHECKING:
    from poise.job import Change


@taking_records
def leap(
    clip: Annotated[Path, typer.Argument(help="The clip with the leap.")],
    recipe: Annotated[
        Path | None,
        typer.Option(help="A recipe with a step of momentum (.yaml); see docs/recipes.md."),
    ] = None,
    asked: RunOptions = AS_THE_RECIPE_SAYS,
    by: Annotated[
        tuple[float, float, float] | None,
        typer.Option(help="Without a recipe: move a ground stage by metres.", metavar="X Y Z"),
    ] = None,
    turn: Annotated[
        float | None,
        typer.Option(help="Turn it to the left; 360 is a full spin.", metavar="DEGREES"),
    ] = None,
    stage: Annotated[
        int | None,
        typer.Option(help="Which ground stage, from 0; -1, the last landing, if nothing is said."),
    ] = None,
    higher: Annotated[
        float | None,
        typer.Option(help="How high a flight rises, times the captured rise.", metavar="FACTOR"),
    ] = None,
    flight: Annotated[
        int | None,
        typer.Option(help="Which flight, from 0; -1, the last, if nothing is said."),
    ] = None,
    by_gravity: Annotated[
        bool,
        typer.Option(
            "--by-gravity", help="Higher in the same time: things fall faster, as nowhere on Earth."
        ),
    ] = False,
    environment: EnvironmentFile = None,
    stages: Annotated[
        bool,
        typer.Option("--stages", help="Only say which stages the clip has, and change nothing."),
    ] = False,
    accept: Accept = False,
) -> None:
    """Edit a leap so that it still obeys gravity: further, higher, turned, landing there.

    In the air the centre of mass falls as it must and spin does not change; feet stand where the
    moved stages have them. Code 3 when that cannot be had; the outputs are written all the same.

        poise leap jump.bvh --stages

        poise leap jump.bvh --by 0 0 0.5 -o further.bvh --report further.html

        poise leap jump.bvh --turn 360 --higher 1.3 -o spin.bvh

        poise leap jump.bvh --recipe edit.yaml -o edited.bvh
    """  # fmt: skip
    from poise.errors import BadValue
    from poise.job import Change

    with saying_problems():
        edits = _edits(by, turn, stage, higher, flight, by_gravity)
        if recipe is not None and edits:
            raise BadValue("--by, --turn and --higher", "left out beside --recipe", "both")
        changes = option_changes(("environment", environment, "--environment"))
        if edits:
            changes.append(Change(("momentum", "constraints"), edits, "the options"))
        changes += asked.set_ or ()
        used = recipe or usual_recipe("leap_clip")
        if stages:
            _say_stages(used, clip, [*changes, *asked.changes(changes)])
            return
        if recipe is None and asked.output is None and asked.report is None:
            raise BadValue("output", "given, or nothing would be written (-o OUT)", "none")
        follow(used, clip, asked, changes, accept=accept, method="momentum")


def _edits(
    by: tuple[float, float, float] | None, turn: float | None, stage: int | None,
    higher: float | None, flight: int | None, by_gravity: bool,
) -> list[dict[str, dict[str, object]]]:  # fmt: skip
    from poise.errors import BadValue

    if stage is not None and by is None and turn is None:
        raise BadValue("--stage", "beside --by or --turn", stage)
    if higher is None and (flight is not None or by_gravity):
        raise BadValue("--flight and --by-gravity", "beside --higher", "alone")
    found: list[dict[str, dict[str, object]]] = []
    stage, flight = -1 if stage is None else stage, -1 if flight is None else flight
    if by is not None or turn is not None:
        move = {"name": "moved", "stage": stage, "by_m": list(by or (0, 0, 0))}
        found.append({"move_stage": {**move, "turn_deg": turn or 0.0}})
    if higher is not None:
        height = {"name": "higher", "flight": flight, "scale": higher}
        found.append({"flight_height": {**height, "by": "gravity" if by_gravity else "time"}})
    return found


def _say_stages(recipe: Path, clip: Path, changes: list[str | Change]) -> None:
    from poise.apps.cli.waiting import waiting

    with waiting(f"looking at {clip.name}"):
        from poise.apps.outcome_text import stage_lines
        from poise.errors import BadValue
        from poise.job import edit_of, load_recipe, subject, vocabulary
        from poise.methods.momentum import Settings, captured

        read = load_recipe(recipe, changes=changes)
        prepared = subject(read, clip)
        steps = [i for i, step in enumerate(read.steps) if step.method == "momentum"]
        if not steps:
            raise BadValue(f"steps of {recipe.name}", "at least one of 'momentum'", "none")
        edit = edit_of(read, steps[0], prepared, prepared.clip, vocabulary())
        settings = read.steps[steps[0]].settings
        assert isinstance(settings, Settings)
        found = captured(edit, settings)
    say((*prepared.notes, *found.notes), stage_lines(found))
