"""The first picture of README.md: the studio as a browser shows it, a real dance being edited.

python docs/pictures/studio.py
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

import poise
from poise.apps.studio.server import WEB
from poise.motion import resample
from poise.motion.cleanup import clean
from tests.apps.studio.browser.studio_page import StudioPage, chromium, why_no_browser
from tests.apps.studio.running_server import started

DANCE, FRAMES, RATE_HZ = Path("cmu") / "05_02.bvh", (200, 700), 30.0
NAME = "dance.bvh"
SIZE, FINER = (1600, 900), 2
MOMENT = 80
WRIST_BY_M = (0.0, 0.3, 0.0)
"""What the user has just done: the right hand goes up."""
ORBIT_PX = (0.0, -20.0)
NEARER = 60.0
"""The camera, from where F puts it."""
WITH_A_CARD = """
const plain = WebGL2RenderingContext.prototype.getExtension;
WebGL2RenderingContext.prototype.getExtension = function (name) {
  return name === "WEBGL_debug_renderer_info" ? null : plain.call(this, name);
};
"""
"""Without a graphics card the studio draws with fewer triangles and rough edges, to be quick; this
picture has the time to look as it does with one."""


def studio_picture(captures: Path) -> None:
    """Write studio.png, or say why it stays as it is."""
    why = why_no_browser() or ("" if (WEB / "index.html").is_file() else "the page is not built")
    why = why or ("" if (captures / DANCE).is_file() else f"no {DANCE} in {captures}")
    if why:
        print(f"studio: left as it is, {why}")
        return
    with tempfile.TemporaryDirectory(prefix="captures ") as made:
        project = Path(made) / "captures"
        project.mkdir()
        whole, _ = clean(poise.load(captures / DANCE), ("missing-thorax", "t-pose"))
        poise.save(resample(whole.sliced(*FRAMES), RATE_HZ), project / NAME)
        server = started(project)
        try:
            with chromium() as browser:
                page = StudioPage(browser, server.studio, SIZE, device_scale_factor=FINER)
                page.page.add_init_script(WITH_A_CARD)
                page.visit()
                _edited(page)
                _take(page, HERE / "studio.png")
        finally:
            server.stop()


def _edited(page: StudioPage) -> None:
    """The wrist is dragged; what it asks for, and what yields to what, is in the panel."""
    page.open_file(NAME)
    page.go_to(MOMENT)
    page.press("f")
    page.drawn()
    box = page.by("viewport").bounding_box()
    assert box is not None
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.page.mouse.wheel(0, NEARER)
    page.drag_mouse((box["x"] + 0.85 * box["width"], box["y"] + 0.5 * box["height"]), ORBIT_PX)
    page.drawn()
    page.page.mouse.click(*page.seen_at("right_wrist"))
    page.drawn()
    page.drag_point("right_wrist", *WRIST_BY_M, steps=12)
    page.click("tab-constraints")


def _take(page: StudioPage, path: Path) -> None:
    page.page.mouse.move(SIZE[0] - 5, SIZE[1] - 5)
    page.drawn()
    page.page.wait_for_timeout(500)
    page.picture(path)
    with Image.open(path) as image:
        shown = image.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
    shown.save(path, optimize=True)


if __name__ == "__main__":
    shared = Path(os.environ.get("POISE_SHARED", HERE.parents[2] / "shared"))
    studio_picture(shared / "mocap")
