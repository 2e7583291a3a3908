"""Few colours for small files, without losing those that carry meaning."""

from __future__ import annotations

from PIL import Image

from poise.apps.render import palette

_SHARES = (1.0, 0.75, 0.5, 0.25)
_ACCENTS = (
    palette.TOUCH,
    palette.ZERO_MOMENT,
    palette.SUPPORT,
    palette.BLUE,
    palette.INK,
    palette.GHOST,
)


def color_table(picture: Image.Image, colors: int) -> Image.Image:
    """A palette for pictures like this one: its own colours, then those of marks.

    Marks are small, so a palette drawn from a whole picture has no room for their colours.
    """
    own = picture.quantize(colors, method=Image.Quantize.MEDIANCUT)
    listed = list(own.getpalette() or ())[: 3 * colors]
    for accent in _ACCENTS:
        for share in _SHARES:
            pairs = zip(accent, palette.FLOOR, strict=True)
            listed += [round(share * a + (1.0 - share) * b) for a, b in pairs]
    table = Image.new("P", (1, 1))
    table.putpalette(listed[: 3 * 256])
    return table


def with_few_colors(picture: Image.Image, colors: int = 230) -> Image.Image:
    """The picture in at most 256 colours."""
    return picture.quantize(palette=color_table(picture, colors), dither=Image.Dither.NONE)
