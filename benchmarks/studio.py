"""The studio as its user meets it, in a real browser on this machine.

How long from a move of a gizmo to the pose that answers it on the screen; how long from the address
to a page that can be used; how much of every picture is our own code, for five figures; how much
there is to load. Without a graphics card pictures are drawn by the processor: what that takes is
said beside what it is a part of.
"""

from __future__ import annotations

import argparse
import gzip
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import poise
from benchmarks.measure import Measure
from benchmarks.page import put_table
from poise.apps.studio.server import WEB
from poise.motion.cleanup import clean
from tests.apps.studio.browser.studio_page import StudioPage, chromium, why_no_browser
from tests.apps.studio.running_server import Studio, started
from tests.shared_data import MOCAP

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CAPTURE = MOCAP / "cmu" / "05_02.bvh"
FIRST, LENGTHS, FRAMES = 20, (150, 300, 600, 1100), 300
"""Clips of so many frames are dragged; the limits are for the second."""
MOVES, ANSWERS = 60, 100
"""Of one drag; and how many answers are waited for."""
OPENINGS = RUNS = 5
COPIES = 4
"""Beside the figure itself."""
PLAYED_S = 4.0
NOISE = 0.5
WHEN_READY = """
new MutationObserver((_, watching) => {
  if (!document.querySelector('[data-testid="open-sample-walk"]')) return;
  watching.disconnect();
  requestAnimationFrame(() => (window.readyMs = performance.now()));
}).observe(document, { childList: true, subtree: true });
"""


def name_of(frames: int) -> str:
    return f"capture_{frames}.bvh"


class Table:
    """What was measured, for people; printed as it comes."""

    def __init__(self) -> None:
        self.lines = ["| | median | |", "|---|---:|---|"]

    def add(self, what: str, value: str, words: str) -> None:
        print(f"{what}: {value} ({words})")
        self.lines.append(f"| {what} | {value} | {words} |")


def run_suite(quick: bool, table: Table | None = None) -> list[Measure]:
    """All of it; `quick` asks for fewer moves and openings."""
    table = table or Table()
    sizes = [size_of_bundle(table)] if (WEB / "index.html").is_file() else []
    why = why_no_browser() or ("" if sizes else "the page is not built")
    why = why or ("" if CAPTURE.is_file() else f"no {CAPTURE}")
    if why:
        print(f"studio: {why}, nothing is measured in a browser")
        return sizes
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"\nstudio: load {load:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        whole, _ = clean(poise.load(CAPTURE), ("missing-thorax", "t-pose"))
        for frames in LENGTHS:
            poise.save(whole.sliced(FIRST, FIRST + frames), Path(folder) / name_of(frames))
        server = started(Path(folder))
        try:
            with chromium() as browser:
                studio = server.studio
                return [
                    *opening(browser, studio, 2 if quick else OPENINGS, table),
                    *dragging(browser, studio, 20 if quick else ANSWERS, table),
                    *drawing(browser, studio, 1.0 if quick else PLAYED_S, table),
                    *sizes,
                ]
        finally:
            server.stop()


def opening(browser: Browser, studio: Studio, times: int, table: Table) -> list[Measure]:
    """From the start of navigation to the empty page with everything that can be opened."""
    ready: list[float] = []
    for _ in range(times):
        page = StudioPage(browser, studio)  # a context of its own: nothing is cached
        page.page.add_init_script(WHEN_READY)
        page.visit()
        ready.append(page.until(lambda p=page: p.value("window.readyMs"), "the page"))
        page.close()
    spread = f"{min(ready):.0f} to {max(ready):.0f}, {times} times; nothing cached"
    table.add("address to a page that can be used", f"{statistics.median(ready):.0f} ms", spread)
    return [Measure("studio/ready", statistics.median(ready), "ms", "lower", NOISE)]


def dragging(browser: Browser, studio: Studio, answers: int, table: Table) -> list[Measure]:
    """A wrist is moved with every picture; an answer counts from its move to its picture."""
    found: list[Measure] = []
    for frames in LENGTHS:
        runs = [
            _dragged(browser, studio, frames, answers)
            for _ in range(RUNS if frames == FRAMES and answers == ANSWERS else 1)
        ]
        middles = [statistics.median(took) for took, _, _ in runs]
        p95 = statistics.median(_p95(took) for took, _, _ in runs)
        server, drawn = (statistics.median(part) for part in list(zip(*runs, strict=True))[1:])
        spread = f", {len(runs)} runs {min(middles):.0f} to {max(middles):.0f}" * (len(runs) > 1)
        words = (
            f"p95 {p95:.0f}{spread}; of it the server's answer {server:.0f}, drawing {drawn:.0f}"
        )
        middle = statistics.median(middles)
        table.add(f"gizmo to picture, {frames} frames", f"{middle:.0f} ms", words)
        found += [
            Measure(f"studio/drag/{frames}", middle, "ms", "lower", NOISE),
            Measure(f"studio/drag/{frames}/p95", p95, "ms", "lower", NOISE),
        ]
    return found


def _dragged(
    browser: Browser, studio: Studio, frames: int, answers: int
) -> tuple[list[float], float, float]:
    """How long answers took to be seen, the server's median part, and a picture's."""
    page = StudioPage(browser, studio)
    page.visit()
    page.open_file(name_of(frames))
    page.go_to(frames // 2)
    page.drag_point("right_wrist", 0.0, 0.1, 0.0, 10)  # what is compiled or made once, is
    page.value("poiseViewport.clearLatencies()")
    start = page.value("poiseViewport.renderStats()")
    took: list[float] = []
    served: list[float] = []
    way = 1.0
    while len(took) < answers:
        page.drag_point("right_wrist", 0.0, 0.15 * way, 0.1 * way, MOVES)
        way = -way
        took = page.value("poiseViewport.lastLatencies()")
        served = page.value("poiseViewport.lastAnswers()")
    now = page.value("poiseViewport.renderStats()")
    page.close()
    drawn = (now["renderMs"] - start["renderMs"]) / max(1, now["frames"] - start["frames"])
    return took, statistics.median(served), drawn


def drawing(browser: Browser, studio: Studio, seconds: float, table: Table) -> list[Measure]:
    """Five figures that play: our own code, without the renderer."""
    page = StudioPage(browser, studio)
    page.visit()
    page.open_file(name_of(FRAMES))
    page.click("vp-toggle-before")  # as before and after are the same, the capture is no sixth
    page.value(f"poiseViewport.crowd({COPIES})")
    page.press("Space")
    page.page.wait_for_timeout(500)
    start = page.value("poiseViewport.renderStats()")
    page.page.wait_for_timeout(1e3 * seconds)
    now = page.value("poiseViewport.renderStats()")
    page.close()
    pictures = max(1, now["frames"] - start["frames"])
    ours = (now["cpuMs"] - start["cpuMs"]) / pictures
    theirs = (now["renderMs"] - start["renderMs"]) / pictures
    words = f"beside {theirs:.0f} ms of the renderer; {pictures / seconds:.0f} pictures a second"
    table.add(f"our code for a picture of {1 + COPIES} figures", f"{ours:.2f} ms", words)
    return [Measure("studio/picture/own_code", ours, "ms", "lower", NOISE)]


def size_of_bundle(table: Table) -> Measure:
    """What a browser loads, compressed."""
    files = [each for each in WEB.rglob("*") if each.suffix in (".html", ".css", ".js")]
    sizes = {each.name: len(gzip.compress(each.read_bytes(), 9, mtime=0)) for each in files}
    kilobytes = sum(sizes.values()) / 1e3
    parts = ", ".join(f"{name} {size / 1e3:.0f}" for name, size in sorted(sizes.items()))
    table.add("all that a browser loads", f"{kilobytes:.0f} kB", f"compressed: {parts}")
    return Measure("studio/bundle", kilobytes, "kB", "lower", 0.05)


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studio", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer moves and openings")
    parser.add_argument("--write", action="store_true", help="put the table into docs/studio.md")
    asked = parser.parse_args()
    table = Table()
    run_suite(asked.quick, table)
    if asked.write:
        put_table("studio.md", "studio", table.lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
