"""The page of a pattern: true to it, self-contained, readable with few motions and with many."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import rotations
from poise.apps.report.chart_frame import BOTTOM, LEFT, RIGHT, TOP
from poise.apps.report.figure_box import FigureBox
from poise.apps.report.pattern_page import (
    coefficient_chart,
    pattern_html,
    share_chart,
    timing_chart,
    write_pattern_page,
)
from poise.apps.report.scatter_chart import Arrow, Dot, mark, scatter_chart, shortened, shown_width
from poise.arrays import Array
from poise.character.attachments import Attachment
from poise.errors import FileProblem
from poise.job import load_pattern, save_pattern
from poise.methods.pattern import EventRule, Pattern, learn
from poise.methods.pattern.styles import styles_of
from poise.motion import Clip
from poise.samples import golfing, sample_character
from tests.apps.command_line import Command
from tests.apps.test_report import (
    _LOOK,  # pyright: ignore[reportPrivateUsage]
    _dumped,  # pyright: ignore[reportPrivateUsage]
    needs_browser,
)

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


def rows(page: str) -> list[list[str]]:
    """The table, as text."""
    cell = r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>"
    return [
        [html.unescape(re.sub(r"<[^>]+>", "", words)) for words in re.findall(cell, row)]
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", page)
    ]


def marks(box: FigureBox) -> tuple[Array, tuple[float, float, float, float]]:
    """Corners of what the points are drawn as, and the plot's sides."""
    root = ElementTree.fromstring(box.svg)
    places: list[tuple[float, float]] = []
    for node in root.iter():
        if "dot" in node.attrib.get("class", "").split():
            if node.tag == "circle":
                places.append((float(node.attrib["cx"]), float(node.attrib["cy"])))
            else:
                corners = np.array([p.split(",") for p in node.attrib["points"].split()], float)
                places.append(tuple((0.5 * (corners.min(axis=0) + corners.max(axis=0))).tolist()))
    _, _, width, height = (float(v) for v in root.attrib["viewBox"].split())
    return np.array(places), (LEFT, TOP, width - RIGHT, height - BOTTOM)


def name_boxes(box: FigureBox) -> dict[str, tuple[float, float, float, float]]:
    """Where names stand in a chart of points."""
    found: dict[str, tuple[float, float, float, float]] = {}
    for node in ElementTree.fromstring(box.svg).iter("text"):
        if node.attrib["class"] == "note":
            wide, x = shown_width(node.text or ""), float(node.attrib["x"])
            left = x - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[node.attrib["text-anchor"]]
            y = float(node.attrib["y"])
            found[node.text or ""] = (left, y - 10.0, left + wide, y + 1.0)
    return found


def overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return max(a[0], b[0]) < min(a[2], b[2]) and max(a[1], b[1]) < min(a[3], b[3])


def test_the_page_asks_nothing_of_the_network_and_is_small(few: Pattern, many: Pattern) -> None:
    for pattern in (few, many):
        page = pattern_html(pattern, "swings.npz")
        assert page.startswith("<!doctype html>")
        assert len(page.encode()) < 200_000
        assert not re.search(r"(?:src|href|action)\s*=", page)
        assert not re.search(r"https?:|url\(|@import|<script|<link|<img", page)


def test_names_are_written_as_text_not_as_markup(few: Pattern) -> None:
    page = pattern_html(few, "my <i>swings</i> & more.npz")
    assert not re.search(r"<b>first|<i>swings|<head>, at|<Tuesday>", page)
    assert "my &lt;i&gt;swings&lt;/i&gt; &amp; more.npz" in page
    assert "&lt;b&gt;first&lt;/b&gt; &amp; co" in page
    assert "club &lt;head&gt;" in page
    assert "Learned on a &lt;Tuesday&gt;." in page


def test_the_table_has_every_motion_with_its_frames_at_the_events(few: Pattern) -> None:
    head, mean, *motions = rows(pattern_html(few, "x"))
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
    text = html.unescape(pattern_html(few, "x"))
    assert "Event hit: where club <head> is fastest." in text
    assert "Event top: where left_wrist is highest, before hit." in text
    assert "Clips count from top to their end" in text
    assert "Held: club <head>, at (0.900, −0.100, 0.000) m in the axes of LeftHand" in text


def test_distances_in_the_plot_are_the_degrees_of_the_table(two: Pattern) -> None:
    box = coefficient_chart(two, styles_of(two.coefficients))
    places, _ = marks(box)
    ticks = [
        (float((node.text or "").replace("−", "-")), float(node.attrib["x"]))
        for node in ElementTree.fromstring(box.svg).iter("text")
        if node.attrib["class"] == "tick"
    ]
    (a, at_a), (b, at_b) = ticks[0], ticks[-1]
    degrees = a + (places[:, 0] - at_a) * (b - a) / (at_b - at_a)
    expected = [example.away_deg for example in two.examples]
    assert np.abs(degrees) == pytest.approx(expected, rel=0.02)


def test_two_motions_lie_on_one_line(two: Pattern) -> None:
    page = pattern_html(two, "two.npz")
    assert "All that differs between the motions lies along one component." in page
    assert "the only coefficient (degrees)" in page
    assert "second coefficient" not in page
    assert "No events: motions are stretched to one length" in page
    box = coefficient_chart(two, styles_of(two.coefficients))
    places, sides = marks(box)
    assert places[0, 1] == places[1, 1]
    assert _within(places, sides)
    level = (sides[0], places[0, 1] - 0.1, sides[2], places[0, 1] + 0.1)
    assert not any(overlap(name, level) for name in name_boxes(box).values())


def test_many_motions_lie_in_the_frame_with_names_that_can_be_read(many: Pattern) -> None:
    box = coefficient_chart(many, styles_of(many.coefficients), wide=True)
    places, sides = marks(box)
    assert len(places) == 30
    assert _within(places, sides)
    _assert_readable(box, 30)
    assert "without their common beginning, 'session4_swing_'" in box.about
    assert all(example.name in box.svg for example in many.examples)  # where a pointer rests


def test_styles_are_in_the_legend_the_table_and_the_summary(many: Pattern) -> None:
    styles = styles_of(many.coefficients)
    assert styles.tolist() == [i % 3 for i in range(30)]
    box = coefficient_chart(many, styles)
    assert [(e.label, e.color) for e in box.legend] == [
        (f"style {n + 1}", mark(n)) for n in (0, 1, 2)
    ]
    page = pattern_html(many, "many.npz")
    assert [row[-1] for row in rows(page)[2:]] == [str(1 + i % 3) for i in range(30)]
    assert "3 styles stand out, of 10, 10 and 10 motions." in page


def test_without_styles_there_is_no_column_for_them(few: Pattern) -> None:
    page = pattern_html(few, "few.npz")
    assert rows(page)[0][-1] == "from the mean (degrees)"
    assert "stand out" not in page


def test_bars_say_what_components_explain(many: Pattern, few: Pattern) -> None:
    box = share_chart(few)
    shown = re.findall(r'class="note"[^>]*>([\d.]+) %<', box.svg)
    assert [float(s) for s in shown] == pytest.approx(100 * few.shares, abs=0.51)
    assert [e.label for e in box.legend] == ["used by edits"]
    box = share_chart(many)
    assert [e.label for e in box.legend] == ["used by edits", "left out by edits"]
    used, left_out = (box.svg.count(f'class="fill {color}"') for color in ("blue", "idle"))
    bars = used + left_out
    assert (used, bars) == (many.used, many.components_for(0.999))
    assert f"{len(many.shares) - bars} components after these: under 0.1 % together." in box.about


def test_bars_say_how_long_the_parts_take(few: Pattern) -> None:
    box = timing_chart(few)
    assert [e.label for e in box.legend] == ["top to hit", "hit to end"]
    said = [html.unescape(t) for t in re.findall(r"<title>(.*?)</title>", box.svg)]
    assert len(said) == 2 * (1 + len(few.examples))
    for n, example in enumerate(few.examples):
        seconds = np.diff(example.warp.own) / example.rate_hz
        assert said[2 + 2 * n] == f"{example.name}, top to hit: {seconds[0]:.2f} s"
        assert said[3 + 2 * n] == f"{example.name}, hit to end: {seconds[1]:.2f} s"


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
    assert "coefficient (cm)" in pattern_html(pattern, "lifts.npz")


@pytest.mark.parametrize("count", [1, 5, 60, 300])
def test_names_stand_on_nothing_and_those_without_room_are_counted(count: int) -> None:
    places = np.random.default_rng(count).normal(size=(count, 2))
    dots = [Dot(f"motion {i}", x, y, i) for i, (x, y) in enumerate(places.tolist())]
    _assert_readable(scatter_chart("t", "Read it so.", dots, ("x (m)", "y (m)")), count)


@pytest.mark.parametrize("scale", [0.0, 1e-6, 1.0, 1e5])
def test_points_of_any_size_lie_in_the_frame(scale: float) -> None:
    places = scale * np.random.default_rng(3).normal(size=(9, 2))
    dots = [Dot(str(i), x, y) for i, (x, y) in enumerate(places.tolist())]
    box = scatter_chart("t", "a", dots, ("x (m)", "y (m)"))
    assert not re.search(r"nan|inf\b", box.svg)
    assert _within(marks(box)[0], marks(box)[1])


def test_a_unit_is_as_long_upwards_as_sideways() -> None:
    dots = [Dot("a", 0.0, 0.0), Dot("b", 1.0, 0.0), Dot("c", 0.0, 1.0), Dot("d", 30.0, 2.0)]
    places, _ = marks(scatter_chart("t", "a", dots, ("x (m)", "y (m)"), wide=True))
    assert places[1, 0] - places[0, 0] == pytest.approx(places[0, 1] - places[2, 1], abs=0.11)


def test_arrows_lead_from_a_point_to_a_ring() -> None:
    dots = [Dot("before", 0.0, 0.0), Dot("other", 1.0, 1.0), Dot("still", 0.2, 0.9)]
    arrows = [Arrow("after", (0.0, 0.0), (4.0, 1.0)), Arrow("no change", (0.2, 0.9), (0.2, 0.9))]
    box = scatter_chart("t", "a", dots, ("x", "y"), arrows=arrows, arrows_name="edited")
    places, sides = marks(box)
    assert _within(places, sides)
    drawn = re.findall(r'class="line ink thin" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)', box.svg)
    assert len(drawn) == 1  # where nothing moved there is a ring, and no line
    start, tip = np.array(drawn[0], float).reshape(2, 2)
    assert start == pytest.approx(places[0], abs=0.11)
    assert np.linalg.norm(tip - places[3]) == pytest.approx(6.0, abs=0.3)
    assert box.legend[-1].label == "edited"
    assert {"before", "after", "other", "still"} <= set(name_boxes(box))


def test_a_chart_of_no_points_is_a_frame() -> None:
    box = scatter_chart("t", "a", [], ("x (m)", "y (m)"))
    assert not re.search(r"nan|inf\b", box.svg)
    assert box.about == "a"


def test_twenty_groups_differ_in_colour_or_shape() -> None:
    assert len({mark(n) for n in range(20)}) == 20


def test_long_names_keep_both_ends() -> None:
    assert shortened("short") == "short"
    first, second = (shortened(f"subject64_session_of_tuesday_take_{n}") for n in (1, 2))
    assert first != second
    assert len(first) == 18
    assert first.startswith("subject64…")


@needs_browser
def test_in_a_browser_nothing_overflows_or_overlaps(
    few: Pattern, many: Pattern, two: Pattern, tmp_path: Path
) -> None:
    look = _LOOK.replace("text.tick, text.axis", "text.tick, text.axis, text.note")
    assert look != _LOOK
    for name, pattern in (("few", few), ("many", many), ("two", two)):
        # Names have a rim in the colour of the paper, which a browser counts as part of them.
        plain = pattern_html(pattern, f"{name}.npz").replace("stroke-width:4px", "stroke-width:0")
        page = html.escape(plain)
        frames = "".join(
            f'<iframe width="{width}" height="900" srcdoc="{page}"></iframe>'
            for width in (390, 1280)
        )
        host = tmp_path / f"{name}.html"
        host.write_text(f"<!doctype html><body>{frames}{look}", encoding="utf-8")
        seen = _dumped(host, tmp_path / f"profile-{name}")
        for width in ("390", "1280"):
            assert seen[width]["overflow"] <= 0, f"{name}: wider than {width} pixels"
            assert seen[width]["clash"] == [], f"{name} at {width}"
            assert seen[width]["small"] >= 9.5, f"{name} at {width}: letters too small"


def _within(places: Array, sides: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = sides
    x, y = places[:, 0], places[:, 1]
    return bool(((x > left) & (x < right) & (y > top) & (y < bottom)).all())


def _assert_readable(box: FigureBox, count: int) -> None:
    """No name stands on another, on a point or outside; missing ones are counted."""
    names, (places, sides) = name_boxes(box), marks(box)
    boxes = list(names.values())
    for i, a in enumerate(boxes):
        assert not any(overlap(a, b) for b in boxes[i + 1 :])
        assert not any(overlap(a, (x, y, x, y)) for x, y in places.tolist())
        assert a[0] >= sides[0] - 0.5 and a[2] <= sides[2] + 0.5
        assert a[1] >= sides[1] - 0.5 and a[3] <= sides[3] + 0.5
    said = re.search(r"(\d+) names? finds? no room", box.about)
    assert len(names) + (int(said.group(1)) if said else 0) == count
