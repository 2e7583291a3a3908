"""Pictures of docs/correct.md: the recipes of `examples/recipes/correct`, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from correct_experiments import HERE, Row, page

from poise.environment import Environment, HeightField
from poise.job import Outcome, load_recipe, run_recipe

RECIPES = HERE.parents[1] / "examples" / "recipes" / "correct"
PATH_M = 0.8
"""How much of a wide hill is drawn."""


@dataclass(frozen=True)
class Look:
    """How an experiment is looked at."""

    view: str = "side"
    figures: int = 9
    seconds: tuple[float, float] | None = None
    """Of the clip; all of it when None."""
    other: str = ""
    """Another recipe with the same clip, whose body is drawn below."""
    words: str = ""
    """Beside that one."""


LOOKS = {
    "walking": Look(),
    "walking_hill": Look(),
    "running": Look(),
    "standing_up": Look(other="standing_up_long_arms", words="with longer arms, shorter legs"),
    "cartwheel": Look(other="cartwheel_thick_body", words="with a thick body"),
    "dance": Look(view="front"),
    "rolling": Look(),
    "sitting": Look(),
    "sitting_stool": Look(view="three-quarter"),
}


def experiment(name: str, clip: Path) -> None:
    """Run a recipe, and the one that goes with it, and draw them."""
    look = LOOKS[name]
    outcome = run_recipe(load_recipe(RECIPES / f"{name}.yaml"), clip=clip)
    other = None
    if look.other:
        other = run_recipe(load_recipe(RECIPES / f"{look.other}.yaml"), clip=clip)
    drawn(name, outcome, other)


def drawn(name: str, outcome: Outcome, other: Outcome | None = None) -> Path:
    """The picture of what has been run: captured, corrected, and another body."""
    look, prepared = LOOKS[name], outcome.prepared
    character, place = prepared.character, prepared.environment
    part = narrow(place)
    before = "as captured" if part is None else "as captured, raised by the hill"
    rows = [
        Row(before, outcome.start, character, place, drawn=part),
        Row("corrected", outcome.clip, character, place, outcome.result.contacts, drawn=part),
    ]
    if other is not None:
        body, where = other.prepared.character, other.prepared.environment
        rows.append(Row(look.words, other.clip, body, where, other.result.contacts))
    frames = None
    if look.seconds is not None:
        rate, last = outcome.clip.rate_hz, outcome.clip.frame_count - 1
        first, end = (min(round(second * rate), last) for second in look.seconds)
        frames = (first, end)
    path = HERE / f"correct_{name}.png"
    return page(path, rows, frames=frames, view=look.view, figures=look.figures)


def narrow(place: Environment) -> Environment | None:
    """A path over a hill that is the same all across: from the side, the feet are then seen."""
    (surface, *_) = place.surfaces
    if not isinstance(surface, HeightField):
        return None
    middle = surface.origin_m[0] + 0.5 * surface.spacing_m[0] * (len(surface.heights_m) - 1)
    path = HeightField(
        surface.heights_m[:2],
        np.array([PATH_M, surface.spacing_m[1]]),
        np.array([middle - 0.5 * PATH_M, surface.origin_m[1]]),
    )
    return Environment((path,))
