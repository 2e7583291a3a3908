"""`poise stream`: frames of one body in, frames of another out, as they come."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import (
    OntoBody,
    Overwrite,
    StreamOptions,
    check_new,
    taking_records,
)

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
