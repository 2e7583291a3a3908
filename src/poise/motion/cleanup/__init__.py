"""Cleaning what captures get wrong: each step named, reported and switchable."""

from poise.motion.cleanup.finding import Finding as Finding
from poise.motion.cleanup.root_jumps import impossible_step_m as impossible_step_m
from poise.motion.cleanup.steps import STEPS as STEPS
from poise.motion.cleanup.steps import clean as clean
from poise.motion.cleanup.steps import findings as findings
from poise.motion.cleanup.trim import MUST_BE_CLEANED as MUST_BE_CLEANED
from poise.motion.cleanup.trim import Frames as Frames
from poise.motion.cleanup.trim import Kept as Kept
from poise.motion.cleanup.trim import Trimmed as Trimmed
from poise.motion.cleanup.trim import cleaning_steps as cleaning_steps
from poise.motion.cleanup.trim import frame_range as frame_range
from poise.motion.cleanup.trim import kept_broken as kept_broken
from poise.motion.cleanup.trim import trim as trim
from poise.one_line import show_records as _show_records

_show_records(globals())
