"""What stands where on a picture: which frames, moved apart or not, and the line above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

import poise.apps.render.palette as palette
from poise.apps.render.camera import UP
from poise.apps.render.marks import center_symbol, diamond, support_symbol, touch_symbol
from poise.apps.render.palette import text_width, write
from poise.apps.render.scene import Stage, prop_points
from poise.arrays import Array

STILL_SHARE = 0.35
"""How much the passing of time counts beside movement; 1 would be evenly spaced frames."""


def key_frames(positions_m: Array, count: int) -> list[int]:
    """`count` frames from first to last, closer together where joints (F, J, 3) move faster."""
    frames = len(positions_m)
    count = min(count, frames)
    if count <= 1:
        return [0]
    steps = np.linalg.norm(np.diff(positions_m, axis=0), axis=2).mean(axis=1)
    # Against glitches: no single step may count more than ten ordinary ones.
    steps = np.minimum(steps, 10.0 * np.median(steps) + 1e-12)
    moved = np.concatenate([[0.0], np.cumsum(steps)])
    even = np.linspace(0.0, 1.0, frames)
    done = STILL_SHARE * even + (1.0 - STILL_SHARE) * moved / moved[-1] if moved[-1] > 0 else even
    wanted = np.linspace(0.0, done[-1], count)
    chosen = np.interp(wanted, done, np.arange(frames)).round().astype(int)
    # Rounding may put two wishes on one frame.
    for i in range(1, count):
        chosen[i] = max(chosen[i], chosen[i - 1] + 1)
    for i in range(count - 1, -1, -1):
        chosen[i] = min(chosen[i], frames - count + i)
    return chosen.tolist()


MOST_FIGURES, FEWEST_FIGURES = 12, 5
FEWEST_IN_PLACE = 6
"""A path that shows fewer figures without overlap is better told by figures moved apart."""
GAP_M = 0.10
"""Between neighbours that had to be moved apart."""
OVERLAP = 0.22
"""Share of a figure's width that its neighbour may cover."""


@dataclass(frozen=True, eq=False)
class Placed:
    """A frame to show, and how far its figure is moved to keep clear of its neighbours."""

    frame: int
    shift_m: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) zero where the figure stands where it is."""

    @property
    def moved(self) -> bool:
        """Whether the figure is not where it was."""
        return bool(np.abs(self.shift_m).max() > 1e-6)


def place_figures(
    stage: Stage,
    axes: tuple[Array, Array, Array],
    room_m: float,
    figures: int | Sequence[int] | None,
) -> list[Placed]:
    """Key frames along the path if they can be told apart there, otherwise side by side.

    As many as `figures` says, or of those frames; None for as many as have `room_m`: the width of
    the picture at the smallest scale that is still readable.
    """
    positions = stage.figure.state.positions_m
    terrain = stage.part_triangles_m is not None and not len(prop_points(stage))
    if figures is not None:
        frames = key_frames(positions, figures) if isinstance(figures, int) else list(figures)
        if terrain or _readable([_extent(stage, f, axes[0]) for f in frames]):
            return [Placed(f) for f in frames]
        return _apart(stage, frames, axes)
    count = _count_for(stage, axes[0], room_m)
    # On a terrain figures stay where they are, as many as can be told apart there.
    for fewer in range(count, 2 if terrain else FEWEST_IN_PLACE - 1, -1):
        frames = key_frames(positions, fewer)
        if _readable([_extent(stage, f, axes[0]) for f in frames]):
            return [Placed(f) for f in frames]
    if terrain:
        return [Placed(f) for f in key_frames(positions, 3)]
    return _apart(stage, key_frames(positions, count), axes)


def _count_for(stage: Stage, right: Array, room_m: float) -> int:
    probe = key_frames(stage.figure.state.positions_m, 24)
    widths = [high - low for low, high in (_extent(stage, f, right) for f in probe)]
    wanted = room_m / (float(np.mean(widths)) + GAP_M)
    most = int(np.clip(wanted, FEWEST_FIGURES, MOST_FIGURES))
    return min(most, stage.figure.clip.frame_count)


def _extent(stage: Stage, frame: int, right: Array) -> tuple[float, float]:
    """From where to where a figure reaches along the picture, with what belongs to it."""
    clouds = [stage.figure.posed(frame)[0] @ right, prop_points(stage) @ right]
    if stage.ghost is not None:
        clouds.append(stage.ghost.posed(frame)[0] @ right)
    together = np.concatenate(clouds)
    return float(together.min()), float(together.max())


def _readable(extents: Sequence[tuple[float, float]]) -> bool:
    """Whether every figure stands to the right of the one before, or nearly."""
    return all(
        high - next_low <= OVERLAP * min(high - low, next_high - next_low)
        for (low, high), (next_low, next_high) in pairwise(extents)
    )


def _apart(stage: Stage, frames: list[int], axes: tuple[Array, Array, Array]) -> list[Placed]:
    """Side by side in the order of time.

    Without anything beside them, all stand equally far from the eye; with a chair, the chairs do.
    Seen from above, what is far from the eye is the ground, and paths may bend over it.
    """
    right, _, toward = axes
    level = toward - (toward @ UP) * UP
    in_a_row = bool(np.linalg.norm(level) > 0.5) and not len(prop_points(stage))
    roots = stage.figure.clip.root_positions_m
    extents = [_extent(stage, f, right) for f in frames]
    placed: list[Placed] = []
    edge = extents[0][0]
    for frame, (low, high) in zip(frames, extents, strict=True):
        shift = (edge - low) * right
        if in_a_row:
            away = level / np.linalg.norm(level)
            shift = shift - ((roots[frame] - roots[frames[0]]) @ away) * away
        placed.append(Placed(frame, shift))
        edge += (high - low) + GAP_M
    return placed


Symbol = Callable[[ImageDraw.ImageDraw, tuple[float, float], float], None]
TEXT_PX, TITLE_PX = 13, 16


def draw_legend(picture: Image.Image, stage: Stage, title: str, margin: int) -> None:
    """Title at the left, meanings at the right, on one line; the title gives way if it must."""
    paint, y = ImageDraw.Draw(picture), 20
    x = float(picture.width - margin)
    for symbol, words in reversed(_entries(stage)):
        x -= text_width(words, TEXT_PX)
        write(paint, (x, y), words, TEXT_PX, color=palette.FAINT_INK)
        x -= 14
        _stamp(picture, symbol, (x, y))
        x -= 24
    room = x - margin - 10
    shown = title
    while shown and text_width(shown, TITLE_PX) > room:
        shown = shown[:-2].rstrip("…") + "…" if len(shown) > 2 else ""
    write(paint, (margin, y), shown, TITLE_PX)


def _stamp(picture: Image.Image, symbol: Symbol, place: tuple[float, float]) -> None:
    """A symbol with smooth edges: drawn large, then shrunk."""
    size, fine = 20, 4
    large = Image.new("RGBA", (size * fine, size * fine), (*palette.PAPER, 0))
    symbol(ImageDraw.Draw(large), (size * fine / 2, size * fine / 2), 6.0 * fine)
    small = large.resize((size, size), Image.Resampling.BOX)
    picture.paste(small, (round(place[0]) - size // 2, round(place[1]) - size // 2), small)


def _entries(stage: Stage) -> list[tuple[Symbol, str]]:
    overlays = stage.overlays
    touching = overlays.touching is not None and bool(overlays.touching.any())
    found: list[tuple[Symbol, str]] = []
    if stage.ghost is not None:
        found.append((_swatch(palette.BODY), "edited"))
        found.append((_swatch(palette.GHOST), "original"))
    if overlays.com_m is not None:
        found.append((center_symbol, "centre of mass"))
    if overlays.zmp_m is not None:
        found.append((diamond, "zero-moment point"))
    if touching:
        found.append((touch_symbol, "touching"))
        found.append((support_symbol, "support area"))
    return found


def _swatch(color: palette.Color) -> Symbol:
    def draw(paint: ImageDraw.ImageDraw, place: tuple[float, float], size: float) -> None:
        x, y = place
        paint.rounded_rectangle(
            [x - size, y - size, x + size, y + size], 0.5 * size, fill=(*color, 255)
        )

    return draw
