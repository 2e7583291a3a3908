"""Editing leaps by their momentum: further, higher, turned, landing there.

Abe, Liu & Popović 2004, "Momentum-based Parameterization of Dynamic Character Motion": stages and
momentum curves of ground stages (section 4.1), the spacetime problem (4.2), motion families and
inverse control (4.3), a controller that leaps on and on (4.4).
"""

from poise.methods.momentum.run import Progress as Progress
from poise.methods.momentum.run import run as run
from poise.methods.momentum.settings import Settings as Settings

TAKES_STAGE_EDITS = True
