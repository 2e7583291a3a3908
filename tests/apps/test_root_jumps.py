"""A root that jumps, as a user of commands meets it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import poise
from poise.samples import walk
from tests.apps.command_line import Command

SAID = "faster than a body can move: 1 jump of Hips by 100 m (frame 90)"


def test_commands_say_it_and_those_that_correct_refuse_it(command: Command) -> None:
    clip, file = walk(seconds=1.5), "jumping.bvh"
    roots = clip.root_positions_m.copy()
    roots[90:] += (0.0, 0.0, 100.0)
    poise.save(replace(clip, root_positions_m=roots), file)
    done = command("inspect", file)
    assert done.code == 0 and SAID in done.out and "--clean root-jumps will move" in done.out
    done = command("contacts", file)
    assert done.code == 0 and SAID in done.err
    done = command("correct", file, "-o", "out.bvh")
    assert done.code == 2 and SAID in done.err and done.err.count("\n") == 1
    assert not Path("out.bvh").exists()
    done = command("convert", file, "whole.bvh", "--clean", "all")
    assert done.code == 0 and "root-jumps: move what follows" in done.err
