"""The page: self-contained, readable, true to the figures; in a real browser where there is one."""

from __future__ import annotations

import html
import json
import math
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise.apps.report.build import report_html
from poise.apps.report.chart_frame import path_of
from poise.apps.report.clip_charts import all_charts, height_chart
from poise.apps.report.line_chart import Line, line_chart
from poise.apps.report.ticks import nice_ticks, range_of
from poise.apps.report.words import WORDINGS, figures_of, number
from poise.contact import ContactSchedule
from poise.measures import Evaluation, Measure, evaluate
from poise.samples import SAMPLES

CHROMIUM = next(
    (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page in")


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
    assert len(page.encode()) < 3_000_000
    assert page.startswith("<!doctype html>")
    for target in re.findall(r"""(?:src|href|action)\s*=\s*["']([^"']*)""", page):
        assert target.startswith("data:"), target
    assert "url(" not in page
    assert "@import" not in page
    assert not re.search(r"https?://", page)
    assert "<script" not in page


def test_names_are_written_as_text_not_as_markup(page: str) -> None:
    assert "<moved>" not in page
    assert "edited &amp; &lt;moved&gt;.bvh" in page


def test_every_figure_is_on_the_page_with_its_unit(page: str, against: Evaluation) -> None:
    text = html.unescape(re.sub(r"<[^>]+>", " ", page))
    for figure in figures_of(against.measures):
        assert figure.name in text
        assert figure.about in text
        if math.isfinite(figure.value) and figure.unit:
            assert number(figure.value) in text
    assert "compared with walk.bvh" in text
    assert "with the contacts of the input" in text


def test_every_measure_has_words(alone: Evaluation, against: Evaluation) -> None:
    for measure in (*alone.measures, *against.measures):
        assert measure.key.removesuffix("_under_input_contacts") in WORDINGS


def test_every_chart_has_both_axes_named_with_units(against: Evaluation, alone: Evaluation) -> None:
    for found in (against, alone):
        for box in all_charts(found.series, found.input_contacts, found.original):
            labels = [t.text or "" for t in _texts(box.svg, "axis")]
            named = [label for label in labels if label]
            assert len(named) >= 1, box.title
            bars = box.title in ("What touches when", "Joint torques against strength")
            for label in named if not bars else named[:1]:
                assert re.search(r"\(.+\)$", label), f"{box.title}: {label}"
            assert len(_texts(box.svg, "tick")) >= 4, box.title
            assert box.legend or box.title == "What touches when"


def test_charts_stay_inside_their_picture(against: Evaluation, alone: Evaluation) -> None:
    for found in (against, alone):
        for box in all_charts(found.series, found.input_contacts, found.original):
            root = ElementTree.fromstring(box.svg)
            _, _, width, height = (float(v) for v in root.attrib["viewBox"].split())
            for node in root.iter("path"):
                values = [float(v) for v in re.findall(r"[ML]([-\d.]+) [-\d.]+", node.attrib["d"])]
                assert all(-0.5 <= v <= width + 0.5 for v in values), box.title
                values = [float(v) for v in re.findall(r"[ML][-\d.]+ ([-\d.]+)", node.attrib["d"])]
                assert all(-0.5 <= v <= height + 0.5 for v in values), box.title


def test_a_jump_shows_its_fitted_gravity(alone: Evaluation) -> None:
    box = height_chart(alone.series, None)
    fitted = re.search(r"Fitted here: ([\d.]+)", box.about)
    assert fitted is not None
    assert 9.3 < float(fitted.group(1)) < 10.3
    assert "fitted parabola" in {entry.label for entry in box.legend}


def test_claimed_and_found_contacts_are_both_drawn(against: Evaluation) -> None:
    series = against.series
    never = ContactSchedule(
        series.contacts.parts, np.zeros_like(series.contacts.touching), series.clip.rate_hz
    )
    claimed = replace(against, series=replace(series, contacts=never))
    box = all_charts(claimed.series, against.input_contacts, None)[0]
    assert 'class="fill blue"' not in box.svg
    assert 'class="fill orange"' in box.svg


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


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 1.0, ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")),
        (-10.0, 30.0, ("−10", "0", "10", "20", "30")),
        (0.0, 0.0, ("0",)),
        (1e-4, 5e-4, ("0.0001", "0.0002", "0.0003", "0.0004", "0.0005")),
    ],
)
def test_ticks_are_round(low: float, high: float, labels: tuple[str, ...]) -> None:
    assert nice_ticks(low, high).labels == labels


def test_ranges_are_never_empty() -> None:
    assert range_of(np.array([np.nan])) == (0.0, 1.0)
    low, high = range_of(np.array([2.0, 2.0]))
    assert low < 2.0 < high
    assert range_of(np.array([1.0, 3.0]), include=(0.0,))[0] == 0.0


def test_numbers_carry_as_many_digits_as_help() -> None:
    assert [number(v) for v in (0.0, 1e-9, 0.0123, 0.5, 12.34, 345.6, -2.0, math.nan)] == [
        "0", "0", "0.012", "0.50", "12.3", "346", "−2.00", "–",
    ]  # fmt: skip


def test_lines_keep_their_gaps_and_peaks_when_thinned() -> None:
    x = np.arange(20_000.0)
    y = np.zeros(20_000)
    y[12_345] = 7.0
    y[5_000:6_000] = np.nan
    data = path_of(x, y, most=400)
    points = [tuple(float(v) for v in p.split()) for p in re.findall(r"[ML]([^ML]+)", data)]
    assert len(points) < 700
    assert (12_345.0, 7.0) in points
    assert data.count("M") == 2
    assert not any(5_000 <= px < 6_000 for px, _ in points)


def test_a_still_clip_and_one_without_contact_can_be_drawn() -> None:
    flat = np.zeros(5)
    box = line_chart("t", "a", np.arange(5.0), [Line("l", flat, "blue")], "y (m)")
    assert "nan" not in box.svg
    empty = line_chart("t", "a", np.arange(5.0), [Line("l", flat * np.nan, "blue")], "y (m)")
    assert "nan" not in empty.svg


def _texts(svg: str, kind: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)
    return [node for node in root.iter("text") if node.attrib.get("class") == kind]


_LOOK = """
<script>
addEventListener("load", () => {
  const found = {};
  for (const frame of document.querySelectorAll("iframe")) {
    const doc = frame.contentDocument, root = doc.documentElement;
    const clash = [];
    for (const svg of doc.querySelectorAll(".chart svg")) {
      const boxes = [...svg.querySelectorAll("text.tick, text.axis")]
        .filter(t => t.textContent).map(t => [t.textContent, t.getBoundingClientRect()]);
      const edge = svg.getBoundingClientRect();
      boxes.forEach(([a, p], i) => {
        if (p.left < edge.left - 1 || p.right > edge.right + 1) clash.push("outside: " + a);
        boxes.slice(i + 1).forEach(([b, q]) => {
          const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
          const tall = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
          if (wide > 1 && tall > 3) clash.push(a + " / " + b);
        });
      });
    }
    const chips = [...doc.querySelectorAll(".figures li")].filter(li => {
      const p = li.querySelector(".how").getBoundingClientRect();
      const q = li.querySelector(".chips").getBoundingClientRect();
      return q.width && Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1
        && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1;
    }).length;
    const small = Math.min(...[...doc.querySelectorAll(".chart:not(.wide) svg text")]
      .map(t => parseFloat(getComputedStyle(t).fontSize) *
        t.ownerSVGElement.getBoundingClientRect().width / t.ownerSVGElement.viewBox.baseVal.width));
    found[frame.width] = {overflow: root.scrollWidth - root.clientWidth, clash, chips, small};
  }
  document.body.innerHTML = "<pre>" + JSON.stringify(found).replace(/</g, "&lt;") + "</pre>";
});
</script>
"""


@needs_browser
def test_in_a_browser_nothing_overflows_or_overlaps(
    against: Evaluation, alone: Evaluation, tmp_path: Path
) -> None:
    for name, found in (("against", against), ("alone", alone)):
        page = report_html(found, "clip.bvh", against="original.bvh" if found.original else "")
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
            assert seen[width]["chips"] == 0, f"{name} at {width}"
            assert seen[width]["small"] >= 9.5, f"{name} at {width}: letters too small"


def _dumped(page: Path, profile: Path) -> dict[str, dict[str, float | list[str]]]:
    assert CHROMIUM is not None
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
        "--no-first-run", "--disable-background-networking", "--disable-component-update",
        "--disable-sync", f"--user-data-dir={profile}", "--window-size=1400,1000",
        "--virtual-time-budget=5000", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    match = re.search(r"<pre>(.*?)</pre>", run.stdout, re.DOTALL)
    assert match is not None, run.stderr[-2000:]
    return json.loads(html.unescape(match.group(1)))
