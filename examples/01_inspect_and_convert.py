"""Inspect a clip, clean it, and write it in other formats.

The clip is made by code and damaged on purpose: a fake T-pose before the first frame, two frames
lost. Everything lands in the folder `out/`.

    python examples/01_inspect_and_convert.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import poise
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from poise.motion.cleanup import clean
from poise.samples import walk, with_dropped_frames, with_t_pose

OUT = Path("out")


def joint_positions_m(clip: Clip) -> np.ndarray:
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


def main() -> None:
    OUT.mkdir(exist_ok=True)

    # A clip as it might come from a library, in centimetres and with defects.
    damaged = OUT / "walk_as_captured.bvh"
    poise.save(with_t_pose(with_dropped_frames(walk(), (60, 61))), damaged)

    # What is it, and what is wrong with it? (The same as: poise inspect out/walk_as_captured.bvh)
    clip = poise.load(damaged)
    print(poise.inspect(damaged))

    # Repair it, and say what was done.
    clip, _ = clean(clip)
    print("\nCleaned:")
    for step in clip.history:
        print(f"  {step}")

    # Write it in other formats. The GLB shows as a figure in any viewer.
    # (The same as: poise convert out/walk_as_captured.bvh out/walk.glb --clean all)
    print("\nWritten:")
    truth = joint_positions_m(clip)
    for name in ("walk.glb", "walk.bvh", "walk.npz"):
        path = OUT / name
        poise.save(clip, path)
        worst_mm = 1000 * np.abs(joint_positions_m(poise.load(path)) - truth).max()
        size_kb = path.stat().st_size / 1024
        print(f"  {path}  {size_kb:7.1f} KB, reads back to within {worst_mm:.1e} mm")


if __name__ == "__main__":
    main()
