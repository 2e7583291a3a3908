"""Options that several commands share, each declared once, in records that commands take whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_type_hints

import typer

from poise.errors import BadValue, FileProblem

if TYPE_CHECKING:
    from poise.apps.cli.clip_options import ClipOptions
    from poise.job import Change

Against = Annotated[Path | None, typer.Option(help="The original, to compare with.")]
ContactsFile = Annotated[
    Path | None, typer.Option(help="What touches when (.csv or .json), instead of detecting it.")
]
OntoBody = Annotated[
    Path,
    typer.Option(
        help="Whose body: a motion, skeleton or robot file (.bvh, .asf, .glb, .xml, .urdf).",
        metavar="CHARACTER",
    ),
]
MappingFile = Annotated[
    Path | None,
    typer.Option(help="Joints of the target and what they follow, instead of what is found."),
]
TimesAsFar = Annotated[
    float | None,
    typer.Option(help="How many times as far it goes; as the legs are longer, if not given."),
]
OutputRate = Annotated[float | None, typer.Option(help="Resample to this frame rate.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", help="Write the edited clip here, instead of where the recipe says."
    ),
]
Report = Annotated[
    Path | None, typer.Option(help="Write a page about it here (.html), before and after.")
]
Without = Annotated[
    list[str] | None,
    typer.Option(help="Leave out the constraint of this name; repeat.", metavar="NAME"),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Change one value first: reach.priority=3, deform.settings.strategy=weights, "
        "clip.rate_hz=24; repeat.",
        metavar="PATH=VALUE",
    ),
]
Overwrite = Annotated[bool, typer.Option(help="Replace outputs that exist.")]
AllowOutside = Annotated[
    bool,
    typer.Option(
        "--allow-outside",
        help="Write also outputs that the recipe names outside its own folder.",
    ),
]
Accept = Annotated[
    bool,
    typer.Option("--accept", help="End with code 0 also when something was not met."),
]
RootMotionWord = Annotated[
    str | None,
    typer.Option(
        "--root-motion",
        help="Of the clip that is written: in-place (the mean velocity of the root taken out), "
        "travel (a cycle in place covers ground), as-is (as the input has it, the default).",
        metavar="as-is|in-place|travel",
    ),
]


def root_motion_changes(word: str | None) -> list[Change]:
    """What `--root-motion` changes in a recipe."""
    from poise.job import Change

    path = ("outputs", "root_motion")
    return [] if word is None else [Change(path, word, f"--root-motion {word}")]


@dataclass(frozen=True)
class RunOptions:
    """What every command has that follows a recipe."""

    output: Output = None
    report: Report = None
    without: Without = None
    set_: Set = None
    overwrite: Overwrite = False
    allow_outside: AllowOutside = False
    accept: Accept = False
    root_motion: RootMotionWord = None

    def changes(self, read: ClipOptions, own: Sequence[Change] = ()) -> list[Change]:
        """What is changed in the recipe: by the command, by the options of its clip, by --set."""
        return [
            *own,
            *read.changes(),
            *root_motion_changes(self.root_motion),
            *set_changes(self.set_),
        ]


AS_THE_RECIPE_SAYS = RunOptions()


@dataclass(frozen=True)
class StreamOptions:
    """What comes out of a stream, and what holds in it."""

    mapping: MappingFile = None
    layout: Annotated[
        str, typer.Option(help="bvh, or unitree: CSV of root, xyzw and joint angles, Z up.")
    ] = "bvh"
    scale: TimesAsFar = None
    ground: Annotated[
        float | None,
        typer.Option(help="Height of the level ground, in metres; 0, if nothing is said."),
    ] = None
    no_feet: Annotated[
        bool,
        typer.Option("--no-feet", help="Let feet slide: nothing waits for what touches."),
    ] = False
    passes: Annotated[
        str | None,
        typer.Option(help="Rounds of the filter for balance and flights: 1D+1K is 1.6 s late."),
    ] = None


def set_changes(given: Sequence[str] | None) -> list[Change]:
    """What `--set` changes; files are seen from the current folder."""
    from poise.job import typed_change

    return [typed_change(each) for each in given or ()]


def taking_records(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer is to see it: for each parameter that is a record, its fields."""
    hints = get_type_hints(command, include_extras=True)
    shown: list[Parameter] = []
    records: dict[str, tuple[Callable[..., object], list[str]]] = {}
    for name, given in signature(command).parameters.items():
        if not is_dataclass(hints[name]):
            shown.append(given.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))
            continue
        record = hints[name]
        records[name] = record, [f.name for f in fields(record)]
        options = get_type_hints(record, include_extras=True)
        shown += [
            Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=options[f.name])
            for f in fields(record)
        ]

    @wraps(command)
    def whole(**values: object) -> None:
        for name, (record, own) in records.items():
            values[name] = record(**{each: values.pop(each) for each in own})
        command(**values)

    vars(whole)["__signature__"] = Signature(shown)
    whole.__annotations__ = {each.name: each.annotation for each in shown}
    return whole


def usual_recipe(name: str) -> Path:
    """What a command follows where the user has no recipe."""
    from poise import job

    return Path(job.__file__).with_name(f"{name}.yaml")


def check_new(output: Path | None, overwrite: bool) -> None:
    """Nothing, if a file may be written.

    Raises:
        FileProblem: one that exists.
    """
    if output is not None and output.exists() and not overwrite:
        raise FileProblem(output, "a new file", "one that exists", advice="Add --overwrite.")


def check_replaced(path: Path, overwrite: bool, option: str = "output") -> None:
    """Nothing, if a file is new or may be replaced.

    Raises:
        BadValue: it may not.
    """
    if path.exists() and not overwrite:
        raise BadValue(option, "a new file (or --overwrite)", str(path))


def check_npz(path: Path, overwrite: bool) -> None:
    """Nothing, if a family or a pattern may be written there.

    Raises:
        BadValue: another extension, or a file that may not be replaced.
    """
    if path.suffix.lower() != ".npz":
        raise BadValue("output", "a file that ends in .npz", path.name)
    check_replaced(path, overwrite)
