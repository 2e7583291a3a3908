"""Pictures of docs/momentum.md: the recipes of `examples/recipes/momentum`, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from correct_experiments import HERE, Row, page

from poise.job import Outcome, load_recipe, run_recipe

RECIPES = HERE.parents[1] / "examples" / "recipes" / "momentum"


@dataclass(frozen=True)
class Leaps:
    """A picture: recipes on one clip, one below the other."""

    file: str
    recipes: dict[str, str]
    """By name: what is written beside it."""
    figures: int = 12


PICTURES = {
    "spin_and_back": Leaps(
        "momentum_spin.png", {"spin_and_back": "once around, then half a turn back"}, 13
    ),
    "forward_jump_longer": Leaps(
        "momentum_jumps.png",
        {
            "forward_jump_longer": "half a metre longer",
            "forward_jump_higher": "half as high again",
            "backward_jump": "two metres backwards",
        },
    ),
    "two_step_hop": Leaps("momentum_hop.png", {"two_step_hop": "moved, turned, higher"}),
    "missed_header": Leaps("momentum_header.png", {"missed_header": "higher, to meet the ball"}),
}


def leaps(name: str, clip: Path) -> None:
    """Run the recipes of a picture and draw it."""
    picture = PICTURES[name]
    made = {
        words: run_recipe(load_recipe(RECIPES / f"{recipe}.yaml"), clip=clip)
        for recipe, words in picture.recipes.items()
    }
    first = next(iter(made.values()))
    rows = [_captured(first), *(_leapt(words, outcome) for words, outcome in made.items())]
    # Frames that all of them have: flights of some last longer.
    last = min(row.clip.frame_count for row in rows) - 1
    page(HERE / picture.file, rows, frames=(0, last), figures=picture.figures)


def _captured(outcome: Outcome) -> Row:
    prepared = outcome.prepared
    return Row("captured", prepared.clip, prepared.character, prepared.environment)


def _leapt(words: str, outcome: Outcome) -> Row:
    prepared, result = outcome.prepared, outcome.result
    return Row(words, result.clip, prepared.character, prepared.environment, result.contacts)
