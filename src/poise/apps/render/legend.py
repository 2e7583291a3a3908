"""The line above a picture: what it shows, and what the marks mean."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image, ImageDraw

from poise.apps.render import palette
from poise.apps.render.lettering import text_width, write
from poise.apps.render.marks import center_symbol, diamond, support_symbol, touch_symbol
from poise.apps.render.staging import Stage

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
