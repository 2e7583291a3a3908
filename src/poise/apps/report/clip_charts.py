"""The charts of a measured clip."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from poise.apps.render import support_outline
from poise.apps.report.bar_chart import Bar, bar_chart
from poise.apps.report.figure_box import FigureBox
from poise.apps.report.line_chart import Line, Rule, Span, line_chart
from poise.apps.report.plan_chart import Footprint, Track, plan_chart
from poise.apps.report.span_chart import Row, span_chart
from poise.arrays import Array
from poise.contact import ContactSchedule, Series, intervals, slide_speeds_m_s
from poise.mechanics import GRAVITY_M_S2

AXES = (("along X", "blue"), ("upwards", "green"), ("along Z", "vermilion"))
FEET = (("left_foot", "left foot", "blue"), ("right_foot", "right foot", "green"))
MOST_JOINTS = 10
STAYS_M = 0.3
"""A body that ends this near to where it began stays in place."""
FARTHEST_M = 0.5
_SHORTEST_FIT = 5


def contact_chart(series: Series, reference: ContactSchedule | None) -> FigureBox:
    """Which parts touch when, as measured and as found in the original."""
    schedules = [series.contacts] + ([reference] if reference is not None else [])
    parts = [p for p in series.contacts.parts if any(s.column(p).any() for s in schedules)]
    if reference is not None:
        parts += [p for p in reference.parts if p not in parts and reference.column(p).any()]
    frames = series.clip.frame_count
    rows = [
        Row(
            part.replace("_", " "),
            series.contacts.column(part),
            None if reference is None else _fitted(reference.column(part), frames),
        )
        for part in parts or ["left_foot", "right_foot"]
    ]
    about = "A bar is drawn while a part of the body touches the ground or another surface."
    return span_chart("What touches when", about, series.times_s, rows)


def _fitted(flags: NDArray[np.bool_], frames: int) -> NDArray[np.bool_]:
    fitted = np.zeros(frames, dtype=np.bool_)
    fitted[: min(frames, len(flags))] = flags[:frames]
    return fitted


def balance_map(series: Series, original: Series | None) -> FigureBox:
    """Footprints, zero-moment point and centre of mass from above."""
    along, left = _ground_axes(series)
    axes = np.stack([along, left], axis=1)
    start = series.com_m[0] @ axes  # the map begins where the body does
    prints: list[Footprint] = []
    for part, words, color in FEET:
        columns = [c for c, p in enumerate(series.point_parts) if p == part]
        for first, last in intervals(series.contacts.column(part)):
            if len(columns) < 3:
                continue
            sole = series.points_m[(first + last) // 2][columns]
            corners = support_outline(sole, along, left) @ axes - start
            prints.append(Footprint(corners, color, f"{words}, mid-stance"))
    tracks = [
        Track("centre of mass", series.com_m @ axes - start, "ink thin"),
        Track("zero-moment point", _zmp_near_body(series, axes) - start, "vermilion"),
    ]
    if original is not None:
        zmp = _zmp_near_body(original, axes) - start
        tracks.insert(0, Track("zero-moment point of the original", zmp, "orange", dashed=True))
    about = (
        "Seen from above. Where the zero-moment point leaves the footprints, nobody could stand "
        "like that without tipping over or being held. Where it is more than half a metre from "
        "the centre of mass, it is left out."
    )
    moves = bool(np.linalg.norm((series.com_m[-1] - series.com_m[0])[[0, 2]]) > STAYS_M)
    labels = ("along the way (m)", "to the left (m)") if moves else ("along X (m)", "along −Z (m)")
    return plan_chart("Balance over the footprints", about, prints, tracks, labels)


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


def height_chart(series: Series, original: Series | None) -> FigureBox:
    """Height of the centre of mass, with parabolas fitted to the flights."""
    fitted, gravity = _flight_fits(series)
    lines = _with_original(
        series,
        original,
        lambda s: s.com_m[:, 1],
        Line("centre of mass", series.com_m[:, 1], "blue"),
    )
    about = "In the air the centre of mass must follow a parabola, falling at 9.81 m/s²."
    if gravity:
        lines.append(Line("fitted parabola", fitted, "vermilion", dashed=True))
        fits = ", ".join(f"{g:.1f}" for g in gravity[:6])
        about += f" Fitted here: {fits}{' …' if len(gravity) > 6 else ''} m/s²."
    else:
        about += " There is no flight long enough to fit one."
    return line_chart(
        "Height of the centre of mass", about, series.times_s, lines, "height (m)",
        spans=_flight_spans(series), span_name="in the air",
    )  # fmt: skip


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


def force_chart(series: Series, original: Series | None) -> FigureBox:
    """Vertical reaction force in body weights, in all and per foot."""
    weight = series.mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
    up = series.forces_n[..., 1] / weight
    lines = [
        Line(words, up[:, [c for c, p in enumerate(series.point_parts) if p == part]].sum(1), color)
        for part, words, color in FEET
    ]
    total = Line("all together", up.sum(axis=1), "ink")
    lines = [*lines, *_with_original(series, original, _total_force, total)]
    about = (
        "The push of the ground that explains the motion best. Standing still it is one body "
        "weight; in the air it is nothing."
    )
    return line_chart(
        "Vertical push of the ground", about, series.times_s, lines, "force (body weights)",
        include=(0.0,), rules=(Rule(1.0, "body weight"),),
        spans=_flight_spans(series), span_name="in the air",
    )  # fmt: skip


def _total_force(series: Series) -> Array:
    weight = series.mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
    return series.forces_n[..., 1].sum(axis=1) / weight


def momentum_charts(series: Series) -> tuple[FigureBox, FigureBox]:
    """Linear and angular momentum, axis by axis."""
    spans = _flight_spans(series)
    linear, spin = (
        [Line(words, values[:, axis], color) for axis, (words, color) in enumerate(AXES)]
        for values in (series.linear_momentum_n_s, series.angular_momentum_n_m_s)
    )
    return (
        line_chart(
            "Momentum", "In the air, only the upward part may change, and steadily.",
            series.times_s, linear, "momentum (kg·m/s)", include=(0.0,),
            spans=spans, span_name="in the air",
        ),
        line_chart(
            "Spin about the centre of mass", "In the air, nothing can change it.",
            series.times_s, spin, "angular momentum (kg·m²/s)", include=(0.0,),
            spans=spans, span_name="in the air",
        ),
    )  # fmt: skip


def torque_chart(series: Series, original: Series | None) -> FigureBox | None:
    """The joints that work hardest against their limits; None when no limit is known."""
    ratios = 100.0 * series.torque_ratio
    peaks = ratios.max(axis=0)
    hardest = [int(j) for j in np.argsort(-peaks)[:MOST_JOINTS] if peaks[j] > 0]
    if not hardest:
        return None
    names = series.character.skeleton.joint_names
    old: dict[str, float] = {}
    if original is not None:
        tops = 100.0 * original.torque_ratio.max(axis=0)
        old = dict(zip(original.character.skeleton.joint_names, tops.tolist(), strict=True))
    bars = [
        Bar(
            names[j], float(peaks[j]), float(np.percentile(ratios[:, j], 95)),
            old.get(names[j]) if old else None,
        )
        for j in hardest
    ]  # fmt: skip
    about = "How hard the hardest-working joints work, against what such a body can."
    return bar_chart(
        "Joint torques against strength", about, bars, "torque (% of the joint's strength)",
        100.0, "limit",
    )  # fmt: skip


def slide_chart(series: Series, original: Series | None) -> FigureBox:
    """Speed of standing feet along the ground."""
    lines: list[Line] = []
    for part, words, color in FEET:
        if original is not None:
            before = _at_times(100.0 * slide_speeds_m_s(original, part), original, series)
            shade = "orange" if part == "left_foot" else "purple"
            lines.append(Line(f"{words}, original", before, shade, dashed=True))
        lines.append(Line(words, 100.0 * slide_speeds_m_s(series, part), color))
    about = "How fast a foot moves along the ground while it is said to stand on it."
    return line_chart(
        "Foot slide", about, series.times_s, lines, "speed (cm/s)", include=(0.0,)
    )  # fmt: skip


def depth_chart(series: Series, original: Series | None) -> FigureBox:
    """How deep the deepest point is in the ground."""
    lines = _with_original(
        series, original, _depth_cm, Line("deepest point", _depth_cm(series), "blue")
    )
    about = "How far the deepest point of the body is inside the ground or another surface."
    return line_chart(
        "Depth in the ground", about, series.times_s, lines, "depth (cm)", include=(0.0,)
    )  # fmt: skip


def _depth_cm(series: Series) -> Array:
    distances = series.point_distances_m
    if not distances.size:
        return np.zeros(len(series.times_s))
    return 100.0 * np.maximum(0.0, -distances.min(axis=1))


def balance_chart(series: Series, original: Series | None) -> FigureBox:
    """How far the zero-moment point lies outside the support area."""

    def outside(s: Series) -> Array:
        return 100.0 * np.minimum(np.maximum(s.support_distance_m, 0.0), 0.5)

    line = Line("outside the footprints", outside(series), "blue")
    about = "How far the zero-moment point lies outside what stands; half a metre at most is drawn."
    return line_chart(
        "Out of balance", about, series.times_s, _with_original(series, original, outside, line),
        "distance (cm)", include=(0.0,), spans=_flight_spans(series), span_name="in the air",
    )  # fmt: skip


def hand_chart(series: Series, original: Series | None) -> FigureBox:
    """The force nobody is there to give."""

    def missing(s: Series) -> Array:
        weight = s.mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
        return np.linalg.norm(s.missing_force_n, axis=1) / weight

    line = Line("missing force", missing(series), "blue")
    about = (
        "What remains after the best push of the ground that friction allows: the invisible hand "
        "that would have to help."
    )
    lines = _with_original(series, original, missing, line)
    return line_chart(
        "The invisible hand", about, series.times_s, lines,
        "force (body weights)", include=(0.0,),
        spans=_flight_spans(series), span_name="in the air",
    )  # fmt: skip


def all_charts(
    series: Series, reference: ContactSchedule | None, original: Series | None
) -> tuple[FigureBox, ...]:
    """Every chart of the page, in order."""
    torque = torque_chart(series, original)
    return (
        contact_chart(series, reference),
        force_chart(series, original),
        balance_map(series, original),
        height_chart(series, original),
        balance_chart(series, original),
        slide_chart(series, original),
        depth_chart(series, original),
        *momentum_charts(series),
        hand_chart(series, original),
        *((torque,) if torque is not None else ()),
    )


def _flight_spans(series: Series) -> list[Span]:
    times, step = series.times_s, 1.0 / series.clip.rate_hz
    return [
        Span(float(times[first]), float(times[last - 1]) + step)
        for first, last in intervals(series.flight)
    ]


def _with_original(
    series: Series, original: Series | None, values: Callable[[Series], Array], line: Line
) -> list[Line]:
    """The line of a clip over the same line of its original."""
    if original is None:
        return [line]
    before = _at_times(values(original), original, series)
    return [Line(f"{line.label}, original", before, "orange", dashed=True), line]


def _at_times(values: Array, original: Series, series: Series) -> Array:
    """Values of the original at the times of the clip, NaN after its end."""
    rows = np.round(series.times_s * original.clip.rate_hz).astype(int)
    return np.where(rows < len(values), values[np.minimum(rows, len(values) - 1)], np.nan)
