"""The page over a library, as a browser shows it: all shared captures, corrected."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def library(captures: Path) -> None:
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        print("batch_library: left as it is, there is no Chromium")
        return
    with tempfile.TemporaryDirectory() as folder:
        out, shot = Path(folder) / "out", Path(folder) / "page.png"
        command = [sys.executable, "-m", "poise", "batch", str(captures), "--out", str(out)]
        subprocess.run([*command, "--accept"], check=True)
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--window-size=1280,1500", f"--screenshot={shot}", (out / "library.html").as_uri()],
            check=True, capture_output=True,
        )  # fmt: skip
        with Image.open(shot) as image:
            image.convert("RGB").quantize(64).save(HERE / "batch_library.png", optimize=True)
