"""`poise pattern`: learn what motions of one behaviour share; edit one of them in their style."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.options import (
    AS_THE_RECIPE_SAYS,
    Accept,
    EnvironmentFile,
    Overwrite,
    RunOptions,
    check_npz,
    check_replaced,
    option_changes,
    taking_records,
    usual_recipe,
)
from poise.apps.cli.pattern_text import (
    EVENT,
    TOOL,
    events_from,
    goal_from,
    pattern_lines,
    span_from,
    tool_from,
)
from poise.apps.cli.run import follow, saying_problems
from poise.apps.cli.waiting import waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poise.constraints import Scene
    from poise.job import Change
    from poise.methods.pattern import Pattern

app = typer.Typer(
    help="Patterns: **learn** what ten swings share, **edit** one so that it hits there in their "
    "style, **show** what was learned.",
    no_args_is_help=True,
)

PatternFile = Annotated[Path, typer.Argument(help="A pattern, as 'poise pattern learn' writes it.")]


@app.command()
def learn(
    clips: Annotated[list[Path], typer.Argument(help="Two or more motions of one behaviour.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Write the pattern here (.npz).")],
    event: Annotated[
        list[str] | None,
        typer.Option(
            help="A moment that all motions have: found by rule (fastest, slowest, highest, "
            "lowest, starts, stops), or NAME=FRAME,FRAME,... for every clip; repeat.",
            metavar=EVENT,
        ),
    ] = None,
    no_events: Annotated[
        bool, typer.Option("--no-events", help="Only stretch clips to one length.")
    ] = False,
    span: Annotated[
        str | None,
        typer.Option(help="Use clips between two events only.", metavar="FIRST,LAST"),
    ] = None,
    tool: Annotated[
        list[str] | None,
        typer.Option(help="Something in a hand: metres in the joint's axes; repeat.", metavar=TOOL),
    ] = None,
    fit_club: Annotated[
        bool,
        typer.Option(
            "--fit-club",
            help="Swings without a captured club: fit one from the hands to the ground, and use "
            "the events of a swing.",
        ),
    ] = False,
    hand: Annotated[
        str | None,
        typer.Option(
            help="What the fitted club is fixed to: the leading hand; left_wrist, if nothing is "
            "said."
        ),
    ] = None,
    components: Annotated[
        int | None, typer.Option(help="How many components edits use; all, if nothing is said.")
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(help="Instead: as many as explain this share of the variance (0.95)."),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Learn the pattern of motions of one behaviour, on one skeleton.

    Clips are brought to one length with their events at the same moments, put on top of each other
    in the room, and taken apart into the ways in which they differ. Without events of yours, the
    moment is used in which the fastest hand, foot or tool is fastest.

        poise pattern learn swing_*.bvh --fit-club -o swings.npz

        poise pattern learn kick_*.bvh --event kick=fastest:right_ankle -o kicks.npz
    """  # fmt: skip
    from poise.errors import BadValue

    with saying_problems():
        check_npz(output, overwrite)
        if no_events and (event or fit_club):
            raise BadValue("--no-events", "left out beside --event and --fit-club", "both")
        if hand is not None and not fit_club:
            raise BadValue("--hand", "beside --fit-club", hand)
        hand = hand or "left_wrist"
        rules, given = events_from(event or (), len(clips))
        ends = span_from(span)
        tools = [tool_from(text) for text in tool or ()]
        with waiting("reading") as say:
            from poise.character import complete_character, with_attachments
            from poise.job import AS_IT_IS, clip_of, save_pattern
            from poise.methods.pattern import (
                SWING_SPAN,
                check_one_body,
                grounds_of,
                peak_event,
                swing_events,
            )
            from poise.methods.pattern import fit_club as fitted_club
            from poise.methods.pattern import learn as learn_pattern

            read = [clip_of(AS_IT_IS, path)[0] for path in clips]
            say("looking at the body")
            character = complete_character(read[0].skeleton)
            check_one_body(read)
            grounds = grounds_of(read, character)
            said: list[str] = []
            if fit_club:
                say("fitting a club")
                club = fitted_club(read, character, grounds, hand=hand)
                tools.append(club.tool)
                said.append(club.words())
                if not event:
                    rules = list(swing_events(club.tool.name, hand))
                    ends = ends if span is not None else SWING_SPAN
            if not (rules or given or no_events) and len(read) > 1:
                rules = [peak_event(read, with_attachments(character, tools))]
            say("learning")
            pattern = learn_pattern(
                read, character, rules=rules, events=given, span=ends, tools=tools,
                grounds_m=grounds,
                components=components, share=share,
            )  # fmt: skip
        with waiting("writing"):
            save_pattern(pattern, output)
        for line in said:
            print(line)
        for line in pattern_lines(pattern):
            print(line)
        print(f"{output}: a pattern of {len(read)} motions")


@app.command()
@taking_records
def edit(
    pattern: PatternFile,
    clip: Annotated[Path, typer.Argument(help="The clip to edit.")],
    hit: Annotated[
        tuple[str, float, float, float] | None,
        typer.Option(
            help="A point of the body or of a tool, and where it is to be, in metres.",
            metavar="POINT X Y Z",
        ),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(help="When: a frame, or an event of the pattern.", metavar="N|EVENT"),
    ] = None,
    by: Annotated[
        tuple[str, float, float, float] | None,
        typer.Option(
            help="Instead of --hit: how far from where the clip has it then.",
            metavar="POINT DX DY DZ",
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            help="A lesser goal in the same or another frame; repeat.", metavar="POINT,X,Y,Z,FRAME"
        ),
    ] = None,
    recipe: Annotated[
        Path | None, typer.Option(help="Instead, a recipe with a step of pattern (.yaml).")
    ] = None,
    asked: RunOptions = AS_THE_RECIPE_SAYS,
    environment: EnvironmentFile = None,
    accept: Accept = False,
) -> None:
    """Edit a clip so that a point is there in one frame, and the rest follows in style.

    Code 3 when that lies outside what the pattern's motions show; the nearest is written all the
    same.

        poise pattern edit swings.npz swing.bvh --by club_head 0 0 -0.05 --frame hit -o it.bvh

        poise pattern edit swings.npz swing.bvh --hit club_head 0.3 0.05 -0.1 --frame 331 -o it.bvh
    """  # fmt: skip
    from poise.errors import BadValue
    from poise.job import Change

    with saying_problems():
        if recipe is not None and (hit or by or also or frame is not None):
            raise BadValue("--hit, --by, --frame and --also", "left out beside --recipe", "both")
        if hit is not None and by is not None:
            raise BadValue("--hit and --by", "one of them", "both")
        if recipe is None and ((hit or by) is None or frame is None):
            raise BadValue("--hit and --frame", "both given (or --recipe)", "not both")
        if recipe is None and asked.output is None and asked.report is None:
            raise BadValue("output", "given, or nothing would be written (-o OUT)", "none")
        goals = [goal_from(text) for text in also or ()]
        first = hit or by
        if first is not None and frame is not None:
            goals.insert(0, (first[0], first[1:], frame))
        used = recipe or usual_recipe("pattern_clip")
        changes: list[str | Change] = [
            Change(("pattern", "pattern"), str(pattern.resolve()), str(pattern)),
            *option_changes(("environment", environment, "--environment")),
            *(asked.set_ or ()),
        ]
        if goals:
            with waiting(f"looking at {clip.name}"):
                # With goals of the same names, which --set may speak of; where they are comes next.
                known = [_as_change(goals, [((0.0, 0.0, 0.0), 0)] * len(goals)), *changes]
                look = _Looked(pattern, clip, used, known)
                found = _places_and_frames(goals, look, relative=by is not None)
            changes.insert(0, _as_change(goals, found))
        follow(used, clip, asked, changes, accept=accept, method="pattern")


@app.command()
def show(
    pattern: PatternFile,
    report: Annotated[
        Path | None, typer.Option(help="Write a page with plots of it here (.html).")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Say what a pattern is made of: its motions, events, components and styles.

    poise pattern show swings.npz --report swings.html
    """  # fmt: skip
    from poise.errors import BadValue

    with saying_problems():
        if report is not None and report.suffix.lower() not in (".html", ".htm"):
            raise BadValue("report", "a file that ends in .html", report.name)
        if report is not None:
            check_replaced(report, overwrite, "report")
        from poise.job import load_pattern

        read = load_pattern(pattern)
        for line in pattern_lines(read):
            print(line)
        if report is not None:
            from poise.apps.report.pattern_page import write_pattern_page

            write_pattern_page(read, report, pattern.name)
            print(f"{report}: a page about it")


_Place = tuple[float, float, float]


def _places_and_frames(
    goals: Sequence[tuple[str, _Place, str]], look: _Looked, *, relative: bool
) -> list[tuple[_Place, int]]:
    """Where and when.

    Frames that are events are looked up in the clip, and so is where the first point is, if its
    goal is told from there.
    """
    found: list[tuple[_Place, int]] = []
    for i, (point, place, text) in enumerate(goals):
        frame = int(text) if _is_number(text) else look.event(text)
        found.append((look.moved(point, frame, place) if relative and i == 0 else place, frame))
    return found


def _as_change(
    goals: Sequence[tuple[str, _Place, str]], found: Sequence[tuple[_Place, int]]
) -> Change:
    """Goals as a recipe writes them; later ones are less important."""
    from poise.job import Change

    names: list[str] = []
    for point, _, _ in goals:
        names.append(point if point not in names else f"{point} {len(names) + 1}")
    written = [
        {
            "hit_at": {
                "name": name, "point": point, "place_m": list(place), "frame": frame,
                "priority": 1 + i,
            }
        }
        for i, (name, (point, _, _), (place, frame)) in enumerate(
            zip(names, goals, found, strict=True)
        )
    ]  # fmt: skip
    return Change(("pattern", "constraints"), written, "the options")


def _is_number(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True


class _Looked:
    """A clip as the edit will see it, prepared once something has to be looked up in it."""

    def __init__(
        self, pattern: Path, clip: Path, recipe: Path, changes: Sequence[str | Change]
    ) -> None:
        self._asked = (pattern, clip, recipe, changes)

    @cached_property
    def _scene(self) -> tuple[Pattern, Scene, dict[str, int]]:
        from poise.constraints import Scene
        from poise.job import load_pattern, load_recipe, subject
        from poise.methods.pattern import Settings, event_frames

        pattern, clip, recipe, changes = self._asked
        read, asked = load_pattern(pattern), load_recipe(recipe, changes=changes)
        prepared = subject(asked, clip)
        every = (step.settings for step in asked.steps)
        settings = next(each for each in every if isinstance(each, Settings))
        read.check_skeleton(prepared.clip.skeleton, clip.name)
        character = read.with_tools(prepared.character)
        events = event_frames(read, prepared.clip, character, settings.events or None)
        return read, Scene(prepared.clip, character), events

    def event(self, name: str) -> int:
        """The frame of an event."""
        from poise.errors import UnknownName

        events = self._scene[2]
        if name not in events:
            raise UnknownName("event of the pattern", name, events, advice="Or give a frame.")
        return events[name]

    def moved(self, point: str, frame: int, by: _Place) -> _Place:
        """Where a point would be, so far from where it is."""
        from poise.constraints import Interval, point_path

        scene = self._scene[1]
        if not 0 <= frame < scene.clip.frame_count:
            Interval(max(frame, 0), max(frame, 0)).check_inside(scene.clip.frame_count, point)
        x, y, z = point_path(scene, point, frame, frame)[0].tolist()
        return x + by[0], y + by[1], z + by[2]
