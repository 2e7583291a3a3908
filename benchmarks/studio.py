"""The studio as its user meets it, in a real browser on this machine.

How long from a move of a gizmo to the pose that answers it on the screen; how long from the address
to a page that can be used; how much of every picture is our own code, for five figures; how much
there is to load. Without a graphics card pictures are drawn by the processor: what that takes is
said beside what it is a part of.
"""

from __future__ import annotations

import gzip
import os
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import poise
from benchmarks.measure import Measure
from poise.apps.studio.server import WEB
from poise.motion.cleanup import clean
from tests.apps.studio.browser.studio_page import StudioPage, chromium, why_no_browser
from tests.apps.studio.running_server import Studio, started
from tests.shared_data import MOCAP

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CAPTURE, FIRST, FRAMES = MOCAP / "cmu" / "02_01.bvh", 20, 300
NAME = "capture.bvh"
MOVES, ANSWERS = 60, 100
"""Of one drag; and how many answers are waited for."""
OPENINGS = 5
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


def run_suite(quick: bool) -> list[Measure]:
    """All of it; `quick` asks for fewer moves and openings."""
    sizes = [size_of_bundle()] if (WEB / "index.html").is_file() else []
    why = why_no_browser() or ("" if sizes else "the page is not built")
    why = why or ("" if CAPTURE.is_file() else f"no {CAPTURE}")
    if why:
        print(f"studio: {why}, nothing is measured in a browser")
        return sizes
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"\nstudio: load {load:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as folder:
        whole, _ = clean(poise.load(CAPTURE), ("missing-thorax", "t-pose"))
        poise.save(whole.sliced(FIRST, FIRST + FRAMES), Path(folder) / NAME)
        server = started(Path(folder))
        try:
            with chromium() as browser:
                studio = server.studio
                return [
                    *opening(browser, studio, 2 if quick else OPENINGS),
                    *dragging(browser, studio, 20 if quick else ANSWERS),
                    *drawing(browser, studio, 1.0 if quick else PLAYED_S),
                    *sizes,
                ]
        finally:
            server.stop()


def opening(browser: Browser, studio: Studio, times: int) -> list[Measure]:
    """From the start of navigation to the empty page with everything that can be opened."""
    ready: list[float] = []
    for _ in range(times):
        page = StudioPage(browser, studio)  # a context of its own: nothing is cached
        page.page.add_init_script(WHEN_READY)
        page.visit()
        ready.append(page.until(lambda p=page: p.value("window.readyMs"), "the page"))
        page.close()
    print(f"page ready: {_said(ready)} ms, median of {times}")
    return [Measure("studio/ready", statistics.median(ready), "ms", "lower", NOISE)]


def dragging(browser: Browser, studio: Studio, answers: int) -> list[Measure]:
    """A wrist is moved with every picture; an answer counts from its move to its picture."""
    page = StudioPage(browser, studio)
    page.visit()
    page.open_file(NAME)
    page.go_to(FRAMES // 2)
    page.drag_point("right_wrist", 0.0, 0.1, 0.0, 10)  # what is compiled or made once, is
    page.value("poiseViewport.clearLatencies()")
    start = page.value("poiseViewport.renderStats()")
    took: list[float] = []
    moves, way = 0, 1.0
    while len(took) < answers:
        page.drag_point("right_wrist", 0.0, 0.15 * way, 0.1 * way, MOVES)
        moves, way = moves + MOVES, -way
        took = page.value("poiseViewport.lastLatencies()")
    now = page.value("poiseViewport.renderStats()")
    page.close()
    drawn = (now["renderMs"] - start["renderMs"]) / max(1, now["frames"] - start["frames"])
    print(
        f"gizmo to picture, {FRAMES} frames: {_said(took)} ms; {len(took)} answers to {moves} "
        f"moves; drawing a picture {drawn:.1f} ms of it"
    )
    return [
        Measure("studio/drag", statistics.median(took), "ms", "lower", NOISE),
        Measure("studio/drag/p95", _p95(took), "ms", "lower", NOISE),
    ]


def drawing(browser: Browser, studio: Studio, seconds: float) -> list[Measure]:
    """Five figures that play: our own code, without the renderer."""
    page = StudioPage(browser, studio)
    page.visit()
    page.open_file(NAME)
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
    print(
        f"a picture of {1 + COPIES} figures: {ours:.2f} ms of ours, {theirs:.1f} ms of the "
        f"renderer's, {pictures / seconds:.0f} pictures a second"
    )
    return [Measure("studio/picture/own_code", ours, "ms", "lower", NOISE)]


def size_of_bundle() -> Measure:
    """What a browser loads, compressed."""
    files = [each for each in WEB.rglob("*") if each.is_file()]
    sizes = {each.name: len(gzip.compress(each.read_bytes(), 9, mtime=0)) for each in files}
    kilobytes = sum(sizes.values()) / 1e3
    parts = ", ".join(f"{name} {size / 1e3:.0f}" for name, size in sorted(sizes.items()))
    print(f"bundle: {kilobytes:.0f} kB compressed ({parts})")
    return Measure("studio/bundle", kilobytes, "kB", "lower", 0.05)


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def _said(values: Sequence[float]) -> str:
    many = f"p95 {_p95(values):.0f}, " if len(values) >= 20 else ""
    return f"{statistics.median(values):.0f} ({many}{min(values):.0f} to {max(values):.0f})"


if __name__ == "__main__":
    run_suite(quick=False)
