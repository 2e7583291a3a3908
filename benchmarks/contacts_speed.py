"""How long finding contacts takes, beside the detector and the correction that needs it.

`python -m benchmarks.contacts_speed [--write]`: 10 s at 120 Hz, made by code and captured, by
the plain detector, by all evidence and by the contact optimizer of `mode: paper` (once: it is
slow), and the whole of `correct`; then clips of ever more frames, forwards and backwards again and
again, with the memory that the search takes (Linux). Seconds of the processor on one thread, warm,
the least of several runs; clip, body and place are ready.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.page import put_table
from benchmarks.physics_peers import ONE_THREAD, SLIDE_CM_S
from poise import samples
from poise.character import Character, with_ranges
from poise.contact import detect_contacts, find_contacts
from poise.environment import Environment
from poise.job import measurable
from poise.methods import Edit, correct
from poise.motion import Clip
from tests.shared_data import clips

RATE_HZ, LONGEST_S = 120.0, 10.0
CAPTURES = ("05_02", "02_05", "49_02", "90_28", "140_08")
"""Dance, punches, hops; a breakdance and getting up from the ground, with many parts in doubt."""
GROWING = ("walk made by code", "140_08")
TIMES = (1, 4, 16)
RUNS = 5


@dataclass(frozen=True)
class Given:
    name: str
    clip: Clip
    character: Character
    place: Environment

    @property
    def seconds(self) -> float:
        return self.clip.frame_count / self.clip.rate_hz

    @property
    def freedoms(self) -> int:
        return 3 + int(self.clip.skeleton.freedoms.sum())

    def longer(self, times: int) -> Given:
        """So many times as long: forwards, backwards, forwards."""
        count = self.clip.frame_count
        turn = np.concatenate([np.arange(count), np.arange(count - 1, -1, -1)])
        picked = np.resize(turn, times * count)
        clip = replace(
            self.clip,
            root_positions_m=self.clip.root_positions_m[picked],
            rotations_wxyz=self.clip.rotations_wxyz[picked],
            source=None,
        )
        return replace(self, clip=clip)


def made_walk() -> Given:
    sample = samples.with_foot_slide(samples.walking(LONGEST_S, RATE_HZ), SLIDE_CM_S)
    return Given("walk made by code", sample.clip, samples.sample_character(), sample.environment)


def captured(name: str) -> Given | None:
    paths = clips(f"cmu/{name}.bvh")
    if not paths:
        return None
    found = measurable(paths[0])
    clip = found.clip.sliced(0, min(found.clip.frame_count, round(LONGEST_S * RATE_HZ)))
    character = with_ranges(found.character, found.clip.rotations_wxyz)
    return Given(name, clip, character, found.environment)


def least_s(job: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds of the processor in the quickest of some runs, after one to warm up."""
    job()
    spent: list[float] = []
    for _ in range(runs):
        start = time.process_time()
        job()
        spent.append(time.process_time() - start)
    return min(spent)


def by_paper_s(given: Given) -> float:
    """Of the contact optimizer of `mode: paper`, once; what follows it is left out."""
    from poise.methods.correct import paper

    spent: list[float] = []

    class Enough(Exception):
        pass

    def timed(*asked: Any, **named: Any) -> None:
        start = time.process_time()
        discover(*asked, **named)
        spent.append(time.process_time() - start)
        raise Enough

    discover = paper.discover
    settings = replace(correct.settings_for("auto"), mode="paper")
    with patch.object(paper, "discover", timed), suppress(Enough):
        correct.run(Edit(given.clip, given.character, environment=given.place), settings)
    return spent[0]


def everything(given: Given) -> object:
    return correct.run(Edit(given.clip, given.character, environment=given.place))


HEADING = (
    "| clip | frames | unknowns | detector, s | all evidence, s | s for 10 s | whole `correct`, s "
    "| evidence's share | contact optimizer of the paper, s | over evidence |",
    "|---|---|---|---|---|---|---|---|---|---|",
)


def line(given: Given) -> str:
    each = (given.clip, given.character, given.place)
    detector, evidence = (
        least_s(partial(find, *each)) for find in (detect_contacts, find_contacts)
    )
    whole = least_s(partial(everything, given), 1)
    paper = by_paper_s(given)
    told = (
        f"| {given.name} | {given.clip.frame_count} | {given.freedoms} | {detector:.3f} "
        f"| {evidence:.3f} | {evidence * 10.0 / given.seconds:.3f} | {whole:.1f} "
        f"| {100.0 * evidence / whole:.1f} % | {paper:.1f} | {paper / evidence:.0f} × |"
    )
    print(told, flush=True)
    return told


GROWTH_HEADING = (
    "| clip | frames | seconds of motion | all evidence, s | ms a frame | memory, MB |",
    "|---|---|---|---|---|---|",
)


def growth_lines(given: Given) -> list[str]:
    """Frames, time and memory; last the power of frames that time grows with."""
    lines, frames, spent = list[str](), list[int](), list[float]()
    find_contacts(given.clip, given.character, given.place)
    for times in TIMES:
        longer = given.longer(times)
        job = partial(find_contacts, longer.clip, longer.character, longer.place)
        memory = _room_mb(job)
        frames.append(longer.clip.frame_count)
        spent.append(least_s(job, RUNS if times == 1 else 2))
        lines.append(
            f"| {given.name} | {frames[-1]} | {longer.seconds:.0f} | {spent[-1]:.2f} "
            f"| {1e3 * spent[-1] / frames[-1]:.3f} | {memory:.0f} |"
        )
        print(lines[-1], flush=True)
    power = np.polyfit(np.log(frames), np.log(spent), 1)[0]
    lines.append(f"| | | | grows as frames to the power of {power:.2f} | | |")
    return lines


def _room_mb(job: Callable[[], object]) -> float:
    """Most memory of the process while a job runs, over what it had before."""
    Path("/proc/self/clear_refs").write_text("5")
    before = _memory_mb("VmRSS")
    job()
    return _memory_mb("VmHWM") - before


def _memory_mb(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024.0 for line in lines if line.startswith(field))


def main() -> int:
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        # Libraries read these when they are loaded, which they are by now.
        os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.contacts_speed", *sys.argv[1:]])
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.contacts_speed", description=__doc__
    )
    parser.add_argument("--write", action="store_true", help="into docs/contacts.md")
    asked = parser.parse_args()
    given = [made_walk(), *filter(None, map(captured, CAPTURES))]
    with threadpool_limits(1):
        print("\n".join(GROWTH_HEADING), flush=True)
        grown = [row for each in given if each.name in GROWING for row in growth_lines(each)]
        print("\n".join(["", *HEADING]), flush=True)
        beside = [line(each) for each in given]
    if asked.write:
        put_table("contacts.md", "speed", [*HEADING, *beside])
        put_table("contacts.md", "growth", [*GROWTH_HEADING, *grown])
    return 0


if __name__ == "__main__":
    sys.exit(main())
