"""`poise pattern`: learn what motions of one behaviour share; edit one of them in their style."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions, option_changes
from poise.apps.cli.options import (
    AS_THE_RECIPE_SAYS,
    Overwrite,
    RunOptions,
    check_npz,
    check_replaced,
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
from poise.apps.cli.run import follow
from poise.apps.cli.waiting import waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poise.constraints import Scene
    from poise.job import Change, Subject
    from poise.methods.pattern import Pattern

app = typer.Typer(
    help="Patterns: **learn** what ten swings share, **edit** one so that it hits there in their "
    "style, **show** what was learned.",
    no_args_is_help=True,
)

_Place = tuple[float, float, float]

PatternFile = Annotated[Path, typer.Argument(help="A pattern, as 'poise pattern learn' writes it.")]


@dataclass(frozen=True)
class LearnOptions:
    """What of the motions is compared, and how much of it is kept."""

    event: Annotated[
        list[str] | None,
        typer.Option(
            help="A moment that all motions have: found by rule (fastest, slowest, highest, "
            "lowest, starts, stops), or NAME=FRAME,FRAME,... for every clip; repeat.",
            metavar=EVENT,
        ),
    ] = None
    no_events: Annotated[
        bool, typer.Option("--no-events", help="Only stretch clips to one length.")
    ] = False
    span: Annotated[
        str | None,
        typer.Option(help="Use clips between two events only.", metavar="FIRST,LAST"),
    ] = None
    tool: Annotated[
        list[str] | None,
        typer.Option(help="Something in a hand: metres in the joint's axes; repeat.", metavar=TOOL),
    ] = None
    fit_club: Annotated[
        bool,
        typer.Option(
            "--fit-club",
            help="Swings without a captured club: fit one from the hands to the ground, and use "
            "the events of a swing.",
        ),
    ] = False
    hand: Annotated[
        str | None,
        typer.Option(
            help="What the fitted club is fixed to: the leading hand; left_wrist, if nothing is "
            "said."
        ),
    ] = None
    components: Annotated[
        int | None, typer.Option(help="How many components edits use; all, if nothing is said.")
    ] = None
    share: Annotated[
        float | None,
        typer.Option(help="Instead: as many as explain this share of the variance (0.95)."),
    ] = None

    def check(self) -> None:
        """Nothing, if the options go together.

        Raises:
            BadValue: they do not.
        """
        from poise.errors import BadValue

        if self.no_events and (self.event or self.fit_club):
            raise BadValue("--no-events", "left out beside --event and --fit-club", "both")
        if self.hand is not None and not self.fit_club:
            raise BadValue("--hand", "beside --fit-club", self.hand)


AS_USUAL = LearnOptions()


@app.command()
@taking_records
def learn(
    clips: Annotated[list[Path], typer.Argument(help="Two or more motions of one behaviour.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Write the pattern here (.npz).")],
    wanted: LearnOptions = AS_USUAL,
    read: ClipOptions = AS_THE_FILE_SAYS,
    overwrite: Overwrite = False,
) -> None:
    """Learn the pattern of motions of one behaviour, on one skeleton.

    Clips are brought to one length with their events at the same moments, put on top of each other
    in the room, and taken apart into the ways in which they differ. Without events of yours, the
    moment is used in which the fastest hand, foot or tool is fastest.

        poise pattern learn swing_*.bvh --fit-club -o swings.npz

        poise pattern learn kick_*.bvh --event kick=fastest:right_ankle -o kicks.npz
    """  # fmt: skip
    check_npz(output, overwrite)
    wanted.check()
    with waiting("reading") as say:
        from poise.job import save_pattern

        seen = _motions(clips, read)
        say("learning")
        pattern, said = _learned(seen, wanted)
    with waiting("writing"):
        save_pattern(pattern, output)
    for line in (*said, *pattern_lines(pattern)):
        print(line)
    print(f"{output}: a pattern of {len(clips)} motions")


def _motions(clips: Sequence[Path], read: ClipOptions) -> list[Subject]:
    """The clips, whose they are and where. Soles are as the skeleton has them unless asked."""
    from poise.job import subject

    asked = read.question()
    if read.soles is None:
        asked = replace(asked, character=replace(asked.character, soles="skeleton"))
    return [subject(asked, path) for path in clips]


def _learned(seen: Sequence[Subject], wanted: LearnOptions) -> tuple[Pattern, list[str]]:
    """The pattern of motions on one skeleton, and what there is to say first."""
    from poise.character import with_attachments
    from poise.methods.pattern import SWING_SPAN, check_one_body, peak_event, swing_events
    from poise.methods.pattern import fit_club as fitted_club
    from poise.methods.pattern import learn as learn_pattern

    clips, character, said = [each.clip for each in seen], seen[0].character, list[str]()
    check_one_body(clips)
    grounds = [_ground_m(each) for each in seen]
    rules, given = events_from(wanted.event or (), len(clips))
    ends, tools = span_from(wanted.span), [tool_from(text) for text in wanted.tool or ()]
    if wanted.fit_club:
        hand = wanted.hand or "left_wrist"
        club = fitted_club(clips, character, grounds, hand=hand)
        tools.append(club.tool)
        said.append(club.words())
        if not wanted.event:
            rules = list(swing_events(club.tool.name, hand))
            ends = ends if wanted.span is not None else SWING_SPAN
    if not (rules or given or wanted.no_events) and len(clips) > 1:
        rules = [peak_event(clips, with_attachments(character, tools))]
    pattern = learn_pattern(
        clips, character, rules=rules, events=given, span=ends, tools=tools, grounds_m=grounds,
        components=wanted.components, share=wanted.share,
    )  # fmt: skip
    return pattern, said


def _ground_m(seen: Subject) -> float:
    """Height of the ground under a clip."""
    from poise.errors import BadValue

    if not seen.environment.grounds:
        raise BadValue("--environment", "a place with a ground", "one without")
    middle = seen.clip.root_positions_m.mean(axis=0)
    return float(seen.environment.grounds[0].heights_m(middle))


@dataclass(frozen=True)
class GoalOptions:
    """Where a point is to be, and when."""

    hit: Annotated[
        tuple[str, float, float, float] | None,
        typer.Option(
            help="A point of the body or of a tool, and where it is to be, in metres.",
            metavar="POINT X Y Z",
        ),
    ] = None
    frame: Annotated[
        str | None,
        typer.Option(help="When: a frame, or an event of the pattern.", metavar="N|EVENT"),
    ] = None
    by: Annotated[
        tuple[str, float, float, float] | None,
        typer.Option(
            help="Instead of --hit: how far from where the clip has it then.",
            metavar="POINT DX DY DZ",
        ),
    ] = None
    also: Annotated[
        list[str] | None,
        typer.Option(
            help="A lesser goal in the same or another frame; repeat.", metavar="POINT,X,Y,Z,FRAME"
        ),
    ] = None

    def goals(self) -> list[tuple[str, _Place, str]]:
        """The first of them, and the lesser ones."""
        goals = [goal_from(text) for text in self.also or ()]
        first = self.hit or self.by
        if first is not None and self.frame is not None:
            goals.insert(0, (first[0], first[1:], self.frame))
        return goals

    def check(self, recipe: Path | None) -> None:
        """Nothing, if the options go together.

        Raises:
            BadValue: they do not.
        """
        from poise.errors import BadValue

        if recipe is not None and (self.hit or self.by or self.also or self.frame is not None):
            raise BadValue("--hit, --by, --frame and --also", "left out beside --recipe", "both")
        if self.hit is not None and self.by is not None:
            raise BadValue("--hit and --by", "one of them", "both")
        if recipe is None and ((self.hit or self.by) is None or self.frame is None):
            raise BadValue("--hit and --frame", "both given (or --recipe)", "not both")


NO_GOALS = GoalOptions()


@app.command()
@taking_records
def edit(
    pattern: PatternFile,
    clip: Annotated[Path, typer.Argument(help="The clip to edit.")],
    wanted: GoalOptions = NO_GOALS,
    recipe: Annotated[
        Path | None, typer.Option(help="Instead, a recipe with a step of pattern (.yaml).")
    ] = None,
    asked: RunOptions = AS_THE_RECIPE_SAYS,
    read: ClipOptions = AS_THE_FILE_SAYS,
) -> None:
    """Edit a clip so that a point is there in one frame, and the rest follows in style.

    Code 3 when that lies outside what the pattern's motions show; the nearest is written all the
    same.

        poise pattern edit swings.npz swing.bvh --by club_head 0 0 -0.05 --frame hit -o it.bvh

        poise pattern edit swings.npz swing.bvh --hit club_head 0.3 0.05 -0.1 --frame 331 -o it.bvh
    """  # fmt: skip
    from poise.errors import BadValue

    wanted.check(recipe)
    if recipe is None and asked.output is None and asked.report is None:
        raise BadValue("output", "given, or nothing would be written (-o OUT)", "none")
    goals, used = wanted.goals(), recipe or usual_recipe("pattern_clip")
    own = option_changes(("pattern.pattern", pattern, "the pattern"))
    if goals:
        with waiting(f"looking at {clip.name}"):
            # With goals of the same names, which --set may speak of; where they are comes next.
            somewhere = _as_change(goals, [((0.0, 0.0, 0.0), 0)] * len(goals))
            look = _Looked(pattern, clip, used, asked.changes(read, [somewhere, *own]))
            found = _places_and_frames(goals, look, relative=wanted.by is not None)
        own = [_as_change(goals, found), *own]
    follow(used, clip, asked, asked.changes(read, own), method="pattern")


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

    def __init__(self, pattern: Path, clip: Path, recipe: Path, changes: Sequence[Change]) -> None:
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
