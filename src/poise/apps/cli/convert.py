"""`poise convert` and `poise formats`: from one format to another, trimmed, resampled, cleaned."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.options import AS_READ, FileOptions, check_new, frame_range, taking_records
from poise.apps.cli.waiting import say_notes, waiting
from poise.wording import counted

if TYPE_CHECKING:
    from poise.motion import Clip


@taking_records
def convert(
    source: Annotated[Path, typer.Argument(help="The clip to read.")],
    target: Annotated[Path, typer.Argument(help="The file to write; its extension decides.")],
    frames: Annotated[
        str | None,
        typer.Option(help="Keep frames START:STOP, counted from 0, STOP not included."),
    ] = None,
    fps: Annotated[float | None, typer.Option(help="Resample to this frame rate.")] = None,
    clean: Annotated[
        str | None,
        typer.Option(
            help="Repair defects: 'all', or some of wrong-unit, missing-thorax, t-pose, "
            "dropped-frames, root-jumps, rotation-flips, with commas between.",
        ),
    ] = None,
    file: FileOptions = AS_READ,
    provenance: Annotated[
        bool,
        typer.Option(
            help="Also for formats without room for it: where the clip came from, "
            "in a small JSON beside the output."
        ),
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace the target if it exists.")] = False,
) -> None:
    """Write a clip in another format.

    Joint names, end sites and everything a step does not touch come out as they went in; a clip
    written back to its own format keeps its unit, axes and channel order.

        poise convert walk.bvh walk.glb

        poise convert walk.bvh short.bvh --frames 120:480 --fps 30

        poise convert 02_01.bvh clean.bvh --clean all
    """  # fmt: skip
    from poise.errors import BadValue
    from poise.formats import check_can_write, save_clip
    from poise.motion import resample

    check_can_write(target)
    check_new(target, overwrite)
    wanted = frame_range(frames)
    if fps is not None and not 0 < fps < math.inf:
        raise BadValue("--fps", "a positive number", fps)
    with waiting(f"reading {source.name}"):
        clip = file.read(source)
    notes = list(clip.source.notes if clip.source else ())
    if frames is not None:
        first, last, _ = slice(*wanted).indices(clip.frame_count)
        clip = clip.sliced(*wanted).noted(f"frames {first}:{last} of {clip.frame_count}")
        if wanted[1] is not None and wanted[1] > last:
            notes.append(f"the clip ends before frame {wanted[1]}: kept {first}:{last}")
    clip = _cleaned(clip, clean, notes)
    if fps is not None:
        with waiting("resampling"):
            clip = resample(clip, fps)
    with waiting(f"writing {target.name}"):
        notes += save_clip(clip, target, sidecar=provenance)
    # Only now: a request that fails says one line, the reason.
    say_notes(notes)
    print(f"{target}: {counted(clip.frame_count, 'frame')} at {clip.rate_hz:g} Hz")


def _cleaned(clip: Clip, steps: str | None, notes: list[str]) -> Clip:
    from poise.motion.cleanup import STEPS, clean, findings

    if steps is None:
        found = [f.step for f in findings(clip) if f.repair]
        if found:
            notes.append(f"left as it is: {', '.join(found)} (repair with --clean all)")
        return clip
    names = tuple(STEPS) if steps.strip() == "all" else tuple(s.strip() for s in steps.split(","))
    before = len(clip.history)
    clip, found = clean(clip, names)
    notes += clip.history[before:]
    notes += [f"{f.step}: {f.summary}; left alone" for f in found if not f.repair]
    return clip


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
