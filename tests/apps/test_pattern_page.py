"""The page of a pattern: true to it, self-contained, readable with few motions and with many."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import rotations
from poise.apps.report.charts import Chart, Dot
from poise.apps.report.pattern_page import (
    coefficient_chart,
    pattern_html,
    share_chart,
    timing_chart,
    write_pattern_page,
)
from poise.arrays import Array
from poise.character.attachments import Attachment
from poise.errors import FileProblem
from poise.job import load_pattern, save_pattern
from poise.methods.pattern import EventRule, Pattern, learn
from poise.methods.pattern.usual_events import styles_of
from poise.motion import Clip
from poise.samples import golfing, sample_character
from tests.apps.command_line import Command
from tests.apps.opened_page import Opened, asks_nobody, content, page_of, without_scripts
from tests.apps.piped_browser import needs_browser

JOINTS = ("LeftArm", "LeftForeArm", "RightArm", "Spine")
CENTRES = ((-0.3, 0.0), (0.3, 0.15), (0.1, -0.35))
"""Three styles: how far arms and trunk are turned in the middle of the swing."""


def swing(name: str, amounts_rad: Sequence[float], rate_hz: float = 20.0) -> Clip:
    """The sample swing with joints turned away and back."""
    clip = golfing(rate_hz=rate_hz).clip
    away = np.sin(np.linspace(0.0, np.pi, clip.frame_count))
    turns = np.zeros((clip.frame_count, clip.skeleton.joint_count, 3))
    for n, (joint, amount) in enumerate(zip(JOINTS, amounts_rad, strict=True)):
        turns[:, clip.skeleton.index(joint), n % 3] = amount * away
    turned = rotations.multiply(clip.rotations_wxyz, rotations.exp(turns))
    return replace(clip, name=name, rotations_wxyz=turned, source=None)


@pytest.fixture(scope="module")
def many() -> Pattern:
    random = np.random.default_rng(7)
    amounts = 0.05 * random.normal(size=(30, 4))
    amounts[:, :2] += np.tile(CENTRES, (10, 1))
    clips = [swing(f"session4_swing_{i:02d}", amounts[i].tolist()) for i in range(30)]
    events = [{"top": 20, "hit": 30} for _ in clips]
    return learn(clips, sample_character(), events=events, components=2)


@pytest.fixture(scope="module")
def few() -> Pattern:
    clips = [
        swing("<b>first</b> & co", (0.3, 0.0, 0.1, 0.0)),
        swing("second", (-0.2, 0.2, 0.0, 0.0), rate_hz=40.0),
        swing("third", (0.0, -0.3, 0.0, 0.1)),
    ]
    club = Attachment("club <head>", "LeftHand", 0.0, (0.9, -0.1, 0.0))
    rules = (
        EventRule("hit", "fastest", "club <head>"),
        EventRule("top", "highest", "left_wrist", before="hit"),
    )
    found = learn(clips, sample_character(), rules=rules, span=("top", None), tools=(club,))
    return replace(found, notes=("Learned on a <Tuesday>.",))


@pytest.fixture(scope="module")
def two() -> Pattern:
    clips = [swing("first", (0.3, 0.0, 0.1, 0.0)), swing("second", (-0.2, 0.2, 0.0, 0.0))]
    return learn(clips, sample_character())


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Generator[Opened, None, None]:
    found = Opened(tmp_path_factory.mktemp("pattern"))
    try:
        yield found
    finally:
        found.browser.close()


def said(page: str) -> list[str]:
    """Sentences of a page: its summary and its notes."""
    told = content(page)
    return [*told["summary"], *told["notes"]]


_PLACES = """(() => {
  const svg = document.querySelector(".chart svg");
  const box = (e) => { const b = e.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height]; };
  const grid = box(svg.querySelector(".grid"));
  return {
    dots: [...svg.querySelectorAll(".dot")].map(box).map((b) => [(b[0] + b[2]) / 2, (b[1] + b[3]) / 2]),
    names: [...svg.querySelectorAll(".note")].map((t) => [t.textContent, ...box(t)]),
    titles: [...svg.querySelectorAll("title")].map((t) => t.textContent),
    ticks: [...svg.querySelectorAll(".tick[text-anchor=middle]")].map((t) => [t.textContent, t.x.baseVal[0].value]),
    top: grid[1], bottom: grid[3], width: svg.viewBox.baseVal.width,
    caption: document.querySelector("figcaption").textContent, text: svg.outerHTML,
  };
})()"""  # noqa: E501


def drawn(opened: Opened, chart: Chart) -> dict[str, Any]:
    """Where the points and names of a chart stand."""
    opened.open(page_of([chart]))
    found = opened.value(_PLACES)
    assert "NaN" not in found["text"]
    dots = np.array(found["dots"]).reshape(-1, 2)
    assert ((dots[:, 0] > 40.0) & (dots[:, 0] < found["width"] - 10.0)).all()
    assert ((dots[:, 1] > found["top"]) & (dots[:, 1] < found["bottom"])).all()
    return {**found, "dots": dots}


def overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return max(a[0], b[0]) < min(a[2], b[2]) and max(a[1], b[1]) < min(a[3], b[3])


def assert_readable(found: dict[str, Any], count: int) -> None:
    """No name stands on another, on a point or outside; missing ones are counted."""
    boxes = [box for _, *box in found["names"]]
    for i, a in enumerate(boxes):
        # A line of letters is higher than most of them.
        inner = (a[0] + 1.0, a[1] + 2.5, a[2] - 1.0, a[3] - 2.5)
        assert not any(overlap(inner, b) for b in boxes[i + 1 :])
        assert not any(overlap(inner, (x, y, x, y)) for x, y in found["dots"].tolist())
        assert a[0] >= 40.0 and a[2] <= found["width"]
        assert inner[1] >= found["top"] - 0.5 and inner[3] <= found["bottom"] + 0.5
    told = re.search(r"(\d+) names? finds? no room", found["caption"])
    assert len(boxes) + (int(told.group(1)) if told else 0) == count


def test_the_page_asks_nothing_of_the_network_and_is_small(few: Pattern, many: Pattern) -> None:
    for pattern in (few, many):
        page = pattern_html(pattern, "swings.npz")
        asks_nobody(page)
        assert len(page.encode()) < 200_000


@needs_browser
def test_names_are_written_as_text_not_as_markup(opened: Opened, few: Pattern) -> None:
    page = pattern_html(few, "my <i>swings</i> & more.npz")
    assert not re.search(r"<b>first|<i>swings|<head>, at|<Tuesday>", page)
    assert "my &lt;i&gt;swings&lt;/i&gt; &amp; more.npz" in without_scripts(page)
    opened.open(page)
    assert opened.texts("h1") == ["my <i>swings</i> & more.npz"]
    assert opened.rows[2][0] == "<b>first</b> & co"
    assert "Learned on a <Tuesday>." in opened.texts(".notes li")


@needs_browser
def test_the_table_has_every_motion_with_its_frames_at_the_events(
    opened: Opened, few: Pattern
) -> None:
    opened.open(pattern_html(few, "x"))
    head, mean, *motions = opened.rows
    assert head[:3] == ["motion", "frames", "rate (Hz)"]
    assert head[3:6] == ["top (frame)", "hit (frame)", "end (frame)"]
    assert [float(cell) for cell in mean[1:6]] == [
        few.frame_count, few.rate_hz, *(frame for _, frame in few.events), few.frame_count - 1,
    ]  # fmt: skip
    for cells, example in zip(motions, few.examples, strict=True):
        assert cells[0] == example.name
        assert [float(c) for c in cells[1:3]] == [example.frame_count, example.rate_hz]
        assert [float(c) for c in cells[3:6]] == example.warp.own.tolist()
        assert float(cells[6]) == pytest.approx(example.away_deg, abs=0.05)


def test_the_page_says_how_events_are_found_and_what_is_held(few: Pattern) -> None:
    text = " ".join(said(pattern_html(few, "x")))
    assert "Event hit: where club <head> is fastest." in text
    assert "Event top: where left_wrist is highest, before hit." in text
    assert "Clips count from top to their end" in text
    assert "Held: club <head>, at (0.900, −0.100, 0.000) m in the axes of LeftHand" in text


@needs_browser
def test_distances_in_the_plot_are_the_degrees_of_the_table(opened: Opened, two: Pattern) -> None:
    found = drawn(opened, coefficient_chart(two, styles_of(two.coefficients)))
    ticks = [(float(text.replace("−", "-")), x) for text, x in found["ticks"]]
    (a, at_a), (b, at_b) = ticks[0], ticks[-1]
    degrees = a + (found["dots"][:, 0] - at_a) * (b - a) / (at_b - at_a)
    expected = [example.away_deg for example in two.examples]
    assert np.abs(degrees) == pytest.approx(expected, rel=0.02)


@needs_browser
def test_two_motions_lie_on_one_line(opened: Opened, two: Pattern) -> None:
    page = pattern_html(two, "two.npz")
    assert "All that differs between the motions lies along one component." in said(page)
    assert any(line.startswith("No events: motions are stretched") for line in said(page))
    chart = coefficient_chart(two, styles_of(two.coefficients))
    assert (chart.x_label, chart.y_label) == ("the only coefficient (degrees)", "")
    found = drawn(opened, chart)
    level = found["dots"][0, 1]
    assert found["dots"][1, 1] == level
    for _, left, top, right, bottom in found["names"]:
        assert not overlap((left, top + 2.5, right, bottom - 2.5), (0, level - 0.1, 999, level))


@needs_browser
def test_many_motions_lie_in_the_frame_with_names_that_can_be_read(
    opened: Opened, many: Pattern
) -> None:
    found = drawn(opened, coefficient_chart(many, styles_of(many.coefficients), wide=True))
    assert len(found["dots"]) == 30
    assert_readable(found, 30)
    assert "without their common beginning, 'session4_swing_'" in found["caption"]
    for example in many.examples:  # where a pointer rests
        assert any(title.startswith(example.name) for title in found["titles"])


@needs_browser
def test_styles_are_in_the_legend_the_table_and_the_summary(opened: Opened, many: Pattern) -> None:
    styles = styles_of(many.coefficients)
    assert styles.tolist() == [i % 3 for i in range(30)]
    page = pattern_html(many, "many.npz")
    opened.open(page)
    assert opened.texts(".chart:first-child .legend li") == ["style 1", "style 2", "style 3"]
    assert [row[-1] for row in opened.rows[2:]] == [str(1 + i % 3) for i in range(30)]
    assert "3 styles stand out, of 10, 10 and 10 motions." in said(page)


def test_without_styles_there_is_no_column_for_them(few: Pattern) -> None:
    page = pattern_html(few, "few.npz")
    assert content(page)["content"]["heads"][-1] == "from the mean (degrees)"
    assert content(page)["content"]["styles"] is None
    assert not any("stand out" in line for line in said(page))


def test_bars_say_what_components_explain(many: Pattern, few: Pattern) -> None:
    chart = share_chart(few)
    shown = [float(row.end.removesuffix(" %")) for row in chart.rows]
    assert shown == pytest.approx(100 * few.shares, abs=0.51)
    assert [row.bars[-1].end for row in chart.rows] == pytest.approx(100 * few.shares)
    assert [key.label for key in chart.legend] == ["used by edits"]
    chart = share_chart(many)
    assert [key.label for key in chart.legend] == ["used by edits", "left out by edits"]
    colors = [row.bars[-1].color for row in chart.rows]
    assert (colors.count("blue"), len(colors)) == (many.used, many.components_for(0.999))
    assert f"{len(many.shares) - len(colors)} components after these: under 0.1 %" in chart.about


def test_bars_say_how_long_the_parts_take(few: Pattern) -> None:
    chart = timing_chart(few)
    assert [key.label for key in chart.legend] == ["top to hit", "hit to end"]
    assert len(chart.rows) == 1 + len(few.examples)
    for row, example in zip(chart.rows[1:], few.examples, strict=True):
        seconds = np.diff(example.warp.own) / example.rate_hz
        assert [bar.said for bar in row.bars] == [
            f"{example.name}, top to hit: {seconds[0]:.2f} s",
            f"{example.name}, hit to end: {seconds[1]:.2f} s",
        ]


def test_a_pattern_that_was_saved_has_the_same_page(many: Pattern, tmp_path: Path) -> None:
    save_pattern(many, tmp_path / "many.npz")
    assert pattern_html(load_pattern(tmp_path / "many.npz"), "n") == pattern_html(many, "n")


def test_the_page_is_written_whole_or_not_at_all(two: Pattern, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_pattern_page(two, page, "a name that is not text: \udcff")
    assert "not text: ?" in page.read_text(encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(FileProblem):
        write_pattern_page(two, tmp_path / "nowhere" / "page.html", "two")


def test_the_command_writes_the_page(command: Command, two: Pattern, tmp_path: Path) -> None:
    save_pattern(two, tmp_path / "two.npz")
    done = command("pattern", "show", "two.npz", "--report", "two.html")
    assert done.code == 0, done.err
    assert (tmp_path / "two.html").read_text(encoding="utf-8") == pattern_html(two, "two.npz")


def test_where_only_the_root_differs_the_plot_is_in_centimetres() -> None:
    clip = golfing(rate_hz=20.0).clip
    lift = np.zeros((clip.frame_count, 3))
    lift[:, 1] = 0.05 * np.sin(np.linspace(0.0, np.pi, clip.frame_count))
    clips = [
        replace(clip, name=f"lift {n}", root_positions_m=clip.root_positions_m + n * lift)
        for n in (-1, 0, 1)
    ]
    pattern = learn(clips, sample_character(), grounds_m=(0.0, 0.0, 0.0))
    chart = coefficient_chart(pattern, styles_of(pattern.coefficients))
    assert chart.x_label.endswith("coefficient (cm)")


def scatter(dots: Sequence[Dot], *, wide: bool = False) -> Chart:
    return Chart("dots", "t", "Read it so.", "x (m)", "y (m)", dots=dots, wide=wide)


def dots_at(places: Array) -> list[Dot]:
    return [Dot(f"motion {i}", x, y, i) for i, (x, y) in enumerate(places.tolist())]


@needs_browser
@pytest.mark.parametrize("count", [1, 5, 60, 300])
def test_names_stand_on_nothing_and_those_without_room_are_counted(
    opened: Opened, count: int
) -> None:
    places = np.random.default_rng(count).normal(size=(count, 2))
    assert_readable(drawn(opened, scatter(dots_at(places))), count)


@needs_browser
@pytest.mark.parametrize("scale", [0.0, 1e-6, 1.0, 1e5])
def test_points_of_any_size_lie_in_the_frame(opened: Opened, scale: float) -> None:
    places = scale * np.random.default_rng(3).normal(size=(9, 2))
    assert len(drawn(opened, scatter(dots_at(places)))["dots"]) == 9


@needs_browser
def test_a_unit_is_as_long_upwards_as_sideways(opened: Opened) -> None:
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [30.0, 2.0]])
    dots = [replace(dot, group=0) for dot in dots_at(corners)]
    places = drawn(opened, scatter(dots, wide=True))["dots"]
    assert places[1, 0] - places[0, 0] == pytest.approx(places[0, 1] - places[2, 1], abs=0.11)


@needs_browser
def test_a_chart_of_no_points_is_a_frame(opened: Opened) -> None:
    assert drawn(opened, scatter([]))["caption"] == "Read it so."


@needs_browser
def test_twenty_groups_differ_in_colour_or_shape(opened: Opened) -> None:
    opened.open(page_of([scatter(dots_at(np.random.default_rng(1).normal(size=(20, 2))))]))
    kinds = opened.value(
        "[...document.querySelectorAll('.dot')].map((d) => d.getAttribute('class'))"
    )
    assert len(set(kinds)) == 20


@needs_browser
def test_long_names_keep_both_ends(opened: Opened) -> None:
    dots = [Dot(f"subject64_session_of_tuesday_take_{n}", n, 0.5 * n) for n in (1, 2)]
    first, second = (
        name for name, *_ in drawn(opened, scatter([*dots, Dot("short", 0, 1)]))["names"][:2]
    )
    assert first != second
    assert len(first) == 18
    assert first.startswith("subject64…")
    assert "short" in opened.texts(".note")


@needs_browser
def test_in_a_browser_nothing_overflows_or_overlaps(
    opened: Opened, few: Pattern, many: Pattern, two: Pattern
) -> None:
    for name, pattern in (("few", few), ("many", many), ("two", two)):
        opened.open(pattern_html(pattern, f"{name}.npz"))
        opened.assert_readable(name, "text.tick, text.axis, text.note")
