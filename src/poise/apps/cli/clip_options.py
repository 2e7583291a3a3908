"""The options of every command that reads a clip: how it is read, whose it is, where it is.

They are one record, which a command takes whole, so that each is called alike everywhere and does
the same. All of them are changes of a recipe, as those of `--set` are; commands without a recipe
ask about a clip with one that has no steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.errors import BadValue

if TYPE_CHECKING:
    from poise.job import Change, Recipe
    from poise.motion.cleanup import Trimmed

READING = "Reading the clip"
PLACE = "Place"
BODY = "Body"

_reading = partial(typer.Option, rich_help_panel=READING)
_place = partial(typer.Option, rich_help_panel=PLACE)
_body = partial(typer.Option, rich_help_panel=BODY)


@dataclass(frozen=True)
class ClipOptions:
    """How a clip is read, whose it is, and where."""

    unit: Annotated[
        str | None,
        _reading(help="Length unit of the file: m, cm, mm, in, cmu, or metres per unit."),
    ] = None
    up: Annotated[str | None, _reading(help="Up axis of the file: y or z.")] = None
    skeleton: Annotated[
        Path | None, _reading(help="The .asf of an .amc, when it is not the one beside it.")
    ] = None
    rate: Annotated[
        float | None,
        _reading(
            help="Frame rate of the capture, in Hz: of an .amc, which does not state one, or of a "
            "file that states a wrong one."
        ),
    ] = None
    animation: Annotated[
        str | None,
        _reading(help="Which animation of a file that has several, by name or number from 0."),
    ] = None
    frames: Annotated[
        str | None,
        _reading(
            help="Keep frames START:STOP of the file, counted from 0, STOP not included.",
            metavar="START:STOP",
        ),
    ] = None
    clean: Annotated[
        str | None,
        _reading(
            help="Repair defects first: 'all', 'none', or some of wrong-unit, missing-thorax, "
            "t-pose, dropped-frames, root-jumps, rotation-flips, with commas between.",
            metavar="STEPS",
        ),
    ] = None
    fix_rate: Annotated[
        bool,
        _reading(
            "--fix-rate",
            help="Where flights show that the file states a wrong frame rate: take the true one.",
        ),
    ] = False
    keep_rate: Annotated[
        bool,
        _reading("--keep-rate", help="Insist on the file's frame rate, whatever flights say."),
    ] = False
    environment: Annotated[
        Path | None,
        _place(
            help="The place: a small YAML file, a mesh (.obj, .stl, .glb), or 'suggested': what "
            "the clip shows. Without it, the floor that the feet show."
        ),
    ] = None
    suggest_surfaces: Annotated[
        bool,
        _place(
            "--suggest-surfaces",
            help="The place has the steps, slopes and seats that the clip shows, not level ground "
            "alone.",
        ),
    ] = False
    body: Annotated[
        str | None,
        _body(
            help="Whose body: a body file (.yaml: what a recipe says under 'character', such as "
            "mass_kg, sex and roles), a robot's file, or human. Without it, the one that the clip "
            "keeps. Options below come before it."
        ),
    ] = None
    mass: Annotated[
        float | None, _body(help="Body mass in kg; without it, taken from the stature.")
    ] = None
    table: Annotated[
        str | None,
        _body(help="Segment masses by: de_leva (1996; the usual one) or winter (1990)."),
    ] = None
    sex: Annotated[
        str | None, _body(help="Whose of de Leva's: male, female or average (the usual one).")
    ] = None
    roles: Annotated[
        Path | None,
        _body(help="A file that names joints by role, one 'left_knee: LShin' per line."),
    ] = None
    soles: Annotated[
        str | None,
        _body(
            help="Where soles are: fitted to where feet stand flat (as usual), or where the "
            "skeleton has them."
        ),
    ] = None

    def check(self) -> None:
        """Nothing, if the options go together.

        Raises:
            BadValue: two of them exclude each other.
        """
        if self.fix_rate and self.keep_rate:
            raise BadValue("--fix-rate", "left out beside --keep-rate", "both")
        if self.suggest_surfaces and self.environment is not None:
            raise BadValue("--suggest-surfaces", "left out beside --environment", "both")

    def changes(self) -> list[Change]:
        """All that was given, as changes of a recipe.

        Raises:
            BadValue: options that exclude each other.
            FileProblem: a body file that cannot be read.
        """
        from poise.job import SUGGESTED

        self.check()
        suggested = SUGGESTED if self.suggest_surfaces else None
        rate = "fix" if self.fix_rate else "keep" if self.keep_rate else None
        return [
            *option_changes(
                ("clip.unit", self.unit, "--unit"),
                ("clip.up", self.up, "--up"),
                ("clip.skeleton", self.skeleton, "--skeleton"),
                ("clip.capture_rate_hz", self.rate, "--rate"),
                ("clip.animation", self.animation, "--animation"),
                ("clip.frames", self.frames, "--frames"),
                ("clip.clean", cleaning(self.clean), "--clean", self.clean),
                ("clip.wrong_rate", rate, f"--{rate}-rate", ""),
                ("environment", self.environment, "--environment"),
                ("environment", suggested, "--suggest-surfaces", ""),
            ),
            *_body_changes(self.body),
            *option_changes(
                ("character.mass_kg", self.mass, "--mass"),
                ("character.table", self.table, "--table"),
                ("character.sex", self.sex, "--sex"),
                ("character.roles", self.roles, "--roles"),
                ("character.soles", self.soles, "--soles"),
            ),
        ]

    def question(self) -> Recipe:
        """The recipe without steps by which a command asks about a clip."""
        from poise.job import question

        return question(self.changes())

    def read(self, path: Path) -> Trimmed:
        """The clip of a file; nothing is repaired unasked."""
        from poise.formats import load_clip
        from poise.motion.cleanup import cleaning_steps, trim

        clip = load_clip(
            path, unit=self.unit, up=self.up, skeleton=self.skeleton, rate_hz=self.rate,
            animation=self.animation,
        )  # fmt: skip
        return trim(clip, self.frames, cleaning_steps(cleaning(self.clean) or ()))

    def given(self) -> Iterator[tuple[str, str]]:
        """Names of the options that were given, and their values."""
        for name, value in vars(self).items():
            if value not in (None, False):
                yield name, str(value)

    def check_left_out(self, names: Sequence[str], why: str) -> None:
        """Nothing, if none of these was given.

        Raises:
            BadValue: one was.
        """
        for name, value in self.given():
            if name in names:
                raise BadValue(f"--{name.replace('_', '-')}", f"left out: {why}", value)


OF_BODY_AND_PLACE = (
    "environment", "suggest_surfaces", "body", "mass", "table", "sex", "roles", "soles",
)  # fmt: skip
"""Options that say nothing about the clip's file."""

AS_THE_FILE_SAYS = ClipOptions()


def _body_changes(given: str | None) -> list[Change]:
    """What `--body` changes: all that a body file says, or whose body it is."""
    from poise.job import body_changes, is_body_file

    if given is not None and is_body_file(Path(given)):
        return body_changes(Path(given))
    return option_changes(("character.body", given, "--body"))


def cleaning(text: str | None) -> str | bool | tuple[str, ...] | None:
    """`all`, `none`, or steps with commas between, as a recipe has them."""
    if text is None or text.strip() in ("", "all"):
        return None if text is None else "all"
    steps = tuple(each.strip() for each in text.split(","))
    return False if steps == ("none",) else steps


def option_changes(
    *asked: tuple[str, object, str] | tuple[str, object, str, str | None],
) -> list[Change]:
    """Options that were given, as changes of a recipe; files are seen from the current folder.

    Args:
        *asked: the path of the value, the value, and the option; what was typed, if that is not
            the value.
    """
    from poise.job import Change

    here = Path.cwd()
    found: list[Change] = []
    for path, value, option, *typed in asked:
        if value is not None:
            plain = str(value) if isinstance(value, Path) else value
            label = f"{option} {typed[0] if typed else value}".strip()
            found.append(Change(tuple(path.split(".")), plain, label, here))
    return found
