"""`poise stream`: frames of one body in, frames of another out, as they come."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import (
    MappingFile,
    OntoBody,
    Overwrite,
    TimesAsFar,
    check_new,
    taking_records,
)


@dataclass(frozen=True)
class StreamOptions:
    """What comes out of a stream, and what holds in it."""

    mapping: MappingFile = None
    layout: Annotated[
        str, typer.Option(help="bvh, or unitree: CSV of root, xyzw and joint angles, Z up.")
    ] = "bvh"
    scale: TimesAsFar = None
    ground: Annotated[
        float | None,
        typer.Option(help="Height of the level ground, in metres; 0, if nothing is said."),
    ] = None
    no_feet: Annotated[
        bool,
        typer.Option("--no-feet", help="Let feet slide: nothing waits for what touches."),
    ] = False
    passes: Annotated[
        str | None,
        typer.Option(help="Rounds of the filter for balance and flights: 1D+1K is 1.6 s late."),
    ] = None


AS_USUAL = StreamOptions()


@taking_records
def stream(
    clip: Annotated[Path, typer.Argument(help="A BVH, or - for standard input.")],
    to: OntoBody,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write here; standard output, if not given."),
    ] = None,
    wanted: StreamOptions = AS_USUAL,
    read: ClipOptions = AS_THE_FILE_SAYS,
    overwrite: Overwrite = False,
) -> None:
    """Put a motion on another body frame by frame, while it comes in.

    What goes out begins with a header, then a line a frame, each as soon as it is known.

        live_capture | poise stream - --to robot.xml --layout unitree | controller

        poise stream walk.bvh --to child.bvh -o child_walk.bvh
    """  # fmt: skip
    check_new(output, overwrite)
    from poise.apps.cli.stream_frames import stream_onto

    stream_onto(clip, output, to, wanted, read)
