"""Correcting captured motion: what touches what is found, and what is impossible removed.

Lee & Lee 2018, "Projective Motion Correction with Contact Optimization". docs/correct.md maps its
equations to these files and says what differs.
"""

from poise.methods.correct.recovery import recover as recover
from poise.methods.correct.report import CorrectReport as CorrectReport
from poise.methods.correct.run import run as run
from poise.methods.correct.settings import PRESETS as PRESETS
from poise.methods.correct.settings import Settings as Settings
from poise.methods.correct.settings import settings_for as settings_for
from poise.one_line import show_records as _show_records

_show_records(globals())
