"""`poise stream`: frames of one body in, frames of another out, as they come."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.options import MappingFile, OntoBody, Overwrite, TimesAsFar, check_new
from poise.apps.cli.run import saying_problems


def stream(
    clip: Annotated[Path, typer.Argument(help="A BVH, or - for standard input.")],
    to: OntoBody,
    mapping: MappingFile = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write here; standard output, if not given."),
    ] = None,
    layout: Annotated[
        str, typer.Option(help="bvh, or unitree: CSV of root, xyzw and joint angles, Z up.")
    ] = "bvh",
    scale: TimesAsFar = None,
    ground: Annotated[float, typer.Option(help="Height of the level ground, in metres.")] = 0.0,
    no_feet: Annotated[
        bool,
        typer.Option("--no-feet", help="Let feet slide: nothing waits for what touches."),
    ] = False,
    passes: Annotated[
        str | None,
        typer.Option(help="Rounds of the filter for balance and flights: 1D+1K is 1.6 s late."),
    ] = None,
    unit: Annotated[str | None, typer.Option(help="Of lengths that come in: m, cm, ...")] = None,
    up: Annotated[str | None, typer.Option(help="y or z, of what comes in.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Put a motion on another body frame by frame, while it comes in.

    What goes out begins with a header, then a line a frame, each as soon as it is known.

        live_capture | poise stream - --to robot.xml --layout unitree | controller

        poise stream walk.bvh --to child.bvh -o child_walk.bvh
    """  # fmt: skip
    with saying_problems():
        check_new(output, overwrite)
        from poise.apps.cli.stream_frames import stream_onto

        stream_onto(
            clip, output, to, mapping, layout=layout, scale=scale, ground_m=ground,
            feet=not no_feet, passes=passes, unit=unit, up=up,
        )  # fmt: skip
