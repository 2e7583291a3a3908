"""`poise inspect`: what files are, and what is wrong with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.options import RolesFile, SkeletonFile, Unit, Up
from poise.apps.cli.waiting import waiting

if TYPE_CHECKING:
    from poise.apps.inspection import CharacterReport, ClipReport
    from poise.character import RoleOverrides


def inspect(
    files: Annotated[
        list[Path], typer.Argument(help="Clips, skeletons, robots, or folders full of them.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    roles: RolesFile = None,
    unit: Unit = None,
    up: Up = None,
    skeleton: SkeletonFile = None,
) -> None:
    """Say what a clip is and what is wrong with it.

    Joints, rate, duration, unit, height, floor, the parts of the body that were recognised, and
    defects that [bold]poise convert --clean[/bold] can repair. Nothing is changed.

        poise inspect walk.bvh

        poise inspect captures/ --json > captures.json
    """
    from poise.errors import PoiseError

    found = _expanded(files)
    reports: list[ClipReport | CharacterReport] = []
    failed = 0
    for path in found:
        try:
            with waiting(f"inspecting {path.name}"):
                report = _report(path, roles, unit, up, skeleton)
        except PoiseError as problem:
            if len(found) == 1:
                raise
            failed += 1
            print(f"poise: {' '.join(str(problem).split())}", file=sys.stderr)
            continue
        reports.append(report)
        if not as_json:
            _show(report, brief=len(found) > 1)
    if as_json:
        listed = [report.as_dict() for report in reports]
        out = listed[0] if len(found) == 1 and listed else listed
        print(json.dumps(out, indent=2, ensure_ascii=False))
    if failed:
        print(f"poise: {failed} of {len(found)} files could not be read", file=sys.stderr)
        raise typer.Exit(2)


def _expanded(files: list[Path]) -> list[Path]:
    """Folders become the readable files in them."""
    from poise.errors import FileProblem
    from poise.formats.table import extensions

    motions = {*extensions("read_motion"), *extensions("read_clip")}
    found: list[Path] = []
    for path in files:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in motions and p.is_file())
        if not inside:
            raise FileProblem(path, f"clips ({', '.join(sorted(motions))}) in the folder", "none")
        found += inside
    return found


def _report(
    path: Path, roles: Path | None, unit: str | None, up: str | None, asf: Path | None
) -> ClipReport | CharacterReport:
    from poise.apps.inspection import inspect_character, inspect_clip
    from poise.character import Skeleton, read_role_file
    from poise.formats import load_character, load_clip
    from poise.formats.table import extensions

    def overrides(skeleton: Skeleton) -> RoleOverrides | None:
        return None if roles is None else read_role_file(roles, skeleton)

    motions = {*extensions("read_motion"), *extensions("read_clip")}
    suffix = path.suffix.lower()
    if suffix not in motions and suffix in extensions("read_character"):
        character = load_character(path)
        return inspect_character(character, path, overrides(character.skeleton))
    clip = load_clip(path, unit=unit, up=up, skeleton=asf)
    return inspect_clip(clip, path, overrides(clip.skeleton))


def _show(report: ClipReport | CharacterReport, *, brief: bool) -> None:
    from rich.console import Console

    from poise.apps.cli.inspect_text import character_text as whole_character
    from poise.apps.cli.inspect_text import clip_text, one_line
    from poise.apps.inspection import ClipReport

    console = Console(highlight=False, soft_wrap=brief)
    if brief:
        console.print(one_line(report))
    elif isinstance(report, ClipReport):
        console.print(clip_text(report))
    else:
        console.print(whole_character(report))
