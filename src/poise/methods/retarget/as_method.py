"""`retarget` as one of the methods: an edit with a target goes in, that body's motion comes out."""

from __future__ import annotations

from poise.errors import BadValue
from poise.methods.edit import Edit
from poise.methods.progress import Progress, ProgressCallback
from poise.methods.result import Result
from poise.methods.retarget.correspondence import correspondence
from poise.methods.retarget.run import Retargeted, retarget
from poise.methods.retarget.settings import Settings


def run(
    edit: Edit,
    settings: Settings | None = None,
    *,
    progress: ProgressCallback | None = None,
    previous: Result[Retargeted] | None = None,
) -> Result[Retargeted]:
    """Put a motion on another body, and let it obey that body and the ground.

    Args:
        edit: the clip, whose it is, where, and the target; constraints and contacts are not for
            this method.
        settings: the knobs.
        progress: told which stage begins.
        previous: makes no difference.

    Raises:
        BadValue: constraints, or no target.
        PoiseError: what a stage cannot do.
    """
    if edit.constraints:
        names = ", ".join(constraint.name for constraint in edit.constraints)
        raise BadValue("constraints of retarget", "none (later steps take them)", names)
    if edit.target is None:
        raise BadValue("target", "given: the body that the motion is put on", None)
    made = retarget(
        edit.clip, edit.character, edit.target,
        correspondence(edit.character, edit.target, edit.mapping), edit.environment, settings,
        watch=None if progress is None else lambda stage: progress(Progress(stage)),
    )  # fmt: skip
    missed = next((stage for stage in made.stages if stage.status != "converged"), None)
    told = missed or made.stages[-1]
    return Result(
        made.clip,
        told.status,
        f"{told.name}: {told.summary}" if missed else told.summary,
        made,
        contacts=made.contacts,
        notes=(*made.notes, f"it goes {made.kinematic.scale:.2f} times as far as in the clip"),
        character=edit.target,
        environment=made.kinematic.environment,
    )
