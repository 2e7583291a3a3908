"""`poise retarget`: the same motion on another body."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.run import EXIT_NOT_MET, Accept, Overwrite, saying_problems
from poise.apps.cli.waiting import waiting

if TYPE_CHECKING:
    from poise.character import Character
    from poise.methods.retarget import Correspondence


def retarget(
    clip: Annotated[Path, typer.Argument(help="The motion.")],
    to: Annotated[
        Path,
        typer.Option(
            help="Whose body: a motion, skeleton or robot file (.bvh, .asf, .glb, .xml, .urdf).",
            metavar="CHARACTER",
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the motion here.")
    ] = None,
    robot: Annotated[
        Path | None,
        typer.Option(help="Write joint angles of a robot here (.csv or .npz), Z up."),
    ] = None,
    layout: Annotated[
        str, typer.Option(help="Of the robot's .csv: poise, or unitree (no header, xyzw).")
    ] = "poise",
    mapping: Annotated[
        Path | None,
        typer.Option(help="Joints of the target and what they follow, instead of what is found."),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(help="How many times as far it goes; as the legs are longer, if not given."),
    ] = None,
    rate: Annotated[float | None, typer.Option(help="Resample to this rate, in Hz.")] = None,
    kinematic: Annotated[
        bool,
        typer.Option("--kinematic", help="Poses and contacts only: no balance, no flights."),
    ] = False,
    no_torque: Annotated[
        bool, typer.Option("--no-torque", help="Let joints work beyond their strength.")
    ] = False,
    accept: Accept = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Only say which joint follows which.")
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """Put a motion on another body: a child, another rig, a humanoid robot.

    Joints are matched by what they are (see --explain), whatever pose the bodies rest in; places
    scale with the legs; joints stay in their ranges. Then what touches is held, and the body is
    balanced over its feet. Code 3 when some stage does not get there; the outputs are written all
    the same.

        poise retarget walk.bvh --to robot.xml --explain

        poise retarget walk.bvh --to robot.xml --robot walk.csv

        poise retarget walk.bvh --to child.bvh -o child_walk.bvh
    """  # fmt: skip
    from poise.errors import BadValue

    with saying_problems():
        outputs = [path for path in (output, robot) if path is not None]
        if not explain and not outputs:
            raise BadValue("output", "given, or nothing would be written (-o OUT, --robot)", "none")
        for path in outputs:
            if path.exists() and not overwrite:
                raise BadValue("output", "a new file (or --overwrite)", str(path))
        with waiting(f"reading {clip.name}") as say:
            from poise.formats import save_clip
            from poise.formats.robot_trajectory import robot_trajectory, write_robot
            from poise.methods.retarget import Settings
            from poise.methods.retarget import retarget as retarget_motion
            from poise.recipes.retargeting import retargeting

            asked = retargeting(clip, to, mapping=mapping, rate_hz=rate)
            target = asked.target
            if explain:
                for line in explained(asked.source, target, asked.matches):
                    print(line)
                return
            settings = Settings(scale=scale, balance=not kinematic, torque=not no_torque)
            made = retarget_motion(
                asked.clip, asked.source, target, asked.matches, asked.environment, settings,
                watch=say,
            )  # fmt: skip
            channels = {
                f"contact.{part}": made.contacts.column(part).astype(float)
                for part in made.contacts.parts
                if made.contacts.column(part).any()
            }
            if robot is not None:
                write_robot(robot, robot_trajectory(made.clip, channels), layout)
            notes = save_clip(made.clip, output) if output is not None else ()
        for note in (*made.notes, *notes):
            typer.echo(f"note: {note}", err=True)
        for path in outputs:
            print(f"{path}: {made.clip.frame_count} frames at {made.clip.rate_hz:g} Hz")
        factor = made.kinematic.scale
        print(f"{target.name or to.name}: {factor:.2f} times as far as {clip.name}")
        for stage in made.stages:
            print(f"{stage.name}: {stage.status.replace('_', ' ')}. {stage.summary}")
        if not made.converged and not accept:
            raise typer.Exit(EXIT_NOT_MET)


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
