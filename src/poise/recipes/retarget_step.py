"""`retarget` as a step of a recipe: it changes whose motion it is, so it is no method like others.

Methods take an `Edit`, a clip and its character, and give back that character's motion. Here two
bodies go in and what comes after works on the second. So it is a word of recipes alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from poise.errors import BadValue
from poise.job import Step
from poise.methods import Result
from poise.methods.retarget import Retargeted, retarget
from poise.methods.retarget import Settings as Settings
from poise.recipes.another_body import MovedFrom
from poise.recipes.prepare import Prepared

TAKES_CONSTRAINTS = False
TAKES_CONTACTS = False


@dataclass(frozen=True)
class Progress:
    """Where it is."""

    stage: str
    done: int = 0
    total: int = 1
    preview: None = None
    """There is none."""


def run_retarget(
    step: Step, prepared: Prepared, watch: Callable[[Any], None] | None = None
) -> tuple[Prepared, Result]:
    """Put a motion on the body that was prepared for it.

    Args:
        step: says how.
        prepared: has a target.
        watch: told which stage begins.

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
    target, source = prepared.target, prepared.character
    made = retarget(
        prepared.clip, source, target.character, target.matches, prepared.environment,
        step.settings, watch=None if watch is None else lambda stage: watch(Progress(stage)),
    )  # fmt: skip
    moved_from = MovedFrom(prepared.clip, source, made.clip, made.contacts, ())
    after = replace(
        prepared, clip=made.clip, character=target.character, moved_from=moved_from,
        environment=made.kinematic.environment, contacts=made.contacts, target=None,
    )  # fmt: skip
    return after, _result(made)


def _result(made: Retargeted) -> Result:
    """As of any method; of stages that did not get there, the first says why."""
    missed = next((stage for stage in made.stages if stage.status != "converged"), None)
    told = missed or made.stages[-1]
    scale = f"it goes {made.kinematic.scale:.2f} times as far as in the clip"
    return Result(
        made.clip,
        told.status,
        f"{told.name}: {told.summary}" if missed else told.summary,
        made.contacts,
        (*made.notes, scale),
        trace={
            "retarget": made.stages,
            "scale": made.kinematic.scale,
            "impossible": made.impossible,
        },
    )
