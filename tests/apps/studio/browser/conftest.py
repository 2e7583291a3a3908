"""A project with a real clip, a server for it, a browser, and pages that may not complain."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import poise
from poise.apps.studio.server import WEB
from poise.motion import resample
from poise.motion.cleanup import clean
from poise.samples import SAMPLES, walk
from tests.apps.studio.browser.studio_page import StudioPage, chromium, why_no_browser
from tests.apps.studio.running_server import Process, Studio, started
from tests.shared_data import MOCAP

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CAPTURE, SHORT = MOCAP / "cmu" / "02_01.bvh", (60, 300)
"""A real walk, and which of its frames: two seconds."""
RATE_HZ = 30.0

NewPage = Callable[..., StudioPage]
"""One more page in a browser of its own; on the empty state unless `visit=False`."""


@pytest.fixture(scope="session")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a project has at first."""
    if not CAPTURE.is_file():
        pytest.skip(f"a real clip is not there: {CAPTURE} (set POISE_SHARED)")
    folder = tmp_path_factory.mktemp("material")
    whole, _ = clean(poise.load(CAPTURE), ("missing-thorax", "t-pose"))
    poise.save(resample(whole.sliced(*SHORT), RATE_HZ), folder / "capture.bvh")
    poise.save(walk(1.0, RATE_HZ), folder / "short.bvh")
    poise.save(SAMPLES["stand"](rate_hz=RATE_HZ, seconds=0.2).clip, folder / "other_body.bvh")
    return folder


def project_of(material: Path, folder: Path) -> Path:
    return Path(shutil.copytree(material, folder / "project"))


@pytest.fixture(scope="module")
def browser() -> Generator[Browser, None, None]:
    """One for all tests of a file; not for all files: while it runs, nobody else in this process
    can have an event loop."""
    if why := why_no_browser():
        pytest.skip(why)
    if not (WEB / "index.html").is_file():
        pytest.skip("the page is not built: npm run build in studio/")
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def server(
    browser: Browser, material: Path, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Process, None, None]:
    """`poise studio` as its own process, one for all tests of a file."""
    made = started(project_of(material, tmp_path_factory.mktemp("studio")))
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def studio(server: Process) -> Studio:
    return server.studio


@pytest.fixture
def new_page(browser: Browser, studio: Studio) -> Generator[NewPage, None, None]:
    """Pages that fail their test if anything is written to the console as an error, or if anybody
    but their server is asked for anything."""
    opened: list[StudioPage] = []

    def make(visit: bool = True, at: Studio = studio, **options: Any) -> StudioPage:
        opened.append(StudioPage(browser, at, **options))
        if visit:
            opened[-1].visit()
        return opened[-1]

    yield make
    try:
        for each in opened:
            assert each.unforgiven == []
            assert each.strangers == []
    finally:
        for each in opened:
            each.close()


@pytest.fixture
def page(new_page: NewPage) -> StudioPage:
    return new_page()


@pytest.fixture
def capture(page: StudioPage) -> StudioPage:
    """The real clip is open."""
    page.open_file("capture.bvh")
    return page


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser that draws in software takes minutes for all of these: `make test-slow`."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)
