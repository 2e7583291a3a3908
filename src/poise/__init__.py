"""Poise edits captured motion so that it does what you ask and still obeys body and ground.

    import poise

    clip = poise.load("walk.bvh")
    fixed = poise.correct(clip)              # find the contacts, remove slide, float, penetration
    print(fixed.status, fixed.summary)
    print(fixed.measures())                  # before and after
    fixed.report("walk.html")
    fixed.save("walk.glb")

    g1 = poise.load_character("g1.xml")
    poise.retarget(clip, g1).save("walk.csv", layout="unitree")
    poise.leap(poise.load("jump.bvh"), further=1.5, turn_deg=180)
    poise.run("reach.yaml")

Inside: metres, seconds, kilograms, radians; right-handed, Y up; quaternions wxyz. A mistake raises
a `PoiseError` that says what is wrong, where, and what to do; a run that does not meet its goals is
a `Result` whose `status` says so. Records and kernels are in the packages: `poise.constraints`,
`poise.motion`, `poise.character`, `poise.mechanics`, ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from poise.version import __version__ as __version__

if TYPE_CHECKING:
    from poise.apps.batch.run import Summary
    from poise.apps.inspection import CharacterReport, ClipReport
    from poise.character import Character
    from poise.constraints import Constraint
    from poise.contact import ContactSchedule
    from poise.environment import Environment
    from poise.face import MeasureTable, Result
    from poise.job import CharacterChoice, Recipe, WrongRate
    from poise.methods import ProgressCallback
    from poise.methods.pattern import Pattern
    from poise.motion import Clip

__all__ = [
    "batch", "correct", "deform", "filter", "inspect", "leap", "load", "load_character",
    "measure", "pattern", "render", "report", "retarget", "run", "save",
]  # fmt: skip


def load(
    path: str | Path,
    *,
    unit: str | None = None,
    up: str | None = None,
    rate_hz: float | None = None,
    **options: object,
) -> Clip:
    """Read a clip (see `poise formats`); options as `poise.formats.load_clip`."""
    from poise.formats import load_clip

    return load_clip(path, unit=unit, up=up, rate_hz=rate_hz, **options)


def load_character(path: str | Path) -> Character:
    """Read a body: a robot (.xml, .urdf), a skeleton (.asf), or that of a motion file."""
    from poise.job import figure_of

    return figure_of(Path(path), repaired=True)


def save(clip: Clip, path: str | Path, *, sidecar: bool = False) -> tuple[str, ...]:
    """Write a clip in the format of the extension; returns what that format could not hold."""
    from poise.formats import save_clip

    return save_clip(clip, path, sidecar=sidecar)


def correct(
    clip: Clip | str | Path,
    *,
    preset: str = "auto",
    contacts: ContactSchedule | None = None,
    place: Environment | str | Path | None = None,
    body: CharacterChoice | None = None,
    wrong_rate: WrongRate = "stop",
    progress: ProgressCallback | None = None,
    **settings: object,
) -> Result:
    """Correct a capture: find what touches what; remove sliding, floating and penetration.

    Args:
        clip: the motion, or its file.
        preset: the kind of motion: walk, run, dance, acrobatic, floor, roll or seat; by default any
            part may touch.
        contacts: what touches when, where it is known.
        place: an environment or its file; "suggested" has the steps, slopes and seats that the clip
            shows; by default the floor that the feet show.
        body: mass, sex, roles of joints.
        wrong_rate: what is done where flights show that the file's frame rate is wrong: `stop`,
            `fix` takes the true one, `keep` insists on the file's.
        progress: called while it runs.
        **settings: of `poise.methods.correct.Settings`.
    """
    from poise.face import apply

    return apply(
        "correct", clip, settings={"preset": preset, **settings}, contacts=contacts, place=place,
        body=body, wrong_rate=wrong_rate, progress=progress,
    )  # fmt: skip


def deform(
    clip: Clip | str | Path,
    *constraints: Constraint,
    place: Environment | str | Path | None = None,
    body: CharacterChoice | None = None,
    **settings: object,
) -> Result:
    """Bend a clip to constraints, higher priorities first (`poise.constraints.HoldPoint`, ...)."""
    from poise.face import apply

    return apply("deform", clip, constraints, settings=settings, place=place, body=body)


def filter(
    clip: Clip | str | Path,
    *constraints: Constraint,
    passes: str = "2D+1K",
    place: Environment | str | Path | None = None,
    body: CharacterChoice | None = None,
    wrong_rate: WrongRate = "stop",
    **settings: object,
) -> Result:
    """Balance, strength and flight for a clip and its constraints; `passes` as in the paper."""
    from poise.face import apply

    asked = {"passes": passes, **settings}
    return apply(
        "filter", clip, constraints, settings=asked, place=place, body=body, wrong_rate=wrong_rate
    )


def leap(
    clip: Clip | str | Path,
    *constraints: Constraint,
    further: float | None = None,
    by_m: Sequence[float] | None = None,
    turn_deg: float = 0.0,
    higher: float | None = None,
    place: Environment | str | Path | None = None,
    wrong_rate: WrongRate = "stop",
    progress: ProgressCallback | None = None,
    **settings: object,
) -> Result:
    """Edit a captured leap so that it still obeys gravity.

    Args:
        clip: the motion, or its file.
        *constraints: what else must hold; stage edits of `poise.constraints`, too.
        further: how many times as far the last flight goes.
        by_m: instead, metres (x, y, z) by which the last landing moves.
        turn_deg: turns the last landing to the left; 360 is a full spin.
        higher: how many times as high the last flight rises.
        place: an environment or its file.
        wrong_rate: as of `correct`.
        progress: called while it runs.
        **settings: of `poise.methods.momentum.Settings`.
    """
    from poise.face import apply, leap_edits

    edits = leap_edits(
        clip, place, wrong_rate, further=further, by_m=by_m, turn_deg=turn_deg, higher=higher
    )
    return apply(
        "momentum", clip, (*edits, *constraints), settings=settings, place=place,
        wrong_rate=wrong_rate, progress=progress,
    )  # fmt: skip


def retarget(
    clip: Clip | str | Path,
    body: Character | str | Path,
    *,
    place: Environment | str | Path | None = None,
    wrong_rate: WrongRate = "stop",
    progress: ProgressCallback | None = None,
    **settings: object,
) -> Result:
    """Put a motion on another body: another rig, a child, a humanoid robot.

    Args:
        clip: the motion, or its file.
        body: as `load_character` reads it, or its file.
        place: an environment or its file.
        wrong_rate: as of `correct`.
        progress: called while it runs.
        **settings: of `poise.methods.retarget.Settings`.
    """
    from poise.face import retargeted

    return retargeted(
        clip, body, settings=settings, place=place, wrong_rate=wrong_rate, progress=progress
    )


def pattern(
    clip: Clip | str | Path,
    learned: Pattern | str | Path,
    *constraints: Constraint,
    place: Environment | str | Path | None = None,
    **settings: object,
) -> Result:
    """Meet goals in the style of a learned pattern (`poise pattern learn`; `HitAt`)."""
    from poise.face import apply
    from poise.job import load_pattern

    known = load_pattern(learned) if isinstance(learned, str | Path) else learned
    return apply("pattern", clip, constraints, settings=settings, place=place, pattern=known)


def measure(
    clip: Clip | str | Path,
    against: Clip | str | Path | None = None,
    *,
    body: Character | None = None,
    place: Environment | None = None,
    contacts: ContactSchedule | None = None,
) -> MeasureTable:
    """Say in numbers how physical a clip is; with an original, before and after.

    Args:
        clip: the motion, or its file.
        against: the original that it was made from.
        body: whose motion; by default a human of the clip's proportions.
        place: where; by default the floor that the feet show.
        contacts: what touches when; by default what is detected.
    """
    from poise.face import measure_clip

    return measure_clip(clip, against, body, place, contacts)


def report(
    clip: Clip | str | Path,
    path: str | Path,
    against: Clip | str | Path | None = None,
    *,
    contacts: ContactSchedule | None = None,
) -> Path:
    """Write a page about a clip (.html): figures in plain words, a figure strip, charts."""
    from poise.face import measure_clip, report_clip

    name = clip.name if not isinstance(clip, str | Path) else Path(clip).name
    table = measure_clip(clip, against, contacts=contacts)
    return report_clip(table, path, name or Path(path).stem)


def render(
    clip: Clip,
    path: str | Path,
    against: Clip | None = None,
    *,
    view: str | None = None,
    figures: int | None = None,
) -> Path:
    """Draw a clip, alone or beside another: a strip (.png) or an animation (.gif, .mp4)."""
    from poise.face import render_clip

    return render_clip(clip, path, against, view, figures)


def run(
    recipe: Recipe | str | Path,
    clip: Clip | str | Path | None = None,
    *,
    progress: ProgressCallback | None = None,
) -> Result:
    """Do what a recipe says, on its own clip or on another one."""
    from poise.face import run_recipe_file

    return run_recipe_file(recipe, clip, progress)


def inspect(path: str | Path) -> ClipReport | CharacterReport:
    """Say what a file is (joints, rate, unit, floor, roles) and what is wrong with it."""
    from poise.face import inspect_file

    return inspect_file(Path(path))


def batch(
    library: str | Path,
    out: str | Path,
    *,
    recipe: str | Path | None = None,
    to: str | Path | None = None,
    workers: int | None = None,
    told: Callable[[Mapping[str, object]], None] | None = None,
    **values: object,
) -> Summary:
    """Do the same with every clip of a folder, in watched processes; interrupted runs resume.

    Args:
        library: a folder of clips, or a list of them (.txt, .csv, .jsonl).
        out: folder for the clips, `results.csv`, `results.jsonl` and `library.html`.
        recipe: what to do with each; by default what `correct` does, or `retarget` with `to`.
        to: another body for each.
        workers: clips at a time; by default one a core.
        told: called with the row of each clip when it is done.
        **values: settings of the first step, such as `preset="run"`.
    """
    from poise.face import run_batch

    return run_batch(Path(library), Path(out), recipe, to, workers, told, values)
