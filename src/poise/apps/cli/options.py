"""Options that several commands share, each declared once, in records that commands take whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_type_hints

import typer

from poise.errors import BadValue, FileProblem, UnknownName

if TYPE_CHECKING:
    from poise.job import Change, Recipe
    from poise.motion import Clip

Against = Annotated[Path | None, typer.Option(help="The original, to compare with.")]
EnvironmentFile = Annotated[
    Path | None,
    typer.Option(
        help="The place: a small YAML file, a mesh (.obj, .stl, .glb), or 'suggested': what the "
        "clip shows. Without it, the floor that the feet show."
    ),
]
ContactsFile = Annotated[
    Path | None, typer.Option(help="What touches when (.csv or .json), instead of detecting it.")
]
RolesFile = Annotated[
    Path | None,
    typer.Option(help="A file that names joints by role, one 'left_knee: LShin' per line."),
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
OverwriteOne = Annotated[bool, typer.Option(help="Replace the output if it exists.")]
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
    typer.Option("--accept", help="End with code 0 also when some constraint was not met."),
]
FixRate = Annotated[
    bool,
    typer.Option(
        "--fix-rate",
        help="Where flights show that the file states a wrong frame rate: take the true one.",
    ),
]
KeepRate = Annotated[
    bool, typer.Option("--keep-rate", help="Insist on the file's frame rate, whatever flights say.")
]
SuggestSurfaces = Annotated[
    bool,
    typer.Option(
        "--suggest-surfaces",
        help="The place has the steps, slopes and seats that the clip shows, not level ground "
        "alone.",
    ),
]


@dataclass(frozen=True)
class FileOptions:
    """How to read a clip."""

    unit: Annotated[
        str | None,
        typer.Option(help="Length unit of the file: m, cm, mm, in, cmu, or metres per unit."),
    ] = None
    up: Annotated[str | None, typer.Option(help="Up axis of the file: y or z.")] = None
    skeleton: Annotated[
        Path | None, typer.Option(help="The .asf of an .amc, when it is not the one beside it.")
    ] = None
    rate: Annotated[
        float | None, typer.Option(help="Frame rate of an .amc, which does not state one.")
    ] = None
    animation: Annotated[
        str | None, typer.Option(help="Which animation of a glTF file, by name or number.")
    ] = None

    def read(self, path: Path) -> Clip:
        """The clip of a file, read so."""
        from poise.formats import load_clip

        return load_clip(
            path,
            unit=self.unit,
            up=self.up,
            skeleton=self.skeleton,
            rate_hz=self.rate,
            animation=self.animation,
        )


@dataclass(frozen=True)
class BodyOptions:
    """Whose body a clip is taken for."""

    mass: Annotated[
        float | None, typer.Option(help="Body mass in kg; without it, taken from the stature.")
    ] = None
    table: Annotated[
        str, typer.Option(help="Segment masses by: de_leva (1996) or winter (1990).")
    ] = "de_leva"
    sex: Annotated[str, typer.Option(help="Whose of de Leva's: male, female or average.")] = (
        "average"
    )
    clean: Annotated[
        bool,
        typer.Option(
            help="Leave out fake T-poses, fill lost frames and restore a lost thorax first."
        ),
    ] = True
    roles: RolesFile = None
    body: Annotated[
        str | None,
        typer.Option(
            help="Whose body: a robot's file, or human. Without it, the one that the clip keeps."
        ),
    ] = None
    soles: Annotated[
        str,
        typer.Option(
            help="Where soles are: fitted to where feet stand flat, or where the skeleton has them."
        ),
    ] = "fitted"


def rate_changes(fix: bool, keep: bool) -> list[Change]:
    """What `--fix-rate` and `--keep-rate` change in a recipe."""
    from poise.job import Change

    if fix and keep:
        raise BadValue("--fix-rate", "left out beside --keep-rate", "both")
    word = "fix" if fix else "keep"
    return [Change(("clip", "wrong_rate"), word, f"--{word}-rate")] if fix or keep else []


def place_changes(suggest: bool) -> list[Change]:
    """What `--suggest-surfaces` changes in a recipe."""
    from poise.job import SUGGESTED, Change

    return [Change(("environment",), SUGGESTED, "--suggest-surfaces")] if suggest else []


@dataclass(frozen=True)
class RunOptions:
    """What every command has that follows a recipe."""

    output: Output = None
    report: Report = None
    without: Without = None
    set_: Set = None
    overwrite: Overwrite = False
    allow_outside: AllowOutside = False
    fix_rate: FixRate = False
    keep_rate: KeepRate = False
    suggest_surfaces: SuggestSurfaces = False

    def changes(self, others: Sequence[str | Change]) -> list[Change]:
        """What of this is a change of the recipe, but for `set_`, beside other changes."""
        places = [
            each for each in others if not isinstance(each, str) and each.path == ("environment",)
        ]
        if self.suggest_surfaces and places:
            raise BadValue("--suggest-surfaces", "left out beside --environment", "both")
        return [
            *rate_changes(self.fix_rate, self.keep_rate), *place_changes(self.suggest_surfaces)
        ]  # fmt: skip


AS_READ, AS_FOUND, AS_THE_RECIPE_SAYS = FileOptions(), BodyOptions(), RunOptions()


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


def asked_of(clip: Path, environment: Path | None, body: BodyOptions, file: FileOptions) -> Recipe:
    """What a command asks about a clip, as the recipe without steps that `job.subject` takes."""
    from poise.formats import FORMATS
    from poise.job import HEAVIEST_KG, CharacterChoice, ClipChoice, Recipe

    if body.mass is not None and not 0 < body.mass < HEAVIEST_KG:
        allowed = f"a number of kg between 0 and {HEAVIEST_KG:g}"
        raise BadValue("the body's mass", allowed, body.mass)
    timeless = [each for f in FORMATS if "rate_hz" in f.options for each in f.extensions]
    if file.rate is not None and clip.suffix.lower() not in timeless:
        allowed = f"left out: only {', '.join(timeless)} files take it"
        raise BadValue("rate_hz", allowed, str(file.rate))
    if body.soles not in ("fitted", "skeleton"):
        raise UnknownName("--soles", body.soles, ("fitted", "skeleton"))
    return Recipe(
        (),
        ClipChoice(
            clean=body.clean,
            unit=file.unit,
            up=cast(Literal["y", "z"], file.up),  # the reader says which there are
            skeleton=None if file.skeleton is None else str(file.skeleton),
            capture_rate_hz=file.rate,
            animation=file.animation,
        ),
        CharacterChoice(
            mass_kg=body.mass,
            sex=cast(Literal["average"], body.sex),  # the tables say which there are
            table=cast(Literal["de_leva"], body.table),
            roles=None if body.roles is None else str(body.roles),
            ranges="none",
            soles=cast(Literal["fitted"], body.soles),
            body=body.body,
        ),
        None if environment is None else str(environment),
    )


def usual_recipe(name: str) -> Path:
    """What a command follows where the user has no recipe."""
    from poise import job

    return Path(job.__file__).with_name(f"{name}.yaml")


def option_changes(*asked: tuple[str, Path | str | float | None, str]) -> list[str | Change]:
    """Options that were given, as changes of a recipe; paths are seen from where the user is."""
    from poise.job import Change

    return [
        Change(
            tuple(path.split(".")),
            _seen_from_here(path, value),
            f"{option} {value}",
        )
        for path, value, option in asked
        if value is not None
    ]


def _seen_from_here(path: str, value: Path | str | float) -> str | float:
    from poise.job import SUGGESTED

    if not isinstance(value, Path):
        return value
    is_word = path == "environment" and str(value) == SUGGESTED
    return SUGGESTED if is_word else str(value.resolve())


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


def frame_range(text: str | None) -> tuple[int | None, int | None]:
    """`120:480`, `:300`, `-60:` as the ends of a slice; None means all."""
    if text is None:
        return None, None
    match = re.fullmatch(r"\s*(-?\d+)?\s*:\s*(-?\d+)?\s*", text)
    if match is None:
        raise BadValue("--frames", "START:STOP, for example 120:480 or :300", text)
    start, stop = match.groups()
    return (int(start) if start else None, int(stop) if stop else None)
