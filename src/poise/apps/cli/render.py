"""`poise render`: pictures of clips, without a screen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import ContactsFile, Overwrite, check_new, taking_records
from poise.apps.cli.waiting import say_notes, waiting
from poise.errors import BadValue, UnknownName

if TYPE_CHECKING:
    from poise.apps.render import Stage
    from poise.contact import ContactSchedule
    from poise.environment import Environment
    from poise.job import Subject
    from poise.motion import Clip


@dataclass(frozen=True)
class PictureOptions:
    """What a picture shows, and how large."""

    view: Annotated[
        str | None,
        typer.Option(
            help="side, front, above or three-quarter. By default strips are drawn from the "
            "side, animations from three-quarter."
        ),
    ] = None
    size: Annotated[str | None, typer.Option(help="WIDTHxHEIGHT in pixels.")] = None
    figures: Annotated[int | None, typer.Option(help="How many figures in a strip.")] = None
    fps: Annotated[float, typer.Option(help="Pictures a second of an animation.")] = 25.0


AS_USUAL = PictureOptions()


@taking_records
def render(
    clip: Annotated[Path, typer.Argument(help="The clip to draw; or a robot, drawn at rest.")],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="The picture: .png (a strip), .gif or .mp4."),
    ],
    against: Annotated[
        Path | None, typer.Option(help="The original, drawn beside it in orange.")
    ] = None,
    picture: PictureOptions = AS_USUAL,
    contacts: ContactsFile = None,
    marks: Annotated[
        bool,
        typer.Option(help="Draw centre of mass, zero-moment point, contacts and support area."),
    ] = True,
    read: ClipOptions = AS_THE_FILE_SAYS,
    overwrite: Overwrite = False,
) -> None:
    """Draw a clip as a figure strip or a short animation.

    poise render walk.bvh -o walk.png

    poise render edited.bvh --against walk.bvh -o both.gif --view front

    poise render walk.bvh -o step.mp4 --frames 120:240
    """  # fmt: skip
    check_new(output, overwrite)
    size = _size(picture.size)
    _check_choices(picture.view, picture.figures)
    with waiting(f"reading {clip.name}"):
        from poise.apps.render import check_picture_path, write_picture
        from poise.job import clip_of, known_contacts, of_original, subject

        check_picture_path(output)
        asked = read.question()
        seen = subject(asked, clip, to_draw=True)
        original, said = None, tuple[str, ...]()
        if against is not None:
            original, said, _ = clip_of(of_original(asked, against), against)
        known = None if contacts is None else known_contacts(contacts, seen.clip, seen.kept)
    with waiting("measuring" if marks else "posing"):
        place = None if asked.environment is None else seen.environment
        stage, notes = _stage(seen, original, place, known, marks=marks)
    with waiting(f"drawing {output.name}"):
        words = write_picture(
            output, stage, view=picture.view, size=size, figures=picture.figures, title=clip.stem,
            fps=picture.fps,
        )  # fmt: skip
    told = () if place is None else seen.place_said
    say_notes((*seen.said, *said, *told, *notes))
    print(f"{output}: {words}")


def _stage(
    seen: Subject, original: Clip | None, place: Environment | None,
    contacts: ContactSchedule | None, *, marks: bool,
) -> tuple[Stage, tuple[str, ...]]:  # fmt: skip
    """What is to be drawn, measured first if there is a body to measure."""
    from poise.apps.render import Overlays, beside, overlays_of, stage_for

    clip, overlays, notes = seen.clip, Overlays(), tuple[str, ...]()
    if marks and seen.character.body is not None and clip.frame_count > 2:
        from poise.measures import evaluate

        found = evaluate(clip, seen.character, environment=place, contacts=contacts)
        overlays, place = overlays_of(found.series), found.series.environment
        notes = found.notes
    if original is not None:
        original = beside(original, clip)
    stage = stage_for(
        clip, original=original, environment=place, overlays=overlays, first_frame=seen.kept.first
    )
    return stage, notes


def _check_choices(view: str | None, figures: int | None) -> None:
    views = ("side", "front", "above", "three-quarter")
    if view is not None and view not in views:
        raise UnknownName("view", view, views)
    if figures is not None and not 1 <= figures <= 60:
        raise BadValue("--figures", "from 1 to 60", figures)


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d{1,5})\s*[x×X]\s*(\d{1,5})\s*", text)
    if match is None:
        raise BadValue("--size", "WIDTHxHEIGHT, for example 1600x600", text)
    return int(match[1]), int(match[2])
