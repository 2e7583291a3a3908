"""Makes the pictures of README.md from clips made by code: `python docs/pictures/make.py`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
SHOWN = ("walk", "jump")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        strips: list[Image.Image] = []
        for name in SHOWN:
            clip, strip = Path(folder) / f"{name}.bvh", Path(folder) / f"{name}.png"
            poise = (sys.executable, "-m", "poise")
            subprocess.run([*poise, "sample", name, "-o", clip], check=True)
            subprocess.run([*poise, "render", clip, "-o", strip, "--size", "1400x360"], check=True)
            with Image.open(strip) as image:
                strips.append(image.convert("RGB"))
    page = Image.new("RGB", (1400, 360 * len(strips)), "white")
    for row, strip in enumerate(strips):
        page.paste(strip, (0, 360 * row))
    page.quantize(128).save(HERE / "samples.png", optimize=True)


if __name__ == "__main__":
    main()
