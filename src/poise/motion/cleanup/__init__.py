"""Cleaning what captures get wrong: each step named, reported and switchable."""

from poise.motion.cleanup.finding import Finding as Finding
from poise.motion.cleanup.root_jumps import impossible_step_m as impossible_step_m
from poise.motion.cleanup.steps import STEPS as STEPS
from poise.motion.cleanup.steps import clean as clean
from poise.motion.cleanup.steps import findings as findings
from poise.one_line import show_records as _show_records

_show_records(globals())
