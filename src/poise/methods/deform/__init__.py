"""Deform a motion with prioritized constraints.

Le Callennec and Boulic, Interactive Motion Deformation with Prioritized Constraints, 2004. What is
where: docs/deform.md. What differs from the paper, and why, stands there too.
"""

from poise.methods.deform.problem import Problem as Problem
from poise.methods.deform.problem import build as build
from poise.methods.deform.report import DeformReport as DeformReport
from poise.methods.deform.run import run as run
from poise.methods.deform.settings import Settings as Settings
from poise.one_line import show_records as _show_records

_show_records(globals())
