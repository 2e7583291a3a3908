"""Curves through values on an even grid of times, cyclic or at rest before and after.

Where the body flies the path of its centre of mass is a straight line seen from above, exactly;
where it stands, a quintic spline that takes over the line's velocity with no acceleration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array

Spline = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Timeline:
    """When a motion happens: an even grid of times, and its flights on it."""

    step_s: float
    count: int
    """Intervals of the grid; all of them make the cycle, or the whole of a single motion."""
    cyclic: bool
    flights: tuple[tuple[int, int], ...] = ()
    """First and last grid number of each flight, inside 0 to `count`."""
    stride_m: tuple[float, float] = (0.0, 0.0)
    """X and Z gained in a cycle."""
    easing_s: tuple[tuple[float, float], tuple[float, float]] = ((0.0, 0.0), (0.0, 0.0))
    """In a single motion, when the push may lean to begin from rest, and to end there."""

    @property
    def length_s(self) -> float:
        """The cycle, or the whole motion."""
        return self.count * self.step_s

    @property
    def nodes(self) -> int:
        """Different grid points: a cycle's last is its first."""
        return self.count + (0 if self.cyclic else 1)

    @property
    def times_s(self) -> Array:
        """(nodes,) the grid."""
        return self.step_s * np.arange(self.nodes, dtype=np.float64)

    def folded(self, times: Array) -> tuple[Array, Array]:
        """Times inside the grid, and how many cycles came before each."""
        if not self.cyclic:
            return np.clip(times, 0.0, self.length_s), np.zeros(len(times))
        cycles = np.floor(times / self.length_s)
        # Rounding far from zero may step over either end.
        return np.clip(times - cycles * self.length_s, 0.0, self.length_s), cycles

    def bumps(self) -> Array:
        """(nodes, 2) one smooth rise and fall for each of the two times in `easing_s`."""
        columns: list[Array] = []
        for start, end in self.easing_s:
            s = np.clip((self.times_s - start) / (end - start), 0.0, 1.0)
            columns.append(16.0 * (s * (1.0 - s)) ** 2)
        return np.stack(columns, axis=1)

    def aloft(self) -> NDArray[np.bool_]:
        """(nodes,) whether the ground does not push, both ends of a flight included."""
        flags = np.zeros(self.nodes, dtype=np.bool_)
        for first, last in self.flights:
            flags[np.arange(first, last + 1) % (self.count if self.cyclic else self.nodes)] = True
        return flags


class Ground:
    """The centre of mass seen from above, through its places at the grid's times."""

    def __init__(self, timeline: Timeline, places_m: Array) -> None:
        self.timeline = timeline
        self.places_m = places_m
        stride = np.asarray(timeline.stride_m)
        ends = places_m if not timeline.cyclic else np.vstack([places_m, places_m[:1] + stride])
        self._ends = ends
        self._slopes = [
            (ends[b] - ends[a]) / ((b - a) * timeline.step_s) for a, b in timeline.flights
        ]
        self._stances = self._stance_splines()

    def __call__(self, times: Array) -> Array:
        """(F, 2) X and Z at any times."""
        line = self.timeline
        local, cycles = line.folded(times)
        path = np.zeros((len(times), 2))
        for start, end, spline in self._stances:
            here = (local >= start) & (local <= end)
            path[here] = spline(local[here])
        for (a, b), slope in zip(line.flights, self._slopes, strict=True):
            here = (local >= a * line.step_s) & (local <= b * line.step_s)
            path[here] = self._ends[a] + (local[here] - a * line.step_s)[:, None] * slope
        return path + cycles[:, None] * np.asarray(line.stride_m)

    def velocity_in(self, flight: int) -> Array:
        """(2,) of a flight, by its number."""
        return self._slopes[flight]

    def _stance_splines(self) -> list[tuple[float, float, Spline]]:
        from scipy.interpolate import make_interp_spline

        line = self.timeline
        if line.cyclic and not line.flights:
            return [(0.0, line.length_s, _closed(line, self._ends))]
        zero = np.zeros(2)
        slopes = self._slopes
        starts = [0, *(b for _, b in line.flights)]
        ends = [*(a for a, _ in line.flights), line.count]
        before = [slopes[-1] if line.cyclic else zero, *slopes]
        after = [*slopes, slopes[0] if line.cyclic else zero]
        found: list[tuple[float, float, Spline]] = []
        for a, b, v0, v1 in zip(starts, ends, before, after, strict=True):
            if b == a:
                continue
            times = line.step_s * np.arange(a, b + 1)
            spline = make_interp_spline(
                times,
                self._ends[a : b + 1],
                k=5,
                bc_type=([(1, v0), (2, zero)], [(1, v1), (2, zero)]),
            )
            found.append((float(times[0]), float(times[-1]), spline))
        return found


def _closed(line: Timeline, ends: Array) -> Spline:
    """A periodic spline plus the steady advance."""
    from scipy.interpolate import make_interp_spline

    stride = np.asarray(line.stride_m)
    times = line.step_s * np.arange(line.count + 1)
    share = (times / line.length_s)[:, None]
    periodic = make_interp_spline(times, ends - share * stride, k=5, bc_type="periodic")

    def advancing(times: Array) -> Array:
        return np.asarray(periodic(times)) + (times / line.length_s)[:, None] * stride

    return advancing


class Repeated:
    """Any values through the grid's times, repeated with the cycle or at rest outside."""

    def __init__(self, timeline: Timeline, values: Array) -> None:
        from scipy.interpolate import make_interp_spline

        self.timeline = timeline
        self.values = values
        times = timeline.step_s * np.arange(timeline.count + 1)
        if timeline.cyclic:
            values = np.concatenate([values, values[:1]])
            self._spline = make_interp_spline(times, values, k=5, bc_type="periodic")
        else:
            zero = np.zeros(values.shape[1:])
            ends = [(1, zero), (2, zero)]
            self._spline = make_interp_spline(times, values, k=5, bc_type=(ends, ends))

    def __call__(self, times: Array) -> Array:
        """(F, ...) at any times."""
        local, _ = self.timeline.folded(times)
        return self._spline(local)
