"""A chart with its heading, its legend and a sentence, as a piece of HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Literal


@dataclass(frozen=True)
class Entry:
    """One line of a legend."""

    label: str
    color: str
    kind: Literal["line", "dashed", "area", "dot", "outline"] = "line"


@dataclass(frozen=True)
class FigureBox:
    """What the page shows in one box."""

    title: str
    about: str
    svg: str
    legend: tuple[Entry, ...] = ()
    wide: bool = False
    """Takes the whole width of the page."""

    def html(self) -> str:
        """The box."""
        keys = "".join(
            f'<li><i class="key {entry.kind} {entry.color}"></i>{escape(entry.label)}</li>'
            for entry in self.legend
        )
        legend = f'<ul class="legend">{keys}</ul>' if keys else ""
        wide = " wide" if self.wide else ""
        return (
            f'<figure class="chart{wide}"><h3>{escape(self.title)}</h3>{legend}'
            f'<div class="svgbox">{self.svg}</div>'
            f"<figcaption>{escape(self.about)}</figcaption></figure>"
        )
