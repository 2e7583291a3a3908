"""Compile ahead, in a process of its own, what the second half of a correction needs.

Kernels are compiled when they are first used, one after the other, and kept on disk. While a first
correction looks for contacts, another process can compile what recovers joint angles, measures and
draws, so that it is there when it is needed:

    python -m poise.apps.first_use
"""

from __future__ import annotations

from poise.apps.report.build import report_html
from poise.environment import Environment
from poise.measures import evaluate
from poise.methods.correct import recover
from poise.samples import sample_character, walking

SECONDS = 0.7
"""Of a walk: long enough to have a step in it."""


def compile_ahead() -> None:
    """Recover, measure and draw a moment of a walk."""
    sample, character, place = walking(SECONDS, 60.0), sample_character(), Environment.flat()
    recovered = recover(sample.clip, character, place, sample.contacts)
    found = evaluate(
        recovered.clip,
        character,
        place,
        recovered.contacts,
        against=sample.clip,
        against_character=character,
    )
    report_html(found, "first use", against="a walk")


if __name__ == "__main__":
    compile_ahead()
