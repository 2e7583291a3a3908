"""What each kind of evidence brings on the force plates: left out one at a time.

Part of `python -m benchmarks.contacts_plates --ablate`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from unittest import mock

import numpy as np

from benchmarks.contacts_agreement import Row, summary
from benchmarks.contacts_plates import CASES, Case, by_detector, by_evidence, rows
from poise.arrays import Array
from poise.contact.geometry_evidence import GeometryEvidence

_finding = importlib.import_module("poise.contact.finding")
_geometry = importlib.import_module("poise.contact.geometry_evidence")
_loads = importlib.import_module("poise.contact.load_evidence")

SHOWN = ("as captured", "5 mm", "15 mm", "15 mm, each joint", "30 Hz")
Change = Callable[[], AbstractContextManager[object]]


def constants(module: object, **values: float) -> Change:
    """Constants of a module changed for a while."""

    @contextmanager
    def change() -> Generator[None]:
        with ExitStack() as stack:
            for name, value in values.items():
                stack.enter_context(mock.patch.object(module, name, value))
            yield

    return change


@contextmanager
def _without_loads() -> Generator[None]:
    def silent(*given: object) -> object:
        found = _loads.load_evidence(*given)
        nothing = np.zeros_like(found.unexplained)
        return replace(
            found,
            missing=np.zeros_like(found.missing),
            log_likelihoods=nothing,
            unexplained=nothing,
        )

    with mock.patch.object(_finding, "load_evidence", silent):
        yield


@contextmanager
def _without_geometry() -> Generator[None]:
    """Which parts are near enough to be weighed is still its say."""

    def even(geometry: GeometryEvidence) -> Array:
        return np.zeros_like(geometry.scores)

    with mock.patch.object(_finding, "_odds", even):
        yield


def _always(value: object) -> Callable[..., object]:
    def answer(*_: object) -> object:
        return value

    return answer


@contextmanager
def _one_cutoff() -> Generator[None]:
    with mock.patch.object(_geometry, "suited_cutoff_hz", _always(_geometry.CUTOFF_HZ)):
        yield


@contextmanager
def _one_speed_limit() -> Generator[None]:
    with mock.patch.object(_geometry, "speed_limit_m_s", _always(_geometry.SOLE_SPEED_M_S)):
        yield


@contextmanager
def _no_doubts() -> Generator[None]:
    with mock.patch.object(_geometry, "_noise_left", _always((0.0, 0.0))):
        yield


def together(*changes: Change) -> Change:
    @contextmanager
    def change() -> Generator[None]:
        with ExitStack() as stack:
            for each in changes:
                stack.enter_context(each())
            yield

    return change


NO_CONTINUITY = constants(_finding, CHANGE=0.0)
WAYS: dict[str, Change] = {
    "**all evidence**": together(),
    "without dynamics": _without_loads,
    "without falling": constants(_loads, FALLING=0.0),
    "without geometry": _without_geometry,
    "without continuity": NO_CONTINUITY,
    "geometry alone, frame by frame": together(_without_loads, NO_CONTINUITY),
    "every frame independent": constants(_finding, CORRELATED_S=0.008),
    "without the unknown carrier": constants(_finding, CARRIED=np.inf),
    "without carried gaps": constants(_finding, GAP_CARRIES=np.inf),
    "smoothing alike for all noise": _one_cutoff,
    "geometry in no doubt": _no_doubts,
    "one speed limit for all": _one_speed_limit,
}


def lines() -> list[str]:
    """Mean and lowest F1 of each case, and times of events as captured."""
    cases = [case for case in CASES if case.name in SHOWN]
    made = [
        "| mean F1 (lowest) | " + " | ".join(SHOWN) + " | onset, offset, ms |",
        "|---" * (len(SHOWN) + 2) + "|",
        _line("detector", cases, lambda case: rows(by_detector, case)),
    ]
    for name, change in WAYS.items():
        with change():
            made.append(_line(name, cases, lambda case: rows(by_evidence, case)))
    return made


def _line(name: str, cases: list[Case], find: Callable[[Case], list[Row]]) -> str:
    each = [summary(find(case)) for case in cases]
    cells = [f"{s.mean:.4f} ({s.lowest:.3f})" for s in each]
    cells.append(f"{each[0].onset_ms:.1f}, {each[0].offset_ms:.1f}")
    return f"| {name} | {' | '.join(cells)} |"
