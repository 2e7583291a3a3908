"""`poise sample`: clips made by code, with known truth and known defects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.options import Overwrite, check_new, taking_records
from poise.apps.cli.waiting import waiting

if TYPE_CHECKING:
    from poise.samples import Sample

_TRUTH = "Truth"
_DEFECTS = "Defects of known size"


_defect = partial(typer.Option, rich_help_panel=_DEFECTS)


@dataclass(frozen=True)
class Defects:
    """What is wrong with a sample on purpose."""

    slide: Annotated[
        float | None, _defect(help="Feet slide at this speed, cm/s.", metavar="CM_S")
    ] = None
    sink: Annotated[
        float | None, _defect(help="The figure stands this deep in the floor, cm.", metavar="CM")
    ] = None
    float_: Annotated[
        float | None,
        _defect("--float", help="It hovers this high over the floor, cm.", metavar="CM"),
    ] = None
    lean: Annotated[
        float | None,
        _defect(
            help="It leans this far beyond what its feet can hold, cm (stand only).", metavar="CM"
        ),
    ] = None
    noise: Annotated[
        float | None,
        _defect(help="It shakes by this much, mm (RMS along each axis).", metavar="MM"),
    ] = None
    seed: Annotated[int, _defect(help="Which noise; the same number, the same.")] = 12345
    wrong_rate: Annotated[
        float | None,
        _defect(
            help="Frames this far apart under the old rate: 2 drops every other, 0.5 doubles.",
            metavar="FACTOR",
        ),
    ] = None
    t_pose: Annotated[
        bool,
        _defect("--t-pose", help="Put a fake T-pose before the first frame, as many files have."),
    ] = False
    drop: Annotated[
        list[int] | None, _defect(help="Zero this frame, as a capture that lost it; repeat.")
    ] = None


NONE = Defects()


@taking_records
def sample(
    name: Annotated[
        str,
        typer.Argument(
            help="What to make: walk, run, jump, jump-up, jump-twice, smash, kick, jump-kick, hop, "
            "dance, reach, golf, squat, stand, sit, getup, kneel, roll "
            "or cartwheel.",
            metavar="NAME",
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
    fps: Annotated[float, typer.Option(help="Frames a second.")] = 120.0,
    seconds: Annotated[
        float | None, typer.Option(help="How long; each sample has its own usual length.")
    ] = None,
    contacts: Annotated[
        Path | None,
        typer.Option(
            help="Also write what really touches in which frame, as .csv or .json.",
            rich_help_panel=_TRUTH,
        ),
    ] = None,
    defects: Defects = NONE,
    overwrite: Overwrite = False,
) -> None:
    """Make a clip by code, to try things on.

    Samples are balanced and their feet stand exactly still, so what a measure finds in one is what
    you put in.

        poise sample walk -o walk.bvh --contacts truth.csv

        poise sample walk -o sliding.bvh --slide 10 --sink 2

        poise sample jump -o fast.bvh --wrong-rate 2

        poise sample walk -o captured.bvh --t-pose --drop 40
    """  # fmt: skip
    from poise.formats import check_can_write, save_clip

    check_can_write(output)
    for path in (output, contacts):
        check_new(path, overwrite)
    with waiting(f"making {name}"):
        made = _made(name, fps, seconds)
        made = _as_captured(_damaged(made, defects), defects)
        save_clip(made.clip, output)
        if contacts is not None:
            from poise.contact import write_contacts

            write_contacts(made.contacts, contacts)
    _say(made, output, contacts)


def _made(name: str, fps: float, seconds: float | None) -> Sample:
    from poise.errors import BadValue, UnknownName
    from poise.samples import SAMPLES

    if name not in SAMPLES:
        raise UnknownName("sample", name, SAMPLES)
    if not 1.0 <= fps <= 10_000.0:
        raise BadValue("--fps", "from 1 to 10000", fps)
    if seconds is None:
        return SAMPLES[name](rate_hz=fps)
    return SAMPLES[name](seconds=seconds, rate_hz=fps)


def _damaged(made: Sample, asked: Defects) -> Sample:
    """Defects in an order in which each keeps its size: what changes time comes first."""
    from poise import samples

    if asked.wrong_rate is not None:
        made = samples.with_wrong_rate(made, asked.wrong_rate)
    if asked.lean is not None:
        made = samples.with_lean(made, asked.lean)
    if asked.slide is not None:
        made = samples.with_foot_slide(made, asked.slide)
    if asked.sink is not None:
        made = samples.with_penetration(made, asked.sink)
    if asked.float_ is not None:
        made = samples.with_float(made, asked.float_)
    if asked.noise is not None:
        made = samples.with_noise(made, asked.noise, asked.seed)
    return made


def _as_captured(made: Sample, asked: Defects) -> Sample:
    from poise.errors import BadValue
    from poise.samples import with_dropped_frames, with_t_pose

    drop = asked.drop or []
    for frame in drop:
        if not 0 <= frame < made.clip.frame_count:
            raise BadValue("--drop", f"a frame from 0 to {made.clip.frame_count - 1}", frame)
    made = with_dropped_frames(made, tuple(drop))
    return with_t_pose(made) if asked.t_pose else made


def _say(made: Sample, output: Path, contacts: Path | None) -> None:
    from poise.wording import counted

    clip = made.clip
    print(f"{output}: {counted(clip.frame_count, 'frame')} at {clip.rate_hz:g} Hz")
    if contacts is not None:
        shares = made.contacts.touching.mean(axis=0)
        told = ", ".join(
            f"{part} {100 * share:.0f} %"
            for part, share in zip(made.contacts.parts, shares, strict=True)
        )
        print(f"{contacts}: touching {told} of the frames")
    if made.injected:
        print("each defect by itself, measured with the true contacts (--contacts):")
    for defect in made.injected:
        print(
            f"  {defect.defect} {defect.size:g} {defect.unit}: {defect.measure} should read "
            f"{defect.expected:.4g} {defect.expected_unit}{_on_floor(defect.defect)}"
        )


def _on_floor(defect: str) -> str:
    return " with the floor at height 0" if defect in ("penetration", "float") else ""
