"""`poise retarget`: the same motion on another body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions, option_changes
from poise.apps.cli.options import (
    AS_THE_RECIPE_SAYS,
    MappingFile,
    OntoBody,
    OutputRate,
    RunOptions,
    TimesAsFar,
    check_replaced,
    taking_records,
    usual_recipe,
)
from poise.apps.cli.run import follow, say
from poise.apps.cli.waiting import waiting
from poise.wording import counted

if TYPE_CHECKING:
    from poise.character import Character
    from poise.job import Change, Outcome
    from poise.methods.retarget import RetargetReport
    from poise.transfer import Correspondence

RECIPE = "retarget_clip"
_MOST_SAID = 5
"""Impossible stretches that are said; the rest is counted."""


@dataclass(frozen=True)
class RetargetOptions:
    """How a motion is put on another body, and what of it is kept."""

    mapping: MappingFile = None
    scale: TimesAsFar = None
    fps: OutputRate = None
    poses: Annotated[
        bool, typer.Option("--poses", help="Poses only: nothing is held, nothing balanced.")
    ] = False
    kinematic: Annotated[
        bool,
        typer.Option("--kinematic", help="Poses and contacts only: no balance, no flights."),
    ] = False
    no_torque: Annotated[
        bool, typer.Option("--no-torque", help="Let joints work beyond their strength.")
    ] = False

    def changes(self, to: Path) -> list[Change]:
        """As changes of the recipe of `poise retarget`."""
        from poise.job import Change
        from poise.methods.retarget import Settings

        settings = Settings(
            scale=self.scale,
            feet=not self.poses,
            balance=not (self.kinematic or self.poses),
            torque=not self.no_torque,
        )
        return [
            *changes_for(to, self.mapping, self.fps),
            Change(("retarget", "settings"), asdict(settings), "the options"),
        ]


AS_USUAL = RetargetOptions()


@taking_records
def retarget(
    clip: Annotated[Path, typer.Argument(help="The motion.")],
    to: OntoBody,
    asked: RunOptions = AS_THE_RECIPE_SAYS,
    robot: Annotated[
        Path | None,
        typer.Option(
            help="Write a robot's joint angles, speeds, torques and contacts here (.csv, .npz), "
            "Z up."
        ),
    ] = None,
    layout: Annotated[
        str,
        typer.Option(
            help="Of that file: poise; unitree (.csv: no header, xyzw); gmr (.pkl, .csv)."
        ),
    ] = "poise",
    wanted: RetargetOptions = AS_USUAL,
    explain: Annotated[
        bool, typer.Option("--explain", help="Only say which joint follows which.")
    ] = False,
    read: ClipOptions = AS_THE_FILE_SAYS,
) -> None:
    """Put a motion on another body: a child, another rig, a humanoid robot.

    Joints are matched by what they are (see --explain), whatever pose the bodies rest in; places
    scale with the legs; what touches stays where it touches; joints keep to their ranges. Then the
    body is balanced over its feet, and no joint works beyond its strength if it can be helped. What
    this body cannot do is said, with the joint that stops it. Code 3 when some stage does not get
    there; the outputs are written all the same.

        poise retarget walk.bvh --to robot.xml --explain

        poise retarget walk.bvh --to robot.xml --robot walk.csv

        poise retarget walk.bvh --to child.bvh -o child_walk.bvh
    """  # fmt: skip
    if explain:
        _check_moves(clip)
        own = changes_for(to, wanted.mapping, wanted.fps)
        _explain(clip, asked.changes(read, own))
        return
    _check_outputs(asked.output, asked.report, robot, asked.overwrite)
    own = wanted.changes(to)
    if robot is not None:
        from poise.formats import check_robot_file

        check_robot_file(robot, layout)
        own += option_changes(("outputs.layout", layout, "--layout"))
    _check_moves(clip)
    written = [path for path in (asked.output, robot) if path is not None]
    follow(
        usual_recipe(RECIPE),
        clip,
        asked,
        asked.changes(read, own),
        given={"robot": robot},
        tell=lambda outcome, notes: _tell(outcome, notes, written, clip, to),
    )


def changes_for(to: Path, mapping: Path | None = None, fps: float | None = None) -> list[Change]:
    """Whose body, which joints and what rate, as changes of the recipe of `poise retarget`."""
    return option_changes(
        ("character.to", to, "--to"),
        ("character.mapping", mapping, "--mapping"),
        ("clip.rate_hz", fps, "--fps"),
    )


def _tell(
    outcome: Outcome, notes: Sequence[str], written: Sequence[Path], clip: Path, to: Path
) -> None:
    from poise.methods.retarget import RetargetReport

    made, report, target = outcome.clip, outcome.result.report, outcome.prepared.character
    assert isinstance(report, RetargetReport)
    length = f"{counted(made.frame_count, 'frame')} at {made.rate_hz:g} Hz"
    lines = [f"{path}: {length}" for path in written]
    lines.append(f"{target.name or to.name}: {report.scale:.2f} times as far as {clip.name}")
    other = (note for note in dict.fromkeys(notes) if note != report.scale_note)  # said above
    say(other, (*lines, *said(report)))


def _explain(clip: Path, changes: Sequence[Change]) -> None:
    with waiting(f"reading {clip.name}"):
        from poise.job import load_recipe, subject
        from poise.transfer import correspondence

        recipe = load_recipe(usual_recipe(RECIPE), changes=changes)
        found = subject(recipe, clip)
        assert found.target is not None
        matches = correspondence(found.character, found.target, found.mapping)
    say((), explained(found.character, found.target, matches))


def _check_moves(clip: Path) -> None:
    """A robot in the place of the motion is a mistake of its own."""
    from poise.errors import FileProblem
    from poise.formats import extensions, is_character

    if clip.is_file() and is_character(clip):
        kind = clip.suffix.lower()
        moving = dict.fromkeys((*extensions("read_motion"), *extensions("read_clip")))
        wanted = "a motion: an extension that a clip can be read from"
        found = f"'{kind}', which is of a body"
        advice = f"Give a body with --to. Known: {', '.join(moving)}."
        raise FileProblem(clip, wanted, found, advice=advice)


def _check_outputs(
    output: Path | None, report: Path | None, robot: Path | None, overwrite: bool
) -> None:
    """Refuse at once what could not be written at the end."""
    from poise.errors import BadValue, FileProblem
    from poise.formats import check_can_write

    outputs = [path for path in (output, robot) if path is not None]
    if not outputs and report is None:
        raise BadValue("output", "given, or nothing would be written (-o OUT, --robot)", "none")
    if output is not None:
        check_can_write(output)
        if output.suffix.lower() == ".amc":
            wanted = "a file that can hold another body (.bvh, .glb, .npz)"
            raise FileProblem(output, wanted, "'.amc', which needs the .asf that it came with")
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise FileProblem(outputs[0], "different files for -o and --robot", "the same twice")
    for path in (*outputs, *(() if report is None else (report,))):
        check_replaced(path, overwrite)


def said(made: RetargetReport) -> list[str]:
    """How every stage ended, what it measures, and what this body cannot do."""
    from poise.methods import status_words
    from poise.methods.retarget import FIGURES, UNKNOWN

    lines = [f"{s.name}: {status_words(s.status)}. {s.summary}" for s in made.stages]
    wide, last = max(len(name) for name in FIGURES.values()), made.stages[-1]
    lines.append(f"{'':<{wide}}" + "".join(f"{stage.name:>12}" for stage in made.stages))
    for key, name in FIGURES.items():
        cells = "".join(f"{_shown(vars(stage.residuals)[key]):>12}" for stage in made.stages)
        lines.append(f"{name:<{wide}}{cells}")
    unknown = [why for key, why in UNKNOWN.items() if not isfinite(vars(last.residuals)[key])]
    cells = "".join(f"{100 * max(stage.overlap_m, 0.0):>12.2f}" for stage in made.stages)
    lines.append(f"{'limbs in each other, cm':<{wide}}{cells}")
    if unknown:
        lines.append(f"–: {'; '.join(unknown)}")
    for each in made.impossible[:_MOST_SAID]:
        lines.append(f"impossible, {each.text}")
    if len(made.impossible) > _MOST_SAID:
        frames = sum(each.last - each.first + 1 for each in made.impossible[_MOST_SAID:])
        more = len(made.impossible) - _MOST_SAID
        lines.append(f"and {more} more, shorter: {counted(frames, 'frame')}")
    return lines


def _shown(value: float) -> str:
    return f"{value:.2f}" if isfinite(value) else "–"  # nothing stands, or no strength is known


def explained(source: Character, target: Character, matches: Correspondence) -> list[str]:
    """One line a joint of the target: what it follows, and why."""
    names, lines = source.skeleton.joint_names, list[str]()
    wide = max(len(name) for name in target.skeleton.joint_names)
    for joint, name in enumerate(target.skeleton.joint_names):
        first, second = matches.sources[joint].tolist()
        share = float(matches.shares[joint])
        if first < 0:
            follows = "stays at rest"
        elif share == 0.0 or first == second:
            follows = names[first]
        else:
            follows = f"{names[first]} to {names[second]}, {100 * share:.0f} % of the way"
        why = "" if first < 0 else f"  ({matches.reasons[joint]})"
        lines.append(f"{name:<{wide}}  {follows}{why}")
    if matches.unused:
        lines.append(f"nobody follows: {', '.join(matches.unused)}")
    return lines
