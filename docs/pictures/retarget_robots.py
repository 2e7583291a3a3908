"""Picture of docs/retarget.md: a cartwheel as captured, and on three robots."""

from __future__ import annotations

import sys
from pathlib import Path

from correct_experiments import COLORS, HERE
from PIL import Image

sys.path.insert(0, str(HERE.parents[1]))

from benchmarks.retarget_table import source, target
from poise.apps.render import draw_strip, overlays_of, stage_for
from poise.apps.render.layout import key_frames
from poise.measures import evaluate
from poise.mechanics import forward_kinematics
from poise.methods import Edit, retarget

CLIP = "49_06"
ROBOTS = {"G1": "Unitree G1", "T1": "Booster T1", "H1": "Unitree H1"}
SIZE, FIGURES = (1400, 300), 11


def robots(_: Path) -> None:
    """Strips one below the other, at the same moments."""
    clip, human, place = source(CLIP)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    moments = key_frames(state.positions_m, FIGURES)
    found = evaluate(clip, human, place)
    rows = {
        "captured (49_06)": stage_for(clip, environment=place, overlays=overlays_of(found.series))
    }
    for name, title in ROBOTS.items():
        robot = target(name)
        made = retarget.run(Edit(clip, human, environment=place, target=robot))
        series = made.report.stages[-1].series
        rows[title] = stage_for(
            made.clip, environment=series.environment, overlays=overlays_of(series)
        )
    page = Image.new("RGB", (SIZE[0], SIZE[1] * len(rows)), "white")
    for number, (title, stage) in enumerate(rows.items()):
        strip = draw_strip(stage, view="side", size=SIZE, figures=moments, title=title)
        page.paste(strip.convert("RGB").resize(SIZE), (0, SIZE[1] * number))
    page.quantize(COLORS).save(HERE / "retarget_robots.png", optimize=True)
