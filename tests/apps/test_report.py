"""The page: self-contained, readable, true to the figures; in a real browser where there is one."""

from __future__ import annotations

import math
import re
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.apps.report import page as page_file
from poise.apps.report.build import report_html
from poise.apps.report.charts import Chart, Line
from poise.apps.report.clip_charts import all_charts, height_chart, thinned
from poise.apps.report.contact_chart import MOST_PIECES, UNKNOWN, contact_chart
from poise.apps.report.contact_doubts import doubts_in_words, doubts_of, unknown_carriers
from poise.apps.report.words import figures_of, kinds, number
from poise.contact import ContactSchedule, FoundContacts
from poise.errors import FileProblem
from poise.measures import Evaluation, Measure, evaluate
from poise.methods import Result
from poise.methods.correct import CorrectReport
from poise.samples import SAMPLES
from tests.apps.opened_page import Opened, asks_nobody, content, page_of, without_scripts
from tests.apps.piped_browser import needs_browser


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Generator[Opened, None, None]:
    found = Opened(tmp_path_factory.mktemp("report"))
    try:
        yield found
    finally:
        found.browser.close()


@pytest.fixture(scope="module")
def alone() -> Evaluation:
    return evaluate(SAMPLES["jump"]().clip)


@pytest.fixture(scope="module")
def against() -> Evaluation:
    clip = SAMPLES["walk"]().clip
    sway = 0.05 * np.sin(np.linspace(0.0, 20.0, clip.frame_count))
    shift = np.stack([sway, -0.02 + 0.0 * sway, 0.0 * sway], axis=1)
    return evaluate(
        replace(clip, root_positions_m=clip.root_positions_m + shift, source=None), against=clip
    )


@pytest.fixture(scope="module")
def page(against: Evaluation) -> str:
    return report_html(against, "edited & <moved>.bvh", against="walk.bvh", notes=("a note",))


def test_the_page_asks_nothing_of_the_network_and_is_small(page: str) -> None:
    asks_nobody(page)
    assert len(page.encode()) < 1_500_000
    assert content(page)["content"]["picture"]["source"].startswith("data:image/png;base64,")


def test_a_long_clip_makes_a_small_page(against: Evaluation) -> None:
    lines = [np.random.default_rng(n).normal(size=60_000) for n in range(3)]
    assert max(len(thinned(line)) for line in lines) < 1000
    charts = all_charts(against.series, against.input_contacts, against.original)
    assert all(len(line.y) < 1300 for chart in charts for line in chart.lines)


def test_names_are_written_as_text_not_as_markup(page: str) -> None:
    assert "<moved>" not in page
    assert "edited &amp; &lt;moved&gt;.bvh" in without_scripts(page)


def test_without_a_script_the_summary_is_there(page: str) -> None:
    still = without_scripts(page)
    assert "<noscript><h1>edited" in still
    assert all(f"<p>{sentence}</p>" in still for sentence in content(page)["summary"])


def test_without_the_built_script_it_is_said_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(page_file, "WEB", tmp_path)
    with pytest.raises(FileProblem, match=r"python dev\.py setup"):
        page_of([])


@needs_browser
def test_every_figure_is_on_the_page_with_its_unit(
    opened: Opened, page: str, against: Evaluation
) -> None:
    opened.open(page)
    assert len(opened.asked) == 1 + 1  # the file, and the picture in it
    assert opened.texts("h1") == ["edited & <moved>.bvh"]
    text = opened.text
    for figure in figures_of(against.measures):
        assert figure.name in text
        assert figure.about in text
        if math.isfinite(figure.value) and figure.unit:
            assert number(figure.value) in text
    assert "compared with walk.bvh" in text
    assert "with the contacts of the input" in text
    assert "a note" in opened.texts(".notes li")


def test_every_measure_has_words(alone: Evaluation, against: Evaluation) -> None:
    for measure in (*alone.measures, *against.measures):
        assert measure.key.removesuffix("_under_input_contacts") in kinds()


def test_every_chart_has_both_axes_named_with_units(against: Evaluation, alone: Evaluation) -> None:
    for found in (against, alone):
        for chart in all_charts(found.series, found.input_contacts, found.original):
            is_rows = chart.kind == "rows"
            for label in (chart.x_label,) if is_rows else (chart.x_label, chart.y_label):
                assert re.search(r"\(.+\)$", label), f"{chart.title}: {label}"


@needs_browser
def test_every_chart_has_ticks_and_a_legend(opened: Opened, page: str) -> None:
    opened.open(page)
    charts = content(page)["content"]["charts"]
    counts = opened.value(
        "[...document.querySelectorAll('.chart')].map((c) => [c.querySelectorAll('.tick').length,"
        " c.querySelectorAll('.legend li').length, c.querySelectorAll('.axis').length])"
    )
    assert len(counts) == len(charts)
    for (ticks, keys, axes), chart in zip(counts, charts, strict=True):
        assert ticks >= 4, chart["title"]
        assert keys >= max(1, len(chart["lines"])), chart["title"]
        assert axes == 2


@needs_browser
def test_a_pointer_on_lines_reads_their_values(opened: Opened) -> None:
    times = np.linspace(0.0, 4.0, 101)
    lines = [Line("one", times, 2.0 * times, "blue"), Line("two", times, np.nan * times, "green")]
    opened.open(page_of([Chart("time", "t", "a", "time (s)", "y (m)", (0.0, 4.0), lines)]))
    box = "document.querySelector('.svgbox').getBoundingClientRect()"
    x, y = (
        opened.value(f"{box}.{side} + {box}.{size} / 2")
        for side, size in (("left", "width"), ("top", "height"))
    )
    opened.browser.mouse("mouseMoved", x, y)
    said = opened.browser.until(lambda: opened.texts(".readout p"))[0]
    found = re.fullmatch(r"(\d\.\d\d) sone: (\d\.\d+)two: –", said)
    assert found is not None
    assert float(found.group(2)) == pytest.approx(2.0 * float(found.group(1)), abs=0.06)


def test_a_jump_shows_its_fitted_gravity(alone: Evaluation) -> None:
    chart = height_chart(alone.series, None)
    fitted = re.search(r"Fitted here: ([\d.]+)", chart.about)
    assert fitted is not None
    assert 9.3 < float(fitted.group(1)) < 10.3
    assert "fitted parabola" in {line.label for line in chart.lines}


def test_claimed_and_found_contacts_are_both_drawn(against: Evaluation) -> None:
    series = against.series
    never = ContactSchedule(
        series.contacts.parts, np.zeros_like(series.contacts.touching), series.clip.rate_hz
    )
    claimed = replace(against, series=replace(series, contacts=never))
    chart = all_charts(claimed.series, against.input_contacts, None)[0]
    assert {bar.color for row in chart.rows for bar in row.bars} == {"orange"}


def doubtful(found: Evaluation) -> Evaluation:
    """The same, with contacts of which some are sure, some less so and some in doubt."""
    contacts = found.series.contacts
    sure = np.ones(contacts.touching.shape)
    sure[10:14, 0], sure[20:30, 0], sure[:, 1] = 0.61, 0.9, 0.97
    return replace(found, series=replace(found.series, contacts=replace(contacts, confidence=sure)))


def unweighed(found: Evaluation) -> Evaluation:
    """The same, with contacts that somebody gave."""
    given = replace(found.series.contacts, confidence=None)
    return replace(
        found,
        series=replace(found.series, contacts=given),
        input_contacts=replace(found.input_contacts, confidence=None),
        original=found.original and replace(found.original, contacts=given),
    )


def test_contacts_without_confidence_are_drawn_as_ever(
    alone: Evaluation, against: Evaluation
) -> None:
    for found in (unweighed(alone), unweighed(against)):
        chart = all_charts(found.series, found.input_contacts, found.original)[0]
        bars = [bar for row in chart.rows for bar in row.bars]
        assert {(bar.look, bar.strength) for bar in bars} == {("solid", 1.0)}
        assert {bar.lane for bar in bars} <= {"whole", "upper", "lower"}
        assert not any("sure" in words for words in (chart.about, *(b.said for b in bars)))
        assert not any(row.label == UNKNOWN for row in chart.rows)


def test_less_sure_contacts_are_paler_and_doubts_marked_and_said(alone: Evaluation) -> None:
    found = doubtful(alone)
    chart = all_charts(found.series, None, None)[0]
    contacts, step = found.series.contacts, 1.0 / found.series.clip.rate_hz
    assert contacts.column(contacts.parts[0])[10:30].all()
    row = next(row for row in chart.rows if row.label == contacts.parts[0].replace("_", " "))
    strengths = {
        round(bar.start / step): bar.strength
        for bar in row.bars
        if bar.lane == "whole" and bar.look == "solid"
    }
    assert strengths[10] < strengths[20] < strengths[14] == strengths[30] == 1.0
    (mark,) = (bar for bar in row.bars if bar.lane == "under")
    assert (mark.start, mark.end) == pytest.approx((10 * step, 14 * step))
    assert "61 %" in mark.said
    assert f"in 4 of {contacts.frame_count} frames: {row.label}, frames 10 to 13 (0.61)." in (
        chart.about
    )
    other = next(r for r in chart.rows if r.label == contacts.parts[1].replace("_", " "))
    assert all(bar.strength == 1.0 and bar.lane != "under" for bar in other.bars)
    assert {"faint", "line"} <= {key.kind for key in chart.legend}


def test_where_nothing_is_in_doubt_that_is_said(alone: Evaluation) -> None:
    contacts = alone.series.contacts
    sure = replace(contacts, confidence=np.ones(contacts.touching.shape))
    chart = all_charts(replace(alone.series, contacts=sure), None, None)[0]
    assert "No contact is in doubt" in chart.about
    assert {bar.strength for row in chart.rows for bar in row.bars} == {1.0}


def test_a_long_clip_in_doubt_makes_a_small_chart(alone: Evaluation) -> None:
    frames, rng = 50_000, np.random.default_rng(5)
    touching = np.repeat(rng.random((frames // 50, 2)) < 0.8, 50, axis=0)
    sure = rng.random(touching.shape)
    rate = alone.series.clip.rate_hz
    long = ContactSchedule(("left_foot", "right_foot"), touching, rate, None, sure)
    series = replace(alone.series, contacts=long, times_s=np.arange(frames) / rate)
    chart = contact_chart(series, None)
    assert max(len(row.bars) for row in chart.rows) < 3 * MOST_PIECES
    for part in long.parts:
        row = next(row for row in chart.rows if row.label == part.replace("_", " "))
        covered = sum(b.end - b.start for b in row.bars if b.lane == "whole" and b.look == "solid")
        assert covered == pytest.approx(long.column(part).sum() / rate)


def test_what_carries_the_body_unknown_has_a_hatched_lane(alone: Evaluation) -> None:
    chart = all_charts(alone.series, None, None, ((10, 20), (25, 26)))[0]
    row = chart.rows[-1]
    step = 1.0 / alone.series.clip.rate_hz
    assert row.label == UNKNOWN and {bar.look for bar in row.bars} == {"hatched"}
    assert [(bar.start, bar.end) for bar in row.bars] == [
        pytest.approx((10 * step, 20 * step)), pytest.approx((25 * step, 26 * step)),
    ]  # fmt: skip
    assert "carries the body in frames 10 to 19 and frame 25." in chart.about


def test_the_heaviest_doubts_are_named_in_order_and_the_rest_counted() -> None:
    sure = np.ones((60, 1))
    for at, (length, value) in {0: (1, 0.7), 10: (9, 0.2), 30: (2, 0.75), 40: (5, 0.5)}.items():
        sure[at : at + length] = value
    doubts = doubts_of(ContactSchedule(("head",), np.zeros((60, 1), np.bool_), 30.0, None, sure))
    assert [(each.first, each.stop, each.least) for each in doubts] == [
        (0, 1, 0.7), (10, 19, 0.2), (30, 32, 0.75), (40, 45, 0.5),
    ]  # fmt: skip
    assert doubts_in_words(doubts, 2) == (
        "head, frames 10 to 18 (0.20); head, frames 40 to 44 (0.50); and 2 more"
    )


def test_only_a_correction_says_what_carries_the_body_unknown(alone: Evaluation) -> None:
    clip, unknown = alone.series.clip, np.zeros(alone.series.clip.frame_count, np.bool_)
    unknown[3:8] = True
    seen = FoundContacts(alone.series.contacts, unknown, np.zeros(len(unknown)))
    corrected = Result[object](
        clip, "converged", "", CorrectReport(found=seen, lawless=(), shortfalls=())
    )
    given = replace(corrected, report=CorrectReport(found=None, lawless=(), shortfalls=()))
    other = replace(corrected, report=None)
    shorter = replace(other, clip=clip.sliced(0, 20))
    assert unknown_carriers([corrected]) == unknown_carriers([corrected, other]) == ((3, 8),)
    for results in ([], [other], [given], [corrected, given], [corrected, shorter]):
        assert unknown_carriers(results) == ()


@needs_browser
def test_confidence_and_unknown_carriers_are_drawn_and_readable(
    opened: Opened, alone: Evaluation
) -> None:
    opened.open(report_html(doubtful(unweighed(alone)), "clip.bvh", unknown=((10, 20),)))
    opened.assert_readable("in doubt")
    strengths = opened.value(
        "[...document.querySelectorAll('.chart rect.fill[fill-opacity]')]"
        ".map((e) => Number(e.getAttribute('fill-opacity')))"
    )
    assert strengths and all(0.0 < each < 1.0 for each in strengths)
    assert opened.value("document.querySelectorAll('.chart rect.rim').length") == 1
    assert opened.value("document.querySelectorAll('.chart path.hatch').length") == 1
    under, bar = opened.value(
        "['vermilion', 'blue'].map((c) => document.querySelector(`.chart rect.fill.${c}`)"
        ".getBoundingClientRect()).map((r) => [r.top, r.bottom])"
    )
    assert under[0] >= bar[1]


def test_verdicts_follow_the_direction_of_a_measure() -> None:
    def judged(key: str, value: float, direction: str, before: float) -> tuple[str, str]:
        m = Measure(key, value, "cm/s", direction, "x")  # type: ignore[arg-type]
        row = figures_of((m,), (replace(m, value=before),))[0]
        return row.verdict, row.change

    assert judged("foot_slide.mean", 2.0, "lower", 4.0) == ("good", "better")
    assert judged("foot_slide.mean", 40.0, "lower", 4.0) == ("poor", "worse")
    assert judged("contact.agreement_left_foot", 0.99, "higher", 0.9) == ("good", "better")
    assert judged("contact.agreement_left_foot", 0.5, "higher", 0.9) == ("poor", "worse")
    assert judged("foot_slide.mean", math.nan, "lower", 4.0) == ("", "")
    assert judged("foot_slide.mean", 4.0, "lower", 4.0) == ("good", "same")


def flat(include: tuple[float, ...], *values: float) -> Chart:
    times = np.arange(float(len(values)))
    lines = [Line("l", times, np.array(values), "blue")]
    ends = (0.0, float(len(values) - 1))
    return Chart("time", "t", "a", "time (s)", "y (m)", ends, lines, include=include)


@needs_browser
def test_ticks_are_round_and_ranges_never_empty(opened: Opened) -> None:
    wanted = {
        (0.0, 1.0): ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"],
        (-10.0, 30.0): ["−10", "0", "10", "20", "30"],
        (1e-4, 5e-4): ["0.0001", "0.0002", "0.0003", "0.0004", "0.0005"],
        (0.0, 0.0): ["−0.4", "−0.2", "0.0", "0.2", "0.4"],
    }
    opened.open(page_of([flat(ends, ends[0]) for ends in wanted]))
    found = opened.value(
        "[...document.querySelectorAll('.chart svg')].map((s) => [...s.querySelectorAll("
        "'.tick[text-anchor=end]')].map((t) => t.textContent))"
    )
    assert found == list(wanted.values())


@needs_browser
def test_a_still_clip_and_one_without_contact_can_be_drawn(opened: Opened) -> None:
    nothing = (math.nan,) * 5
    opened.open(page_of([flat((), *5 * [2.0]), flat((), *nothing), flat((0.0,), *nothing, 3.0)]))
    opened.assert_readable("still")
    assert opened.value("document.querySelectorAll('svg .line').length") == 3


def test_numbers_carry_as_many_digits_as_help() -> None:
    assert [number(v) for v in (0.0, 1e-9, 0.0123, 0.5, 12.34, 345.6, -2.0, math.nan)] == [
        "0", "0", "0.012", "0.50", "12.3", "346", "−2.00", "–",
    ]  # fmt: skip


def test_lines_keep_their_gaps_and_peaks_when_thinned() -> None:
    x = np.arange(20_000.0)
    y = np.zeros(20_000)
    y[12_345] = 7.0
    y[5_000:6_000] = np.nan
    kept = thinned(y, most=400)
    assert len(kept) < 700
    assert 12_345 in kept
    known = np.isfinite(y[kept])
    assert np.abs(np.diff(known.astype(int))).sum() == 2  # one gap, at its own place
    assert 4_900 <= x[kept][known & (x[kept] < 6_000)].max() < 5_000
    assert 6_000 <= x[kept][known & (x[kept] > 5_000)].min() <= 6_100


@needs_browser
def test_in_a_browser_nothing_overflows_or_overlaps(
    opened: Opened, against: Evaluation, alone: Evaluation
) -> None:
    for name, found in (("against", against), ("alone", alone)):
        opened.open(
            report_html(found, "clip.bvh", against="original.bvh" if found.original else "")
        )
        opened.assert_readable(name)
