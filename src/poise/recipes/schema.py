"""What a recipe may hold, put together from the records of constraints and methods."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from poise.recipes.field_docs import field_docs, summary
from poise.recipes.models import CONFIG, model_of
from poise.recipes.recipe import VERSION, CharacterChoice, ClipChoice, Outputs, Recipe, Step
from poise.recipes.vocabulary import Vocabulary, vocabulary


@cache
def recipe_model(words: Vocabulary) -> type[BaseModel]:
    """The model of a whole recipe in these words."""
    docs = field_docs(Recipe)
    version: Any = Literal[VERSION]
    about: Any = str | None
    clip: Any = str | model_of(ClipChoice) | None
    character: Any = model_of(CharacterChoice) | None
    environment: Any = str | dict[str, Any] | None
    outputs: Any = model_of(Outputs) | None
    steps: Any = tuple[_steps(words), ...]
    return create_model(
        "Recipe",
        __config__=CONFIG,
        __doc__=summary(Recipe),
        poise=(version, Field(description="Version of the recipe format.")),
        about=(about, _absent(docs["about"])),
        clip=(clip, _absent("A motion file, or more about it.")),
        character=(character, _absent(summary(CharacterChoice))),
        environment=(environment, _absent(docs["environment"])),
        steps=(steps, Field(description=docs["steps"], json_schema_extra={"minItems": 1})),
        outputs=(outputs, _absent(summary(Outputs))),
    )


def _steps(words: Vocabulary) -> type[BaseModel]:
    constraint = _one_of("Constraint", _constraints(words))
    methods = {name: _step(name, words, constraint) for name in words.methods}
    return _one_of("Step", methods, may_be_empty=True)


def _step(name: str, words: Vocabulary, constraint: type[BaseModel]) -> type[BaseModel]:
    settings: Any = model_of(words.settings(name)) | None
    constraints: Any = tuple[constraint, ...] | None
    contacts: Any = str | None
    keys: dict[str, Any] = {
        "settings": (settings, _absent("How the method works.")),
        "constraints": (constraints, _absent("What must hold.")),
        "contacts": (contacts, _absent(field_docs(Step)["contacts"])),
    }
    if words.takes(name).pattern:
        pattern: Any = str | None
        keys["pattern"] = (pattern, _absent(field_docs(Step)["pattern"]))
    if not words.takes(name).constraints:
        del keys["constraints"]
    if not words.takes(name).contacts:
        del keys["contacts"]
    about = f"A step by the method {name}."
    return create_model(f"{name.capitalize()}Step", __config__=CONFIG, __doc__=about, **keys)


def _constraints(words: Vocabulary) -> dict[str, type[BaseModel]]:
    return {kind: model_of(record) for kind, record in words.constraints.items()}


def _one_of(
    name: str, models: dict[str, type[BaseModel]], *, may_be_empty: bool = False
) -> type[BaseModel]:
    """A mapping with one key of several; that it is one is checked elsewhere."""
    config = CONFIG | ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})
    definitions: dict[str, Any] = {
        key: (model | None if may_be_empty else model, _absent(model.__doc__ or ""))
        for key, model in models.items()
    }
    return create_model(name, __config__=config, **definitions)


def _absent(about: str) -> Any:
    """A key that may be left out, without a default that could be written."""
    return Field(default_factory=lambda: None, description=about)


def recipe_schema(words: Vocabulary | None = None) -> dict[str, Any]:
    """The JSON schema of a recipe, for editors that complete and check as you type."""
    schema = recipe_model(words or vocabulary()).model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
