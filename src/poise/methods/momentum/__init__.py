"""Editing leaps by their momentum: further, higher, turned, landing there.

Abe, Liu & Popović 2004, "Momentum-based Parameterization of Dynamic Character Motion": stages and
momentum curves of ground stages (section 4.1), the spacetime problem (4.2), motion families and
inverse control (4.3), a controller that leaps on and on (4.4).
"""

from poise.methods.momentum.controller import LeapController as LeapController
from poise.methods.momentum.family import Family as Family
from poise.methods.momentum.family import Member as Member
from poise.methods.momentum.family import build_family as build_family
from poise.methods.momentum.family import statuses_in_words as statuses_in_words
from poise.methods.momentum.family_axes import FamilyAxis as FamilyAxis
from poise.methods.momentum.family_axes import grid as grid
from poise.methods.momentum.inverse_control import Aim as Aim
from poise.methods.momentum.plan import Captured as Captured
from poise.methods.momentum.plan import captured as captured
from poise.methods.momentum.plan import captured_flight_m as captured_flight_m
from poise.methods.momentum.plan import captured_rise_m as captured_rise_m
from poise.methods.momentum.report import MomentumReport as MomentumReport
from poise.methods.momentum.report import StageReport as StageReport
from poise.methods.momentum.run import run as run
from poise.methods.momentum.settings import Settings as Settings
from poise.methods.momentum.two_leaps import two_leaps_reach_m as two_leaps_reach_m
from poise.methods.momentum.two_leaps import with_still_feet as with_still_feet
from poise.one_line import show_records as _show_records

_show_records(globals())
