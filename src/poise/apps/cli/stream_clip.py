"""`poise filter --stream`: frames in, frames out, by a recipe.

    live_capture | poise filter - --recipe retarget.yaml --stream | live_view

Both ends speak BVH as `stream_bvh` says: a header, then a line a frame, written as soon as it is
known. How far behind the input that is stands on standard error before the first frame. A line that
is not a frame ends the stream with a message that names it; the frames before it are written.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import typer

from poise.apps.cli.stream_bvh import BvhStream
from poise.arrays import Array
from poise.constraints import FLAT, Constraint
from poise.errors import BadValue, FileProblem, PoiseError
from poise.job import (
    Change,
    Clock,
    attribute_error,
    constraint_from,
    constraint_location,
    located,
    vocabulary,
)
from poise.methods.filter import ALWAYS, FilterStream, Settings, StreamFrame, standing_rise_m
from poise.motion import Clip
from poise.recipes import ClipChoice, Prepared, Recipe, load_recipe, prepare

STDIN = "-"


def stream_clip(
    recipe_path: Path,
    clip: Path,
    output: Path | None,
    without: list[str] | None,
    changes: Sequence[str | Change] | None,
    *,
    overwrite: bool,
) -> None:
    """Filter the frames of a BVH text as they come.

    Args:
        recipe_path: one step of the filter.
        clip: a BVH file, or `-` for standard input.
        output: a file to write, or None for standard output.
        without: names of constraints to leave out.
        changes: values to change first.
        overwrite: whether `output` may exist.
    """
    recipe = load_recipe(recipe_path, changes=changes or (), without=without or ())
    methods = [step.method for step in recipe.steps]
    if methods != ["filter"]:
        raise BadValue(f"steps of {recipe_path.name}", "one of 'filter' for a stream", methods)
    refuse_existing(output, overwrite=overwrite)
    with opened(clip) as text:
        choice = recipe.clip
        unit = None if choice.unit is None else str(choice.unit)
        lines = BvhStream(text, source_name(clip), unit=unit, up=choice.up)
        if lines.empty:
            with written(output) as out:
                out.write(lines.header.encode())
            return
        header, stream = _stream(recipe, lines)
        with written(output) as out:
            out.write(header.encode())
            out.flush()
            _follow(stream, lines, out)


def _follow(stream: FilterStream, lines: BvhStream, out: BinaryIO) -> None:
    """All frames; on a bad one, those before it are given back first."""
    waiting = deque[Array]()

    def put(pose: StreamFrame) -> None:
        out.write(lines.line(pose, waiting.popleft()).encode())
        out.flush()

    wrong: PoiseError | None = None
    try:
        for pose, numbers in lines.frames():
            waiting.append(numbers)
            moved = stream.push(pose)
            if moved is not None:
                put(moved)
    except FileProblem as problem:
        wrong = problem
    for moved in stream.finish():
        put(moved)
    if wrong is not None:
        raise wrong


def _stream(recipe: Recipe, lines: BvhStream) -> tuple[str, FilterStream]:
    """What a recipe says, for the figure that the stream begins with; and the header to write."""
    prepared = _prepared(recipe, lines.clip)
    rate_hz, settings = lines.clip.rate_hz, recipe.steps[0].settings
    assert isinstance(settings, Settings)
    if recipe.environment is None and "D" in settings.passes.upper():
        note("level ground at height 0 is assumed; a stream cannot look for it")
    words, clock = vocabulary(), Clock(rate_hz, ALWAYS.last + 1)
    constraints = list[Constraint]()
    for i, wish in enumerate(recipe.steps[0].constraints):
        with located(recipe, constraint_location(recipe, 0, i)):
            constraints.append(constraint_from(wish, words, clock))
    header, source, rise_m = lines.header, None, 0.0
    if prepared.moved_from is not None:
        source = prepared.moved_from.character
        header = lines.header_for(prepared.clip)
        rise_m = standing_rise_m(source, prepared.character)
        note(f"on another body, whose root stands {100 * rise_m:+.1f} cm higher")
    with attribute_error(recipe, 0):
        stream = FilterStream(
            prepared.character, rate_hz, constraints, settings,
            environment=prepared.environment if recipe.environment is not None else FLAT,
            source=source, rise_m=rise_m, moving_joints=lines.clip.moving_joints,
        )  # fmt: skip
    note(
        f"{rate_hz:g} frames a second, given back {stream.latency_frames} frames "
        f"({stream.latency_s:.2f} s) later"
    )
    return header, stream


def _prepared(recipe: Recipe, clip: Clip) -> Prepared:
    """The body, from the first frame; what is done to whole clips is left out, and said."""
    choice = recipe.clip
    if choice.frames is not None or choice.rate_hz is not None:
        note("a stream is not cut or resampled: frames and rate_hz of the recipe are not used")
    plain = ClipChoice(clean=False, unit=choice.unit, up=choice.up)
    return prepare(replace(recipe, clip=plain), clip)


def source_name(clip: Path) -> str:
    """What to call the input in messages."""
    return "standard input" if str(clip) == STDIN else str(clip)


def refuse_existing(output: Path | None, *, overwrite: bool) -> None:
    """Raise a `FileProblem` where a file would be replaced unasked."""
    if output is not None and output.exists() and not overwrite:
        raise FileProblem(output, "a new file", "one that exists", advice="Add --overwrite.")


def note(text: str) -> None:
    """Say something beside the frames."""
    typer.echo(f"note: {text}", err=True)


@contextmanager
def opened(clip: Path) -> Generator[BinaryIO, None, None]:
    """What to read from."""
    if str(clip) == STDIN:
        yield sys.stdin.buffer
        return
    try:
        text = clip.open("rb")
    except OSError as refused:
        raise FileProblem(clip, "a file that can be read", refused.strerror or "none") from None
    with text:
        yield text


def written(output: Path | None) -> nullcontext[BinaryIO] | BinaryIO:
    """As bytes: line ends are those of the input, on every system."""
    return nullcontext(sys.stdout.buffer) if output is None else output.open("wb")
