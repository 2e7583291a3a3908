"""The charts of a measured clip."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from poise.apps.render.overlays import support_outline
from poise.apps.report.charts import Bar, Chart, Key, Lane, Line, Outline, Row, thinned
from poise.arrays import Array
from poise.contact import ContactSchedule, intervals
from poise.measures import GRAVITY_M_S2, Series, slide_speeds_m_s

AXES = (("along X", "blue"), ("upwards", "green"), ("along Z", "vermilion"))
FEET = (("left_foot", "left foot", "blue"), ("right_foot", "right foot", "green"))
MOST_JOINTS = 10
STAYS_M = 0.3
"""A body that ends this near to where it began stays in place."""
FARTHEST_M = 0.5
_SHORTEST_FIT = 5
_LONG_WAY = 2.2
"""A map so many times longer than wide takes the page's width."""


def all_charts(
    series: Series, reference: ContactSchedule | None, original: Series | None
) -> tuple[Chart, ...]:
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


def time_chart(
    series: Series, title: str, about: str, y_label: str, lines: list[Line], *,
    from_zero: bool = True, flights: bool = True, rule: tuple[float, str] | None = None,
) -> Chart:  # fmt: skip
    """Lines over the clip's time, with its flights shaded."""
    times, step = series.times_s, 1.0 / series.clip.rate_hz
    spans = [
        (float(times[first]), float(times[last - 1]) + step)
        for first, last in intervals(series.flight)
    ]
    kept = [thinned(line.y) for line in lines]
    return Chart(
        "time", title, about, "time (s)", y_label, (float(times[0]), float(times[-1])),
        lines=[
            Line(e.label, e.x[at], e.y[at], e.color, e.dashed)
            for e, at in zip(lines, kept, strict=True)
        ],
        include=(0.0,) if from_zero else (), rule=rule,
        spans=spans if flights else (), span_name="in the air",
    )  # fmt: skip


def contact_chart(series: Series, reference: ContactSchedule | None) -> Chart:
    """Which parts touch when, as measured and as found in the original."""
    schedules = [series.contacts] + ([reference] if reference is not None else [])
    parts = [p for p in series.contacts.parts if any(s.column(p).any() for s in schedules)]
    if reference is not None:
        parts += [p for p in reference.parts if p not in parts and reference.column(p).any()]
    times, step = series.times_s, 1.0 / series.clip.rate_hz

    def bars(part: str, schedule: ContactSchedule, lane: Lane) -> tuple[Bar, ...]:
        color, words = ("orange", ", found in the input") if lane == "lower" else ("blue", "")
        found: list[Bar] = []
        for first, last in intervals(_fitted(schedule.column(part), len(times))):
            start, end = float(times[first]), float(times[last - 1]) + step
            said = f"{part.replace('_', ' ')}{words}: {start:.2f} to {end:.2f} s"
            found.append(Bar(start, end, color, said, lane))
        return tuple(found)

    rows = [
        Row(
            part.replace("_", " "),
            bars(part, series.contacts, "whole")
            if reference is None
            else bars(part, series.contacts, "upper") + bars(part, reference, "lower"),
        )
        for part in parts or ["left_foot", "right_foot"]
    ]
    legend = [Key("touching, as measured here", "blue")]
    if reference is not None:
        legend.append(Key("found in the original", "orange"))
    about = "A bar is drawn while a part of the body touches the ground or another surface."
    return Chart(
        "rows", "What touches when", about, "time (s)", "body part",
        (float(times[0]), float(times[-1]) + step), rows=rows, legend=legend,
    )  # fmt: skip


def _fitted(flags: NDArray[np.bool_], frames: int) -> NDArray[np.bool_]:
    fitted = np.zeros(frames, dtype=np.bool_)
    fitted[: min(frames, len(flags))] = flags[:frames]
    return fitted


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
        _track("centre of mass", series.com_m @ axes - start, "ink"),
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
    return Chart(
        "map", "Balance over the footprints", about, *labels, lines=tracks, outlines=prints,
        wide=bool(span[0] > _LONG_WAY * span[1]),
    )  # fmt: skip


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


def height_chart(series: Series, original: Series | None) -> Chart:
    """Height of the centre of mass, with parabolas fitted to the flights."""
    fitted, gravity = _flight_fits(series)
    lines = _with_original(series, original, "centre of mass", lambda s: s.com_m[:, 1])
    about = "In the air the centre of mass must follow a parabola, falling at 9.81 m/s²."
    if gravity:
        lines.append(Line("fitted parabola", series.times_s, fitted, "vermilion", dashed=True))
        fits = ", ".join(f"{g:.1f}" for g in gravity[:6])
        about += f" Fitted here: {fits}{' …' if len(gravity) > 6 else ''} m/s²."
    else:
        about += " There is no flight long enough to fit one."
    title = "Height of the centre of mass"
    return time_chart(series, title, about, "height (m)", lines, from_zero=False)


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


def force_chart(series: Series, original: Series | None) -> Chart:
    """Vertical reaction force in body weights, in all and per foot."""
    up = series.forces_n[..., 1] / _weight_n(series)
    lines = [
        Line(
            words, series.times_s,
            up[:, [c for c, p in enumerate(series.point_parts) if p == part]].sum(1), color,
        )
        for part, words, color in FEET
    ]  # fmt: skip
    lines += _with_original(
        series, original, "all together",
        lambda s: s.forces_n[..., 1].sum(axis=1) / _weight_n(s), "ink",
    )  # fmt: skip
    about = (
        "The push of the ground that explains the motion best. Standing still it is one body "
        "weight; in the air it is nothing."
    )
    return time_chart(
        series, "Vertical push of the ground", about, "force (body weights)", lines,
        rule=(1.0, "body weight"),
    )  # fmt: skip


def _weight_n(series: Series) -> float:
    return series.mass_kg * float(np.linalg.norm(GRAVITY_M_S2))


def momentum_charts(series: Series) -> tuple[Chart, Chart]:
    """Linear and angular momentum, axis by axis."""
    linear, spin = (
        [
            Line(words, series.times_s, values[:, axis], color)
            for axis, (words, color) in enumerate(AXES)
        ]
        for values in (series.linear_momentum_n_s, series.angular_momentum_n_m_s)
    )
    return (
        time_chart(
            series, "Momentum", "In the air, only the upward part may change, and steadily.",
            "momentum (kg·m/s)", linear,
        ),
        time_chart(
            series, "Spin about the centre of mass", "In the air, nothing can change it.",
            "angular momentum (kg·m²/s)", spin,
        ),
    )  # fmt: skip


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
    legend = [
        Key("peak", "blue"), Key("peak beyond the limit", "vermilion"),
        Key("most of the time (95 %)", "ink", "line"),
    ]  # fmt: skip
    if old:
        legend.append(Key("peak of the original", "orange", "line"))
    about = "How hard the hardest-working joints work, against what such a body can."
    return Chart(
        "rows", "Joint torques against strength", about, "torque (% of the joint's strength)", "",
        (0.0, 1.12 * farthest), rows=rows, rule=(100.0, "limit"), legend=legend,
    )  # fmt: skip


def slide_chart(series: Series, original: Series | None) -> Chart:
    """Speed of standing feet along the ground."""
    lines: list[Line] = []
    for (part, words, color), shade in zip(FEET, ("orange", "purple"), strict=True):
        lines += _with_original(
            series, original, words,
            lambda s, part=part: 100.0 * slide_speeds_m_s(s, part), color, shade,
        )  # fmt: skip
    about = "How fast a foot moves along the ground while it is said to stand on it."
    return time_chart(series, "Foot slide", about, "speed (cm/s)", lines, flights=False)


def depth_chart(series: Series, original: Series | None) -> Chart:
    """How deep the deepest point is in the ground."""

    def depth_cm(s: Series) -> Array:
        if not s.point_distances_m.size:
            return np.zeros(len(s.times_s))
        return 100.0 * np.maximum(0.0, -s.point_distances_m.min(axis=1))

    lines = _with_original(series, original, "deepest point", depth_cm)
    about = "How far the deepest point of the body is inside the ground or another surface."
    return time_chart(series, "Depth in the ground", about, "depth (cm)", lines, flights=False)


def balance_chart(series: Series, original: Series | None) -> Chart:
    """How far the zero-moment point lies outside the support area."""
    lines = _with_original(
        series, original, "outside the footprints",
        lambda s: 100.0 * np.minimum(np.maximum(s.support_distance_m, 0.0), 0.5),
    )  # fmt: skip
    about = "How far the zero-moment point lies outside what stands; half a metre at most is drawn."
    return time_chart(series, "Out of balance", about, "distance (cm)", lines)


def hand_chart(series: Series, original: Series | None) -> Chart:
    """The force nobody is there to give."""
    lines = _with_original(
        series, original, "missing force",
        lambda s: np.linalg.norm(s.missing_force_n, axis=1) / _weight_n(s),
    )  # fmt: skip
    about = (
        "What remains after the best push of the ground that friction allows: the invisible hand "
        "that would have to help."
    )
    return time_chart(series, "The invisible hand", about, "force (body weights)", lines)


def _with_original(
    series: Series, original: Series | None, label: str, values: Callable[[Series], Array],
    color: str = "blue", shade: str = "orange",
) -> list[Line]:  # fmt: skip
    """The line of a clip over the same line of its original."""
    line = Line(label, series.times_s, values(series), color)
    if original is None:
        return [line]
    before = _at_times(values(original), original, series)
    return [Line(f"{label}, original", series.times_s, before, shade, dashed=True), line]


def _at_times(values: Array, original: Series, series: Series) -> Array:
    """Values of the original at the times of the clip, NaN after its end."""
    rows = np.round(series.times_s * original.clip.rate_hz).astype(int)
    return np.where(rows < len(values), values[np.minimum(rows, len(values) - 1)], np.nan)
