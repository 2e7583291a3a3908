"""The studio as a browser shows it: a captured kick, its wrist dragged up, the physics on top."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CLIP, FRAME = "135_04.bvh", 420
"""A front kick, in the moment after the foot has landed."""
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--disable-background-networking"]  # fmt: skip


def studio_picture(captures: Path) -> None:
    from playwright.sync_api import sync_playwright

    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        print("studio: left as it is, there is no Chromium")
        return
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "kick.bvh"
        shutil.copy(captures / "cmu" / CLIP, clip)
        server = subprocess.Popen(
            [sys.executable, "-m", "poise", "studio", str(clip), "--no-browser"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            found = re.search(r"http\S+", server.stdout.readline())
            assert found is not None
            with sync_playwright() as playwright:
                running = playwright.chromium.launch(executable_path=browser, args=ARGUMENTS)
                page = running.new_page(viewport={"width": 1600, "height": 900})
                page.goto(found[0])
                page.wait_for_selector('[data-testid="tl-play"]', timeout=120_000)
                page.wait_for_timeout(4000)
                page.fill('[data-testid="tl-frame-input"]', str(FRAME))
                page.keyboard.press("Enter")
                page.evaluate("window.poiseViewport.dragTo('right_wrist', 0.0, 0.35, 0.1)")
                page.wait_for_timeout(3000)
                page.click('[data-testid="tab-constraints"]')
                page.click('[data-testid="tab-measures"]')
                page.wait_for_timeout(5000)
                shot = Path(folder) / "studio.png"
                page.screenshot(path=str(shot))
                running.close()
        finally:
            server.kill()
        with Image.open(shot) as image:
            image.convert("RGB").quantize(160).save(HERE / "studio.png", optimize=True)
