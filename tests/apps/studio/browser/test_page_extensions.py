"""What an installed package adds, in the page: its method in the menu, with its settings, run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import poise
from poise.samples import walk
from tests.apps.studio.browser.studio_page import StudioPage
from tests.apps.studio.running_server import started
from tests.extensions.installed_packages import EXAMPLE, install

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_method_of_a_package_is_chosen_and_run(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, project = tmp_path / "site", tmp_path / "project"
    install(EXAMPLE, site)
    path = [each for each in (os.environ.get("PYTHONPATH"), str(site)) if each]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    project.mkdir()
    poise.save(walk(1.0, 30.0), project / "short.bvh")
    running = started(project)
    page = StudioPage(browser, running.studio)
    try:
        page.visit()
        page.open_file("short.bvh")
        before = page.motion("before")
        page.choose_method("smooth")
        assert page.by("method-editor").locator("header").inner_text().strip() == "Smooth"
        page.run()
        assert page.motion() != before
        assert "smooth" in page.state.recipe["steps"][0]
        assert page.unforgiven == []
    finally:
        page.close()
        running.stop()
