"""What a worker does with one clip: follow the recipe, measure, write where it is told to.

A worker writes into a folder of its own; who leads the batch moves what is whole to its place.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import time
import traceback
from collections.abc import Generator, Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import NotRequired, TypedDict

from poise.apps.batch.fingerprint import Fingerprint, fingerprint
from poise.apps.batch.order import Order
from poise.apps.outcome_text import outcome_page
from poise.errors import PoiseError
from poise.job import (
    Change,
    Outcome,
    PlannedOutputs,
    Recipe,
    evaluation_of,
    run_prepared,
    subject,
    write_outputs,
)
from poise.measures import Evaluation, Measure
from poise.methods import status_words
from poise.version import __version__

Figures = dict[str, float | None]
"""By the keys of measures; one that there is not (no flight, no stance) is None."""


class OutputFile(TypedDict):
    """A file of a clip's results."""

    file: str
    """Its name in the folder of results."""
    bytes: int
    sha256: str


class Row(TypedDict):
    """A line of the results."""

    clip: str
    status: str
    reason: str
    input_sha256: str
    poise: str
    """The version that did it."""
    frames: NotRequired[int]
    rate_hz: NotRequired[float]
    stages_s: NotRequired[dict[str, float]]
    before: NotRequired[Figures]
    after: NotRequired[Figures]
    unknown: NotRequired[dict[str, str]]
    """Why figures of after have no value, by their keys."""
    outputs: NotRequired[dict[str, OutputFile]]
    notes: NotRequired[list[str]]
    passing: NotRequired[bool]
    """Whether it failed by no fault of the clip: the next run tries again."""
    limit: NotRequired[float | None]
    """What it was allowed, if it took too much."""
    seconds: NotRequired[float]
    attempts: NotRequired[int]
    peak_mb: NotRequired[float]
    recipe_sha256: str
    finished: NotRequired[str]


def files_of(row: Row) -> dict[str, OutputFile]:
    """The files that a row speaks of, by their names."""
    return {each["file"]: each for each in (row.get("outputs") or {}).values()}


@dataclass(frozen=True)
class ClipJob:
    """One clip, as it is sent to workers: paths, no arrays."""

    name: str
    path: str
    order: Order
    changes: tuple[str | Change, ...]
    """For this clip alone."""
    files: tuple[tuple[str, str], ...]
    """What is written (clip, glb, before, contacts, report, robot), and below what name."""
    folder: str
    """Where to: a folder of this job alone, to be made."""
    order_sha256: str
    """Of the order without the changes."""


def follow_recipe(job: ClipJob) -> Row:
    """Do it; what is wrong with the clip or the recipe is a row, too."""
    found = fingerprint(Path(job.path), job.order_sha256, job.changes)
    row: Row = {
        "clip": job.name,
        "input_sha256": found.input_sha256,
        "recipe_sha256": found.recipe_sha256,
        "poise": __version__,
        "status": "refused",
        "reason": "",
    }
    try:
        _leave(found, job.folder)
        return _followed(job, row)
    except MemoryError:
        raise
    except _NotWritten as refused:
        # The disk's fault, not the clip's: it is tried again by the next run.
        return {**row, "reason": str(refused), "passing": True}
    except PoiseError as problem:
        return {**row, "reason": " ".join(str(problem).split())}
    except OSError as refused:
        return {**row, "reason": f"{refused.filename or job.path}: {refused.strerror or refused}"}
    except Exception as bug:
        return {**row, "status": "bug", "reason": _where(bug)}


def fingerprint_left(folder: Path) -> Fingerprint | None:
    """What a worker has found of a clip that it did not survive, or None."""
    try:
        return Fingerprint(**json.loads(_left_at(folder).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def forget_fingerprint(folder: Path) -> None:
    """Take it away."""
    with contextlib.suppress(OSError):
        _left_at(folder).unlink(missing_ok=True)


def _leave(found: Fingerprint, folder: str) -> None:
    try:
        _left_at(Path(folder)).write_text(json.dumps(asdict(found)), encoding="utf-8")
    except OSError as refused:
        raise _NotWritten(f"{folder}: {refused.strerror or refused}") from refused


def _left_at(folder: Path) -> Path:
    return folder.with_suffix(".json")


class _NotWritten(Exception):
    """The system refuses to write."""


@lru_cache(maxsize=4)
def _recipe(order: Order, changes: tuple[str | Change, ...]) -> Recipe:
    return order.followed_with(changes)


def _followed(job: ClipJob, row: Row) -> Row:
    clock: dict[str, float] = {}
    with _timed(clock, "reading"):
        recipe = _recipe(job.order, job.changes)
        prepared = subject(recipe, Path(job.path))
    with _timed(clock, "running"):
        outcome = run_prepared(recipe, prepared)
    with _timed(clock, "measuring"):
        found = evaluation_of(outcome)
    with _timed(clock, "writing"):
        folder = Path(job.folder)
        planned = {key: folder / name for key, name in job.files}
        name = Path(job.name).stem
        notes = _written(PlannedOutputs(planned), recipe, outcome, found, name)
    missed = next((each for each in outcome.results if each.status != "converged"), outcome.result)
    return {
        **row,
        "status": "met" if outcome.converged else "not_met",
        "reason": f"{status_words(missed.status)}: {missed.summary}",
        "frames": outcome.clip.frame_count,
        "rate_hz": outcome.clip.rate_hz,
        "stages_s": {name: round(seconds, 4) for name, seconds in clock.items()},
        "before": _plain(found.before),
        "after": _plain(found.measures),
        "unknown": {m.key: m.reason for m in found.measures if not math.isfinite(m.value)},
        "outputs": {
            key: _described(path, dict(job.files)[key])
            for key, path in planned.items()
            if path.is_file()
        },
        "notes": list(dict.fromkeys((*outcome.notes, *found.notes, *notes))),
    }


def _written(
    planned: PlannedOutputs, recipe: Recipe, outcome: Outcome, found: Evaluation, name: str
) -> list[str]:
    try:
        for path in planned.files.values():
            path.parent.mkdir(parents=True, exist_ok=True)
        return write_outputs(
            planned, recipe, outcome, found, lambda seen: outcome_page(recipe, outcome, seen, name)
        )[1]
    except (OSError, PoiseError) as refused:
        if isinstance(refused, OSError) or isinstance(refused.__cause__, OSError):
            raise _NotWritten(" ".join(str(refused).split())) from refused
        raise


@contextlib.contextmanager
def _timed(clock: dict[str, float], name: str) -> Generator[None, None, None]:
    began = time.perf_counter()
    yield
    clock[name] = time.perf_counter() - began


def _plain(measures: Iterable[Measure]) -> Figures:
    return {m.key: float(m.value) if math.isfinite(m.value) else None for m in measures}


def _described(path: Path, name: str) -> OutputFile:
    data = path.read_bytes()
    return {"file": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _where(bug: Exception) -> str:
    last = traceback.extract_tb(bug.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    return f"a bug in Poise: {type(bug).__name__}: {' '.join(str(bug).split())} ({place})"
