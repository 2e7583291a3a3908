"""What `poise retarget` needs: a motion, two bodies, who follows whom, a place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from poise.character import Character
from poise.environment import Environment
from poise.errors import FileProblem
from poise.formats import extensions
from poise.job import Change, load_recipe
from poise.methods.retarget import Correspondence
from poise.motion import Clip
from poise.recipes.prepare import prepare


@dataclass(frozen=True, eq=False)
class Retargeting:
    """A motion, two bodies and a place."""

    clip: Clip
    source: Character
    target: Character
    matches: Correspondence
    environment: Environment
    notes: tuple[str, ...] = ()
    """What was assumed."""


def retargeting(
    clip: Path, to: Path, *, mapping: Path | None = None, roles: Path | None = None,
    rate_hz: float | None = None, environment: Environment | None = None,
) -> Retargeting:  # fmt: skip
    """Read what there is to retarget.

    Args:
        clip: a motion file.
        to: a motion, skeleton or robot file: whose body.
        mapping: a file of joints of the target and what they follow, instead of what is found.
        roles: a file of joints of the clip and what they are, where it is not recognised.
        rate_hz: resample to this rate.
        environment: where; the level ground that the feet show, and a seat, by default.

    Raises:
        PoiseError: a file that cannot be read, a body that cannot move like the other.
    """
    _check_moves(clip)
    asked = [
        Change(("character", "to"), str(to.resolve()), f"--to {to}"),
        Change(("character", "mapping"), _whole(mapping), f"--mapping {mapping}"),
        Change(("character", "roles"), _whole(roles), f"--roles {roles}"),
        Change(("clip", "rate_hz"), rate_hz, f"--rate {rate_hz}"),
    ]
    changes = [change for change in asked if change.value is not None]
    prepared = prepare(load_recipe(USUAL_RECIPE, changes=changes), clip, roles_by=ROLES_BY)
    assert prepared.target is not None
    target, place = prepared.target, environment
    if place is None:
        place = prepared.environment
    return Retargeting(
        prepared.clip, prepared.character, target.character, target.matches, place, prepared.notes
    )


def _whole(path: Path | None) -> str | None:
    return None if path is None else str(path.resolve())


def _check_moves(clip: Path) -> None:
    """A robot in the place of the motion is a mistake of its own."""
    kind = clip.suffix.lower()
    moving = (*extensions("read_motion"), *extensions("read_clip"))
    if kind in extensions("read_character") and kind not in moving and clip.is_file():
        wanted = "a motion: an extension that a clip can be read from"
        found = f"'{kind}', which is of a body"
        advice = f"Give a body with --to. Known: {', '.join(moving)}."
        raise FileProblem(clip, wanted, found, advice=advice)


ROLES_BY = (
    "Take another motion; or, if it is of such a body, name its joints in a file, one "
    "'left_knee: LShin' per line (--roles FILE)."
)
"""How to name joints of a motion on the command line."""

USUAL_RECIPE = Path(__file__).with_name("retarget_clip.yaml")
"""What `poise retarget` does, as a recipe."""
