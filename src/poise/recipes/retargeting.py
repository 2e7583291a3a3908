"""What `poise retarget` needs: a motion, two bodies, who follows whom, a place."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poise.character import Character
from poise.environment import Environment
from poise.methods.retarget import Correspondence
from poise.motion import Clip
from poise.recipes.changes import Change
from poise.recipes.load import load_recipe
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
    clip: Path, to: Path, *, mapping: Path | None = None, rate_hz: float | None = None,
    environment: Environment | None = None,
) -> Retargeting:  # fmt: skip
    """Read what there is to retarget.

    Args:
        clip: a motion file.
        to: a motion, skeleton or robot file: whose body.
        mapping: a file of joints of the target and what they follow, instead of what is found.
        rate_hz: resample to this rate.
        environment: where; the level ground that the feet show, and a seat, by default.

    Raises:
        PoiseError: a file that cannot be read, a body that cannot move like the other.
    """
    asked: list[tuple[str, Any, str]] = [
        ("character.to", str(to.resolve()), f"--to {to}"),
        ("character.mapping", mapping and str(mapping.resolve()), f"--mapping {mapping}"),
        ("clip.rate_hz", rate_hz, f"--rate {rate_hz}"),
    ]
    changes = [
        Change(f"{key}={json.dumps(value)}", label)
        for key, value, label in asked
        if value is not None
    ]
    prepared = prepare(load_recipe(USUAL_RECIPE, changes=changes), clip)
    assert prepared.target is not None
    target, place = prepared.target, environment
    if place is None:
        place = prepared.environment
    return Retargeting(prepared.clip, prepared.character, target.character, target.matches, place)


USUAL_RECIPE = Path(__file__).with_name("retarget_clip.yaml")
"""What `poise retarget` does, as a recipe."""
