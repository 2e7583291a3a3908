"""Editing in the style of a set of motions: the ball is hit there, the swing stays a swing.

Carvalho, Boulic & Thalmann 2007, "Motion Pattern Preserving IK Operating in the Motion Principal
Coefficients Space": motion vectors and their components (section 4.1), inverse kinematics in the
coefficients (4.2), continuity (4.3), normalisation (5). What is where, and what differs and why:
docs/pattern.md.
"""

from poise.methods.motion_alignment import Placing as Placing
from poise.methods.motion_alignment import Warp as Warp
from poise.methods.motion_pattern import EventKind as EventKind
from poise.methods.motion_pattern import EventRule as EventRule
from poise.methods.motion_pattern import Example as Example
from poise.methods.motion_pattern import Pattern as Pattern
from poise.methods.pattern.club_fit import fit_club as fit_club
from poise.methods.pattern.learning import check_one_body as check_one_body
from poise.methods.pattern.learning import grounds_of as grounds_of
from poise.methods.pattern.learning import learn as learn
from poise.methods.pattern.placed import event_frames as event_frames
from poise.methods.pattern.report import PatternReport as PatternReport
from poise.methods.pattern.run import run as run
from poise.methods.pattern.settings import Settings as Settings
from poise.methods.pattern.usual_events import SWING_SPAN as SWING_SPAN
from poise.methods.pattern.usual_events import peak_event as peak_event
from poise.methods.pattern.usual_events import styles_of as styles_of
from poise.methods.pattern.usual_events import swing_events as swing_events
from poise.one_line import show_records as _show_records

_show_records(globals())
