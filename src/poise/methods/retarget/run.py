"""Retargeting as a whole: poses and contacts, then physics, each on what the last one made."""

from __future__ import annotations

from dataclasses import replace

from poise.errors import BadValue
from poise.methods.edit import Edit
from poise.methods.progress import Progress, ProgressCallback, silent
from poise.methods.result import Result
from poise.methods.retarget.impossible import impossible
from poise.methods.retarget.kinematic import retargeted
from poise.methods.retarget.report import RetargetReport
from poise.methods.retarget.settings import Settings
from poise.methods.retarget.stages import kinematic_stage, physics_stage
from poise.transfer import correspondence
from poise.wording import counted

_SHORTEST = 5
"""Frames: fewer have no accelerations to speak of."""


def run(
    edit: Edit,
    settings: Settings | None = None,
    *,
    progress: ProgressCallback | None = None,
    previous: Result[RetargetReport] | None = None,
) -> Result[RetargetReport]:
    """Put a motion on another body, and let it obey that body and the ground.

    Args:
        edit: a clip, whose it is, where, and whose it is to be (`target`); no constraints.
        settings: the knobs.
        progress: told which stage begins.
        previous: not used.

    Returns:
        The clip on the target, whose character and place the result has.

    Raises:
        PoiseError: no target, bodies that do not match, what a stage cannot do.
    """
    if edit.constraints:
        names = ", ".join(constraint.name for constraint in edit.constraints)
        raise BadValue("constraints of retarget", "none (steps after it take them)", names)
    if edit.contacts is not None:
        raise BadValue("contacts of retarget", "none: they are found in the clip", "some")
    if edit.target is None:
        raise BadValue("target", "given: the body that is to move like the clip's", None)
    settings, tell, target = settings or Settings(), progress or silent, edit.target
    matches = correspondence(edit.character, target, edit.mapping)
    tell(Progress("kinematic"))
    made = retargeted(
        edit.clip, edit.character, target, matches, edit.environment, scale=settings.scale,
        feet=settings.feet, fastest_rad_s=settings.fastest(target),
    )  # fmt: skip
    stages = [kinematic_stage(made, target, settings)]
    if settings.balance and edit.clip.frame_count < _SHORTEST:
        said = f"It is too short for physics ({counted(edit.clip.frame_count, 'frame')})."
        stages.append(replace(stages[-1], name="physics", status="infeasible", summary=said))
    elif settings.balance:
        tell(Progress("physics"))
        stages.append(physics_stage(made, target, settings))
    last = stages[-1]
    cannot = impossible(last.series, target, made.wanted_m, settings.fastest(target))
    report = RetargetReport(tuple(stages), made.scale, cannot, matches, made.wanted_m)
    missed = next((stage for stage in stages if stage.status != "converged"), None)
    return Result(
        last.clip,
        "converged" if missed is None else missed.status,
        last.summary if missed is None else f"{missed.name}: {missed.summary}",
        report,
        contacts=made.contacts,
        notes=(report.scale_note,),
        character=target,
        environment=made.environment,
    )
