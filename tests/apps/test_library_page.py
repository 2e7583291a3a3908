"""The page of a batch: true to its rows, safe, quick with many clips; also in a browser."""

from __future__ import annotations

import html
import json
import math
import re
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np
import pytest
from poise.apps.report.library_header import share, time_words
from poise.apps.report.library_kinds import TABLE, kind_of
from poise.apps.report.value_bins import bins_for

from poise.apps.report.library_causes import Grouping
from poise.apps.report.library_columns import read_library
from poise.apps.report.library_page import library_html
from poise.apps.report.words import UNDER_INPUT_CONTACTS, WORDINGS, figures_of
from poise.measures import ALL, Evaluation, Measure, evaluate, jitter
from poise.samples import SAMPLES
from tests.apps.test_leap_demo import Browser, needs_browser
from tests.apps.test_report import (
    _LOOK,  # pyright: ignore[reportPrivateUsage]
    _dumped,  # pyright: ignore[reportPrivateUsage]
)
from tests.apps.test_report import needs_browser as needs_any_browser

Row = dict[str, Any]
HOSTILE = (
    "a b#c?d%41&e.bvh",
    "</script><script>alert(1)</script>.bvh",
    "<img src=x onerror=alert(1)>.bvh",
    'it\'s "quoted".bvh',
    "javascript:alert(1).bvh",
    "ünï/日本\u2028語 \U0001f57a.bvh",
    "..\\back\\slash.bvh",
    "deep/er/file.bvh",
)


@pytest.fixture(scope="module")
def measured() -> Evaluation:
    clip = SAMPLES["jump"]().clip
    sway = 0.05 * np.sin(np.linspace(0.0, 20.0, clip.frame_count))
    shift = np.stack([sway, -0.02 + 0.0 * sway, 0.0 * sway], axis=1)
    moved = replace(clip, root_positions_m=clip.root_positions_m + shift, source=None)
    return evaluate(moved, against=clip)


@pytest.fixture(scope="module")
def figures(measured: Evaluation) -> tuple[Row, Row]:
    """What a real clip measures, before and after."""
    assert measured.original is not None
    original = measured.original
    before = [*(m for each in ALL.values() for m in each(original)), *jitter.measure(original)]
    return {m.key: m.value for m in before}, {m.key: m.value for m in measured.measures}


@pytest.fixture(scope="module")
def batch(figures: tuple[Row, Row]) -> Callable[..., Iterator[Row]]:
    def rows(many: int, failing: float = 0.1, seed: int = 3) -> Iterator[Row]:
        rng = np.random.default_rng(seed)
        for n in range(many):
            name = f"set {n % 7}/clip_{n:05d}.bvh"
            row: Row = {"clip": name, "frames": 240, "rate_hz": 120.0, "seconds": 3.0}
            if rng.random() < failing:
                line = int(rng.integers(5, 900))
                reason = f"in/{name}:{line}: expected MOTION, found '{rng.integers(9)}'."
                yield {**row, "status": "refused", "reason": reason}
                continue
            before, after = ({k: _shaken(v, rng) for k, v in part.items()} for part in figures)
            met = rng.random() < 0.8
            yield {
                **row,
                "status": "met" if met else "not_met",
                "reason": "" if met else f"foot slide {after['foot_slide.mean']} is over 2 cm/s",
                "before": before,
                "after": after,
                "outputs": {
                    "clip": {"file": name, "bytes": 9},
                    "report": {"file": name.replace(".bvh", ".html")},
                },
            }

    return rows


@pytest.fixture(scope="module")
def large(batch: Callable[..., Iterator[Row]]) -> str:
    return library_html(batch(10_000, 0.05), "t")


def _shaken(value: float, rng: np.random.Generator) -> float | None:
    return value * math.exp(rng.normal(0.0, 0.7)) if math.isfinite(value) else None


def clip(name: str, status: str = "met", after: Row | None = None, **more: Any) -> Row:
    return {"clip": name, "status": status, "after": after or {}, **more}


class Parsed(HTMLParser):
    """Elements of a page as a browser without scripts has them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.data = ""
        self._inside = ""
        self._in_table = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = dict(attrs).get("id") or tag
        self._in_table |= dict(attrs).get("id") == "rows"
        if self._in_table and tag == "tr":
            self.rows.append([])
        if self._in_table and tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""
        if tag == "table":
            self._in_table = False

    def handle_data(self, data: str) -> None:
        if self._inside == "data":
            self.data += data
        if self._in_table and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    @property
    def links(self) -> list[str]:
        return [a["href"] or "" for tag, a in self.elements if tag == "a"]

    @property
    def names(self) -> list[str]:
        return [row[1] for row in self.rows[1:] if len(row) > 1]


def embedded(page: str) -> Row:
    return json.loads(Parsed(page).data)


# ---- Figures -------------------------------------------------------------------------------------


def test_units_ways_and_meanings_are_those_of_the_measures(measured: Evaluation) -> None:
    found = {m.key: m for m in measured.measures if not m.key.endswith(UNDER_INPUT_CONTACTS)}
    assert set(found) == set(TABLE) == set(WORDINGS)
    for key, (unit, direction, about) in TABLE.items():
        assert (unit, direction) == (found[key].unit, found[key].direction), key
        assert found[key].about.startswith(about), key


def test_verdicts_and_changes_are_those_of_a_clips_own_report() -> None:
    rng = np.random.default_rng(11)
    for key in TABLE:
        kind = kind_of(key)
        scale = kind.poor_limit if kind.is_judged else 5.0
        after = np.concatenate([scale * rng.lognormal(0.0, 0.7, 60), [0.0, 0.0, 3.0, np.nan]])
        before = after * rng.choice([0.5, 0.96, 0.98, 1.0, 1.02, 1.05, 2.0], len(after))
        before[-4:] = [0.0, 1.0, np.nan, 1.0]
        changes = kind.changes(before, after)
        for n, (was, now) in enumerate(zip(before.tolist(), after.tolist(), strict=True)):
            measure = Measure(key, now, kind.unit, kind.direction, "")  # pyright: ignore[reportArgumentType]
            told = figures_of((measure,), (replace(measure, value=was),))[0]
            word = {1.0: "better", -1.0: "worse", 0.0: "same"}.get(float(changes[n]), "")
            assert told.change == word, (key, was, now)
            values = after[n : n + 1]
            verdict = (
                "good" if kind.is_good(values)[0] else "poor" if kind.is_poor(values)[0] else ""
            )
            assert told.verdict in (verdict or "fair", verdict), (key, now)


@pytest.mark.parametrize(
    "values",
    [
        [], [0.0], [3.2], [0.0] * 9, [5.0] * 9, [100.0] * 3, [-2.0, 1.0], [1e-5, 2e-5], [1e60, 1.0],
        [0.0, 0.0, 1e-4, 0.02, 5.0, 900.0], [0.9, 0.95, 1.0], [1.0, 1.001], [1e-3],
        [0.0, 1e-3, 12.0],
    ],
)  # fmt: skip
def test_bins_hold_every_value_once(values: list[float]) -> None:
    for include in (math.nan, 6.0):
        bins = bins_for(np.array([*values, np.nan]), include=include)
        assert (np.diff(bins.edges) > 0.0).all()
        counts = bins.counts(np.array([*values, np.nan]))
        assert counts.sum() == len(values)
        assert len(counts) == len(bins.edges) - 1 + bins.has_rest
        assert len(counts) < 80
        if not bins.has_rest:
            assert min(values, default=1e9) >= bins.edges[0]
        assert max(values, default=0.0) < bins.edges[-1]
        assert all(-1e-9 <= bins.place(v) <= 1 + 1e-9 for v in bins.ticks(6).values)


def test_a_wide_spread_gets_a_log_axis_and_a_narrow_one_does_not() -> None:
    rng = np.random.default_rng(2)
    assert bins_for(rng.lognormal(0.0, 2.0, 500)).is_log
    assert bins_for(np.array([20.0, 25.0]), np.array([0.1, 0.2])).is_log
    assert not bins_for(rng.uniform(1.0, 9.0, 500)).is_log
    assert not bins_for(rng.lognormal(0.0, 2.0, 500), may_be_log=False).is_log


def test_charts_are_well_formed_and_count_every_clip(batch: Callable[..., Iterator[Row]]) -> None:
    for many in (1, 2, 63):
        page = library_html(batch(many, 0.0), "t")
        charts = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        library = read_library(batch(many, 0.0))
        assert len(charts) == len(library.figures)
        for chart, one in zip(charts, library.figures, strict=True):
            assert "nan" not in chart
            titles = [t.text or "" for t in ElementTree.fromstring(chart).iter("title")]
            for when, values in (("before", one.before), ("after", one.after)):
                told = [re.search(rf": (\d+) clips? {when}$", title) for title in titles]
                counted = sum(int(match.group(1)) for match in told if match)
                assert counted == np.isfinite(values).sum(), (one.kind.key, when)


def test_medians_tails_and_changes_stand_beside_each_chart() -> None:
    rows = [
        clip(f"{n}.bvh", after={"foot_slide.mean": a}, before={"foot_slide.mean": b})
        for n, (b, a) in enumerate([(20.0, 1.0), (30.0, 2.0), (40.0, 16.0), (5.0, 5.9), (9.0, 9.1)])
    ]
    page = library_html(rows, "t")
    text = re.sub(r"<[^>]+>", " ", page[page.index('id="figures"') : page.index('id="clips"')])
    text = re.sub(r"\s+", " ", text)
    assert "median 20.0 5.90" in text
    assert "95th percentile 38.0 14.6" in text
    assert "poor 3 1" in text
    assert "▲ 3 better ▼ 1 worse (1 still good) = 1 same" in text


# ---- Rows ----------------------------------------------------------------------------------------


def test_the_head_counts_clips_motion_and_computing() -> None:
    rows = [
        clip("a", frames=1200, rate_hz=120.0, seconds=4000.0, peak_mb=512.0),
        clip("b", "not_met", frames=300, rate_hz=30.0, seconds=100.0, attempts=2),
        clip("c", "out_of_time", frames=9000, rate_hz=30.0, seconds=600.0, reason="too long"),
        clip("d", "exploded", seconds=1.0),
    ]
    page = library_html(rows, "night", recipe="correct.yaml", notes=["by <hand>"])
    assert "<dt>motion processed</dt><dd>20.0 s</dd>" in page
    assert "1 h 18 min, 235 s per second of motion" in page
    assert "1 of 4 clips (25 %) met every goal; 1 was written but missed a goal; 2 failed" in page
    assert "<dd>correct.yaml</dd>" in page
    assert "by &lt;hand&gt;" in page
    assert "1 clip took more than one attempt" in page
    for status, words in (("met", "all goals met"), ("out_of_time", "out of time")):
        assert re.search(rf'href="#status={status}">.*?<b>1</b> {words} <small>25 %', page)
    assert ">exploded<" in page


def test_shares_and_times_read_well() -> None:
    pairs = ((0, 9), (9, 9), (1, 9), (1, 5000), (4999, 5000), (95, 100))
    assert [share(*pair) for pair in pairs] == [
        "0 %", "100 %", "11 %", "< 0.1 %", "> 99.9 %", "95.0 %",
    ]  # fmt: skip
    assert [time_words(s) for s in (0.0, 59.4, 200.0, 3600.0, 90_000.0)] == [
        "0.0 s", "59.4 s", "3 min 20 s", "1 h 00 min", "25 h 00 min",
    ]  # fmt: skip


def test_the_worst_come_first_and_failures_last() -> None:
    rows = [
        clip("fails", "bug", reason="IndexError"),
        clip("good", after={"foot_slide.mean": 1.0, "penetration.deepest": 0.1}),
        clip("one far out", after={"foot_slide.mean": 150.0, "penetration.deepest": 0.1}),
        clip("two", after={"foot_slide.mean": 16.0, "penetration.deepest": 5.0}),
        clip("one", after={"foot_slide.mean": 16.0, "penetration.deepest": 0.1}),
        clip("agreement", after={"contact.agreement_left_foot": 0.0}),
        clip("unmeasured"),
    ]
    page = library_html(rows, "t")
    order = ["two", "agreement", "one far out", "one", "good", "unmeasured", "fails"]
    assert Parsed(page).names == order
    assert "number of poor figures, then by how many times the limit of poor" in page
    row = Parsed(page).rows[3]
    assert row[3:8] == ["all goals met", "1", "0", "Foot slidecm/s; 10.0 × poor", ""]
    assert row[8] == "! 150"


def test_what_is_missing_or_odd_is_left_out(figures: tuple[Row, Row]) -> None:
    odd: list[Any] = [None, math.nan, math.inf, -math.inf, "12", True, [], {}, 10**400, 1e300]
    rows: list[Row] = [
        clip(f"{n}.bvh", after={"foot_slide.mean": v, "jitter.jerk": 5.0}, before={"x": v})
        for n, v in enumerate(odd)
    ]
    rows += [
        {}, {"clip": None, "status": None, "before": None, "after": None, "outputs": None},
        clip("odd", before=[1], outputs={"clip": "x", "report": {"file": 3}}),
        clip("r", frames=10, rate_hz=0.0), clip("s", frames=1e300, rate_hz=1e-300, notes="no"),
        clip("t", after={"foot_slide.mean": 12.0, "mystery.figure": 3.0, "unknown": -1e20}),
    ]  # fmt: skip
    page = library_html(rows, "t")
    data = embedded(page)
    slide = next(f for f in data["figures"] if f["key"] == "foot_slide.mean")
    assert [v for v in slide["after"] if v is not None] == [12.0]
    assert "mystery: figure" in page
    assert not re.search(r"\b(nan|inf)\b", page[: page.rindex("<script>")].lower())
    assert len(data["clips"]) == len(rows)


@pytest.mark.parametrize("name", ["none", "one", "failures"])
def test_few_rows_make_a_page(name: str, batch: Callable[..., Iterator[Row]]) -> None:
    rows = {"none": iter(()), "one": batch(1, 0.0), "failures": batch(40, 1.0)}[name]
    page = library_html(rows, "t")
    parsed = Parsed(page)
    assert len(parsed.names) == {"none": 0, "one": 1, "failures": 40}[name]
    assert ("No clip has figures." in page) == (name != "one")
    assert ("The batch has no clips." in page) == (name == "none")
    assert page.count("<svg") == (28 if name == "one" else 0)


def test_rows_are_read_once_and_let_go(batch: Callable[..., Iterator[Row]]) -> None:
    seen = 0

    def stream() -> Iterator[Row]:
        nonlocal seen
        for row in batch(80):
            yield row
            row.clear()
            seen += 1

    page = library_html(stream(), "t")
    assert seen == 80
    assert page == library_html(batch(80), "t")


def test_versions_and_recipes_that_differ_are_said() -> None:
    rows = [clip("a", poise="0.1.0", recipe_sha256="11"), clip("b", poise="0.2.0")]
    page = library_html(rows, "t")
    assert "These clips come from 2 versions of Poise: 0.1.0, 0.2.0." in page
    assert "recipes:" not in page


# ---- Causes --------------------------------------------------------------------------------------


def causes_of(*reasons: tuple[str, str]) -> list[tuple[int, str]]:
    grouping = Grouping()
    for n, (name, reason) in enumerate(reasons):
        grouping.add(n, "refused", reason, name)
    return [(len(cause.clips), cause.words) for cause in grouping.causes()]


def test_500_malformed_files_are_one_line() -> None:
    reasons = [
        (f"set {n}/my clip {n}.bvh", f"/data/set {n}/my clip {n}.bvh:{n + 3}: expected "
         f"{n} values, found '{n * 7}'. Is the file cut off?") for n in range(500)
    ]  # fmt: skip
    found = causes_of(*reasons, ("other.bvh", "The clip has no frames."))
    assert found == [
        (500, "… expected … values, found …. Is the file cut off?"),
        (1, "The clip has no frames."),
    ]


def test_what_all_clips_of_a_cause_share_is_shown() -> None:
    found = causes_of(
        ("a.bvh", "No joint is called 'LeftFot' in a.bvh; the limit is 600 s, took 612.5 s."),
        ("b.bvh", "No joint is called 'LeftFot' in b.bvh; the limit is 600 s, took 700 s."),
        ("c.bvh", "the body's mass isn't known"),
    )
    assert found == [
        (2, "No joint is called 'LeftFot' in …; the limit is 600 s, took … s."),
        (1, "the body's mass isn't known"),
    ]


def test_failures_without_a_reason_are_counted_too() -> None:
    page = library_html([clip("a", "crashed"), clip("b", "crashed"), clip("c", "bug")], "t")
    assert re.search(r'<b class="many">2</b>.*?no reason given', page)
    assert page.count("<details") == 2


def test_a_cause_opens_to_its_clips_and_links_to_the_rest(
    batch: Callable[..., Iterator[Row]],
) -> None:
    page = library_html(batch(150, 1.0), "t")
    listed = re.search(r"<details.*?</details>", page, re.DOTALL)
    assert listed is not None
    assert listed.group().count("<li>") == 101
    assert "and 50 clips more" in listed.group()
    assert 'href="#cause=0"' in listed.group()


# ---- The page ------------------------------------------------------------------------------------


def test_the_page_asks_nothing_of_the_network(batch: Callable[..., Iterator[Row]]) -> None:
    page = library_html(batch(60), "t")
    parsed = Parsed(page)
    assert not re.search(r"https?://", page)
    assert "url(" not in page
    assert "@import" not in page
    assert all(link.startswith(("#", "./")) for link in parsed.links)
    assert not [
        a for _, attributes in parsed.elements for a in attributes if a in ("src", "action")
    ]
    assert not [a for _, attributes in parsed.elements for a in attributes if a.startswith("on")]
    assert "default-src 'none'" in page


def test_controls_have_labels(batch: Callable[..., Iterator[Row]]) -> None:
    page = library_html(batch(9), "t")
    controls = re.findall(r"<(?:input|select)\b", page)
    assert len(re.findall(r"<label[^>]*>(?:(?!</label>).)*?<(?:input|select)\b", page)) == len(
        controls
    )


def test_hostile_names_are_text_and_their_links_lead_to_their_files() -> None:
    rows = [
        clip(
            name, reason=name, outputs={"clip": {"file": name}, "report": {"file": f"{name}.html"}}
        )
        for name in HOSTILE
    ]
    rows += [clip(f"x{n}", name, reason=name, notes=[name]) for n, name in enumerate(HOSTILE)]
    rows += [{**clip("key", after={name: 1.0 for name in HOSTILE})}]
    page = library_html(rows, HOSTILE[1], recipe=HOSTILE[1], notes=HOSTILE)
    parsed = Parsed(page)
    assert sum(tag == "script" for tag, _ in parsed.elements) == 2
    assert not any(tag == "img" for tag, _ in parsed.elements)
    assert (
        sorted(embedded(page)["clips"])[-9:]
        == sorted([*HOSTILE, "key", *[f"x{n}" for n in range(8)]])[-9:]
    )
    assert not re.search("[<>&\u2028]", re.findall(r'id="data">(.*?)</script>', page)[0])
    linked = {unquote(link.removeprefix("./")) for link in parsed.links if not link.startswith("#")}
    assert linked == {*HOSTILE, *(f"{name}.html" for name in HOSTILE)}


def test_files_elsewhere_are_not_linked_and_names_that_are_no_text_are_shown() -> None:
    raw = b"caf\xe9.bvh".decode("utf-8", "surrogateescape")
    rows = [
        clip("a", outputs={"clip": {"file": "//evil.example/x"}, "report": {"file": "/etc/x"}}),
        clip(raw, outputs={"clip": {"file": raw}}),
        clip("\ud800.bvh", reason="\udfff", outputs={"clip": {"file": "\ud800.bvh"}}),
    ]
    page = library_html(rows, raw)
    page.encode("utf-8")
    links = [link for link in Parsed(page).links if not link.startswith("#")]
    assert links == ["./%3F.bvh", "./caf%E9.bvh"] or links == ["./caf%E9.bvh", "./%3F.bvh"]


def test_without_a_script_the_worst_50_and_all_charts_are_there(
    batch: Callable[..., Iterator[Row]],
) -> None:
    page = library_html(batch(300), "t")
    still = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    parsed = Parsed(still)
    library = read_library(batch(300))
    assert parsed.names == [name + library.reasons[n] for n, name in enumerate(library.clips[:50])]
    assert still.count("<svg") == len(library.figures)
    assert "50 of 300 shown" in still
    assert any(tag == "form" and "hidden" in attributes for tag, attributes in parsed.elements)
    assert ".scripted{display:none}" in page


@pytest.mark.slow
def test_10_000_clips_make_a_small_page_in_time_that_grows_with_them(
    large: str, batch: Callable[..., Iterator[Row]]
) -> None:
    assert len(large.encode()) < 6_000_000
    seconds: list[float] = []
    for many in (1_000, 4_000):
        rows = list(batch(many, 0.05))
        tries: list[float] = []
        for _ in range(3):
            start = time.process_time()
            library_html(rows, "t")
            tries.append(time.process_time() - start)
        seconds.append(min(tries))
    # Four times the clips; what grows with their square would take sixteen times as long.
    assert seconds[1] < 8.0 * seconds[0]


# ---- In a browser --------------------------------------------------------------------------------


@pytest.mark.slow
@needs_any_browser
def test_in_a_browser_nothing_overflows_or_overlaps(
    batch: Callable[..., Iterator[Row]], tmp_path: Path
) -> None:
    for name, rows in (("many", batch(400)), ("one", batch(1, 0.0)), ("failures", batch(9, 1.0))):
        page = library_html(rows, "a_long_name_without_any_space_" * 3)
        frames = "".join(
            f'<iframe width="{width}" height="900" srcdoc="{html.escape(page)}"></iframe>'
            for width in (390, 1280)
        )
        host = tmp_path / f"{name}.html"
        host.write_text(f"<!doctype html><body>{frames}{_LOOK}", encoding="utf-8")
        seen = _dumped(host, tmp_path / f"profile-{name}")
        for width in ("390", "1280"):
            assert seen[width]["overflow"] <= 0, f"{name}: wider than {width} pixels"
            assert seen[width]["clash"] == [], f"{name} at {width}"
            if name != "failures":
                assert seen[width]["small"] >= 9.5, f"{name} at {width}: letters too small"


class Opened:
    """A page in a browser."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.browser, self._folder, self._count = browser, folder, 0

    def open(self, page: str, address: str = "") -> None:
        self._count += 1
        path = self._folder / f"{self._count}.html"
        path.write_text(page, encoding="utf-8")
        self.browser.events.clear()
        self.browser.do("Page.navigate", url=path.as_uri() + address)
        self.browser.until(lambda: self.browser.value("document.readyState") == "complete")

    def look(self, address: str) -> None:
        """Follow a link on the page."""
        self.browser.value(f"location.hash = {json.dumps(address)}")
        wanted = address.lstrip("#")
        self.browser.until(lambda: self.browser.value("location.hash").lstrip("#") == wanted)
        # What listens to the address has been told.
        self.browser.do(
            "Runtime.evaluate",
            expression="new Promise((done) => setTimeout(done, 0))",
            awaitPromise=True,
        )

    @property
    def names(self) -> list[str]:
        return self.browser.value(
            "[...document.querySelectorAll('#rows tbody th')]"
            ".map((th) => th.firstChild.textContent)"
        )

    @property
    def rows(self) -> list[list[str]]:
        return self.browser.value(
            "[...document.querySelectorAll('#rows tr')]"
            ".map((tr) => [...tr.cells].map((td) => td.textContent))"
        )

    @property
    def shown(self) -> str:
        return self.browser.value("document.getElementById('shown').textContent").replace(
            "\u202f", ""
        )

    def type(self, field: str, text: str) -> None:
        self.browser.value(f"document.getElementById('{field}').focus()")
        self.browser.do("Input.insertText", text=text)

    def click(self, element: str) -> None:
        self.browser.value(
            f"document.getElementById('{element}').scrollIntoView({{block: 'center'}})"
        )
        x, y = self.browser.middle(element)
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.mouse(kind, x, y)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Generator[Opened, None, None]:
    folder = tmp_path_factory.mktemp("library")
    browser = Browser(folder / "profile", 1280, 720)
    try:
        yield Opened(browser, folder)
    finally:
        browser.close()


@needs_browser
def test_the_script_writes_the_rows_that_stand_there_without_it(
    opened: Opened, batch: Callable[..., Iterator[Row]]
) -> None:
    ties = [0.125, 12.25, 12.35, 100.5, 101.5, 999.5, 1000.5, 4e-4, 0.0955, 1.005, 2e9, 5e11]
    odd = [
        clip(f"tie {n}", after={"foot_slide.mean": v, "flight_residual.flights": 2.5}, before={
            "foot_slide.mean": v / 3}) for n, v in enumerate(ties)
    ]  # fmt: skip
    for rows in ([*batch(40, 0.3)], odd, [clip("no figures"), clip("failed", "bug", reason="why")]):
        page = library_html(rows, "t")
        opened.open(page)
        assert opened.rows == Parsed(page).rows
        assert opened.browser.complaints == []


@needs_browser
def test_filters_find_what_they_say(opened: Opened, batch: Callable[..., Iterator[Row]]) -> None:
    rows = [*batch(240, 0.2)]
    library = read_library(rows)
    place = {f.kind.key: f for f in library.figures}
    slide, zmp = place["foot_slide.mean"], place["zmp_excursion.p95"]
    done = range(library.done)

    def by(
        values: Any, keep: Callable[[int], bool] = lambda n: True, sign: float = -1.0
    ) -> list[str]:
        order = sorted(done, key=lambda n: (math.isnan(values[n]), sign * values[n], n))
        return [library.clips[n] for n in order if keep(n)]

    every = range(len(library.clips))
    agreement = place["contact.agreement_left_foot"].after
    low, high = 0.5 * float(np.nanmedian(slide.before)), float(np.nanmedian(slide.before))
    failed = [library.clips[n] for n in every if n >= library.done]
    wanted = {
        "q=CLIP_0001": [c for c in library.clips if "clip_0001" in c],
        "q=set+3+01": [c for c in library.clips if "3" in c and "01" in c],
        "status=not_met": [library.clips[n] for n in done if library.statuses[n] == "not_met"],
        "status=failed": failed,
        "status=done": [library.clips[n] for n in done],
        "cause=0": [library.clips[n] for n in library.causes[0].clips],
        "worse=1": [library.clips[n] for n in done if library.worse_counts[n]],
        "from=5": [library.clips[n] for n in done if library.poor_counts[n] >= 5],
        "by=foot_slide.mean": by(slide.after) + failed,
        "by=contact.agreement_left_foot": by(agreement, sign=1.0) + failed,
        "by=foot_slide.mean&of=change": by(slide.after - slide.before) + failed,
        "by=zmp_excursion.p95&worse=1": by(zmp.after, lambda n: zmp.changes[n] == -1.0),
        f"by=foot_slide.mean&of=before&from={low}&below={high}": by(
            slide.before, lambda n: low <= slide.before[n] < high
        ),
        "q=set+1&by=foot_slide.mean&below=1e9&status=met": by(
            slide.after, lambda n: "1" in library.clips[n] and library.statuses[n] == "met"
        ),
        "by=no_such&of=nothing&status=odd&from=x": list(library.clips),
        "q=nothing+like+it": [],
    }  # fmt: skip
    opened.open(library_html(rows, "t"))
    for address, names in wanted.items():
        opened.look(address)
        assert opened.names == names[:50], address
        assert opened.shown.startswith(f"{min(50, len(names))} of {len(names)} shown"), address
        assert opened.browser.complaints == []
    assert opened.rows[1] == ["No clips."]


@needs_browser
def test_a_linked_view_opens_at_once(opened: Opened, batch: Callable[..., Iterator[Row]]) -> None:
    opened.open(library_html(batch(60), "t"), "#by=foot_slide.p95&of=before&from=3&q=set")
    state = "['q', 'by', 'of', 'from'].map((id) => document.getElementById(id).value)"
    assert opened.browser.value(state) == ["set", "foot_slide.p95", "before", "3"]
    assert (
        opened.browser.value("document.getElementById('clips').getBoundingClientRect().top") < 300
    )
    assert opened.shown.endswith("filtered from 60")


@pytest.mark.slow
@needs_browser
def test_every_bar_leads_to_its_clips(opened: Opened, batch: Callable[..., Iterator[Row]]) -> None:
    page = library_html(batch(120), "t")
    opened.open(page)
    bars = re.findall(
        r'<a href="(#by=[^"]*)" tabindex="-1"><title>[^<]*: (\d+) clips? (\w+)<', page
    )
    assert len(bars) > 300
    # Browsers do not follow hundreds of links in a few seconds.
    for address, many, when in bars[:: len(bars) // 80]:
        address = html.unescape(address)
        assert parse_qs(address[1:])["of"] == [when]
        opened.look(address)
        assert re.match(r"\d+ of (\d+) shown", opened.shown).group(1) == many, address  # pyright: ignore[reportOptionalMemberAccess]


@needs_browser
def test_filters_work_by_hand(opened: Opened, batch: Callable[..., Iterator[Row]]) -> None:
    opened.open(library_html(batch(400, 0.0), "t"))
    first = opened.names
    opened.click("more")
    assert len(opened.names) == 250
    opened.click("more")
    assert len(opened.names) == 400
    assert opened.browser.value("document.getElementById('more').hidden")
    opened.type("q", "clip_0039")
    assert len(opened.names) == 10
    opened.type("from", "1")
    opened.click("worse")
    assert set(parse_qs(opened.browser.value("location.hash").lstrip("#"))) == {
        "q",
        "from",
        "worse",
    }
    opened.click("clear")
    assert opened.names == first
    assert opened.browser.value("location.hash") == ""
    # A place on the page is no filter; and the way back is one.
    opened.look("#q=clip_0039")
    opened.look("#figures")
    assert len(opened.names) == 10
    opened.browser.value("history.go(-2)")
    opened.browser.until(lambda: opened.names == first)
    assert opened.browser.complaints == []


@needs_browser
def test_hostile_names_do_nothing_in_a_browser(opened: Opened) -> None:
    names = [*HOSTILE, *(f"{n}/{name}" for n, name in enumerate(HOSTILE))]
    rows = [
        clip(name, reason=name, outputs={"clip": {"file": name}, "report": {"file": f"r/{name}"}})
        for name in names
    ]
    rows += [clip(f"x{n}", name, reason=name) for n, name in enumerate(HOSTILE)]
    opened.open(library_html(rows, HOSTILE[1]))
    assert set(opened.names) >= {name.replace("\u2028", "\u2028") for name in names}
    links = opened.browser.value(
        "[...document.querySelectorAll('#rows tbody th a')].map((a) => a.href)"
    )
    folder = opened.browser.value("new URL('.', location.href).href")
    paths = {unquote(urlsplit(link).path.removeprefix(urlsplit(folder).path)) for link in links}
    assert paths == set(names)
    assert opened.browser.value("document.scripts.length") == 2
    assert opened.browser.complaints == []


@pytest.mark.slow
@needs_browser
def test_10_000_clips_open_with_few_rows_and_no_request(opened: Opened, large: str) -> None:
    opened.open(large)
    assert opened.browser.value("document.querySelectorAll('#rows tbody tr').length") == 50
    assert opened.browser.value("document.querySelectorAll('*').length") < 12_000
    asked = [
        event["params"]["request"]["url"]
        for event in opened.browser.events
        if event.get("method") == "Network.requestWillBeSent"
    ]
    assert len(asked) == 1
    assert asked[0].startswith("file:")
