"""`poise stream`: frames of one body in, frames of another out, as they come.

    live_capture | poise stream - --to robot.xml --layout unitree | controller

What comes in is BVH as `stream_bvh` says: a header, then a line a frame. What goes out is BVH of
the target, or a robot's joint angles, a line a frame, written as soon as it is known. How far
behind the input that is stands on standard error before the first frame. A line that is not a frame
ends the stream with a message that names it; the frames before it are written.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from poise.apps.cli.retarget import usual_recipe
from poise.apps.cli.run import Overwrite, saying_problems

if TYPE_CHECKING:
    from poise.apps.cli.stream_bvh import BvhStream
    from poise.apps.cli.stream_lines import Lines
    from poise.methods.retarget import RetargetStream


def stream(
    clip: Annotated[Path, typer.Argument(help="A BVH, or - for standard input.")],
    to: Annotated[
        Path,
        typer.Option(
            help="Whose body: a motion, skeleton or robot file (.bvh, .asf, .glb, .xml, .urdf).",
            metavar="CHARACTER",
        ),
    ],
    mapping: Annotated[
        Path | None,
        typer.Option(help="Joints of the target and what they follow, instead of what is found."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write here; standard output, if not given."),
    ] = None,
    layout: Annotated[
        str, typer.Option(help="bvh, or unitree: CSV of root, xyzw and joint angles, Z up.")
    ] = "bvh",
    scale: Annotated[
        float | None,
        typer.Option(help="How many times as far it goes; as the legs are longer, if not given."),
    ] = None,
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
    from poise.apps.cli.stream_bvh import BvhStream
    from poise.apps.cli.stream_clip import note, opened, refuse_existing, source_name, written
    from poise.apps.cli.stream_lines import lines_for

    with saying_problems():
        refuse_existing(output, overwrite=overwrite)
        with opened(clip) as text:
            incoming = BvhStream(text, source_name(clip), unit=unit, up=up)
            if incoming.empty:
                return
            made = _retargeting(incoming, to, mapping, scale, ground, not no_feet, passes)
            lines = lines_for(layout, made.target.skeleton, incoming)
            note(f"level ground at height {ground:g} m; {made.scale:.2f} times as far")
            note(
                f"{made.rate_hz:g} frames a second, given back {made.latency_frames} frames "
                f"({made.latency_s:.2f} s) later"
            )
            with written(output) as out:
                out.write(lines.header.encode())
                out.flush()
                _follow(made, incoming, lines, out)


def _retargeting(
    incoming: BvhStream, to: Path, mapping: Path | None, scale: float | None, ground_m: float,
    feet: bool, passes: str | None,
) -> RetargetStream:  # fmt: skip
    """For the figure that the stream begins with."""
    from dataclasses import replace

    from poise.environment import Environment
    from poise.methods.filter import Settings
    from poise.methods.retarget import RetargetStream
    from poise.recipes import ClipChoice, prepare
    from poise.transfer import correspondence

    recipe = replace(usual_recipe(to, mapping), clip=ClipChoice(clean=False))
    prepared = prepare(recipe, incoming.clip)
    source, target = prepared.character, prepared.target
    assert target is not None
    physics = None if passes is None else Settings(passes=passes, derivatives="analytic")
    return RetargetStream(
        source, target, correspondence(source, target, prepared.mapping), incoming.clip.rate_hz,
        environment=Environment.flat(ground_m), scale=scale, feet=feet,
        physics=physics, moving_joints=incoming.clip.moving_joints,
    )  # fmt: skip


def _follow(made: RetargetStream, incoming: BvhStream, lines: Lines, out: BinaryIO) -> None:
    """All frames; on a bad one, those before it are given back first."""
    from poise.errors import FileProblem

    wrong: FileProblem | None = None
    try:
        for pose, _ in incoming.frames():
            moved = made.push(pose)
            if moved is not None:
                out.write(lines.line(moved).encode())
                out.flush()
    except FileProblem as problem:
        wrong = problem
    for moved in made.finish():
        out.write(lines.line(moved).encode())
    out.flush()
    if wrong is not None:
        raise wrong
