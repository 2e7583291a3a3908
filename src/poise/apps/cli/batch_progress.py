"""How a batch is going: a live line on a terminal, now and then a line in a log."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

from poise.apps.batch.one_clip import Row
from poise.apps.batch.plan import DONE
from poise.apps.batch.run import Batch
from poise.wording import counted

_LOG_EVERY_S = 30.0
_MOST_FAILURES = 20
"""That are said as they come; all are in the results."""


class Progress:
    """Counts what comes back and says it."""

    def __init__(self, batch: Batch, *, quiet: bool) -> None:
        self._sizes = {task.entry.name: max(1, task.entry.size) for task in batch.plan.tasks}
        self._total, self._bytes = len(self._sizes), sum(self._sizes.values())
        self._done = self._done_bytes = self._failed = self._unmet = 0
        self._began = self._said = time.monotonic()
        self._quiet = quiet
        self._news = ""
        self._live: Any = None
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live("", console=Console(stderr=True), refresh_per_second=4)

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
            self._live.update(self.line())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.update("")
            self._live.stop()

    def hear(self, news: str) -> None:
        """What a worker announces."""
        self._news = news
        if self._live is not None:
            self._live.update(self.line())

    def add(self, row: Row) -> None:
        """One more is done."""
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
        if self._live is not None:
            self._live.update(self.line())
        elif not self._quiet and time.monotonic() - self._said >= _LOG_EVERY_S:
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
        if self._live is not None:
            self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """`42 s`, `3 min 5 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
