"""`retarget` as a step of a recipe: what comes after it works on another body."""

from __future__ import annotations

from dataclasses import replace

from poise.errors import BadValue
from poise.methods import Edit, ProgressCallback, Result
from poise.methods.retarget import Retargeted
from poise.recipes.another_body import MovedFrom
from poise.recipes.prepare import Prepared
from poise.recipes.recipe import Step
from poise.recipes.vocabulary import Vocabulary


def run_retarget(
    step: Step, prepared: Prepared, words: Vocabulary, progress: ProgressCallback | None = None
) -> tuple[Prepared, Result[Retargeted]]:
    """Put a motion on the body that was prepared for it.

    Args:
        step: says how.
        prepared: has a target.
        words: the methods there are.
        progress: told which stage begins.

    Returns:
        What later steps work on: the other body, its motion, the place at its size. And how it
        went.

    Raises:
        PoiseError: what cannot be done.
    """
    if step.constraints or step.contacts is not None:
        raise BadValue("retarget", "without constraints and contacts", "some")
    if prepared.target is None:
        raise BadValue("prepared", "for a recipe whose first step is retarget", "none")
    source, target = prepared.character, prepared.target
    edit = Edit(
        prepared.clip, source, (), prepared.environment, target=target.character,
        mapping=target.mapping,
    )  # fmt: skip
    made: Result[Retargeted] = words.methods[step.method].run(
        edit, step.settings, progress=progress
    )
    assert made.character is not None and made.environment is not None
    assert made.contacts is not None
    after = replace(
        prepared, clip=made.clip, character=made.character, environment=made.environment,
        contacts=made.contacts, target=None,
        moved_from=MovedFrom(prepared.clip, source, made.clip, made.contacts, ()),
    )  # fmt: skip
    return after, made
