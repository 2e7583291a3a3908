"""What comes of a frame rate that cannot be right: it stops what obeys gravity, or is put right.

A body that flies falls at 9.81 m/s². Where a clip's does not, the file states a wrong rate, and a
method that makes flights fall and forces balance would crush or stretch the motion. So steps that
keep the laws of motion refuse such a clip, unless the recipe says what to do (`wrong_rate` of
`clip`); steps that only move joints go on, and it is said.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from poise.character import Character
from poise.contact import GravityCheck, check_gait, check_gravity
from poise.environment import Environment
from poise.errors import FileProblem
from poise.job.recipe import Recipe, Step
from poise.methods import correct, retarget
from poise.motion import Clip

_LAWFUL = ("filter", "momentum")


def keeps_laws(step: Step) -> bool:
    """Whether a step makes a motion obey gravity and balance, which a wrong rate would spoil."""
    settings = step.settings
    if isinstance(settings, correct.Settings):
        return settings.only == "everything"
    if isinstance(settings, retarget.Settings):
        return settings.balance
    return step.method in _LAWFUL


def rate_of(clip: Clip, character: Character, environment: Environment) -> GravityCheck | None:
    """What the flights of a clip say about its rate; None of a body without masses."""
    return None if character.body is None else check_gravity(clip, character, environment)


def put_right(clip: Clip, check: GravityCheck) -> Clip:
    """The same frames at the rate at which bodies fall as they should; its history says so."""
    assert check.likely_rate_hz is not None
    said = f"{check.note} Put right: taken as captured at {check.likely_rate_hz:g} Hz."
    return replace(clip, rate_hz=check.likely_rate_hz).noted(said)


def in_words(
    recipe: Recipe, clip: Clip, character: Character, check: GravityCheck
) -> tuple[str, ...]:
    """What is said about a rate that was not put right."""
    if check.verdict == "wrong" and recipe.clip.wrong_rate == "keep":
        return (f"{check.note} It is kept, as asked.",)
    if check.verdict == "wrong" and not any(keeps_laws(step) for step in recipe.steps):
        return (f"{check.note} Times and speeds are off by that much (--fix-rate).",)
    if check.verdict != "unverified":
        return ()
    if check.flights:
        return (check.note,)
    gait = None if recipe.clip.wrong_rate == "keep" else check_gait(clip, character)
    return (gait.note,) if gait is not None and gait.hurried else ()


def check_rate(recipe: Recipe, step: Step, clip: Clip, check: GravityCheck | None) -> None:
    """Nothing, if the rate does not stop a step.

    Raises:
        FileProblem: bodies fall as they cannot, and nobody said what to do about it.
    """
    if check is None or check.verdict != "wrong" or recipe.clip.wrong_rate == "keep":
        return
    if not keeps_laws(step):
        return
    stated, likely = f"{check.rate_hz:g} Hz", f"{check.likely_rate_hz or 0.0:g} Hz"
    file = clip.source.path if clip.source else clip.name or "the clip"
    count = len(check.flights)
    raise FileProblem(
        Path(file),
        "a body that falls at 9.8 m/s² in flight",
        f"{check.gravity_m_s2:.1f} m/s² in {count} flight{'s' * (count > 1)} at {stated}, "
        f"which looks like {likely}",
        advice=f"Add --fix-rate to take it as {likely} (in a recipe, 'clip: {{wrong_rate: fix}}', "
        f"or the true capture_rate_hz), or --keep-rate if {stated} is right.",
    )
