"""`poise sample`: clips made by code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from poise.apps.cli.waiting import waiting


def sample(
    name: Annotated[str, typer.Argument(help="What to make: walk.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
    t_pose: Annotated[
        bool, typer.Option(help="Put a fake T-pose before the first frame, as many files have.")
    ] = False,
    drop: Annotated[
        list[int] | None, typer.Option(help="Zero this frame, as a capture that lost it; repeat.")
    ] = None,
    overwrite: Annotated[bool, typer.Option(help="Replace the output if it exists.")] = False,
) -> None:
    """Make a clip by code, to try things on.

    poise sample walk -o walk.bvh --t-pose --drop 40
    """
    from poise.errors import BadValue, FileProblem, UnknownName
    from poise.formats import save_clip

    if output.exists() and not overwrite:
        raise FileProblem(output, "a new file", "one that exists", advice="Add --overwrite.")
    with waiting(f"making {name}"):
        from poise.samples import SAMPLES, with_dropped_frames, with_t_pose

        if name not in SAMPLES:
            raise UnknownName("sample", name, SAMPLES)
        clip = SAMPLES[name]()
        for frame in drop or ():
            if not 0 <= frame < clip.frame_count:
                raise BadValue("--drop", f"a frame from 0 to {clip.frame_count - 1}", frame)
        clip = with_dropped_frames(clip, tuple(drop or ()))
        if t_pose:
            clip = with_t_pose(clip)
        save_clip(clip, output)
    print(f"{output}: {clip.frame_count} frames at {clip.rate_hz:g} Hz")
