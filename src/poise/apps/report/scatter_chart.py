"""Points in groups, each with its name; arrows where a point went elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from poise.apps.report.chart_frame import (
    BOTTOM,
    FONT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Frame,
    frame_svg,
    path_of,
    svg,
    text_svg,
    text_width,
)
from poise.apps.report.figure_box import Entry, FigureBox
from poise.apps.report.ticks import Ticks, nice_ticks
from poise.arrays import Array
from poise.wording import counted

STYLE = """
.dot{stroke:var(--paper);stroke-width:1}.leader{stroke:var(--soft);stroke-width:.8;fill:none}
.dot.blue{fill:var(--blue)}.dot.orange{fill:var(--orange)}.dot.green{fill:var(--green)}
.dot.vermilion{fill:var(--vermilion)}.dot.purple{fill:var(--purple)}
.dot.ink{fill:var(--paper);stroke:var(--ink);stroke-width:1.8}
.key.dot{width:12px;height:12px;border:0;border-radius:50%;background:var(--k)}
.key.dot.square{border-radius:0;scale:.9}
.key.dot.diamond{border-radius:0;clip-path:polygon(50% 0,100% 50%,50% 100%,0 50%)}
.key.dot.triangle{border-radius:0;clip-path:polygon(50% 5%,100% 95%,0 95%)}
.key.dot.ink{background:none;border:2px solid var(--k)}
"""
"""What the page's style sheet needs beside its own for charts of this kind."""

COLORS = ("blue", "orange", "green", "vermilion", "purple")
SHAPES = {
    "round": (),
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "diamond": ((0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)),
    "triangle": ((0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)),
}
_RADIUS = 5.0
_LEAST_TALL, _MOST_TALL, _MOST_TALL_WIDE = 0.45, 0.75, 0.55
"""Height of the plot, as a share of its width."""
_FLAT = 110.0
"""Height of the plot with one level line only."""
_LONGEST = 18
"""Letters of a name beside its point; longer ones lose their middle."""
_RINGS = (3.0, 11.0, 20.0, 32.0)
"""How far a name may be from its point; beyond the first, a line leads to it."""
_GAP = 1.5
"""Between a name and what is not its own, at least."""
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
"""Where a name may stand, best first: right, left, above, below, then the corners."""


@dataclass(frozen=True)
class Dot:
    """A point and its name."""

    label: str
    x: float
    y: float
    group: int = 0
    about: str = ""
    """Said where a pointer rests on it; its name, if empty."""


@dataclass(frozen=True)
class Arrow:
    """From where a point was to where it came."""

    label: str
    start: tuple[float, float]
    end: tuple[float, float]


@dataclass(frozen=True, eq=False)
class _Name:
    """A name and where it stands in the picture."""

    words: str
    box: Array
    """(4,) left, top, right, bottom."""
    side: int
    """-1: left of its point, and written towards it; 1: right of it; 0: above or below."""
    leader: Array
    """(n, 2) the line from its point; empty where it stands beside it."""


def scatter_chart(
    title: str,
    about: str,
    dots: Sequence[Dot],
    labels: tuple[str, str],
    *,
    groups: Sequence[str] = (),
    arrows: Sequence[Arrow] = (),
    arrows_name: str = "",
    wide: bool = False,
) -> FigureBox:
    """A chart of points with the same scale both ways.

    Names never stand on each other: those that find no room are left out, and the caption says so.

    Args:
        title: what it shows.
        about: a sentence on how to read it.
        dots: the points.
        labels: what x and y are; an empty y puts all points on one level line.
        groups: what the groups are called.
        arrows: points that went elsewhere; an empty ring marks where.
        arrows_name: what they are.
        wide: whether it takes the page's whole width.
    """
    places = [(dot.x, dot.y) for dot in dots]
    places += [place for arrow in arrows for place in (arrow.start, arrow.end)]
    cloud = np.array(places, dtype=np.float64).reshape(-1, 2)
    frame = _frame(cloud, labels, 2.0 * WIDTH if wide else WIDTH)
    at = np.stack([frame.x(cloud[:, 0]), frame.y(cloud[:, 1])], axis=1)
    points, moved = at[: len(dots)], at[len(dots) :].reshape(-1, 2, 2)
    flat = not labels[1]
    parts = [frame_svg(frame, y_ticks=Ticks((), ()) if flat else None), _zero_svg(frame, flat)]
    parts += [_arrow_svg(start, end) for start, end in moved]
    words = [dot.label for dot in dots] + [arrow.label for arrow in arrows]
    tips = np.concatenate([points, moved[:, 1]])
    level = _level(frame) if flat else np.zeros((0, 4))
    kept_free = np.concatenate([_outside(frame), _around(_along(moved), 2.0), level])
    names = _placed(words, tips, kept_free)
    parts += [_name_svg(name) for name in names]
    parts += [_dot_svg(dot, x, y) for dot, (x, y) in zip(dots, points.tolist(), strict=True)]
    parts += [_ring_svg(a, x, y) for a, (x, y) in zip(arrows, moved[:, 1].tolist(), strict=True)]
    left_out = sum(name is None and bool(label) for name, label in zip(names, words, strict=True))
    if left_out:
        verb = "finds" if left_out == 1 else "find"
        about += f" {counted(left_out, 'name')} {verb} no room: point at a mark to read its name."
    entries = [Entry(name, mark(n), "dot") for n, name in enumerate(groups)]
    if arrows and arrows_name:
        entries.append(Entry(arrows_name, "ink", "dot"))
    return FigureBox(title, about, svg(frame, parts, f"{title}. {about}"), tuple(entries), wide)


def mark(group: int) -> str:
    """Colour and shape of a group, as words of the style sheet: twenty differ in either."""
    return f"{COLORS[group % len(COLORS)]} {tuple(SHAPES)[group % len(SHAPES)]}"


def shortened(words: str, most: int = _LONGEST) -> str:
    """A name without its middle: the ends tell takes of one session apart."""
    if len(words) <= most:
        return words
    return f"{words[: most // 2]}…{words[-(most - 1 - most // 2) :]}"


def shown_width(words: str) -> float:
    """About how wide a name comes out, letter by letter: on the safe side for short ones too."""
    return text_width(words) + FONT * sum(map(_wider, words))


def _wider(letter: str) -> float:
    """What a letter has more than the usual width, as a share of its height."""
    if east_asian_width(letter) in "WF":
        return 0.44
    return 0.16 if letter.isupper() or letter in "&%@mw" else 0.08 if letter.isdigit() else 0.0


def _frame(cloud: Array, labels: tuple[str, str], width: float, left: float = LEFT) -> Frame:
    """Room for all points and some more, a unit being as long upwards as sideways."""
    if not len(cloud):
        cloud = np.zeros((1, 2))
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    whole = float((high - low).max())
    span = np.maximum(high - low, 1e-3 * whole) * 1.16
    if whole <= 1e-9 * float(np.abs(cloud).max()):
        span = np.ones(2)  # all in one place
    middle = 0.5 * (low + high)
    free = width - left - RIGHT
    most = _MOST_TALL if width == WIDTH else _MOST_TALL_WIDE
    tall = free * float(np.clip(span[1] / span[0], _LEAST_TALL, most)) if labels[1] else _FLAT
    per_px = max(span[0] / free, span[1] / tall if labels[1] else 0.0)
    half_x, half_y = 0.5 * free * per_px, 0.5 * tall * per_px
    frame = Frame(
        (float(middle[0] - half_x), float(middle[0] + half_x)),
        (float(middle[1] - half_y), float(middle[1] + half_y)),
        *labels, width, tall + TOP + BOTTOM, left,
    )  # fmt: skip
    needed = 1.15 * max(map(text_width, nice_ticks(*frame.y_range).labels)) + 8.0
    if labels[1] and left == LEFT and needed > LEFT:
        return _frame(cloud, labels, width, min(needed, 0.5 * width))
    return frame


def _placed(labels: Sequence[str], points: Array, kept_free: Array) -> list[_Name | None]:
    """Where each name stands: near its point, on no other name, point or line; None: nowhere.

    First all that can stand right beside their points, those with the least choice before others;
    then, further and further out, those with a line to their point that crosses nothing.

    Args:
        labels: the names.
        points: (n, 2) whose they are.
        kept_free: (m, 4) boxes that no name may cover, besides the points'.
    """
    words = [shortened(label) for label in labels]
    names: list[_Name | None] = [None] * len(words)
    taken = np.concatenate([_around(points, _RADIUS), kept_free])
    near = [_boxes(point, words[i], _RINGS[0]) for i, point in enumerate(points)]
    choice = [int((~_meet(boxes, taken)).sum()) for boxes in near]
    for ring in _RINGS:
        for i in sorted(range(len(words)), key=choice.__getitem__):
            if names[i] is not None or not words[i]:
                continue
            found = _standing(words[i], points[i], ring, taken)
            if found is not None:
                names[i] = found
                taken = np.concatenate([taken, found.box[None], _around(found.leader, 0.5)])
    return names


def _standing(words: str, point: Array, ring: float, taken: Array) -> _Name | None:
    """A name at a distance from its point, on the best side that is free."""
    boxes = _boxes(point, words, ring)
    for n in np.flatnonzero(~_meet(boxes, taken)).tolist():
        box, leader = boxes[n], np.zeros((0, 2))
        if ring > _RINGS[0]:
            end = np.clip(point, box[:2], box[2:])
            start = point + (end - point) * (_RADIUS + 1.0) / float(np.linalg.norm(end - point))
            leader = np.linspace(start, end, 10)
            # It may cross points that lie on its own.
            others = taken[~_meet(taken, _around(point[None], _RADIUS))]
            if _meet(_around(leader, 1.0), others).any():
                continue
        return _Name(words, box, _SIDES[n][0], leader)
    return None


def _boxes(point: Array, words: str, ring: float) -> Array:
    """(8, 4) where a name may stand: left, top, right, bottom; best first."""
    half = np.array([0.5 * shown_width(words), 0.5 * FONT])
    sides = np.array(_SIDES, dtype=np.float64)
    corner = np.where(np.abs(sides).sum(axis=1, keepdims=True) > 1, 0.7, 1.0)
    middles = point + sides * (half + (_RADIUS + ring) * corner)
    return np.concatenate([middles - half, middles + half], axis=1)


def _outside(frame: Frame) -> Array:
    """(4, 4) boxes around the plot."""
    left, top, right, bottom = frame.inner
    far = 1e4
    return np.array(
        [
            (-far, -far, left, far),
            (right, -far, far, far),
            (-far, -far, far, top),
            (-far, bottom, far, far),
        ]
    )


def _meet(boxes: Array, others: Array) -> NDArray[np.bool_]:
    """(n,) whether boxes cover some of any other."""
    a, b = boxes[:, None], others[None]
    common = np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2])
    return (common.min(axis=-1) > -_GAP).any(axis=1)


def _around(points: Array, half: float) -> Array:
    return np.concatenate([points - half, points + half], axis=1)


def _along(moved: Array) -> Array:
    """(n, 2) places close together on the arrows."""
    shares = np.linspace(0.0, 1.0, 40)[:, None]
    ways = [start + shares * (end - start) for start, end in moved]
    return np.concatenate([np.zeros((0, 2)), *ways])


def _level(frame: Frame) -> Array:
    """(1, 4) the line that all points are on, as a box."""
    y = float(frame.y(np.array(0.0)))
    return np.array([(frame.inner[0], y - 1.0, frame.inner[2], y + 1.0)])


def _zero_svg(frame: Frame, flat: bool) -> str:
    left, top, right, bottom = frame.inner
    x, y = float(frame.x(np.array(0.0))), float(frame.y(np.array(0.0)))
    across = f'<path class="grid zero" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
    level = f'<path class="grid zero" d="M{left:.1f} {y:.1f}H{right:.1f}"/>'
    return (across if left <= x <= right else "") + (level if flat else "")


def _name_svg(name: _Name | None) -> str:
    if name is None:
        return ""
    left, top, right, bottom = name.box.tolist()
    x = {1: left, 0: 0.5 * (left + right), -1: right}[name.side]
    anchor = {1: "start", 0: "middle", -1: "end"}[name.side]
    text = text_svg(x, 0.5 * (top + bottom) + 0.34 * FONT, name.words, anchor, "note")
    if not len(name.leader):
        return text
    data = path_of(name.leader[[0, -1], 0], name.leader[[0, -1], 1])
    return f'<path class="leader" d="{data}"/>{text}'


def _dot_svg(dot: Dot, x: float, y: float) -> str:
    kind = mark(dot.group)
    said = escape(dot.about or dot.label)
    corners = SHAPES[kind.split()[1]]
    if not corners:
        shape = f'circle class="dot {kind}" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS:g}"'
        return f"<{shape}><title>{said}</title></circle>"
    places = " ".join(f"{x + _RADIUS * a:.1f},{y + _RADIUS * b:.1f}" for a, b in corners)
    return f'<polygon class="dot {kind}" points="{places}"><title>{said}</title></polygon>'


def _ring_svg(arrow: Arrow, x: float, y: float) -> str:
    said = f"<title>{escape(arrow.label)}</title>"
    return (
        f'<circle class="dot ink" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS - 0.5:g}">{said}</circle>'
    )


def _arrow_svg(start: Array, end: Array) -> str:
    """A line up to the ring at its end, with a head; nothing where both are the same place."""
    way = end - start
    length = float(np.linalg.norm(way))
    if length < 2.5 * _RADIUS:
        return ""
    along = way / length
    side = np.array([-along[1], along[0]])
    tip = end - (_RADIUS + 1.0) * along
    first, last = (tip - 6.0 * along + s * side for s in (3.0, -3.0))
    strokes = [("M", start), ("L", tip), ("M", first), ("L", tip), ("L", last)]
    data = "".join(f"{pen}{x:.1f} {y:.1f}" for pen, (x, y) in strokes)
    return f'<path class="line ink thin" d="{data}"/>'
