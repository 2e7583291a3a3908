"""`poise batch`: one recipe over a library of clips."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from poise.apps.cli.clip_options import AS_THE_FILE_SAYS, ClipOptions
from poise.apps.cli.options import (
    Accept,
    RootMotionWord,
    Set,
    Without,
    root_motion_changes,
    set_changes,
    taking_records,
)
from poise.apps.cli.run import EXIT_NOT_MET
from poise.apps.cli.waiting import Say, waiting
from poise.wording import counted

if TYPE_CHECKING:
    from typing import Self

    from rich.live import Live

    from poise.apps.batch.library import Library
    from poise.apps.batch.one_clip import Row
    from poise.apps.batch.order import Order
    from poise.apps.batch.run import Batch, Summary
    from poise.execution import Limits, OnDask, Supervised

MEMORY_SHARE = 0.8
"""Of the machine's memory that all workers may have together, if nothing is said."""

TIME_LIMIT_S = 1800.0
EXIT_INTERRUPTED = 130
_LOG_EVERY_S = 30.0
_MOST_LEFT_ALONE = 5
"""Names that are said for each reason; --dry-run says all."""
_MOST_FAILURES = 20
"""That are said as they come; all are in the results."""


@dataclass(frozen=True)
class WorkOptions:
    """Who does the work, and how much of the machine it may take."""

    workers: Annotated[
        int | None,
        typer.Option("-j", "--workers", help="Clips at a time, one core each; by default all."),
    ] = None
    time_limit: Annotated[float, typer.Option(help="Most seconds a clip may take; 0: any.")] = (
        TIME_LIMIT_S
    )
    memory_limit: Annotated[
        float | None,
        typer.Option(
            help="Most memory a worker may hold, in MB; by default the workers share 80 % of the "
            "machine's. 0: any."
        ),
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Run on Dask: 'local', the address of a scheduler (tcp://host:8786) or its file "
            "(.json). Needs poise[cluster], and the same paths on all machines.",
            metavar="ADDRESS",
        ),
    ] = None
    dashboard: Annotated[
        str | None,
        typer.Option(
            help="With --cluster local: where Dask's dashboard listens; by default a free port on "
            "this machine alone.",
            metavar="HOST:PORT",
        ),
    ] = None


ON_THIS_MACHINE = WorkOptions()


@dataclass(frozen=True)
class LibraryOptions:
    """What is done with which clips."""

    recipe: Annotated[
        Path | None,
        typer.Option(help="What to do with each clip (.yaml); without it, as poise correct does."),
    ] = None
    to: Annotated[
        Path | None,
        typer.Option(
            help="Put each on this body (motion, skeleton or robot file); without a recipe, as "
            "poise retarget does.",
            metavar="CHARACTER",
        ),
    ] = None
    only: Annotated[
        list[str] | None, typer.Option(help="Only clips with such names; repeat.", metavar="GLOB")
    ] = None
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", help="Write clips as bvh, glb or npz, not each in its own.", metavar="EXT"
        ),
    ] = None
    reports: Annotated[
        bool, typer.Option("--reports", help="Write a page about each clip, too.")
    ] = False
    retry: Annotated[bool, typer.Option("--retry", help="Try again what failed before.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what there is to do.")] = (
        False
    )
    without: Without = None
    set_: Set = None
    root_motion: RootMotionWord = None

    def order(self, read: ClipOptions) -> Order:
        """What is done with each; which animations are taken is said for each apart."""
        from poise.apps.batch.order import order_from

        return order_from(
            self.recipe, to=self.to, form=self.format_ or "", pages=self.reports,
            changes=(
                *replace(read, animation=None).changes(),
                *root_motion_changes(self.root_motion),
                *set_changes(self.set_),
            ),
            without=self.without or (),
        )  # fmt: skip


ALL_OF_IT = LibraryOptions()


@taking_records
def batch(
    library: Annotated[
        Path,
        typer.Argument(
            help="A folder of clips, with those below it; or a list of clips (.txt, or .csv and "
            ".jsonl with values of the recipe to change for each)."
        ),
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Folder for results; a second run goes on there.")
    ],
    wanted: LibraryOptions = ALL_OF_IT,
    work: WorkOptions = ON_THIS_MACHINE,
    read: ClipOptions = AS_THE_FILE_SAYS,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Say nothing until the end, for logs.")
    ] = False,
    accept: Accept = False,
) -> None:
    """Follow a recipe for every clip of a library, and make a table of what came of it.

    Of a file that holds several animations each is a clip, called file.animation. A clip that is
    broken, crashes, hangs or takes all memory costs that clip only. Interrupted, however, the same
    command goes on where it was; clips or recipes that have changed are done anew, others are not.
    Results: the clips as in the library, results.csv, results.jsonl, and library.html to look at.
    Code 3 when some clip failed or did not meet its goals.

        poise batch captures/ --out corrected/

        poise batch captures/ --to robot.xml --out onto_robot/ --format npz --workers 8

        poise batch clips.csv --recipe reach.yaml --out reached/ --cluster tcp://head:8786
    """  # fmt: skip
    with contextlib.ExitStack() as stack:
        limits = _limits(work)
        # The cluster does the work; what there is to do is looked at here, by workers as well.
        reader = stack.enter_context(_supervised(work, limits))
        executor = reader if work.cluster is None else None
        if executor is not None and not wanted.dry_run:
            executor.start()  # they import what they need while we look at what there is to do
        with waiting(f"looking through {library.name or library}") as say:
            order = wanted.order(read)
            found = _found(library, out, wanted, read.animation or _animation(order), reader)
            made = stack.enter_context(_batch(found, order, out, limits, reader, wanted, say))
        _say_plan(made, found, whole=wanted.dry_run, quiet=quiet and not wanted.dry_run)
        if wanted.dry_run:
            return
        began = time.monotonic()
        if executor is None:
            reader.close()
        if executor is None and made.plan.tasks:
            executor = stack.enter_context(_on_cluster(work, limits, quiet))
        name = library.name or str(library)
        summary, interrupted = _run(made, executor, name, order, quiet=quiet)
    _say_end(summary, time.monotonic() - began)
    if interrupted:
        typer.echo("poise: interrupted", err=True)
        raise typer.Exit(EXIT_INTERRUPTED)
    if summary.failed or (summary.statuses["not_met"] and not accept):
        raise typer.Exit(EXIT_NOT_MET)


def _animation(order: Order) -> str | None:
    """The one of several in a file that the recipe itself takes."""
    named = order.followed_with().clip.animation
    return None if named is None else str(named)


def _found(
    library: Path, out: Path, wanted: LibraryOptions, animation: str | None, reader: Supervised
) -> Library:
    from poise.apps.batch.library import find_clips

    return find_clips(
        library, only=wanted.only or (), leave_out=(out,), reader=reader, animation=animation
    )


def _batch(
    found: Library, order: Order, out: Path, limits: Limits, reader: Supervised,
    wanted: LibraryOptions, say: Say,
) -> Batch:  # fmt: skip
    from poise.apps.batch.run import Batch

    return Batch(
        found, order, out, limits, reader, retry=wanted.retry, dry=wanted.dry_run,
        watch=lambda n: say(f"{n} results checked"),
    )  # fmt: skip


def _run(
    made: Batch, executor: Supervised | OnDask | None, title: str, order: Order, *, quiet: bool
) -> tuple[Summary, bool]:
    """All clips; whether it was interrupted. The tables are written in any case."""
    from poise.apps.report.library_page import library_html

    interrupted = False
    with Progress(made, quiet=quiet) as progress:
        try:
            if made.plan.tasks and executor is not None:
                executor.hear = progress.hear
                for row in made.run(executor):
                    progress.add(row)
        except KeyboardInterrupt:
            interrupted = True
    with waiting("writing tables"):
        name = Path(order.recipe).name
        summary = made.summary(lambda rows: library_html(rows, title, recipe=name))
    return summary, interrupted


def _limits(work: WorkOptions) -> Limits:
    from poise.errors import BadValue
    from poise.execution import Limits
    from poise.sharing import core_count

    if work.workers is not None and work.workers < 1:
        raise BadValue("workers", "at least 1", work.workers)
    if work.memory_limit is None:
        import psutil

        share = MEMORY_SHARE / (work.workers or core_count())
        memory = int(share * psutil.virtual_memory().total)
    elif math.isfinite(work.memory_limit):
        memory = round(work.memory_limit * 1e6)
    else:
        raise BadValue("the memory limit", "a number of MB (0: any)", work.memory_limit)
    return Limits(work.time_limit or None, memory or None)


def _supervised(work: WorkOptions, limits: Limits) -> Supervised:
    from poise.errors import BadValue
    from poise.execution import Supervised

    if work.dashboard is not None and work.cluster is None:
        raise BadValue("dashboard", "given only with --cluster local", work.dashboard)
    return Supervised(work.workers, limits, preload="poise.apps.batch.one_clip")


def _on_cluster(work: WorkOptions, limits: Limits, quiet: bool) -> OnDask:
    from poise.execution import OnDask

    made = OnDask(
        work.cluster or "local", workers=work.workers, limits=limits, dashboard=work.dashboard
    )
    if made.dashboard_link and not quiet:
        typer.echo(f"dashboard: {made.dashboard_link}", err=True)
    return made


def _say_plan(made: Batch, found: Library, *, whole: bool, quiet: bool) -> None:
    """What there is to do, and what is left alone: all of it, or some of each reason."""
    if quiet:
        return
    plan, others = made.plan, found.left_alone
    redone = sum(1 for task in plan.tasks if task.old)
    parts = [f"{counted(len(plan.tasks), 'clip')} to do"]
    if redone:
        parts[0] += f" ({redone} anew: the clip, the recipe or the result has changed)"
    if plan.kept:
        parts.append(f"{sum(plan.kept.values())} done already")
    if others:
        parts.append(f"{len(others)} left alone")
    if plan.gone:
        parts.append(f"{counted(plan.gone, 'result')} of clips that are not there now")
    typer.echo(", ".join(parts), err=True)
    reasons: dict[str, list[str]] = {}
    for each in others:
        reasons.setdefault(each.reason, []).append(each.name)
    for reason, names in reasons.items():
        shown = names if whole else names[:_MOST_LEFT_ALONE]
        more = f" and {len(names) - len(shown)} more (--dry-run)" if len(shown) < len(names) else ""
        typer.echo(_as_text(f"left alone, {reason}: {', '.join(shown)}{more}"), err=True)


def _say_end(summary: Summary, seconds: float) -> None:
    total = sum(summary.statuses.values())
    ends = ", ".join(
        f"{count} {status.replace('_', ' ')}" for status, count in summary.statuses.most_common()
    )
    print(f"{counted(total, 'clip')}: {ends}" if ends else "no clips done")
    if summary.done:
        rate = 60 * summary.done / max(seconds, 1e-9)
        print(f"{summary.done} in {duration(seconds)}, {rate:.3g} a minute")
    if summary.left:
        print(f"{summary.left} left: the same command goes on")
    for path in summary.files:
        print(_as_text(str(path)))


class Progress:
    """Counts what comes back and says it."""

    def __init__(self, batch: Batch, *, quiet: bool) -> None:
        self._sizes = {task.entry.name: max(1, task.entry.size) for task in batch.plan.tasks}
        self._total, self._bytes = len(self._sizes), sum(self._sizes.values())
        self._done = self._done_bytes = self._failed = self._unmet = 0
        self._began = self._said = time.monotonic()
        self._quiet = quiet
        self._news = ""
        self._live: Live | None = None
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True)
            self._live = Live(get_renderable=self.line, console=console, transient=True)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def hear(self, news: str) -> None:
        """What a worker announces."""
        self._news = news

    def add(self, row: Row) -> None:
        """One more is done."""
        from poise.apps.batch.journal_row import DONE

        self._news = ""
        self._done += 1
        self._done_bytes += self._sizes.pop(row["clip"], 0)
        self._unmet += row["status"] == "not_met"
        if row["status"] not in DONE:
            self._failed += 1
            if self._failed <= _MOST_FAILURES:
                self._print(f"{row['clip']}: {row['status'].replace('_', ' ')}: {row['reason']}")
            elif self._failed == _MOST_FAILURES + 1:
                self._print("further failures are in the results only")
        silent = self._quiet or self._live is not None
        if not silent and time.monotonic() - self._said >= _LOG_EVERY_S:
            self._said = time.monotonic()
            print(self.line(), file=sys.stderr, flush=True)

    def line(self) -> str:
        """Clips done, rate, time left, failures."""
        seconds = time.monotonic() - self._began
        parts = [f"{self._done} of {counted(self._total, 'clip')}"]
        if self._done:
            parts.append(f"{60 * self._done / max(seconds, 1e-9):.3g} a minute")
            # By bytes, not by clips: the largest come first.
            left = seconds * (self._bytes - self._done_bytes) / max(self._done_bytes, 1)
            parts.append(f"{duration(left)} left")
        if self._unmet:
            parts.append(f"{self._unmet} not met")
        if self._failed:
            parts.append(f"{self._failed} failed")
        if self._news:
            parts.append(self._news)
        return ", ".join(parts)

    def _print(self, line: str) -> None:
        if self._quiet:
            return
        line = _as_text(line)
        if self._live is not None:
            self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)


def _as_text(line: str) -> str:
    """Without what would steer a terminal: names of files may hold anything."""
    escaped = (c if c.isprintable() else repr(c)[1:-1] for c in line)
    return "".join(escaped)


def duration(seconds: float) -> str:
    """`42 s`, `3 min 5 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
