"""The charts of a measured clip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.apps.render import support_outline
from poise.apps.report.charts import Bar, Chart, Key, Line, Outline, Row
from poise.apps.report.contact_chart import contact_chart
from poise.apps.report.contact_doubts import Stretch
from poise.arrays import Array, Indices
from poise.contact import ContactSchedule, Series, intervals, slide_speeds_m_s
from poise.mechanics import GRAVITY_M_S2

MOST_POINTS = 500
"""Of a line, about: extremes and gaps survive thinning."""


def thinned(y: Array, most: int = MOST_POINTS) -> Indices:
    """Indices of at most about `most` samples: the lowest and highest of every stretch."""
    count = len(y)
    if count <= most:
        return np.arange(count)
    edges = np.linspace(0, count, most // 2 + 1).astype(int)
    kept: list[int] = [0, count - 1]
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        stretch = y[first:last]
        known = np.isfinite(stretch)
        if not known.all():
            # Both sides of a gap, so that it stays one.
            jumps = np.flatnonzero(np.diff(known.astype(int)))
            kept += [first + int(j) for j in jumps] + [first + int(j) + 1 for j in jumps]
            kept.append(first + int(np.argmin(known)))
        if known.any():
            kept.append(first + int(np.nanargmin(stretch)))
            kept.append(first + int(np.nanargmax(stretch)))
    return np.unique(np.array(kept, dtype=np.int64))


AXES = (("along X", "blue"), ("upwards", "green"), ("along Z", "vermilion"))
FEET = (("left_foot", "left foot", "blue"), ("right_foot", "right foot", "green"))
MOST_JOINTS = 10
STAYS_M = 0.3
"""A body that ends this near to where it began stays in place."""
FARTHEST_M = 0.5
_SHORTEST_FIT = 5
_LONG_WAY = 2.2
"""A map so many times longer than wide takes the page's width."""


@dataclass(frozen=True)
class Value:
    """A line over time."""

    label: str
    color: str
    of: Callable[[Series], Array]
    original: str = "orange"
    """The colour of the same line of the original; empty for none."""


@dataclass(frozen=True)
class OverTime:
    """A chart over the clip's time."""

    title: str
    y_label: str
    about: str
    values: tuple[Value, ...]
    from_zero: bool = True
    flights: bool = True
    """Whether those are shaded."""
    rule: tuple[float, str] | None = None


def _weight_n(series: Series) -> float:
    return series.mass_kg * float(np.linalg.norm(GRAVITY_M_S2))


def _push(series: Series, part: str = "") -> Array:
    """(F,) upward force in body weights, of a part or of all."""
    columns = [c for c, p in enumerate(series.point_parts) if part in (p, "")]
    return series.forces_n[:, columns, 1].sum(axis=1) / _weight_n(series)


def _depth_cm(series: Series) -> Array:
    distances = series.point_distances_m
    if not distances.size:
        return np.zeros(len(series.times_s))
    return 100.0 * np.maximum(0.0, -distances.min(axis=1))


def _along_axes(of: Callable[[Series], Array]) -> tuple[Value, ...]:
    """A line for each axis of (F, 3) vectors."""
    return tuple(
        Value(words, color, lambda s, axis=axis: of(s)[:, axis], "")
        for axis, (words, color) in enumerate(AXES)
    )


FORCE = OverTime(
    "Vertical push of the ground",
    "force (body weights)",
    "The push of the ground that explains the motion best. Standing still it is one body weight; "
    "in the air it is nothing.",
    (
        Value("left foot", "blue", lambda s: _push(s, "left_foot"), ""),
        Value("right foot", "green", lambda s: _push(s, "right_foot"), ""),
        Value("all together", "ink", _push),
    ),
    rule=(1.0, "body weight"),
)
HEIGHT = OverTime(
    "Height of the centre of mass",
    "height (m)",
    "In the air the centre of mass must follow a parabola, falling at 9.81 m/s².",
    (Value("centre of mass", "blue", lambda s: s.com_m[:, 1]),),
    from_zero=False,
)
BALANCE = OverTime(
    "Out of balance",
    "distance (cm)",
    "How far the zero-moment point lies outside what stands; half a metre at most is drawn.",
    (
        Value(
            "outside the footprints", "blue", lambda s: 100 * np.clip(s.support_distance_m, 0, 0.5)
        ),
    ),
)
SLIDE = OverTime(
    "Foot slide",
    "speed (cm/s)",
    "How fast a foot moves along the ground while it is said to stand on it.",
    (
        Value("left foot", "blue", lambda s: 100 * slide_speeds_m_s(s, "left_foot")),
        Value("right foot", "green", lambda s: 100 * slide_speeds_m_s(s, "right_foot"), "purple"),
    ),
    flights=False,
)
DEPTH = OverTime(
    "Depth in the ground",
    "depth (cm)",
    "How far the deepest point of the body is inside the ground or another surface.",
    (Value("deepest point", "blue", _depth_cm),),
    flights=False,
)
MOMENTUM = OverTime(
    "Momentum",
    "momentum (kg·m/s)",
    "In the air, only the upward part may change, and steadily.",
    _along_axes(lambda s: s.linear_momentum_n_s),
)
SPIN = OverTime(
    "Spin about the centre of mass",
    "angular momentum (kg·m²/s)",
    "In the air, nothing can change it.",
    _along_axes(lambda s: s.angular_momentum_n_m_s),
)
HAND = OverTime(
    "Residual root forces",
    "force (body weights)",
    "Force that remains after the best push of the ground that friction allows.",
    (
        Value(
            "missing force",
            "blue",
            lambda s: np.linalg.norm(s.missing_force_n, axis=1) / _weight_n(s),
        ),
    ),
)


def all_charts(
    series: Series,
    reference: ContactSchedule | None,
    original: Series | None,
    unknown: Sequence[Stretch] = (),
) -> tuple[Chart, ...]:
    """Every chart of the page, in order; `unknown` is where nobody knows what carries the body."""
    torque = torque_chart(series, original)
    return (
        contact_chart(series, reference, unknown),
        time_chart(FORCE, series, original),
        balance_map(series, original),
        height_chart(series, original),
        *(time_chart(c, series, original) for c in (BALANCE, SLIDE, DEPTH, MOMENTUM, SPIN, HAND)),
        *((torque,) if torque is not None else ()),
    )


def time_chart(told: OverTime, series: Series, original: Series | None) -> Chart:
    """Lines over the clip's time, over those of its original, with its flights shaded."""
    times, step = series.times_s, 1.0 / series.clip.rate_hz
    lines: list[Line] = []
    for value in told.values:
        if original is not None and value.original:
            before = _at_times(value.of(original), original, series)
            lines.append(_line(f"{value.label}, original", times, before, value.original, True))
        lines.append(_line(value.label, times, value.of(series), value.color, False))
    flights = intervals(series.flight) if told.flights else ()
    return Chart(
        kind="time",
        title=told.title,
        about=told.about,
        x_label="time (s)",
        y_label=told.y_label,
        ends=(float(times[0]), float(times[-1])),
        lines=lines,
        include=(0.0,) if told.from_zero else (),
        rule=told.rule,
        spans=[(float(times[a]), float(times[b - 1]) + step) for a, b in flights],
        span_name="in the air",
    )


def _line(label: str, x: Array, y: Array, color: str, dashed: bool) -> Line:
    kept = thinned(y)
    return Line(label, x[kept], y[kept], color, dashed)


def _at_times(values: Array, original: Series, series: Series) -> Array:
    """Values of the original at the times of the clip, NaN after its end."""
    rows = np.round(series.times_s * original.clip.rate_hz).astype(int)
    return np.where(rows < len(values), values[np.minimum(rows, len(values) - 1)], np.nan)


def height_chart(series: Series, original: Series | None) -> Chart:
    """Height of the centre of mass, with parabolas fitted to the flights."""
    fitted, gravity = _flight_fits(series)
    if not gravity:
        about = f"{HEIGHT.about} There is no flight long enough to fit one."
        return time_chart(replace(HEIGHT, about=about), series, original)
    fits = ", ".join(f"{g:.1f}" for g in gravity[:6])
    chart = time_chart(HEIGHT, series, original)
    return replace(
        chart,
        about=f"{HEIGHT.about} Fitted here: {fits}{' …' if len(gravity) > 6 else ''} m/s².",
        lines=[*chart.lines, _line("fitted parabola", series.times_s, fitted, "vermilion", True)],
    )


def _flight_fits(series: Series) -> tuple[Array, list[float]]:
    """(F,) parabolas over the flights, NaN elsewhere; and the gravity each shows."""
    fitted = np.full(len(series.times_s), np.nan)
    gravity: list[float] = []
    for first, last in intervals(series.flight):
        if last - first < _SHORTEST_FIT:
            continue
        t = series.times_s[first:last]
        t = t - t.mean()
        bend, slope, level = np.polyfit(t, series.com_m[first:last, 1], 2)
        fitted[first:last] = bend * t**2 + slope * t + level
        gravity.append(-2.0 * float(bend))
    return fitted, gravity


def balance_map(series: Series, original: Series | None) -> Chart:
    """Footprints, zero-moment point and centre of mass from above."""
    along, left = _ground_axes(series)
    axes = np.stack([along, left], axis=1)
    start = series.com_m[0] @ axes  # the map begins where the body does
    prints: list[Outline] = []
    for part, words, color in FEET:
        columns = [c for c, p in enumerate(series.point_parts) if p == part]
        for first, last in intervals(series.contacts.column(part)):
            if len(columns) < 3:
                continue
            sole = series.points_m[(first + last) // 2][columns]
            corners = support_outline(sole, along, left) @ axes - start
            prints.append(Outline(f"{words}, mid-stance", corners, color))
    tracks = [
        _track("centre of mass", series.com_m @ axes - start, "ink thin"),
        _track("zero-moment point", _zmp_near_body(series, axes) - start, "vermilion"),
    ]
    if original is not None:
        zmp = _zmp_near_body(original, axes) - start
        tracks.insert(0, _track("zero-moment point of the original", zmp, "orange", dashed=True))
    about = (
        "Seen from above. Where the zero-moment point leaves the footprints, nobody could stand "
        "like that without tipping over or being held. Where it is more than half a metre from "
        "the centre of mass, it is left out."
    )
    moves = bool(np.linalg.norm((series.com_m[-1] - series.com_m[0])[[0, 2]]) > STAYS_M)
    labels = ("along the way (m)", "to the left (m)") if moves else ("along X (m)", "along −Z (m)")
    cloud = np.concatenate(
        [p.corners for p in prints] + [np.stack([t.x, t.y], axis=1) for t in tracks]
    )
    span = np.maximum(np.nanmax(cloud, axis=0) - np.nanmin(cloud, axis=0) + 0.16, 0.4)
    wide = bool(span[0] > _LONG_WAY * span[1])
    title = "Balance over the footprints"
    return Chart("map", title, about, *labels, lines=tracks, outlines=prints, wide=wide)


def _track(label: str, places: Array, color: str, *, dashed: bool = False) -> Line:
    """A path over the ground; of a long one, every few frames."""
    few = places[:: 1 + len(places) // 1200]
    return Line(label, few[:, 0], few[:, 1], color, dashed)


def _zmp_near_body(series: Series, axes: Array) -> Array:
    """(F, 2) without the far places, which would shrink everything else to a dot."""
    places = series.zmp_m @ axes
    far = ~(np.linalg.norm(places - series.com_m @ axes, axis=1) < FARTHEST_M)
    return np.where(far[:, None], np.nan, places)


def _ground_axes(series: Series) -> tuple[Array, Array]:
    """Level directions: the way the body goes (X when it stays in place), and to its left."""
    away = (series.com_m[-1] - series.com_m[0]) * np.array([1.0, 0.0, 1.0])
    length = float(np.linalg.norm(away))
    along = away / length if length > STAYS_M else np.array([1.0, 0.0, 0.0])
    return along, np.cross([0.0, 1.0, 0.0], along)


def torque_chart(series: Series, original: Series | None) -> Chart | None:
    """The joints that work hardest against their limits; None when no limit is known."""
    ratios = 100.0 * series.torque_ratio
    peaks, usual = ratios.max(axis=0), np.percentile(ratios, 95, axis=0)
    hardest = [int(j) for j in np.argsort(-peaks)[:MOST_JOINTS] if peaks[j] > 0]
    if not hardest:
        return None
    names = series.character.skeleton.joint_names
    old: dict[str, float] = {}
    if original is not None:
        tops = 100.0 * original.torque_ratio.max(axis=0)
        old = dict(zip(original.character.skeleton.joint_names, tops.tolist(), strict=True))
    rows: list[Row] = []
    for j in hardest:
        name, peak, most = names[j], float(peaks[j]), float(usual[j])
        said = f"{name}: peak {peak:.0f} %, 95 % of the time under {most:.0f} %"
        bar = Bar(0.0, peak, "vermilion" if peak > 100.0 else "blue", said)
        was = ((old[name], "orange"),) if name in old else ()
        rows.append(Row(name, (bar,), ((most, "ink"), *was)))
    farthest = max([100.0, *(mark for row in rows for mark, _ in row.marks), float(peaks.max())])
    legend = [Key("peak", "blue"), Key("peak beyond the limit", "vermilion")]
    legend.append(Key("most of the time (95 %)", "ink", "line"))
    if old:
        legend.append(Key("peak of the original", "orange", "line"))
    about = "How hard the hardest-working joints work, against what such a body can."
    title, labels = "Joint torques against strength", ("torque (% of the joint's strength)", "")
    ends, rule = (0.0, 1.12 * farthest), (100.0, "limit")
    return Chart("rows", title, about, *labels, ends, rows=rows, rule=rule, legend=legend)
