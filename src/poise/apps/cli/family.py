"""`poise family`: many leaps from one, solved ahead and blended when they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import (
    Accept,
    Overwrite,
    Set,
    Without,
    check_npz,
    check_replaced,
    set_changes,
    taking_records,
)
from poise.apps.cli.run import EXIT_NOT_MET
from poise.apps.cli.waiting import Say, say_notes, waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poise.character import Character
    from poise.job import Change
    from poise.methods import Edit
    from poise.methods.momentum import Family, Settings
    from poise.motion import Clip

app = typer.Typer(
    help="Families of leaps: **build** one from a captured leap, **blend** any leap between its "
    "members, let it **hit** a ball, **play** it with the arrow keys.",
    no_args_is_help=True,
)

FamilyFile = Annotated[Path, typer.Argument(help="A family, as 'poise family build' writes it.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="Write the leap here.")]
StillFeet = Annotated[
    bool,
    typer.Option(
        "--still-feet", help="Put feet that glide by blending back on their prints, leg by leg."
    ),
]


@app.command()
@taking_records
def build(
    recipe: Annotated[
        Path, typer.Argument(help="A recipe with a step of momentum that has a family (.yaml).")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Write the family here (.npz).")],
    clip: Annotated[Path | None, typer.Option(help="Another clip than the recipe names.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="How many members are solved at a time; one a core.", min=1)
    ] = None,
    without: Without = None,
    set_: Set = None,
    read: ClipOptions = AS_THE_FILE_SAYS,
    overwrite: Overwrite = False,
    accept: Accept = False,
) -> None:
    """Solve all members of a family and keep them in one file.

    What is interrupted goes on where it was when the same command is given again. Code 3 when some
    member was not solved; the family is written all the same.

        poise family build header_family.yaml -o header.npz
    """  # fmt: skip
    check_npz(output, overwrite)
    with waiting(f"reading {recipe.name}"):
        changes = [*read.changes(), *set_changes(set_)]
        edit, settings, notes = _captured_leap(recipe, clip, changes, without or ())
    with waiting("solving members") as say:
        family, said = _built(edit, settings, output, workers, say)
    say_notes((*notes, *said, *family.notes))
    _say_family(family, output)
    if any(status != "converged" for status in family.statuses) and not accept:
        raise typer.Exit(EXIT_NOT_MET)


def _captured_leap(
    recipe: Path, clip: Path | None, changes: Sequence[Change], without: Sequence[str]
) -> tuple[Edit, Settings, tuple[str, ...]]:
    """The leap that a family grows from, as the one step of a recipe asks for it."""
    from poise.errors import BadValue
    from poise.job import edit_of, ground_of, load_recipe, subject, vocabulary
    from poise.methods.momentum import Settings

    asked = load_recipe(recipe, changes=changes, without=without).for_clip(clip)
    methods = [step.method for step in asked.steps]
    if methods != ["momentum"]:
        raise BadValue(f"steps of {recipe.name}", "one of momentum", ", ".join(methods))
    prepared = subject(asked, clip)
    edit = edit_of(asked, 0, prepared, prepared.clip, vocabulary())
    settings = asked.steps[0].settings
    assert isinstance(settings, Settings)
    ground_of(edit.environment)  # said before the work, not after it
    return edit, settings, prepared.notes


def _built(
    edit: Edit, settings: Settings, output: Path, workers: int | None, say: Say
) -> tuple[Family, tuple[str, ...]]:
    """All members, kept while they are solved, and in one file at the end."""
    from poise.execution import Threads
    from poise.job import MemberFolder, save_family
    from poise.methods.momentum import build_family

    folder = MemberFolder(output, edit, settings)
    said = (f"{folder.folder} was of another family and begins anew",) * folder.started_over
    family = build_family(
        edit, settings, store=folder, executor=Threads(workers),
        progress=lambda told: say(f"members: {told.done} of {told.total}"),
    )  # fmt: skip
    save_family(family, output)
    folder.remove()
    return family, said


def _say_family(family: Family, output: Path) -> None:
    from poise.methods.momentum import statuses_in_words

    for axis in family.axes:
        low, high = axis.values[0], axis.values[-1]
        print(f"{axis.name}: {len(axis.values)} members from {low:g} to {high:g}")
    print(
        f"{output}: {family.member_count} leaps of {family.frame_count} frames at "
        f"{family.clip.rate_hz:g} Hz, {statuses_in_words(family.statuses)}"
    )


@app.command()
def blend(
    family: FamilyFile,
    output: Output,
    at: Annotated[
        str,
        typer.Option(
            "--at", help="One number for every axis: 0.2,-0.1.", metavar="NUMBER,NUMBER,..."
        ),
    ],
    smooth: Annotated[
        bool,
        typer.Option("--smooth", help="Weigh by squares of sine and cosine instead of linearly."),
    ] = False,
    still_feet: StillFeet = False,
    overwrite: Overwrite = False,
) -> None:
    """Blend the leap at a place between members.

    poise family blend header.npz --at 0.2,-0.1 -o header.bvh
    """  # fmt: skip
    with waiting(f"reading {family.name}"):
        check_replaced(output, overwrite)
        read = _read(family)
        made = read.at(_numbers(at, "--at"), "smooth" if smooth else "linear")
        _write(read, made, output, still_feet)


@app.command()
def hit(
    family: FamilyFile,
    output: Output,
    point: Annotated[
        str, typer.Option(help="A point of the body: a site, a role or a joint.", metavar="NAME")
    ],
    place: Annotated[
        tuple[float, float, float] | None,
        typer.Option(help="Where it is to be, in metres.", metavar="X Y Z"),
    ] = None,
    frame: Annotated[int | None, typer.Option(help="When.")] = None,
    ball: Annotated[
        Path | None,
        typer.Option(
            help="Instead of a place and a frame: the path of a ball, a CSV of frame, x, y, z; the "
            "frame in which it is met best is found."
        ),
    ] = None,
    still_feet: StillFeet = False,
    overwrite: Overwrite = False,
    accept: Accept = False,
) -> None:
    """Find the leap that puts a point of the body at a place: the header, the smash.

    Code 3 when the family does not reach that far; the nearest leap is written all the same.

        poise family hit smash.npz --point right_hand_tip --place 0.3 2.4 -0.5 --frame 17 -o it.bvh

        poise family hit smash.npz --point right_hand_tip --ball ball.csv -o it.bvh
    """  # fmt: skip
    from poise.errors import BadValue

    check_replaced(output, overwrite)
    if (ball is None) == (place is None) or (place is None) != (frame is None):
        raise BadValue("--place and --frame", "both, or --ball instead", "something else")
    with waiting(f"reading {family.name}"):
        from poise.methods.momentum import Aim

        read = _read(family)
        aim = Aim(read, _body(read), point)
    if place is not None and frame is not None:
        found = aim.hit(place, frame)
    else:
        assert ball is not None
        from poise.job import read_ball

        found = aim.meet(*read_ball(ball))
    _write(read, read.at(found.coordinate, "smooth"), output, still_feet)
    where = ", ".join(
        f"{axis.name} {value:.3f}" for axis, value in zip(read.axes, found.coordinate, strict=True)
    )
    words = "hit" if found.status == "hit" else "out of reach"
    print(f"{words}: {point} misses by {1e3 * found.miss_m:.1f} mm at frame {found.frame}")
    print(f"at {where}")
    if found.status != "hit" and not accept:
        raise typer.Exit(EXIT_NOT_MET)


@app.command()
def play(
    family: FamilyFile,
    port: Annotated[
        int, typer.Option(help="Where to listen, on this machine only; 0 takes any.", min=0)
    ] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only say the address.")] = False,
) -> None:
    """Blend a family by hand in the studio; one of two leaps (two_leaps_m) with the arrow keys.

    poise family play two_leaps.npz
    """
    from poise.apps.cli.studio import Listening, open_studio

    with waiting(f"reading {family.name}"):
        _read(family)  # says what is none
    open_studio(family, None, Listening(port, no_browser=no_browser))


def _read(path: Path) -> Family:
    from poise.job import load_family

    return load_family(path)


def _body(family: Family) -> Character:
    from poise.character import complete_character
    from poise.contact import fit_soles

    body = complete_character(family.clip.skeleton)
    return fit_soles(body, family.clip, family.environment)[0]


def _write(family: Family, clip: Clip, output: Path, still_feet: bool) -> None:
    from poise.formats import save_clip
    from poise.methods.momentum import with_still_feet

    if still_feet:
        clip = with_still_feet(clip, _body(family), family.environment, family.contacts)
    say_notes(save_clip(clip, output))
    print(f"{output}: {clip.frame_count} frames at {clip.rate_hz:g} Hz")


def _numbers(text: str, option: str) -> tuple[float, ...]:
    from poise.errors import BadValue

    try:
        return tuple(float(each) for each in text.split(","))
    except ValueError:
        raise BadValue(option, "numbers with commas between", text) from None
