"""`poise convert` and `poise formats`: from one format to another, trimmed, resampled, cleaned."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, OF_BODY_AND_PLACE, ClipOptions
from poise.apps.cli.options import (
    OutputRate,
    Overwrite,
    RootMotionWord,
    check_new,
    taking_records,
)
from poise.apps.cli.waiting import say_notes, waiting
from poise.wording import counted

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.motion.cleanup import Trimmed


@taking_records
def convert(
    source: Annotated[Path, typer.Argument(help="The clip to read.")],
    target: Annotated[Path, typer.Argument(help="The file to write; its extension decides.")],
    fps: OutputRate = None,
    root_motion: RootMotionWord = None,
    read: ClipOptions = AS_THE_FILE_SAYS,
    provenance: Annotated[
        bool,
        typer.Option(
            help="Also for formats without room for it: where the clip came from, "
            "in a small JSON beside the output."
        ),
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """Write a clip in another format.

    Joint names, end sites and everything a step does not touch come out as they went in; a clip
    written back to its own format keeps its unit, axes and channel order. Nothing is repaired
    without --clean.

        poise convert walk.bvh walk.glb

        poise convert walk.bvh short.bvh --frames 120:480 --fps 30

        poise convert 02_01.bvh clean.bvh --clean all

        poise convert walk.bvh cycle.glb --root-motion in-place
    """  # fmt: skip
    from poise.errors import BadValue
    from poise.formats import check_can_write, save_clip
    from poise.motion import resample

    check_can_write(target)
    check_new(target, overwrite)
    if fps is not None and not 0 < fps < math.inf:
        raise BadValue("--fps", "a positive number", fps)
    with waiting(f"reading {source.name}"):
        before = read.read(source)
        clip = _at_true_rate(before.clip, read)
    notes = [*(clip.source.notes if clip.source else ()), *before.notes]
    notes += _of_cleaning(before, read.clean)
    if fps is not None:
        with waiting("resampling"):
            clip = resample(clip, fps)
    if root_motion is not None:
        with waiting("looking at the feet"):
            clip, said = _rooted(clip, root_motion)
        notes += said
    with waiting(f"writing {target.name}"):
        notes += save_clip(clip, target, sidecar=provenance)
    # Only now: a request that fails says one line, the reason.
    say_notes(notes)
    print(f"{target}: {counted(clip.frame_count, 'frame')} at {clip.rate_hz:g} Hz")


def _rooted(clip: Clip, word: str) -> tuple[Clip, tuple[str, ...]]:
    from poise.errors import UnknownName
    from poise.job import RootMotion, root_motion_of

    if word not in get_args(RootMotion):
        raise UnknownName("--root-motion", word, get_args(RootMotion))
    rooted = root_motion_of(clip, cast("RootMotion", word))
    return rooted.clip, rooted.notes


def _at_true_rate(clip: Clip, read: ClipOptions) -> Clip:
    """The clip at the rate at which its flights fall, where that is asked for."""
    read.check()
    if not read.fix_rate:
        read.check_left_out(OF_BODY_AND_PLACE, "poise convert needs it only beside --fix-rate")
        return clip
    from poise.job import ClipChoice, subject

    asked = replace(read.question(), clip=ClipChoice(wrong_rate="fix"))
    seen = subject(asked, clip).clip
    if seen.rate_hz == clip.rate_hz:
        return clip
    return replace(clip, rate_hz=seen.rate_hz).noted(seen.history[-1])


def _of_cleaning(made: Trimmed, asked: str | None) -> list[str]:
    """What was repaired, or is left to repair."""
    if asked is None:
        from poise.motion.cleanup import findings

        found = [f.step for f in findings(made.clip) if f.repair]
        return [f"left as it is: {', '.join(found)} (repair with --clean all)"] if found else []
    return [
        *made.repairs,
        *(f"{f.step}: {f.summary}; left alone" for f in made.findings if not f.repair),
    ]


def formats() -> None:
    """List the file formats Poise reads and writes, and how it tells them apart.

    Where several share an extension, the first that recognises a file reads it. Installed packages
    may add formats; theirs come last.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from poise.formats import FORMATS

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("extension", "clips", "characters", "what it is", "recognised by"):
        table.add_column(title)
    for name, entry in FORMATS.items():
        can = (("read", entry.reads_clips), ("write", entry.write_clip))
        package = FORMATS.package(name)
        table.add_row(
            " ".join(entry.extensions),
            " ".join(word for word, able in can if able) or "-",
            "read" if entry.read_character else "-",
            escape(entry.about if package is None else f"{entry.about} (package {package})"),
            escape(entry.looks_for or "its extension"),
        )
    Console().print(table)
