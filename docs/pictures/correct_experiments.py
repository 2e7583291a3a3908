"""The experiments of Lee and Lee: each clip as captured and as corrected, and what touches when.

Whoever has the clips calls `page` with a row for each. Nothing here corrects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from poise.apps.render import draw_strip, overlays_of, stage_for
from poise.apps.render.layout import key_frames
from poise.apps.render.palette import FAINT_INK, GREEN, PAPER, write
from poise.character import Character
from poise.contact import ContactSchedule, detect_contacts, intervals
from poise.environment import Environment
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.motion import Clip

HERE = Path(__file__).resolve().parent
SIZE = (1400, 330)
BAR_PX, WORDS_PX, MARGIN_PX = 12, 120, 16
COLORS = 128


@dataclass(frozen=True, eq=False)
class Row:
    """A strip of a page."""

    title: str
    clip: Clip
    character: Character
    environment: Environment
    contacts: ContactSchedule | None = None
    """What is marked as touching; by default what is detected in the clip."""
    drawn: Environment | None = None
    """What is drawn of the environment, where that is not all of it."""


def page(
    path: Path,
    rows: Sequence[Row],
    *,
    frames: tuple[int, int] | None = None,
    view: str = "side",
    figures: int = 9,
    size: tuple[int, int] = SIZE,
) -> Path:
    """Strips one below the other, and the contacts of the last one as bars over time."""
    moments = _moments(rows[0].clip, frames, figures)
    strips = [_strip(row, frames, view, moments, size) for row in rows]
    schedule = _cut(_contacts(rows[-1]), frames)
    bars = _bars(schedule, size[0])
    height = sum(strip.height for strip in strips) + bars.height
    made = Image.new("RGB", (size[0], height), PAPER)
    top = 0
    for strip in (*strips, bars):
        made.paste(strip, (0, top))
        top += strip.height
    made.quantize(COLORS).save(path, optimize=True)
    return path


def _contacts(row: Row) -> ContactSchedule:
    if row.contacts is not None:
        return row.contacts
    return detect_contacts(row.clip, row.character, row.environment)


def _cut(schedule: ContactSchedule, frames: tuple[int, int] | None) -> ContactSchedule:
    if frames is None:
        return schedule
    kept = schedule.touching[frames[0] : frames[1] + 1]
    return ContactSchedule(schedule.parts, kept, schedule.rate_hz)


def _strip(
    row: Row,
    frames: tuple[int, int] | None,
    view: str,
    moments: Sequence[int],
    size: tuple[int, int],
) -> Image.Image:
    seen = evaluate(row.clip, row.character, row.environment, _contacts(row))
    marks, clip, first = overlays_of(seen.series), row.clip, 0
    if frames is not None:
        first, stop = frames[0], frames[1] + 1
        clip, marks = clip.sliced(first, stop), marks.sliced(first, stop)
    place = row.drawn or row.environment
    stage = stage_for(clip, environment=place, overlays=marks, first_frame=first)
    return draw_strip(stage, view=view, size=size, figures=moments, title=row.title).convert("RGB")


def _moments(clip: Clip, frames: tuple[int, int] | None, figures: int) -> list[int]:
    """Frames to show, the same in all strips: the key frames of the first one."""
    if frames is not None:
        clip = clip.sliced(frames[0], frames[1] + 1)
    state = forward_kinematics(clip.skeleton, clip.root_positions_m, clip.rotations_wxyz)
    return key_frames(state.positions_m, figures)


def _bars(schedule: ContactSchedule, width: int) -> Image.Image:
    """One line for each part that ever touches: dark while it does."""
    parts = [part for part in schedule.parts if schedule.column(part).any()]
    made = Image.new("RGB", (width, 2 * MARGIN_PX + BAR_PX * len(parts)), PAPER)
    paint = ImageDraw.Draw(made)
    room = width - WORDS_PX - MARGIN_PX
    per_frame = room / max(schedule.frame_count, 1)
    for number, part in enumerate(parts):
        middle = MARGIN_PX + BAR_PX * (number + 0.5)
        write(paint, (WORDS_PX - 8, middle), part.replace("_", " "), 11, align="right")
        paint.line([WORDS_PX, middle, WORDS_PX + room, middle], fill=FAINT_INK, width=1)
        for first, stop in intervals(schedule.column(part)):
            paint.rectangle(
                [
                    WORDS_PX + first * per_frame,
                    middle - 0.35 * BAR_PX,
                    WORDS_PX + stop * per_frame,
                    middle + 0.35 * BAR_PX,
                ],
                fill=GREEN,
            )
    return made
