"""`poise leap`: a captured jump goes further, higher, spins, lands there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import AS_THE_RECIPE_SAYS, RunOptions, taking_records, usual_recipe
from poise.apps.cli.run import follow, say

if TYPE_CHECKING:
    from poise.job import Change


@dataclass(frozen=True)
class LeapOptions:
    """An edit of one ground stage, one flight, or both."""

    by: Annotated[
        tuple[float, float, float] | None,
        typer.Option(help="Without a recipe: move a ground stage by metres.", metavar="X Y Z"),
    ] = None
    turn: Annotated[
        float | None,
        typer.Option(help="Turn it to the left; 360 is a full spin.", metavar="DEGREES"),
    ] = None
    stage: Annotated[
        int | None,
        typer.Option(help="Which ground stage, from 0; -1, the last landing, if nothing is said."),
    ] = None
    higher: Annotated[
        float | None,
        typer.Option(help="How high a flight rises, times the captured rise.", metavar="FACTOR"),
    ] = None
    flight: Annotated[
        int | None,
        typer.Option(help="Which flight, from 0; -1, the last, if nothing is said."),
    ] = None
    by_gravity: Annotated[
        bool,
        typer.Option(
            "--by-gravity", help="Higher in the same time: things fall faster, as nowhere on Earth."
        ),
    ] = False

    def edits(self) -> list[dict[str, dict[str, object]]]:
        """As a recipe writes them."""
        from poise.errors import BadValue

        moves = self.by is not None or self.turn is not None
        if self.stage is not None and not moves:
            raise BadValue("--stage", "beside --by or --turn", self.stage)
        if self.higher is None and (self.flight is not None or self.by_gravity):
            raise BadValue("--flight and --by-gravity", "beside --higher", "alone")
        found: list[dict[str, dict[str, object]]] = []
        if moves:
            stage = -1 if self.stage is None else self.stage
            move = {"name": "moved", "stage": stage, "by_m": list(self.by or (0, 0, 0))}
            found.append({"move_stage": {**move, "turn_deg": self.turn or 0.0}})
        if self.higher is not None:
            flight = -1 if self.flight is None else self.flight
            height = {"name": "higher", "flight": flight, "scale": self.higher}
            by = "gravity" if self.by_gravity else "time"
            found.append({"flight_height": {**height, "by": by}})
        return found


NO_LEAP = LeapOptions()


@taking_records
def leap(
    clip: Annotated[Path, typer.Argument(help="The clip with the leap.")],
    recipe: Annotated[
        Path | None,
        typer.Option(help="A recipe with a step of momentum (.yaml); see docs/recipes.md."),
    ] = None,
    asked: RunOptions = AS_THE_RECIPE_SAYS,
    wanted: LeapOptions = NO_LEAP,
    read: ClipOptions = AS_THE_FILE_SAYS,
    stages: Annotated[
        bool,
        typer.Option("--stages", help="Only say which stages the clip has, and change nothing."),
    ] = False,
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

    edits = wanted.edits()
    if recipe is not None and edits:
        raise BadValue("--by, --turn and --higher", "left out beside --recipe", "both")
    own = [Change(("momentum", "constraints"), edits, "the options")] if edits else []
    changes, used = asked.changes(read, own), recipe or usual_recipe("leap_clip")
    if stages:
        _say_stages(used, clip, changes)
        return
    if recipe is None and asked.output is None and asked.report is None:
        raise BadValue("output", "given, or nothing would be written (-o OUT)", "none")
    follow(used, clip, asked, changes, method="momentum")


def _say_stages(recipe: Path, clip: Path, changes: list[Change]) -> None:
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
