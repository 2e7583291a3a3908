"""The clip of a recipe: read, cleaned, cut and resampled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from poise.errors import BadValue
from poise.formats import FORMATS, load_clip
from poise.job.error_context import located
from poise.job.recipe import ClipChoice, Recipe
from poise.motion import Clip, resample
from poise.motion.cleanup import STEPS, clean
from poise.samples import SAMPLES

MUST_BE_CLEANED = ("missing-thorax", "t-pose", "dropped-frames")
"""What `clean: true` repairs: frames that were never captured, and a lost bone, say nothing about
floor, time or forces."""


@dataclass(frozen=True)
class Kept:
    """Which frames of a file a clip was made from."""

    first: int
    stop: int
    """One past the last."""
    total: int
    """Frames of the file."""
    left_out: int = 0
    """Artificial ones at its start."""


def clip_of(
    recipe: Recipe, clip: Clip | str | Path | None = None
) -> tuple[Clip, tuple[str, ...], Kept]:
    """The clip alone, read, cleaned, cut and resampled; what is to be said; which frames it has.

    Args:
        recipe: says which, and how it is read.
        clip: a file or a clip instead of the recipe's own.
    """
    if clip is not None and not isinstance(clip, Clip):
        clip = _read(recipe, clip)  # what is wrong with another file is not the recipe's fault
    with located(recipe, ("clip",)):
        return _clip(recipe, clip)


def _clip(recipe: Recipe, given: Clip | None) -> tuple[Clip, tuple[str, ...], Kept]:
    choice = recipe.clip
    if given is not None:
        clip = given
    elif choice.sample is not None:
        clip = SAMPLES[choice.sample]().clip
    elif choice.file is not None:
        clip = _read(recipe, recipe.folder / choice.file)
    else:
        raise BadValue("clip", "named in the recipe or given beside it (--clip)", "none")
    notes = list(clip.source.notes if clip.source else ())
    before = len(clip.history)
    clip, remarks, kept = _cut(clip, choice)
    if choice.rate_hz is not None:
        clip = resample(clip, choice.rate_hz)
    first = 0 if choice.frames is None else choice.frames[0]
    if recipe.steps and first < kept.left_out:
        remarks.append(f"frame 0 of the recipe is frame {kept.left_out} of the file")
    return clip, (*notes, *clip.history[before:], *remarks), kept


def _read(recipe: Recipe, path: str | Path) -> Clip:
    choice, extension = recipe.clip, Path(path).suffix.lower()
    wanting = any(extension in f.extensions and "rate_hz" in f.options for f in FORMATS)
    clip = load_clip(
        path,
        unit=None if choice.unit is None else str(choice.unit),
        up=choice.up,
        skeleton=None if choice.skeleton is None else recipe.folder / choice.skeleton,
        rate_hz=choice.capture_rate_hz if wanting else None,
        animation=None if choice.animation is None else str(choice.animation),
    )
    rate = choice.capture_rate_hz
    return clip if wanting or rate is None else _at_true_rate(clip, rate)


def _at_true_rate(clip: Clip, rate_hz: float) -> Clip:
    """The same frames, further apart or closer in time than the file says."""
    said = f"captured at {rate_hz:g} Hz, though the file says {clip.rate_hz:g} Hz"
    source = clip.source and replace(clip.source, notes=(*clip.source.notes, said))
    return replace(clip, rate_hz=rate_hz, source=source).noted(said)


def _cut(clip: Clip, choice: ClipChoice) -> tuple[Clip, list[str], Kept]:
    """Cleaned first, so that a gap at the edge of what is kept is filled from both sides."""
    notes: list[str] = []
    frames, steps = clip.frame_count, choice.clean
    if steps is not False:
        chosen = MUST_BE_CLEANED if steps is True else tuple(STEPS) if steps == "all" else steps
        clip, _ = clean(clip, chosen)
    left_out = frames - clip.frame_count
    if choice.frames is None:
        return clip, notes, Kept(left_out, frames, frames, left_out)
    first, last = choice.frames
    if first >= frames:
        raise BadValue("frames", f"inside the clip (0 to {frames - 1})", choice.frames)
    if last >= frames:
        notes.append(f"the clip ends before frame {last}: kept {first} to {frames - 1}")
    start = max(first - left_out, 0)
    clip = clip.sliced(start, max(last - left_out, start) + 1)
    kept = Kept(start + left_out, start + left_out + clip.frame_count, frames, left_out)
    return clip.noted(f"frames {first} to {min(last, frames - 1)} of {frames}"), notes, kept
