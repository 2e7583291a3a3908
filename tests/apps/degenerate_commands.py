"""Every command that takes a clip, as it is run on clips that are hardly ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from poise.formats import save_clip
from tests.apps.limited import Worker
from tests.formats.degenerate import usual

COMMANDS: dict[str, tuple[str, ...]] = {
    "inspect": ("inspect", "{clip}"),
    "inspect, as JSON": ("inspect", "{clip}", "--json"),
    "convert to glTF": ("convert", "{clip}", "{out}.glb"),
    "convert to BVH": ("convert", "{clip}", "{out}.bvh", "--clean", "all"),
    "convert to 24 Hz": ("convert", "{clip}", "{out}.npz", "--fps", "24"),
    "measure": ("measure", "{clip}"),
    "measure, as JSON": ("measure", "{clip}", "--json"),
    "measure against itself": ("measure", "{clip}", "--against", "{clip}"),
    "measure against a walk": ("measure", "{clip}", "--against", "../usual.npz", "--json"),
    "contacts": ("contacts", "{clip}", "-o", "{out}.json"),
    "contacts by heights and speeds": ("contacts", "{clip}", "-o", "{out}.csv", "--detector"),
    "render a strip": ("render", "{clip}", "-o", "{out}.png"),
    "render a film": ("render", "{clip}", "-o", "{out}.gif", "--size", "128x96", "--fps", "3"),
    "report": ("report", "{clip}", "-o", "{out}.html"),
    "correct": ("correct", "{clip}", "-o", "{out}.npz", "--report", "{out}.html"),
    "deform": ("deform", "{clip}", "--recipe", "../reach.yaml", "-o", "{out}.npz"),
    "deform onto a body": ("deform", "{clip}", "--to", "../usual.npz", "-o", "{out}.npz"),
    "filter": (
        "filter", "{clip}", "--recipe", "../balance.yaml", "-o", "{out}.npz",
        "--report", "{out}.html",
    ),
    "filter, streamed": (
        "filter", "{clip}", "--recipe", "../feet.yaml", "--stream", "-o", "{out}.bvh"
    ),
    "leap": ("leap", "{clip}", "--by", "0", "0", "0.2", "-o", "{out}.npz"),
    "leap, stages": ("leap", "{clip}", "--stages"),
    "retarget": ("retarget", "{clip}", "--to", "../usual.npz", "-o", "{out}.npz"),
    "retarget, explained": ("retarget", "{clip}", "--to", "../usual.npz", "--explain"),
    "retarget a walk": ("retarget", "../usual.npz", "--to", "{clip}", "-o", "{out}.npz"),
    "stream": ("stream", "{clip}", "--to", "../usual.npz", "-o", "{out}.bvh"),
    "pattern": ("pattern", "learn", "{clip}", "../usual.npz", "-o", "{out}.npz", "--no-events"),
    "run": ("run", "../reach.yaml", "--clip", "{clip}", "-o", "{out}.bvh"),
}  # fmt: skip
"""By name; `{clip}` is the clip, `{out}` a file that is not there yet."""

STREAMED = ("filter, streamed", "stream")
"""Of these, those that read BVH alone."""

_REACH = """poise: 1
clip: {sample: walk}
steps:
  - deform:
      constraints:
        - hold_point: {name: reach, point: left_wrist, place_m: [0.3, 1.3, 0.4], frames: [0, 5]}
"""
_BALANCE = """poise: 1
steps:
  - filter:
      settings: {passes: 1K+1D, torque: true}
      constraints:
        - plant: {name: left foot, part: left_foot, mode: follow, frames: all}
"""
_FEET = _BALANCE.replace("1K+1D, torque: true", "1K")


def prepared(folder: Path) -> None:
    """Put what commands refer to into a folder; they run in folders inside of it."""
    save_clip(usual(), folder / "usual.npz")
    save_clip(usual(), folder / "usual.bvh")
    for name, text in (("reach", _REACH), ("balance", _BALANCE), ("feet", _FEET)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


QUICK = ("inspect", "convert to BVH", "measure, as JSON", "contacts")
"""Those that take least of a processor's time."""


def warm_up(running: Worker, folder: Path, names: Sequence[str] = tuple(COMMANDS)) -> None:
    """Let a worker load what commands import and call, on a walk, once."""
    here = folder / f"warm{len(names)}"
    if here.exists():
        return
    here.mkdir()
    running.warm(
        here,
        [
            [word.format(clip="../usual.bvh", out=f"warm{i}") for word in words]
            for i, words in enumerate(COMMANDS[name] for name in names)
        ],
    )
