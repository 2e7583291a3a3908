"""Learn the pattern that golf_hit.yaml edits with: of captured swings, or of swings made by code.

Where the captures are (CMU subject 64), the pattern is theirs; else `poise.samples` makes the
swings. Which it was is printed. The pattern lands in `out/golf.npz` of the project:

    python examples/recipes/pattern/learn_swings.py
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import poise
from poise.job import load_recipe
from poise.job.stand_in import capture_file
from poise.samples import golf_swings

HERE = Path(__file__).resolve().parent
RECIPE = HERE / "golf_hit.yaml"
PATTERN = HERE.parents[2] / "out" / "golf.npz"


def captured_swings() -> list[Path]:
    """The captured swings, beside the one that the recipe edits; none where they are not."""
    recipe = load_recipe(RECIPE)
    if recipe.clip.file is None:  # something stands in for it
        return []
    return sorted(capture_file(HERE, recipe.clip.file).parent.glob("64_0*.bvh"))


def made_swings(folder: Path) -> list[Path]:
    """Swings made by code, written to files."""
    paths: list[Path] = []
    for clip in golf_swings():
        paths.append(folder / f"{clip.name.replace(' ', '_')}.bvh")
        poise.save(clip, paths[-1])
    return paths


def main() -> None:
    reader = argparse.ArgumentParser(description="Learn the pattern that golf_hit.yaml needs.")
    reader.add_argument("--output", type=Path, default=PATTERN, help="default: out/golf.npz")
    output = reader.parse_args().output
    output.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        swings = captured_swings()
        said = "captured swings" if swings else "the captures are missing: swings made by code"
        print(said, flush=True)
        swings = swings or made_swings(Path(folder))
        learn = [sys.executable, "-m", "poise", "pattern", "learn", *map(str, swings)]
        options = ["--fit-club", "-o", str(output), "--overwrite"]
        subprocess.run([*learn, *options], check=True)


if __name__ == "__main__":
    main()
