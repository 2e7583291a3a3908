"""A file looked at, and a whole library done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import psutil

from poise.apps.batch.library import find_clips
from poise.apps.batch.order import order_from
from poise.apps.batch.run import Batch, Summary
from poise.apps.inspection import CharacterReport, ClipReport, inspect_character, inspect_clip
from poise.apps.report.library_page import library_html
from poise.execution import Limits, Supervised
from poise.formats import is_character, load_character, load_clip
from poise.job import Change
from poise.sharing import core_count

_TIME_LIMIT_S, _MEMORY_SHARE = 1800.0, 0.8
"""Of a clip, and of the machine for all workers: as of `poise batch`."""


def inspect_file(path: Path) -> ClipReport | CharacterReport:
    """What a file is, and what is wrong with it."""
    if is_character(path):
        return inspect_character(load_character(path), path)
    return inspect_clip(load_clip(path), path)


def run_batch(
    library: Path,
    out: Path,
    recipe: str | Path | None,
    to: str | Path | None,
    workers: int | None,
    told: Callable[[Mapping[str, object]], None] | None,
    values: Mapping[str, object],
) -> Summary:
    """Do what is left of a library, and write its tables and its page."""
    body = None if to is None else Path(to)
    order = order_from(None if recipe is None else Path(recipe), to=body)
    method = order.followed_with().steps[0].method
    changes = [Change((method, "settings", key), value) for key, value in values.items()]
    order = order_from(None if recipe is None else Path(recipe), to=body, changes=changes)
    memory = int(_MEMORY_SHARE / (workers or core_count()) * psutil.virtual_memory().total)
    limits = Limits(_TIME_LIMIT_S, memory)
    animation = order.followed_with().clip.animation
    with Supervised(workers, limits) as executor:
        found = find_clips(
            library, leave_out=(out,), reader=executor,
            animation=None if animation is None else str(animation),
        )  # fmt: skip
        with Batch(found, order, out, limits, executor) as work:
            for row in work.run(executor):
                if told is not None:
                    told(row)
            return work.summary(lambda rows: library_html(rows, library.name, recipe=method))
