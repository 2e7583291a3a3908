"""Streams of frames: `poise filter --stream` by a recipe, `poise stream` on another body.

    live_capture | poise filter - --recipe retarget.yaml --stream | live_view

Frames come in as BVH as `stream_lines` says: a header, then a line a frame. What goes out is
written as soon as it is known. How far behind the input that is stands on standard error before the
first frame. A line that is not a frame ends the stream with a message that names it; the frames
before it are written.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import typer

from poise.apps.cli.clip_options import ClipOptions
from poise.apps.cli.options import RunOptions, StreamOptions, check_new, usual_recipe
from poise.apps.cli.retarget import RECIPE, changes_for
from poise.apps.cli.stream_lines import BvhStream, lines_for
from poise.arrays import Array
from poise.constraints import FLAT, Constraint, StageEdit
from poise.environment import Environment
from poise.errors import BadValue, FileProblem, PoiseError
from poise.job import (
    Change,
    ClipChoice,
    Clock,
    Recipe,
    Subject,
    attribute_error,
    constraint_from,
    constraint_location,
    load_recipe,
    located,
    subject,
    vocabulary,
)
from poise.methods.filter import ALWAYS, FilterStream, Settings, StreamFrame
from poise.methods.retarget import RetargetStream
from poise.motion import Clip
from poise.motion.cleanup import impossible_step_m
from poise.transfer import correspondence, standing_rise_m

STDIN = "-"


_OF_WHOLE_CLIPS = (
    "animation", "skeleton", "frames", "clean", "fix_rate", "keep_rate", "suggest_surfaces",
    "soles",
)  # fmt: skip
"""Options that a stream cannot follow: it is BVH, and not known as a whole."""
_WHY = "a stream is BVH, frame by frame, and not known as a whole"


def stream_clip(
    recipe_path: Path, clip: Path, asked: RunOptions, changes: Sequence[Change], read: ClipOptions
) -> None:
    """Filter the frames of a BVH file, or of standard input (`-`), as they come."""
    read.check_left_out(_OF_WHOLE_CLIPS, _WHY)
    recipe = load_recipe(recipe_path, changes=changes, without=asked.without or ())
    recipe = recipe.for_clip(clip)
    methods = [step.method for step in recipe.steps]
    if methods != ["filter"]:
        raise BadValue(f"steps of {recipe_path.name}", "one of 'filter' for a stream", methods)
    check_new(asked.output, asked.overwrite)
    with _opened(clip) as text:
        incoming = _incoming(text, clip, recipe.clip)
        if incoming.empty:
            with _written(asked.output) as out:
                out.write(incoming.header.encode())
            return
        header, stream = _filtering(recipe, incoming)
        with _written(asked.output) as out:
            _follow(stream, incoming, header, incoming.line, out)


def _incoming(text: BinaryIO, clip: Path, choice: ClipChoice) -> BvhStream:
    """Frames as a recipe reads them."""
    unit = None if choice.unit is None else str(choice.unit)
    rate_hz = choice.capture_rate_hz
    return BvhStream(text, _name(clip), unit=unit, up=choice.up, rate_hz=rate_hz)


def stream_onto(
    clip: Path, output: Path | None, to: Path, wanted: StreamOptions, read: ClipOptions
) -> None:
    """Put the frames of a BVH text on another body as they come; see `poise stream`."""
    read.check_left_out(_OF_WHOLE_CLIPS, _WHY)
    if wanted.ground is not None and read.environment is not None:
        raise BadValue("--ground", "left out beside --environment", "both")
    own = changes_for(to, wanted.mapping)
    recipe = load_recipe(usual_recipe(RECIPE), changes=[*own, *read.changes()])
    with _opened(clip) as text:
        incoming = _incoming(text, clip, recipe.clip)
        if incoming.empty:
            return
        # Who is to move like the figure that the stream begins with.
        source = _noted(subject(replace(recipe, clip=ClipChoice(clean=False)), incoming.clip))
        assert source.target is not None
        height_m = wanted.ground or 0.0
        is_level = recipe.environment is None
        passes = wanted.passes
        made = RetargetStream(
            source.character, source.target,
            correspondence(source.character, source.target, source.mapping),
            incoming.clip.rate_hz,
            environment=Environment.flat(height_m) if is_level else source.environment,
            scale=wanted.scale, feet=not wanted.no_feet,
            physics=None if passes is None else Settings(passes=passes, derivatives="analytic"),
            moving_joints=incoming.clip.moving_joints,
        )  # fmt: skip
        lines = lines_for(wanted.layout, made.target.skeleton, incoming)
        place = f"level ground at height {height_m:g} m" if is_level else "the place as it is given"
        _note(f"{place}; {made.scale:.2f} times as far")
        _note_latency(made, made.rate_hz)
        with _written(output) as out:
            _follow(made, incoming, lines.header, lambda pose, _: lines.line(pose), out)


def _follow(
    stream: FilterStream | RetargetStream,
    incoming: BvhStream,
    header: str,
    line: Callable[[StreamFrame, Array], str],
    out: BinaryIO,
) -> None:
    """All frames; on a bad one, those before it are given back first."""
    waiting = deque[Array]()

    def put(text: str) -> None:
        out.write(text.encode())
        out.flush()

    put(header)
    wrong: PoiseError | None = None
    watch = _JumpWatch(impossible_step_m(incoming.clip))
    try:
        for pose, numbers in incoming.frames():
            watch.look(pose.root_m)
            waiting.append(numbers)
            moved = stream.push(pose)
            if moved is not None:
                put(line(moved, waiting.popleft()))
    except FileProblem as problem:
        wrong = problem
    for moved in stream.finish():
        put(line(moved, waiting.popleft()))
    if wrong is not None:
        raise wrong


class _JumpWatch:
    """Says where the root is somewhere else from one frame to the next: a stream cannot refuse."""

    def __init__(self, limit_m: float) -> None:
        self._limit_m, self._frame = limit_m, -1
        self._at: Array | None = None
        self._going = np.zeros(3)

    def look(self, root_m: Array) -> None:
        """At the next frame."""
        self._frame += 1
        step = np.zeros(3) if self._at is None else root_m - self._at
        self._at = root_m.copy()
        far = float(np.linalg.norm(step - self._going))
        if far > self._limit_m:
            _note(
                f"frame {self._frame}: the root jumps by {far:.3g} m, faster than a body can move"
            )
        else:
            self._going = step


def _filtering(recipe: Recipe, lines: BvhStream) -> tuple[str, FilterStream]:
    """What a recipe says, for the figure that the stream begins with; and the header to write."""
    prepared = _first_frame(recipe, lines.clip)
    rate_hz, settings = lines.clip.rate_hz, recipe.steps[0].settings
    assert isinstance(settings, Settings)
    if recipe.environment is None and "D" in settings.passes.upper():
        _note("level ground at height 0 is assumed; a stream cannot look for it")
    words, clock = vocabulary(), Clock(rate_hz, ALWAYS.last + 1)
    constraints = list[Constraint]()
    for i, wish in enumerate(recipe.steps[0].constraints):
        with located(recipe, constraint_location(recipe, 0, i)):
            made = constraint_from(wish, words, clock)
            refused = words.takes("filter").refusal(wish.kind, made)
            if refused is not None:
                raise refused
            assert not isinstance(made, StageEdit)
            constraints.append(made)
    header, source, rise_m = lines.header, None, 0.0
    if prepared.moved_from is not None:
        source = prepared.moved_from.character
        header = lines.header_for(prepared.clip)
        rise_m = standing_rise_m(source, prepared.character)
        _note(f"on another body, whose root stands {100 * rise_m:+.1f} cm higher")
    with attribute_error(recipe, 0):
        stream = FilterStream(
            prepared.character, rate_hz, constraints, settings,
            environment=prepared.environment if recipe.environment is not None else FLAT,
            source=source, rise_m=rise_m, moving_joints=lines.clip.moving_joints,
        )  # fmt: skip
    _note_latency(stream, rate_hz)
    return header, stream


def _first_frame(recipe: Recipe, clip: Clip) -> Subject:
    """The body, from the first frame; what is done to whole clips is left out, and said."""
    choice = recipe.clip
    if choice.frames is not None or choice.rate_hz is not None:
        _note("a stream is not cut or resampled: frames and rate_hz of the recipe are not used")
    plain = ClipChoice(clean=False, unit=choice.unit, up=choice.up)
    return _noted(subject(replace(recipe, clip=plain), clip))


def _noted(found: Subject) -> Subject:
    """The subject of a stream, and a word if its first frame is all that shows the body."""
    if not found.clip.skeleton.rest_stands:
        _note("the rest pose does not stand: the first frame stands in")
    return found


def _name(clip: Path) -> str:
    """What to call the input in messages."""
    return "standard input" if str(clip) == STDIN else str(clip)


def _note(text: str) -> None:
    """Say something beside the frames."""
    typer.echo(f"note: {text}", err=True)


def _note_latency(stream: FilterStream | RetargetStream, rate_hz: float) -> None:
    _note(
        f"{rate_hz:g} frames a second, given back {stream.latency_frames} frames "
        f"({stream.latency_s:.2f} s) later"
    )


@contextmanager
def _opened(clip: Path) -> Generator[BinaryIO, None, None]:
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


def _written(output: Path | None) -> nullcontext[BinaryIO] | BinaryIO:
    """As bytes: line ends are those of the input, on every system."""
    return nullcontext(sys.stdout.buffer) if output is None else output.open("wb")
