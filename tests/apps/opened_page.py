"""Pages of reports in a real browser, and the data in their files."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from poise.apps.report.charts import Chart
from poise.apps.report.page import Page, page_html
from tests.apps.piped_browser import Browser

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_LOOK = """(() => {
  const root = document.documentElement, clash = [], outside = [];
  for (const svg of document.querySelectorAll(".chart svg")) {
    const edge = svg.getBoundingClientRect();
    const isOut = p => p.left < edge.left - 1 || p.right > edge.right + 1
      || p.top < edge.top - 1 || p.bottom > edge.bottom + 1;
    // Names have a rim in the colour of the paper, which a browser counts as part of them.
    for (const note of svg.querySelectorAll(".note")) note.style.strokeWidth = 0;
    const boxes = [...svg.querySelectorAll(SELECTED)]
      .filter(t => t.textContent).map(t => [t.firstChild.textContent, t.getBoundingClientRect()]);
    boxes.forEach(([a, p], i) => {
      if (isOut(p)) outside.push(a);
      boxes.slice(i + 1).forEach(([b, q]) => {
        const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
        const tall = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
        if (wide > 1 && tall > 3) clash.push(a + " / " + b);
      });
    });
    for (const drawn of svg.querySelectorAll("path, rect, circle, polygon"))
      if (isOut(drawn.getBoundingClientRect())) outside.push(drawn.outerHTML.slice(0, 80));
    if (/NaN|Infinity/.test(svg.outerHTML)) outside.push("no number");
  }
  const chips = [...document.querySelectorAll(".figures li")].filter(li => {
    const p = li.querySelector(".how").getBoundingClientRect();
    const q = li.querySelector(".chips").getBoundingClientRect();
    return q.width && Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1
      && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1;
  }).length;
  const small = Math.min(99, ...[...document.querySelectorAll(".chart:not(.wide) svg text")]
    .map(t => parseFloat(getComputedStyle(t).fontSize) *
      t.ownerSVGElement.getBoundingClientRect().width / t.ownerSVGElement.viewBox.baseVal.width));
  return {overflow: root.scrollWidth - root.clientWidth, clash, outside, chips, small};
})()"""


def content(page: str) -> dict[str, Any]:
    """What the script of a page draws."""
    found = _DATA.findall(page)
    assert len(found) == 1
    return json.loads(found[0])


def without_scripts(page: str) -> str:
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def asks_nobody(page: str) -> None:
    """Nothing in a file leads to the network but the names of namespaces in its script."""
    assert page.startswith("<!doctype html>")
    markup = without_scripts(page)
    assert not re.search(r"(?:src|href|action)\s*=|https?:|url\(|@import|<link|<img", markup)
    addresses = set(re.findall(r"https?://[^\"'`\s]*", page))
    assert all(address.startswith("http://www.w3.org/") for address in addresses)
    assert "default-src 'none'" in markup
    assert len(re.findall("<script", page)) == len(re.findall("</script", page)) == 2


def page_of(charts: Sequence[Chart]) -> str:
    """A page with nothing but charts."""
    told = {"charts": charts, "heads": (), "rows": (), "styles": None}
    return page_html(Page("pattern", "charts", "", (), (), (), told))


class Opened:
    """A page in a browser."""

    def __init__(self, folder: Path) -> None:
        self.browser, self._folder, self._count = Browser(folder / "profile", 1280, 720), folder, 0

    def open(self, page: str, address: str = "") -> None:
        self._count += 1
        path = self._folder / f"{self._count}.html"
        path.write_text(page, encoding="utf-8")
        self.browser.events.clear()
        self.browser.do("Page.navigate", url=path.as_uri() + address)
        self.browser.until(lambda: self.browser.value("document.readyState") == "complete")
        assert self.browser.complaints == []

    def value(self, expression: str) -> Any:
        return self.browser.value(expression)

    def texts(self, selector: str) -> list[str]:
        return self.value(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)"
        )

    @property
    def text(self) -> str:
        """All that stands on the page."""
        return self.value("document.getElementById('page').textContent")

    @property
    def asked(self) -> list[str]:
        """What was asked for since the page was opened."""
        return [
            event["params"]["request"]["url"]
            for event in self.browser.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def assert_readable(self, name: str, selected: str = "text.tick, text.axis") -> None:
        """Nothing is wider than the page, on something else or too small: on a phone, on a desk."""
        look = _LOOK.replace("SELECTED", json.dumps(selected))
        for width in (390, 1280):
            self.browser.do(
                "Emulation.setDeviceMetricsOverride",
                width=width, height=900, deviceScaleFactor=1, mobile=False,
            )  # fmt: skip
            seen = self.value(look)
            assert seen["overflow"] <= 0, f"{name}: wider than {width} pixels"
            assert seen["clash"] == [], f"{name} at {width}"
            assert seen["outside"] == [], f"{name} at {width}"
            assert seen["chips"] == 0, f"{name} at {width}"
            assert seen["small"] >= 9.5, f"{name} at {width}: letters too small"
        self.browser.do("Emulation.clearDeviceMetricsOverride")

    def look(self, address: str) -> None:
        """Follow a link on the page."""
        self.value(f"location.hash = {json.dumps(address)}")
        wanted = address.lstrip("#")
        self.browser.until(lambda: self.value("location.hash").lstrip("#") == wanted)
        # What listens to the address has been told.
        self.browser.do(
            "Runtime.evaluate",
            expression="new Promise((done) => setTimeout(done, 0))",
            awaitPromise=True,
        )

    @property
    def names(self) -> list[str]:
        return self.value(
            "[...document.querySelectorAll('#rows tbody th')]"
            ".map((th) => th.firstChild.textContent)"
        )

    @property
    def rows(self) -> list[list[str]]:
        return self.value(
            "[...document.querySelectorAll('.table tr')]"
            ".map((tr) => [...tr.cells].map((td) => td.textContent))"
        )

    @property
    def shown(self) -> str:
        return self.value("document.getElementById('shown').textContent").replace("\u202f", "")

    def type(self, field: str, text: str) -> None:
        self.value(f"document.getElementById('{field}').focus()")
        self.browser.do("Input.insertText", text=text)

    def click(self, element: str) -> None:
        self.value(f"document.getElementById('{element}').scrollIntoView({{block: 'center'}})")
        x, y = self.browser.middle(element)
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.mouse(kind, x, y)
