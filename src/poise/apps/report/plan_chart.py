"""The ground from above: footprints, and where the body's weight must be carried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from poise.apps.report.chart_frame import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Frame,
    frame_svg,
    path_of,
    svg,
)
from poise.apps.report.figure_box import Entry, FigureBox
from poise.arrays import Array


@dataclass(frozen=True, eq=False)
class Footprint:
    """The outline of a part on the ground while it stands."""

    corners_m: Array
    """(N, 2)"""
    color: str
    label: str


@dataclass(frozen=True, eq=False)
class Track:
    """A path over the ground."""

    label: str
    places_m: Array
    """(F, 2) NaN where there is none."""
    color: str
    dashed: bool = False


def plan_chart(
    title: str,
    about: str,
    prints: Sequence[Footprint],
    tracks: Sequence[Track],
    labels: tuple[str, str],
) -> FigureBox:
    """A map with the same scale both ways; long ways take the page's width."""
    points = [p.corners_m for p in prints]
    points += [t.places_m[np.isfinite(t.places_m).all(axis=1)] for t in tracks]
    cloud = np.concatenate([p for p in points if len(p)] or [np.zeros((1, 2))])
    low, high = cloud.min(axis=0) - 0.08, cloud.max(axis=0) + 0.08
    span = np.maximum(high - low, 0.4)
    middle = 0.5 * (low + high)
    wide = bool(span[0] > 2.2 * span[1])
    width = 2.0 * WIDTH if wide else WIDTH
    free = width - LEFT - RIGHT
    tall = float(np.clip(free * span[1] / span[0], 110.0, 300.0))
    per_px = max(span[0] / free, span[1] / tall)
    half_x, half_y = 0.5 * free * per_px, 0.5 * tall * per_px
    frame = Frame(
        (float(middle[0] - half_x), float(middle[0] + half_x)),
        (float(middle[1] - half_y), float(middle[1] + half_y)),
        *labels, width, tall + TOP + BOTTOM,
    )  # fmt: skip
    parts = [frame_svg(frame)]
    parts += [_print_svg(frame, foot) for foot in prints]
    parts += [_track_svg(frame, track) for track in tracks]
    entries = [Entry(t.label, t.color, "dashed" if t.dashed else "line") for t in tracks]
    for color, words in dict((p.color, p.label) for p in prints).items():
        entries.insert(0, Entry(words, color, "outline"))
    return FigureBox(title, about, svg(frame, parts, f"{title}. {about}"), tuple(entries), wide)


def _print_svg(frame: Frame, foot: Footprint) -> str:
    x, y = frame.x(foot.corners_m[:, 0]), frame.y(foot.corners_m[:, 1])
    corners = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
    name = escape(foot.label)
    return f'<polygon class="print {foot.color}" points="{corners}"><title>{name}</title></polygon>'


def _track_svg(frame: Frame, track: Track) -> str:
    data = path_of(frame.x(track.places_m[:, 0]), frame.y(track.places_m[:, 1]), most=10**9)
    dash = " dashed" if track.dashed else ""
    return f'<path class="line {track.color}{dash}" d="{data}"/>' if data else ""
