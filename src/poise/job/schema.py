"""The types of a whole recipe as it is written, from the records of its parts; and JSON schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Annotated, Literal, NotRequired, cast

from pydantic import Field, TypeAdapter, WrapValidator
from pydantic_core import PydanticCustomError, SchemaValidator

from poise.errors import PoiseError
from poise.job.constraint_spec import spec_type, try_record, typed_dict
from poise.job.field_docs import field_docs, summary
from poise.job.recipe import VERSION, CharacterChoice, ClipChoice, Outputs, Recipe, Step, Values
from poise.job.vocabulary import Vocabulary, vocabulary
from poise.record_ranges import Hint

REFUSED = "refused"
"""The kind of error that a record raised; it stands in the context."""


@cache
def recipe_type(words: Vocabulary) -> Hint:
    """The typed dict of a recipe in these words.

    Clip, character, outputs and settings in it become records.
    """
    docs = field_docs(Recipe)
    steps = Field(description=docs["steps"], json_schema_extra={"minItems": 1})
    keys: dict[str, Hint] = {
        "poise": Annotated[Literal[VERSION], Field(description="Version of the recipe format.")],
        "about": _optional(str, docs["about"]),
        "clip": _optional(str | _refusing(ClipChoice), "A motion file, or more about it."),
        "character": _optional(_refusing(CharacterChoice), summary(CharacterChoice)),
        "environment": _optional(str | dict[str, Hint], docs["environment"]),
        "steps": Annotated[tuple[_step_type(words), ...], steps],
        "outputs": _optional(_refusing(Outputs), summary(Outputs)),
    }
    return typed_dict("Recipe", summary(Recipe), keys)


@cache
def recipe_validator(words: Vocabulary) -> SchemaValidator:
    """Checks the plain values of a recipe and makes the records in it."""
    schema = TypeAdapter(recipe_type(words)).core_schema
    for each in _dicts(schema):
        if each.get("type") == "dataclass":
            each["strict"] = False  # values are strict, but records may be given as mappings
    return SchemaValidator(schema)


def _dicts(schema: object) -> Iterator[dict[str, object]]:
    """All mappings in a schema."""
    if isinstance(schema, dict):
        yield cast("dict[str, object]", schema)
        schema = list(cast("dict[str, object]", schema).values())
    for each in cast("list[object]", schema) if isinstance(schema, list | tuple) else ():
        yield from _dicts(each)


def _step_type(words: Vocabulary) -> Hint:
    kinds = {
        kind: (_refusing(spec_type(record), after=partial(_tried, record)), summary(record))
        for kind, record in words.constraints.items()
    }
    constraint = _one_of("Constraint", kinds)
    methods = {name: _method_type(name, words, constraint) for name in words.methods}
    return _one_of("Step", {name: (made | None, made.__doc__) for name, made in methods.items()})


def _method_type(name: str, words: Vocabulary, constraint: Hint) -> Hint:
    docs = field_docs(Step)
    settings = _refusing(words.settings(name), partial(words.with_preset, name))
    keys: dict[str, Hint] = {"settings": _optional(settings, "How the method works.")}
    if words.takes(name).constraints:
        keys["constraints"] = _optional(tuple[constraint, ...], "What must hold.")
    if words.takes(name).contacts:
        keys["contacts"] = _optional(str, docs["contacts"])
    if words.takes(name).pattern:
        keys["pattern"] = _optional(str, docs["pattern"])
    return typed_dict(f"{name.capitalize()}Step", f"A step by the method {name}.", keys)


def _one_of(name: str, keys: Mapping[str, tuple[Hint, str]]) -> Hint:
    """A mapping with one key of several; that it is one is checked elsewhere."""
    made = {
        key: NotRequired[Annotated[hint, Field(description=about)]]
        for key, (hint, about) in keys.items()
    }
    return typed_dict(name, "", made, json_schema_extra={"minProperties": 1, "maxProperties": 1})


def _optional(hint: Hint, about: str) -> Hint:
    return NotRequired[Annotated[hint | None, Field(description=about)]]


def _refusing(
    hint: Hint,
    before: Callable[[Values], Values] | None = None,
    after: Callable[[Values], Values] | None = None,
) -> Hint:
    """A type of which the refusals of records are collected like other mistakes."""

    def checked(value: object, make: Callable[[object], Values]) -> Values:
        try:
            if before is not None and isinstance(value, Mapping):
                value = before(cast("Values", value))
            made = make(value)
            return made if after is None else after(made)
        except PoiseError as refused:
            raise PydanticCustomError(REFUSED, "{error}", {"error": refused}) from refused

    return Annotated[hint, WrapValidator(checked)]


def _tried(record: type, values: Values) -> Values:
    """The values of a spec, after its record was tried; it stays a spec until a clip is known."""
    try_record(record, values)
    return values


def recipe_schema(words: Vocabulary | None = None) -> dict[str, object]:
    """The JSON schema of a recipe, for editors that complete and check as you type."""
    schema = TypeAdapter(recipe_type(words or vocabulary())).json_schema()
    for each in _dicts(schema):
        if isinstance(about := each.get("description"), str):
            # On one line; of a record, the first sentence.
            each["description"] = " ".join(
                (about.split("\n\n")[0] if "properties" in each else about).split()
            )
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
