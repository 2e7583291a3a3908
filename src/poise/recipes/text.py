"""Writing a recipe down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from poise.recipes.recipe import VERSION, Recipe, Step
from poise.recipes.records import plain_from
from poise.recipes.scalars import is_plain_word
from poise.recipes.vocabulary import Vocabulary, vocabulary


def recipe_text(recipe: Recipe, words: Vocabulary | None = None) -> str:
    """The YAML of a recipe; reading it gives an equal recipe.

    What has its default value, or that of its preset, is left out. Paths stay relative to the
    recipe's folder.
    """
    words = words or vocabulary()
    content: dict[str, Any] = {"poise": VERSION}
    if recipe.about:
        content["about"] = recipe.about
    for key in ("clip", "character", "outputs"):
        plain = plain_from(getattr(recipe, key))
        if plain:
            content[key] = plain
    if recipe.environment is not None:
        content["environment"] = recipe.environment
    outputs = content.pop("outputs", None)
    content["steps"] = [_step(step, words) for step in recipe.steps]
    if outputs:
        content["outputs"] = outputs
    return yaml.dump(
        content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=96, indent=2
    )


def _step(step: Step, words: Vocabulary) -> dict[str, Any]:
    content: dict[str, Any] = {}
    preset = words.preset(step.method, getattr(step.settings, "preset", None))
    settings = plain_from(step.settings, preset)
    if settings:
        content["settings"] = settings
    if step.constraints:
        content["constraints"] = [{wish.kind: dict(wish.values)} for wish in step.constraints]
    if step.contacts is not None:
        content["contacts"] = step.contacts
    if step.pattern is not None:
        content["pattern"] = step.pattern
    return {step.method: content}


class _Dumper(yaml.SafeDumper):
    """Short lists and keys on one line, words in quotes where a reader would take them for more."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        return super().increase_indent(flow, False)


def _word(dumper: _Dumper, word: str) -> yaml.Node:
    # Odd characters are safe only where they are escaped.
    style = None if word.isprintable() and is_plain_word(word) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", word, style=style)


def _list(dumper: _Dumper, listed: tuple[Any, ...]) -> yaml.Node:
    flat = not any(isinstance(each, Mapping) for each in listed)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", listed, flow_style=flat)


_Dumper.add_representer(str, _word)
_Dumper.add_representer(tuple, _list)
