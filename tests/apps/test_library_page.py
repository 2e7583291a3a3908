"""The page of a batch: true to its rows, safe, quick with many clips; also in a browser."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np
import pytest

from poise.apps.report.library_causes import Grouping
from poise.apps.report.library_columns import read_library
from poise.apps.report.library_page import library_html
from poise.apps.report.library_words import share, time_words
from poise.apps.report.words import UNDER_INPUT_CONTACTS, figures_of, kind_of, kinds, number
from poise.measures import Evaluation, Measure, evaluate
from poise.samples import SAMPLES
from tests.apps.opened_page import Opened, asks_nobody, content, without_scripts
from tests.apps.piped_browser import needs_browser

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
    return {m.key: m.value for m in measured.before}, {m.key: m.value for m in measured.measures}


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


def embedded(page: str) -> Row:
    return content(page)["content"]


def said(page: str) -> str:
    """The head, the summary and the notes of a page."""
    told = content(page)
    return "\n".join([*(f"{a}: {b}" for a, b in told["facts"]), *told["summary"], *told["notes"]])


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Generator[Opened, None, None]:
    found = Opened(tmp_path_factory.mktemp("library"))
    try:
        yield found
    finally:
        found.browser.close()


# ---- Figures -------------------------------------------------------------------------------------


def test_units_ways_and_meanings_are_those_of_the_measures(measured: Evaluation) -> None:
    found = {m.key: m for m in measured.measures if not m.key.endswith(UNDER_INPUT_CONTACTS)}
    assert set(found) == set(kinds())
    for key, kind in kinds().items():
        assert (kind.unit, kind.direction) == (found[key].unit, found[key].direction), key
        about = kind.about[0].lower() + kind.about[1:].removesuffix(".")
        assert found[key].about.startswith(about), key


def test_verdicts_and_changes_are_those_of_a_clips_own_report() -> None:
    rng = np.random.default_rng(11)
    for key in kinds():
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


_BARS = """[...document.querySelectorAll(".spread svg")].map((svg) => ({
  axis: svg.dataset.axis, text: svg.outerHTML,
  titles: [...svg.querySelectorAll("title")].map((t) => t.textContent),
}))"""


def bars_of(opened: Opened, columns: dict[str, list[float]]) -> dict[str, Any]:
    """How a page draws figures with these values of clips."""
    many = max(len(values) for values in columns.values())
    rows = [
        clip(str(n), after={key: v[n] for key, v in columns.items() if n < len(v)})
        for n in range(many)
    ]
    page = library_html(rows, "t")
    opened.open(page)
    keys = [figure["key"] for figure in embedded(page)["figures"]]
    return dict(zip(keys, opened.value(_BARS), strict=True))


def counted(titles: list[str], when: str) -> int:
    told = [re.search(rf": (\d+) clips? {when}$", title) for title in titles]
    return sum(int(match.group(1)) for match in told if match)


@needs_browser
def test_bins_hold_every_value_once(opened: Opened) -> None:
    cases = [
        [0.0], [3.2], [0.0] * 9, [5.0] * 9, [100.0] * 3, [-2.0, 1.0], [1e-5, 2e-5], [1e60, 1.0],
        [0.0, 0.0, 1e-4, 0.02, 5.0, 900.0], [0.9, 0.95, 1.0], [1.0, 1.001], [1e-3],
        [0.0, 1e-3, 12.0],
    ]  # fmt: skip
    # A figure with limits, whose axis reaches them where all values are the same, and one without.
    for key in ("foot_slide.mean", "unknown"):
        for values in cases:
            found = bars_of(opened, {key: [*values, math.nan]})[key]
            assert counted(found["titles"], "after") == len(values), values
            assert not re.search("NaN|Infinity", found["text"])
            assert len(re.findall('class="tick"', found["text"])) >= 2, values
            for title in found["titles"]:
                ends = re.match(r"(\S+) to below ([^\s:]+)", title)
                assert ends is None or _number(ends.group(1)) < _number(ends.group(2)), title


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


@needs_browser
def test_a_wide_spread_gets_a_log_axis_and_a_narrow_one_does_not(opened: Opened) -> None:
    rng = np.random.default_rng(2)
    wide = rng.lognormal(0.0, 2.0, 500).tolist()
    found = bars_of(
        opened,
        {
            "a": wide, "b": [20.0, 25.0, 0.1, 0.2], "c": rng.uniform(1.0, 9.0, 500).tolist(),
            "penetration.share": wide,
        },
    )  # fmt: skip
    axes = {key: one["axis"] for key, one in found.items()}
    assert axes == {"a": "log", "b": "log", "c": "even", "penetration.share": "even"}


@needs_browser
def test_charts_count_every_clip(opened: Opened, batch: Callable[..., Iterator[Row]]) -> None:
    for many in (1, 2, 63):
        opened.open(library_html(batch(many, 0.0), "t"))
        charts = opened.value(_BARS)
        library = read_library(batch(many, 0.0))
        for chart, one in zip(charts, library.figures, strict=True):
            assert "NaN" not in chart["text"]
            for when, values in (("before", one.before), ("after", one.after)):
                assert counted(chart["titles"], when) == np.isfinite(values).sum(), one.kind.key


@needs_browser
def test_medians_tails_and_changes_stand_beside_each_chart(opened: Opened) -> None:
    rows = [
        clip(f"{n}.bvh", after={"foot_slide.mean": a}, before={"foot_slide.mean": b})
        for n, (b, a) in enumerate([(20.0, 1.0), (30.0, 2.0), (40.0, 16.0), (5.0, 5.9), (9.0, 9.1)])
    ]
    opened.open(library_html(rows, "t"))
    cells = opened.value(
        "[...document.querySelectorAll('.stats tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    assert cells == [
        ["cm/s", "before", "after"], ["median", "20.0", "5.90"],
        ["95th percentile", "38.0", "14.6"], ["poor", "3", "1"], ["clips", "5", "5"],
    ]  # fmt: skip
    assert opened.texts(".changes") == ["▲ 3 better ▼ 1 worse (1 still good) = 1 same"]


# ---- Rows ----------------------------------------------------------------------------------------


@needs_browser
def test_the_head_counts_clips_motion_and_computing(opened: Opened) -> None:
    rows = [
        clip("a", frames=1200, rate_hz=120.0, seconds=4000.0, peak_mb=512.0),
        clip("b", "not_met", frames=300, rate_hz=30.0, seconds=100.0, attempts=2),
        clip("c", "out_of_time", frames=9000, rate_hz=30.0, seconds=600.0, reason="too long"),
        clip("d", "exploded", seconds=1.0),
    ]
    page = library_html(rows, "night", recipe="correct.yaml", notes=["by <hand>"])
    text = said(page)
    assert "motion processed: 20.0 s\n" in text
    assert "1 h 18 min, 235 s per second of motion" in text
    assert "1 of 4 clips (25 %) met every goal; 1 was written but missed a goal; 2 failed" in text
    assert "recipe: correct.yaml" in text
    assert "1 clip took more than one attempt" in text
    opened.open(page)
    assert "by <hand>" in opened.texts(".notes li")
    assert opened.value(
        "[...document.querySelectorAll('.statuses a')].map((a) => [a.hash, a.textContent])"
    ) == [
        ["#status=met", "1 all goals met 25 %"],
        ["#status=not_met", "1 a goal missed 25 %"],
        ["#status=out_of_time", "1 out of time 25 %"],
        ["#status=exploded", "1 exploded 25 %"],
    ]


def test_shares_and_times_read_well() -> None:
    pairs = ((0, 9), (9, 9), (1, 9), (1, 5000), (4999, 5000), (95, 100))
    assert [share(*pair) for pair in pairs] == [
        "0 %", "100 %", "11 %", "< 0.1 %", "> 99.9 %", "95.0 %",
    ]  # fmt: skip
    assert [time_words(s) for s in (0.0, 59.4, 200.0, 3600.0, 90_000.0)] == [
        "0.0 s", "59.4 s", "3 min 20 s", "1 h 00 min", "25 h 00 min",
    ]  # fmt: skip


@needs_browser
def test_the_worst_come_first_and_failures_last(opened: Opened) -> None:
    rows = [
        clip("fails", "bug", reason="IndexError"),
        clip("good", after={"foot_slide.mean": 1.0, "penetration.deepest": 0.1}),
        clip("one far out", after={"foot_slide.mean": 150.0, "penetration.deepest": 0.1}),
        clip("two", after={"foot_slide.mean": 16.0, "penetration.deepest": 5.0}),
        clip("one", after={"foot_slide.mean": 16.0, "penetration.deepest": 0.1}),
        clip("agreement", after={"contact.agreement_left_foot": 0.0}),
        clip("unmeasured"),
    ]
    opened.open(library_html(rows, "t"))
    order = ["two", "agreement", "one far out", "one", "good", "unmeasured", "fails"]
    assert opened.names == order
    assert "number of poor figures, then by how many times the limit of poor" in opened.text
    row = opened.rows[3]
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
    assert "mystery: figure" in [f["name"] for f in data["figures"]]
    assert not re.search(r"\b(NaN|Infinity|nan|inf)\b", page[: page.rindex("<script>")])
    assert len(data["clips"]) == len(rows)


@needs_browser
@pytest.mark.parametrize("name", ["none", "one", "failures"])
def test_few_rows_make_a_page(
    opened: Opened, name: str, batch: Callable[..., Iterator[Row]]
) -> None:
    rows = {"none": iter(()), "one": batch(1, 0.0), "failures": batch(40, 1.0)}[name]
    opened.open(library_html(rows, "t"))
    assert len(opened.names) == {"none": 0, "one": 1, "failures": 40}[name]
    assert ("No clip has figures." in opened.text) == (name != "one")
    assert ("The batch has no clips." in opened.text) == (name == "none")
    assert len(opened.texts("svg")) == (len(kinds()) if name == "one" else 0)


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
    assert "These clips come from 2 versions of Poise: 0.1.0, 0.2.0." in said(page)
    assert "recipes:" not in said(page)


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


@needs_browser
def test_failures_without_a_reason_are_counted_too(opened: Opened) -> None:
    rows = [clip("a", "crashed"), clip("b", "crashed"), clip("c", "bug")]
    opened.open(library_html(rows, "t"))
    assert opened.texts(".cause summary") == [
        "2 crashed no reason given", "1 bug in Poise no reason given",
    ]  # fmt: skip


@needs_browser
def test_a_cause_opens_to_its_clips_and_links_to_the_rest(
    opened: Opened, batch: Callable[..., Iterator[Row]]
) -> None:
    opened.open(library_html(batch(150, 1.0), "t"))
    listed = opened.texts(".cause:first-of-type li")
    assert len(listed) == 101
    assert listed[-1] == "and 50 clips more"
    assert opened.value("document.querySelector('.cause a').hash") == "#cause=0"


# ---- The page ------------------------------------------------------------------------------------


@needs_browser
def test_the_page_asks_nothing_of_the_network(
    opened: Opened, batch: Callable[..., Iterator[Row]]
) -> None:
    page = library_html(batch(60), "t")
    asks_nobody(page)
    opened.open(page)
    assert len(opened.asked) == 1
    links = opened.value("[...document.links].map((a) => a.getAttribute('href'))")
    assert len(links) > 60
    assert all(link.startswith(("#", "./")) for link in links)


@needs_browser
def test_controls_have_labels(opened: Opened, batch: Callable[..., Iterator[Row]]) -> None:
    opened.open(library_html(batch(9), "t"))
    labels = opened.value(
        "[...document.querySelectorAll('input, select')].map((c) => c.labels[0].innerText)"
    )
    assert len(labels) == 7
    assert all(labels)


@needs_browser
def test_hostile_names_are_text_and_their_links_lead_to_their_files(opened: Opened) -> None:
    rows = [
        clip(
            name, reason=name, outputs={"clip": {"file": name}, "report": {"file": f"{name}.html"}}
        )
        for name in HOSTILE
    ]
    rows += [clip(f"x{n}", name, reason=name, notes=[name]) for n, name in enumerate(HOSTILE)]
    rows += [{**clip("key", after={name: 1.0 for name in HOSTILE})}]
    page = library_html(rows, HOSTILE[1], recipe=HOSTILE[1], notes=HOSTILE)
    asks_nobody(page)
    assert (
        sorted(embedded(page)["clips"])[-9:]
        == sorted([*HOSTILE, "key", *[f"x{n}" for n in range(8)]])[-9:]
    )
    assert not re.search("[<>&\u2028]", re.findall(r'id="data">(.*?)</script>', page)[0])
    opened.open(page)
    assert opened.value("document.images.length") == 0
    assert opened.value("document.scripts.length") == 2
    links = opened.value("[...document.links].map((a) => a.getAttribute('href'))")
    linked = {unquote(link.removeprefix("./")) for link in links if not link.startswith("#")}
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
    data = embedded(page)
    links = dict(zip(data["clips"], data["clip_links"], strict=True))
    # 1 leads to the file of the clip's name, as it is shown.
    assert links == {"a": "", "caf?.bvh": "./caf%E9.bvh", "?.bvh": 1}
    assert data["report_links"] == ["", "", ""]


def test_without_a_script_the_summary_is_there(batch: Callable[..., Iterator[Row]]) -> None:
    page = library_html(batch(300), "t")
    assert all(f"<p>{line}</p>" in without_scripts(page) for line in content(page)["summary"])


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
@needs_browser
def test_in_a_browser_nothing_overflows_or_overlaps(
    opened: Opened, batch: Callable[..., Iterator[Row]]
) -> None:
    for name, rows in (("many", batch(400)), ("one", batch(1, 0.0)), ("failures", batch(9, 1.0))):
        opened.open(library_html(rows, "a_long_name_without_any_space_" * 3))
        opened.assert_readable(name)


@needs_browser
def test_rows_say_what_the_figures_are(opened: Opened, batch: Callable[..., Iterator[Row]]) -> None:
    rows = [*batch(40, 0.3)]
    opened.open(library_html(rows, "t"))
    library = read_library(rows)
    for n, cells in enumerate(opened.rows[1:]):
        assert cells[0] == str(n + 1)
        one = library.clips[n]
        assert cells[1] == one.name + (one.reason if n < library.done else "")
        if n >= library.done:
            assert cells[3:7] == ["refused", "", "", one.reason]
            continue
        one = library.figures[library.worst[n]]
        verdict = one.kind.verdict(float(one.after[n]))
        told = {"good": "✓", "fair": "~", "poor": "!"}[verdict]
        assert cells[2] == "report"
        assert cells[4:6] == [str(library.poor_counts[n]), str(library.worse_counts[n])]
        assert cells[6].startswith(one.kind.name)
        assert cells[7] == ("" if np.isnan(one.before[n]) else number(float(one.before[n])))
        assert cells[8] == f"{told} {number(float(one.after[n]))}"
        change = one.kind.change(float(one.before[n]), float(one.after[n]))
        assert cells[10].endswith(change)
        assert cells[11] == "2.00 s"


@needs_browser
def test_numbers_are_rounded_as_everywhere(opened: Opened) -> None:
    ties = [0.125, 12.25, 12.35, 100.5, 101.5, 999.5, 1000.5, 4e-4, 0.0955, 1.005]
    rows = [
        clip(f"tie {n}", after={"foot_slide.mean": v, "flight_residual.flights": 2.5})
        for n, v in enumerate(ties)
    ]
    rows += [clip("large", after={"foot_slide.mean": 5e11})]
    opened.open(library_html(rows, "t"), "#by=foot_slide.mean")
    found = {row[1]: row[8][2:] for row in opened.rows[1:]}
    expected = {f"tie {n}": number(float(f"{v:.4g}")) for n, v in enumerate(ties)}
    assert found == {**expected, "large": "5.00e11"}
    opened.look("#by=flight_residual.flights")
    assert opened.rows[1][8] == "2"


@needs_browser
def test_filters_find_what_they_say(opened: Opened, batch: Callable[..., Iterator[Row]]) -> None:
    rows = [*batch(240, 0.2)]
    library = read_library(rows)
    names = [each.name for each in library.clips]
    place = {f.kind.key: f for f in library.figures}
    slide, zmp = place["foot_slide.mean"], place["zmp_excursion.p95"]
    done = range(library.done)

    def by(
        values: Any, keep: Callable[[int], bool] = lambda n: True, sign: float = -1.0
    ) -> list[str]:
        order = sorted(done, key=lambda n: (math.isnan(values[n]), sign * values[n], n))
        return [names[n] for n in order if keep(n)]

    every = range(len(library.clips))
    agreement = place["contact.agreement_left_foot"].after
    low, high = 0.5 * float(np.nanmedian(slide.before)), float(np.nanmedian(slide.before))
    failed = [names[n] for n in every if n >= library.done]
    wanted = {
        "q=CLIP_0001": [c for c in names if "clip_0001" in c],
        "q=set+3+01": [c for c in names if "3" in c and "01" in c],
        "status=not_met": [names[n] for n in done if library.clips[n].status == "not_met"],
        "status=failed": failed,
        "status=done": [names[n] for n in done],
        "cause=0": [names[n] for n in library.causes[0].clips],
        "worse=1": [names[n] for n in done if library.worse_counts[n]],
        "from=5": [names[n] for n in done if library.poor_counts[n] >= 5],
        "by=foot_slide.mean": by(slide.after) + failed,
        "by=contact.agreement_left_foot": by(agreement, sign=1.0) + failed,
        "by=foot_slide.mean&of=change": by(slide.after - slide.before) + failed,
        "by=zmp_excursion.p95&worse=1": by(zmp.after, lambda n: zmp.changes[n] == -1.0),
        f"by=foot_slide.mean&of=before&from={low}&below={high}": by(
            slide.before, lambda n: low <= slide.before[n] < high
        ),
        "q=set+1&by=foot_slide.mean&below=1e9&status=met": by(
            slide.after, lambda n: "1" in names[n] and library.clips[n].status == "met"
        ),
        "by=no_such&of=nothing&status=odd&from=x": list(names),
        "q=nothing+like+it": [],
    }  # fmt: skip
    opened.open(library_html(rows, "t"))
    for address, left in wanted.items():
        opened.look(address)
        assert opened.names == left[:50], address
        assert opened.shown.startswith(f"{min(50, len(left))} of {len(left)} shown"), address
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
    opened.open(library_html(batch(120), "t"))
    links = opened.value(
        "[...document.querySelectorAll('.spread svg a')]"
        ".map((a) => [a.getAttribute('href'), a.querySelector('title').textContent])"
    )
    bars = [(address, *re.findall(r": (\d+) clips? (\w+)$", title)[0]) for address, title in links]
    assert len(bars) > 300
    # Browsers do not follow hundreds of links in a few seconds.
    for address, many, when in bars[:: len(bars) // 80]:
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
    assert len(opened.asked) == 1
    assert opened.asked[0].startswith("file:")
    opened.type("q", "clip_0039")
    assert len(opened.names) == 10
