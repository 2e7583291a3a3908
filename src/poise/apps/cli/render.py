"""`poise render`: pictures of clips, without a screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.frame_range import frame_range
from poise.apps.cli.options import (
    Animation,
    ContactsFile,
    EnvironmentFile,
    Mass,
    Rate,
    RolesFile,
    SkeletonFile,
    Unit,
    Up,
)
from poise.apps.cli.waiting import waiting

if TYPE_CHECKING:
    from poise.apps.render import Stage
    from poise.apps.render.subject import Subject


def render(
    clip: Annotated[Path, typer.Argument(help="The clip to draw; or a robot, drawn at rest.")],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="The picture: .png (a strip), .gif or .mp4."),
    ],
    against: Annotated[
        Path | None, typer.Option(help="The original, drawn beside it in orange.")
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(
            help="side, front, above or three-quarter. By default strips are drawn from the "
            "side, animations from three-quarter."
        ),
    ] = None,
    frames: Annotated[
        str | None,
        typer.Option(help="Only frames START:STOP, counted from 0, STOP not included."),
    ] = None,
    size: Annotated[str | None, typer.Option(help="WIDTHxHEIGHT in pixels.")] = None,
    figures: Annotated[int | None, typer.Option(help="How many figures in a strip.")] = None,
    fps: Annotated[float, typer.Option(help="Pictures a second of an animation.")] = 25.0,
    contacts: ContactsFile = None,
    environment: EnvironmentFile = None,
    mass: Mass = None,
    marks: Annotated[
        bool,
        typer.Option(help="Draw centre of mass, zero-moment point, contacts and support area."),
    ] = True,
    roles: RolesFile = None,
    unit: Unit = None,
    up: Up = None,
    skeleton: SkeletonFile = None,
    rate: Rate = None,
    animation: Animation = None,
    overwrite: Annotated[bool, typer.Option(help="Replace the output if it exists.")] = False,
) -> None:
    """Draw a clip as a figure strip or a short animation.

    poise render walk.bvh -o walk.png

    poise render edited.bvh --against walk.bvh -o both.gif --view front

    poise render walk.bvh -o step.mp4 --frames 120:240
    """  # fmt: skip
    from poise.errors import FileProblem

    if output.exists() and not overwrite:
        raise FileProblem(output, "a new file", "one that exists", advice="Add --overwrite.")
    wanted_size, wanted_frames = _size(size), frame_range(frames)
    _check_choices(view, figures)
    with waiting(f"reading {clip.name}"):
        from poise.apps.render import check_picture_path, write_picture
        from poise.apps.render.subject import load_subject

        check_picture_path(output)
        subject = load_subject(
            clip, against=against, environment=environment, contacts=contacts, roles=roles,
            mass_kg=mass, unit=unit, up=up, skeleton=skeleton, rate_hz=rate, animation=animation,
        )  # fmt: skip
    with waiting("measuring" if marks else "posing"):
        stage, notes = _stage(subject, wanted_frames, marks=marks)
    with waiting(f"drawing {output.name}"):
        words = write_picture(
            output, stage, view=view, size=wanted_size, figures=figures, title=clip.stem, fps=fps
        )
    for note in (*subject.notes, *notes):
        typer.echo(f"note: {note}", err=True)
    print(f"{output}: {words}")


def _stage(
    subject: Subject, frames: tuple[int | None, int | None], *, marks: bool
) -> tuple[Stage, tuple[str, ...]]:
    """What is to be drawn, measured first if there is a body to measure."""
    from poise.apps.render import Overlays, beside, overlays_of, stage_for
    from poise.errors import BadValue

    clip, environment, notes = subject.clip, subject.environment, tuple[str, ...]()
    overlays = Overlays()
    if marks and subject.character is not None and clip.frame_count > 2:
        from poise.measures import evaluate

        seen = evaluate(clip, subject.character, environment=environment, contacts=subject.contacts)
        overlays, environment = overlays_of(seen.series), seen.series.environment
        notes = seen.notes
    original = None if subject.original is None else beside(subject.original, clip)
    # Frames are numbered as in the file, artificial ones included.
    first, last, _ = slice(*frames).indices(subject.file_frames)
    first = max(first - subject.first_frame, 0)
    last = min(last - subject.first_frame, clip.frame_count)
    if first >= last:
        raise BadValue("--frames", f"a range inside 0:{subject.file_frames}", frames)
    stage = stage_for(
        clip.sliced(first, last),
        original=None if original is None else original.sliced(first, last),
        environment=environment,
        overlays=overlays.sliced(first, last),
        first_frame=subject.first_frame + first,
    )
    return stage, notes


def _check_choices(view: str | None, figures: int | None) -> None:
    from poise.errors import BadValue, UnknownName

    views = ("side", "front", "above", "three-quarter")
    if view is not None and view not in views:
        raise UnknownName("view", view, views)
    if figures is not None and not 1 <= figures <= 60:
        raise BadValue("--figures", "from 1 to 60", figures)


def _size(text: str | None) -> tuple[int, int] | None:
    from poise.errors import BadValue

    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d{1,5})\s*[x×X]\s*(\d{1,5})\s*", text)
    if match is None:
        raise BadValue("--size", "WIDTHxHEIGHT, for example 1600x600", text)
    return int(match[1]), int(match[2])
