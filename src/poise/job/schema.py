"""The types of a whole recipe as it is written, from the records of its parts; and JSON schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import Field, TypeAdapter, WrapValidator
from pydantic_core import PydanticCustomError, SchemaValidator

from poise.errors import PoiseError
from poise.job.constraint_spec import spec_type, try_record, typed_dict
from poise.job.field_docs import field_docs, summary
from poise.job.recipe import VERSION, CharacterChoice, ClipChoice, Outputs, Recipe, Step
from poise.job.vocabulary import Vocabulary, vocabulary

REFUSED = "refused"
"""The kind of error that a record raised; it stands in the context."""


@cache
def recipe_type(words: Vocabulary) -> Any:
    """The typed dict of a recipe in these words.

    Clip, character, outputs and settings in it become records.
    """
    docs = field_docs(Recipe)
    steps: Any = tuple[_step_type(words), ...]
    keys: dict[str, Any] = {
        "poise": Annotated[Literal[VERSION], Field(description="Version of the recipe format.")],
        "about": _optional(str, docs["about"]),
        "clip": _optional(str | _refusing(ClipChoice), "A motion file, or more about it."),
        "character": _optional(_refusing(CharacterChoice), summary(CharacterChoice)),
        "environment": _optional(str | dict[str, Any], docs["environment"]),
        "steps": Annotated[
            steps, Field(description=docs["steps"], json_schema_extra={"minItems": 1})
        ],
        "outputs": _optional(_refusing(Outputs), summary(Outputs)),
    }
    return typed_dict("Recipe", summary(Recipe), keys)


@cache
def recipe_validator(words: Vocabulary) -> SchemaValidator:
    """Checks the plain values of a recipe and makes the records in it."""
    schema: Any = TypeAdapter(recipe_type(words)).core_schema
    _take_mappings(schema)
    return SchemaValidator(schema)


def _take_mappings(schema: object) -> None:
    """Strict are the values, but records may be given as mappings."""
    if isinstance(schema, dict):
        known = cast("dict[str, object]", schema)
        if known.get("type") == "dataclass":
            known["strict"] = False
        for each in known.values():
            _take_mappings(each)
    elif isinstance(schema, list | tuple):
        for each in cast("list[object]", schema):
            _take_mappings(each)


def _step_type(words: Vocabulary) -> Any:
    kinds = {kind: spec_type(record) for kind, record in words.constraints.items()}
    tried = {kind: _tried(words.constraints[kind], spec) for kind, spec in kinds.items()}
    about = {kind: spec.__doc__ for kind, spec in kinds.items()}
    constraint = _one_of("Constraint", {k: (tried[k], about[k]) for k in kinds})
    methods = {name: _method_type(name, words, constraint) for name in words.methods}
    return _one_of("Step", {name: (made | None, made.__doc__) for name, made in methods.items()})


def _method_type(name: str, words: Vocabulary, constraint: Any) -> Any:
    docs = field_docs(Step)
    settings = _refusing(words.settings(name), lambda given: words.with_preset(name, given))
    keys: dict[str, Any] = {"settings": _optional(settings, "How the method works.")}
    if words.takes_constraints(name):
        keys["constraints"] = _optional(tuple[constraint, ...], "What must hold.")
    if words.takes_contacts(name):
        keys["contacts"] = _optional(str, docs["contacts"])
    if words.takes_pattern(name):
        keys["pattern"] = _optional(str, docs["pattern"])
    return typed_dict(f"{name.capitalize()}Step", f"A step by the method {name}.", keys)


def _one_of(name: str, keys: Mapping[str, tuple[Any, str]]) -> Any:
    """A mapping with one key of several; that it is one is checked elsewhere."""
    made = {
        key: NotRequired[Annotated[hint, Field(description=about)]]
        for key, (hint, about) in keys.items()
    }
    return typed_dict(name, "", made, json_schema_extra={"minProperties": 1, "maxProperties": 1})


def _optional(hint: Any, about: str) -> Any:
    return NotRequired[Annotated[hint | None, Field(description=about)]]


def _refusing(
    record: Any, first: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda given: given
) -> Any:
    """A record whose refusals are collected like other mistakes."""

    def checked(value: Any, make: Callable[[Any], Any]) -> Any:
        try:
            return make(first(value) if isinstance(value, Mapping) else value)
        except PoiseError as refused:
            raise PydanticCustomError(REFUSED, "{error}", {"error": refused}) from refused

    return Annotated[record, WrapValidator(checked)]


def _tried(record: type, spec: Any) -> Any:
    """A spec whose record is tried before a clip is known; it stays a spec."""

    def checked(value: Any, make: Callable[[Any], Any]) -> Any:
        values = make(value)
        try:
            try_record(record, values)
        except PoiseError as refused:
            raise PydanticCustomError(REFUSED, "{error}", {"error": refused}) from refused
        return values

    return Annotated[spec, WrapValidator(checked)]


def recipe_schema(words: Vocabulary | None = None) -> dict[str, Any]:
    """The JSON schema of a recipe, for editors that complete and check as you type."""
    schema = TypeAdapter(recipe_type(words or vocabulary())).json_schema()
    _join_lines(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _join_lines(schema: object) -> None:
    """Descriptions on one line; of a record, the first sentence."""
    if isinstance(schema, dict):
        known = cast("dict[str, object]", schema)
        about = known.get("description")
        if isinstance(about, str):
            first = about.split("\n\n")[0] if "properties" in known else about
            known["description"] = " ".join(first.split())
        for each in known.values():
            _join_lines(each)
    elif isinstance(schema, list):
        for each in cast("list[object]", schema):
            _join_lines(each)
