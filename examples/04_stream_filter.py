"""Live retargeting: poses of one body come in, poses of another go out, frame by frame.

A walk is sent one frame at a time, as a capture would send it, to a body with limbs a tenth longer.
Its feet go where the sender's feet go (Tak and Ko's dancing experiment). Kinematic rounds answer at
once; a dynamic round, which keeps the balance as well, answers after a delay that is known before.
Both clips land in the folder `out/`.

    python examples/04_stream_filter.py

The same from one program to the next, on the command line:

    capture | poise filter - --recipe feet.yaml --set character.limbs=1.1 --stream | viewer
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import poise
from poise.character import with_proportions
from poise.constraints import Plant, find_joint
from poise.mechanics import forward_kinematics
from poise.methods.filter import (
    ALWAYS,
    FilterStream,
    Settings,
    StreamFrame,
    clip_of,
    frames_of,
)  # fmt: skip
from poise.motion import Clip
from poise.samples import sample_character, walk
from poise.transfer import standing_rise_m

OUT = Path("out")
RATE_HZ = 60.0


def ankles_m(clip: Clip) -> np.ndarray:
    joints = [find_joint(sample_character(), f"{side}_ankle") for side in ("left", "right")]
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m[:, joints]


def main() -> None:
    OUT.mkdir(exist_ok=True)
    clip, sender = walk(2.0, RATE_HZ), sample_character()
    body = with_proportions(sender, limbs=1.1)
    feet = [
        Plant(f"{side} foot", f"{side}_foot", ALWAYS, mode="follow") for side in ("left", "right")
    ]
    for passes in ("1K", "1D+1K"):
        stream = FilterStream(
            body, RATE_HZ, feet, Settings(passes=passes),
            source=sender, rise_m=standing_rise_m(sender, body), window_s=0.8,
        )  # fmt: skip
        print(f"{passes}: frames come back {stream.latency_s:.2f} s later")

        # What a live program does: push a pose, and show the one that comes back.
        back: list[StreamFrame] = []
        took: list[float] = []
        for frame in frames_of(clip):
            start = time.perf_counter()
            moved = stream.push(frame)
            took.append(time.perf_counter() - start)
            if moved is not None:
                back.append(moved)
        back += stream.finish()

        result = replace(clip_of(back, clip), skeleton=body.skeleton)
        off_mm = 1000 * np.linalg.norm(ankles_m(result) - ankles_m(clip), axis=-1).max()
        print(f"  median {1000 * np.median(took):.2f} ms a frame, feet off by {off_mm:.3f} mm")
        path = OUT / f"streamed_{passes.replace('+', '_')}.glb"
        poise.save(result, path)
        print(f"  {path}")


if __name__ == "__main__":
    main()
