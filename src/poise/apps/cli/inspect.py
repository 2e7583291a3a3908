"""`poise inspect`: what files are, and what is wrong with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import taking_records
from poise.apps.cli.waiting import waiting

if TYPE_CHECKING:
    from poise.apps.inspection import CharacterReport, ClipReport, Row


@taking_records
def inspect(
    files: Annotated[
        list[Path], typer.Argument(help="Clips, skeletons, robots, or folders full of them.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    read: ClipOptions = AS_THE_FILE_SAYS,
) -> None:
    """Say what a clip is and what is wrong with it.

    Joints, rate, duration, unit, height, floor, the parts of the body that were recognised, and
    defects that **poise convert --clean** can repair. Nothing is changed. JSON is one object for
    one file, and a list for several files or a folder, in which a file that cannot be read has an
    `error`.

        poise inspect walk.bvh

        poise inspect captures/ --json > captures.json
    """
    from poise.errors import PoiseError

    alone = len(files) == 1 and not files[0].is_dir()
    found = _expanded(files)
    reports: list[dict[str, object]] = []
    failed = 0
    for path in found:
        try:
            with waiting(f"inspecting {path.name}"):
                report = _report(path, read)
        except PoiseError as problem:
            if alone:
                raise
            failed += 1
            reports.append({"file": str(path), "error": str(problem)})
            print(f"poise: {' '.join(str(problem).split())}", file=sys.stderr)
            continue
        reports.append(report.as_dict())
        if not as_json:
            _show(report, brief=not alone)
    if as_json:
        print(json.dumps(reports[0] if alone else reports, indent=2, ensure_ascii=False))
    if failed:
        print(f"poise: {failed} of {len(found)} files could not be read", file=sys.stderr)
        raise typer.Exit(2)


def _expanded(files: list[Path]) -> list[Path]:
    """Folders become the readable files in them."""
    from poise.errors import FileProblem
    from poise.formats import extensions

    motions = {*extensions("read_motion"), *extensions("read_clip")}
    found: list[Path] = []
    for path in files:
        if not path.is_dir():
            found.append(path)
            continue
        # Characters only where there are no clips: skeletons lie beside the motions they serve.
        inside = _files_in(path, motions) or _files_in(path, set(extensions("read_character")))
        if not inside:
            known = ", ".join(sorted({*motions, *extensions("read_character")}))
            raise FileProblem(path, f"files to inspect ({known}) in the folder", "none")
        found += inside
    return found


def _files_in(folder: Path, suffixes: set[str]) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() in suffixes and p.is_file())


def _report(path: Path, read: ClipOptions) -> ClipReport | CharacterReport:
    from poise.apps.inspection import inspect_character, inspect_clip
    from poise.formats import is_character, load_character

    if is_character(path):
        for_clips = [name for name, _ in read.given() if name != "roles"]
        read.check_left_out(for_clips, f"it is for clips, and {path.name} is a body")
        return inspect_character(load_character(path), path, read.roles)
    made = read.read(path)
    cut = made.clip.history[-1:] if read.frames is not None else ()
    notes = (*made.notes, *made.repairs, *cut)
    return inspect_clip(made.clip, path, read.question(), roles=read.roles, notes=notes)


def _show(report: ClipReport | CharacterReport, *, brief: bool) -> None:
    from poise.apps.inspection import ClipReport, character_rows, clip_rows, one_row

    if brief:
        print(one_row(report).text)
    elif isinstance(report, ClipReport):
        show(clip_rows(report))
    else:
        show(character_rows(report))


def show(rows: list[Row]) -> None:
    """Print rows: laid out and coloured on a terminal, one line each into a pipe."""
    from poise.apps.inspection import text_of

    if not sys.stdout.isatty():
        print(text_of(rows))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    styles = {"plain": "", "quiet": "dim", "warn": "yellow", "good": "green"}
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(row.label, Text(row.text, style=styles[row.tone]))
    Console(highlight=False).print(table)
