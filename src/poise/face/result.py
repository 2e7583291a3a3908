"""What came of an edit: the clip, how well it went, and ways to look at it and keep it."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Literal

from poise.apps.outcome_text import outcome_lines, outcome_page
from poise.apps.render import (
    as_png,
    beside,
    draw_strip,
    overlays_of,
    stage_for,
    write_picture,
)  # fmt: skip
from poise.apps.report.build import report_html
from poise.contact import ContactSchedule
from poise.errors import BadValue
from poise.face.measure_table import MeasureTable
from poise.formats import atomic_write, save_clip
from poise.job import Outcome, Recipe, RootMotion, evaluation_of, rooted_outcome, save_robot
from poise.methods import Result as MethodResult
from poise.methods import Status, status_words
from poise.motion import Clip
from poise.one_line import framed

_STRIP_PX = (900, 260)


@dataclass(frozen=True, eq=False)
class Result:
    """The edited clip, and how well what was asked for is met.

    In a notebook it shows its table and a figure strip.
    """

    outcome: Outcome
    """What went in, and what each step made of it."""
    recipe: Recipe
    """What was asked."""

    @property
    def clip(self) -> Clip:
        """The edited clip."""
        return self.outcome.clip

    @property
    def start(self) -> Clip:
        """The clip that went in, as it is measured against."""
        return self.outcome.start

    @property
    def contacts(self) -> ContactSchedule | None:
        """Which body parts touch when."""
        return self.outcome.result.contacts

    @property
    def steps(self) -> tuple[MethodResult[Any], ...]:
        """What each step gave, with its report."""
        return self.outcome.results

    @property
    def status(self) -> Status:
        """`converged`, or how the first step ended that did not."""
        return self._decisive.status

    @property
    def summary(self) -> str:
        """One sentence on how it went, with the worst constraint by name, frame and amount."""
        return self._decisive.summary

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed and what to be aware of."""
        return self.outcome.notes

    @property
    def _decisive(self) -> MethodResult[Any]:
        steps = self.outcome.results
        return next((each for each in steps if each.status != "converged"), steps[-1])

    @cached_property
    def _table(self) -> MeasureTable:
        return MeasureTable(evaluation_of(self.outcome))

    def measures(self) -> MeasureTable:
        """Measures before and after; a table that shows itself in a notebook."""
        return self._table

    def save(
        self,
        path: str | Path,
        *,
        layout: Literal["poise", "unitree", "gmr"] | None = None,
        root_motion: RootMotion | None = None,
    ) -> tuple[str, ...]:
        """Write the clip in the format of the extension; returns what is to be said of it.

        Args:
            path: the file.
            layout: write a robot's joint angles instead (.csv, .npz, .pkl), in this layout.
            root_motion: write it `in-place` or as it would `travel`; by default as the recipe
                says, and else as the input has it.
        """
        wanted = root_motion or self.recipe.outputs.root_motion
        rooted = rooted_outcome(self.outcome, wanted)
        if layout is None:
            return (*rooted.notes, *save_clip(rooted.clip, path))
        save_robot(Path(path), layout, self.outcome, wanted)
        return rooted.notes

    def report(self, path: str | Path) -> Path:
        """Write a page about it (.html): figures, pictures and charts, before and after."""
        name = self.clip.name or Path(path).stem
        page = outcome_page(self.recipe, self.outcome, self._table.evaluation, name)
        atomic_write(_page(path), page.encode("utf-8", "replace"))
        return Path(path)

    def render(
        self, path: str | Path, *, view: str | None = None, figures: int | None = None
    ) -> Path:
        """Draw it beside the original: a strip (.png) or an animation (.gif, .mp4)."""
        stage = stage_for(
            self.clip,
            original=beside(self.start, self.clip),
            environment=self.outcome.prepared.environment,
            overlays=overlays_of(self._table.evaluation.series),
        )
        write_picture(Path(path), stage, view=view, figures=figures, title=self.clip.name)
        return Path(path)

    def __str__(self) -> str:
        return "\n".join(outcome_lines(self.recipe, self.outcome))

    def __repr__(self) -> str:
        frames = f"{self.clip.frame_count} frames at {self.clip.rate_hz:g} Hz"
        return framed("Result", f"{status_words(self.status)}, {frames}. {self.summary}")

    def _repr_html_(self) -> str:
        stage = stage_for(self.clip, environment=self.outcome.prepared.environment)
        strip = b64encode(as_png(draw_strip(stage, size=_STRIP_PX, figures=9))).decode()
        return (
            f"<p><b>{status_words(self.status)}</b>: {escape(self.summary)}</p>"
            f"<img alt='figure strip' src='data:image/png;base64,{strip}'>"
            f"{self._table._repr_html_()}"  # pyright: ignore[reportPrivateUsage]
        )


def report_clip(table: MeasureTable, path: str | Path, name: str) -> Path:
    """A page about a clip that was only measured."""
    evaluation = table.evaluation
    against = "" if evaluation.original is None else "the original"
    page = report_html(evaluation, name, against=against, notes=evaluation.notes)
    atomic_write(_page(path), page.encode("utf-8", "replace"))
    return Path(path)


def render_clip(
    clip: Clip, path: str | Path, against: Clip | None, view: str | None, figures: int | None
) -> Path:
    """Pictures of a clip, alone or beside another."""
    original = None if against is None else beside(against, clip)
    stage = stage_for(clip, original=original)
    write_picture(Path(path), stage, view=view, figures=figures, title=clip.name)
    return Path(path)


def _page(path: str | Path) -> Path:
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise BadValue("path", "a page (.html)", str(path))
    return Path(path)
