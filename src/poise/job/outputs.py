"""The files a recipe leaves behind: checked before the work, written whole after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from poise.arrays import Array
from poise.character import Character
from poise.contact import ContactSchedule, find_contacts, write_contacts
from poise.environment import Environment
from poise.errors import FileProblem
from poise.formats import (
    atomic_write,
    check_can_write,
    check_robot_file,
    robot_trajectory,
    save_clip,
    write_robot,
)
from poise.job.error_context import located
from poise.job.recipe import Recipe
from poise.job.root_motion import Rooted, RootMotion, in_its_rig, with_root_motion
from poise.job.run import Outcome
from poise.measures import Evaluation
from poise.methods.retarget import Impossible, RetargetReport, drive, frames_of
from poise.motion import Clip
from poise.wording import counted

PAGES = (".html", ".htm")
TABLES = (".csv", ".json")


@dataclass(frozen=True)
class PlannedOutputs:
    """Where things go."""

    files: dict[str, Path]
    """By the keys of a recipe's outputs, and preview."""
    notes: tuple[str, ...] = ()


def planned_outputs(
    recipe: Recipe,
    clip: Path | None,
    given: Mapping[str, Path | None],
    *,
    overwrite: bool,
    allow_outside: bool = False,
) -> PlannedOutputs:
    """What the recipe and the command line ask for, when all of it can be written.

    The outputs of a recipe belong to its own clip: with another one they are left alone, or one
    clip after the other would be written over the same files.

    Args:
        recipe: its outputs are wanted.
        clip: another clip than the recipe's.
        given: files of the command line, by the same keys, which come first; None: not asked for.
        overwrite: whether files may be replaced.
        allow_outside: whether what the recipe itself names may lie outside its folder.

    Raises:
        FileProblem: an extension that says nothing, a folder that is not there, a file that is, a
            recipe that would write outside its folder.
    """
    own = recipe.outputs.items()
    notes: list[str] = []
    if clip is not None and recipe.has_clip and own:
        notes.append(f"outputs of the recipe not written: {clip.name} is not its own clip")
        own = {}
    files = {key: recipe.folder / name for key, name in own.items()}
    layout = recipe.outputs.layout
    for key, path in files.items():
        with located(recipe, ("outputs", key)):
            if not allow_outside and given.get(key) is None:
                _check_inside(recipe, key, path)
            _check(key, path, layout)
    for key, path in given.items():
        if path is not None:
            files[key] = path
            _check(key, path, layout)
    _check_different(list(files.values()))
    for path in files.values():
        if path.exists() and not overwrite:
            raise FileProblem(path, "a new file", "one that exists", advice="Add --overwrite.")
    return PlannedOutputs(files, tuple(notes))


def _check_inside(recipe: Recipe, key: str, path: Path) -> None:
    """Whoever follows a recipe of somebody else has not asked for files anywhere on the machine."""
    if path.resolve().is_relative_to(recipe.folder.resolve()):
        return
    node = recipe.written and recipe.written.at(("outputs", key))
    if node and node.place.is_option:
        return
    raise FileProblem(
        path,
        "a file in the recipe's folder or below it",
        "one outside",
        advice=f"Add --allow-outside, or name it yourself: --set outputs.{key}=FILE.",
    )


def _check(key: str, path: Path, layout: str) -> None:
    if key == "report":
        if path.suffix.lower() not in PAGES:
            raise FileProblem(path, "an extension of a page (.html)", f"'{path.suffix}'")
    elif key == "contacts":
        if path.suffix.lower() not in TABLES:
            raise FileProblem(path, "an extension of contacts (.csv, .json)", f"'{path.suffix}'")
    elif key == "robot":
        check_robot_file(path, layout)
    else:
        check_can_write(path)
        if key == "glb" and path.suffix.lower() not in (".glb", ".gltf"):
            raise FileProblem(path, "an extension of glTF (.glb)", f"'{path.suffix}'")
    if not path.parent.is_dir():
        raise FileProblem(path, "an existing folder to write into", f"no {path.parent}")


def _check_different(paths: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for path in paths:
        whole = path.resolve()
        if whole in seen:
            raise FileProblem(path, "different files for different outputs", "the same twice")
        seen.add(whole)


def write_outputs(
    planned: PlannedOutputs,
    recipe: Recipe,
    outcome: Outcome,
    found: Evaluation | None,
    page: Callable[[Evaluation], str],
) -> tuple[list[str], list[str]]:
    """Write them; returns a line about each, and notes.

    Args:
        planned: what goes where.
        recipe: what was asked.
        outcome: what came of it.
        found: the figures of a report.
        page: makes the report of them.
    """
    lines: list[str] = []
    rooted = rooted_outcome(outcome, recipe.outputs.root_motion)
    notes = list(rooted.notes)
    for key, path in planned.files.items():
        if key == "report":
            assert found is not None
            notes += found.notes
            text = page(found).encode("utf-8", "replace")
            atomic_write(path, text)
            lines.append(f"{path}: {len(text) / 1e6:.2f} MB")
        elif key == "contacts":
            contacts = outcome.result.contacts
            if contacts is None:
                notes.append(f"{path} not written: nobody asked what touches when")
                continue
            write_contacts(contacts, path)
            lines.append(f"{path}: what touches in {counted(contacts.frame_count, 'frame')}")
        elif key == "robot":
            with located(recipe, ("outputs", "robot")):
                save_robot(path, recipe.outputs.layout, outcome, recipe.outputs.root_motion)
            lines.append(f"{path}: {_length(outcome.clip, 'of a robot ')}")
        else:
            clip = _start(outcome) if key == "before" else rooted.clip
            notes += save_clip(clip, path)
            lines.append(f"{path}: {'the original, ' * (key == 'before')}{_length(clip)}")
    return lines, notes


def rooted_outcome(outcome: Outcome, wanted: RootMotion) -> Rooted:
    """The edited clip and its place, with the root motion that was asked for."""
    prepared = outcome.prepared
    rooted = with_root_motion(outcome.clip, prepared.environment, wanted)
    if prepared.rig is None or prepared.moved_from is not None:
        return rooted
    return in_its_rig(rooted, outcome.clip, prepared.rig)


def _start(outcome: Outcome) -> Clip:
    rig = outcome.prepared.rig
    return outcome.start if rig is None else rig.restored(outcome.start)


def _length(clip: Clip, whose: str = "") -> str:
    return f"{counted(clip.frame_count, 'frame')} {whose}at {clip.rate_hz:g} Hz"


def save_robot(
    path: Path, layout: str, outcome: Outcome, root_motion: RootMotion = "as-is"
) -> None:
    """Write a robot's joint angles, speeds, torques and contacts.

    Raises:
        BadValue: a body that is no robot.
        FileProblem: a layout that the extension cannot hold.
    """
    check_robot_file(path, layout)
    prepared = outcome.prepared
    contacts = outcome.result.contacts or prepared.contacts
    if contacts is None:
        contacts = find_contacts(outcome.clip, prepared.character, prepared.environment).schedule
    rooted = rooted_outcome(outcome, root_motion)
    made = (each.report for each in outcome.results)
    impossible = next((each.impossible for each in made if isinstance(each, RetargetReport)), ())
    write_robot_file(
        path, layout, rooted.clip, prepared.character, rooted.environment, contacts, impossible
    )


def write_robot_file(
    path: Path,
    layout: str,
    clip: Clip,
    robot: Character,
    place: Environment,
    contacts: ContactSchedule,
    impossible: Sequence[Impossible],
) -> None:
    """Write a robot's trajectory.

    Args:
        path: the file.
        layout: of its columns; `poise` has torques and contact forces, too.
        clip: on the robot's skeleton.
        robot: whose motion.
        place: where.
        contacts: what touches when.
        impossible: what it cannot do.

    Raises:
        BadValue: a body that is no robot.
    """
    trajectory = robot_trajectory(clip)  # says what is no robot
    channels: dict[str, Array] = {
        f"contact.{part}": contacts.column(part).astype(float)
        for part in contacts.parts
        if contacts.column(part).any()
    }
    channels["impossible"] = frames_of(impossible, clip.frame_count).astype(float)
    if layout == "poise":
        channels |= drive(clip, robot, place, contacts).channels
        trajectory = robot_trajectory(clip, channels)
    write_robot(path, trajectory, layout)
