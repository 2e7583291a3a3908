"""What retargeting needs, read from files: a motion, two bodies, who follows whom, a place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from poise.character import Character, complete_character, with_ranges
from poise.contact import estimate_ground
from poise.environment import Environment
from poise.errors import BadValue, MissingRoles
from poise.formats import load_clip
from poise.methods.retarget import Correspondence, correspondence
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from poise.recipes.another_body import figure_of
from poise.recipes.mapping_file import read_mapping
from poise.recipes.prepare import MUST_BE_CLEANED


@dataclass(frozen=True, eq=False)
class Retargeting:
    """A motion, two bodies and a place."""

    clip: Clip
    source: Character
    target: Character
    matches: Correspondence
    environment: Environment


def retargeting(
    clip: Path, to: Path, *, mapping: Path | None = None, rate_hz: float | None = None,
    environment: Environment | None = None,
) -> Retargeting:  # fmt: skip
    """Read what there is to retarget.

    Args:
        clip: a motion file.
        to: a motion, skeleton or robot file: whose body.
        mapping: a file of joints of the target and what they follow, instead of what is found.
        rate_hz: resample to this rate.
        environment: where; the level ground that the feet show, by default.

    Raises:
        FileProblem: a file that cannot be read.
        BadValue: a body that cannot move like the other.
    """
    motion, _ = clean(load_clip(clip), MUST_BE_CLEANED)
    if rate_hz is not None:
        motion = resample(motion, rate_hz)
    source = complete_character(motion.skeleton)
    target = target_of(to)
    given = None if mapping is None else read_mapping(mapping)
    matches = correspondence(source, target, given)
    if environment is None:
        environment = Environment((estimate_ground(motion, source)[0],))
    return Retargeting(motion, source, target, matches, environment)


def target_of(path: Path) -> Character:
    """A body that can move like a human.

    Raises:
        BadValue: one that cannot, with what it lacks.
    """
    figure = figure_of(path, repaired=True)
    try:
        target = complete_character(figure)
    except MissingRoles as problem:
        lacking = ", ".join(problem.missing)
        allowed = "a body with a trunk, two arms and two legs (or a file of roles that names them)"
        raise BadValue(f"target ({path.name})", allowed, f"nothing for {lacking}") from None
    hinged = "hinge" in target.skeleton.kinds
    return target if hinged else with_ranges(target)
