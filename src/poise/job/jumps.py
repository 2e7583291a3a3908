"""What comes of a root that jumps: it is said, and stops what would solve for forces or feet.

Nobody moves ten metres in a frame. A method that keeps feet where they stand, or forces within what
a body has, would smear the jump over the frames around it and call that solved. So such steps
refuse the clip, and say how the jump is taken out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from poise.errors import FileProblem
from poise.job.recipe import Step
from poise.motion import Clip
from poise.motion.cleanup import Finding, clean
from poise.wording import frame_list

_NAME = "root-jumps"
_LOOKED_FOR = ("t-pose", "dropped-frames", _NAME)
_STOPPED = ("correct", "filter", "momentum", "retarget")
_LISTED_RUNS = 8


def jumps_in(clip: Clip, first: int) -> Finding | None:
    """Jumps of the root that a clip still has; its frame 0 is frame `first` of the file.

    Into and out of frames that were never captured does not count: those are said by themselves.
    """
    found = next((each for each in clean(clip, _LOOKED_FOR)[1] if each.step == _NAME), None)
    return found and replace(found, frames=tuple(frame + first for frame in found.frames))


def in_words(found: Finding) -> str:
    """What is said of jumps that nobody took out."""
    return f"{found.summary} ({frame_list(found.frames, _LISTED_RUNS)}); kept (clean)"


def check_jumps(step: Step, clip: Clip, found: Finding | None) -> None:
    """Nothing, if no jump stops a step.

    Raises:
        FileProblem: the root jumps, and the step would be solved around it.
    """
    if found is None or step.method not in _STOPPED:
        return
    file = Path(clip.source.path if clip.source else clip.name or "the clip")
    advice = "Look at its unit and its position channels; keep a part without them (frames of clip)"
    if found.repair:
        advice = (
            f"Take it out: poise convert {file.name} OUT --clean {_NAME}, or in a recipe "
            "'clip: {clean: all}'"
        )
    where = frame_list(found.frames, _LISTED_RUNS)
    raise FileProblem(
        file, "a body that moves steadily", f"{found.summary} ({where})", advice=f"{advice}."
    )
